//! Connect four for learners: a byte a cell, 1 for a disc of the first seat, 2 for one of the
//! second. [`CellEncoding`](quintain_core::CellEncoding) would do in five lines; this one is an
//! example of an encoding that is fast: it plays without making actions, writes masks and rows of
//! the board as words, and after a turn writes only the cell that has changed.

use quintain_core::{Encoding, Layout, Rules, ScoreChange, Seat, Turn, View};

use crate::{BOTTOM_ROW, Board, COLUMNS, Column, ConnectFour, ROWS, STRIDE};

pub(crate) struct ConnectFourEncoding;

impl Encoding for ConnectFourEncoding {
    type Rules = ConnectFour;
    /// The discs of both seats.
    type Trace = u64;

    fn rules(&self) -> &ConnectFour {
        &ConnectFour
    }

    fn layout(&self) -> Layout {
        Layout::new(2, COLUMNS, [ROWS, COLUMNS], 3).with_seat_values([1])
    }

    fn action(&self, _board: &Board, _seat: Seat, number: usize) -> Option<Column> {
        (number < COLUMNS).then(|| Column(number as u8 + 1))
    }

    #[inline]
    fn play(&self, board: &mut Board, number: impl Fn(Seat) -> usize) -> Result<ScoreChange, Seat> {
        let Turn::Seat(seat) = ConnectFour.turn(board) else { return Ok(ScoreChange::None) };
        let column = number(seat);
        if !board.is_open(column) {
            return Err(seat);
        }
        board.drop_disc(column);
        Ok(ScoreChange::Possible)
    }

    #[inline]
    fn mask(&self, board: &Board, seat: Seat, out: &mut [i8]) {
        let open = spread(!board.all() >> (ROWS - 1));
        let is_mover = ConnectFour.turn(board) == Turn::Seat(seat);
        copy_bytes(open * u64::from(is_mover), out);
    }

    fn write(&self, board: &Board, view: &mut View<'_>) {
        for (row, out) in view.board.chunks_exact_mut(COLUMNS).enumerate() {
            let [first, second] = board.discs.map(|discs| spread(discs >> (ROWS - 1 - row)));
            for (out, byte) in out.iter_mut().zip((first | second << 1).to_le_bytes()) {
                *out = byte;
            }
        }
    }

    #[inline]
    fn trace(&self, board: &Board) -> u64 {
        board.all()
    }

    #[inline]
    fn rewrite(&self, before: u64, board: &Board, view: &mut View<'_>) {
        let dropped = board.all() ^ before;
        if dropped != 0 && !view.board.is_empty() {
            let bit = dropped.trailing_zeros() as usize;
            let cell = (ROWS - 1 - bit % STRIDE) * COLUMNS + bit / STRIDE;
            view.board[cell] = if board.discs[0] & dropped != 0 { 1 } else { 2 };
        }
    }
}

/// The bits of the bottom row, the others left out, each in a byte of its own: that of column `c`,
/// bit 7·c, goes to bit 8·c.
#[inline]
fn spread(bits: u64) -> u64 {
    // Seven copies, the last moved up by six. No two bits meet, and of those that lie at the start
    // of a byte, each has been moved by the number of its column.
    ((bits & BOTTOM_ROW) * 0x7F) & 0x0001_0101_0101_0101
}

/// Writes the lowest bytes of a word, a column each.
#[inline]
fn copy_bytes(word: u64, out: &mut [i8]) {
    let bytes = word.to_le_bytes().map(|byte| byte as i8);
    out.copy_from_slice(&bytes[..COLUMNS]);
}

#[cfg(test)]
mod tests {
    use quintain_core::Rng;

    use super::*;

    /// What `CellEncoding` writes and masks, cell by cell and column by column.
    fn written_cell_by_cell(board: &Board) -> (Vec<u8>, [Vec<i8>; 2]) {
        let cells = (0..COLUMNS * ROWS).map(|cell| board.disc(cell).map_or(0, |seat| seat + 1));
        let masks = [0, 1].map(|seat| {
            let is_mover = ConnectFour.turn(board) == Turn::Seat(Seat::new(seat));
            (0..COLUMNS).map(|column| i8::from(is_mover && board.is_open(column))).collect()
        });
        (cells.collect(), masks)
    }

    #[test]
    fn words_say_the_same_as_cells_and_columns() {
        let mut rng = Rng::from_seed(1);
        let mut seen = [0; COLUMNS * ROWS];
        let (mut illegal, mut full) = (0, 0);
        for _ in 0..3000 {
            let mut board = Board::default();
            ConnectFourEncoding.write(&board, &mut View { board: &mut seen, features: &mut [] });
            while let Turn::Seat(mover) = ConnectFour.turn(&board) {
                let column = rng.below(COLUMNS);
                let trace = ConnectFourEncoding.trace(&board);
                let mut expected = board.clone();
                let is_legal = ConnectFour.check(&board, mover, &Column(column as u8 + 1)).is_ok();
                let played = ConnectFourEncoding.play(&mut board, |_| column);
                if is_legal {
                    ConnectFour.step(&mut expected, &[Column(column as u8 + 1)]);
                }
                illegal += usize::from(!is_legal);
                assert_eq!(played.is_ok(), is_legal);
                assert_eq!(board, expected);
                let mut view = View { board: &mut seen, features: &mut [] };
                ConnectFourEncoding.rewrite(trace, &board, &mut view);
                let (cells, masks) = written_cell_by_cell(&board);
                assert_eq!(seen[..], cells);
                seen.fill(9);
                let mut view = View { board: &mut seen, features: &mut [] };
                ConnectFourEncoding.write(&board, &mut view);
                assert_eq!(seen[..], cells);
                for (seat, expected) in masks.into_iter().enumerate() {
                    let mut mask = [9; COLUMNS];
                    ConnectFourEncoding.mask(&board, Seat::new(seat), &mut mask);
                    assert_eq!(mask[..], expected);
                }
            }
            full += usize::from(board.winner.is_none());
        }
        assert!(illegal > 100 && full > 0, "{illegal} illegal columns, {full} full boards");
    }
}
