//! Scenarios as tournaments name them: one scenario, or a set in which every seed has another
//! instance, written `drawn?seed={seed}`. The game declares which parameter numbers the instances
//! ([`Entry::instances`](crate::Entry::instances)). A record names the instance that was played,
//! never the set.

use std::sync::{Arc, Mutex, PoisonError};

use crate::catalog::Catalog;
use crate::erased::{AnyEntry, AnyGame};
use crate::spec::{Spec, SpecSyntaxError};
use crate::spec_error::SpecError;

/// The placeholder for the seed in a scenario's text.
pub const SEED: &str = "{seed}";

/// The instance that represents a set. It is not 1, because many scenarios have 1 as the default,
/// which their canonical text leaves out.
const EXAMPLE: u64 = 2;

/// A scenario of a tournament, or a set of scenarios of which every seed has its own.
#[derive(Clone)]
pub struct ScenarioSet {
    text: String,
    game: Arc<dyn AnyGame>,
    instances: Option<Arc<Instances>>,
}

/// A scenario that leaves the number of the instance open.
struct Instances {
    catalog: Catalog,
    game: String,
    open: String,
    /// The instance that was requested last, kept because matches with the same seed follow each
    /// other.
    last: Mutex<Option<(u64, Arc<dyn AnyGame>)>>,
}

impl ScenarioSet {
    /// Finds a scenario by its text, in which [`SEED`] may take the place of a number.
    ///
    /// # Errors
    /// If there is no such scenario, or [`SEED`] is the value of a parameter that does not number
    /// instances.
    pub fn find(catalog: &Catalog, game: &str, text: &str) -> Result<ScenarioSet, SpecError> {
        let entry = catalog.entry(game)?;
        if !text.contains(SEED) {
            let game = entry.game(text)?;
            return Ok(ScenarioSet { text: game.scenario().to_owned(), game, instances: None });
        }
        let misplaced = || placement_error(entry, text);
        let (key, open) = split(&text.parse()?).ok_or_else(misplaced)?;
        let open = open.to_string();
        if entry.instance_parameter(&open)? != Some(&key) {
            // A text that is wrong in another way gets the error for that.
            entry.game(&text.replace(SEED, &EXAMPLE.to_string()))?;
            return Err(misplaced());
        }
        let example = entry.instance(&open, EXAMPLE)?.ok_or_else(misplaced)?;
        let mut set: Spec = example.scenario().parse()?;
        set.arguments.retain(|(known, _)| *known != key);
        set.arguments.push((key, SEED.to_owned()));
        let (catalog, game, last) = (catalog.clone(), game.to_owned(), Mutex::default());
        let instances = Some(Arc::new(Instances { catalog, game, open, last }));
        Ok(ScenarioSet { text: set.to_string(), game: example, instances })
    }

    /// The text of the set that a scenario leaves open, with [`SEED`] for the parameter that
    /// numbers its instances; none if the scenario has no such parameter, or its text has a value
    /// for it.
    pub fn text_of(entry: &dyn AnyEntry, scenario: &str) -> Option<String> {
        let key = entry.instance_parameter(scenario).ok()??;
        let separator = if scenario.contains('?') { '&' } else { '?' };
        Some(format!("{scenario}{separator}{key}={SEED}"))
    }

    /// The scenario in its canonical text, with [`SEED`] if every seed has its own instance.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The scenario in its canonical text, without the number of the instance.
    pub fn open_text(&self) -> String {
        match self.text.parse().ok().as_ref().and_then(split) {
            Some((_, open)) => open.to_string(),
            None => self.text.clone(),
        }
    }

    /// The game on one of the instances, for whatever does not depend on the seed.
    pub fn game(&self) -> &Arc<dyn AnyGame> {
        &self.game
    }

    /// Whether every seed has its own instance.
    pub fn has_instances(&self) -> bool {
        self.instances.is_some()
    }

    /// The game that is played on a seed.
    ///
    /// # Panics
    /// If the game has no instance for some number, although it declares that it has.
    pub fn instance(&self, seed: u64) -> Arc<dyn AnyGame> {
        let Some(Instances { catalog, game, open, last }) = self.instances.as_deref() else {
            return Arc::clone(&self.game);
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, game)) = &*last
            && *known == seed
        {
            return Arc::clone(game);
        }
        let instance = catalog.entry(game).and_then(|entry| entry.instance(open, seed));
        let instance = instance.ok().flatten().expect("any number of 64 bits is an instance");
        *last = Some((seed, Arc::clone(&instance)));
        instance
    }
}

/// The parameter whose value is the seed, and the scenario without it.
fn split(spec: &Spec) -> Option<(String, Spec)> {
    let mut open = spec.clone();
    let at = open.arguments.iter().position(|(_, value)| value == SEED)?;
    let (key, _) = open.arguments.remove(at);
    let is_open = !open.to_string().contains(SEED);
    is_open.then_some((key, open))
}

fn placement_error(entry: &dyn AnyEntry, text: &str) -> SpecError {
    let all = entry.scenarios();
    // The set of the scenario that the text names, if it has instances.
    let own = ScenarioSet::text_of(entry, text.split('?').next().unwrap_or(text));
    let others = all.iter().filter_map(|known| ScenarioSet::text_of(entry, known.name())).take(3);
    let known: Vec<String> = own.map_or_else(|| others.collect(), |own| vec![own]);
    let known = match known.is_empty() {
        true => format!("no scenario of {} has one", entry.name()),
        false => format!("as in {}", known.join(", ")),
    };
    let problem = format!(
        "“{text}”: write {SEED} once, for the parameter that chooses one of many similar \
         problems; {known}"
    );
    SpecSyntaxError::from(problem).into()
}

/// The sets among the scenarios of a tournament, for standings that count all instances of a set as
/// one scenario.
#[derive(Clone, Debug, Default)]
pub struct ScenarioSets(Vec<(String, String, Spec)>);

impl ScenarioSets {
    /// The sets among these scenarios, each in its canonical text.
    pub fn among<'a>(scenarios: impl IntoIterator<Item = &'a str>) -> ScenarioSets {
        let sets = scenarios.into_iter().filter_map(|text| {
            let (key, open) = split(&text.parse().ok()?)?;
            Some((text.to_owned(), key, open))
        });
        ScenarioSets(sets.collect())
    }

    /// The set that a scenario is an instance of, or else the scenario itself.
    pub fn set_of<'a>(&'a self, scenario: &'a str) -> &'a str {
        if self.0.is_empty() {
            return scenario;
        }
        let Ok(mut spec) = scenario.parse::<Spec>() else { return scenario };
        let all = spec.arguments.clone();
        let found = self.0.iter().find(|(_, key, open)| {
            spec.arguments = all.iter().filter(|(known, _)| known != key).cloned().collect();
            spec == *open
        });
        found.map_or(scenario, |(text, ..)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_belongs_to_its_set_whatever_its_number() {
        let sets = ScenarioSets::among(["empty", "drawn?size=21&seed={seed}"]);
        for own in ["drawn?size=21&seed=7", "drawn?seed=0&size=21", "drawn?size=21"] {
            assert_eq!(sets.set_of(own), "drawn?size=21&seed={seed}");
        }
        for other in ["empty", "drawn?size=20&seed=7", "drawn?seed=7", "course?size=21&seed=1"] {
            assert_eq!(sets.set_of(other), other);
        }
        assert_eq!(ScenarioSets::default().set_of("drawn?seed=3"), "drawn?seed=3");
    }
}
