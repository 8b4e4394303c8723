//! Recorded matches judged by exact values.
//!
//! A move's cost is the value of the position less what the move is worth against a perfect
//! opponent: where it has several perfect mixtures, against the one that punishes the move most.
//! Moves of perfect mixtures cost nothing, and all others cost something.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use quintain_core::{
    AnyEntry, Effort, Entry, ExactJudge, FilesOfRecords, JudgeError, JudgedMove, JudgedTurn, Match,
    Record, Seat, reading_as_record,
};

use super::board::Board;
use super::solver::{Equilibrium, Solver, Stopped};
use super::tool::{Move, SMALLEST, check, moves_of, solver_of};
use crate::roster::roster;
use crate::rules::Tron;
use crate::rules::direction::Direction;
use crate::rules::state::{State, WALL};

/// Smaller costs are rounding.
const ROUNDING: f64 = 1e-9;
/// A board without walls of more open cells takes more positions than this. If no more are allowed,
/// none is searched.
const MANY_CELLS: u32 = 52;
const FOR_MANY_CELLS: u64 = 1_000_000;

/// Returns the judge of matches on small boards.
pub(crate) fn judge(effort: Effort) -> Box<dyn ExactJudge> {
    Box::new(Judge { effort, entry: Arc::new(roster()), board: None })
}

/// Remembers the values of the last board.
struct Judge {
    effort: Effort,
    entry: Arc<Entry<Tron>>,
    board: Option<Known>,
}

/// What is known about a board.
struct Known {
    state: State,
    solver: Solver,
    /// Whether a search took more work than is allowed.
    is_too_hard: bool,
}

fn refused(problem: impl ToString) -> JudgeError {
    JudgeError::Refused(problem.to_string())
}

impl ExactJudge for Judge {
    fn judge(&mut self, record: &Record) -> Result<Vec<JudgedTurn>, JudgeError> {
        let fixture = &record.fixture;
        let (game, version) = (self.entry.name(), self.entry.version());
        if (fixture.game.as_str(), fixture.versions.game) != (game, version) {
            return Err(refused(format!("not played by version {version} of {game}'s rules")));
        }
        let build = || self.entry.build(&fixture.scenario);
        let built = reading_as_record(FilesOfRecords::Unchanged, build);
        let (scenario, _) = built.map_err(refused)?;
        check(scenario.rules()).map_err(refused)?;
        let mut replay = Match::<Tron>::new(scenario, record.fixture.seed);
        let mut texts = record.action_texts();
        let mut turns = Vec::new();
        while !replay.is_over() {
            let joint: Option<Vec<Direction>> =
                texts.by_ref().take(2).map(|text| text.parse().ok()).collect();
            let joint = joint.ok_or_else(|| refused("an action is no direction"))?;
            let &[first, second] = joint.as_slice() else { break };
            turns.push(self.judge_turn(replay.state(), [first, second])?);
            let played = replay.play(&joint);
            played.map_err(|(_, problem)| refused(problem))?;
        }
        Ok(turns)
    }
}

impl Judge {
    fn judge_turn(
        &mut self,
        state: &State,
        joint: [Direction; 2],
    ) -> Result<JudgedTurn, JudgeError> {
        let too_hard = format!("its values take more than {} positions", self.effort.positions);
        let (positions, stop) = (self.effort.positions, Arc::clone(&self.effort.stop));
        let board = self.board(state)?;
        if board.is_too_hard {
            return Err(refused(too_hard));
        }
        let solver = &mut board.solver;
        let position = solver.board().position(state);
        if position.open.count_ones() > MANY_CELLS && positions <= FOR_MANY_CELLS {
            return Err(refused(too_hard));
        }
        solver.allow(positions);
        let found = solver.equilibrium(position);
        let equilibrium = found.map_err(|Stopped| match stop.load(Ordering::Relaxed) {
            true => JudgeError::Stopped,
            false => {
                board.is_too_hard = true;
                refused(too_hard)
            }
        })?;
        let costs = costs_of(&board.solver, state, &equilibrium, joint);
        let moves = Seat::all(2).map(|seat| {
            let index = seat.index();
            let best = perfect_moves(board.solver.board(), state, index, &equilibrium);
            JudgedMove { seat, played: joint[index].to_string(), best, cost: costs[index] }
        });
        let values = vec![equilibrium.value, 1.0 - equilibrium.value];
        Ok(JudgedTurn { values, moves: moves.collect() })
    }

    /// The board of a position.
    fn board(&mut self, state: &State) -> Result<&mut Known, JudgeError> {
        let is_there = self.board.as_ref().is_some_and(|known| has_same_walls(&known.state, state));
        if !is_there {
            let Effort { memory, stop, .. } = &self.effort;
            let solver = solver_of(state, *memory, stop).map_err(refused)?;
            self.board = Some(Known { state: state.clone(), solver, is_too_hard: false });
        }
        Ok(self.board.as_mut().expect("it is there now"))
    }
}

fn has_same_walls(a: &State, b: &State) -> bool {
    let is_wall = |cell: u8| cell == WALL;
    a.width() == b.width()
        && a.cells().len() == b.cells().len()
        && a.cells().iter().zip(b.cells()).all(|(a, b)| is_wall(*a) == is_wall(*b))
}

/// The moves of a seat's perfect mixture, with their shares; then, with none, those that only
/// another of its perfect mixtures has.
fn perfect_moves(
    board: &Board,
    state: &State,
    seat: usize,
    equilibrium: &Equilibrium,
) -> Vec<(String, f64)> {
    let value = if seat == 0 { equilibrium.value } else { 1.0 - equilibrium.value };
    let (own, others): (Vec<Move>, Vec<Move>) =
        moves_of(board, state, seat, equilibrium).into_iter().partition(|own| own.share > SMALLEST);
    let others = others.into_iter().filter(|other| other.value > value - ROUNDING);
    let others = others.map(|other| (other.direction.to_string(), 0.0));
    own.into_iter().map(|own| (own.direction.to_string(), own.share)).chain(others).collect()
}

/// What each seat gave away by its move.
pub(super) fn costs_of(
    solver: &Solver,
    state: &State,
    equilibrium: &Equilibrium,
    joint: [Direction; 2],
) -> [f64; 2] {
    let position = solver.board().position(state);
    std::array::from_fn(|seat| {
        // The points of the seat: scores are those of the first one.
        let own = |score: f64| if seat == 0 { score } else { 1.0 - score };
        let (moves, others) = (&equilibrium.moves[seat], &equilibrium.moves[1 - seat]);
        if moves.is_empty() {
            return 0.0;
        }
        let target = solver.board().target(position.heads[seat], joint[seat]);
        let worth = match moves.iter().position(|cell| 1 << cell == target) {
            Some(number) => own(equilibrium.scores[seat][number]),
            // A crash loses, if the other need not crash too.
            None if others.is_empty() => 0.5,
            None => 0.0,
        };
        let cost = own(equilibrium.value) - worth;
        if cost < ROUNDING { 0.0 } else { cost }
    })
}
