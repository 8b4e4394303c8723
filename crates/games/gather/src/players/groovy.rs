//! Groovy: a saw-tooth along the longer side, then across it or in a spiral, with meetings and
//! waits decided by dice.
//!
//! From the report's section “Groovy”. The saw-tooth of the lost figure 4 is read as
//! NE, SE, NE, SE, … Two readings of the rest:
//! - `letter`: a trail it lacks makes it wait, whatever it waited for before; spirals begin in the
//!   same direction and turn the same way for all; a player that does not step toward a neighbour
//!   goes on. It does badly: it waits again and again on one trail, two spirals keep a constant
//!   offset, and a player that is approached has gone.
//! - `kind` (the default): it waits for a unit's trail once until something new is learnt, a spiral
//!   begins in a random direction, and a player that does not step toward a stranger lets it come.

use quintain_core::{Decision, Fault, Player, Rng, choices, parameters};

use super::meeting::{Acquaintances, neighbours};
use super::spiral::Spiral;
use super::trail::lacking_here;
use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

choices! {
    /// How the report is read.
    pub(crate) enum Reading {
        /// Word by word.
        Letter = "letter",
        /// As it was presumably meant, given its rank in the report.
        Kind = "kind",
    }
}

parameters! {
    /// The report's third player.
    pub(crate) struct GroovyParameters {
        /// How the report is read: to the letter, or as it was presumably meant.
        reading: Reading = Reading::Kind;
        /// The probability of a step toward a neighbour never met.
        stranger: f64 = 0.75, in 0.0..=1.0;
        /// The probability of a step toward a neighbour it knows but has not seen for `unseen`
        /// rounds.
        known: f64 = 0.5, in 0.0..=1.0;
        /// Rounds out of sight after which a neighbour it knows may be approached again.
        unseen: u32 = 3;
        /// The longest wait, as a multiple of the longer side.
        longest: f64 = 2.0, in 0.0..=1000.0;
        /// The density of players (players divided by cells) above which it waits for `longest`.
        dense: f64 = 0.025, in 0.0..=1.0;
        /// The density of players above which it waits for half of `longest`.
        medium: f64 = 0.016, in 0.0..=1.0;
        /// The density of players above which it waits for a quarter of `longest`; below it, for an
        /// eighth.
        sparse: f64 = 0.0042, in 0.0..=1.0;
        /// The shortest wait, in rounds.
        shortest: u32 = 3;
    }
}

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct Groovy {
    habits: GroovyParameters,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    /// For each player, the round in which it was last seen near.
    noticed: Vec<Option<u32>>,
    path: Path,
    /// Whether there has been news since the path began.
    learnt: bool,
    waiting: Option<u32>,
    waited: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
enum Path {
    /// Goes in this direction for this many more moves.
    SawTooth {
        to: Move,
        left: u32,
    },
    Spiral(Spiral),
}

impl GroovyParameters {
    pub(crate) fn player(&self) -> Groovy {
        Groovy { habits: self.clone(), memory: None }
    }

    /// The length of the wait on a trail.
    fn wait(&self, seen: &Observation) -> u32 {
        let (width, height) = (f64::from(seen.width), f64::from(seen.height));
        let density = f64::from(seen.players) / (width * height);
        let share = match density {
            c if c > self.dense => 1.0,
            c if c > self.medium => 0.5,
            c if c > self.sparse => 0.25,
            _ => 0.125,
        };
        ((self.longest * width.max(height) * share) as u32).max(self.shortest)
    }
}

/// G, the longer side.
fn longer(seen: &Observation) -> u32 {
    u32::from(seen.width.max(seen.height))
}

impl Path {
    fn along_longer(seen: &Observation, rng: &mut Rng) -> Path {
        let directions =
            if seen.width >= seen.height { [Move::W, Move::E] } else { [Move::N, Move::S] };
        Path::SawTooth { to: directions[rng.below(2)], left: longer(seen) }
    }

    fn step(
        &mut self,
        habits: &GroovyParameters,
        learnt: &mut bool,
        seen: &Observation,
        rng: &mut Rng,
    ) -> Move {
        match self {
            Path::SawTooth { to, left: 0 } if std::mem::take(learnt) => {
                let (back, onward) = (to.clockwise().opposite(), to.clockwise());
                *self = Path::SawTooth { to: [back, onward][rng.below(2)], left: longer(seen) };
            }
            Path::SawTooth { left: 0, .. } => {
                let first = match habits.reading {
                    Reading::Letter => Move::N,
                    Reading::Kind => Move::STEPS[rng.below(8)],
                };
                *self = Path::Spiral(Spiral::new(first));
            }
            Path::Spiral(spiral) if spiral.arm() >= longer(seen) => {
                *self = Path::along_longer(seen, rng);
            }
            _ => {}
        }
        match self {
            Path::Spiral(spiral) => spiral.step(),
            Path::SawTooth { to, left } => {
                *left -= 1;
                // Forward, and to alternating sides.
                let ((east, south), (aside_east, aside_south)) =
                    (to.offset(), to.clockwise().offset());
                let side = if *left % 2 == 0 { 1 } else { -1 };
                Move::by(east + side * aside_east, south + side * aside_south)
            }
        }
    }
}

impl Player<Gather> for Groovy {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        let rng = decision.rng();
        let habits = &self.habits;
        let memory = self.memory.get_or_insert_with(|| Memory {
            met: Acquaintances::new(&seen),
            noticed: vec![None; usize::from(seen.players)],
            path: Path::along_longer(&seen, rng),
            learnt: false,
            waiting: None,
            waited: vec![false; usize::from(seen.players)],
        });
        if memory.met.notice(&seen) {
            memory.learnt = true;
            memory.waiting = None;
            memory.waited.fill(false);
        }

        let near = neighbours(&seen);
        let mut step = None;
        for other in &near {
            let willing = match memory.noticed[other.id] {
                _ if memory.met.is_stranger(other.id) => habits.stranger,
                Some(round) if seen.round < round + habits.unseen => 0.0,
                _ => habits.known,
            };
            if step.is_none() && rng.chance(willing) {
                step = Some(other.to);
            }
        }
        let sharing = seen.at(Move::Stay).players.iter();
        for id in sharing.chain(near.iter().map(|other| other.id)) {
            memory.noticed[id] = Some(seen.round);
        }
        if let Some(to) = step {
            return Ok(to);
        }
        if habits.reading == Reading::Kind
            && near.iter().any(|other| memory.met.is_stranger(other.id))
        {
            return Ok(Move::Stay);
        }

        if let Some(left) = memory.waiting {
            memory.waiting = left.checked_sub(1);
            if left > 0 {
                return Ok(Move::Stay);
            }
        } else if near.is_empty() {
            let kind = habits.reading == Reading::Kind;
            let found = lacking_here(&seen).find(|unit| !(kind && memory.waited[*unit]));
            if let Some(unit) = found {
                memory.waited[unit] = true;
                memory.waiting = Some(habits.wait(&seen) - 1);
                return Ok(Move::Stay);
            }
        }
        Ok(memory.path.step(habits, &mut memory.learnt, &seen, rng))
    }
}
