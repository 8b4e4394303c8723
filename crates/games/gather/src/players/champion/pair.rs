//! Two champions, or any number on a board up to three cells wide.
//!
//! Each sweeps a closed loop of one of four classes ([`super::super::line`]), so that loops of
//! different classes cross. A player that finds the trail of the other follows it *backwards*: the
//! owner comes around the same loop again, so they meet head-on, at twice the speed of running
//! after it. Only one of the two may do so, or they miss each other ([`Sweeper::is_found`]). A
//! player that has found no trail after little more than a lap has probably drawn the other's
//! class, where loops are parallel, and takes a [`SecondLoop`]. If that brings them together
//! neither, both draw loops at random.
//!
//! On a thin board everybody goes along it. Two that go the same way would never meet, so a player
//! that comes to where the other began, and so is behind it, turns.

use quintain_core::Rng;

use super::super::line::{Class, Line, Sides};
use super::super::map::Map;
use super::chase::Chase;
use super::parameters::ChampionParameters;
use super::second_loop::SecondLoop;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// Laps of a ring after which players that have learnt nothing may all be going the same way.
const STUCK: u32 = 4;

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
    stage: Stage,
    /// How far along its first loop the other's trail began, where it first came into sight.
    sighted: Option<f64>,
    /// The number of rounds in a row for which it has seen a trail whose class is not clear.
    unclear: u32,
    /// Decides where both are in the same position.
    coin: bool,
}

#[derive(Clone, Debug)]
enum Stage {
    /// On the first loop.
    First,
    /// On the second, as nobody was found from the first.
    Second(SecondLoop),
    /// On loops drawn at random.
    Random,
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
            stage: Stage::First,
            sighted: None,
            unclear: 0,
            coin: rng.chance(0.5),
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
        match &self.stage {
            Stage::Second(second) => second.follows(),
            _ => self.chase.is_some(),
        }
    }

    /// The next step. It learnt the last unit in the round `news`.
    pub(super) fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        news: u32,
        rng: &mut Rng,
    ) -> Move {
        if sides.is_thin() {
            return self.along(habits, seen, sides, news, rng);
        }
        let laps = |share: f64| (share * f64::from(sides.longer())) as u32;
        let foreign =
            Move::ALL.into_iter().find_map(|to| seen.at(to).trail.minus(&seen.holds).iter().next());
        if let Stage::First = self.stage {
            self.sight(seen, sides, foreign);
            if seen.round >= self.until && self.sighted.is_none() {
                self.stage = Stage::Second(SecondLoop::new(self.line.class, sides, self.coin));
            }
        }
        if seen.round >= self.until + laps(habits.second_loop)
            && !matches!(self.stage, Stage::Random)
        {
            self.stage = Stage::Random;
            self.until = seen.round;
        }
        match &mut self.stage {
            Stage::Second(second) => return second.step(seen, sides),
            Stage::Random if seen.round >= self.until => {
                if !rng.chance(habits.keep) {
                    let class = draw_class(habits, sides, rng);
                    if class != self.line.class {
                        self.line = Line::new(class);
                    }
                }
                self.until += laps(habits.later).max(1);
            }
            _ => {}
        }
        if let Some(chase) = &self.chase {
            // The owner of a first loop may have left it meanwhile, and has to be sought there
            // alone.
            let limit = if matches!(self.stage, Stage::First) { 1.0 } else { habits.limit };
            if seen.holds.contains(chase.unit) {
                self.chase = None;
            } else if chase.steps > laps(limit) as i32 {
                self.ignored[chase.unit] = self.until.max(seen.round + laps(habits.ignore));
                self.chase = None;
            }
        }
        if self.chase.is_none()
            && let Some(unit) = self.scent(habits, seen, sides)
        {
            self.chase = Some(Chase::new(unit, sides.class_of_trail(seen, unit)));
        }
        let unclear = foreign.is_some_and(|unit| sides.class_of_trail(seen, unit).is_none());
        self.unclear = if unclear { self.unclear + 1 } else { 0 };
        let Some(chase) = &mut self.chase else { return self.line.step(sides) };
        if matches!(self.stage, Stage::First) && seen.round > self.until {
            chase.turn(seen, sides);
        }
        chase.step(seen, sides)
    }

    /// Notes where the other's trail first comes into sight.
    fn sight(&mut self, seen: &Observation, sides: Sides, foreign: Option<usize>) {
        let (None, Some(unit)) = (self.sighted, foreign) else { return };
        let own = self.line.class;
        let there = Move::ALL.into_iter().filter(|to| seen.at(*to).trail.contains(unit));
        let ahead = there.map(|to| sides.ahead(to, own, sides.crossing(own)));
        let least = ahead.min_by(f64::total_cmp);
        self.sighted = least.map(|ahead| f64::from(self.line.steps) + ahead);
    }

    /// The next step around a ring.
    fn along(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        news: u32,
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
            // After more than half a lap, the other has turned already. With more than two players
            // it is enough that some go either way.
            if pair && 2 * seen.round <= longer && rng.chance(habits.turn) {
                self.line = Line::new(self.line.class.reversed());
            }
        }
        // Players that come the other way are met within half a lap.
        let half = longer / 2 + 2;
        let may_turn = seen.holds.len() == 1 || seen.round - news >= STUCK * longer;
        if !pair && seen.round > 0 && seen.round.is_multiple_of(half) && may_turn && rng.chance(0.5)
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
                    && !self.is_found(seen, sides, to, *unit)
            })
        })
    }

    /// Whether it is left to the trail's owner to follow this one's.
    fn is_found(&self, seen: &Observation, sides: Sides, to: Move, unit: usize) -> bool {
        if sides.is_thin() || !matches!(self.stage, Stage::First) {
            return false;
        }
        let own = self.line.class;
        let half = f64::from(sides.lap(own)) / 2.0;
        let steps = f64::from(self.line.steps);
        match sides.class_of_trail(seen, unit) {
            // Around one loop, it is `a` steps from its start to the other's, and a lap less `a`
            // from there to its own. Whoever comes to the other's start first follows.
            Some(class) if class == own => match self.sighted {
                Some(way) if way == half => self.coin,
                way => way.is_some_and(|way| way > half),
            },
            // Two diagonals cross twice. In the first half lap only one of the two comes to a trail
            // at either place, and follows it. In the second, either may come to a trail at one of
            // them.
            Some(class) => {
                let [_, _, one, other] = sides.classes();
                let way = steps + sides.ahead(to, own, other);
                own == one && class == other && (half..2.0 * half).contains(&way)
            }
            // The next steps will tell, and before half a lap it does not matter.
            None => {
                steps >= half - 1.5 && self.unclear < u32::from(sides.width != sides.height) + 1
            }
        }
    }
}
