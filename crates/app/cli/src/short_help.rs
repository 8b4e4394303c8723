//! `quintain -h`: all verbs on one screen, by what they are for. `quintain --help` says what each
//! does.

use std::ffi::OsString;
use std::fmt::Write;

use crate::verbs::GROUPS;

/// The columns of a group's name.
const NAME_WIDTH: usize = 17;
/// The columns of a line.
const WIDTH: usize = 80;

/// Returns whether the arguments ask for the short help of the command itself.
pub(crate) fn is_wanted(arguments: &[OsString]) -> bool {
    let options = &arguments[1..];
    options.iter().any(|option| option == "-h")
        && options.iter().all(|option| option.to_string_lossy().starts_with('-'))
}

/// Returns the command with a help that fits one screen.
pub(crate) fn with_short_help(command: clap::Command) -> clap::Command {
    let verbs = list_verbs(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n\
         Commands (quintain --help says what each does):\n{verbs}\n\
         Options:\n{{options}}{{after-help}}"
    ))
}

/// Lists the verbs by groups, a line each if it is long enough.
fn list_verbs(command: &clap::Command) -> String {
    let is_grouped = |verb: &str| GROUPS.iter().any(|(_, verbs)| verbs.contains(&verb));
    let all = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let all: Vec<&str> = all.map(clap::Command::get_name).chain(["help"]).collect();
    let of_games = all.iter().copied().filter(|verb| !is_grouped(verb)).collect();
    let groups = GROUPS.iter().map(|(name, verbs)| {
        (*name, verbs.iter().copied().filter(|verb| all.contains(verb)).collect::<Vec<_>>())
    });
    let mut out = String::new();
    for (name, verbs) in groups.chain([("tools of games", of_games)]) {
        if verbs.is_empty() {
            continue;
        }
        let indent = " ".repeat(NAME_WIDTH + 2);
        let first = format!("  {name:<NAME_WIDTH$}");
        let options =
            textwrap::Options::new(WIDTH).initial_indent(&first).subsequent_indent(&indent);
        let _ = writeln!(out, "{}", textwrap::fill(&verbs.join(", "), options));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_help_names_every_verb_once_and_fits_a_terminal() {
        crate::catalog::catalog();
        let command = crate::command();
        let verbs: Vec<String> =
            command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        let help = with_short_help(command.term_width(WIDTH)).render_help().to_string();
        assert!(help.lines().count() < 24, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= WIDTH), "{help}");
        let (_, list) = help.split_once("each does):\n").unwrap();
        let (list, _) = list.split_once("\nOptions:").unwrap();
        let listed: Vec<&str> = list
            .lines()
            .flat_map(|line| line[NAME_WIDTH + 2..].split(", "))
            .map(|verb| verb.trim_matches([' ', ',']))
            .collect();
        assert!(verbs.len() > 20);
        for verb in verbs.iter().map(String::as_str).chain(["help"]) {
            assert_eq!(listed.iter().filter(|known| **known == verb).count(), 1, "{verb}\n{help}");
        }
    }

    #[test]
    fn only_the_command_itself_has_it() {
        let is_wanted = |arguments: &[&str]| {
            let arguments = ["quintain"].iter().chain(arguments);
            super::is_wanted(&arguments.map(OsString::from).collect::<Vec<_>>())
        };
        assert!(is_wanted(&["-h"]) && is_wanted(&["-v", "-h"]));
        assert!(!is_wanted(&[]) && !is_wanted(&["--help"]) && !is_wanted(&["match", "-h"]));
    }
}
