//! The data of the two passes of a beam's step: boards with their hypotheses, the candidates of the
//! first pass, the children of the second, and the buffers of a thread.

use std::sync::Arc;

use crate::players::champion::evaluation::BoardWeights;
use crate::players::champion::path_search::{PathEnd, PathSearch, PathStart};
use crate::players::champion::phrase_scorer::PhraseScorer;
use crate::players::champion::phrase_value::{POINT, PhraseWeights};
use crate::players::champion::reach::Reach;
use crate::players::champion::spoken_text::SpokenText;
use crate::players::champion::tuned::{BeamNumbers, tuned};
use crate::rules::Instance;
use crate::rules::board::Board;
use crate::rules::phrases::ONCE;
use crate::rules::units::Position;
use crate::rules::walk::Walk;

/// The settings of a beam.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BeamSettings {
    /// The weights by which boards are evaluated.
    pub weights: BoardWeights,
    /// Hypotheses carried from unit to unit on each board.
    pub carried: usize,
    /// Hypotheses kept at each position on the way of a unit.
    pub listed: usize,
    /// Hypotheses this many points worse than the best at a position are given up.
    pub margin: i32,
    /// The number of boards that the second pass looks at for each one that goes on.
    pub close: f32,
    /// The share of the points paid once for a phrase that does not count while many units are
    /// still to come: the phrase would be spoken later as well.
    pub deferred: f32,
    /// The share of what a fall through open space earns per downward command that the first pass
    /// expects.
    pub expected: f32,
    /// This many units before the end, the evaluation of the board begins to count less.
    pub fading: f32,
}

impl Default for BeamSettings {
    fn default() -> Self {
        let &BeamNumbers { carried, listed, margin, close, deferred, expected, fading, .. } =
            &tuned().beam;
        let weights = BoardWeights::default();
        BeamSettings { weights, carried, listed, margin, close, deferred, expected, fading }
    }
}

/// What may have been spoken up to a lock.
#[derive(Clone, Debug)]
pub(super) struct Hypothesis {
    /// Points of phrases and locks.
    pub(super) points: i64,
    /// The node of the automaton.
    pub(super) node: u16,
    /// The phrases spoken so far, one bit each.
    pub(super) used: u64,
    pub(super) text: Option<Arc<SpokenText>>,
}

/// A board and what may have led to it.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) board: Board,
    /// Lines removed by the last lock.
    pub(super) before: u32,
    /// The best first.
    pub(super) hypotheses: Vec<Hypothesis>,
}

/// A command string to a candidate, found in the second pass.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) rank: f32,
    pub(super) points: i64,
    pub(super) candidate: u32,
    /// The parent's hypothesis that it continues.
    pub(super) hypothesis: u16,
    pub(super) node: u16,
    pub(super) used: u64,
    /// Where its letters begin and end among those of its worker.
    pub(super) letters: (u32, u32),
    pub(super) worker: u16,
}

/// One step of the beam: everything that its two passes share.
pub(super) struct Ply<'s> {
    /// The number of the unit, from 0.
    pub(super) n: usize,
    /// Where the unit starts.
    pub(super) walk: &'s Walk,
    pub(super) states: &'s [State],
    /// The points of the best hypothesis of all. Others are counted relative to it, so that the
    /// sums of the path search stay small.
    pub(super) base: i64,
    /// The weights for this unit and for the next one.
    pub(super) phrase_weights: [PhraseWeights; 2],
}

impl Ply<'_> {
    /// What a hypothesis is worth, relative to the base, in parts of a point. What was paid once
    /// for phrases counts only as far as phrases count now. Otherwise a hypothesis that has spent
    /// them early would seem better than one that keeps them for later.
    fn worth(&self, hypothesis: &Hypothesis) -> i32 {
        let lost = ONCE as i32 * POINT - self.phrase_weights[0].once();
        let deferred = lost * hypothesis.used.count_ones() as i32;
        // A hypothesis a million points behind is lost anyway; the limit keeps its parts of a point
        // within 32 bits.
        let points = (hypothesis.points - self.base).max(-1_000_000) as i32;
        points * POINT - deferred
    }

    /// A hypothesis in the form in which the path search takes it.
    pub(super) fn path_start(&self, hypothesis: &Hypothesis) -> PathStart {
        PathStart { node: hypothesis.node, used: hypothesis.used, worth: self.worth(hypothesis) }
    }
}

/// A place for the unit on one of the boards, ranked without a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Points so far, those of the lock, the evaluation, and a guess for phrases.
    pub(super) rank: f32,
    /// The value of the board after the lock for the units to come.
    pub(super) evaluation: f32,
    /// A hash of the board after the lock and of the lines removed: equal for equal futures.
    pub(super) hash: u64,
    /// The number of the board before.
    pub(super) parent: u32,
    pub(super) position: Position,
    pub(super) lines: u32,
    /// Whether another unit can come.
    pub(super) goes_on: bool,
}

/// The working memory of one thread: buffers that are reused for every board.
pub(super) struct Worker<'a> {
    pub(super) reach: Reach,
    pub(super) scratch: Board,
    /// By footprint of a place, the `stamp` of the last board for which it was seen.
    pub(super) taken: Vec<u32>,
    pub(super) stamp: u32,
    pub(super) places: Vec<Position>,
    pub(super) search: PathSearch<'a>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) children: Vec<Child>,
    pub(super) letters: Vec<u8>,
    pub(super) starts: Vec<PathStart>,
    pub(super) ends: Vec<PathEnd>,
    pub(super) targets: Vec<Position>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(instance: &Instance, scorer: &'a PhraseScorer) -> Self {
        let board = instance.problem().board();
        Worker {
            reach: Reach::new(),
            scratch: board.clone(),
            taken: vec![0; 12 * board.cells()],
            stamp: 0,
            places: Vec::new(),
            search: PathSearch::new(scorer),
            candidates: Vec::new(),
            children: Vec::new(),
            letters: Vec::new(),
            starts: Vec::new(),
            ends: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Clears what belongs to the last unit.
    pub(super) fn clear(&mut self, periods: [u8; 2], phrase_weights: [PhraseWeights; 2]) {
        self.candidates.clear();
        self.children.clear();
        self.letters.clear();
        self.search.set_phrase_weights(periods, phrase_weights);
    }
}
