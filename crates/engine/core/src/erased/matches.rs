//! A typed match as an [`AnyMatch`].

use std::str::FromStr;

use crate::ui::Scene;
use serde_json::Value;

use super::AnyMatch;
use crate::action_error::ActionError;
use crate::log::LogEntry;
use crate::matches::Match;
use crate::outcome::{Note, Outcome, SeatFault};
use crate::rules::Rules;
use crate::seat::Seat;

impl<R: Rules> AnyMatch for Match<R> {
    fn acting(&self) -> &[Seat] {
        Match::acting(self)
    }

    fn turn(&self) -> u32 {
        Match::turn(self)
    }

    fn scores(&self) -> Vec<f64> {
        Seat::all(self.rules().seats()).map(|seat| self.rules().score(self.state(), seat)).collect()
    }

    fn observation(&self, seat: Seat) -> Value {
        let observation = self.rules().observe(self.state(), seat);
        serde_json::to_value(observation).expect("observations have a JSON form")
    }

    fn actions(&self, seat: Seat) -> Vec<String> {
        let mut actions = Vec::new();
        if Match::acting(self).contains(&seat) {
            self.rules().actions(self.state(), seat, &mut actions);
        }
        actions.iter().map(ToString::to_string).collect()
    }

    fn do_the_same(&self, seat: Seat, one: &str, other: &str) -> bool {
        let effects = |action: &str| {
            let mut joint = Vec::new();
            for &acting in Match::acting(self) {
                if acting == seat {
                    joint.push(read_action::<R>(action).ok()?);
                } else {
                    let mut offered = Vec::new();
                    self.rules().actions(self.state(), acting, &mut offered);
                    joint.push(offered.into_iter().next()?);
                }
            }
            let mut after = self.clone();
            Match::play(&mut after, &joint).ok()?;
            let (rules, state) = (after.rules(), after.state());
            let seen = Seat::all(rules.seats()).map(|seat| rules.effect(state, seat));
            Some((seen.collect::<Vec<Value>>(), AnyMatch::scores(&after)))
        };
        one == other || effects(one).is_some_and(|effect| effects(other) == Some(effect))
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), ActionError> {
        if !Match::acting(self).contains(&seat) {
            return Err(ActionError::NotTurn(seat));
        }
        let action = read_action::<R>(action)?;
        Ok(self.rules().check(self.state(), seat, &action)?)
    }

    fn play(&mut self, joint: &[&str]) -> Result<(), (Seat, ActionError)> {
        let mut read = Vec::with_capacity(joint.len());
        for (index, text) in joint.iter().enumerate() {
            let seat = Match::acting(self).get(index).copied().unwrap_or(Seat::new(0));
            read.push(read_action::<R>(text).map_err(|error| (seat, error))?);
        }
        Match::play(self, &read).map_err(|(seat, illegal)| (seat, illegal.into()))
    }

    fn set_notes(&mut self, notes: &[Note]) {
        Match::set_notes(self, notes);
    }

    fn notes(&self) -> &[Note] {
        Match::notes(self)
    }

    fn log(&self) -> &[LogEntry] {
        Match::log(self)
    }

    fn set_log(&mut self, log: &[LogEntry]) {
        Match::set_log(self, log);
    }

    fn scene(&self, observer: Option<Seat>) -> Scene {
        Match::scene(self, observer)
    }

    fn board(&self) -> Scene {
        Match::board(self)
    }

    fn board_since(&self) -> Option<Scene> {
        Match::board_since(self)
    }

    fn tell(&self, seat: Seat, action: &str) -> Option<String> {
        let action = read_action::<R>(action).ok()?;
        Match::tell(self, seat, &action)
    }

    fn outcome(&self) -> Option<Outcome> {
        Match::outcome(self)
    }

    fn outcome_with_fault(&self, fault: SeatFault) -> Outcome {
        Match::outcome_with_fault(self, fault)
    }

    fn fork(&self) -> Box<dyn AnyMatch> {
        Box::new(self.clone())
    }
}

/// Reads an action from its text.
fn read_action<R: Rules>(text: &str) -> Result<R::Action, ActionError> {
    R::Action::from_str(text).map_err(|error| ActionError::Unreadable(error.to_string()))
}
