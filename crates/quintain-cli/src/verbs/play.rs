//! `quintain play`: a single-seat game played by keyboard, with undo; what was played is
//! written down as a solution. What a key does is the game's to say; what it leads to is
//! decided apart from the terminal, so that it can be tested without one.

use std::io::Write;
use std::path::PathBuf;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use quintain_core::{AnyMatch, Catalog, Key, Keyboard};

use crate::board::{self, View, figure};
use crate::failure::Failure;
use crate::screen::{self, Screen};
use crate::sources;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game; `quintain games` lists them
    game: String,
    /// Where to play [default: the game's first scenario]
    #[arg(short, long)]
    scenario: Option<String>,
    /// Seed of what the scenario leaves open
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    #[arg(value_parser = crate::usage::whole::<u64>)]
    seed: u64,
    /// An overlay to show with the board (may be given several times)
    #[arg(long, value_name = "NAME")]
    overlay: Vec<String>,
    /// Keys to press before the first one at the keyboard
    #[arg(long, value_name = "KEYS", default_value = "")]
    keys: String,
    /// Write what was played as a solution into a file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let Some(keyboard) = entry.keyboard() else {
        let name = entry.name();
        return Err(Failure::Usage(format!(
            "{name} cannot be played by keyboard; try: quintain match {name}"
        )));
    };
    let scenarios = entry.scenarios();
    let first = scenarios.first().map_or("", |first| first.name);
    let game = entry.game(args.scenario.as_deref().unwrap_or(first))?;
    let start = game.begin(args.seed);
    board::check_overlays(&start.scene(None), &args.overlay)?;
    let mut hand = Hand::new(keyboard, start);
    for key in args.keys.chars() {
        hand.press(Key::Character(key));
    }
    let view = View { style: screen::style(), overlays: &args.overlay };
    let heading = format!("{}:{}", game.name(), game.scenario());
    if screen::is_interactive() {
        let screen = Screen::open_with_keys()?;
        while hand.is_at_it {
            let page = format!("{heading}\n{}", view.board(&hand.now().scene(None)));
            screen.show(&page, &hand.status())?;
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                hand.obey(key);
            }
        }
    }
    let scene = hand.now().scene(None);
    write!(out, "{heading}\n{}{}", view.board(&scene), hand.result())?;
    let Some(path) = &args.out else { return Ok(()) };
    let solution = (keyboard.solution)(game.scenario(), &hand.actions).map_err(Failure::Failed)?;
    sources::write(path, &solution, out)
}

/// A player at the keyboard.
struct Hand {
    keyboard: Keyboard,
    /// The start, and the position after every action.
    positions: Vec<Box<dyn AnyMatch>>,
    actions: Vec<String>,
    /// What the last key could not do.
    refused: String,
    is_at_it: bool,
}

impl Hand {
    fn new(keyboard: Keyboard, start: Box<dyn AnyMatch>) -> Hand {
        let positions = vec![start];
        Hand { keyboard, positions, actions: Vec::new(), refused: String::new(), is_at_it: true }
    }

    fn now(&self) -> &dyn AnyMatch {
        self.positions[self.positions.len() - 1].as_ref()
    }

    /// Plays the action of a key, if it has one.
    fn press(&mut self, key: Key) {
        self.refused.clear();
        let Some(action) = (self.keyboard.action)(key) else { return };
        if self.now().acting().is_empty() {
            "the game is over".clone_into(&mut self.refused);
            return;
        }
        let mut next = self.now().fork();
        match next.play(&[&action]) {
            Ok(()) => {
                self.positions.push(next);
                self.actions.push(action);
            }
            Err((_, why)) => self.refused = why,
        }
    }

    fn undo(&mut self) {
        self.refused.clear();
        if self.actions.pop().is_some() {
            self.positions.pop();
        }
    }

    /// Does what a key of the terminal asks for.
    fn obey(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => self.is_at_it = false,
            KeyCode::Char('c' | 'd') if control => self.is_at_it = false,
            KeyCode::Char('z') if control => self.undo(),
            KeyCode::Backspace => self.undo(),
            KeyCode::Char(letter) if !control => self.press(Key::Character(letter)),
            KeyCode::Left => self.press(Key::Left),
            KeyCode::Right => self.press(Key::Right),
            KeyCode::Up => self.press(Key::Up),
            KeyCode::Down => self.press(Key::Down),
            KeyCode::Home => self.press(Key::Home),
            KeyCode::End => self.press(Key::End),
            KeyCode::PageUp => self.press(Key::PageUp),
            KeyCode::PageDown => self.press(Key::PageDown),
            _ => {}
        }
    }

    fn status(&self) -> String {
        match self.refused.is_empty() {
            true => format!("{}  Backspace undoes  Esc ends", self.keyboard.help),
            false => self.refused.clone(),
        }
    }

    fn result(&self) -> String {
        let score = self.now().scores().first().copied().unwrap_or_default();
        let ending = match self.now().outcome() {
            Some(outcome) => outcome.ending,
            None => "not finished".to_owned(),
        };
        let refused = match self.refused.is_empty() {
            true => String::new(),
            false => format!("the last key was refused: {}\n", self.refused),
        };
        format!("score {} after {} actions, {ending}\n{refused}", figure(score), self.actions.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand() -> Hand {
        let catalog = crate::catalog::catalog();
        let entry = catalog.entry("hextris").unwrap();
        let game = entry.game("drawn?size=21").unwrap();
        Hand::new(entry.keyboard().unwrap(), game.begin(1))
    }

    fn obey(hand: &mut Hand, code: KeyCode) {
        hand.obey(KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn keys_play_and_backspace_takes_back() {
        let mut hand = hand();
        obey(&mut hand, KeyCode::Left);
        obey(&mut hand, KeyCode::Char(' '));
        assert_eq!(hand.actions.len(), 2);
        let seen = hand.now().observation(quintain_core::Seat::new(0));
        obey(&mut hand, KeyCode::Char('b'));
        obey(&mut hand, KeyCode::Backspace);
        assert_eq!(hand.now().observation(quintain_core::Seat::new(0)), seen);
        (0..5).for_each(|_| obey(&mut hand, KeyCode::Backspace));
        assert!(hand.actions.is_empty() && hand.positions.len() == 1);
    }

    #[test]
    fn what_the_rules_refuse_is_told_and_changes_nothing() {
        let mut hand = hand();
        obey(&mut hand, KeyCode::Left);
        obey(&mut hand, KeyCode::Right);
        assert_eq!(hand.actions.len(), 1);
        assert!(hand.status().contains("a position it has had"), "{}", hand.status());
        obey(&mut hand, KeyCode::Char('ä'));
        assert!(hand.status().contains("Backspace"));
    }

    #[test]
    fn escape_and_control_c_end_it() {
        let mut hand = hand();
        obey(&mut hand, KeyCode::Esc);
        assert!(!hand.is_at_it);
        let mut hand = self::hand();
        hand.obey(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert!(!hand.is_at_it && hand.actions.is_empty());
    }
}
