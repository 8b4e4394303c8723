//! The workers page: the tournaments handed out at a NATS server, and the workers there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use maud::{Markup, html};
use quintain_fleet::{Coordinator, Status, Worker};

use super::frame::{Page, name, page};

/// Renders the tournaments and workers of a server.
pub(crate) fn workers(status: &Status, server: &str) -> Page {
    // A worker may say anything of itself.
    let threads = status.workers.iter().fold(0, |sum: usize, one| sum.saturating_add(one.threads));
    let count = |of: usize, noun: &str| format!("{of} {noun}{}", if of == 1 { "" } else { "s" });
    let body = html! {
        main {
            h1 { "Workers" }
            p {
                (count(status.workers.len(), "worker")) " with " (count(threads, "thread")) " at "
                code { (server) }
            }
            @if status.coordinators.is_empty() {
                p { "No tournament is being handed out." }
            } @else {
                div class="wide" { table class="list cards" {
                    thead { tr {
                        @for title in
                            ["tournament", "game", "played", "per second", "time", "coordinator"]
                        {
                            th scope="col" { (title) }
                        }
                    } }
                    tbody {
                        @for coordinator in &status.coordinators {
                            (render_coordinator(coordinator, status))
                        }
                    }
                } }
            }
            (render_exclusions(status))
            div class="wide" { table class="list cards" {
                thead { tr {
                    @for title in [
                        "worker",
                        "version",
                        "threads",
                        "plays (batches)",
                        "last heard",
                        "refuses",
                    ] {
                        th scope="col" { (title) }
                    }
                } }
                tbody { @for worker in &status.workers { (render_worker(worker, status)) } }
            } }
            @if !status.contributions.is_empty() {
                h2 { "Matches that counted, of all tournaments and tests at this server" }
                div class="wide" { table class="list cards" {
                    thead { tr {
                        @for title in ["machine", "owner", "matches"] { th scope="col" { (title) } }
                    } }
                    tbody { @for one in &status.contributions { tr {
                        th scope="row" { (name(&one.machine)) }
                        td data-title="owner" { @if let Some(owner) = &one.owner { (name(owner)) } }
                        td data-title="matches" { (one.matches) }
                    } } }
                } }
            }
        }
    };
    page("Workers", &[], body)
}

fn render_coordinator(coordinator: &Coordinator, status: &Status) -> Markup {
    let Coordinator { tournament, game, who, total, done, rate, .. } = coordinator;
    let share = status.share_of(tournament).unwrap_or(1.0);
    html! {
        tr {
            th scope="row" { (name(status.title_of(tournament))) }
            td { (name(game)) }
            td {
                progress class="progress" max=(total) value=(done) aria-label="matches played" {}
                " " (done) " of " (total) " matches"
            }
            td data-title="per second" { (format!("{rate:.0}")) }
            td data-title="time" title="of the workers' threads in the last minute" {
                (format!("{:.0} %", 100.0 * share))
            }
            td data-title="coordinator" { (name(who)) }
        }
    }
}

/// Renders which workers were shut out, and on which matches were lost on time.
fn render_exclusions(status: &Status) -> Markup {
    html! {
        @for coordinator in &status.coordinators {
            @let Coordinator { troubles, shut_out, time_losses, .. } = coordinator;
            @let tournament = status.title_of(&coordinator.tournament);
            @for line in troubles.iter().chain(shut_out) {
                p class="fault" { (name(tournament)) ": " (name(line)) }
            }
            @for losses in time_losses.iter().filter(|losses| !losses.put_aside) {
                p {
                    (name(tournament)) ": " (name(&losses.who)) " has lost " (losses.lost) " of "
                    (losses.matches) " on time, where " (format!("{:.1}", losses.expected))
                    " were expected"
                }
            }
        }
    }
}

fn render_worker(worker: &Worker, status: &Status) -> Markup {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let silent = now.saturating_sub(Duration::from_millis(worker.seen_ms)).as_secs();
    html! {
        tr {
            th scope="row" {
                (name(&worker.who))
                @if let Some(owner) = &worker.owner { " of " (name(owner)) }
            }
            td data-title="version" { (name(&worker.version)) }
            td data-title="threads" { (worker.threads) }
            td data-title="plays" {
                @for (tournament, batches) in &worker.playing {
                    (name(status.title_of(tournament))) " (" (batches) ") "
                }
                @for tournament in &worker.preparing {
                    "preparing " (name(status.title_of(tournament))) " "
                }
            }
            td data-title="last heard" { (silent) " s ago" }
            td data-title="refuses" {
                @for line in &worker.refuses { p class="fault" { (name(line)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use quintain_fleet::{Contribution, TimeLosses};

    use super::*;

    #[test]
    fn the_page_shows_all_and_runs_nothing_that_others_wrote() {
        let coordinator = Coordinator {
            tournament: "<script>cup".to_owned(),
            game: "tron".to_owned(),
            who: "desk:1".to_owned(),
            total: 400,
            done: 100,
            rate: 12.3,
            shut_out: vec!["lab:<3> was shut out".to_owned()],
            time_losses: vec![TimeLosses {
                who: "slow:4".to_owned(),
                matches: 40,
                lost: 12,
                expected: 0.3,
                put_aside: false,
            }],
            ..Coordinator::default()
        };
        let test = Coordinator {
            tournament: "compare bot:mine@1f with bot:mine@2e".to_owned(),
            title: Some("test 7: mine@git:abc against mine@git:def".to_owned()),
            troubles: vec!["mine@git:abc crashed on its first move on lab:2".to_owned()],
            ..Coordinator::default()
        };
        let worker = Worker {
            who: "lab:2".to_owned(),
            threads: 8,
            playing: vec![("cup & cake".to_owned(), 3), (test.tournament.clone(), 2)],
            played: 77,
            minute: vec![("<script>cup".to_owned(), 45.0), ("derby".to_owned(), 15.0)],
            preparing: vec!["derby".to_owned()],
            refuses: vec!["bot:alice".to_owned()],
            owner: Some("ann & bob".to_owned()),
            ..Worker::default()
        };
        let contributions = vec![Contribution {
            machine: "lab".to_owned(),
            matches: 12_345,
            ..Contribution::default()
        }];
        let status = Status {
            coordinators: vec![coordinator, test],
            workers: vec![worker],
            contributions,
            ..Status::default()
        };
        let page =
            workers(&status, "nats://desk:4222").with(&crate::pages::LINKS.into()).into_string();
        assert!(!page.contains("<script>cup"), "{page}");
        assert!(!page.contains("bot:mine@1f"), "a digest is no name: {page}");
        assert!(!page.contains(">77<"), "matches are counted in one place: {page}");
        for words in [
            "&lt;script&gt;cup",
            "100 of 400",
            ">75 %</td>",
            "cup &amp; cake",
            "mine@git:abc against mine@git:def</span> (2)",
            "mine@git:abc crashed on its first move on lab:2",
            "preparing <span class=\"name\">derby<",
            "1 worker with 8 threads",
            "lab:&lt;3&gt; was shut out",
            "ann &amp; bob",
            ">12345</td>",
            "slow:4</span> has lost 12 of 40 on time, where 0.3 were expected",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        let empty = workers(&Status::default(), "").with(&crate::pages::LINKS.into()).into_string();
        assert!(empty.contains("No tournament is being handed out."), "{empty}");
    }
}
