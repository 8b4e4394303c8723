//! Lists of players and scenarios for people, generated from their declarations.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quintain_core::parameters::Kind;
use quintain_core::{AnyEntry, Catalog, Description, Listed, ParameterInfo, did_you_mean};
use quintain_report::count_of;
use quintain_scene::{clean, cut_to_width};
use textwrap::Options;

use crate::failure::Failure;
use crate::plain::clean_lines;
use crate::screen;

/// What to list.
pub(crate) struct Listing {
    /// The word for one of them.
    pub(crate) noun: &'static str,
    /// The character between a game's name and theirs.
    pub(crate) separator: char,
    /// Returns those of a game.
    pub(crate) of: fn(&dyn AnyEntry) -> Vec<Listed>,
}

/// Writes a line each for the entries of all games or of one (`GAME`), or all about one entry
/// (`GAME/NAME`).
pub(crate) fn run(
    listing: &Listing,
    wanted: Option<&str>,
    json: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let lists = select(listing, wanted, catalog)?;
    if json {
        let lists: BTreeMap<_, _> = lists.into_iter().collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&lists).expect("lists are JSON"))?;
        return Ok(());
    }
    let is_one = wanted.is_some_and(|wanted| wanted.contains(listing.separator));
    for (index, (game, list)) in lists.iter().enumerate() {
        if is_one {
            for item in list {
                write_all(out, game, listing.separator, item)?;
            }
            continue;
        }
        if index > 0 {
            writeln!(out)?;
        }
        write_lines(out, game, listing.separator, list)?;
    }
    if let Some((game, item)) = lists.first().and_then(|(game, list)| Some((game, list.last()?)))
        && !is_one
    {
        let (noun, separator) = (listing.noun, listing.separator);
        let order = describe_order(&lists);
        writeln!(
            out,
            "\n{order}More about one: quintain {noun}s {game}{separator}{}",
            clean(item.name())
        )?;
    }
    Ok(())
}

/// Says that the entries are in the order of their strength, and which of them have none.
fn describe_order(lists: &[(&str, Vec<Listed>)]) -> String {
    let has_strengths = |list: &[Listed]| list.iter().any(|item| item.strength.is_some());
    let ranked = || lists.iter().map(|(_, list)| list).filter(|list| has_strengths(list));
    if ranked().next().is_none() {
        return String::new();
    }
    let mut apart: Vec<&str> =
        ranked().flatten().filter(|item| item.strength.is_none()).map(Listed::name).collect();
    apart.sort_unstable();
    apart.dedup();
    match apart.as_slice() {
        [] => "Listed from weak to strong. ".to_owned(),
        apart => format!("Listed from weak to strong; not ranked: {}.\n", apart.join(", ")),
    }
}

/// Writes a line for each entry, players from weak to strong.
fn write_lines(
    out: &mut dyn Write,
    game: &str,
    separator: char,
    list: &[Listed],
) -> io::Result<()> {
    let mut list: Vec<&Listed> = list.iter().collect();
    list.sort_by_key(|item| item.strength.unwrap_or(usize::MAX));
    let name = |item: &Listed| format!("{game}{separator}{}", clean(item.name()));
    let longest = list.iter().map(|item| name(item).chars().count()).max().unwrap_or(0);
    for item in list {
        let room = screen::width().saturating_sub(longest + 2).max(20);
        let summary = clean_lines(item.description.summary).replace('\n', " ");
        writeln!(out, "{:longest$}  {}", name(item), cut_to_width(&summary, room))?;
    }
    Ok(())
}

fn select(
    listing: &Listing,
    wanted: Option<&str>,
    catalog: &Catalog,
) -> Result<Vec<(&'static str, Vec<Listed>)>, Failure> {
    let all = |entry: &dyn AnyEntry| (entry.name(), (listing.of)(entry));
    let Some(wanted) = wanted else {
        return Ok(catalog.entries().map(all).collect());
    };
    let (game, name) = match wanted.split_once(listing.separator) {
        Some((game, name)) => (game, Some(name)),
        None => (wanted, None),
    };
    let entry = catalog.entry(game).map_err(|unknown| {
        // The other list has its names behind the other separator.
        let other = if listing.separator == ':' { '/' } else { ':' };
        match wanted.split_once(other) {
            Some((game, name)) if catalog.entry(game).is_ok() => {
                // A player's full name may have a scenario before it.
                let name = name.rsplit(listing.separator).next().unwrap_or(name);
                Failure::Usage(format!(
                    "unknown game “{wanted}”; a {} is written {game}{}{name}",
                    listing.noun, listing.separator
                ))
            }
            _ => Failure::from(unknown),
        }
    })?;
    let (game, mut list) = all(entry);
    if let Some(name) = name {
        let names: Vec<&str> = list.iter().map(Listed::name).collect();
        if !names.contains(&name) {
            let what = format!("{game} {}", listing.noun);
            return Err(Failure::Usage(did_you_mean(&what, name, names)));
        }
        list.retain(|known| known.name() == name);
    }
    Ok(vec![(game, list)])
}

fn write_all(out: &mut dyn Write, game: &str, separator: char, item: &Listed) -> io::Result<()> {
    let Description { name, summary, source, version } = item.description;
    let version = match version {
        0 => String::new(),
        version => format!(" (version {version})"),
    };
    writeln!(out, "{game}{separator}{}{version}", clean(name))?;
    write_paragraph(out, "  ", "  ", summary)?;
    if !source.trim_matches('–').is_empty() {
        write_paragraph(out, "  from ", "  ", source)?;
    }
    write_parameters(out, &item.parameters)
}

fn write_parameters(out: &mut dyn Write, parameters: &[ParameterInfo]) -> io::Result<()> {
    let settings: Vec<String> =
        parameters.iter().map(|known| format!("{}={}", known.name, known.default)).collect();
    let longest = settings.iter().map(|setting| setting.chars().count()).max().unwrap_or(0).min(28);
    for (setting, known) in settings.iter().zip(parameters) {
        let first = format!("    {setting:longest$}  ");
        let rest = " ".repeat(longest + 6);
        write_paragraph(
            out,
            &first,
            &rest,
            &format!("{} ({})", known.doc, describe_values(known)),
        )?;
    }
    Ok(())
}

/// Describes the possible values of a parameter.
fn describe_values(known: &ParameterInfo) -> String {
    match (&known.kind, &known.range) {
        (_, Some((least, greatest))) => format!("{least} to {greatest}"),
        (Kind::Integer, None) => "a whole number".to_owned(),
        (Kind::Real, None) => "a number".to_owned(),
        (Kind::Flag, None) => "true or false".to_owned(),
        (Kind::Choice(words), None) => words.join(", "),
        (Kind::Text, None) => "text".to_owned(),
    }
}

/// Writes text wrapped to the width of the terminal.
pub(crate) fn write_paragraph(
    out: &mut dyn Write,
    first: &str,
    rest: &str,
    text: &str,
) -> io::Result<()> {
    let options = Options::new(screen::width())
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false);
    writeln!(out, "{}", textwrap::fill(&clean_lines(text), options))
}

/// Formats a count with its noun.
pub(crate) fn format_count(count: usize, noun: &str) -> String {
    count_of(count as u64, noun)
}
