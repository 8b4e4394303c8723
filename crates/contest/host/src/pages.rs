//! The contest's pages, in the common frame of all pages. Templates escape everything that comes
//! from names and programs.

mod exploited;
pub(crate) mod exploits;
pub(crate) mod finals;
pub(crate) mod lessons;
pub(crate) mod me;
pub(crate) mod measures;
pub(crate) mod organiser;
pub(crate) mod points;
pub(crate) mod programs;
pub(crate) mod rules;
pub(crate) mod seats;
pub(crate) mod seeds;
pub(crate) mod show;
pub(crate) mod similarity;

use std::collections::HashMap;
use std::time::SystemTime;

use maud::{Markup, html};
use quintain_core::SEED;
use quintain_web::pages::{Head, Links, Page, Scale, figure, interval, name, sparkline};

use self::measures::{Measures, measure_name};
use crate::config::{Config, Phase, short_scenario};
use crate::kit::Kit;
use crate::ladder::Rung;
use crate::performance::{Names, measure};
use crate::state::{Exploited, FoundExploit, Kind, Participant, PlayedMatch, Version, time_of};
use crate::trends::Trends;
use crate::trouble::Trouble;
use crate::zone::Zone;

/// The links in the head of pages that do not know their visitor.
pub(crate) const LINKS: Links = &[
    ("/", "ladder"),
    ("/matches", "latest matches"),
    ("/final", "final"),
    ("/rules", "rules"),
    ("/kits", "starter kits"),
    ("/me", "my page"),
];

/// Makes a page; the server adds its head.
fn page(title: &str, scripts: &[&'static str], body: Markup) -> Page {
    Page::new(title, &[scripts, &["times.js"]].concat(), body)
}

/// Returns the name of a person in records, which tells nothing where names are hidden.
fn hidden_name(who: &Participant) -> &str {
    who.member.as_ref().map_or(&who.name, |member| &member.name)
}

/// Returns the head of all pages for a participant, or for a visitor who is not signed in.
pub(crate) fn head(
    contest: &str,
    who: Option<&Participant>,
    is_hidden: bool,
    has_lessons: bool,
) -> Head {
    let mut head = Head { site: contest.to_owned(), ..Head::from(LINKS) };
    head.links.pop();
    let mut link = |address: &str, word: &str| head.links.push((address.into(), word.into()));
    if has_lessons {
        link("/lessons", "lessons");
    }
    match who {
        Some(who) if is_hidden => link("/me", &format!("my page ({})", hidden_name(who))),
        Some(who) => link("/me", &format!("my page ({})", who.person_name())),
        None => link("/sign-in", "sign in"),
    }
    if who.is_some_and(|who| who.is_organiser) {
        link("/organiser", "organiser");
    }
    head
}

/// Returns a text that begins like a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns the number of rounds of a final, in words.
fn count_rounds(rounds: u64) -> String {
    if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") }
}

/// Renders a time in the contest's zone; a script shows it in the visitor's own, with how long it
/// is until then.
pub(crate) fn moment(zone: &Zone, at: SystemTime) -> Markup {
    html! {
        time datetime=(humantime::format_rfc3339_seconds(at)) { (zone.write(at)) }
    }
}

/// Renders a player, with a link to their matches.
pub(crate) fn player(rung: &Rung) -> Markup {
    html! {
        a href={ "/participants/" (rung.version.participant) } {
            (name(&rung.version.display_name))
        }
        // Replaces the column, which is not shown on phones.
        @if rung.version.is_house() { span class="note" { " (house)" } }
        @else { span class="narrow" { " v" (rung.version.number) } }
    }
}

/// The content of the ladder's page.
pub(crate) struct LadderPage<'a> {
    pub(crate) rungs: &'a [Rung],
    pub(crate) played: usize,
    pub(crate) under_way: usize,
    pub(crate) is_solo: bool,
    /// How everybody has fared lately.
    pub(crate) trends: &'a Trends,
    /// How many ranks identical programs stand apart, if that is known.
    pub(crate) copies_apart: Option<u64>,
    pub(crate) is_paused: bool,
    /// The standings of the final as a table, once all of it is played.
    pub(crate) over: Option<&'a Markup>,
    /// The matches of the final that are played, and all of its matches, if it has begun.
    pub(crate) of_final: Option<(usize, usize)>,
    /// How often each version was beaten by a line of moves, if the contest has that column.
    pub(crate) exploited: Option<&'a HashMap<i64, Exploited>>,
    /// What keeps the contest from going on.
    pub(crate) trouble: Option<&'a Trouble>,
    pub(crate) phase: &'a Phase,
    /// The phases to come; empty if the organiser chooses phases by hand.
    pub(crate) coming: &'a [(&'a Phase, SystemTime)],
}

/// Renders the ladder.
pub(crate) fn ladder(config: &Config, who: Option<&Participant>, shown: &LadderPage<'_>) -> Page {
    let body = html! {
        main data-waiting="5" {
            h1 { (name(&config.name)) }
            @if let Some(trouble) = shown.trouble { (in_trouble(config, trouble)) }
            @if let Some(standings) = shown.over {
                h2 id="final-first" { a href="/final" { "The final" } }
                (standings)
                h2 { "The ladder" }
            }
            (terms(config, shown))
            (progress(config, shown))
            div class="ladder" {
                (standings(who, shown))
                section id="live-match" data-live="/live.json" {}
            }
            p class="note" id="how-to-read" {
                @if shown.is_solo {
                    "Two programs are compared on the seeds that both have played. With few common \
                     seeds, a newcomer's rank may still change a lot. Mean scores cover each \
                     program's own seeds."
                } @else {
                    "Ratings are relative to the mean of the ladder, which is 0: when one program \
                     becomes stronger, all others fall a little. Programs whose 95 % intervals \
                     overlap may be equally strong, whatever their ranks."
                }
                @if let Some(since) = shown.trends.since {
                    " “Change” counts ranks since " (moment(&config.zone, time_of(since)))
                    ", and the line is the " (measure_name(shown.is_solo))
                    " since then, upwards if it got better."
                }
                @if let Some(apart) = shown.copies_apart { " " (noise(apart)) }
                " New programs are provisional, and rank behind the others, until they have \
                 enough matches."
                @if shown.is_solo { " Everybody plays " a href="/seeds" { "the same seeds" } "." }
                @if shown.exploited.is_some() {
                    " “Exploited”: on how many starts a search found a line of moves that beats \
                     the program."
                }
            }
        }
    };
    page(&config.name, &["waiting.js", "live-match.js"], body)
}

/// Says that something keeps the contest from going on, in words that name no files.
fn in_trouble(config: &Config, trouble: &Trouble) -> Markup {
    html! {
        p class="fault" id="in-trouble" {
            "The contest does not go on as it should, since "
            (moment(&config.zone, time_of(trouble.since))) ": " (trouble.kind.words())
            ". The organiser’s page says more."
        }
    }
}

/// Says how far hidden copies stand from their originals.
fn noise(apart: u64) -> String {
    match apart {
        0 => "Two identical programs stand side by side now.".to_owned(),
        1 => "Two identical programs stand up to 1 rank apart now.".to_owned(),
        _ => format!("Two identical programs stand up to {apart} ranks apart now."),
    }
}

/// Renders what is played, on what terms and until when.
fn terms(config: &Config, shown: &LadderPage<'_>) -> Markup {
    let scenarios = config.scenarios_of(shown.phase);
    html! {
        p class="note" id="terms" {
            (name(&config.game)) " on "
            @for (at, scenario) in scenarios.iter().enumerate() {
                @if at > 0 { ", " }
                (name(&short_scenario(scenario)))
            }
            @if scenarios.iter().any(|scenario| scenario.contains(SEED)) {
                ", another problem in each match"
            }
            @if !config.budget.is_empty() { "; each program may think " code { (config.budget) } }
            ". " (deadline(config, shown))
        }
    }
}

/// Renders how far the ladder is, and why it rests if it does.
fn progress(config: &Config, shown: &LadderPage<'_>) -> Markup {
    let is_at_rest =
        shown.under_way == 0 && shown.rungs.iter().all(|rung| rung.matches >= config.matches);
    html! {
        p class="note" id="state" data-part {
            "Phase “" (name(&shown.phase.name)) "”, " (shown.played) " matches played"
            @if shown.under_way > 0 { ", " (shown.under_way) " under way" }
            (why_it_rests(shown, is_at_rest))
            @if shown.is_paused { "; paused by the organiser" }
            @if let [first, second] = &config.seats[..] {
                ". " a href="/seats" { (name(first)) " × " (name(second)) }
            }
        }
    }
}

/// Renders why nothing is played for the ladder, if so, and how far the final is.
fn why_it_rests(shown: &LadderPage<'_>, is_at_rest: bool) -> Markup {
    let (phase, final_page) = (shown.phase, html! { a href="/final" { "the final" } });
    html! {
        @match shown.of_final {
            Some((played, planned)) if played == planned => {
                "; " (final_page) " is over"
                @if phase.has_ladder() { ", and the ladder goes on without counting for it" }
            }
            Some((played, planned)) if phase.rounds.is_some() => {
                "; the ladder has ended, and " (final_page) " is played: " (played) " of "
                (planned) " matches"
            }
            Some((played, planned)) => {
                "; " (final_page) " has stopped at " (played) " of " (planned) " matches"
            }
            None if phase.rounds.is_some() => {
                "; the ladder has ended, and " (final_page) " begins when all programs are checked"
            }
            None if !phase.has_ladder() => { "; no matches are played in this phase" }
            None if is_at_rest && phase.takes_programs() => {
                "; the ladder rests until there is another version: all have their matches"
            }
            None if is_at_rest => {
                "; the ladder has ended: all have their matches, and no more programs are accepted"
            }
            None => {}
        }
    }
}

/// Renders the standings as a table, in which the visitor finds themselves.
fn standings(who: Option<&Participant>, shown: &LadderPage<'_>) -> Markup {
    let measures = Measures::of(shown.is_solo, shown.rungs);
    let is_own = |rung: &Rung| who.is_some_and(|who| who.id == rung.version.participant);
    let ends = shown.rungs.iter().filter_map(|rung| rung.interval);
    let scale = Scale::of_intervals(ends.flat_map(|interval| [interval.low, interval.high]));
    let bar = |rung: &Rung| {
        let bounds = rung.interval.map(|interval| (interval.low, interval.high));
        rung.measure.map(|value| interval(&scale, value, bounds))
    };
    let has_trends = shown.trends.since.is_some();
    html! {
        div class="wide" id="standings" data-part {
            table class="list compact" id="ladder" {
                thead { tr {
                    th { "rank" }
                    @if has_trends { th class="less" { "change" } }
                    th { "participant" } th class="less" { "version" }
                    @if has_trends { th class="less" { "lately" } }
                    th class="less" { "how sure" }
                    (measures.heads())
                    @if shown.exploited.is_some() { th class="less" { "exploited" } }
                } }
                tbody {
                    @for rung in shown.rungs {
                        tr class=[is_own(rung).then_some("you")] {
                            td class="number" { (rung.rank) }
                            @if has_trends {
                                td class="number less" { (change(rung, shown.trends)) }
                            }
                            th scope="row" {
                                (player(rung))
                                @if is_own(rung) { strong { " (you)" } }
                                @if rung.is_provisional {
                                    span class="note" { " (provisional)" }
                                }
                                @if has_trends {
                                    span class="narrow" { " " (change(rung, shown.trends)) }
                                }
                            }
                            td class="number less" { (rung.version.number) }
                            @if has_trends { td class="less" { (lately(rung, shown)) } }
                            td class="less" { @if let Some(bar) = bar(rung) { (bar) } }
                            (measures.cells(rung))
                            @if let Some(all) = shown.exploited {
                                @let known = all.get(&rung.version.id);
                                td class="number less" { (exploited::share(known)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders how many ranks a participant has gained or lost lately.
fn change(rung: &Rung, trends: &Trends) -> Markup {
    let trend = trends.get(rung.version.participant);
    let gained = trend.and_then(|trend| trend.rank).map(|then| then as i64 - rung.rank as i64);
    html! {
        @match gained {
            Some(0) => { span title="the same rank" { "=" } },
            Some(gained) if gained > 0 => {
                span class="won" title={ "up " (gained) } { "▲ " (gained) }
            }
            Some(lost) => { span class="lost" title={ "down " (-lost) } { "▼ " (-lost) } },
            None if rung.version.is_house() => {},
            None => { span class="note" { "new" } },
        }
    }
}

/// Draws the measure of a participant lately.
fn lately(rung: &Rung, shown: &LadderPage<'_>) -> Markup {
    let measures = shown.trends.get(rung.version.participant).map(|trend| &trend.measures);
    let up = |measure: &f64| if shown.is_solo { -measure } else { *measure };
    let rising: Vec<f64> = measures.into_iter().flatten().map(up).collect();
    let ends = measures.and_then(|all| Some((*all.first()?, *all.last()?)));
    let label = ends.map_or(String::new(), |(first, last)| {
        let [first, last] = [first, last].map(|value| measure(shown.is_solo, value));
        format!("{} {first}, then {last}", measure_name(shown.is_solo))
    });
    sparkline(&rising, &label)
}

/// Renders until when programs are accepted, and what comes next.
fn deadline(config: &Config, shown: &LadderPage<'_>) -> Markup {
    let end = shown.coming.iter().find(|(phase, _)| !phase.takes_programs());
    html! {
        @if !shown.phase.takes_programs() { "Programs are no longer accepted. " }
        @else if let Some((_, at)) = end {
            "Programs are accepted until " (moment(&config.zone, *at)) ". "
        }
        @for (phase, at) in shown.coming {
            "From " (moment(&config.zone, *at)) " on: “" (name(&phase.name)) "”"
            @if let Some(rounds) = phase.rounds { ", the final in " (count_rounds(rounds)) }
            ". "
        }
    }
}

/// Renders the latest matches of a participant on the ladder, for everybody to watch.
pub(crate) fn participant(
    version: &Version,
    standing: Option<&str>,
    matches: &[PlayedMatch],
    names: &Names,
    lines: &[FoundExploit],
) -> Page {
    let body = html! {
        main {
            h1 { (name(&version.display_name)) }
            p id="standing" {
                "Version " (version.number) " is on the ladder"
                @if let Some(standing) = standing { ": " (name(standing)) }
                "."
            }
            (exploited::list(lines))
            h2 { "Latest matches" }
            @if matches.is_empty() { p class="note" { "None yet." } }
            div class="wide" {
                table class="list compact" id="played" {
                    thead { tr { th { "match" } th { "scores" } th { "where" } th { "for" } } }
                    tbody {
                        @for played in matches {
                            tr {
                                th scope="row" {
                                    @if played.is_shown() {
                                        a href={ "/matches/" (played.record) } {
                                            (seats(played, names))
                                        }
                                    } @else { (seats(played, names)) }
                                }
                                td class="number" { (scores(played)) }
                                td { (name(&short_scenario(&played.pairing.scenario))) }
                                td { (purpose(played)) }
                            }
                        }
                    }
                }
            }
            @if matches.iter().any(|played| played.is_hidden) { (hidden_note()) }
        }
    };
    page(&version.display_name, &[], body)
}

/// Renders what a match is for, or why it counts for nothing.
fn purpose(played: &PlayedMatch) -> Markup {
    html! {
        (kind(played.pairing.kind))
        @if let Some(reason) = &played.struck { ", struck out: " (name(reason)) }
    }
}

/// Renders why some matches cannot be watched yet.
fn hidden_note() -> Markup {
    html! {
        p class="note" id="hidden" {
            "Matches on the " a href="/seeds" { "seeds that are played now" } " can be watched \
             when these are retired."
        }
    }
}

/// Renders which match of the contest it is, and for the organiser how to strike it out.
pub(crate) fn about_match(played: &PlayedMatch, is_organiser: bool) -> Markup {
    let id = played.pairing.id;
    html! {
        p class="note" id="match-number" {
            "Match " (id)
            @match played.pairing.kind {
                Kind::Ladder => { " of the ladder" }
                Kind::Challenge => { ", a try: it counts for nothing" }
                Kind::Final => { " of the final" }
            }
        }
        @if let Some(reason) = &played.struck {
            p class="fault" id="struck" {
                "It was struck out and does not count: " (name(reason))
            }
        }
        @if is_organiser && played.pairing.kind == Kind::Ladder {
            form method="post" action="/organiser/strike" class="search" id="strike" {
                input type="hidden" name="matches" value=(id);
                @if played.struck.is_some() { button { "Have it count again" } }
                @else {
                    label for="reason" { "It does not count, because" }
                    input id="reason" name="reason" maxlength="200" required;
                    button { "Strike it out" }
                }
            }
        }
    }
}

/// Returns who met in a match, and how it ended.
pub(crate) fn match_title(played: &PlayedMatch, names: &Names) -> String {
    let label = |seat| names.get(seat).map_or("", |named| named.label.as_str());
    let who: Vec<&str> = played.pairing.seats.iter().map(label).collect();
    quintain_scene::clean(&format!("{}: {}", who.join(" – "), scores(played)))
}

/// Renders who had which seat in a match.
fn seats(played: &PlayedMatch, names: &Names) -> Markup {
    html! {
        @for (at, seat) in played.pairing.seats.iter().enumerate() {
            @if at > 0 { " – " }
            (name(names.get(seat).map_or("", |named| named.label.as_str())))
        }
    }
}

fn scores(played: &PlayedMatch) -> String {
    played.scores.iter().map(|score| figure(*score)).collect::<Vec<_>>().join(" – ")
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Ladder => "ladder",
        Kind::Challenge => "a try",
        Kind::Final => "final",
    }
}

/// Renders the page on which a token is exchanged for a session.
pub(crate) fn sign_in(token: &str) -> Page {
    let body = html! {
        main {
            h1 { "Sign in" }
            form method="post" action="/sign-in" class="search" {
                label for="token" { "The token of your invitation" }
                input id="token" name="token" type="password" autocomplete="current-password"
                    required value=(token);
                button { "Sign in" }
            }
            h2 { "Where is my token?" }
            ul {
                li {
                    "It is in your invitation, perhaps inside a link: open that link, and press \
                     the button."
                }
                li {
                    "It stays valid for the whole contest, and on every device. Signing in lasts \
                     two weeks."
                }
                li {
                    "You have lost it, or it is refused? The organiser can send you another one; \
                     the one before then becomes invalid."
                }
                li { "You were not invited? Everybody may watch " a href="/" { "the ladder" } "." }
            }
        }
    };
    page("Sign in", &[], body)
}

/// Renders the starter kits; for those that cannot be submitted here, with the reason.
pub(crate) fn kits(config: &Config, kits: &[(Kit, Option<String>)]) -> Page {
    let body = html! {
        main {
            h1 { "Starter kits" }
            p {
                "Each is a program that plays " (name(&config.game)) " at once, with a CONTEST.md \
                 that says how to try it out and how to submit it. A kit can be submitted on "
                a href="/me" { "your page" } " as you downloaded it, unless something else is said \
                    here."
            }
            ul id="kits" {
                @for (kit, _) in kits.iter().filter(|(_, why_not)| why_not.is_none()) {
                    li { a href={ "/kits/" (kit.file()) } download { (kit.title) }
                        @if let Some(step) = kit.first_step() { ": " (step) }
                    }
                }
            }
            @if kits.iter().any(|(_, why_not)| why_not.is_some()) {
                details {
                    summary { "Not in this contest" }
                    ul id="no-kits" {
                        @for (kit, why_not) in kits {
                            @if let Some(why_not) = why_not {
                                li { (kit.title) ": " (name(why_not)) }
                            }
                        }
                    }
                }
            }
            h2 { "What is built here" }
            p {
                "Programs in these languages may be submitted as source; builds have no network \
                 and no files but their own. Submit other programs already built, or as a \
                 WebAssembly module (bot.wasm)."
            }
            ul id="built-here" {
                @for (language, shows) in config.build.languages() {
                    li { (name(language)) ": a folder with " (name(&shows.join(" or "))) }
                }
            }
        }
    };
    page("Starter kits", &[], body)
}

/// Returns a program's lines, made safe to show.
fn cleaned_lines(text: &str) -> String {
    text.lines().map(quintain_scene::clean).collect::<Vec<_>>().join("\n")
}
