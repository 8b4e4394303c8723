//! The columns of a ladder that follow the participants, as a part of a table and as a line of
//! text: mean scores where everybody plays alone, then the columns of every ladder.

use std::collections::BTreeSet;

use maud::{Markup, html};
use quintain_core::Scoring;
use quintain_standings::LadderRow;
use quintain_standings::columns::{Cell, Column, Format, ladder_columns};
use quintain_web::pages::{figure, name};

use crate::config::short_scenario;
use crate::ladder::Rung;
use crate::performance::measure;

/// The columns of a table.
pub(crate) struct Measures<'a> {
    columns: Vec<&'static Column<LadderRow>>,
    /// The scenarios whose mean scores are shown.
    scenarios: BTreeSet<&'a str>,
    /// Columns with less weight are not shown on phones.
    min_weight: u8,
}

impl<'a> Measures<'a> {
    /// Returns the columns for these rungs.
    pub(crate) fn of(is_solo: bool, rungs: &'a [Rung]) -> Measures<'a> {
        let scenarios = rungs.iter().flat_map(|rung| rung.scores.keys()).map(String::as_str);
        Measures {
            columns: columns_of(is_solo).collect(),
            scenarios: scenarios.collect(),
            min_weight: if is_solo { u8::MAX } else { 0 },
        }
    }

    /// Returns the columns for a table with more columns of other kinds, so that fewer fit on
    /// phones.
    pub(crate) fn beside_more(self) -> Measures<'a> {
        Measures { min_weight: self.min_weight.max(20), ..self }
    }

    pub(crate) fn heads(&self) -> Markup {
        html! {
            @for scenario in &self.scenarios {
                th {
                    "mean score"
                    @if self.scenarios.len() > 1 { " on" br; (name(&short_scenario(scenario))) }
                }
            }
            @for column in &self.columns {
                th class=[self.class(column)] title=(column.help) { (column.name) }
            }
        }
    }

    pub(crate) fn cells(&self, rung: &Rung) -> Markup {
        html! {
            @for scenario in &self.scenarios {
                td class="number" {
                    (rung.scores.get(*scenario).map_or("–".to_owned(), |(_, mean)| figure(*mean)))
                }
            }
            @for column in &self.columns {
                @let cell = (column.read)(rung);
                @let words = matches!(cell, Cell::Range(..)).then_some("interval-words");
                @let classes = ["number"].into_iter().chain(words).chain(self.class(column));
                td class=(classes.collect::<Vec<_>>().join(" ")) { (text(column.format, cell)) }
            }
        }
    }

    /// Returns the class that hides a column on phones, if it is hidden there.
    fn class(&self, column: &Column<LadderRow>) -> Option<&'static str> {
        column.weight.is_some_and(|weight| weight < self.min_weight).then_some("less")
    }
}

fn columns_of(is_solo: bool) -> impl Iterator<Item = &'static Column<LadderRow>> {
    ladder_columns(if is_solo { Scoring::Independent } else { Scoring::Adversarial })
}

fn text(format: Format, cell: Cell<'_>) -> String {
    let number = |value| match format {
        Format::Decimals(decimals) => measure(decimals > 0, value),
        _ => figure(value),
    };
    match cell {
        Cell::Count(count) => count.to_string(),
        Cell::Number(value) => number(value),
        Cell::Range(low, high) => format!("{} to {}", number(low), number(high)),
        Cell::Share(some, all) => format!("{some} of {all} seeds"),
        _ => "–".to_owned(),
    }
}

/// Returns the name of the measure: that of the first column.
pub(crate) fn measure_name(is_solo: bool) -> &'static str {
    columns_of(is_solo).next().map_or("", |column| column.name)
}

/// Describes a standing among `of` in words: “number 2 of 6; rating 36 (−20 to 80)”.
pub(crate) fn describe(is_solo: bool, rung: &Rung, of: usize) -> String {
    let format = |value| measure(is_solo, value);
    let mut text = format!("number {} of {of}", rung.rank);
    if rung.is_provisional {
        text += " (provisional)";
    }
    if let Some(value) = rung.measure {
        text += &format!("; {} {}", measure_name(is_solo), format(value));
        if let Some(interval) = rung.interval {
            text += &format!(" (95 %: {} to {})", format(interval.low), format(interval.high));
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
    use quintain_stats::Interval;

    use super::*;
    use crate::state::Version;

    #[test]
    fn a_line_has_rank_measure_and_scores() {
        let scores = [("drawn?seed={seed}".to_owned(), (12, 1234.56))].into();
        let row = LadderRow {
            rank: 2,
            measure: Some(0.25),
            interval: Some(Interval { low: 0.1, high: 0.4 }),
            scores,
            matches: 12,
            ..LadderRow::default()
        };
        let mut rung = Rung { version: Version::default(), row, is_provisional: false };
        assert_eq!(
            describe(true, &rung, 6),
            "number 2 of 6; mean rank (0 first, 1 last) 0.25 (95 %: 0.10 to 0.40); \
             mean score 1235 on 12 seeds"
        );
        rung.row.scores.insert("drawn?size=3&seed={seed}".to_owned(), (1, 7.0));
        let text = describe(true, &rung, 6);
        let both = "; mean score 1235 on 12 seeds of drawn; mean score 7 on 1 seed of drawn?size=3";
        assert!(text.ends_with(both), "{text}");
        (rung.row.measure, rung.row.scores) = (None, Default::default());
        assert_eq!(describe(false, &rung, 6), "number 2 of 6");
        rung.is_provisional = true;
        assert_eq!(describe(false, &rung, 6), "number 2 of 6 (provisional)");
    }
}
