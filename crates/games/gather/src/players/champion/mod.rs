//! The champion of mirror play: every one of them sweeps a closed loop of one of four
//! classes, drawn at random, so that loops of different classes cross; who finds the
//! trail of a unit it lacks follows it backwards and meets the owner head-on.
//!
//! It relies on everybody playing like that: a shared compass, simultaneous moves and
//! classes that a trail gives away. Strangers are the business of [`super::stranger`].

mod chase;
mod line;
mod map;

use quintain_core::{Decision, Fault, Player, Rng, parameters};

use super::meeting::{Acquaintances, Neighbour, neighbours};
use crate::observation::Observation;
use crate::rules::Gather;
use crate::torus::Move;
use chase::Chase;
use line::{Class, Line, Sides};
use map::Map;

parameters! {
    /// The champion.
    pub(crate) struct ChampionParameters {
        /// The probability of a diagonal loop.
        diagonal: f64 = 0.5, in 0.0..=1.0;
        /// The probability of a loop along the longer side, among those that are not diagonal.
        along: f64 = 0.5, in 0.0..=1.0;
        /// From this many players on, only trails of classes before one's own are chased.
        ranked: usize = 3;
        /// The shortest and
        least: f64 = 1.0, in 0.0..=100.0;
        /// the longest time on one loop, in laps.
        most: f64 = 1.0, in 0.0..=100.0;
        /// The probability of going on along the same loop after that.
        keep: f64 = 0.5, in 0.0..=1.0;
        /// Steps of a chase before it is given up, in the longer side.
        limit: f64 = 1.2, in 0.0..=100.0;
        /// How long a unit is left alone after that, in the longer side.
        ignore: f64 = 0.5, in 0.0..=100.0;
        /// Rounds after which somebody met is met again, in the longer side.
        again: f64 = 0.5, in 0.0..=1000.0;
        /// A chase that succeeds is followed by a new class with this probability.
        renew: f64 = 0.0, in 0.0..=1.0;
        /// A trail is chased only if it is known to be no older than this, in the longer side.
        fresh: f64 = 1.0, in 0.0..=1000.0;
        /// On a ring: the probability of turning where another's trail begins.
        turn: f64 = 1.0, in 0.0..=1.0;
    }
}

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct Champion {
    habits: ChampionParameters,
    mind: Option<Mind>,
}

#[derive(Clone, Debug)]
struct Mind {
    met: Acquaintances,
    map: Map,
    line: Line,
    /// Steps until another loop may be chosen.
    left: i32,
    chase: Option<Chase>,
    /// For each unit, the round until which its trail is left alone.
    ignored: Vec<u32>,
}

impl ChampionParameters {
    pub(crate) fn player(&self) -> Champion {
        Champion { habits: self.clone(), mind: None }
    }

    fn draw_class(&self, sides: Sides, rng: &mut Rng) -> Class {
        let [along, across, one, other] = sides.classes();
        if sides.is_thin() {
            return if rng.chance(0.5) { along } else { along.reversed() };
        }
        if rng.chance(self.diagonal) {
            if rng.chance(0.5) { one } else { other }
        } else if rng.chance(self.along) {
            along
        } else {
            across
        }
    }

    fn draw_stint(&self, sides: Sides, class: Class, rng: &mut Rng) -> i32 {
        let laps = self.least + rng.unit() * (self.most - self.least);
        ((laps * f64::from(sides.lap(class))) as i32).max(1)
    }
}

/// The class before which others have to give way: the order of [`Sides::classes`].
fn rank(sides: Sides, class: Class) -> usize {
    let known = |known: &Class| *known == class || known.reversed() == class;
    sides.classes().iter().position(known).unwrap_or(0)
}

/// The class that the trail of `unit` seems to have, as far as nine cells tell.
fn class_of_trail(seen: &Observation, sides: Sides, unit: usize) -> Option<usize> {
    let has = |east: i32, south: i32| seen.at(Move::by(east, south)).trail.contains(unit);
    let by = |along: i32, across: i32| {
        if sides.is_wide() { has(along, across) } else { has(across, -along) }
    };
    let mut best = None;
    let mut vote = |rank: usize, count: usize| {
        if count >= 2 && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, rank));
        }
    };
    for across in -1..=1 {
        vote(0, (-1..=1).filter(|along| by(*along, across)).count());
    }
    for along in -1..=1 {
        vote(1, (-1..=1).filter(|across| by(along, *across)).count());
    }
    if best.is_some_and(|(count, _)| count == 3) {
        return best.map(|(_, rank)| rank);
    }
    let mut diagonal = None;
    for shift in -1..=1i32 {
        let one = (-1..=1i32).filter(|a| (a + shift).abs() <= 1 && by(*a, a + shift)).count();
        let other = (-1..=1i32).filter(|a| (shift - a).abs() <= 1 && by(*a, shift - a)).count();
        if one >= 2 {
            diagonal = Some(3);
        }
        if other >= 2 {
            diagonal = Some(2);
        }
    }
    diagonal.or(best.map(|(_, rank)| rank))
}

impl Mind {
    /// Whether this neighbour is to be met: both judge alike, by when they met last.
    fn wants(
        &self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        id: usize,
    ) -> bool {
        let again = (habits.again * f64::from(sides.longer())) as u32;
        self.met.last_met(id).is_none_or(|met| seen.round > met + again.max(3))
    }

    /// The step of a meeting: to the northernmost, then westernmost of those who want to
    /// meet. Everyone who sees the same goes to the same cell, and that one waits.
    fn gather(&self, near: &[Neighbour], sides: Sides, rng: &mut Rng) -> Option<Move> {
        // On a side of two cells the other is both ways: that side does not count.
        let key = |to: Move| {
            let (east, south) = to.offset();
            let counts = |side: i32, by: i32| if side > 2 { by } else { 0 };
            (counts(sides.height, south), counts(sides.width, east))
        };
        let first = near.iter().min_by_key(|other| key(other.to))?;
        let goes = match key(first.to).cmp(&(0, 0)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => rng.chance(0.5),
        };
        Some(if goes { first.to } else { Move::Stay })
    }
}

impl Player<Gather> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        let rng = decision.rng();
        let sides = Sides::of(&seen);
        let habits = &self.habits;
        let mind = self.mind.get_or_insert_with(|| {
            let class = habits.draw_class(sides, rng);
            Mind {
                met: Acquaintances::new(&seen),
                map: Map::new(),
                line: Line::new(class),
                left: habits.draw_stint(sides, class, rng),
                chase: None,
                ignored: vec![0; usize::from(seen.players)],
            }
        });
        mind.met.notice(&seen);
        mind.map.look(&seen, sides);
        let to = mind.step(habits, &seen, sides, rng);
        mind.map.go(to, sides);
        Ok(to)
    }
}

impl Mind {
    fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Move {
        let mut near = neighbours(seen);
        near.retain(|other| self.wants(habits, seen, sides, other.id));
        if let Some(to) = self.gather(&near, sides, rng) {
            return to;
        }

        let longer = f64::from(sides.longer());
        if let Some(chase) = self.chase {
            if seen.holds.contains(chase.unit) {
                self.chase = None;
                if rng.chance(habits.renew) {
                    self.line = Line::new(habits.draw_class(sides, rng));
                }
            } else if f64::from(chase.steps) > habits.limit * longer {
                self.ignored[chase.unit] = seen.round + (habits.ignore * longer) as u32;
                self.chase = None;
            }
        }
        if self.chase.is_none()
            && let Some(unit) = self.scent(habits, seen, sides)
        {
            if sides.is_thin() {
                self.ignored[unit] = u32::MAX;
                // Later than half a lap, the other has turned already.
                if 2 * seen.round <= sides.longer() as u32 && rng.chance(habits.turn) {
                    self.line = Line::new(self.line.class.reversed());
                }
            } else {
                self.chase = Some(Chase::new(unit));
            }
        }
        if let Some(chase) = &mut self.chase {
            return chase.step(seen, sides);
        }

        if self.left <= 0 {
            if !rng.chance(habits.keep) {
                self.line = Line::new(habits.draw_class(sides, rng));
            }
            self.left = habits.draw_stint(sides, self.line.class, rng);
        }
        self.left -= 1;
        self.line.step(sides)
    }

    /// A unit whose trail is near and worth a chase.
    fn scent(
        &self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
    ) -> Option<usize> {
        let fresh = (habits.fresh * f64::from(sides.longer())) as u32;
        let own = rank(sides, self.line.class);
        let ranked = usize::from(seen.players) >= habits.ranked;
        Move::ALL.into_iter().find_map(|to| {
            let trail = &seen.at(to).trail;
            if trail.is_within(&seen.holds) {
                return None;
            }
            trail.without(&seen.holds).iter().find(|unit| {
                self.ignored[*unit] <= seen.round
                    && seen.round <= self.map.laid_after(to, *unit, sides) + fresh
                    && (!ranked || class_of_trail(seen, sides, *unit).is_some_and(|of| of < own))
            })
        })
    }
}
