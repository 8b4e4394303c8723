use quintain_core::ui::Paint;
use quintain_core::{Catalog, LogContent, Setup};

use super::*;

/// Returns every game of the workbench, and the one of the examples.
pub(crate) fn catalog() -> Catalog {
    quintain_games::catalog().with(connect_four::entry())
}

/// Returns a short match of each game.
pub(crate) fn short_matches() -> Vec<Record> {
    let catalog = catalog();
    let matches = [
        ("tron", "rooms?width=15&height=11", "space"),
        ("polymer", "random?n=24&width=12&height=12", "greedy"),
        ("gather", "torus?width=7&height=7&players=4", "random"),
        ("hextris", "drawn?size=21", "greedy"),
        ("pentocity", "stars?side=20", "random"),
        ("connect-four", "standard", "random"),
    ];
    let play_match = |(game, scenario, player): &(&str, &str, &str)| {
        let entry = catalog.entry(game).unwrap();
        let game = entry.game(scenario).unwrap();
        let seated = entry.player(player).unwrap();
        let setup = Setup::new(3).with_notes(true);
        game.play(&setup, &vec![&seated; game.seats()], None).unwrap()
    };
    matches.iter().map(play_match).collect()
}

/// A layer as the browser shows it: the look of each cell, plus one.
struct ShownLayer {
    cells: Vec<u32>,
    lines: std::collections::BTreeSet<u32>,
    labels: std::collections::BTreeSet<u32>,
}

/// Returns the layers that the browser shows at a turn, by applying the changes.
fn layers_at(replay: &Replay, turn: usize) -> Vec<ShownLayer> {
    let cells = vec![0; (replay.width * replay.height) as usize];
    let apply = |numbers: &mut std::collections::BTreeSet<u32>, changes: &[i64]| {
        for change in changes {
            match u32::try_from(*change) {
                Ok(number) => numbers.insert(number),
                Err(_) => numbers.remove(&((!change) as u32)),
            };
        }
    };
    replay
        .tracks
        .iter()
        .map(|track| {
            let rest = LayerState::blank();
            let mut drawn =
                ShownLayer { cells: cells.clone(), lines: rest.lines, labels: rest.labels };
            for at in 0..=turn {
                for run in track.cells[at].chunks(3) {
                    drawn.cells[run[0] as usize..(run[0] + run[1]) as usize].fill(run[2]);
                }
                apply(&mut drawn.lines, track.lines.get(at).map_or(&[], Vec::as_slice));
                apply(&mut drawn.labels, track.labels.get(at).map_or(&[], Vec::as_slice));
            }
            drawn
        })
        .collect()
}

#[test]
fn a_board_that_is_drawn_in_parts_is_the_same_as_one_drawn_whole() {
    let catalog = catalog();
    let game = catalog.game("gather", "torus?width=30&height=20&players=4").unwrap();
    let seated = catalog.player("gather", "random").unwrap();
    let record = game.play(&Setup::new(3), &[&seated; 4], None).unwrap();
    let mut builder = ReplayBuilder::new(game.as_ref(), &record.fixture.seats);
    builder.has_overlays = false;
    let (mut turn, mut parts) = (0, 0);
    let mut boards = Vec::new();
    quintain_core::replay(game.as_ref(), &record, &mut |state, played| {
        if turn <= 60 {
            parts += usize::from(state.board_since().is_some());
            builder.push(state, None, played, &[]);
            boards.push(state.board());
        }
        turn += 1;
    })
    .unwrap();
    assert!(parts > 0 && boards.len() == 61, "{parts} parts, {} turns", boards.len());
    for (turn, board) in boards.iter().enumerate() {
        let drawn = layers_at(&builder.replay, turn);
        for mark in &board.layers[0].marks {
            let Mark::Cell { at, paint, glyph } = mark else { panic!("{mark:?}") };
            let look = drawn[0].cells[(at.row * builder.replay.width + at.column) as usize];
            let (style, sign) = builder.replay.looks[look as usize - 1];
            let style = &builder.replay.paints[style];
            let meant = Style::of(*paint);
            let (seen, wanted) =
                ((style.kind, style.number, sign), (meant.kind, meant.number, *glyph));
            assert_eq!(seen, wanted, "turn {turn}, {at:?}");
        }
    }
}

#[test]
fn changes_add_up_to_the_scene_of_every_turn_of_every_game() {
    let catalog = catalog();
    for record in short_matches() {
        let game = catalog.game_of(&record).unwrap();
        let replay = Replay::of(game.as_ref(), &record).unwrap();
        let mut turn = 0;
        quintain_core::replay(game.as_ref(), &record, &mut |state, played| {
            let scene = state.scene(None);
            let drawn = layers_at(&replay, turn);
            for layer in &scene.layers {
                let Some(place) = replay.tracks.iter().position(|track| track.name == layer.name)
                else {
                    // Overlays that never show anything are not in the replay.
                    assert!(layer.overlay && layer.marks.is_empty());
                    continue;
                };
                for mark in &layer.marks {
                    let Mark::Line { from, to, paint } = mark else { continue };
                    let cell =
                        |at: &quintain_core::ui::Point| (at.row * replay.width + at.column) as u32;
                    let wanted = (cell(from), cell(to));
                    assert!(drawn[place].lines.iter().any(|number| {
                        let (from, to, style) = replay.strokes[*number as usize];
                        (from, to) == wanted && replay.paints[style].kind == Style::of(*paint).kind
                    }));
                }
                // Of several marks on a cell, the last one is visible.
                let mut last: HashMap<(i32, i32), (Paint, char)> = HashMap::new();
                for mark in &layer.marks {
                    if let Mark::Cell { at, paint, glyph } = mark {
                        last.insert((at.row, at.column), (*paint, *glyph));
                    }
                }
                for row in 0..replay.height {
                    for column in 0..replay.width {
                        let look = drawn[place].cells[(row * replay.width + column) as usize];
                        let seen = look.checked_sub(1).map(|look| {
                            let (paint, glyph) = replay.looks[look as usize];
                            (replay.paints[paint].kind, replay.paints[paint].number, glyph)
                        });
                        let meant = last.get(&(row, column)).map(|(paint, glyph)| {
                            let style = Style::of(*paint);
                            (style.kind, style.number, *glyph)
                        });
                        assert_eq!(
                            seen, meant,
                            "{} {} turn {turn}",
                            record.fixture.game, layer.name
                        );
                    }
                }
            }
            assert_eq!(replay.turns[turn].played.len(), played.len());
            assert_eq!(replay.turns[turn].caption, clean(&scene.caption));
            turn += 1;
        })
        .unwrap();
        assert_eq!(replay.turns.len(), turn);
        assert!(turn > 3, "{}", record.fixture.game);
        let order: Vec<&str> = replay.tracks.iter().map(|track| track.name.as_str()).collect();
        let last = game.begin(record.fixture.seed).scene(None);
        let places: Vec<_> = last
            .layers
            .iter()
            .filter_map(|layer| order.iter().position(|name| *name == layer.name))
            .collect();
        assert!(places.is_sorted(), "layers keep their order: {order:?}");
    }
}

#[test]
fn notes_are_shown_with_their_decision() {
    let record = &short_matches()[0];
    let mut record = record.clone();
    let note = |turn, value| Note { turn, seat: Seat::new(1), name: "depth".to_owned(), value };
    record.notes = vec![note(0, 4.0), note(2, 6.0)];
    let game = catalog().game_of(&record).unwrap();
    let replay = Replay::of(game.as_ref(), &record).unwrap();
    let noted: Vec<(usize, f64)> = (0..)
        .zip(&replay.turns)
        .flat_map(|(turn, shown)| shown.notes.iter().map(move |note| (turn, note.2)))
        .collect();
    assert_eq!(noted, [(1, 4.0), (3, 6.0)]);
}

#[test]
fn log_lines_of_a_program_are_shown_with_its_decision() {
    let mut record = short_matches()[0].clone();
    let seat = Seat::new(1);
    let content = LogContent::Stderr("depth 3\n\x1b[31mred\n".to_owned());
    record.log = vec![LogEntry { turn: 2, seat, content }];
    let content = LogContent::Note { name: "plan".to_owned(), text: "left".to_owned() };
    record.log.push(LogEntry { turn: 2, seat, content });
    let content = LogContent::Exchange { asked: "U or D?".to_owned(), answered: "U".to_owned() };
    record.log.push(LogEntry { turn: 2, seat, content });
    let at = quintain_core::ui::Point::new(1, 1);
    let drawn = Mark::Cell { at, paint: Paint::Good, glyph: ' ' };
    record.log.push(LogEntry { turn: 4, seat, content: LogContent::Drawing(vec![drawn]) });
    let game = catalog().game_of(&record).unwrap();
    let replay = Replay::of(game.as_ref(), &record).unwrap();
    let shown_logs: Vec<(usize, &str)> = (0..)
        .zip(&replay.turns)
        .flat_map(|(turn, shown)| shown.log.iter().map(move |(_, line)| (turn, line.as_str())))
        .collect();
    assert_eq!(shown_logs[0], (3, "depth 3"));
    assert!(shown_logs[1].1.ends_with("red") && !shown_logs[1].1.contains('\x1b'));
    assert_eq!(shown_logs[2..], [(3, "plan: left"), (3, "> U or D?"), (3, "U")]);
    let track = replay.tracks.iter().find(|track| track.name == "drawings of B").unwrap();
    assert!(track.overlay && track.cells[4].is_empty() && !track.cells[5].is_empty());
}

#[test]
fn scores_are_listed_when_they_change() {
    let record = &short_matches()[3];
    let game = catalog().game_of(record).unwrap();
    let replay = Replay::of(game.as_ref(), record).unwrap();
    let shown_logs: Vec<&Vec<f64>> =
        replay.turns.iter().filter_map(|turn| turn.scores.as_ref()).collect();
    assert!(shown_logs.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(shown_logs.last(), Some(&&record.outcome.scores));
}

#[test]
fn a_still_contains_only_visible_cells() {
    let catalog = catalog();
    let game = catalog.game("gather", "torus?width=9&height=9&players=3").unwrap();
    let state = game.begin(1);
    let players = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let still = Replay::of_position(game.as_ref(), &players, state.as_ref(), Some(Seat::new(0)));
    assert_eq!(still.turns.len(), 1);
    for track in &still.tracks {
        let drawn: u32 = track.cells[0].chunks(3).map(|run| run[1]).sum();
        assert!(drawn <= 9, "{} shows {drawn} cells", track.name);
    }
}

#[test]
fn a_finished_match_says_what_decided_it_and_a_running_one_does_not() {
    for record in short_matches() {
        let game = catalog().game_of(&record).unwrap();
        let replay = Replay::of(game.as_ref(), &record).unwrap();
        assert_eq!(replay.decision, game.decision(&record).unwrap());
        let begun = game.begin(record.fixture.seed);
        let running = Replay::of_position(game.as_ref(), &record.fixture.seats, &*begun, None);
        assert!(!running.to_json().contains("\"decision\""));
    }
}
