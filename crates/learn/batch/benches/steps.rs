//! What a step of a batch takes, in nanoseconds of processor time a state: random legal actions
//! drawn from the masks and stepped, with all arrays written and the next episode begun at each
//! end. Each figure is the mean of some runs with its interval of 95 %, so that two builds can be
//! compared on a machine that does other work too.

use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use quintain_batch::{
    ActionNumbers, AnyBatch, ArrayLengths, Arrays, BatchOptions, draw_actions, make_batch,
};

const RUNS: usize = 15;
const STEPS_A_RUN: usize = 1 << 20;

/// The arrays of a batch and its actions.
struct Buffers {
    lengths: ArrayLengths,
    board: Vec<u8>,
    features: Vec<i32>,
    masks: Vec<i8>,
    rewards: Vec<f32>,
    scores: Vec<f64>,
    flags: [Vec<bool>; 3],
    seeds: Vec<u64>,
    actions: Vec<i32>,
}

impl Buffers {
    fn new(lengths: ArrayLengths, states: usize) -> Buffers {
        Buffers {
            board: vec![0; states * lengths.board],
            features: vec![0; states * lengths.features],
            masks: vec![0; states * lengths.masks],
            rewards: vec![0.0; states * lengths.seats],
            scores: vec![0.0; states * lengths.seats],
            flags: [(); 3].map(|()| vec![false; states]),
            seeds: vec![0; states],
            actions: vec![0; states * lengths.seats],
            lengths,
        }
    }

    /// The actions, and the arrays that a step writes.
    fn split(&mut self) -> (&[i32], Arrays<'_>) {
        let [terminated, truncated, illegal] = &mut self.flags;
        let arrays = Arrays {
            lengths: self.lengths,
            board: &mut self.board,
            features: &mut self.features,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            scores: &mut self.scores,
            terminated,
            truncated,
            illegal,
            seeds: &mut self.seeds,
        };
        (&self.actions, arrays)
    }
}

/// Draws and steps; returns what drawing and stepping took.
fn run(batch: &mut dyn AnyBatch, buffers: &mut Buffers, drawn: &mut u64) -> [Duration; 2] {
    let states = buffers.seeds.len();
    let actions = batch.layout().actions;
    let mut spent = [Duration::ZERO; 2];
    for _ in 0..STEPS_A_RUN / states {
        let begun = ThreadTime::now();
        draw_actions(&buffers.masks, actions, *drawn, &mut buffers.actions);
        *drawn += buffers.actions.len() as u64;
        let between = ThreadTime::now();
        let (actions, arrays) = buffers.split();
        batch.step(ActionNumbers::Int(actions), arrays, None).expect("nothing stops it");
        spent[0] += between.duration_since(begun);
        spent[1] += between.elapsed();
    }
    spent
}

/// The mean of some figures, and half the width of its interval of 95 %.
fn summarize(figures: &[f64]) -> (f64, f64) {
    let count = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / count;
    let squares: f64 = figures.iter().map(|figure| (figure - mean).powi(2)).sum();
    // The quantile of Student's t with 14 degrees of freedom.
    (mean, 2.145 * (squares / (count - 1.0) / count).sqrt())
}

fn main() {
    println!("connect four, random legal actions: ns a state, mean of {RUNS} runs ± 95 %");
    for states in [1024, 4096, 16384] {
        let mut options = BatchOptions::default();
        options.autoreset = true;
        let entry = Arc::new(connect_four::entry());
        let (mut batch, _) = make_batch(&entry, "standard", &options).expect("it is known");
        let lengths = ArrayLengths::new(batch.layout(), true, true);
        let mut buffers = Buffers::new(lengths, states);
        let seeds: Vec<u64> = (0..states as u64).collect();
        batch.reset(&seeds, buffers.split().1, None).expect("nothing stops it");
        let mut drawn = 0;
        run(batch.as_mut(), &mut buffers, &mut drawn);
        let mut figures = [Vec::new(), Vec::new()];
        for _ in 0..RUNS {
            let spent = run(batch.as_mut(), &mut buffers, &mut drawn);
            for (figures, spent) in figures.iter_mut().zip(spent) {
                figures.push(spent.as_nanos() as f64 / STEPS_A_RUN as f64);
            }
        }
        let [(draw, draw_half), (step, step_half)] = figures.map(|figures| summarize(&figures));
        println!(
            "{states} states: draw {draw:.1} ± {draw_half:.1}, step {step:.1} ± {step_half:.1}"
        );
    }
}
