//! Nested Monte Carlo search (Cazenave 2009) and nested rollout policy adaptation
//! (NRPA, Rosin 2011) for single-seat games: playouts of playouts, and playouts whose
//! policy learns from the best of those below.

use std::collections::HashMap;

use quintain_core::{Meter, Rng};

use crate::solitaire::Solitaire;

/// A line of play and its value as an end.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<S> {
    /// The steps.
    pub steps: Vec<S>,
    /// The value where they end.
    pub value: f64,
}

/// A random line from here to the end; the position is left as it was.
fn random_line<P: Solitaire>(position: &mut P, rng: &mut Rng) -> Line<P::Step> {
    line_by(position, |_, steps| rng.below(steps.len()))
}

fn line_by<P: Solitaire>(
    position: &mut P,
    mut choose: impl FnMut(&P, &[P::Step]) -> usize,
) -> Line<P::Step> {
    let mut line = Line { steps: Vec::new(), value: 0.0 };
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

/// Nested Monte Carlo search of `level`: at each step every move is judged by a search
/// one level below (a random line at level 0), and the best line known is followed. A
/// line is one unit of `meter`.
pub fn nested<P: Solitaire>(
    position: &mut P,
    level: u32,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Line<P::Step> {
    if level == 0 {
        meter.spend();
        return random_line(position, rng);
    }
    let mut best = Line { steps: Vec::new(), value: f64::NEG_INFINITY };
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
            let below = nested(position, level - 1, meter, rng);
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

/// The settings of [`nrpa`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adaptation {
    /// Levels of nesting.
    pub level: u32,
    /// Searches one level below for each search.
    pub iterations: u32,
    /// How far a policy moves towards the best line each time.
    pub rate: f64,
}

/// Weights of steps by their codes.
type Policy = HashMap<u64, f64>;

/// Nested rollout policy adaptation. A line is one unit of `meter`.
pub fn nrpa<P: Solitaire>(
    position: &mut P,
    options: Adaptation,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Line<P::Step> {
    adapt_level(position, options, options.level, &mut Policy::new(), meter, rng)
}

fn adapt_level<P: Solitaire>(
    position: &mut P,
    options: Adaptation,
    level: u32,
    policy: &mut Policy,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Line<P::Step> {
    if level == 0 {
        meter.spend();
        return line_by(position, |position, steps| {
            let weight = |step: &P::Step| policy.get(&position.code(*step)).copied().unwrap_or(0.0);
            let weights: Vec<f64> = steps.iter().map(|step| weight(step).exp()).collect();
            rng.weighted(&weights)
        });
    }
    let mut best = Line { steps: Vec::new(), value: f64::NEG_INFINITY };
    for _ in 0..options.iterations {
        if meter.is_spent() && best.value > f64::NEG_INFINITY {
            break;
        }
        let below = adapt_level(position, options, level - 1, &mut policy.clone(), meter, rng);
        if below.value >= best.value {
            best = below;
        }
        adapt(position, policy, &best.steps, options.rate);
    }
    best
}

/// Moves the policy towards a line.
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
