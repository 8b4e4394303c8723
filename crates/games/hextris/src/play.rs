//! A game as it is spoken, letter by letter: the whole truth of hextris, after the
//! specification of the ICFP Programming Scoring 2015. It is neither a seat's turn
//! ([`crate::rules`]) nor the account of a finished text ([`crate::score`]).

use std::sync::Arc;

use crate::board::{Board, points};
use crate::commands::Letter;
use crate::phrases::Phrases;
use crate::problem::Problem;
use crate::units::Unit;
use crate::walk::{Walk, Went};

/// One game of a problem: the units in their order, and the phrases that count.
#[derive(Clone, Debug)]
pub struct Course {
    problem: Arc<Problem>,
    seed: u32,
    queue: Arc<[u16]>,
    phrases: Arc<Phrases>,
}

/// Where a game is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// What is full.
    pub board: Board,
    /// How many units have come.
    pub came: u32,
    /// The unit on its way; none when the game is over.
    pub walk: Option<Walk>,
    /// Lines of the last lock: `ls_old`.
    pub before: u32,
    /// Points of locks.
    pub moves: u64,
    /// Lines in all.
    pub lines: u32,
    /// Letters spoken.
    pub spoken: u64,
    /// What has been heard: a node of the phrases' automaton.
    pub node: u16,
    /// How often each phrase has been spoken.
    pub counts: Vec<u32>,
}

/// What a letter did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Did {
    /// Nothing: white space.
    Nothing,
    /// The unit moved.
    Moved,
    /// The unit locked, taking lines away.
    Locked {
        /// How many.
        lines: u32,
    },
}

/// Why a letter spoils the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// The unit has been there.
    #[error("it brings the unit back to a position it has had")]
    Back,
    /// No command.
    #[error("it is no command")]
    Unknown,
    /// The game is over.
    #[error("the game is over before it")]
    Over,
}

impl Course {
    /// The game of this seed.
    pub fn new(problem: Arc<Problem>, seed: u32, phrases: Arc<Phrases>) -> Course {
        let queue = problem.queue(seed).into();
        Course { problem, seed, queue, phrases }
    }

    /// The problem.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    /// The seed.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// The phrases that count.
    pub fn phrases(&self) -> &Arc<Phrases> {
        &self.phrases
    }

    /// The units in the order in which they come, as indices.
    #[inline]
    pub fn queue(&self) -> &[u16] {
        &self.queue
    }

    /// The n-th unit to come, from 0.
    #[inline]
    pub fn nth(&self, n: usize) -> &Unit {
        &self.problem.units()[usize::from(self.queue[n])]
    }

    /// The unit on its way.
    #[inline]
    pub fn unit(&self, state: &State) -> &Unit {
        self.nth(state.came as usize - 1)
    }

    /// The start: the first unit has come, if there is room for it.
    pub fn start(&self) -> State {
        let mut state = State {
            board: self.problem.board().clone(),
            came: 0,
            walk: None,
            before: 0,
            moves: 0,
            lines: 0,
            spoken: 0,
            node: 0,
            counts: vec![0; self.phrases.len()],
        };
        self.spawn(&mut state);
        state
    }

    /// Lets the next unit come, if there is one and room for it.
    #[inline]
    fn spawn(&self, state: &mut State) {
        state.walk = None;
        if (state.came as usize) < self.queue.len() {
            let unit = self.nth(state.came as usize);
            if unit.fits(&state.board, unit.spawn()) {
                state.came += 1;
                state.walk = Some(Walk::new(unit, unit.spawn()));
            }
        }
    }

    /// Whether the game ended for want of room rather than of units.
    pub fn is_stuck(&self, state: &State) -> bool {
        state.walk.is_none() && (state.came as usize) < self.queue.len()
    }

    /// Speaks a letter.
    ///
    /// # Errors
    /// If that spoils the game; the state is as before.
    #[inline]
    pub fn speak(&self, state: &mut State, letter: u8) -> Result<Did, Wrong> {
        let did = match Letter::of(letter) {
            Letter::Ignored => Did::Nothing,
            Letter::Unknown => return Err(Wrong::Unknown),
            Letter::Command(command) => {
                let Some(walk) = &mut state.walk else { return Err(Wrong::Over) };
                let unit = self.nth(state.came as usize - 1);
                match walk.go(unit, &state.board, command) {
                    Went::Back => return Err(Wrong::Back),
                    Went::On => Did::Moved,
                    Went::Locks => {
                        let lines = state.board.lock(unit, walk.position());
                        state.moves += points(unit.size(), lines, state.before);
                        state.before = lines;
                        state.lines += lines;
                        self.spawn(state);
                        Did::Locked { lines }
                    }
                }
            }
        };
        state.spoken += 1;
        state.node = self.phrases.after(state.node, letter);
        for phrase in self.phrases.heard(state.node) {
            state.counts[usize::from(*phrase)] += 1;
        }
        Ok(did)
    }

    /// Points of the phrases spoken.
    pub fn power(&self, state: &State) -> u64 {
        self.phrases.power(&state.counts)
    }

    /// All points.
    pub fn score(&self, state: &State) -> u64 {
        state.moves + self.power(state)
    }
}
