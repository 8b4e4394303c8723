//! Which decisions of a match exact values call mistakes, where the whole match has such values.

use std::sync::Arc;

use quintain_core::{Effort, JudgedMove, JudgedTurn};
use quintain_play::Mistake;

use crate::lost::Lost;
use crate::task::{GAP, LessonError, ROUNDING};
use crate::weighing::Work;

/// The memory for the values of a match, in bytes.
const MEMORY: usize = 256 << 20;
/// The most positions searched for the value of one.
pub(crate) const EXACT_POSITIONS: u64 = 1_000_000;

/// What the decisions of a seat gave away.
pub(crate) struct Judged {
    /// By turn.
    moves: Vec<Option<JudgedMove>>,
}

impl Lost<'_> {
    /// What each decision gave away, if the exact values of the whole match can be found.
    pub(crate) fn judge_exactly(&self, work: &Work) -> Result<Option<Judged>, LessonError> {
        let Some(make) = self.teacher.catalog.entry(self.game.name())?.exact() else {
            return Ok(None);
        };
        let positions = EXACT_POSITIONS.min(work.left);
        let stop = self.teacher.stop.map(Arc::clone).unwrap_or_default();
        let judged = make(Effort { memory: MEMORY, positions, stop }).judge(self.record);
        let own = |turn: JudgedTurn| turn.moves.into_iter().find(|own| own.seat == self.seat);
        // A match that cannot be judged is searched.
        let judged = judged.ok().filter(|turns| turns.len() + 1 == self.positions.len());
        Ok(judged.map(|turns| Judged { moves: turns.into_iter().map(own).collect() }))
    }
}

impl Judged {
    /// Whether the value fell by the decision of a turn.
    pub(crate) fn is_mistake(&self, turn: usize) -> bool {
        let own = self.moves.get(turn).and_then(Option::as_ref);
        own.is_some_and(|own| own.cost > GAP - ROUNDING)
    }

    /// The decisions by which the value fell, the last one first.
    pub(crate) fn mistakes(&self) -> Vec<Mistake> {
        let turns = (0..self.moves.len()).rev().filter(|turn| self.is_mistake(*turn));
        let mistake = |turn: usize| {
            let JudgedMove { seat, played, best, cost, .. } = self.moves[turn].clone()?;
            let (best, _) = best.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(Mistake::new(turn as u32, seat, played, best, cost))
        };
        turns.filter_map(mistake).collect()
    }

    /// The most that one decision gave away.
    pub(crate) fn greatest_cost(&self) -> f64 {
        self.moves.iter().flatten().map(|own| own.cost).fold(0.0, f64::max)
    }
}
