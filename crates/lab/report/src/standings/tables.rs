//! The tables and their columns: the overall table, games between players, and every scenario.

use quintain_core::Objective;
use quintain_standings::columns::{self, Cell, FORFEITS, Format, Length, MEAN, MEAN_RANK, MEDIAN};
use quintain_standings::{
    Blocks, Difference, ScenarioStandings, Standings, StandingsRow, Versus, describe_faults,
};
use quintain_stats::WinDrawLoss;
use quintain_stats::bradley_terry::VIRTUAL_DRAWS;

use super::layout::{Page, Style};
use crate::grid::Column;
use crate::numbers::{
    NOTHING, SCORE_DECIMALS, count, count_of, format_fixed, p_value, plain, with_intervals,
};

/// With more players than this, the games between players are only in the CSV and JSON.
const MAX_PLAYERS_IN_MATRIX: usize = 24;

/// The approximate number of lines in the table of scenarios; each scenario shows its best players.
const SCENARIO_LINES: usize = 240;

/// All tables of `standings`, with a heading before and notes below each.
pub(super) fn tables(standings: &Standings, style: Style) -> String {
    let mut page = Page::new(style);
    if standings.overall.is_empty() {
        page.text.push_str("No results yet.\n");
        return page.text;
    }
    let mut parts: [fn(&Standings, &mut Page); 3] = [overall, matrix, scenarios];
    if page.scrolls_by() {
        parts.reverse();
    }
    for part in parts {
        part(standings, &mut page);
    }
    page.text
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
    let left_out = page.columns(row_columns(&standings.overall, standings.scenarios.len()));
    for caveat in describe_caveats_without(standings, &left_out) {
        page.note(&caveat);
    }
}

/// What a reader must know to interpret the overall table correctly, a sentence or two each.
pub fn describe_caveats(standings: &Standings) -> Vec<String> {
    describe_caveats_without(standings, &[])
}

/// The same for a table without these columns: nothing is said of what is not there.
fn describe_caveats_without(standings: &Standings, left_out: &[String]) -> Vec<String> {
    let mut caveats = Vec::new();
    if standings.distinct < standings.matches {
        caveats.push(
            "Where a line-up plays the same match on every seed of a scenario, that match counts \
             once \
             in n, in ratings and in every interval; the tournament's other seeds tell nothing \
             there."
                .to_owned(),
        );
    }
    caveats.extend(variants(&standings.overall));
    caveats.extend(forfeits(&standings.overall));
    caveats.extend(doubts(&standings.overall, left_out));
    if standings.scenarios.len() > 1 && standings.versus.is_none() {
        caveats.push(
            "Ranks follow the mean rank: means over scenarios of different scales say little."
                .to_owned(),
        );
    }
    if let Some(versus) = &standings.versus {
        caveats.extend(rating_notes(versus, &standings.overall));
    }
    let difference = standings.difference.as_ref();
    caveats.extend(difference.map(|difference| difference_note(difference, left_out)));
    caveats.extend(standings.rings.iter().map(|ring| format!("A ring: {}.", describe_ring(ring))));
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

/// Explains the marks in words, if they are there.
fn doubts(rows: &[StandingsRow], left_out: &[String]) -> Option<String> {
    let has = |head: &str| !left_out.iter().any(|out| out == head);
    let median = if has(MEDIAN) { "; the median says more" } else { "" };
    (has(MEAN) && rows.iter().any(StandingsRow::is_doubtful)).then(|| {
        format!(
            "! The scores are too skewed for so few (Cochran's rule), or were cut off: do not rely \
             on this ±{median}."
        )
    })
}

/// A ring of players in which each beats the next, back to the first.
fn describe_ring(ring: &[String]) -> String {
    let around = ring.iter().chain(ring.first());
    around.map(String::as_str).collect::<Vec<_>>().join(" beats ")
}

/// Whether ranks differ, in a sentence; and from which distance on mean ranks do, if the table has
/// them.
fn difference_note(difference: &Difference, left_out: &[String]) -> String {
    // The mean rank in the table is over scenarios.
    let (blocks, has_them) = match difference.blocks_are {
        Blocks::Scenarios => ("scenario", !left_out.iter().any(|out| out == MEAN_RANK)),
        Blocks::Seeds => ("seed", false),
    };
    let (p, method) = difference.test.best_p_value();
    let said = if p < 0.05 { "differ significantly" } else { "do not differ significantly" };
    let p = p_value(p);
    let distance = match has_them {
        true => format!(
            "; mean ranks differ if they are at least {} apart (Nemenyi)",
            format_fixed(difference.test.critical_difference, 2)
        ),
        false => String::new(),
    };
    let blocks = count_of(difference.test.blocks as u64, blocks);
    format!("Ranks over {blocks} {said} ({p}, {method}){distance}.")
}

/// What a reader must know to interpret the ratings correctly.
fn rating_notes(versus: &Versus, rows: &[StandingsRow]) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.elo.is_some()) {
        notes.push("A lead of 100 Elo takes 64 % of the points, one of 200 takes 76 %.".to_owned());
    }
    if rows.iter().any(|row| row.elo.as_ref().is_some_and(|elo| elo.sweep.is_some())) {
        notes.push(format!(
            "* Won or lost every game: the rating is kept finite by {VIRTUAL_DRAWS} virtual draw \
             alone; read it as \"at least\" or \"at most\"."
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
fn row_columns(rows: &[StandingsRow], scenarios: usize) -> Vec<Column> {
    let column = |column: &&columns::Column| Column {
        head: column.name.to_owned(),
        cells: texts(column.format, &rows.iter().map(column.read).collect::<Vec<_>>()),
        text: column.format == Format::Text,
        weight: column.weight_in(rows),
    };
    columns::columns(rows, scenarios, Length::Full).iter().map(column).collect()
}

/// The cells of a column as text.
fn texts(format: Format, cells: &[Cell<'_>]) -> Vec<String> {
    match format {
        Format::Score => scores(cells),
        Format::Mean => estimates(cells, SCORE_DECIMALS, false),
        Format::Difference => estimates(cells, SCORE_DECIMALS, true),
        Format::Rating => estimates(cells, 1, true),
        _ => cells.iter().map(|cell| text(format, *cell)).collect(),
    }
}

/// A cell whose text does not depend on the others of its column.
fn text(format: Format, cell: Cell<'_>) -> String {
    match (cell, format) {
        (Cell::Text(text), _) => text.to_owned(),
        (Cell::Count(number), _) => count(number),
        (Cell::Number(value), Format::Decimals(decimals)) => format_fixed(value, decimals),
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
fn matrix(standings: &Standings, page: &mut Page) {
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
    let in_full = |games: &WinDrawLoss| format!("{}-{}-{}", games.wins, games.draws, games.losses);
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
fn scenarios(standings: &Standings, page: &mut Page) {
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
    let (mut names, mut rows, mut best_of) = (Vec::new(), Vec::new(), Vec::new());
    for (scenario, table) in tables {
        let wins = |row: &StandingsRow| scenario.winners.contains(&row.player);
        best_of.extend(table.iter().map(|row| if wins(row) { "best" } else { "" }.to_owned()));
        // The name is given only in the first row of a scenario.
        names.push(scenario.scenario.clone());
        names.resize(rows.len() + table.len(), String::new());
        rows.extend(table);
    }
    let scenario = Column { head: "scenario".to_owned(), cells: names, text: true, weight: None };
    let mut columns: Vec<Column> = std::iter::once(scenario).chain(row_columns(&rows, 1)).collect();
    let best_of = Column { head: String::new(), cells: best_of, text: true, weight: Some(88) };
    columns.insert(3, best_of);
    // Below the overall table the reasons are given in sentences; for every scenario these would be
    // too many.
    if let Some(column) = columns.iter_mut().find(|column| column.head == FORFEITS) {
        let reasons = rows.iter().map(|row| match row.forfeits {
            0 => count(0),
            _ => describe_faults(&row.faults),
        });
        column.cells = reasons.collect();
    }
    let left_out = page.columns(columns);
    if !left_out.contains(&String::new()) {
        page.note(
            "best: the first, and all that cannot be told from it on common seeds (95 % for all \
             players of a scenario together).",
        );
    }
    if !standings.overall.iter().any(StandingsRow::is_doubtful)
        && let Some(note) = doubts(&rows, &left_out)
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
