//! The champion: a greedy evaluation of whole moves, with rollouts on top.
//!
//! **Evaluation.** The worth of a move is a weighted sum over the cells that it lays and the edges
//! of their outlines: where each cell lies, and what lies beyond each edge ([`view`]). The weights
//! were tuned for each of the class's distributions ([`profiles`]). Since the source of requests
//! itself is hidden, which weights to use is guessed from the requests so far and their order
//! ([`guess`]).
//!
//! **Choice.** A request has thousands of placements, each with thousands of roads, ponds and
//! fields, so the choice is narrowed step by step:
//! 1. all placements are evaluated by the building alone ([`rank`]);
//! 2. the best of them are completed with the best road, pond and field ([`complete`],
//!    [`patches`]), along a plan if the weights have one ([`plan`]), and evaluated as whole moves
//!    ([`greedy`]);
//! 3. the best few whole moves are played on against the same drawn requests, near the end of the
//!    game to its very end, and the results decide ([`rollouts`]): the points earned, and what the
//!    land is still good for by a value learned from games ([`value`], [`features`]).

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
mod tuned;
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
use self::tuned::tuned;
use self::value::{BoardValue, find_value};
use self::view::SCALE;
use self::weight_sets::WeightSets;
use self::weights::Weights;
use crate::Piece;
use crate::players::asking::ask;
use crate::requests::{Class, Contrary};
use crate::rules::Pentocity;
use crate::rules::state::{Move, Ruleset, State};

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
    /// The views, which follow the board from move to move, with the number of the profile whose
    /// weights are built into them and the step of these ([`WeightSets::step`]).
    evaluators: Option<((usize, u32), Evaluators)>,
    /// Working memory of [`rank`].
    ranked: Vec<RankedPlacement>,
}

/// Registers the champion.
pub(crate) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        Description {
            name: "champion",
            version: 14,
            summary: "every placement weighed with road, pond and field, and the land by a \
                learned value",
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
            Ok(Box::new(Champion {
                settings,
                weights,
                asked: FollowedRequests::new(),
                evaluators: None,
                ranked: Vec::new(),
            }))
        },
    )
}

impl Player<Pentocity> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.rules().ruleset();
        let seen = decision.observation();
        let state = seen.state();
        if state.request().is_none() {
            let weights = Class::Random.next_after(0).weights(true);
            let source = Contrary { weights, draws: tuned().choice.asked };
            return Ok(ask(&source, state, scoring, decision.rng()));
        }
        self.asked.follow(state);
        let guess = self.asked.guess();
        let (number, (weights, value)) = match &self.weights {
            WeightChoice::Fixed(learned) => (0, learned),
            WeightChoice::Seen(learned) => (guess.profile, &learned[guess.profile]),
        };
        let value = value.filter(|_| BoardValue::fits(state.board().side(), scoring));
        let evaluators = evaluators_for(&mut self.evaluators, (number, weights), state, scoring);
        let settings = &self.settings;
        let ranked = &mut self.ranked;
        let numbers = &tuned().choice;
        // A value makes more moves worth comparing.
        let (candidates, moves) = match value {
            Some(_) if settings.effort > 0 => {
                (settings.candidates * numbers.sorted, settings.moves + numbers.more_moves)
            }
            _ => (settings.candidates, settings.moves),
        };
        let mut choices = choose(evaluators, ranked, state, scoring, candidates);
        // The first few by the building alone may all cut off empty cells, which only the completed
        // move shows.
        if choices.first().is_none_or(|(worth, _)| *worth < -numbers.bad * SCALE as i32) {
            let wider = settings.candidates * numbers.wider;
            choices = choose(evaluators, ranked, state, scoring, wider);
        }
        let later = evaluators.common().rest("later");
        let (length, valuation) = look_ahead(settings, state, value, later);
        if settings.effort == 0 || length == 0 || choices.is_empty() {
            let best = if choices.is_empty() { None } else { Some(choices.swap_remove(0)) };
            return Ok(best.map_or(Move::Reject, |(_, build)| Move::Build(build)));
        }
        let rollouts = &tuned().rollouts;
        let options = RolloutSettings {
            moves,
            futures: count_futures(settings.effort, state.request_counts()),
            candidates: settings.candidates.min(rollouts.candidates),
            length,
            certain: ((rollouts.certain * settings.effort as f64) as usize)
                .clamp(length, length.max(rollouts.longest)),
            valuation,
        };
        let asked = (&self.asked, guess);
        let rng = decision.rng();
        Ok(rollouts::judge(evaluators, ranked, asked, state, scoring, options, choices, rng))
    }
}

/// The views with the weights of this profile for the board as it is: those made before, unless
/// they have other weights or are for other boards.
fn evaluators_for<'e>(
    made: &'e mut Option<((usize, u32), Evaluators)>,
    (number, weights): (usize, &WeightSets),
    state: &State,
    scoring: Ruleset,
) -> &'e mut Evaluators {
    let side = state.board().side();
    let step = weights.step(state.board().occupied().count(), (side * side) as u32);
    let fits =
        |made: &((usize, u32), Evaluators)| made.0 == (number, step) && made.1.fits(side, scoring);
    if !made.as_ref().is_some_and(fits) {
        *made = Some(((number, step), Evaluators::new(side, scoring, weights.at(step))));
    }
    let (_, evaluators) = made.as_mut().expect("it was made");
    evaluators
}

/// After how many requests a rollout ends, and how it is valued; 0 if moves are not played on.
/// `later` is what the weights say about the worth of moves that follow.
fn look_ahead<'v>(
    settings: &Settings,
    state: &State,
    value: Option<&'v BoardValue>,
    later: f32,
) -> (usize, Valuation<'v>) {
    let (empty, taken) = (state.board().empty().count(), state.board().occupied().count());
    // It is late when the empty cells last for at most `settings.late` more requests, at the number
    // of cells per request so far: empty / (taken / requests). A learned value knows what the last
    // cells are good for.
    let is_late = value.is_none() && empty * state.requests() < settings.late * taken;
    let length = match is_late {
        true => tuned().rollouts.longest,
        false if later == 0.0 && value.is_none() => 0,
        false => settings.ahead,
    };
    let valuation = match value {
        Some(value) => Valuation::Learned(value),
        None if is_late => Valuation::Points(settings.trust as f32),
        None => Valuation::Worth(later),
    };
    (length, valuation)
}

/// How many futures are drawn. Small requests are many, so they get fewer futures: a game takes
/// about as long whatever is asked for.
fn count_futures(effort: usize, seen: &[u16; Piece::COUNT]) -> usize {
    let requests: usize = seen.iter().map(|count| usize::from(*count)).sum();
    let cells = |piece: Piece| usize::from(seen[piece.index()]) * piece.size() as usize;
    let cells: usize = Piece::all().map(cells).sum();
    (effort * cells).div_ceil(10 * requests.max(1)).max(1)
}
