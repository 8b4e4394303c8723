//! `quintain games`: every game of the catalog, and the rules of one.

use std::io::Write;

use quintain_core::parameters::Kind;
use quintain_core::{AnyEntry, Catalog, Listed, ParameterInfo};
use serde_json::json;

use crate::failure::Failure;
use crate::lists::{format_count, write_paragraph};
use crate::options;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the rules of this game
    #[arg(conflicts_with_all = ["schema", "json"])]
    game: Option<String>,
    /// Print the JSON schemas of the observations and actions in this game
    #[arg(long, value_name = "GAME", conflicts_with = "json")]
    schema: Option<String>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(game) = &args.schema {
        let schemas = catalog.entry(game)?.schemas();
        writeln!(out, "{}", serde_json::to_string_pretty(&schemas).expect("schemas are JSON"))?;
        return Ok(());
    }
    if let Some(game) = &args.game {
        return tell_rules(catalog.entry(game)?, out);
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

/// Writes the rules in words, each paragraph as wide as the lists of other verbs.
fn tell_rules(entry: &dyn AnyEntry, out: &mut dyn Write) -> Result<(), Failure> {
    let name = entry.name();
    write_paragraph(out, "", "  ", &format!("{name}: {}", entry.summary()))?;
    for paragraph in entry.how_to_play().trim().split("\n\n") {
        writeln!(out)?;
        let mut items: Vec<String> = Vec::new();
        for line in paragraph.lines() {
            match items.last_mut() {
                Some(item) if !line.starts_with("- ") => *item += &format!(" {}", line.trim()),
                _ => items.push(line.to_owned()),
            }
        }
        for item in items {
            let hanging = if item.starts_with("- ") { "  " } else { "" };
            write_paragraph(out, "", hanging, &item)?;
        }
    }
    Ok(writeln!(out, "\nNext: quintain match {name}, quintain play {name}")?)
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

/// Returns the minimum and maximum number of seats on any scenario with any parameters. Scenarios
/// that require a parameter (a file, for example) do not count.
fn seats(entry: &dyn AnyEntry) -> Option<(usize, usize)> {
    let ranges = entry.scenarios().into_iter().filter_map(|known| seats_of_scenario(entry, &known));
    ranges.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
}

/// Returns the minimum and maximum number of seats on a scenario. It tries the defaults, each other
/// word that a parameter takes, and from there the range of each whole number that decides the
/// number of seats. It also tries the latter with another whole number, such as a board's width, as
/// large as possible, since that may make room for more.
fn seats_of_scenario(entry: &dyn AnyEntry, scenario: &Listed) -> Option<(usize, usize)> {
    let build = |settings: &[String]| {
        let name = scenario.name();
        let text = match settings.is_empty() {
            true => name.to_owned(),
            false => format!("{name}?{}", settings.join("&")),
        };
        entry.game(&text).ok().map(|game| game.seats())
    };
    let mut found = vec![build(&[])?];
    let mut choices: Vec<Vec<String>> = vec![Vec::new()];
    for known in &scenario.parameters {
        let words = match &known.kind {
            Kind::Choice(words) => words.clone(),
            Kind::Flag => vec!["true", "false"],
            _ => continue,
        };
        let others = words.into_iter().filter(|word| *word != known.default);
        choices.extend(others.map(|word| vec![format!("{}={word}", known.name)]));
    }
    for choice in &choices {
        let Some(usual) = build(choice) else { continue };
        found.push(usual);
        for known in &scenario.parameters {
            let Some((least, default, greatest)) = whole_range(known) else { continue };
            let with = |value: u64| {
                let mut settings = choice.clone();
                settings.push(format!("{}={value}", known.name));
                build(&settings)
            };
            let decides = [default + 1, greatest]
                .into_iter()
                .any(|value| value <= greatest && with(value).is_some_and(|seats| seats != usual));
            if decides {
                found.extend(with(farthest(default, least, &with)));
                found.extend(with(farthest(default, greatest, &with)));
                for other in scenario.parameters.iter().filter(|other| other.name != known.name) {
                    let Some((_, usual, most)) = whole_range(other) else { continue };
                    let roomy = |value: u64| {
                        let mut settings = choice.clone();
                        settings.push(format!("{}={value}", other.name));
                        settings
                    };
                    let most = farthest(usual, most, &|value| build(&roomy(value)));
                    let with = |value: u64| {
                        let mut settings = roomy(most);
                        settings.push(format!("{}={value}", known.name));
                        build(&settings)
                    };
                    found.extend(with(farthest(default, greatest, &with)));
                }
            }
        }
    }
    found.iter().min().copied().zip(found.iter().max().copied())
}

/// Returns the minimum, default and maximum of a whole number with a range.
fn whole_range(known: &ParameterInfo) -> Option<(u64, u64, u64)> {
    let (least, greatest) = known.range.as_ref().filter(|_| known.kind == Kind::Integer)?;
    Some((least.parse().ok()?, known.default.parse().ok()?, greatest.parse().ok()?))
}

/// Returns the value nearest to `end` that can still be built, starting from one that can.
fn farthest(mut good: u64, end: u64, build: &impl Fn(u64) -> Option<usize>) -> u64 {
    if build(end).is_some() {
        return end;
    }
    let mut bad = end;
    while good.abs_diff(bad) > 1 {
        let middle = good.midpoint(bad);
        match build(middle) {
            Some(_) => good = middle,
            None => bad = middle,
        }
    }
    good
}

fn seats_in_words(entry: &dyn AnyEntry) -> String {
    match seats(entry) {
        None => "any number of seats".to_owned(),
        Some((fewest, most)) if fewest == most => format_count(most, "seat"),
        Some((fewest, most)) => format!("{fewest} to {most} seats"),
    }
}
