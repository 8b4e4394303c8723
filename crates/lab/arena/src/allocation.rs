//! A tournament that plays further seeds only for players that are not told apart yet, and ends
//! when its question is answered.
//!
//! It is played in stages of whole rounds. After each stage it looks who certainly ranks before
//! whom ([`quintain_stats::all_pairs`]); in the next stage those players play whose place is still
//! open. A match is played if one of its players does. So two players whose order is open have met
//! everybody on the same seeds, and their difference on each seed is what it would be in a whole
//! tournament: playing less for others does not bend it.
//!
//! **Looking several times.** The numbers of rounds after which it looks are fixed beforehand, and
//! all looks together err with at most 5 %: each with 5 % divided by their number (Bonferroni, as
//! the simplest way to spend it; Lan & DeMets 1983). What is told stays told.
//!
//! **The same matches again.** What is played next depends on the records of complete stages alone:
//! not on threads, nor on where a run was stopped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_standings::game_between;
use quintain_stats::all_pairs::AllPairs;
use quintain_store::{Filter, Store, StoreError, TournamentId, TournamentInfo};

use crate::executor::{Executor, RunError};
use crate::pending::PendingFixtures;
use crate::progress::RunProgress;
use crate::shard::Shard;
use crate::stage::{Played, play_stage};
use crate::tournament::{FIRST_LOOK, Format, Question, Tournament};

/// The probability with which an answer may be wrong, all looks together.
const RISK: f64 = 0.05;
/// How many times as many rounds there are from one look to the next.
const GROWTH: f64 = 1.4;

/// The answer to a tournament's question, as far as there is one.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// Whether it is answered; if not, all seeds were played.
    pub is_certain: bool,
    /// The rounds that were played.
    pub rounds: u64,
    /// The most rounds that there are.
    pub most_rounds: u64,
    /// The ranks that each player may have, best first.
    pub ranks: Vec<PlayerRanks>,
    /// The matches of all players on the seeds that it took: what the same answer takes if seeds
    /// are allotted equally.
    pub equally: u64,
}

/// The ranks that a player may have.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlayerRanks {
    /// The player.
    pub player: String,
    /// Its best possible rank.
    pub best: u64,
    /// Its worst possible rank.
    pub worst: u64,
}

/// The numbers of rounds after which the tournament looks.
fn looks(rounds: u64) -> Vec<u64> {
    let next = |before: &u64| {
        let next = ((*before as f64 * GROWTH).round() as u64).min(rounds);
        (*before < rounds).then_some(next)
    };
    std::iter::successors(Some(FIRST_LOOK.min(rounds)), next).collect()
}

/// Plays a tournament until its question is answered or all seeds are played.
pub(crate) fn play(
    executor: &dyn Executor,
    tournament: &Tournament,
    question: Question,
    (store, id): (&mut Store, TournamentId),
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(&RunProgress),
) -> Result<(Played, Option<Answer>), RunError> {
    let schedule = tournament.schedule();
    let info = store.tournament_by_number(id.number())?;
    let players: Vec<String> = schedule.players().map(str::to_owned).collect();
    let looks = looks(schedule.rounds());
    let mut places = Places::new(question, players.len());
    let mut played = Played::nothing_of(0);
    let mut from = 0;
    for &rounds in &looks {
        let mut missing = PendingFixtures::new(schedule, Shard::WHOLE);
        missing.narrow(from * schedule.round_length()..rounds * schedule.round_length());
        for index in missing.window() {
            let lineup = schedule.numbers(index).lineup;
            if !lineup.iter().any(|&player| places.is_open(player)) {
                missing.leave_out(index);
            }
        }
        let total = played.total + missing.share();
        let is_complete = play_stage(
            executor,
            tournament,
            &mut missing,
            (store, id),
            stop,
            (&mut played, total),
            progress,
        )?;
        if !is_complete {
            return Ok((played, None));
        }
        let results = Results::read(store, &info, tournament, &players, rounds)?;
        places.look(&results, RISK / looks.len() as f64);
        from = rounds;
        if places.are_certain() {
            break;
        }
    }
    store.set_fixtures(id, played.total)?;
    let answer = Answer {
        question,
        is_certain: places.are_certain(),
        rounds: from,
        most_rounds: schedule.rounds(),
        ranks: places.list(&players),
        equally: from * schedule.round_length(),
    };
    Ok((played, Some(answer)))
}

/// How well players did on every seed.
struct Results {
    /// By seed, each player's points and games against others; in games where players do not meet,
    /// `None`.
    points: BTreeMap<u64, Vec<(f64, f64)>>,
    /// By seed, each player's value on every scenario, where players do not meet. Greater is
    /// better.
    alone: BTreeMap<u64, BTreeMap<String, Vec<Option<f64>>>>,
    /// The number of players.
    players: usize,
    do_meet: bool,
}

impl Results {
    /// Reads the results of the first rounds of a tournament. An earlier run may have played more.
    fn read(
        store: &Store,
        info: &TournamentInfo,
        tournament: &Tournament,
        players: &[String],
        rounds: u64,
    ) -> Result<Results, StoreError> {
        let end = tournament.schedule().first_seed() + rounds;
        let do_meet = tournament.format() == Format::Versus;
        let (points, alone) = (BTreeMap::new(), BTreeMap::new());
        let mut results = Results { points, alone, players: players.len(), do_meet };
        let (sets, objective) = (info.scenario_sets(), tournament.objective());
        store.results(&Filter::tournament(info.id), |result, _| {
            if result.seed >= end {
                return Ok::<(), StoreError>(());
            }
            let number = |name: &&str| players.iter().position(|known| known == name);
            let seats: Option<Vec<usize>> = result.players.iter().map(number).collect();
            let at_fault = result.fault.map(|(seat, _)| seat);
            let merits = result.scores.iter().map(|score| objective.gain(*score));
            let merits = merits.enumerate().map(|(seat, merit)| (merit, at_fault == Some(seat)));
            let merits: Vec<(f64, bool)> = merits.collect();
            let scenario = sets.set_of(result.scenario);
            results.add(result.seed, scenario, &seats.unwrap_or_default(), &merits);
            Ok(())
        })?;
        Ok(results)
    }

    /// Adds a match: the player at each seat, and its merit, and whether it forfeited.
    fn add(&mut self, seed: u64, scenario: &str, seats: &[usize], merits: &[(f64, bool)]) {
        let count = self.players;
        if !self.do_meet {
            let Some(&player) = seats.first() else { return };
            let mean = merits.iter().map(|of| of.0).sum::<f64>() / merits.len() as f64;
            let values = self.alone.entry(seed).or_default().entry(scenario.to_owned());
            values.or_insert_with(|| vec![None; count])[player] = Some(mean);
            return;
        }
        let points = self.points.entry(seed).or_insert_with(|| vec![(0.0, 0.0); count]);
        for (&player, &own) in seats.iter().zip(merits) {
            for (&other, &theirs) in seats.iter().zip(merits) {
                if player != other {
                    let game = game_between(own, theirs);
                    points[player].0 += game.share().unwrap_or(0.5);
                    points[player].1 += 1.0;
                }
            }
        }
    }

    /// The value of each of these players on every seed: its share of the points against all; where
    /// players do not meet, the share of the others that it is better than on a scenario.
    fn values(&self, open: &[usize]) -> Vec<Vec<Option<f64>>> {
        if self.do_meet {
            let value = |player: usize| {
                let of = |points: &Vec<(f64, f64)>| {
                    let (points, games) = points[player];
                    (games > 0.0).then(|| points / games)
                };
                self.points.values().map(of).collect()
            };
            return open.iter().map(|&player| value(player)).collect();
        }
        let value = |player: usize| {
            let of = |scenarios: &BTreeMap<String, Vec<Option<f64>>>| {
                let shares = scenarios.values().map(|values| {
                    let own = values[player]?;
                    let others = open.iter().filter(|&&other| other != player);
                    let better = others.map(|&other| match values[other] {
                        Some(theirs) if theirs < own => 1.0,
                        Some(theirs) if theirs > own => 0.0,
                        _ => 0.5,
                    });
                    Some(better.sum::<f64>() / (open.len() - 1).max(1) as f64)
                });
                let shares: Option<Vec<f64>> = shares.collect();
                shares.map(|all| all.iter().sum::<f64>() / all.len().max(1) as f64)
            };
            self.alone.values().map(of).collect()
        };
        open.iter().map(|&player| value(player)).collect()
    }
}

/// Who certainly ranks before whom.
struct Places {
    question: Question,
    /// `ahead[i][j]`: whether player i certainly ranks before player j.
    ahead: Vec<Vec<bool>>,
    /// By player, the mean value at the last look at which it was open.
    means: Vec<f64>,
}

impl Places {
    fn new(question: Question, players: usize) -> Places {
        let ahead = vec![vec![false; players]; players];
        Places { question, ahead, means: vec![0.0; players] }
    }

    fn players(&self) -> std::ops::Range<usize> {
        0..self.ahead.len()
    }

    /// The best and the worst rank that a player may have.
    fn ranks(&self, player: usize) -> (u64, u64) {
        let before = self.players().filter(|&other| self.ahead[other][player]).count();
        let after = self.players().filter(|&other| self.ahead[player][other]).count();
        (1 + before as u64, (self.ahead.len() - after) as u64)
    }

    /// Whether a player may be the best.
    fn may_be_best(&self, player: usize) -> bool {
        self.ranks(player).0 == 1
    }

    /// Whether the question needs further matches of a player.
    fn is_open(&self, player: usize) -> bool {
        match self.question {
            Question::Best => {
                let rivals = self.players().filter(|&other| self.may_be_best(other)).count();
                rivals > 1 && self.may_be_best(player)
            }
            Question::Ranks => {
                let (best, worst) = self.ranks(player);
                best < worst
            }
        }
    }

    fn are_certain(&self) -> bool {
        !self.players().any(|player| self.is_open(player))
    }

    /// Tells apart those of the open players that their results so far tell apart with this risk.
    fn look(&mut self, results: &Results, risk: f64) {
        let open: Vec<usize> = self.players().filter(|&player| self.is_open(player)).collect();
        let values = results.values(&open);
        let mean = |of: &Vec<Option<f64>>| {
            let known: Vec<f64> = of.iter().flatten().copied().collect();
            known.iter().sum::<f64>() / known.len().max(1) as f64
        };
        let means: Vec<f64> = values.iter().map(mean).collect();
        let rank = |own: &f64| 1 + means.iter().filter(|other| *other > own).count() as u64;
        let order: Vec<u64> = means.iter().map(rank).collect();
        let pairs = AllPairs::compare_at(1.0 - risk, &order, &values, |_, _| false);
        for (at, &player) in open.iter().enumerate() {
            self.means[player] = means[at];
            for (place, &other) in open.iter().enumerate() {
                self.ahead[player][other] |= pairs.is_ahead(at, place);
            }
        }
    }

    /// All players with their ranks, best first.
    fn list(&self, players: &[String]) -> Vec<PlayerRanks> {
        let mut order: Vec<usize> = self.players().collect();
        order.sort_by(|&a, &b| {
            self.ranks(a).cmp(&self.ranks(b)).then(self.means[b].total_cmp(&self.means[a]))
        });
        let of = |player: usize| {
            let (best, worst) = self.ranks(player);
            PlayerRanks { player: players[player].clone(), best, worst }
        };
        order.into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests;
