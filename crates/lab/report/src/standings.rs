//! Standings as text: tables for people, CSV and JSON for programs. Nothing is computed here.

mod details;
mod layout;
mod tables;

use layout::Style;
use quintain_standings::{Standings, StandingsRow};
use quintain_store::TournamentInfo;
use serde::Serialize;
use tables::tables;
pub use tables::{describe_caveats, describe_ranks, is_doubtful};

use crate::faults::describe_faults;

/// The formats in which standings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StandingsFormat {
    /// Aligned tables for a terminal.
    Table {
        /// The terminal's columns. If a table is wider, its least important columns are left out
        /// and named below it; without a width none are left out.
        width: Option<usize>,
    },
    /// The same tables in GitHub's Markdown, of any width.
    Markdown,
    /// One record per player and scenario, and one per player for `overall`, with all digits.
    Csv,
    /// Everything, with all digits.
    Json,
}

/// Renders `standings` in `format`, ending with a line break.
pub fn render(standings: &Standings, format: StandingsFormat) -> String {
    match format {
        StandingsFormat::Table { width } => tables(standings, Style::Terminal { width }),
        StandingsFormat::Markdown => tables(standings, Style::Markdown),
        StandingsFormat::Csv => csv(standings),
        StandingsFormat::Json => json(standings),
    }
}

/// The JSON form, with the name of the tournament under `tournament`.
pub fn render_named_json(tournament: &TournamentInfo, standings: &Standings) -> String {
    #[derive(Serialize)]
    struct Named<'a> {
        tournament: Naming<'a>,
        #[serde(flatten)]
        standings: &'a Standings,
    }
    #[derive(Serialize)]
    struct Naming<'a> {
        name: &'a str,
        game: &'a str,
        format: &'a str,
        played: u64,
        fixtures: u64,
    }
    let TournamentInfo { name, game, format, played, fixtures, .. } = tournament;
    let (played, fixtures) = (*played, *fixtures);
    json(&Named { tournament: Naming { name, game, format, played, fixtures }, standings })
}

fn json(standings: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(standings);
    text.expect("standings have text keys and finite numbers") + "\n"
}

/// What `render` leaves out of the tables: mean ranks and which players cannot be told apart, how
/// steady players are, ratings of leagues, why matches ended, and regret. Empty for CSV and JSON,
/// which leave nothing out.
pub fn details(standings: &Standings, format: StandingsFormat) -> String {
    match format {
        StandingsFormat::Table { width } => details::details(standings, Style::Terminal { width }),
        StandingsFormat::Markdown => details::details(standings, Style::Markdown),
        StandingsFormat::Csv | StandingsFormat::Json => String::new(),
    }
}

const CSV_HEADER: [&str; 38] = [
    "scenario",
    "rank",
    "player",
    "n",
    "mean",
    "standard_error",
    "low",
    "high",
    "median",
    "min",
    "max",
    "wins",
    "draws",
    "losses",
    "elo",
    "elo_low",
    "elo_high",
    "mean_rank",
    "first",
    "second",
    "third",
    "paired_n",
    "paired_difference",
    "paired_standard_error",
    "paired_low",
    "paired_high",
    "forfeits",
    "truncated",
    "rank_best",
    "rank_worst",
    "resampled_low",
    "resampled_high",
    "glicko2",
    "glicko2_deviation",
    "weng_lin",
    "weng_lin_deviation",
    "matches",
    "faults",
];

fn csv(standings: &Standings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let overall = standings.overall.iter().map(|row| ("overall", row));
    let scenarios = standings
        .scenarios
        .iter()
        .flat_map(|scenario| scenario.rows.iter().map(|row| (scenario.scenario.as_str(), row)));
    let records = overall.chain(scenarios).map(|(scenario, row)| csv_record(scenario, row));
    for record in std::iter::once(CSV_HEADER.map(str::to_owned)).chain(records) {
        writer.write_record(&record).expect("records are equally long, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes what is left in the buffer");
    String::from_utf8(bytes).expect("text fields make text")
}

fn csv_record(scenario: &str, row: &StandingsRow) -> [String; 38] {
    fn field(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let summary = &row.summary;
    let (elo, places, paired) = (row.elo.as_ref(), row.places.as_ref(), row.to_leader.as_ref());
    let resampled = row.resampled.as_ref().and_then(|resampled| resampled.interval);
    let paired_interval = paired.and_then(|paired| paired.interval);
    [
        scenario.to_owned(),
        row.rank.to_string(),
        row.player.clone(),
        summary.n.to_string(),
        summary.mean.to_string(),
        field(summary.standard_error),
        field(summary.interval.map(|interval| interval.low)),
        field(summary.interval.map(|interval| interval.high)),
        summary.median.to_string(),
        summary.min.to_string(),
        summary.max.to_string(),
        field(row.games.map(|games| games.wins)),
        field(row.games.map(|games| games.draws)),
        field(row.games.map(|games| games.losses)),
        field(elo.map(|elo| elo.rating)),
        field(elo.map(|elo| elo.low)),
        field(elo.map(|elo| elo.high)),
        field(places.map(|places| places.mean_rank)),
        field(places.map(|places| places.first)),
        field(places.map(|places| places.second)),
        field(places.map(|places| places.third)),
        field(paired.map(|paired| paired.n)),
        field(paired.map(|paired| paired.difference)),
        field(paired.and_then(|paired| paired.standard_error)),
        field(paired_interval.map(|interval| interval.low)),
        field(paired_interval.map(|interval| interval.high)),
        row.forfeits.to_string(),
        row.truncated.to_string(),
        field(row.resampled.as_ref().map(|resampled| resampled.ranks.0)),
        field(row.resampled.as_ref().map(|resampled| resampled.ranks.1)),
        field(resampled.map(|interval| interval.low)),
        field(resampled.map(|interval| interval.high)),
        field(row.leagues.map(|leagues| leagues.glicko2.rating)),
        field(row.leagues.map(|leagues| leagues.glicko2.deviation)),
        field(row.leagues.map(|leagues| leagues.weng_lin.rating)),
        field(row.leagues.map(|leagues| leagues.weng_lin.deviation)),
        row.matches.to_string(),
        describe_faults(&row.faults),
    ]
}

#[cfg(test)]
mod tests;
