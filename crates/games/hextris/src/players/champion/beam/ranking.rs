//! The first pass of a step: all places of a board, ranked without looking for a path. Which
//! of them go on to the second pass is decided by [`select`].

use std::collections::HashMap;

use crate::players::champion::beam::{Beam, Child, Mode, Ply};
use crate::players::champion::path_search::{PathEnd, PathSearch, PathStart};
use crate::players::champion::phrase_scorer::PhraseScorer;
use crate::players::champion::phrase_value::{POINT, PhraseWeights};
use crate::players::champion::reach::Reach;
use crate::rules::board::Board;
use crate::rules::units::Position;
use crate::rules::{Instance, points};

/// The most places of a board that are looked at: of more, the lowest.
const MOST_PLACES: usize = 200;

/// What a unit that will not come for want of room costs, in points.
const UNIT_LOST: f32 = 60.0;

/// A place for the unit on one of the boards, ranked without a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Points so far, those of the lock, the evaluation, and a guess for phrases.
    pub(super) rank: f32,
    /// What the board after the lock is worth for the units to come.
    pub(super) evaluation: f32,
    /// Of the board after the lock and of the lines taken away: equal for equal futures.
    pub(super) hash: u64,
    /// The number of the board before.
    pub(super) parent: u32,
    pub(super) position: Position,
    pub(super) lines: u32,
    /// Whether another unit can come.
    pub(super) goes_on: bool,
}

/// What one thread works with: buffers that are used again for every board.
pub(super) struct Worker<'a> {
    pub(super) reach: Reach,
    scratch: Board,
    /// By footprint of a place, the `stamp` of the board for which it was seen last.
    taken: Vec<u32>,
    stamp: u32,
    places: Vec<Position>,
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
            taken: vec![0; 12 * board.width() * board.height()],
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

    /// Forgets the last unit.
    pub(super) fn clear(&mut self, periods: [u8; 2], phrase_weights: [PhraseWeights; 2]) {
        self.candidates.clear();
        self.children.clear();
        self.letters.clear();
        self.search.set_phrase_weights(periods, phrase_weights);
    }
}

impl<'a> Beam<'a> {
    /// Ranks all places of one board; adds them to the worker's candidates.
    pub(super) fn rank_places(&self, ply: &Ply<'_>, parent: usize, worker: &mut Worker<'a>) {
        let state = &ply.states[parent];
        let instance = self.instance();
        let unit = instance.nth(ply.n);
        let Worker { reach, scratch, taken, stamp, candidates, search, places, .. } = worker;
        reach.sweep(unit, &state.board, ply.walk.position());
        let starts = state.hypotheses.iter().map(|one| search.rank(&self.path_start(one, ply)));
        let best = starts.max().unwrap_or_default() as f32 / POINT as f32;
        let left = instance.queue().len() - ply.n - 1;
        // The board matters less the fewer units are to come.
        let counts = (left as f32 / self.settings.fading).min(1.0);
        let after = (left > 0).then(|| instance.nth(ply.n + 1));
        let guide = match self.mode {
            Mode::Guided(positions) => Some(positions[ply.n + 1 - self.input.start.came as usize]),
            _ => None,
        };
        *stamp += 1;
        let (width, height) = (state.board.width(), state.board.height());
        places.clear();
        reach.for_each_lock(unit, |position| {
            if guide.is_some_and(|guide| guide != position) {
                return;
            }
            // Positions that fill the same cells count once.
            let (x, y, form) = unit.footprint(position);
            let key = (usize::from(form) * height + y as usize) * width + x as usize;
            if taken[key] != *stamp {
                taken[key] = *stamp;
                places.push(position);
            }
        });
        if places.len() > MOST_PLACES {
            let lowest = |position: &Position| {
                let shape = unit.shape(*position);
                (std::cmp::Reverse(i32::from(position.y) + shape.top + shape.height), *position)
            };
            places.select_nth_unstable_by_key(MOST_PLACES, lowest);
            places.truncate(MOST_PLACES);
            places.sort_unstable();
        }
        for &position in places.iter() {
            scratch.rows_mut().copy_from_slice(state.board.rows());
            let lines = unit.lock(scratch, position);
            let goes_on = after.is_some_and(|after| after.fits(scratch, after.spawn()));
            let gained = points(unit.size(), lines, state.before) as f32;
            let evaluation = match goes_on {
                true => counts * self.settings.weights.of(scratch),
                false => -UNIT_LOST * left as f32,
            };
            let downs = f32::from(position.y - ply.walk.position().y + 1);
            candidates.push(Candidate {
                rank: best + gained + evaluation + ply.phrase_weights[0].density * downs,
                evaluation,
                hash: hash(scratch, lines),
                parent: parent as u32,
                position,
                lines,
                goes_on,
            });
        }
    }
}

/// The best candidates of all: those of `close` different boards, each from its best three
/// parents, since which parent's text leads there best shows only in the second pass.
pub(super) fn select(mut all: Vec<Candidate>, close: usize) -> Vec<Candidate> {
    let order = |a: &Candidate, b: &Candidate| {
        b.rank.total_cmp(&a.rank).then(a.parent.cmp(&b.parent)).then(a.position.cmp(&b.position))
    };
    // Sorting everything would take longer than ranking it.
    if all.len() > 4 * close {
        all.select_nth_unstable_by(4 * close, order);
        all.truncate(4 * close);
    }
    all.sort_unstable_by(order);
    let mut copies: HashMap<u64, u32> = HashMap::with_capacity(2 * close);
    let mut boards = 0;
    all.retain(|candidate| {
        let known = copies.entry(candidate.hash).or_default();
        *known += 1;
        if *known == 1 {
            boards += 1;
        }
        boards <= close && *known <= 3
    });
    all
}

/// A hash of a board and the lines of the lock that made it.
fn hash(board: &Board, lines: u32) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = u64::from(lines);
    for row in board.rows() {
        hash = (hash.rotate_left(23) ^ *row as u64).wrapping_mul(FACTOR);
        if board.width() > 64 {
            hash = (hash.rotate_left(23) ^ (*row >> 64) as u64).wrapping_mul(FACTOR);
        }
    }
    hash ^ hash >> 29
}
