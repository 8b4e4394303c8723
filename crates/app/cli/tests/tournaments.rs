//! The tournament files of the project are valid: every player, scenario and parameter in them
//! exists.

use std::path::Path;
use std::sync::Arc;

use quintain_play::HumanPlayers;

#[test]
fn every_shipped_tournament_can_be_played() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tournaments");
    let catalog = quintain_games::catalog().with_external(Arc::new(HumanPlayers));
    let mut files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let tournament = quintain_arena::Tournament::load(&path, &catalog);
        let tournament = tournament.unwrap_or_else(|error| panic!("{error}"));
        assert!(tournament.schedule().len() > 0, "{}: no matches", path.display());
        files += 1;
    }
    assert!(files >= 2, "the folder of tournaments is empty");
}
