//! The first pass of a step: all places of a board, ranked without looking for a path. Which
//! of them go on to the second pass is decided by [`select`].

use std::collections::HashMap;

use quintain_core::GOLDEN_GAMMA;

use crate::players::champion::beam::model::{BeamSettings, Candidate, Ply, Worker};
use crate::players::champion::phrase_value::POINT;
use crate::players::champion::tuned::tuned;
use crate::rules::board::Board;
use crate::rules::units::Position;
use crate::rules::{Instance, points};

/// The most places of a board that are looked at; if there are more, the lowest are taken.
const MAX_PLACES: usize = 200;

/// Ranks all places of one board, or only the `guide` if there is one; adds them to the
/// worker's candidates.
pub(super) fn rank_places(
    instance: &Instance,
    settings: &BeamSettings,
    guide: Option<Position>,
    ply: &Ply<'_>,
    parent: usize,
    worker: &mut Worker<'_>,
) {
    let state = &ply.states[parent];
    let unit = instance.nth(ply.n);
    let Worker { reach, scratch, taken, stamp, candidates, search, places, .. } = worker;
    reach.sweep(unit, &state.board, ply.walk.position());
    let starts = state.hypotheses.iter().map(|one| search.rank(&ply.path_start(one)));
    let best = starts.max().unwrap_or_default() as f32 / POINT as f32;
    let left = instance.queue().len() - ply.n - 1;
    // The fewer units are to come, the less the board matters.
    let counts = (left as f32 / settings.fading).min(1.0);
    let after = (left > 0).then(|| instance.nth(ply.n + 1));
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
    // On wide boards there are thousands of places, and nearly all good ones lie low.
    if places.len() > MAX_PLACES {
        let lowest = |position: &Position| {
            let shape = unit.shape(*position);
            (std::cmp::Reverse(i32::from(position.y) + shape.top + shape.height), *position)
        };
        places.select_nth_unstable_by_key(MAX_PLACES, lowest);
        places.truncate(MAX_PLACES);
        places.sort_unstable();
    }
    for &position in places.iter() {
        scratch.rows_mut().copy_from_slice(state.board.rows());
        let lines = unit.lock(scratch, position);
        let goes_on = after.is_some_and(|after| after.fits(scratch, after.spawn()));
        let gained = points(unit.size(), lines, state.before) as f32;
        let evaluation = match goes_on {
            true => counts * settings.weights.of(scratch),
            false => -tuned().beam.unit_lost * left as f32,
        };
        // No path is known yet. But the deeper a unit falls, the more is spoken on the way,
        // whatever the path, so the guess depends on the depth.
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

/// How many ways to the same board go on to the second pass: usually from the best three parents,
/// because only that pass shows which parent's text leads there best. In a well one cell wide every
/// place is a whole row, and the board the same wherever the unit locks; but the text may go on
/// best where the next unit locks at once.
fn ways_to_a_board(width: usize) -> u32 {
    if width == 1 { MAX_PLACES as u32 } else { 3 }
}

/// The best candidates of all: those of `close` different boards, for boards of this `width`.
pub(super) fn select(mut all: Vec<Candidate>, close: usize, width: usize) -> Vec<Candidate> {
    let most = ways_to_a_board(width);
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
        boards <= close && *known <= most
    });
    all
}

/// A hash of a board and the lines of the lock that made it.
fn hash(board: &Board, lines: u32) -> u64 {
    let mut hash = u64::from(lines);
    for row in board.rows() {
        hash = (hash.rotate_left(23) ^ *row as u64).wrapping_mul(GOLDEN_GAMMA);
        if board.width() > 64 {
            hash = (hash.rotate_left(23) ^ (*row >> 64) as u64).wrapping_mul(GOLDEN_GAMMA);
        }
    }
    hash ^ hash >> 29
}
