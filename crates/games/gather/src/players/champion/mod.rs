//! The champion of mirror play. Two of them sweep closed loops that cross and follow trails
//! backwards ([`pair`]); three or more follow trails forward to players that wait at their ends
//! ([`crowd`]), but on large square boards some patrol loops and the others seek these ([`loops`]).
//!
//! It relies on everybody playing like that: a shared compass, simultaneous moves and trails that
//! give away where their owners went. Playing with strangers is left to [`super::stranger`].

mod chase;
mod circle;
mod crowd;
mod loops;
mod pair;
mod parameters;
mod second_loop;
mod wander;

use quintain_core::{Decision, Fault, Player, Rng};

use super::line::Sides;
use super::meeting::{Acquaintances, Neighbour, neighbours};
use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;
use crowd::Crowd;
use loops::Loops;
use pair::Sweeper;
pub(crate) use parameters::ChampionParameters;

/// After so many rounds in a row in which it would meet another player, a coin decides whether it
/// goes. In a team, a meeting nearly always takes less, but others may wait for the same one to
/// come.
const MAX_ROUNDS_OF_MEETING: u32 = 8;

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct Champion {
    habits: ChampionParameters,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    walk: Walk,
    /// The number of rounds in a row in which it would meet another player.
    meeting: u32,
}

#[derive(Clone, Debug)]
enum Walk {
    Pair(Sweeper),
    Crowd(Crowd),
    Loops(Loops),
}

impl Champion {
    pub(crate) fn new(habits: &ChampionParameters) -> Champion {
        Champion { habits: habits.clone(), memory: None }
    }
}

impl Memory {
    fn new(habits: &ChampionParameters, seen: &Observation, sides: Sides, rng: &mut Rng) -> Self {
        let crowd = usize::from(seen.players) >= habits.crowd && !sides.is_thin();
        let walk = if crowd && Loops::suits(habits, sides) {
            Walk::Loops(Loops::new(habits, seen, sides, rng))
        } else if crowd {
            Walk::Crowd(Crowd::new(seen, rng))
        } else {
            Walk::Pair(Sweeper::new(habits, seen, sides, rng))
        };
        Memory { met: Acquaintances::new(seen), walk, meeting: 0 }
    }

    /// Whether this neighbour is to be met. Both judge alike, by when they met last.
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

/// The step of a meeting: to the northernmost, then westernmost of those who want to meet. All who
/// see the same players go to the same cell, and the player there waits.
fn gather(near: &[Neighbour], sides: Sides, rng: &mut Rng) -> Option<Move> {
    // Around a side of three cells nobody is the northernmost, so that side does not count.
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

/// The step of a meeting that does not come about: to any of those who want to meet, or none.
fn toss(near: &[Neighbour], rng: &mut Rng) -> Move {
    let to = near[rng.below(near.len())].to;
    if rng.chance(0.5) { to } else { Move::Stay }
}

impl Player<Gather> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        let rng = decision.rng();
        let sides = Sides::of(&seen);
        let habits = &self.habits;
        let memory = self.memory.get_or_insert_with(|| Memory::new(habits, &seen, sides, rng));
        memory.met.notice(&seen);
        if let Walk::Pair(sweeper) = &mut memory.walk {
            sweeper.look(&seen, sides);
        }
        let mut near = neighbours(&seen);
        near.retain(|other| memory.wants(habits, &seen, sides, other.id));
        memory.meeting = if near.is_empty() { 0 } else { memory.meeting + 1 };
        let meeting = match memory.meeting > MAX_ROUNDS_OF_MEETING {
            true => Some(toss(&near, rng)),
            false => gather(&near, sides, rng),
        };
        if let Walk::Loops(loops) = &memory.walk
            && let Some(old) = loops.given_up()
        {
            memory.walk = Walk::Crowd(Crowd::after_loops(&seen, old, rng));
        }
        let (to, follows) = match &mut memory.walk {
            Walk::Pair(sweeper) => {
                let news = memory.met.news;
                let to = meeting.unwrap_or_else(|| sweeper.step(habits, &seen, sides, news, rng));
                sweeper.go(to, sides);
                (to, sweeper.follows())
            }
            Walk::Crowd(crowd) => {
                let to = meeting.unwrap_or_else(|| crowd.step(habits, &seen, rng));
                crowd.go(to);
                (to, crowd.follows())
            }
            Walk::Loops(loops) => {
                let near: Vec<Move> = near.iter().map(|other| other.to).collect();
                let meeting = loops.meet(&seen, sides, &near, meeting);
                let to = meeting.unwrap_or_else(|| loops.step(habits, &seen, sides));
                loops.go(to);
                (to, loops.follows())
            }
        };
        decision.note("following", f64::from(u8::from(follows)));
        Ok(to)
    }
}
