//! The last step towards a simple lesson: the simplest opponent that punishes the mistake. The
//! game's players are tried from weak to strong; against the first one that is left, the mistake
//! costs as much as on every other step, however well the player goes on.

use quintain_core::{Budget, PlayerHandle};
use quintain_play::Continuation;

use crate::lesson::Opponent;
use crate::lost::Lost;
use crate::rivals::ladder;
use crate::task::{LessonError, Teacher, gap_of};
use crate::weighing::{Decision, VERIFICATION, Work, scaled};

/// The seeds on which an opponent must punish the mistake.
const SEEDS: u64 = 3;
/// The budgets at which the strong player plays on, the last one as in the verification.
const BUDGETS: [f64; 2] = [1.0, VERIFICATION];
/// The share of the nodes for a lesson that may be searched for this.
const SHARE: u64 = 4;

/// The seeds on which opponents are tried.
pub(crate) fn seeds_from(seed: u64) -> impl Iterator<Item = u64> {
    (0..SEEDS).map(move |number| seed.wrapping_add(number))
}

impl Lost<'_> {
    /// The simplest of the game's players, up to the judge, against which the mistake costs as much
    /// as it must; and to which the player loses, as `is_beaten_by` says.
    pub(crate) fn find_opponent(
        &self,
        decision: Decision<'_>,
        (mistake, better): (&str, &str),
        is_beaten_by: &mut dyn FnMut(&PlayerHandle) -> Result<bool, LessonError>,
    ) -> Result<Option<Opponent>, LessonError> {
        let Teacher { catalog, judge, nodes, .. } = *self.teacher;
        let game = decision.game;
        // As for the verification, there is work of its own.
        let mut work = Work { left: nodes / SHARE };
        for name in ladder(catalog.entry(game.name())?) {
            let other = catalog.player(game.name(), &name)?;
            if other.spec == self.player.spec || game.accepts(&other).is_err() {
                continue;
            }
            let found = self.punishes((decision, &other), (mistake, better), &mut work)?;
            if let Some(found) = found
                && is_beaten_by(&other)?
            {
                return Ok(Some(found));
            }
            if other.spec == judge.spec || self.is_stopped() {
                break;
            }
        }
        Ok(None)
    }

    /// What both actions lead to against an opponent, if it punishes the mistake on every seed and
    /// with every budget.
    fn punishes(
        &self,
        (decision, other): (Decision<'_>, &PlayerHandle),
        (mistake, better): (&str, &str),
        work: &mut Work,
    ) -> Result<Option<Opponent>, LessonError> {
        let (game, gap) = (decision.game, gap_of(decision.game));
        let mut sums = [0.0; 2];
        for factor in BUDGETS {
            sums = [0.0; 2];
            for seed in seeds_from(decision.seed) {
                let against = Decision { seed, ..decision };
                let budget = scaled(self.teacher.budget, factor);
                let mut scores = [0.0; 2];
                for (score, action) in scores.iter_mut().zip([better, mistake]) {
                    match self.play_on((against, other), action, budget, work)? {
                        Some(found) => *score = found,
                        None => return Ok(None),
                    }
                }
                let [better, mistake] = scores.map(|score| game.objective().gain(score));
                if better - mistake < gap {
                    return Ok(None);
                }
                sums = [sums[0] + scores[0], sums[1] + scores[1]];
            }
        }
        let [better, mistake] = sums.map(|sum| sum / SEEDS as f64);
        Ok(Some(Opponent { player: other.spec.clone(), better, mistake }))
    }

    /// The score after an action if the judge plays on against an opponent. None if the work is
    /// used up.
    fn play_on(
        &self,
        (decision, other): (Decision<'_>, &PlayerHandle),
        action: &str,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Option<f64>, LessonError> {
        let Decision { game, state, seat, seed } = decision;
        let Teacher { judge: player, stop, .. } = *self.teacher;
        let opponent = Some((seat, other));
        let way = Continuation { game, player, opponent, budget, seed, stop };
        let granted = work.decisions(budget);
        let mut decisions = granted;
        let playout = way.play_after(state, Some((seat, action)), &mut decisions)?;
        work.take(granted - decisions, budget);
        Ok(playout.and_then(|playout| playout.scores.get(seat.index()).copied()))
    }
}
