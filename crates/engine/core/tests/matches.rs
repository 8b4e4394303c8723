//! The match loop, records and the catalog, tested on a tiny game: two seats take turns to take one
//! to three matches from a heap, and the one who takes the last match wins.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quintain_core::parameters::NoParameters;
use quintain_core::ui::Scene;
use quintain_core::{
    Answer, AnyEntry, AnyMatch, Budget, BuildError, Catalog, CellEncoding, Decision, Description,
    Ending, Entry, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind, Illegal,
    KeptNotes, Layout, Match, MatchStart, Note, NumberedAnswer, NumberedQuestion, Parameters,
    Player, PlayerHandle, Presentation, Question, Record, RecordError, Rng, Rules, Scenario,
    Scoring, Seat, Setup, ThinkingClock, Turn, parameters, replay,
};
use serde_json::Value;

/// Nim: take one to three from a heap; the seat that takes the last one wins.
#[derive(Clone, Debug)]
struct Nim {
    heap: u32,
}

type Position = (u32, u32);

#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Debug,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
struct Take(u32);

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Take {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Take)
    }
}

impl Rules for Nim {
    type State = Position;
    type Action = Take;
    type Observation = Position;

    fn seats(&self) -> usize {
        2
    }
    fn scoring(&self) -> Scoring {
        Scoring::Adversarial
    }
    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }
    fn turn(&self, (left, turn): &Position) -> Turn {
        if *left == 0 { Turn::Over } else { Turn::Seat(Seat::new(*turn as usize % 2)) }
    }
    fn actions(&self, (left, _): &Position, _seat: Seat, out: &mut Vec<Take>) {
        out.extend((1..=3.min(*left)).map(Take));
    }
    fn check(&self, (left, _): &Position, _seat: Seat, take: &Take) -> Result<(), Illegal> {
        if (1..=3.min(*left)).contains(&take.0) {
            return Ok(());
        }
        Err(Illegal::new(format!("{take} cannot be taken from {left}")))
    }
    fn step(&self, state: &mut Position, joint: &[Take]) {
        state.0 -= joint[0].0;
        state.1 += 1;
    }
    fn observe(&self, state: &Position, _seat: Seat) -> Position {
        *state
    }
    fn determinize(&self, seen: &Position, _seat: Seat, _rng: &mut Rng) -> Position {
        *seen
    }
    fn score(&self, (left, turn): &Position, seat: Seat) -> f64 {
        if *left > 0 {
            return 0.5;
        }
        f64::from(u8::from((*turn as usize + 1) % 2 == seat.index()))
    }
    fn ending(&self, _: &Position) -> Ending {
        Ending::new("heap empty")
    }
    fn forfeit(&self, _: &Position, seat: Seat) -> Vec<f64> {
        Seat::all(2).map(|other| f64::from(u8::from(other != seat))).collect()
    }
}

struct NimPresentation;

impl Presentation<Nim> for NimPresentation {
    fn scene(&self, _: &Nim, _: &Position, _eye: Option<Seat>) -> Scene {
        Scene::square(1, 1)
    }
    fn annotate(&self, _: &Nim, _: &Position, notes: &[Note], _: Option<Seat>, scene: &mut Scene) {
        for note in notes {
            scene.caption += &format!("turn {}: {} {}", note.turn, note.name, note.value);
        }
    }
}

fn heap_of(heap: u32) -> Scenario<Nim> {
    Scenario::new(Nim { heap }, |rules: &Nim, _: &mut Rng| (rules.heap, 0))
}

parameters! {
    /// A heap of a size.
    struct Heap {
        /// Matches on the heap.
        size: u32 = 10, in 1..=1000;
    }
}

/// A player made of a function.
struct Does<F>(F);

impl<F> Player<Nim> for Does<F>
where
    F: FnMut(&mut Decision<'_, Nim>) -> Result<Take, Fault> + Send,
{
    fn decide(&mut self, decision: &mut Decision<'_, Nim>) -> Result<Take, Fault> {
        (self.0)(decision)
    }
}

fn entry() -> Entry<Nim> {
    fn does<F>(
        make: fn() -> F,
    ) -> impl Fn(&Nim, &NoParameters) -> Result<Box<dyn Player<Nim>>, BuildError>
    where
        F: FnMut(&mut Decision<'_, Nim>) -> Result<Take, Fault> + Send + 'static,
    {
        move |_, _| Ok(Box::new(Does(make())))
    }
    Entry::new("nim", 3, "take one to three", "Bouton 1901")
        .scenario("heap", "one heap", "", |heap: &mut Heap| Ok(heap_of(heap.size)))
        .presentation(NimPresentation)
        .player(
            Description { name: "random", version: 1, summary: "", source: "" },
            does(|| |d: &mut Decision<'_, Nim>| Ok(d.random_action())),
        )
        .player(
            Description { name: "perfect", version: 2, summary: "", source: "" },
            does(|| {
                |d: &mut Decision<'_, Nim>| {
                    let (left, _) = d.observation();
                    d.note("left", f64::from(left));
                    Ok(Take(if left % 4 == 0 { 1 } else { left % 4 }))
                }
            }),
        )
        .player(
            Description { name: "greedy", version: 1, summary: "takes too much", source: "" },
            does(|| |_: &mut Decision<'_, Nim>| Ok(Take(4))),
        )
        .player(
            Description { name: "panics", version: 1, summary: "", source: "" },
            does(|| {
                |_: &mut Decision<'_, Nim>| -> Result<Take, Fault> { panic!("no idea\nat all") }
            }),
        )
        .player(
            Description { name: "slow", version: 1, summary: "", source: "" },
            does(|| {
                |d: &mut Decision<'_, Nim>| {
                    let mut meter = d.meter(quintain_core::Unit::Nodes, 1);
                    while meter.deadline().is_some() && !meter.is_spent() {}
                    // Measured by the thinking clock, since waits for a core do not count as
                    // thinking.
                    let thinking = ThinkingClock::start();
                    while d.time_left().is_some()
                        && d.turn() > 1
                        && thinking.elapsed() < Duration::from_millis(30)
                    {}
                    Ok(Take(1))
                }
            }),
        )
        .player(
            Description { name: "pauses", version: 1, summary: "", source: "" },
            does(|| {
                |_: &mut Decision<'_, Nim>| {
                    static PAUSED: AtomicBool = AtomicBool::new(false);
                    if !PAUSED.swap(true, Ordering::Relaxed) {
                        pause_this_process();
                    }
                    Ok(Take(1))
                }
            }),
        )
        .player(
            Description { name: "refuses", version: 1, summary: "", source: "" },
            |_: &Nim, _: &NoParameters| Err("heaps bore it".into()),
        )
        .showcase("heap", ["perfect", "random"])
}

/// Stops this process for more than a second, as Ctrl-Z and `fg` do.
fn pause_this_process() {
    let stop_and_go = "kill -STOP $PPID; sleep 1.6; kill -CONT $PPID";
    std::process::Command::new("sh").args(["-c", stop_and_go]).status().unwrap();
}

fn catalog() -> Catalog {
    Catalog::new().with(entry())
}

fn record_of(scenario: &str, players: [&str; 2], setup: &Setup) -> Record {
    let catalog = catalog();
    let game = catalog.game("nim", scenario).unwrap();
    let seated: Vec<PlayerHandle> =
        players.iter().map(|player| catalog.player("nim", player).unwrap()).collect();
    game.play(setup, &seated.iter().collect::<Vec<_>>(), None).unwrap()
}

fn fault_of(player: &str, setup: &Setup) -> Fault {
    let record = record_of("heap", ["perfect", player], setup);
    assert_eq!(record.outcome.scores, [1.0, 0.0], "the other seat wins");
    assert_eq!(record.outcome.ending, "forfeit");
    let fault = record.outcome.fault.clone().unwrap();
    assert_eq!(fault.seat, Seat::new(1));
    catalog().verify(&record).unwrap();
    fault.fault
}

#[test]
fn perfect_play_wins_from_ten() {
    for seed in 0..20 {
        let record = record_of("heap", ["perfect", "random"], &Setup::new(seed));
        assert_eq!(record.outcome.scores, [1.0, 0.0]);
        assert_eq!(record.outcome.ending, "heap empty");
    }
}

#[test]
fn illegal_actions_forfeit_with_the_reason() {
    let fault = fault_of("greedy", &Setup::default());
    assert_eq!(fault.kind, FaultKind::Illegal);
    assert_eq!(fault.detail, "turn 1: 4 cannot be taken from 8");
}

#[test]
fn panics_forfeit_with_their_first_line() {
    std::panic::set_hook(Box::new(|_| {}));
    let fault = fault_of("panics", &Setup::default());
    assert_eq!((fault.kind, fault.detail.as_str()), (FaultKind::Panic, "no idea"));
}

#[test]
fn overrunning_the_match_time_forfeits() {
    let budget = Budget { per_match: Some(Duration::from_millis(4)), ..Budget::default() };
    let fault = fault_of("slow", &Setup::default().with_budget(budget));
    assert_eq!(fault.kind, FaultKind::Timeout);
}

#[test]
fn notes_are_kept_on_request() {
    let setup = Setup::default().with_notes(true);
    let record = record_of("heap?size=3", ["perfect", "random"], &setup);
    assert_eq!(record.notes.len(), 1);
    assert_eq!((record.notes[0].name.as_str(), record.notes[0].value), ("left", 3.0));
    assert!(record_of("heap", ["perfect", "random"], &Setup::default()).notes.is_empty());
}

#[test]
fn kept_notes_last_keeps_one_turn() {
    let kept = |players: [&str; 2], notes: KeptNotes| {
        let record = record_of("heap?size=5", players, &Setup::default().with_notes(notes));
        let noted = record.notes.iter().map(|note| (note.turn, note.value)).collect::<Vec<_>>();
        (record.actions, noted)
    };
    let perfect = ["perfect", "perfect"];
    let (actions, notes) = kept(perfect, KeptNotes::All);
    assert_eq!(notes, [(0, 5.0), (1, 4.0), (2, 3.0)]);
    assert_eq!(kept(perfect, KeptNotes::Last), (actions, vec![(2, 3.0)]));
    // The turn on which a player fails leads to no position.
    assert_eq!(kept(["perfect", "greedy"], KeptNotes::Last).1, [(0, 5.0)]);
}

#[test]
fn drawings_show_the_last_turns_notes_and_seats_see_their_own() {
    let entry = Arc::new(entry());
    let game = AnyEntry::game(&entry, "heap?size=5").unwrap();
    let players = ["perfect", "perfect"].map(|name| AnyEntry::player(&entry, name).unwrap());
    let setup = Setup::default().with_notes(true);
    let caption = |state: &dyn AnyMatch| {
        let seen = [None, Some(Seat::new(0)), Some(Seat::new(1))];
        seen.map(|observer| state.scene(observer).caption)
    };
    let mut shown = Vec::new();
    let mut watch = |state: &dyn AnyMatch| shown.push(caption(state));
    let record = game.play(&setup, &[&players[0], &players[1]], Some(&mut watch)).unwrap();
    let captions_of = |text: &str, seat: usize| {
        let own = |observer| if observer == seat { text.to_owned() } else { String::new() };
        [text.to_owned(), own(0), own(1)]
    };
    let [first, second] = [captions_of("turn 0: left 5", 0), captions_of("turn 1: left 4", 1)];
    let third = captions_of("turn 2: left 3", 0);
    assert_eq!(shown, [[(); 3].map(|()| String::new()), first, second, third]);
    let mut again = Vec::new();
    replay(game.as_ref(), &record, &mut |state, _| again.push(caption(state))).unwrap();
    assert_eq!(again, shown);

    let setup = Setup::default().with_notes(KeptNotes::Last);
    let mut captions = Vec::new();
    let mut watch = |state: &dyn AnyMatch| captions.push(caption(state));
    let record = game.play(&setup, &[&players[0], &players[1]], Some(&mut watch)).unwrap();
    assert_eq!(captions, shown);
    let last = replay(game.as_ref(), &record, &mut |_, _| {}).unwrap();
    assert_eq!(Some(caption(last.as_ref())), shown.pop());
}

#[test]
fn a_fixtures_id_is_the_hash_of_its_content() {
    let seeded = |seed| record_of("heap", ["perfect", "random"], &Setup::new(seed));
    assert_eq!(seeded(1).id, seeded(1).id);
    assert_ne!(seeded(1).id, seeded(2).id);
    assert_ne!(seeded(1).id, record_of("heap?size=9", ["perfect", "random"], &Setup::new(1)).id);
    assert_eq!(seeded(1).fixture.versions.players, [2, 1]);
    assert_eq!(seeded(1).fixture.versions.game, 3);
}

#[test]
fn explicit_defaults_make_the_same_fixture() {
    let plain = record_of("heap", ["perfect", "random"], &Setup::default());
    let written = record_of("nim:heap?size=10", ["nim/perfect", "random"], &Setup::default());
    assert_eq!(plain, written);
}

#[test]
fn changing_any_byte_of_a_record_is_detected() {
    let text = record_of("heap?size=6", ["perfect", "random"], &Setup::default()).to_json();
    let catalog = catalog();
    for place in 0..text.len() {
        for new in [b'7', b'"', b'x'] {
            let mut bytes = text.clone().into_bytes();
            if bytes[place] == new {
                continue;
            }
            bytes[place] = new;
            let changed = String::from_utf8(bytes).unwrap();
            let trusted =
                Record::from_json(&changed).is_ok_and(|read| catalog.verify(&read).is_ok());
            assert!(!trusted, "byte {place} as {}: {changed}", char::from(new));
        }
    }
}

#[test]
fn records_of_other_formats_are_refused() {
    let text = record_of("heap", ["perfect", "random"], &Setup::default()).to_json();
    let newer = text.replace("\"format\":1", "\"format\":99");
    assert_eq!(Record::from_json(&newer), Err(RecordError::Format { found: 99 }));
}

#[test]
fn records_of_other_rule_versions_are_refused() {
    let mut record = record_of("heap", ["perfect", "random"], &Setup::default());
    record.fixture.versions.game = 2;
    let message = catalog().verify(&record).unwrap_err().to_string();
    let expected = "played by version 2 of nim's rules; these are version 3";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_forged_record_does_not_replay() {
    let honest = record_of("heap", ["perfect", "random"], &Setup::default());
    let verify = |change: fn(&mut Record)| {
        let mut forged = honest.clone();
        change(&mut forged);
        catalog().verify(&forged).unwrap_err()
    };
    assert!(matches!(verify(|r| r.outcome.scores.reverse()), RecordError::Outcome { .. }));
    assert!(matches!(verify(|r| r.actions.push_str(" 1")), RecordError::Length { .. }));
    assert!(matches!(verify(|r| r.actions.truncate(1)), RecordError::Length { .. }));
    assert!(matches!(
        verify(|r| r.actions.replace_range(0..1, "9")),
        RecordError::Action { turn: 0, .. }
    ));
    assert!(matches!(verify(|r| r.fixture.game = "nymph".into()), RecordError::Unplayable { .. }));
}

#[test]
fn a_built_in_player_does_not_fail_as_only_a_program_or_a_clock_can_make_it() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut forged = record_of("heap", ["panics", "random"], &Setup::default());
    let catalog = catalog();
    let mut verify = |kind, budget: Budget, player: &str| {
        forged.outcome.fault.as_mut().unwrap().fault.kind = kind;
        forged.fixture.budget = budget;
        forged.fixture.seats[0] = player.to_owned();
        catalog.verify(&forged).map_err(|error| error.to_string())
    };
    let (nodes, each) = (Budget::nodes(500), Budget::time(Duration::from_millis(20)));
    let whole = Budget { per_match: Some(Duration::from_millis(4)), ..nodes };
    for budget in [nodes, each, Budget::default()] {
        let refused = verify(FaultKind::Timeout, budget, "perfect").unwrap_err();
        assert!(refused.contains("perfect cannot fail by timeout"), "{refused}");
    }
    let refused = verify(FaultKind::Crash, whole, "perfect").unwrap_err();
    assert!(refused.contains("perfect cannot fail by crash"), "{refused}");
    verify(FaultKind::Timeout, whole, "perfect").unwrap();
    verify(FaultKind::Panic, nodes, "perfect").unwrap();
    verify(FaultKind::Timeout, nodes, "bot:mine").unwrap();
}

#[test]
fn unknown_names_suggest_near_ones() {
    let catalog = catalog();
    let error_of = |game, scenario| catalog.game(game, scenario).map(drop).unwrap_err().to_string();
    assert_eq!(error_of("nmi", "heap"), "unknown game “nmi”; did you mean “nim”?");
    assert_eq!(error_of("nim", "heep"), "unknown nim scenario “heep”; did you mean “heap”?");
    assert_eq!(
        error_of("nim", "heap?sise=3"),
        "scenario nim:heap?sise=3: unknown parameter “sise”; did you mean “size”?"
    );
    assert_eq!(
        error_of("nim", "heap?size=0"),
        "scenario nim:heap?size=0: parameter size=0: expected from 1 to 1000"
    );
    let player = catalog.player("nim", "perfekt").map(drop).unwrap_err().to_string();
    assert_eq!(player, "unknown nim player “perfekt”; did you mean “perfect”?");
}

#[test]
fn players_can_refuse_a_game() {
    let catalog = catalog();
    let game = catalog.game("nim", "heap").unwrap();
    let seated = catalog.player("nim", "refuses").unwrap();
    let message = game.play(&Setup::default(), &[&seated, &seated], None).unwrap_err().to_string();
    assert_eq!(message, "player refuses at nim:heap: heaps bore it");
    let alone = game.play(&Setup::default(), &[&seated], None).unwrap_err().to_string();
    assert_eq!(alone, "nim:heap has 2 seats, but 1 player was given");
}

#[test]
fn a_finished_match_refuses_actions() {
    let mut over = Match::new(heap_of(1), 0);
    over.play(&[Take(1)]).unwrap();
    assert!(over.is_over());
    assert!(over.play(&[Take(1)]).is_err());
}

/// Always gives this answer.
struct Says(Value);

impl ExternalPlayer for Says {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        assert_eq!(setting, &Value::Null);
        assert_eq!((match_start.game.as_str(), match_start.seats), ("nim", 2));
        Ok(())
    }
    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        assert!(question.actions.contains(&"1".to_owned()));
        assert!(question.observation.is_array());
        Ok(self.0.clone().into())
    }
}

struct Sayings;

impl ExternalSource for Sayings {
    fn prefix(&self) -> &str {
        "says"
    }
    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }
    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let text = spec.strip_prefix("says:").unwrap();
        Ok(Box::new(Says(serde_json::from_str(text).map_err(|error| error.to_string())?)))
    }
}

#[test]
fn external_players_answer_in_json() {
    let catalog = catalog().with_external(Arc::new(Sayings));
    let game = catalog.game("nim", "heap").unwrap();
    let play = |says: &str| {
        let seated = catalog.player("nim", says).unwrap();
        game.play(&Setup::default(), &[&seated, &seated], None).unwrap().outcome
    };
    // Ten matches taken one by one: seat 1 takes the last.
    assert_eq!(play("says:1").scores, [0.0, 1.0]);
    assert_eq!(play("says:\"1\"").scores, [0.0, 1.0]);
    let fault = play("says:{}").fault.unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert!(fault.detail.starts_with("{} is not an action"), "{}", fault.detail);
}

#[test]
fn whether_an_action_is_legal_follows_from_what_a_seat_sees() {
    let game = catalog().game("nim", "heap").unwrap();
    let seen = game.begin(1).observation(Seat::new(0));
    let check = |action: Value| game.check(&seen, Seat::new(0), &action).map_err(|e| e.to_string());
    assert_eq!(check("2".into()), Ok(()));
    assert_eq!(check(2.into()), Ok(()));
    assert!(check("4".into()).is_err());
    let unreadable = check("two".into()).unwrap_err();
    assert!(unreadable.contains("“two”") || unreadable.contains("\"two\""), "{unreadable}");
    let elsewhere = game.check(&Value::Null, Seat::new(0), &"1".into()).unwrap_err();
    assert!(elsewhere.to_string().starts_with("this is not an observation of the game: "));
}

/// Cannot reach what it depends on.
struct Unreachable;

impl ExternalPlayer for Unreachable {
    fn start(&mut self, _: &MatchStart, _: &Value) -> Result<(), Fault> {
        Ok(())
    }
    fn answer(&mut self, _: &Question) -> Result<Answer, Fault> {
        Err(Fault::new(FaultKind::Outage, "the server is down"))
    }
}

struct Outages;

impl ExternalSource for Outages {
    fn prefix(&self) -> &str {
        "remote"
    }
    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }
    fn open(&self, _: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Ok(Box::new(Unreachable))
    }
}

#[test]
fn a_match_in_which_a_player_cannot_reach_what_it_depends_on_is_void() {
    let catalog = catalog().with_external(Arc::new(Outages));
    let game = catalog.game("nim", "heap").unwrap();
    let seated = catalog.player("nim", "remote:one").unwrap();
    let void = game.play(&Setup::default(), &[&seated, &seated], None).unwrap_err();
    assert_eq!(void.to_string(), "no result: remote:one: outage: the server is down");
    let forfeiting = |seat| Setup::default().with_forfeiting(vec![Seat::new(seat)]);
    let other = game.play(&forfeiting(1), &[&seated, &seated], None).unwrap_err();
    assert_eq!(other.to_string(), void.to_string());
    let lost = game.play(&forfeiting(0), &[&seated, &seated], None).unwrap().outcome;
    assert_eq!(lost.fault.map(|fault| fault.seat), Some(Seat::new(0)));
}

#[test]
fn the_text_of_a_fault_is_cut() {
    let fault = Fault::new(FaultKind::Protocol, "x".repeat(990_000));
    assert_eq!(fault.detail.chars().count(), 2001);
}

#[test]
fn player_parameters_are_listed_from_their_declaration() {
    assert_eq!(Heap::list()[0].doc, "Matches on the heap.");
    let catalog = catalog();
    let scenarios = catalog.entry("nim").unwrap().scenarios();
    assert_eq!(scenarios[0].parameters, Heap::list());
}

#[test]
fn check_game_names_faulty_players() {
    std::panic::set_hook(Box::new(|_| {}));
    let report = quintain_testkit::check_game(entry(), &quintain_testkit::TestEffort::default());
    assert!(report.checks > 100);
    let failures = report.failures.join("\n");
    assert!(failures.contains("greedy seed 0: Some(SeatFault"), "{failures}");
    assert!(failures.contains("panics"), "{failures}");
    assert!(!failures.contains("perfect") && !failures.contains("random seed"), "{failures}");
}

/// Nim as learners see it.
fn encoded() -> Entry<Nim> {
    entry().encoding("heap", |rules: &Nim, _: &Position| {
        Ok(CellEncoding {
            rules: rules.clone(),
            layout: Layout::new(2, 3, [1, 1], 256),
            action: |_, number| Take(number as u32 + 1),
            cell: |_, (left, _), _| *left as u8,
        })
    })
}

/// Takes the action with this number, whatever it sees.
struct Counts(usize);

impl ExternalPlayer for Counts {
    fn start(&mut self, _: &MatchStart, _: &Value) -> Result<(), Fault> {
        Ok(())
    }
    fn answer(&mut self, _: &Question) -> Result<Answer, Fault> {
        unreachable!("it is asked in numbers")
    }
    fn answer_by_number(&mut self, asked: &NumberedQuestion<'_>) -> Result<NumberedAnswer, Fault> {
        let left = asked.board[0];
        assert_eq!((asked.sides, asked.features.len()), ([1, 1], 0));
        let mask: Vec<u8> = (1..=3).map(|take| (take <= left).into()).collect();
        assert_eq!(asked.mask, mask);
        Ok(NumberedAnswer { number: self.0, ..NumberedAnswer::default() })
    }
}

struct Numbers;

impl ExternalSource for Numbers {
    fn prefix(&self) -> &str {
        "number"
    }
    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }
    fn is_numbered(&self, _spec: &str) -> bool {
        true
    }
    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Ok(Box::new(Counts(spec.strip_prefix("number:").unwrap().parse().unwrap())))
    }
}

#[test]
fn external_players_are_asked_in_numbers() {
    let catalog = Catalog::new().with(encoded()).with_external(Arc::new(Numbers));
    let game = catalog.game("nim", "heap").unwrap();
    let play = |player: &str| {
        let seated = catalog.player("nim", player).unwrap();
        game.accepts(&seated).unwrap();
        game.play(&Setup::default(), &[&seated, &seated], None).unwrap().outcome
    };
    // Ten matches taken one by one: seat 1 takes the last. Taken by threes, one is left for the
    // fourth move.
    assert_eq!(play("number:0").scores, [0.0, 1.0]);
    let fault = play("number:2").fault.unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Illegal);
    assert_eq!(fault.detail, "turn 3: action 2 is not legal here");
    assert_eq!(play("number:3").fault.unwrap().fault.kind, FaultKind::Protocol);
    // Without an encoding, the player is refused before anything is played.
    let bare = Catalog::new().with(entry()).with_external(Arc::new(Numbers));
    let seated = bare.player("nim", "number:0").unwrap();
    let message = bare.game("nim", "heap").unwrap().accepts(&seated).unwrap_err().to_string();
    assert!(
        message.ends_with("it works with numbers, but the actions of this game have none"),
        "{message}"
    );
}

#[test]
fn missing_and_unknown_encodings_are_reported_in_one_line() {
    let hook = |entry: Entry<Nim>, encoding: Option<&str>| {
        AnyEntry::encoding_hook(&Arc::new(entry), encoding).map(drop).unwrap_err().to_string()
    };
    let none = "nim has no encoding for learners; register one on its entry";
    assert_eq!(hook(entry(), None), none);
    let unknown = "unknown nim encoding “heep”; did you mean “heap”?";
    assert_eq!(hook(encoded(), Some("heep")), unknown);
    assert!(hook(encoded(), None).contains("encoding heap is not for batches"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_match_paused_while_its_clock_ran_is_replayed() {
    let game = catalog().game("nim", "heap").unwrap();
    let [pauses, random] = ["pauses", "random"].map(|name| catalog().player("nim", name).unwrap());
    let setup = Setup::new(1).with_budget("match=800ms".parse().unwrap());
    let record = game.play(&setup, &[&pauses, &random], None).unwrap();
    assert_eq!(record.outcome.fault, None);
}
