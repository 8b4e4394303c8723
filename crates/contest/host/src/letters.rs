//! Letters: for every participant, a page about how they did, ready to be sent to them, as Markdown
//! and as HTML for printing. It is about the final, once there is one, otherwise about the ladder.
//! What programs write is left out; participants find it on their own pages.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::Parser;
use quintain_core::Catalog;
use quintain_stats::WinDrawLoss;

use crate::contest::Contest;
use crate::error::{HostError, file_error};
use crate::grades::GradedLadder;
use crate::lock::lock;
use crate::pages::measures::describe;
use crate::pages::sentence;
use crate::performance::{self, PerformanceTables, Worst, names_in};
use crate::state::{Participant, PlayedMatch, Version, time_of};

/// Maximum number of matches listed because they went badly, and of matches that count.
const WORST_SHOWN: usize = 5;
const MAX_COUNTED: u32 = 20_000;

/// Writes a letter for every participant into a new folder, named after them; returns how many.
///
/// # Errors
/// If there is no contest, the folder is not empty, or either cannot be read or written.
pub fn letters(folder: &Path, to: &Path, catalog: &Catalog) -> Result<usize, HostError> {
    let contest = Contest::read(folder, catalog, Path::new(""))?;
    fs::create_dir_all(to).map_err(file_error(to))?;
    if fs::read_dir(to).map_err(file_error(to))?.next().is_some() {
        return Err(HostError::Usage(format!("{} is not empty", to.display())));
    }
    let standings = GradedLadder::of(&contest)?;
    let participants = contest.read_state().participants()?;
    let mut written = 0;
    for who in participants.iter().filter(|who| who.is_graded()) {
        let text = letter(&contest, &standings, who)?;
        let page = to_page(&who.display_name, &text).into_string();
        for (ending, text) in [("md", text), ("html", page)] {
            let file = to.join(format!("{}.{ending}", who.name));
            fs::write(&file, text).map_err(file_error(&file))?;
        }
        written += 1;
    }
    Ok(written)
}

/// The style of a letter as HTML, which needs no other file.
const LOOK: &str =
    "body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif; }
table { border-collapse: collapse; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ccc; text-align: left; }
code { overflow-wrap: anywhere; }
@media print { body { margin: 0; } }";

/// Renders a letter as an HTML page.
fn to_page(title: &str, letter: &str) -> Markup {
    let mut body = String::new();
    let parser = Parser::new_ext(letter, pulldown_cmark::Options::ENABLE_TABLES);
    pulldown_cmark::html::push_html(&mut body, parser);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (quintain_scene::clean(title)) }
                style { (PreEscaped(LOOK)) }
            }
            body { (PreEscaped(body)) }
        }
    }
}

fn letter(
    contest: &Contest,
    standings: &GradedLadder,
    who: &Participant,
) -> Result<String, HostError> {
    let mut out = format!("# {}: {}\n\n", plain(&who.display_name), plain(&contest.config.name));
    if let Some(missing) = &standings.missing {
        let _ = writeln!(out, "{}.\n", plain(&sentence(missing)));
    } else if let Some((played, planned)) = standings.so_far {
        let _ = writeln!(
            out,
            "Only {played} of {planned} matches of the final have been played, so all of this will \
             change.\n"
        );
    }
    if let Some(team) = who.team {
        out += &describe_team(contest, who, team)?;
    }
    let place = standings.rungs.iter().position(|rung| rung.version.participant == who.plays_as());
    match place {
        Some(place) => {
            if who.is_banned {
                out += "You were banned from this contest; your earlier matches remain. ";
            }
            of_rung(contest, standings, place, &mut out)?;
        }
        None if who.is_banned => out += "You were banned from this contest.\n",
        None => out += "None of your programs took part.\n",
    }
    let versions = contest.read_state().versions_of(who.plays_as())?;
    if !versions.is_empty() {
        out += "\n## What you submitted\n\n| version | when | check |\n|---|---|---|\n";
        for version in versions.iter().rev() {
            let Version { number, at, stage, .. } = version;
            let at = contest.config.zone.write(time_of(*at));
            let _ = writeln!(out, "| {number} | {at} | {} |", stage.word());
        }
    }
    Ok(out)
}

/// Says for which team a member plays, and with whom.
fn describe_team(contest: &Contest, who: &Participant, team: i64) -> Result<String, HostError> {
    let name =
        contest.read_state().participant(team)?.map(|team| team.display_name).unwrap_or_default();
    let mut others = contest.read_state().members_of(team)?;
    others.retain(|other| other.id != who.id);
    let others: Vec<String> = others.iter().map(|other| plain(&other.display_name)).collect();
    let with =
        if others.is_empty() { String::new() } else { format!(", with {}", others.join(", ")) };
    Ok(format!(
        "You play for the team {}{with}. What follows is of the team’s program.\n\n",
        plain(&name)
    ))
}

/// Writes how the version at this place did.
fn of_rung(
    contest: &Contest,
    standings: &GradedLadder,
    place: usize,
    out: &mut String,
) -> Result<(), HostError> {
    let own = standings.rungs[place].version.id;
    let is_solo = lock(&contest.ladder).is_solo();
    standing(standings, place, is_solo, out);
    let all = contest.read_state().matches_of(own, MAX_COUNTED)?;
    let ladder = lock(&contest.ladder).id();
    let played: Vec<&PlayedMatch> =
        all.iter().filter(|played| played.counts_for(standings.kind, ladder)).collect();
    let (tables, worst) = performance_of(contest, standings, own, &played)?;
    let matches = if tables.matches == 1 { "match" } else { "matches" };
    let (count, what, ended) = (tables.matches, standings.word(), tables.faults);
    let _ =
        writeln!(out, "\nIt played {count} {matches} of the {what}; {ended} ended by its fault.");
    faults(own, &played, out);
    if !is_solo {
        points(&tables, out);
    }
    worst_matches(&worst, &played, out);
    Ok(())
}

/// Writes the rank of the version at this place, and how it compares with the next one.
fn standing(standings: &GradedLadder, place: usize, is_solo: bool, out: &mut String) {
    let (rung, count) = (&standings.rungs[place], standings.rungs.len());
    let (what, number) = (standings.word(), rung.version.number);
    let rank = plain(&describe(is_solo, rung, count));
    let _ = write!(out, "In the {what}, your version {number} is {rank}");
    let house = standings.rungs.iter().filter(|rung| rung.version.is_house()).count();
    if house > 0 {
        let are = if house == 1 { "is a player" } else { "are players" };
        let _ = write!(out, ". Of these {count}, {house} {are} of the house");
    }
    match standings.range(place) {
        Some((best, worst)) if best == worst => *out += ". Its rank is certain",
        Some((best, worst)) => {
            let _ = write!(out, ". By strength its rank may be anywhere from {best} to {worst}");
        }
        None => {}
    }
    let next = standings.rungs.get(place + 1);
    if let (Some(next), Some(seeds)) = (next, rung.beside_next) {
        let WinDrawLoss { wins, draws, losses } = seeds;
        let (next, all) = (plain(&next.version.display_name), seeds.games());
        let _ = write!(
            out,
            ". On the {all} seeds that both have played, it did better than {next}, who is next, \
             on {wins}, equally well on {draws} and worse on {losses}"
        );
    }
    *out += ".\n";
}

/// Counts the matches of a version, and chooses those that went badly.
fn performance_of(
    contest: &Contest,
    standings: &GradedLadder,
    own: i64,
    played: &[&PlayedMatch],
) -> Result<(PerformanceTables, Vec<Worst>), HostError> {
    let names = names_in(contest, played)?;
    let (ladder, finals) = (lock(&contest.ladder), lock(&contest.finals));
    let games = |played: &PlayedMatch| ladder.games_of(played);
    let tables = performance::tables(own, played, &names, &games);
    let worst = match ladder.is_solo() {
        true => {
            let others: Vec<Version> =
                standings.rungs.iter().map(|rung| rung.version.clone()).collect();
            let of = standings.graded(&ladder, finals.as_ref());
            performance::worst_alone(played, &of.worst_seeds(own, &others, WORST_SHOWN))
        }
        false => {
            let rating = |version: i64| {
                let rung = standings.rungs.iter().find(|rung| rung.version.id == version);
                rung.and_then(|rung| rung.measure)
            };
            performance::worst(own, played, &games, &rating, &names, WORST_SHOWN)
        }
    };
    Ok((tables, worst))
}

/// Writes why matches ended through the version's fault, and how often.
fn faults(own: i64, played: &[&PlayedMatch], out: &mut String) {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for played in played {
        if let Some((seat, why)) = &played.fault
            && played.pairing.seats.get(*seat) == Some(&own)
        {
            *reasons.entry(why.lines().next().unwrap_or_default()).or_default() += 1;
        }
    }
    if !reasons.is_empty() {
        *out += "\n## Faults\n\n";
        for (why, count) in reasons {
            let _ = writeln!(out, "- {count} ×: {}", plain(why));
        }
    }
}

fn points(tables: &PerformanceTables, out: &mut String) {
    let mut table = |head: &str, rows: &mut dyn Iterator<Item = (&str, &WinDrawLoss)>| {
        let _ = write!(out, "\n## By {head}\n\n| {head} | won | drawn | lost | points |\n");
        *out += "|---|---:|---:|---:|---:|\n";
        for (name, cell) in rows {
            let share =
                cell.share().map_or("–".to_owned(), |share| format!("{:.0} %", share * 100.0));
            let WinDrawLoss { wins, draws, losses } = cell;
            let _ = writeln!(out, "| {} | {wins} | {draws} | {losses} | {share} |", plain(name));
        }
    };
    table("opponent", &mut tables.opponents.iter().map(|((who, _), cell)| (who.as_str(), cell)));
    table(
        "scenario",
        &mut tables.scenarios.iter().map(|(which, (cell, _))| (which.as_str(), cell)),
    );
}

fn worst_matches(worst: &[Worst], played: &[&PlayedMatch], out: &mut String) {
    if worst.is_empty() {
        return;
    }
    *out += "\n## Matches to look at again\n\n";
    for Worst { id, why } in worst {
        let record = played.iter().find(|played| played.pairing.id == *id);
        let record = record.filter(|played| !played.is_hidden);
        let record = record.map_or(String::new(), |played| format!(", record `{}`", played.record));
        let _ = writeln!(out, "- match {id}{record}: {}", plain(why));
    }
}

/// Escapes the characters in other people's text that Markdown acts upon.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in quintain_scene::clean(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_in_markdown() {
        let page =
            to_page("<b>", &plain("<script>alert(1)</script> [a](javascript:b)")).into_string();
        assert!(
            !page.contains("<script>") && !page.contains("<a ") && !page.contains("<b>"),
            "{page}"
        );
        assert_eq!(plain("a|b *c* [d](e) <f>"), "a\\|b \\*c\\* \\[d\\](e) \\<f\\>");
    }
}
