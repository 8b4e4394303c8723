//! The tables and their columns: the overall table, games between players, and every scenario.

use quintain_core::Objective;
use quintain_standings::columns::{self, Cell, FORFEITS, Format, Length};
use quintain_standings::{ScenarioStandings, Standings, StandingsRow, Versus, describe_faults};
use quintain_stats::WinDrawLoss;
use quintain_stats::all_pairs::MIN_SEEDS;
use quintain_stats::bradley_terry::VIRTUAL_DRAWS;

use super::bracket;
use super::certainty;
use super::layout::{Page, Style};
use super::rounds;
use crate::grid::Column;
use crate::numbers::{
    NOTHING, SCORE_DECIMALS, count, count_of, format_fixed, plain, with_intervals,
};

/// With more players than this, the games between players are only in the CSV and JSON.
const MAX_PLAYERS_IN_MATRIX: usize = 24;

/// The approximate number of lines in the table of scenarios; each scenario shows its best players.
const SCENARIO_LINES: usize = 240;

/// The table that answers who is better, with a heading before and notes below.
pub(super) fn tables(standings: &Standings, style: Style) -> String {
    let mut page = Page::new(style);
    if standings.overall.is_empty() {
        page.text.push_str("No results yet.\n");
        return page.text;
    }
    if let Some(bracket) = &standings.bracket {
        page.heading("Bracket");
        page.drawing(&bracket::draw(bracket, style.width()));
    }
    if let Some(known) = &standings.rounds {
        page.heading("Rounds");
        page.drawing(&rounds::draw(known, style.width()));
    }
    overall(standings, &mut page);
    page.text
}

/// The same table with all of its columns.
pub(super) fn all_columns(standings: &Standings, page: &mut Page) {
    page.heading("All columns");
    page.columns(row_columns(&standings.overall, standings.scenarios.len(), Length::Full));
}

fn overall(standings: &Standings, page: &mut Page) {
    let goal = match standings.rule.objective {
        Objective::Maximize => "higher",
        Objective::Minimize => "lower",
    };
    page.heading(&format!(
        "Overall: {}, {}, {}; {goal} scores are better",
        count_of(standings.overall.len() as u64, "player"),
        match standings.distinct {
            all if all == standings.matches => count_of(standings.matches, "match"),
            some => format!(
                "{}, {} of them different",
                count_of(standings.matches, "match"),
                count(some)
            ),
        },
        count_of(standings.scenarios.len() as u64, "scenario"),
    ));
    page.columns(row_columns(&standings.overall, standings.scenarios.len(), Length::Brief));
    for caveat in describe_caveats(standings) {
        page.note(&caveat);
    }
}

/// What a reader must know to interpret the overall table correctly, a sentence or two each. The
/// last says what is not certain yet, and what would make it so.
pub fn describe_caveats(standings: &Standings) -> Vec<String> {
    let mut caveats = Vec::new();
    if standings.repeats.is_empty() && standings.distinct < standings.matches {
        caveats.push(
            "Some seeds share a start, so some matches are repeats. They all count, because seeds \
             were not chosen by their start."
                .to_owned(),
        );
    }
    if !standings.repeats.is_empty() {
        caveats.push(
            "Where a line-up plays the same match on every seed of a scenario, that match counts \
             once in ratings, intervals and ranks; the tournament's other seeds add nothing there."
                .to_owned(),
        );
    }
    caveats.extend(variants(&standings.overall));
    caveats.extend(forfeits(&standings.overall));
    caveats.extend(cut_off(&standings.overall));
    if standings.scenarios.len() > 1 && standings.versus.is_none() {
        caveats.push(
            "Ranks follow the mean rank: means over scenarios of different scales say little."
                .to_owned(),
        );
    }
    if let Some(versus) = &standings.versus {
        caveats.extend(rating_notes(versus, &standings.overall));
    }
    caveats.extend(standings.rings.iter().map(|ring| format!("A ring: {}.", describe_ring(ring))));
    caveats.extend(certainty::describe(standings));
    caveats
}

/// How to tell apart variants of one player: what an entry does not show is not unknown.
fn variants(rows: &[StandingsRow]) -> Option<String> {
    let base = |row: &StandingsRow| row.player.split('?').next().map(str::to_owned);
    let is_variant = |(at, row): (usize, &StandingsRow)| {
        let others = rows.iter().enumerate().filter(|(other, _)| *other != at);
        row.player.contains('?') && others.into_iter().any(|(_, other)| base(other) == base(row))
    };
    rows.iter().enumerate().any(is_variant).then(|| {
        "Parameters that are not shown have their default values (see quintain players).".to_owned()
    })
}

/// The players that forfeited, and why.
fn forfeits(rows: &[StandingsRow]) -> impl Iterator<Item = String> {
    rows.iter().filter(|row| row.forfeits > 0).map(|row| {
        let matches = count_of(row.forfeits, "match");
        format!("{} forfeited {matches}: {}.", row.player, describe_faults(&row.faults))
    })
}

/// Explains the mark in words, if it is there.
fn cut_off(rows: &[StandingsRow]) -> Option<String> {
    rows.iter().any(StandingsRow::is_cut_off).then(|| {
        "! Some matches were cut off: nobody knows how far their scores would have gone, so do not \
         rely on this mean."
            .to_owned()
    })
}

/// A ring of players in which each beats the next, back to the first.
fn describe_ring(ring: &[String]) -> String {
    let around = ring.iter().chain(ring.first());
    around.map(String::as_str).collect::<Vec<_>>().join(" beats ")
}

/// What a reader must know to interpret the ratings correctly.
fn rating_notes(versus: &Versus, rows: &[StandingsRow]) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.elo.is_some()) {
        notes.push("A lead of 100 Elo takes 64 % of the points, one of 200 takes 76 %.".to_owned());
    }
    if rows.iter().any(|row| row.elo.as_ref().is_some_and(|elo| elo.sweep.is_some())) {
        notes.push(format!(
            "* Won or lost every game: the rating is finite only because of {VIRTUAL_DRAWS} \
             virtual draw; read it as \"at least\" or \"at most\"."
        ));
    } else if versus.one_sided {
        notes.push(
            "Some players took every point from the others; the distance between the two sets \
             rests on the virtual draw alone."
                .to_owned(),
        );
    }
    if versus.groups > 1 {
        notes.push(format!(
            "The players fall into {} groups that never met; ratings can be compared only within a \
             group.",
            versus.groups
        ));
    }
    notes
}

/// The columns of a table of rows over this many scenarios.
fn row_columns(rows: &[StandingsRow], scenarios: usize, length: Length) -> Vec<Column> {
    let column = |column: &&columns::Column| Column {
        head: column.head(rows).to_owned(),
        cells: texts(column.format, &rows.iter().map(column.read).collect::<Vec<_>>()),
        text: matches!(column.format, Format::Text | Format::Rank),
        weight: column.weight_in(rows),
    };
    columns::columns(rows, scenarios, length).iter().map(column).collect()
}

/// The cells of a column as text.
fn texts(format: Format, cells: &[Cell<'_>]) -> Vec<String> {
    match format {
        Format::Score => scores(cells),
        Format::Mean => estimates(cells, SCORE_DECIMALS, false),
        Format::Difference => estimates(cells, SCORE_DECIMALS, true),
        Format::Rating => estimates(cells, 1, true),
        Format::Lead => leads(cells),
        _ => cells.iter().map(|cell| text(format, *cell)).collect(),
    }
}

/// A cell whose text does not depend on the others of its column.
fn text(format: Format, cell: Cell<'_>) -> String {
    match (cell, format) {
        (Cell::Text(text), _) => text.to_owned(),
        (Cell::Count(number), _) => count(number),
        (Cell::Number(value), Format::Decimals(decimals)) => format_fixed(value, decimals),
        (Cell::Rank(rank, Some(mark)), _) => format!("{rank} {}", columns::describe_mark(mark)),
        (Cell::Rank(rank, None), _) => rank.to_string(),
        (Cell::Games(games), _) => games.to_string(),
        (Cell::Range(best, worst), _) if best == worst => best.to_string(),
        (Cell::Range(best, worst), _) => format!("{best}–{worst}"),
        _ => NOTHING.to_owned(),
    }
}

/// Numbers and ranges with as many digits as all of them need.
fn scores(cells: &[Cell<'_>]) -> Vec<String> {
    let ends = |cell: &Cell<'_>| match *cell {
        Cell::Number(value) => vec![value],
        Cell::Range(low, high) => vec![low, high],
        _ => Vec::new(),
    };
    let known: Vec<f64> = cells.iter().flat_map(ends).collect();
    let mut ends = plain(&known).into_iter();
    let mut next = || ends.next().unwrap_or_default();
    let texts = cells.iter().map(|cell| match cell {
        Cell::Number(_) => next(),
        Cell::Range(..) => format!("{} to {}", next(), next()),
        _ => NOTHING.to_owned(),
    });
    texts.collect()
}

/// Differences with a sign, and with as many digits as all of them need.
fn leads(cells: &[Cell<'_>]) -> Vec<String> {
    let sign = |cell: &Cell<'_>| match cell {
        Cell::Number(value) if *value > 0.0 => "+",
        _ => "",
    };
    scores(cells).into_iter().zip(cells).map(|(text, cell)| sign(cell).to_owned() + &text).collect()
}

/// Values with half of their intervals, each followed by its mark; if any has one, the others are
/// followed by a blank.
fn estimates(cells: &[Cell<'_>], max_decimals: usize, signed: bool) -> Vec<String> {
    let (values, marks): (Vec<_>, Vec<_>) = cells
        .iter()
        .map(|cell| match *cell {
            Cell::Estimate(value, interval, mark) => (Some((value, interval)), mark),
            _ => (None, None),
        })
        .unzip();
    let is_marked = marks.iter().any(Option::is_some);
    let mark = |mark: Option<char>| is_marked.then(|| mark.unwrap_or(' '));
    let texts = with_intervals(&values, max_decimals, signed).into_iter().zip(marks);
    texts.map(|(text, own)| text.chars().chain(mark(own)).collect()).collect()
}

/// The games between players: won–drawn–lost where that fits, otherwise points.
pub(super) fn matrix(standings: &Standings, page: &mut Page) {
    let Some(versus) = &standings.versus else { return };
    if versus.matrix.iter().flatten().all(|games| games.games() == 0) {
        return;
    }
    page.heading("Who met whom");
    if versus.players.len() > MAX_PLAYERS_IN_MATRIX {
        page.note(&format!(
            "Left out for {} players ({MAX_PLAYERS_IN_MATRIX} at most); the JSON form has it.",
            count(versus.players.len() as u64)
        ));
        return;
    }
    let in_full = |games: &WinDrawLoss| games.to_string();
    let points = |games: &WinDrawLoss| format_fixed(games.share().unwrap_or(0.0) * 100.0, 0);
    let (in_full, points) = (matrix_columns(versus, in_full), matrix_columns(versus, points));
    if page.fits(&in_full) {
        page.columns(in_full);
        page.note("Won-drawn-lost of the row's player against the column's.");
    } else if page.fits(&points) {
        page.columns(points);
        page.note("Points % of the row's player against the column's.");
    } else {
        page.note("Too wide to show here; the JSON form has it.");
    }
}

fn matrix_columns(versus: &Versus, cell: impl Fn(&WinDrawLoss) -> String) -> Vec<Column> {
    let letter = |at: usize| char::from(b'A' + at as u8).to_string();
    let column =
        |head: String, cells: Vec<String>, text: bool| Column { head, cells, text, weight: None };
    let players = 0..versus.players.len();
    let mut columns = vec![
        column(String::new(), players.clone().map(letter).collect(), true),
        column("player".to_owned(), versus.players.clone(), true),
    ];
    columns.extend(players.map(|against| {
        let games = versus.matrix.iter().map(|row| &row[against]);
        let cells = games.map(|games| match games.games() {
            0 => NOTHING.to_owned(),
            _ => cell(games),
        });
        column(letter(against), cells.collect(), false)
    }));
    columns
}

/// One table of all scenarios, with the best players of each if all would be too many.
pub(super) fn scenarios(standings: &Standings, page: &mut Page) {
    if standings.scenarios.len() < 2 {
        return;
    }
    let shown = standings.scenarios.len().min(SCENARIO_LINES);
    let most = standings.scenarios.iter().map(|scenario| scenario.rows.len()).max().unwrap_or(0);
    let best = (SCENARIO_LINES / shown).max(1);
    page.heading("By scenario");
    let take_best = |scenario: &ScenarioStandings| {
        let rows = scenario.rows.iter().take(best).cloned();
        rows.collect::<Vec<StandingsRow>>()
    };
    let tables =
        standings.scenarios[..shown].iter().map(|scenario| (scenario, take_best(scenario)));
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for (scenario, table) in tables {
        // The name is given only in the first row of a scenario.
        names.push(scenario.scenario.clone());
        names.resize(rows.len() + table.len(), String::new());
        rows.extend(table);
    }
    let scenario = Column { head: "scenario".to_owned(), cells: names, text: true, weight: None };
    let own = row_columns(&rows, 1, Length::Full);
    let mut columns: Vec<Column> = std::iter::once(scenario).chain(own).collect();
    // Below the overall table the reasons are given in sentences; for every scenario these would be
    // too many.
    if let Some(column) = columns.iter_mut().find(|column| column.head == FORFEITS) {
        let reasons = rows.iter().map(|row| match row.forfeits {
            0 => count(0),
            _ => describe_faults(&row.faults),
        });
        column.cells = reasons.collect();
    }
    page.columns(columns);
    let marked = |scenario: &&ScenarioStandings| scenario.rows.iter().any(|row| row.mark.is_some());
    if standings.scenarios.iter().filter(marked).count() < standings.scenarios.len() {
        page.note(&format!(
            "Where no rank is marked, there are too few seeds to tell: it takes {MIN_SEEDS}."
        ));
    }
    if !standings.overall.iter().any(StandingsRow::is_cut_off)
        && let Some(note) = cut_off(&rows)
    {
        page.note(&note);
    }
    if most > best {
        page.note(&format!("The best {best} of each scenario; CSV and JSON have all players."));
    }
    if standings.scenarios.len() > shown {
        page.note(&format!(
            "The first {shown} of {} scenarios; CSV and JSON have all.",
            count(standings.scenarios.len() as u64)
        ));
    }
}
