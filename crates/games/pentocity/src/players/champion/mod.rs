//! The champion: a greedy evaluation of whole moves, with rollouts on top.
//!
//! **Evaluation.** The worth of a move is a weighted sum over the cells that it lays and the edges of their
//! outlines: where each cell lies, and what lies beyond each edge ([`view`]). The weights were tuned for each
//! of the class's distributions ([`profiles`]). Since the source of requests itself is hidden, which weights
//! to use is guessed from the requests so far and their order ([`guess`]).
//!
//! **Choice.** A request has thousands of placements, each with thousands of roads, ponds and fields, so the
//! choice is narrowed step by step:
//! 1. all placements are evaluated by the building alone ([`rank`]);
//! 2. the best of them are completed with the best road, pond and field ([`complete`], [`patches`]), along a
//!    plan if the weights have one ([`plan`]), and evaluated as whole moves ([`greedy`]);
//! 3. the best few whole moves are played on against the same drawn requests, near the end of the game to its
//!    very end, and the results decide ([`rollouts`]): the points earned, and what the land is still good for
//!    by a value learned from games ([`value`], [`features`]).

mod access;
mod complete;
mod evaluators;
pub(crate) mod features;
mod greedy;
mod guess;
mod kind;
mod lanes;
mod patches;
mod plan;
mod profiles;
mod rank;
mod rectangles;
mod rollouts;
mod settings;
pub(crate) mod value;
mod view;
mod weight_sets;
mod weights;

use quintain_core::{Decision, Description, Entry, Fault, Player, did_you_mean};

use self::evaluators::Evaluators;
use self::greedy::choose;
use self::guess::FollowedRequests;
use self::profiles::{Profile, profiles};
use self::rank::RankedPlacement;
use self::rollouts::{RolloutSettings, Valuation};
use self::settings::Settings;
use self::value::{BoardValue, find_value};
use self::view::SCALE;
use self::weight_sets::WeightSets;
use self::weights::Weights;
use crate::Piece;
use crate::players::asking::ask;
use crate::requests::{Contrary, Weights as RequestWeights};
use crate::rules::Pentocity;
use crate::rules::state::Move;

/// The number of requests after which a rollout to the end of the game is stopped.
const LONGEST: usize = 120;
/// How many requests moves are played on for where these are certain, per unit of `effort`.
const CERTAIN: f64 = 2.5;
/// The most placements completed for each request of a rollout.
const ROLLED: usize = 3;

/// If the best move is worth less than minus this many points, more placements are completed: the first few
/// by the building alone may all cut off empty cells, which only the completed move shows.
const BAD: i32 = 10;
/// The number of requests drawn in a duel; the one with the fewest placements is asked for.
const ASKED: usize = 8;
/// The factor by which more placements are completed in that case.
const WIDER: usize = 12;

/// How many times as many placements are completed where a learned value sorts them, and how many more moves are
/// then compared by rollouts.
const SORTED: usize = 2;
const MORE_MOVES: usize = 1;

/// Weights, and the value learned with them, if there is one.
type Learned = (WeightSets, Option<&'static BoardValue>);

/// Which weights are used.
enum WeightChoice {
    /// The same for the whole match.
    Fixed(Learned),
    /// The weights of each profile; the profile that fits the requests seen is used.
    Seen(Vec<Learned>),
}

struct Champion {
    settings: Settings,
    weights: WeightChoice,
    /// The requests of the match so far.
    asked: FollowedRequests,
    /// The views, which follow the board from move to move, with the number of the profile whose weights are
    /// built into them and the step of these ([`WeightSets::step`]).
    evaluators: Option<((usize, u32), Evaluators)>,
    /// Working memory of [`rank`].
    ranked: Vec<RankedPlacement>,
}

/// Registers the champion.
pub(crate) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        Description {
            name: "champion",
            version: 13,
            summary: "every placement weighed with road, pond and field, and the land by a learned value",
            source: "ours",
        },
        |_, settings: &Settings| {
                let scale = |weights: &Weights| settings.scale(weights);
                let scaled = |profile: &Profile| {
                    let value = if settings.learned { find_value(&profile.name) } else { None };
                    (profile.weights.map(scale), value)
                };
                let weights = if !settings.weights.is_empty() {
                    WeightChoice::Fixed((WeightSets::read(&settings.weights)?.map(scale), None))
                } else if settings.profile == "auto" {
                    WeightChoice::Seen(profiles().iter().map(scaled).collect())
                } else {
                    let is_chosen = |profile: &&Profile| profile.name == settings.profile;
                    let Some(profile) = profiles().iter().find(is_chosen) else {
                        let names = profiles().iter().map(|profile| profile.name.as_str());
                        let known = std::iter::once("auto").chain(names);
                        return Err(did_you_mean("profile", &settings.profile, known).into());
                    };
                    WeightChoice::Fixed(scaled(profile))
                };
                let settings = settings.clone();
                Ok(Box::new(Champion { settings, weights, asked: FollowedRequests::new(), evaluators: None, ranked: Vec::new() }))
            },
    )
}

impl Player<Pentocity> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.rules().ruleset();
        let seen = decision.observation();
        let state = seen.state();
        if state.request().is_none() {
            let sides = RequestWeights::sides([0.0, 1.0, 1.0, 1.0, 0.0]);
            let weights = RequestWeights::mix(0.7, &RequestWeights::walk(), &sides);
            let source = Contrary { weights, draws: ASKED };
            return Ok(ask(&source, state, scoring, decision.rng()));
        }
        self.asked.follow(state);
        let guess = self.asked.guess();
        let (number, (weights, value)) = match &self.weights {
            WeightChoice::Fixed(learned) => (0, learned),
            WeightChoice::Seen(learned) => (guess.profile, &learned[guess.profile]),
        };
        let board = state.board();
        let side = board.side();
        let value = value.filter(|_| BoardValue::fits(side, scoring));
        let (empty, taken) = (board.empty().count(), board.occupied().count());
        let step = weights.step(taken, (side * side) as u32);
        let is_made = |made: &((usize, u32), Evaluators)| {
            made.0 == (number, step) && made.1.fits(side, scoring)
        };
        if !self.evaluators.as_ref().is_some_and(is_made) {
            let evaluators = Evaluators::new(side, scoring, weights.at(step));
            self.evaluators = Some(((number, step), evaluators));
        }
        let (_, evaluators) = self.evaluators.as_mut().expect("it was made");
        let settings = &self.settings;
        let ranked = &mut self.ranked;
        // A value makes more moves worth comparing.
        let (candidates, moves) = match value {
            Some(_) if settings.effort > 0 => {
                (settings.candidates * SORTED, settings.moves + MORE_MOVES)
            }
            _ => (settings.candidates, settings.moves),
        };
        let mut choices = choose(evaluators, ranked, state, scoring, candidates);
        if choices.first().is_none_or(|(worth, _)| *worth < -BAD * SCALE as i32) {
            let wider = settings.candidates * WIDER;
            choices = choose(evaluators, ranked, state, scoring, wider);
        }
        // It is late when the empty cells last for at most `settings.late` more requests, at the number of
        // cells per request so far: empty / (taken / requests).
        // A learned value knows what the last cells are good for.
        let is_late = value.is_none() && empty * state.requests() < settings.late * taken;
        let later = evaluators.common().rest("later");
        let length = match is_late {
            true => LONGEST,
            false if later == 0.0 && value.is_none() => 0,
            false => settings.ahead,
        };
        if settings.effort == 0 || length == 0 || choices.is_empty() {
            let best = if choices.is_empty() { None } else { Some(choices.swap_remove(0)) };
            return Ok(best.map_or(Move::Reject, |(_, build)| Move::Build(build)));
        }
        let rollouts = RolloutSettings {
            moves,
            futures: count_futures(settings.effort, state.request_counts()),
            candidates: settings.candidates.min(ROLLED),
            length,
            certain: ((CERTAIN * settings.effort as f64) as usize)
                .clamp(length, length.max(LONGEST)),
            valuation: match value {
                Some(value) => Valuation::Learned(value),
                None if is_late => Valuation::Points(settings.trust as f32),
                None => Valuation::Worth(later),
            },
        };
        let asked = (&self.asked, guess);
        let rng = decision.rng();
        Ok(rollouts::judge(evaluators, ranked, asked, state, scoring, rollouts, choices, rng))
    }
}

/// How many futures are drawn. Small requests are many, so they get fewer futures: a game takes about as long
/// whatever is asked for.
fn count_futures(effort: usize, seen: &[u16; Piece::COUNT]) -> usize {
    let requests: usize = seen.iter().map(|count| usize::from(*count)).sum();
    let cells = |piece: Piece| usize::from(seen[piece.index()]) * piece.size() as usize;
    let cells: usize = Piece::all().map(cells).sum();
    (effort * cells).div_ceil(10 * requests.max(1)).max(1)
}
