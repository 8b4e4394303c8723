//! A participant's own page: what they submitted, how it does, against whom and where. Nobody else
//! sees it.

use maud::{Markup, PreEscaped, html};
use quintain_report::plots;
use quintain_scene::clean;
use quintain_standings::SeedComparison;
use quintain_stats::WinDrawLoss;
use quintain_web::pages::{Page, figure, name};

use super::{cleaned_lines, hidden_note, kind, moment, page, purpose, scores, seats, sentence};
use crate::config::{Config, short_scenario};
use crate::disk::describe_size;
use crate::formula::format_points;
use crate::own_page::OwnPage;
use crate::performance::{Names, PerformanceTables};
use crate::points::describe;
use crate::state::{Participant, PlayedMatch, Stage, Version, time_of};

impl OwnPage<'_> {
    /// Returns whether something is under way whose result this page will show.
    fn is_waiting(&self) -> bool {
        let is_checking =
            |version: &Version| matches!(version.stage, Stage::Waiting | Stage::Checking);
        self.data.waiting > 0 || self.data.versions.iter().any(is_checking)
    }
}

/// Renders the page.
pub(crate) fn me(config: &Config, who: &Participant, own: &OwnPage<'_>) -> Page {
    let body = html! {
        main data-waiting=[own.is_waiting().then_some("1.5")] {
            h1 { (name(&who.display_name)) }
            @if who.is_team {
                p class="note" id="team" {
                    "A team of " (name(&own.members.join(", "))) ". You are signed in as "
                    (name(who.person_name())) "."
                }
                (before_team(own))
            }
            (messages(config, own))
            // What is over comes first.
            @if own.finals.is_over { (in_final(own)) }
            (at_once(who, own))
            @if !own.finals.is_over { (in_final(own)) }
            (points_of(config, own))
            h2 { "Submit a program" }
            (hand_in_or_wait(config, own))
            h2 { "Versions" }
            (versions(config, who, own))
            div id="how-it-does" data-part {
                @if who.active.is_some() {
                    (challenge(config, who, own))
                    (progress(own))
                    (record(who, own))
                }
            }
            div id="latest" data-part {
                h2 { "Latest matches" }
                (latest(who, own))
            }
            form method="post" action="/sign-out" { button { "Sign out" } }
        }
    };
    page(&who.display_name, &["waiting.js"], body)
}

/// Renders the points that are published.
fn points_of(config: &Config, own: &OwnPage<'_>) -> Markup {
    html! {
        @if let Some((points, published)) = &own.points {
            p id="points" {
                "Your points"
                @if !published.standings.is_empty() { " of the " (published.standings) }
                ", published " (moment(&config.zone, time_of(published.at))) ": "
                (format_points(points.all)) " of " (format_points(published.max))
                @if !points.parts.is_empty() { " (" (name(&describe(points))) ")" }
                "."
                @if !points.missing.is_empty() {
                    " Missing: " (name(&points.missing.join("; "))) "."
                }
                " " a href="/rules#formula" { "How points are made" } "."
            }
        }
    }
}

/// Renders what hands a program in, or why that is not possible now.
fn hand_in_or_wait(config: &Config, own: &OwnPage<'_>) -> Markup {
    html! {
        @if own.closed.is_none() {
            @if let Some(until) = own.extended {
                p class="note" id="extended" {
                    "Programs are no longer accepted, except for yours until "
                    (moment(&config.zone, time_of(until))) "."
                }
            }
            @if !own.finals.roster.is_empty() {
                p class="note" id="late" {
                    "The final has begun: programs submitted now play only on the ladder."
                }
            }
            (hand_in(own.address)) (offer_submit_token(own.data.has_submit_token))
        }
        @else {
            p class="note" id="closed" {
                @if let Some(why) = &own.closed { (clean(&sentence(why))) ". " }
                "In the phase “" (name(&own.phase.name)) "” nobody can change to another \
                 version."
            }
        }
    }
}

/// Renders the versions submitted, the latest first, and what their checks and files take.
fn versions(config: &Config, who: &Participant, own: &OwnPage<'_>) -> Markup {
    html! {
        div id="versions" data-part {
            @if own.is_waiting() {
                p class="note" {
                    "Something is in progress. This page shows the result when it is there. "
                    noscript { "Without JavaScript, reload it." }
                }
            }
            @if let Some(at) = own.data.checks_go_on {
                p class="fault" id="checks-go-on" {
                    "Checks and builds of your programs took " (config.limits.check_time)
                    " within an hour, which is the most. They go on at "
                    (moment(&config.zone, time_of(at))) "."
                }
            }
            @for version in &own.data.versions {
                (one_version(version, who.active == Some(version.id), own))
            }
            @if let Some(again) = own.again {
                p class="note" id="again" {
                    "These files are version " (again) ", which was submitted before."
                }
            }
            @if own.data.versions.is_empty() { p class="note" { "None yet." } }
            @else {
                p class="note" id="disk" {
                    "Their files take " (describe_size(own.usage.bytes)) " of the "
                    (describe_size(own.usage.most)) " that you have on the host’s disk."
                }
            }
        }
    }
}

/// Renders what a member of a team has submitted for themselves, to be put on the ladder for it.
fn before_team(own: &OwnPage<'_>) -> Markup {
    let is_urgent = own.data.versions.is_empty();
    html! {
        @if !own.before_team.is_empty() {
            details id="before-team" open[is_urgent] {
                summary class=[is_urgent.then_some("fault")] {
                    "What you submitted yourself is not on the ladder, since you are in this team"
                }
                @if own.closed.is_some() {
                    p class="note" {
                        "Programs are not accepted now; the organiser can put it there."
                    }
                } @else {
                    @for version in &own.before_team {
                        form method="post" action="/me/for-team" {
                            input type="hidden" name="version" value=(version);
                            button { "Put your version " (version) " on the ladder for the team" }
                        }
                    }
                }
            }
        }
    }
}

/// Renders how the participant does in the final.
fn in_final(own: &OwnPage<'_>) -> Markup {
    html! {
        @if let Some(in_final) = &own.finals.standing {
            p id="in-final" { "In " a href="/final" { "the final" } ", " (name(in_final)) "." }
        }
    }
}

/// Renders the organiser's messages, the earlier ones folded.
fn messages(config: &Config, own: &OwnPage<'_>) -> Markup {
    let one = |(at, text): &(i64, String)| {
        html! {
            p class="message" {
                span class="note" { "The organiser, " (moment(&config.zone, time_of(*at))) ": " }
                (name(text))
            }
        }
    };
    html! {
        @if let [latest, earlier @ ..] = &own.messages[..] {
            section id="messages" {
                (one(latest))
                @if !earlier.is_empty() {
                    details {
                        summary { "Earlier messages" }
                        @for message in earlier { (one(message)) }
                    }
                }
            }
        }
    }
}

/// Renders the standing, and what to do next.
fn at_once(who: &Participant, own: &OwnPage<'_>) -> Markup {
    html! {
        div class="at-once" id="at-once" data-part {
            @if let Some(standing) = own.ladder.standing.as_ref().filter(|_| who.active.is_some()) {
                p id="standing" {
                    "On " a href="/" { "the ladder" } ", you are " (name(standing)) "."
                }
            }
            p id="next" { (next_step(who, own)) }
        }
    }
}

fn next_step(who: &Participant, own: &OwnPage<'_>) -> Markup {
    let latest = own.data.versions.iter().max_by_key(|version| version.number);
    let faults = own.ladder.tables.faults;
    html! {
        @match latest {
            _ if own.closed.is_some() => {
                @if own.finals.roster.is_empty() {
                    "No programs are accepted now. Watch your latest matches below."
                } @else if own.finals.is_over {
                    "The final is over. All ranks are on the page of "
                    a href="/final" { "the final" } "."
                } @else {
                    "No programs are accepted any more. How yours does is on the page of "
                    a href="/final" { "the final" } "."
                }
            }
            None => {
                "Next: download a " a href="/kits" { "starter kit" } ", and submit it below as it \
                 is. It is on the ladder a few seconds later; then make it better."
            }
            Some(version) if matches!(version.stage, Stage::Waiting | Stage::Checking) => {
                "Version " (version.number) " is being checked. The result appears here by itself."
            }
            Some(version) if version.stage == Stage::Failed => {
                "Next: version " (version.number) " did not pass. "
                a href={ "#log-" (version.number) } { "See why" } ", and submit another."
            }
            Some(_) if who.active.is_none() => {
                "Next: none of your versions is on the ladder. Activate one below."
            }
            Some(_) if faults > 0 => {
                "Next: "
                (faults) " of your matches ended by a fault of your program. "
                @if let Some(latest) = own.ladder.tables.latest_fault {
                    a href={ "/me/matches/" (latest) } {
                        @if faults == 1 { "See which" } @else { "See the latest" }
                    }
                    "."
                }
            }
            Some(_) if !own.ladder.worst.is_empty() => {
                "Next: look at " a href="#worst" { "your worst matches" } ", and submit a better \
                 version."
            }
            Some(_) => { "Your program plays. Its matches appear below." }
        }
    }
}

/// Renders the latest matches: by opponent, if there are several.
fn latest(who: &Participant, own: &OwnPage<'_>) -> Markup {
    let mut folds: Vec<(&str, WinDrawLoss, Vec<&PlayedMatch>)> = Vec::new();
    for played in &own.data.latest {
        let mut seated = played.pairing.seats.iter().filter_map(|seat| own.data.names.get(seat));
        let other = seated.find(|named| named.participant != who.id);
        let other = other.map_or("", |named| named.display_name.as_str());
        let at = folds.iter().position(|(known, ..)| *known == other).unwrap_or_else(|| {
            folds.push((other, WinDrawLoss::default(), Vec::new()));
            folds.len() - 1
        });
        if let Some(result) = own.ladder.results.get(&played.pairing.id) {
            folds[at].1 += *result;
        }
        folds[at].2.push(played);
    }
    html! {
        @if own.ladder.is_solo || folds.len() < 2 {
            (table_of("played", own.data.latest.iter(), who, own))
        } @else {
            div id="played" {
                @for (at, (other, sum, matches)) in folds.iter().enumerate() {
                    details id={ "against-" (at) } open[at == 0] {
                        summary {
                            "against " (name(other)) ": "
                            span class="won" { (sum.wins) " won" } ", " (sum.draws) " drawn, "
                            span class="lost" { (sum.losses) " lost" }
                        }
                        (table_of(&format!("played-{at}"), matches.iter().copied(), who, own))
                    }
                }
            }
        }
    }
}

/// Renders whether a match was won, in words and in colour.
fn verdict(played: &PlayedMatch, own: &OwnPage<'_>) -> Markup {
    let result = own.ladder.results.get(&played.pairing.id).filter(|result| result.games() > 0);
    html! {
        @match result {
            Some(result) if result.wins > result.losses => { span class="won" { "won" } },
            Some(result) if result.wins < result.losses => { span class="lost" { "lost" } },
            Some(_) => { span class="drawn-match" { "drawn" } },
            None => {}
        }
    }
}

fn hand_in(address: &str) -> Markup {
    html! {
        form method="post" action="/me/submit" enctype="multipart/form-data" class="search" {
            label for="file" { "A zip, or one file" }
            input id="file" name="file" type="file" required;
            button { "Submit" }
        }
        form method="post" action="/me/submit" enctype="multipart/form-data" class="search" {
            label for="folder" { "or a folder" }
            input id="folder" name="folder" type="file" webkitdirectory multiple required;
            button { "Submit the folder" }
        }
        p class="note" {
            "Begin with a " a href="/kits" { "starter kit" } ", which can be submitted as it was \
             downloaded. A program is started as the bots.toml in it says, or as bot.py, bot.js, \
             bot.sh, bot.wasm or bot; sources are built here. By command: "
            code { "quintain submit --to " (clean(address)) " --token TOKEN my-bot" }
        }
    }
}

/// Renders the offer of a token for automatic submission.
fn offer_submit_token(has_one: bool) -> Markup {
    html! {
        details id="repository" {
            summary { "From a Git repository" }
            p class="note" {
                "A Git hook or continuous integration can submit what you push. This needs a \
                 token that can only submit programs and ask for the result."
            }
            form method="post" action="/me/repository" {
                button { (if has_one { "Make another token" } else { "Make a token" }) }
            }
            @if has_one {
                p class="note" { "You have one. It becomes invalid when you make another." }
                form method="post" action="/me/repository" {
                    input type="hidden" name="ends" value="true";
                    button { "Revoke it" }
                }
            }
        }
    }
}

/// Renders the token of a repository, which is shown once, and what to do with it.
pub(crate) fn repository(token: &str, address: &str) -> Page {
    let address = clean(address);
    let send = format!(
        "git archive --format=zip HEAD |\n  curl --fail-with-body --data-binary @- \\\n    \
         -H \"Authorization: Bearer $QUINTAIN_TOKEN\" \\\n    \
         \"{address}/api/submissions?name=program.zip\"\n"
    );
    let body = html! {
        main {
            h1 { "A token for a repository" }
            p { "Shown this once: " code id="token" { (token) } }
            h2 { "A Git hook" }
            p {
                "Keep the token as " code { "git config quintain.token TOKEN" } ", and this as "
                code { ".git/hooks/pre-push" } ", made executable. Then every " code { "git push" }
                " submits what is committed; if it is refused, the push is too."
            }
            pre { "#!/bin/sh\nset -e\nQUINTAIN_TOKEN=$(git config quintain.token)\n" (send) }
            h2 { "Continuous integration" }
            p {
                "Keep the token as a secret of the repository, which steps see as "
                code { "QUINTAIN_TOKEN" } ", and have a step run:"
            }
            pre { (send) }
            p class="note" {
                "A folder of the repository: " code { "HEAD:my-bot" } " in place of "
                code { "HEAD" }
                ". With quintain installed, " code { "quintain submit --to " (address) " my-bot" }
                " does the same, waits for the check, and fails if the check fails."
            }
            p { a href="/me" { "Your page" } }
        }
    };
    page("A token for a repository", &[], body)
}

fn one_version(version: &Version, is_active: bool, own: &OwnPage<'_>) -> Markup {
    html! {
        section class="version" {
            p {
                strong { "Version " (version.number) } ": " (version.stage.word())
                @if is_active { ", on the ladder" }
                @if own.finals.roster.contains(&version.id) { ", in the final" }
                @if let Some(submitter) = &version.submitter { ", by " (name(submitter)) }
                " " code { (&version.digest.get(..12).unwrap_or_default()) }
            }
            @if is_active && own.closed.is_none() {
                form method="post" action="/me/withdraw" { button { "Leave the ladder" } }
            }
            @if version.stage == Stage::Passed && !is_active && own.closed.is_none() {
                form method="post" action="/me/activate" {
                    input type="hidden" name="version" value=(version.number);
                    button { "Activate version " (version.number) }
                }
            }
            @if own.deletable.contains(&version.number) {
                @let size = own.usage.versions.iter().find(|(known, _)| known.id == version.id);
                details {
                    @let bytes = size.map_or(0, |(_, bytes)| *bytes);
                    summary { "Delete its files (" (describe_size(bytes)) ") …" }
                    form method="post" action="/me/delete" {
                        input type="hidden" name="version" value=(version.number);
                        p class="note" { "Its results stay. It cannot play any more." }
                        button { "Delete the files of version " (version.number) }
                    }
                }
            }
            @if !version.log.is_empty() {
                details id={ "log-" (version.number) } open[version.stage == Stage::Failed] {
                    summary { "Output of the check" }
                    pre class="lines" { (cleaned_lines(&version.log)) }
                }
            }
        }
    }
}

fn challenge(config: &Config, who: &Participant, own: &OwnPage<'_>) -> Markup {
    let rivals = own.data.active.iter().filter(|version| Some(version.id) != who.active);
    html! {
        h2 { "Try something" }
        @if own.phase.has_ladder() {
            form method="post" action="/me/challenge" class="search" {
                @if !own.ladder.is_solo {
                    label for="opponent" { "Play against" }
                    select id="opponent" name="opponent" {
                        @for version in rivals {
                            option value=(version.id) { (clean(&version.display_name)) }
                        }
                    }
                }
                label for="scenario" { "on" }
                select id="scenario" name="scenario" {
                    @for scenario in config.scenarios_of(own.phase) {
                        option value=(scenario) { (clean(&short_scenario(scenario))) }
                    }
                }
                button { "Play" }
            }
            p class="note" {
                "It counts for nothing, and is listed here once it has been played."
                @if own.data.waiting > 0 { " " (own.data.waiting) " wait." }
            }
            @if !own.data.challenges.is_empty() {
                (table_of("tried", own.data.challenges.iter(), who, own))
            }
        } @else { p class="note" { "Not in this phase." } }
    }
}

/// Renders the measures over time.
fn progress(own: &OwnPage<'_>) -> Markup {
    let mut numbers: Vec<i64> = own.data.measures.keys().copied().collect();
    numbers.sort_unstable();
    // As many as can be told apart.
    let shown = &numbers[numbers.len().saturating_sub(4)..];
    let names: Vec<String> = shown.iter().map(|number| format!("version {number}")).collect();
    let curves: Vec<plots::Curve<'_>> = names
        .iter()
        .zip(shown)
        .filter_map(|(name, number)| {
            let points = own.data.measures.get(number).filter(|points| points.len() > 1)?;
            Some((name.as_str(), points.clone()))
        })
        .collect();
    let title = if own.ladder.is_solo { "Mean rank (0 first, 1 last)" } else { "Rating" };
    html! {
        h2 { (title) " over time" }
        @if curves.is_empty() { p class="note" { "There will be a curve after more matches." } }
        @else {
            div class="wide less plot" id="progress" {
                (PreEscaped(plots::lines(title, "matches of the whole ladder", &[], &curves)))
            }
            div class="narrow plot" {
                (PreEscaped(plots::narrow_lines(title, "matches of the whole ladder", &curves)))
            }
        }
    }
}

fn share(cell: &WinDrawLoss) -> String {
    cell.share().map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Renders how the version on the ladder does.
fn record(who: &Participant, own: &OwnPage<'_>) -> Markup {
    let tables = &own.ladder.tables;
    html! {
        h2 { "The version on the ladder" }
        p {
            (tables.matches) " matches"
            @if tables.faults > 0 {
                ", " span class="fault" { (tables.faults) " ended by its fault" }
            }
        }
        @if let Some(known) = own.data.exploited.filter(|known| known.beaten > 0) {
            p id="exploited" {
                "A line of moves beats it on " (known.beaten) " of " (known.starts) " starts, \
                 whenever it is played: "
                a href={ "/participants/" (who.id) "#exploits" } { "watch them" } "."
            }
        }
        @if !own.ladder.is_solo && tables.matches > 0 { (points(tables)) }
        @if !own.ladder.comparisons.is_empty() { (comparisons(&own.ladder.comparisons)) }
        @if !own.ladder.worst.is_empty() {
            h2 { "Worst matches" }
            ul id="worst" {
                @for worst in &own.ladder.worst {
                    li {
                        a href={ "/me/matches/" (worst.id) } { "match " (worst.id) }
                        ": " (name(&worst.why))
                    }
                }
            }
        }
    }
}

/// Renders the points by opponent and by scenario.
fn points(tables: &PerformanceTables) -> Markup {
    let row = |what: &str, cell: &WinDrawLoss, faults: Option<u64>| {
        html! {
            tr {
                th scope="row" { (name(what)) }
                td class="number" { (cell.wins) } td class="number" { (cell.draws) }
                td class="number" { (cell.losses) } td class="number" { (share(cell)) }
                @if let Some(faults) = faults { td class="number" { (faults) } }
            }
        }
    };
    let table = |id: &str, what: &str, rows: Vec<Markup>| {
        html! {
            h3 { "By " (what) }
            div class="wide" {
                table class="list compact" id=(id) {
                    thead { tr {
                        th { (what) } th { "won" } th { "drawn" } th { "lost" } th { "points" }
                        @if what == "scenario" { th { "faults" } }
                    } }
                    tbody { @for row in rows { (row) } }
                }
            }
        }
    };
    let opponents = tables.opponents.iter().map(|((who, _), cell)| row(who, cell, None));
    let scenarios = tables.scenarios.iter();
    let scenarios =
        scenarios.map(|(which, (cell, faults))| row(&short_scenario(which), cell, Some(*faults)));
    html! {
        (table("opponents", "opponent", opponents.collect()))
        (table("scenarios", "scenario", scenarios.collect()))
    }
}

/// Renders how the version compares with each other version on common seeds.
fn comparisons(others: &[(Version, SeedComparison)]) -> Markup {
    html! {
        h3 { "Compared with others, on the seeds that both have played" }
        div class="wide" {
            table class="list compact" id="common-seeds" {
                thead { tr {
                    th { "other" } th { "scenario" } th { "better" } th { "alike" } th { "worse" }
                    th { "better by" } th { "95 % interval" }
                } }
                tbody {
                    @for (other, SeedComparison { scenario, seeds, lead }) in others {
                        tr {
                            th scope="row" { (name(&other.display_name)) }
                            td { (name(&short_scenario(scenario))) }
                            td class="number" { (seeds.wins) } td class="number" { (seeds.draws) }
                            td class="number" { (seeds.losses) }
                            td class="number" { (figure(lead.difference)) }
                            td class="number interval-words" {
                                @match &lead.interval {
                                    Some(interval) => {
                                        (figure(interval.low)) " to " (figure(interval.high))
                                    }
                                    None => { "–" }
                                }
                            }
                        }
                    }
                }
            }
        }
        p class="note" {
            "“Better by” is the mean difference of the scores; below 0, your program did worse. \
             The luck of a seed is the same for both and cancels out."
        }
    }
}

fn table_of<'a>(
    id: &str,
    matches: impl Iterator<Item = &'a PlayedMatch>,
    who: &Participant,
    own: &OwnPage<'_>,
) -> Markup {
    let names = &own.data.names;
    let matches: Vec<&PlayedMatch> = matches.collect();
    html! {
        @if matches.is_empty() { p class="note" { "None yet." } }
        @else {
            div class="wide" {
                table class="list compact" id=(id) {
                    thead { tr {
                        @if !own.ladder.is_solo { th { "result" } }
                        th { "match" } th { "scores" } th { "where" } th { "for" } th { "fault" }
                    } }
                    tbody {
                        @for played in matches {
                            tr {
                                @if !own.ladder.is_solo { td { (verdict(played, own)) } }
                                th scope="row" {
                                    a href={ "/me/matches/" (played.pairing.id) } {
                                        (seats(played, names))
                                    }
                                }
                                td class="number" { (scores(played)) }
                                td { (name(&short_scenario(&played.pairing.scenario))) }
                                td { (purpose(played)) }
                                td { (fault(played, names, who)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn fault(played: &PlayedMatch, names: &Names, who: &Participant) -> Markup {
    let seat = |seat: usize| names.get(played.pairing.seats.get(seat)?);
    html! {
        @if let Some((at, fault)) = &played.fault {
            @if seat(*at).is_some_and(|named| named.participant == who.id) {
                span class="fault" { (name(&who.display_name)) ": " (name(fault)) }
            } @else { "the other's" }
        }
    }
}

/// Renders a match of the participant's own, with the output of their programs.
pub(crate) fn one_match(
    game: &str,
    played: &PlayedMatch,
    names: &Names,
    who: &Participant,
    outputs: &[(i64, String)],
) -> Page {
    let scenario = &played.pairing.scenario;
    let body = html! {
        main {
            h1 {
                span class="game" { (name(game)) } " on " (name(&short_scenario(scenario)))
                ", match " (played.pairing.id)
            }
            p { (seats(played, names)) ": " (scores(played)) }
            p class="note" {
                (name(scenario))
                @if !played.is_hidden { ", seed " (played.pairing.seed) }
                ", for " (kind(played.pairing.kind)) ". "
                @if played.is_shown() { a href={ "/matches/" (played.record) } { "Watch it" } }
                @else if !played.is_hidden { "Its record is no longer kept." }
            }
            @if let Some(reason) = &played.struck {
                p id="struck" { "It was struck out and does not count: " (name(reason)) }
            }
            @if played.is_hidden { (hidden_note()) }
            @if played.fault.is_some() { p { (fault(played, names, who)) } }
            h2 { "Output of your program" }
            @for (number, text) in outputs {
                h3 { "Version " (number) }
                pre class="lines" { (cleaned_lines(text)) }
            }
            @if outputs.is_empty() && !played.is_hidden {
                p class="note" {
                    "Nothing, or it is no longer kept: standard error and notes are kept only for \
                     the latest matches of a version."
                }
            }
        }
    };
    page("Match", &[], body)
}
