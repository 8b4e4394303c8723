//! The tables and their columns: the overall table, games between players, and every scenario.

use quintain_core::Objective;
use quintain_standings::{
    Blocks, Difference, Placements, ScenarioStandings, Standings, StandingsRow, Versus,
};
use quintain_stats::bradley_terry::VIRTUAL_DRAWS;
use quintain_stats::{Interval, WinDrawLoss};

use super::layout::{Page, Style};
use crate::faults::describe_faults;
use crate::grid::Column;
use crate::numbers::{
    NOTHING, SCORE_DECIMALS, count, count_of, format_fixed, p_value, plain, with_intervals,
};

/// With more players than this, the games between players are only in the CSV and JSON.
const MOST_PLAYERS_IN_MATRIX: usize = 24;

/// The approximate number of lines in the table of scenarios; each scenario shows its best players.
const SCENARIO_LINES: usize = 240;

/// The heads of columns that are mentioned elsewhere.
const FORFEITS: &str = "forfeits";
const MEAN: &str = "mean ± 95 %";
const MEDIAN: &str = "median";
const MEAN_RANK: &str = "mean rank";

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
    let columns = row_columns(&standings.overall, standings.scenarios.len() > 1);
    let left_out = page.columns(columns);
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
            "Where a line-up plays the same match on every seed of a scenario, that match counts once \
             in n, in ratings and in every interval; the tournament's other seeds tell nothing there."
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
    (has(MEAN) && rows.iter().any(is_doubtful)).then(|| {
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

/// Whether ranks differ, in a sentence; and from which distance on mean ranks do, if the table has them.
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

/// The columns of a table of rows, each only if it has content. `over_scenarios` adds the columns
/// on ranks over scenarios.
fn row_columns(rows: &[StandingsRow], over_scenarios: bool) -> Vec<Column> {
    let number = |head: &str, weight: u8, cells: Vec<String>| Column {
        head: head.to_owned(),
        cells,
        text: false,
        weight: Some(weight),
    };
    let each = |cell: &dyn Fn(&StandingsRow) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let any = |holds: &dyn Fn(&StandingsRow) -> bool| rows.iter().any(holds);
    let values =
        |value: &dyn Fn(&StandingsRow) -> f64| plain(&rows.iter().map(value).collect::<Vec<_>>());

    let mut columns = vec![
        Column { weight: None, ..number("#", 0, each(&|row| row.rank.to_string())) },
        Column {
            head: "player".to_owned(),
            cells: each(&|row| row.player.clone()),
            text: true,
            weight: None,
        },
    ];
    if any(&|row| row.resampled.is_some()) {
        columns.push(number("ranks 95 %", 86, each(&describe_ranks)));
    }
    if any(&|row| row.elo.is_some()) {
        columns.push(Column { weight: None, ..number("Elo ± 95 %", 0, elo_cells(rows)) });
    }
    if any(&|row| row.games.is_some_and(|games| games.games() > 0)) {
        let of = |part: fn(WinDrawLoss) -> u64| {
            each(&|row| row.games.map_or(NOTHING.to_owned(), |games| count(part(games))))
        };
        columns.push(Column { weight: None, ..number("points %", 0, each(&points_cell)) });
        columns.push(number("won", 92, of(|games| games.wins)));
        columns.push(number("drawn", 92, of(|games| games.draws)));
        columns.push(number("lost", 92, of(|games| games.losses)));
    }
    columns.push(number("n", 85, each(&|row| count(row.summary.n))));
    let means: Vec<_> =
        rows.iter().map(|row| Some((row.summary.mean, row.summary.interval))).collect();
    // Where seats play against one another, the points say most of what the mean says.
    let weight = any(&|row| row.games.is_some()).then_some(60);
    let means = with_intervals(&means, SCORE_DECIMALS, false);
    let means = mark_cells(means, |at| is_doubtful(&rows[at]), DOUBTFUL);
    columns.push(Column { weight, ..number(MEAN, 0, means) });
    if any(&|row| row.to_leader.is_some()) {
        let paired: Vec<_> = rows
            .iter()
            .map(|row| row.to_leader.as_ref().map(|to| (to.difference, to.interval)))
            .collect();
        columns.push(number(
            "to #1, paired ± 95 %",
            90,
            with_intervals(&paired, SCORE_DECIMALS, true),
        ));
    }
    columns.push(number(MEDIAN, 55, values(&|row| row.summary.median)));
    // Points have only three values; the mean says everything.
    if any(&|row| row.games.is_none() && row.summary.median_interval.is_some()) {
        columns.push(number("median 95 %", 54, median_intervals(rows)));
    }
    columns.push(number("min", 50, values(&|row| row.summary.min)));
    columns.push(number("max", 50, values(&|row| row.summary.max)));
    if over_scenarios {
        let place = |part: &dyn Fn(&Placements) -> String| {
            each(&|row| row.places.as_ref().map_or(NOTHING.to_owned(), part))
        };
        columns.push(number(MEAN_RANK, 70, place(&|places| format_fixed(places.mean_rank, 2))));
        columns.push(number("1st", 65, place(&|places| count(places.first))));
        columns.push(number("2nd", 40, place(&|places| count(places.second))));
        columns.push(number("3rd", 40, place(&|places| count(places.third))));
    }
    if any(&|row| row.forfeits > 0) {
        columns.push(number(FORFEITS, 93, each(&|row| count(row.forfeits))));
    }
    if any(&|row| row.truncated > 0) {
        columns.push(number("cut off", 80, each(&|row| count(row.truncated))));
    }
    columns
}

fn elo_cells(rows: &[StandingsRow]) -> Vec<String> {
    let values: Vec<_> = rows
        .iter()
        .map(|row| {
            let elo = row.elo.as_ref()?;
            Some((elo.rating, Some(Interval { low: elo.low, high: elo.high })))
        })
        .collect();
    let swept = |at: usize| rows[at].elo.as_ref().is_some_and(|elo| elo.sweep.is_some());
    mark_cells(with_intervals(&values, 1, true), swept, "*")
}

/// The cells, followed by a mark where `has` says so and by a blank elsewhere.
fn mark_cells(cells: Vec<String>, has: impl Fn(usize) -> bool, mark: &str) -> Vec<String> {
    let any = (0..cells.len()).any(&has);
    let mark = |at: usize| if has(at) { mark } else { " " };
    let cells = cells.into_iter().enumerate();
    cells.map(|(at, cell)| if any { cell + mark(at) } else { cell }).collect()
}

/// The mark after an interval of a mean that may not hold.
const DOUBTFUL: &str = "!";

/// Whether the interval of a mean score may not hold: the scores are too skewed for so few, or cut
/// off, so that nobody knows how far they would have gone. Neither applies to points among rivals.
pub fn is_doubtful(row: &StandingsRow) -> bool {
    let scores = row.games.is_none() && row.summary.interval.is_some();
    scores && (row.summary.skewed || row.truncated > 0)
}

fn median_intervals(rows: &[StandingsRow]) -> Vec<String> {
    let intervals = rows.iter().map(|row| row.summary.median_interval);
    let known: Vec<f64> = intervals.clone().flatten().flat_map(|i| [i.low, i.high]).collect();
    let mut ends = plain(&known).into_iter();
    let mut next = || ends.next().unwrap_or_default();
    intervals
        .map(|interval| match interval {
            Some(_) => format!("{} to {}", next(), next()),
            None => NOTHING.to_owned(),
        })
        .collect()
}

/// The ranks that a player may have: `2` or `1–3`.
pub fn describe_ranks(row: &StandingsRow) -> String {
    match row.resampled.as_ref().map(|resampled| resampled.ranks) {
        Some((best, worst)) if best == worst => best.to_string(),
        Some((best, worst)) => format!("{best}–{worst}"),
        None => NOTHING.to_owned(),
    }
}

fn points_cell(row: &StandingsRow) -> String {
    let share = row.games.and_then(|games| games.share());
    share.map_or(NOTHING.to_owned(), |share| format_fixed(share * 100.0, 1))
}

/// The games between players: won–drawn–lost where that fits, otherwise points.
fn matrix(standings: &Standings, page: &mut Page) {
    let Some(versus) = &standings.versus else { return };
    if versus.matrix.iter().flatten().all(|games| games.games() == 0) {
        return;
    }
    page.heading("Who met whom");
    if versus.players.len() > MOST_PLAYERS_IN_MATRIX {
        page.note(&format!(
            "Left out for {} players ({MOST_PLAYERS_IN_MATRIX} at most); the JSON form has it.",
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
    let mut columns: Vec<Column> =
        std::iter::once(scenario).chain(row_columns(&rows, false)).collect();
    let best_of = Column { head: String::new(), cells: best_of, text: true, weight: Some(88) };
    columns.insert(3, best_of);
    // Below the overall table the reasons are given in sentences; for every scenario these would be too many.
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
    if !standings.overall.iter().any(is_doubtful)
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
