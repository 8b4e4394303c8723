//! `quintain score tron`: what players gave away in recorded matches on small boards.
//!
//! A move's cost is the value of the position less what the move is worth against the opponent's
//! perfect mixture. Perfect moves cost nothing, and nothing costs less. Where several mixtures are
//! perfect, one of them is taken.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use quintain_core::{
    AnyEntry, Entry, FilesOfRecords, Match, Record, Seat, StoreUse, Tool, ToolError, ToolInputs,
    ToolRequest, Verb, read_text_up_to, reading_as_record,
};
use serde::Serialize;

use super::solver::{Equilibrium, Solver, Stopped};
use super::tool::{check, memory_option, solver_of};
use crate::roster::roster;
use crate::rules::Tron;
use crate::rules::direction::Direction;
use crate::rules::state::State;

/// The largest file of records, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// The parts of a match for which costs are summed.
const PHASES: usize = 3;
/// Smaller costs are rounding.
const ROUNDING: f64 = 1e-9;
/// The half width of an interval in which 95 % of means lie, in standard errors.
const NORMAL_95: f64 = 1.96;

/// What one player gave away.
#[derive(Serialize, Default, Debug)]
struct Given {
    player: String,
    /// Seats in matches.
    matches: usize,
    decisions: usize,
    /// Points given away in a match, on average.
    mean: f64,
    /// Half of its 95 % interval.
    interval: f64,
    /// The same in the first, the second and the last third of the turns.
    phases: [f64; PHASES],
    /// The share of matches in which nothing was given away.
    perfect: f64,
    #[serde(skip)]
    costs: Vec<f64>,
}

/// Everything that is told.
#[derive(Serialize, Default)]
struct Account {
    players: Vec<Given>,
    matches: usize,
    /// Matches that cannot be judged, by the reason.
    left_out: BTreeMap<String, usize>,
}

/// `quintain score tron`.
pub(crate) fn score_tool() -> Tool {
    Tool {
        verb: Verb::SCORE,
        summary: "Say what each player gave away in matches on small boards, beside perfect play",
        inputs: Some(ToolInputs {
            value_names: &["RECORDS"],
            doc: "Files of records, as quintain export --what records writes them",
            required: true,
            file_option: false,
        }),
        options: vec![memory_option()],
        store: StoreUse::None,
        run: Arc::new(score),
    }
}

fn score(request: &ToolRequest) -> Result<String, ToolError> {
    let mut records = Vec::new();
    for file in &request.inputs {
        records.append(&mut read_records(Path::new(file))?);
    }
    // Matches on the same board follow each other, so that its values are found once.
    records.sort_by(|a, b| a.fixture.scenario.cmp(&b.fixture.scenario));
    let mut judge = Judge { request, entry: Arc::new(roster()), solver: None };
    let mut account = Account::default();
    let mut players: BTreeMap<String, Given> = BTreeMap::new();
    let mut stopped = None;
    for record in &records {
        match judge.costs(record) {
            Ok(costs) => {
                account.matches += 1;
                count(&mut players, record, &costs);
            }
            Err(Unjudged::Stopped) => {
                let left = records.len() - account.matches;
                stopped = Some(format!("stopped; {left} of {} matches left", records.len()));
                break;
            }
            Err(Unjudged::Refused(reason)) => *account.left_out.entry(reason).or_default() += 1,
        }
    }
    account.players = players.into_values().map(Given::summed).collect();
    account.players.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    if account.matches == 0 && stopped.is_none() {
        let reasons: Vec<&str> = account.left_out.keys().map(String::as_str).collect();
        let reasons = if reasons.is_empty() { "there are none".into() } else { reasons.join("; ") };
        return Err(ToolError::Usage(format!("no match can be judged: {reasons}")));
    }
    let done = if request.json {
        serde_json::to_string_pretty(&account).expect("accounts have a JSON form") + "\n"
    } else {
        account.text()
    };
    match stopped {
        None => Ok(done),
        Some(problem) => Err(ToolError::Unfinished { done, problem }),
    }
}

fn read_records(file: &Path) -> Result<Vec<Record>, ToolError> {
    let text = read_text_up_to(file, MAX_BYTES)?;
    if let Ok(record) = Record::from_json(&text) {
        return Ok(vec![record]);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    // Logs have lines of their own.
    let records = lines.filter(|(_, line)| !line.starts_with("{\"log_of\""));
    let read = records.map(|(number, line)| {
        Record::from_json(line).map_err(|problem| {
            ToolError::Usage(format!("{}:{}: {problem}", file.display(), number + 1))
        })
    });
    read.collect()
}

/// Why there are no costs of a match.
enum Unjudged {
    Stopped,
    Refused(String),
}

impl From<Stopped> for Unjudged {
    fn from(_: Stopped) -> Self {
        Unjudged::Stopped
    }
}

fn refused(problem: impl ToString) -> Unjudged {
    Unjudged::Refused(problem.to_string())
}

/// Judges matches one after another, and remembers the values of the last board.
struct Judge<'a> {
    request: &'a ToolRequest,
    entry: Arc<Entry<Tron>>,
    solver: Option<(State, Solver)>,
}

impl Judge<'_> {
    /// The costs of each turn: one for each seat.
    fn costs(&mut self, record: &Record) -> Result<Vec<[f64; 2]>, Unjudged> {
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
        let mut costs = Vec::new();
        while !replay.is_over() {
            let joint: Option<Vec<Direction>> =
                texts.by_ref().take(2).map(|text| text.parse().ok()).collect();
            let joint = joint.ok_or_else(|| refused("an action is no direction"))?;
            let &[first, second] = joint.as_slice() else { break };
            let state = replay.state();
            let solver = self.solver(state)?;
            let equilibrium = solver.equilibrium(solver.board().position(state))?;
            costs.push(costs_of(solver, state, &equilibrium, [first, second]));
            let played = replay.play(&joint);
            played.map_err(|(_, problem)| refused(problem))?;
        }
        Ok(costs)
    }

    /// The solver of a position's board.
    fn solver(&mut self, state: &State) -> Result<&mut Solver, Unjudged> {
        let is_there = self.solver.as_ref().is_some_and(|(known, _)| has_same_walls(known, state));
        if !is_there {
            self.solver = Some((state.clone(), solver_of(state, self.request).map_err(refused)?));
        }
        Ok(&mut self.solver.as_mut().expect("it is there now").1)
    }
}

fn has_same_walls(a: &State, b: &State) -> bool {
    let is_wall = |cell: u8| cell == crate::rules::state::WALL;
    a.width() == b.width()
        && a.cells().len() == b.cells().len()
        && a.cells().iter().zip(b.cells()).all(|(a, b)| is_wall(*a) == is_wall(*b))
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

/// Adds a match to what its players gave away.
fn count(players: &mut BTreeMap<String, Given>, record: &Record, costs: &[[f64; 2]]) {
    for (seat, player) in Seat::all(2).zip(&record.fixture.seats) {
        let given = players.entry(player.clone()).or_default();
        given.player.clone_from(player);
        given.matches += 1;
        given.decisions += costs.len();
        given.costs.push(costs.iter().map(|both| both[seat.index()]).sum());
        for (turn, both) in costs.iter().enumerate() {
            given.phases[turn * PHASES / costs.len()] += both[seat.index()];
        }
    }
}

impl Given {
    /// The same with sums made into means.
    fn summed(self) -> Given {
        let number = self.matches as f64;
        let mean = self.costs.iter().sum::<f64>() / number;
        let squares: f64 = self.costs.iter().map(|cost| (cost - mean).powi(2)).sum();
        let error = (squares / (number - 1.0).max(1.0) / number).sqrt();
        let perfect = self.costs.iter().filter(|cost| **cost == 0.0).count() as f64 / number;
        let phases = self.phases.map(|sum| sum / number);
        Given { mean, interval: NORMAL_95 * error, phases, perfect, ..self }
    }
}

impl Account {
    fn text(&self) -> String {
        let mut text = match self.players.as_slice() {
            [best, ..] => format!(
                "{} gives away least: {:.4} ± {:.4} points of a match, beside perfect play, in {} \
                 matches\n\n",
                best.player, best.mean, best.interval, best.matches
            ),
            [] => String::new(),
        };
        let longest = self.players.iter().map(|given| given.player.len()).max().unwrap_or(0);
        let width = longest.max("player".len());
        let _ = writeln!(
            text,
            "{:<width$}  matches  given away          first   middle     last  perfect",
            "player"
        );
        for Given { player, matches, mean, interval, phases, perfect, .. } in &self.players {
            let [first, middle, last] = phases;
            let _ = writeln!(
                text,
                "{player:<width$}  {matches:>7}  {mean:.4} ± {interval:.4}  {first:>7.4}  \
                 {middle:>7.4}  {last:>7.4}  {:>6.1}%",
                100.0 * perfect
            );
        }
        let _ = writeln!(
            text,
            "\nfirst, middle, last: thirds of a match; perfect: matches in which nothing was given \
             away"
        );
        for (reason, number) in &self.left_out {
            let _ = writeln!(text, "{number} left out: {reason}");
        }
        text
    }
}
