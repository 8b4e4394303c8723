//! An external player in a seat of a typed game: the [`Player`] that puts the match's questions
//! into JSON, or into the numbers of the game's encoding, and reads the answers.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::cut::cut;
use crate::decision::Decision;
use crate::external::{ExternalPlayer, NumberedAnswer, NumberedQuestion, Question};
use crate::log::LogContent;
use crate::numbered_rules::{AnyEncoding, MakeEncoding};
use crate::outcome::{Fault, FaultKind, Outcome};
use crate::player::{MatchStart, Player};
use crate::presentation::Presentation;
use crate::rules::Rules;
use crate::seat::Seat;

/// An external player in a seat of a typed game.
pub(crate) struct SeatedExternal<R: Rules> {
    pub(crate) player: Box<dyn ExternalPlayer>,
    pub(crate) setting: Value,
    /// How positions look, for a player that wants to see them.
    pub(crate) presentation: Option<Arc<dyn Presentation<R>>>,
    /// The encodings of the game, for a player that works with numbers.
    pub(crate) numbers: Option<Numbers<R>>,
    /// The question that it prepares an answer to.
    pub(crate) prepared: Option<Question>,
}

/// The encoding in which a player is asked, made from the first position that it meets.
pub(crate) struct Numbers<R: Rules> {
    encodings: Vec<MakeEncoding<R>>,
    encoding: Option<Arc<dyn AnyEncoding<R>>>,
    actions: Vec<(usize, R::Action)>,
    board: Vec<u8>,
    features: Vec<i32>,
    mask: Vec<u8>,
}

impl<R: Rules> Numbers<R> {
    pub(crate) fn new(encodings: Vec<MakeEncoding<R>>) -> Self {
        Numbers {
            encodings,
            encoding: None,
            actions: Vec::new(),
            board: Vec::new(),
            features: Vec::new(),
            mask: Vec::new(),
        }
    }

    /// Writes what a seat sees and may do.
    fn write(&mut self, rules: &R, state: &R::State, seat: Seat) -> Result<[usize; 2], Fault> {
        if self.encoding.is_none() {
            self.encoding = find_encoding(&self.encodings, rules, state, seat);
        }
        let Some(encoding) = &self.encoding else {
            let problem = "the actions of this game have no numbers";
            return Err(Fault::new(FaultKind::Protocol, problem));
        };
        self.actions.clear();
        encoding.actions(state, seat, &mut self.actions);
        let layout = encoding.layout();
        self.mask.clear();
        self.mask.resize(layout.actions, 0);
        for (number, _) in &self.actions {
            self.mask[*number] = 1;
        }
        self.features.resize(layout.features.len(), 0);
        self.board.resize(encoding.seat_board_len(), 0);
        encoding.write_seat(state, seat, &mut self.board, &mut self.features);
        let columns = layout.board.last().copied().unwrap_or(0);
        Ok([self.board.len() / columns.max(1), columns])
    }
}

/// The first encoding whose numbers are actions of the rules, not parts of them.
pub(crate) fn find_encoding<R: Rules>(
    encodings: &[MakeEncoding<R>],
    rules: &R,
    state: &R::State,
    seat: Seat,
) -> Option<Arc<dyn AnyEncoding<R>>> {
    encodings.iter().filter_map(|make| make(rules, state).ok()).find(|encoding| {
        let mut actions = Vec::new();
        encoding.actions(state, seat, &mut actions);
        !actions.is_empty()
    })
}

/// The time of a decision, if it is limited.
fn time_of<R: Rules>(decision: &Decision<'_, R>) -> Option<Duration> {
    match (decision.budget().per_move, decision.time_left()) {
        (Some(one), Some(all)) => Some(one.min(all)),
        (one, all) => one.or(all),
    }
}

/// Keeps what was noted about a decision.
fn keep<R: Rules>(
    decision: &mut Decision<'_, R>,
    thought: Option<Duration>,
    notes: &[(String, f64)],
) {
    if let Some(thought) = thought {
        decision.record_thinking_time(thought);
    }
    for (name, value) in notes {
        decision.note(name, *value);
    }
}

/// The question about a decision, in JSON.
fn question_of<R: Rules>(
    decision: &mut Decision<'_, R>,
    presentation: Option<&dyn Presentation<R>>,
) -> Question {
    let time = time_of(decision);
    // Only what the seat observes can reach the drawing.
    let scene = presentation.map(|presentation| {
        let state = decision.determinize();
        presentation.scene(decision.rules(), &state, Some(decision.seat()))
    });
    Question {
        scene,
        seat: decision.seat(),
        turn: decision.turn(),
        observation: serde_json::to_value(decision.observation())
            .expect("observations have a JSON form"),
        actions: decision.actions().iter().map(ToString::to_string).collect(),
        time_ms: time.map(|time| time.as_millis() as u64),
        time,
        reads: Some(|action| read_action::<R>(action.clone()).is_ok()),
        stop: decision.stop().cloned(),
    }
}

impl<R: Rules> SeatedExternal<R> {
    fn decide_by_number(
        player: &mut dyn ExternalPlayer,
        numbers: &mut Numbers<R>,
        decision: &mut Decision<'_, R>,
    ) -> Result<R::Action, Fault> {
        let state = decision.determinize();
        let (seat, turn) = (decision.seat(), decision.turn());
        let sides = numbers.write(decision.rules(), &state, seat)?;
        let question = NumberedQuestion {
            seat,
            turn,
            sides,
            board: &numbers.board,
            features: &numbers.features,
            mask: &numbers.mask,
            time: time_of(decision),
            stop: decision.stop().map(AsRef::as_ref),
        };
        let answer = player.answer_by_number(&question)?;
        keep(decision, answer.thought, &answer.notes);
        let NumberedAnswer { number, .. } = answer;
        let found = numbers.actions.iter().find(|(known, _)| *known == number);
        found.map(|(_, action)| action.clone()).ok_or_else(|| {
            let most = numbers.mask.len() - 1;
            match number <= most {
                true => {
                    let problem = format!("turn {turn}: action {number} is not legal here");
                    Fault::new(FaultKind::Illegal, problem)
                }
                false => {
                    let problem =
                        format!("turn {turn}: {number} is not an action; expected 0 to {most}");
                    Fault::new(FaultKind::Protocol, problem)
                }
            }
        })
    }
}

impl<R: Rules> Player<R> for SeatedExternal<R> {
    fn start(&mut self, match_start: &MatchStart) -> Result<(), Fault> {
        self.player.start(match_start, &self.setting)
    }

    fn can_prepare(&self) -> bool {
        self.numbers.is_none() && self.player.can_prepare()
    }

    fn prepare(&mut self, decision: &mut Decision<'_, R>) {
        let question = question_of(decision, self.presentation.as_deref());
        self.player.prepare(&question);
        self.prepared = Some(question);
    }

    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        if let Some(numbers) = &mut self.numbers {
            return Self::decide_by_number(self.player.as_mut(), numbers, decision);
        }
        let presentation = self.presentation.as_deref();
        let question = self.prepared.take().unwrap_or_else(|| question_of(decision, presentation));
        let answer = self.player.answer(&question)?;
        keep(decision, answer.thought, &answer.notes);
        read_action::<R>(answer.action)
    }

    fn settle(&mut self) -> Result<(), Fault> {
        self.player.settle()
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome);
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        self.player.take_log()
    }
}

/// Reads an action from its text (as a JSON string) or its JSON form.
pub(crate) fn read_action<R: Rules>(answer: Value) -> Result<R::Action, Fault> {
    let shown = answer.to_string();
    if shown.len() > R::LONGEST_ACTION {
        let (length, most) = (shown.len(), R::LONGEST_ACTION);
        let problem = format!("an action of {length} bytes; the longest in this game has {most}");
        return Err(Fault::new(FaultKind::Protocol, problem));
    }
    let shown = cut(&shown, 80);
    let read = match &answer {
        Value::String(text) => R::Action::from_str(text).map_err(|error| error.to_string()),
        _ => Err(String::new()),
    };
    read.or_else(|message| {
        serde_json::from_value(answer).map_err(|error| {
            let why = if message.is_empty() { error.to_string() } else { message };
            let why = cut(&why, 200);
            Fault::new(FaultKind::Protocol, format!("{shown} is not an action: {why}"))
        })
    })
}
