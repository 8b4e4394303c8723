//! Which players think for as long as their budget allows. A contest does not seat them by default,
//! since everybody would wait for them.

use quintain_core::AnyEntry;
use quintain_games::catalog;

/// The searches that every game has, or nearly every game.
const SEARCHES: [&str; 4] = ["alpha-beta", "flat-monte-carlo", "puct", "uct"];

/// The anytime searches of a game's own, by name.
fn own_anytime(entry: &dyn AnyEntry) -> Vec<&'static str> {
    let players = entry.players().into_iter().filter(|player| player.anytime);
    players.map(|player| player.name()).filter(|name| !SEARCHES.contains(name)).collect()
}

#[test]
fn anytime_players_are_declared() {
    let catalog = catalog();
    let own = |game: &str| own_anytime(catalog.entry(game).expect("it is in the catalog"));
    assert_eq!(own("tron"), ["contest2010", "champion"]);
    assert_eq!(own("hextris"), ["post", "champion"]);
    let polymer = ["annealing", "beam", "replicas", "perm", "nested", "nrpa", "champion"];
    assert_eq!(own("polymer"), polymer);
    // The strategies of the reports, and pentocity's champion, take as long as they take.
    assert_eq!(own("gather"), [""; 0]);
    assert_eq!(own("pentocity"), [""; 0]);
}

#[test]
fn players_with_a_default_amount_of_work_are_anytime() {
    for entry in catalog().entries() {
        for player in entry.players() {
            let has_default = player
                .parameters
                .iter()
                .any(|parameter| parameter.doc.contains("where the budget sets no limit"));
            assert!(player.anytime || !has_default, "{}/{}", entry.name(), player.name());
            let is_search = SEARCHES.contains(&player.name());
            assert!(player.anytime || !is_search, "{}/{}", entry.name(), player.name());
        }
    }
}
