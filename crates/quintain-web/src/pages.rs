//! The pages, rendered on the server. Templates escape whatever comes from names and
//! programs; there is no style or script in them but by name.

mod charts;
mod compare;
mod home;
mod matches;
mod play;
mod tournament;
#[cfg(feature = "fleet")]
mod workers;

use maud::{DOCTYPE, Markup, html};
use quintain_core::{AnyGame, Record};
use quintain_scene::clean;
use quintain_store::TournamentInfo;

use crate::headline;

pub(crate) use compare::compare;
pub(crate) use home::{Home, front};
pub(crate) use matches::{latest, matches};
pub(crate) use play::{play, play_choice};
pub(crate) use tournament::{tournament, tournament_part};
#[cfg(feature = "fleet")]
pub(crate) use workers::workers;

/// The links at the head of every page, address and word; the first leads to the first page.
pub type Links = &'static [(&'static str, &'static str)];

/// Those of a store's own pages.
pub(crate) const LINKS: Links = &[
    ("/", "home"),
    ("/matches", "latest matches"),
    ("/play", "play"),
    ("/api/openapi.json", "API"),
];

/// A page before it has a head: which links are there, the site says.
pub(crate) struct Page {
    title: String,
    scripts: &'static [&'static str],
    body: Markup,
}

impl Page {
    /// The whole page.
    pub(crate) fn with(&self, links: Links) -> Markup {
        frame(&self.title, links, self.scripts, &self.body)
    }
}

fn page(title: impl Into<String>, scripts: &'static [&'static str], body: Markup) -> Page {
    Page { title: title.into(), scripts, body }
}

/// A page with these links, address and word, at its head.
pub fn frame(title: &str, links: &[(&str, &str)], scripts: &[&str], body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – Quintain" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/assets/base.css";
                link rel="stylesheet" href="/assets/pages.css";
                script type="module" src="/assets/page.js" {}
                @for script in scripts { script type="module" src={ "/assets/" (script) } {} }
            }
            body {
                header class="site" {
                    a class="mark" href="/" { "Quintain" }
                    nav aria-label="Site" {
                        @for (address, word) in links { a href=(address) { (word) } }
                    }
                }
                (body)
            }
        }
    }
}

/// A name from outside, on one line and without characters that act.
pub fn name(text: &str) -> Markup {
    html! { span class="name" { (clean(text)) } }
}

/// A number of at most four significant digits after a whole part.
pub fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 || size == size.trunc() => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// Letters that stand for themselves in the query of an address.
fn query(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte.into()),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// How far a tournament is.
fn progress(info: &TournamentInfo) -> Markup {
    let (played, all) = (info.played, info.fixtures.max(1));
    html! {
        progress class="progress" max=(all) value=(played) aria-label="matches played" {}
        " " (played) " of " (info.fixtures) " matches"
    }
}

fn tournament_link(info: &TournamentInfo) -> String {
    format!("/tournaments/{}", info.id.number())
}

/// A match in the viewer, with the players that may look through it, where people may play.
pub(crate) fn watch(
    record: &Record,
    game: Option<&dyn AnyGame>,
    tournaments: &[TournamentInfo],
    analysts: Option<&[String]>,
) -> Page {
    let fixture = &record.fixture;
    let place = headline::place_of(record);
    // What a score is worth, only the game knows.
    let result = game.map_or_else(
        || fixture.seats.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", "),
        |game| headline::result_of(game, record),
    );
    let title = format!("{place}: {result}");
    let body = html! {
        h1 { (title) }
        p class="trail" {
            @for info in tournaments { a href=(tournament_link(info)) { (name(&info.name)) } " · " }
            "record " a href={ "/api/matches/" (record.id) } { code { (&record.id[..8]) } }
        }
        main id="viewer" class="viewer" data-replay={ "/api/matches/" (record.id) "/replay" } data-play[analysts.is_some()] data-analysts=[analysts.map(|names| names.join(" "))] {
            noscript { "The match is played by script, which this browser does not run." }
        }
    };
    page(title, &["watch.js"], body)
}

/// What went wrong, and where one may go from there.
pub(crate) fn problem(text: &str, (address, word): (&str, &str)) -> Page {
    let body = html! {
        main {
            h1 { "This cannot be done" }
            p class="fault" { (clean(text)) }
            p { "Go on: " a id="onward" href=(address) { (word) } }
        }
    };
    page("Problem", &[], body)
}

/// Where somebody goes on for whom a path led nowhere: the part of the site that it is in, or its
/// first page.
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
    fn figures_have_no_needless_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0001, "0"),
            (12.0, "12"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.333"),
            (-12.3456, "−12.35"),
            (123.456, "123.5"),
            (98765.4, "98765"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn whoever_is_lost_goes_on_in_the_part_of_the_site_where_they_are() {
        let links: Links = &[("/", "ladder"), ("/me", "my page"), ("/kits", "kits")];
        for (path, address) in
            [("/me/submit", "/me"), ("/kits/x.zip", "/kits"), ("/nowhere", "/"), ("/menu/x", "/")]
        {
            assert_eq!(onward(path, links).0, address, "{path}");
        }
        let page = problem("<b>no</b>", onward("/me/submit", links)).with(links).into_string();
        assert!(page.contains("href=\"/me\">my page</a>") && page.contains("&lt;b&gt;no"));
        assert!(page.contains("href=\"/kits\"") && !page.contains("/play"), "{page}");
    }

    #[test]
    fn what_is_put_into_an_address_reads_back() {
        assert_eq!(query("uct?c=1&b=<x>"), "uct%3Fc%3D1%26b%3D%3Cx%3E");
    }
}
