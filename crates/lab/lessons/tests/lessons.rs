//! Lessons of real matches: what is taught is a mistake, and the player repeats it.

use quintain_core::{
    Budget, Catalog, Fault, FaultKind, PlayerHandle, Record, Seat, SeatFault, Setup,
};
use quintain_lessons::{Attempt, Lesson, LessonError, Taught, Teacher, attempt, find_loss};

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
