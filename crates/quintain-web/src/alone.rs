//! A match as one page that needs nothing else: the viewer, its style and the film in a
//! single file that opens from disk. It loads nothing, and its policy forbids it to.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, PreEscaped, html};

use crate::assets::{asset, joined};
use crate::film::Film;

/// Bytes that a page may have: it should pass through mail and lie in a repository.
pub const LIMIT: usize = 300_000;

/// Nothing may be loaded, sent or framed; what the page brings along may run.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// The page of a match. If it would be larger than `limit` bytes, overlays are left out,
/// the largest first; the page says which.
pub fn page(mut film: Film, limit: usize) -> String {
    loop {
        let page = written(&film);
        let size = |cells: &[Vec<u32>]| cells.iter().map(Vec::len).sum::<usize>();
        let largest = film.tracks.iter().enumerate().filter(|(_, track)| track.overlay);
        let largest = largest.max_by_key(|(_, track)| size(&track.cells));
        let Some((place, _)) = largest.filter(|_| page.len() > limit) else { return page };
        film.left_out.push(film.tracks.remove(place).name);
    }
}

fn written(film: &Film) -> String {
    let title = film.title();
    let players = film.players.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(" – ");
    let script = joined(&["parts.js", "film.js", "board.js", "course.js", "viewer.js", "alone.js"]);
    let style = asset("base.css").expect("the style sheet exists").text;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) ": " (players) }
                style { (PreEscaped(style)) }
            }
            body {
                header class="site" { span class="mark" { "Quintain" } span { (players) } }
                h1 { (title) }
                main id="viewer" class="viewer" {
                    noscript { "This page plays the match by script, which this browser does not run." }
                }
                script type="text/plain" id="film" { (STANDARD.encode(compressed(film))) }
                script type="module" { (PreEscaped(script)) }
            }
        }
    };
    page.into_string()
}

/// The film's JSON, compressed as gzip does.
pub(crate) fn compressed(film: &Film) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let compressed = encoder.write_all(film.to_json().as_bytes()).and_then(|()| encoder.finish());
    compressed.expect("memory takes any bytes")
}

#[cfg(test)]
mod tests;
