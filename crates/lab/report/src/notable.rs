//! The matches of a tournament that are worth watching, each with the reason. Reports and pages
//! name the same ones.

use std::collections::HashMap;

use quintain_core::{Catalog, Objective, Record, Scoring, Seat};
use quintain_scene::clean;
use quintain_standings::{SeatResult, Standings, StandingsRow, game_between, seat_results};
use quintain_store::{Filter, MatchRow, Store, StoreError, TournamentInfo};

use crate::numbers::{count_of, rough, significant};

/// Number of matches that are shown.
const SHOWN: usize = 3;
/// Number of reasons among rivals: the most that there are.
const REASONS: usize = 4;
/// The gap in ratings from which a win is an upset: 20 points are 53 % against 47 % of the points.
const LEAST_UPSET: f64 = 20.0;

/// A match worth watching.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct NotableMatch {
    /// The record's id.
    pub id: String,
    /// Where it was played, by whom, and why it is worth watching. It does not tell the result.
    pub text: String,
    /// How it ended, in sentences; empty if nothing more is known.
    pub ending: String,
}

/// Why a match is worth watching.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reason {
    /// The reason in words that do not tell the result, so that one can still watch the match.
    pub text: String,
    /// The part of the reason that tells the result; empty if none does.
    pub result: String,
}

impl Reason {
    /// A reason that tells nothing of the result.
    pub fn new(text: String) -> Reason {
        Reason { text, result: String::new() }
    }
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
            NotableMatch { id: row.id.clone(), text, ending: String::new() }
        };
        let found = find_notable(store, tournament, standings, place)?;
        Ok(found
            .into_iter()
            .map(|(why, mut notable)| {
                notable.text += &format!(": {}", why.text);
                notable.add_to_ending(&why.result);
                notable
            })
            .collect())
    }

    /// Adds what decided the match. A record that the games here do not replay stays without.
    pub(crate) fn add_decision(&mut self, record: &Record, catalog: &Catalog) {
        let decision = catalog.game_of(record).map(|game| game.decision(record));
        if let Ok(Ok(decision)) = decision {
            self.add_to_ending(&decision);
        }
    }

    fn add_to_ending(&mut self, sentence: &str) {
        let mut letters = sentence.chars();
        let Some(first) = letters.next() else { return };
        let gap = if self.ending.is_empty() { "" } else { " " };
        self.ending += &format!("{gap}{}{}.", first.to_uppercase(), letters.as_str());
    }

    /// The file that shows the match, next to the report.
    pub fn file(&self) -> String {
        format!("matches/{}.html", self.id.chars().take(8).collect::<String>())
    }
}

/// Finds the matches worth watching, and returns why with what `show` makes of each:
/// three of the largest upset, the closest, the longest and the quickest win among rivals; where
/// scores are independent, the matches furthest ahead of and behind the others on their seed, and
/// the longest. Where all are equally long or equally close, none is the longest or the closest.
/// Matches that ended by a fault are left out.
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn find_notable<T>(
    store: &Store,
    tournament: &TournamentInfo,
    standings: &Standings,
    show: impl Fn(&MatchRow) -> T,
) -> Result<Vec<(Reason, T)>, StoreError> {
    let filter = Filter { sorted: true, ..Filter::tournament(tournament.id) };
    let is_contest = standings.rule.scoring == Scoring::Adversarial;
    let objective = standings.rule.objective;
    let rated = |row: &StandingsRow| Some((row.player.clone(), row.elo.as_ref()?.rating));
    let ratings: HashMap<String, f64> = standings.overall.iter().filter_map(rated).collect();
    let mut kinds: [Most<T>; REASONS] = Default::default();
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
    let chosen = choose(kinds, is_contest);
    Ok(chosen.into_iter().map(|candidate| (candidate.why, candidate.shown)).collect())
}

/// Chooses the first of each kind that is not shown yet. Who is not the most remarkable of all is
/// called the next one.
fn choose<T>(mut kinds: [Most<T>; REASONS], is_contest: bool) -> Vec<Candidate<T>> {
    if is_contest {
        let [_, others @ ..] = &mut kinds;
        others.iter_mut().for_each(Most::keep_what_stands_out);
    }
    let mut chosen: Vec<Candidate<T>> = Vec::new();
    for kind in kinds {
        let Some(best) = kind.first.first().map(|candidate| candidate.measure.0) else { continue };
        let is_new = |known: &Candidate<T>| chosen.iter().all(|own| own.id != known.id);
        let mut candidate = kind.first.into_iter().find(is_new);
        if let Some(candidate) = candidate.as_mut().filter(|own| own.measure.0 < best) {
            let Reason { text, result } = &mut candidate.why;
            [text, result].into_iter().for_each(rank_next);
        }
        chosen.extend(candidate);
    }
    chosen.truncate(SHOWN);
    chosen
}

/// Turns “the longest” into “the next longest”.
fn rank_next(words: &mut String) {
    if let Some(rest) = words.strip_prefix("the ") {
        *words = format!("the next {rest}");
    }
}

/// A match that may be shown for a reason.
struct Candidate<T> {
    /// How remarkable it is; of two that are equal in the first part, the second decides.
    measure: (f64, f64),
    id: String,
    why: Reason,
    shown: T,
}

/// The most remarkable matches of a kind so far, the most remarkable first: as many as there are
/// kinds, since each match is shown once.
struct Most<T> {
    first: Vec<Candidate<T>>,
    /// The least measure of all.
    least: f64,
}

impl<T> Default for Most<T> {
    fn default() -> Self {
        Most { first: Vec::new(), least: f64::INFINITY }
    }
}

impl<T> Most<T> {
    /// Takes the match if it is among the most remarkable; of equal ones the first.
    fn offer(
        &mut self,
        measure: (f64, f64),
        row: &MatchRow,
        show: impl Fn(&MatchRow) -> T,
        why: impl FnOnce() -> Reason,
    ) {
        self.least = self.least.min(measure.0);
        let place = self.first.partition_point(|known| known.measure >= measure);
        if place < REASONS {
            let candidate = Candidate { measure, id: row.id.clone(), why: why(), shown: show(row) };
            self.first.insert(place, candidate);
            self.first.truncate(REASONS);
        }
    }

    /// Keeps only the matches that stand out from others.
    fn keep_what_stands_out(&mut self) {
        let least = self.least;
        self.first.retain(|candidate| candidate.measure.0 > least);
    }
}

fn offer_of_rivals<T>(
    row: &MatchRow,
    objective: Objective,
    ratings: &HashMap<String, f64>,
    kinds: &mut [Most<T>; REASONS],
    show: impl Fn(&MatchRow) -> T,
) {
    let [upsets, closest, longest, quickest] = kinds;
    let turns = f64::from(row.turns);
    let upset = find_upset(row, objective, |player| ratings.get(player).copied());
    if let Some(upset) = upset.filter(|upset| upset.gap >= LEAST_UPSET) {
        upsets.offer((upset.gap, turns), row, &show, || {
            let [winner, loser] = [upset.winner, upset.loser].map(|seat| clean(&row.players[seat]));
            let gap = upset.gap;
            Reason {
                text: format!("a pairing {gap:.0} Elo apart"),
                result: format!("the largest upset: {loser} is rated {gap:.0} Elo above {winner}"),
            }
        });
    }
    if let Some((first, second)) = best_two(row, objective) {
        // Scores on different boards may differ a hundredfold.
        let scale = first.abs().max(second.abs()).max(f64::MIN_POSITIVE);
        closest.offer((-(first - second).abs() / scale, turns), row, &show, || {
            let result = match first == second {
                true => format!("level after {}", count_of(row.turns.into(), "turn")),
                false => format!("{} to {}", significant(first), significant(second)),
            };
            Reason { text: "the closest".to_owned(), result }
        });
    }
    longest.offer((turns, 0.0), row, &show, || {
        Reason::new(format!("the longest: {}", count_of(row.turns.into(), "turn")))
    });
    if seat_results(objective, &row.scores, None).contains(&SeatResult::Won) {
        let why =
            || Reason::new(format!("the quickest win: {}", count_of(row.turns.into(), "turn")));
        quickest.offer((-turns, 0.0), row, &show, why);
    }
}

/// Returns the two best scores of a match; `None` if it has one seat only.
fn best_two(row: &MatchRow, objective: Objective) -> Option<(f64, f64)> {
    let mut scores = row.scores.clone();
    scores.sort_by(|a, b| objective.gain(*b).total_cmp(&objective.gain(*a)));
    Some((*scores.first()?, *scores.get(1)?))
}

fn offer_alone<T>(
    row: &MatchRow,
    objective: Objective,
    usual: &Usual,
    kinds: &mut [Most<T>; REASONS],
    show: impl Fn(&MatchRow) -> T,
) {
    let [ahead, behind, longest, _] = kinds;
    // On a board on which all matches are equally long, that one of them is the longest of all says
    // only how large the board is.
    if usual.length_varies(row) {
        let why = || Reason::new(format!("the longest: {}", count_of(row.turns.into(), "turn")));
        longest.offer((row.turns.into(), 0.0), row, &show, why);
    }
    let Some((score, others, matches)) = usual.compare(row) else { return };
    // Scores on different boards may differ a hundredfold.
    let scale = others.abs().max(score.abs()).max(f64::MIN_POSITIVE);
    let lead = objective.gain(score - others) / scale;
    let why = |place: &str| {
        let (score, others) = (rough(score), rough(others));
        let others = match matches {
            1 => format!("the other one has {others}"),
            _ => format!("the others have {others} on average"),
        };
        Reason {
            text: format!("the furthest {place} on its seed"),
            result: format!("it scored {score}; on the same seed {others}"),
        }
    };
    if lead > 0.0 {
        ahead.offer((lead, 0.0), row, &show, || why("ahead"));
    }
    if lead < 0.0 {
        behind.offer((-lead, 0.0), row, &show, || why("behind"));
    }
}

/// What is usual on each scenario.
#[derive(Default)]
struct Usual(HashMap<String, OnScenario>);

struct OnScenario {
    /// The scores on every seed: their sum and number.
    scores: HashMap<u64, (f64, u32)>,
    /// The turns of the shortest and the longest match.
    turns: (u32, u32),
}

impl Usual {
    fn add(&mut self, row: &MatchRow) {
        if !self.0.contains_key(&row.scenario) {
            let new = OnScenario { scores: HashMap::new(), turns: (row.turns, row.turns) };
            self.0.insert(row.scenario.clone(), new);
        }
        let here = self.0.get_mut(&row.scenario).expect("it was just put there");
        here.turns = (here.turns.0.min(row.turns), here.turns.1.max(row.turns));
        let sum = here.scores.entry(row.seed).or_default();
        *sum = (sum.0 + row.scores.iter().sum::<f64>(), sum.1 + row.scores.len() as u32);
    }

    /// Whether not all matches on the scenario of this one are equally long.
    fn length_varies(&self, row: &MatchRow) -> bool {
        self.0.get(&row.scenario).is_some_and(|here| here.turns.0 < here.turns.1)
    }

    /// Returns the mean score of a match, that of the other scores on its seed if there are any,
    /// and how many these are.
    fn compare(&self, row: &MatchRow) -> Option<(f64, f64, u32)> {
        let &(sum, seats) = self.0.get(&row.scenario)?.scores.get(&row.seed)?;
        let (own, own_seats) = (row.scores.iter().sum::<f64>(), row.scores.len() as u32);
        let others = seats.checked_sub(own_seats).filter(|others| *others > 0 && own_seats > 0)?;
        Some((own / f64::from(own_seats), (sum - own) / f64::from(others), others))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use quintain_store::RecordRow;

    use super::*;

    /// Two players, their scores and the turns of a match.
    type Played = ([&'static str; 2], [f64; 2], u32);

    fn record(number: usize, (players, scores, turns): &Played) -> Record {
        let value = serde_json::json!({
            "format": 1, "id": format!("{number:032x}"), "actions": "",
            "fixture": {
                "game": "g", "scenario": "s", "seed": number, "seats": players, "budget": "",
                "versions": { "game": 1, "players": [1, 1] },
            },
            "outcome": { "scores": scores, "ending": "", "metrics": { "turns": turns } },
        });
        serde_json::from_value(value).unwrap()
    }

    /// Returns the reasons for the matches of rivals, each with the number of its match.
    fn reasons(played: &[Played], ratings: &[(&str, f64)]) -> Vec<String> {
        let records = played.iter().enumerate().map(|(number, played)| record(number, played));
        let rows: Vec<RecordRow> =
            records.map(|record| RecordRow::new(&record, Duration::ZERO)).collect();
        let mut store = Store::in_memory().unwrap();
        store.insert(None, &rows).unwrap();
        let ratings = ratings.iter().map(|(player, rating)| ((*player).to_owned(), *rating));
        let ratings: HashMap<String, f64> = ratings.collect();
        let mut kinds: [Most<u64>; REASONS] = Default::default();
        let filter = Filter { sorted: true, ..Filter::default() };
        let mut offer = |row: &MatchRow| {
            offer_of_rivals(row, Objective::Maximize, &ratings, &mut kinds, |row| row.seed);
            Ok::<(), StoreError>(())
        };
        store.matches(&filter, &mut offer).unwrap();
        let chosen = choose(kinds, true);
        let tell = |found: &Candidate<u64>| {
            let Reason { text, result } = &found.why;
            let gap = if result.is_empty() { "" } else { " | " };
            format!("{} {text}{gap}{result}", found.shown)
        };
        chosen.iter().map(tell).collect()
    }

    #[test]
    fn the_closest_match_has_the_smallest_margin() {
        let played = [
            (["a", "b"], [9.0, 3.0], 20),
            (["a", "b"], [90.0, 80.0], 20),
            (["b", "a"], [8.0, 1.0], 20),
        ];
        assert_eq!(reasons(&played, &[]), ["1 the closest | 90 to 80"]);
    }

    #[test]
    fn of_wins_and_losses_only_a_draw_is_close_and_the_longest_one_is_the_closest() {
        let mut played = vec![(["a", "b"], [1.0, 0.0], 20), (["a", "b"], [0.0, 1.0], 20)];
        assert_eq!(reasons(&played, &[]), [""; 0], "equally long and equally close");
        played.push((["a", "b"], [0.5, 0.5], 20));
        played.push((["a", "b"], [0.5, 0.5], 30));
        assert_eq!(reasons(&played, &[])[0], "3 the closest | level after 30 turns");
    }

    #[test]
    fn only_the_longest_match_of_all_is_called_so() {
        let mut played = vec![
            (["a", "b"], [0.5, 0.5], 30),
            (["a", "b"], [1.0, 0.0], 20),
            (["b", "a"], [1.0, 0.0], 9),
        ];
        let longest = |played: &[Played]| reasons(played, &[])[1].clone();
        assert_eq!(reasons(&played, &[])[0], "0 the closest | level after 30 turns");
        assert_eq!(longest(&played), "1 the next longest: 20 turns");
        played[1].2 = 30;
        assert_eq!(longest(&played), "1 the longest: 30 turns", "two are equally long");
    }

    #[test]
    fn a_win_against_an_equal_is_no_upset() {
        let played = [(["a", "b"], [1.0, 0.0], 9), (["c", "a"], [1.0, 0.0], 9)];
        let ratings = [("a", 0.0), ("b", 9.0), ("c", -40.0)];
        assert_eq!(
            reasons(&played, &ratings),
            ["1 a pairing 40 Elo apart | the largest upset: a is rated 40 Elo above c"]
        );
    }
}
