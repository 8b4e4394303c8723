//! The agent's notes on its decisions, drawn over the positions that they led to.

use std::sync::Arc;

use quintain_core::ui::{Layer, Mark, Paint, Point};
use quintain_core::{AnyEntry, Record, Setup, replay};
use quintain_polymer::entry;

const SCENARIO: &str = "random?width=6&height=6&n=14";

fn play(player: &str) -> Record {
    let entry = Arc::new(entry());
    let game = AnyEntry::game(&entry, SCENARIO).unwrap();
    let seated = AnyEntry::player(&entry, player).unwrap();
    let setup = Setup::new(2).with_notes(true);
    game.play(&setup, &[&seated], None).unwrap()
}

/// The marks of an overlay on each turn.
fn overlay(record: &Record, name: &str) -> Vec<Vec<(Point, u8, char)>> {
    let game = AnyEntry::game(&Arc::new(entry()), SCENARIO).unwrap();
    let mut turns = Vec::new();
    replay(game.as_ref(), record, &mut |state, _| {
        let scene = state.scene(None);
        let layer = |layer: &&Layer| layer.overlay && layer.name == name;
        let layer = scene.layers.iter().find(layer).expect("the overlay is known on every turn");
        let mark = |mark: &Mark| match mark {
            Mark::Cell { at, paint: Paint::Heat(heat), glyph } => (*at, *heat, *glyph),
            other => panic!("{other:?}"),
        };
        turns.push(layer.marks.iter().map(mark).collect());
    })
    .unwrap();
    turns
}

/// Where the last monomer is drawn after a turn.
fn head_of(record: &Record, turn: usize) -> Point {
    let game = AnyEntry::game(&Arc::new(entry()), SCENARIO).unwrap();
    let mut heads = Vec::new();
    replay(game.as_ref(), record, &mut |state, _| {
        let scene = state.scene(None);
        let layer = scene.layers.iter().find(|layer| layer.name == "head").unwrap();
        let Mark::Cell { at, .. } = layer.marks[0] else { panic!("a head is a cell") };
        heads.push(at);
    })
    .unwrap();
    heads[turn]
}

#[test]
fn visits_and_votes_lie_on_the_cells_that_were_on_offer() {
    let record = play("uct?memory=false");
    let (visits, votes) = (overlay(&record, "visits"), overlay(&record, "votes"));
    let steps: Vec<&str> = record.actions.split(' ').collect();
    assert!(visits[0].is_empty(), "nothing was decided yet");
    let mut decisions = 0;
    for (turn, step) in (1..).zip(steps) {
        // From the previous head to the cells around it, wherever they are drawn.
        let went = head_of(&record, turn);
        let ways = [("R", (1, 0)), ("D", (0, 1)), ("L", (-1, 0)), ("U", (0, -1))];
        let shift = |from: Point, (column, row): (i32, i32)| {
            Point::new(
                1 + (from.column - 1 + column).rem_euclid(6),
                1 + (from.row - 1 + row).rem_euclid(6),
            )
        };
        let way = ways.iter().find(|(name, _)| *name == step).unwrap().1;
        let before = shift(went, (-way.0, -way.1));
        let cells = ways.map(|(_, way)| shift(before, way));
        let noted = record.notes.iter().filter(|note| note.turn as usize + 1 == turn);
        let trees: f64 =
            noted.filter(|note| note.name.starts_with("votes ")).map(|n| n.value).sum();
        if !votes[turn].is_empty() {
            decisions += 1;
            assert!(votes[turn].len() > 1, "there was a choice");
            assert_eq!(trees, 5.0, "each tree has one vote");
            let shown: u32 =
                votes[turn].iter().map(|(_, _, glyph)| glyph.to_digit(10).unwrap()).sum();
            assert_eq!(shown, 5);
            // The step that was played has the most votes.
            let most = votes[turn].iter().map(|(_, _, glyph)| *glyph).max().unwrap();
            let own = votes[turn].iter().find(|(at, ..)| *at == went).unwrap();
            assert_eq!(own.2, most);
        }
        for marks in [&visits[turn], &votes[turn]] {
            assert!(marks.iter().all(|(at, ..)| cells.contains(at)));
        }
        let heat: u32 = visits[turn].iter().map(|(_, heat, _)| u32::from(*heat)).sum();
        assert!(heat == 0 || (250..=255).contains(&heat), "shares of all visits: {heat}");
    }
    assert!(decisions > 4, "only {decisions} decisions were shown");
}

#[test]
fn a_remembered_playout_shows_the_decisions_that_it_shares() {
    let record = play("uct");
    let shown = overlay(&record, "votes");
    let first = shown.iter().position(|marks| !marks.is_empty());
    assert!(first.is_some(), "the first decisions are made before every playout");
}

#[test]
fn players_that_record_nothing_have_empty_overlays() {
    for player in ["greedy", "champion?nodes=200"] {
        assert!(overlay(&play(player), "visits").iter().all(Vec::is_empty));
    }
}
