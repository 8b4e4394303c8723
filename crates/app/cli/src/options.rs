//! Options that several verbs have. Each means the same everywhere: its sentence is here, and a
//! verb adds only remarks in brackets, such as its default.

use std::fmt::Display;

/// `-a`, `--against`
pub(crate) const AGAINST: &str = "An opponent: NAME, GAME/NAME or \"NAME?parameter=value\"";
/// `--alpha`
pub(crate) const ALPHA: &str = "The accepted chance of finding a difference where there is none, \
     in both directions and for all candidates together: 0.1 is the one-sided 5 % of engine \
     testing";
/// `--anchor`
pub(crate) const ANCHOR: &str =
    "Fix this player's Elo rating (0 if none is given), instead of the players' mean at 0";
/// `--beta`
pub(crate) const BETA: &str =
    "The accepted chance of finding no difference where the players differ by delta";
/// `-b`, `--budget`
pub(crate) const BUDGET: &str =
    "Each player's thinking budget: nodes=N, iterations=N, move=TIME, match=TIME";
/// `-d`, `--delta`
pub(crate) const DELTA: &str = "The difference that matters";
/// `-n`, `--dry-run`
pub(crate) const DRY_RUN: &str = "Print what would be done, and do nothing";
/// `--exact`
pub(crate) const EXACT: &str = "Say what players gave away compared with perfect play, where the \
                                game can be solved";
/// `--format`
pub(crate) const FORMAT: &str = "The format of the answer";
/// `-g`, `--game`
pub(crate) const GAME: &str = "The game: see `quintain games`";
/// `--host`
pub(crate) const HOST: &str =
    "The address to listen on; unless it is local, everybody who can reach it gets in";
/// `--json`
pub(crate) const JSON: &str = "Print JSON";
/// `--lines`
pub(crate) const LINES: &str = "The most lines to try on each seed";
/// `-m`, `--matches`
pub(crate) const MATCHES: &str = "The most matches to play";
/// `--on`
pub(crate) const ON: &str = "The NATS server, such as nats://host:4222";
/// `--overlay`
pub(crate) const OVERLAY: &str = "An overlay to show with the board (may be given several times)";
/// `--patience`
pub(crate) const PATIENCE: &str = "The time without a sign of life after which a worker's \
                                   matches are given to another worker";
/// `--plot`
pub(crate) const PLOT: &str = "Plot the course as SVG to this file";
/// `--exit-code`
pub(crate) const EXIT_CODE: &str = "Answer by the exit status: 0 if every candidate is better, 10 \
                                    if none is worse by delta, 20 if one is worse, 30 if one is \
                                    undecided";
/// `-p`, `--port`
pub(crate) const PORT: &str = "The port; 0 picks a free one";
/// `-q`, `--quiet`
pub(crate) const QUIET: &str = "Print only the answer, no progress";
/// `--save`
pub(crate) const SAVE: &str = "Write the record to a file";
/// `-s`, `--scenario`
pub(crate) const SCENARIO: &str =
    "A scenario, NAME or \"NAME?parameter=value\": see `quintain scenarios GAME`";
/// `--seed`
pub(crate) const SEED: &str =
    "The seed of everything random; later rounds use the seeds that follow";
/// `--seeds`
pub(crate) const SEEDS: &str = "The number of seeds to play on";
/// `--store`
pub(crate) const STORE: &str = "The store of the records";
/// `--threads`
pub(crate) const THREADS: &str = "The number of matches played at once, each by its own thread";
/// `--time`
pub(crate) const TIME: &str = "The most time to take";
/// `--who`
pub(crate) const WHO: &str = "Who has proposed the test";
/// `-y`, `--yes`
pub(crate) const YES: &str = "Do it without a question";
/// The remark of `--on` where all servers of a cluster may be named.
pub(crate) const CLUSTER: &str = "(several servers of a cluster, separated by commas)";
/// The default of `--store`, where there is one.
pub(crate) const DEFAULT_STORE: &str = "[default: quintain.sqlite, or $QUINTAIN_STORE]";
/// The default of `--threads`.
pub(crate) const ONE_PER_CORE: &str = "[default: one per core]";
/// The default of `--scenario` where players are measured.
pub(crate) const USUAL_SCENARIO: &str = "(may be given several times) [default: the game's first \
                                         on which seeds matter]";

/// Adds what one verb has to say about an option, in brackets.
pub(crate) fn with(option: &str, remark: impl Display) -> String {
    format!("{option} {remark}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clap::{Arg, Command};

    use super::*;

    /// The sentences by the options' names.
    const SENTENCES: [(&str, &str); 29] = [
        ("against", AGAINST),
        ("alpha", ALPHA),
        ("anchor", ANCHOR),
        ("beta", BETA),
        ("budget", BUDGET),
        ("delta", DELTA),
        ("dry-run", DRY_RUN),
        ("exact", EXACT),
        ("exit-code", EXIT_CODE),
        ("format", FORMAT),
        ("game", GAME),
        ("host", HOST),
        ("json", JSON),
        ("lines", LINES),
        ("matches", MATCHES),
        ("on", ON),
        ("overlay", OVERLAY),
        ("patience", PATIENCE),
        ("plot", PLOT),
        ("port", PORT),
        ("quiet", QUIET),
        ("save", SAVE),
        ("scenario", SCENARIO),
        ("seed", SEED),
        ("seeds", SEEDS),
        ("store", STORE),
        ("threads", THREADS),
        ("time", TIME),
        ("yes", YES),
    ];

    /// Everyday words, whose object is what the verb is about: everything, the whole of it, its
    /// name, where it goes.
    const OF_THE_VERB: [&str; 13] = [
        "all", "ca", "full", "lift", "name", "out", "output", "player", "quick", "seat", "to",
        "turn", "wait",
    ];

    /// An option of a verb: its letter, the name of its value and its sentence.
    type Found = (Option<char>, String, String);

    /// Returns the options of all verbs by name, each with the verb that has it. The tools' own
    /// are declared by games.
    fn options() -> BTreeMap<String, Vec<(String, Found)>> {
        crate::catalog::catalog();
        let mut found = BTreeMap::new();
        let command = crate::command();
        let tiers = crate::verbs::TIERS.iter().flat_map(|(_, verbs)| *verbs);
        let own = ["reproduce", "experiments", "schema", "completions"];
        for verb in tiers.copied().chain(own) {
            collect(command.find_subcommand(verb).expect("all verbs are built"), &mut found);
        }
        found
    }

    fn collect(command: &Command, found: &mut BTreeMap<String, Vec<(String, Found)>>) {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let (Some(name), false) = (arg.get_long(), arg.is_global_set()) else { continue };
            let option = (arg.get_short(), value_name(arg), sentence(arg));
            found.entry(name.to_owned()).or_default().push((command.get_name().to_owned(), option));
        }
        command.get_subcommands().for_each(|one| collect(one, found));
    }

    fn value_name(arg: &Arg) -> String {
        let takes = arg.get_action().takes_values();
        let given = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
        given.filter(|_| takes).unwrap_or_default()
    }

    /// The help without remarks in brackets.
    fn sentence(arg: &Arg) -> String {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let end = [" (", " ["].iter().filter_map(|remark| help.find(remark)).min();
        help[..end.unwrap_or(help.len())].to_owned()
    }

    #[test]
    fn an_option_means_the_same_wherever_it_is() {
        let options = options();
        assert!(options.len() > 60, "{}", options.len());
        for (name, found) in &options {
            let (first, (short, value, meaning)) = &found[0];
            for (verb, (other_short, other_value, other_meaning)) in found {
                let both = format!("--{name} of {first} and of {verb}");
                assert_eq!(short, other_short, "{both}");
                if !OF_THE_VERB.contains(&name.as_str()) {
                    assert_eq!(meaning, other_meaning, "{both}");
                    assert_eq!(value, other_value, "{both}");
                }
            }
        }
    }

    #[test]
    fn the_sentence_of_a_shared_option_is_written_once() {
        let options = options();
        for (name, text) in SENTENCES {
            let found = options.get(name).unwrap_or_else(|| panic!("no verb has --{name}"));
            let text = text.split(" (").next().unwrap();
            assert!(found.iter().all(|(_, (_, _, sentence))| sentence == text), "--{name}");
        }
    }

    #[test]
    fn one_letter_belongs_to_one_option() {
        let mut letters: BTreeMap<char, String> = BTreeMap::new();
        for (name, found) in options() {
            if let (Some(letter), false) = (found[0].1.0, ["out", "output"].contains(&&*name)) {
                let known = letters.entry(letter).or_insert_with(|| name.clone());
                assert_eq!(*known, name, "-{letter}");
            }
        }
    }

    #[test]
    fn earlier_names_of_options_are_accepted() {
        let read = |line: &str| {
            let read = crate::command().try_get_matches_from(line.split(' '));
            read.map_err(|error| format!("{line}: {error}")).map(drop)
        };
        let same = [
            ("tune improved --param expansions", "--opponent space", "--against space"),
            ("tune improved --param expansions", "--first-seed 3", "--seed 3"),
            ("serve --allow-play", "--matches 3", "--matches-total 3"),
        ];
        for (line, earlier, now) in same {
            for option in [earlier, now] {
                assert_eq!(read(&format!("quintain {line} {option}")), Ok(()));
            }
        }
        #[cfg(feature = "host")]
        for option in ["--matches", "--latest"] {
            assert_eq!(read(&format!("quintain host export folder to {option} 3")), Ok(()));
        }
    }
}
