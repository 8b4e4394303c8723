//! Hextris for learners: an action is a command, or a letter where phrases are to be spoken; there
//! is one byte per cell. The encoding by whole units is [`places`].

pub(crate) mod places;

use quintain_core::{Encoding, Layout, ScoreChange, Seat, View};

use crate::notation::CommandString;
use crate::rules::commands::{Command, command_of};
use crate::rules::units::Position;
use crate::rules::{Hextris, State};

const EMPTY: u8 = 0;
const FULL: u8 = 1;
const UNIT: u8 = 2;
/// The number of letters of a command.
const LETTERS: usize = 6;

pub(crate) struct HextrisEncoding {
    rules: Hextris,
    /// The byte that each action speaks, in the order of commands.
    letters: Vec<u8>,
    /// The number of actions per command.
    ways: usize,
    sides: (usize, usize),
}

impl HextrisEncoding {
    /// Actions are the six commands, or their 36 letters.
    pub(crate) fn new(rules: Hextris, letters: bool) -> HextrisEncoding {
        let ways = if letters { LETTERS } else { 1 };
        let letters_of = |command: Command| command.letters().bytes().take(ways);
        let letters = Command::ALL.into_iter().flat_map(letters_of).collect();
        let board = rules.instance().problem().board();
        let sides = (board.height(), board.width());
        HextrisEncoding { rules, letters, ways, sides }
    }

    #[inline]
    fn put(&self, board: &mut [u8], came: u32, position: Position, is: u8) {
        let unit = self.rules.instance().nth(came as usize - 1);
        for cell in unit.cells(position) {
            board[cell.y as usize * self.sides.1 + cell.x as usize] = is;
        }
    }

    #[inline]
    fn tell(&self, state: &State, view: &mut View<'_>) {
        let [unit, rotation, column, row, left, next] = view.features else { return };
        let queue = self.rules.instance().queue();
        let came = state.came as usize;
        *left = (queue.len() - came) as i32;
        *next = queue.get(came).map_or(-1, |next| i32::from(*next));
        [*unit, *rotation, *column, *row] = match &state.walk {
            Some(walk) => {
                let at = walk.position();
                [i32::from(queue[came - 1]), at.rotation.into(), at.x.into(), at.y.into()]
            }
            None => [-1, 0, 0, 0],
        };
    }
}

impl Encoding for HextrisEncoding {
    type Rules = Hextris;
    /// How many units had come, where the last one was, and the lines so far.
    type Trace = (u32, Option<Position>, u32);

    fn rules(&self) -> &Hextris {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let features = ["unit", "rotation", "column", "row", "units left", "next unit"];
        let board = [self.sides.0, self.sides.1];
        Layout::new(1, self.letters.len(), board, u16::from(UNIT) + 1).with_features(features)
    }

    fn action(&self, _state: &State, _seat: Seat, number: usize) -> Option<CommandString> {
        char::from(*self.letters.get(number)?).to_string().parse().ok()
    }

    /// One letter at a time; where actions are commands, the first letter of each stands for all of
    /// its letters.
    fn parts(
        &self,
        _state: &State,
        _seat: Seat,
        action: &CommandString,
    ) -> Vec<(usize, CommandString)> {
        let number = |byte: u8| match self.ways {
            1 => Command::ALL.iter().position(|command| Some(*command) == command_of(byte)),
            _ => self.letters.iter().position(|letter| *letter == byte),
        };
        let part = |byte: u8| CommandString::from_commands(char::from(byte).to_string());
        let parts = action.text().bytes().map(|byte| Some((number(byte)?, part(byte))));
        parts.collect::<Option<_>>().unwrap_or_default()
    }

    #[inline]
    fn play(&self, state: &mut State, action: impl Fn(Seat) -> usize) -> Result<ScoreChange, Seat> {
        let (seat, before) = (Seat::new(0), state.came);
        match self.rules.instance().speak(state, self.letters[action(seat)]) {
            Err(_) => Err(seat),
            // A lock, or a phrase.
            Ok(_) if state.came != before || state.walk.is_none() => Ok(ScoreChange::Possible),
            Ok(_) if self.rules.instance().phrases().phrases_at(state.node).is_empty() => {
                Ok(ScoreChange::None)
            }
            Ok(_) => Ok(ScoreChange::Possible),
        }
    }

    /// All commands except those that bring the unit back to where it has been.
    #[inline]
    fn mask(&self, state: &State, _seat: Seat, out: &mut [i8]) {
        let Some(walk) = &state.walk else { return out.fill(0) };
        let unit = self.rules.instance().unit(state);
        let mut allowed = [1; Command::ALL.len()];
        for (command, allowed) in Command::ALL.into_iter().zip(&mut allowed) {
            let next = walk.position().after(command, unit.period());
            let left = unit.left(next);
            // There is room for it wherever it has been.
            let back = !command.is_down()
                && (0..self.sides.1 as i32).contains(&left)
                && walk.visited_columns()[usize::from(next.rotation)] >> left & 1 == 1;
            *allowed = i8::from(!back);
        }
        if self.ways == 1 {
            return out.copy_from_slice(&allowed);
        }
        for (out, allowed) in out.chunks_exact_mut(self.ways).zip(allowed) {
            out.fill(allowed);
        }
    }

    fn write(&self, state: &State, view: &mut View<'_>) {
        if !view.board.is_empty() {
            let rows = view.board.chunks_exact_mut(self.sides.1).zip(state.board.rows());
            for (out, row) in rows {
                for (column, out) in out.iter_mut().enumerate() {
                    *out = if row >> column & 1 == 1 { FULL } else { EMPTY };
                }
            }
            if let Some(walk) = &state.walk {
                self.put(view.board, state.came, walk.position(), UNIT);
            }
        }
        self.tell(state, view);
    }

    #[inline]
    fn trace(&self, state: &State) -> Self::Trace {
        (state.came, state.walk.as_ref().map(|walk| walk.position()), state.lines)
    }

    #[inline]
    fn rewrite(&self, (came, at, lines): Self::Trace, state: &State, view: &mut View<'_>) {
        let Some(at) = at.filter(|_| lines == state.lines) else {
            return self.write(state, view);
        };
        if !view.board.is_empty() {
            let locked = came != state.came || state.walk.is_none();
            self.put(view.board, came, at, if locked { FULL } else { EMPTY });
            if let Some(walk) = &state.walk {
                self.put(view.board, state.came, walk.position(), UNIT);
            }
        }
        self.tell(state, view);
    }
}
