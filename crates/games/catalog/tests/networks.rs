//! The networks of the repository play: each fits its game, and is better than the simplest
//! players. How good they are in earnest is in docs/learning.md.

use std::path::{Path, PathBuf};

use quintain_core::{Catalog, ScenarioSet, Setup};
use quintain_games::catalog;
use quintain_net::file::NetworkFile;

/// The most bytes of a network that is kept in the repository.
const MAX_BYTES: u64 = 2_000_000;

/// The network of a game, if it has one.
fn network_of(game: &str) -> Option<PathBuf> {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = games.join(format!("{game}/networks/{game}.safetensors"));
    path.exists().then_some(path)
}

/// The mean score of a player that has every seat, over so many seeds.
fn mean_score(catalog: &Catalog, game: &str, scenario: &str, player: &str, seeds: u64) -> f64 {
    let player = catalog.player(game, player).expect("it reads");
    let set = ScenarioSet::find(catalog, game, scenario).expect("there is such a scenario");
    let scores = (1..=seeds).map(|seed| {
        let played_on = set.instance(seed);
        let seats = vec![&player; played_on.seats()];
        let record = played_on.play(&Setup::new(seed), &seats, None).expect("it plays");
        assert_eq!(record.outcome.fault, None, "{game}, {scenario}");
        record.outcome.scores[0]
    });
    scores.sum::<f64>() / seeds as f64
}

#[test]
fn networks_are_small_play_where_they_were_trained_and_have_their_figures_beside_them() {
    let catalog = catalog();
    let mut count = 0;
    for entry in catalog.entries() {
        let Some(path) = network_of(entry.name()) else { continue };
        let file = NetworkFile::open(&path).expect("it is a network");
        assert_eq!(file.header.game, entry.name());
        assert!(path.metadata().expect("a file").len() <= MAX_BYTES, "{}", path.display());
        assert!(path.with_extension("json").exists(), "{} has no figures", path.display());
        let player = format!("net?file={}", path.display());
        mean_score(&catalog, entry.name(), &file.header.scenario, &player, 1);
        let version = |spec: &str| catalog.player(entry.name(), spec).expect("it reads").version;
        let by_name = version(&format!("net?file={}", entry.name()));
        assert_eq!(by_name, version(&player), "the game's name is that of its network");
        count += 1;
    }
    assert!(count > 0);
}

/// The mean scores of the network of a game, played as these options say, and of a rival.
fn compare(game: &str, scenario: &str, player: &str, rival: &str, seeds: u64) -> [f64; 2] {
    let path = network_of(game).expect("it is in the repository");
    let player = player.replace("FILE", &path.display().to_string());
    [&player[..], rival].map(|player| mean_score(&catalog(), game, scenario, player, seeds))
}

#[test]
fn the_network_of_polymer_lays_better_chains_than_greedy() {
    // Without search it runs into dead ends, each worth less than any chain.
    let player = "puct?net=FILE&root=gumbel&simulations=16";
    let [network, greedy] = compare("polymer", "L08_s01?seed={seed}", player, "greedy", 10);
    assert!(network > greedy, "{network} {greedy}");
}

#[test]
fn the_network_of_gather_brings_its_team_together_sooner_than_chance() {
    let player = "net?file=FILE&temperature=1";
    let [network, random] = compare("gather", "course?players=2", player, "random", 25);
    assert!(network < random / 2.0, "{network} {random}");
}

#[test]
fn the_network_of_hextris_fills_more_lines_than_greedy() {
    let scenario = "drawn?size=8&phrases=none&seed={seed}";
    let [network, greedy] = compare("hextris", scenario, "net?file=FILE", "greedy", 5);
    assert!(network > greedy, "{network} {greedy}");
}

#[test]
fn the_network_of_pentocity_packs_more_than_row_by_row() {
    let [network, dry] = compare("pentocity", "random?side=12", "net?file=FILE", "dry", 10);
    assert!(network > dry, "{network} {dry}");
}
