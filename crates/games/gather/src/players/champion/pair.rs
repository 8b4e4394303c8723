//! Two champions, or any number on a board up to three cells wide.
//!
//! Each sweeps a closed loop of one of four classes ([`super::super::line`]), so that loops of different
//! classes cross. A player that finds the trail of the other follows it *backwards*: the owner comes around
//! the same loop again, so they meet head-on, at twice the speed of running after it. A player that has found
//! none after a lap and a third has probably drawn the other's class, where loops are parallel, and draws
//! anew.
//!
//! If both find each other's trail and both turn back, they miss each other again; [`Sweeper::is_found`] lets
//! one of them go on.
//!
//! On a thin board everybody goes along it. Two that go the same way would never meet, so a player that comes
//! to where the other began, and so is behind it, turns.

use quintain_core::Rng;

use super::super::line::{Class, Line, Sides};
use super::super::map::Map;
use super::chase::Chase;
use super::parameters::ChampionParameters;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// A player that sweeps loops.
#[derive(Clone, Debug)]
pub(super) struct Sweeper {
    map: Map,
    line: Line,
    /// The round from which another loop may be chosen.
    until: u32,
    chase: Option<Chase>,
    /// For each unit, the round until which its trail is left alone.
    ignored: Vec<u32>,
}

fn draw_class(habits: &ChampionParameters, sides: Sides, rng: &mut Rng) -> Class {
    let [along, across, one, other] = sides.classes();
    if sides.is_thin() {
        return if rng.chance(0.5) { along } else { along.reversed() };
    }
    if rng.chance(habits.diagonal) {
        if rng.chance(0.5) { one } else { other }
    } else if rng.chance(habits.along) {
        along
    } else {
        across
    }
}

impl Sweeper {
    pub(super) fn new(
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Self {
        Sweeper {
            map: Map::new(),
            line: Line::new(draw_class(habits, sides, rng)),
            until: (habits.first * f64::from(sides.longer())) as u32,
            chase: None,
            ignored: vec![0; usize::from(seen.players)],
        }
    }

    /// Notes what is seen.
    pub(super) fn look(&mut self, seen: &Observation, sides: Sides) {
        self.map.look(seen, sides);
    }

    /// Notes a step that was made.
    pub(super) fn go(&mut self, to: Move, sides: Sides) {
        self.map.go(to, sides);
    }

    /// Whether it follows a trail.
    pub(super) fn follows(&self) -> bool {
        self.chase.is_some()
    }

    /// The next step.
    pub(super) fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Move {
        if sides.is_thin() {
            return self.along(habits, seen, sides, rng);
        }
        let longer = f64::from(sides.longer());
        if seen.round >= self.until {
            if !rng.chance(habits.keep) {
                let class = draw_class(habits, sides, rng);
                if class != self.line.class {
                    self.line = Line::new(class);
                }
            }
            self.until += ((habits.later * longer) as u32).max(1);
        }
        if let Some(chase) = &self.chase {
            if seen.holds.contains(chase.unit) {
                self.chase = None;
            } else if f64::from(chase.steps) > habits.limit * longer {
                self.ignored[chase.unit] =
                    self.until.max(seen.round + (habits.ignore * longer) as u32);
                self.chase = None;
            }
        }
        if self.chase.is_none()
            && let Some(unit) = self.scent(habits, seen, sides)
        {
            self.chase = Some(Chase::new(unit, sides.class_of_trail(seen, unit)));
        }
        match &mut self.chase {
            Some(chase) => chase.step(seen, sides),
            None => self.line.step(sides),
        }
    }

    /// The next step around a ring.
    fn along(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Move {
        let longer = sides.longer() as u32;
        let pair = seen.players == 2;
        if pair && seen.round >= self.until {
            if !rng.chance(habits.keep) && rng.chance(0.5) {
                self.line = Line::new(self.line.class.reversed());
            }
            self.until += ((habits.later * f64::from(longer)) as u32).max(1);
        }
        if let Some(unit) = self.scent(habits, seen, sides) {
            self.ignored[unit] = u32::MAX;
            // After more than half a lap, the other has turned already. With more than two players it is
            // enough that some go either way.
            if pair && 2 * seen.round <= longer && rng.chance(habits.turn) {
                self.line = Line::new(self.line.class.reversed());
            }
        }
        // Players that come the other way are met within half a lap.
        let half = longer / 2 + 2;
        if !pair
            && seen.round > 0
            && seen.round.is_multiple_of(half)
            && seen.holds.len() == 1
            && rng.chance(0.5)
        {
            self.line = Line::new(self.line.class.reversed());
        }
        self.line.step(sides)
    }

    /// Returns a unit whose trail is near, young and worth a chase.
    fn scent(
        &self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
    ) -> Option<usize> {
        let fresh = (habits.fresh * f64::from(sides.longer())) as u32;
        Move::ALL.into_iter().find_map(|to| {
            let trail = &seen.at(to).trail;
            if trail.is_within(&seen.holds) {
                return None;
            }
            trail.minus(&seen.holds).iter().find(|unit| {
                self.ignored[*unit] <= seen.round
                    && seen.round <= self.map.trail_free_until(to, *unit, sides) + fresh
                    && !self.is_found(habits, seen, sides, *unit)
            })
        })
    }

    /// Whether both are on diagonals and the trail's owner has already found this one's.
    fn is_found(
        &self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        unit: usize,
    ) -> bool {
        let longer = f64::from(sides.longer());
        let round = f64::from(seen.round);
        let diagonal = |class: Class| class.east != 0 && class.south != 0;
        !sides.is_thin()
            && (habits.double * longer..habits.first * longer).contains(&round)
            && diagonal(self.line.class)
            && sides.class_of_trail(seen, unit).is_none_or(diagonal)
    }
}
