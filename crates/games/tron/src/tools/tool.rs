//! `quintain solve tron`: the value and the equilibrium of a board.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use quintain_core::{
    Rules, Seat, StoreUse, Streams, Tool, ToolError, ToolInputs, ToolOption, ToolRequest, Verb,
};
use serde::Serialize;

use super::board::Board;
use super::checkpoint;
use super::solver::{Equilibrium, Solver, Stopped};
use crate::roster::roster;
use crate::rules::direction::Direction;
use crate::rules::state::State;
use crate::rules::{Headings, Moves, Trails, Tron};

/// The memory for values if none is given, in MiB.
const MEMORY: usize = 1024;
/// Smaller shares of a mixture are rounding.
pub(super) const SMALLEST: f64 = 1e-9;

/// The answer for one board.
#[derive(Serialize)]
struct Answer {
    instance: String,
    seed: u64,
    /// The score that each seat expects if both play perfectly.
    values: [f64; 2],
    /// A perfect mixture of first moves of each seat, and what each move is worth against the
    /// other's perfect mixture that is worst for it.
    moves: [Vec<Move>; 2],
    /// The number of positions that were searched.
    positions: u64,
    seconds: f64,
    #[serde(skip)]
    board: String,
}

/// A move of a mixture.
#[derive(Serialize)]
pub(super) struct Move {
    pub(super) direction: Direction,
    pub(super) share: f64,
    pub(super) value: f64,
}

/// `quintain solve tron`.
pub(crate) fn solve_tool() -> Tool {
    Tool {
        verb: Verb::SOLVE,
        summary: "Find the value of a small board for two who move at once, and a perfect mixture \
            of first moves",
        inputs: Some(ToolInputs {
            value_names: &["BOARD"],
            doc: "Boards: scenarios such as empty?width=7&height=7",
            required: true,
            file_option: false,
        }),
        options: vec![
            ToolOption::whole(
                "seed",
                "SEED",
                0..=u64::MAX,
                "Seed of the board, as that of a match [default: 1]",
            ),
            memory_option(),
            ToolOption::text(
                "checkpoint",
                "FILE",
                "Keep what is known in FILE when it is stopped, and go on from there",
            ),
        ],
        store: StoreUse::None,
        run: Arc::new(solve),
    }
}

/// The option that bounds what a solver remembers.
pub(super) fn memory_option() -> ToolOption {
    ToolOption::whole(
        "memory",
        "MIB",
        1..=1 << 20,
        "Memory for values that are known, in MiB; with less it takes longer [default: 1024]",
    )
}

fn solve(request: &ToolRequest) -> Result<String, ToolError> {
    let seed = request.number("seed").unwrap_or(1);
    let file = request.text("checkpoint").map(Path::new);
    if file.is_some() && request.inputs.len() > 1 {
        return Err(ToolError::Usage("--checkpoint is for one board; name one".to_owned()));
    }
    let mut answers = Vec::new();
    let mut problem = None;
    for name in &request.inputs {
        let (instance, state) = start_of(name, seed)?;
        let mut solver = solver_of(&state, memory_of(request), &request.stop)
            .map_err(|problem| ToolError::Usage(format!("{instance}: {problem}")))?;
        if let Some(file) = file {
            checkpoint::load(file, &mut solver).map_err(ToolError::Usage)?;
        }
        match answer(&instance, seed, &state, &mut solver) {
            Ok(answer) => answers.push(answer),
            Err(Stopped) => {
                let kept = file.map_or(Ok(String::new()), |file| keep(file, &solver))?;
                problem = Some(format!("{instance}: stopped before its value was known{kept}"));
                break;
            }
        }
    }
    let done = if request.json {
        serde_json::to_string_pretty(&answers).expect("answers have a JSON form") + "\n"
    } else {
        answers.iter().map(Answer::text).collect::<Vec<_>>().join("\n")
    };
    match problem {
        None => Ok(done),
        Some(problem) => Err(ToolError::Unfinished { done, problem }),
    }
}

/// Keeps what is known in a file. Returns what to say about it.
fn keep(file: &Path, solver: &Solver) -> Result<String, ToolError> {
    let name = file.display();
    checkpoint::save(file, solver)
        .map_err(|error| ToolError::Failed(format!("cannot write {name}: {error}")))?;
    Ok(format!("; the same command goes on from {name}"))
}

/// The first position of a match with this seed, and the scenario's whole name.
fn start_of(name: &str, seed: u64) -> Result<(String, State), ToolError> {
    let usage = |problem: String| ToolError::Usage(problem);
    let (scenario, name) = roster().build(name).map_err(|error| usage(error.to_string()))?;
    check(scenario.rules()).map_err(|problem| usage(format!("{name}: {problem}")))?;
    Ok((name, scenario.start(&mut Streams::new(seed).start())))
}

/// Says why the values of a game cannot be found, if they cannot.
pub(super) fn check(rules: &Tron) -> Result<(), &'static str> {
    check_duel(rules)?;
    first_problem(&[
        (rules.moves() == Moves::Simultaneous, "expected moves=simultaneous"),
        (rules.trails() == Trails::Stay, "expected trails=stay"),
    ])
}

/// The same for rules by which two players may also move in turn, or trails vanish: that matters
/// only where there are more.
pub(super) fn check_duel(rules: &Tron) -> Result<(), &'static str> {
    first_problem(&[
        (rules.seats() == 2, "exact values exist for two players only"),
        (rules.headings() == Headings::Free, "expected headings=free"),
        (!rules.has_last_turn(), "expected turns=0"),
    ])
}

fn first_problem(allowed: &[(bool, &'static str)]) -> Result<(), &'static str> {
    allowed.iter().find(|(is_so, _)| !is_so).map_or(Ok(()), |(_, problem)| Err(*problem))
}

/// What a solver may remember, in bytes.
pub(super) fn memory_of(request: &ToolRequest) -> usize {
    request.number("memory").unwrap_or(MEMORY) << 20
}

/// A solver for the board of a position.
pub(super) fn solver_of(
    state: &State,
    memory: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Solver, &'static str> {
    let board = Board::new(state).ok_or(
        "the board is too large; expected one without walls of at most 10×10 free cells, or less \
         than that with walls, such as empty?width=9&height=9",
    )?;
    Ok(Solver::new(board, memory, Arc::clone(stop)))
}

fn answer(
    instance: &str,
    seed: u64,
    state: &State,
    solver: &mut Solver,
) -> Result<Answer, Stopped> {
    let begun = Instant::now();
    let equilibrium = solver.equilibrium(solver.board().position(state))?;
    let moves = [0, 1].map(|seat| moves_of(solver.board(), state, seat, &equilibrium));
    Ok(Answer {
        instance: instance.to_owned(),
        seed,
        values: [equilibrium.value, 1.0 - equilibrium.value],
        moves,
        positions: solver.searched(),
        seconds: begun.elapsed().as_secs_f64(),
        board: state.to_string(),
    })
}

/// A seat's moves in the order of directions.
pub(super) fn moves_of(
    board: &Board,
    state: &State,
    seat: usize,
    equilibrium: &Equilibrium,
) -> Vec<Move> {
    let head = board.position(state).heads[seat];
    let cells = &equilibrium.moves[seat];
    let found = state.free_directions(Seat::new(seat)).filter_map(|direction| {
        let target = board.target(head, direction);
        let number = cells.iter().position(|cell| 1 << cell == target)?;
        let share = equilibrium.shares[seat].get(number).copied()?;
        let value = equilibrium.scores[seat][number];
        Some(Move { direction, share, value: if seat == 0 { value } else { 1.0 - value } })
    });
    found.collect()
}

impl Answer {
    fn text(&self) -> String {
        let Answer { instance, seed, values, .. } = self;
        let [first, second] = values;
        let mut text = format!("{instance}, seed {seed}: A expects {first:.6}, B {second:.6}\n");
        for (name, moves) in ["A", "B"].iter().zip(&self.moves) {
            let own = moves.iter().filter(|own| own.share > SMALLEST);
            let own: Vec<String> =
                own.map(|own| format!("{} {:.4}", own.direction, own.share)).collect();
            let own = if own.is_empty() { "it must crash".to_owned() } else { own.join(", ") };
            let _ = writeln!(text, "{name} plays {own}");
        }
        let _ = writeln!(text, "{} positions searched, {:.1} s", self.positions, self.seconds);
        let _ = write!(text, "\n{}", self.board);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}
