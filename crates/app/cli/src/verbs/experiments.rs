//! `quintain experiments`: claims from the sources, as named experiments.

use std::io::Write;

use quintain_experiments::{Experiment, SOURCES, choose};
use serde_json::json;

use crate::failure::Failure;
use crate::lists::{format_count, write_paragraph};
use crate::options;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A source (the name of its game) or an experiment [default: all]
    names: Vec<String>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let wanted = choose(&args.names)?;
    if args.json {
        let list: Vec<_> = wanted
            .iter()
            .map(|experiment| {
                json!({
                    "name": experiment.name,
                    "place": experiment.place,
                    "claim": experiment.claim,
                    "figure": experiment.figure,
                })
            })
            .collect();
        let text = serde_json::to_string_pretty(&list).expect("lists are JSON");
        return Ok(writeln!(out, "{text}")?);
    }
    for source in SOURCES {
        let is_wanted = |own: &&Experiment| wanted.iter().any(|other| other.name == own.name);
        let claims: Vec<&Experiment> = source.claims().filter(is_wanted).collect();
        let goals: Vec<&Experiment> = source.goals().filter(is_wanted).collect();
        let game = source.name;
        if !claims.is_empty() {
            let count = format_count(claims.len(), "claim");
            write_list(out, &format!("{game}: {count} of the {}", source.title), &claims)?;
        }
        if !goals.is_empty() {
            let count = format_count(goals.len(), "goal");
            write_list(out, &format!("{game}: {count} of our own"), &goals)?;
        }
    }
    writeln!(out, "Next: quintain reproduce NAME")?;
    Ok(())
}

/// Writes experiments under a heading.
fn write_list(
    out: &mut dyn Write,
    heading: &str,
    experiments: &[&Experiment],
) -> Result<(), Failure> {
    writeln!(out, "{heading}")?;
    for Experiment { name, claim, figure, place, .. } in experiments {
        writeln!(out, "  {name}")?;
        write_paragraph(out, "    ", "    ", claim)?;
        write_paragraph(out, "    ", "    ", &format!("{figure} ({place})"))?;
    }
    Ok(writeln!(out)?)
}
