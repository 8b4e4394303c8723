//! The champion's figures in `docs/gather.md`, measured again: `just champion gather`. Other
//! line-ups, boards and numbers of players: `just champion gather SEEDS BOARDS NS LINEUP…`, with
//! boards and numbers joined by commas; a line-up is players joined by `+`, each optionally
//! `4*PLAYER`, dealt around the seats.
//!
//! A row has the rounds per match with 95 % intervals, how many matches were cut off, and the
//! clairvoyant bound.

use quintain_core::{Entry, MatchStart, Player, Seat, Setup, play};
use quintain_gather::{Gather, entry};

/// The first seed; no seed from here on was used to choose a parameter.
const FRESH: u64 = 1_000_000;

const BOARDS: &str = "15x22,35x35,76x50,100x100,2x75,92x1";

/// The rounds of one match, its bound, and whether it was cut off.
fn one(entry: &Entry<Gather>, scenario: &str, lineup: &[&str], seed: u64) -> (f64, f64, bool) {
    let (built, canonical) = entry.build(scenario).unwrap_or_else(|error| panic!("{error}"));
    let rules = built.rules().clone();
    let seats = rules.variant().players;
    let mut players: Vec<Box<dyn Player<Gather>>> = Seat::all(seats)
        .map(|seat| entry.build_player(lineup[seat.index() % lineup.len()], &rules))
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}"));
    let match_start = MatchStart::new("gather", &canonical, seats);
    let setup = Setup::new(seed);
    let played = play(built.clone(), &match_start, &setup, &mut players, &mut |_| {});
    assert!(played.outcome.fault.is_none(), "{:?}", played.outcome.fault);
    let bound = played.outcome.metrics["clairvoyant bound"];
    (played.outcome.scores[0], bound, played.outcome.truncated)
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments = ["1000", BOARDS, "2,3,5,8,9", "champion"].map(str::to_owned).to_vec();
    }
    let [seeds, boards, numbers, lineups @ ..] = arguments.as_slice() else {
        eprintln!("usage: champion [SEEDS BOARDS NS LINEUP…]");
        std::process::exit(2);
    };
    let seeds: u64 = seeds.parse().expect("a number of seeds");
    let entry = entry();
    println!(
        "| line-up | board | N | mean ± 95 % | median | p99 | max | cut off | bound | mean / \
         bound |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for lineup in lineups {
        let mut dealt = Vec::new();
        for part in lineup.split('+') {
            match part.split_once('*') {
                Some((count, player)) => {
                    let count: usize = count.parse().expect("a number before *");
                    dealt.extend(std::iter::repeat_n(player, count));
                }
                None => dealt.push(part),
            }
        }
        for board in boards.split(',') {
            for number in numbers.split(',') {
                let scenario = match board.split_once('?') {
                    Some(_) => format!("{board}&players={number}"),
                    None => format!("course?board={board}&players={number}"),
                };
                let results: Vec<(f64, f64, bool)> = (FRESH..FRESH + seeds)
                    .map(|seed| one(&entry, &scenario, &dealt, seed))
                    .collect();
                let n = seeds as f64;
                let mean = results.iter().map(|r| r.0).sum::<f64>() / n;
                let bound = results.iter().map(|r| r.1).sum::<f64>() / n;
                let variance =
                    results.iter().map(|r| (r.0 - mean).powi(2)).sum::<f64>() / (n - 1.0);
                let mut rounds: Vec<f64> = results.iter().map(|r| r.0).collect();
                rounds.sort_by(f64::total_cmp);
                let at = |share: f64| rounds[((n * share) as usize).min(rounds.len() - 1)];
                let cut = results.iter().filter(|r| r.2).count();
                println!(
                    "| {lineup} | {board} | {number} | {mean:.1} ± {:.1} | {} | {} | {} | {cut} | \
                     {bound:.1} | {:.2} |",
                    1.96 * (variance / n).sqrt(),
                    at(0.5),
                    at(0.99),
                    at(1.0),
                    mean / bound
                );
            }
        }
    }
}
