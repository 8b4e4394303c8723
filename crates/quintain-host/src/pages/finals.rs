//! The page of the final: how it stands, how sure that is, and what its seeds come from.

use maud::{Markup, html};
use quintain_web::pages::{figure, name};

use super::page as framed;
use crate::config::Config;
use crate::finals::FinalResult;

/// What the page shows.
pub(crate) struct Final<'a> {
    /// The digest of the seed.
    pub(crate) commitment: String,
    /// The seed, once all is played.
    pub(crate) seed: Option<&'a String>,
    pub(crate) result: Option<&'a FinalResult>,
}

/// The page.
pub(crate) fn page(config: &Config, shown: &Final<'_>) -> Markup {
    let body = html! {
        main {
            h1 { "The final of " (name(&config.name)) }
            @match (config.final_rounds(), shown.result) {
                (None, None) => p { "No final is planned." },
                (_, Some(result)) => { (standings(result)) }
                (Some(rounds), None) => p {
                    "Everybody who is on the ladder then plays everybody else, in " (rounds)
                    " rounds on every scenario."
                },
            }
            h2 { "Its seeds" }
            p {
                "All seeds of the final are derived from one secret, whose BLAKE3 digest has stood here \
                 since the contest began; the secret is told when all is played. So nobody can know \
                 the seeds before, and the organiser cannot choose them afterwards."
            }
            p { "Its digest:" }
            div class="wide" { code id="commitment" { (shown.commitment) } }
            @if let Some(seed) = shown.seed {
                p { "The secret:" }
                div class="wide" { code id="seed" { (seed) } }
                p class="note" { "The digest is that of “quintain host: the final's seed is SECRET”." }
            }
        }
    };
    framed("Final", &body)
}

fn standings(result: &FinalResult) -> Markup {
    let measure = if result.is_solo { "mean rank (0 first, 1 last)" } else { "rating" };
    html! {
        p class="note" {
            (result.played) " of " (result.planned) " matches played"
            @if !result.is_over() { "; ranks will change" }
        }
        div class="wide" {
            table class="list" id="final" {
                thead { tr {
                    th { "rank" } th { "in truth" } th { "participant" } th { "version" }
                    th { (measure) } th { "95 % interval" } th { "matches" } th { "faults" }
                } }
                tbody {
                    @for (at, rung) in result.rungs.iter().enumerate() {
                        @let range = result.ranges.as_ref().and_then(|ranges| *ranges.get(at)?);
                        tr {
                            td class="number" { (rung.rank) }
                            td class="number" { (ranks(range)) }
                            th scope="row" { (name(&rung.version.name)) }
                            td class="number" { (rung.version.number) }
                            td class="number" {
                                (rung.measure.map_or_else(|| "–".to_owned(), figure))
                            }
                            td class="number" {
                                @match rung.interval {
                                    Some((low, high)) => { (figure(low)) " to " (figure(high)) }
                                    None => { "–" }
                                }
                            }
                            td class="number" { (rung.matches) }
                            td class="number" { (rung.faults) }
                        }
                    }
                }
            }
        }
        @if result.ranges.is_some() {
            p class="note" {
                "“In truth” are the ranks that the strengths themselves may have: all of these hold \
                 together with a probability of 95 %."
            }
        }
    }
}

fn ranks(range: Option<(u64, u64)>) -> String {
    match range {
        Some((best, worst)) if best == worst => best.to_string(),
        Some((best, worst)) => format!("{best}–{worst}"),
        None => "–".to_owned(),
    }
}
