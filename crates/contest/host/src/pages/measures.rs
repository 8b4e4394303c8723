//! The measures in a table of standings, as columns and as a line of text: ratings where seats are
//! rivals; mean scores and mean ranks where everybody plays alone.

use std::collections::BTreeSet;

use maud::{Markup, html};
use quintain_web::pages::{figure, name};

use crate::config::short_scenario;
use crate::ladder::Rung;
use crate::performance::measure;

/// The measure columns of a table.
pub(crate) struct Measures<'a> {
    is_solo: bool,
    /// The scenarios whose mean scores are shown.
    scenarios: BTreeSet<&'a str>,
}

impl<'a> Measures<'a> {
    /// Returns the columns for these rungs.
    pub(crate) fn of(is_solo: bool, rungs: &'a [Rung]) -> Measures<'a> {
        let scenarios = rungs.iter().flat_map(|rung| rung.scores.keys()).map(String::as_str);
        Measures { is_solo, scenarios: scenarios.collect() }
    }

    pub(crate) fn heads(&self) -> Markup {
        html! {
            @for scenario in &self.scenarios {
                th {
                    "mean score"
                    @if self.scenarios.len() > 1 { " on" br; (name(&short_scenario(scenario))) }
                }
            }
            th { (measure_name(self.is_solo)) }
            th class=[self.class()] { "95 % interval" }
            @if self.is_solo { th class="less" { "better than the next on" } }
        }
    }

    pub(crate) fn cells(&self, rung: &Rung) -> Markup {
        let format = |value| measure(self.is_solo, value);
        let class = self.class().unwrap_or_default();
        html! {
            @for scenario in &self.scenarios {
                td class="number" {
                    (rung.scores.get(*scenario).map_or("–".to_owned(), |(_, mean)| figure(*mean)))
                }
            }
            td class="number" { (rung.measure.map_or("–".to_owned(), format)) }
            td class={ "number interval-words " (class) } {
                @match rung.interval {
                    Some((low, high)) => { (format(low)) " to " (format(high)) }
                    None => { "–" }
                }
            }
            @if self.is_solo { td class="number less" { (beside_next(rung)) } }
        }
    }

    /// Returns the class that hides a column on phones, for tables with more columns.
    fn class(&self) -> Option<&'static str> {
        self.is_solo.then_some("less")
    }
}

/// Renders on how many common seeds the version did better than the next one.
fn beside_next(rung: &Rung) -> String {
    match rung.beside_next {
        Some(seeds) => format!("{} of {} seeds", seeds.wins, seeds.games()),
        None => "–".to_owned(),
    }
}

/// Returns the name of the measure, as the head of a column.
pub(crate) fn measure_name(is_solo: bool) -> &'static str {
    if is_solo { "mean rank (0 first, 1 last)" } else { "rating" }
}

/// Describes a standing among `of` in words: “number 2 of 6; rating 36 (−20 to 80)”.
pub(crate) fn describe(is_solo: bool, rung: &Rung, of: usize) -> String {
    let format = |value| measure(is_solo, value);
    let mut text = format!("number {} of {of}", rung.rank);
    if let Some(value) = rung.measure {
        text += &format!("; {} {}", measure_name(is_solo), format(value));
        if let Some((low, high)) = rung.interval {
            text += &format!(" (95 %: {} to {})", format(low), format(high));
        }
    }
    for (scenario, (seeds, mean)) in &rung.scores {
        let seeds = format!("{seeds} {}", if *seeds == 1 { "seed" } else { "seeds" });
        text += &format!("; mean score {} on {seeds}", figure(*mean));
        if rung.scores.len() > 1 {
            text += &format!(" of {}", short_scenario(scenario));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Version;

    #[test]
    fn a_line_says_rank_measure_and_scores() {
        let scores = [("drawn?seed={seed}".to_owned(), (12, 1234.56))].into();
        let mut rung = Rung {
            version: Version::default(),
            rank: 2,
            measure: Some(0.25),
            interval: Some((0.1, 0.4)),
            scores,
            beside_next: None,
            matches: 12,
            faults: 0,
        };
        assert_eq!(
            describe(true, &rung, 6),
            "number 2 of 6; mean rank (0 first, 1 last) 0.25 (95 %: 0.10 to 0.40); \
             mean score 1235 on 12 seeds"
        );
        rung.scores.insert("drawn?size=3&seed={seed}".to_owned(), (1, 7.0));
        let text = describe(true, &rung, 6);
        let both = "; mean score 1235 on 12 seeds of drawn; mean score 7 on 1 seed of drawn?size=3";
        assert!(text.ends_with(both), "{text}");
        (rung.measure, rung.scores) = (None, Default::default());
        assert_eq!(describe(false, &rung, 6), "number 2 of 6");
    }
}
