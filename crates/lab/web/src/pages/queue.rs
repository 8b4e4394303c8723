//! The queue of tests: all of them in a list, and one with its evidence.

use std::collections::BTreeSet;
use std::slice::from_ref;

use maud::{Markup, html};
use quintain_report::{
    ProgressRow, describe_obstacles, describe_progress, describe_step, format_lead, progress,
};
use quintain_scene::{clean, quote};
use quintain_store::{
    DEFAULT_STORE, FaultyMatch, Lead, QueuedTest, TestReport, TestRunner, TestSeries, TestState,
};
use serde::Deserialize;

use super::charts::{Evidence, Milestone, course, evidence};
use super::frame::{Page, figure, name, page, query};
use super::home::ago;

/// The most tests on a page.
const ON_A_PAGE: usize = 50;
/// What tests can be, as they are shown.
const STATES: [&str; 6] = ["running", "interrupted", "paused", "proposed", "decided", "stopped"];

/// How pairs of games end, in short and in words.
const PAIRS: [(&str, &str); 6] = [
    ("LL", "both lost"),
    ("LD", "one lost, one drawn"),
    ("WL", "one won, one lost"),
    ("DD", "both drawn"),
    ("WD", "one won, one drawn"),
    ("WW", "both won"),
];

/// Which tests are listed, as it appears in the URL.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListedTests {
    /// Only tests in this state; all if empty.
    state: String,
    /// Only those that this person proposed; all if empty.
    who: String,
    /// The page, counted from 0.
    page: usize,
}

impl ListedTests {
    fn has(&self, test: &QueuedTest) -> bool {
        (self.state.is_empty() || self.state == test.status())
            && (self.who.is_empty() || self.who == test.who)
    }
}

/// The queue of a store.
pub(crate) struct Queue<'a> {
    /// Those being played, then those that wait, then those that are over, the latest first.
    pub(crate) tests: &'a [QueuedTest],
    pub(crate) series: &'a [TestSeries],
    /// The processes that answer it.
    pub(crate) runners: &'a [TestRunner],
    pub(crate) store: &'a str,
}

/// Renders the list of a store's tests, with the series above it.
pub(crate) fn tests(queue: &Queue<'_>, wanted: &ListedTests, now: i64) -> Page {
    let Queue { tests, series, runners, store } = *queue;
    let option = store_option(store);
    let found: Vec<&QueuedTest> = tests.iter().filter(|test| wanted.has(test)).collect();
    let last = found.len().div_ceil(ON_A_PAGE).saturating_sub(1);
    let place = wanted.page.min(last);
    let (open, over): (Vec<_>, Vec<_>) = found
        .iter()
        .skip(place * ON_A_PAGE)
        .take(ON_A_PAGE)
        .partition(|test| matches!(test.state, TestState::Proposed | TestState::Running));
    let body = html! {
        main {
            h1 { "Tests" }
            @if tests.is_empty() {
                p {
                    "A test plays two players against each other, or an old version of a program \
                     against a new one, until it is clear which is better. "
                    "The queue is empty. Propose a test, with the names of a game and of two of \
                     its players:"
                }
                pre { "quintain tests add PLAYER OTHER --game GAME" (option) }
            }
            @if !series.is_empty() {
                h2 id="series" { "Programs, version by version" }
                ul { @for one in series { li {
                    a href={ "/tests/series/" (one.number) } { (name(&one.name)) }
                    ": " (clean(&summarise(one, &option)))
                } } }
            }
            @for line in describe_obstacles(tests, !runners.is_empty(), &option) {
                p class="summary" role="status" { (clean(&line)) }
            }
            @if !tests.is_empty() { (form(tests, wanted)) }
            @if found.is_empty() && !tests.is_empty() {
                p class="summary" role="status" { "None of " (tests.len()) " tests fits." }
            }
            (list("open", "Running and proposed", &open, now))
            (list("over", "Decided and stopped", &over, now))
            (pages(wanted, place, last))
        }
    };
    page("Tests", &[], body)
}

/// Renders the choice of tests.
fn form(tests: &[QueuedTest], wanted: &ListedTests) -> Markup {
    let people: BTreeSet<&str> = tests.iter().map(|test| &*test.who).collect();
    let choice = |named: &str, chosen: &str, all: &mut dyn Iterator<Item = &str>| {
        html! {
            label { (named) " "
                select name=(named) {
                    option value="" { "any" }
                    @for one in all { option value=(one) selected[one == chosen] { (name(one)) } }
                }
            }
        }
    };
    html! {
        form class="search" method="get" {
            (choice("state", &wanted.state, &mut STATES.into_iter()))
            (choice("who", &wanted.who, &mut people.into_iter()))
            button { "show" }
        }
    }
}

/// Renders the links to the pages around this one.
fn pages(wanted: &ListedTests, place: usize, last: usize) -> Markup {
    let address = |page: usize| {
        format!("?state={}&who={}&page={page}", query(&wanted.state), query(&wanted.who))
    };
    html! {
        @if last > 0 {
            nav class="pages" aria-label="Pages" {
                @if place > 0 { a rel="prev" href=(address(place - 1)) { "← before" } }
                span { "page " (place + 1) " of " (last + 1) }
                @if place < last { a rel="next" href=(address(place + 1)) { "next →" } }
            }
        }
    }
}

/// At which versions a series fell, or the first that there is to say about it.
fn summarise(series: &TestSeries, option: &str) -> String {
    let falls = progress(series).iter().filter(|row| row.fell).count();
    describe_progress(series, option).into_iter().take(falls.max(1)).collect::<Vec<_>>().join(" ")
}

fn list(id: &str, title: &str, tests: &[&QueuedTest], now: i64) -> Markup {
    html! {
        @if !tests.is_empty() {
            h2 id=(id) { (title) }
            div class="wide" { table class="list cards" {
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
            td class="number" data-title="test" { a href=(link(test)) { (test.number) } }
            th scope="row" {
                a href=(link(test)) { (name(&test.what)) }
                @if let Some(answer) = test.report.answer.first() { br; (clean(answer)) }
            }
            td { (test.status()) }
            td class="number" data-title="matches" { (test.report.matches) }
            td class="less" { (name(&test.who)) }
            td class="number less" { (test.priority) }
            td class="less" { (ago(now - test.changed_at)) }
        }
    }
}

/// What is added to commands: in another store, the same number is another test.
fn store_option(store: &str) -> String {
    match store {
        DEFAULT_STORE => String::new(),
        store => format!(" --store {}", quote(store)),
    }
}

fn link(test: &QueuedTest) -> String {
    format!("/tests/{}", test.number)
}

/// Renders the page of one test of a store. Where workers play at a server, others may ask there.
pub(crate) fn test(test: &QueuedTest, runners: &[TestRunner], store: &str) -> Page {
    let report = &test.report;
    let option = store_option(store);
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
            @for line in describe_obstacles(from_ref(test), !runners.is_empty(), &option) {
                p class="summary" role="status" { (clean(&line)) }
            }
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
            @if report.verdict.is_some() {
                @for note in &report.notes { p class="summary" { (clean(note)) "." } }
            }
            (faulty(&report.faulty))
            @if !curve.is_empty() && report.decisive > 0.0 {
                h2 id="evidence" { "Evidence, match by match" }
                (evidence(&curve, report.decisive, [&clean(player), &clean(other)]))
                p class="note" {
                    "How many times as likely the results are if one of the two is better than if \
                     they are equal. Where the curve crosses a dashed line, one is better. That \
                     there is no difference as large as was asked for is decided apart from it."
                }
            }
            (pairs_and_machines(report))
            h2 { "On the command line" }
            @let number = test.number;
            pre {
                @match test.state {
                    TestState::Proposed => {
                        "quintain tests run" (option) "\nquintain tests stop " (number) (option)
                    }
                    TestState::Running => { "quintain tests stop " (number) (option) }
                    _ => {
                        "quintain tests again " (number) " --delta DELTA --matches N" (option)
                    }
                }
            }
            (elsewhere(runners))
            p { a href="/tests" { "All tests" } }
        }
    };
    page(format!("Test {}", test.number), &[], body)
}

/// Renders matches that the player has lost by a fault, with what it wrote last.
fn faulty(matches: &[FaultyMatch]) -> Markup {
    html! {
        @if !matches.is_empty() {
            h2 id="faults" { "Lost by a fault" }
            @for FaultyMatch { id, fault, last_lines } in matches {
                p { a href={ "/matches/" (id) } { code { (id) } } ": " (clean(fault)) }
                @if !last_lines.is_empty() {
                    pre {
                        @for line in last_lines { (clean(line)) "\n" }
                    }
                }
            }
        }
    }
}

/// Renders how pairs of games ended, and which machines have played.
fn pairs_and_machines(report: &TestReport) -> Markup {
    html! {
        @if let Some(counts) = &report.pairs {
            h2 id="pairs" { "Pairs of games" }
            p class="note" {
                "On each seed, the two play twice, with their seats swapped: W is won, D drawn and \
                 L lost."
            }
            div class="wide" { table class="list" {
                thead { tr {
                    @for (title, about) in PAIRS {
                        th scope="col" class="number" title=(about) { (title) }
                    }
                } }
                tbody { tr { @for count in counts { td class="number" { (count) } } } }
            } }
        }
        @if !report.played_by.is_empty() {
            h2 id="machines" { "Matches by machine" }
            p class="note" { "With those that were played ahead of the verdict." }
            div class="wide" { table class="list" {
                thead { tr {
                    th scope="col" { "machine" }
                    th scope="col" class="number" { "matches" }
                } }
                tbody { @for (machine, played) in &report.played_by { tr {
                    th scope="row" { (name(machine)) }
                    td class="number" { (played) }
                } } }
            } }
        }
    }
}

/// Says how others ask the same queue from their machines, if its matches are played at a server.
fn elsewhere(runners: &[TestRunner]) -> Markup {
    let address = runners.iter().find_map(|runner| runner.address.as_ref());
    let server = runners.iter().find_map(|runner| runner.server.as_ref());
    html! {
        @if let Some(address) = address {
            p class="note" {
                "On another machine, add " code { "--on " (address) } " and the login of \
                 coordinators."
            }
        } @else if let Some(server) = server {
            p class="note" {
                "Other machines do not reach the server " code { (server) } ", which listens on \
                 this machine alone; " code { "quintain fleet init" } " configures one for all."
            }
        }
    }
}

/// Renders the page of a series: its course, and a row for each version.
pub(crate) fn test_series(series: &TestSeries, runners: &[TestRunner], store: &str) -> Page {
    let option = store_option(store);
    let rows = progress(series);
    let has_anchor = rows.iter().any(|row| row.version.anchored.is_some());
    let body = html! {
        main {
            h1 { "Versions of " (name(&series.name)) }
            @for (place, line) in describe_progress(series, &option).iter().enumerate() {
                @if place == 0 { p class="answer" { strong { (clean(line)) } } }
                @else { p class="summary" { (clean(line)) } }
            }
            p class="summary" { (clean(&series.what)) }
            (draw(&rows, |row| row.anchored.as_ref(), "the anchor"))
            // Beside an anchor, what was measured says more than a sum.
            @if !has_anchor {
                (draw(&rows, |row| row.total.as_ref(), "the first version, summed over the steps"))
            }
            h2 id="versions" { "Version by version" }
            div class="wide" { table class="list" {
                thead { tr {
                    th scope="col" { "commit" }
                    th scope="col" { "about" }
                    th scope="col" class="less" { "day" }
                    th scope="col" { "beside the one before" }
                    th scope="col" class="number" { "by" }
                    @if has_anchor { th scope="col" class="number" { "beside the anchor" } }
                    th scope="col" class="number less" { "matches" }
                } }
                tbody { @for row in rows.iter().rev() { (version(row, has_anchor)) } }
            } }
            h2 { "On the command line" }
            pre {
                "quintain tests series list " (series.name) (option) "\n"
                "quintain tests series more " (series.name) (option) "\n"
                "quintain tests series stop " (series.name) (option)
            }
            (elsewhere(runners))
            p { a href="/tests" { "All tests" } }
        }
    };
    page(format!("Versions of {}", series.name), &[], body)
}

/// Draws the course of a lead, if at least two versions have one.
fn draw<'a>(
    rows: &'a [ProgressRow<'a>],
    lead: impl Fn(&'a ProgressRow<'a>) -> Option<&'a Lead>,
    beside: &str,
) -> Markup {
    let milestone = |row: &'a ProgressRow<'a>| {
        let (name, lead) = (row.version.info.short.as_str(), lead(row)?);
        let ends = [lead.low, lead.high];
        Some((Milestone { name, value: lead.value, ends, fell: row.fell }, lead))
    };
    let found: Vec<_> = rows.iter().filter_map(milestone).collect();
    let unit = found.last().map_or("", |(_, lead)| lead.unit.as_str());
    let label = found.last().map_or(String::new(), |(last, lead)| {
        format!("{unit} beside {beside}: {} at {}", format_lead(lead), last.name)
    });
    let milestones: Vec<_> = found.into_iter().map(|(milestone, _)| milestone).collect();
    html! {
        @if milestones.len() > 1 {
            h2 { (unit) " beside " (beside) }
            (course(&milestones, &label))
        }
    }
}

fn version(row: &ProgressRow<'_>, has_anchor: bool) -> Markup {
    let info = &row.version.info;
    let tests = || row.version.step.iter().chain(&row.version.anchored);
    let lead = |lead: &Option<Lead>| lead.as_ref().map_or(String::new(), format_lead);
    html! {
        tr {
            td { code { (clean(&info.short)) } }
            th scope="row" { (name(&info.title)) }
            td class="less" { (clean(&info.day)) }
            td {
                @match &row.version.step {
                    Some(test) => a href=(link(test)) {
                        @if row.fell { strong { "worse" } } @else { (describe_step(row.version)) }
                    }
                    None => (clean(&describe_step(row.version)))
                }
            }
            td class="number" { (lead(&row.step)) }
            @if has_anchor {
                td class="number" {
                    @if let Some(test) = &row.version.anchored {
                        a href=(link(test)) {
                            @match &row.anchored {
                                Some(lead) => (format_lead(lead)),
                                None => (test.status()),
                            }
                        }
                    }
                }
            }
            td class="number less" { (tests().map(|test| test.report.matches).sum::<u64>()) }
        }
    }
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
            "paused" => { "Paused: it waits for its turn, and keeps its matches." }
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
