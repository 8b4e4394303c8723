//! Three or more champions on a large square board, where diagonal loops close after as many steps
//! as the board has columns, and any two of different slope cross twice a lap.
//!
//! Each draws a role. A *patrol* goes around its diagonal for ever and never leaves it, so that
//! everybody who has seen a piece of its trail knows where it will come. A *seeker* goes along the
//! other diagonal, on which it crosses the loop of every patrol. It follows the trail of one it has
//! not met backwards, meets it head-on within half a lap, and goes on to the loop of the next. All
//! the units come to every patrol.
//!
//! Nobody is followed who may have left its way, since only seekers do. The one thing that can go
//! wrong is that all draw the same role. Then nobody crosses a loop, and everybody knows it after
//! little more than a lap. So they hold an *election*: all go along the other diagonal, see in
//! which order it crosses their old loops, and know from that who of them leads ([`Circle`]).
//! Leaders stay on that diagonal as patrols, and the others seek them. Whoever sees the loops of
//! too few knows that not all have the same role. After half a lap it is where it would be had it
//! stayed, and goes on as before. A player that has learnt nothing for long plays as one of a
//! crowd.

use quintain_core::Rng;

use super::super::line::{Class, Line, Sides};
use super::chase::Chase;
use super::circle::Circle;
use super::parameters::ChampionParameters;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// The most rounds in a row that a patrol waits for a neighbour to come.
const WAITS: u32 = 2;

/// The share of the other players whose loops are seen where all have the same role. (Not all are,
/// as two may be on one loop.)
const QUORUM: f64 = 0.8;

/// The last round in which players meet because they began as neighbours.
const BEGINNING: u32 = 3;

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
    /// The number of units it held a round ago, and the round in which it learnt the last one or
    /// drew its role.
    held: usize,
    news: u32,
    /// The round from which it draws its role again unless it knows of the other role.
    until: u32,
    /// Whether it has come across a loop of the other diagonal.
    has_crossed: bool,
    /// The loops parallel to its first one.
    circle: Circle,
    /// Whether it takes part in an election, and whether it has taken part in one.
    elects: bool,
    has_elected: bool,
    /// Whether it has come upon a trail along its own loop.
    shares: bool,
    /// Whether its last step led to another cell.
    has_moved: bool,
    /// Whether it has given up.
    is_over: bool,
    /// Where the neighbour is for which it, a seeker, has just waited.
    awaited: Option<Move>,
    /// The number of rounds in which it, a patrol, has just waited for neighbours, and the round
    /// until which it takes no more notice of any.
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

impl Loops {
    /// Whether so many players play like this on a board with these sides.
    pub(super) fn suits(habits: &ChampionParameters, sides: Sides) -> bool {
        sides.width == sides.height && sides.width as usize >= habits.square
    }

    pub(super) fn new(
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
        rng: &mut Rng,
    ) -> Self {
        let [_, _, patrolled, sought] = sides.classes();
        let role = draw(habits, seen, rng);
        let class = if role == Role::Patrol { patrolled } else { sought };
        Loops {
            role,
            line: Line::new(class),
            patrolled,
            chase: None,
            ignored: vec![0; usize::from(seen.players)],
            held: seen.holds.len(),
            news: seen.round,
            until: laps(sides, habits.proof),
            has_crossed: false,
            circle: Circle::new(class),
            elects: false,
            has_elected: false,
            shares: false,
            has_moved: false,
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
        self.is_over.then(|| self.line.class.onward())
    }

    /// Its part in a meeting with these neighbours, for whom any other player would take the step
    /// `usual`. Patrols stay on their loops, so seekers go to them.
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
        let back = self.patrolled.reversed().onward();
        if self.chase.is_some() && near.contains(&back) {
            return Some(back);
        }
        // It waited for a player that did not come, and so must be a patrol.
        if let Some(to) = awaited.filter(|to| near.contains(to)) {
            return Some(to);
        }
        if usual == Move::Stay {
            self.awaited = near.first().copied();
        }
        Some(usual)
    }

    /// Notes a step that was made.
    pub(super) fn go(&mut self, to: Move) {
        self.has_moved = to != Move::Stay;
    }

    /// The next step.
    pub(super) fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        sides: Sides,
    ) -> Move {
        if seen.holds.len() > self.held {
            if self.held == 1 && seen.round <= BEGINNING {
                self.divide(sides);
            }
            self.held = seen.holds.len();
            self.news = seen.round;
        }
        if !self.has_elected && self.chase.is_none() {
            self.circle.look(seen, sides, 0.0, |unit| unit != usize::from(seen.me));
            if let Some(to) = self.make_way(seen, sides) {
                return to;
            }
        }
        let crossed = self.crossed(seen, sides);
        // On the second diagonal there may be trails of those that elect, too.
        if crossed.is_some() && !self.elects && !(self.has_elected && self.role == Role::Patrol) {
            self.has_crossed = true;
        }
        if seen.round >= self.until {
            self.reconsider(habits, seen, sides);
        }
        if self.elects
            && let Some(to) = self.elect(seen, sides)
        {
            return to;
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

    /// Takes the role that the neighbour with which it began does not take: the one that came to
    /// the other seeks.
    fn divide(&mut self, sides: Sides) {
        let [_, _, patrolled, sought] = sides.classes();
        let (role, class) = match self.has_moved {
            true => (Role::Seeker, sought),
            false => (Role::Patrol, patrolled),
        };
        self.role = role;
        self.line = Line::new(class);
        self.circle = Circle::new(class);
    }

    /// The step to the next loop, if another player is on this one and finds the beginning of its
    /// trail later, so that no two are in the same place in an election.
    fn make_way(&mut self, seen: &Observation, sides: Sides) -> Option<Move> {
        let (here, ahead) = (&seen.at(Move::Stay).trail, &seen.at(self.line.class.onward()).trail);
        let me = usize::from(seen.me);
        let is_shared = here.iter().any(|unit| unit != me && ahead.contains(unit));
        if self.shares || self.held > 1 || ahead.contains(me) || !is_shared {
            return None;
        }
        self.shares = true;
        (2 * self.line.steps < sides.longer()).then(|| Move::by(self.line.class.east.into(), 0))
    }

    /// Takes part in an election if nobody seems to have the other role, or gives up.
    fn reconsider(&mut self, habits: &ChampionParameters, seen: &Observation, sides: Sides) {
        let is_alone = self.has_elected && self.held == 1;
        let patience = if is_alone { habits.second } else { habits.stale };
        let is_stale = seen.round - self.news > laps(sides, patience);
        if self.has_crossed && !is_stale {
            return;
        }
        if self.has_elected || is_stale {
            self.is_over = true;
            return;
        }
        self.elects = true;
        self.has_elected = true;
        self.news = seen.round;
        self.until = seen.round + laps(sides, habits.second);
        self.chase = None;
        self.patrolled = sides.crossing(self.circle.class());
        self.line = Line::new(self.patrolled);
    }

    /// The next step of an election, unless it is over now.
    fn elect(&mut self, seen: &Observation, sides: Sides) -> Option<Move> {
        let made = f64::from(self.line.steps);
        self.circle.look(seen, sides, made, |unit| !seen.holds.contains(unit));
        let others = usize::from(seen.players) - 1;
        let is_half = self.line.steps == sides.longer() / 2;
        let is_clear = self.circle.len() >= others && self.circle.is_past(made);
        let old = self.circle.class();
        if is_clear || is_half && self.circle.len() as f64 >= QUORUM * others as f64 {
            self.elects = false;
            let (leads, leaders) = self.circle.leaders(sides);
            self.role = if leads { Role::Patrol } else { Role::Seeker };
            if !leads {
                self.line = Line::new(old);
                // The others have left the second diagonal as well.
                self.ignored.fill(u32::MAX);
                leaders.into_iter().for_each(|unit| self.ignored[unit] = 0);
            }
            return None;
        }
        if !is_half {
            return Some(self.line.step(sides));
        }
        // There are others with the other role, so it keeps its own.
        self.elects = false;
        self.has_crossed = true;
        if self.role == Role::Patrol {
            self.patrolled = old;
        }
        self.line = Line::new(old);
        // Half a lap along either diagonal leads to the same cell, but an odd side has no half.
        (sides.longer() % 2 == 1).then(|| Move::by(old.east.into(), 0))
    }

    /// Whether the trail of another player runs along the other diagonal here; if so, a unit that
    /// it lacks and does not ignore, if there is one.
    fn crossed(&self, seen: &Observation, sides: Sides) -> Option<Option<usize>> {
        let other = match self.role {
            Role::Patrol => sides.crossing(self.line.class),
            Role::Seeker => self.patrolled,
        };
        let runs = |to: Move, unit: usize| {
            [1, -1].into_iter().any(|steps| other.has_trail(seen, to, steps, unit))
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
