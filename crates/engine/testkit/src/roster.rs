//! Matches of a game's players: the same every time, and records that read back and replay.

use std::sync::Arc;

use quintain_core::{
    AnyEntry, Entry, Match, PlayerHandle, Record, Rng, Rules, Scenario, Seat, Setup,
};

use crate::hiding::SeatView;
use crate::report::{ConformanceReport, TestEffort};

/// Checks that every player that accepts the scenario plays all its seats twice with the same
/// record, which reads back and replays.
pub(crate) fn check_roster<R: Rules>(
    entry: &Arc<Entry<R>>,
    scenario: &str,
    effort: &TestEffort,
    report: &mut ConformanceReport,
) {
    let (Ok(game), Ok((built, _))) = (AnyEntry::game(entry, scenario), entry.build(scenario))
    else {
        return;
    };
    for player in entry.player_entries() {
        let name = player.listed.name();
        if report.has_too_many_failures() {
            return;
        }
        let seated = match AnyEntry::player(entry, name) {
            Ok(seated) => seated,
            Err(error) => {
                report.check(false, || error.to_string());
                continue;
            }
        };
        let seats: Vec<&PlayerHandle> = vec![&seated; game.seats()];
        for seed in 0..effort.matches {
            let setup = Setup::new(seed).with_budget(effort.budget).with_notes(true);
            let at = format!("{scenario}: {name} seed {seed}");
            // A player may refuse a scenario; then there is nothing to check.
            let Ok(record) = game.play(&setup, &seats, None) else { break };
            let fault = &record.outcome.fault;
            report.check(fault.is_none(), || format!("{at}: {fault:?}"));
            let again = game.play(&setup, &seats, None);
            report.check(again.as_ref() == Ok(&record), || {
                format!("{at}: the same match was played in two ways")
            });
            let read = Record::from_json(&record.to_json());
            report.check(read.as_ref() == Ok(&record), || {
                format!("{at}: the record does not read back: {read:?}")
            });
            let replayed = game.verify(&record);
            report.check(replayed.is_ok(), || format!("{at}: {replayed:?}"));
            replay_turn_by_turn(&built, &record, &at, report);
        }
    }
}

/// Checks that a record played back through the text notation ends as it says, and that the notes
/// of players show a seat nothing that it does not see.
fn replay_turn_by_turn<R: Rules>(
    scenario: &Scenario<R>,
    record: &Record,
    at: &str,
    report: &mut ConformanceReport,
) {
    let mut replay = Match::new(scenario.clone(), record.fixture.seed);
    let mut texts = record.action_texts();
    let mut notes = record.notes.as_slice();
    let mut rng = Rng::from_seed(record.fixture.seed);
    while !replay.is_over() {
        let turn = replay.turn();
        let joint = texts.by_ref().take(replay.acting().len()).map(|text| {
            text.parse::<R::Action>().map_err(|error| format!("{text} does not read back: {error}"))
        });
        let played = joint.collect::<Result<Vec<_>, _>>().and_then(|joint| {
            replay.play(&joint).map_err(|(seat, problem)| format!("seat {seat}: {problem}"))
        });
        if let Err(problem) = played {
            report.check(false, || format!("{at}: replay: turn {turn}: {problem}"));
            return;
        }
        let (of_turn, later) = notes.split_at(notes.partition_point(|note| note.turn <= turn));
        notes = later;
        for seat in Seat::all(scenario.rules().seats()).filter(|_| !of_turn.is_empty()) {
            let at = format!("{at}: turn {turn}");
            let view = SeatView { scenario, state: replay.state(), seat, at: &at };
            view.check_notes(of_turn, &mut rng, report);
        }
    }
    let outcome = replay.outcome();
    report
        .check(outcome.as_ref() == Some(&record.outcome) || record.outcome.fault.is_some(), || {
            format!("{at}: the replay ends otherwise")
        });
}
