//! The networks of the repository play: each fits its game, and is better than the simplest players. How
//! good they are in earnest is in docs/learning.md.

use std::path::{Path, PathBuf};

use quintain_core::{Catalog, Setup, Venue};
use quintain_games::catalog;
use quintain_net::file::NetworkFile;

/// The most bytes of a network that is kept in the repository.
const MOST_BYTES: u64 = 2_000_000;

/// The network of a game, if it has one.
fn network_of(game: &str) -> Option<PathBuf> {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games");
    let path = games.join(format!("{game}/networks/{game}.safetensors"));
    path.exists().then_some(path)
}

/// The mean score of a player that has every seat, over so many seeds.
fn mean_score(catalog: &Catalog, game: &str, scenario: &str, player: &str, seeds: u64) -> f64 {
    let player = catalog.player(game, player).expect("it reads");
    let venue = Venue::find(catalog, game, scenario).expect("there is such a scenario");
    let scores = (1..=seeds).map(|seed| {
        let played_on = venue.game_of(seed);
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
        assert!(path.metadata().expect("a file").len() <= MOST_BYTES, "{}", path.display());
        assert!(path.with_extension("json").exists(), "{} has no figures", path.display());
        let player = format!("net?file={}", path.display());
        mean_score(&catalog, entry.name(), &file.header.scenario, &player, 1);
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn the_network_of_polymer_lays_better_chains_than_greedy() {
    let (catalog, scenario) = (catalog(), "L08_s01?seed={seed}");
    let path = network_of("polymer").expect("it is in the repository");
    // Without search it runs into dead ends, each worth less than any chain.
    let network = format!("puct?net={}&root=gumbel&simulations=16", path.display());
    let mean = |player: &str| mean_score(&catalog, "polymer", scenario, player, 10);
    let (network, greedy) = (mean(&network), mean("greedy"));
    assert!(network > greedy, "{network} {greedy}");
}

#[test]
fn the_network_of_gather_brings_its_team_together_sooner_than_chance() {
    let (catalog, scenario) = (catalog(), "course?players=2");
    let path = network_of("gather").expect("it is in the repository");
    let network = format!("net?file={}&temperature=1", path.display());
    let mean = |player: &str| mean_score(&catalog, "gather", scenario, player, 25);
    let (network, random) = (mean(&network), mean("random"));
    assert!(network < random / 2.0, "{network} {random}");
}

#[test]
fn the_network_of_hextris_fills_more_lines_than_greedy() {
    let (catalog, scenario) = (catalog(), "drawn?size=8&phrases=none&seed={seed}");
    let path = network_of("hextris").expect("it is in the repository");
    let network = format!("net?file={}", path.display());
    let mean = |player: &str| mean_score(&catalog, "hextris", scenario, player, 5);
    let (network, greedy) = (mean(&network), mean("greedy"));
    assert!(network > greedy, "{network} {greedy}");
}

#[test]
fn the_network_of_pentocity_packs_more_than_row_by_row() {
    let (catalog, scenario) = (catalog(), "random?side=12");
    let path = network_of("pentocity").expect("it is in the repository");
    let network = format!("net?file={}", path.display());
    let mean = |player: &str| mean_score(&catalog, "pentocity", scenario, player, 10);
    let (network, dry) = (mean(&network), mean("dry"));
    assert!(network > dry, "{network} {dry}");
}
