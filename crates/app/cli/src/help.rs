//! The help of the command itself: its verbs in tiers, by who needs them. `quintain -h` fits
//! one screen, `quintain --help` says what each verb does.

use std::ffi::OsString;
use std::fmt::Write;

use crate::verbs::TIERS;

/// The columns of a line of the short help.
const WIDTH: usize = 80;

/// Returns whether the arguments ask for the short help of the command itself.
pub(crate) fn is_wanted(arguments: &[OsString]) -> bool {
    let options = &arguments[1..];
    options.iter().any(|option| option == "-h")
        && options.iter().all(|option| option.to_string_lossy().starts_with('-'))
}

/// Returns the command with its verbs in tiers. In the short help, a line says what each verb of
/// the first tier does, and the others are only named.
pub(crate) fn with_tiers(command: clap::Command, is_short: bool) -> clap::Command {
    let verbs = list_verbs(&command, is_short);
    let blank = if is_short { "" } else { "\n" };
    let heading = format!("{{about-with-newline}}{blank}{{usage-heading}} {{usage}}\n\n");
    command.help_template(match is_short {
        true => format!(
            "{heading}{verbs}(quintain --help says what each does; quintain VERB --help has its \
             options.)\nOptions:\n{{options}}"
        ),
        false => format!(
            "{heading}{verbs}(quintain VERB --help has a verb's options.)\n\n\
             Options:\n{{options}}{{after-help}}"
        ),
    })
}

/// Lists the verbs by tiers.
fn list_verbs(command: &clap::Command, is_short: bool) -> String {
    let visible = || command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let find = |name: &&str| visible().find(|verb| verb.get_name() == *name);
    let is_tool =
        |verb: &&clap::Command| !TIERS.iter().any(|(_, verbs)| verbs.contains(&verb.get_name()));
    let tiers = TIERS.iter().map(|(tier, verbs)| (*tier, verbs.iter().filter_map(find).collect()));
    let tools: Vec<&clap::Command> = visible().filter(is_tool).collect();
    let mut out = String::new();
    for (index, (tier, verbs)) in tiers.chain([("Tools", tools)]).enumerate() {
        let _ = match (is_short, index) {
            (true, 0) => write!(out, "{tier}:\n{}", list_lines(&verbs)),
            (true, _) => writeln!(out, "{}", list_names(tier, &verbs)),
            (false, _) => writeln!(out, "{tier}:\n{}", list_lines(&verbs)),
        };
    }
    out
}

fn list_names(tier: &str, verbs: &[&clap::Command]) -> String {
    let names: Vec<&str> = verbs.iter().map(|verb| verb.get_name()).collect();
    let options = textwrap::Options::new(WIDTH).subsequent_indent("  ");
    textwrap::fill(&format!("{tier}: {}", names.join(", ")), options)
}

fn list_lines(verbs: &[&clap::Command]) -> String {
    verbs.iter().fold(String::new(), |mut lines, verb| {
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(lines, "  {:<13}{about}", verb.get_name());
        lines
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(is_short: bool) -> String {
        crate::catalog::catalog();
        let command = crate::command().term_width(WIDTH);
        with_tiers(command, is_short).render_help().to_string()
    }

    #[test]
    fn the_short_help_fits_a_terminal() {
        let help = help(true);
        assert!(help.lines().count() <= 24, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= WIDTH), "{help}");
    }

    #[test]
    fn short_and_long_help_name_every_verb_once() {
        let command = crate::command();
        let verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert!(verbs.len() > 20);
        for help in [help(true), help(false)] {
            let (_, list) = help.split_once("On the first day:\n").unwrap();
            let (list, _) = list.split_once("\n(").unwrap();
            let listed: Vec<&str> = list
                .lines()
                .map(|line| match line.starts_with(' ') {
                    true => line,
                    false => line.split_once(": ").map_or("", |(_, names)| names),
                })
                .flat_map(|line| line.trim_start().split("  ").next().unwrap().split(", "))
                .map(|verb| verb.trim_matches([' ', ',']))
                .collect();
            for verb in &verbs {
                let times = listed.iter().filter(|known| *known == verb).count();
                assert_eq!(times, 1, "{verb}\n{help}");
            }
        }
    }

    #[test]
    fn the_first_tier_has_nine_verbs() {
        let command = crate::command();
        let (_, first) = TIERS[0];
        assert_eq!(first.len(), 9);
        assert!(first.iter().all(|verb| command.find_subcommand(verb).is_some()));
    }

    #[test]
    fn only_the_command_itself_has_a_short_help() {
        let is_wanted = |arguments: &[&str]| {
            let arguments = ["quintain"].iter().chain(arguments);
            super::is_wanted(&arguments.map(OsString::from).collect::<Vec<_>>())
        };
        assert!(is_wanted(&["-h"]) && is_wanted(&["-v", "-h"]));
        assert!(!is_wanted(&[]) && !is_wanted(&["--help"]) && !is_wanted(&["match", "-h"]));
    }
}
