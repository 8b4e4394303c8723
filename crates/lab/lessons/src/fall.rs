//! A quick look at a match between rivals: the decision at which what the player could still get
//! fell for the last time, found by halving. It takes a few matches that are played on, where a
//! review takes hundreds.

use std::collections::BTreeMap;

use quintain_play::{Continuation, Mistake, Playout};

use crate::lost::Lost;
use crate::task::{LessonError, gap_of};
use crate::weighing::{Work, scaled};

/// The share of the turns at which the player may still have been well off: the start, or later if
/// the judge would have lost from there.
const EARLY: [usize; 4] = [0, 2, 1, 3];
const PARTS: usize = 4;

impl Lost<'_> {
    /// The decision by which the match was lost, as far as few searches tell. None if they do not.
    pub(crate) fn find_fall(&self, work: &mut Work) -> Result<Option<Mistake>, LessonError> {
        let last = self.positions.len() - 1;
        let end = self.gain_of(&self.record.outcome.scores);
        let least = end + gap_of(self.game);
        let mut known = BTreeMap::new();
        let mut early = None;
        for part in EARLY {
            let turn = part * last / PARTS;
            if self.is_well_off(turn, least, &mut known, work)? {
                early = Some(turn);
                break;
            }
        }
        let Some(mut from) = early else { return Ok(None) };
        let mut to = last;
        while to - from > 1 {
            let middle = (from + to) / 2;
            match self.is_well_off(middle, least, &mut known, work)? {
                true => from = middle,
                false => to = middle,
            }
        }
        // The other's move cannot lose the match, so it was the player's last one before.
        let own = (0..=from).rev().find(|turn| self.played(*turn).is_some());
        let Some(turn) = own else { return Ok(None) };
        if !known.contains_key(&turn) {
            self.is_well_off(turn, least, &mut known, work)?;
        }
        self.name_mistake(turn, known.get(&turn), end, work)
    }

    /// The player's decision on a turn as a mistake, if the judge's own was better given what the
    /// others did.
    fn name_mistake(
        &self,
        turn: usize,
        playout: Option<&Playout>,
        end: f64,
        work: &mut Work,
    ) -> Result<Option<Mistake>, LessonError> {
        let Some(playout) = playout else { return Ok(None) };
        let own = playout.first.iter().find(|(seat, _)| *seat == self.seat);
        let (Some((_, best)), Some(played)) = (own, self.played(turn)) else { return Ok(None) };
        if self.positions[turn].do_the_same(self.seat, best, played) {
            return Ok(None);
        }
        let (played, best) = (played.to_owned(), best.clone());
        let mut mistake = Mistake::new(turn as u32, self.seat, played, best, 0.0);
        let budget = scaled(self.teacher.budget, self.look.factor());
        let scores = self.score_both(self.patient(), &mistake, budget, work)?;
        let Some([better, _]) = scores else { return Ok(None) };
        mistake.cost = self.game.objective().gain(better) - end;
        Ok((mistake.cost >= gap_of(self.game)).then_some(mistake))
    }

    /// Whether the judge would still get as much as this from a turn on.
    fn is_well_off(
        &self,
        turn: usize,
        least: f64,
        known: &mut BTreeMap<usize, Playout>,
        work: &mut Work,
    ) -> Result<bool, LessonError> {
        let (player, stop) = (self.teacher.judge, self.teacher.stop);
        let budget = scaled(self.teacher.budget, self.look.factor());
        let (game, seed) = (self.game, self.record.fixture.seed);
        let way = Continuation { game, player, opponent: None, budget, seed, stop };
        let granted = work.decisions(budget);
        let mut left = granted;
        let played = way.play(self.positions[turn].as_ref(), &mut left)?;
        work.take(granted - left, budget);
        let Some(playout) = played else { return Ok(false) };
        let is_enough = self.gain_of(&playout.scores) >= least;
        known.insert(turn, playout);
        Ok(is_enough)
    }

    /// The seat's gain from scores.
    fn gain_of(&self, scores: &[f64]) -> f64 {
        let score = scores.get(self.seat.index()).copied().unwrap_or_default();
        self.game.objective().gain(score)
    }
}
