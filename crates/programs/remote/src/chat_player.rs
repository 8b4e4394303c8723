//! A model at one seat of one match.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quintain_core::ui::{Mark, Paint, Scene, Sign};
use quintain_core::{Answer, ExternalPlayer, Fault, FaultKind, LogContent, MatchStart, Question};
use quintain_scene::{TerminalStyle, render_legend, render_text};
use serde_json::Value;

use crate::completion::{Completion, Message};
use crate::model::{Model, Patience};
use crate::reply::{Misread, instruction, read_action};
use crate::template::Values;

/// The rules of each game, for people.
pub(crate) type RulesByGame = Arc<BTreeMap<&'static str, &'static str>>;

pub(crate) struct ChatPlayer {
    model: Arc<Model>,
    rules: RulesByGame,
    values: Values,
    /// Tells the match apart from others.
    sample: String,
    /// The turns so far: how the position looked, and what was played.
    turns: Vec<(u32, String, String)>,
    log: Vec<(u32, LogContent)>,
    has_begun: bool,
}

impl ChatPlayer {
    pub(crate) fn new(model: Arc<Model>, rules: RulesByGame) -> ChatPlayer {
        let (values, sample) = (Values::default(), String::new());
        let (turns, log) = (Vec::new(), Vec::new());
        ChatPlayer { model, rules, values, sample, turns, log, has_begun: false }
    }

    /// The words of a question: those that begin each, and its own.
    fn words(&mut self, question: &Question, board: &str) -> [String; 2] {
        let legend = question.scene.as_ref().map_or(String::new(), |scene| {
            render_legend(scene, &[], TerminalStyle::Plain, None) + &explain_signs(scene, board)
        });
        let last = self.turns.len().saturating_sub(self.model.turns);
        let last = &self.turns[last..];
        let played: Vec<String> =
            last.iter().map(|(turn, _, action)| format!("turn {turn} {action}")).collect();
        let history = match played.is_empty() {
            true => String::new(),
            false => format!("Your last actions: {}.", played.join(", ")),
        };
        let seen = last
            .iter()
            .map(|(turn, board, action)| format!("Turn {turn}:\n{board}\nYou played {action}.\n"));
        let values = &mut self.values;
        values.set("last_turns", seen.collect::<Vec<_>>().join("\n"));
        values.set("history", history);
        values.set("turn", question.turn.to_string());
        values.set("board", board);
        values.set("legend", legend);
        values.set("observation", question.observation.to_string());
        values.set("actions", question.actions.join(", "));
        values.set("answer", instruction(self.model.reply));
        self.model.template.fill(values)
    }

    fn keep(&mut self, turn: u32, asked: &str, completion: &Completion, misread: Option<&str>) {
        let mut answered = completion.text.clone();
        let remarks = [(!completion.lack.is_empty()).then_some(completion.lack.as_str()), misread];
        for remark in remarks.into_iter().flatten() {
            answered = format!("{}\n({remark})", answered.trim_end());
        }
        let exchange = LogContent::Exchange { asked: asked.to_owned(), answered };
        self.log.push((turn, exchange));
    }
}

/// What the signs of players and of empty cells mean where the legend leaves that to the eye, in a
/// line of its own; empty if nothing is left out.
fn explain_signs(scene: &Scene, board: &str) -> String {
    let signs = |of: fn(Paint) -> bool| -> BTreeSet<char> {
        let is_explained = scene.legend(&[]).any(|meaning| match meaning.sign {
            Sign::Cell(paint, _) | Sign::Line(paint) | Sign::Outline(paint) => of(paint),
            Sign::Unseen => false,
        });
        let layers = scene.layers.iter().filter(|layer| !layer.overlay && !is_explained);
        let glyphs = layers.flat_map(|layer| &layer.marks).filter_map(|mark| match mark {
            Mark::Cell { paint, glyph, .. } if of(*paint) => Some(*glyph),
            _ => None,
        });
        glyphs.filter(|glyph| glyph.is_alphanumeric()).collect()
    };
    let list =
        |signs: &BTreeSet<char>| signs.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
    let heads = signs(|paint| matches!(paint, Paint::Head(_)));
    let trails = signs(|paint| matches!(paint, Paint::Seat(_)));
    let mut parts = Vec::new();
    if !heads.is_empty() {
        parts.push(format!("{} where each player is", list(&heads)));
        // Trails come with the second turn; what they are is known before.
        let left: BTreeSet<char> =
            heads.iter().map(char::to_ascii_lowercase).chain(trails.iter().copied()).collect();
        if !left.is_subset(&heads) {
            parts.push(format!("{} what it has left behind", list(&left)));
        }
        let is_dotted = board.lines().any(|line| line.starts_with('|') && line.contains(". "));
        if is_dotted {
            parts.push(". free".to_owned());
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("{}\n", parts.join("  ")),
    }
}

impl ExternalPlayer for ChatPlayer {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        let MatchStart { game, scenario, seats, seat, seed, .. } = match_start;
        let values = &mut self.values;
        values.set("game", game);
        values.set("scenario", scenario);
        values.set("seats", seats.to_string());
        values.set("player", seat.letter());
        values.set("rules", self.rules.get(game.as_str()).copied().unwrap_or_default().trim());
        values.set("setting", setting.to_string());
        self.sample = format!("{game}:{scenario} {seat} {seed}");
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let model = Arc::clone(&self.model);
        let time = question.time.unwrap_or(model.answer);
        let patience = Patience::new(time, question.stop.as_deref());
        let turn = question.turn;
        let board = match &question.scene {
            Some(scene) => render_text(scene, &[], TerminalStyle::Plain),
            None => question.observation.to_string(),
        };
        let [system, asked] = self.words(question, &board);
        let mut shown = match self.has_begun {
            true => asked.clone(),
            false => format!("{system}\n\n{asked}").trim_start().to_owned(),
        };
        self.has_begun = true;
        let mut messages = vec![Message::new("system", system), Message::new("user", asked)];
        messages.retain(|message| !message.content.is_empty());
        model.count(|totals| totals.turns += 1);
        let (mut tokens, mut retries) = (0, 0);
        loop {
            let completion = model.complete(&messages, &self.sample, &patience)?;
            tokens += completion.input + completion.output;
            let read =
                read_action(model.reply, &completion.text, &question.actions, question.reads);
            let misread = match read {
                Ok(action) => {
                    self.keep(turn, &shown, &completion, None);
                    self.turns.push((turn, board, action.clone()));
                    let figures = [("tokens", tokens as f64), ("retries", f64::from(retries))];
                    let notes = figures.map(|(name, value)| (name.to_owned(), value)).to_vec();
                    return Ok(Answer::from(Value::from(action)).with_notes(notes));
                }
                Err(misread) => misread,
            };
            self.keep(turn, &shown, &completion, Some(misread.problem()));
            let kind = match misread {
                Misread::Illegal(_) => FaultKind::Illegal,
                Misread::Unreadable(_) => FaultKind::Protocol,
            };
            model.count(|totals| match kind {
                FaultKind::Illegal => totals.illegal += 1,
                _ => totals.unreadable += 1,
            });
            let problem = match completion.lack.as_str() {
                "" => misread.problem().to_owned(),
                lack => format!("{} ({lack})", misread.problem()),
            };
            if retries == model.retries {
                let problem = format!("turn {turn}, after {retries} retries: {problem}");
                return Err(Fault::new(kind, problem));
            }
            retries += 1;
            shown = format!("{problem}. {}", instruction(model.reply));
            let answered = if completion.text.is_empty() { "(nothing)" } else { &completion.text };
            messages.push(Message::new("assistant", answered));
            messages.push(Message::new("user", shown.clone()));
        }
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        std::mem::take(&mut self.log)
    }
}
