//! The pages, rendered on the server. Templates escape everything that comes from names and
//! programs; styles and scripts appear only by name.

mod charts;
mod compare;
mod frame;
mod game;
mod games;
mod home;
mod matches;
mod play;
mod queue;
mod tournament;
#[cfg(feature = "fleet")]
mod workers;

use maud::{DOCTYPE, Markup, html};
use quintain_core::Record;
use quintain_scene::clean;
use quintain_store::TournamentInfo;

use crate::headline::{self, MatchNumber};

pub use crate::standalone::needs_scripts;
pub use charts::{Scale, interval, sparkline};
pub(crate) use compare::compare;
#[cfg(test)]
pub(crate) use frame::LINKS;
pub use frame::{Head, Links, Page, figure, name};
pub(crate) use frame::{clean_lines, own_links, shown};
use frame::{head, page, tournament_link, with_names};
pub(crate) use game::game;
pub(crate) use home::{Home, ago, front};
pub(crate) use matches::{latest, matches};
pub use play::rules;
pub(crate) use play::{
    Thinking, begin_button, choices, how_it_is_played, ladder, play, play_choice,
};
pub(crate) use queue::{ListedTests, Queue, test, test_series, tests};
pub(crate) use tournament::{ShownMatches, tournament, tournament_part};
#[cfg(feature = "fleet")]
pub(crate) use workers::workers;

/// A match in the viewer.
pub(crate) struct Watched<'a> {
    pub(crate) record: &'a Record,
    /// Its number, if the site numbers its matches.
    pub(crate) number: MatchNumber,
    /// The tournaments that it counts for.
    pub(crate) tournaments: &'a [TournamentInfo],
    /// What the site says besides.
    pub(crate) about: Option<&'a Markup>,
    /// Where people may play, the players that can analyse it.
    pub(crate) analysts: Option<&'a [String]>,
    /// The command that makes a lesson for the player of each seat, where there is one.
    pub(crate) lessons: &'a [Option<String>],
    pub(crate) can_be_embedded: bool,
}

/// Renders a match in the viewer.
pub(crate) fn watch(watched: &Watched<'_>) -> Page {
    let Watched { record, number, tournaments, about, analysts, lessons, can_be_embedded } =
        *watched;
    let fixture = &record.fixture;
    let played_on = (fixture.game.as_str(), fixture.scenario.as_str());
    let place = headline::place_with(played_on, &fixture.seed.to_string(), number);
    // Whoever opens a match does not want to know yet how it ends.
    let who = headline::players(&record.fixture.seats);
    let title = format!("{place}: {who}");
    let named = || record.fixture.seats.iter().map(String::as_str);
    let body = html! {
        main {
            h1 { (place) ": " span class="told" { (with_names(&who, named())) } }
            p class="trail" {
                @for info in tournaments {
                    a href=(tournament_link(info)) { (name(&info.name)) } " · "
                }
                "record " a href={ "/api/matches/" (record.id) } { code { (&record.id[..8]) } }
            }
            @if let Some(about) = about { (about) }
            div id="viewer" class="viewer"
                data-replay={ "/api/matches/" (record.id) "/replay" }
                data-play[analysts.is_some()]
                data-embed[can_be_embedded]
                data-analysts=[analysts.map(|names| names.join(" "))]
                data-lessons=[analysts.map(|_| serde_json::json!(lessons).to_string())]
            {
                (needs_scripts("Showing the match"))
            }
            @if analysts.is_none() { (how_to_learn(record, lessons)) }
        }
    };
    page(title, &["watch.js"], body).described(ABOUT_MATCHES)
}

/// What a match's page shows; who won is not told here either.
const ABOUT_MATCHES: &str = "A match turn by turn: the board, and every move in words";

/// How many players are named that could learn something from a match.
const LEARNERS: usize = 4;

/// Renders the commands that make lessons of a match, for each player once. Who lost is not told.
fn how_to_learn(record: &Record, lessons: &[Option<String>]) -> Markup {
    let mut named: Vec<(usize, &String)> = Vec::new();
    for (seat, command) in lessons.iter().enumerate() {
        let Some(command) = command else { continue };
        if named.len() < LEARNERS && named.iter().all(|(_, known)| *known != command) {
            named.push((seat, command));
        }
    }
    html! {
        @if !named.is_empty() {
            details id="how-to-learn" {
                summary { "Make a lesson of it" }
                p class="note" {
                    "A lesson shows the smallest board found on which a player repeats the mistake \
                     that lost a match. Where the store is, type:"
                }
                @for (seat, command) in named {
                    p {
                        @if record.fixture.seats.len() > 1 {
                            "for " (headline::letter(seat)) ": "
                        }
                        code { (command) }
                    }
                }
            }
        }
    }
}

/// Renders the viewer alone, for another page's frame.
pub(crate) fn embedded(record: &Record) -> Markup {
    let place = headline::place_of(record);
    let who = headline::players(&record.fixture.seats);
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{place}: {who}"), None, &["watch.js"]))
            body class="embedded" {
                main {
                    h1 {
                        a href={ "/matches/" (record.id) } target="_blank" rel="noopener" {
                            (place)
                        }
                        ": " span class="told" { (who) }
                    }
                    div id="viewer" class="viewer"
                        data-replay={ "/api/matches/" (record.id) "/replay" } {}
                }
            }
        }
    }
}

/// Renders what went wrong, and a link to continue with.
pub(crate) fn problem(text: &str, (address, word): (&str, &str)) -> Page {
    let body = html! {
        main {
            h1 { "This cannot be done" }
            p class="fault" { (clean(text)) }
            p { "Continue with: " a id="onward" href=(address) { (word) } }
        }
    };
    page("Problem", &[], body)
}

/// Returns where to continue after a path that led nowhere: the part of the site that it belongs
/// to, or the first page.
pub(crate) fn onward(path: &str, links: Links) -> (&'static str, &'static str) {
    let is_in = |(address, _): &&(&str, &str)| {
        path.strip_prefix(address).is_some_and(|rest| rest.starts_with('/'))
    };
    let part = links.iter().skip(1).find(is_in);
    part.or(links.first()).copied().unwrap_or(("/", "home"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_page_links_to_its_part_of_the_site() {
        let links: Links = &[("/", "ladder"), ("/me", "my page"), ("/kits", "kits")];
        for (path, address) in
            [("/me/submit", "/me"), ("/kits/x.zip", "/kits"), ("/nowhere", "/"), ("/menu/x", "/")]
        {
            assert_eq!(onward(path, links).0, address, "{path}");
        }
        let page =
            problem("<b>no</b>", onward("/me/submit", links)).with(&links.into()).into_string();
        assert!(page.contains("href=\"/me\">my page</a>") && page.contains("&lt;b&gt;no"));
        assert!(page.contains("href=\"/kits\"") && !page.contains("/play"), "{page}");
    }
}
