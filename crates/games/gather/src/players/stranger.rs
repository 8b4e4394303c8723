//! The stranger of mixed play, which assumes nothing about the others. It sweeps diagonals, which
//! show five new cells a step, and looks around where a trail of a unit it lacks must be young. At
//! a neighbour it tosses a coin between going and letting it come, so that no convention of the
//! other can hold it up for long.

use quintain_core::{Decision, Fault, Player, Rng, parameters};

use super::line::{Class, Line, Sides};
use super::map::Map;
use super::meeting::{Acquaintances, neighbours};
use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

parameters! {
    /// The stranger.
    pub(crate) struct StrangerParameters {
        /// The probability of stepping toward a neighbour rather than waiting for it.
        approach: f64 = 0.85, in 0.0..=1.0;
        /// Rounds after a meeting during which it does not try to meet that player again.
        recent: u32 = 12;
        /// Rounds beside another player without a meeting after which it goes on.
        patience: u32 = 12;
        /// The age up to which a trail counts as young, as a multiple of the longer side.
        young: f64 = 1.7, in 0.0..=1000.0;
        /// The probability of looking around on a young trail.
        search: f64 = 0.8, in 0.0..=1.0;
        /// The most rounds that it looks around, as a multiple of the longer side.
        limit: f64 = 1.0, in 0.0..=100.0;
        /// The probability of a diagonal sweep.
        diagonal: f64 = 1.0, in 0.0..=1.0;
        /// The shortest sweep, as a multiple of the longer side.
        least: f64 = 1.0, in 0.0..=100.0;
        /// The longest sweep, as a multiple of the longer side.
        most: f64 = 1.0, in 0.0..=100.0;
        /// How long it goes without news before its sweeps vary, as a multiple of the longer side.
        /// They are then of any length up to the longest, and half of them straight: on a square
        /// board, whole laps end where they began, and two players that keep to them may never
        /// meet.
        stale: f64 = 5.0, in 0.0..=10000.0;
    }
}

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct Stranger {
    habits: StrangerParameters,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    map: Map,
    line: Line,
    /// Steps left in this sweep.
    left: i32,
    /// The unit it looks around for, and the rounds left.
    search: Option<(usize, i32)>,
    /// For each unit, the round until which it is not looked for.
    ignored: Vec<u32>,
    /// Rounds in a row next to another player.
    beside: u32,
}

impl StrangerParameters {
    pub(crate) fn player(&self) -> Stranger {
        Stranger { habits: self.clone(), memory: None }
    }

    fn sweep(&self, sides: Sides, stale: bool, rng: &mut Rng) -> (Line, i32) {
        let sign = |rng: &mut Rng| if rng.chance(0.5) { 1 } else { -1 };
        let (east, south) = (sign(rng), sign(rng));
        let diagonal = if stale { self.diagonal / 2.0 } else { self.diagonal };
        let class = if rng.chance(diagonal) {
            Class { east, south }
        } else if rng.chance(0.5) {
            Class { east, south: 0 }
        } else {
            Class { east: 0, south }
        };
        let least = if stale { 0.0 } else { self.least };
        let laps = least + rng.unit() * (self.most - least);
        (Line::new(class), (laps * f64::from(sides.longer())) as i32)
    }
}

impl Memory {
    fn step(&mut self, habits: &StrangerParameters, seen: &Observation, rng: &mut Rng) -> Move {
        let sides = Sides::of(seen);
        let late = |met: Option<u32>| met.is_none_or(|met| seen.round > met + habits.recent);
        let near = neighbours(seen);
        let other = near.iter().find(|other| late(self.met.last_met(other.id)));
        self.beside = if other.is_some() { self.beside + 1 } else { 0 };
        if let Some(other) = other
            && self.beside <= habits.patience
        {
            return if rng.chance(habits.approach) { other.to } else { Move::Stay };
        }
        if let Some(to) = self.look_around(habits, seen, sides, rng) {
            return to;
        }
        if self.left <= 0 {
            let stale = habits.stale * f64::from(sides.longer());
            let stale = f64::from(seen.round - self.met.news) > stale;
            (self.line, self.left) = habits.sweep(sides, stale, rng);
        }
        self.left -= 1;
        self.line.step(sides)
    }

    /// The step toward the youngest trail of a unit it lacks.
    fn look_around(
        &mut self,
        habits: &StrangerParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Option<Move> {
        if let Some((unit, left)) = self.search
            && (left == 0 || seen.holds.contains(unit))
        {
            self.ignored[unit] = seen.round + sides.longer() as u32;
            self.search = None;
        }
        let young = (habits.young * f64::from(sides.longer())) as u32;
        // The youngest trail of the unit that is looked for, or of any lacking unit.
        let mut best: Option<(u32, usize, Move)> = None;
        for to in Move::ALL {
            let trail = &seen.at(to).trail;
            if trail.is_within(&seen.holds) {
                continue;
            }
            for unit in trail.minus(&seen.holds).iter() {
                let wanted = match self.search {
                    Some((wanted, _)) => wanted == unit,
                    None => self.ignored[unit] <= seen.round,
                };
                let laid = self.map.trail_free_until(to, unit, sides);
                if wanted
                    && seen.round <= laid + young
                    && best.is_none_or(|(youngest, ..)| laid > youngest)
                {
                    best = Some((laid, unit, to));
                }
            }
        }
        let (_, unit, to) = best?;
        match &mut self.search {
            Some((_, left)) => *left -= 1,
            None => {
                if !rng.chance(habits.search) {
                    return None;
                }
                self.search = Some((unit, (habits.limit * f64::from(sides.longer())) as i32));
            }
        }
        Some(to)
    }
}

impl Player<Gather> for Stranger {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        let rng = decision.rng();
        let sides = Sides::of(&seen);
        let habits = &self.habits;
        let memory = self.memory.get_or_insert_with(|| {
            let (line, left) = habits.sweep(sides, false, rng);
            Memory {
                met: Acquaintances::new(&seen),
                map: Map::new(),
                line,
                left,
                search: None,
                ignored: vec![0; usize::from(seen.players)],
                beside: 0,
            }
        });
        memory.met.notice(&seen);
        memory.map.look(&seen, sides);
        let to = memory.step(habits, &seen, rng);
        memory.map.go(to, sides);
        Ok(to)
    }
}
