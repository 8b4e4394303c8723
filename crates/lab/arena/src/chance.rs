//! Whether seeds matter on a scenario. Where they do not, players that use no chance always play
//! the same match, however many seeds they are given. Only the rules are asked; no player is
//! started.

use quintain_core::{AnyEntry, AnyGame, AnyMatch, ScenarioSet, Seat, panics};
use serde_json::Value;

/// The number of seeds tried.
const SEEDS: u64 = 4;
/// Turns played on each seed, always with the first action offered: chance may come late.
const TURNS: usize = 16;

/// Whether matches on different seeds, from `first` on, start or continue differently although the
/// same actions are played. False if the first turns show no difference.
pub fn seed_matters(game: &dyn AnyGame, first: u64) -> bool {
    let courses = || {
        let reference = course(game.begin(first));
        (1..SEEDS).any(|more| course(game.begin(first.wrapping_add(more))) != reference)
    };
    // Rules that fail here fail in the matches too, and are reported there.
    panics::catch(courses).unwrap_or(true)
}

/// The first scenario of a game on which seeds matter, by its bare name.
pub fn scenario_with_chance(entry: &dyn AnyEntry) -> Option<&'static str> {
    let differs = |name: &&str| entry.game(name).is_ok_and(|game| seed_matters(&*game, 1));
    entry.scenarios().into_iter().map(|known| known.name()).find(differs)
}

/// The first scenario of a game on which seeds matter, or else the first for which every seed draws
/// its own instance, written with `{seed}`; `None` where no seed changes anything.
pub fn seeded_scenario(entry: &dyn AnyEntry) -> Option<String> {
    let set =
        || entry.scenarios().iter().find_map(|known| ScenarioSet::text_of(entry, known.name()));
    scenario_with_chance(entry).map(str::to_owned).or_else(set)
}

/// The set to play instead of a scenario on which every match is the same, if the scenario has
/// instances.
pub fn set_instead(entry: &dyn AnyEntry, scenario: &str) -> Option<String> {
    let is_fixed = entry.game(scenario).is_ok_and(|game| !seed_matters(&*game, 1));
    if is_fixed { ScenarioSet::text_of(entry, scenario) } else { None }
}

/// What can be seen at every turn: the drawing, which also shows what is hidden from all seats, and
/// what each seat observes.
fn course(mut played: Box<dyn AnyMatch>) -> impl PartialEq {
    let mut seen = Vec::new();
    for _ in 0..TURNS {
        let acting = played.acting().to_vec();
        let views: Vec<Value> = acting.iter().map(|seat| played.observation(*seat)).collect();
        let first = |seat: &Seat| played.actions(*seat).into_iter().next();
        let joint: Option<Vec<String>> = acting.iter().map(first).collect();
        seen.push((played.scene(None), acting, views));
        let Some(joint) = joint.filter(|joint| !joint.is_empty()) else { break };
        let joint: Vec<&str> = joint.iter().map(String::as_str).collect();
        if played.play(&joint).is_err() {
            break;
        }
    }
    seen
}
