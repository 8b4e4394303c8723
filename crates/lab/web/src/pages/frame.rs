//! Common parts of all pages: the frame with the links at its head, names, numbers and URLs.

use std::cmp::Reverse;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use quintain_scene::clean;
use quintain_store::TournamentInfo;

/// The links in the head of every page, as address and text; the first leads to the first page.
pub type Links = &'static [(&'static str, &'static str)];

const HOME: (&str, &str) = ("/", "home");
const MATCHES: (&str, &str) = ("/matches", "latest matches");
const PLAY: (&str, &str) = ("/play", "play");
const TESTS: (&str, &str) = ("/tests", "tests");
const WORKERS: (&str, &str) = ("/workers", "workers");
const API: (&str, &str) = ("/api/openapi.json", "API");

/// The links of a store's own pages.
#[cfg(test)]
pub(crate) const LINKS: Links = own_links(false, false);

/// The links of a store's own pages, where people may play and where workers are listed.
pub(crate) const fn own_links(allow_play: bool, workers: bool) -> Links {
    match (allow_play, workers) {
        (false, false) => &[HOME, MATCHES, TESTS, API],
        (true, false) => &[HOME, MATCHES, PLAY, TESTS, API],
        (false, true) => &[HOME, MATCHES, TESTS, WORKERS, API],
        (true, true) => &[HOME, MATCHES, PLAY, TESTS, WORKERS, API],
    }
}

/// The head of a site's pages: whose site it is, and where its links lead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The name of the site, which leads to its first page.
    pub site: String,
    /// Address and text of each link.
    pub links: Vec<(String, String)>,
}

impl From<Links> for Head {
    fn from(links: Links) -> Head {
        let owned = |(address, word): &(&str, &str)| ((*address).to_owned(), (*word).to_owned());
        Head { site: "Quintain".to_owned(), links: links.iter().map(owned).collect() }
    }
}

/// A page without its head, which is up to the site and its visitor: the server adds it to the
/// response.
#[derive(Clone)]
pub struct Page {
    title: String,
    scripts: Vec<&'static str>,
    body: Markup,
    about: Option<String>,
}

impl Page {
    /// Makes a page that runs these scripts.
    pub fn new(title: impl Into<String>, scripts: &[&'static str], body: Markup) -> Page {
        Page { title: title.into(), scripts: scripts.to_vec(), body, about: None }
    }

    /// Adds one sentence on what the page says. Search engines show it, and so do programs in which
    /// somebody sends the page's address.
    #[must_use]
    pub fn described(self, about: impl Into<String>) -> Page {
        Page { about: Some(about.into()), ..self }
    }

    /// Renders the whole page.
    pub(crate) fn with(&self, head: &Head) -> Markup {
        let title = full_title(&self.title, &head.site);
        let about = self.about.as_deref().map(|about| (head.site.as_str(), about));
        frame(&title, about, head, &self.scripts, &self.body)
    }
}

pub(super) fn page(title: impl Into<String>, scripts: &[&'static str], body: Markup) -> Page {
    Page::new(title, scripts, body)
}

/// Renders the head of a page that runs these scripts. `about` is the name of the site and a
/// sentence on what the page says.
pub(super) fn head(title: &str, about: Option<(&str, &str)>, scripts: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) }
            @if let Some((site, about)) = about {
                @let about = clean(about);
                meta name="description" content=(about);
                meta property="og:type" content="website";
                meta property="og:site_name" content=(clean(site));
                meta property="og:title" content=(title);
                meta property="og:description" content=(about);
            }
            link rel="icon" href="/assets/mark.svg" type="image/svg+xml";
            link rel="stylesheet" href="/assets/base.css";
            link rel="stylesheet" href="/assets/pages.css";
            @for script in scripts { script type="module" src={ "/assets/" (script) } {} }
        }
    }
}

fn frame(
    title: &str,
    about: Option<(&str, &str)>,
    site: &Head,
    scripts: &[&str],
    body: &Markup,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, about, &[&["page.js"], scripts].concat()))
            body {
                header class="site" {
                    a class="mark" href="/" {
                        img src="/assets/mark.svg" alt="" width="24" height="24"; (name(&site.site))
                    }
                    nav aria-label="Site" {
                        @for (address, word) in &site.links { a href=(address) { (name(word)) } }
                    }
                }
                (shown(body))
            }
        }
    }
}

/// Returns the title of a page of a site; that of its first page is the site's name.
fn full_title(title: &str, site: &str) -> String {
    if title == site { clean(site) } else { format!("{} – {}", clean(title), clean(site)) }
}

/// The same part of a page, with its text as [`clean_lines`] has it.
pub(crate) fn shown(part: &Markup) -> Markup {
    PreEscaped(clean_lines(&part.0))
}

/// The same text without characters that reorder or hide what stands beside them. Names come from
/// outside, and stand in sentences and options as well as by themselves.
pub(crate) fn clean_lines(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for line in text.split_inclusive(BREAKS) {
        let words = line.trim_end_matches(BREAKS);
        cleaned.push_str(&clean(words));
        cleaned.push_str(&line[words.len()..]);
    }
    cleaned
}

const BREAKS: [char; 2] = ['\n', '\t'];

/// Renders a name from outside, on one line and without control characters.
pub fn name(text: &str) -> Markup {
    html! { span class="name" { (clean(text)) } }
}

/// Renders a sentence in which these names occur, each of which stays on one line if it fits there.
pub(crate) fn with_names<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Markup {
    let text = clean(text);
    let mut known: Vec<String> = names.map(clean).filter(|name| !name.is_empty()).collect();
    // Of `space` and `space?depth=2`, the longer one is meant where it stands.
    known.sort_by_key(|name| Reverse(name.len()));
    let (mut parts, mut plain) = (Vec::new(), 0);
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric());
    while let Some((at, name)) = (plain..text.len()).find_map(|at| {
        let rest = text.get(at..).filter(|_| !is_part(text[..at].chars().next_back()))?;
        let name = known.iter().find(|name| {
            rest.strip_prefix(name.as_str()).is_some_and(|after| !is_part(after.chars().next()))
        })?;
        Some((at, name))
    }) {
        parts.push((&text[plain..at], name));
        plain = at + name.len();
    }
    html! {
        @for (before, known) in parts { (before) span class="name" { (known) } }
        (&text[plain..])
    }
}

/// Formats a number with at most four significant digits, but always its whole integer part.
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

/// Encodes text for the query of a URL.
pub(super) fn query(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte.into()),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Renders the progress of a tournament.
pub(super) fn progress(info: &TournamentInfo) -> Markup {
    let (played, all) = (info.played, info.fixtures.max(1));
    html! {
        progress class="progress" max=(all) value=(played) aria-label="matches played" {}
        " " (played) " of " (info.fixtures) " matches"
    }
}

pub(super) fn tournament_link(info: &TournamentInfo) -> String {
    format!("/tournaments/{}", info.id.number())
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
    fn names_in_a_sentence_are_marked_whole_and_nothing_else_is() {
        let names = ["space", "space?depth=2", "a"];
        let shown = with_names("space?depth=2 beat spaces and a <b>.", names.into_iter());
        let of = |name: &str| format!("<span class=\"name\">{name}</span>");
        let expected = format!("{} beat spaces and {} &lt;b&gt;.", of("space?depth=2"), of("a"));
        assert_eq!(shown.into_string(), expected);
    }

    #[test]
    fn values_in_addresses_are_escaped_and_read_back() {
        assert_eq!(query("uct?c=1&b=<x>"), "uct%3Fc%3D1%26b%3D%3Cx%3E");
    }
}
