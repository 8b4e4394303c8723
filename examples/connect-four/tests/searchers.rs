//! Searchers on positions solved by brute force, their signatures, and the golden
//! playthrough.

use std::fmt::Write as _;

use connect_four::{Board, ConnectFour, entry, scenario};
use proptest::prelude::*;
use quintain_core::{Budget, Decision, Match, MatchStart, Rng, Rules, Seat, Setup, Turn, play};
use quintain_testkit::signatures;

/// The value for the seat to move: 1 won, 0 drawn, −1 lost. Plain, so only for few empty cells.
fn solve(board: &Board) -> i32 {
    let Turn::Seat(seat) = ConnectFour.turn(board) else {
        unreachable!("only open positions are solved")
    };
    let mut actions = Vec::new();
    ConnectFour.actions(board, seat, &mut actions);
    actions.into_iter().map(|action| value_of(board, seat, action)).max().expect("a column is open")
}

/// The value of an action for the seat that plays it.
fn value_of(board: &Board, seat: Seat, action: connect_four::Column) -> i32 {
    let mut next = board.clone();
    ConnectFour.step(&mut next, &[action]);
    match ConnectFour.turn(&next) {
        Turn::Over => (2.0 * ConnectFour.score(&next, seat) - 1.0) as i32,
        _ => -solve(&next),
    }
}

/// A position `plies` discs into a random game in which nobody takes a win, if there
/// is one.
fn random_position(seed: u64, plies: u32) -> Option<Match<ConnectFour>> {
    let mut current = Match::new(scenario(ConnectFour), seed);
    let mut rng = Rng::from_seed(seed);
    while current.turn() < plies {
        let mut actions = Vec::new();
        ConnectFour.actions(current.state(), current.acting()[0], &mut actions);
        actions.retain(|action| {
            let mut next = current.state().clone();
            ConnectFour.step(&mut next, &[*action]);
            ConnectFour.turn(&next) != Turn::Over
        });
        let action = *rng.pick(&actions)?;
        current.play(&[action]).expect("an offered action is legal");
    }
    Some(current)
}

fn decide(player: &str, current: &Match<ConnectFour>, budget: Budget) -> connect_four::Column {
    let mut rng = Rng::from_seed(1);
    let mut decision = Decision::new(&ConnectFour, current.state(), current.acting()[0], &mut rng)
        .with_limits(current.turn(), budget, None);
    entry().build_player(player, &ConnectFour).unwrap().decide(&mut decision).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn late_positions_are_played_perfectly(seed in any::<u64>(), plies in 29..40u32) {
        let Some(current) = random_position(seed, plies) else {
            return Err(TestCaseError::reject("nobody can avoid a win"));
        };
        let (board, seat) = (current.state(), current.acting()[0]);
        let best = solve(board);
        let (nodes, iterations) = (Some(1_000_000), Some(20_000));
        let budget = Budget { nodes, iterations, ..Budget::default() };
        for player in ["alpha-beta", "uct", "uct?selection=ucb1-tuned"] {
            let action = decide(player, &current, budget);
            prop_assert_eq!(value_of(board, seat, action), best, "{} plays {}", player, action);
        }
    }
}

#[test]
fn every_searcher_takes_a_win_at_once_and_wards_one_off() {
    let after = |columns: &str| {
        let mut current = Match::new(scenario(ConnectFour), 0);
        for column in columns.split(' ') {
            current.play(&[column.parse().unwrap()]).unwrap();
        }
        current
    };
    for player in ["flat-monte-carlo", "uct", "alpha-beta"] {
        let play = |columns| decide(player, &after(columns), Budget::default()).to_string();
        assert_eq!(play("1 2 1 2 1 2"), "1", "{player} takes it");
        assert_eq!(play("1 2 1 2 1"), "1", "{player} wards it off");
    }
}

/// Compares with a file under `tests/golden`, or writes it if `UPDATE_GOLDEN` is set.
fn golden(name: &str, found: &str) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, found, "behaviour changed; if meant, run with UPDATE_GOLDEN=1");
}

#[test]
fn decisions_are_those_of_the_golden_signatures() {
    let budget = Budget { iterations: Some(200), nodes: Some(2_000), ..Budget::default() };
    golden("signatures.txt", &signatures(&entry(), &["standard"], budget).unwrap());
}

#[test]
fn a_whole_match_reads_as_it_did() {
    let match_start = MatchStart::new("connect-four", "standard", 2);
    let budget = Budget { iterations: Some(200), nodes: Some(2_000), ..Budget::default() };
    let setup = Setup::new(1).with_budget(budget).with_notes(true);
    let entry = entry();
    let mut players = [
        entry.build_player("uct", &ConnectFour).unwrap(),
        entry.build_player("alpha-beta", &ConnectFour).unwrap(),
    ];
    let mut text = String::new();
    let mut shown = 0;
    let (scenario, _) = entry.build("standard").unwrap();
    let played = play(scenario, &match_start, &setup, &mut players, &mut |current| {
        for action in &current.actions()[shown..] {
            let _ = writeln!(text, "  plays {action}\n");
        }
        shown = current.actions().len();
        let _ = writeln!(text, "turn {}\n{}", current.turn(), render(current));
        for seat in current.acting() {
            let seen = ConnectFour.observe(current.state(), *seat);
            let seen = serde_json::to_string(&seen).expect("observations have a JSON form");
            let mut actions = Vec::new();
            ConnectFour.actions(current.state(), *seat, &mut actions);
            let actions: Vec<String> = actions.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "  seat {seat} sees {seen}\n  may play {}", actions.join(" "));
        }
    });
    let outcome = serde_json::to_string(&played.outcome).expect("outcomes have a JSON form");
    let _ = writeln!(text, "outcome {outcome}");
    for note in &played.notes {
        let _ =
            writeln!(text, "turn {} seat {} {} {}", note.turn, note.seat, note.name, note.value);
    }
    golden("playthrough.txt", &text);
}

/// The board as its scene shows it, a character a cell.
fn render(current: &Match<ConnectFour>) -> String {
    use quintain_core::ui::Mark;
    let scene = current.scene(None);
    let mut cells = vec![vec!['.'; scene.width as usize]; scene.height as usize];
    for mark in scene.layers.iter().flat_map(|layer| &layer.marks) {
        if let Mark::Cell { at, glyph, .. } = mark
            && *glyph != ' '
        {
            cells[at.row as usize][at.column as usize] = *glyph;
        }
    }
    cells.iter().map(|row| format!("  {}\n", row.iter().collect::<String>())).collect()
}
