//! A network as the evaluator of a search: the game's encoding turns positions into planes; logits
//! are mapped to the actions that it numbers, and values to the scale of the game's scores.

use std::sync::Arc;

use quintain_core::{AnyEncoding, MakeEncoding, Rules, Scoring, Seat, is_acting};
use quintain_search::puct::{Leaf, Look, PriorEvaluator};
use quintain_search::utility::{Utilities, utility_range};

use crate::cache::{EvaluationCache, View};
use crate::model::Model;
use crate::network::{Evaluation, Scratch};
use crate::sight::{Misfit, Sight};

/// A network that sees the positions of one scenario.
pub struct NetEvaluator<R: Rules> {
    model: Arc<Model>,
    sight: Sight,
    encoding: Arc<dyn AnyEncoding<R>>,
    board: Vec<u8>,
    features: Vec<i32>,
    numbers: Vec<f32>,
    numbered: Vec<(usize, R::Action)>,
    scratch: Scratch,
    answer: Evaluation,
    cache: EvaluationCache,
    utilities: Utilities,
    /// After how many visits of a position the network is asked; 0 for always.
    second_look: u32,
    /// The first reason why the network could not evaluate a position.
    failure: Option<String>,
    /// Whether two rivals' gains are each other's losses, so that one evaluation is enough.
    is_zero_sum: bool,
}

impl<R: Rules> NetEvaluator<R> {
    /// The network applied to the scenario of these rules, of which `state` is a position. `make`
    /// creates the encoding that its header names.
    ///
    /// # Errors
    /// If it was made for boards or actions of another shape.
    pub fn new(
        model: Arc<Model>,
        make: &MakeEncoding<R>,
        rules: &R,
        state: &R::State,
    ) -> Result<Self, Misfit> {
        let encoding = make(rules, state).map_err(|why| Misfit(why.to_string()))?;
        let sight = model.fit(encoding.layout(), utility_range(rules))?;
        let (board, features) = (encoding.seat_board_len(), encoding.layout().features.len());
        Ok(NetEvaluator {
            board: vec![0; board],
            features: vec![0; features],
            numbers: Vec::new(),
            numbered: Vec::new(),
            scratch: Scratch::default(),
            answer: Evaluation::default(),
            cache: EvaluationCache::new(board, features, model.actions()),
            utilities: Utilities::new(rules),
            second_look: 0,
            failure: None,
            is_zero_sum: rules.seats() == 2 && rules.scoring() == Scoring::Adversarial,
            model,
            sight,
            encoding,
        })
    }

    /// The same network, asked only about positions that a search visits more than `visits` times.
    /// Until then, all actions are equally likely, and a position is worth what the rules estimate,
    /// with the weight that the network gives it; a network that gives it none is always asked.
    pub fn asked_after(mut self, visits: u32) -> Self {
        self.second_look = if self.sight.estimate == 0.0 { 0 } else { visits };
        self
    }

    /// The network's evaluation for a seat.
    pub fn ask(&mut self, state: &R::State, seat: Seat) -> &Evaluation {
        self.encoding.write_seat(state, seat, &mut self.board, &mut self.features);
        let sight = &self.sight;
        let view = View {
            board: &self.board,
            features: &self.features,
            seat: (sight.seats > 0).then_some(seat.index()),
        };
        if let Some(found) = self.cache.find(view) {
            self.answer.clone_from(found);
            return &self.answer;
        }
        self.numbers.clear();
        let scaled = self.features.iter().zip(&sight.feature_scale);
        self.numbers.extend(scaled.map(|(feature, scale)| *feature as f32 * scale));
        self.numbers.extend((0..sight.seats).map(|n| f32::from(u8::from(n == seat.index()))));
        let (scratch, answer) = (&mut self.scratch, &mut self.answer);
        let answered = if self.encoding.layout().is_words {
            let bits = self.board.iter().enumerate().flat_map(|(at, byte)| {
                (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| (0, at * 8 + bit))
            });
            self.model.evaluate(bits, &self.numbers, scratch, answer)
        } else {
            let cells = self.board.iter().map(|byte| usize::from(*byte)).enumerate();
            self.model.evaluate(cells, &self.numbers, scratch, answer)
        };
        if let Err(why) = answered {
            self.failure.get_or_insert(why);
            answer.logits.clear();
            answer.logits.resize(self.model.actions(), 0.0);
            answer.value = 0.0;
        }
        self.cache.keep(view, &self.answer);
        &self.answer
    }

    /// The legal actions of a seat, with their numbers.
    pub fn number_actions(&mut self, state: &R::State, seat: Seat) -> &[(usize, R::Action)] {
        self.numbered.clear();
        self.encoding.actions(state, seat, &mut self.numbered);
        &self.numbered
    }

    fn utility(&self, value: f32) -> f64 {
        let (low, high) = self.sight.range;
        low + (high - low) * (f64::from(value) + 1.0) / 2.0
    }

    /// The value of a position to a seat, which the network evaluates as `own`. If its file says
    /// so, the network only corrects the rules' estimate.
    pub fn value(&mut self, rules: &R, state: &R::State, seat: Seat, own: f32) -> f32 {
        if self.sight.estimate == 0.0 {
            return own;
        }
        let estimate = self.utilities.of_estimate(rules, state)[seat.index()];
        self.corrected(own, estimate)
    }

    /// The same, for a position whose estimate is known.
    fn corrected(&self, own: f32, estimate: f64) -> f32 {
        let weight = self.sight.estimate;
        if weight == 0.0 {
            return own;
        }
        let (low, high) = self.sight.range;
        let estimate = (2.0 * (estimate - low) / (high - low) - 1.0).clamp(-1.0, 1.0);
        (own + weight * estimate as f32).clamp(-1.0, 1.0)
    }

    /// Fills in the values of all seats, and the logits of those that move.
    fn fill(&mut self, rules: &R, leaf: &mut Leaf<R>) {
        let seats = leaf.values.len();
        if self.sight.estimate != 0.0 {
            let estimates = self.utilities.of_estimate(rules, &leaf.state);
            leaf.values.copy_from_slice(estimates);
        }
        if leaf.look == Look::First {
            for value in &mut leaf.values {
                *value = self.utility(self.corrected(0.0, *value));
            }
            return;
        }
        let movers = leaf.choices.len();
        for seat in Seat::all(seats) {
            let choice = leaf.choices.iter_mut().find(|choice| choice.seat == seat);
            if choice.is_none() && self.is_zero_sum && movers == 1 {
                continue;
            }
            self.ask(&leaf.state, seat);
            let value = self.corrected(self.answer.value, leaf.values[seat.index()]);
            leaf.values[seat.index()] = self.utility(value);
            let Some(choice) = choice else { continue };
            self.numbered.clear();
            self.encoding.actions(&leaf.state, seat, &mut self.numbered);
            for (action, logit) in choice.actions.iter().zip(&mut choice.logits) {
                let number = self.numbered.iter().find(|(_, numbered)| numbered == action);
                // An action that the encoding cannot express gets a very low logit.
                *logit = number.map_or(-20.0, |(number, _)| self.answer.logits[*number]);
            }
        }
        if self.is_zero_sum {
            leaf.balance();
        }
        debug_assert!(leaf.choices.iter().all(|c| is_acting(rules, &leaf.state, c.seat)));
    }
}

impl<R: Rules> PriorEvaluator<R> for NetEvaluator<R> {
    /// The actions that have a number; if none has, the same as in any search.
    fn actions(&self, rules: &R, state: &R::State, seat: Seat, out: &mut Vec<R::Action>) {
        let mut numbered = Vec::new();
        self.encoding.actions(state, seat, &mut numbered);
        let before = out.len();
        out.extend(numbered.into_iter().map(|(_, action)| action));
        if out.len() == before {
            rules.pruned_actions(state, seat, out);
        }
    }

    /// The range of its header: if the rules' bounds say little, the trainer narrows it.
    fn range(&self) -> Option<(f64, f64)> {
        Some(self.sight.range)
    }

    fn second_look(&self) -> u32 {
        self.second_look
    }

    fn evaluate(&mut self, rules: &R, leaves: &mut [Leaf<R>]) {
        for leaf in leaves {
            self.fill(rules, leaf);
        }
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }
}
