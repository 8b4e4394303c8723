//! Games recorded with the original simulator replay with every delta equal.

use std::path::PathBuf;

use quintain_pentocity::recorded::{parse, replay};
use quintain_pentocity::{Move, Pentocity, entry};

fn data() -> Option<PathBuf> {
    let root = std::env::var_os("QUINTAIN_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data")),
        PathBuf::from,
    );
    let games = root.join("pentocity/games");
    games.is_dir().then_some(games)
}

fn game(scenario: &str) -> Pentocity {
    entry().build(scenario).unwrap().0.rules().clone()
}

#[test]
fn every_recorded_game_earns_what_the_original_noted_move_by_move() {
    let Some(games) = data() else {
        eprintln!("skipped: no recorded games; set QUINTAIN_DATA to where pentocity/games is");
        return;
    };
    let simulator = game("random");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(games).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let recorded = parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let replayed = replay(&simulator, &recorded);
        assert_eq!(replayed.differences, [], "{}", file.display());
        assert_eq!(replayed.state.totals().score, recorded.score);
        assert_eq!(replayed.state.rejections(), 3);
        let rejected = recorded.requests.iter().filter(|request| request.answer == Move::Reject);
        assert_eq!(rejected.count(), 3);
    }
}

#[test]
fn a_difference_names_the_line_and_both_figures() {
    let head = r#"{"player":"p","sequencer":"s","seed":1,"score":5}"#;
    let bar = r#""type":"residence","cells":[[0,0],[0,1],[0,2],[0,3],[0,4]],"accept":true"#;
    let text = format!(
        "{head}\n{{{bar},\"rotation\":0,\"location\":[0,0],\"delta\":7}}\n\
         {{{bar},\"rotation\":1,\"location\":[0,4]}}\n"
    );
    let replayed = replay(&game("random"), &parse(&text).unwrap());
    let problems: Vec<(usize, &str)> =
        replayed.differences.iter().map(|d| (d.line, d.problem.as_str())).collect();
    assert_eq!(
        problems,
        [
            (2, "5 points; the recording has 7"),
            (3, "residence on (0, 4): the cell is taken by a residence"),
        ]
    );
}

#[test]
fn g1_builds_where_the_submitted_player_built() {
    use quintain_core::{Decision, Rng, Seat};
    let Some(games) = data() else {
        eprintln!("skipped: no recorded games; set QUINTAIN_DATA to where pentocity/games is");
        return;
    };
    let game = game("random");
    for name in ["g1-random-84", "g1-tailheavy-400", "g1-g5-800"] {
        let text = std::fs::read_to_string(games.join(format!("{name}.jsonl"))).unwrap();
        let mut state = quintain_pentocity::State::new(50);
        let mut player = entry().build_player("g1", &game).unwrap();
        let mut rng = Rng::from_seed(1);
        for request in parse(&text).unwrap().requests {
            state.ask(request.piece);
            let mut decision = Decision::new(&game, &state, Seat::new(0), &mut rng);
            let ours = player.decide(&mut decision).unwrap();
            let place = |answer: &Move| match answer {
                Move::Build(build) => Some((build.rotation, build.at)),
                _ => None,
            };
            let length = |answer: &Move| match answer {
                Move::Build(build) => build.road.len(),
                _ => 0,
            };
            let line = request.line;
            assert_eq!(
                place(&ours),
                place(&request.answer),
                "{name}, line {line}\n{}",
                state.board()
            );
            assert_eq!(length(&ours), length(&request.answer), "{name}, line {line}: {ours}");
            state.answer(game.ruleset(), &request.answer);
        }
    }
}
