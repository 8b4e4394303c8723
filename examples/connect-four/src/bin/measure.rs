//! How good a player is at connect four: how often it plays a move that keeps the position's value,
//! as a perfect solver says, and how it does against the other players.
//!
//! `cargo run --release -p connect-four --bin measure -- 1000 'puct?net=FILE' …`

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

use connect_four::{Board, ConnectFour};
use quintain_core::{Budget, Decision, Entry, Player, Rng, Rules, Seat, Turn};

const USAGE: &str = "expected how many positions to judge, then players";
/// Discs of a position to be judged: earlier ones take a plain solver too long.
const PLIES: std::ops::Range<usize> = 16..38;
/// Pairs of matches against each rival, both seats from the same random start.
const PAIRS: u64 = 50;
const RIVALS: [&str; 5] = ["random", "greedy", "flat-monte-carlo", "uct", "alpha-beta"];

type AnyPlayer = Box<dyn Player<ConnectFour>>;

/// Solves positions: won, drawn or lost for the seat that moves. Alpha-beta with a table, columns
/// from the middle outwards.
#[derive(Default)]
struct Solver {
    /// Bounds of values, by position.
    known: HashMap<Board, (i8, i8)>,
}

impl Solver {
    fn solve(&mut self, board: &Board, mut low: i8, mut high: i8) -> i8 {
        let (least, most) = self.known.get(board).copied().unwrap_or((-1, 1));
        low = low.max(least);
        high = high.min(most);
        if low >= high {
            return low;
        }
        let children = children(board);
        // A win at once needs no search.
        if children.iter().any(|(_, child)| value_at_end(child) == Some(-1)) {
            return 1;
        }
        let begin = low;
        let mut best = -1;
        for (_, child) in &children {
            let value = match value_at_end(child) {
                Some(value) => -value,
                None => -self.solve(child, -high, -low),
            };
            best = best.max(value);
            low = low.max(value);
            if low >= high {
                break;
            }
        }
        let entry = self.known.entry(board.clone()).or_insert((-1, 1));
        if best > begin {
            entry.0 = entry.0.max(best);
        }
        if best < high {
            entry.1 = entry.1.min(best);
        }
        best
    }

    /// The value of a move for who plays it.
    fn value_of(&mut self, child: &Board) -> i8 {
        match value_at_end(child) {
            Some(value) => -value,
            None => -self.solve(child, -1, 1),
        }
    }
}

/// The columns that can be played, from the middle outwards, and what follows.
fn children(board: &Board) -> Vec<(connect_four::Column, Board)> {
    let Turn::Seat(seat) = ConnectFour.turn(board) else { return Vec::new() };
    let mut actions = Vec::new();
    ConnectFour.actions(board, seat, &mut actions);
    let middle = |column: &connect_four::Column| {
        let number: i8 = column.to_string().parse().expect("a column is a number");
        (number - 4).abs()
    };
    actions.sort_by_key(middle);
    let apply = |action: connect_four::Column| {
        let mut next = board.clone();
        ConnectFour.step(&mut next, &[action]);
        (action, next)
    };
    actions.into_iter().map(apply).collect()
}

/// The value of a finished game for the seat that would move: its rival made the last move.
fn value_at_end(board: &Board) -> Option<i8> {
    (ConnectFour.turn(board) == Turn::Over)
        .then(|| if ConnectFour.score(board, Seat::new(0)) == 0.5 { 0 } else { -1 })
}

/// The position after so many random moves, if the game is still on.
fn random_position(plies: usize, rng: &mut Rng) -> Option<Board> {
    let mut board = Board::default();
    for _ in 0..plies {
        let Turn::Seat(seat) = ConnectFour.turn(&board) else { return None };
        let action = ConnectFour.random_action(&board, seat, rng);
        ConnectFour.step(&mut board, &[action]);
    }
    matches!(ConnectFour.turn(&board), Turn::Seat(_)).then_some(board)
}

fn decide(
    player: &mut AnyPlayer,
    board: &Board,
    rng: &mut Rng,
) -> Result<connect_four::Column, Box<dyn Error>> {
    let Turn::Seat(seat) = ConnectFour.turn(board) else { return Err("the game is over".into()) };
    let mut decision =
        Decision::new(&ConnectFour, board, seat, rng).with_limits(0, Budget::default(), None);
    Ok(player.decide(&mut decision).map_err(|fault| fault.to_string())?)
}

/// The points of `first` in a match from `board`, in which it has seat 0 or 1.
fn play(
    first: &mut AnyPlayer,
    second: &mut AnyPlayer,
    seat: usize,
    mut board: Board,
    rng: &mut Rng,
) -> Result<f64, Box<dyn Error>> {
    while let Turn::Seat(mover) = ConnectFour.turn(&board) {
        let player = if mover.index() == seat { &mut *first } else { &mut *second };
        let action = decide(player, &board, rng)?;
        ConnectFour.step(&mut board, &[action]);
    }
    Ok(ConnectFour.score(&board, Seat::new(seat)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let positions: usize = arguments.next().and_then(|text| text.parse().ok()).ok_or(USAGE)?;
    let entry: Entry<ConnectFour> = quintain_net::add_to(connect_four::entry());
    let mut rng = Rng::from_seed(1);
    let mut solver = Solver::default();
    let mut judged: Vec<(Board, i8)> = Vec::new();
    let began = Instant::now();
    // Those in which nothing can be got wrong among them.
    let mut drawn = 0_u32;
    while judged.len() < positions {
        let plies = PLIES.start + rng.below(PLIES.len());
        let Some(board) = random_position(plies, &mut rng) else { continue };
        drawn += 1;
        let values: Vec<i8> = children(&board).iter().map(|(_, c)| solver.value_of(c)).collect();
        // Where every move is as good as any other, there is nothing to get wrong.
        if values.iter().any(|value| *value != values[0]) {
            let best = values.into_iter().max().unwrap_or(0);
            judged.push((board, best));
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{positions} positions with {PLIES:?} discs and a choice that matters, among {drawn} \
         random ones, \
         in {seconds:.0} s"
    );
    for spec in arguments {
        let mut player = entry.build_player(&spec, &ConnectFour)?;
        let mut kept = 0;
        let began = Instant::now();
        for (board, best) in &judged {
            let action = decide(&mut player, board, &mut rng)?;
            let child = children(board).into_iter().find(|(known, _)| *known == action);
            let (_, child) = child.ok_or("an action that is not offered")?;
            kept += u64::from(solver.value_of(&child) == *best);
        }
        let millis = began.elapsed().as_secs_f64() * 1e3 / positions as f64;
        let share = kept as f64 * 100.0 / positions as f64;
        let of_all = 100.0 - (positions as u64 - kept) as f64 * 100.0 / f64::from(drawn);
        println!(
            "{spec}: keeps the value in {share:.1} %, of all random positions in {of_all:.1} % \
             ({millis:.2} ms a move)"
        );
        for rival in RIVALS {
            let mut other = entry.build_player(rival, &ConnectFour)?;
            let mut points = 0.0;
            for pair in 0..PAIRS {
                let mut own = Rng::from_seed(pair);
                let board = loop {
                    let plies = own.below(7);
                    if let Some(board) = random_position(plies, &mut own) {
                        break board;
                    }
                };
                for seat in 0..2 {
                    let start = board.clone();
                    points += play(&mut player, &mut other, seat, start, &mut own)?;
                }
            }
            println!("  against {rival}: {points} of {} points", 2 * PAIRS);
        }
    }
    Ok(())
}
