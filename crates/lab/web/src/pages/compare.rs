//! Compares two players: who is better and how sure that is, in the sentence that the command
//! prints or by the tournament's standings; the games between them and how the evidence grew with
//! these; the matches that the one who does worse should watch; and on the seeds that both have
//! played the mean difference with its interval.

use std::collections::BTreeMap;

use maud::{Markup, html};
use quintain_arena::compare::Review;
use quintain_core::{Objective, Scoring};
use quintain_report::{describe_answer, explain_other_question};
use quintain_scene::clean;
use quintain_stats::PairedDifference;

use super::charts::{Evidence, Scale, WIDE, are_spread, evidence, interval, scatter};
use super::frame::{Page, figure, name, page, query, tournament_link, with_names};
use super::home::card;
use super::tournament::AT_THE_END;
use crate::match_entry::MatchEntry;
use crate::overview::{Comparison, Overview, summarize};

/// Renders the page. `lost` are matches that the one who does worse should watch.
pub(crate) fn compare(
    overview: &Overview,
    comparison: &Comparison,
    review: Option<&Review>,
    lost: &[(String, MatchEntry)],
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
    let (verdict, answer) = answer(overview, comparison, review);
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
                (answer)
                (head_to_head(overview, comparison))
                // Where the standings answer, it is folded away: it is about another question.
                @if let Some(review) = review && !leads(overview, comparison, review) {
                    (course(review, b))
                }
                @if !lost.is_empty() {
                    @let (better, worse) = comparison.better_first(overview);
                    h2 id="lost" {
                        "What " (name(worse)) " should watch: "
                        @if overview.info.scoring == Scoring::Adversarial { "lost to " }
                        @else { "furthest behind " }
                        (name(better))
                    }
                    ul class="pictures" {
                        @for (note, listed) in lost { li { (card(listed, note)) } }
                    }
                }
                @if overview.is_played_now() { p class="note" { (AT_THE_END) } }
                @else if overview.standings.certainty.is_withheld {
                    p class="note" {
                        "Results decided who met whom, so their scores against everybody are not \
                         compared: each had other opponents."
                    }
                } @else {
                    h2 id="scores" { "Scores on the same seeds" }
                    (scores(overview, comparison))
                    @if are_spread(dots.iter().flat_map(|(a, b)| [*a, *b])) {
                        (scatter(&dots, &clean(a), &clean(b)))
                    }
                    (by_scenario(overview, comparison))
                }
            }
        }
    };
    let title = format!("{}: {} and {}", clean(&info.name), clean(a), clean(b));
    page(title, &[], body).described(verdict)
}

/// Returns the verdict, and the whole answer with it: the sentences that the command prints about
/// the same matches. What the standings of the tournament are certain of comes first if these are
/// not, so that this page and the tournament's do not contradict each other.
fn answer(
    overview: &Overview,
    comparison: &Comparison,
    review: Option<&Review>,
) -> (String, Markup) {
    let standings = describe_order(overview, comparison);
    let is_certain = standings.as_ref().is_some_and(|(is_certain, _)| *is_certain);
    let standings = standings.map(|(_, sentence)| sentence);
    let Some(review) = review else {
        let games = overview.games_between(&comparison.a, &comparison.b);
        let unknown = || match games.is_some_and(|games| games.games() == 0) {
            true => "They never met.".to_owned(),
            false => "There are too few seeds to tell who is better.".to_owned(),
        };
        let verdict = standings.unwrap_or_else(unknown);
        let shown =
            html! { p class="answer" { strong { (with_names(&verdict, overview.players())) } } };
        return (verdict, shown);
    };
    let compared = &review.comparison.candidates[0];
    let lines = describe_answer(&review.comparison, compared);
    let leads = leads(overview, comparison, review);
    let (a, b) = (&comparison.a, &comparison.b);
    let other_question = match !is_certain && compared.verdict.is_none() {
        true => explain_other_question(&overview.standings, a, b),
        false => None,
    };
    if let Some(first) = standings.filter(|_| leads) {
        let shown = html! {
            p class="answer" { strong { (with_names(&first, overview.players())) } }
            details {
                summary { "A sequential test would go on" }
                @for line in lines { p class="summary" { (clean(&line)) } }
                (course(review, b))
                p class="note" {
                    "The standings judge a number of matches that was fixed before; "
                    code { "quintain compare" }
                    " may stop after any match, and needs more evidence for that."
                }
            }
        };
        return (first, shown);
    }
    let mut all = lines.into_iter();
    let verdict = all.next().unwrap_or_default();
    let shown = html! {
        p class="answer" { strong { (with_names(&verdict, overview.players())) } }
        @for line in all { p class="summary" { (clean(&line)) } }
        @if let Some(text) = other_question { p class="note" { (text) } }
    };
    (verdict, shown)
}

/// Whether the standings are certain of the order of the two where a sequential test is not.
fn leads(overview: &Overview, comparison: &Comparison, review: &Review) -> bool {
    let is_certain = describe_order(overview, comparison).is_some_and(|(is_certain, _)| is_certain);
    is_certain && review.comparison.candidates[0].verdict.is_none()
}

/// Says what the standings tell about the order of the two, and whether it is certain; `None` if
/// they tell nothing.
fn describe_order(overview: &Overview, comparison: &Comparison) -> Option<(bool, String)> {
    let Comparison { a, b, .. } = comparison;
    let ([first, second], is_certain) = overview.standings.order_of(a, b)?;
    let text = match is_certain {
        true => format!("{first} is certainly better than {second} in this tournament."),
        false => format!(
            "Cannot tell whether {first} is better than {second}: in the standings of this \
             tournament either may be."
        ),
    };
    Some((is_certain, text))
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
    // Scores of several scenarios without rivals may be on different scales.
    let is_one_scale = overview.info.scoring == Scoring::Adversarial
        || pairs.iter().all(|pair| pair.scenario == pairs[0].scenario);
    let difference = difference.as_ref().filter(|_| is_one_scale);
    let is_certain = describe_order(overview, comparison).is_some_and(|(is_certain, _)| is_certain);
    html! {
        p class="summary" {
            @if overview.info.scoring == Scoring::Adversarial { "Against everybody, on " }
            @else { "On " }
            (pairs.len()) @if pairs.len() == 1 { " common seed " } @else { " common seeds " }
            (name(a)) " was better on " (more)
            ", equal on " (equal) ", worse on " (fewer) "."
            @if let Some(paired) = difference {
                " Its score is "
                @if paired.difference < 0.0 { "lower by " } @else { "higher by " }
                (figure(paired.difference.abs())) " on average"
                @if let Some(i) = paired.interval {
                    " (95 % interval of the difference "
                    (figure(i.low)) " to " (figure(i.high))
                    @if !is_certain && (i.low > 0.0 || i.high < 0.0) {
                        "; that would tell them apart if nothing else was asked, but not among all \
                         pairs of this tournament"
                    }
                    ")"
                }
                "."
            }
        }
    }
}

/// Renders who won how many of the games between the two, with a link to them.
fn head_to_head(overview: &Overview, comparison: &Comparison) -> Markup {
    let (better, worse) = comparison.better_first(overview);
    let games = overview.games_between(better, worse).filter(|games| games.games() > 0);
    html! {
        @if let Some(games) = games {
            p class="summary" {
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
fn by_scenario(overview: &Overview, comparison: &Comparison) -> Markup {
    let mut scenarios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for pair in &comparison.pairs {
        scenarios.entry(&pair.scenario).or_default().push(pair.a - pair.b);
    }
    let scenarios: Vec<(&str, PairedDifference)> = scenarios
        .into_iter()
        .filter_map(|(scenario, differences)| Some((scenario, summarize(differences)?)))
        .collect();
    let bounds = |paired: &PairedDifference| paired.interval.map(|i| (i.low, i.high));
    let has_intervals = scenarios.iter().any(|(_, paired)| paired.interval.is_some());
    let ends = scenarios.iter().flat_map(|(_, paired)| {
        let (low, high) = bounds(paired).unwrap_or((paired.difference, paired.difference));
        [low, high]
    });
    let scale = Scale::new(ends.chain([0.0]), 8.0, WIDE - 8.0);
    html! {
        h2 { "By scenario" }
        p class="note" {
            "The score of " (name(&comparison.a)) " minus that of " (name(&comparison.b))
            @match overview.info.objective {
                Objective::Maximize => "; more is better.",
                Objective::Minimize => "; less is better.",
            }
        }
        div class="wide" {
            table class="list sortable" {
                thead { tr {
                    th scope="col" { "scenario" }
                    th scope="col" class="number" { "seeds" }
                    th scope="col" class="number" { "mean difference" }
                    @if has_intervals { th scope="col" class="number" { "95 % interval" } }
                    th scope="col" class="less" { span class="hidden" { "as a picture" } }
                } }
                tbody {
                    @for (scenario, paired) in &scenarios {
                        @let mean = paired.difference;
                        tr {
                            th scope="row" { (name(scenario)) }
                            td class="number" { (paired.n) }
                            td class="number" data-sort=(mean) { (figure(mean)) }
                            @if has_intervals {
                                td class="number" data-sort=(mean) {
                                    @if let Some((low, high)) = bounds(paired) {
                                        (figure(low)) " to " (figure(high))
                                    }
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
