//! A match as one self-contained page: the viewer, its style and the replay in a single file that
//! opens from disk. It loads nothing, and its policy forbids it to.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets::{asset, join_scripts};
use crate::replay::Replay;

/// Renders what stands in place of something that a browser without JavaScript cannot do.
pub fn needs_scripts(deed: &str) -> Markup {
    html! { noscript { (deed) " needs JavaScript, which this browser does not run." } }
}

/// The default limit for the size of a page in bytes, small enough for mail and for a repository.
pub const LIMIT: usize = 300_000;

/// Nothing may be loaded, sent or framed; scripts and styles in the page itself may run.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// The scripts joined into the page's script.
pub(crate) const SCRIPTS: [&str; 17] = [
    "parts.js",
    "replay.js",
    "shapes.js",
    "space.js",
    "ways.js",
    "forms.js",
    "signs.js",
    "ground.js",
    "board.js",
    "text-board.js",
    "beside.js",
    "chart.js",
    "story.js",
    "zoom.js",
    "share.js",
    "viewer.js",
    "standalone.js",
];

/// A page that is larger than allowed, even without overlays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the page of this match would have {} kB, more than {} kB", .bytes / 1000, .limit / 1000)]
pub struct PageTooLarge {
    /// The size of the page in bytes.
    pub bytes: usize,
    /// The limit in bytes.
    pub limit: usize,
}

/// Renders the page of a match. If it would be larger than `limit` bytes, overlays are left out,
/// the largest first; the page says which.
///
/// # Errors
/// [`PageTooLarge`] if it is larger even without overlays.
pub fn render_page(replay: Replay, limit: usize) -> Result<String, PageTooLarge> {
    let place = replay.heading().0;
    render_page_called(replay, &place, limit)
}

/// As [`render_page`], but the match is called so in the title, instead of by its scenario, seed
/// and budget.
///
/// # Errors
/// As [`render_page`].
pub fn render_page_called(
    mut replay: Replay,
    called: &str,
    limit: usize,
) -> Result<String, PageTooLarge> {
    let whole = render(&replay, called);
    if whole.len() <= limit {
        return Ok(whole);
    }
    let mut overlays = Vec::new();
    for (place, track) in replay.tracks.iter().enumerate().filter(|(_, track)| track.overlay) {
        let text = serde_json::to_string(track).expect("tracks have a JSON form");
        overlays.push((STANDARD.encode(gzip(text.as_bytes())).len(), place));
    }
    overlays.sort_unstable();
    // Compressed one by one they take a little more space than together, so the estimate is safe.
    let all: usize = overlays.iter().map(|(size, _)| size).sum();
    let mut room = (limit + all).saturating_sub(whole.len());
    overlays.retain(|(size, _)| {
        let fits = *size <= room;
        room = if fits { room - size } else { 0 };
        !fits
    });
    let mut out: Vec<usize> = overlays.into_iter().map(|(_, place)| place).collect();
    out.sort_unstable();
    for place in out.into_iter().rev() {
        replay.left_out.push(replay.tracks.remove(place).name);
    }
    replay.left_out.reverse();
    let page = render(&replay, called);
    let bytes = page.len();
    if bytes <= limit { Ok(page) } else { Err(PageTooLarge { bytes, limit }) }
}

fn render(replay: &Replay, called: &str) -> String {
    let who = replay.heading().1;
    let title = format!("{called}: {who}");
    let script = join_scripts(&SCRIPTS);
    let body = html! {
        main {
            h1 { (called) ": " span class="told" { (who) } }
            div id="viewer" class="viewer" {
                (needs_scripts("Showing the match"))
            }
        }
        script type="text/plain" id="replay" { (STANDARD.encode(compress(replay))) }
        script type="module" { (PreEscaped(script)) }
    };
    one_file(&title, POLICY, &["base.css"], &body)
}

/// Renders a page with its style included.
pub(crate) fn one_file(title: &str, policy: &str, styles: &[&str], body: &Markup) -> String {
    let styles = styles.iter().map(|name| asset(name).expect("the style sheet exists").text);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (title) }
                @for style in styles { style { (PreEscaped(style)) } }
            }
            body {
                header class="site" { span class="mark" { "Quintain" } }
                (body)
            }
        }
    };
    page.into_string()
}

/// Returns the replay's JSON, compressed with gzip.
pub(crate) fn compress(replay: &Replay) -> Vec<u8> {
    gzip(replay.to_json().as_bytes())
}

/// Compresses bytes with gzip.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    compressed.expect("memory takes any bytes")
}

#[cfg(test)]
mod tests;
