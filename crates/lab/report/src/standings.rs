//! Standings as text: tables for people, CSV and JSON for programs. Nothing is computed here.

mod bracket;
mod certainty;
mod details;
mod headline;
mod layout;
mod rounds;
mod tables;

pub(crate) use certainty::describe as describe_certainty;
pub use certainty::explain_other_question;
pub use headline::headline;
pub(crate) use layout::{Page, Style};
use quintain_standings::Standings;
use quintain_standings::columns::FIELDS;
use quintain_store::TournamentInfo;
use serde::Serialize;
pub use tables::describe_caveats;
use tables::tables;

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

/// Renders `standings` in `format`, ending with a line break: for people, who is better and how
/// certain that is, and for programs everything.
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

/// What `render` leaves out of the tables: all columns, who met whom, every scenario, how steady
/// players are, ratings of leagues, why matches ended, and regret. Empty for CSV and JSON, which
/// leave nothing out.
pub fn details(standings: &Standings, format: StandingsFormat) -> String {
    match format {
        StandingsFormat::Table { width } => details::details(standings, Style::Terminal { width }),
        StandingsFormat::Markdown => details::details(standings, Style::Markdown),
        StandingsFormat::Csv | StandingsFormat::Json => String::new(),
    }
}

/// The table of regret alone. Empty for CSV and JSON, as [`details`] is.
pub fn regret(standings: &Standings, format: StandingsFormat) -> String {
    let style = match format {
        StandingsFormat::Table { width } => Style::Terminal { width },
        StandingsFormat::Markdown => Style::Markdown,
        StandingsFormat::Csv | StandingsFormat::Json => return String::new(),
    };
    let mut page = layout::Page::new(style);
    details::regret(standings, &mut page);
    page.text
}

fn csv(standings: &Standings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let overall = standings.overall.iter().map(|row| ("overall", row));
    let scenarios = standings
        .scenarios
        .iter()
        .flat_map(|scenario| scenario.rows.iter().map(|row| (scenario.scenario.as_str(), row)));
    let head = std::iter::once("scenario".to_owned())
        .chain(FIELDS.iter().map(|field| field.key.to_owned()))
        .collect();
    let records = overall.chain(scenarios).map(|(scenario, row)| -> Vec<String> {
        let fields = FIELDS.iter().map(|field| (field.read)(row));
        std::iter::once(scenario.to_owned()).chain(fields).collect()
    });
    for record in std::iter::once(head).chain(records) {
        writer.write_record(&record).expect("records are equally long, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes what is left in the buffer");
    String::from_utf8(bytes).expect("text fields make text")
}

#[cfg(test)]
mod tests;
