//! Whether a seat can learn what it does not observe: from the observation itself, from positions
//! determinized from it, from what is offered and refused, from drawings or from notes. A
//! determinized position looks the same to the seat, so everything that the seat is given must be
//! the same for it.

use std::collections::HashMap;
use std::fmt::Display;

use quintain_core::ui::Scene;
use quintain_core::{Match, Note, Rng, Rules, Scenario, Seat, Streams, Turn, key_of};
use serde_json::Value;

use crate::notation::small_numbers;
use crate::report::ConformanceReport;

/// The number of determinized positions that are compared with the true one.
const DRAWS: usize = 8;
/// The number of actions offered elsewhere that are tried in each position.
const TRIED: usize = 16;

/// Whether any determinized position of a scenario differs from the true one, as some must if
/// anything is hidden.
#[derive(Default)]
pub(crate) struct Determinized {
    /// Whether a determinized position differed from the true one.
    has_varied: bool,
    /// Whether something is hidden: two positions look the same to a seat, or matches start in
    /// different positions.
    is_hiding: bool,
    /// The last position in which a seat had each observation, both by their hashes.
    last: HashMap<(usize, u64), u64>,
}

impl Determinized {
    pub(crate) fn new<R: Rules>(scenario: &Scenario<R>) -> Determinized {
        let start = |seed| scenario.start(&mut Streams::new(seed).start());
        let is_hiding = (1..8).any(|seed| start(seed) != start(0));
        Determinized { is_hiding, ..Determinized::default() }
    }

    /// Fails if something is hidden and nevertheless always known.
    pub(crate) fn check(&self, name: &str, report: &mut ConformanceReport) {
        let is_looked_at = !self.last.is_empty();
        report.check(self.has_varied || !self.is_hiding || !is_looked_at, || {
            format!(
                "{name}: has_hidden_information, but every determinized position is the true one: \
                 players are told what is hidden (or nothing is)"
            )
        });
    }
}

/// One position through the eyes of one seat.
pub(crate) struct SeatView<'a, R: Rules> {
    pub(crate) scenario: &'a Scenario<R>,
    pub(crate) state: &'a R::State,
    pub(crate) seat: Seat,
    /// Where this is, for messages.
    pub(crate) at: &'a str,
}

impl<R: Rules> SeatView<'_, R> {
    /// Checks what the seat sees and what is drawn for it, whether it moves or not.
    pub(crate) fn check_view(
        &self,
        rng: &mut Rng,
        determinized: &mut Determinized,
        report: &mut ConformanceReport,
    ) -> R::State {
        let SeatView { scenario, state, seat, at } = self;
        let (rules, seat) = (scenario.rules(), *seat);
        let observation = rules.observe(state, seat);
        let json = serde_json::to_string(&observation).unwrap_or_default();
        small_numbers(report, at, "the observation", &json);
        let read = serde_json::from_str::<R::Observation>(&json);
        report.check(read.as_ref().is_ok_and(|read| *read == observation), || {
            format!("{at}: seat {seat}: the observation does not read back from {json}")
        });
        let drawn = rules.determinize(&observation, seat, &mut rng.clone());
        if let Ok(read) = read {
            let drawn_from_json = rules.determinize(&read, seat, &mut rng.clone());
            report.check(drawn_from_json == drawn, || {
                format!(
                    "{at}: seat {seat}: the observation holds what its JSON form does not show: \
                     another position is determinized from it"
                )
            });
        }
        let seen = rules.observe(&drawn, seat);
        report.check(seen == observation && to_json(&seen) == to_json(&observation), || {
            format!("{at}: seat {seat}: the determinized position does not look the same")
        });
        let is_hidden = rules.has_hidden_information();
        report.check(is_hidden || drawn == **state, || {
            format!(
                "{at}: seat {seat}: the determinized position differs, but has_hidden_information \
                 says nothing is hidden"
            )
        });
        if is_hidden {
            let position = key_of(*state);
            let last = determinized.last.insert((seat.index(), key_of(&json)), position);
            determinized.is_hiding |= last.is_some_and(|last| last != position);
            determinized.has_varied = determinized.has_varied
                || drawn != **state
                || (1..DRAWS).any(|_| rules.determinize(&observation, seat, rng) != **state);
        }
        self.check_drawing(&drawn, report);
        drawn
    }

    /// Checks what is drawn for the seat, without notes and with one of its own.
    fn check_drawing(&self, drawn: &R::State, report: &mut ConformanceReport) {
        let SeatView { seat, at, .. } = self;
        let notes = [Note { turn: 0, seat: *seat, name: "note".to_owned(), value: 1.0 }];
        for (notes, what) in [(&[] as &[Note], "drawing"), (&notes, "drawing of its notes")] {
            let scene = self.scene(self.state, notes);
            report.check(scene.is_within_bounds(), || {
                format!("{at}: seat {seat}: the {what} leaves the scene")
            });
            // Something that a match remembers only for its drawings, such as spoken words, hides
            // nothing.
            let is_hidden = self.scenario.rules().has_hidden_information();
            report.check(!is_hidden || scene == self.scene(drawn, notes), || {
                format!("{at}: seat {seat}: the {what} shows what the seat cannot see")
            });
        }
    }

    fn scene(&self, state: &R::State, notes: &[Note]) -> Scene {
        let (rules, presentation) = (self.scenario.rules(), self.scenario.presentation());
        let mut scene = presentation.scene(rules, state, Some(self.seat));
        presentation.annotate(rules, state, notes, Some(self.seat), &mut scene);
        scene
    }

    /// Checks whether drawing the notes of players tells the seat what it cannot see.
    pub(crate) fn check_notes(
        &self,
        notes: &[Note],
        rng: &mut Rng,
        report: &mut ConformanceReport,
    ) {
        let SeatView { scenario, state, seat, at } = self;
        let rules = scenario.rules();
        let own: Vec<Note> = notes.iter().filter(|note| note.seat == *seat).cloned().collect();
        if own.is_empty() || !rules.has_hidden_information() {
            return;
        }
        let drawn = rules.determinize(&rules.observe(state, *seat), *seat, rng);
        report.check(self.scene(state, &own) == self.scene(&drawn, &own), || {
            format!("{at}: seat {seat}: the drawing of its notes shows what the seat cannot see")
        });
    }

    /// Checks what is offered to the seat to move, and what is refused, here and in the position
    /// `drawn` that is determinized from its observation.
    pub(crate) fn check_offers(
        &self,
        drawn: &R::State,
        offered: &[R::Action],
        elsewhere: &[R::Action],
        rng: &Rng,
        report: &mut ConformanceReport,
    ) {
        let SeatView { scenario, state, seat, at } = self;
        let (rules, seat) = (scenario.rules(), *seat);
        let mut others = Vec::new();
        rules.actions(drawn, seat, &mut others);
        report.check(are_alike(offered, &others), || {
            format!("{at}: seat {seat}: the offered actions tell what the seat cannot see")
        });
        let random = rules.random_action(state, seat, &mut rng.clone());
        let other = rules.random_action(drawn, seat, &mut rng.clone());
        report.check(are_alike(&[random], &[other]), || {
            format!("{at}: seat {seat}: a random action tells what the seat cannot see")
        });
        for action in elsewhere.iter().take(TRIED) {
            let answer = rules.check(state, seat, action);
            report.check(answer == rules.check(drawn, seat, action), || {
                format!(
                    "{at}: seat {seat}: whether {action} is accepted, or why not ({answer:?}), \
                     tells what the seat cannot see"
                )
            });
        }
    }
}

/// Whether actions are the same in every form in which players get them.
fn are_alike<A: PartialEq + Display + serde::Serialize>(these: &[A], those: &[A]) -> bool {
    let is_alike = |(one, other): (&A, &A)| {
        one == other && one.to_string() == other.to_string() && to_json(one) == to_json(other)
    };
    these.len() == those.len() && these.iter().zip(those).all(is_alike)
}

fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Checks that rules are pure: their answers must not change because a match begins or they are
/// told something about it.
pub(crate) fn check_purity<R: Rules>(
    scenario: &Scenario<R>,
    current: &Match<R>,
    at: &str,
    rng: &Rng,
    report: &mut ConformanceReport,
) {
    let rules = scenario.rules();
    let answers = || {
        let of_seat = |seat: Seat| {
            let observation = rules.observe(current.state(), seat);
            let mut rng = rng.clone();
            let mut drawn = rules.determinize(&observation, seat, &mut rng);
            let first = drawn.clone();
            if rules.turn(&drawn) == Turn::Chance {
                rules.sample_chance(&mut drawn, &mut rng);
            }
            (to_json(&observation), first, drawn)
        };
        let seats = Seat::all(rules.seats()).take(4).map(of_seat).collect::<Vec<_>>();
        (rules.setting(), seats)
    };
    let before = answers();
    let _ = Match::new(scenario.clone(), 0x5EED);
    report.check(answers() == before, || {
        format!(
            "{at}: what the rules answer changes when another match begins: they hold something \
             of it"
        )
    });
}
