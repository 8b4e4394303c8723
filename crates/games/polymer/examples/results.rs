//! Solvers and bounds on the sizes of `docs/polymer.md`: `cargo run --release -p quintain-polymer
//! --example results [solvers|anchors]`. Rows are Markdown; instances are the course's
//! sizes from seeds 1 to 5. What the slides claim is run by `quintain reproduce polymer`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_polymer::{
    BeamOptions, BeamWidth, Cooling, GrowthWeights, Incumbent, anneal, champion, grow_beam,
};
use quintain_polymer::{Charges, HP_CHAINS, Instance, bounds, course};

fn main() {
    let wanted = std::env::args().nth(1);
    let runs: [(&str, fn()); 2] = [("solvers", solvers), ("anchors", anchors)];
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

/// A meter of some seconds.
fn seconds(seconds: f64) -> Meter {
    Meter::new(u64::MAX, Some(Instant::now() + Duration::from_secs_f64(seconds)))
}

/// Runs a solver with an allowance; returns R_nc, or −1 for none.
fn solve(
    instance: &Arc<Instance>,
    seed: u64,
    solver: impl Fn(&mut Meter, &mut Rng, &mut Incumbent<'_>),
    time: f64,
) -> i32 {
    let mut ignore = |_: &_| {};
    let mut best = Incumbent::new(&mut ignore);
    solver(&mut seconds(time), &mut Rng::from_seed(seed), &mut best);
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
            let annealed = solve(
                &instance,
                seed,
                |meter, rng, best| {
                    anneal(&instance, None, Cooling::for_instance(&instance), meter, rng, best);
                },
                time,
            );
            let weights = GrowthWeights { compact: 0.1, attraction: 0.2 };
            let width = BeamWidth::Walks(300);
            let options = BeamOptions { weights, width, enough: usize::MAX, disturbance: seed };
            let beam = solve(
                &instance,
                seed,
                |meter, _, best| {
                    grow_beam(&instance, &[0], options, meter, best);
                },
                60.0,
            );
            let champion = solve(
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
        let contacts = solve(
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
