//! `quintain games`: every game of the catalog.

use std::io::Write;

use quintain_core::{AnyEntry, Catalog};
use serde_json::json;

use crate::failure::Failure;
use crate::lists::{format_count, write_paragraph};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the JSON schemas of what a seat sees and does in this game
    #[arg(long, value_name = "GAME", conflicts_with = "json")]
    schema: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(game) = &args.schema {
        let schemas = catalog.entry(game)?.schemas();
        writeln!(out, "{}", serde_json::to_string_pretty(&schemas).expect("schemas are JSON"))?;
        return Ok(());
    }
    if args.json {
        let games: Vec<_> = catalog.entries().map(describe).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&games).expect("lists are JSON"))?;
        return Ok(());
    }
    for entry in catalog.entries() {
        writeln!(out, "{}", entry.name())?;
        write_paragraph(out, "  ", "  ", entry.summary())?;
        write_paragraph(out, "  from ", "  ", entry.source())?;
        let (players, scenarios) = (entry.players().len(), entry.scenarios().len());
        writeln!(
            out,
            "  {}, {}, {}, rules version {}",
            seats_in_words(entry),
            format_count(scenarios, "scenario"),
            format_count(players, "player"),
            entry.version()
        )?;
    }
    writeln!(out, "\nNext: quintain match GAME, quintain players GAME, quintain scenarios GAME")?;
    Ok(())
}

fn describe(entry: &dyn AnyEntry) -> serde_json::Value {
    let (fewest, most) = seats(entry).unzip();
    json!({
        "name": entry.name(),
        "summary": entry.summary(),
        "source": entry.source(),
        "version": entry.version(),
        "fewest_seats": fewest,
        "most_seats": most,
        "scenarios": entry.scenarios().len(),
        "players": entry.players().len(),
    })
}

/// The fewest and the most seats among the scenarios with their defaults; those that
/// need a parameter (a file, say) do not count.
fn seats(entry: &dyn AnyEntry) -> Option<(usize, usize)> {
    let scenarios = entry.scenarios();
    let built = scenarios.iter().filter_map(|known| entry.game(known.name).ok());
    let seats: Vec<usize> = built.map(|game| game.seats()).collect();
    seats.iter().min().copied().zip(seats.iter().max().copied())
}

fn seats_in_words(entry: &dyn AnyEntry) -> String {
    match seats(entry) {
        None => "any number of seats".to_owned(),
        Some((fewest, most)) if fewest == most => format_count(most, "seat"),
        Some((fewest, most)) => format!("{fewest} to {most} seats"),
    }
}
