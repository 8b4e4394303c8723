//! The tournament files of the project are valid: every player, scenario and parameter in them
//! exists.

use std::path::Path;
use std::sync::Arc;

use quintain_play::HumanPlayers;

#[test]
fn a_tournament_of_many_megabytes_is_refused_unread() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("cup.toml");
    std::fs::write(&file, "a.a.a=1\n".repeat((1 << 17) + 1)).unwrap();
    let refused = quintain_arena::Tournament::load(&file, &quintain_games::catalog()).err();
    let why = format!("cannot read {}: it is larger than 1 MiB", file.display());
    assert_eq!(refused.unwrap().to_string(), why);
}

#[test]
fn every_shipped_tournament_can_be_played() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tournaments");
    let catalog = quintain_games::catalog().with_external(Arc::new(HumanPlayers));
    let mut files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        if quintain_arena::Series::is_series(&text) {
            let series =
                quintain_arena::Series::parse(&text, "", &["human:ann".to_owned()], &catalog);
            let series = series.unwrap_or_else(|error| panic!("{error}"));
            assert!(series.tournaments().all(|part| part.schedule().len() > 0));
            continue;
        }
        let tournament = quintain_arena::Tournament::load(&path, &catalog);
        let tournament = tournament.unwrap_or_else(|error| panic!("{error}"));
        assert!(tournament.schedule().len() > 0, "{}: no matches", path.display());
    }
    assert!(files >= 2, "the folder of tournaments is empty");
}
