//! The champion: greedy by a weighed sum over what every cell and every edge of the
//! outline of a building, its road, pond and field touches ([`view`]), with weights
//! tuned for the requests seen so far ([`weights`], [`guess`]).
//!
//! All placements are weighed by the building alone ([`rank`]); the best are completed
//! with road, pond and field ([`complete`], [`patches`]), and the best whole is played.

mod complete;
mod guess;
mod patches;
mod rank;
mod view;
mod weights;

use quintain_core::{Decision, Entry, Fault, Player, parameters};

use self::complete::Terms;
use self::rank::{Ranked, Served};
use self::view::{SCALE, View};
use self::weights::{Profile, Weights, profiles};
use crate::Form;
use crate::land::Land;
use crate::rules::{Build, Move, Pentocity, Scoring};

parameters! {
    /// The champion.
    struct Settings {
        /// Placements that are completed with road, pond and field.
        candidates: usize = 8, in 1..=10_000;
        /// Whose weights: auto for those that fit the requests seen, or a distribution's name.
        profile: String = "auto".to_owned();
        /// All weights, parted by commas, instead of a profile's.
        weights: String = String::new();
    }
}

/// Whose weights are used.
enum Source {
    Fixed(Box<Weights>),
    Seen,
}

struct Champion {
    candidates: usize,
    source: Source,
    /// The view, and the number of the profile that it was made with.
    view: Option<(usize, View)>,
    ranked: Vec<Ranked>,
}

/// Registers it.
pub(crate) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        "champion",
        1,
        "every placement weighed with road, pond and field, by weights that follow the requests",
        "ours",
        |_, settings: &Settings| {
            let source = if !settings.weights.is_empty() {
                Source::Fixed(Box::new(Weights::read(&settings.weights)?))
            } else if settings.profile == "auto" {
                Source::Seen
            } else {
                let known = |profile: &&Profile| profile.name == settings.profile;
                let Some(profile) = profiles().iter().find(known) else {
                    let names: Vec<&str> =
                        profiles().iter().map(|profile| profile.name.as_str()).collect();
                    let names = names.join(", ");
                    return Err(format!("no profile “{}”; auto, {names}", settings.profile));
                };
                Source::Fixed(Box::new(profile.weights.clone()))
            };
            let candidates = settings.candidates;
            Ok(Box::new(Champion { candidates, source, view: None, ranked: Vec::new() }))
        },
    )
}

impl Player<Pentocity> for Champion {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.game().scoring();
        let seen = decision.observation();
        let state = seen.state();
        let Some(request) = state.request() else { return Ok(Move::Reject) };
        let (number, weights) = match &self.source {
            Source::Fixed(weights) => (0, &**weights),
            Source::Seen => {
                let number = guess::profile(state.seen());
                (number, &profiles()[number].weights)
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
        let build = choose(view, &mut self.ranked, weights, request, scoring, self.candidates);
        Ok(build.map_or(Move::Reject, Move::Build))
    }
}

/// The best building, if there is any.
fn choose(
    view: &mut View,
    ranked: &mut Vec<Ranked>,
    weights: &Weights,
    request: Form,
    scoring: Scoring,
    candidates: usize,
) -> Option<Build> {
    let scaled = |name: &str| (weights.rest(name) * SCALE).round() as i32;
    let earns = scoring == Scoring::Simulator || !request.is_factory();
    let bonus = if request.is_factory() { "factory-served" } else { "residence-served" };
    let served =
        Served { bonus: if earns { scaled(bonus) } else { 0 }, road: scaled("road-served") };
    rank::best(view, request, scoring, served, candidates, ranked);
    let land: &Land = view.land();
    let terms = Terms::new(land, scoring, weights, request.is_factory());
    let mut best: Option<(i32, Build)> = None;
    for ranked in ranked.iter() {
        if let Some((worth, build)) = complete::complete(view, &terms, ranked)
            && best.as_ref().is_none_or(|(most, _)| worth > *most)
        {
            best = Some((worth, build));
        }
    }
    best.map(|(_, build)| build)
}
