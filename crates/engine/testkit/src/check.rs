//! Puts any game and its whole roster through what every game owes its users: the conventions of
//! [`Rules`], hidden information, drawings, and records that replay. Rules of one particular game
//! are not tested here.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use quintain_core::{AnyEntry, Entry, Match, Rng, Rules, Scenario, Scoring, Seat, Turn, panics};

use crate::chance::check_chance;
use crate::hiding::{Determinized, SeatView, check_purity};
use crate::notation::notation;
use crate::report::{ConformanceReport, TestEffort};
use crate::roster::check_roster;

/// Checks a game and its roster for determinism, legality, uniform random actions, notation round
/// trips, hidden information, drawing at every turn, the end of matches, and record and replay.
/// Every failure is a line in the report; a panic of the game's rules is one.
///
/// # Example
/// A race to ten, without players, keeps the conventions:
/// ```
/// use quintain_core::parameters::NoParameters;
/// use quintain_core::{Ending, Entry, Rng, Rules, Scenario, Scoring, Seat, Turn};
/// use quintain_testkit::{TestEffort, check_game};
///
/// #[derive(Clone)]
/// struct Race;
///
/// impl Rules for Race {
///     type State = u8;
///     type Action = u8;
///     type Observation = u8;
///
///     fn seats(&self) -> usize {
///         1
///     }
///     fn scoring(&self) -> Scoring {
///         Scoring::Independent
///     }
///     fn turn(&self, sum: &u8) -> Turn {
///         if *sum >= 10 { Turn::Over } else { Turn::Seat(Seat::new(0)) }
///     }
///     fn actions(&self, _: &u8, _: Seat, out: &mut Vec<u8>) {
///         out.extend([1, 2]);
///     }
///     fn step(&self, sum: &mut u8, joint: &[u8]) {
///         *sum += joint[0];
///     }
///     fn observe(&self, sum: &u8, _: Seat) -> u8 {
///         *sum
///     }
///     fn determinize(&self, seen: &u8, _: Seat, _: &mut Rng) -> u8 {
///         *seen
///     }
///     fn score(&self, sum: &u8, _: Seat) -> f64 {
///         f64::from(*sum)
///     }
///     fn ending(&self, _: &u8) -> Ending {
///         Ending::new("ten")
///     }
/// }
///
/// let entry = Entry::new("race", 1, "adds up to ten", "folklore").scenario(
///     "ten",
///     "from nothing to ten",
///     "folklore",
///     |_: &mut NoParameters| Ok(Scenario::new(Race, |_: &Race, _: &mut Rng| 0)),
/// );
/// let report = check_game(entry, &TestEffort::default());
/// report.assert_clean();
/// ```
pub fn check_game<R: Rules>(entry: Entry<R>, effort: &TestEffort) -> ConformanceReport {
    let defaults: Vec<String> =
        entry.scenario_entries().iter().map(|known| known.listed.name().to_owned()).collect();
    let entry = Arc::new(entry);
    let mut report = ConformanceReport::default();
    for scenario in defaults.into_iter().chain(effort.scenarios.iter().cloned()) {
        catch_panic(&scenario, &mut report, |report| {
            check_scenario(&entry, &scenario, effort, report);
        });
        if report.has_too_many_failures() {
            return report;
        }
    }
    catch_panic("chance", &mut report, |report| check_chance(&entry, effort, report));
    report
}

/// A panic of the game is one of its failures.
fn catch_panic(
    name: &str,
    report: &mut ConformanceReport,
    check: impl FnOnce(&mut ConformanceReport),
) {
    if let Err(panicked) = panics::catch(|| check(report)) {
        report.check(false, || format!("{name}: the game panics: {panicked}"));
    }
}

fn check_scenario<R: Rules>(
    entry: &Arc<Entry<R>>,
    scenario: &str,
    effort: &TestEffort,
    report: &mut ConformanceReport,
) {
    match entry.build(scenario) {
        Ok((built, canonical)) => {
            let again = entry.build(&canonical);
            report.check(again.is_ok_and(|(_, text)| text == canonical), || {
                format!("{scenario}: its canonical text {canonical} does not read back")
            });
            let mut determinized = Determinized::new(&built);
            for seed in 0..effort.games {
                let (scenario, name) = (&built, canonical.as_str());
                let determinized = &mut determinized;
                Playthrough { scenario, name, seed, determinized, report: &mut *report }
                    .run(effort.turns);
                if report.has_too_many_failures() {
                    return;
                }
            }
            determinized.check(&canonical, report);
        }
        Err(error) => report.check(false, || format!("{scenario}: {error}")),
    }
    check_roster(entry, scenario, effort, report);
    check_encodings(entry, scenario, report);
}

/// Puts every encoding that is registered for learners through its own checks.
fn check_encodings<R: Rules>(
    entry: &Arc<Entry<R>>,
    scenario: &str,
    report: &mut ConformanceReport,
) {
    for name in AnyEntry::encodings(entry) {
        let Ok(hook) = AnyEntry::encoding_hook(entry, Some(name)) else { continue };
        let failures = hook.check(scenario);
        report.check(failures.is_empty(), || format!("{scenario}: encoding {name} is wrong"));
        for failure in failures {
            report.check(false, || failure);
        }
    }
}

/// Actions that were offered anywhere, in order of appearance.
struct SeenActions<A> {
    set: HashSet<A>,
    list: Vec<A>,
}

impl<A: Clone + Eq + Hash> SeenActions<A> {
    fn extend(&mut self, actions: Vec<A>) {
        for action in actions {
            if self.set.insert(action.clone()) {
                self.list.push(action);
            }
        }
    }
}

/// One game of random actions, examined from all sides on every turn.
struct Playthrough<'a, R: Rules> {
    scenario: &'a Scenario<R>,
    name: &'a str,
    seed: u64,
    determinized: &'a mut Determinized,
    report: &'a mut ConformanceReport,
}

impl<R: Rules> Playthrough<'_, R> {
    fn run(&mut self, turns: u32) {
        let (name, seed) = (self.name.to_owned(), self.seed);
        let rules = self.scenario.rules();
        let setting = rules.setting();
        let mut current = Match::new(self.scenario.clone(), seed);
        let twin = Match::new(self.scenario.clone(), seed);
        self.report.check(rules.setting() == setting, || {
            format!("{name}: seed {seed}: the setting tells something of the match")
        });
        self.report.check(current.state() == twin.state(), || {
            format!("{name}: seed {seed} starts two different games")
        });
        let mut rng = Rng::from_seed(seed);
        let mut seen = SeenActions { set: HashSet::new(), list: Vec::new() };
        while !current.is_over() && current.turn() < turns {
            self.look(&current, &mut seen, &mut rng);
            if self.report.has_too_many_failures() {
                return;
            }
            let before = current.clone();
            let joint: Vec<R::Action> = current
                .acting()
                .iter()
                .map(|seat| rules.random_action(current.state(), *seat, &mut rng))
                .collect();
            let mut again = before.clone();
            let played = current.play(&joint);
            let turn = before.turn();
            self.report.check(played.is_ok(), || {
                format!("{name}: turn {turn}: an offered action was refused: {played:?}")
            });
            if played.is_err() {
                return;
            }
            let _ = again.play(&joint);
            let mut stepped = before.state().clone();
            rules.step(&mut stepped, &joint);
            let chance = rules.turn(&stepped) == Turn::Chance;
            self.report.check(!chance || rules.has_chance(), || {
                format!("{name}: turn {turn}: chance moves, but has_chance says it never does")
            });
            self.report.check(again.state() == current.state(), || {
                format!("{name}: turn {turn}: the same actions led to two positions")
            });
        }
        self.report.check(current.is_over(), || format!("{name}: no end after {turns} turns"));
        if current.is_over() {
            self.end(current, &seen.list, &mut rng);
        }
    }

    /// Checks one position: what is offered, refused, seen and drawn.
    fn look(&mut self, current: &Match<R>, seen: &mut SeenActions<R::Action>, rng: &mut Rng) {
        let (rules, state, turn) = (self.scenario.rules(), current.state(), current.turn());
        let at = format!("{}: seed {} turn {turn}", self.name, self.seed);
        let report = &mut *self.report;
        report
            .check(rules.key(state) == rules.key(&state.clone()), || format!("{at}: unstable key"));
        report.check(current.scene(None).is_within_bounds(), || format!("{at}: off the scene"));
        if turn % 7 == 0 {
            check_purity(self.scenario, current, &at, rng, report);
        }
        for seat in Seat::all(rules.seats()) {
            let view = SeatView { scenario: self.scenario, state, seat, at: &at };
            let drawn = view.check_view(rng, self.determinized, report);
            if !current.acting().contains(&seat) {
                continue;
            }
            let mut offered = Vec::new();
            rules.actions(state, seat, &mut offered);
            view.check_offers(&drawn, &offered, &seen.list, rng, report);
            let set: HashSet<R::Action> = offered.iter().cloned().collect();
            report.check(!offered.is_empty(), || format!("{at}: seat {seat} is offered nothing"));
            report.check(set.len() == offered.len(), || {
                format!("{at}: seat {seat} is offered an action twice")
            });
            for action in &offered {
                let refused = rules.check(state, seat, action);
                report.check(refused.is_ok(), || {
                    format!("{at}: seat {seat}: {action} is offered but refused: {refused:?}")
                });
                notation(report, &at, action);
            }
            if rules.actions_are_all() {
                for action in seen.list.iter().filter(|action| !set.contains(action)) {
                    report.check(rules.check(state, seat, action).is_err(), || {
                        format!("{at}: seat {seat}: {action} is accepted but not offered")
                    });
                }
            }
            let mut pruned = Vec::new();
            rules.pruned_actions(state, seat, &mut pruned);
            report.check(
                !pruned.is_empty() && pruned.iter().all(|action| set.contains(action)),
                || format!("{at}: seat {seat}: the pruned actions are not among the offered ones"),
            );
            if turn % 7 == 0 {
                uniform(report, &at, &offered, rng, |rng| rules.random_action(state, seat, rng));
                uniform(report, &at, &pruned, rng, |rng| rules.rollout_action(state, seat, rng));
            }
            let estimate = rules.estimate(state, seat);
            let inside =
                rules.score_range().is_none_or(|(low, high)| estimate >= low && estimate <= high);
            report.check(estimate.is_finite() && inside, || {
                format!("{at}: seat {seat}: estimate {estimate} is out of the score's range")
            });
            refusal(report, &at, current, &set, &seen.list);
            seen.extend(offered);
            let score = rules.score(state, seat);
            let inside =
                rules.score_range().is_none_or(|(low, high)| score >= low && score <= high);
            report.check(score.is_finite() && inside, || {
                format!("{at}: seat {seat}: score {score} is out of range")
            });
            let forfeit = rules.forfeit(state, seat);
            report.check(
                forfeit.len() == rules.seats() && forfeit.iter().all(|score| score.is_finite()),
                || format!("{at}: seat {seat}: a forfeit gives {forfeit:?}"),
            );
            report.check(is_worse_off(rules, &forfeit, seat, current.acting()), || {
                format!(
                    "{at}: seat {seat} forfeits and is not worse off than its rivals: {forfeit:?}"
                )
            });
            if report.has_too_many_failures() {
                return;
            }
        }
    }

    fn end(&mut self, mut over: Match<R>, seen: &[R::Action], rng: &mut Rng) {
        let at = format!("{}: seed {}: at the end", self.name, self.seed);
        let report = &mut *self.report;
        let outcome = over.outcome();
        report.check(
            outcome.as_ref().is_some_and(|outcome| {
                outcome.scores.len() == self.scenario.rules().seats()
                    && outcome.scores.iter().all(|score| score.is_finite())
                    && !outcome.ending.is_empty()
            }),
            || format!("{at}: outcome {outcome:?}"),
        );
        report.check(over.scene(None).is_within_bounds(), || format!("{at}: off the scene"));
        for seat in Seat::all(self.scenario.rules().seats()) {
            let view = SeatView { scenario: self.scenario, state: over.state(), seat, at: &at };
            view.check_view(rng, self.determinized, report);
        }
        if let Some(action) = seen.first() {
            let before = over.state().clone();
            let accepted = over.play(std::slice::from_ref(action)).is_ok();
            report.check(!accepted && *over.state() == before, || {
                format!("{at}: {action} was accepted")
            });
        }
    }
}

/// Whether a seat that forfeits between rivals scores worse than they do, so that nobody gains by
/// crashing. Among three or more, some may have lost before; so only one rival, and each that acts
/// at the same time, has to be better off.
fn is_worse_off<R: Rules>(rules: &R, scores: &[f64], forfeiter: Seat, acting: &[Seat]) -> bool {
    if rules.scoring() != Scoring::Adversarial || rules.seats() < 2 {
        return true;
    }
    let gain = |seat: Seat| scores.get(seat.index()).map(|score| rules.objective().gain(*score));
    let mut rivals = Seat::all(rules.seats()).filter(|rival| *rival != forfeiter);
    let mut acting = acting.iter().filter(|rival| **rival != forfeiter);
    rivals.any(|rival| gain(rival) > gain(forfeiter))
        && acting.all(|rival| gain(*rival) > gain(forfeiter))
}

/// Checks that the match refuses an action that is not offered and stays as it was.
fn refusal<R: Rules>(
    report: &mut ConformanceReport,
    at: &str,
    current: &Match<R>,
    offered: &HashSet<R::Action>,
    seen: &[R::Action],
) {
    if !current.rules().actions_are_all() || current.acting().len() != 1 {
        return;
    }
    if let Some(wrong) = seen.iter().find(|action| !offered.contains(action)) {
        let mut tried = current.clone();
        let refused = tried.play(std::slice::from_ref(wrong)).is_err();
        report.check(refused && tried.state() == current.state(), || {
            format!("{at}: {wrong} was not refused, or changed the position")
        });
    }
}

/// Pearson's chi-square test that draws are uniform over `items`, at a level of about one in a
/// million (Wilson & Hilferty's normal approximation).
fn uniform<A: PartialEq>(
    report: &mut ConformanceReport,
    at: &str,
    items: &[A],
    rng: &mut Rng,
    mut draw: impl FnMut(&mut Rng) -> A,
) {
    const PER_ITEM: usize = 40;
    if items.len() > 500 {
        return;
    }
    let mut counts = vec![0u32; items.len()];
    for _ in 0..items.len() * PER_ITEM {
        let drawn = draw(rng);
        match items.iter().position(|item| *item == drawn) {
            Some(index) => counts[index] += 1,
            None => {
                report.check(false, || format!("{at}: a random action was not offered"));
                return;
            }
        }
    }
    let expected = PER_ITEM as f64;
    let statistic: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    let freedom = (items.len() - 1) as f64;
    let limit = if freedom == 0.0 {
        0.0
    } else {
        let spread = 2.0 / (9.0 * freedom);
        freedom * (1.0 - spread + 4.9 * spread.sqrt()).powi(3)
    };
    report.check(statistic <= limit, || {
        format!("{at}: random actions are uneven: {counts:?} (chi-square {statistic:.1})")
    });
}

#[cfg(test)]
mod tests {
    use quintain_core::parameters::NoParameters;
    use quintain_core::{Ending, Scenario};

    use super::*;

    /// A race to ten between two rivals that add one or two in turn. Each field is as it should be,
    /// or broken.
    #[derive(Clone)]
    struct Race {
        range: Option<(f64, f64)>,
        /// The action other than one; only its parity matters.
        other: u64,
        /// Shown to all seats, without effect.
        seen: u128,
        estimate: f64,
    }

    const RACE: Race = Race { range: Some((0.0, 1.0)), other: 2, seen: 0, estimate: 0.5 };

    impl Rules for Race {
        type State = (u8, u8); // the sum, and how often a seat has added
        type Action = u64;
        type Observation = (u8, u8, u128);

        fn seats(&self) -> usize {
            2
        }
        fn scoring(&self) -> Scoring {
            Scoring::Adversarial
        }
        fn score_range(&self) -> Option<(f64, f64)> {
            self.range
        }
        fn turn(&self, &(sum, plies): &(u8, u8)) -> Turn {
            if sum >= 10 { Turn::Over } else { Turn::Seat(Seat::new(usize::from(plies % 2))) }
        }
        fn actions(&self, _: &(u8, u8), _: Seat, out: &mut Vec<u64>) {
            out.extend([1, self.other]);
        }
        fn step(&self, state: &mut (u8, u8), joint: &[u64]) {
            *state = (state.0 + if joint[0] == 1 { 1 } else { 2 }, state.1 + 1);
        }
        fn observe(&self, state: &(u8, u8), _: Seat) -> (u8, u8, u128) {
            (state.0, state.1, self.seen)
        }
        fn determinize(&self, seen: &(u8, u8, u128), _: Seat, _: &mut Rng) -> (u8, u8) {
            (seen.0, seen.1)
        }
        fn estimate(&self, _: &(u8, u8), _: Seat) -> f64 {
            self.estimate
        }
        fn score(&self, &(sum, plies): &(u8, u8), seat: Seat) -> f64 {
            let last = usize::from(plies.wrapping_sub(1) % 2);
            if sum < 10 { 0.5 } else { f64::from(u8::from(last == seat.index())) }
        }
        fn ending(&self, _: &(u8, u8)) -> Ending {
            Ending::new("ten")
        }
    }

    fn failures(race: Race) -> Vec<String> {
        let entry = Entry::new("race", 1, "the first at ten wins", "").scenario(
            "ten",
            "a race to ten",
            "",
            move |_: &mut NoParameters| {
                Ok(Scenario::new(race.clone(), |_: &Race, _: &mut Rng| (0, 0)))
            },
        );
        check_game(entry, &TestEffort { games: 2, ..TestEffort::default() }).failures
    }

    #[test]
    fn forfeits_must_cost_rivals_something() {
        assert_eq!(failures(RACE), Vec::<String>::new());
        // Without a range, the scores of a forfeit are the current ones: even.
        let found = failures(Race { range: None, ..RACE });
        assert!(found[0].contains("forfeits and is not worse off than its rivals"), "{found:?}");
    }

    #[test]
    fn whole_numbers_beyond_2_to_the_53_fail() {
        const MOST: u64 = 1 << 53;
        for seen in [MOST.into(), 0] {
            assert_eq!(failures(Race { seen, other: MOST, ..RACE }), Vec::<String>::new());
        }
        for seen in [u128::from(MOST) + 1, u128::from(u64::MAX), 1 << 64, 1 << 100] {
            let found = failures(Race { seen, ..RACE });
            assert!(
                found[0].contains("the observation has") && found[0].contains("beyond 2^53"),
                "{found:?}"
            );
        }
        let found = failures(Race { other: MOST + 1, ..RACE });
        assert!(found[0].contains("the action has 9007199254740993 in JSON"), "{found:?}");
    }

    #[test]
    fn estimates_out_of_the_score_range_fail() {
        for estimate in [f64::NAN, f64::INFINITY, 1.5, -0.1] {
            let found = failures(Race { estimate, ..RACE });
            assert!(found[0].contains("is out of the score's range"), "{found:?}");
        }
    }
}
