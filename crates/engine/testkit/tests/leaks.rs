//! Games that tell a player what it must not know, each in a different way: all leaks are found,
//! and the game without a leak passes.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use quintain_core::ui::Scene;
use quintain_core::{
    CellEncoding, Ending, Entry, Environment, Illegal, Layout, Note, Presentation, Rng, Rules,
    Scenario, Scoring, Seat, Turn, parameters,
};
use quintain_testkit::{ConformanceReport, TestEffort, check_game};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the game leaks, if it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leak {
    None,
    /// The rules know the deck of the scenario, which is the same in every match.
    ModelOfFixedDeck,
    /// The same, but wrong about one card.
    ModelOfFixedDeckButOne,
    /// The same, but they use it only half of the time.
    ModelOfFixedDeckByHalf,
    /// The observation contains the deck in its JSON form.
    Observation,
    /// The observation contains the deck, but neither its JSON form nor comparisons include it.
    HiddenField,
    /// The environment leaves the deck in the rules.
    Shared,
    /// The same, and the rules publish it.
    Setting,
    /// A seat that does not move is shown the next card.
    SceneOfWaiting,
    /// A seat that has made a note is shown the next card.
    Annotation,
    /// A byte of a learner's board is the next card.
    Encoding,
    /// Random actions are uniform, but shifted by the next card.
    RandomAction,
    /// The text of actions contains the next card.
    ActionText,
    /// The reason why an action is refused contains the next card.
    Refusal,
    /// There is no model of chance.
    NoModel,
    /// Determinizing after the match reveals the cards that were left.
    End,
}

/// High or low: two seats guess in turn whether the next card is higher than the last one.
#[derive(Clone)]
struct HighLow {
    leak: Leak,
    cards: u8,
    /// Whether a chance turn reveals the card, rather than the guess itself.
    has_chance: bool,
    shared: Arc<Mutex<Vec<u8>>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Position {
    shown: Vec<u8>,
    /// The cards to come, the next one last.
    deck: Vec<u8>,
    /// The last guess, until the card is revealed.
    guess: Option<bool>,
    points: [u32; 2],
}

impl Position {
    fn next(&self) -> u8 {
        self.deck.last().copied().unwrap_or_default()
    }

    fn reveal(&mut self) {
        let Some(card) = self.deck.pop() else { return };
        let last = self.shown.last().copied().unwrap_or_default();
        if let Some(guess) = self.guess.take() {
            let seat = (self.shown.len() + 1) % 2;
            self.points[seat] += u32::from(guess == (card > last));
        }
        self.shown.push(card);
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Seen {
    shown: Vec<u8>,
    guess: Option<bool>,
    points: [u32; 2],
    deck: Vec<u8>,
    #[serde(skip)]
    secret: Vec<u8>,
}

impl PartialEq for Seen {
    fn eq(&self, other: &Seen) -> bool {
        (&self.shown, self.guess, self.points, &self.deck)
            == (&other.shown, other.guess, other.points, &other.deck)
    }
}

/// High or not, and what else the text says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Guess {
    is_high: bool,
    #[serde(skip)]
    hint: u8,
}

impl PartialEq for Guess {
    fn eq(&self, other: &Guess) -> bool {
        self.is_high == other.is_high
    }
}
impl Eq for Guess {}
impl std::hash::Hash for Guess {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.is_high.hash(state);
    }
}
impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u32::from(self.is_high) + 2 * u32::from(self.hint))
    }
}
impl FromStr for Guess {
    type Err = ParseIntError;
    fn from_str(text: &str) -> Result<Guess, ParseIntError> {
        let number: u32 = text.parse()?;
        Ok(Guess { is_high: number % 2 == 1, hint: (number / 2) as u8 })
    }
}

impl HighLow {
    /// The deck of a scenario whose matches are all played with the same deck.
    fn fixed_deck(&self) -> Vec<u8> {
        let mut deck: Vec<u8> = (1..=self.cards).collect();
        Rng::from_seed(7).shuffle(&mut deck);
        deck
    }

    fn count_left(&self, deck: &[u8], shown: &[u8]) -> Vec<u8> {
        deck.iter().copied().filter(|card| !shown.contains(card)).collect()
    }

    fn is_fixed(&self) -> bool {
        matches!(
            self.leak,
            Leak::ModelOfFixedDeck | Leak::ModelOfFixedDeckButOne | Leak::ModelOfFixedDeckByHalf
        )
    }
}

impl Rules for HighLow {
    type State = Position;
    type Action = Guess;
    type Observation = Seen;

    fn seats(&self) -> usize {
        2
    }
    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }
    fn setting(&self) -> Value {
        match self.leak {
            Leak::Setting => self.shared.lock().unwrap().clone().into(),
            _ => Value::Null,
        }
    }
    fn has_chance(&self) -> bool {
        self.has_chance
    }
    fn has_hidden_information(&self) -> bool {
        true
    }
    fn turn(&self, state: &Position) -> Turn {
        if state.deck.is_empty() || (self.leak == Leak::End && state.deck.len() < 4) {
            Turn::Over
        } else if state.guess.is_some() || (state.shown.is_empty() && self.has_chance) {
            Turn::Chance
        } else {
            Turn::Seat(Seat::new(state.shown.len() % 2))
        }
    }
    fn actions(&self, state: &Position, _: Seat, out: &mut Vec<Guess>) {
        let hint = if self.leak == Leak::ActionText { state.next() } else { 0 };
        out.extend([false, true].map(|is_high| Guess { is_high, hint }));
    }
    fn random_action(&self, state: &Position, _: Seat, rng: &mut Rng) -> Guess {
        let shift = if self.leak == Leak::RandomAction { state.next() } else { 0 };
        let hint = if self.leak == Leak::ActionText { state.next() } else { 0 };
        Guess { is_high: (rng.below(2) as u8 + shift) % 2 == 1, hint }
    }
    fn actions_are_all(&self) -> bool {
        self.leak != Leak::Refusal
    }
    fn check(&self, state: &Position, _: Seat, action: &Guess) -> Result<(), Illegal> {
        match self.leak {
            Leak::Refusal if state.deck.len() % 3 == 1 && action.is_high => {
                Err(Illegal::new(format!("the card is {}", state.next())))
            }
            _ => Ok(()),
        }
    }
    fn step(&self, state: &mut Position, joint: &[Guess]) {
        state.guess = Some(joint[0].is_high);
        if !self.has_chance {
            state.reveal();
        }
    }
    fn sample_chance(&self, state: &mut Position, rng: &mut Rng) {
        assert!(self.leak != Leak::NoModel, "write Rules::sample_chance");
        let is_told = self.leak != Leak::ModelOfFixedDeckByHalf || rng.chance(0.5);
        if self.is_fixed() && is_told {
            state.deck = self.count_left(&self.fixed_deck(), &state.shown);
        }
        if self.leak == Leak::ModelOfFixedDeckButOne && state.shown.len() == 5 {
            state.deck.reverse();
        }
        state.reveal();
    }
    fn observe(&self, state: &Position, _: Seat) -> Seen {
        let is_open = self.leak == Leak::Observation;
        let is_secret = self.leak == Leak::HiddenField
            || (self.leak == Leak::End && (state.deck.is_empty() || state.deck.len() < 4));
        Seen {
            shown: state.shown.clone(),
            guess: state.guess,
            points: state.points,
            deck: if is_open { state.deck.clone() } else { Vec::new() },
            secret: if is_secret { state.deck.clone() } else { Vec::new() },
        }
    }
    fn determinize(&self, seen: &Seen, _: Seat, rng: &mut Rng) -> Position {
        let Seen { shown, guess, points, .. } = seen.clone();
        let mut deck: Vec<u8> = (1..=self.cards).filter(|card| !shown.contains(card)).collect();
        rng.shuffle(&mut deck);
        let known = match self.leak {
            Leak::Observation => seen.deck.clone(),
            Leak::HiddenField | Leak::End => seen.secret.clone(),
            Leak::Shared => self.shared.lock().unwrap().clone(),
            _ => Vec::new(),
        };
        if !known.is_empty() {
            deck = self.count_left(&known, &shown);
        }
        Position { shown, deck, guess, points }
    }
    fn score(&self, state: &Position, seat: Seat) -> f64 {
        state.points[seat.index()].into()
    }
    fn ending(&self, _: &Position) -> Ending {
        Ending::new("no more cards")
    }
}

/// Shuffles a deck for every match.
struct Shuffle;

impl Environment<HighLow> for Shuffle {
    fn start(&self, rules: &HighLow, rng: &mut Rng) -> Position {
        let mut deck: Vec<u8> = (1..=rules.cards).collect();
        rng.shuffle(&mut deck);
        if rules.is_fixed() {
            deck = rules.fixed_deck();
        }
        if matches!(rules.leak, Leak::Shared | Leak::Setting) {
            rules.shared.lock().unwrap().clone_from(&deck);
        }
        let mut state = Position { deck, ..Position::default() };
        if !rules.has_chance {
            state.reveal();
        }
        state
    }

    fn apply_chance(&self, rules: &HighLow, state: &mut Position, rng: &mut Rng) {
        match rules.leak {
            Leak::NoModel => rules.sample_chance(state, rng),
            _ => state.reveal(),
        }
    }
}

struct Cards;

impl Presentation<HighLow> for Cards {
    fn scene(&self, rules: &HighLow, state: &Position, observer: Option<Seat>) -> Scene {
        let mut scene = Scene::square(1, 1);
        scene.caption = format!("{:?} {:?}", state.shown, state.points);
        let moves = match rules.turn(state) {
            Turn::Seat(seat) => Some(seat),
            _ => None,
        };
        if rules.leak == Leak::SceneOfWaiting && moves.is_some() && observer != moves {
            scene.caption += &format!(" next {}", state.next());
        }
        scene
    }

    fn annotate(
        &self,
        rules: &HighLow,
        state: &Position,
        notes: &[Note],
        observer: Option<Seat>,
        scene: &mut Scene,
    ) {
        if !notes.is_empty() && (rules.leak == Leak::Annotation || observer.is_none()) {
            scene.caption += &format!(" next {}", state.next());
        }
    }
}

parameters! {
    /// One of many shuffles.
    struct Deck {
        /// The number of the deck, which changes nothing here.
        deck: u64 = 0;
    }
}

fn check(leak: Leak, cards: u8, has_chance: bool) -> ConformanceReport {
    let rules = HighLow { leak, cards, has_chance, shared: Arc::default() };
    let encoding = |rules: &HighLow, _: &Position| {
        let values = u16::from(rules.cards) + 1;
        Ok(CellEncoding {
            rules: rules.clone(),
            layout: Layout::new(2, 2, [1, 2], values),
            action: |_, number| Guess { is_high: number == 1, hint: 0 },
            cell: |rules, state, cell| match cell {
                0 => state.shown.last().copied().unwrap_or_default(),
                _ if rules.leak == Leak::Encoding => state.next(),
                _ => 0,
            },
        })
    };
    let entry = Entry::new("high-low", 1, "guess the next card", "a fixture")
        .scenario("deck", "a shuffled deck", "a fixture", move |_: &mut Deck| {
            Ok(Scenario::new(rules.clone(), Shuffle))
        })
        .instances("deck")
        .presentation(Cards)
        .encoding_with("cards", encoding, quintain_batch::batches);
    check_game(entry, &TestEffort::default())
}

/// Asserts that the leak is found and that its description contains this text.
fn assert_found(leak: Leak, cards: u8, has_chance: bool, words: &str) {
    let ConformanceReport { failures, .. } = check(leak, cards, has_chance);
    let is_found = failures.iter().any(|failure| failure.contains(words));
    let first = failures.first();
    assert!(is_found, "{leak:?}, {cards} cards, chance {has_chance}: not “{words}”, but {first:?}");
}

#[test]
fn a_game_without_leaks_passes() {
    for has_chance in [true, false] {
        for cards in [3, 13, 29, 52] {
            let report = check(Leak::None, cards, has_chance);
            assert_eq!(report.failures, Vec::<String>::new(), "{cards} cards, {has_chance}");
            assert_eq!(report.unjudged, Vec::<String>::new());
        }
    }
}

#[test]
fn a_clairvoyant_model_fails_even_in_short_matches() {
    assert_found(Leak::ModelOfFixedDeck, 13, true, "players can draw the true future");
    assert_found(Leak::ModelOfFixedDeck, 5, true, "players can draw the true future");
    assert_found(Leak::Observation, 13, true, "players can draw the true future");
    assert_found(Leak::Shared, 13, true, "it knows what is not seen");
}

#[test]
fn a_mostly_clairvoyant_model_fails() {
    assert_found(Leak::ModelOfFixedDeckButOne, 29, true, "players can draw the true future");
    assert_found(Leak::ModelOfFixedDeckByHalf, 29, true, "players can draw the true future");
}

#[test]
fn true_determinized_positions_fail_without_chance() {
    assert_found(Leak::Observation, 13, false, "every determinized position is the true one");
    assert_found(Leak::HiddenField, 13, false, "holds what its JSON form does not show");
    assert_found(Leak::End, 13, false, "at the end: seat 0: the observation holds what its JSON");
}

#[test]
fn rules_that_know_the_match_fail() {
    assert_found(Leak::Shared, 13, true, "changes when another match begins");
    assert_found(Leak::Shared, 13, false, "changes when another match begins");
    assert_found(Leak::Setting, 13, true, "the setting tells something of the match");
}

#[test]
fn leaking_drawings_fail() {
    for has_chance in [true, false] {
        assert_found(
            Leak::SceneOfWaiting,
            13,
            has_chance,
            "the drawing shows what the seat cannot",
        );
        assert_found(Leak::Annotation, 13, has_chance, "the drawing of its notes shows");
    }
}

#[test]
fn leaking_encodings_fail() {
    assert_found(Leak::Encoding, 13, false, "is written what it cannot see");
}

#[test]
fn leaking_actions_fail() {
    for has_chance in [true, false] {
        assert_found(Leak::RandomAction, 13, has_chance, "a random action tells");
        assert_found(Leak::ActionText, 13, has_chance, "the offered actions tell");
    }
    assert_found(Leak::Refusal, 13, false, "is accepted, or why not");
}

#[test]
fn chance_without_a_model_is_reported() {
    assert_found(Leak::NoModel, 13, true, "write Rules::sample_chance");
}

#[test]
fn too_few_chance_events_are_reported() {
    let report = check(Leak::None, 1, true);
    assert!(report.unjudged[0].contains("too few chance events"), "{:?}", report.unjudged);
}
