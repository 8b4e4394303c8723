//! The solver of the post “ICFPC 2015: Hexagonal Tetris”: every unit goes to the place
//! that the weighted features prefer, after looking one to three units ahead, by a way
//! that speaks phrases. What the post leaves open is ours: weights of holes and of
//! roughness count against a board, those of the other features for it; a place after
//! which the next unit finds no room is bad whatever the board looks like.

use quintain_core::{Meter, Rng, Unit};

use crate::board::{Board, points};
use crate::evaluation::{Evaluation, Factors, POST, POST_DEFAULT, Weights};
use crate::paths::{Paths, Place, Shortcuts};
use crate::play::{Course, State};
use crate::solvers::speech::Speaker;
use crate::solvers::{Best, Solving, Task};
use crate::walk::Walk;

/// What the post's solver does; every part is a switch.
#[derive(Clone, PartialEq, Debug)]
pub struct Post {
    /// The weights; none for the post's own of the problem.
    pub weights: Option<Weights>,
    /// What the weights are multiplied by.
    pub factors: Factors,
    /// Units to look ahead instead of what the weights say; 0 for that.
    pub depth: u32,
    /// How the search for places is cut short.
    pub shortcuts: Shortcuts,
    /// Phrases are spoken on the way.
    pub speaks: bool,
    /// Games played, each with other weights, while there is time; 0 for as many as there
    /// is time for.
    pub rounds: u64,
}

impl Default for Post {
    fn default() -> Self {
        Post {
            weights: None,
            factors: Factors::default(),
            depth: 0,
            shortcuts: Shortcuts::POST,
            speaks: true,
            rounds: 1,
        }
    }
}

/// What no room for the next unit counts.
const DOOM: f64 = -1e6;

impl Solving for Post {
    fn solve(&self, task: &Task<'_>, meter: &mut Meter, rng: &mut Rng, best: &mut Best<'_>) {
        let own = Weights::of_problem(task.course.problem().id());
        let mut round = 0;
        let mut leader = (self.weights.unwrap_or(own).times(&self.factors), best.score());
        while (self.rounds == 0 || round < self.rounds) && !meter.is_spent() {
            let mut weights = match (round, self.weights) {
                (0, _) => leader.0,
                (1..=25, None) => {
                    let others = POST.get(round as usize - 1).copied().unwrap_or(POST_DEFAULT);
                    others.times(&self.factors)
                }
                _ => varied(leader.0, rng),
            };
            if self.depth > 0 {
                weights.depth = self.depth;
            }
            let text = Rules::new(self, weights, task).text(task.start, meter);
            let score = best.offer(&text).unwrap_or_default();
            if score > leader.1 {
                leader = (weights, score);
            }
            round += 1;
        }
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, u64::MAX)
    }
}

/// Weights nearby.
fn varied(weights: Weights, rng: &mut Rng) -> Weights {
    let mut vary = |weight: f64| {
        let factor = (2.0 * rng.unit() - 1.0).exp();
        if rng.chance(0.4) { weight * factor + rng.unit() - 0.5 } else { weight }
    };
    Weights {
        depth: weights.depth,
        gravity: vary(weights.gravity),
        right: vary(weights.right),
        left: vary(weights.left),
        both: vary(weights.both),
        unfinished: vary(weights.unfinished),
        rough: vary(weights.rough),
    }
}

/// One game with one set of weights.
struct Rules<'a> {
    post: &'a Post,
    course: &'a Course,
    evaluation: Evaluation,
    depth: u32,
    speaker: Speaker<'a>,
    /// One for each unit looked ahead.
    paths: Vec<Paths>,
}

impl<'a> Rules<'a> {
    fn new(post: &'a Post, weights: Weights, task: &Task<'a>) -> Self {
        let course = task.course;
        let mut speaker = Speaker::new(course.phrases());
        speaker.note(&task.start.counts);
        Rules {
            post,
            course,
            evaluation: Evaluation::new(weights, course.problem().board()),
            depth: weights.depth.max(1),
            speaker,
            paths: vec![Paths::new(); weights.depth.max(1) as usize],
        }
    }

    /// What is said from `start` until the game ends or the meter is spent.
    fn text(mut self, start: &State, meter: &mut Meter) -> String {
        let mut state = start.clone();
        let mut text = String::new();
        while let Some(walk) = state.walk.clone() {
            let Some(place) = self.choose(&state, &walk, meter) else { break };
            let unit = self.course.unit(&state);
            let spoken = match self.post.speaks {
                true => self.speaker.way(unit, &state.board, &walk, place.position, place.lock),
                false => None,
            };
            let way = spoken.unwrap_or_else(|| self.paths[0].way(&place));
            for letter in way.bytes() {
                let said = self.course.speak(&mut state, letter);
                debug_assert!(said.is_ok(), "{said:?}");
            }
            self.speaker.note(&state.counts);
            text += &way;
        }
        text
    }

    /// The best place; none when the meter is spent.
    fn choose(&mut self, state: &State, walk: &Walk, meter: &mut Meter) -> Option<Place> {
        let came = state.came as usize;
        let mut paths = std::mem::take(&mut self.paths[0]);
        let unit = self.course.unit(state);
        paths.explore(unit, &state.board, walk, self.post.shortcuts);
        let mut best: Option<(f64, Place)> = None;
        let mut is_spent = false;
        for place in paths.places() {
            if !meter.spend() {
                is_spent = true;
                break;
            }
            let mut board = state.board.clone();
            let lines = board.lock(unit, place.position);
            let gain = points(unit.size(), lines, state.before) as f64;
            let value = gain + self.look(1, came, &board, lines, meter);
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, *place));
            }
        }
        self.paths[0] = paths;
        best.filter(|_| !is_spent).map(|(_, place)| place)
    }

    /// What a board is worth after `ahead` units have been placed.
    fn look(
        &mut self,
        ahead: u32,
        came: usize,
        board: &Board,
        before: u32,
        meter: &mut Meter,
    ) -> f64 {
        if came == self.course.queue().len() {
            return self.evaluation.of(board);
        }
        let unit = self.course.nth(came);
        if !unit.fits(board, unit.spawn()) {
            return self.evaluation.of(board) + DOOM;
        }
        if ahead == self.depth {
            return self.evaluation.of(board);
        }
        let mut paths = std::mem::take(&mut self.paths[ahead as usize]);
        let walk = Walk::new(unit, unit.spawn());
        paths.explore(unit, board, &walk, self.post.shortcuts);
        let mut best = f64::NEG_INFINITY;
        for place in paths.places() {
            if !meter.spend() {
                break;
            }
            let mut board = board.clone();
            let lines = board.lock(unit, place.position);
            let gain = points(unit.size(), lines, before) as f64;
            best = best.max(gain + self.look(ahead + 1, came + 1, &board, lines, meter));
        }
        self.paths[ahead as usize] = paths;
        best
    }
}
