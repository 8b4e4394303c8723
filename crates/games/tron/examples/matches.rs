//! Matches at equal processor time, on random boards on which no choice was based unless their
//! numbers say so: both sides of each board, points with a 95 % interval over boards, by the parity
//! of the distance between the heads.
//!
//! `cargo run --release -p quintain-tron --example matches -- FIRST BOARDS LIMIT PLAYER OTHER`
//!
//! LIMIT is processor time of the thread (`20ms`), `nodes=N`, or `other`: as long as the other
//! player thought on the same turn. Players are `champion`, `champion?net=none`,
//! `champion?net=FILE`, `contest2010`, or any other player of the game, which thinks for as long as
//! it takes. Once the players are apart, both paths are filled alike by the champion's filling,
//! unless LIMIT is `other`: then they play to the end.

mod shared;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use quintain_core::{Decision, Player, Rng, Rules as _, Seat, Turn};
use quintain_tron::{State, Tron};
use shared::champion::Champion;
use shared::champion::network::Network;
use shared::champion::settings::Settings;
use shared::direction::Direction;
use shared::duel::Duel;
use shared::{Ending, are_apart, board, contest2010, duel_of, is_even, judge_race, step};

/// What a move may cost.
#[derive(Clone, Copy)]
enum Limit {
    Nodes(u64),
    Time(Duration),
}

/// A player at a match.
enum Contestant {
    Champion(Box<Champion>),
    Contest2010,
    Other(Box<dyn Player<Tron>>),
}

/// What a player is.
enum Kind {
    Champion(Settings),
    Contest2010,
    Other(String),
}

impl Kind {
    fn read(spec: &str) -> Kind {
        match spec.strip_prefix("champion") {
            Some("") => Kind::Champion(Settings::default()),
            Some("?net=none") => Kind::Champion(Settings { network: None, ..Settings::default() }),
            Some(rest) if rest.starts_with("?net=") => {
                let network = Network::open(Path::new(&rest[5..]));
                let network = Some(Arc::new(network.unwrap_or_else(|error| panic!("{error}"))));
                Kind::Champion(Settings { network, ..Settings::default() })
            }
            _ if spec == "contest2010" => Kind::Contest2010,
            _ => Kind::Other(spec.to_owned()),
        }
    }

    fn seat(&self, rules: &Tron) -> Contestant {
        match self {
            Kind::Champion(settings) => {
                Contestant::Champion(Box::new(Champion::new(settings.clone())))
            }
            Kind::Contest2010 => Contestant::Contest2010,
            Kind::Other(spec) => {
                let built = quintain_tron::entry().build_player(spec, rules);
                Contestant::Other(built.unwrap_or_else(|error| panic!("{error}")))
            }
        }
    }
}

/// Asks only every few positions whether there is time left: asking takes as long as a small
/// position.
fn meter(limit: Limit, every: u64) -> impl FnMut() -> bool {
    let began = ThreadTime::now();
    let mut spent = 0;
    let mut goes_on = true;
    move || {
        spent += 1;
        goes_on = goes_on
            && match limit {
                Limit::Nodes(nodes) => spent < nodes,
                Limit::Time(time) => !spent.is_multiple_of(every) || began.elapsed() < time,
            };
        goes_on
    }
}

impl Contestant {
    fn decide(
        &mut self,
        rules: &Tron,
        state: &State,
        duel: &Duel,
        seat: usize,
        limit: Limit,
        rng: &mut Rng,
    ) -> Direction {
        match self {
            Contestant::Champion(champion) => {
                champion.choose(duel, seat, &mut meter(limit, 16)).direction
            }
            Contestant::Contest2010 => {
                contest2010::choose(&duel.put_first(seat), &mut meter(limit, 4)).direction
            }
            Contestant::Other(player) => {
                let seat = Seat::new(seat);
                let mut decision = Decision::new(rules, state, seat, rng);
                let chosen =
                    player.decide(&mut decision).unwrap_or_else(|fault| panic!("{fault:?}"));
                Direction::ALL[chosen as usize]
            }
        }
    }
}

/// The result of a match, and how long both thought.
struct MatchResult {
    ending: Ending,
    used: [Duration; 2],
}

/// Plays a match of the first kind, on this seat, against the other. Without `limit`, it thinks as
/// long as the other.
fn play(number: u64, kinds: &[Kind; 2], first_seat: usize, limit: Option<Limit>) -> MatchResult {
    let (rules, mut state) = board(number);
    let mut rng = Rng::from_seed(number);
    let mut duel = duel_of(&state);
    let mut players = kinds.each_ref().map(|kind| kind.seat(&rules));
    let mut used = [Duration::ZERO; 2];
    // In the players' own order, because the points of the first kind are wanted.
    let seats = [first_seat, 1 - first_seat];
    loop {
        if limit.is_some() && are_apart(&duel) {
            let ending = judge_race(&duel.put_first(first_seat));
            return MatchResult { ending, used };
        }
        let mut moves = [Direction::Up; 2];
        let mut last = Duration::ZERO;
        // The other player goes first, because its time may be the limit.
        for player in [1, 0] {
            let began = ThreadTime::now();
            let limit = limit.unwrap_or(Limit::Time(last));
            let seat = seats[player];
            moves[seat] = players[player].decide(&rules, &state, &duel, seat, limit, &mut rng);
            last = began.elapsed();
            used[player] += last;
        }
        let joint: Vec<quintain_tron::Direction> =
            moves.iter().map(|to| quintain_tron::Direction::ALL[*to as usize]).collect();
        rules.step(&mut state, &joint);
        let ending = step(&mut duel, moves);
        assert_eq!(ending.is_none(), rules.turn(&state) == Turn::Simultaneous, "as the rules say");
        if let Some(ending) = ending {
            let ending = match ending {
                Ending::Points(points) if first_seat == 1 => Ending::Points(2 - points),
                other => other,
            };
            return MatchResult { ending, used };
        }
    }
}

/// Sums of matches, and the points of each board.
#[derive(Default)]
struct Sum {
    won: u32,
    drawn: u32,
    lost: u32,
    head_on: u32,
    boards: Vec<f64>,
    used: [Duration; 2],
}

impl Sum {
    fn add(&mut self, both: &[MatchResult; 2]) {
        let mut points = 0.0;
        for played in both {
            let halves = match played.ending {
                Ending::Points(halves) => halves,
                Ending::HeadOn => {
                    self.head_on += 1;
                    1
                }
            };
            match halves {
                0 => self.lost += 1,
                1 => self.drawn += 1,
                _ => self.won += 1,
            }
            points += f64::from(halves) / 4.0;
            for player in 0..2 {
                self.used[player] += played.used[player];
            }
        }
        self.boards.push(points);
    }

    fn print(&self, name: &str) {
        let boards = self.boards.len() as f64;
        let mean = self.boards.iter().sum::<f64>() / boards;
        let squares: f64 = self.boards.iter().map(|points| (points - mean).powi(2)).sum();
        let half = 1.96 * (squares / (boards - 1.0) / boards).sqrt();
        let decided = f64::from(self.won) / f64::from(self.won + self.lost);
        let [ours, theirs] = self.used.map(|used| used.as_secs_f64());
        println!(
            "{name:4} {boards:4} boards {:5} games  {}-{}-{}  head-on {}  decided {decided:.3}  \
             score {mean:.3} ± {half:.3}  processor {ours:.1} s, {theirs:.1} s",
            2 * self.boards.len(),
            self.won,
            self.drawn,
            self.lost,
            self.head_on,
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, boards, limit, player, other] = arguments.as_slice() else {
        eprintln!("usage: matches FIRST BOARDS LIMIT PLAYER OTHER");
        std::process::exit(2);
    };
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|e| panic!("{text}: {e}"));
    let (first, boards) = (number(first), number(boards));
    let limit = match (limit.strip_prefix("nodes="), limit.strip_suffix("ms")) {
        (Some(nodes), _) => Some(Limit::Nodes(number(nodes))),
        (_, Some(time)) => Some(Limit::Time(Duration::from_millis(number(time)))),
        _ => None,
    };
    let kinds = [Kind::read(player), Kind::read(other)];
    let (mut even, mut odd, mut all) = (Sum::default(), Sum::default(), Sum::default());
    for board_number in first..first + boards {
        let both = [0, 1].map(|seat| play(board_number, &kinds, seat, limit));
        let parity =
            if is_even(duel_of(&board(board_number).1).heads) { &mut even } else { &mut odd };
        parity.add(&both);
        all.add(&both);
        if (board_number + 1 - first).is_multiple_of(50) {
            all.print("so far");
        }
    }
    even.print("even");
    odd.print("odd");
    all.print("all");
}
