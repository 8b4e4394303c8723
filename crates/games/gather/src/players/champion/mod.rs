//! The champion of mirror play: every one of them sweeps a closed loop of one of four
//! classes, drawn at random, so that loops of different classes cross; who finds the
//! trail of a unit it lacks follows it backwards and meets the owner head-on.
//!
//! It relies on everybody playing like that: a shared compass, simultaneous moves and
//! classes that a trail gives away. Strangers are the business of [`super::stranger`].

mod chase;
pub(super) mod line;
pub(super) mod map;

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
        /// Rounds on the first loop, in the longer side.
        first: f64 = 1.5, in 0.0..=100.0;
        /// Rounds on each later one, in the longer side.
        later: f64 = 1.5, in 0.0..=100.0;
        /// Diagonals cross each other twice: after this time, in the longer side, the other
        /// has probably found one's own trail before.
        double: f64 = 0.75, in 0.0..=100.0;
        /// The probability of going on along the same loop after that.
        keep: f64 = 0.4, in 0.0..=1.0;
        /// Steps of a chase before it is given up, in the longer side.
        limit: f64 = 0.55, in 0.0..=100.0;
        /// How long a unit is left alone after that, in the longer side.
        ignore: f64 = 0.2, in 0.0..=100.0;
        /// Rounds after which somebody met is met again, in the longer side.
        again: f64 = 0.5, in 0.0..=1000.0;
        /// A trail is chased only if it is known to be no older than this, in the longer side.
        fresh: f64 = 3.0, in 0.0..=1000.0;
        /// After this time, in the longer side, trails of every class are chased again.
        strict: f64 = 2.5, in 0.0..=100000.0;
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
    /// The round on which another loop may be chosen.
    until: u32,
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

    /// The class of the next loop.
    fn next_class(&self, sides: Sides, class: Class, rng: &mut Rng) -> Class {
        if rng.chance(self.keep) { class } else { self.draw_class(sides, rng) }
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
        // Around a side of three cells nobody is the northernmost: that side does not count.
        let key = |to: Move| {
            let (east, south) = to.offset();
            let counts = |side: i32, by: i32| if side > 3 { by } else { 0 };
            (counts(sides.height, south), counts(sides.width, east))
        };
        let first = near.iter().min_by_key(|other| key(other.to))?;
        let goes = match key(first.to).cmp(&(0, 0)) {
            // Players all around a longer side could chase each other too.
            std::cmp::Ordering::Less => near.len() < 2 || !rng.chance(0.1),
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
                until: (habits.first * f64::from(sides.longer())) as u32,
                chase: None,
                ignored: vec![0; usize::from(seen.players)],
            }
        });
        mind.met.notice(&seen);
        mind.map.look(&seen, sides);
        let to = mind.step(habits, &seen, sides, rng);
        mind.map.go(to, sides);
        let (class, chasing) = (rank(sides, mind.line.class), mind.chase.is_some());
        decision.note("class", class as f64);
        decision.note("chasing", f64::from(u8::from(chasing)));
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
        let several_on_a_ring = sides.is_thin() && seen.players > 2;
        if seen.round >= self.until && !several_on_a_ring {
            let class = habits.next_class(sides, self.line.class, rng);
            if class != self.line.class {
                self.line = Line::new(class);
            }
            self.until += ((habits.later * longer) as u32).max(1);
        }
        if let Some(chase) = self.chase {
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
            if sides.is_thin() {
                self.ignored[unit] = u32::MAX;
                // Later than half a lap, the other has turned already. Of more than two
                // it is enough that some go either way.
                let early = 2 * seen.round <= sides.longer() as u32;
                if early && seen.players == 2 && rng.chance(habits.turn) {
                    self.line = Line::new(self.line.class.reversed());
                }
            } else {
                self.chase = Some(Chase::new(unit));
            }
        }
        if let Some(chase) = &mut self.chase {
            return chase.step(seen, sides);
        }

        if several_on_a_ring {
            // Whoever comes the other way is met within half a lap.
            let half = sides.longer() as u32 / 2 + 2;
            if seen.round > 0
                && seen.round.is_multiple_of(half)
                && seen.holds.len() == 1
                && rng.chance(0.5)
            {
                self.line = Line::new(self.line.class.reversed());
            }
            return self.line.step(sides);
        }
        self.line.step(sides)
    }

    /// A unit whose trail is near, young and worth a chase.
    fn scent(
        &self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
    ) -> Option<usize> {
        let fresh = (habits.fresh * f64::from(sides.longer())) as u32;
        let own = rank(sides, self.line.class);
        let ranked = usize::from(seen.players) >= habits.ranked
            && !sides.is_thin()
            && f64::from(seen.round) <= habits.strict * f64::from(sides.longer());
        Move::ALL.into_iter().find_map(|to| {
            let trail = &seen.at(to).trail;
            if trail.is_within(&seen.holds) {
                return None;
            }
            trail.without(&seen.holds).iter().find(|unit| {
                self.ignored[*unit] <= seen.round
                    && seen.round <= self.map.laid_after(to, *unit, sides) + fresh
                    && self.is_worth(habits, seen, sides, *unit, own, ranked)
            })
        })
    }

    /// Whether the trail's owner is to be chased: of several, those of classes before
    /// one's own; of two on diagonals, not one that has found this one's trail before.
    fn is_worth(
        &self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        unit: usize,
        own: usize,
        ranked: bool,
    ) -> bool {
        let of = class_of_trail(seen, sides, unit);
        if ranked {
            return of.is_some_and(|of| of < own);
        }
        let longer = f64::from(sides.longer());
        let late = f64::from(seen.round) > habits.double * longer
            && f64::from(seen.round) < habits.first * longer;
        !(late && own >= 2 && of.is_none_or(|of| of >= 2))
    }
}
