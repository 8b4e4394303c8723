//! A scenario as tournaments name it: a single scenario, or a family in which every seed has its
//! own problem, written `drawn?seed={seed}`. The game declares which parameter chooses the problem
//! ([`Entry::instances`](crate::Entry::instances)). A record holds the scenario that was played,
//! with the number, never the family.

use std::sync::{Arc, Mutex, PoisonError};

use crate::catalog::Catalog;
use crate::erased::{AnyEntry, AnyGame};
use crate::spec::{Spec, SpecSyntaxError};
use crate::spec_error::SpecError;

/// The placeholder for the seed in a scenario's text.
pub const SEED: &str = "{seed}";

/// Where the matches of a tournament are played.
pub struct Venue {
    text: String,
    game: Arc<dyn AnyGame>,
    family: Option<Family>,
}

/// A scenario without the parameter that chooses the problem.
struct Family {
    catalog: Catalog,
    game: String,
    rest: String,
    /// The problem that was requested last, kept because matches with the same seed follow each
    /// other.
    last: Mutex<Option<(u64, Arc<dyn AnyGame>)>>,
}

impl Venue {
    /// Finds a scenario by its text, in which [`SEED`] may take the place of a number.
    ///
    /// # Errors
    /// If there is no such scenario, or [`SEED`] is the value of a parameter that does not choose a
    /// problem.
    pub fn find(catalog: &Catalog, game: &str, text: &str) -> Result<Venue, SpecError> {
        let entry = catalog.entry(game)?;
        if !text.contains(SEED) {
            let game = entry.game(text)?;
            return Ok(Venue { text: game.scenario().to_owned(), game, family: None });
        }
        let (key, rest) = split(&text.parse()?).ok_or_else(|| placement_error(entry, text))?;
        let rest = rest.to_string();
        let fixed = entry.game(&format!("{rest}{}{key}=2", separator(&rest)))?;
        let drawn = entry.instance(&rest, 2)?.ok_or_else(|| placement_error(entry, text))?;
        if fixed.scenario() != drawn.scenario() {
            return Err(placement_error(entry, text));
        }
        let mut family: Spec = drawn.scenario().parse()?;
        family.arguments.retain(|(known, _)| *known != key);
        family.arguments.push((key, SEED.to_owned()));
        let (text, last) = (family.to_string(), Mutex::default());
        let family = Family { catalog: catalog.clone(), game: game.to_owned(), rest, last };
        Ok(Venue { text, game: drawn, family: Some(family) })
    }

    /// The scenario in its canonical text, with [`SEED`] if every seed has its own problem.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The game on one of the problems, for whatever does not depend on the seed.
    pub fn game(&self) -> &Arc<dyn AnyGame> {
        &self.game
    }

    /// Whether every seed has its own problem.
    pub fn is_family(&self) -> bool {
        self.family.is_some()
    }

    /// The game that is played on a seed.
    ///
    /// # Panics
    /// If the game has no problem for some number, although it declares that it has.
    pub fn game_of(&self, seed: u64) -> Arc<dyn AnyGame> {
        let Some(Family { catalog, game, rest, last }) = &self.family else {
            return Arc::clone(&self.game);
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, game)) = &*last
            && *known == seed
        {
            return Arc::clone(game);
        }
        let drawn = catalog.entry(game).and_then(|entry| entry.instance(rest, seed));
        let drawn = drawn.ok().flatten().expect("any number of 64 bits makes a problem");
        *last = Some((seed, Arc::clone(&drawn)));
        drawn
    }
}

fn separator(text: &str) -> char {
    if text.contains('?') { '&' } else { '?' }
}

/// The parameter whose value is the seed, and the scenario without it.
fn split(spec: &Spec) -> Option<(String, Spec)> {
    let mut rest = spec.clone();
    let at = rest.arguments.iter().position(|(_, value)| value == SEED)?;
    let (key, _) = rest.arguments.remove(at);
    let is_rest = !rest.to_string().contains(SEED);
    is_rest.then_some((key, rest))
}

/// The scenario's text with [`SEED`] for the parameter that chooses one of many similar problems,
/// if it has such a parameter.
pub fn seed_family(entry: &dyn AnyEntry, scenario: &str) -> Option<String> {
    let arguments = |text: &str| text.parse::<Spec>().map(|spec| spec.arguments).ok();
    let plain = arguments(entry.game(scenario).ok()?.scenario())?;
    let drawn = arguments(entry.instance(scenario, 2).ok()??.scenario())?;
    let (key, _) = drawn.into_iter().find(|argument| !plain.contains(argument))?;
    Some(format!("{scenario}{}{key}={SEED}", separator(scenario)))
}

fn placement_error(entry: &dyn AnyEntry, text: &str) -> SpecError {
    let all = entry.scenarios();
    // The family of the scenario that the text names, if it has one.
    let own = seed_family(entry, text.split('?').next().unwrap_or(text));
    let others = all.iter().filter_map(|known| seed_family(entry, known.name)).take(3);
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

/// The families among the scenarios of a tournament, for standings that count all problems of one as
/// one scenario.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFamilies(Vec<(String, String, Spec)>);

impl ScenarioFamilies {
    /// The families among these scenarios, each in its canonical text.
    pub fn among<'a>(scenarios: impl IntoIterator<Item = &'a str>) -> ScenarioFamilies {
        let families = scenarios.into_iter().filter_map(|text| {
            let (key, rest) = split(&text.parse().ok()?)?;
            Some((text.to_owned(), key, rest))
        });
        ScenarioFamilies(families.collect())
    }

    /// The family that a scenario belongs to, or else the scenario itself.
    pub fn family_of<'a>(&'a self, scenario: &'a str) -> &'a str {
        if self.0.is_empty() {
            return scenario;
        }
        let Ok(mut spec) = scenario.parse::<Spec>() else { return scenario };
        let all = spec.arguments.clone();
        let found = self.0.iter().find(|(_, key, rest)| {
            spec.arguments = all.iter().filter(|(known, _)| known != key).cloned().collect();
            spec == *rest
        });
        found.map_or(scenario, |(text, ..)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_belongs_to_its_family_whatever_its_number_and_no_other_scenario_does() {
        let families = ScenarioFamilies::among(["empty", "drawn?size=21&seed={seed}"]);
        for own in ["drawn?size=21&seed=7", "drawn?seed=0&size=21", "drawn?size=21"] {
            assert_eq!(families.family_of(own), "drawn?size=21&seed={seed}");
        }
        for other in ["empty", "drawn?size=20&seed=7", "drawn?seed=7", "course?size=21&seed=1"] {
            assert_eq!(families.family_of(other), other);
        }
        assert_eq!(ScenarioFamilies::default().family_of("drawn?seed=3"), "drawn?seed=3");
    }
}
