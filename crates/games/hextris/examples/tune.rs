//! Tunes the champion's weights on drawn problems, by an evolution strategy whose steps
//! adapt weight by weight (separable CMA-ES; Ros & Hansen 2008):
//!
//! `cargo run --release -p quintain-hextris --example tune -- [generations] [width] [sizes]
//! [first seed] [phrases]`
//!
//! A size can have another number of units: `2:5000`. With `none` for phrases there are none.

use std::sync::Arc;
use std::time::Instant;

use quintain_core::Rng;
use quintain_hextris::SolverInput;
use quintain_hextris::{BeamSettings, BoardWeights, Champion, FEATURES};
use quintain_hextris::{Filling, Instance, Phrases, Problem, Units, draw_problem};

fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, usual: usize| {
        arguments.get(index).map_or(usual, |text| text.parse().expect("a number"))
    };
    let (generations, width) = (number(0, 20), number(1, 2));
    let usual = "0,2,3,4,6,7,8,9,10,11,12,12,13,13,15,16,20,22,23,23";
    let sizes = arguments.get(2).map_or(usual, String::as_str);
    let first = number(3, 100) as u64;
    let phrases = match arguments.get(4).map(String::as_str) {
        Some("none") => Phrases::new(Vec::<String>::new()),
        _ => Phrases::contest(),
    };
    let phrases = Arc::new(phrases);
    let instances: Vec<Instance> = sizes
        .split(',')
        .enumerate()
        .map(|(index, size)| {
            let (size, length) = size.split_once(':').unwrap_or((size, ""));
            let size = size.parse().expect("a size");
            let seed = first + index as u64;
            let mut problem = draw_problem(size, Units::Usual, Filling::Usual, seed);
            if !length.is_empty() {
                let length = length.parse().expect("a number of units");
                let (board, units) = (problem.board().clone(), problem.units().to_vec());
                problem =
                    Problem::new(size as u32, board, units, length, vec![0]).expect("a problem");
            }
            Instance::new(Arc::new(problem), 0, Arc::clone(&phrases))
        })
        .collect();
    let starts: Vec<_> = instances.iter().map(Instance::start).collect();
    let value = |weights: &[f64; FEATURES]| -> Vec<f64> {
        let weights = BoardWeights(weights.map(|weight| weight as f32));
        let settings = BeamSettings { weights, ..BeamSettings::default() };
        let champion = Champion { settings, ..Champion::default() };
        let games = instances.iter().zip(&starts);
        games
            .map(|(instance, start)| {
                let points = champion.estimate(&SolverInput::new(instance, start), width);
                (points.max(1) as f64).ln()
            })
            .collect()
    };
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut mean = BoardWeights::default().0.map(f64::from);
    let mut deviation = mean.map(|weight| weight.abs() * 0.5 + 1.0);
    let clock = Instant::now();
    let begin = value(&mean);
    println!("{:.4} {:.2} s a round", mean_of(&begin), clock.elapsed().as_secs_f64());
    println!("{:?}", begin.iter().map(|ln| ln.exp() as u64).collect::<Vec<_>>());
    let mut rng = Rng::from_seed(7);
    let (many, parents) = (12, 4);
    for generation in 0..generations {
        let mut tried: Vec<(f64, [f64; FEATURES])> = (0..many)
            .map(|_| {
                let mut weights = mean;
                for index in 0..FEATURES {
                    weights[index] += deviation[index] * normal(&mut rng);
                }
                (mean_of(&value(&weights)), weights)
            })
            .collect();
        tried.sort_by(|a, b| b.0.total_cmp(&a.0));
        let old = mean;
        for index in 0..FEATURES {
            let best = tried[..parents].iter().map(|(_, weights)| weights[index]);
            let new = best.clone().sum::<f64>() / parents as f64;
            let spread =
                best.map(|weight| (weight - old[index]).powi(2)).sum::<f64>() / parents as f64;
            mean[index] = new;
            deviation[index] = (0.7 * deviation[index].powi(2) + 0.3 * spread).sqrt();
        }
        println!(
            "{generation} best {:.4} mean {:.4} {:.0} s {:.1?}",
            tried[0].0,
            mean_of(&tried.iter().map(|(value, _)| *value).collect::<Vec<_>>()),
            clock.elapsed().as_secs_f64(),
            mean
        );
    }
    let end = value(&mean);
    println!("{:.4} {:?}", mean_of(&end), mean);
    println!("{:?}", end.iter().map(|ln| ln.exp() as u64).collect::<Vec<_>>());
}
