//! The rules, on boards drawn in text.

use quintain_core::{Rules, Seat, Turn};

use quintain_new_game::{Cell, NewGame, State};

fn board(text: &str) -> State {
    text.parse().expect("the drawing is a board")
}

/// The position after `cell` is marked.
fn after(text: &str, cell: &str) -> State {
    let mut state = board(text);
    let cell: Cell = cell.parse().expect("the text is a cell");
    NewGame.step(&mut state, &[cell]);
    state
}

#[test]
fn a_position_reads_back_from_its_drawing() {
    let text = "x..\n.o.\n..x\n";
    assert_eq!(board(text).to_string(), text);
    assert!("x..".parse::<State>().is_err());
}

#[test]
fn seats_mark_cells_in_turn() {
    assert_eq!(NewGame.turn(&board("... ... ...")), Turn::Seat(Seat::new(0)));
    assert_eq!(after("x.. ... ...", "5"), board("x.. .o. ..."));
}

#[test]
fn three_in_a_line_win() {
    let state = after("xx. oo. ...", "3");
    assert_eq!(NewGame.turn(&state), Turn::Over);
    assert_eq!(NewGame.score(&state, Seat::new(0)), 1.0);
    assert_eq!(NewGame.ending(&state).reason, "three in a line");
}

#[test]
fn a_marked_cell_is_refused() {
    let marked: Cell = "1".parse().unwrap();
    let refused = NewGame.check(&board("x.. ... ..."), Seat::new(1), &marked).unwrap_err();
    assert_eq!(refused.to_string(), "1 is not offered here");
}
