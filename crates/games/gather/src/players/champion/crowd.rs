//! Three or more champions.
//!
//! With two players it is enough to find the other's trail. With many, everybody must end in one
//! place, and nobody can say where. The idea is to let followers collect behind those whose trails
//! they found.
//!
//! - Everyone *sweeps* straight ahead on one of two diagonals. Sweeps along different diagonals
//!   cross, so most players soon come upon another player's trail.
//! - A player that comes upon the trail of a unit it lacks *follows* it forward, the way its owner
//!   went.
//! - A player that has come upon none after half a lap is probably followed by others. It walks
//!   back along its own trail toward them and *waits*.
//!
//! So every trail leads to a player that waits, and units flow together in trees whose roots wait.
//! A player that learns something sweeps on from there along the other diagonal, with more to bring
//! than before.
//!
//! Two things can go wrong, and chance resolves both. Followers may follow each other in a circle;
//! so one that is tired or walks along its own trail for some steps may turn back toward its own
//! follower, since meeting head-on is half the way, and then wait. And all may sweep parallel
//! lines; so one that has waited in vain draws another diagonal.
//!
//! Whoever has learnt nothing for very long, because something else went wrong, wanders off
//! ([`Wander`]).
//!
//! Where players are *dense*, it is unlikely that all sweep parallel lines, so one that has waited
//! in vain mostly goes on along its diagonal, into cells that it has not seen. Trails soon cover
//! such a board and cross everywhere. But units are never lost, so a cell with more of them was
//! walked on later. A follower goes to one beside it that has more, in whatever direction.

use quintain_core::Rng;

use super::parameters::ChampionParameters;
use super::wander::Wander;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// The directions in which trails are laid. Each slope has only one, so that a trail tells
/// where its owner went although it carries no time. Where two trails cross, followers of
/// either take the direction that comes first here, so that they go on together rather
/// than exchange places.
const HEADINGS: [Move; 4] = [Move::E, Move::N, Move::NE, Move::SE];

/// The headings of sweeps: two such lines cross twice a lap, others once.
const SWEEPS: [Move; 2] = [Move::NE, Move::SE];

/// After this many steps in a row along its own trail, a follower assumes that it goes in a circle.
const CIRCLE: u32 = 3;

/// The fewest steps of a sweep. On small boards and among very many players its time is shorter
/// than a step, and whoever sees no trail would wait again and again, for others that wait as well.
const SHORTEST: u32 = 1;

/// One player of a crowd.
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    /// Every step so far, except those taken back.
    path: Vec<Move>,
    /// Whether the last step went back along the path and so does not count as a step of it.
    retreats: bool,
    heading: Move,
    /// The directions of trails; where several are as good, the first is taken.
    headings: [Move; 4],
    doing: Doing,
    /// The round in which the present sweep began.
    since: u32,
    /// The number of units it held a round ago, and the round in which it learnt the last one.
    held: usize,
    news: u32,
    /// For each unit, the round until which its trail is left alone.
    ignored: Vec<u32>,
    /// The round from which it may draw again whether to leave a circle.
    asked: u32,
    wander: Wander,
}

#[derive(Clone, Copy, Debug)]
enum Doing {
    Sweep,
    /// Follows the trail of this unit since the round `began`; the last `own` steps were along its
    /// own trail.
    Follow {
        unit: usize,
        began: u32,
        own: u32,
    },
    /// Waits for followers since the round `began`, first walking back for `back` steps.
    Wait {
        began: u32,
        back: u32,
        /// The unit it followed before.
        after: Option<usize>,
    },
}

/// The unit of measure of the parameters: the side of a square of the same area.
fn scale(seen: &Observation) -> f64 {
    (f64::from(seen.width) * f64::from(seen.height)).sqrt()
}

/// The fewest players of a dense crowd: of fewer, all often sweep parallel lines.
const MANY: u16 = 5;

/// The fewest cells for each player of a dense crowd: with fewer, everybody is in each other's way.
const ROOM: f64 = 15.0;

/// Whether the crowd is dense.
fn is_dense(habits: &ChampionParameters, seen: &Observation) -> bool {
    let room = f64::from(seen.width) * f64::from(seen.height) / f64::from(seen.players);
    seen.players >= MANY && (ROOM..=habits.dense).contains(&room)
}

/// The number of players for which the times of sweeps and waits were tuned.
const TUNED_FOR: u16 = 3;

/// How much shorter sweeps and waits are than among three: the more players there are, the sooner
/// one comes upon a trail.
fn crowding(habits: &ChampionParameters, seen: &Observation) -> f64 {
    1.0 + habits.crowding * f64::from(seen.players.saturating_sub(TUNED_FOR))
}

/// Whether a round is so long ago, in parts of the scale.
fn is_long_ago(seen: &Observation, from: u32, share: f64) -> bool {
    f64::from(seen.round - from) >= share * scale(seen)
}

/// The round that is so much later, in parts of the scale.
fn later(seen: &Observation, share: f64) -> u32 {
    seen.round + (share * scale(seen)) as u32
}

fn draw(rng: &mut Rng) -> Move {
    SWEEPS[rng.below(2)]
}

/// The other diagonal, on which it crosses the lines of the first in any case.
fn across(heading: Move) -> Move {
    if heading == SWEEPS[0] { SWEEPS[1] } else { SWEEPS[0] }
}

impl Crowd {
    pub(super) fn new(seen: &Observation, rng: &mut Rng) -> Self {
        Crowd {
            path: Vec::new(),
            retreats: false,
            heading: draw(rng),
            headings: HEADINGS,
            doing: Doing::Sweep,
            since: seen.round,
            held: seen.holds.len(),
            news: seen.round,
            ignored: vec![0; usize::from(seen.players)],
            asked: 0,
            wander: Wander::default(),
        }
    }

    /// Begins after all have gone around loops, most of them on this diagonal. Its trails are
    /// closed and have no end to wait at, so wherever another one leaves them, that one is
    /// followed.
    pub(super) fn after_loops(seen: &Observation, old: Move, rng: &mut Rng) -> Self {
        Crowd { headings: [Move::E, Move::N, across(old), old], ..Crowd::new(seen, rng) }
    }

    /// Notes a step that was made.
    pub(super) fn go(&mut self, to: Move) {
        if !self.retreats {
            self.path.push(to);
        }
    }

    /// Whether it follows a trail.
    pub(super) fn follows(&self) -> bool {
        matches!(self.doing, Doing::Follow { .. })
    }

    /// The next step.
    pub(super) fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        rng: &mut Rng,
    ) -> Move {
        self.retreats = false;
        self.take_in_news(seen);
        if let Some(to) = self.wander.step(habits, seen, self.news, scale(seen), rng) {
            self.sweep(seen);
            return to;
        }
        if let Doing::Wait { after, .. } = self.doing {
            if let Some(to) = self.wait(habits, seen) {
                return to;
            }
            self.give_up_waiting(habits, seen, after, rng);
        }
        self.look_for_trail(seen);
        if let Doing::Follow { unit, .. } = self.doing {
            return match self.follow(seen, unit, is_dense(habits, seen)) {
                Some(to) => self.go_along(habits, seen, to, rng),
                None => {
                    // The trail ends, and its owner is not there: it has moved on with others.
                    self.ignored[unit] = later(seen, habits.lost);
                    self.sweep(seen);
                    self.heading
                }
            };
        }
        self.go_on_sweeping(habits, seen)
    }

    /// News: units came in a meeting. A waiting player goes on waiting, since more may come. Others
    /// carry them on, a follower along the other diagonal, where its old line was not.
    fn take_in_news(&mut self, seen: &Observation) {
        if seen.holds.len() <= self.held {
            return;
        }
        self.held = seen.holds.len();
        self.news = seen.round;
        if !matches!(self.doing, Doing::Wait { .. }) {
            if self.follows() {
                self.heading = across(self.heading);
            }
            self.sweep(seen);
        }
    }

    /// The step of a player that waits, at its own trail's end or on the way there; `None` if it
    /// does not wait, or nobody has come for too long.
    fn wait(&mut self, habits: &ChampionParameters, seen: &Observation) -> Option<Move> {
        let Doing::Wait { began, back, after } = &mut self.doing else { return None };
        let visited = self.news > *began;
        // It waits for followers until none has come for a time; if it stopped to break a circle,
        // it waits for less.
        let crowding = crowding(habits, seen);
        let patience = match after {
            _ if visited => habits.visited,
            Some(_) => habits.pause,
            None => habits.alone / (crowding * crowding),
        };
        if is_long_ago(seen, (*began).max(self.news), patience) {
            return None;
        }
        if !visited && *back > 0 {
            *back -= 1;
            if let Some(to) = self.path.pop() {
                self.retreats = true;
                return Some(to.opposite());
            }
        }
        *back = 0;
        Some(Move::Stay)
    }

    /// Sweeps on since nobody came; it followed the unit `after` before it waited.
    fn give_up_waiting(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        after: Option<usize>,
        rng: &mut Rng,
    ) {
        // Do not fall into the same circle again at once.
        if let Some(unit) = after {
            self.ignored[unit] = later(seen, habits.forget);
        }
        self.sweep(seen);
        self.heading = match self.heading {
            _ if !is_dense(habits, seen) => draw(rng),
            heading if rng.chance(habits.change) => across(heading),
            heading => heading,
        };
    }

    /// Leaves the trail of a unit that it has got, and begins to follow one that it comes upon.
    fn look_for_trail(&mut self, seen: &Observation) {
        if matches!(self.doing, Doing::Follow { unit, .. } if seen.holds.contains(unit)) {
            self.doing = Doing::Sweep;
        }
        if let (Doing::Sweep, Some(unit)) = (self.doing, self.scent(seen)) {
            self.doing = Doing::Follow { unit, began: seen.round, own: 0 };
        }
    }

    /// The step along the trail that it follows, which goes on in the direction `to`; it stays and
    /// waits if it probably goes in a circle and chance has it so.
    fn go_along(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        to: Move,
        rng: &mut Rng,
    ) -> Move {
        let Doing::Follow { unit, began, own } = self.doing else { return to };
        // Its own unit lies on the cell ahead, so it has been here before.
        let trodden = seen.at(to).trail.contains(usize::from(seen.me));
        let own = if trodden { own + 1 } else { 0 };
        self.doing = Doing::Follow { unit, began, own };
        let tired = is_long_ago(seen, began, habits.tired);
        if (tired || own >= CIRCLE) && seen.round >= self.asked {
            self.asked = later(seen, habits.asking);
            if rng.chance(habits.halt) {
                let back = (habits.retreat * scale(seen)) as u32;
                self.doing = Doing::Wait { began: seen.round, back, after: Some(unit) };
                return Move::Stay;
            }
        }
        to
    }

    /// The step of a sweep; one that finds no trail is over after half a lap or so.
    fn go_on_sweeping(&mut self, habits: &ChampionParameters, seen: &Observation) -> Move {
        let crowding = crowding(habits, seen);
        let early = if seen.players > TUNED_FOR { habits.early / scale(seen) } else { 0.0 };
        let is_over = is_long_ago(seen, self.since, habits.bloom / crowding - early);
        if is_over && seen.round - self.since >= SHORTEST {
            let share = habits.back / (crowding * crowding);
            let back = (share * f64::from(seen.round - self.since)) as u32;
            self.doing = Doing::Wait { began: seen.round, back, after: None };
            return Move::Stay;
        }
        self.heading
    }

    fn sweep(&mut self, seen: &Observation) {
        self.doing = Doing::Sweep;
        self.since = seen.round;
    }

    /// The number of units on the trail of this neighbour that it lacks and does not ignore.
    fn worth(&self, seen: &Observation, to: Move) -> usize {
        let trail = &seen.at(to).trail;
        if trail.is_within(&seen.holds) {
            return 0;
        }
        let lacking = trail.minus(&seen.holds);
        lacking.iter().filter(|unit| self.ignored[*unit] <= seen.round).count()
    }

    /// Returns a unit that it lacks and whose trail is near.
    fn scent(&self, seen: &Observation) -> Option<usize> {
        [Move::Stay].into_iter().chain(self.headings).chain(Move::ALL).find_map(|to| {
            let trail = &seen.at(to).trail;
            if trail.is_within(&seen.holds) {
                return None;
            }
            trail.minus(&seen.holds).iter().find(|unit| self.ignored[*unit] <= seen.round)
        })
    }

    /// The step forward to where most units are that it lacks; `None` at the trail's end. In a
    /// dense crowd, it may also go against the headings to where there are more than here.
    fn follow(&self, seen: &Observation, unit: usize, dense: bool) -> Option<Move> {
        let here = self.worth(seen, Move::Stay);
        if here > 0 {
            let most = |ways: &[Move]| {
                let ahead = ways.iter().map(|to| (self.worth(seen, *to), *to));
                // The first of the greatest; the order is reversed because `max_by_key` takes the
                // last.
                ahead.rev().max_by_key(|(worth, _)| *worth)
            };
            let ahead = most(&self.headings);
            let around = most(&Move::STEPS).filter(|(worth, _)| dense && *worth > here);
            let best = match (ahead, around) {
                (Some((least, _)), Some((more, to))) if more > least => Some((more, to)),
                _ => ahead,
            };
            if let Some((1.., to)) = best {
                return Some(to);
            }
            if seen.at(Move::Stay).trail.contains(unit) {
                return None;
            }
        }
        // It is not on the trail yet: go to the foremost cell of the trail's longest piece in
        // sight.
        let has = |to: Move| seen.at(to).trail.contains(unit);
        let mut best: Option<((usize, i32), Move)> = None;
        for heading in self.headings {
            let (east, south) = heading.offset();
            let goes_on = |to: &Move| {
                let (x, y) = to.offset();
                let (x, y) = (x + east, y + south);
                x.abs() <= 1 && y.abs() <= 1 && has(Move::by(x, y))
            };
            let pairs = Move::ALL.into_iter().filter(|to| has(*to) && goes_on(to)).count();
            for to in Move::STEPS.into_iter().filter(|to| has(*to)) {
                let (x, y) = to.offset();
                let key = (pairs, x * east + y * south);
                if best.is_none_or(|(most, _)| key > most) {
                    best = Some((key, to));
                }
            }
        }
        best.map(|(_, to)| to)
    }
}
