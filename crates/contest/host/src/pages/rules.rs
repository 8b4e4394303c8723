//! The rules page: the rules of the game in its own words, and the scenarios and terms of this
//! contest.

use maud::html;
use quintain_core::{AnyEntry, SEED, Spec};
use quintain_web::pages::{Page, name, rules};

use super::{count_rounds, page};
use crate::config::{Config, Phase, short_scenario};
use crate::formula::{Formula, format_points};
use crate::points::OutOfReach;

/// Renders the page.
pub(crate) fn page_of(
    config: &Config,
    (phase, formula): (&Phase, Option<&Formula>),
    entry: &dyn AnyEntry,
    is_solo: bool,
) -> Page {
    let known = entry.scenarios();
    let summary = |scenario: &str| {
        let name = scenario.parse::<Spec>().ok()?.path;
        known.iter().find(|known| known.name() == name).map(|known| known.description.summary)
    };
    let body = html! {
        main {
            h1 { "Rules of " (name(&config.game)) }
            (rules(entry))
            h2 { "In the phase “" (name(&phase.name)) "”" }
            ul id="scenarios" {
                @for scenario in config.scenarios_of(phase) {
                    li {
                        code { (quintain_scene::clean(&short_scenario(scenario))) }
                        @if let Some(summary) = summary(scenario) { ": " (summary) }
                        @if scenario.contains(SEED) { "; another problem in each match" }
                        @if let Some(map) = config.map_of(scenario) {
                            "; " a href={ "/maps/" (map.file.digest) } download=(map.file.name) {
                                "the file " (name(&map.file.name))
                            }
                        }
                    }
                }
            }
            @if let [first, second] = &config.seats[..] {
                p { "A program has both seats in turn: " (name(first)) " and " (name(second)) "." }
            }
            @if !config.budget.is_empty() {
                p {
                    "Each program may think " code { (quintain_scene::clean(&config.budget)) }
                    ". A program that takes longer, ends early or gives an illegal answer has a \
                     fault."
                }
            }
            p id="rated" {
                @if is_solo {
                    "All programs play the same seeds. Two programs are compared by the number of \
                     common seeds on which each is better. This decides the ranks, not the sum of \
                     scores."
                } @else {
                    "All programs play each other, most often those of about the same strength. \
                     Ratings follow from how often each wins against each other one."
                }
                @if let Some(rounds) = config.final_rounds() {
                    " The final has " (count_rounds(rounds)) ", on seeds that nobody knows before."
                }
            }
            @if let Some(formula) = formula {
                h2 { "Points for the course" }
                ul id="formula" { @for line in formula.describe() { li { (name(&line)) } } }
                @if let Some(unreachable) = OutOfReach::of(formula, config) {
                    p class="fault" id="out-of-reach" {
                        "Note: " (name(&unreachable.describe())) "."
                    }
                }
                p {
                    "Of the ranks, only the best that is reached counts. The most is "
                    (format_points(formula.max())) ". Points are of the ladder until the final has \
                     begun, and of the final after that."
                }
            }
            h2 { "Input and output of a program" }
            p {
                "Each " a href="/kits" { "starter kit" } " handles them already. "
                a href="/rules/schema.json" download { "The schemas" }
                " describe what a seat sees and what an action is, as JSON."
            }
        }
    };
    page("Rules", &[], body)
}
