//! The columns of standings: what each is called, what it means, how it is written, when it is
//! shown and how its value is read from a row. Reports, pages and files only lay them out, so a
//! statistic that gets a column here is shown everywhere under the same name.

use quintain_core::Scoring;
use quintain_stats::all_pairs::Mark;
use quintain_stats::{Interval, WinDrawLoss};

use crate::faults::describe_faults;
use crate::ladder::LadderRow;
use crate::table::{Placements, StandingsRow};

/// The name of the column of ratings.
pub const ELO: &str = "Elo ± 95 %";
/// The name of the column of mean scores.
pub const MEAN: &str = "mean ± 95 %";
/// The name of the column of medians.
pub const MEDIAN: &str = "median";
/// The name of the column of mean ranks over scenarios.
pub const MEAN_RANK: &str = "mean rank";
/// How the names end of columns whose values have intervals.
const WITH_INTERVAL: &str = " ± 95 %";
/// The name of the column of forfeited matches.
pub const FORFEITS: &str = "forfeits";

/// The value of a row in a column, before it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// The row has no value.
    Nothing,
    /// A name.
    Text(&'a str),
    /// A whole number.
    Count(u64),
    /// Any number.
    Number(f64),
    /// So many of so many.
    Share(u64, u64),
    /// A number with its interval, and a mark if it must be read with care.
    Estimate(f64, Option<Interval>, Option<char>),
    /// The two ends of a range.
    Range(f64, f64),
    /// A rank, and what is certain about it.
    Rank(u64, Option<Mark>),
    /// Games won, drawn and lost.
    Games(WinDrawLoss),
}

impl Cell<'_> {
    /// The number by which a table is sorted on this column: of a range, its lower end.
    pub fn sort_key(self) -> Option<f64> {
        match self {
            Cell::Nothing | Cell::Text(_) => None,
            Cell::Count(count) | Cell::Share(count, _) | Cell::Rank(count, _) => Some(count as f64),
            Cell::Games(games) => Some(games.wins as f64),
            Cell::Number(value) | Cell::Estimate(value, ..) | Cell::Range(value, _) => Some(value),
        }
    }

    fn of<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell<'static>) -> Cell<'static> {
        value.map_or(Cell::Nothing, cell)
    }
}

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// As they are.
    Text,
    /// As whole numbers.
    Count,
    /// With this many digits after the point.
    Decimals(usize),
    /// As scores, with as many digits as the column needs.
    Score,
    /// As mean scores with their intervals.
    Mean,
    /// As mean scores with their intervals and a sign.
    Difference,
    /// As mean differences of scores, with a sign.
    Lead,
    /// As ratings with their intervals and a sign, in points.
    Rating,
    /// As a range of ranks, from the best to the worst.
    Ranks,
    /// As a rank with the word for what is certain about it.
    Rank,
    /// As numbers of games: won–drawn–lost.
    Games,
    /// As a number of seeds.
    Seeds,
}

/// When a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Always,
    /// Where a row has a value.
    Known,
    /// Where a row has a value other than zero.
    NotZero,
    /// Where a row has a value, in tables over several scenarios.
    OverScenarios,
    /// Where a row has a value, in tables over one scenario.
    OnOneScenario,
    /// Where some matches count once although they were played more often.
    Repeated,
    /// Where a row has a value; short tables of rated players leave it out.
    Spread,
    /// Where seats are rivals.
    AmongRivals,
    /// Where everybody plays alone.
    Alone,
}

/// How much room a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Only what answers who is better: about six columns.
    Brief,
    /// Room for every column.
    Full,
    /// Where ratings sum up the scores, how these spread is left out.
    Short,
}

/// A column of a table of standings, or of a ladder.
#[derive(Debug)]
#[non_exhaustive]
pub struct Column<Row: 'static = StandingsRow> {
    /// Its head.
    pub name: &'static str,
    /// What it shows.
    pub help: &'static str,
    /// How its values are written.
    pub format: Format,
    /// Reads its value from a row.
    pub read: for<'a> fn(&'a Row) -> Cell<'a>,
    shown: Shown,
    /// Where there is not enough room, the columns with the least weight are left out first, and
    /// columns without a weight never.
    pub weight: Option<u8>,
    /// Whether it may be left out only among rivals, whose points say most of what it says.
    weighs_among_rivals: bool,
    /// Whether brief tables have it: among rivals, and where everybody plays alone.
    brief: (bool, bool),
}

impl<Row> Column<Row> {
    const fn new(
        name: &'static str,
        help: &'static str,
        format: Format,
        read: for<'a> fn(&'a Row) -> Cell<'a>,
    ) -> Self {
        let (shown, weight) = (Shown::Always, None);
        Column {
            name,
            help,
            format,
            read,
            shown,
            weight,
            weighs_among_rivals: false,
            brief: (false, false),
        }
    }

    const fn shown(self, shown: Shown) -> Self {
        Column { shown, ..self }
    }

    const fn brief(self) -> Self {
        Column { brief: (true, true), ..self }
    }

    const fn brief_alone(self) -> Self {
        Column { brief: (false, true), ..self }
    }

    const fn weighing(self, weight: u8) -> Self {
        Column { weight: Some(weight), ..self }
    }

    const fn weight_among_rivals(self, weight: u8) -> Self {
        Column { weight: Some(weight), weighs_among_rivals: true, ..self }
    }
}

impl Column {
    /// The head of the column in a table of these rows: its name, which promises no interval where
    /// no row has one.
    pub fn head(&self, rows: &[StandingsRow]) -> &'static str {
        let has_interval = |row| matches!((self.read)(row), Cell::Estimate(_, Some(_), _));
        match self.name.strip_suffix(WITH_INTERVAL) {
            Some(name) if !rows.iter().any(has_interval) => name,
            _ => self.name,
        }
    }

    /// The [weight](Column::weight) in a table of these rows.
    pub fn weight_in(&self, rows: &[StandingsRow]) -> Option<u8> {
        let weighs = !self.weighs_among_rivals || rows.iter().any(|row| row.games.is_some());
        self.weight.filter(|_| weighs)
    }

    fn is_shown(&self, rows: &[StandingsRow], scenarios: usize, length: Length) -> bool {
        let any = |holds: fn(Cell<'_>) -> bool| rows.iter().any(|row| holds((self.read)(row)));
        let is_known = || any(|cell| cell != Cell::Nothing);
        let among_rivals = || rows.iter().any(|row| row.games.is_some());
        if length == Length::Brief && !(if among_rivals() { self.brief.0 } else { self.brief.1 }) {
            return false;
        }
        match self.shown {
            Shown::Always => true,
            Shown::AmongRivals => among_rivals(),
            Shown::Alone => rows.iter().all(|row| row.games.is_none()),
            Shown::Known => is_known(),
            Shown::NotZero => any(|cell| cell.sort_key().is_some_and(|value| value != 0.0)),
            Shown::OverScenarios => scenarios > 1 && is_known(),
            Shown::OnOneScenario => scenarios == 1 && is_known(),
            Shown::Repeated => rows.iter().any(|row| row.summary.n < row.matches),
            Shown::Spread => {
                let is_rated = || rows.iter().any(|row| row.elo.is_some());
                is_known() && (length != Length::Short || !is_rated())
            }
        }
    }
}

/// The columns of a table of these rows over this many scenarios, in order.
///
/// ```
/// use quintain_core::{Objective, Scoring};
/// use quintain_standings::columns::{Length, columns};
/// use quintain_standings::{MatchResult, ScoringRule, Standings};
///
/// let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Independent };
/// let (players, scores) = (&["greedy"][..], &[7.0][..]);
/// let (scenario, ending) = ("open", "over");
/// let result =
///     MatchResult { scenario, seed: 1, players, scores, fault: None, truncated: false, ending };
/// let standings = Standings::of(rule, [result])?;
/// let columns = columns(&standings.overall, 1, Length::Full);
/// let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
/// assert_eq!(names, ["#", "player", "matches", "mean ± 95 %", "median", "min", "max"]);
/// # Ok::<(), quintain_standings::BadResult>(())
/// ```
pub fn columns(rows: &[StandingsRow], scenarios: usize, length: Length) -> Vec<&'static Column> {
    COLUMNS.iter().filter(|column| column.is_shown(rows, scenarios, length)).collect()
}

// With the type of the row in the signature, closures need not repeat it.
const fn in_table(
    name: &'static str,
    help: &'static str,
    format: Format,
    read: for<'a> fn(&'a StandingsRow) -> Cell<'a>,
) -> Column {
    Column::new(name, help, format, read)
}

const fn in_ladder(
    name: &'static str,
    help: &'static str,
    format: Format,
    read: for<'a> fn(&'a LadderRow) -> Cell<'a>,
) -> Column<LadderRow> {
    Column::new(name, help, format, read)
}

static COLUMNS: [Column; 21] = [
    in_table(
        "#",
        "rank, and whether it is certain; ties share the better one",
        Format::Rank,
        |row| Cell::Rank(row.rank, row.mark),
    )
    .brief(),
    in_table("player", "the player", Format::Text, |row| Cell::Text(&row.player)).brief(),
    in_table(ELO, "rating with its 95 % interval", Format::Rating, rating)
        .shown(Shown::Known)
        .brief(),
    in_table(
        "points %",
        "share of the points, a draw being half a point",
        Format::Decimals(1),
        |row| Cell::of(row.games.and_then(|games| games.share()), |of| Cell::Number(of * 100.0)),
    )
    .shown(Shown::Known)
    .weighing(95)
    .brief(),
    in_table(WinDrawLoss::TITLE, "games won, drawn and lost", Format::Games, |row| {
        Cell::of(row.games.filter(|games| games.games() > 0), Cell::Games)
    })
    .shown(Shown::Known)
    .weighing(92)
    .brief(),
    in_table(
        "ranks 95 %",
        "the ranks that each player may have; all hold together with 95 % confidence",
        Format::Ranks,
        |row| Cell::of(row.ranks, range),
    )
    .shown(Shown::Known)
    .weighing(86),
    in_table("margin", "mean lead over opponents, in points of the score", Format::Lead, |row| {
        Cell::of(row.margin, Cell::Number)
    })
    .shown(Shown::Known)
    .weighing(87),
    in_table(MEAN_RANK, "mean of the ranks on all scenarios", Format::Decimals(2), |row| {
        Cell::of(row.places.as_ref(), |places| Cell::Number(places.mean_rank))
    })
    .shown(Shown::OverScenarios)
    .weight_among_rivals(70)
    .brief_alone(),
    in_table("matches", "matches played", Format::Count, |row| Cell::Count(row.matches))
        .weighing(89)
        .brief(),
    in_table(
        "n",
        "different matches: what is the same on every seed counts once",
        Format::Count,
        |row| Cell::Count(row.summary.n),
    )
    .shown(Shown::Repeated)
    .weighing(85),
    in_table(MEAN, "mean score with its 95 % interval", Format::Mean, mean)
        .shown(Shown::Spread)
        .weight_among_rivals(60)
        .brief_alone(),
    in_table(
        "vs #1 ± 95 %",
        "mean difference to the first on common seeds, in points of the score; the intervals of \
         all players hold together with 95 %",
        Format::Difference,
        |row| {
            Cell::of(row.to_leader.as_ref(), |of| Cell::Estimate(of.difference, of.interval, None))
        },
    )
    .shown(Shown::OnOneScenario)
    .weighing(90)
    .brief_alone(),
    in_table(MEDIAN, "median score", Format::Score, |row| Cell::Number(row.summary.median))
        .shown(Shown::Spread)
        .weighing(55),
    in_table("median 95 %", "95 % interval of the median", Format::Score, median_interval)
        .shown(Shown::Spread)
        .weighing(54),
    in_table("min", "least score", Format::Score, |row| Cell::Number(row.summary.min))
        .shown(Shown::Spread)
        .weighing(50),
    in_table("max", "greatest score", Format::Score, |row| Cell::Number(row.summary.max))
        .shown(Shown::Spread)
        .weighing(50),
    in_table("1st", "scenarios won, alone or tied", Format::Count, |row| {
        place(row, |places| places.first)
    })
    .shown(Shown::OverScenarios)
    .weighing(65),
    in_table("2nd", "second places", Format::Count, |row| place(row, |places| places.second))
        .shown(Shown::OverScenarios)
        .weighing(40),
    in_table("3rd", "third places", Format::Count, |row| place(row, |places| places.third))
        .shown(Shown::OverScenarios)
        .weighing(40),
    in_table(FORFEITS, "matches forfeited by a fault", Format::Count, |row| {
        Cell::Count(row.forfeits)
    })
    .shown(Shown::NotZero)
    .weighing(93)
    .brief(),
    in_table("cut off", "matches cut off before their end", Format::Count, |row| {
        Cell::Count(row.truncated)
    })
    .shown(Shown::NotZero)
    .weighing(80)
    .brief(),
];

/// The columns of a ladder that follow the players, in order; a page of the host puts the mean
/// scores on each scenario before them.
///
/// ```
/// use quintain_core::Scoring;
/// use quintain_standings::columns::ladder_columns;
///
/// let names: Vec<&str> = ladder_columns(Scoring::Adversarial).map(|column| column.name).collect();
/// assert_eq!(names, ["rating", "95 % interval", "matches", "faults"]);
/// ```
pub fn ladder_columns(scoring: Scoring) -> impl Iterator<Item = &'static Column<LadderRow>> {
    LADDER.iter().filter(move |column| match column.shown {
        Shown::AmongRivals => scoring == Scoring::Adversarial,
        Shown::Alone => scoring == Scoring::Independent,
        _ => true,
    })
}

static LADDER: [Column<LadderRow>; 7] = [
    in_ladder("rating", "strength in points", Format::Decimals(0), measure)
        .shown(Shown::AmongRivals),
    in_ladder(
        "mean rank (0 first, 1 last)",
        "how often others do better on common seeds",
        Format::Decimals(2),
        measure,
    )
    .shown(Shown::Alone),
    in_ladder("95 % interval", "of the rating", Format::Decimals(0), measure_interval)
        .shown(Shown::AmongRivals),
    in_ladder("95 % interval", "of the mean rank", Format::Decimals(2), measure_interval)
        .shown(Shown::Alone)
        .weighing(30),
    in_ladder(
        "better than the next on",
        "common seeds on which the player does better than the next one",
        Format::Seeds,
        |row| Cell::of(row.beside_next, |seeds| Cell::Share(seeds.wins, seeds.games())),
    )
    .shown(Shown::Alone)
    .weighing(20),
    in_ladder("matches", "matches played", Format::Count, |row| Cell::Count(row.matches))
        .weighing(10),
    in_ladder("faults", "matches forfeited by a fault", Format::Count, |row| {
        Cell::Count(row.faults)
    }),
];

fn measure(row: &LadderRow) -> Cell<'_> {
    Cell::of(row.measure, Cell::Number)
}

fn measure_interval(row: &LadderRow) -> Cell<'_> {
    Cell::of(row.interval, |interval| Cell::Range(interval.low, interval.high))
}

fn range((low, high): (u64, u64)) -> Cell<'static> {
    Cell::Range(low as f64, high as f64)
}

fn rating(row: &StandingsRow) -> Cell<'_> {
    Cell::of(row.elo.as_ref(), |elo| {
        Cell::Estimate(elo.rating, row.by_seed, elo.sweep.is_some().then_some('*'))
    })
}

fn mean(row: &StandingsRow) -> Cell<'_> {
    let mark = row.is_cut_off().then_some('!');
    Cell::Estimate(row.summary.mean, row.mean_interval(), mark)
}

fn median_interval(row: &StandingsRow) -> Cell<'_> {
    // Points have only three values; the mean says everything.
    let interval = row.summary.median_interval.filter(|_| row.games.is_none());
    Cell::of(interval, |interval| Cell::Range(interval.low, interval.high))
}

fn place(row: &StandingsRow, part: fn(&Placements) -> u64) -> Cell<'_> {
    Cell::of(row.places.as_ref(), |places| Cell::Count(part(places)))
}

/// A value of a row for programs: its key, and its text with all digits, which is empty if the row
/// has none.
#[derive(Debug)]
pub struct Field<Row = StandingsRow> {
    /// The key.
    pub key: &'static str,
    /// Reads the text from a row.
    pub read: fn(&Row) -> String,
}

const fn field<Row>(key: &'static str, read: fn(&Row) -> String) -> Field<Row> {
    Field { key, read }
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn paired_end(row: &StandingsRow, end: fn(Interval) -> f64) -> String {
    text(row.to_leader.as_ref().and_then(|paired| paired.interval).map(end))
}

fn by_seed_end(row: &StandingsRow, end: fn(Interval) -> f64) -> String {
    text(row.by_seed.map(end))
}

/// Every value of a row, in the order in which files have them.
pub static FIELDS: [Field; 39] = [
    field("rank", |row| row.rank.to_string()),
    field("player", |row| row.player.clone()),
    field("n", |row| row.summary.n.to_string()),
    field("mean", |row| row.summary.mean.to_string()),
    field("standard_error", |row| text(row.summary.standard_error)),
    field("low", |row| text(row.summary.interval.map(|interval| interval.low))),
    field("high", |row| text(row.summary.interval.map(|interval| interval.high))),
    field("median", |row| row.summary.median.to_string()),
    field("min", |row| row.summary.min.to_string()),
    field("max", |row| row.summary.max.to_string()),
    field("wins", |row| text(row.games.map(|games| games.wins))),
    field("draws", |row| text(row.games.map(|games| games.draws))),
    field("losses", |row| text(row.games.map(|games| games.losses))),
    field("elo", |row| text(row.elo.as_ref().map(|elo| elo.rating))),
    field("elo_low", |row| text(row.elo.as_ref().map(|elo| elo.low))),
    field("elo_high", |row| text(row.elo.as_ref().map(|elo| elo.high))),
    field("mean_rank", |row| text(row.places.as_ref().map(|places| places.mean_rank))),
    field("first", |row| text(row.places.as_ref().map(|places| places.first))),
    field("second", |row| text(row.places.as_ref().map(|places| places.second))),
    field("third", |row| text(row.places.as_ref().map(|places| places.third))),
    field("paired_n", |row| text(row.to_leader.as_ref().map(|paired| paired.n))),
    field("paired_difference", |row| text(row.to_leader.as_ref().map(|paired| paired.difference))),
    field("paired_standard_error", |row| {
        text(row.to_leader.as_ref().and_then(|paired| paired.standard_error))
    }),
    field("paired_low", |row| paired_end(row, |interval| interval.low)),
    field("paired_high", |row| paired_end(row, |interval| interval.high)),
    field("forfeits", |row| row.forfeits.to_string()),
    field("truncated", |row| row.truncated.to_string()),
    field("rank_best", |row| text(row.ranks.map(|ranks| ranks.0))),
    field("rank_worst", |row| text(row.ranks.map(|ranks| ranks.1))),
    field("resampled_low", |row| by_seed_end(row, |interval| interval.low)),
    field("resampled_high", |row| by_seed_end(row, |interval| interval.high)),
    field("glicko2", |row| text(row.leagues.map(|leagues| leagues.glicko2.rating))),
    field("glicko2_deviation", |row| text(row.leagues.map(|leagues| leagues.glicko2.deviation))),
    field("weng_lin", |row| text(row.leagues.map(|leagues| leagues.weng_lin.rating))),
    field("weng_lin_deviation", |row| text(row.leagues.map(|leagues| leagues.weng_lin.deviation))),
    field("matches", |row| row.matches.to_string()),
    field("faults", |row| describe_faults(&row.faults)),
    field("certainty", |row| text(row.mark.map(describe_mark))),
    field("margin", |row| text(row.margin)),
];

/// The word for what is certain about a player's rank.
pub fn describe_mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Best => "best",
        Mark::CannotTell => "cannot tell",
        Mark::Behind => "behind",
    }
}

/// The values of a row of a ladder that follow the players, in the order in which files have them.
pub static LADDER_FIELDS: [Field<LadderRow>; 6] = [
    field("measure", |row| thousandths(row.measure)),
    field("low", |row| thousandths(row.interval.map(|interval| interval.low))),
    field("high", |row| thousandths(row.interval.map(|interval| interval.high))),
    field("matches", |row| row.matches.to_string()),
    field("faults", |row| row.faults.to_string()),
    field("mean_score", |row| {
        let means = row.scores.iter().map(|(scenario, (_, mean))| match row.scores.len() {
            1 => format!("{mean:.3}"),
            _ => format!("{scenario}: {mean:.3}"),
        });
        means.collect::<Vec<_>>().join("; ")
    }),
];

fn thousandths(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.3}"))
}
