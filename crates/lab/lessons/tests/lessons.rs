//! Lessons of real matches: what is taught is a mistake, and the player repeats it.

use quintain_core::{
    Budget, Catalog, Fault, FaultKind, PlayerHandle, Record, Seat, SeatFault, Setup,
};
use quintain_lessons::{Attempt, Lesson, LessonError, Taught, Teacher, attempt, find_loss};
use quintain_play::Continuation;

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
    let teacher =
        Teacher { catalog, judge: &judge, budget: budget(), nodes: 3_000_000, stop: None };
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

#[test]
fn where_fewer_rounds_are_better_so_is_the_better_action() {
    let catalog = quintain_games::catalog();
    let lesson = lesson_alone(&catalog, "gather", "course", "salsa");
    assert!(lesson.verified.better < lesson.verified.mistake, "{}", lesson.sentence);
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
        assert_eq!(taught.whole.as_deref(), Some("exact values exist for two players only"));
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
