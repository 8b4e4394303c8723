//! A final is verified from its document and records, and refused where either was changed.

use quintain_core::{Budget, Catalog, PlayerHandle, Record, ScenarioSet, Setup};
use quintain_final::schedule::schedule;
use quintain_final::seeds::commitment;
use quintain_final::standings::{FinalMatch, likely_ranks, rows};
use quintain_final::{
    DOCUMENT_FORMAT, FinalDocument, FinalPlayer, FinalRank, FinalScenario, Verification,
};
use quintain_standings::ScoringRule;

const SECRET: &str = "a secret";

/// Plays a final of a game between its own players; returns its document and records.
fn play(game: &str, scenario: &str, players: &[&str]) -> (FinalDocument, Vec<String>) {
    let catalog = quintain_games::catalog();
    let set = ScenarioSet::find(&catalog, game, scenario).unwrap();
    let rule = ScoringRule { objective: set.game().objective(), scoring: set.game().scoring() };
    let (seats, rounds) = (set.game().seats(), 3);
    let is_solo = rule.scoring == quintain_core::Scoring::Independent;
    let ground = (scenario.to_owned(), seats);
    let (mut matches, mut records) = (Vec::new(), Vec::new());
    for slot in schedule(SECRET, players.len(), &[ground], rounds, is_solo) {
        let seated: Vec<PlayerHandle> =
            slot.seats.iter().map(|&seat| catalog.player(game, players[seat]).unwrap()).collect();
        let budget = Budget { iterations: Some(20), nodes: Some(20), ..Budget::default() };
        let setup = Setup::new(slot.seed).with_budget(budget);
        let record =
            set.instance(slot.seed).play(&setup, &seated.iter().collect::<Vec<_>>(), None).unwrap();
        records.push(record.to_json());
        matches.push(FinalMatch {
            round: slot.round,
            scenario: slot.scenario,
            seed: slot.seed,
            players: slot.seats.iter().map(|&seat| id_of(seat)).collect(),
            scores: record.outcome.scores,
            fault_seat: None,
        });
    }
    let ids: Vec<i64> = (0..players.len()).map(id_of).collect();
    let rows = rows(rule, &ids, &matches).unwrap();
    let likely = likely_ranks(rule, &rows, &matches);
    let rank = |(row, likely): (&quintain_standings::LadderRow, _)| FinalRank {
        id: row.player.parse().unwrap(),
        rank: row.rank,
        likely,
        measure: row.measure,
    };
    let document = FinalDocument {
        format: DOCUMENT_FORMAT,
        contest: "cup".to_owned(),
        game: game.to_owned(),
        commitment: commitment(SECRET),
        secret: SECRET.to_owned(),
        rounds,
        scenarios: vec![FinalScenario { text: scenario.to_owned(), seats }],
        players: players.iter().enumerate().map(|(at, player)| player_of(at, player)).collect(),
        standings: rows.iter().zip(likely).map(rank).collect(),
    };
    (document, records)
}

/// Numbers whose order as text is not their order as numbers.
fn id_of(seat: usize) -> i64 {
    8 + seat as i64
}

fn player_of(seat: usize, player: &str) -> FinalPlayer {
    let (player, label) = (player.to_owned(), player.to_owned());
    FinalPlayer { id: id_of(seat), player, label, digest: None }
}

fn catalog() -> Catalog {
    quintain_games::catalog()
}

/// Verifies; returns the number of matches, or what is wrong.
fn verify(document: &FinalDocument, records: &[String]) -> Result<usize, String> {
    let told = |refusal: quintain_final::Refusal| refusal.to_string();
    let mut verification = Verification::begin(catalog(), document.clone()).map_err(told)?;
    for (place, record) in records.iter().enumerate() {
        verification.check(place, record).map_err(told)?;
    }
    verification.finish().map(|verdict| verdict.matches).map_err(told)
}

fn small_final() -> (FinalDocument, Vec<String>) {
    play("tron", "empty?width=7&height=7", &["random", "wall-hugger", "greedy"])
}

#[test]
fn finals_of_rivals_and_of_solo_players_are_verified() {
    let (document, records) = small_final();
    assert_eq!(verify(&document, &records), Ok(18));
    let drawn = "drawn?size=3&seed={seed}";
    let (document, records) = play("hextris", drawn, &["random", "greedy"]);
    assert_eq!(verify(&document, &records), Ok(6));
}

#[test]
fn a_page_shows_the_verified_result() {
    let (document, records) = small_final();
    let mut verification = Verification::begin(catalog(), document.clone()).unwrap();
    for (place, record) in records.iter().enumerate() {
        verification.check(place, record).unwrap();
    }
    let shown = verification.finish().unwrap().shown;
    assert_eq!(shown.commitment, commitment(SECRET));
    assert_eq!(shown.programs, Vec::<Vec<String>>::new(), "none was submitted");
    let mut said = document;
    said.standings[0].likely = Some((2, 3));
    said.standings[0].measure = Some(464.0);
    said.standings[1].likely = Some((2, 2));
    said.standings[1].measure = None;
    said.players[0].digest = Some("d1".to_owned());
    let other = said.shown();
    assert_eq!(other.standings[0][1], "2–3");
    assert_eq!(other.standings[0][3], "464.00");
    let player = &shown.standings[1][2];
    assert_eq!(other.standings[1][1..], ["2", player, "–", player]);
    assert_ne!(other.standings, shown.standings);
    assert_eq!(other.programs, [["random", "random", "d1"]]);
}

#[test]
fn a_record_with_any_byte_changed_is_refused_by_its_match() {
    let (document, records) = small_final();
    // Each byte in turn is made another: its text is no longer that of the digest, or no record.
    let text = &records[4];
    for at in (0..text.len()).step_by(7) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
        let mut changed = records.clone();
        changed[4] = String::from_utf8(bytes).unwrap();
        let refused = verify(&document, &changed).unwrap_err();
        assert!(refused.starts_with("match 5 ("), "byte {at}: {refused}");
    }
}

#[test]
fn a_record_with_a_digest_of_its_own_is_still_replayed() {
    let (document, records) = small_final();
    let mut forged = Record::from_json(&records[0]).unwrap();
    forged.outcome.scores.reverse();
    forged.outcome.scores[0] += 1.0;
    let changed = [&[forged.to_json()], &records[1..]].concat();
    let refused = verify(&document, &changed).unwrap_err();
    assert!(refused.starts_with("match 1 (") && refused.contains("ends differently"), "{refused}");
}

#[test]
fn missing_exchanged_and_surplus_records_are_refused() {
    let (document, records) = small_final();
    let mut exchanged = records.clone();
    exchanged.swap(2, 3);
    let refused = verify(&document, &exchanged).unwrap_err();
    assert!(refused.starts_with("match 3 (") && refused.contains("another match"), "{refused}");
    let refused = verify(&document, &records[..17]).unwrap_err();
    assert!(refused.starts_with("match 18 (") && refused.contains("no record"), "{refused}");
    let more = [&records[..], &records[..1]].concat();
    assert!(verify(&document, &more).unwrap_err().contains("beyond the 18"));
}

#[test]
fn another_secret_and_other_ranks_are_refused() {
    let (document, records) = small_final();
    let chosen = FinalDocument { secret: "chosen later".to_owned(), ..document.clone() };
    assert!(verify(&chosen, &records).unwrap_err().contains("the digest that was shown"));
    let renewed = FinalDocument { commitment: commitment("chosen later"), ..chosen };
    assert!(verify(&renewed, &records).unwrap_err().starts_with("match 1 ("));
    let mut better = document.clone();
    // All of them the first.
    better.standings.iter_mut().for_each(|said| said.rank = 1);
    let refused = verify(&better, &records).unwrap_err();
    assert!(refused.contains("has rank 1") && refused.contains("the matches give"), "{refused}");
    let mut without = document;
    without.standings.pop();
    assert!(verify(&without, &records).unwrap_err().contains("every program once"));
}

/// A final of a built-in player and two programs, Ada's and Bob's.
fn final_of_programs() -> (FinalDocument, Vec<String>) {
    let (mut document, records) = small_final();
    let records = records.iter().map(|text| {
        let mut record = Record::from_json(text).unwrap();
        for seat in &mut record.fixture.seats {
            *seat = match seat.as_str() {
                "wall-hugger" => "bot:Ada.1".to_owned(),
                "greedy" => "bot:Bob.12".to_owned(),
                other => other.to_owned(),
            };
        }
        record.id = record.fixture.id();
        record.to_json()
    });
    let named = [("random", "random", None), ("bot:Ada.1", "Ada v1", Some("d1"))];
    let named = named.into_iter().chain([("bot:Bob.12", "Bob B. v12", Some("d2"))]);
    for (player, (name, label, digest)) in document.players.iter_mut().zip(named) {
        (player.player, player.label) = (name.to_owned(), label.to_owned());
        player.digest = digest.map(str::to_owned);
    }
    (document, records.collect())
}

#[test]
fn names_and_digests_are_those_of_the_records_or_only_what_the_host_says() {
    let (document, records) = final_of_programs();
    assert_eq!(verify(&document, &records), Ok(18));
    // What is proved are the players of the records; a page shows them beside all that is said.
    let shown = document.shown();
    let row = |of: &[Vec<String>], at: usize, text: &str| {
        of.iter().find(|row| row[at] == text).unwrap_or_else(|| panic!("{text}: {of:?}")).clone()
    };
    assert_eq!(row(&shown.standings, 2, "bot:Bob.12")[4], "Bob B. v12");
    assert_eq!(row(&shown.programs, 0, "bot:Ada.1"), ["bot:Ada.1", "Ada v1", "d1"]);
    let refused = |change: &dyn Fn(&mut FinalDocument)| {
        let mut changed = document.clone();
        change(&mut changed);
        verify(&changed, &records).unwrap_err()
    };
    let swap = |of: &mut FinalDocument, one: usize, other: usize| {
        let (label, digest) = (of.players[one].label.clone(), of.players[one].digest.clone());
        of.players[one].label = of.players[other].label.clone();
        of.players[one].digest = of.players[other].digest.clone();
        (of.players[other].label, of.players[other].digest) = (label, digest);
    };
    // Ada's result for the house's, and the other way round.
    let why = refused(&|of| swap(of, 0, 1));
    assert!(why.contains("random is a built-in player, but is called Ada v1"), "{why}");
    let why = refused(&|of| swap(of, 1, 2));
    assert!(why.contains("bot:Ada.1 is version 1, but is called Bob B. v12"), "{why}");
    let why = refused(&|of| of.players.iter_mut().for_each(|of| of.label = "Ada v1".to_owned()));
    assert!(why.contains("is called Ada v1"), "{why}");
    let why = refused(&|of| of.players[1].digest = None);
    assert!(why.contains("bot:Ada.1 has no digest"), "{why}");
    let why = refused(&|of| of.players[0].digest = Some("d3".to_owned()));
    assert!(why.contains("random is a built-in player, but has a digest"), "{why}");
    let why = refused(&|of| of.standings.reverse());
    assert!(why.contains("not in the order of the ranks"), "{why}");
}
