//! Compares two players: who is better, in the sentence that the command prints; the games between
//! them and how the evidence grew with these; the matches that the one who lost more should watch;
//! and on the seeds that both have played the mean difference with its interval.

use std::collections::BTreeMap;

use maud::{Markup, html};
use quintain_arena::compare::Review;
use quintain_core::Scoring;
use quintain_report::describe_answer;
use quintain_scene::clean;
use quintain_stats::PairedDifference;
use quintain_stats::paired::summarize;

use super::charts::{Evidence, Scale, WIDE, are_spread, evidence, interval, scatter};
use super::frame::{Page, figure, name, page, query, tournament_link};
use super::home::card;
use crate::match_entry::MatchEntry;
use crate::overview::{Comparison, Overview};

/// Renders the page. `lost` are matches that the one who does worse should watch.
pub(crate) fn compare(
    overview: &Overview,
    comparison: &Comparison,
    review: Option<&Review>,
    lost: &[MatchEntry],
) -> Page {
    let info = &overview.info;
    let Comparison { a, b, pairs, .. } = comparison;
    let dots: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    let choose = |named: &'static str, chosen: &str| {
        html! {
            select name=(named) aria-label={ "player " (named) } {
                @for player in overview.players() {
                    option value=(player) selected[player == chosen] { (clean(player)) }
                }
            }
        }
    };
    let body = html! {
        main {
            h1 {
                a href=(tournament_link(info)) { (name(&info.name)) }
                ": " (name(a)) " and " (name(b))
            }
            form class="search" method="get" {
                (choose("a", a)) " against " (choose("b", b)) button { "compare" }
            }
            @if pairs.is_empty() {
                p { "They have no scenario and seed in common." }
            } @else {
                @if let Some(review) = review { (answer(review)) }
                (head_to_head(overview, comparison, review.is_none()))
                @if let Some(review) = review { (course(review, b)) }
                @if !lost.is_empty() {
                    @let (better, worse) = comparison.by_head_to_head(overview);
                    h2 id="lost" { "What " (name(worse)) " should watch: lost to " (name(better)) }
                    ul class="pictures" {
                        @for listed in lost {
                            li { (card(listed, &format!("{} turns", listed.turns))) }
                        }
                    }
                }
                h2 id="scores" { "Scores on the same seeds" }
                (scores(overview, comparison))
                @if are_spread(dots.iter().flat_map(|(a, b)| [*a, *b])) {
                    (scatter(&dots, &clean(a), &clean(b)))
                }
                (by_scenario(comparison))
            }
        }
    };
    page(format!("{}: {} and {}", clean(&info.name), clean(a), clean(b)), &[], body)
}

/// Renders the answer: the sentences that the command prints about the same matches.
fn answer(review: &Review) -> Markup {
    let compared = &review.comparison.candidates[0];
    let mut lines = describe_answer(&review.comparison, compared).into_iter();
    html! {
        @if let Some(first) = lines.next() { p class="answer" { strong { (clean(&first)) } } }
        @for line in lines { p class="summary" { (clean(&line)) } }
    }
}

/// Renders how the evidence grew, match by match.
fn course(review: &Review, reference: &str) -> Markup {
    let Review { comparison, course, judged, left_out, .. } = review;
    let compared = &comparison.candidates[0];
    let curve: Vec<Evidence> = course
        .iter()
        .map(|&(matches, better, worse)| Evidence { matches, better, worse })
        .collect();
    html! {
        h2 id="evidence" { "Evidence, match by match" }
        (evidence(&curve, compared.decisive, [&clean(&compared.player), &clean(reference)]))
        p class="note" {
            "How many times as likely the results are if one of the two is better than if they \
             are equal. Where the curve crosses a dashed line, "
            code { "quintain compare" } " stops and answers: with these matches it would be wrong \
             about equal players in at most " (figure(100.0 * comparison.risks.alpha)) " % of all \
             cases."
            @if compared.matches < *judged {
                " It answered after " (compared.matches) " of the " (judged) " matches here."
            }
            @if *left_out > 0 {
                " " (left_out) @if *left_out == 1 { " match is" } @else { " matches are" }
                " left out, whose seed was not played in the same way by both."
            }
        }
    }
}

/// Renders on how many seeds the first scored better, and by how much.
fn scores(overview: &Overview, comparison: &Comparison) -> Markup {
    let Comparison { a, pairs, difference, better: [more, equal, fewer], .. } = comparison;
    html! {
        p class="summary" {
            @if overview.info.scoring == Scoring::Adversarial { "Against everybody, on " }
            @else { "On " }
            (pairs.len()) " common seeds " (name(a)) " was better on " (more)
            ", equal on " (equal) ", worse on " (fewer) "."
            @if let Some(paired) = difference {
                " Its score is "
                @if paired.difference < 0.0 { "lower by " } @else { "higher by " }
                (figure(paired.difference.abs())) " on average"
                @if let Some(i) = paired.interval {
                    " (95 % interval of the difference "
                    (figure(i.low)) " to " (figure(i.high)) ")"
                }
                "."
            }
        }
    }
}

/// Renders who won how many of the games between the two, with a link to them; this is the page's
/// answer if there is no other.
fn head_to_head(overview: &Overview, comparison: &Comparison, is_answer: bool) -> Markup {
    let (better, worse) = comparison.by_head_to_head(overview);
    let games = overview.games_between(better, worse).filter(|games| games.games() > 0);
    html! {
        @if let Some(games) = games {
            p class={ @if is_answer { "answer" } @else { "summary" } } {
                @let (wins, draws, losses) = (games.wins, games.draws, games.losses);
                span {
                    @if wins == losses {
                        (name(better)) " and " (name(worse)) " are level: each won " (wins)
                    } @else {
                        (name(better)) " leads " (name(worse)) ": won " (wins) ", lost " (losses)
                    }
                    @if draws > 0 { ", drew " (draws) }
                }
                " of "
                a href={
                    (tournament_link(&overview.info)) "/matches?player=" (query(better)) "&against="
                    (query(worse))
                } { (games.games()) " matches between them" }
                "."
            }
        }
    }
}

/// Renders the mean difference on every scenario.
fn by_scenario(comparison: &Comparison) -> Markup {
    let mut scenarios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for pair in &comparison.pairs {
        scenarios.entry(&pair.scenario).or_default().push(pair.a - pair.b);
    }
    let scenarios: Vec<(&str, PairedDifference)> = scenarios
        .into_iter()
        .filter_map(|(scenario, differences)| Some((scenario, summarize(differences)?)))
        .collect();
    let bounds = |paired: &PairedDifference| paired.interval.map(|i| (i.low, i.high));
    let ends = scenarios.iter().flat_map(|(_, paired)| {
        let (low, high) = bounds(paired).unwrap_or((paired.difference, paired.difference));
        [low, high]
    });
    let scale = Scale::new(ends.chain([0.0]), 8.0, WIDE - 8.0);
    html! {
        h2 { "By scenario" }
        div class="wide" {
            table class="list sortable" {
                thead { tr {
                    th scope="col" { "scenario" }
                    th scope="col" class="number" { "seeds" }
                    th scope="col" class="number" { "mean difference" }
                    th scope="col" class="number" { "95 % interval" }
                    th scope="col" class="less" { "drawn" }
                } }
                tbody {
                    @for (scenario, paired) in &scenarios {
                        @let mean = paired.difference;
                        tr {
                            th scope="row" { (name(scenario)) }
                            td class="number" { (paired.n) }
                            td class="number" data-sort=(mean) { (figure(mean)) }
                            td class="number" data-sort=(mean) {
                                @if let Some((low, high)) = bounds(paired) {
                                    (figure(low)) " to " (figure(high))
                                }
                            }
                            td class="less" data-sort=(mean) {
                                (interval(&scale, mean, bounds(paired)))
                            }
                        }
                    }
                }
            }
        }
    }
}
