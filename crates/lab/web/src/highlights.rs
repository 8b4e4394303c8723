//! The matches of a tournament that are worth watching, each with the reason.

use quintain_core::Scoring;
use quintain_scene::clean;
use quintain_standings::{SeatResult, seat_results};
use quintain_store::{Filter, MatchRow, Store, StoreError};

use crate::matches::{MatchEntry, Usual, add_usual, match_entry, upset};
use crate::overview::Overview;
use crate::pages::figure;

/// Number of matches shown.
const SHOWN: usize = 3;
/// A tournament with fewer matches is watched whole.
const FEWEST: u64 = 4;

/// A match worth watching.
pub(crate) struct Highlight {
    /// Why, in words.
    pub(crate) reason: String,
    pub(crate) entry: MatchEntry,
}

/// The most remarkable match of a kind so far.
#[derive(Default)]
struct Most(Option<(f64, Highlight)>);

impl Most {
    /// Takes the match if it is more remarkable than the one so far.
    fn offer(&mut self, measure: f64, row: &MatchRow, reason: impl FnOnce() -> String) {
        if self.0.as_ref().is_none_or(|(most, _)| measure > *most) {
            self.0 = Some((measure, Highlight { reason: reason(), entry: match_entry(row, None) }));
        }
    }
}

/// Finds the matches worth watching: where seats are rivals, the largest upset, the longest match
/// and the quickest win; otherwise those furthest ahead of and behind the others on their seed, and
/// the longest. Matches that ended by a fault are left out.
pub(crate) fn find_highlights(
    store: &Store,
    overview: &Overview,
) -> Result<Vec<Highlight>, StoreError> {
    if overview.info.played < FEWEST {
        return Ok(Vec::new());
    }
    let filter = Filter::tournament(overview.info.id);
    let is_contest = overview.info.scoring == Scoring::Adversarial;
    let mut kinds: [Most; SHOWN] = Default::default();
    let mut usual = Usual::new();
    store.matches(&filter, |row| {
        match row.fault {
            None if is_contest => offer_rivals(row, overview, &mut kinds),
            None => add_usual(&mut usual, row, |_| true),
            Some(_) => {}
        }
        Ok::<(), StoreError>(())
    })?;
    if !is_contest {
        store.matches(&filter, |row| {
            if row.fault.is_none() {
                offer_alone(row, overview, &usual, &mut kinds);
            }
            Ok::<(), StoreError>(())
        })?;
    }
    let mut found: Vec<Highlight> = Vec::new();
    for (_, highlight) in kinds.into_iter().filter_map(|most| most.0) {
        if found.iter().all(|known| known.entry.id != highlight.entry.id) {
            found.push(highlight);
        }
    }
    Ok(found)
}

fn offer_rivals(row: &MatchRow, overview: &Overview, kinds: &mut [Most; SHOWN]) {
    let [upsets, longest, quickest] = kinds;
    if let Some(upset) = upset(row, overview) {
        let name = |seat: usize| clean(&row.players[seat]);
        upsets.offer(upset.gap, row, || {
            let (winner, loser) = (name(upset.winner), name(upset.loser));
            format!("Largest upset: {loser} is rated {:.0} Elo above {winner}", upset.gap)
        });
    }
    longest.offer(row.turns.into(), row, || format!("Longest: {} turns", row.turns));
    let results = seat_results(overview.info.objective, &row.scores, None);
    if results.contains(&SeatResult::Won) {
        quickest.offer(-f64::from(row.turns), row, || format!("Quickest win: {} turns", row.turns));
    }
}

fn offer_alone(row: &MatchRow, overview: &Overview, usual: &Usual, kinds: &mut [Most; SHOWN]) {
    let [ahead, behind, longest] = kinds;
    longest.offer(row.turns.into(), row, || format!("Longest: {} turns", row.turns));
    let Some(&(sum, seats)) = usual.get(&(row.scenario.clone(), row.seed)) else { return };
    let own = row.scores.len() as u32;
    if own == 0 || seats <= own {
        return;
    }
    let score = row.scores.iter().sum::<f64>() / f64::from(own);
    let others = (sum - score * f64::from(own)) / f64::from(seats - own);
    // Scores on different boards may differ a hundredfold.
    let scale = others.abs().max(score.abs()).max(f64::MIN_POSITIVE);
    let lead = overview.info.objective.gain(score - others) / scale;
    let words = |place: &str| {
        let (score, others) = (figure(score), figure(others));
        format!("Furthest {place}: {score}, where the others have {others} on average")
    };
    if lead > 0.0 {
        ahead.offer(lead, row, || words("ahead"));
    }
    if lead < 0.0 {
        behind.offer(-lead, row, || words("behind"));
    }
}
