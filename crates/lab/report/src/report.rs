//! A report: which text and plots it contains, in which order.

use quintain_arena::{StandingsError, regret};
use quintain_core::Catalog;
use quintain_standings::{ScenarioStandings, Standings, StandingsRow};
use quintain_store::{Store, TournamentInfo};

use crate::forms::{self, SourceTable};
use crate::notable::NotableMatch;
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
    let mut matches = NotableMatch::find_all(store, tournament, &standings)?;
    for notable in &mut matches {
        notable.add_decision(&store.load(&notable.id)?, catalog);
    }
    let mut markdown = first_screen(tournament, &standings, &plots, &matches);
    markdown += &rest(&standings, &printed, &plots);
    markdown += &text::how_to_repeat(tournament, file);
    let html = page::html(&tournament.name, &markdown, &plots);
    let named = plots.into_iter().map(|plot| (format!("{}.svg", plot.name), plot.svg));
    Ok(Report { markdown, html, plots: named.collect(), matches })
}

/// Who won, how sure that is, the picture of it, and a few matches worth watching.
fn first_screen(
    tournament: &TournamentInfo,
    standings: &Standings,
    plots: &[Plot],
    matches: &[NotableMatch],
) -> String {
    let mut text = text::heading(tournament, standings);
    text += &text::answer(standings);
    text += &plots.first().map_or(String::new(), text::figure);
    text + &text::to_watch(matches)
}

/// All tables, and the plots that the first screen lacks.
fn rest(standings: &Standings, printed: &str, plots: &[Plot]) -> String {
    let mut text = render(standings, StandingsFormat::Markdown);
    text += printed;
    if plots.len() > 1 {
        text += "## More plots\n\n";
    }
    text.extend(plots.iter().skip(1).map(text::figure));
    text + &details(standings, StandingsFormat::Markdown)
}

/// With more players than this, profiles cannot be distinguished.
const MAX_PROFILES: usize = 12;
/// With more scenarios than this, averages are drawn for the first ones only.
const MAX_SCENARIOS: usize = 40;

/// With more scenarios than this, box plots are drawn without histograms.
const MAX_HISTOGRAMS: usize = 3;

fn plots_of(standings: &Standings, results: &Results) -> Vec<Plot> {
    let rows = &standings.overall;
    let overall = [plot_ratings(rows), plot_ranks(rows), plot_profiles(rows)];
    let mut plots: Vec<Plot> = overall.into_iter().flatten().collect();
    for (at, scenario) in standings.scenarios.iter().take(MAX_SCENARIOS).enumerate() {
        let has_histograms = standings.scenarios.len() <= MAX_HISTOGRAMS;
        // Where scores only say who won, points and ratings show all there is.
        let has_scores = |row: &StandingsRow| row.games.is_none() || row.margin.is_some();
        if rows.iter().any(has_scores) {
            plots.extend(plot_scenario(at + 1, scenario, results, has_histograms));
        }
    }
    plots
}

fn plot(name: &str, caption: impl Into<String>, svg: String) -> Plot {
    Plot { name: name.to_owned(), caption: caption.into(), svg, narrow: None }
}

/// A plot of values with their intervals, which is drawn for phones as well.
fn plot_intervals(
    name: &str,
    caption: impl Into<String>,
    axis: &str,
    lines: &[plots::PlotLine<'_>],
) -> Plot {
    let narrow = Some(plots::narrow_intervals(axis, lines));
    Plot { narrow, ..plot(name, caption, plots::intervals(axis, lines)) }
}

fn plot_ratings(rows: &[StandingsRow]) -> Option<Plot> {
    let ratings = lines_of(rows.iter().filter_map(|row| {
        let rating = row.elo.as_ref()?.rating;
        let (low, high) =
            row.by_seed.map_or((rating, rating), |by_seed| (by_seed.low, by_seed.high));
        Some((row.player.as_str(), rating, low, high))
    }));
    (!ratings.is_empty())
        .then(|| plot_intervals("elo", caption_of("Elo", &ratings), "Elo", &ratings))
}

/// Names the intervals of values only where some are drawn: a knockout has none.
fn caption_of(what: &str, lines: &[plots::PlotLine<'_>]) -> String {
    match lines.iter().any(|line| line.low < line.high) {
        true => format!("{what} with 95 % intervals"),
        false => what.to_owned(),
    }
}

fn plot_ranks(rows: &[StandingsRow]) -> Option<Plot> {
    let ranks = lines_of(rows.iter().filter_map(|row| {
        let (best, worst) = row.ranks?;
        Some((row.player.as_str(), row.rank as f64, best as f64, worst as f64))
    }));
    let caption = "Ranks, and the ranks that each player may have (95 % for all together)";
    (!ranks.is_empty()).then(|| plot_intervals("ranks", caption, plots::RANK, &ranks))
}

/// Lines of names with their values and the ends of their intervals.
fn lines_of<'a>(
    values: impl Iterator<Item = (&'a str, f64, f64, f64)>,
) -> Vec<plots::PlotLine<'a>> {
    values.map(|(name, value, low, high)| plots::PlotLine { name, value, low, high }).collect()
}

fn plot_profiles(rows: &[StandingsRow]) -> Option<Plot> {
    let profile = |row: &'_ StandingsRow| Some(row.normalised.as_ref()?.profile.clone());
    let profiles: Vec<plots::Curve<'_>> =
        rows.iter().filter_map(|row| Some((row.player.as_str(), profile(row)?))).collect();
    let caption = "Performance profiles: 0 and 1 are the means of the worst and the best player of \
                   each scenario";
    (!profiles.is_empty() && profiles.len() <= MAX_PROFILES).then(|| {
        let svg = plots::lines("Share of scores above", "normalised score", &[0.0, 1.0], &profiles);
        plot("profiles", caption, svg)
    })
}

/// The least number of a player's scores whose spread is drawn, and of different ones among them:
/// win, draw and loss spread over nothing.
const LEAST_SCORES: usize = 8;
const LEAST_DIFFERENT: usize = 4;

/// Whether a drawing of how each player's scores spread shows something.
pub fn scores_spread<'a>(mut players: impl Iterator<Item = &'a [f64]>) -> bool {
    players.any(|scores| {
        let mut different = scores.to_vec();
        different.sort_unstable_by(f64::total_cmp);
        different.dedup();
        scores.len() >= LEAST_SCORES && different.len() >= LEAST_DIFFERENT
    })
}

/// The plots of the scores on a scenario. Scores of different scenarios have no common scale, and
/// so no common histogram.
fn plot_scenario(
    number: usize,
    scenario: &ScenarioStandings,
    results: &Results,
    has_histograms: bool,
) -> Vec<Plot> {
    let name = &scenario.scenario;
    let means = lines_of(scenario.rows.iter().map(|row| {
        let mean = row.summary.mean;
        let (low, high) = row.summary.interval.map_or((mean, mean), |ends| (ends.low, ends.high));
        (row.player.as_str(), mean, low, high)
    }));
    let mut plots = vec![plot_intervals(
        &format!("scenario-{number}"),
        caption_of(&format!("{name}: mean scores"), &means),
        "mean score",
        &means,
    )];
    let scores: Vec<(&str, Vec<f64>)> = scenario
        .rows
        .iter()
        .map(|row| (row.player.as_str(), results.scores(&row.player, name)))
        .collect();
    if scores_spread(scores.iter().map(|(_, scores)| scores.as_slice())) {
        plots.push(plot(
            &format!("boxes-{number}"),
            format!("{name}: quartiles and range of scores"),
            plots::boxes("score", &scores),
        ));
        if has_histograms {
            plots.push(plot(
                &format!("histograms-{number}"),
                format!("{name}: how often each score came up"),
                plots::histograms(&scores),
            ));
        }
    }
    plots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_drawn_where_some_player_has_several_different_scores() {
        let one_each: Vec<Vec<f64>> = (0..20).map(|score| vec![f64::from(score)]).collect();
        let is_drawn = |players: &[Vec<f64>]| scores_spread(players.iter().map(Vec::as_slice));
        assert!(!is_drawn(&one_each), "twenty players with a score each");
        assert!(!is_drawn(&[[0.0, 0.5, 1.0].repeat(9)]), "won, drawn and lost");
        assert!(is_drawn(&[vec![1.0], [1.0, 2.0, 3.0, 4.0].repeat(2)]));
    }

    #[test]
    fn a_caption_names_intervals_where_some_are_drawn() {
        let line = |high| plots::PlotLine { name: "a", value: 1.0, low: 1.0, high };
        assert_eq!(caption_of("Elo", &[line(1.0), line(1.0)]), "Elo");
        assert_eq!(caption_of("Elo", &[line(1.0), line(2.0)]), "Elo with 95 % intervals");
    }
}
