//! Light cycles: the whole truth of the game. Each seat's head moves one cell a
//! turn and leaves a wall behind; entering a wall, a trail or another head's cell
//! is a crash, and the last one alive wins.
//!
//! One engine for the four contests (`hackerrank`, `gaic2010`, `codingame`,
//! `riddles`): they differ in who moves when ([`Moves`]) and in what becomes of the
//! trail of the fallen ([`Trails`]). Boards are in [`crate::scenarios`], text forms
//! in [`crate::notation`].

use std::fmt;

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn, choices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::territory;

/// The most seats a board can have (codingame's limit).
pub const MAX_SEATS: usize = 4;
/// The greatest width and height, border included.
pub const MAX_SIDE: usize = 128;

const FREE: u8 = 0;
const WALL: u8 = 1;
const TRAIL: u8 = 2;

choices! {
    /// Who moves when.
    pub enum Moves {
        /// Everyone at once.
        Simultaneous = "simultaneous",
        /// One after another, in the order of seats.
        Sequential = "sequential",
    }
}

choices! {
    /// What becomes of the trail of the fallen.
    pub enum Trails {
        /// It stays.
        Stay = "stay",
        /// It vanishes, and its cells can be entered again.
        Vanish = "vanish",
    }
}

/// Where a head goes next. Text form `U`, `R`, `D`, `L`.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// One row up.
    Up,
    /// One column right.
    Right,
    /// One row down.
    Down,
    /// One column left.
    Left,
}

impl Direction {
    /// All four, clockwise from up.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// The direction back.
    pub fn opposite(self) -> Self {
        Direction::ALL[(self as usize + 2) % 4]
    }
}

/// For each set of directions (bit 0 is up) its members in order: a table, because
/// looking for the n-th by branches would guess wrong on every random move.
static NTH_DIRECTION: [[Direction; 4]; 16] = {
    let mut table = [[Direction::Up; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut way, mut n) = (0, 0);
        while way < 4 {
            if mask >> way & 1 == 1 {
                table[mask][n] = Direction::ALL[way];
                n += 1;
            }
            way += 1;
        }
        mask += 1;
    }
    table
};

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Nothing.
    Free,
    /// A wall of the board.
    Wall,
    /// The trail (or head) of a seat.
    Trail(Seat),
}

/// A position: the board, where the heads are and who has fallen when.
///
/// Cells are numbered row by row; the outermost ring of cells is wall.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) width: u16,
    pub(crate) cells: Vec<u8>,
    pub(crate) seats: u8,
    pub(crate) heads: [u16; MAX_SEATS],
    /// The turn (from 1) on which a seat fell; 0 while it lives.
    pub(crate) fallen: [u16; MAX_SEATS],
    /// Seats that live.
    pub(crate) living: u8,
    /// Turns played.
    pub(crate) turn: u16,
    /// Whose move it is, when moves are sequential.
    pub(crate) to_move: u8,
    pub(crate) last: LastEvent,
}

/// What the last turn brought, to tell how the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LastEvent {
    /// All went on.
    #[default]
    Moves,
    /// Someone crashed.
    Crash,
    /// Two entered the same cell.
    HeadOn,
}

impl State {
    /// A board without anyone on it. `is_wall` tells the walls; the outermost ring
    /// must be among them.
    pub(crate) fn empty(
        width: usize,
        height: usize,
        is_wall: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let wall = |cell| {
            let (row, column) = (cell / width, cell % width);
            let ring = row == 0 || column == 0 || row == height - 1 || column == width - 1;
            debug_assert!(!ring || is_wall(row, column), "the outermost ring is wall");
            if ring || is_wall(row, column) { WALL } else { FREE }
        };
        State {
            width: width as u16,
            cells: (0..width * height).map(wall).collect(),
            seats: 0,
            heads: [0; MAX_SEATS],
            fallen: [0; MAX_SEATS],
            living: 0,
            turn: 0,
            to_move: 0,
            last: LastEvent::Moves,
        }
    }

    /// Seats the next player at a free cell.
    pub(crate) fn place(&mut self, row: usize, column: usize) {
        let cell = row * self.width() + column;
        debug_assert_eq!(self.cells[cell], FREE, "a start on a taken cell");
        self.cells[cell] = TRAIL + self.seats;
        self.heads[usize::from(self.seats)] = cell as u16;
        self.seats += 1;
        self.living += 1;
    }

    /// Columns, border included.
    #[inline]
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Rows, border included.
    pub fn height(&self) -> usize {
        self.cells.len() / self.width()
    }

    /// Seats at the start.
    pub fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    /// Turns played.
    pub fn turn(&self) -> u32 {
        self.turn.into()
    }

    /// Every cell by number: 0 is free, 1 wall, 2 and above the trail or head of seat 0 and above.
    #[inline]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// What the cell of this number holds.
    pub fn cell(&self, cell: usize) -> Cell {
        match self.cells[cell] {
            FREE => Cell::Free,
            WALL => Cell::Wall,
            trail => Cell::Trail(Seat::new(usize::from(trail - TRAIL))),
        }
    }

    /// Whether the cell of this number can be entered.
    #[inline]
    pub fn is_free(&self, cell: usize) -> bool {
        self.cells[cell] == FREE
    }

    /// The number of the cell where the head of `seat` is (or was when it fell).
    #[inline]
    pub fn head(&self, seat: Seat) -> usize {
        usize::from(self.heads[seat.index()])
    }

    /// Whether `seat` is still in the game.
    #[inline]
    pub fn is_alive(&self, seat: Seat) -> bool {
        self.fallen[seat.index()] == 0
    }

    /// The seats still in the game.
    pub fn alive(&self) -> impl Iterator<Item = Seat> + '_ {
        Seat::all(self.seats()).filter(|seat| self.is_alive(*seat))
    }

    /// The number of the cell next to `cell`. Cells on the outermost ring have no
    /// neighbour beyond it; heads are never there.
    #[inline]
    pub fn neighbour(&self, cell: usize, direction: Direction) -> usize {
        match direction {
            Direction::Up => cell - self.width(),
            Direction::Right => cell + 1,
            Direction::Down => cell + self.width(),
            Direction::Left => cell - 1,
        }
    }

    /// The directions in which the head of `seat` meets a free cell.
    pub fn free_directions(&self, seat: Seat) -> impl Iterator<Item = Direction> + '_ {
        let head = self.head(seat);
        Direction::ALL.into_iter().filter(move |way| self.is_free(self.neighbour(head, *way)))
    }

    /// The free neighbours of the head of `seat`, a bit a direction.
    #[inline]
    fn free_mask(&self, seat: Seat) -> u32 {
        let head = self.head(seat);
        let width = self.width();
        let free = |cell: usize| u32::from(self.cells[cell] == FREE);
        free(head - width) | free(head + 1) << 1 | free(head + width) << 2 | free(head - 1) << 3
    }

    /// Gives a cell to the trail of `seat`.
    pub(crate) fn take(&mut self, cell: usize, seat: Seat) {
        self.cells[cell] = TRAIL + seat.index() as u8;
    }

    /// The same position with these seats' heads elsewhere, a wall left at each.
    pub(crate) fn with_heads(&self, heads: [(Seat, usize); 2]) -> State {
        let mut moved = self.clone();
        for (seat, cell) in heads {
            moved.enter(seat.index(), cell);
        }
        moved
    }

    #[inline]
    fn enter(&mut self, seat: usize, cell: usize) {
        self.cells[cell] = TRAIL + seat as u8;
        self.heads[seat] = cell as u16;
    }

    fn fall(&mut self, seat: usize, trails: Trails) {
        self.fallen[seat] = self.turn + 1;
        self.living -= 1;
        if trails == Trails::Vanish {
            let trail = TRAIL + seat as u8;
            self.cells.iter_mut().filter(|cell| **cell == trail).for_each(|cell| *cell = FREE);
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}\n{self}", self.turn)
    }
}

/// The rules. The board is part of the position.
#[derive(Clone, Debug)]
pub struct Tron {
    seats: usize,
    moves: Moves,
    trails: Trails,
}

impl Tron {
    /// The rules for so many seats.
    pub fn new(seats: usize, moves: Moves, trails: Trails) -> Tron {
        Tron { seats, moves, trails }
    }

    /// Who moves when.
    pub fn moves(&self) -> Moves {
        self.moves
    }

    /// What becomes of the trail of the fallen.
    pub fn trails(&self) -> Trails {
        self.trails
    }

    /// Two move at once and neither crashes: nearly every turn of a duel. Returns
    /// false, with nothing done, where it is otherwise.
    #[inline]
    fn step_two(state: &mut State, joint: &[Direction]) -> bool {
        let (&[first, second], 2) = (joint, state.seats) else { return false };
        let targets = [
            state.neighbour(usize::from(state.heads[0]), first),
            state.neighbour(usize::from(state.heads[1]), second),
        ];
        let taken = state.cells[targets[0]] | state.cells[targets[1]];
        if taken != FREE || targets[0] == targets[1] {
            return false;
        }
        state.enter(0, targets[0]);
        state.enter(1, targets[1]);
        state.turn += 1;
        true
    }

    /// Everyone moves at once. Crashes are judged on the board before the move, heads
    /// included, so that a swap of heads is a crash of both.
    fn step_together(&self, state: &mut State, joint: &[Direction]) {
        let mut targets = [usize::MAX; MAX_SEATS];
        let mut directions = joint.iter();
        for seat in 0..state.seats() {
            if state.fallen[seat] == 0 {
                let direction = *directions.next().expect("an action for each living seat");
                targets[seat] = state.neighbour(usize::from(state.heads[seat]), direction);
            }
        }
        let seats = state.seats();
        let mut crashed = [false; MAX_SEATS];
        for seat in 0..seats {
            let target = targets[seat];
            if target == usize::MAX {
                continue;
            }
            let shared = (0..seats).any(|other| other != seat && targets[other] == target);
            crashed[seat] = shared || state.cells[target] != FREE;
            if shared && state.cells[target] == FREE {
                state.last = LastEvent::HeadOn;
            }
        }
        for seat in 0..seats {
            if crashed[seat] {
                if state.last == LastEvent::Moves {
                    state.last = LastEvent::Crash;
                }
                state.fall(seat, self.trails);
            } else if targets[seat] != usize::MAX {
                state.enter(seat, targets[seat]);
            }
        }
        state.turn += 1;
    }

    /// One seat moves; the turn passes to the next one alive.
    fn step_alone(&self, state: &mut State, direction: Direction) {
        let seat = usize::from(state.to_move);
        let target = state.neighbour(usize::from(state.heads[seat]), direction);
        if state.cells[target] == FREE {
            state.enter(seat, target);
        } else {
            state.last = LastEvent::Crash;
            state.fall(seat, self.trails);
        }
        state.turn += 1;
        for _ in 0..state.seats {
            state.to_move = (state.to_move + 1) % state.seats;
            if state.fallen[usize::from(state.to_move)] == 0 {
                break;
            }
        }
    }
}

impl Rules for Tron {
    type State = State;
    type Action = Direction;
    type Observation = State;

    fn seats(&self) -> usize {
        self.seats
    }

    fn scoring(&self) -> Scoring {
        Scoring::Adversarial
    }

    fn setting(&self) -> serde_json::Value {
        let (moves, trails) = (self.moves.to_string(), self.trails.to_string());
        serde_json::json!({ "moves": moves, "trails": trails })
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.living <= 1 {
            Turn::Over
        } else if self.moves == Moves::Simultaneous {
            Turn::Simultaneous
        } else {
            Turn::Seat(Seat::new(usize::from(state.to_move)))
        }
    }

    #[inline]
    fn is_acting(&self, state: &State, seat: Seat) -> bool {
        state.is_alive(seat)
    }

    fn actions(&self, _state: &State, _seat: Seat, out: &mut Vec<Direction>) {
        out.extend(Direction::ALL);
    }

    /// The directions that do not crash, if there are any: a crash is at best a draw
    /// where the other survives it too, and then staying alive wins.
    fn pruned_actions(&self, state: &State, seat: Seat, out: &mut Vec<Direction>) {
        let before = out.len();
        out.extend(state.free_directions(seat));
        if out.len() == before {
            out.extend(Direction::ALL);
        }
    }

    #[inline]
    fn random_action(&self, _state: &State, _seat: Seat, rng: &mut Rng) -> Direction {
        Direction::ALL[rng.below(4)]
    }

    #[inline]
    fn rollout_action(&self, state: &State, seat: Seat, rng: &mut Rng) -> Direction {
        // Where nothing is free all four crash alike.
        let mask = match state.free_mask(seat) {
            0 => 0b1111,
            mask => mask,
        };
        NTH_DIRECTION[mask as usize][rng.below(mask.count_ones() as usize)]
    }

    fn check(&self, state: &State, seat: Seat, _action: &Direction) -> Result<(), Illegal> {
        // Every direction is legal, into a wall too: a crash is an outcome, not an error.
        if !state.is_alive(seat) {
            return Err(Illegal(format!("seat {seat} has crashed and moves no more")));
        }
        Ok(())
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Direction]) {
        match self.moves {
            Moves::Simultaneous => {
                if !Self::step_two(state, joint) {
                    self.step_together(state, joint);
                }
            }
            Moves::Sequential => self.step_alone(state, joint[0]),
        }
    }

    fn observe(&self, state: &State, _seat: Seat) -> State {
        state.clone()
    }

    fn determinize(&self, observation: &State, _seat: Seat, _rng: &mut Rng) -> State {
        observation.clone()
    }

    /// The share of the others outlived; those that fell on the same turn count half.
    #[inline]
    fn score(&self, state: &State, seat: Seat) -> f64 {
        // Who lives has fallen last.
        let last =
            |seat: usize| if state.fallen[seat] == 0 { u16::MAX } else { state.fallen[seat] };
        let mine = last(seat.index());
        let halves: u32 = (0..state.seats())
            .filter(|other| *other != seat.index())
            .map(|other| match last(other).cmp(&mine) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            })
            .sum();
        f64::from(halves) / f64::from(2 * (u32::from(state.seats) - 1))
    }

    /// While two or more live: the share of the reachable cells that the seat reaches
    /// first.
    fn estimate(&self, state: &State, seat: Seat) -> f64 {
        if self.turn(state) == Turn::Over || !state.is_alive(seat) {
            return self.score(state, seat);
        }
        territory::share(state, seat)
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = match (state.last, state.alive().next()) {
            (LastEvent::HeadOn, None) => "head-on",
            (_, None) => "crash together",
            _ => "crash",
        };
        Ending { reason, truncated: false }
    }

    fn forfeit(&self, state: &State, seat: Seat) -> Vec<f64> {
        // The offender counts as fallen before all who still live.
        let mut after = state.clone();
        if after.is_alive(seat) {
            after.fallen[seat.index()] = after.turn + 1;
        }
        Seat::all(self.seats).map(|seat| self.score(&after, seat)).collect()
    }

    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let free = state.cells.iter().filter(|cell| **cell == FREE).count();
        vec![("free cells left", free as f64)]
    }
}
