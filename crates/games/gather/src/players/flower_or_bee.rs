//! FlowerOrBee v1 and v2. A flower, one player in N, walks once around the board and then waits
//! where it began. Bees cross its row or column, find its trail and follow it. A player that meets
//! nobody for a time draws its role again.
//!
//! From the report's section “FlowerOrBee”. Our reading of what it leaves open: a meeting that
//! brings news restarts the clock. A flower's trail is one along the axis on which flowers go, so
//! that a bee does not follow another bee's trail. A bee follows a trail of a unit it lacks once
//! around the board. It leaves a trail that it has followed in vain alone for `ignore` times 2B + F
//! for each unit it lacks, so that it tries all others before it begins again. There are two
//! variations: `follow=any` follows whatever trail of the unit there is, and `approach` lets a bee
//! step toward a neighbour, which the report, whose bees find flowers by their trails alone, does
//! not.

use quintain_core::{Decision, Fault, Player, Rng, parameters};

use super::meeting::{Acquaintances, neighbours};
use super::trail::{FollowedCells, Follower, lacking_here};
use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// Declares the parameters of one version.
macro_rules! version {
    ($(#[$doc:meta])* $name:ident, longer: $longer:expr, { $($more:tt)* }) => {
        parameters! {
            $(#[$doc])*
            pub(crate) struct $name {
                /// The expected number of flowers: each player becomes one with probability
                /// `flowers` / N.
                flowers: f64 = 1.0, in 0.0..=65_535.0;
                /// Rounds without news before a player draws its role again, as a multiple of 2B +
                /// F, where F and B are the lengths of a flower's and a bee's way around the board.
                patience: f64 = 1.0, in 0.0..=1000.0;
                /// The probability of a step toward a neighbour that it has not met for `recent`
                /// rounds.
                approach: f64 = 0.0, in 0.0..=1.0;
                /// Rounds after a meeting during which it does not approach that player.
                recent: u32 = 10;
                /// The cells of a trail that a bee follows.
                follow: FollowedCells = FollowedCells::Axis;
                /// Rounds for which a trail that was followed in vain is left alone, as a multiple
                /// of 2B + F for each unit that the player lacks.
                ignore: f64 = 4.0, in 0.0..=1000.0;
                $($more)*
            }
        }

        impl $name {
            /// The player with these parameters.
            pub(crate) fn player(&self) -> FlowerOrBee {
                let habits = Habits {
                    flowers: self.flowers,
                    patience: self.patience,
                    approach: self.approach,
                    recent: self.recent,
                    follow: self.follow,
                    ignore: self.ignore,
                    longer: $longer(self),
                };
                FlowerOrBee { version: Version::$name, habits, memory: None }
            }
        }
    };
}

version! {
    /// Flowers go west, bees south.
    V1, longer: |_| false, {}
}
version! {
    /// Flowers go along the shorter side; bees across or diagonally.
    V2, longer: |own: &V2| own.longer, {
        /// Whether flowers go along the longer side instead.
        longer: bool = false;
    }
}

#[derive(Clone, Copy, Debug)]
enum Version {
    V1,
    V2,
}

#[derive(Clone, Copy, Debug)]
struct Habits {
    flowers: f64,
    patience: f64,
    approach: f64,
    recent: u32,
    follow: FollowedCells,
    ignore: f64,
    /// Whether flowers of version 2 go along the longer side.
    longer: bool,
}

/// Either version.
#[derive(Clone, Debug)]
pub(crate) struct FlowerOrBee {
    version: Version,
    habits: Habits,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    role: Role,
    /// The round in which the role was drawn, or of the last meeting with news.
    since: u32,
    following: Option<Follower>,
    /// Steps to the south or, for flowers along columns, to the east of its start.
    line: u16,
    ignored: Vec<Ignored>,
}

/// A trail that was followed in vain.
#[derive(Clone, Copy, Debug)]
struct Ignored {
    unit: usize,
    /// The line that it runs along.
    line: u16,
    /// The round until which it is left alone.
    until: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    /// Goes `left` more steps, then waits.
    Flower {
        to: Move,
        left: u32,
    },
    Bee {
        to: Move,
    },
}

impl FlowerOrBee {
    /// Whether flowers of version 2 go west and east.
    fn along_rows(&self, seen: &Observation) -> bool {
        (seen.width <= seen.height) != self.habits.longer
    }

    /// F and B: how far a flower and a bee go around the board.
    fn sides(&self, seen: &Observation) -> (u32, u32) {
        let (width, height) = (u32::from(seen.width), u32::from(seen.height));
        match self.version {
            Version::V1 => (width, height),
            Version::V2 if self.along_rows(seen) => (width, height),
            Version::V2 => (height, width),
        }
    }

    /// 2B + F.
    fn clock(&self, seen: &Observation) -> f64 {
        let (flower, bee) = self.sides(seen);
        f64::from(2 * bee + flower)
    }

    /// The number of the flowers' line to which a step leads, counted from the start; always 0 if a
    /// bee follows any trail.
    fn next_line(&self, seen: &Observation, line: u16, to: Move) -> u16 {
        let (east, south) = to.offset();
        let (across, side) = match self.version {
            _ if self.habits.follow == FollowedCells::Any => return 0,
            Version::V2 if !self.along_rows(seen) => (east, seen.width),
            Version::V1 | Version::V2 => (south, seen.height),
        };
        (i32::from(line) + across).rem_euclid(side.into()) as u16
    }

    fn draw_role(&self, seen: &Observation, rng: &mut Rng) -> Role {
        let flower = rng.chance(self.habits.flowers / f64::from(seen.players));
        let left = self.sides(seen).0;
        let (along, across) = match self.version {
            Version::V1 => ([Move::W; 2], [Move::S; 2]),
            Version::V2 if self.along_rows(seen) => ([Move::W, Move::E], [Move::N, Move::S]),
            Version::V2 => ([Move::N, Move::S], [Move::W, Move::E]),
        };
        match (flower, self.version) {
            (true, _) => Role::Flower { to: along[rng.below(2)], left },
            (false, Version::V1) => Role::Bee { to: across[0] },
            (false, Version::V2) => {
                let course = rng.below(6);
                let to = if course < 2 { across[course] } else { Move::DIAGONALS[course - 2] };
                Role::Bee { to }
            }
        }
    }

    fn bee(&self, memory: &mut Memory, seen: &Observation, to: Move, rng: &mut Rng) -> Move {
        let late = |met: Option<u32>| met.is_none_or(|met| seen.round > met + self.habits.recent);
        let near = neighbours(seen);
        let near = near.iter().find(|other| late(memory.met.last_met(other.id)));
        if let Some(other) = near
            && rng.chance(self.habits.approach)
        {
            return other.to;
        }
        let (flower, bee) = self.sides(seen);
        let around = match self.habits.follow {
            FollowedCells::Axis if matches!(self.version, Version::V1) => flower,
            // A bee that goes against a flower may pass it without meeting it, and has to come
            // round again.
            FollowedCells::Axis => 2 * flower,
            FollowedCells::Any => bee + flower,
        };
        if let Some(mut follower) = memory.following.take()
            && !seen.holds.contains(follower.unit)
        {
            if follower.steps < around
                && let Some(step) = follower.step(seen)
            {
                memory.following = Some(follower);
                return step;
            }
            let lacking = usize::from(seen.players) - seen.holds.len();
            let laps = self.habits.ignore * lacking as f64;
            memory.ignored.retain(|trail| trail.until > seen.round);
            memory.ignored.push(Ignored {
                unit: follower.unit,
                line: memory.line,
                until: seen.round + (laps * self.clock(seen)) as u32,
            });
        }
        // In the direction in which flowers go.
        let along = match self.version {
            Version::V1 => Move::W,
            Version::V2 if self.along_rows(seen) => [Move::W, Move::E][rng.below(2)],
            Version::V2 => [Move::N, Move::S][rng.below(2)],
        };
        let is_ignored = |unit: usize| {
            memory.ignored.iter().any(|trail| {
                trail.unit == unit && trail.line == memory.line && trail.until > seen.round
            })
        };
        let fresh = lacking_here(seen).filter(|unit| !is_ignored(*unit));
        for unit in fresh {
            let mut follower = Follower::new(unit, along, self.habits.follow);
            if let Some(step) = follower.step(seen) {
                memory.following = Some(follower);
                return step;
            }
        }
        to
    }
}

impl Player<Gather> for FlowerOrBee {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        let rng = decision.rng();
        let mut memory = self.memory.take().unwrap_or_else(|| Memory {
            met: Acquaintances::new(&seen),
            role: self.draw_role(&seen, rng),
            since: seen.round,
            following: None,
            line: 0,
            ignored: Vec::new(),
        });
        memory.met.notice(&seen);
        memory.since = memory.since.max(memory.met.news);
        if f64::from(seen.round - memory.since) > self.habits.patience * self.clock(&seen) {
            memory.role = self.draw_role(&seen, rng);
            memory.since = seen.round;
            memory.following = None;
        }
        let to = match &mut memory.role {
            Role::Flower { left: 0, .. } => Move::Stay,
            Role::Flower { to, left } => {
                *left -= 1;
                *to
            }
            Role::Bee { to } => {
                let to = *to;
                self.bee(&mut memory, &seen, to, rng)
            }
        };
        memory.line = self.next_line(&seen, memory.line, to);
        decision.note("flower", f64::from(u8::from(matches!(memory.role, Role::Flower { .. }))));
        self.memory = Some(memory);
        Ok(to)
    }
}
