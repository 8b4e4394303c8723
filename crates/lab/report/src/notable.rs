//! The matches of a tournament that are worth watching, each with the reason. Reports and pages
//! name the same ones.

use std::collections::HashMap;

use quintain_core::{Catalog, Objective, Record, Scoring, Seat};
use quintain_scene::clean;
use quintain_standings::{SeatResult, Standings, StandingsRow, game_between, seat_results};
use quintain_store::{Filter, MatchRow, Store, StoreError, TournamentInfo};

use crate::numbers::significant;

/// Number of reasons, and so of matches.
const REASONS: usize = 3;

/// A match worth watching.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct NotableMatch {
    /// The record's id.
    pub id: String,
    /// Where it was played, by whom, and why it is worth watching.
    pub text: String,
}

impl NotableMatch {
    /// Finds the matches worth watching.
    pub(crate) fn find_all(
        store: &Store,
        tournament: &TournamentInfo,
        standings: &Standings,
    ) -> Result<Vec<NotableMatch>, StoreError> {
        let place = |row: &MatchRow| {
            let named = |(seat, player): (usize, &String)| match row.players.len() {
                1 => player.clone(),
                _ => format!("{} {player}", Seat::new(seat).letter()),
            };
            let players: Vec<String> = row.players.iter().enumerate().map(named).collect();
            let text = format!("{}, seed {}, {}", row.scenario, row.seed, players.join(", "));
            NotableMatch { id: row.id.clone(), text }
        };
        let found = find_notable(store, tournament, standings, place)?;
        Ok(found
            .into_iter()
            .map(|(why, mut notable)| {
                notable.text += &format!(": {why}");
                notable
            })
            .collect())
    }

    /// Adds what decided the match. A record that the games here do not replay stays without.
    pub(crate) fn add_decision(&mut self, record: &Record, catalog: &Catalog) {
        let decision = catalog.game_of(record).map(|game| game.decision(record));
        if let Ok(Ok(decision)) = decision {
            self.text += &format!(". {decision}.");
        }
    }

    /// The file that shows the match, next to the report.
    pub fn file(&self) -> String {
        format!("matches/{}.html", self.id.chars().take(8).collect::<String>())
    }
}

/// Finds the matches worth watching, and returns why, in words, with what `show` makes of each:
/// among rivals the largest upset, the longest match and the quickest win; where scores are
/// independent, the matches furthest ahead of and behind the others on their seed, and the longest.
/// Matches that ended by a fault are left out.
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn find_notable<T>(
    store: &Store,
    tournament: &TournamentInfo,
    standings: &Standings,
    show: impl Fn(&MatchRow) -> T,
) -> Result<Vec<(String, T)>, StoreError> {
    let filter = Filter { sorted: true, ..Filter::tournament(tournament.id) };
    let is_contest = standings.rule.scoring == Scoring::Adversarial;
    let objective = standings.rule.objective;
    let rated = |row: &StandingsRow| Some((row.player.clone(), row.elo.as_ref()?.rating));
    let ratings: HashMap<String, f64> = standings.overall.iter().filter_map(rated).collect();
    let mut kinds: [Most<T>; REASONS] = [Most::default(), Most::default(), Most::default()];
    let mut usual = Usual::default();
    store.matches(&filter, |row| {
        match row.fault {
            None if is_contest => offer_of_rivals(row, objective, &ratings, &mut kinds, &show),
            None => usual.add(row),
            Some(_) => {}
        }
        Ok::<(), StoreError>(())
    })?;
    if !is_contest {
        store.matches(&filter, |row| {
            if row.fault.is_none() {
                offer_alone(row, objective, &usual, &mut kinds, &show);
            }
            Ok::<(), StoreError>(())
        })?;
    }
    let mut chosen: Vec<Candidate<T>> = Vec::new();
    for kind in kinds {
        let is_new = |known: &Candidate<T>| chosen.iter().all(|own| own.id != known.id);
        chosen.extend(kind.0.into_iter().find(is_new));
    }
    Ok(chosen.into_iter().map(|candidate| (candidate.why, candidate.shown)).collect())
}

/// A match that may be shown for a reason.
struct Candidate<T> {
    measure: f64,
    id: String,
    why: String,
    shown: T,
}

/// The most remarkable matches of a kind so far, the most remarkable first: as many as there are
/// kinds, since each match is shown once.
struct Most<T>(Vec<Candidate<T>>);

impl<T> Default for Most<T> {
    fn default() -> Self {
        Most(Vec::new())
    }
}

impl<T> Most<T> {
    /// Takes the match if it is among the most remarkable; of equal ones the first.
    fn offer(
        &mut self,
        measure: f64,
        row: &MatchRow,
        show: impl Fn(&MatchRow) -> T,
        why: impl FnOnce() -> String,
    ) {
        let place = self.0.partition_point(|known| known.measure >= measure);
        if place < REASONS {
            let candidate = Candidate { measure, id: row.id.clone(), why: why(), shown: show(row) };
            self.0.insert(place, candidate);
            self.0.truncate(REASONS);
        }
    }
}

fn offer_of_rivals<T>(
    row: &MatchRow,
    objective: Objective,
    ratings: &HashMap<String, f64>,
    kinds: &mut [Most<T>; REASONS],
    show: impl Fn(&MatchRow) -> T,
) {
    let [upsets, longest, quickest] = kinds;
    if let Some(upset) = find_upset(row, objective, |player| ratings.get(player).copied()) {
        upsets.offer(upset.gap, row, &show, || {
            let [winner, loser] = [upset.winner, upset.loser].map(|seat| clean(&row.players[seat]));
            format!("the largest upset: {loser} is rated {:.0} Elo above {winner}", upset.gap)
        });
    }
    longest.offer(row.turns.into(), row, &show, || format!("the longest: {} turns", row.turns));
    if seat_results(objective, &row.scores, None).contains(&SeatResult::Won) {
        let why = || format!("the quickest win: {} turns", row.turns);
        quickest.offer(-f64::from(row.turns), row, &show, why);
    }
}

fn offer_alone<T>(
    row: &MatchRow,
    objective: Objective,
    usual: &Usual,
    kinds: &mut [Most<T>; REASONS],
    show: impl Fn(&MatchRow) -> T,
) {
    let [ahead, behind, longest] = kinds;
    longest.offer(row.turns.into(), row, &show, || format!("the longest: {} turns", row.turns));
    let Some((score, others)) = usual.compare(row) else { return };
    // Scores on different boards may differ a hundredfold.
    let scale = others.abs().max(score.abs()).max(f64::MIN_POSITIVE);
    let lead = objective.gain(score - others) / scale;
    let why = |place: &str| {
        let (score, others) = (significant(score), significant(others));
        format!("furthest {place}: {score}, where the others have {others} on average")
    };
    if lead > 0.0 {
        ahead.offer(lead, row, &show, || why("ahead"));
    }
    if lead < 0.0 {
        behind.offer(-lead, row, &show, || why("behind"));
    }
}

/// The scores on every scenario and seed: their sum and number.
#[derive(Default)]
struct Usual(HashMap<String, HashMap<u64, (f64, u32)>>);

impl Usual {
    fn add(&mut self, row: &MatchRow) {
        if !self.0.contains_key(&row.scenario) {
            self.0.insert(row.scenario.clone(), HashMap::new());
        }
        let here = self.0.get_mut(&row.scenario).expect("it was just put there");
        let sum = here.entry(row.seed).or_default();
        *sum = (sum.0 + row.scores.iter().sum::<f64>(), sum.1 + row.scores.len() as u32);
    }

    /// Returns the mean score of a match, and that of the other matches on its seed if there are
    /// any.
    fn compare(&self, row: &MatchRow) -> Option<(f64, f64)> {
        let &(sum, seats) = self.0.get(&row.scenario)?.get(&row.seed)?;
        let (own, own_seats) = (row.scores.iter().sum::<f64>(), row.scores.len() as u32);
        let others = seats.checked_sub(own_seats).filter(|others| *others > 0 && own_seats > 0)?;
        Some((own / f64::from(own_seats), (sum - own) / f64::from(others)))
    }
}

/// A seat that beat a player who is rated higher.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Upset {
    /// The seat that won.
    pub winner: usize,
    /// The seat that lost.
    pub loser: usize,
    /// By how many rating points the loser is rated higher.
    pub gap: f64,
}

/// Returns the largest upset of a match between rivals, if it has one.
pub fn find_upset(
    row: &MatchRow,
    objective: Objective,
    rating: impl Fn(&str) -> Option<f64>,
) -> Option<Upset> {
    let ratings: Vec<Option<f64>> = row.players.iter().map(|player| rating(player)).collect();
    let fallen = row.fault.as_ref().map(|(seat, _)| *seat);
    let merit = |seat: usize| (objective.gain(row.scores[seat]), fallen == Some(seat));
    let seats = 0..row.players.len();
    let pairs = seats.clone().flat_map(|winner| seats.clone().map(move |loser| (winner, loser)));
    let upsets = pairs.filter_map(|(winner, loser)| {
        let gap = ratings[loser]? - ratings[winner]?;
        let is_won = gap > 0.0 && game_between(merit(winner), merit(loser)).wins > 0;
        is_won.then_some(Upset { winner, loser, gap })
    });
    upsets.max_by(|a, b| a.gap.total_cmp(&b.gap))
}
