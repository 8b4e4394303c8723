//! Many matches of a network against itself. A match depends only on its number, not on the thread
//! that plays it or on earlier matches. So a run can be stopped and resumed, and gives the same
//! shards on any number of threads.
//!
//! A thread plays the matches of one shard side by side. Each match descends its search to a
//! position that has to be evaluated; these positions are gathered and evaluated as one batch. If
//! every match has a problem of its own, and so its own rules, the matches are played one after
//! another.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::{fs, io, thread};

use quintain_core::{AnyEncoding, Match, Rng, Rules, Scenario, Seat, Streams};
use quintain_search::puct::{Leaf, Options, PriorEvaluator, Puct};
use quintain_search::utility::Utilities;

use crate::shard::{self, Form, Position};

/// The settings of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The number of matches.
    pub matches: u64,
    /// The number of matches per shard, which are played side by side.
    pub side_by_side: u64,
    /// The seed of match 0; the others follow.
    pub seed: u64,
    /// How each decision is searched.
    pub search: Options,
    /// Matches begin with up to this many random turns, which are not written.
    pub random_turns: u32,
    /// The number of turns after which a match is given up; its scores are then those so far.
    pub most_turns: u32,
    /// The number of threads.
    pub threads: usize,
}

/// The result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SelfPlayResult {
    /// Matches played this time.
    pub matches: u64,
    /// Matches that had already been written.
    pub resumed: u64,
    /// Positions written this time.
    pub positions: u64,
    /// Positions evaluated this time.
    pub evaluated: u64,
}

/// Why a run stopped early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(io::Error),
    /// A position cannot be evaluated.
    #[error("{0}")]
    Evaluation(String),
}

/// The scenario of matches, and the evaluator of their positions.
pub struct Table<R: Rules, E> {
    /// The scenario.
    pub scenario: Scenario<R>,
    /// The encoding in which its positions are written.
    pub encoding: Arc<dyn AnyEncoding<R>>,
    /// The evaluator that guides the search.
    pub evaluator: E,
}

/// Creates the tables of a run.
pub enum Tables<'a, R: Rules, E> {
    /// All matches are played on the same table; one is created for each thread.
    Common(&'a (dyn Fn() -> Table<R, E> + Sync)),
    /// Each match has a table of its own, created from its seed.
    Drawn(&'a (dyn Fn(u64) -> Table<R, E> + Sync)),
}

impl<R: Rules, E> Tables<'_, R, E> {
    fn of(&self, seed: u64) -> Table<R, E> {
        match self {
            Tables::Common(make) => make(),
            Tables::Drawn(make) => make(seed),
        }
    }
}

/// The path of a shard.
pub fn shard_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("positions-{number:06}.npy"))
}

/// Plays a run into `folder`, skipping shards that already exist.
///
/// # Errors
/// If a shard cannot be written, or a position cannot be evaluated.
pub fn play<R: Rules, E: PriorEvaluator<R>>(
    tables: &Tables<'_, R, E>,
    run: &Run,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<SelfPlayResult, SelfPlayError> {
    fs::create_dir_all(folder).map_err(SelfPlayError::Write)?;
    let shards = run.matches.div_ceil(run.side_by_side);
    let next = AtomicU64::new(0);
    let total: Mutex<(SelfPlayResult, Option<SelfPlayError>)> =
        Mutex::new((SelfPlayResult::default(), None));
    let work = || {
        let mut table = tables.of(run.seed);
        let form = form(table.encoding.as_ref());
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= shards {
                return;
            }
            let first = number * run.side_by_side;
            let last = (first + run.side_by_side).min(run.matches);
            let path = shard_path(folder, number);
            let mut played = SelfPlayResult::default();
            let written = if path.exists() {
                played.resumed = last - first;
                Ok(())
            } else {
                let shard = play_shard(tables, &mut table, run, first..last, stop);
                let Some((positions, evaluated)) = shard else { return };
                (played.matches, played.positions) = (last - first, positions.len() as u64);
                played.evaluated = evaluated;
                match table.evaluator.failure() {
                    Some(why) => Err(SelfPlayError::Evaluation(why)),
                    None => shard::write(&path, &form, &positions).map_err(SelfPlayError::Write),
                }
            };
            let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            total.0.matches += played.matches;
            total.0.resumed += played.resumed;
            total.0.positions += played.positions;
            total.0.evaluated += played.evaluated;
            if let Err(error) = written {
                total.1 = Some(error);
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..run.threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let (played, error) = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    error.map_or(Ok(played), Err)
}

/// Plays the matches of a shard; returns their positions, and how many were evaluated on the way.
/// None if it was stopped before the end. The table is replaced where each match has its own.
fn play_shard<R: Rules, E: PriorEvaluator<R>>(
    tables: &Tables<'_, R, E>,
    table: &mut Table<R, E>,
    run: &Run,
    matches: Range<u64>,
    stop: &AtomicBool,
) -> Option<(Vec<Position>, u64)> {
    let (mut positions, mut evaluated) = (Vec::new(), 0);
    let together = match tables {
        Tables::Common(_) => run.side_by_side,
        Tables::Drawn(_) => 1,
    };
    let last = matches.end;
    for first in matches.step_by(together as usize) {
        if let Tables::Drawn(make) = tables {
            *table = make(run.seed.wrapping_add(first));
        }
        let mut side = SideBySide::new(table, run, first..(first + together).min(last));
        if !side.play(&mut table.evaluator, stop) {
            return None;
        }
        let (mut all, count) = side.finish();
        positions.append(&mut all);
        evaluated += count;
    }
    Some((positions, evaluated))
}

/// The form of the shards of an encoding.
pub fn form<R: Rules>(encoding: &dyn AnyEncoding<R>) -> Form {
    let layout = encoding.layout();
    let board = match layout.is_words {
        true => vec![encoding.seat_board_len()],
        false => layout.board.clone(),
    };
    Form { board, features: layout.features.len(), actions: layout.actions }
}

/// The matches of one shard.
struct SideBySide<'a, R: Rules> {
    encoding: Arc<dyn AnyEncoding<R>>,
    run: &'a Run,
    lanes: Vec<Lane<R>>,
    evaluated: u64,
}

/// One match, and the state of its search.
struct Lane<R: Rules> {
    number: u64,
    game: Match<R>,
    puct: Puct<R>,
    rng: Rng,
    /// The number of simulations left; `None` before the root is evaluated.
    left: Option<u64>,
    positions: Vec<Position>,
}

impl<'a, R: Rules> SideBySide<'a, R> {
    fn new<E>(table: &Table<R, E>, run: &'a Run, matches: Range<u64>) -> Self {
        let lanes = matches.map(|number| {
            let seed = run.seed.wrapping_add(number);
            let mut rng = Streams::new(seed).address("self-play", 0);
            let mut game = Match::new(table.scenario.clone(), seed);
            let turns = rng.below(run.random_turns as usize + 1);
            for _ in 0..turns {
                let before = game.clone();
                let joint: Vec<R::Action> = game
                    .acting()
                    .iter()
                    .map(|seat| game.rules().rollout_action(game.state(), *seat, &mut rng))
                    .collect();
                let is_over = game.play(&joint).is_err() || game.is_over();
                if is_over {
                    game = before;
                    break;
                }
            }
            let puct = Puct::new(run.search);
            Lane { number, game, puct, rng, left: None, positions: Vec::new() }
        });
        SideBySide {
            encoding: Arc::clone(&table.encoding),
            run,
            lanes: lanes.collect(),
            evaluated: 0,
        }
    }

    /// Plays all matches to their end; returns `false` if it was stopped before that.
    fn play(&mut self, evaluator: &mut impl PriorEvaluator<R>, stop: &AtomicBool) -> bool {
        let mut leaves: Vec<Leaf<R>> = Vec::new();
        let mut whose: Vec<usize> = Vec::new();
        for lane in &mut self.lanes {
            lane.begin(self.run);
        }
        loop {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            for (index, lane) in self.lanes.iter_mut().enumerate() {
                if let Some(leaf) = lane.next(self.encoding.as_ref(), self.run, evaluator) {
                    leaves.push(leaf);
                    whose.push(index);
                }
            }
            if leaves.is_empty() {
                return true;
            }
            let rules = self.lanes[whose[0]].game.rules().clone();
            evaluator.evaluate(&rules, &mut leaves);
            self.evaluated += leaves.len() as u64;
            for (leaf, index) in leaves.drain(..).zip(whose.drain(..)) {
                let lane = &mut self.lanes[index];
                if lane.left.is_none() {
                    // If nobody has a choice, there is nothing to search.
                    let is_forced = leaf.choices.iter().all(|choice| choice.actions.len() == 1);
                    lane.left = Some(if is_forced { 0 } else { self.run.search.simulations });
                }
                lane.puct.back_up(leaf, &mut lane.rng);
            }
        }
    }

    /// All positions with their final values, and the number of positions evaluated.
    fn finish(self) -> (Vec<Position>, u64) {
        let mut all = Vec::new();
        for mut lane in self.lanes {
            let rules = lane.game.rules();
            let mut utilities = Utilities::new(rules);
            let values = match lane.game.is_over() {
                true => utilities.of_score(rules, lane.game.state()),
                false => utilities.of_estimate(rules, lane.game.state()),
            };
            for position in &mut lane.positions {
                position.value = values[usize::from(position.seat)] as f32;
            }
            all.append(&mut lane.positions);
        }
        (all, self.evaluated)
    }
}

impl<R: Rules> Lane<R> {
    /// Begins the search of the next decision.
    fn begin(&mut self, run: &Run) {
        self.left = None;
        if let Some(&seat) = self.game.acting().first() {
            let rules = self.game.rules();
            let observation = rules.observe(self.game.state(), seat);
            let simulations = run.search.simulations;
            self.puct.begin(rules, &observation, seat, simulations, &mut self.rng);
        }
    }

    /// Continues until a position has to be evaluated; returns none when the match is over.
    fn next(
        &mut self,
        encoding: &dyn AnyEncoding<R>,
        run: &Run,
        evaluator: &impl PriorEvaluator<R>,
    ) -> Option<Leaf<R>> {
        loop {
            if self.game.is_over() || self.game.turn() >= run.most_turns {
                return None;
            }
            match &mut self.left {
                Some(0) => {
                    self.decide(encoding);
                    self.begin(run);
                    continue;
                }
                Some(left) => *left -= 1,
                None => {}
            }
            let rules = self.game.rules().clone();
            if let Some(leaf) = self.puct.descend(&rules, evaluator, &mut self.rng) {
                return Some(leaf);
            }
        }
    }

    /// Plays the best actions of the search, and records what was learned about each seat's
    /// decision.
    fn decide(&mut self, encoding: &dyn AnyEncoding<R>) {
        let layout = encoding.layout();
        let (rules, state) = (self.game.rules(), self.game.state());
        let mut utilities = Utilities::new(rules);
        let estimates = utilities.of_estimate(rules, state);
        for policy in self.puct.policies() {
            let mut numbered = Vec::new();
            encoding.actions(state, policy.seat, &mut numbered);
            if numbered.is_empty() {
                continue;
            }
            let mut position = Position {
                number: self.number,
                turn: self.game.turn(),
                seat: policy.seat.index() as u16,
                board: vec![0; encoding.seat_board_len()],
                features: vec![0; layout.features.len()],
                legal: vec![0; layout.actions],
                policy: vec![0.0; layout.actions],
                search_value: policy.value as f32,
                value: 0.0,
                estimate: estimates[policy.seat.index()] as f32,
            };
            encoding.write_seat(state, policy.seat, &mut position.board, &mut position.features);
            for (number, action) in &numbered {
                position.legal[*number] = 1;
                let found = policy.actions.iter().position(|known| known == action);
                position.policy[*number] = found.map_or(0.0, |found| policy.shares[found] as f32);
            }
            self.positions.push(position);
        }
        let joint = self.puct.best_actions();
        let mut played = self.game.play(&joint);
        if played.is_err() {
            // The encoding offered an action that the rules refuse: use the rules' own choice
            // instead.
            let acting: Vec<Seat> = self.game.acting().to_vec();
            let rules = self.game.rules().clone();
            let random = |seat| rules.random_action(self.game.state(), seat, &mut self.rng);
            let joint: Vec<R::Action> = acting.into_iter().map(random).collect();
            played = self.game.play(&joint);
        }
        debug_assert!(played.is_ok(), "random actions are legal");
    }
}
