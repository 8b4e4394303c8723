//! The learned value of the land: the points that a position is still good for, linear in its
//! features ([`super::features`]), with weights for each distribution that move as the board fills.
//!
//! They were learned by least-squares temporal differences (Bradtke and Barto 1996) from greedy
//! games of the champion itself (`examples/learn.rs`). So they know what the greedy worth of a move
//! does not: what land is good for as a whole.

use std::sync::LazyLock;

use super::features::{BOARD_FEATURES, describe_board};
use super::profiles::table_lines;
use crate::rules::board::Board;
use crate::rules::state::{Ruleset, State};

/// The shares of the board that are empty at which the weights are known; between them they are
/// interpolated.
pub const VALUE_KNOTS: [f32; 6] = [0.0, 0.08, 0.2, 0.4, 0.65, 1.0];
/// The side of the boards that they were learned on, and the reading of the rules.
const LEARNED_ON: (usize, Ruleset) = (50, Ruleset::Simulator);

/// The weights of one profile: those of all features at the first knot, then at the next.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BoardValue(Vec<f32>);

impl BoardValue {
    /// Whether the value was learned on boards and rules such as these.
    pub(super) fn fits(side: usize, ruleset: Ruleset) -> bool {
        (side, ruleset) == LEARNED_ON
    }

    /// The points still to be earned from a position whose request is answered; `scratch` is
    /// working memory.
    pub(super) fn evaluate(&self, state: &State, ruleset: Ruleset, scratch: &mut Vec<f32>) -> f32 {
        if state.is_over() {
            return 0.0;
        }
        describe_board(state.board(), ruleset, state.rejections(), scratch);
        let (knot, share) = find_value_knot(state.board());
        let weights =
            self.0[knot * BOARD_FEATURES..][..2 * BOARD_FEATURES].split_at(BOARD_FEATURES);
        let mut sum = 0.0;
        for (feature, (before, after)) in scratch.iter().zip(weights.0.iter().zip(weights.1)) {
            sum += feature * (before + share * (after - before));
        }
        sum
    }
}

/// The knot before a board, and how far it is on the way to the next one, from 0 to 1.
pub fn find_value_knot(board: &Board) -> (usize, f32) {
    let empty = board.empty().count() as f32 / (board.side() * board.side()) as f32;
    let knot = VALUE_KNOTS[1..VALUE_KNOTS.len() - 1].iter().filter(|after| empty > **after).count();
    (knot, (empty - VALUE_KNOTS[knot]) / (VALUE_KNOTS[knot + 1] - VALUE_KNOTS[knot]))
}

/// The learned weights: a line with the names of profiles, then a line for each knot and feature.
static TABLE: &str = include_str!("values.tsv");

/// The learned values, by the names of their profiles.
pub(super) fn find_value(profile: &str) -> Option<&'static BoardValue> {
    static VALUES: LazyLock<Vec<(&str, BoardValue)>> = LazyLock::new(|| {
        let mut lines = table_lines(TABLE);
        let heads = lines.next().unwrap_or_default().split('\t').skip(1);
        let mut values: Vec<(&str, BoardValue)> =
            heads.map(|name| (name, BoardValue(Vec::new()))).collect();
        for line in lines {
            for ((_, value), word) in values.iter_mut().zip(line.split('\t').skip(1)) {
                value.0.push(word.parse().expect("the table has numbers"));
            }
        }
        values
    });
    VALUES.iter().find(|(name, _)| *name == profile).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use quintain_grid::Cell;

    use super::super::profiles::profiles;
    use super::*;

    #[test]
    fn every_value_belongs_to_a_profile_and_has_all_weights() {
        for name in table_lines(TABLE).next().unwrap().split('\t').skip(1) {
            assert!(profiles().iter().any(|profile| profile.name == name), "{name}");
            assert_eq!(
                find_value(name).unwrap().0.len(),
                VALUE_KNOTS.len() * BOARD_FEATURES,
                "{name}"
            );
        }
        assert_eq!(find_value("nobody's"), None);
    }

    #[test]
    fn weights_are_interpolated_by_how_much_is_empty() {
        let mut board = Board::new(50);
        assert_eq!(find_value_knot(&board), (4, 1.0));
        let lay = |board: &mut Board, rows: std::ops::Range<u8>| {
            rows.for_each(|row| (0..50).for_each(|col| board.lay_road(Cell::new(row, col))));
        };
        lay(&mut board, 0..35);
        // 30 % are empty, half way from a fifth to two fifths.
        let (knot, share) = find_value_knot(&board);
        assert_eq!(knot, 2);
        assert!((share - 0.5).abs() < 1e-5, "{share}");
        lay(&mut board, 35..50);
        assert_eq!(find_value_knot(&board), (0, 0.0));
        // The constant alone, worth 10 at 20 % and 30 at 40 %.
        let mut weights = vec![0.0; VALUE_KNOTS.len() * BOARD_FEATURES];
        (weights[2 * BOARD_FEATURES], weights[3 * BOARD_FEATURES]) = (10.0, 30.0);
        let mut board = Board::new(50);
        lay(&mut board, 0..35);
        let state = State::new(50).with_board(board);
        let value = BoardValue(weights).evaluate(&state, Ruleset::Simulator, &mut Vec::new());
        assert!((value - 20.0).abs() < 1e-3, "{value}");
    }

    #[test]
    fn land_that_is_open_is_worth_more_than_the_same_in_strips() {
        let value = find_value("industrialization").unwrap();
        let lay = |rows: &dyn Fn(u8) -> bool| {
            let mut board = Board::new(50);
            for row in (0..50).filter(|row| rows(*row)) {
                (0..50).for_each(|col| board.lay_road(Cell::new(row, col)));
            }
            let state = State::new(50).with_board(board);
            value.evaluate(&state, Ruleset::Simulator, &mut Vec::new())
        };
        assert!(lay(&|row| row < 25) > lay(&|row| row % 2 == 0) + 100.0);
    }
}
