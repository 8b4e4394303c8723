//! The champion's figures in `docs/pentocity.md`, measured again: `just champion
//! pentocity`. It measures players on distributions, on seeds that none was tuned on: mean
//! with 95 % interval, the least, processor time a game, roads, water and park, their utility,
//! what stays empty, a bound ([`bound`]), and how far a player is from the first one, seed by seed.
//!
//! `cargo run --release -p quintain-pentocity --example champion -- [SEEDS SCENARIOS PLAYER…]`
//! with scenarios joined by commas (by semicolons where they contain commas), or `class` for the
//! 15 of the class; without arguments 40, class and the champion. Settings are chosen on other
//! seeds: SEEDS is a number, or `FIRST+NUMBER`.

use std::io::Write as _;
use std::ops::Range;

use cpu_time::ThreadTime;
use quintain_core::{Entry, MatchStart, Player, Rng, Rules as _, Scenario, Setup, play};
use quintain_pentocity::{BONUS, Move, Pentocity, entry};
use quintain_stats::Summary;

/// The first seed: none of these was used to choose a weight.
const FRESH: u64 = 1_000_000;

const USAGE: &str = "expected SEEDS SCENARIOS PLAYER…, as in `40 class champion` (which is played \
    without arguments) or `800000+20 g4,g5 champion champion?effort=80`";

const CLASS: &str =
    "random,tailheavy,industrialization,misfits,stars,tanks,g1,g2,g3,g4,g5,g6,g8,g9,g10";

fn main() {
    let given = std::env::args_os().skip(1);
    let mut arguments: Vec<String> =
        given.map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments.iter().any(|argument| ["-h", "--help"].contains(&argument.as_str())) {
        say(USAGE);
        return;
    }
    if arguments.is_empty() {
        arguments = ["40", "class", "champion"].map(str::to_owned).to_vec();
    }
    let [seeds, scenarios, players @ ..] = arguments.as_slice() else { exit(USAGE) };
    if players.is_empty() {
        exit(USAGE);
    }
    let Some(seeds) = read_seeds(seeds) else {
        exit(&format!(
            "SEEDS: expected how many seeds (from {FRESH} on), or FIRST+NUMBER, found `{seeds}`"
        ));
    };
    let scenarios = if scenarios == "class" { CLASS } else { scenarios };
    let separator = if scenarios.contains(';') { ';' } else { ',' };
    let scenarios: Vec<&str> = scenarios.split(separator).filter(|name| !name.is_empty()).collect();
    let entry = entry();
    // Whatever is wrong is said before the first game.
    for scenario in &scenarios {
        let (built, _) = build(&entry, scenario);
        if built.rules().seats() > 1 {
            exit(&format!("{scenario}: expected a scenario of one player, found one of two"));
        }
        players.iter().for_each(|player| drop(seat(&entry, player, built.rules())));
    }
    say("| scenario | player | mean ± 95 % | least | CPU s a game | roads | water + park | \
         utility | empty | \
         bonuses a building | bound | against the first |");
    say("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for scenario in &scenarios {
        let mut first_scores: Vec<f64> = Vec::new();
        for player in players {
            let (built, canonical) = build(&entry, scenario);
            let rules = built.rules().clone();
            let least_narrow = least_narrow(&built);
            let begin = ThreadTime::now();
            let mut scores = Vec::new();
            let mut sums = [0.0; 6];
            for seed in seeds.clone() {
                let seated = seat(&entry, player, &rules);
                let match_start = MatchStart::new("pentocity", &canonical, 1);
                let setup = Setup::new(seed);
                let played = play(built.clone(), &match_start, &setup, &mut [seated], &mut |_| {});
                let outcome = played.outcome;
                assert!(outcome.fault.is_none(), "{:?}", outcome.fault);
                scores.push(outcome.scores[0]);
                let of = |name: &str| outcome.metrics.get(name).copied().unwrap_or(0.0);
                let wet = of("water cells") + of("park cells");
                let built = of("residences") + of("factories");
                let land = (rules.side() * rules.side()) as f64;
                let size = (land - of("road cells") - wet - of("empty cells")) / built;
                let figures = [
                    of("road cells"),
                    wet,
                    of("utility of water/park cells"),
                    of("empty cells"),
                    of("bonuses") / built,
                    bound(rules.side() as f64, size, least_narrow),
                ];
                sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
            }
            let n = scores.len() as f64;
            if first_scores.is_empty() {
                first_scores.clone_from(&scores);
            }
            let mut apart: Vec<f64> =
                scores.iter().zip(&first_scores).map(|(own, first)| own - first).collect();
            let own = Summary::of(&mut scores).expect("there is a seed");
            let more = Summary::of(&mut apart).expect("there is a seed");
            let [roads, wet, utility, empty, bonuses, bound] = sums.map(|sum| sum / n);
            say(&format!(
                "| {scenario} | {} | {:.0} ± {} | {:.0} | {:.3} | {roads:.0} | {wet:.0} | \
                 {utility:.2} | {empty:.0} | {bonuses:.2} | {bound:.0} | {:+.1} ± {} |",
                player.get(..40).unwrap_or(player),
                own.mean,
                reach(&own, 0),
                own.min,
                begin.elapsed().as_secs_f64() / n,
                more.mean,
                reach(&more, 1),
            ));
        }
    }
}

/// The seeds; nothing if there are none.
fn read_seeds(seeds: &str) -> Option<Range<u64>> {
    let (first, number) = match seeds.split_once('+') {
        Some((first, number)) => (first.parse().ok()?, number),
        None => (FRESH, seeds),
    };
    let seeds = first..first.checked_add(number.parse().ok()?)?;
    (!seeds.is_empty()).then_some(seeds)
}

fn build(entry: &Entry<Pentocity>, scenario: &str) -> (Scenario<Pentocity>, String) {
    entry.build(scenario).unwrap_or_else(|error| exit(&error.to_string()))
}

fn seat(entry: &Entry<Pentocity>, player: &str, rules: &Pentocity) -> Box<dyn Player<Pentocity>> {
    entry.build_player(player, rules).unwrap_or_else(|error| exit(&error.to_string()))
}

/// Prints a line; ends the program if nobody reads it any more.
fn say(line: &str) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}") {
        eprintln!("error: the table could not be written: {error}");
        std::process::exit(1);
    }
}

/// Says what is wrong with the arguments.
fn exit(error: &str) -> ! {
    eprintln!("error: {error}");
    std::process::exit(2);
}

/// How far the 95 % interval of a mean reaches to either side; one game has none.
fn reach(of: &Summary, digits: usize) -> String {
    match of.interval {
        Some(interval) => format!("{:.digits$}", interval.high - of.mean),
        None => "–".to_owned(),
    }
}

/// An upper bound on the points of any game whose buildings have `size` cells on average, by
/// counting.
///
/// Every building touches a pond and a field; each of their cells has at most 2½ sides for touching
/// (four cells of a pond have ten). A building that needs a road touches one; a cell of road has at
/// most two sides for that, since a road is joined to the border, and is a tree at best. No road is
/// needed in the two outermost rings. A building that lies there has a cell in the inner one, or
/// lies only in the outer one: then it is one cell wide, of at least `least_narrow` cells, or lies
/// in a corner.
fn bound(side: f64, size: f64, least_narrow: f64) -> f64 {
    let [outer, inner] = [4.0 * (side - 1.0), 4.0 * (side - 3.0)];
    let without_road = inner + outer / least_narrow + 4.0;
    let served = size + 2.0 / 2.5;
    let land = side * side;
    let without_roads = land / served;
    let buildings = match without_roads <= without_road {
        true => without_roads,
        false => (land + without_road / 2.0) / (served + 0.5),
    };
    buildings * (size + f64::from(2 * BONUS))
}

/// The number of cells of the smallest building one cell wide that a scenario asks for; infinite if
/// it asks for none.
fn least_narrow(scenario: &Scenario<Pentocity>) -> f64 {
    let mut rng = Rng::from_seed(1);
    let mut least = f64::INFINITY;
    let mut state = scenario.start(&mut rng);
    for _ in 0..1000 {
        scenario.apply_chance(&mut state, &mut rng);
        let Some(piece) = state.request() else { break };
        let shape = piece.shape();
        if shape.height == 1 || shape.width == 1 {
            least = least.min(f64::from(piece.size()));
        }
        scenario.rules().step(&mut state, &[Move::Reject]);
    }
    least
}
