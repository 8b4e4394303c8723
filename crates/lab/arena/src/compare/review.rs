//! Judges the matches that two players of a tournament have played already, as a comparison would
//! have judged them: with the same tests, in the order of the seeds.

use std::collections::BTreeMap;

use quintain_core::{Budget, Record, Scoring};
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Measure, Risks};
use quintain_store::{Filter, Store, StoreError, TournamentInfo};

use super::candidate::{Candidate, PlayedMatch, Who};
use super::comparison::Comparison;
use super::config::{DEFAULT_RISKS, ScoreMeasure};
use super::judgement::{Judgement, Test};

/// The most matches that are judged.
const MOST: u64 = 4000;

/// What the matches of two players say.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Review {
    /// The answer that [`compare`](super::compare()) would have given if it had played these
    /// matches. It counts none after its verdict.
    pub comparison: Comparison,
    /// The course of the evidence, also after the verdict: after how many matches, that the
    /// candidate is better, and that it is worse; both as natural logarithms.
    pub course: Vec<(u64, f64, f64)>,
    /// The matches that were judged in all.
    pub judged: u64,
    /// The matches of the two that are not judged: on their seed some are missing, or there are
    /// too many.
    pub left_out: u64,
}

/// The matches of one seed by scenario, each with who played it.
type Seed = BTreeMap<String, Vec<(Who, String)>>;

/// Judges what `player` and `reference` have played in a tournament; `None` if there is no seed on
/// which they played the same everywhere. Where seats are rivals, the matches between the two
/// count.
///
/// # Errors
/// If the store cannot be read.
pub fn review(
    store: &Store,
    tournament: &TournamentInfo,
    player: &str,
    reference: &str,
) -> Result<Option<Review>, StoreError> {
    let (seeds, others) = find_matches(store, tournament, player, reference)?;
    let all: u64 = seeds.values().map(count_matches).sum();
    let seeds = keep_whole(seeds);
    let judged: u64 = seeds.iter().map(|(_, seed)| count_matches(seed)).sum();
    let Some((first_seed, first)) = seeds.first() else { return Ok(None) };
    let course = judge(store, tournament, player, &seeds)?;
    let Course { evidence, result: Some(result), budget, ids } = course else { return Ok(None) };
    let comparison = Comparison {
        game: tournament.game.clone(),
        scenarios: first.keys().cloned().collect(),
        objective: tournament.objective,
        scoring: tournament.scoring,
        references: vec![reference.to_owned()],
        first_seed: *first_seed,
        budget,
        delta: ScoreMeasure::Chance.usual_delta(tournament.scoring),
        scale: EloScale::Logistic,
        risks: DEFAULT_RISKS,
        matches: result.compared.matches,
        most_matches: judged,
        stopped: false,
        candidates: vec![result.finish(first.len())],
        between: None,
        ids,
    };
    Ok(Some(Review { comparison, course: evidence, judged, left_out: others + all - judged }))
}

fn count_matches(seed: &Seed) -> u64 {
    seed.values().map(|round| round.len() as u64).sum()
}

/// The seeds on which both have played on every scenario, as many as may be judged.
fn keep_whole(seeds: BTreeMap<u64, Seed>) -> Vec<(u64, Seed)> {
    let scenarios = seeds.values().map(Seed::len).max().unwrap_or(0);
    let mut room = MOST;
    let is_kept = |(_, seed): &(u64, Seed)| {
        let is_whole = seed.len() == scenarios && seed.values().all(|round| round.len() == 2);
        let is_kept = is_whole && count_matches(seed) <= room;
        room -= if is_kept { count_matches(seed) } else { 0 };
        is_kept
    };
    seeds.into_iter().filter(is_kept).collect()
}

/// What came of judging seed after seed.
#[derive(Default)]
struct Course {
    evidence: Vec<(u64, f64, f64)>,
    /// The candidate at its verdict, or else after all seeds.
    result: Option<Candidate>,
    budget: Budget,
    /// The matches until then.
    ids: Vec<String>,
}

fn judge(
    store: &Store,
    tournament: &TournamentInfo,
    player: &str,
    seeds: &[(u64, Seed)],
) -> Result<Course, StoreError> {
    let mut course = Course::default();
    let mut candidate: Option<Candidate> = None;
    for (_, seed) in seeds {
        for round in seed.values() {
            let mut records: Vec<(Who, Record)> = Vec::with_capacity(round.len());
            for (who, id) in round {
                records.push((*who, store.get(id)?.record()?));
            }
            let fixture = &records[0].1.fixture;
            let candidate = candidate.get_or_insert_with(|| {
                course.budget = fixture.budget;
                // Of players outside the roster, only modules are known to decide the same again.
                let is_known = |spec: &String| !spec.contains(':') || spec.starts_with("wasm:");
                let always = fixture.budget.is_reproducible() && fixture.seats.iter().all(is_known);
                Candidate::new(begin(tournament, fixture.seats.len()), player.to_owned(), always)
            });
            let round: Vec<_> =
                records.iter().map(|(who, record)| PlayedMatch { who: *who, record }).collect();
            candidate.count(tournament.objective, &round);
        }
        let Some(candidate) = &mut candidate else { continue };
        candidate.conclude();
        let ([better, worse], _) = candidate.evidence();
        course.evidence.push((candidate.compared.matches, better, worse));
        if course.result.is_none() {
            course.ids.extend(seed.values().flatten().map(|(_, id)| id.clone()));
            course.result = (!candidate.is_undecided()).then(|| candidate.clone());
        }
    }
    course.result = course.result.or(candidate);
    Ok(course)
}

/// The judgement before the first round.
fn begin(tournament: &TournamentInfo, seats: usize) -> Judgement {
    let risks: Risks = DEFAULT_RISKS;
    let delta = ScoreMeasure::Chance.usual_delta(tournament.scoring);
    let test = match (tournament.scoring, delta) {
        (Scoring::Adversarial, Some(delta)) => {
            Test::Rivals { scale: EloScale::Logistic, delta, seats, references: 1 }
        }
        (_, delta) => Test::Scores { measure: Measure::Chance, delta },
    };
    Judgement::new(tournament.objective, risks, test)
}

/// Finds the matches that a comparison of the two would play, by seed; also returns the number of
/// further ones between them.
fn find_matches(
    store: &Store,
    tournament: &TournamentInfo,
    player: &str,
    reference: &str,
) -> Result<(BTreeMap<u64, Seed>, u64), StoreError> {
    let sets = tournament.scenario_sets();
    let mut seeds: BTreeMap<u64, Seed> = BTreeMap::new();
    let mut others = 0;
    // Rounds of more games than others have no common scale.
    let mut seats = None;
    let is_rivalry = tournament.scoring == Scoring::Adversarial;
    let names = if is_rivalry { vec![player] } else { vec![player, reference] };
    for name in names {
        let filter = Filter { player: Some(name.to_owned()), ..Filter::tournament(tournament.id) };
        store.matches(&filter, |row| {
            let count = row.players.len();
            let sits = |own: &str, first: usize, every: usize| {
                row.players.iter().skip(first).step_by(every).all(|seated| seated == own)
            };
            let who =
                if is_rivalry {
                    let swapped = sits(player, 1, 2) && sits(reference, 0, 2);
                    let meet = swapped || sits(player, 0, 2) && sits(reference, 1, 2);
                    (count > 1 && meet && *seats.get_or_insert(count) == count)
                        .then_some(Who::Meet { candidate: 0, reference: 0, swapped })
                } else if sits(player, 0, 1) {
                    Some(Who::Candidate(0))
                } else {
                    sits(reference, 0, 1).then_some(Who::Reference(0))
                };
            let Some(who) = who else {
                let is_theirs = || row.players.iter().any(|seated| seated == reference);
                others += u64::from(!is_rivalry || is_theirs());
                return Ok(());
            };
            let seed = seeds.entry(row.seed).or_default();
            let round = seed.entry(sets.set_of(&row.scenario).to_owned()).or_default();
            // With repetitions, the first match counts.
            if !round.iter().any(|(known, _)| *known == who) {
                round.push((who, row.id.clone()));
            }
            Ok::<(), StoreError>(())
        })?;
    }
    // As a comparison plays them.
    for round in seeds.values_mut().flat_map(BTreeMap::values_mut) {
        round.sort_by_key(|(who, _)| {
            matches!(who, Who::Meet { swapped: true, .. } | Who::Candidate(_))
        });
    }
    Ok((seeds, others))
}
