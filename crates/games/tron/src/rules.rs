//! The rules of light cycles. Each seat's head moves one cell a turn and leaves a wall
//! behind; entering a wall, a trail or another head's cell is a crash, and the last one
//! alive wins.
//!
//! One engine covers the four contests (`hackerrank`, `gaic2010`, `codingame`, `riddles`): they
//! differ in who moves when ([`Moves`]) and in what becomes of the trail of a crashed player
//! ([`Trails`]). Two more rules are known from other sites: heads with a direction from the start
//! ([`Headings`]), and a last turn. A position is a [`State`]; boards are in
//! [`crate::scenarios`], text forms in [`crate::notation`].

pub(crate) mod direction;
pub(crate) mod state;
pub(crate) mod territory;

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn, choices};
use schemars::JsonSchema;
use serde::Serialize;

use crate::rules::direction::Direction;
use crate::rules::state::{FREE, LastEvent, MAX_SEATS, MET, State, TRAIL};

choices! {
    /// When each seat moves.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Moves {
        /// Everyone at once.
        Simultaneous = "simultaneous",
        /// One after another, in the order of seats.
        Sequential = "sequential",
    }
}

choices! {
    /// What becomes of a fallen player's trail.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Trails {
        /// It stays.
        Stay = "stay",
        /// It vanishes, and its cells can be entered again.
        Vanish = "vanish",
    }
}

choices! {
    /// What a step back means.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Headings {
        /// A crash into the own trail; the first step goes anywhere.
        Free = "free",
        /// The head goes straight on; it has a direction from the start, drawn by seed.
        Drawn = "drawn",
    }
}

/// What every seat knows before the match, in its JSON form.
#[derive(Serialize, JsonSchema)]
struct Setting {
    /// When each seat moves.
    moves: Moves,
    /// What becomes of a fallen player's trail.
    trails: Trails,
    /// What a step back means, if it is not a crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    headings: Option<Headings>,
    /// The turn after which the match ends with those who live then level, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_turn: Option<u16>,
}

/// The members of each set of directions (bit 0 is up), in order. It is a table because finding the
/// n-th member with branches would mispredict on every random move.
static NTH_DIRECTION: [[Direction; 4]; 16] = {
    let mut table = [[Direction::Up; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut direction, mut n) = (0, 0);
        while direction < 4 {
            if mask >> direction & 1 == 1 {
                table[mask][n] = Direction::ALL[direction];
                n += 1;
            }
            direction += 1;
        }
        mask += 1;
    }
    table
};

/// The rules. The board is part of the position.
#[derive(Clone, Debug)]
pub struct Tron {
    seats: usize,
    moves: Moves,
    trails: Trails,
    headings: Headings,
    /// The number of turns after which the match ends; no match has the greatest number.
    last_turn: u16,
}

impl Tron {
    /// Creates the rules for this number of seats.
    pub fn new(seats: usize, moves: Moves, trails: Trails) -> Tron {
        Tron { seats, moves, trails, headings: Headings::Free, last_turn: u16::MAX }
    }

    /// The same rules with another meaning of a step back.
    #[must_use]
    pub fn with_headings(self, headings: Headings) -> Tron {
        Tron { headings, ..self }
    }

    /// The same rules with an end after so many turns of the match, with those who live then level.
    #[must_use]
    pub fn with_last_turn(self, last_turn: u16) -> Tron {
        Tron { last_turn, ..self }
    }

    /// What a step back means.
    pub fn headings(&self) -> Headings {
        self.headings
    }

    /// When each seat moves.
    pub fn moves(&self) -> Moves {
        self.moves
    }

    /// What becomes of the trail of a crashed player.
    pub fn trails(&self) -> Trails {
        self.trails
    }

    /// Whether a match ends after a number of turns.
    pub(crate) fn has_last_turn(&self) -> bool {
        self.last_turn != u16::MAX
    }

    /// The direction in which a head goes that is told to go in `direction`.
    fn turned(state: &State, seat: Seat, direction: Direction) -> Direction {
        match state.heading(seat) {
            Some(heading) if direction == heading.opposite() => heading,
            _ => direction,
        }
    }

    /// Plays a turn in which a step back goes straight on.
    fn step_turned(&self, state: &mut State, joint: &[Direction]) {
        let mut acting = [Seat::new(0); MAX_SEATS];
        let mut turned = [Direction::Up; MAX_SEATS];
        match self.moves {
            Moves::Simultaneous => {
                acting.iter_mut().zip(state.alive()).for_each(|(place, seat)| *place = seat);
            }
            Moves::Sequential => acting[0] = Seat::new(usize::from(state.to_move)),
        }
        let acting = &acting[..joint.len()];
        for ((place, seat), direction) in turned.iter_mut().zip(acting).zip(joint) {
            *place = Self::turned(state, *seat, *direction);
        }
        let turned = &turned[..joint.len()];
        self.step_as_told(state, turned);
        for (seat, direction) in acting.iter().zip(turned) {
            state.set_heading(*seat, *direction);
        }
    }

    /// Plays a turn in which everyone goes as told.
    #[inline]
    fn step_as_told(&self, state: &mut State, joint: &[Direction]) {
        match self.moves {
            Moves::Simultaneous => {
                if !Self::step_two(state, joint) {
                    self.step_all(state, joint);
                }
            }
            Moves::Sequential => self.step_one(state, joint[0]),
        }
    }

    /// Moves both players at once if neither crashes, as on nearly every turn of a duel. Otherwise
    /// does nothing and returns false.
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

    /// Moves everyone at once. Crashes are judged on the board before the move, heads included, so
    /// two heads that swap cells both crash.
    fn step_all(&self, state: &mut State, joint: &[Direction]) {
        let mut targets = [usize::MAX; MAX_SEATS];
        let mut directions = joint.iter();
        for seat in 0..state.seats() {
            if state.fallen[seat] == 0 {
                let direction = *directions.next().expect("an action for each living seat");
                targets[seat] = state.neighbour(usize::from(state.heads[seat]), direction);
            }
        }
        let seats = state.seats();
        let mut crashed = [None; MAX_SEATS];
        for seat in 0..seats {
            let target = targets[seat];
            if target == usize::MAX {
                continue;
            }
            let shared = (0..seats).any(|other| other != seat && targets[other] == target);
            let held = state.cells[target];
            if held != FREE {
                crashed[seat] = Some(held);
            } else if shared {
                crashed[seat] = Some(MET);
                state.last = LastEvent::HeadOn;
            }
        }
        for seat in 0..seats {
            if let Some(hit) = crashed[seat] {
                if state.last == LastEvent::Moves {
                    state.last = LastEvent::Crash;
                }
                self.crash(state, seat, hit);
            } else if targets[seat] != usize::MAX {
                state.enter(seat, targets[seat]);
            }
        }
        state.turn += 1;
    }

    /// Takes a seat out of the game because it entered a cell that held `hit`; where trails vanish,
    /// also frees its cells.
    fn crash(&self, state: &mut State, seat: usize, hit: u8) {
        state.fallen[seat] = state.turn + 1;
        state.hits.0[seat] = hit;
        state.living -= 1;
        if self.trails == Trails::Vanish {
            let trail = TRAIL + seat as u8;
            state.cells.iter_mut().filter(|cell| **cell == trail).for_each(|cell| *cell = FREE);
        }
    }

    /// Moves one seat and passes the turn to the next one alive.
    fn step_one(&self, state: &mut State, direction: Direction) {
        let seat = usize::from(state.to_move);
        let target = state.neighbour(usize::from(state.heads[seat]), direction);
        if state.cells[target] == FREE {
            state.enter(seat, target);
        } else {
            state.last = LastEvent::Crash;
            let hit = state.cells[target];
            self.crash(state, seat, hit);
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
        let setting = Setting {
            moves: self.moves,
            trails: self.trails,
            headings: (self.headings != Headings::Free).then_some(self.headings),
            last_turn: self.has_last_turn().then_some(self.last_turn),
        };
        serde_json::to_value(setting).expect("it has a JSON form")
    }

    fn setting_schema() -> serde_json::Value {
        schemars::schema_for!(Setting).to_value()
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.living <= 1 || state.turn - state.opening.0 >= self.last_turn {
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

    /// The directions that do not crash, if there are any. A crash is at best a draw, if the other
    /// crashes too, and then staying alive wins.
    fn pruned_actions(&self, state: &State, seat: Seat, out: &mut Vec<Direction>) {
        let before = out.len();
        let goes_there = |to: &Direction| Self::turned(state, seat, *to) == *to;
        out.extend(state.free_directions(seat).filter(goes_there));
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
        let back = state.heading(seat).map_or(0, |heading| 1 << heading.opposite() as u32);
        // Where nothing is free, all four crash alike.
        let mask = match state.free_mask(seat) & !back {
            0 => 0b1111,
            mask => mask,
        };
        NTH_DIRECTION[mask as usize][rng.below(mask.count_ones() as usize)]
    }

    fn check(&self, state: &State, seat: Seat, _action: &Direction) -> Result<(), Illegal> {
        // Every direction is legal, even into a wall: a crash is an outcome, not an error.
        if !state.is_alive(seat) {
            return Err(Illegal::new(format!("seat {seat} has crashed and moves no more")));
        }
        Ok(())
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Direction]) {
        match self.headings {
            Headings::Free => self.step_as_told(state, joint),
            Headings::Drawn => self.step_turned(state, joint),
        }
    }

    fn observe(&self, state: &State, _seat: Seat) -> State {
        state.clone()
    }

    fn determinize(&self, observation: &State, _seat: Seat, _rng: &mut Rng) -> State {
        observation.clone()
    }

    /// The share of the other seats that this one outlived; those that fell on the same turn count
    /// half.
    #[inline]
    fn score(&self, state: &State, seat: Seat) -> f64 {
        // A seat still alive counts as the last to fall.
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

    /// The share of the reachable cells that the seat reaches first, while two or more seats live.
    fn estimate(&self, state: &State, seat: Seat) -> f64 {
        if self.turn(state) == Turn::Over || !state.is_alive(seat) {
            return self.score(state, seat);
        }
        territory::share(state, seat)
    }

    fn ending(&self, state: &State) -> Ending {
        if state.living > 1 {
            return Ending::new("turn limit");
        }
        let reason = match (state.last, state.alive().next()) {
            (LastEvent::HeadOn, None) => "head-on",
            (_, None) => "crash together",
            _ => "crash",
        };
        Ending::new(reason)
    }

    fn forfeit(&self, state: &State, seat: Seat) -> Vec<f64> {
        // The offender counts as having fallen before all seats that are still alive.
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
