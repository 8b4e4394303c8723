//! PUCT on all states of a batch side by side. Each search descends to positions that have to be
//! evaluated; those of all searches are gathered, as the arrays that a seat sees, and the caller
//! evaluates them together, with whatever it has. Nothing here knows about networks.

use std::cell::RefCell;
use std::sync::Arc;

use quintain_core::{Encoding, Layout, Rng, Rules, Scoring, Seat, Streams, View, is_acting};
use quintain_search::puct::{Leaf, Options, PriorEvaluator, Puct};
use quintain_search::utility::utility_range;

use crate::states::{Batch, Instance};

/// Positions to be evaluated: a row for each, as one seat sees it.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Positions {
    /// The number of rows.
    pub count: usize,
    /// The boards.
    pub board: Vec<u8>,
    /// The features.
    pub features: Vec<i32>,
    /// 1 for each action that the seat may take, by number; all 0 if it does not move.
    pub masks: Vec<i8>,
}

/// What searches found, for every state and seat of the batch.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct SearchResults {
    /// A share for each action: what a policy should learn. All 0 for seats that do not move.
    pub policy: Vec<f32>,
    /// What the position is worth to the seat, in the evaluator's unit.
    pub value: Vec<f32>,
    /// The number of the action to play.
    pub action: Vec<i64>,
    /// How many positions were evaluated.
    pub evaluated: u64,
}

/// The searches of a batch's states, driven from outside: positions are taken, evaluated, and given
/// back, until there are none.
pub trait Searches: Send {
    /// Descends in every search to positions that have to be evaluated, and returns them; none when
    /// all searches are over.
    fn descend(&mut self) -> Positions;

    /// Goes on with the logits of all actions and the value of each row of the last positions.
    /// Values between rivals are from −1 (a loss) to 1; otherwise they are scores, or their
    /// negatives where less is better.
    ///
    /// # Panics
    /// If they are not as many as the rows need.
    fn back_up(&mut self, logits: &[f32], values: &[f32]);

    /// What was found.
    fn finish(&self) -> SearchResults;
}

/// Why the states of a batch cannot be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The numbers of the encoding are only parts of the moves that a search looks at.
    #[error("the actions of this encoding are parts of moves; searches need one whose are moves")]
    Parts,
    /// Opponents play some seats.
    #[error("a search decides for all seats; the batch must have no opponents")]
    Opponents,
}

/// The actions that have a number, for a search; positions are evaluated elsewhere.
struct Numbered<'a, E> {
    encoding: &'a E,
    /// The numbers of the actions that were offered, question by question: finding them again would
    /// take as long as all the rest in games with many actions.
    offered: RefCell<Vec<Vec<usize>>>,
}

impl<E: Encoding> PriorEvaluator<E::Rules> for Numbered<'_, E> {
    fn actions(
        &self,
        _rules: &E::Rules,
        state: &<E::Rules as Rules>::State,
        seat: Seat,
        out: &mut Vec<<E::Rules as Rules>::Action>,
    ) {
        let mut numbered = Vec::new();
        self.encoding.numbered_actions(state, seat, &mut numbered);
        self.offered.borrow_mut().push(numbered.iter().map(|(number, _)| *number).collect());
        out.extend(numbered.into_iter().map(|(_, action)| action));
    }

    fn evaluate(&mut self, _rules: &E::Rules, _leaves: &mut [Leaf<E::Rules>]) {
        unreachable!("leaves are evaluated outside");
    }
}

/// The search of one state.
struct Lane<E: Encoding> {
    on: Arc<Instance<E>>,
    /// The state's index.
    index: usize,
    state: <E::Rules as Rules>::State,
    puct: Puct<E::Rules>,
    rng: Rng,
    /// The simulations left; `None` before the root is evaluated.
    left: Option<u64>,
}

/// A position that is being evaluated: whose it is, and which rows are its.
struct Pending<R: Rules> {
    lane: usize,
    leaf: Leaf<R>,
    /// The numbers of the actions of each seat that moves.
    numbers: Vec<Vec<usize>>,
    first_row: usize,
    /// Whether there is only the mover's row, since the other's value is its negative.
    is_one_row: bool,
}

/// See [`Searches`].
struct BatchSearches<E: Encoding> {
    layout: Layout,
    states: usize,
    options: Options,
    /// The least and the greatest utility between rivals, whose values are from −1 to 1.
    rivals: Option<(f64, f64)>,
    /// Whether two rivals' gains are each other's losses, so that one evaluation is enough.
    is_zero_sum: bool,
    lanes: Vec<Lane<E>>,
    pending: Vec<Pending<E::Rules>>,
    evaluated: u64,
}

impl<E: Encoding> Batch<E> {
    /// Begins a search in every state whose episode is not over. Equal seeds give equal searches.
    pub(crate) fn begin_searches(
        &self,
        options: &Options,
        seed: u64,
    ) -> Result<Box<dyn Searches>, SearchError> {
        if self.opponents.is_some() {
            return Err(SearchError::Opponents);
        }
        let streams = Streams::new(seed);
        let mut lanes = Vec::new();
        for (index, slot) in self.slots.iter().enumerate().filter(|(_, slot)| !slot.episode.over) {
            let on = slot.own.as_ref().unwrap_or(&self.common);
            let (rules, state) = (on.scenario.rules(), &slot.episode.state);
            let mover = Seat::all(rules.seats()).find(|seat| is_acting(rules, state, *seat));
            let Some(seat) = mover else { continue };
            let mut numbered = Vec::new();
            on.encoding.numbered_actions(state, seat, &mut numbered);
            if numbered.is_empty() {
                return Err(SearchError::Parts);
            }
            let mut rng = streams.address("search", index as u64);
            let mut puct = Puct::new(*options);
            let observation = rules.observe(state, seat);
            puct.begin(rules, &observation, seat, options.simulations, &mut rng);
            let state = state.clone();
            lanes.push(Lane { on: Arc::clone(on), index, state, puct, rng, left: None });
        }
        let rules = self.common.scenario.rules();
        let are_rivals = rules.scoring() == Scoring::Adversarial && rules.seats() > 1;
        Ok(Box::new(BatchSearches {
            layout: self.whole.clone(),
            states: self.slots.len(),
            options: *options,
            rivals: utility_range(rules).filter(|_| are_rivals),
            is_zero_sum: are_rivals && rules.seats() == 2,
            lanes,
            pending: Vec::new(),
            evaluated: 0,
        }))
    }
}

impl<E: Encoding> Lane<E> {
    /// The next positions of this search: one, or as many as are evaluated together.
    fn descend(
        &mut self,
        at_once: u32,
        mut take: impl FnMut(&Instance<E>, Leaf<E::Rules>, Vec<Vec<usize>>),
    ) {
        let numbered = Numbered { encoding: &self.on.encoding, offered: RefCell::default() };
        let rules = self.on.scenario.rules();
        let mut taken = 0;
        while taken < at_once {
            match &mut self.left {
                Some(0) => return,
                Some(left) => *left -= 1,
                // Everything else begins with the root.
                None => taken = at_once,
            }
            let found = self.puct.descend(rules, &numbered, &mut self.rng);
            let mut offered = numbered.offered.take();
            if let Some(leaf) = found {
                // The leaf's own were asked for last.
                let own = offered.split_off(offered.len() - leaf.choices.len());
                take(&self.on, leaf, own);
                taken += 1;
            }
        }
    }
}

impl<E: Encoding> BatchSearches<E> {
    /// A value of the evaluator as a utility.
    fn utility(&self, value: f32) -> f64 {
        let value = f64::from(value);
        self.rivals.map_or(value, |(low, high)| low + (high - low) * (value + 1.0) / 2.0)
    }

    /// A utility as a value of the evaluator.
    fn value(&self, utility: f64) -> f32 {
        let scaled = |(low, high)| 2.0 * (utility - low) / (high - low) - 1.0;
        self.rivals.map_or(utility, scaled) as f32
    }

    /// Fills in what was said about a position.
    fn fill(&self, pending: &mut Pending<E::Rules>, logits: &[f32], values: &[f32]) {
        let actions = self.layout.actions;
        let Pending { leaf, numbers, first_row, is_one_row, .. } = pending;
        for (choice, numbers) in leaf.choices.iter_mut().zip(numbers) {
            let row = if *is_one_row { *first_row } else { *first_row + choice.seat.index() };
            let own = &logits[row * actions..][..actions];
            for (logit, number) in choice.logits.iter_mut().zip(numbers) {
                *logit = own[*number];
            }
        }
        if *is_one_row {
            leaf.values[leaf.choices[0].seat.index()] = self.utility(values[*first_row]);
        } else {
            for (seat, value) in leaf.values.iter_mut().enumerate() {
                *value = self.utility(values[*first_row + seat]);
            }
        }
        if self.is_zero_sum {
            leaf.balance();
        }
    }
}

/// Appends the row of one seat in a position; `numbers` are those of the actions that it has.
fn add_row<E: Encoding>(
    on: &Instance<E>,
    layout: &Layout,
    state: &<E::Rules as Rules>::State,
    seat: Seat,
    numbers: &[usize],
    positions: &mut Positions,
) {
    let Positions { count, board, features, masks } = positions;
    let (of_board, of_features, of_mask) = (board.len(), features.len(), masks.len());
    board.resize(of_board + layout.seat_board_len(), 0);
    features.resize(of_features + layout.features.len(), 0);
    masks.resize(of_mask + layout.actions, 0);
    let mut view = View { board: &mut board[of_board..], features: &mut features[of_features..] };
    on.encoding.write_seat(layout, state, seat, &mut view);
    for number in numbers {
        masks[of_mask + number] = 1;
    }
    *count += 1;
}

impl<E: Encoding> Searches for BatchSearches<E> {
    fn descend(&mut self) -> Positions {
        let mut positions = Positions::default();
        let Self { layout, options, is_zero_sum, lanes, pending, .. } = self;
        for (number, lane) in lanes.iter_mut().enumerate() {
            lane.descend(options.leaves, |on, leaf, numbers| {
                let first_row = positions.count;
                let is_one_row = *is_zero_sum && leaf.choices.len() == 1;
                if is_one_row {
                    let mover = leaf.choices[0].seat;
                    add_row(on, layout, &leaf.state, mover, &numbers[0], &mut positions);
                } else {
                    for seat in Seat::all(layout.seats) {
                        let own = leaf.choices.iter().position(|choice| choice.seat == seat);
                        let own = own.map_or(&[][..], |place| &numbers[place]);
                        add_row(on, layout, &leaf.state, seat, own, &mut positions);
                    }
                }
                pending.push(Pending { lane: number, leaf, numbers, first_row, is_one_row });
            });
        }
        self.evaluated += self.pending.len() as u64;
        positions
    }

    fn back_up(&mut self, logits: &[f32], values: &[f32]) {
        for mut pending in std::mem::take(&mut self.pending) {
            self.fill(&mut pending, logits, values);
            let Pending { lane, leaf, .. } = pending;
            let lane = &mut self.lanes[lane];
            if lane.left.is_none() {
                // Where nobody has a choice, there is nothing to search.
                let is_forced = leaf.choices.iter().all(|choice| choice.actions.len() == 1);
                lane.left = Some(if is_forced { 0 } else { self.options.simulations });
            }
            lane.puct.back_up(leaf, &mut lane.rng);
        }
    }

    fn finish(&self) -> SearchResults {
        let (seats, actions) = (self.layout.seats, self.layout.actions);
        let mut found = SearchResults {
            policy: vec![0.0; self.states * seats * actions],
            value: vec![0.0; self.states * seats],
            action: vec![0; self.states * seats],
            evaluated: self.evaluated,
        };
        for lane in self.lanes.iter().filter(|lane| lane.left.is_some()) {
            let best = lane.puct.best_actions();
            for (policy, best) in lane.puct.policies().into_iter().zip(best) {
                let at = lane.index * seats + policy.seat.index();
                let mut numbered = Vec::new();
                lane.on.encoding.numbered_actions(&lane.state, policy.seat, &mut numbered);
                for (number, action) in numbered {
                    let found_at = policy.actions.iter().position(|known| *known == action);
                    let share = found_at.map_or(0.0, |place| policy.shares[place]);
                    found.policy[at * actions + number] = share as f32;
                    if action == best {
                        found.action[at] = number as i64;
                    }
                }
                found.value[at] = self.value(policy.value);
            }
        }
        found
    }
}
