//! The trained network of this folder plays: it reads, and searching with it keeps the value of
//! positions that are solved by brute force. How good it is in earnest, `src/bin/measure.rs` says.

use connect_four::{Board, ConnectFour, entry};
use quintain_core::{Budget, Decision, Rng, Rules, Seat, Turn};

const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/connect-four.safetensors");

/// The value for the seat to move: 1 won, 0 drawn, −1 lost. Plain, so only for few empty cells.
fn solve(board: &Board) -> i32 {
    let Turn::Seat(seat) = ConnectFour.turn(board) else {
        return if ConnectFour.score(board, Seat::new(0)) == 0.5 { 0 } else { -1 };
    };
    let mut actions = Vec::new();
    ConnectFour.actions(board, seat, &mut actions);
    let mut best = -1;
    for action in actions {
        best = best.max(-solve(&after(board, action)));
        if best == 1 {
            break;
        }
    }
    best
}

fn after(board: &Board, action: connect_four::Column) -> Board {
    let mut next = board.clone();
    ConnectFour.step(&mut next, &[action]);
    next
}

/// Positions late in random games in which some moves keep the value and others do not.
fn positions(count: usize) -> Vec<Board> {
    let mut rng = Rng::from_seed(1);
    let mut found = Vec::new();
    while found.len() < count {
        let mut board = Board::default();
        for _ in 0..30 {
            if let Turn::Seat(seat) = ConnectFour.turn(&board) {
                board = after(&board, ConnectFour.random_action(&board, seat, &mut rng));
            }
        }
        let Turn::Seat(seat) = ConnectFour.turn(&board) else { continue };
        let mut actions = Vec::new();
        ConnectFour.actions(&board, seat, &mut actions);
        let mut values = actions.into_iter().map(|action| solve(&after(&board, action)));
        let first = values.next();
        if values.any(|value| Some(value) != first) {
            found.push(board);
        }
    }
    found
}

/// How many of these positions keep their value.
fn count_kept(player: &str, positions: &[Board]) -> usize {
    let entry = quintain_net::add_to(entry());
    let mut player = entry.build_player(player, &ConnectFour).expect("it reads");
    let mut rng = Rng::from_seed(1);
    let mut keeps = |board: &Board| {
        let Turn::Seat(seat) = ConnectFour.turn(board) else { return false };
        let mut decision = Decision::new(&ConnectFour, board, seat, &mut rng).with_limits(
            0,
            Budget::default(),
            None,
        );
        let action = player.decide(&mut decision).expect("it fits the board");
        -solve(&after(board, action)) == solve(board)
    };
    positions.iter().filter(|board| keeps(board)).count()
}

#[test]
fn searching_with_the_network_keeps_the_value_of_late_positions() {
    let positions = positions(30);
    let searched = count_kept(&format!("puct?net={NETWORK}&simulations=100"), &positions);
    let alone = count_kept(&format!("net?file={NETWORK}"), &positions);
    let random = count_kept("random", &positions);
    println!("searched {searched}, alone {alone}, random {random} of 30");
    assert!(searched >= 27, "{searched}");
    assert!(alone > random, "{alone} {random}");
}
