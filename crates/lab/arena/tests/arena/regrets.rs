//! Regret: how far players fall short of a bound that the game has proved.

use quintain_arena::{regret, standings_of};
use quintain_standings::{Regret, Standings};
use quintain_store::Store;

use crate::{count, play, tournament};

/// A player that adds ones takes as many turns as the target has, the greatest number possible.
fn standings(format: &str, scenarios: &str, players: &str) -> Standings {
    let text = format!(
        "game = \"count\"\nformat = \"{format}\"\nscenarios = {scenarios}\nplayers = \
         {players}\nseeds = 3\n"
    );
    let mut store = Store::in_memory().unwrap();
    play(&tournament(&text), &mut store, 1);
    let info = store.tournament(None).unwrap();
    let mut standings = standings_of(&store, &info).unwrap();
    assert!(standings.regret.is_empty());
    regret::add(&mut standings, &store, &info, &count::catalog()).unwrap();
    standings
}

fn of<'a>(standings: &'a Standings, player: &str) -> &'a Regret {
    standings.regret.iter().find(|row| row.player == player).unwrap()
}

#[test]
fn who_reaches_the_bound_has_no_regret_and_others_their_distance_from_it() {
    let alone = r#"["table?target=10&seats=1", "table?target=4&seats=1"]"#;
    let players = r#"["steady", "steady?add=2", "steady?add=3"]"#;
    let standings = standings("solo", alone, players);
    let best = of(&standings, "steady");
    // Nothing depends on the seed: there is one match on each of the two scenarios.
    assert_eq!((best.n, best.mean, best.worst, best.reached), (2, 0.0, 0.0, 2));
    // 5 turns of 10, 2 of 4.
    let twos = of(&standings, "steady?add=2");
    assert_eq!((twos.n, twos.mean, twos.worst, twos.reached), (2, 3.5, 5.0, 0));
    // 4 turns of 10, 2 of 4.
    let threes = of(&standings, "steady?add=3");
    assert_eq!((threes.mean, threes.worst), (4.0, 6.0));
    let interval = threes.interval.unwrap();
    // 4 ± t(1, 0.975) · √(8 / 2) by Student's t: 12.7062 · 2 (scipy 1.17.1, t.ppf).
    assert!((interval.high - 29.4124).abs() < 1e-3, "{interval:?}");
    // In the order of the table, best first.
    let names: Vec<&str> = standings.regret.iter().map(|row| row.player.as_str()).collect();
    let order: Vec<&str> = standings.overall.iter().map(|row| row.player.as_str()).collect();
    assert_eq!(names, order);
}

#[test]
fn without_a_bound_there_is_no_regret() {
    let standings = standings("versus", r#"["table?seats=2"]"#, r#"["steady", "random"]"#);
    assert!(standings.regret.is_empty());
}
