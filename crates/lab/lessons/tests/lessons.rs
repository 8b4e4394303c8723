//! Lessons of real matches: what is taught is a mistake, and the player repeats it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{
    Answer, Budget, Catalog, Effort, ExternalError, ExternalPlayer, ExternalSource, Fault,
    FaultKind, MatchStart, PlayerHandle, Question, Record, Seat, SeatFault, Setup,
};
use quintain_lessons::{Attempt, Lesson, LessonError, Losses, Taught, Teacher, attempt, find_loss};
use quintain_play::{Analyst, Continuation};

/// Six by six free cells: exact values from the first turn.
const SMALL: &str = "empty?width=8&height=8";

fn budget() -> Budget {
    Budget { iterations: Some(20), ..Budget::nodes(100) }
}

/// What a game's strong player makes of a match.
fn teach(
    catalog: &Catalog,
    record: &Record,
    seat: usize,
    player: &PlayerHandle,
) -> Result<Taught, LessonError> {
    let judge = catalog.player(&record.fixture.game, "champion").unwrap();
    let teacher = Teacher {
        catalog,
        judge: &judge,
        budget: budget(),
        nodes: 3_000_000,
        stop: None,
        stop_checks: None,
        until: None,
    };
    teacher.teach(record, Seat::new(seat), player)
}

/// The first lesson from losses of a player on a scenario.
fn first_lesson(catalog: &Catalog, scenario: &str, player: &str) -> (Taught, PlayerHandle) {
    let game = catalog.game("tron", scenario).unwrap();
    let player = catalog.player("tron", player).unwrap();
    let setup = Setup::new(1).with_budget(budget());
    let mut found = None;
    find_loss(catalog, game.as_ref(), &player, &setup, Some("champion"), &mut |record, seat| {
        found = teach(catalog, record, seat.index(), &player).ok();
        found.is_none()
    })
    .unwrap();
    (found.expect("one of the losses gives a lesson"), player)
}

#[test]
fn a_lost_match_becomes_a_small_board_on_which_the_mistake_is_repeated() {
    let catalog = quintain_games::catalog();
    let (taught, player) = first_lesson(&catalog, SMALL, "space");
    let lesson = &taught.lesson;
    assert!(lesson.verified.exact);
    let board = lesson.files[0].join("\n");
    let cells: usize = board.lines().map(str::len).sum();
    assert!(cells < 8 * 8, "it has become smaller:\n{board}");
    let state = lesson.position(&catalog).unwrap();
    assert_eq!(state.turn(), 0);
    assert!(matches!(attempt(&catalog, &player, lesson).unwrap(), Attempt::Failed { .. }));
    let champion = catalog.player("tron", "champion").unwrap();
    let answer = attempt(&catalog, &champion, lesson).unwrap();
    assert!(matches!(answer, Attempt::Passed { .. }), "{answer:?}: {}", lesson.sentence);
    assert!(lesson.sentence.contains("is to decide"), "{}", lesson.sentence);
}

#[test]
fn a_lesson_is_the_same_after_it_was_written_and_names_no_player_of_the_match() {
    let catalog = quintain_games::catalog();
    let (taught, _) = first_lesson(&catalog, SMALL, "space");
    let folder = tempfile::tempdir().unwrap();
    let file = quintain_lessons::next_file(folder.path());
    let text = taught.lesson.to_json();
    std::fs::write(&file, &text).unwrap();
    assert_eq!(Lesson::read(&file).unwrap(), taught.lesson);
    assert!(!text.contains("space"), "{text}");
    assert_eq!(quintain_lessons::lesson_files(folder.path()).unwrap(), std::slice::from_ref(&file));
    assert!(quintain_lessons::next_file(folder.path()).ends_with("0002.json"));
    std::fs::write(&file, text.replace("\"format\": 1", "\"format\": 99")).unwrap();
    let refused = Lesson::read(&file).unwrap_err().to_string();
    assert!(refused.ends_with("lesson format 99, but this version reads formats up to 1"));
}

/// The lesson of a match that a player plays at every seat, on seed 1.
fn lesson_alone(catalog: &Catalog, game: &str, scenario: &str, player: &str) -> Lesson {
    let bound = catalog.game(game, scenario).unwrap();
    let player = catalog.player(game, player).unwrap();
    let setup = Setup::new(1).with_budget(budget());
    let record = bound.play(&setup, &vec![&player; bound.seats()], None).unwrap();
    let lesson = teach(catalog, &record, 0, &player).unwrap().lesson;
    let answer = attempt(catalog, &player, &lesson).unwrap();
    assert!(matches!(answer, Attempt::Failed { .. }), "{answer:?}: {}", lesson.sentence);
    lesson
}

#[test]
fn without_rivals_the_lesson_is_a_decision_whose_alternative_gains_on_the_same_seed() {
    let catalog = quintain_games::catalog();
    let lesson = lesson_alone(&catalog, "polymer", "L08_s01", "greedy");
    assert!(lesson.verified.better > lesson.verified.mistake, "{}", lesson.sentence);
    assert!(lesson.sentence.starts_with(&format!("{} instead of ", lesson.better[0])));
    let before = lesson.actions.split(' ').count();
    assert_eq!(lesson.position(&catalog).unwrap().turn() as usize, before);
}

/// The first lesson of matches of gather that a player plays at both seats.
fn lesson_together(catalog: &Catalog, player: &str) -> Option<Lesson> {
    let game = catalog.game("gather", "torus?width=7&height=7&players=2").unwrap();
    let player = catalog.player("gather", player).unwrap();
    (1..=3).find_map(|seed| {
        let setup = Setup::new(seed).with_budget(budget());
        let record = game.play(&setup, &vec![&player; game.seats()], None).unwrap();
        teach(catalog, &record, 0, &player).ok().map(|taught| taught.lesson)
    })
}

#[test]
fn where_nobody_knows_the_start_a_mistake_costs_something_on_average() {
    let catalog = quintain_games::catalog();
    let lesson = lesson_together(&catalog, "random").expect("one of the matches has a mistake");
    assert!(lesson.verified.continuations >= 8, "{}", lesson.verified.continuations);
    assert!(lesson.verified.better < lesson.verified.mistake, "{}", lesson.sentence);
    assert!(lesson.sentence.contains("continuations that look the same"), "{}", lesson.sentence);
    let who = format!("{} is to decide. {} instead of ", lesson.seat.letter(), lesson.better[0]);
    assert!(lesson.sentence.starts_with(&who), "{}", lesson.sentence);
}

#[test]
fn whoever_misses_nothing_alone_is_told_so() {
    let catalog = quintain_games::catalog();
    let game = catalog.game("polymer", "random?width=2&height=2&n=2").unwrap();
    let player = catalog.player("polymer", "greedy").unwrap();
    let record = game.play(&Setup::new(1).with_budget(budget()), &[&player], None).unwrap();
    let refusal = teach(&catalog, &record, 0, &player).unwrap_err().to_string();
    assert!(
        refusal.contains("sees no other decision of greedy that would have gained"),
        "{refusal}"
    );
}

#[test]
fn with_three_or_four_players_a_lesson_keeps_the_match_up_to_the_decision() {
    let catalog = quintain_games::catalog();
    for players in [3, 4] {
        let scenario = format!("empty?players={players}&width=9&height=9&symmetry=none");
        let game = catalog.game("tron", &scenario).unwrap();
        let player = catalog.player("tron", "greedy").unwrap();
        let setup = Setup::new(1).with_budget(budget());
        let mut taught = None;
        find_loss(&catalog, game.as_ref(), &player, &setup, Some("greedy"), &mut |record, seat| {
            taught = teach(&catalog, record, seat.index(), &player).ok();
            taught.is_none()
        })
        .unwrap();
        let taught = taught.expect("one of the losses gives a lesson");
        let why = "no smaller one is like it (exact values exist for two players only)";
        assert_eq!(taught.whole.as_deref(), Some(why));
        let lesson = taught.lesson;
        assert!(lesson.verified.better > lesson.verified.mistake, "{}", lesson.sentence);
        let position = lesson.position(&catalog).unwrap();
        assert!(position.acting().contains(&lesson.seat), "{}", lesson.sentence);
        assert_eq!(position.observation(lesson.seat)["heads"].as_array().unwrap().len(), players);
        let answer = attempt(&catalog, &player, &lesson).unwrap();
        assert!(matches!(answer, Attempt::Failed { .. }), "{answer:?}: {}", lesson.sentence);
    }
}

#[test]
fn a_lesson_has_the_messages_that_a_program_hears_up_to_the_decision() {
    let catalog = quintain_games::catalog();
    let (taught, _) = first_lesson(&catalog, SMALL, "space");
    let small = taught.lesson;
    let whole = lesson_alone(&catalog, "polymer", "L08_s01", "greedy");
    for lesson in [small, whole] {
        let messages: Vec<serde_json::Value> =
            lesson.messages.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&str> =
            messages.iter().map(|message| message["type"].as_str().unwrap()).collect();
        let turns = kinds.len() - 3;
        assert_eq!(kinds, [&["hello", "start"], vec!["turn"; turns].as_slice(), &["bye"]].concat());
        let position = lesson.position(&catalog).unwrap();
        assert_eq!(messages[turns + 1]["observation"], position.observation(lesson.seat));
        assert_eq!(messages[turns + 1]["turn"], position.turn());
        let offered = messages[turns + 1]["actions"].as_array().unwrap();
        assert!(offered.contains(&lesson.mistakes[0].as_str().into()), "{offered:?}");
    }
}

#[test]
fn against_the_simplest_opponent_the_player_loses_and_the_better_action_is_still_better() {
    let catalog = quintain_games::catalog();
    let (taught, player) = first_lesson(&catalog, SMALL, "space");
    let lesson = taught.lesson;
    let simplest = lesson.opponent.clone().expect("somebody punishes the mistake");
    assert!(simplest.better >= simplest.mistake + 0.25, "{simplest:?}");
    let game = lesson.build(&catalog).unwrap();
    // Whether an opponent beats the player on every seed, and plays on to less after the mistake.
    let punishes = |opponent: &PlayerHandle| {
        let mut line_up = [opponent, opponent];
        line_up[lesson.seat.index()] = &player;
        (lesson.seed..lesson.seed + 3).all(|seed| {
            let setup = Setup::new(seed).with_budget(lesson.budget);
            let scores = game.play(&setup, &line_up, None).unwrap().outcome.scores;
            let own = scores[lesson.seat.index()];
            own < 0.5 && cost_against(&catalog, &lesson, opponent, seed) >= 0.25
        })
    };
    let mut ranked: Vec<(usize, &str)> = catalog
        .entry("tron")
        .unwrap()
        .players()
        .iter()
        .filter_map(|known| Some((known.strength?, known.name())))
        .collect();
    ranked.sort_unstable();
    let place = ranked.iter().position(|(_, name)| *name == simplest.player).unwrap();
    for (_, name) in ranked[..=place].iter().filter(|(_, name)| *name != "space") {
        let opponent = catalog.player("tron", name).unwrap();
        assert_eq!(punishes(&opponent), *name == simplest.player, "{name}: {simplest:?}");
    }
}

/// By how much the better action is better against an opponent, if the champion plays on.
fn cost_against(catalog: &Catalog, lesson: &Lesson, opponent: &PlayerHandle, seed: u64) -> f64 {
    let game = lesson.build(catalog).unwrap();
    let way = Continuation {
        game: game.as_ref(),
        player: &catalog.player("tron", "champion").unwrap(),
        opponent: Some((lesson.seat, opponent)),
        budget: lesson.verified.budget,
        seed,
        stop: None,
    };
    let state = lesson.position(catalog).unwrap();
    let [better, mistake] = [&lesson.better, &lesson.mistakes].map(|actions| {
        let (given, mut decisions) = (Some((lesson.seat, actions[0].as_str())), u64::MAX);
        let playout = way.play_after(state.as_ref(), given, &mut decisions).unwrap().unwrap();
        playout.scores[lesson.seat.index()]
    });
    better - mistake
}

#[test]
fn matches_without_a_lost_decision_say_so() {
    let catalog = quintain_games::catalog();
    let game = catalog.game("tron", SMALL).unwrap();
    let player = catalog.player("tron", "space").unwrap();
    let setup = Setup::new(1).with_budget(budget());
    let record = game.play(&setup, &[&player, &player], None).unwrap();
    let refusal = |record: &Record, seat| {
        teach(&catalog, record, seat, &player).map(|_| ()).unwrap_err().to_string()
    };
    for (seat, score) in record.outcome.scores.iter().enumerate() {
        match score {
            0.5 => assert!(refusal(&record, seat).contains("drew, so there is no lost decision")),
            1.0 => assert!(refusal(&record, seat).contains("won, so there is no lost decision")),
            _ => {}
        }
    }
    let mut forfeited = record;
    let fault = Fault::new(FaultKind::Timeout, String::new());
    forfeited.outcome.fault = Some(SeatFault::new(Seat::new(0), fault));
    assert!(refusal(&forfeited, 0).contains("there is no decision to learn from"));
}

/// The turn that an analysis finds the costliest, and that of the lesson.
fn worst_turns(catalog: &Catalog, name: &str, seed: u64, nodes: u64) -> [Option<u32>; 2] {
    let budget = budget();
    // 20 units, of which `random` places some.
    let game = catalog.game("hextris", "drawn?size=21").unwrap();
    let player = catalog.player("hextris", name).unwrap();
    let champion = catalog.player("hextris", "champion").unwrap();
    let record = game.play(&Setup::new(seed), &[&player], None).unwrap();
    let analyst =
        Analyst { game: game.as_ref(), player: &champion, budget, decisions: 100_000, stop: None };
    let review = analyst.review(&record, &mut |_| ()).unwrap();
    assert!(review.complete);
    let teacher = few(catalog, &champion, nodes, None);
    let lesson = teacher.teach(&record, Seat::new(0), &player).unwrap().lesson;
    [review.mistakes.first().map(|mistake| mistake.turn), lesson.origin.map(|origin| origin.turn)]
}

#[test]
fn alone_the_lesson_is_the_costliest_turn_of_an_analysis() {
    let catalog = quintain_games::catalog();
    for name in ["greedy", "random"] {
        for seed in 1..=6 {
            let [analysed, taught] = worst_turns(&catalog, name, seed, 1_000_000);
            assert_eq!(taught, analysed, "{name}, seed {seed}");
        }
    }
}

/// A teacher with little work, or one that is stopped.
fn few<'a>(
    catalog: &'a Catalog,
    judge: &'a PlayerHandle,
    nodes: u64,
    stop: Option<&'a Arc<AtomicBool>>,
) -> Teacher<'a> {
    Teacher { catalog, judge, budget: budget(), nodes, stop, stop_checks: None, until: None }
}

/// A match that `random` plays alone.
fn random_match(catalog: &Catalog, seed: u64) -> (Record, PlayerHandle) {
    let game = catalog.game("hextris", "drawn?size=9").unwrap();
    let player = catalog.player("hextris", "random").unwrap();
    (game.play(&Setup::new(seed), &[&player], None).unwrap(), player)
}

#[test]
fn a_quick_look_at_every_turn_is_followed_by_the_judge() {
    let catalog = quintain_games::catalog();
    // Too little for the judge to look at every turn with all its budget.
    for (name, seed) in [("greedy", 1), ("greedy", 2), ("random", 1), ("random", 2)] {
        let [analysed, taught] = worst_turns(&catalog, name, seed, 30_000);
        assert_eq!(taught, analysed, "{name}, seed {seed}");
    }
}

#[test]
fn a_mistake_written_otherwise_is_the_same_mistake() {
    let catalog = quintain_games::catalog();
    let (record, random) = random_match(&catalog, 1);
    let mut lesson = teach(&catalog, &record, 0, &random).unwrap().lesson;
    let mistake = lesson.mistakes[0].clone();
    // Other letters that command the same; no phrase is heard.
    let otherwise: String = mistake
        .chars()
        .map(|letter| match letter {
            'p' => '3',
            'b' => 'f',
            'a' => 'g',
            'l' => 'm',
            'd' => 's',
            'k' => 'w',
            other => other,
        })
        .collect();
    assert_ne!(mistake, otherwise);
    lesson.mistakes = vec![otherwise];
    let answer = attempt(&catalog, &random, &lesson).unwrap();
    assert_eq!(answer, Attempt::Failed { action: mistake });
}

#[test]
fn alone_too_a_lesson_says_that_the_player_decides_at_random() {
    let catalog = quintain_games::catalog();
    let (record, random) = random_match(&catalog, 1);
    let other_seeds = teach(&catalog, &record, 0, &random).unwrap().other_seeds;
    let (same, all) = other_seeds.expect("random draws its moves");
    assert!(same < all, "{same} of {all}");
    let game = catalog.game("hextris", "drawn?size=9").unwrap();
    let greedy = catalog.player("hextris", "greedy").unwrap();
    let record = game.play(&Setup::new(1), &[&greedy], None).unwrap();
    assert_eq!(teach(&catalog, &record, 0, &greedy).unwrap().other_seeds, None);
}

#[test]
fn stopped_before_anything_was_found_it_says_so() {
    let catalog = quintain_games::catalog();
    let judge = catalog.player("hextris", "champion").unwrap();
    let (record, player) = random_match(&catalog, 1);
    let stop = Arc::new(AtomicBool::new(true));
    let teacher = few(&catalog, &judge, 3_000_000, Some(&stop));
    let refusal = teacher.teach(&record, Seat::new(0), &player).unwrap_err();
    assert!(matches!(refusal, LessonError::Stopped), "{refusal}");
}

#[test]
fn a_lesson_whose_board_was_edited_or_whose_seat_is_not_there_is_refused() {
    let catalog = quintain_games::catalog();
    let (taught, _) = first_lesson(&catalog, SMALL, "space");
    let good = taught.lesson;
    good.check(&catalog).unwrap();
    let refusal = |change: &dyn Fn(&mut Lesson)| {
        let mut lesson = good.clone();
        change(&mut lesson);
        lesson.check(&catalog).map(drop).unwrap_err().to_string()
    };
    let edited = refusal(&|lesson| lesson.files[0][1] = lesson.files[0][1].replace(' ', "#"));
    assert!(edited.contains("a board that was edited is another lesson"), "{edited}");
    let seat = refusal(&|lesson| lesson.seat = Seat::new(7));
    assert_eq!(seat, "its seat 7 does not decide there; expected 0 or 1");
    let empty = refusal(&|lesson| lesson.better.clear());
    assert_eq!(empty, "“better” is empty; expected one action or more");
    let unknown = refusal(&|lesson| lesson.mistakes[0] = "X".to_owned());
    assert!(unknown.starts_with("“mistakes”: X: "), "{unknown}");
}

#[test]
fn a_lesson_that_contradicts_itself_is_refused() {
    let catalog = quintain_games::catalog();
    let (taught, _) = first_lesson(&catalog, SMALL, "space");
    let good = taught.lesson;
    let refusal = |change: &dyn Fn(&mut Lesson)| {
        let mut lesson = good.clone();
        change(&mut lesson);
        lesson.check(&catalog).map(drop).unwrap_err().to_string()
    };
    let both = refusal(&|lesson| lesson.better.push(lesson.mistakes[0].clone()));
    assert_eq!(both, format!("“better”: {} is one of its mistakes", good.mistakes[0]));
    // What a program hears in another match.
    let mut other = good.clone();
    other.scenario = SMALL.to_owned();
    other.files.clear();
    let other = other.with_messages(&catalog).unwrap().messages;
    let elsewhere = refusal(&|lesson| lesson.messages.clone_from(&other));
    assert!(elsewhere.contains("the last turn is one of another position"), "{elsewhere}");
    let later = refusal(&|lesson| lesson.rules += 1);
    assert!(later.starts_with("it is for version "), "{later}");
    let silent = refusal(&|lesson| lesson.messages.truncate(1));
    assert_eq!(silent, "“messages”: expected a message of type turn");
    let mut without = good.clone();
    without.messages.clear();
    without.check(&catalog).unwrap();
}

#[test]
fn on_a_solved_board_the_lesson_is_the_last_decision_by_which_the_exact_value_falls() {
    let catalog = quintain_games::catalog();
    // Seven by seven free cells: the first turns are too large for a look at the ending.
    let game = catalog.game("tron", "empty?width=9&height=9").unwrap();
    let make = catalog.entry("tron").unwrap().exact().unwrap();
    let player = catalog.player("tron", "space").unwrap();
    let mut lessons = 0;
    for seed in [2, 11, 15] {
        let setup = Setup::new(seed).with_budget(budget());
        let each = &mut |record: &Record, seat: Seat| {
            let effort = Effort { memory: 1 << 28, positions: 1 << 20, stop: Arc::default() };
            let turns = make(effort).judge(record).unwrap();
            let falls: Vec<u32> = (0..turns.len())
                .filter(|turn| turns[*turn].moves[seat.index()].cost > 0.2499)
                .map(|turn| turn as u32)
                .collect();
            match teach(&catalog, record, seat.index(), &player) {
                Ok(Taught { lesson, .. }) => {
                    assert!(falls.contains(&lesson.origin.unwrap().turn), "{falls:?}");
                    lessons += usize::from(lesson.verified.exact);
                }
                Err(LessonError::NoExactMistake { most, .. }) => {
                    assert!(falls.is_empty() && most < 0.25, "{falls:?}");
                }
                Err(_) => assert!(!falls.is_empty()),
            }
            false
        };
        find_loss(&catalog, game.as_ref(), &player, &setup, Some("basic"), each).unwrap();
    }
    assert!(lessons > 0);
}

#[test]
fn where_players_move_in_turn_whoever_decides_begins_on_a_small_board() {
    let catalog = quintain_games::catalog();
    let game =
        catalog.game("tron", "empty?width=9&height=9&moves=sequential&trails=vanish").unwrap();
    let player = catalog.player("tron", "greedy").unwrap();
    let setup = Setup::new(1).with_budget(budget());
    let mut lessons = 0;
    find_loss(&catalog, game.as_ref(), &player, &setup, Some("champion"), &mut |record, seat| {
        if let Ok(Taught { lesson, size: Some(_), .. }) =
            teach(&catalog, record, seat.index(), &player)
        {
            lessons += 1;
            assert_eq!(lesson.seat, Seat::new(0));
            assert!(lesson.verified.exact, "{}", lesson.sentence);
            assert!(lesson.sentence.starts_with("A is to decide, then B moves. "));
            let [before, after] = [&lesson.scenario, game.scenario()]
                .map(|scenario| scenario.contains("moves=sequential&trails=vanish"));
            assert!(before && after, "{}", lesson.scenario);
            let answer = attempt(&catalog, &player, &lesson).unwrap();
            assert!(matches!(answer, Attempt::Failed { .. }), "{answer:?}: {}", lesson.sentence);
        }
        lessons < 2
    })
    .unwrap();
    assert_eq!(lessons, 2);
}

#[test]
fn of_several_losses_one_with_a_small_board_that_is_confirmed_is_taught() {
    let catalog = quintain_games::catalog();
    let judge = catalog.player("tron", "champion").unwrap();
    let teacher = few(&catalog, &judge, 3_000_000, None);
    let game = catalog.game("tron", "empty?width=12&height=12").unwrap();
    let player = catalog.player("tron", "space").unwrap();
    let setup = Setup::new(1).with_budget(budget());
    let mut lost = Vec::new();
    find_loss(&catalog, game.as_ref(), &player, &setup, Some("champion"), &mut |record, seat| {
        lost.push((record.clone(), seat));
        lost.len() < 6
    })
    .unwrap();
    let teach_all = || {
        let mut losses = Losses::new(&teacher, &player);
        let wanted = lost.iter().position(|(record, seat)| !losses.add(record, *seat));
        (wanted, losses.teach().unwrap().unwrap())
    };
    let (wanted, (record, taught)) = teach_all();
    assert!(taught.size.is_some() && taught.is_confirmed, "{}", taught.lesson.sentence);
    assert!(taught.lesson.verified.exact);
    // No more than six are looked at, and the clock has no part in which one is taught.
    assert!(wanted.is_some() && lost.iter().any(|(lost, _)| lost.id == record.id));
    assert_eq!(teach_all(), (wanted, (record, taught)));
    let nothing = Losses::new(&teacher, &player);
    assert!(nothing.number() == 0 && nothing.teach().is_none());
}

/// A program that takes the first action it is offered. When it is asked, it requests a stop, if
/// that is wanted.
#[derive(Clone)]
struct Interrupter {
    stop: Arc<AtomicBool>,
    wants_stop: Arc<AtomicBool>,
}

impl ExternalSource for Interrupter {
    fn prefix(&self) -> &str {
        "first"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn open(&self, _spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Ok(Box::new(self.clone()))
    }
}

impl ExternalPlayer for Interrupter {
    fn start(&mut self, _about: &MatchStart, _setting: &serde_json::Value) -> Result<(), Fault> {
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        if self.wants_stop.load(Ordering::SeqCst) {
            self.stop.store(true, Ordering::SeqCst);
        }
        Ok(serde_json::Value::from(question.actions[0].as_str()).into())
    }
}

#[test]
fn when_the_time_ends_while_a_mistake_is_checked_it_makes_a_lesson_all_the_same() {
    let interrupter = Interrupter { stop: Arc::default(), wants_stop: Arc::default() };
    let catalog = quintain_games::catalog().with_external(Arc::new(interrupter.clone()));
    // Where heads have a direction from the start, there is no smaller board, and the first
    // question is asked once a mistake was found.
    let game = catalog.game("tron", "empty?width=8&height=8&headings=drawn").unwrap();
    let player = catalog.player("tron", "first:one").unwrap();
    let judge = catalog.player("tron", "champion").unwrap();
    let setup = Setup::new(1).with_budget(budget());
    let mut lost = None;
    find_loss(&catalog, game.as_ref(), &player, &setup, Some("champion"), &mut |record, seat| {
        let found = teach(&catalog, record, seat.index(), &player);
        lost = found.is_ok().then(|| (record.clone(), seat));
        lost.is_none()
    })
    .unwrap();
    let (record, seat) = lost.expect("one of the losses gives a lesson");
    interrupter.wants_stop.store(true, Ordering::SeqCst);
    let teacher = few(&catalog, &judge, 3_000_000, Some(&interrupter.stop));
    let lesson = teacher.teach(&record, seat, &player).unwrap().lesson;
    assert!(interrupter.stop.load(Ordering::SeqCst));
    assert!(lesson.verified.better > lesson.verified.mistake, "{}", lesson.sentence);
    // In haste, too, it is checked by no less than the search for it had.
    assert!(lesson.verified.budget.nodes >= budget().nodes);
}
