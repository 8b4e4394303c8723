//! `quintain experiments`: claims from the sources, as named experiments.

use std::io::Write;

use quintain_experiments::{SOURCES, choose};
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
        let of = |name: &str| name.split('/').next() == Some(source.name);
        let own: Vec<_> = wanted.iter().filter(|experiment| of(experiment.name)).collect();
        if own.is_empty() {
            continue;
        }
        let claims = format_count(own.len(), "claim");
        writeln!(out, "{}: {claims} of the {}", source.name, source.title)?;
        for experiment in own {
            writeln!(out, "  {}", experiment.name)?;
            write_paragraph(out, "    ", "    ", experiment.claim)?;
            write_paragraph(
                out,
                "    ",
                "    ",
                &format!("{} ({})", experiment.figure, experiment.place),
            )?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Next: quintain reproduce NAME")?;
    Ok(())
}
