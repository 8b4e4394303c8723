//! The terminal: what it can show, and taking control of it for a while. Control is given back on
//! every way out: return, error, panic and signal.

use std::cell::Cell;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue, terminal};
use quintain_scene::{Room, TEXT_WIDTH, TerminalStyle, cut_to_width};

use crate::messages;
use crate::plain::{Colours, filter};

/// Wider lines are hard to read.
const READABLE_WIDTH: usize = 100;
/// How often to look for another size of the terminal: a console of Windows does not report it.
const SIZE_LOOK: Duration = Duration::from_millis(250);
/// How long after another size is seen its event may come.
const SIZE_EVENT: Duration = Duration::from_millis(if cfg!(windows) { 0 } else { 300 });

/// Returns what standard output can show.
pub(crate) fn style() -> TerminalStyle {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    style_of(io::stdout().is_terminal() && obeys_sequences(), variable)
}

/// Whether the terminal obeys the sequences that set colours and move the cursor. A console of
/// Windows does so only after it has been asked to, which is done here.
pub(crate) fn obeys_sequences() -> bool {
    #[cfg(windows)]
    {
        crossterm::ansi_support::supports_ansi()
    }
    #[cfg(not(windows))]
    {
        true
    }
}

/// `NO_COLOR` as on no-color.org, `CLICOLOR_FORCE` as on bixense.com/clicolors.
fn style_of(is_terminal: bool, variable: impl Fn(&str) -> String) -> TerminalStyle {
    let forced = !matches!(variable("CLICOLOR_FORCE").as_str(), "" | "0");
    let refused = !variable("NO_COLOR").is_empty() || variable("TERM") == "dumb";
    if refused || !(is_terminal || forced) {
        TerminalStyle::Plain
    } else if matches!(variable("COLORTERM").as_str(), "truecolor" | "24bit") {
        TerminalStyle::Full
    } else {
        TerminalStyle::Indexed
    }
}

/// Returns whether someone is watching and can press keys.
pub(crate) fn is_interactive() -> bool {
    let dumb = env::var("TERM").is_ok_and(|term| term == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && obeys_sequences() && !dumb
}

/// Returns the number of columns for text.
pub(crate) fn width() -> usize {
    terminal_width().unwrap_or(TEXT_WIDTH).min(READABLE_WIDTH)
}

/// Fits text to the terminal, breaking between words; without a terminal it stays unchanged.
pub(crate) fn fit(text: &str) -> String {
    terminal_width().map_or_else(|| text.to_owned(), |width| messages::wrap(text, width))
}

/// Returns the number of columns if standard output is a terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    terminal::size().ok().map(|(columns, _)| columns.into()).filter(|columns| *columns > 0)
}

/// Returns the size of the terminal.
fn room() -> Room {
    let size = terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0);
    let (columns, rows) = size.unwrap_or((80, 24));
    Room { columns: columns.into(), rows: rows.into() }
}

/// Control of the terminal, with its own page and no cursor.
pub(crate) struct Screen {
    /// The size for which the current page was made.
    shown_in: Cell<Room>,
}

/// What a page waits for.
pub(crate) enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The terminal has another size.
    Resized,
    /// The patience is over.
    Nothing,
}

impl Screen {
    /// Takes control of the terminal for showing pages.
    pub(crate) fn open() -> io::Result<Screen> {
        let screen = Screen { shown_in: Cell::new(room()) };
        execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, cursor::Hide)?;
        Ok(screen)
    }

    /// Takes control of the terminal for showing pages and for keys.
    pub(crate) fn open_with_keys() -> io::Result<Screen> {
        let screen = Screen::open()?;
        terminal::enable_raw_mode()?;
        Ok(screen)
    }

    /// Returns the size for which to make the next page.
    pub(crate) fn room(&self) -> Room {
        self.shown_in.set(room());
        self.shown_in.get()
    }

    /// Waits for a key, for another size of the terminal, or until `patience` is over.
    pub(crate) fn wait(&self, patience: Option<Duration>) -> io::Result<Input> {
        let begun = Instant::now();
        let mut is_told = false;
        while room() == self.shown_in.get() {
            let left = patience.map(|patience| patience.saturating_sub(begun.elapsed()));
            if event::poll(left.map_or(SIZE_LOOK, |left| left.min(SIZE_LOOK)))? {
                match event::read()? {
                    Event::Resize(..) => is_told = true,
                    event => match pressed(event) {
                        Some(key) => return Ok(Input::Key(key)),
                        None => continue,
                    },
                }
            } else if left.is_some_and(|left| left <= SIZE_LOOK) {
                return Ok(Input::Nothing);
            }
        }
        // The event of the new size, which may come a moment after it, is taken now. If it comes
        // together with the next key, crossterm tells that key only when another one follows.
        let seen = Instant::now();
        while !is_told && event::poll(SIZE_EVENT.saturating_sub(seen.elapsed()))? {
            match event::read()? {
                Event::Resize(..) => is_told = true,
                event => {
                    if let Some(key) = pressed(event) {
                        return Ok(Input::Key(key));
                    }
                }
            }
        }
        Ok(Input::Resized)
    }

    /// Replaces what is shown by `page`, as much of it as fits; `status` is below it and always
    /// fits.
    pub(crate) fn show(&self, page: &str, status: &str) -> io::Result<()> {
        let Room { columns, rows } = self.shown_in.get();
        let mut out = io::stdout().lock();
        queue!(out, BeginSynchronizedUpdate, cursor::MoveTo(0, 0))?;
        for line in page.lines().take(rows.saturating_sub(1)) {
            // Cleared first: after a full line, clearing would remove its last character.
            queue!(out, Clear(ClearType::UntilNewLine))?;
            write!(out, "{}", filter(&cut_to_width(line, columns), Colours::Pass))?;
            queue!(out, cursor::MoveToNextLine(1))?;
        }
        queue!(out, Clear(ClearType::FromCursorDown))?;
        write!(out, "{}", filter(&cut_to_width(status, columns), Colours::Pass))?;
        queue!(out, EndSynchronizedUpdate)?;
        out.flush()
    }
}

/// The key that an event tells of, unless it is let go.
fn pressed(event: Event) -> Option<KeyEvent> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(key),
        _ => None,
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, however much of it was taken over.
pub(crate) fn restore() {
    // There is no one left to report an error to.
    let _ = terminal::disable_raw_mode();
    if io::stdout().is_terminal() {
        let mut out = io::stdout();
        let _ = execute!(out, ResetColor, EnableLineWrap, cursor::Show, LeaveAlternateScreen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style_with(is_terminal: bool, variables: &[(&str, &str)]) -> TerminalStyle {
        style_of(is_terminal, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map_or(String::new(), |(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colour_is_for_terminals_that_want_it() {
        assert_eq!(style_with(true, &[("TERM", "xterm-256color")]), TerminalStyle::Indexed);
        assert_eq!(style_with(true, &[("COLORTERM", "truecolor")]), TerminalStyle::Full);
        assert_eq!(style_with(false, &[("COLORTERM", "truecolor")]), TerminalStyle::Plain);
        assert_eq!(
            style_with(true, &[("COLORTERM", "24bit"), ("NO_COLOR", "1")]),
            TerminalStyle::Plain
        );
        assert_eq!(style_with(true, &[("NO_COLOR", "")]), TerminalStyle::Indexed);
        assert_eq!(style_with(true, &[("TERM", "dumb")]), TerminalStyle::Plain);
        assert_eq!(style_with(false, &[("CLICOLOR_FORCE", "1")]), TerminalStyle::Indexed);
        assert_eq!(style_with(false, &[("CLICOLOR_FORCE", "0")]), TerminalStyle::Plain);
    }
}
