//! Nested Monte Carlo search (Cazenave 2009) and nested rollout policy adaptation (NRPA, Rosin
//! 2011) for single-seat games: rollouts of rollouts, and rollouts whose policy learns from the
//! best line of the level below.
//!
//! ```
//! # mod digits { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digits/mod.rs")); }
//! # use digits::Digits;
//! use quintain_core::{Meter, Rng};
//! use quintain_search::nested::{NrpaOptions, nested_search, nrpa};
//!
//! // Four digits from 0 to 2; the value is their share of the greatest sum.
//! let (mut meter, mut rng) = (Meter::of(10_000), Rng::from_seed(1));
//! let line = nested_search(&mut Digits(Vec::new()), 2, &mut meter, &mut rng);
//! assert_eq!((line.steps, line.value), (vec![2; 4], 1.0));
//!
//! let options = NrpaOptions { level: 2, iterations: 20, rate: 1.0 };
//! let line = nrpa(&mut Digits(Vec::new()), options, &mut meter, &mut rng);
//! assert_eq!(line.value, 1.0);
//! ```

use std::collections::HashMap;

use quintain_core::{Meter, Rng};

use crate::solitaire::Solitaire;

/// A line of play from the searched position to the end of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct Variation<S> {
    /// The steps.
    pub steps: Vec<S>,
    /// The value, from 0 to 1, of the position where they end.
    pub value: f64,
}

/// A random line from here to the end; the position is left as it was.
fn random_line<P: Solitaire>(position: &mut P, rng: &mut Rng) -> Variation<P::Step> {
    play_line(position, |_, steps| rng.below(steps.len()))
}

/// A line in which `choose` picks every step, by its index among those on offer; the position is
/// left as it was.
fn play_line<P: Solitaire>(
    position: &mut P,
    mut choose: impl FnMut(&P, &[P::Step]) -> usize,
) -> Variation<P::Step> {
    let mut line = Variation { steps: Vec::new(), value: 0.0 };
    let mut steps = Vec::new();
    loop {
        steps.clear();
        position.steps(&mut steps);
        if steps.is_empty() {
            break;
        }
        let step = steps[choose(position, &steps)];
        position.step(step);
        line.steps.push(step);
    }
    line.value = position.value();
    for _ in &line.steps {
        position.undo();
    }
    line
}

/// Runs a nested Monte Carlo search of `level`: at each step every move is judged by a search one
/// level below (a random line at level 0), and the best known line is followed. A line takes one
/// unit of `meter`; when it is spent, the best known line is returned. The position is left as it
/// was.
pub fn nested_search<P: Solitaire>(
    position: &mut P,
    level: u32,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Variation<P::Step> {
    if level == 0 {
        meter.spend();
        return random_line(position, rng);
    }
    let mut best = Variation { steps: Vec::new(), value: f64::NEG_INFINITY };
    let mut depth = 0;
    let mut steps = Vec::new();
    loop {
        steps.clear();
        position.steps(&mut steps);
        if steps.is_empty() {
            break;
        }
        for step in &steps {
            if meter.is_spent() && best.value > f64::NEG_INFINITY {
                break;
            }
            position.step(*step);
            let below = nested_search(position, level - 1, meter, rng);
            position.undo();
            if below.value > best.value {
                best.value = below.value;
                best.steps.truncate(depth);
                best.steps.push(*step);
                best.steps.extend(below.steps);
            }
        }
        position.step(best.steps[depth]);
        depth += 1;
    }
    if depth == 0 {
        best.value = position.value();
    }
    for _ in 0..depth {
        position.undo();
    }
    best
}

/// The options of [`nrpa`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NrpaOptions {
    /// Levels of nesting: a search of level 0 is one rollout of the policy.
    pub level: u32,
    /// The number of searches one level below for each search.
    pub iterations: u32,
    /// How far a policy moves towards the best line after each search of the level below (Rosin's
    /// α).
    pub rate: f64,
}

/// The weights of steps, by their codes.
type Policy = HashMap<u64, f64>;

/// Runs nested rollout policy adaptation. A line takes one unit of `meter`; when it is spent, the
/// best known line is returned. The position is left as it was.
pub fn nrpa<P: Solitaire>(
    position: &mut P,
    options: NrpaOptions,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Variation<P::Step> {
    search_level(position, options, options.level, &mut Policy::new(), meter, rng)
}

/// Runs NRPA at one level. Its policy starts as that of the level above and is dropped afterwards.
fn search_level<P: Solitaire>(
    position: &mut P,
    options: NrpaOptions,
    level: u32,
    policy: &mut Policy,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Variation<P::Step> {
    if level == 0 {
        meter.spend();
        return play_line(position, |position, steps| {
            let weight = |step: &P::Step| policy.get(&position.code(*step)).copied().unwrap_or(0.0);
            let weights: Vec<f64> = steps.iter().map(|step| weight(step).exp()).collect();
            rng.weighted(&weights)
        });
    }
    let mut best = Variation { steps: Vec::new(), value: f64::NEG_INFINITY };
    for _ in 0..options.iterations {
        if meter.is_spent() && best.value > f64::NEG_INFINITY {
            break;
        }
        let below = search_level(position, options, level - 1, &mut policy.clone(), meter, rng);
        if below.value >= best.value {
            best = below;
        }
        adapt(position, policy, &best.steps, options.rate);
    }
    best
}

/// Moves the policy towards a line: a step of gradient ascent on the probability that the policy, a
/// softmax of the weights, plays that line.
fn adapt<P: Solitaire>(position: &mut P, policy: &mut Policy, line: &[P::Step], rate: f64) {
    let mut steps = Vec::new();
    let mut changes: Vec<(u64, f64)> = Vec::new();
    for step in line {
        steps.clear();
        position.steps(&mut steps);
        let codes: Vec<u64> = steps.iter().map(|step| position.code(*step)).collect();
        let weights: Vec<f64> =
            codes.iter().map(|code| policy.get(code).copied().unwrap_or(0.0).exp()).collect();
        let total: f64 = weights.iter().sum();
        changes.push((position.code(*step), rate));
        changes.extend(codes.iter().zip(&weights).map(|(code, w)| (*code, -rate * w / total)));
        position.step(*step);
    }
    for _ in line {
        position.undo();
    }
    for (code, change) in changes {
        *policy.entry(code).or_insert(0.0) += change;
    }
}
