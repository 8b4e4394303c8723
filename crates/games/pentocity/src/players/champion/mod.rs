//! The champion: greedy by a weighed sum over what every cell and every edge of the
//! outline of a building, its road, pond and field touches ([`view`]), with weights
//! tuned for the requests seen so far ([`weights`], [`guess`]).
//!
//! All placements are weighed by the building alone ([`rank`]); the best are completed
//! with road, pond and field ([`complete`], [`patches`]) along a plan, if there is one ([`plan`]);
//! the best few whole ones are played on for some requests, near the end to the end, and
//! what that leads to decides ([`rollouts`]).

mod complete;
mod guess;
mod patches;
mod plan;
mod rank;
mod rollouts;
mod view;
mod weights;

use quintain_core::{Decision, Entry, Fault, Player, parameters};

use self::complete::Terms;
use self::rank::{Ranked, Served};
use self::rollouts::{Judged, Plan};
use self::view::{SCALE, View};
use self::weights::{Profile, Weights, profiles};
use crate::Form;
use crate::rules::{Build, Move, Pentocity, Ruleset, State};

parameters! {
    /// The champion.
    struct Settings {
        /// Futures that each of the best moves is played on for where requests have ten cells
        /// on average, in proportion more where they are larger; 0 for greedy.
        effort: usize = 8, in 0..=1000;
        /// Placements that are completed with road, pond and field.
        candidates: usize = 8, in 1..=10_000;
        /// Requests that the empty cells are likely to last for when moves are played on.
        late: u32 = 20, in 0..=4096;
        /// Requests that moves are played on for before.
        ahead: usize = 4, in 0..=120;
        /// Moves that are played on.
        moves: usize = 4, in 1..=1000;
        /// What the greedy worth of a move counts beside the points of its futures.
        trust: f64 = 1.0, in 0.0..=100.0;
        /// Whose weights: auto for those that fit the requests seen, or a distribution's name.
        profile: String = "auto".to_owned();
        /// All weights, parted by commas, instead of a profile's.
        weights: String = String::new();
        /// What the weights of touching what is built are multiplied by, for a residence.
        residence_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for a residence.
        residence_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for a residence.
        residence_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of touching what is built are multiplied by, for a factory.
        factory_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for a factory.
        factory_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for a factory.
        factory_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of touching what is built are multiplied by, for road.
        road_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for road.
        road_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for road.
        road_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of touching what is built are multiplied by, for pond and park.
        pond_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for pond and park.
        pond_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for pond and park.
        pond_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of empty cells that no road can come to is multiplied by.
        lost: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of empty cells near a road is multiplied by.
        reach: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of places left for what is asked is multiplied by.
        room: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a bonus of a residence is multiplied by.
        residence_bonus: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a bonus of a factory is multiplied by.
        factory_bonus: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a residence that is served already is multiplied by.
        residence_served: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a factory that is served already is multiplied by.
        factory_served: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a building that needs no new road is multiplied by.
        road_served: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a place of the plan is multiplied by.
        slot: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of the moves that follow is multiplied by.
        later: f64 = 1.0, in -10.0..=10.0;
    }
}

impl Settings {
    /// Weights with their factors.
    fn scaled(&self, weights: &Weights) -> Weights {
        let kinds = [
            [self.residence_built, self.residence_empty, self.residence_place],
            [self.factory_built, self.factory_empty, self.factory_place],
            [self.road_built, self.road_empty, self.road_place],
            [self.pond_built, self.pond_empty, self.pond_place],
        ];
        let rest = [
            ("lost", self.lost),
            ("reach", self.reach),
            ("room", self.room),
            ("residence-bonus", self.residence_bonus),
            ("factory-bonus", self.factory_bonus),
            ("residence-served", self.residence_served),
            ("factory-served", self.factory_served),
            ("road-served", self.road_served),
            ("slot", self.slot),
            ("later", self.later),
        ];
        weights.times(kinds, &rest)
    }
}

/// Requests after which a future ends that is played on to its end.
const LONGEST: usize = 120;
/// Placements completed for each request of a future, at most.
const ROLLED: usize = 3;

/// Points that the best building must lose for others to be looked at, and how many
/// times as many.
const BAD: i32 = 10;
const WIDER: usize = 12;

/// Whose weights are used.
enum Source {
    Fixed(Box<Weights>),
    /// Those of the profile that fits, by its number.
    Seen(Vec<Weights>),
}

struct Champion {
    settings: Settings,
    source: Source,
    /// The view, and the number of the profile that it was made with.
    view: Option<(usize, View)>,
    ranked: Vec<Ranked>,
}

/// Registers it.
pub(crate) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        "champion",
        6,
        "every placement weighed with road, pond and field, by weights that follow the requests",
        "ours",
        |_, settings: &Settings| {
            let source = if !settings.weights.is_empty() {
                Source::Fixed(Box::new(settings.scaled(&Weights::read(&settings.weights)?)))
            } else if settings.profile == "auto" {
                let scaled = |profile: &Profile| settings.scaled(&profile.weights);
                Source::Seen(profiles().iter().map(scaled).collect())
            } else {
                let known = |profile: &&Profile| profile.name == settings.profile;
                let Some(profile) = profiles().iter().find(known) else {
                    let names: Vec<&str> =
                        profiles().iter().map(|profile| profile.name.as_str()).collect();
                    let names = names.join(", ");
                    return Err(format!("no profile “{}”; auto, {names}", settings.profile));
                };
                Source::Fixed(Box::new(settings.scaled(&profile.weights)))
            };
            let settings = settings.clone();
            Ok(Box::new(Champion { settings, source, view: None, ranked: Vec::new() }))
        },
    )
}

impl Player<Pentocity> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.rules().ruleset();
        let seen = decision.observation();
        let state = seen.state();
        if state.request().is_none() {
            return Ok(Move::Reject);
        }
        let (number, weights) = match &self.source {
            Source::Fixed(weights) => (0, &**weights),
            Source::Seen(weights) => {
                let number = guess::guess(state.seen()).profile;
                (number, &weights[number])
            }
        };
        let land = state.land();
        let is_made = |view: &(usize, View)| {
            view.0 == number && view.1.land().side() == land.side() && view.1.scoring() == scoring
        };
        if !self.view.as_ref().is_some_and(is_made) {
            self.view = Some((number, View::new(land.side(), scoring, weights)));
        }
        let (_, view) = self.view.as_mut().expect("it was made");
        view.follow(land);
        let settings = &self.settings;
        let ranked = &mut self.ranked;
        let mut choices = choose(view, ranked, weights, state, scoring, settings.candidates);
        // Where the first few would all cut land off, others are looked at.
        if choices.first().is_none_or(|(worth, _)| *worth < -BAD * SCALE as i32) {
            let wider = settings.candidates * WIDER;
            choices = choose(view, ranked, weights, state, scoring, wider);
        }
        let (empty, taken) = (land.empty().count(), land.taken().count());
        let is_late = empty * state.requests() < settings.late * taken;
        let later = weights.rest("later");
        let length = match is_late {
            true => LONGEST,
            false if later == 0.0 => 0,
            false => settings.ahead,
        };
        if settings.effort == 0 || length == 0 || choices.is_empty() {
            let best = if choices.is_empty() { None } else { Some(choices.swap_remove(0)) };
            return Ok(best.map_or(Move::Reject, |(_, build)| Move::Build(build)));
        }
        let plan = Plan {
            moves: settings.moves,
            futures: futures(settings.effort, state.seen()),
            candidates: settings.candidates.min(ROLLED),
            length,
            by: if is_late { Judged::Points(settings.trust as f32) } else { Judged::Worth(later) },
        };
        let guess = guess::guess(state.seen());
        let rng = decision.rng();
        Ok(rollouts::judge(view, ranked, weights, guess, state, scoring, plan, choices, rng))
    }
}

/// How many futures are drawn: small requests are many, so that a game takes about as
/// long whatever is asked for.
fn futures(effort: usize, seen: &[u16; Form::COUNT]) -> usize {
    let requests: usize = seen.iter().map(|count| usize::from(*count)).sum();
    let cells = |form: Form| usize::from(seen[form.index()]) * form.size() as usize;
    let cells: usize = Form::all().map(cells).sum();
    (effort * cells).div_ceil(10 * requests.max(1)).max(1)
}

/// A building with its greedy worth.
type Choice = (i32, Build);

/// The buildings completed, the best first.
fn choose(
    view: &mut View,
    ranked: &mut Vec<Ranked>,
    weights: &Weights,
    state: &State,
    scoring: Ruleset,
    candidates: usize,
) -> Vec<Choice> {
    let Some(request) = state.request() else { return Vec::new() };
    let scaled = |name: &str| (weights.rest(name) * SCALE).round() as i32;
    let earns = scoring == Ruleset::Simulator || !request.is_factory();
    let bonus = if request.is_factory() { "factory-served" } else { "residence-served" };
    let served =
        Served { bonus: if earns { scaled(bonus) } else { 0 }, road: scaled("road-served") };
    let terms = Terms::new(view.land(), scoring, weights, request.is_factory(), state.seen());
    rank::best(view, request, scoring, served, candidates, ranked);
    let completed = ranked.iter().filter_map(|ranked| complete::complete(view, &terms, ranked));
    let mut choices: Vec<Choice> = completed.collect();
    choices.sort_by_key(|(worth, _)| -worth);
    choices
}
