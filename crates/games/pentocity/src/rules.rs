//! The rules of pentocity. On a square board, buildings are requested one by one: residences
//! (pentominoes) and factories (rectangles). The player rejects each request or places the
//! building, with any road, water and park; the third rejection ends the game.
//!
//! The rules come from the COMS 4444 course problem (Columbia, 2016), both as its simulator read it
//! and as its report “Project 1: Pentocity” did; where the two differ is [`Ruleset`]. The requests
//! are in [`crate::requests`], the geometry in [`crate::rules::board`].
//!
//! In a duel, the second seat makes the requests and earns the points that the first falls short
//! of.

pub(crate) mod board;
pub(crate) mod cell_json;
pub(crate) mod contact;
pub(crate) mod flood;
pub(crate) mod history;
pub(crate) mod paths;
pub(crate) mod pieces;
pub(crate) mod placements;
pub(crate) mod state;

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn};
use quintain_grid::Cell;

use crate::notation::{self, Observation, Setting};
use crate::rules::board::{Board, Cells, neighbours};
use crate::rules::contact::{Counts, Outline};
use crate::rules::history::Building;
use crate::rules::paths::Prefer;
use crate::rules::pieces::Piece;
use crate::rules::placements::{Placements, needs_road, shortest_road};
use crate::rules::state::{BONUS, Build, Move, Ruleset, State};

/// How a request and its answer change a position.
impl State {
    /// Makes a piece the current request and counts it as asked for.
    #[inline]
    pub fn ask(&mut self, piece: Piece) {
        let totals = &mut self.totals;
        let asked = if piece.is_factory() {
            &mut totals.factories_asked
        } else {
            &mut totals.residences_asked
        };
        *asked = asked.saturating_add(1);
        let seen = &mut self.seen[piece.index()];
        *seen = seen.saturating_add(1);
        self.request = Some(piece);
    }

    /// Carries out a legal answer to the request and returns the points earned.
    ///
    /// Water and park are laid before the building is scored, so that the building can touch those
    /// that come with it.
    #[inline]
    pub fn answer(&mut self, scoring: Ruleset, answer: &Move) -> u32 {
        let Some(request) = self.request.take() else { return 0 };
        let Move::Build(build) = answer else {
            self.rejections = self.rejections.saturating_add(1);
            return 0;
        };
        let board = &mut self.board;
        board.lay_water(&build.water);
        board.lay_park(&build.park);
        build.road.iter().for_each(|&cell| board.lay_road(cell));
        let piece = request.rotated(build.rotation);
        board.build(piece, build.at);
        let totals = &mut self.totals;
        let mut points = piece.size();
        let plain = points;
        if scoring == Ruleset::Simulator || !piece.is_factory() {
            if Board::touches(board.ponds(), piece, build.at) {
                points += BONUS;
                totals.ponds += 1;
            }
            if Board::touches(board.fields(), piece, build.at) {
                points += BONUS;
                totals.fields += 1;
            }
        }
        let built = if piece.is_factory() { &mut totals.factories } else { &mut totals.residences };
        *built += 1;
        totals.score += points;
        self.history.add(|| Building {
            piece,
            at: build.at,
            bonus: points - plain,
            laid: [&build.road[..], &build.water, &build.park].concat(),
        });
        points
    }
}

/// The seat that builds; the only seat, unless it is a duel.
const BUILDER: Seat = Seat::new(0);
/// The seat that makes the requests in a duel.
const SEQUENCER: Seat = Seat::new(1);

/// The rules. The environment decides the requests, or the second seat.
#[derive(Clone, Debug)]
pub struct Pentocity {
    side: usize,
    ruleset: Ruleset,
    par: Option<u32>,
}

impl Pentocity {
    /// The rules on a board of this side. The side must be among [`crate::rules::board::SIDES`].
    pub fn new(side: usize, ruleset: Ruleset) -> Pentocity {
        Pentocity { side, ruleset, par: None }
    }

    /// The same rules as a duel, in which the second seat makes the requests. The two scores add up
    /// to twice `par` points, so that `par` points are a draw.
    pub fn duel(side: usize, ruleset: Ruleset, par: u32) -> Pentocity {
        Pentocity { side, ruleset, par: Some(par) }
    }

    /// The points at which a duel is a draw; none if this is no duel.
    pub fn par(&self) -> Option<u32> {
        self.par
    }

    /// Cells a side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Which reading of the rules is played.
    pub fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The legal placements of the request; none if there is no request.
    pub fn placements(&self, state: &State) -> Option<Placements> {
        state.request.map(|request| Placements::of(&state.board, request, self.ruleset))
    }

    fn check_build(&self, state: &State, request: Piece, build: &Build) -> Result<(), Illegal> {
        let mut board = state.board;
        if build.rotation >= request.rotations() {
            return Err(Illegal::new(format!(
                "rotation {} does not exist: {} {request} has rotations 0 to {}",
                build.rotation,
                request.kind(),
                request.rotations() - 1
            )));
        }
        for (cells, what) in [(&build.water, "water"), (&build.park, "park"), (&build.road, "road")]
        {
            for &cell in cells {
                self.check_empty(&board, cell, what)?;
                match what {
                    "water" => board.lay_water(&[cell]),
                    "park" => board.lay_park(&[cell]),
                    _ => board.lay_road(cell),
                }
            }
        }
        self.check_road(&state.board, &build.road)?;
        let piece = request.rotated(build.rotation);
        for &(down, right) in &piece.shape().cells {
            let cell =
                Cell::new(build.at.row.saturating_add(down), build.at.col.saturating_add(right));
            self.check_empty(&board, cell, piece.kind())?;
            let other = if piece.is_factory() { board.residences() } else { board.factories() };
            if let Some(beside) = neighbours(cell).into_iter().find(|side| other.contains(*side)) {
                let other = if piece.is_factory() { "residence" } else { "factory" };
                return Err(Illegal::new(format!(
                    "{} on {cell}: it would touch a {other} on {beside}; residences and factories \
                     must not touch",
                    piece.kind()
                )));
            }
        }
        if needs_road(&board, self.ruleset, piece, build.at) {
            return Err(Illegal::new(format!(
                "{} at {}: no road beside it; it must touch a road, or lie in the {}",
                piece.kind(),
                build.at,
                match self.ruleset.rings_without_road() {
                    1 => "outermost row or column".to_owned(),
                    rings => format!("{rings} outermost rows and columns"),
                }
            )));
        }
        Ok(())
    }

    fn check_empty(&self, board: &Board, cell: Cell, what: &str) -> Result<(), Illegal> {
        if !board.has(cell) {
            let last = self.side - 1;
            return Err(Illegal::new(format!(
                "{what} on {cell}: outside of the land, rows and columns 0–{last}"
            )));
        }
        if !board.empty().contains(cell) {
            let there = notation::word(board.at(cell));
            return Err(Illegal::new(format!("{what} on {cell}: the cell is taken by {there}")));
        }
        Ok(())
    }

    /// Whether new road cells join the existing roads or the ring road.
    fn check_road(&self, board: &Board, road: &[Cell]) -> Result<(), Illegal> {
        if road.is_empty() {
            return Ok(());
        }
        let last = self.side as u8 - 1;
        let is_at_end = |cell: Cell| {
            [0, last].contains(&cell.row)
                || [0, last].contains(&cell.col)
                || board.roads().sides(cell).contains(&true)
        };
        // Roads are short: a list is faster than a board.
        let mut joined: Vec<Cell> = road.iter().copied().filter(|cell| is_at_end(*cell)).collect();
        let mut next = 0;
        while next < joined.len() {
            for beside in neighbours(joined[next]) {
                if road.contains(&beside) && !joined.contains(&beside) {
                    joined.push(beside);
                }
            }
            next += 1;
        }
        match road.iter().find(|cell| !joined.contains(cell)) {
            None => Ok(()),
            Some(cell) => Err(Illegal::new(format!(
                "road on {cell}: it joins neither the roads nor the ring road around the land"
            ))),
        }
    }
}

impl Rules for Pentocity {
    type State = State;
    type Action = Move;
    type Observation = Observation;

    fn seats(&self) -> usize {
        if self.par.is_some() { 2 } else { 1 }
    }

    fn scoring(&self) -> Scoring {
        if self.par.is_some() { Scoring::Adversarial } else { Scoring::Independent }
    }

    fn setting(&self) -> serde_json::Value {
        let setting = Setting { side: self.side, scoring: self.ruleset, par: self.par };
        serde_json::to_value(setting).expect("it has a JSON form")
    }

    fn setting_schema() -> serde_json::Value {
        schemars::schema_for!(Setting).to_value()
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        // No cell is worth more than a 1×1 factory with both bonuses.
        let most = (self.side * self.side) as f64 * f64::from(1 + 2 * BONUS);
        let Some(par) = self.par else { return Some((0.0, most)) };
        // Each seat has the part of this sum that the other has not.
        let both = 2.0 * f64::from(par);
        Some(((both - most).min(0.0), most.max(both)))
    }

    fn has_chance(&self) -> bool {
        self.par.is_none()
    }

    fn has_hidden_information(&self) -> bool {
        self.par.is_none()
    }

    fn turn(&self, state: &State) -> Turn {
        if state.request.is_some() {
            Turn::Seat(BUILDER)
        } else if state.is_over() || state.is_exhausted {
            Turn::Over
        } else if self.par.is_some() {
            Turn::Seat(SEQUENCER)
        } else {
            Turn::Chance
        }
    }

    /// Rejecting, and the tightest placements with a shortest road; for the seat that makes the
    /// requests, every piece.
    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Move>) {
        if self.par.is_some() && state.request.is_none() {
            out.extend(Piece::all().map(Move::Ask));
            return;
        }
        out.push(Move::Reject);
        let Some(mut placements) = self.placements(state) else { return };
        let board = &state.board;
        placements
            .narrow(|piece, at| Counts::of(board, board.empty(), piece, Outline::Edges).least(at));
        for placement in placements.iter() {
            let (piece, at) = (placement.piece, placement.at);
            let road = shortest_road(board, self.ruleset, piece, at, &Cells::EMPTY, Prefer::Any);
            if let Some(road) = road {
                let (water, park) = (Vec::new(), Vec::new());
                let rotation = placement.rotation;
                out.push(Move::Build(Build { rotation, at, road, water, park }));
            }
        }
    }

    fn actions_are_all(&self) -> bool {
        false
    }

    /// The actions without rejecting, which is never better than building as far as these actions
    /// can show.
    fn pruned_actions(&self, state: &State, seat: Seat, out: &mut Vec<Move>) {
        let first = out.len();
        self.actions(state, seat, out);
        if state.request.is_some() && out.len() > first + 1 {
            out.remove(first);
        }
    }

    fn check(&self, state: &State, _seat: Seat, action: &Move) -> Result<(), Illegal> {
        match (state.request, action) {
            (None, Move::Ask(_)) if self.par.is_some() => Ok(()),
            (None, _) if self.par.is_some() => {
                Err(Illegal::new("nothing is asked for: ask for a building, such as X or 3x4"))
            }
            (None, _) => Err(Illegal::new("nothing is asked for")),
            (Some(_), Move::Ask(piece)) => {
                Err(Illegal::new(format!("asking for {piece}: another seat asks, this one builds")))
            }
            (Some(_), Move::Reject) => Ok(()),
            (Some(request), Move::Build(build)) => self.check_build(state, request, build),
        }
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Move]) {
        match &joint[0] {
            Move::Ask(piece) => state.ask(*piece),
            answer => {
                state.answer(self.ruleset, answer);
            }
        }
    }

    /// Draws the next request in proportion to how often each piece was asked for so far.
    fn sample_chance(&self, state: &mut State, rng: &mut Rng) {
        let weights = state.seen.map(f64::from);
        state.ask(Piece::all().nth(rng.weighted(&weights)).expect("a weight for each piece"));
    }

    fn observe(&self, state: &State, _seat: Seat) -> Observation {
        Observation::of(state)
    }

    fn determinize(&self, observation: &Observation, _seat: Seat, _rng: &mut Rng) -> State {
        observation.state().clone()
    }

    fn score(&self, state: &State, seat: Seat) -> f64 {
        let points = f64::from(state.totals.score);
        match self.par {
            Some(par) if seat == SEQUENCER => 2.0 * f64::from(par) - points,
            _ => points,
        }
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = if state.is_over() { "three rejections" } else { "no more requests" };
        Ending::new(reason)
    }

    /// Alone, the player keeps what was earned. In a duel, the seat that forfeits gets nothing: the
    /// builder as if it had built nothing, the sequencer as if twice par had been built, or more if
    /// more was.
    fn forfeit(&self, state: &State, seat: Seat) -> Vec<f64> {
        let points = f64::from(state.totals.score);
        let Some(par) = self.par else { return vec![points] };
        let both = 2.0 * f64::from(par);
        let built = if seat == SEQUENCER { points.max(both) } else { 0.0 };
        vec![built, both - built]
    }

    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let (board, totals) = (&state.board, &state.totals);
        let count = |cells: &Cells| f64::from(cells.count());
        let wet = count(board.water()) + count(board.park());
        let bonuses = u32::from(totals.ponds) + u32::from(totals.fields);
        let mut metrics = vec![
            ("empty cells", count(board.empty())),
            ("road cells", count(board.roads())),
            ("water cells", count(board.water())),
            ("park cells", count(board.park())),
            ("residences", f64::from(totals.residences)),
            ("factories", f64::from(totals.factories)),
            ("bonuses", f64::from(bonuses)),
            ("rejections", f64::from(state.rejections)),
        ];
        if wet > 0.0 {
            metrics.push(("utility of water/park cells", f64::from(bonuses * BONUS) / wet));
        }
        metrics
    }
}
