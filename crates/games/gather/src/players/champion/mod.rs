//! The champion of mirror play. Two of them sweep closed loops that cross and follow
//! trails backwards ([`pair`]); three or more follow trails forward to those who wait at
//! their ends ([`crowd`]).
//!
//! It relies on everybody playing like that: a shared compass, simultaneous moves and
//! trails that give away where their owners went. Strangers are the business of
//! [`super::stranger`].

mod chase;
mod crowd;
pub(super) mod line;
pub(super) mod map;
mod pair;

use quintain_core::{Decision, Fault, Player, Rng, parameters};

use super::meeting::{Acquaintances, Neighbour, neighbours};
use crate::observation::Observation;
use crate::rules::Gather;
use crate::torus::Move;
use crowd::Crowd;
use line::Sides;
use pair::Sweeper;

parameters! {
    /// The champion. Times of a pair are in the longer side, those of a crowd in the root
    /// of the area.
    pub(crate) struct ChampionParameters {
        /// Rounds after which somebody met is met again, in the longer side.
        again: f64 = 0.5, in 0.0..=1000.0;
        /// From this many players on, it plays as one of a crowd (on thin boards never).
        crowd: usize = 3;
        /// A pair: the probability of a diagonal loop.
        diagonal: f64 = 0.45, in 0.0..=1.0;
        /// The probability of a loop along the longer side, among those that are not diagonal.
        along: f64 = 0.55, in 0.0..=1.0;
        /// Rounds on the first loop.
        first: f64 = 1.29, in 0.0..=100.0;
        /// Rounds on each later one.
        later: f64 = 1.9, in 0.0..=100.0;
        /// The probability of going on along the same loop after that.
        keep: f64 = 0.2, in 0.0..=1.0;
        /// Diagonals cross each other twice: after this time the other has probably found
        /// one's own trail before.
        double: f64 = 0.6, in 0.0..=100.0;
        /// Steps of a chase before it is given up.
        limit: f64 = 0.52, in 0.0..=100.0;
        /// How long a unit is left alone after that.
        ignore: f64 = 0.26, in 0.0..=100.0;
        /// A trail is chased only if it is known to be no older than this.
        fresh: f64 = 1.15, in 0.0..=1000.0;
        /// On a ring: the probability of turning where another's trail begins.
        turn: f64 = 1.0, in 0.0..=1.0;
        /// A crowd: rounds of a sweep without a trail before it turns back and waits,
        bloom: f64 = 0.51, in 0.0..=100.0;
        /// how much of the sweep it walks back,
        back: f64 = 0.7, in 0.0..=1.0;
        /// and how long nobody may come, with three players.
        alone: f64 = 0.285, in 0.0..=100.0;
        /// With more, the first of these is divided by one and this for each beyond three,
        /// the others by the square of that.
        crowding: f64 = 0.03, in 0.0..=10.0;
        /// With more than three, rounds that the sweep is shorter, since a trail is seen
        /// from beside it.
        early: f64 = 2.2, in 0.0..=1000.0;
        /// How long it waits after the last news.
        visited: f64 = 2.7, in 0.0..=100.0;
        /// How long a chase may last before the dice are asked,
        tired: f64 = 1.5, in 0.0..=100.0;
        /// as they are in a circle, and how often.
        asking: f64 = 0.6, in 0.0..=100.0;
        /// The probability of stopping then,
        halt: f64 = 0.42, in 0.0..=1.0;
        /// and for how long.
        pause: f64 = 0.68, in 0.0..=100.0;
        /// How long a unit is left alone after that,
        forget: f64 = 0.13, in 0.0..=100.0;
        /// and where its trail ends with nobody there.
        lost: f64 = 0.6, in 0.0..=100.0;
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
    walk: Walk,
}

#[derive(Clone, Debug)]
enum Walk {
    Pair(Sweeper),
    Crowd(Crowd),
}

impl ChampionParameters {
    pub(crate) fn player(&self) -> Champion {
        Champion { habits: self.clone(), mind: None }
    }
}

impl Mind {
    fn new(habits: &ChampionParameters, seen: &Observation, sides: Sides, rng: &mut Rng) -> Self {
        let crowd = usize::from(seen.players) >= habits.crowd && !sides.is_thin();
        let walk = if crowd {
            Walk::Crowd(Crowd::new(seen, rng))
        } else {
            Walk::Pair(Sweeper::new(habits, seen, sides, rng))
        };
        Mind { met: Acquaintances::new(seen), walk }
    }

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
}

/// The step of a meeting: to the northernmost, then westernmost of those who want to
/// meet. Everyone who sees the same goes to the same cell, and that one waits.
fn gather(near: &[Neighbour], sides: Sides, rng: &mut Rng) -> Option<Move> {
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

impl Player<Gather> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        let rng = decision.rng();
        let sides = Sides::of(&seen);
        let habits = &self.habits;
        let mind = self.mind.get_or_insert_with(|| Mind::new(habits, &seen, sides, rng));
        mind.met.notice(&seen);
        if let Walk::Pair(sweeper) = &mut mind.walk {
            sweeper.look(&seen, sides);
        }
        let mut near = neighbours(&seen);
        near.retain(|other| mind.wants(habits, &seen, sides, other.id));
        let meeting = gather(&near, sides, rng);
        let (to, follows) = match &mut mind.walk {
            Walk::Pair(sweeper) => {
                let to = meeting.unwrap_or_else(|| sweeper.step(habits, &seen, sides, rng));
                sweeper.go(to, sides);
                (to, sweeper.follows())
            }
            Walk::Crowd(crowd) => {
                let to = meeting.unwrap_or_else(|| crowd.step(habits, &seen, rng));
                crowd.go(to);
                (to, crowd.follows())
            }
        };
        decision.note("following", f64::from(u8::from(follows)));
        Ok(to)
    }
}
