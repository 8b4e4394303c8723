//! Three or more champions on a large square board, where diagonal loops close after as many steps as the
//! board has columns, and any two of different slope cross twice a lap.
//!
//! Each draws a role. A *patrol* goes around its diagonal for ever and never leaves it, so that everybody who
//! has seen a piece of its trail knows where it will come. A *seeker* goes along the other diagonal, on which
//! it crosses the loop of every patrol. It follows the trail of one it has not met backwards, meets it head-on
//! within half a lap, and goes on to the loop of the next. All the units come to every patrol.
//!
//! Nobody is followed who may have left its way, since only seekers do. The one thing that can go wrong is that
//! all draw the same role. Then nobody crosses a loop, and everybody knows it after little more than a lap. So
//! all draw again: patrols move to the other diagonal, where there are no trails yet, and seekers stay. A
//! player for which that fails too, or that has learnt nothing for long, plays as one of a crowd.

use quintain_core::Rng;

use super::super::line::{Class, Line, Sides};
use super::chase::Chase;
use super::parameters::ChampionParameters;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// The most rounds in a row that a patrol waits for a neighbour to come.
const WAITS: u32 = 2;

/// A player with a role.
#[derive(Clone, Debug)]
pub(super) struct Loops {
    role: Role,
    line: Line,
    /// The class of the patrols' loops.
    patrolled: Class,
    chase: Option<Chase>,
    /// For each unit, the round until which its trail is left alone.
    ignored: Vec<u32>,
    /// The number of units it held a round ago, and the round in which it learnt the last one or drew its role.
    held: usize,
    news: u32,
    /// The round from which it draws its role again unless it knows of the other role.
    until: u32,
    /// Whether it has come across a loop of the other diagonal.
    has_crossed: bool,
    /// Whether this is its second role.
    is_redrawn: bool,
    /// Whether it has given up.
    is_over: bool,
    /// Where the neighbour is for which it, a seeker, has just waited.
    awaited: Option<Move>,
    /// The number of rounds in which it, a patrol, has just waited for neighbours, and the round until which
    /// it takes no more notice of any.
    waits: u32,
    passes_until: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Patrol,
    Seeker,
}

/// A number of rounds, as a multiple of a lap.
fn laps(sides: Sides, share: f64) -> u32 {
    (share * f64::from(sides.longer())) as u32
}

/// The best number of patrols was found to grow like the root of the number of players.
fn draw(habits: &ChampionParameters, seen: &Observation, rng: &mut Rng) -> Role {
    let share = habits.patrols / f64::from(seen.players).sqrt();
    if rng.chance(share.min(1.0)) { Role::Patrol } else { Role::Seeker }
}

/// The other diagonal.
fn across(class: Class) -> Class {
    Class { east: class.east, south: -class.south }
}

fn onward(class: Class) -> Move {
    Move::by(class.east.into(), class.south.into())
}

impl Loops {
    /// Whether so many players play like this on a board with these sides.
    pub(super) fn suits(habits: &ChampionParameters, sides: Sides, players: usize) -> bool {
        // Three draw the same role so often that it pays only where crowds are slow.
        let least = if players == 3 { 2 * habits.square } else { habits.square };
        sides.width == sides.height && sides.width as usize >= least
    }

    pub(super) fn new(
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Self {
        let [_, _, patrolled, sought] = sides.classes();
        let role = draw(habits, seen, rng);
        Loops {
            role,
            line: Line::new(if role == Role::Patrol { patrolled } else { sought }),
            patrolled,
            chase: None,
            ignored: vec![0; usize::from(seen.players)],
            held: seen.holds.len(),
            news: seen.round,
            until: laps(sides, habits.proof),
            has_crossed: false,
            is_redrawn: false,
            is_over: false,
            awaited: None,
            waits: 0,
            passes_until: 0,
        }
    }

    /// Whether it follows a trail.
    pub(super) fn follows(&self) -> bool {
        self.chase.is_some()
    }

    /// The diagonal it was on when it gave up, if it has.
    pub(super) fn given_up(&self) -> Option<Move> {
        self.is_over.then(|| onward(self.line.class))
    }

    /// Its part in a meeting with these neighbours, for whom any other player would take the step `usual`.
    /// Patrols stay on their loops, so seekers go to them.
    pub(super) fn meet(
        &mut self,
        seen: &Observation,
        sides: Sides,
        near: &[Move],
        usual: Option<Move>,
    ) -> Option<Move> {
        let awaited = self.awaited.take();
        let Some(usual) = usual else {
            self.waits = 0;
            return None;
        };
        if self.role == Role::Patrol {
            if seen.round < self.passes_until {
                return None;
            }
            self.waits += 1;
            // The neighbour is a patrol too, and waits as well.
            if self.waits > WAITS {
                self.waits = 0;
                self.passes_until = seen.round + laps(sides, 0.5);
                return None;
            }
            return Some(Move::Stay);
        }
        // The patrol whose trail it follows comes head-on.
        let back = onward(self.patrolled.reversed());
        if self.chase.is_some() && near.contains(&back) {
            return Some(back);
        }
        // It waited for somebody who did not come, and so must be a patrol.
        if let Some(to) = awaited.filter(|to| near.contains(to)) {
            return Some(to);
        }
        if usual == Move::Stay {
            self.awaited = near.first().copied();
        }
        Some(usual)
    }

    /// The next step.
    pub(super) fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Move {
        if seen.holds.len() > self.held {
            self.held = seen.holds.len();
            self.news = seen.round;
        }
        let crossed = self.crossed(seen);
        // There are old trails on the second diagonal of one that has moved to it.
        if crossed.is_some() && !(self.is_redrawn && self.role == Role::Patrol) {
            self.has_crossed = true;
        }
        if seen.round >= self.until {
            self.reconsider(habits, seen, sides, rng);
        }
        if let Some(chase) = &self.chase {
            if seen.holds.contains(chase.unit) {
                self.chase = None;
            } else if chase.steps > laps(sides, habits.limit) as i32 {
                self.ignored[chase.unit] = seen.round + laps(sides, habits.ignore);
                self.chase = None;
            }
        }
        if self.role == Role::Seeker
            && self.chase.is_none()
            && let Some(Some(unit)) = crossed
        {
            self.chase = Some(Chase::new(unit, Some(self.patrolled)));
        }
        match &mut self.chase {
            Some(chase) => chase.step(seen, sides),
            None => self.line.step(sides),
        }
    }

    /// Draws its role again if nobody seems to have the other one, or gives up.
    fn reconsider(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) {
        let is_alone = self.is_redrawn && self.held == 1;
        let patience = if is_alone { habits.second } else { habits.stale };
        let is_stale = seen.round - self.news > laps(sides, patience);
        if self.has_crossed && !is_stale {
            return;
        }
        if self.is_redrawn || is_stale {
            self.is_over = true;
            return;
        }
        self.is_redrawn = true;
        self.news = seen.round;
        self.until = seen.round + laps(sides, habits.second);
        self.chase = None;
        self.patrolled = across(self.line.class);
        self.role = draw(habits, seen, rng);
        if self.role == Role::Patrol {
            self.line = Line::new(self.patrolled);
        }
    }

    /// Whether the trail of another player runs along the other diagonal here; if so, a unit that it lacks and
    /// does not ignore, if there is one.
    fn crossed(&self, seen: &Observation) -> Option<Option<usize>> {
        let other = match self.role {
            Role::Patrol => across(self.line.class),
            Role::Seeker => self.patrolled,
        };
        let (east, south) = onward(other).offset();
        let runs = |to: Move, unit: usize| {
            let (x, y) = to.offset();
            [1, -1].into_iter().any(|way| {
                let (x, y) = (x + way * east, y + way * south);
                x.abs() <= 1 && y.abs() <= 1 && seen.at(Move::by(x, y)).trail.contains(unit)
            })
        };
        let mut crossed = None;
        for to in Move::ALL {
            for unit in seen.at(to).trail.iter() {
                if unit == usize::from(seen.me) || !runs(to, unit) {
                    continue;
                }
                if !seen.holds.contains(unit) && self.ignored[unit] <= seen.round {
                    return Some(Some(unit));
                }
                crossed = Some(None);
            }
        }
        crossed
    }
}
