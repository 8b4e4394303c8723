//! What a player does in a position: it is seated as in a match, asked about every turn up to that
//! position, and then about the position itself.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::{
    Advice, AnyGame, AnyMatch, Budget, Catalog, MatchStart, PlayerHandle, Seat, SpecError, Streams,
    panics,
};
use quintain_protocol::Listener;
use serde_json::Value;

use crate::lesson::Lesson;

/// What became of a player's attempt at a lesson.
#[derive(Clone, PartialEq, Debug)]
pub enum Attempt {
    /// It did something that is no mistake.
    Passed {
        /// Its action.
        action: String,
    },
    /// It made one of the mistakes.
    Failed {
        /// Its action.
        action: String,
    },
    /// It gave no answer that the rules allow; says why.
    Fault(String),
}

/// Asks a player what it does in a lesson's position.
///
/// # Errors
/// If the lesson's position cannot be restored, or the player refuses the game.
pub fn attempt(
    catalog: &Catalog,
    player: &PlayerHandle,
    lesson: &Lesson,
) -> Result<Attempt, SpecError> {
    let game = lesson.build(catalog)?;
    let actions: Vec<&str> = lesson.action_texts().collect();
    let question = Question {
        game: game.as_ref(),
        seed: lesson.seed,
        luck: lesson.seed,
        budget: lesson.budget,
        actions: &actions,
        seat: lesson.seat,
        stop: None,
    };
    let answer = question.ask(player)?;
    let state = question.visit(&mut |_| ())?;
    let is_mistake = |action: &str| {
        let mut mistakes = lesson.mistakes.iter();
        mistakes.any(|mistake| state.do_the_same(lesson.seat, action, mistake))
    };
    Ok(match answer {
        Ok(action) if is_mistake(&action) => Attempt::Failed { action },
        Ok(action) => match state.check(lesson.seat, &action) {
            Ok(()) => Attempt::Passed { action },
            Err(problem) => Attempt::Fault(format!("{action}: {problem}")),
        },
        Err(problem) => Attempt::Fault(problem),
    })
}

/// The most bytes of messages that a lesson keeps.
const MOST_BYTES: usize = 256 << 10;

impl Lesson {
    /// With what a program hears up to the decision, if that is not too long.
    ///
    /// # Errors
    /// As [`Lesson::position`].
    pub fn with_messages(mut self, catalog: &Catalog) -> Result<Lesson, SpecError> {
        let listener = Listener::new(catalog, &self.game)?;
        attempt(catalog, &listener.player, &self)?;
        let heard = listener.heard();
        let bytes: usize = heard.iter().map(String::len).sum();
        self.messages = if bytes > MOST_BYTES { Vec::new() } else { heard };
        Ok(self)
    }

    /// Returns the position, after checking that the rules are known, that the seat decides there,
    /// that the rules allow its mistakes and better actions, that these are not the same, and that
    /// its messages are of this position.
    ///
    /// # Errors
    /// As [`Lesson::position`], or if that is not so.
    pub fn check(&self, catalog: &Catalog) -> Result<Box<dyn AnyMatch>, SpecError> {
        let state = self.position(catalog)?;
        let broken = |problem: String| Err(SpecError::Mismatch(problem));
        let (wanted, known) = (self.rules, catalog.entry(&self.game)?.version());
        if wanted > known {
            let game = &self.game;
            return broken(format!(
                "it is for version {wanted} of the rules of {game}, and this is version {known}"
            ));
        }
        if !state.acting().contains(&self.seat) {
            let seats: Vec<String> =
                state.acting().iter().map(|seat| seat.index().to_string()).collect();
            let seats = if seats.is_empty() { "none".to_owned() } else { seats.join(" or ") };
            let seat = self.seat.index();
            return broken(format!("its seat {seat} does not decide there; expected {seats}"));
        }
        for (name, actions) in [("mistakes", &self.mistakes), ("better", &self.better)] {
            if actions.is_empty() {
                return broken(format!("“{name}” is empty; expected one action or more"));
            }
            for action in actions {
                if let Err(problem) = state.check(self.seat, action) {
                    return broken(format!("“{name}”: {action}: {problem}"));
                }
            }
        }
        let is_mistake = |action: &&String| {
            let mut mistakes = self.mistakes.iter();
            mistakes.any(|mistake| state.do_the_same(self.seat, action, mistake))
        };
        if let Some(action) = self.better.iter().find(is_mistake) {
            return broken(format!("“better”: {action} is one of its mistakes"));
        }
        self.check_messages(state.as_ref()).map_err(SpecError::Mismatch)?;
        Ok(state)
    }

    /// Checks that the last turn that a program hears of is that of the position. Fields that only
    /// one of them has may come from another version.
    fn check_messages(&self, state: &dyn AnyMatch) -> Result<(), String> {
        if self.messages.is_empty() {
            return Ok(());
        }
        let heard = self.messages.iter().map(|line| serde_json::from_str::<Value>(line));
        let heard: Vec<Value> =
            heard.collect::<Result<_, _>>().map_err(|problem| format!("“messages”: {problem}"))?;
        let turn = heard.iter().rfind(|message| message["type"] == "turn");
        let turn = turn.ok_or("“messages”: expected a message of type turn")?;
        if turn["turn"] != state.turn()
            || !agrees(&turn["observation"], &state.observation(self.seat))
        {
            return Err("“messages”: the last turn is one of another position; leave “messages” \
                        out, or make the lesson again"
                .to_owned());
        }
        Ok(())
    }

    /// The position in which the seat decides.
    ///
    /// # Errors
    /// If this catalog has no such game or scenario, or the actions before do not replay.
    pub fn position(&self, catalog: &Catalog) -> Result<Box<dyn AnyMatch>, SpecError> {
        let game = self.build(catalog)?;
        let actions: Vec<&str> = self.action_texts().collect();
        let Lesson { seed, budget, seat, .. } = *self;
        let (game, actions, luck) = (game.as_ref(), actions.as_slice(), seed);
        let question = Question { game, seed, luck, budget, actions, seat, stop: None };
        question.visit(&mut |_| ())
    }
}

/// Whether two values are the same, but for fields that only one of them has.
fn agrees(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.iter().all(|(key, a)| b.get(key).is_none_or(|b| agrees(a, b)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b))
        }
        _ => a == b,
    }
}

/// A position of a match, and who decides there.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) game: &'a dyn AnyGame,
    pub(crate) seed: u64,
    /// The seed of what the player draws: in a match, that of the match.
    pub(crate) luck: u64,
    pub(crate) budget: Budget,
    /// What was played before.
    pub(crate) actions: &'a [&'a str],
    pub(crate) seat: Seat,
    /// When set, the player answers at once, and its answer means nothing.
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
}

impl Question<'_> {
    /// The player's action, or why it gives none.
    pub(crate) fn ask(&self, player: &PlayerHandle) -> Result<Result<String, String>, SpecError> {
        let Question { game, luck, budget, seat, stop, .. } = *self;
        let streams = Streams::new(luck);
        let about = MatchStart::new(game.name(), game.scenario(), game.seats());
        let about = about.with_seat(seat, streams.player_seed(seat), budget);
        let mut adviser = game.adviser(player, &about, streams.player(seat))?;
        let mut answer = None;
        self.visit(&mut |state| {
            if !state.acting().contains(&seat) {
                answer = Some(Err(format!("it has no decision on turn {}", state.turn())));
                return;
            }
            let advice = Advice {
                observation: &state.observation(seat),
                turn: state.turn(),
                budget,
                time_left: None,
                stop,
            };
            let asked = panics::catch(|| adviser.advise(&advice));
            answer = Some(match asked {
                Ok(Ok((action, _))) => Ok(action),
                Ok(Err(error)) => Err(error.to_string()),
                Err(panic) => Err(panic.to_string()),
            });
        })?;
        Ok(answer.unwrap_or_else(|| Err("it is never asked".to_owned())))
    }

    /// Visits the position of each turn on which the seat decides, and at last that of the
    /// question. Returns the last one.
    pub(crate) fn visit(
        &self,
        each: &mut dyn FnMut(&dyn AnyMatch),
    ) -> Result<Box<dyn AnyMatch>, SpecError> {
        let mut state = self.game.begin(self.seed);
        let mut left = self.actions;
        let broken = |why: String| SpecError::Mismatch(format!("its actions do not replay: {why}"));
        while !left.is_empty() {
            let acting = state.acting();
            if acting.is_empty() || acting.len() > left.len() {
                return Err(broken(format!("turn {} is not whole", state.turn())));
            }
            if acting.contains(&self.seat) {
                each(state.as_ref());
            }
            let (joint, rest) = left.split_at(acting.len());
            state.play(joint).map_err(|(_, problem)| broken(problem.to_string()))?;
            left = rest;
        }
        each(state.as_ref());
        Ok(state)
    }
}
