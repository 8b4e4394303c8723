//! Games recorded with the original simulator replay with every delta equal.

use std::path::PathBuf;

use quintain_pentocity::recorded::{read, replay};
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
    entry().build(scenario).unwrap().0
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
        let recorded = read(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let replayed = replay(&simulator, &recorded);
        assert_eq!(replayed.differences, [], "{}", file.display());
        assert_eq!(replayed.state.tally().score, recorded.score);
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
    let replayed = replay(&game("random"), &read(&text).unwrap());
    let told: Vec<(usize, &str)> =
        replayed.differences.iter().map(|d| (d.line, d.problem.as_str())).collect();
    assert_eq!(
        told,
        [
            (2, "5 points; the recording has 7"),
            (3, "residence on (0, 4): the cell is taken by a residence"),
        ]
    );
}
