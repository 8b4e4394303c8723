//! Measures candidates: what a player scores on a board, and how much it gains over the player
//! before tuning. In adversarial games the candidate takes every seat in turn against each
//! opponent; where scores are independent it takes all seats at once. Candidates are chosen in
//! [`crate::tuning`] and dropped in [`crate::race`].

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use quintain_core::{AnyGame, Budget, Catalog, Outcome, PlayerHandle, SEED, Scoring, Setup};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::TuneError;

/// Everything that a match needs besides the candidate and a seed: scenarios, opponents,
/// budget and threads.
pub struct Evaluator<'a> {
    catalog: &'a Catalog,
    game: String,
    scenarios: Vec<ScenarioTemplate>,
    /// The player before tuning, against which gains are measured.
    baseline: String,
    opponents: Vec<PlayerHandle>,
    budget: Budget,
    threads: rayon::ThreadPool,
    /// Who plays the matches instead of these threads.
    elsewhere: Option<Box<dyn PlayMatches + 'a>>,
    stop: Arc<AtomicBool>,
    /// The baseline's worth, by scenario and seed.
    known: Mutex<HashMap<Board, f64>>,
    /// The baseline's mean worth by scenario: the scale of scores.
    scales: OnceLock<Vec<f64>>,
}

/// A scenario's text, from which each seed may make its own scenario.
struct ScenarioTemplate {
    /// The text, which may contain [`SEED`].
    text: String,
    /// The game on this scenario; with seed 1 where the text contains [`SEED`].
    game: Arc<dyn AnyGame>,
}

/// A scenario and a seed: one match, or one for each seat of an adversarial game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Board {
    /// The index of the scenario.
    pub(crate) scenario: usize,
    /// The seed.
    pub(crate) seed: u64,
}

/// A match to be played.
#[derive(Clone)]
pub struct MatchToPlay<'a> {
    /// The number of its scenario, in the order of [`Evaluator::scenarios`].
    pub scenario: usize,
    /// Its seed.
    pub seed: u64,
    /// The player of each seat.
    pub lineup: Vec<&'a PlayerHandle>,
}

/// Who plays the matches of an [`Evaluator`] in place of its threads: other machines, for example.
pub trait PlayMatches: Send + Sync {
    /// Plays these matches, which may contain the same one twice; returns the outcome of each.
    ///
    /// # Errors
    /// If one cannot be played, or [`TuneError::Stopped`].
    fn play(&self, matches: &[MatchToPlay<'_>]) -> Result<Vec<Outcome>, TuneError>;
}

/// How a gain over the player before tuning is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GainMeasure {
    /// In points out of a hundred against the opponent: for games of rivals.
    Points,
    /// On each board the difference of the two scores in percent of their mean size, between −200
    /// and 200. A rare board with an enormous score counts for no more than two others, so that it
    /// cannot hide what happens on the rest.
    Relative,
    /// The difference of scores in percent of the scenario's mean score before tuning. One
    /// enormous score may outweigh all others.
    Mean,
}

impl GainMeasure {
    /// The unit, as shown to people.
    pub fn unit(self) -> &'static str {
        match self {
            GainMeasure::Points => "points of 100",
            GainMeasure::Relative => "% a board",
            GainMeasure::Mean => "% of the mean score",
        }
    }
}

/// The worth of a player and of the one before tuning on one board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Worths {
    own: f64,
    before: f64,
    /// The size of scores on this scenario.
    scale: f64,
}

impl Worths {
    /// The player's gain over the one before tuning.
    pub(crate) fn gain(&self, measure: GainMeasure) -> f64 {
        let Worths { own, before, scale } = *self;
        let size = match measure {
            GainMeasure::Points => 1.0,
            GainMeasure::Relative => f64::midpoint(own.abs(), before.abs()),
            GainMeasure::Mean => scale,
        };
        if own == before { 0.0 } else { 100.0 * (own - before) / size }
    }
}

impl<'a> Evaluator<'a> {
    /// Makes an evaluator on some scenarios of a game, with a baseline and opponents (the
    /// baseline itself if none are named). `{seed}` in a scenario stands for the seed, where seeds
    /// draw nothing themselves and the scenario takes a seed.
    ///
    /// # Errors
    /// [`TuneError::Usage`] if a name is unknown or does not fit the game, and
    /// [`TuneError::Failed`] if no threads can be started.
    #[expect(clippy::too_many_arguments, reason = "each is one option of the command")]
    pub fn new(
        catalog: &'a Catalog,
        game: &str,
        scenarios: &[String],
        baseline: &str,
        opponents: &[String],
        budget: Budget,
        threads: usize,
        stop: Arc<AtomicBool>,
    ) -> Result<Evaluator<'a>, TuneError> {
        let entry = catalog.entry(game)?;
        let first = entry.scenarios().first().map(|known| known.name().to_owned());
        let default: Vec<String> = first.into_iter().collect();
        let scenarios = if scenarios.is_empty() { &default } else { scenarios };
        let mut templates = Vec::new();
        for text in scenarios {
            let game = entry.game(&text.replace(SEED, "1"))?;
            let text = if text.contains(SEED) { text.clone() } else { game.scenario().to_owned() };
            templates.push(ScenarioTemplate { text, game });
        }
        let baseline = catalog.player(game, baseline)?.spec;
        let opponents = match opponents {
            [] => std::slice::from_ref(&baseline),
            named => named,
        };
        let opponents = opponents.iter().map(|opponent| catalog.player(game, opponent));
        let opponents = opponents.collect::<Result<Vec<_>, _>>()?;
        for ScenarioTemplate { game, .. } in &templates {
            game.accepts(&catalog.player(entry.name(), &baseline)?)?;
            opponents.iter().try_for_each(|opponent| game.accepts(opponent))?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(16 << 20);
        let threads = pool
            .build()
            .map_err(|error| TuneError::Failed(format!("no threads could be started: {error}")))?;
        let game = entry.name().to_owned();
        Ok(Evaluator {
            catalog,
            game,
            scenarios: templates,
            baseline,
            opponents,
            budget,
            threads,
            elsewhere: None,
            stop,
            known: Mutex::default(),
            scales: OnceLock::new(),
        })
    }

    /// Has somebody else play all matches.
    #[must_use]
    pub fn played_by(mut self, elsewhere: Box<dyn PlayMatches + 'a>) -> Evaluator<'a> {
        self.elsewhere = Some(elsewhere);
        self
    }

    /// The scenarios, in canonical text, which may contain [`SEED`].
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.scenarios.iter().map(|template| template.text.as_str())
    }

    /// The player before tuning, in canonical text.
    pub fn baseline(&self) -> &str {
        &self.baseline
    }

    /// One line that identifies the evaluation: game, baseline, opponent, scenarios, budget.
    pub(crate) fn describe(&self) -> String {
        let scenarios: Vec<&str> =
            self.scenarios.iter().map(|template| template.text.as_str()).collect();
        let names: Vec<&str> = self.opponents.iter().map(|one| one.spec.as_str()).collect();
        let opponent = match self.is_adversarial() {
            true => format!(" against {}", names.join(", ")),
            false => String::new(),
        };
        let budget = match self.budget.to_string() {
            budget if budget.is_empty() => budget,
            budget => format!(", {budget}"),
        };
        format!("{} {}{opponent} on {}{budget}", self.game, self.baseline, scenarios.join(", "))
    }

    /// Whether candidates play against an opponent, rather than for a score of their own.
    pub fn is_adversarial(&self) -> bool {
        let game = &self.scenarios[0].game;
        game.scoring() == Scoring::Adversarial && game.seats() > 1
    }

    /// The boards of these seeds: every scenario on each seed.
    pub(crate) fn boards(&self, first: u64, seeds: u64) -> Vec<Board> {
        let of = |seed| (0..self.scenarios.len()).map(move |scenario| Board { scenario, seed });
        (first..first + seeds).flat_map(of).collect()
    }

    /// The worth of each of these players, and of the baseline, on each of these boards. Uses all
    /// threads; the answer does not depend on their number.
    pub(crate) fn worths(
        &self,
        players: &[&PlayerHandle],
        boards: &[Board],
    ) -> Result<Vec<Vec<Worths>>, TuneError> {
        let baseline = self.evaluate_baseline(boards)?;
        let pairs = players.iter().flat_map(|player| boards.iter().map(|board| (*player, *board)));
        let own = self.evaluate(&pairs.collect::<Vec<_>>(), &self.opponents)?;
        let worths = own.into_iter().enumerate().map(|(place, own)| {
            let place = place % boards.len();
            Worths { own, before: baseline[place], scale: self.scale(&boards[place]) }
        });
        let worths: Vec<Worths> = worths.collect();
        Ok(worths.chunks(boards.len().max(1)).map(<[Worths]>::to_vec).collect())
    }

    /// The gain of the first of two players over the second on each of these boards. Two rivals
    /// meet each other, at either seat, unless opponents other than the baseline were named.
    pub(crate) fn duels(
        &self,
        [one, other]: [&PlayerHandle; 2],
        boards: &[Board],
        measure: GainMeasure,
    ) -> Result<Vec<f64>, TuneError> {
        if one.spec == other.spec {
            return Ok(vec![0.0; boards.len()]);
        }
        let meet = self.is_adversarial()
            && self.scenarios.iter().all(|template| template.game.seats() == 2)
            && self.opponents.iter().all(|opponent| opponent.spec == self.baseline);
        let against = if meet { std::slice::from_ref(other) } else { &self.opponents };
        let of = |player| boards.iter().map(move |board| (player, *board)).collect::<Vec<_>>();
        let own = self.evaluate(&of(one), against)?;
        let before = match meet {
            // What the one has of a match, the other has not.
            true => own.iter().map(|own| 1.0 - own).collect(),
            false => self.evaluate(&of(other), against)?,
        };
        let gains = own.into_iter().zip(before).zip(boards).map(|((own, before), board)| {
            Worths { own, before, scale: self.scale(board) }.gain(measure)
        });
        Ok(gains.collect())
    }

    /// The size of scores on a board's scenario.
    fn scale(&self, board: &Board) -> f64 {
        self.scales.get().map_or(1.0, |scales| scales[board.scenario])
    }

    /// The worth of the baseline on each of these boards.
    fn evaluate_baseline(&self, boards: &[Board]) -> Result<Vec<f64>, TuneError> {
        let own = self.catalog.player(&self.game, &self.baseline)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = boards.iter().filter(|board| !known.contains_key(board));
        let new: Vec<(&PlayerHandle, Board)> = new.map(|board| (&own, *board)).collect();
        let worths = self.evaluate(&new, &self.opponents)?;
        known.extend(new.into_iter().map(|(_, board)| board).zip(worths));
        Ok(boards.iter().map(|board| known[board]).collect())
    }

    /// Sets the scale of scores from the baseline's worth on these boards. Points have their own
    /// scale; other scores are measured in the mean of their scenario, so that scenarios with
    /// greater scores do not count for more.
    pub(crate) fn calibrate(&self, boards: &[Board]) -> Result<(), TuneError> {
        let mut scales = vec![1.0; self.scenarios.len()];
        if !self.is_adversarial() {
            let worths = self.evaluate_baseline(boards)?;
            for (number, scale) in scales.iter_mut().enumerate() {
                let own = boards.iter().zip(&worths).filter(|(board, _)| board.scenario == number);
                let (sum, count) = own.fold((0.0, 0.0), |(s, n), (_, worth)| (s + worth, n + 1.0));
                // A baseline that scores nothing leaves scores unscaled.
                *scale = Some(f64::abs(sum / count)).filter(|mean| *mean > 0.0).unwrap_or(1.0);
            }
        }
        let _ = self.scales.set(scales);
        Ok(())
    }

    /// The mean worth of each player's matches on a board, against these opponents, where more is
    /// better. Uses all threads; the answer does not depend on their number.
    fn evaluate(
        &self,
        pairs: &[(&PlayerHandle, Board)],
        opponents: &[PlayerHandle],
    ) -> Result<Vec<f64>, TuneError> {
        let mut matches = Vec::new();
        // The number of the pair, and the player's own seat.
        let mut whose = Vec::new();
        for (number, (player, board)) in pairs.iter().enumerate() {
            for (own, lineup) in self.lineups(player, board, opponents) {
                matches.push(MatchToPlay { scenario: board.scenario, seed: board.seed, lineup });
                whose.push((number, own));
            }
        }
        let outcomes = match &self.elsewhere {
            Some(elsewhere) => elsewhere.play(&matches)?,
            None => self.map_in_parallel(&matches, |next| self.play(next))?,
        };
        let mut worths = vec![(0.0, 0.0); pairs.len()];
        for ((outcome, next), (number, own)) in outcomes.iter().zip(&matches).zip(whose) {
            let game = &self.scenarios[next.scenario].game;
            if let Some(fault) = &outcome.fault {
                let (scenario, seed) = (&self.scenarios[next.scenario].text, next.seed);
                // The fault may have been the opponent's.
                let whose = &next.lineup[fault.seat.index()].spec;
                let text = format!("{whose} on {scenario}, seed {seed}: {}", fault.fault);
                return Err(TuneError::Failed(text));
            }
            let scores = &outcome.scores;
            let mean = || scores.iter().sum::<f64>() / scores.len() as f64;
            let (sum, count) = &mut worths[number];
            *sum += game.objective().gain(if self.is_adversarial() { scores[own] } else { mean() });
            *count += 1.0;
        }
        Ok(worths.into_iter().map(|(sum, count)| sum / count).collect())
    }

    /// The line-ups of a player on a board, each with the player's own seat.
    fn lineups<'b>(
        &self,
        player: &'b PlayerHandle,
        board: &Board,
        opponents: &'b [PlayerHandle],
    ) -> Vec<(usize, Vec<&'b PlayerHandle>)> {
        let seats = self.scenarios[board.scenario].game.seats();
        let against = |opponent| {
            (0..seats).map(move |own| {
                let seated = |seat| if seat == own { player } else { opponent };
                (own, (0..seats).map(seated).collect())
            })
        };
        match self.is_adversarial() {
            true => opponents.iter().flat_map(against).collect(),
            false => vec![(0, vec![player; seats])],
        }
    }

    fn play(&self, next: &MatchToPlay<'_>) -> Result<Outcome, TuneError> {
        let ScenarioTemplate { text, game } = &self.scenarios[next.scenario];
        let game = match text.contains(SEED) {
            true => {
                let text = text.replace(SEED, &next.seed.to_string());
                self.catalog.game(&self.game, &text)?
            }
            false => Arc::clone(game),
        };
        let setup =
            Setup::new(next.seed).with_budget(self.budget).with_stop(Arc::clone(&self.stop));
        Ok(game.play(&setup, &next.lineup, None)?.outcome)
    }

    fn map_in_parallel<T: Sync, R: Send>(
        &self,
        items: &[T],
        play: impl Fn(&T) -> Result<R, TuneError> + Sync,
    ) -> Result<Vec<R>, TuneError> {
        let one = |item: &T| match self.stop.load(Ordering::Relaxed) {
            true => Err(TuneError::Stopped),
            false => play(item),
        };
        let results: Vec<Result<R, TuneError>> =
            self.threads.install(|| items.par_iter().map(one).collect());
        // Matches that a stop has hurried do not count.
        if self.stop.load(Ordering::Relaxed) {
            return Err(TuneError::Stopped);
        }
        results.into_iter().collect()
    }

    /// A candidate: the baseline with these parameters set.
    pub(crate) fn player(&self, spec: &str) -> Result<PlayerHandle, TuneError> {
        Ok(self.catalog.player(&self.game, spec)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean gain over boards, given as pairs of a score before and after.
    fn mean(measure: GainMeasure, pairs: &[(f64, f64)]) -> f64 {
        let scale = pairs.iter().map(|(before, _)| before).sum::<f64>() / pairs.len() as f64;
        let worths = pairs.iter().map(|&(before, own)| Worths { own, before, scale: scale.abs() });
        worths.map(|worths| worths.gain(measure)).sum::<f64>() / pairs.len() as f64
    }

    #[test]
    fn a_rare_enormous_score_does_not_hide_what_happens_on_the_other_boards() {
        // Rounds, of which fewer are better: a tenth fewer on 99 boards, 20000 more on one.
        let mut boards = vec![(-100.0, -90.0); 99];
        boards.push((-100.0, -20_000.0));
        assert!(mean(GainMeasure::Mean, &boards) < -100.0);
        let relative = mean(GainMeasure::Relative, &boards);
        assert!((8.0..10.0).contains(&relative), "{relative}");
    }

    #[test]
    fn a_relative_gain_is_bounded_and_the_same_in_either_direction() {
        for (before, own) in [(0.0, 5.0), (-3.0, 8.0), (1.0, 1e9), (0.0, 0.0), (7.0, 7.0)] {
            let gain = mean(GainMeasure::Relative, &[(before, own)]);
            assert!((0.0..=200.0).contains(&gain.abs()), "{gain}");
            assert_eq!(gain, -mean(GainMeasure::Relative, &[(own, before)]));
        }
    }
}
