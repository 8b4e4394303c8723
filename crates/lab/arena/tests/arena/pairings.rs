//! Gauntlets and Swiss tournaments: which of the players meet.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use quintain_arena::{Effort, Pairing, Shard, Tournament, forecast, standings_of};
use quintain_standings::LeadIn;
use quintain_store::{Filter, Store, StoreError};

use crate::count::catalog;
use crate::{play, records, stop_and_resume, tournament};

const SWISS: &str = r#"
    game = "count"
    scenarios = ["table?target=30", "table?target=41"]
    players = ["steady?add=3", "random", "steady?add=2", "steady", "greedy", "hooked", "herald"]
    seeds = 6
    pairing = "swiss"
    rounds = 3
"#;

/// The pairs that have met, as a store has them.
fn pairs(store: &Store) -> BTreeSet<[String; 2]> {
    let mut pairs = BTreeSet::new();
    store
        .results(&Filter::default(), |result, _| {
            let mut pair = [0, 1].map(|seat| result.players[seat].to_owned());
            pair.sort();
            pairs.insert(pair);
            Ok::<(), StoreError>(())
        })
        .unwrap();
    pairs
}

#[test]
fn in_a_swiss_tournament_everybody_meets_another_one_each_round() {
    let cup = tournament(SWISS);
    assert_eq!(cup.pairing(), Pairing::Swiss { rounds: 3 });
    // Three rounds of three pairs, on two scenarios, from both seats.
    assert_eq!(cup.count_matches(), 3 * 3 * 2 * 6 * 2);
    let mut store = Store::in_memory().unwrap();
    let effort = Effort { threads: 2, limit: std::time::Duration::MAX, short: None };
    let foretold =
        forecast(&cup, Shard::WHOLE, Some(&store), effort, &AtomicBool::new(false)).unwrap();
    assert_eq!(foretold.matches, cup.count_matches());
    let summary = play(&cup, &mut store, 2);
    assert_eq!((summary.played, summary.total), (cup.count_matches(), cup.count_matches()));
    assert!(!summary.stopped);
    let pairs = pairs(&store);
    assert_eq!(pairs.len(), 9);
    for player in cup.schedule().players() {
        let met = pairs.iter().filter(|pair| pair.iter().any(|name| name == player)).count();
        assert!(met == 2 || met == 3, "{player} met {met}; one rests in each round");
    }
    let info = store.tournament(None).unwrap();
    assert_eq!((info.fixtures, info.played), (summary.total, summary.total));
    let again = play(&cup, &mut store, 2);
    assert_eq!((again.played, again.skipped), (0, summary.total));
}

#[test]
fn nothing_is_said_to_be_certain_where_results_decided_who_met_whom() {
    let of = |file: &str| {
        let mut store = Store::in_memory().unwrap();
        play(&tournament(file), &mut store, 2);
        standings_of(&store, &store.tournament(None).unwrap()).unwrap()
    };
    let swiss = of(SWISS);
    assert!(swiss.certainty.is_withheld);
    // Three rounds of three meetings and a rest, with all points of the table and those of rests.
    let rounds = swiss.rounds.as_ref().unwrap();
    assert_eq!((rounds.planned, rounds.rounds.len()), (3, 3));
    for round in &rounds.rounds {
        assert_eq!(round.iter().filter(|meeting| meeting.is_bye).count(), 1);
        assert_eq!(round.iter().filter(|meeting| meeting.points.is_some()).count(), 3);
    }
    assert_eq!(rounds.points.iter().sum::<f64>(), 9.0 * 24.0 + 3.0 * 12.0);
    assert!(swiss.overall.iter().all(|row| row.mark.is_none() && row.ranks.is_none()));
    assert!(swiss.overall.iter().all(|row| row.elo.is_some()));
    // Of two players, no result decides whom one meets.
    let players = SWISS.lines().find(|line| line.contains("players = ")).unwrap();
    let two = SWISS.replace(players, "players = [\"random\", \"steady\"]");
    assert!(!of(&two.replace("rounds = 3", "")).certainty.is_withheld);
    // The meetings of a gauntlet are known beforehand, but not everybody meets everybody.
    let gauntlet = of(&SWISS.replace("swiss", "gauntlet").replace("rounds = 3", ""));
    assert!(!gauntlet.certainty.is_withheld);
    assert_eq!(gauntlet.certainty.lead_in, LeadIn::Elo);
    assert!(gauntlet.overall.iter().all(|row| row.mark.is_some()));
}

#[test]
fn any_number_of_threads_plays_the_same_swiss_tournament() {
    let play_on = |threads| {
        let mut store = Store::in_memory().unwrap();
        play(&tournament(SWISS), &mut store, threads);
        records(&store)
    };
    assert_eq!(play_on(1), play_on(4));
}

#[test]
fn a_swiss_tournament_that_was_stopped_goes_on_to_the_same_matches() {
    for stop_at in [1, 20, 60] {
        let (_, first, _) = stop_and_resume(SWISS, stop_at);
        assert!(first.stopped && first.total == 216, "{first:?}");
    }
}

#[test]
fn in_a_gauntlet_the_first_players_of_the_list_meet_everybody() {
    let one = SWISS.replace("swiss", "gauntlet").replace("rounds = 3", "");
    let two = one.clone() + "challengers = 2\n";
    for (file, challengers, met) in [(&one, 1, 6), (&two, 2, 11)] {
        let cup = tournament(file);
        assert_eq!(cup.pairing(), Pairing::Gauntlet { challengers });
        assert_eq!(cup.count_matches(), met as u64 * 2 * 6 * 2);
        let mut store = Store::in_memory().unwrap();
        assert_eq!(play(&cup, &mut store, 2).played, cup.count_matches());
        let first: Vec<&str> = cup.schedule().players().take(challengers).collect();
        let pairs = pairs(&store);
        assert_eq!(pairs.len(), met);
        assert!(pairs.iter().all(|pair| pair.iter().any(|name| first.contains(&name.as_str()))));
    }
}

#[test]
fn a_gauntlet_without_a_challenger_says_who_is_missing_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cup.toml");
    let gauntlet = SWISS.replace("swiss", "gauntlet").replace("rounds = 3", "");
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let leaves_out = |player: &str| (player == "gone").then(|| "gone is away".to_owned());
        Tournament::load_able(&path, &catalog(), &leaves_out)
    };
    let said = load(&gauntlet.replace("steady?add=3", "gone")).err().unwrap().to_string();
    assert!(said.contains("cup.toml:4:16: unknown count player “gone”"), "{said}");
    assert!(
        said.ends_with("; it is a challenger of this gauntlet, so nothing is played without it")
    );
    let others = load(&gauntlet.replace("greedy", "gone")).ok().unwrap();
    assert_eq!(others.left_out(), ["gone is away"]);
}

#[test]
fn a_file_says_who_meets_whom() {
    let error = |from: &str, to: &str| {
        let text = SWISS.replace(from, to);
        assert_ne!(text, SWISS);
        Tournament::parse(&text, "cup.toml", &catalog()).err().unwrap().to_string()
    };
    for (from, to, expected) in [
        ("swiss", "swis", "did you mean “swiss”"),
        ("rounds = 3", "rounds = 5", "7 players play at most 4 Swiss rounds"),
        ("rounds = 3", "challengers = 2", "challengers is for pairing = \"gauntlet\" only"),
        ("\"swiss\"", "\"all\"", "rounds is for pairing = \"swiss\" only"),
        ("seeds = 6", "format = \"mixed\"", "format = \"versus\", in which players meet"),
        ("target=41", "target=41&seats=3", "is for two seats"),
        ("seeds = 6", "seeds = 6\nallocate = \"close pairs\"", "leave out pairing or allocate"),
        (
            "pairing = \"swiss\"\n    rounds = 3",
            "pairing = \"gauntlet\"\nchallengers = 7",
            "of 7 players at most 6 can be challengers",
        ),
    ] {
        let said = error(from, to);
        assert!(said.contains(expected), "{said}");
    }
    // As many rounds as a knock-out tournament.
    let usual = tournament(&SWISS.replace("rounds = 3", ""));
    assert_eq!(usual.pairing(), Pairing::Swiss { rounds: 3 });
    // A file that says nothing of it is the tournament that it always was.
    let all = SWISS.replace("swiss", "all").replace("rounds = 3", "");
    let silent = all.replace("pairing = \"all\"", "");
    assert_eq!(tournament(&all).definition(), tournament(&silent).definition());
    assert!(!tournament(&silent).definition().contains("pairing"));
}

const KNOCKOUT: &str = r#"
    game = "count"
    scenarios = ["table?target=30", "table?target=41"]
    players = ["steady?add=3", "random", "steady?add=2", "steady", "greedy", "hooked", "herald"]
    seeds = 6
    format = "knockout"
"#;

#[test]
fn in_a_knockout_the_winners_meet_until_one_is_left() {
    let cup = tournament(KNOCKOUT);
    assert_eq!(cup.pairing(), Pairing::Knockout);
    // Six of seven go out, each after a meeting on two scenarios, from both seats.
    assert_eq!(cup.count_matches(), 6 * 2 * 6 * 2);
    let mut store = Store::in_memory().unwrap();
    let summary = play(&cup, &mut store, 2);
    assert_eq!((summary.played, summary.total), (cup.count_matches(), cup.count_matches()));
    assert!(!summary.stopped);
    assert_eq!(pairs(&store).len(), 6);
    let standings = standings_of(&store, &store.tournament(None).unwrap()).unwrap();
    let bracket = standings.bracket.unwrap();
    assert!(standings.certainty.is_withheld && bracket.champion().is_some());
    assert_eq!(bracket.rounds.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2, 1]);
    // The first of the list has no opponent in the first round.
    assert!(bracket.rounds[0][0].is_bye && bracket.rounds[0][0].winner == Some(0));
    let again = play(&cup, &mut store, 2);
    assert_eq!((again.played, again.skipped), (0, summary.total));
}

#[test]
fn a_knockout_is_the_same_on_any_number_of_threads_and_wherever_it_was_stopped() {
    let play_on = |threads| {
        let mut store = Store::in_memory().unwrap();
        play(&tournament(KNOCKOUT), &mut store, threads);
        records(&store)
    };
    assert_eq!(play_on(1), play_on(4));
    for stop_at in [1, 10] {
        let (_, first, _) = stop_and_resume(KNOCKOUT, stop_at);
        assert!(first.stopped && first.total == 144, "{first:?}");
    }
}

#[test]
fn a_format_may_name_the_pairing() {
    let of = |format: &str| tournament(&KNOCKOUT.replace("format = \"knockout\"", format));
    for (short, long) in [
        ("format = \"swiss\"\nrounds = 2", "pairing = \"swiss\"\nrounds = 2"),
        ("format = \"gauntlet\"", "format = \"versus\"\npairing = \"gauntlet\""),
        ("format = \"knockout\"", "pairing = \"knockout\""),
    ] {
        assert_eq!(of(short).definition(), of(long).definition());
    }
    let both = KNOCKOUT.replace("seeds = 6", "seeds = 6\npairing = \"swiss\"");
    let said = Tournament::parse(&both, "cup.toml", &catalog()).err().unwrap().to_string();
    assert!(said.contains("format and pairing say different things"), "{said}");
    let unknown = KNOCKOUT.replace("knockout", "knokout");
    let said = Tournament::parse(&unknown, "cup.toml", &catalog()).err().unwrap().to_string();
    assert!(said.contains("did you mean “knockout”"), "{said}");
}
