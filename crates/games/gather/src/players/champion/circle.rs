//! The loops of one diagonal on a square board, in the order in which the other diagonal crosses
//! them; and how players that all go around such loops agree without a word who of them leads.
//!
//! Half a lap along the other diagonal crosses every loop once and ends on the loop on which it
//! began. So the loops lie on a circle, half a lap around. All players see the same circle, each
//! from its own place on it, and whatever depends on nothing but the distances between loops, they
//! all decide alike: a player leads if it has farther to go to the next loop than each of the next
//! two players has. So one of three leads, and about a third of many.

use super::super::line::{Class, Sides};
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// The number of players ahead with which a leader compares its distance to the next loop.
const RIVALS: usize = 2;

/// Steps beyond the last loop after which it is out of sight.
const BEYOND: f64 = 2.0;

/// The loops seen.
#[derive(Clone, Debug)]
pub(super) struct Circle {
    class: Class,
    loops: Vec<Loop>,
    /// The number of steps along the other diagonal after which the last one is out of sight.
    beyond: f64,
}

#[derive(Clone, Debug)]
struct Loop {
    /// How far ahead it is along the other diagonal.
    at: f64,
    /// The units on it.
    units: Vec<usize>,
}

impl Circle {
    /// Around the loops of this class, of which none has been seen.
    pub(super) fn new(class: Class) -> Self {
        Circle { class, loops: Vec::new(), beyond: 0.0 }
    }

    /// The class of the loops.
    pub(super) fn class(&self) -> Class {
        self.class
    }

    /// The number of other players' loops seen.
    pub(super) fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether a player that has made so many steps along the other diagonal is past every loop
    /// seen.
    pub(super) fn is_past(&self, made: f64) -> bool {
        made >= self.beyond
    }

    /// Notes the loops in sight after so many steps along the other diagonal. Only those of units
    /// that pass `counts` are looked at.
    pub(super) fn look(
        &mut self,
        seen: &Observation,
        sides: Sides,
        made: f64,
        counts: impl Fn(usize) -> bool,
    ) {
        let half = f64::from(sides.longer()) / 2.0;
        for to in Move::ALL {
            for unit in seen.at(to).trail.iter().filter(|unit| counts(*unit)) {
                let runs =
                    [1, -1].into_iter().any(|steps| self.class.has_trail(seen, to, steps, unit));
                let way = made + sides.ahead(to, sides.crossing(self.class), self.class);
                // Its own loop is no other player's, whoever has walked on it.
                if !runs || way == 0.0 || way == half {
                    continue;
                }
                let at = way.rem_euclid(half);
                let Some(known) = self.loops.iter_mut().find(|known| known.at == at) else {
                    self.loops.push(Loop { at, units: vec![unit] });
                    // It must turn before it comes to its own loop again.
                    self.beyond = (way + BEYOND).min(half.floor() - 1.0);
                    continue;
                };
                if !known.units.contains(&unit) {
                    known.units.push(unit);
                }
            }
        }
    }

    /// Whether this player leads, and the units of the others that do.
    pub(super) fn leaders(&self, sides: Sides) -> (bool, Vec<usize>) {
        let half = f64::from(sides.longer()) / 2.0;
        let mut places: Vec<f64> = self.loops.iter().map(|other| other.at).collect();
        places.push(0.0);
        places.sort_by(f64::total_cmp);
        let count = places.len();
        let gap = |place: usize| {
            let lap = if place + 1 == count { half } else { 0.0 };
            places[(place + 1) % count] + lap - places[place]
        };
        let leads = |at: f64| {
            let place = places.iter().position(|place| *place == at).unwrap_or(0);
            // Where two gaps are equal, the ones after them decide.
            let gaps = |from: usize| (from..from + count).map(move |place| gap(place % count));
            (1..=RIVALS.min(count - 1)).all(|by| gaps(place).ge(gaps(place + by)))
        };
        let (leading, others): (Vec<&Loop>, Vec<&Loop>) =
            self.loops.iter().partition(|other| leads(other.at));
        // Two began on one loop, and one of them is known to be on another.
        let is_elsewhere = |unit: usize| others.iter().any(|other| other.units == [unit]);
        let units = leading.into_iter().flat_map(|other| {
            let is_one = other.units.len() == 1;
            other.units.iter().copied().filter(move |unit| is_one || !is_elsewhere(*unit))
        });
        (leads(0.0), units.collect())
    }
}
