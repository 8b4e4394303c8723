//! The queue of tests: all of them in a list, and one with its evidence.

use maud::{Markup, html};
use quintain_scene::clean;
use quintain_store::{QueuedTest, TestState};

use super::charts::{Evidence, evidence};
use super::frame::{Page, figure, name, page};
use super::home::ago;

/// Renders the list.
pub(crate) fn tests(tests: &[QueuedTest], now: i64) -> Page {
    let (open, over): (Vec<_>, Vec<_>) = tests
        .iter()
        .partition(|test| matches!(test.state, TestState::Proposed | TestState::Running));
    let body = html! {
        main {
            h1 { "Tests" }
            @if tests.is_empty() {
                p { "The queue is empty. Propose a test:" }
                pre { "quintain tests add PLAYER OTHER --game GAME" }
            }
            (list("open", "Running and proposed", &open, now))
            (list("over", "Decided and stopped", &over, now))
        }
    };
    page("Tests", &[], body)
}

fn list(id: &str, title: &str, tests: &[&QueuedTest], now: i64) -> Markup {
    html! {
        @if !tests.is_empty() {
            h2 id=(id) { (title) }
            div class="wide" { table class="list" {
                thead { tr {
                    th scope="col" class="number" { "test" }
                    th scope="col" { "question and answer" }
                    th scope="col" { "state" }
                    th scope="col" class="number" { "matches" }
                    th scope="col" class="less" { "who" }
                    th scope="col" class="number less" { "priority" }
                    th scope="col" class="less" { "changed" }
                } }
                tbody { @for test in tests { (row(test, now)) } }
            } }
        }
    }
}

fn row(test: &QueuedTest, now: i64) -> Markup {
    html! {
        tr {
            td class="number" { a href=(link(test)) { (test.number) } }
            th scope="row" {
                a href=(link(test)) { (name(&test.what)) }
                @if let Some(answer) = test.report.answer.first() { br; (clean(answer)) }
            }
            td { (test.status()) }
            td class="number" { (test.report.matches) }
            td class="less" { (name(&test.who)) }
            td class="number less" { (test.priority) }
            td class="less" { (ago(now - test.changed_at)) }
        }
    }
}

fn link(test: &QueuedTest) -> String {
    format!("/tests/{}", test.number)
}

/// Renders the page of one test.
pub(crate) fn test(test: &QueuedTest) -> Page {
    let report = &test.report;
    let [player, other] = &report.players;
    let curve: Vec<Evidence> = report
        .course
        .iter()
        .map(|&(matches, better, worse)| Evidence { matches, better, worse })
        .collect();
    let body = html! {
        main {
            h1 { "Test " (test.number) ": " (name(&test.what)) }
            @for (place, line) in report.answer.iter().enumerate() {
                @if place == 0 { p class="answer" { strong { (clean(line)) } } }
                @else { p class="summary" { (clean(line)) } }
            }
            p class="summary" { (state(test)) }
            @for (faults, whose) in report.faults.iter().zip([player, other]) {
                @if !faults.is_empty() {
                    p class="summary" {
                        "Matches lost by a fault of " (name(whose)) ": "
                        @for (place, (kind, count)) in faults.iter().enumerate() {
                            @if place > 0 { ", " } (count) " by " (clean(kind))
                        }
                        "."
                    }
                }
            }
            @if !curve.is_empty() && report.decisive > 0.0 {
                h2 id="evidence" { "Evidence, match by match" }
                (evidence(&curve, report.decisive, [&clean(player), &clean(other)]))
                p class="note" {
                    "How many times as likely the results are if one of the two is better than if \
                     they are equal. Where the curve crosses a dashed line, the test is decided."
                }
            }
            h2 { "On the command line" }
            @let number = test.number;
            pre {
                @match test.state {
                    TestState::Proposed => { "quintain tests run\nquintain tests stop " (number) }
                    TestState::Running => { "quintain tests stop " (number) }
                    _ => { "quintain tests again " (number) " --delta DELTA --matches N" }
                }
            }
            p { a href="/tests" { "All tests" } }
        }
    };
    page(format!("Test {}", test.number), &[], body)
}

/// Renders who has proposed it, and how far it is.
fn state(test: &QueuedTest) -> Markup {
    let report = &test.report;
    html! {
        "Proposed by " (name(&test.who)) ", priority " (test.priority) ". "
        @match test.status() {
            "interrupted" => {
                "Interrupted: the next " code { "quintain tests run" } " resumes it."
            }
            "running" => {
                "Running" @if !report.place.is_empty() { " on " (name(&report.place)) } "."
            }
            "proposed" => { "Not begun yet." }
            "decided" => { "Decided on " (clean(&test.changed_on)) "." }
            _ => { "Stopped on " (clean(&test.changed_on)) "." }
        }
        @if report.matches > 0 {
            " " (report.matches) " of at most " (report.most_matches) " matches counted"
            @if report.per_minute > 0.0 { ", " (figure(report.per_minute)) " a minute" }
            "."
        }
    }
}
