//! `quintain schema`: the form of the verbs' JSON, as JSON schemas. They are written by hand, as a
//! promise to programs that read the JSON; a test compares them with what the verbs print.

use std::io::Write;

use crate::failure::Failure;

#[derive(clap::Args)]
#[command(after_help = "\
For a game's observations and actions: quintain games --schema GAME. For the messages of programs:
quintain bot schema.")]
pub(crate) struct Args {
    /// The verb whose output is described
    #[arg(value_enum)]
    verb: SchemaVerb,
}

/// The verbs that print a result as JSON.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SchemaVerb {
    /// A record
    Match,
    /// The answer of a comparison
    Compare,
    /// Standings
    #[value(alias = "standings")]
    Tournament,
    /// The result of checking records
    Verify,
    /// The results of solvers
    Solve,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let schema = match args.verb {
        SchemaVerb::Match => include_str!("../../schemas/match.json"),
        SchemaVerb::Compare => include_str!("../../schemas/compare.json"),
        SchemaVerb::Tournament => include_str!("../../schemas/tournament.json"),
        SchemaVerb::Verify => include_str!("../../schemas/verify.json"),
        SchemaVerb::Solve => include_str!("../../schemas/solve.json"),
    };
    Ok(out.write_all(schema.as_bytes())?)
}
