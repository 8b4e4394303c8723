//! The page of the final: its standings, how certain they are, and the origin of its seeds.

use std::time::SystemTime;

use maud::{Markup, html};
use quintain_web::pages::{Page, name};

use super::measures::Measures;
use super::{count_rounds, moment, page as framed, player, sentence};
use crate::config::Config;
use crate::finals::{FinalResult, describe_missing};
use crate::state::{UndoneFinal, time_of};
use crate::zone::Zone;

/// The content of the page.
pub(crate) struct Final<'a> {
    /// The digest of the seed.
    pub(crate) commitment: String,
    /// The finals that were undone before it, the first first.
    pub(crate) undone: &'a [UndoneFinal],
    /// The seed, once all is played.
    pub(crate) seed: Option<&'a String>,
    pub(crate) result: Option<&'a FinalResult>,
    /// Whether everybody plays alone.
    pub(crate) is_solo: bool,
    /// Participants who were banned; their matches in the final remain.
    pub(crate) banned: &'a [i64],
    /// When the final begins, if it has not yet.
    pub(crate) begins: Option<SystemTime>,
    /// The current phase, if it is not the final.
    pub(crate) stands_still: Option<&'a str>,
}

/// Renders the page.
pub(crate) fn page(config: &Config, shown: &Final<'_>) -> Page {
    let body = html! {
        main {
            h1 { "The final of " (name(&config.name)) }
            @match (config.final_rounds(), shown.result) {
                (None, None) => p { "No final is planned." },
                (_, Some(result)) => { (standings(result, shown.banned, shown.stands_still)) }
                (Some(rounds), None) => p {
                    @if shown.is_solo {
                        "All programs on the ladder at that time play the same seeds: one of every \
                         scenario in each of " (count_rounds(rounds)) "."
                    } @else {
                        "All programs on the ladder at that time play each other, in "
                        (count_rounds(rounds)) " on every scenario."
                    }
                    @if let Some(at) = shown.begins {
                        " It begins at " (moment(&config.zone, at)) "."
                    }
                },
            }
            h2 { "Seeds" }
            p {
                "All seeds of the final come from one secret. Its BLAKE3 digest has been shown \
                 here since "
                @match shown.undone.last() {
                    Some(last) => {
                        "the final before it was undone (" (moment(&config.zone, time_of(last.at)))
                        ")"
                    }
                    None => { "the contest began" }
                }
                ", and the secret is published when all matches are played. So nobody can know \
                 the seeds before, and the organiser cannot choose them afterwards."
            }
            p { "The digest:" }
            p { code class="digest" id="commitment" { (shown.commitment) } }
            @if let Some(seed) = shown.seed {
                p { "The secret:" }
                p { code class="digest" id="seed" { (seed) } }
                p class="note" {
                    "It is the digest of “quintain host: the final's seed is SECRET”."
                }
            }
            (undone(&config.zone, shown.undone))
        }
    };
    framed("Final", &[], body)
}

/// Names the finals that were undone: when, after how many matches, and the digests of their
/// secrets, which other pages have shown.
pub(crate) fn undone(zone: &Zone, finals: &[UndoneFinal]) -> Markup {
    html! {
        @if !finals.is_empty() {
            h2 { "Undone before" }
            ul id="undone" {
                @for UndoneFinal { at, played, planned, digest } in finals {
                    li {
                        "A final, " (moment(zone, time_of(*at))) ", after " (played) " of "
                        (planned) " matches. "
                        @match digest {
                            Some(digest) => {
                                "The digest was " code class="digest" { (digest) } "."
                            }
                            None => { "Its digest is not known any more." }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the standings of a final, as far as it is played, and how to read them.
fn standings(result: &FinalResult, banned: &[i64], stands_still: Option<&str>) -> Markup {
    html! {
        p class="note" {
            (result.played) " of " (result.planned) " matches played"
            @match describe_missing(&result.missing) {
                Some(missing) => {
                    ". " span class="fault" id="lacks" { (name(&sentence(&missing))) }
                }
                None if result.is_over() => { ": it is over" }
                None => { "; ranks will change" }
            }
            "."
        }
        @if let Some(phase) = stands_still.filter(|_| result.is_under_way()) {
            p class="fault" id="stands-still" {
                "The final pauses in the phase “" (name(phase)) "”, and goes on in its own phase."
            }
        }
        (table(result, banned))
        @if result.ranges.is_some() {
            p class="note" {
                "Likely ranks are those that a participant may have by strength. With a \
                 probability of 95 %, all of these ranges are right."
            }
        }
        @if result.tells_nothing() {
            p class="fault" id="too-few" {
                "With so few rounds no rank is certain, however far apart the ratings are, because \
                 the role of chance is estimated from the rounds. Plan ten or more (final = 10 in \
                 host.toml)."
            }
        }
    }
}

/// Renders the table of a final's standings.
pub(crate) fn table(result: &FinalResult, banned: &[i64]) -> Markup {
    let measures = Measures::of(result.is_solo, &result.rungs).beside_more();
    html! {
        div class="wide" {
            table class="list compact" id="final" {
                thead { tr {
                    th { "rank" } th { "likely ranks" } th { "participant" }
                        th class="less" { "version" }
                    (measures.heads())
                } }
                tbody {
                    @for (at, rung) in result.rungs.iter().enumerate() {
                        @let range = result.ranges.as_ref().and_then(|ranges| *ranges.get(at)?);
                        tr {
                            td class="number" { (rung.rank) }
                            td class="number" { (ranks(range)) }
                            th scope="row" {
                                @if banned.contains(&rung.version.participant) {
                                    (name(&rung.version.display_name)) " (banned)"
                                } @else { (player(rung)) }
                            }
                            td class="number less" { (rung.version.number) }
                            (measures.cells(rung))
                        }
                    }
                }
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
