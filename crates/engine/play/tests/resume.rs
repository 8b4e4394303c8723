//! A match that is resumed goes on as it would have without the interruption.

use std::time::Duration;

use quintain_core::{Budget, Seat};
use quintain_play::{HumanMatch, HumanMatchConfig, OUTSIDE, Patience, PlayError};

fn config(game: &str, scenario: &str, opponent: &str, budget: Budget) -> HumanMatchConfig {
    HumanMatchConfig {
        game: game.to_owned(),
        scenario: scenario.to_owned(),
        seed: 5,
        name: "Ada".to_owned(),
        seat: 0,
        opponent: opponent.to_owned(),
        budget,
    }
}

/// The person goes north, turn after turn.
fn go_north(human_match: &mut HumanMatch, turns: u32) {
    for _ in 0..turns {
        human_match.play("N").unwrap();
    }
}

#[test]
fn resumed_players_know_the_earlier_turns() {
    let catalog = quintain_games::catalog();
    // One player draws random numbers, one follows a path that it remembers, and one keeps a map of
    // what it saw.
    for opponent in ["random", "hybrid", "champion"] {
        let scenario = "torus?width=9&height=9&players=3";
        let config = config("gather", scenario, opponent, Budget::nodes(1000));
        let mut straight = HumanMatch::begin(&catalog, &config).unwrap();
        go_north(&mut straight, 6);
        let mut again =
            HumanMatch::resume(&catalog, &config, straight.actions(), Patience::default()).unwrap();
        assert_eq!(again.state().turn(), 6, "{opponent}");
        go_north(&mut straight, 6);
        go_north(&mut again, 6);
        assert_eq!(straight.actions(), again.actions(), "{opponent}");
    }
}

#[test]
fn resuming_costs_no_time() {
    let catalog = quintain_games::catalog();
    let of =
        |opponent, time| config("tron", "empty?width=9&height=9", opponent, Budget::time(time));
    let mut short =
        HumanMatch::begin(&catalog, &of("wall-hugger", Duration::from_millis(10))).unwrap();
    let careful = catalog.player("tron", "space").unwrap();
    for _ in 0..3 {
        let action = short.hint(&careful).unwrap();
        short.play(&action).unwrap();
    }
    let config = of("champion", Duration::from_secs(3600));
    let again =
        HumanMatch::resume(&catalog, &config, short.actions(), Patience::default()).unwrap();
    assert_eq!(again.state().turn(), 3, "it is the person's turn");
}

#[test]
fn several_seats_can_be_played_from_outside() {
    let catalog = quintain_games::catalog();
    let of = |opponent| config("tron", "empty?width=9&height=9", opponent, Budget::nodes(10));
    let (own, other) = (Seat::new(0), Seat::new(1));
    let mut outside = HumanMatch::begin(&catalog, &of(OUTSIDE)).unwrap();
    assert_eq!(outside.waiting(), [own, other]);
    assert_eq!(outside.play("U"), Err(PlayError::NobodySeated(other)));
    assert_eq!(outside.question(other, 7).unwrap().0.seat, other);
    let [first, second] = [own, other].map(|seat| outside.state().actions(seat)[0].clone());
    outside.play_together(&[(other, &second), (own, &first)]).unwrap();
    assert_eq!((outside.state().turn(), outside.actions()), (1, &[first.clone(), second][..]));
    assert_eq!(outside.fixture().seats[1], "human:outside");
    // A seat that a player has cannot be played from outside.
    let mut one = HumanMatch::begin(&catalog, &of("random")).unwrap();
    assert_eq!(one.waiting(), [own]);
    assert_eq!(one.question(other, 7).unwrap_err(), PlayError::OthersSeat(other));
    let twice = one.play_together(&[(own, &first), (other, &first)]);
    assert_eq!(twice, Err(PlayError::OthersSeat(other)));
    assert_eq!(one.state().turn(), 0, "nothing was played");
}

/// A match of three seats in which the person has crashed.
fn played_by_others(patience: Patience) -> HumanMatch {
    let catalog = quintain_games::catalog();
    let scenario = "empty?width=15&height=15&players=3&symmetry=none";
    let config = config("tron", scenario, "wall-hugger", Budget::nodes(1000));
    let mut human_match = HumanMatch::begin(&catalog, &config).unwrap();
    human_match.play("U").unwrap();
    human_match.set_patience(patience);
    // Into its own trail.
    human_match.play("D").unwrap();
    human_match
}

#[test]
fn a_match_of_others_pauses_and_goes_on() {
    let whole = played_by_others(Patience::default());
    assert!(whole.is_over());
    let most = Some(Duration::ZERO);
    let mut in_steps = played_by_others(Patience { most, ..Patience::default() });
    let mut steps = 0;
    while !in_steps.is_over() {
        assert!(in_steps.waiting().is_empty());
        in_steps.play_together(&[]).unwrap();
        steps += 1;
    }
    assert!(steps > 3, "{steps}");
    assert_eq!(whole.actions(), in_steps.actions());
}

#[test]
fn a_turn_that_is_stopped_does_not_count() {
    let stopped = Patience::default();
    stopped.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut human_match = played_by_others(stopped);
    assert_eq!((human_match.state().turn(), human_match.is_over()), (1, false));
    human_match.set_patience(Patience::default());
    human_match.play("D").unwrap();
    assert!(human_match.is_over());
}
