//! Let's Get Together: the whole truth of the game. Everyone holds one unit of
//! information and moves one cell a round on a torus, all at once; those that end a
//! round on one cell pool what they hold; every cell remembers each unit that was
//! ever carried onto it. The match ends when any player holds all units.
//!
//! From the CS4444 course problem (Columbia, 2004) and its report “Project 3: Let's
//! Get Together”. What the sources leave open is a field of [`Variant`], with its
//! reading. Boards are in [`crate::scenarios`], what a seat sees in
//! [`crate::observation`].

use std::sync::Arc;

use quintain_core::{Ending, Illegal, Objective, Rng, Rules, Scoring, Seat, Turn, choices};

use crate::ids::Ids;
use crate::observation::{self, Observation};
use crate::torus::{Cell, Move, Torus};
use crate::units::numbers;

choices! {
    /// How the diagonal moves are numbered; the course gives 0 stay, 1 west, 2 east,
    /// 3 north, 4 south.
    pub enum Diagonals {
        /// 5 NW, 6 NE, 7 SW, 8 SE.
        Rows = "rows",
        /// 5 NE, 6 SE, 7 SW, 8 NW.
        Clockwise = "clockwise",
    }
}

/// What can be chosen about the rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The board.
    pub torus: Torus,
    /// N: players, and units.
    pub players: usize,
    /// Several may start on one cell; those pool at once.
    pub shared: bool,
    /// A start cell is marked with its player's unit before the first round.
    pub marked: bool,
    /// A player sees itself among the players on its own cell.
    pub mirror: bool,
    /// The numbers of the diagonal moves.
    pub diagonals: Diagonals,
    /// Everybody is 0 to itself and sees the others under numbers of its own.
    pub masked: bool,
    /// The round on which the match is cut off.
    pub limit: u32,
}

/// No player.
const NOBODY: u16 = u16::MAX;

/// A position: where everyone is, what they hold, and the trails.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    torus: Torus,
    /// Words of a set of units.
    words: usize,
    pub(crate) at: Vec<Cell>,
    pub(crate) holds: Vec<u64>,
    pub(crate) trails: Vec<u64>,
    /// On each cell, the first of a chain of the players there.
    first: Vec<u16>,
    /// For each player, the next one on its cell.
    next: Vec<u16>,
    pub(crate) round: u32,
    /// Somebody holds all units.
    complete: bool,
    pub(crate) starts: Arc<[Cell]>,
    pub(crate) ids: Arc<Ids>,
}

impl State {
    /// Players on these cells, each with its own unit; those on one cell have not
    /// pooled, and nothing is marked.
    pub(crate) fn placed(torus: Torus, at: Vec<Cell>, ids: Ids) -> State {
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
            ids: Arc::new(ids),
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

    /// Players.
    pub fn seats(&self) -> usize {
        self.at.len()
    }

    /// Rounds played.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Where a seat is.
    pub fn cell_of(&self, seat: Seat) -> Cell {
        self.at[seat.index()]
    }

    /// The units that a seat holds, each called by its first holder's seat.
    pub fn holdings(&self, seat: Seat) -> impl Iterator<Item = usize> + '_ {
        numbers(self.holdings_words(seat.index()))
    }

    /// The units ever carried onto the cell of this number.
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

    /// The seats on the cell of this number.
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

    /// Puts a player on a cell; whether somebody is there already.
    #[inline]
    fn arrive(&mut self, seat: usize, cell: Cell) -> bool {
        let index = self.torus.index(cell);
        self.at[seat] = cell;
        let before = std::mem::replace(&mut self.first[index], seat as u16);
        self.next[seat] = before;
        before != NOBODY
    }

    /// Everybody moves; whether any two are on one cell now.
    #[inline]
    fn move_all(&mut self, joint: &[Move]) -> bool {
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

    /// Those on one cell pool all they hold.
    pub(crate) fn pool(&mut self) {
        let words = self.words;
        let mut all = vec![0; words];
        for seat in 0..self.seats() {
            let index = self.torus.index(self.at[seat]);
            // Once a cell, by the first of its chain, and only where that is several.
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

    /// Everybody's cell is marked with what it holds.
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
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// The rules on a board, for so many players.
#[derive(Clone, Debug)]
pub struct Gather {
    variant: Variant,
}

/// The greatest side of a board.
pub const MAX_SIDE: u16 = 10_000;
/// The most cells of a board.
pub const MAX_AREA: usize = 4_000_000;

impl Gather {
    /// The game by these rules.
    ///
    /// # Errors
    /// If a side is zero or too long, or there are no players or more than cells.
    pub fn new(variant: Variant) -> Result<Gather, String> {
        let Torus { width, height } = variant.torus;
        let sides = 1..=MAX_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(format!("the board is {width}×{height}; sides go from 1 to {MAX_SIDE}"));
        }
        let area = variant.torus.area();
        if area > MAX_AREA {
            return Err(format!("{width}×{height} are {area} cells; {MAX_AREA} are possible"));
        }
        if variant.players == 0 {
            return Err("a match needs at least one player".to_owned());
        }
        if variant.players > area {
            return Err(format!(
                "{} players on {width}×{height} are more than its {area} cells",
                variant.players
            ));
        }
        if variant.players > usize::from(NOBODY) {
            return Err(format!("{} players; {NOBODY} are possible", variant.players));
        }
        Ok(Gather { variant })
    }

    /// What was chosen about the rules.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The board.
    pub fn torus(&self) -> Torus {
        self.variant.torus
    }

    /// The number of a move.
    pub fn number(&self, to: Move) -> usize {
        let rows = to as usize;
        match (self.variant.diagonals, to) {
            (Diagonals::Rows, _) => rows,
            (_, Move::NE) => 5,
            (_, Move::SE) => 6,
            (_, Move::SW) => 7,
            (_, Move::NW) => 8,
            _ => rows,
        }
    }

    /// The match that starts on these cells, for tests and experiments.
    pub fn starting_on(&self, starts: Vec<Cell>, rng: &mut Rng) -> State {
        let ids = match self.variant.masked {
            true => Ids::masked(starts.len(), rng),
            false => Ids::plain(starts.len()),
        };
        let mut state = State::placed(self.variant.torus, starts, ids);
        state.pool();
        if self.variant.marked {
            state.mark();
        }
        state
    }
}

impl Rules for Gather {
    type State = State;
    type Action = Move;
    type Observation = Observation;

    fn seats(&self) -> usize {
        self.variant.players
    }

    fn objective(&self) -> Objective {
        Objective::Minimize
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn setting(&self) -> serde_json::Value {
        let variant = &self.variant;
        serde_json::json!({
            "width": variant.torus.width,
            "height": variant.torus.height,
            "players": variant.players,
            "shared": variant.shared,
            "marked": variant.marked,
            "mirror": variant.mirror,
            "diagonals": variant.diagonals.to_string(),
            "masked": variant.masked,
            "limit": variant.limit,
        })
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, self.variant.limit.into()))
    }

    fn has_hidden_information(&self) -> bool {
        true
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.complete || state.round >= self.variant.limit {
            Turn::Over
        } else {
            Turn::Simultaneous
        }
    }

    fn actions(&self, _state: &State, _seat: Seat, out: &mut Vec<Move>) {
        out.extend(Move::ALL);
    }

    #[inline]
    fn random_action(&self, _state: &State, _seat: Seat, rng: &mut Rng) -> Move {
        Move::ALL[rng.below(9)]
    }

    #[inline]
    fn rollout_action(&self, _state: &State, _seat: Seat, rng: &mut Rng) -> Move {
        Move::ALL[rng.below(9)]
    }

    #[inline]
    fn check(&self, _state: &State, _seat: Seat, _action: &Move) -> Result<(), Illegal> {
        Ok(())
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Move]) {
        if state.move_all(joint) {
            state.pool();
        }
        state.mark();
        state.round += 1;
    }

    fn observe(&self, state: &State, seat: Seat) -> Observation {
        observation::observe(self, state, seat)
    }

    fn determinize(&self, observation: &Observation, seat: Seat, rng: &mut Rng) -> State {
        observation::determinize(self, observation, seat, rng)
    }

    /// The rounds played: the same for every seat.
    #[inline]
    fn score(&self, state: &State, _seat: Seat) -> f64 {
        state.round.into()
    }

    fn ending(&self, state: &State) -> Ending {
        match state.complete {
            true => Ending { reason: "gathered", truncated: false },
            false => Ending { reason: "round limit", truncated: true },
        }
    }

    /// Who spoils the match spoils it for all: it counts as never gathered.
    fn forfeit(&self, _state: &State, _seat: Seat) -> Vec<f64> {
        vec![self.variant.limit.into(); self.variant.players]
    }

    /// The bounds on this instance, and how near the match came.
    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let Torus { width, height } = self.variant.torus;
        let bound = f64::from(self.variant.torus.clairvoyant_bound(&state.starts));
        let tour = 2.0 * (f64::from(width) + f64::from(height));
        let mut metrics = vec![
            ("clairvoyant bound", bound),
            ("2L+2W", tour),
            ("rounds / (2L+2W)", f64::from(state.round) / tour),
        ];
        if bound > 0.0 {
            metrics.push(("rounds / bound", f64::from(state.round) / bound));
        }
        metrics
    }
}
