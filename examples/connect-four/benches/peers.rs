//! Connect four through our traits beside the `board-game` crate's, the same work
//! in the same run: random games from the empty board, and Monte Carlo tree search.
//! Both draw from xoshiro256++. What is measured is processor time, so that other
//! work on the machine counts for little.

use std::hint::black_box;
use std::time::Duration;

use board_game::ai::mcts::mcts_build_tree;
use board_game::board::Board as _;
use board_game::games::connect4::Connect4;
use connect_four::{ConnectFour, scenario};
use cpu_time::ThreadTime;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::{MatchStart, Meter, Player, Rng, Rules, Seat, Setup, play};
use quintain_search::random::Random;
use quintain_search::rollout::rollout;
use quintain_search::uct::{Options, Uct};
use rand_of_board_game::SeedableRng;
use rand_of_board_game::rngs::SmallRng;

const GAMES: u64 = 1_000;
const SIMULATIONS: u64 = 100_000;
/// Of both searches, for values on a scale from 0 to 1.
const EXPLORATION: f64 = std::f64::consts::SQRT_2;

/// The time the bench's own thread spent on a processor.
struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }
    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }
    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }
    fn zero(&self) -> Duration {
        Duration::ZERO
    }
    fn to_f64(&self, time: &Duration) -> f64 {
        time.as_nanos() as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn playouts(c: &mut Criterion<ProcessorTime>) {
    let mut group = c.benchmark_group("random games");
    group.throughput(Throughput::Elements(GAMES));
    group.bench_function("quintain", |b| {
        let mut rng = Rng::from_seed(1);
        let start = scenario(ConnectFour).start(&mut rng);
        let mut joint = Vec::new();
        b.iter(|| {
            for _ in 0..GAMES {
                let mut state = black_box(&start).clone();
                rollout(&ConnectFour, &mut state, u32::MAX, &mut rng, &mut joint);
                black_box(ConnectFour.score(&state, Seat::new(0)));
            }
        });
    });
    group.bench_function("board-game", |b| {
        let mut rng = SmallRng::seed_from_u64(1);
        let start = Connect4::default();
        b.iter(|| {
            for _ in 0..GAMES {
                let mut board = black_box(&start).clone();
                while board.outcome().is_none() {
                    board.play_random_available_move(&mut rng).expect("the game is not over");
                }
                black_box(board.outcome());
            }
        });
    });
    group.finish();
}

fn simulations(c: &mut Criterion<ProcessorTime>) {
    let mut group = c.benchmark_group("tree search simulations");
    group.throughput(Throughput::Elements(SIMULATIONS)).sample_size(20);
    group.bench_function("quintain", |b| {
        let mut rng = Rng::from_seed(1);
        let start = scenario(ConnectFour).start(&mut rng);
        let mut search = Uct::new(Options { exploration: EXPLORATION, ..Options::default() });
        b.iter(|| {
            let mut meter = Meter::of(SIMULATIONS);
            search.search(&ConnectFour, black_box(&start), Seat::new(0), &mut meter, &mut rng)
        });
    });
    group.bench_function("board-game", |b| {
        let mut rng = SmallRng::seed_from_u64(1);
        let start = Connect4::default();
        b.iter(|| {
            mcts_build_tree(black_box(&start), SIMULATIONS, EXPLORATION as f32, &mut rng)
                .best_move()
        });
    });
    group.finish();
}

/// A whole match through the referee, between players that cost next to nothing.
fn matches(c: &mut Criterion<ProcessorTime>) {
    let mut group = c.benchmark_group("match plies");
    let match_start = MatchStart::new("connect-four", "standard", 2);
    let run = |seed: u64| {
        let setup = Setup::new(seed);
        let mut players: Vec<Box<dyn Player<ConnectFour>>> =
            vec![Box::new(Random), Box::new(Random)];
        play(scenario(ConnectFour), &match_start, &setup, &mut players, &mut |_| {}).actions.len()
            as u64
    };
    let plies = (0..GAMES).map(run).sum();
    group.throughput(Throughput::Elements(plies));
    group.bench_function("quintain", |b| b.iter(|| (0..GAMES).map(run).sum::<u64>()));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(ProcessorTime);
    targets = playouts, simulations, matches
}
criterion_main!(benches);
