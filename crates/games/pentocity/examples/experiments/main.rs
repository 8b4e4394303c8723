//! The experiments behind `docs/pentocity.md`: what the report “Project 1: Pentocity”
//! (Columbia, 2016) claims, run again, the source's figure beside ours.
//!
//! `cargo run --release -p quintain-pentocity --example experiments -- NAME [RUNS]`; without
//! a name, all of them. Everything is played on seeds from 1, the same for every player, so
//! that differences are paired; the intervals are 95 %.

mod adversary;
mod class;
mod parts;
mod play;

/// An experiment: its name, how many runs it takes by itself, and how it is run.
type Experiment = (&'static str, u64, fn(u64));

const EXPERIMENTS: [Experiment; 17] = [
    ("table1", 20, class::table1),
    ("roster", 20, class::roster),
    ("table2", 10, class::table2),
    ("figures", 10, class::figures),
    ("perimeter", 50, parts::perimeter),
    ("edges", 50, parts::edges),
    ("components", 50, parts::components),
    ("layout", 50, parts::layout),
    ("road-ties", 400, parts::road_ties),
    ("roads", 200, parts::roads),
    ("ponds", 50, parts::ponds),
    ("walks", 400, parts::walks),
    ("pond-choices", 400, parts::pond_choices),
    ("joint", 50, parts::joint),
    ("rings", 400, parts::rings),
    ("repeats", 200, parts::repeats),
    ("adversary", 40, adversary::found),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = arguments.first();
    let runs = arguments.get(1).map(|runs| runs.parse().expect("RUNS is a whole number"));
    let known = EXPERIMENTS.iter().any(|(name, ..)| wanted.is_none_or(|wanted| wanted == name));
    if !known {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|(name, ..)| *name).collect();
        eprintln!("no such experiment; there are {}", names.join(", "));
        std::process::exit(2);
    }
    for (name, own, run) in EXPERIMENTS {
        if wanted.is_none_or(|wanted| wanted == name) {
            println!("\n{name}\n");
            run(runs.unwrap_or(own));
        }
    }
}
