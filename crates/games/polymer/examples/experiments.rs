//! What the slides claim, run again: `cargo run --release -p quintain-polymer --example
//! experiments [switches|reach|copying|slides|champion]`. Rows are Markdown; instances are
//! the course's sizes from seeds 1, 2, …; the agent's own stream is the instance's seed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_polymer::bounds;
use quintain_polymer::rules::Instance;
use quintain_polymer::scenarios::{Charges, HP_CHAINS, course};
use quintain_polymer::solvers::champion::champion;
use quintain_polymer::solvers::growth::Taste;
use quintain_polymer::solvers::slides::{Line, Reach, SLIDES, Switches, Tally, run};
use quintain_polymer::solvers::{Best, Cooling, anneal, grow};
use quintain_search::solitaire::Solitaire;

fn main() {
    let wanted = std::env::args().nth(1);
    let runs: [(&str, fn()); 5] = [
        ("switches", switches),
        ("reach", reach),
        ("copying", copying),
        ("slides", solvers),
        ("champion", anchors),
    ];
    for (name, run) in runs {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            println!("\n{name}\n");
            run();
        }
    }
}

fn instance(name: &str, seed: u64) -> Arc<Instance> {
    Arc::new(course(name, Charges::Uniform, seed).expect("a size of the course"))
}

/// The mean and half the width of its 95 % interval (normal).
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 1.96 * (variance / n).sqrt())
}

/// R_nc of the agent (none: −100, which would show) with what it came by.
fn agent(instance: &Arc<Instance>, switches: Switches, seed: u64) -> (f64, Tally) {
    let mut ignore = |_: &_| {};
    let mut best = Best::new(&mut ignore);
    let mut rng = Rng::from_seed(seed);
    let tally = run(instance, &[0], switches, &mut Meter::of(u64::MAX), &mut rng, &mut best);
    let r_nc = best.get().map_or(-100, |best| best.r - instance.chain());
    (f64::from(r_nc), tally)
}

fn switches() {
    let base = SLIDES;
    let variants: [(&str, Switches); 11] = [
        ("the slides' agent", base),
        ("ensemble of 1", Switches { ensemble: 1, ..base }),
        ("ensemble of 3", Switches { ensemble: 3, ..base }),
        ("no partial score", Switches { partial: 0.0, ..base }),
        ("partial score that does not fade", Switches { fading: false, ..base }),
        ("reachable cells off", Switches { reach: Reach::Off, ..base }),
        ("reachable cells by colour", Switches { reach: Reach::Colours, ..base }),
        ("no memory", Switches { memory: false, ..base }),
        ("look-ahead of 10", Switches { lookahead: 10, ..base }),
        ("no invariances", Switches { invariances: false, ..base }),
        ("exploration 1", Switches { exploration: 1.0, ..base }),
    ];
    for (size, seeds) in [("L08_s01", 20), ("L08_s03", 6)] {
        println!(
            "| {size}, n = {seeds} | R_nc | against the slides' | dead ends a playout | nodes | s |"
        );
        println!("|---|---|---|---|---|---|");
        let mut first: Vec<f64> = Vec::new();
        for (name, switches) in variants {
            let begin = Instant::now();
            let results: Vec<(f64, Tally)> =
                (1..=seeds).map(|seed| agent(&instance(size, seed), switches, seed)).collect();
            let r: Vec<f64> = results.iter().map(|(r, _)| *r).collect();
            if first.is_empty() {
                first.clone_from(&r);
            }
            let differences: Vec<f64> = r.iter().zip(&first).map(|(a, b)| a - b).collect();
            let ((r, r_half), (d, d_half)) = (mean(&r), mean(&differences));
            let sum =
                |of: fn(&Tally) -> u64| results.iter().map(|(_, t)| of(t)).sum::<u64>() as f64;
            let dead = sum(|t| t.dead_ends) / sum(|t| t.playouts);
            let nodes = sum(|t| t.nodes) / seeds as f64;
            let time = begin.elapsed().as_secs_f64() / seeds as f64;
            println!(
                "| {name} | {r:.2} ± {r_half:.2} | {d:+.2} ± {d_half:.2} | {dead:.3} | {nodes:.0} | {time:.2} |"
            );
        }
    }
}

fn reach() {
    println!(
        "| 10 000 playouts each | dead ends, off | by count | by colour | longest run of dead ends, by count |"
    );
    println!("|---|---|---|---|---|");
    for size in ["L08_s01", "L08_s03", "L08_s02", "L16_s02", "L16_s01"] {
        let mut cells = Vec::new();
        let mut longest = 0;
        for reach in [Reach::Off, Reach::Count, Reach::Colours] {
            let mut line = Line::new(instance(size, 1), &[0], Switches { reach, ..SLIDES });
            let mut rng = Rng::from_seed(1);
            let (mut dead, mut row) = (0, 0);
            for _ in 0..10_000 {
                let whole = line.try_playout(&mut rng);
                row = if whole { 0 } else { row + 1 };
                dead += u32::from(!whole);
                if reach == Reach::Count {
                    longest = longest.max(row);
                }
            }
            cells.push(format!("{:.4}", f64::from(dead) / 10_000.0));
        }
        println!("| {size} | {} | {longest} |", cells.join(" | "));
    }
}

fn copying() {
    use quintain_search::ensemble::{Options, Vote, decide};
    println!("| L64_s01, 20 decisions of 300 iterations | s | positions copied a decision |");
    println!("|---|---|---|");
    for copying in [false, true] {
        let mut line =
            Line::new(instance("L64_s01", 1), &[0, 1], Switches { lookahead: 100, ..SLIDES });
        let options = Options { exploration: 0.2, trees: 1, vote: Vote::Visits, copying };
        let mut rng = Rng::from_seed(1);
        let begin = Instant::now();
        let mut copies = 0;
        for _ in 0..20 {
            let meter = &mut Meter::of(u64::MAX);
            let decided = decide(&mut line, options, 300, meter, &mut rng);
            copies += decided.copies;
            line.step(decided.step.expect("the walk goes on"));
        }
        let name = if copying { "copying" } else { "undoing" };
        println!("| {name} | {:.2} | {} |", begin.elapsed().as_secs_f64(), copies / 20);
    }
}

/// A meter of some seconds.
fn seconds(seconds: f64) -> Meter {
    Meter::new(u64::MAX, Some(Instant::now() + Duration::from_secs_f64(seconds)))
}

/// A solver over an allowance: R_nc, or −1 for none.
fn solved(
    instance: &Arc<Instance>,
    seed: u64,
    solve: impl Fn(&mut Meter, &mut Rng, &mut Best<'_>),
    time: f64,
) -> i32 {
    let mut ignore = |_: &_| {};
    let mut best = Best::new(&mut ignore);
    solve(&mut seconds(time), &mut Rng::from_seed(seed), &mut best);
    best.get().map_or(-1, |best| best.r - instance.chain())
}

fn solvers() {
    println!("| instance | annealing | beam of 300 | champion | bound | s each |");
    println!("|---|---|---|---|---|---|");
    let sizes = [
        ("L08_s01", 1.0),
        ("L08_s02", 3.0),
        ("L08_s03", 3.0),
        ("L16_s01", 6.0),
        ("L16_s02", 6.0),
        ("L64_s01", 6.0),
    ];
    for (size, time) in sizes {
        for seed in 1..=5 {
            let instance = instance(size, seed);
            let annealed = solved(
                &instance,
                seed,
                |meter, rng, best| {
                    anneal(&instance, None, Cooling::suiting(&instance), meter, rng, best);
                },
                time,
            );
            let taste = Taste { compact: 0.1, attraction: 0.05 };
            let beam = solved(
                &instance,
                seed,
                |meter, _, best| grow(&instance, &[0], taste, 300, meter, best),
                60.0,
            );
            let champion = solved(
                &instance,
                seed,
                |meter, rng, best| champion(&instance, &[0], meter, rng, best),
                time,
            );
            let bound = bounds::best(&instance);
            println!(
                "| {size}?seed={seed} | {annealed} | {beam} | {champion} | {bound} | {time} |"
            );
        }
    }
}

fn anchors() {
    println!("| chain | n | best known | champion | s |");
    println!("|---|---|---|---|---|");
    for chain in HP_CHAINS {
        let instance = Arc::new(Instance::hp_in_the_plane(chain.sequence).expect("a chain"));
        let time = if instance.len() < 60 { 4.0 } else { 30.0 };
        let contacts = solved(
            &instance,
            1,
            |meter, rng, best| champion(&instance, &[0], meter, rng, best),
            time,
        );
        println!(
            "| {} | {} | {} | {} | {time} |",
            chain.name,
            instance.len(),
            chain.energy,
            -contacts
        );
    }
}
