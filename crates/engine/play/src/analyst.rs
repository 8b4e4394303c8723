//! Which positions of a match are evaluated, in which order, and what follows from their values.
//!
//! A match of T turns has T playouts of up to T turns, so long matches are evaluated in parts:
//! first a few positions from start to end, then the middle of the stretch on which the value
//! changed most. So whenever the work stops, the positions known are those that matter.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::ui::Point;
use quintain_core::{AnyGame, AnyMatch, Budget, Objective, PlayerHandle, Record, Seat, replay};
use serde::Serialize;

use crate::drawn::cells_changed;
use crate::error::AnalysisError;
use crate::playout::{Continuation, Playout};

/// The greatest and the least number of stretches into which a match is divided at first.
const STRETCHES: [usize; 2] = [16, 2];
/// The number of mistakes that are listed.
const LISTED: usize = 20;
/// The share of the work that values may take if moves are also weighed one seat at a time.
const FOR_VALUES: f64 = 0.6;
/// Smaller differences are rounding errors of summation.
const ROUNDING: f64 = 1e-9;

/// The player that analyses matches, and how much work it may do.
#[derive(Clone, Copy)]
pub struct Analyst<'a> {
    /// The game.
    pub game: &'a dyn AnyGame,
    /// The player that plays on from each position.
    pub player: &'a PlayerHandle,
    /// The budget of each decision. Without time limits, the same match always gives the same
    /// analysis.
    pub budget: Budget,
    /// The total number of decisions that may be asked for.
    pub decisions: u64,
    /// When set, ends the work; results found until then are kept.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// The analysis of a match by a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct MatchReview {
    /// The record's id.
    pub record: String,
    /// The player that analysed it.
    pub player: String,
    /// The budget of each decision.
    pub budget: Budget,
    /// The number of decisions that were asked for.
    pub decisions: u64,
    /// Whether every turn was evaluated, and every move weighed.
    pub complete: bool,
    /// The positions that were evaluated, in order.
    pub turns: Vec<TurnReview>,
    /// The costliest moves, worst first.
    pub mistakes: Vec<Mistake>,
}

/// A position and the actions taken there.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct TurnReview {
    /// The turns played before it.
    pub turn: u32,
    /// The score that each seat ends with if the player plays all seats from here on.
    pub values: Vec<f64>,
    /// The decisions made here, by seat; none at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveReview>,
}

/// One decision.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct MoveReview {
    /// The seat that decided.
    pub seat: Seat,
    /// The action taken.
    pub played: String,
    /// The action that the player would take here.
    pub best: String,
    /// Both in words; none if the game has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<MoveWords>,
    /// By how many points the player's action is better in the end; none if that was not weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The cells that the player's move would change on the board, if it is not the one played, to
    /// be marked there; empty if they are too many to be meaningful.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Point>,
}

/// What was played and what would have been better, each as a sentence goes on after the seat's
/// name: “goes right”.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct MoveWords {
    /// What the action taken does.
    pub played: String,
    /// What the player's action would do.
    pub best: String,
}

/// A move that cost something.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Mistake {
    /// The turns played before it.
    pub turn: u32,
    /// The seat that made it.
    pub seat: Seat,
    /// The action taken.
    pub played: String,
    /// The action that the player would take there.
    pub best: String,
    /// Both in words; none if the game has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<MoveWords>,
    /// The cost in points.
    pub cost: f64,
}

impl Mistake {
    /// A decision that a seat would have taken better by `best`.
    pub fn new(turn: u32, seat: Seat, played: String, best: String, cost: f64) -> Mistake {
        Mistake { turn, seat, played, best, words: None, cost }
    }
}

/// An analysis in progress.
pub struct Analysis<'a> {
    analyst: Analyst<'a>,
    record: &'a Record,
    way: Continuation<'a>,
    positions: Vec<Position>,
    /// The playouts so far, by turn.
    playouts: BTreeMap<usize, Playout>,
    /// What a single seat gets with the player's move while the others do what they did.
    corrected: BTreeMap<(usize, Seat), f64>,
    /// What the player's move would do, if it is not the one played.
    better: BTreeMap<(usize, Seat), BetterMove>,
    left: u64,
}

/// A position of the match, and the actions taken there.
struct Position {
    state: Box<dyn AnyMatch>,
    played: Vec<(Seat, String)>,
}

/// What the player's move would do: the cells that it would change on the board, and in words.
struct BetterMove {
    cells: Vec<Point>,
    words: Option<String>,
}

/// How far it is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct AnalysisProgress {
    /// The positions evaluated so far.
    pub looked_at: usize,
    /// The positions of the match.
    pub positions: usize,
}

impl<'a> Analyst<'a> {
    /// Analyses a match. Calls `seen` after every position.
    ///
    /// # Errors
    /// [`AnalysisError`] if the record does not replay, or the player refuses the game or fails.
    pub fn review(
        &self,
        record: &'a Record,
        seen: &mut dyn FnMut(&Analysis<'a>),
    ) -> Result<MatchReview, AnalysisError> {
        let mut analysis = Analysis::new(*self, record)?;
        analysis.value_positions(seen)?;
        analysis.weigh_moves(seen)?;
        Ok(analysis.so_far())
    }
}

impl<'a> Analysis<'a> {
    fn new(analyst: Analyst<'a>, record: &'a Record) -> Result<Self, AnalysisError> {
        let mut positions: Vec<Position> = Vec::new();
        replay(analyst.game, record, &mut |state, played| {
            if let Some(before) = positions.last_mut() {
                let own = played.iter().map(|(seat, action)| (*seat, (*action).to_owned()));
                before.played = own.collect();
            }
            positions.push(Position { state: state.fork(), played: Vec::new() });
        })?;
        // The end is known. It may be a forfeit, after which nobody plays on.
        let scores = record.outcome.scores.clone();
        let end = Playout { first: Vec::new(), scores, turns: 0 };
        let playouts = positions.len().checked_sub(1).map(|last| (last, end)).into_iter().collect();
        let Analyst { game, player, budget, stop, decisions } = analyst;
        let way =
            Continuation { game, player, opponent: None, budget, seed: record.fixture.seed, stop };
        let (corrected, better, left) = (BTreeMap::new(), BTreeMap::new(), decisions);
        Ok(Analysis { analyst, record, way, positions, playouts, corrected, better, left })
    }

    /// How far it is.
    pub fn progress(&self) -> AnalysisProgress {
        AnalysisProgress { looked_at: self.playouts.len(), positions: self.positions.len() }
    }

    /// Whether seats ever decide at the same time, so that each of their moves is weighed alone.
    fn is_simultaneous(&self) -> bool {
        self.positions.iter().any(|position| position.played.len() > 1)
    }

    /// The gain of a score: more is better.
    fn gain(&self, score: f64) -> f64 {
        match self.analyst.game.objective() {
            Objective::Maximize => score,
            Objective::Minimize => -score,
        }
    }

    /// Evaluates positions while there is work left for them.
    fn value_positions(&mut self, seen: &mut dyn FnMut(&Self)) -> Result<(), AnalysisError> {
        let share = if self.is_simultaneous() { FOR_VALUES } else { 1.0 };
        let mut own = (self.left as f64 * share) as u64;
        let kept = self.left - own;
        while let Some(turn) = self.next_position() {
            let played = self.way.play(self.positions[turn].state.as_ref(), &mut own)?;
            self.left = kept + own;
            let Some(mut playout) = played else { break };
            self.take_same_moves(turn, &mut playout);
            self.playouts.insert(turn, playout);
            self.try_better_moves(turn);
            seen(self);
        }
        Ok(())
    }

    /// Puts what was played in place of moves of the player's that do the same.
    fn take_same_moves(&self, turn: usize, playout: &mut Playout) {
        let Position { state, played } = &self.positions[turn];
        for ((seat, best), (_, played)) in playout.first.iter_mut().zip(played) {
            if state.do_the_same(*seat, best, played) {
                best.clone_from(played);
            }
        }
    }

    /// Records what the player's moves in a position would do.
    fn try_better_moves(&mut self, turn: usize) {
        let state = self.positions[turn].state.as_ref();
        let wrong = self.wrong_moves(turn, &self.playouts[&turn]);
        if wrong.is_empty() {
            return;
        }
        let before = state.scene(None);
        let tried = wrong.into_iter().filter_map(|seat| {
            let mut after = state.fork();
            after.play(&self.joint_with(turn, seat)?).ok()?;
            let cells = cells_changed(&before, &after.scene(None));
            let words = after.tell(seat, self.best_of(turn, seat)?);
            Some(((turn, seat), BetterMove { cells, words }))
        });
        let tried: Vec<_> = tried.collect();
        self.better.extend(tried);
    }

    /// The actions played in a position, with the player's move in place of one seat's own.
    fn joint_with(&self, turn: usize, seat: Seat) -> Option<Vec<&str>> {
        let best = self.best_of(turn, seat)?;
        let played = self.positions[turn].played.iter();
        Some(
            played.map(|(own, played)| if *own == seat { best } else { played.as_str() }).collect(),
        )
    }

    /// The player's move in a position.
    fn best_of(&self, turn: usize, seat: Seat) -> Option<&str> {
        let mut moves = self.playouts[&turn].first.iter();
        moves.find_map(|(own, best)| (*own == seat).then_some(best.as_str()))
    }

    /// The number of stretches at first: so many that at most a quarter of the work is spent on
    /// them, and single moves are found in spite of little work.
    fn stretches(&self) -> usize {
        let [most, least] = STRETCHES;
        let decisions: usize = self.positions.iter().map(|position| position.played.len()).sum();
        let matches = self.analyst.decisions / decisions.max(1) as u64;
        usize::try_from(matches / 2).unwrap_or(most).clamp(least, most)
    }

    /// The position to evaluate next: first a few all over the match, then the middle of the
    /// stretch with the greatest change, and of two equal ones the longer.
    fn next_position(&self) -> Option<usize> {
        let last = self.positions.len() - 1;
        let stretches = self.stretches();
        let coarse = (0..stretches).map(|stretch| stretch * last / stretches);
        if let Some(turn) = coarse.into_iter().find(|turn| !self.playouts.contains_key(turn)) {
            return Some(turn);
        }
        let known = self.playouts.iter().zip(self.playouts.iter().skip(1));
        let stretches = known.filter(|((from, _), (to, _))| *to - *from > 1);
        let widest = stretches.max_by(|a, b| {
            let [(a, own), (b, other)] = [a, b].map(|((from, before), (to, after))| {
                (change(&before.scores, &after.scores), *to - *from)
            });
            a.total_cmp(&b).then(own.cmp(&other))
        });
        widest.map(|((from, _), (to, _))| (from + to) / 2)
    }

    /// Weighs the moves of turns on which several seats decided: what one seat would have got with
    /// the player's move, while the others do what they did. The greatest changes come first.
    fn weigh_moves(&mut self, seen: &mut dyn FnMut(&Self)) -> Result<(), AnalysisError> {
        let mut open = Vec::new();
        for (&turn, playout) in &self.playouts {
            let Some(after) = self.playouts.get(&(turn + 1)) else { continue };
            let wrong = self.wrong_moves(turn, playout);
            // If only one move is wrong, the values already tell its cost.
            if wrong.len() > 1 {
                let change = change(&playout.scores, &after.scores);
                open.extend(wrong.into_iter().map(|seat| (change, turn, seat)));
            }
        }
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, turn, seat) in open {
            let position = &self.positions[turn];
            let Some(joint) = self.joint_with(turn, seat) else { continue };
            let mut state = position.state.fork();
            let done = state.play(&joint);
            done.map_err(|(_, problem)| AnalysisError::Player {
                player: self.analyst.player.spec.clone(),
                turn: position.state.turn(),
                problem: problem.to_string(),
            })?;
            let Some(playout) = self.way.play(state.as_ref(), &mut self.left)? else { break };
            let score = playout.scores.get(seat.index()).copied().unwrap_or_default();
            self.corrected.insert((turn, seat), score);
            seen(self);
        }
        Ok(())
    }

    /// The seats that did not do what the player would do.
    fn wrong_moves(&self, turn: usize, playout: &Playout) -> Vec<Seat> {
        let pairs = self.positions[turn].played.iter().zip(&playout.first);
        pairs.filter(|(own, best)| own != best).map(|(own, _)| own.0).collect()
    }

    /// The results so far.
    pub fn so_far(&self) -> MatchReview {
        let mut turns: Vec<TurnReview> = self
            .playouts
            .iter()
            .map(|(&turn, playout)| TurnReview {
                turn: self.positions[turn].state.turn(),
                values: playout.scores.clone(),
                moves: self.moves(turn, playout),
            })
            .collect();
        if self.analyst.game.seats() == 1 {
            self.take_better_ways(&mut turns);
        }
        let costs = turns.iter().flat_map(|turn| {
            turn.moves.iter().filter_map(|own| {
                let cost = own.cost.filter(|cost| *cost > ROUNDING)?;
                let MoveReview { seat, played, best, words, .. } = own.clone();
                Some(Mistake { turn: turn.turn, seat, played, best, words, cost })
            })
        });
        let mut mistakes: Vec<Mistake> = costs.collect();
        mistakes.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.turn.cmp(&b.turn)));
        mistakes.truncate(LISTED);
        let weighed = turns.iter().flat_map(|turn| &turn.moves).all(|own| own.cost.is_some());
        MatchReview {
            record: self.record.id.clone(),
            player: self.analyst.player.spec.clone(),
            budget: self.analyst.budget,
            decisions: self.analyst.decisions - self.left,
            complete: weighed && turns.len() == self.positions.len(),
            turns,
            mistakes,
        }
    }

    /// The decisions in a position, with their cost as far as it is known.
    fn moves(&self, turn: usize, playout: &Playout) -> Vec<MoveReview> {
        let wrong = self.wrong_moves(turn, playout);
        let after = self.playouts.get(&(turn + 1));
        let pairs = self.positions[turn].played.iter().zip(&playout.first);
        let score = |scores: &[f64], seat: Seat| scores.get(seat.index()).copied();
        let reviews = pairs.map(|((seat, played), (_, best))| {
            let better = match wrong.as_slice() {
                [one] if one == seat => score(&playout.scores, *seat),
                _ => self.corrected.get(&(turn, *seat)).copied(),
            };
            let now = after.and_then(|after| score(&after.scores, *seat));
            let cost = match (better, now) {
                _ if played == best => Some(0.0),
                // A move that turned out no worse cost nothing.
                (Some(better), Some(now)) => Some((self.gain(better) - self.gain(now)).max(0.0)),
                _ => None,
            };
            let other = self.better.get(&(turn, *seat));
            let cells = other.map(|other| other.cells.clone()).unwrap_or_default();
            let words = self.words_of(turn, *seat, played, other);
            let (played, best) = (played.clone(), best.clone());
            MoveReview { seat: *seat, played, best, words, cost, cells }
        });
        reviews.collect()
    }

    /// A move in words, beside the player's other one, if that is another.
    fn words_of(
        &self,
        turn: usize,
        seat: Seat,
        played: &str,
        other: Option<&BetterMove>,
    ) -> Option<MoveWords> {
        let played = self.positions.get(turn + 1)?.state.tell(seat, played)?;
        let best = match other {
            Some(other) => other.words.clone()?,
            None => played.clone(),
        };
        Some(MoveWords { played, best })
    }

    /// In a game of one seat, any score attainable later was attainable earlier, by the moves that
    /// were played. If the player finds a better score only later, it has overlooked it before.
    fn take_better_ways(&self, turns: &mut [TurnReview]) {
        let mut ahead: Option<(u32, f64)> = None;
        for turn in turns.iter_mut().rev() {
            let Some(value) = turn.values.first().copied() else { continue };
            let mut value = value;
            if let Some((next, later)) = ahead {
                let was_better = self.gain(later) >= self.gain(value);
                if was_better {
                    value = later;
                }
                for own in &mut turn.moves {
                    if was_better {
                        own.best.clone_from(&own.played);
                        if let Some(words) = &mut own.words {
                            words.best.clone_from(&words.played);
                        }
                        own.cells.clear();
                        own.cost = Some(0.0);
                    } else if next == turn.turn + 1 && own.cost.is_some() {
                        own.cost = Some(self.gain(value) - self.gain(later));
                    }
                }
            }
            turn.values = vec![value];
            ahead = Some((turn.turn, value));
        }
    }
}

/// The greatest difference between the scores of a seat in two positions.
fn change(before: &[f64], after: &[f64]) -> f64 {
    before.iter().zip(after).map(|(before, after)| (before - after).abs()).fold(0.0, f64::max)
}
