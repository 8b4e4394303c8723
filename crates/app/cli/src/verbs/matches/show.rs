//! Shows a match while it is played: in a terminal, each turn replaces the last; otherwise, each is
//! printed below the last.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use quintain_core::{AnyGame, AnyMatch, PlayerHandle, Record, Setup};

use crate::board::{self, Page, View};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::stop;

/// How soon a request to stop is noticed.
const TICK: Duration = Duration::from_millis(20);

/// Plays in the terminal, with `delay` between turns. Ctrl-C ends it.
pub(super) fn play_in_terminal(
    game: &dyn AnyGame,
    mut setup: Setup,
    seats: &[&PlayerHandle],
    view: View<'_>,
    delay: Duration,
) -> Result<Record, Failure> {
    let stop = stop::watch_signals();
    setup.stop = Some(Arc::clone(&stop));
    let fixture = game.fixture(&setup, seats);
    let heading = board::heading(&fixture);
    let screen = Screen::open()?;
    let mut shown = Ok(());
    let mut show = |now: &dyn AnyMatch| {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let scene = now.scene(None);
        let above = format!("{heading}\n");
        let below = view.describe(&scene, &fixture, now, &now.scores());
        let legend = view.brief_legend(&scene);
        let page = Page { above, scene: &scene, focus: None, below, legend };
        let page = view.render_page(&page, screen.room());
        shown = screen.show(&page, &format!("turn {}  (Ctrl-C stops)", now.turn()));
        stop.fetch_or(shown.is_err(), Ordering::SeqCst);
        let until = Instant::now() + delay;
        while !stop.load(Ordering::SeqCst) && Instant::now() < until {
            thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
        }
    };
    let record = game.play(&setup, seats, Some(&mut show));
    drop(screen);
    shown?;
    match stop.load(Ordering::SeqCst) {
        true => Err(Failure::Stopped),
        false => Ok(record?),
    }
}

/// Plays, and writes every turn.
pub(super) fn play_as_text(
    game: &dyn AnyGame,
    mut setup: Setup,
    seats: &[&PlayerHandle],
    view: View<'_>,
    out: &mut dyn Write,
) -> Result<Record, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    setup.stop = Some(Arc::clone(&stop));
    let fixture = game.fixture(&setup, seats);
    let mut written: io::Result<()> = writeln!(out, "{}", board::heading(&fixture));
    let mut write = |now: &dyn AnyMatch| {
        if written.is_ok() {
            let page = view.position(&fixture, now, &now.scores());
            written = write!(out, "\nturn {}\n{page}", now.turn()).and_then(|()| out.flush());
        }
        // If no one reads on, the rest is useless.
        stop.store(written.is_err(), Ordering::SeqCst);
    };
    let record = game.play(&setup, seats, Some(&mut write))?;
    written?;
    Ok(record)
}
