//! Games as a single page on which they are played: the form, script and style of the server's play
//! page, and the rules as a WebAssembly module, in one file that opens from disk. The rules answer
//! what the page asks ([`crate::play`]). The page loads and sends nothing, and its policy forbids
//! both.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use quintain_core::ui::Scene;
use quintain_core::{AnyEntry, AnyMatch, Budget, Catalog, PlayerHandle, Setup, SpecError};
use quintain_scene::{PictureText, render_svg};

use crate::assets::join_scripts;
use crate::pages::{Thinking, begin_button, choices, how_it_is_played, ladder};
use crate::standalone::{gzip, needs_scripts, one_file};

/// The scripts joined into the page's script.
pub(crate) const SCRIPTS: &[&str] = &[
    "parts.js",
    "replay.js",
    "shapes.js",
    "space.js",
    "ways.js",
    "forms.js",
    "signs.js",
    "memory.js",
    "ground.js",
    "board.js",
    "text-board.js",
    "beside.js",
    "module-limits.js",
    "module.js",
    "own-module.js",
    "rival-module.js",
    "server.js",
    "practise.js",
    "hint.js",
    "rules.js",
    "one-file.js",
    "zoom.js",
    "hands.js",
    "outcome.js",
    "kept-match.js",
    "session.js",
    "play.js",
];

/// The scripts joined into a module's worker.
pub(crate) const MODULE_WORKER: &[&str] =
    &["parts.js", "module-limits.js", "module.js", "wasi.js", "module-worker.js"];

/// The rules are compiled and run in a worker, and so is a module that the user chooses.
pub(crate) const POLICY: &str = "default-src 'none'; \
    script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// How much the others may think: in units of work, since there is no clock.
const THINKING: Thinking = Thinking {
    amounts: [
        (200, "200 steps"),
        (2000, "2000 steps"),
        (10_000, "10 000 steps"),
        (50_000, "50 000 steps"),
    ],
    usual: 2000,
};

/// Renders the page for these games, starting with the first. `rules` is the module that answers.
/// It exports `memory`; `alloc: (length: i32) -> i32`, which returns where the next question may be
/// written; and `ask: (length: i32) -> i64`, which returns where the answer is, as a module's
/// `decide` does.
///
/// A question is `{"address": …, "body": …}`, with a path of the server's API and what would be
/// sent there; an answer is `{"status": …, "said": …}`, as the server's would be. How much the
/// others may think is given in units of work.
pub fn render_play_page(catalog: &Catalog, rules: &[u8]) -> String {
    let games: Vec<&dyn AnyEntry> = catalog.entries().collect();
    let script = join_scripts(SCRIPTS);
    let body = html! {
        main {
            h1 { "Play" }
            details id="invite" open {
                summary { "New match" }
                form class="search" id="invitation" {
                    label { "game "
                        select id="game" {
                            @for entry in &games {
                                option value=(entry.name()) {
                                    (entry.name()) ": " (entry.summary())
                                }
                            }
                        }
                    }
                    (begin_button(""))
                    div class="fields" {}
                }
            }
            details class="how" id="how" open {
                summary { "How it is played" }
                div class="rules" {
                    (needs_scripts("Playing"))
                }
            }
            div id="session" class="viewer" {}
        }
        @for entry in &games {
            template id={ "game-" (entry.name()) } {
                div class="fields" { (choices(*entry, &ladder(*entry, None), &THINKING)) }
                (how_it_is_played(*entry, &draw(*entry)))
            }
        }
        script type="text/plain" id="module-worker" {
            (PreEscaped(join_scripts(MODULE_WORKER)))
        }
        (rules_inside(rules))
        script type="module" { (PreEscaped(script)) }
    };
    one_file("Play – Quintain", POLICY, &["base.css", "pages.css"], &body)
}

/// Renders the rules and the script of their worker, as `rules.js` finds them.
pub(crate) fn rules_inside(rules: &[u8]) -> Markup {
    html! {
        script type="text/plain" id="rules-worker" {
            (PreEscaped(join_scripts(&["rules-worker.js"])))
        }
        script type="text/plain" id="rules" { (STANDARD.encode(gzip(rules))) }
    }
}

/// Work per decision in the match that is shown, enough for sensible play.
const SHOWN: u64 = 200;

/// Draws a position of a game with the meaning of its signs, as the URL of a picture. It is taken
/// from the middle of a match between players that are worth watching.
fn draw(entry: &dyn AnyEntry) -> String {
    let picture = play_example(entry).map(|scene| {
        let text = PictureText { explained: true, ..PictureText::default() };
        STANDARD.encode(render_svg(&scene, &[], &text))
    });
    format!("data:image/svg+xml;base64,{}", picture.unwrap_or_default())
}

fn play_example(entry: &dyn AnyEntry) -> Result<Scene, SpecError> {
    let (scenario, names) = entry.showcase();
    let game = entry.game(scenario)?;
    let players = names.iter().map(|name| entry.player(name)).collect::<Result<Vec<_>, _>>()?;
    let seated: Vec<&PlayerHandle> = players.iter().cycle().take(game.seats()).collect();
    let budget = Budget { iterations: Some(SHOWN), nodes: Some(SHOWN), ..Budget::default() };
    let mut scenes = vec![game.begin(1).scene(None)];
    let mut watch = |now: &dyn AnyMatch| scenes.push(now.scene(None));
    game.play(&Setup::new(1).with_budget(budget), &seated, Some(&mut watch))?;
    let middle = scenes.len() / 2;
    Ok(scenes.swap_remove(middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::tests::assert_that_they_join;
    use crate::replay::tests::catalog;

    #[test]
    fn the_scripts_of_the_play_page_can_be_joined() {
        assert_that_they_join(SCRIPTS);
        assert_that_they_join(MODULE_WORKER);
    }

    #[test]
    fn the_page_has_all_games_inside_and_loads_nothing() {
        let page = render_play_page(&catalog(), b"rules");
        for name in catalog().entries().map(|entry| entry.name()) {
            assert!(page.contains(&format!("<template id=\"game-{name}\">")), "{name}");
        }
        assert!(page.contains("against ") && page.contains("2000 steps"));
        assert!(!page.contains("src=\"/") && !page.contains("href=\"/"));
        let (_, rules) = page.split_once("id=\"rules\">").unwrap();
        assert_eq!(rules.split('<').next().unwrap(), STANDARD.encode(gzip(b"rules")));
    }
}
