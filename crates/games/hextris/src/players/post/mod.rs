//! The solver of the post “ICFPC 2015: Hexagonal Tetris”: every unit goes to the place that the
//! weighted features prefer, after looking one to three units ahead, by a path that speaks phrases.
//! We filled in what the post leaves open: the weights of holes and of roughness count against a
//! board, those of the other features for it; a place after which the next unit finds no room is
//! bad whatever the board looks like.

mod phrase_search;

use quintain_core::{Meter, Rng, Unit, parameters};

use crate::players::post::phrase_search::PhraseSearch;
use crate::players::solver::{Incumbent, SolverInput, TextSolver};
use crate::rules::board::Board;
use crate::rules::estimate::{Evaluation, Factors, POST, POST_DEFAULT, Weights};
use crate::rules::paths::{LockPlace, Paths, Shortcuts};
use crate::rules::points;
use crate::rules::walk::Walk;
use crate::rules::{Instance, State};

/// The post's solver; every part of it can be switched.
#[derive(Clone, PartialEq, Debug)]
pub struct Post {
    /// The weights; `None` for those that the post has for the problem.
    pub weights: Option<Weights>,
    /// The factors of the weights.
    pub factors: Factors,
    /// The number of units to look ahead, in place of what the weights say; 0 to keep that.
    pub depth: u32,
    /// How the search for places is cut short.
    pub shortcuts: Shortcuts,
    /// Whether phrases are spoken on the way.
    pub speaks: bool,
    /// The number of games played while there is time, each with different weights; 0 for as many
    /// as there is time for.
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

parameters! {
    /// The post's solver; every part is a switch.
    pub(crate) struct PostParameters {
        /// The problem whose weights in the post are used; −1 for the weights of unknown
        /// problems, −2 for those of the problem's own number.
        weights: i32 = -2, in -2..=24;
        /// Units to look ahead; 0 for the depth that comes with the weights.
        depth: u32 = 0, in 0..=4;
        /// Whether a unit still above all full cells is only moved down.
        falling: bool = true;
        /// Rotations are left out while more positions than this are waiting; 0 for no limit.
        waiting: usize = 40, in 0..=1_000_000;
        /// Whether phrases are spoken on the way.
        speaks: bool = true;
        /// Games played: the first with the post's weights, later ones with its other weights
        /// and then with weights nearby; 0 for as many as there is time for.
        rounds: u64 = 1, in 0..=1_000_000;
        /// Factor on the weight of cells low on the board.
        gravity: f64 = 1.0, in -1000.0..=1000.0;
        /// Factor on the weight of empty cells under a full one to the upper right.
        right: f64 = 1.0, in -1000.0..=1000.0;
        /// Factor on the weight of empty cells under a full one to the upper left.
        left: f64 = 1.0, in -1000.0..=1000.0;
        /// Factor on the weight of empty cells under two full ones.
        both: f64 = 1.0, in -1000.0..=1000.0;
        /// Factor on the weight of nearly full rows.
        unfinished: f64 = 1.0, in -1000.0..=1000.0;
        /// Factor on the weight of changes between full and empty along the rows.
        rough: f64 = 1.0, in -1000.0..=1000.0;
    }
}

impl From<&PostParameters> for Post {
    fn from(given: &PostParameters) -> Post {
        let &PostParameters { weights, depth, falling, waiting, speaks, rounds, .. } = given;
        let &PostParameters { gravity, right, left, both, unfinished, rough, .. } = given;
        let factors = Factors { gravity, right, left, both, unfinished, rough };
        // A number that belongs to no problem has the weights of unknown problems.
        let weights = match weights {
            -2 => None,
            number => Some(Weights::of_problem(u32::try_from(number).unwrap_or(u32::MAX))),
        };
        let shortcuts = Shortcuts { falling, waiting: Some(waiting).filter(|most| *most > 0) };
        Post { weights, factors, depth, shortcuts, speaks, rounds }
    }
}

/// The value of a board that has no room for the next unit.
const DOOM: f64 = -1e6;

impl TextSolver for Post {
    fn solve(
        &self,
        input: &SolverInput<'_>,
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Incumbent<'_>,
    ) {
        let own = Weights::of_problem(input.instance.problem().id());
        let mut round = 0;
        let mut leader = (self.weights.unwrap_or(own).times(&self.factors), best.score());
        while (self.rounds == 0 || round < self.rounds) && !meter.is_spent() {
            let mut weights = match (round, self.weights) {
                (0, _) => leader.0,
                (1..=25, None) => {
                    let others = POST.get(round as usize - 1).copied().unwrap_or(POST_DEFAULT);
                    others.times(&self.factors)
                }
                _ => vary(leader.0, rng),
            };
            if self.depth > 0 {
                weights.depth = self.depth;
            }
            let text = GamePlan::new(self, weights, input).text(input.start, meter);
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

/// Random weights nearby, to try in further rounds.
fn vary(weights: Weights, rng: &mut Rng) -> Weights {
    let mut vary_one = |weight: f64| {
        let factor = (2.0 * rng.unit() - 1.0).exp();
        if rng.chance(0.4) { weight * factor + rng.unit() - 0.5 } else { weight }
    };
    Weights {
        depth: weights.depth,
        gravity: vary_one(weights.gravity),
        right: vary_one(weights.right),
        left: vary_one(weights.left),
        both: vary_one(weights.both),
        unfinished: vary_one(weights.unfinished),
        rough: vary_one(weights.rough),
    }
}

/// One game played with one set of weights.
struct GamePlan<'a> {
    post: &'a Post,
    instance: &'a Instance,
    evaluation: Evaluation,
    depth: u32,
    phrase_search: PhraseSearch<'a>,
    /// One for each unit looked ahead.
    paths: Vec<Paths>,
}

impl<'a> GamePlan<'a> {
    fn new(post: &'a Post, weights: Weights, input: &SolverInput<'a>) -> Self {
        let instance = input.instance;
        let mut phrase_search = PhraseSearch::new(instance.phrases());
        phrase_search.mark_spoken(&input.start.counts);
        GamePlan {
            post,
            instance,
            evaluation: Evaluation::new(weights, instance.problem().board()),
            depth: weights.depth.max(1),
            phrase_search,
            paths: vec![Paths::new(); weights.depth.max(1) as usize],
        }
    }

    /// Returns the text spoken from `start` until the game ends or the meter is spent.
    fn text(mut self, start: &State, meter: &mut Meter) -> String {
        let mut state = start.clone();
        let mut text = String::new();
        while let Some(walk) = state.walk.clone() {
            let Some(place) = self.choose(&state, &walk, meter) else { break };
            let unit = self.instance.unit(&state);
            let spoken = match self.post.speaks {
                true => self.phrase_search.find_path(
                    unit,
                    &state.board,
                    &walk,
                    place.position,
                    place.lock,
                ),
                false => None,
            };
            let path = spoken.unwrap_or_else(|| self.paths[0].commands_to(&place));
            for letter in path.bytes() {
                let effect = self.instance.speak(&mut state, letter);
                debug_assert!(effect.is_ok(), "{effect:?}");
            }
            self.phrase_search.mark_spoken(&state.counts);
            text += &path;
        }
        text
    }

    /// Returns the best place for the unit; `None` when the meter is spent.
    fn choose(&mut self, state: &State, walk: &Walk, meter: &mut Meter) -> Option<LockPlace> {
        let came = state.came as usize;
        let mut paths = std::mem::take(&mut self.paths[0]);
        let unit = self.instance.unit(state);
        paths.explore(unit, &state.board, walk, self.post.shortcuts);
        let mut best: Option<(f64, LockPlace)> = None;
        let mut is_spent = false;
        for place in paths.places() {
            if !meter.spend() {
                is_spent = true;
                break;
            }
            let mut board = state.board.clone();
            let lines = unit.lock(&mut board, place.position);
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
        if came == self.instance.queue().len() {
            return self.evaluation.of(board);
        }
        let unit = self.instance.nth(came);
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
            let lines = unit.lock(&mut board, place.position);
            let gain = points(unit.size(), lines, before) as f64;
            best = best.max(gain + self.look(ahead + 1, came + 1, &board, lines, meter));
        }
        self.paths[ahead as usize] = paths;
        best
    }
}
