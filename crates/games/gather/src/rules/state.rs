//! A position of gather: where everyone is, what they hold and what the trails show. The order in
//! which a round moves, pools and marks is in [`crate::rules`].

use std::sync::Arc;

use quintain_core::Seat;

use crate::rules::ids::Ids;
use crate::rules::torus::{Cell, Move, Torus};
use crate::rules::units::numbers;

/// No player.
pub(crate) const NOBODY: u16 = u16::MAX;

/// A position: where everyone is, what they hold, and the trails.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    torus: Torus,
    /// The number of words in a set of units: 64 units per word.
    words: usize,
    /// The cell of each seat.
    pub(crate) at: Vec<Cell>,
    /// The units of each seat, `words` words per seat.
    pub(crate) holds: Vec<u64>,
    /// The units ever carried onto each cell, `words` words per cell.
    pub(crate) trails: Vec<u64>,
    /// For each cell, the first in the chain of the players there.
    first: Vec<u16>,
    /// For each player, the next one on its cell.
    next: Vec<u16>,
    pub(crate) round: u32,
    /// Whether a player holds all units.
    complete: bool,
    pub(crate) starts: Arc<[Cell]>,
    pub(crate) ids: Arc<Ids>,
}

impl State {
    /// Places players on these cells, each with its own unit. Players on the same cell have not
    /// pooled, and nothing is marked.
    pub(crate) fn new(torus: Torus, at: Vec<Cell>, ids: Ids) -> State {
        State::with_shared_ids(torus, at, Arc::new(ids))
    }

    /// The same with ids that another position has, too.
    pub(crate) fn with_shared_ids(torus: Torus, at: Vec<Cell>, ids: Arc<Ids>) -> State {
        let seats = at.len();
        let words = seats.div_ceil(64);
        let mut holds = vec![0; seats * words];
        for seat in 0..seats {
            holds[seat * words + seat / 64] |= 1 << (seat % 64);
        }
        let mut state = State {
            torus,
            words,
            holds,
            trails: vec![0; torus.area() * words],
            first: vec![NOBODY; torus.area()],
            next: vec![NOBODY; seats],
            round: 0,
            complete: seats == 1,
            starts: at.as_slice().into(),
            ids,
            at,
        };
        for seat in 0..seats {
            state.arrive(seat, state.at[seat]);
        }
        state
    }

    /// The board.
    pub fn torus(&self) -> Torus {
        self.torus
    }

    /// The number of players.
    pub fn seats(&self) -> usize {
        self.at.len()
    }

    /// The number of rounds played.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The cell of a seat.
    pub fn cell_of(&self, seat: Seat) -> Cell {
        self.at[seat.index()]
    }

    /// The units that a seat holds, each named by its first holder's seat.
    pub fn holdings(&self, seat: Seat) -> impl Iterator<Item = usize> + '_ {
        numbers(self.holdings_words(seat.index()))
    }

    /// The units ever carried onto the cell with this number.
    pub fn trail(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        numbers(self.trail_words(cell))
    }

    pub(crate) fn holdings_words(&self, seat: usize) -> &[u64] {
        &self.holds[seat * self.words..(seat + 1) * self.words]
    }

    pub(crate) fn trail_words(&self, cell: usize) -> &[u64] {
        &self.trails[cell * self.words..(cell + 1) * self.words]
    }

    pub(crate) fn trail_words_mut(&mut self, cell: usize) -> &mut [u64] {
        &mut self.trails[cell * self.words..(cell + 1) * self.words]
    }

    pub(crate) fn holdings_words_mut(&mut self, seat: usize) -> &mut [u64] {
        &mut self.holds[seat * self.words..(seat + 1) * self.words]
    }

    /// The seats on the cell with this number.
    #[inline]
    pub(crate) fn players_on(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        let mut here = self.first[cell];
        std::iter::from_fn(move || {
            let seat = usize::from(here);
            (here != NOBODY).then(|| {
                here = self.next[seat];
                seat
            })
        })
    }

    /// Puts a player on a cell; returns whether another was there already.
    #[inline]
    fn arrive(&mut self, seat: usize, cell: Cell) -> bool {
        let index = self.torus.index(cell);
        self.at[seat] = cell;
        let before = std::mem::replace(&mut self.first[index], seat as u16);
        self.next[seat] = before;
        before != NOBODY
    }

    /// Moves everybody; returns whether any two are now on one cell.
    #[inline]
    pub(crate) fn move_all(&mut self, joint: &[Move]) -> bool {
        for cell in &self.at {
            let index = self.torus.index(*cell);
            self.first[index] = NOBODY;
        }
        let mut shared = false;
        for (seat, to) in joint.iter().enumerate() {
            let cell = self.torus.after(self.at[seat], *to);
            shared |= self.arrive(seat, cell);
        }
        shared
    }

    /// Lets the players on the same cell pool all they hold.
    pub(crate) fn pool(&mut self) {
        let words = self.words;
        let mut all = vec![0; words];
        for seat in 0..self.seats() {
            let index = self.torus.index(self.at[seat]);
            // Once per cell, from the first player of its chain, and only if the chain has several.
            if usize::from(self.first[index]) != seat || self.next[seat] == NOBODY {
                continue;
            }
            all.fill(0);
            let mut here = seat as u16;
            while here != NOBODY {
                let held = self.holdings_words(usize::from(here));
                all.iter_mut().zip(held).for_each(|(all, held)| *all |= held);
                here = self.next[usize::from(here)];
            }
            here = seat as u16;
            while here != NOBODY {
                let holder = usize::from(here);
                self.holds[holder * words..(holder + 1) * words].copy_from_slice(&all);
                here = self.next[holder];
            }
            let units: u32 = all.iter().map(|word| word.count_ones()).sum();
            self.complete |= units as usize == self.seats();
        }
    }

    /// Marks every player's cell with the units that the player holds.
    #[inline]
    pub(crate) fn mark(&mut self) {
        if self.words == 1 {
            for (cell, held) in self.at.iter().zip(&self.holds) {
                self.trails[self.torus.index(*cell)] |= held;
            }
            return;
        }
        for seat in 0..self.seats() {
            let cell = self.torus.index(self.at[seat]) * self.words;
            let held = seat * self.words;
            for word in 0..self.words {
                self.trails[cell + word] |= self.holds[held + word];
            }
        }
    }

    /// Whether any player holds all units.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}
