//! A game declares which parameter of a scenario numbers its instances. These tests compare that
//! with what the scenario does when it is given numbers.

use quintain_core::parameters::Kind;
use quintain_core::ui::Scene;
use quintain_core::{AnyEntry, SEED, ScenarioSet, Spec};

/// What can be seen of a scenario before the first turn; none if it cannot be built.
fn start_of(entry: &dyn AnyEntry, scenario: &str) -> Option<(String, Scene)> {
    let game = entry.game(scenario).ok()?;
    Some((game.setting().to_string(), game.begin(1).scene(None)))
}

/// Whether a parameter takes any number of 64 bits, and numbers choose different games.
fn numbers_instances(entry: &dyn AnyEntry, scenario: &str, parameter: &str) -> bool {
    let numbered = |number: u64| start_of(entry, &format!("{scenario}?{parameter}={number}"));
    let (Some(first), Some(_), Some(_)) = (numbered(2), numbered(0), numbered(u64::MAX)) else {
        return false;
    };
    (3..10).any(|number| numbered(number).is_some_and(|other| other != first))
}

#[test]
fn declared_instances_are_those_that_numbers_choose() {
    let catalog = quintain_games::catalog();
    for entry in catalog.entries() {
        for scenario in entry.scenarios() {
            let declared = entry.instance_parameter(scenario.name()).unwrap();
            let numbers = scenario.parameters.iter().filter(|known| known.kind == Kind::Integer);
            let observed: Vec<&str> = numbers
                .map(|known| known.name)
                .filter(|name| numbers_instances(entry, scenario.name(), name))
                .collect();
            let observed = observed.first().copied();
            assert_eq!(declared, observed, "{}:{}", entry.name(), scenario.name());
        }
    }
}

#[test]
fn a_set_has_an_instance_for_every_seed() {
    let catalog = quintain_games::catalog();
    let mut sets = 0;
    for entry in catalog.entries() {
        for scenario in entry.scenarios() {
            let Some(text) = ScenarioSet::text_of(entry, scenario.name()) else { continue };
            let set = ScenarioSet::find(&catalog, entry.name(), &text).unwrap();
            assert!(set.has_instances() && set.text().contains(SEED));
            assert_eq!(ScenarioSet::text_of(entry, &text), None, "{text} is numbered already");
            for seed in [0, 7, u64::MAX] {
                let instance: Spec = set.instance(seed).scenario().parse().unwrap();
                let written = set.text().replace(SEED, &seed.to_string());
                let named = entry.game(&written).unwrap();
                assert_eq!(named.scenario(), instance.to_string());
            }
            sets += 1;
        }
    }
    assert!(sets >= 3, "{sets} sets");
}
