//! What programs write besides their actions is kept by turn, within bounds, and never in the
//! record itself.

#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use quintain_core::{FaultKind, LogContent, Record, Setup};

use common::Bench;

/// What the program at seat 0 wrote to standard error, with the turns.
fn stderr(record: &Record) -> Vec<(u32, &str)> {
    let texts = record.log.iter().filter_map(|entry| match &entry.content {
        LogContent::Stderr(text) => Some((entry.turn, text.as_str())),
        _ => None,
    });
    texts.collect()
}

fn setup(notes: bool) -> Setup {
    Setup::new(1).with_notes(notes)
}

#[test]
fn standard_error_is_kept_by_turn() {
    let bench = Bench::new();
    let script = "print('loaded', file=sys.stderr)\n\
                  for turn in turns():\n    \
                  print('turn', turn['turn'], file=sys.stderr)\n    act(turn)";
    bench.bot("talks", script, "");
    let record = bench.record("talks", &setup(false));
    let turns = record.outcome.metrics["turns"] as u32;
    let said = stderr(&record);
    assert_eq!(said[0], (0, "loaded\n"));
    let by_turn: Vec<(u32, String)> =
        (0..turns).map(|turn| (turn, format!("turn {turn}\n"))).collect();
    let expected: Vec<(u32, &str)> =
        by_turn.iter().map(|(turn, text)| (*turn, text.as_str())).collect();
    assert_eq!(said[1..], expected);
}

#[test]
fn output_changes_neither_the_record_nor_its_digest() {
    let bench = Bench::new();
    // What it writes is different every time.
    let script = "for turn in turns():\n    print(time.time_ns(), file=sys.stderr)\n    act(turn)";
    bench.bot("clock", script, "");
    let [first, second] = [(); 2].map(|()| bench.record("clock", &setup(true)));
    assert_ne!(first.log, second.log);
    assert_eq!(first.to_json(), second.to_json());
    assert!(Record::from_json(&first.to_json()).unwrap().log.is_empty());
    assert_eq!(Record::from_json(&first.to_json_with_log()).unwrap(), first);
}

#[test]
fn notes_in_words_and_drawings_are_kept_where_notes_are() {
    let bench = Bench::new();
    let script = "for turn in turns():\n    \
                  say({'type': 'action', 'action': turn['actions'][0],\n         \
                       'notes': {'depth': 3, 'plan': 'along the wall'},\n         \
                       'draw': [{'cell': [1, 2], 'paint': {'heat': 9}}, {'label': [0, 0], 'text': \
                       'a\\tb'},\n                  \
                                {'line': [[0, 0], [3, 1]], 'paint': 'good'}, {'cell': [99, 0]}]})";
    bench.bot("draws", script, "");
    let record = bench.record("draws", &setup(true));
    assert_eq!((record.notes[0].name.as_str(), record.notes[0].value), ("depth", 3.0));
    let LogContent::Note { name, text } = &record.log[0].content else { panic!("{record:?}") };
    assert_eq!((name.as_str(), text.as_str()), ("plan", "along the wall"));
    let LogContent::Drawing(marks) = &record.log[1].content else { panic!("{record:?}") };
    assert_eq!(marks.len(), 4);
    let game = bench.catalog.game_of(&record).unwrap();
    let mut overlays = Vec::new();
    quintain_core::replay(game.as_ref(), &record, &mut |state, _| {
        let scene = state.scene(None);
        assert!(scene.is_within_bounds());
        overlays.extend(scene.overlays().map(ToOwned::to_owned));
    })
    .unwrap();
    assert!(overlays.iter().any(|name| name.starts_with("drawings of ")), "{overlays:?}");
    let without = bench.record("draws", &setup(false));
    assert!(without.log.is_empty() && without.notes.is_empty());
}

#[test]
fn the_words_of_a_program_that_fails_are_kept_with_the_turn_on_which_it_failed() {
    let bench = Bench::new();
    let script = "for turn in turns():\n    if turn['turn'] == 2: print('oh', file=sys.stderr); \
        sys.exit(4)\n    act(turn)";
    bench.bot("falls", script, "");
    let record = bench.record("falls", &setup(false));
    assert_eq!(record.outcome.fault.as_ref().unwrap().fault.kind, FaultKind::Crash);
    assert_eq!(stderr(&record), [(2, "oh\n")]);
}

#[test]
fn one_that_writes_much_is_cut_and_is_not_held_up() {
    let bench = Bench::new();
    let script = "for turn in turns():\n    \
                  sys.stderr.write('<' + 'x' * 200000 + '>'); sys.stderr.flush()\n    act(turn)";
    bench.bot("babbles", script, "");
    let record = bench.record("babbles", &setup(false));
    assert_eq!(record.outcome.fault, None);
    let said = stderr(&record);
    assert!(said[0].1.starts_with("<x") && said[0].1.ends_with("x>"), "{}", said[0].1.len());
    assert!(said[0].1.len() < 5000 && said[0].1.contains("bytes left out"));
}
