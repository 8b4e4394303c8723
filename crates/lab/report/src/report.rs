//! A report: which text and plots it contains, in which order.

use quintain_arena::{StandingsError, regret};
use quintain_core::Catalog;
use quintain_standings::{Blocks, Standings, StandingsRow};
use quintain_store::{Store, TournamentInfo};

use crate::forms::{self, SourceTable};
use crate::notable::{NotableMatch, notable_matches};
use crate::page::{self, Plot};
use crate::plots;
use crate::results::Results;
use crate::standings::{StandingsFormat, details, render};
use crate::text;

/// A report, ready to be written to files.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The text in Markdown; plots are referred to as `plots/NAME.svg`.
    pub markdown: String,
    /// The report as one HTML page that needs no other file.
    pub html: String,
    /// The plots: `NAME.svg` and the content of the file.
    pub plots: Vec<(String, String)>,
    /// Matches worth watching, which the text links to by [`NotableMatch::file`].
    pub matches: Vec<NotableMatch>,
}

/// The report on a tournament with these standings, with its tables in these forms too. `file` is
/// the name that the tournament's file has, or should get.
///
/// # Errors
/// If the store cannot be read, or a result in it cannot be counted.
pub fn report(
    store: &Store,
    tournament: &TournamentInfo,
    mut standings: Standings,
    catalog: &Catalog,
    file: &str,
    forms: &[SourceTable],
) -> Result<Report, StandingsError> {
    regret::add(&mut standings, store, tournament, catalog)?;
    let results = Results::of(store, tournament, &standings.repeats)?;
    let plots = plots_of(&standings, &results);
    let printed = match forms {
        [] => text::means_by_scenario(&standings),
        forms => {
            let scenarios = catalog.entry(&tournament.game).map(|entry| entry.scenarios());
            let scenarios = scenarios.unwrap_or_default();
            let default = |scenario: &str, parameter: &str| {
                let known = scenarios.iter().find(|known| known.name() == scenario)?;
                let known = known.parameters.iter().find(|known| known.name == parameter)?;
                Some(known.default.clone())
            };
            forms::tables(forms, &standings, &results, &default)
        }
    };
    let matches = notable_matches(store, tournament, &standings)?;
    let mut markdown = markdown(tournament, &standings, &printed, &plots);
    markdown += &text::to_watch(&matches);
    markdown += &text::how_to_repeat(tournament, file);
    let html = page::html(&tournament.name, &markdown, &plots);
    let named = plots.into_iter().map(|plot| (format!("{}.svg", plot.name), plot.svg));
    Ok(Report { markdown, html, plots: named.collect(), matches })
}

fn markdown(
    tournament: &TournamentInfo,
    standings: &Standings,
    printed: &str,
    plots: &[Plot],
) -> String {
    let mut text = text::heading(tournament, standings);
    text += &render(standings, StandingsFormat::Markdown);
    text += printed;
    text += "## Plots\n\n";
    for plot in plots {
        text += &format!("![{}](plots/{}.svg)\n\n", text::plain(&plot.caption), plot.name);
    }
    text + &details(standings, StandingsFormat::Markdown)
}

/// With more players than this, profiles cannot be told apart.
const MOST_PROFILES: usize = 12;
/// With more scenarios than this, averages are drawn for the first ones only.
const MOST_SCENARIOS: usize = 40;

/// With more scenarios than this, box plots are drawn without histograms.
const MOST_HISTOGRAMS: usize = 3;

fn plots_of(standings: &Standings, results: &Results) -> Vec<Plot> {
    let mut plots = Vec::new();
    let mut add = |name: &str, caption: String, svg: String| {
        plots.push(Plot { name: name.to_owned(), caption, svg });
    };
    let rows = &standings.overall;
    if rows.is_empty() {
        return plots;
    }
    let ratings: Vec<plots::PlotLine> = rows
        .iter()
        .filter_map(|row| {
            let elo = row.elo.as_ref()?;
            Some(plots::PlotLine {
                name: &row.player,
                value: elo.rating,
                low: elo.low,
                high: elo.high,
            })
        })
        .collect();
    if !ratings.is_empty() {
        let svg = plots::intervals("Elo", &ratings);
        add("elo", "Elo with 95 % intervals".to_owned(), svg);
    }
    let ranks: Vec<plots::PlotLine> = rows
        .iter()
        .filter_map(|row| {
            let (best, worst) = row.resampled.as_ref()?.ranks;
            let (low, high) = (best as f64, worst as f64);
            Some(plots::PlotLine { name: &row.player, value: row.rank as f64, low, high })
        })
        .collect();
    if !ranks.is_empty() {
        let svg = plots::intervals(plots::RANK, &ranks);
        let caption = "Ranks, and the ranks that each player may have (95 % for all together)";
        add("ranks", caption.to_owned(), svg);
    }
    let profile = |row: &'_ StandingsRow| Some(row.normalised.as_ref()?.profile.clone());
    let profiles: Vec<plots::Curve<'_>> =
        rows.iter().filter_map(|row| Some((row.player.as_str(), profile(row)?))).collect();
    if !profiles.is_empty() && profiles.len() <= MOST_PROFILES {
        let svg = plots::lines("Share of scores above", "normalised score", &[0.0, 1.0], &profiles);
        let caption = "Performance profiles: 0 and 1 are the means of the worst and the best player \
                       of each scenario";
        add("profiles", caption.to_owned(), svg);
    }
    if let Some(difference) = &standings.difference {
        let svg = plots::critical_difference(&difference.players, &difference.test);
        let by = match difference.blocks_are {
            Blocks::Scenarios => "over scenarios",
            Blocks::Seeds => "by seed",
        };
        let caption = format!(
            "Mean ranks {by}; a bar joins players that cannot be told apart (Nemenyi, 0.05)"
        );
        add("mean-ranks", caption, svg);
    }
    for (at, scenario) in standings.scenarios.iter().take(MOST_SCENARIOS).enumerate() {
        let lines: Vec<plots::PlotLine> = scenario
            .rows
            .iter()
            .map(|row| {
                let mean = row.summary.mean;
                let (low, high) =
                    row.summary.interval.map_or((mean, mean), |both| (both.low, both.high));
                plots::PlotLine { name: &row.player, value: mean, low, high }
            })
            .collect();
        let svg = plots::intervals("mean score", &lines);
        let (name, number) = (&scenario.scenario, at + 1);
        let caption = format!("{name}: mean scores with 95 % intervals");
        add(&format!("scenario-{number}"), caption, svg);
        // Scores of different scenarios have no common scale, and so no common histogram.
        let scores: Vec<(&str, Vec<f64>)> = scenario
            .rows
            .iter()
            .map(|row| (row.player.as_str(), results.scores(&row.player, name)))
            .collect();
        if scores.iter().any(|(_, scores)| scores.len() > 1) {
            let caption = format!("{name}: quartiles and range of scores");
            add(&format!("boxes-{number}"), caption, plots::boxes("score", &scores));
            if standings.scenarios.len() <= MOST_HISTOGRAMS {
                let caption = format!("{name}: how often each score came up");
                add(&format!("histograms-{number}"), caption, plots::histograms(&scores));
            }
        }
    }
    plots
}
