//! All verbs: one file per verb, with its arguments and `run`. Besides that file, only this one
//! knows a verb.

pub(crate) mod analyse;
#[cfg(feature = "programs")]
pub(crate) mod bot;
#[cfg(feature = "programs")]
pub(crate) mod climb;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod experiments;
pub(crate) mod exploit;
pub(crate) mod export;
pub(crate) mod fleet;
pub(crate) mod games;
#[cfg(feature = "host")]
pub(crate) mod host;
pub(crate) mod lesson;
pub(crate) mod matches;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod play;
pub(crate) mod players;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod scenarios;
pub(crate) mod schema;
pub(crate) mod series;
pub(crate) mod serve;
pub(crate) mod standings;
pub(crate) mod store;
pub(crate) mod test_queue;
pub(crate) mod tools;
pub(crate) mod tournament;
pub(crate) mod tune;
pub(crate) mod verify;
#[cfg(feature = "programs")]
pub(crate) mod watch;
pub(crate) mod worker;
pub(crate) mod workers;

use std::io::Write;
#[cfg(feature = "programs")]
use std::path::Path;

use clap::Subcommand;

use crate::context::Context;
use crate::failure::Failure;
use crate::plain::Colours;

// No documentation here: it would become the description of the whole command.
#[derive(Subcommand)]
pub(crate) enum Verb {
    /// List the games, or print the rules of one
    Games(games::Args),
    /// List players with their parameters
    Players(players::Args),
    /// List scenarios with their parameters
    Scenarios(scenarios::Args),
    /// Play one match
    Match(matches::Args),
    /// Create a player, a tournament or a game of your own
    New(new::Args),
    /// Play a tournament, or only its missing matches
    Tournament(tournament::Args),
    /// Is one player better than another? Play until the answer is clear
    Compare(compare::Args),
    /// A queue of comparisons: propose, answer, list and stop them
    Tests(test_queue::Args),
    /// Show the standings of a tournament
    Standings(standings::Args),
    /// List the tournaments of a store; delete or archive old ones
    Store(store::Args),
    /// Merge stores, such as those of a tournament's shards
    Merge(merge::Args),
    /// List the claims of the sources, as experiments
    Experiments(experiments::Args),
    /// Measure what the sources claim, and say whether it is true
    Reproduce(reproduce::Args),
    /// Tune the numeric parameters of a player by evolution
    Tune(tune::Args),
    /// Write a report on a tournament: a web page, Markdown and plots
    Report(report::Args),
    /// Step through a recorded match
    Replay(replay::Args),
    /// Have a strong player review a recorded match
    Analyse(analyse::Args),
    /// Find a line of moves that beats a player
    Exploit(exploit::Args),
    /// Make a lesson of a lost match: a small position with the same mistake
    Lesson(lesson::Args),
    /// Lessons of a folder: which of them does a player pass?
    Lessons(lesson::run::Args),
    /// Check records by replaying them
    Verify(verify::Args),
    /// Write results or records for other programs
    Export(export::Args),
    /// Verbs on files, provided by the games
    #[command(flatten)]
    Tool(tools::ToolCall),
    /// Show tournaments and matches in the browser
    Serve(serve::Args),
    /// Run a contest: submissions, a ladder, pages
    #[cfg(feature = "host")]
    Host(host::Args),
    /// Submit a program to a contest
    #[cfg(feature = "host")]
    Submit(host::SubmitArgs),
    /// Play with the keyboard, against players or alone
    Play(play::Args),
    /// Programs in any language as players: check one, or act as one
    #[cfg(feature = "programs")]
    Bot(bot::Args),
    /// Test your program after every save: is it better than before?
    #[cfg(feature = "programs")]
    Watch(watch::Args),
    /// Have a command or a model edit your program, and keep only edits that matches allow
    #[cfg(feature = "programs")]
    Climb(climb::Args),
    /// Make a server at which machines meet to play tournaments
    Fleet(fleet::Args),
    /// Play matches for the tournaments at a server
    Worker(worker::Args),
    /// Show the tournaments and workers at a server
    Workers(workers::Args),
    /// Print the JSON schema of a verb's JSON output
    Schema(schema::Args),
    /// Print the completion script for a shell
    Completions(completions::Args),
}

/// Verbs by who needs them, for the help. All others, among them the verbs of the games' tools, are
/// listed as tools.
pub(crate) const TIERS: &[(&str, &[&str])] = &[
    (
        "On the first day",
        &[
            "players",
            "match",
            "play",
            "new",
            "watch",
            "compare",
            "tournament",
            "standings",
            "report",
        ],
    ),
    ("For a contest", &["serve", "host", "submit"]),
    ("For a team", &["tests", "fleet", "worker", "workers"]),
    (
        "For research",
        &[
            "games",
            "scenarios",
            "replay",
            "analyse",
            "exploit",
            "lesson",
            "lessons",
            "bot",
            "tune",
            "climb",
            "store",
            "merge",
            "export",
            "verify",
        ],
    ),
];

/// Verbs that start no program; their help leaves out the options for programs.
#[cfg(feature = "programs")]
pub(crate) const WITHOUT_PROGRAMS: &[&str] = &[
    "games",
    "players",
    "scenarios",
    "standings",
    "store",
    "merge",
    "experiments",
    "report",
    "replay",
    "verify",
    "export",
    "serve",
    #[cfg(feature = "host")]
    "host",
    #[cfg(feature = "host")]
    "submit",
    "fleet",
    "workers",
    "schema",
    "completions",
];

impl Verb {
    /// Returns the folder of the verb's file, where bots.toml is looked for first.
    #[cfg(feature = "programs")]
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Verb::Tournament(args) => args.folder(),
            _ => None,
        }
    }

    /// Returns whether standard output has colours: those of boards. All others are of texts that
    /// are shown.
    pub(crate) fn colours(&self) -> Colours {
        match self {
            Verb::Lesson(_) | Verb::Match(_) | Verb::Play(_) | Verb::Replay(_) => Colours::Pass,
            _ => Colours::Stop,
        }
    }

    /// Runs the verb.
    pub(crate) fn run(&self, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        let catalog = context.catalog;
        match self {
            Verb::Games(args) => games::run(args, catalog, out),
            Verb::Players(args) => players::run(args, catalog, out),
            Verb::Scenarios(args) => scenarios::run(args, catalog, out),
            Verb::Match(args) => matches::run(args, context, out),
            Verb::New(args) => new::run(args, context, out),
            Verb::Tournament(args) => series::run(args, context, out),
            Verb::Compare(args) => compare::run(args, context, out),
            Verb::Tests(args) => test_queue::run(args, context, out),
            Verb::Standings(args) => standings::run(args, catalog, out),
            Verb::Store(args) => store::run(args, out),
            Verb::Merge(args) => merge::run(args, out),
            Verb::Experiments(args) => experiments::run(args, out),
            Verb::Reproduce(args) => reproduce::run(args, catalog, out),
            Verb::Tune(args) => tune::run(args, context, out),
            Verb::Report(args) => report::run(args, catalog, out),
            Verb::Replay(args) => replay::run(args, catalog, out),
            Verb::Analyse(args) => analyse::run(args, catalog, out),
            Verb::Exploit(args) => exploit::run(args, context, out),
            Verb::Lesson(args) => lesson::run(args, context, out),
            Verb::Lessons(args) => lesson::run::run(args, catalog, out),
            Verb::Verify(args) => verify::run(args, catalog, out),
            Verb::Export(args) => export::run(args, catalog, out),
            Verb::Tool(call) => tools::run(call, catalog, out),
            Verb::Serve(args) => serve::run(args, &crate::catalog::catalog(), out),
            #[cfg(feature = "host")]
            Verb::Host(args) => host::run(args, &crate::catalog::catalog(), out),
            #[cfg(feature = "host")]
            Verb::Submit(args) => host::submit(args, out),
            Verb::Play(args) => play::run(args, catalog, out),
            #[cfg(feature = "programs")]
            Verb::Bot(args) => bot::run(args, catalog, context.programs, out),
            #[cfg(feature = "programs")]
            Verb::Watch(args) => watch::run(args, context, out),
            #[cfg(feature = "programs")]
            Verb::Climb(args) => climb::run(args, context, out),
            Verb::Fleet(args) => fleet::run(args, out),
            Verb::Worker(_) => unreachable!("a worker has another catalog"),
            Verb::Workers(args) => workers::run(args, out),
            Verb::Schema(args) => schema::run(args, out),
            Verb::Completions(args) => completions::run(args, out),
        }
    }
}
