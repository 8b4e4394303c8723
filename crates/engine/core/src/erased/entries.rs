//! An [`Entry`] as an entry of the catalog, whatever its game.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ui::Keyboard;
use serde_json::Value;

use super::bound::BoundGame;
use super::teacher::Teacher;
use super::{AnyEntry, AnyGame, AnyTeacher, Description, PlayerHandle, PlayerHandleKind, Schemas};
use crate::batch::{AnyBatch, BatchOptions, Opponents};
use crate::build_error::BuildError;
use crate::entry::{BatchParts, DrawScenario, Entry, RegretOf};
use crate::environment::Scenario;
use crate::player::MatchStart;
use crate::protocol::ForeignProtocol;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::spec::Spec;
use crate::spec_error::SpecError;
use crate::stream::Rng;
use crate::suggest::did_you_mean;
use crate::tool::Tool;

/// The text notation of the actions that a schema names by a single word, by that word.
fn texts<R: Rules>(schema: &Value) -> BTreeMap<String, String> {
    let cases = ["oneOf", "anyOf"].iter().filter_map(|word| schema[word].as_array()).flatten();
    let words = cases.chain([schema]).flat_map(|case| {
        case["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(case.get("const"))
            .filter_map(Value::as_str)
    });
    let text = |word: &str| {
        let action: R::Action = serde_json::from_value(word.into()).ok()?;
        Some((word.to_owned(), action.to_string()))
    };
    words.filter_map(text).collect()
}

impl<R: Rules> AnyEntry for Arc<Entry<R>> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn scenarios(&self) -> Vec<Description> {
        let describe = |known: &crate::ScenarioEntry<R>| Description {
            name: known.name,
            summary: known.summary,
            source: known.source,
            version: None,
            anytime: false,
            parameters: known.parameters.clone(),
        };
        self.scenarios.iter().map(describe).collect()
    }

    fn players(&self) -> Vec<Description> {
        let describe = |known: &crate::PlayerEntry<R>| Description {
            name: known.name,
            summary: known.summary,
            source: known.source,
            version: Some(known.version),
            anytime: known.anytime,
            parameters: known.parameters.clone(),
        };
        self.players.iter().map(describe).collect()
    }

    fn how_to_play(&self) -> &'static str {
        self.how_to_play
    }

    fn showcase(&self) -> (&str, &[String]) {
        (&self.showcase.0, &self.showcase.1)
    }

    fn schemas(&self) -> Schemas {
        let action = schemars::schema_for!(R::Action).to_value();
        Schemas {
            observation: schemars::schema_for!(R::Observation).to_value(),
            texts: texts::<R>(&action),
            action,
            setting: R::setting_schema(),
        }
    }

    fn game(&self, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError> {
        let (scenario, text) = self.build(scenario)?;
        Ok(Arc::new(BoundGame { entry: Arc::clone(self), scenario, text }))
    }

    fn instance_parameter(&self, scenario: &str) -> Result<Option<&'static str>, SpecError> {
        let (known, spec) = self.find_scenario(scenario)?;
        let is_given =
            |parameter: &&str| spec.arguments.iter().any(|(given, _)| given == parameter);
        Ok(known.instances.filter(|parameter| !is_given(parameter)))
    }

    fn instance(&self, scenario: &str, number: u64) -> Result<Option<Arc<dyn AnyGame>>, SpecError> {
        let Some(parameter) = self.instance_parameter(scenario)? else { return Ok(None) };
        let (_, mut spec) = self.find_scenario(scenario)?;
        spec.arguments.push((parameter.to_owned(), number.to_string()));
        AnyEntry::game(self, &spec.to_string()).map(Some)
    }

    fn player(&self, player: &str) -> Result<PlayerHandle, SpecError> {
        let (prepared, spec, version) = self.prepare(player)?;
        Ok(PlayerHandle { spec, version, kind: PlayerHandleKind::Roster(Box::new(prepared)) })
    }

    fn protocols(&self) -> &[ForeignProtocol] {
        &self.protocols
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn keyboard(&self) -> Option<Keyboard> {
        self.presentation.keyboard()
    }

    fn regret(&self) -> Option<RegretOf> {
        self.regret
    }

    fn encodings(&self) -> Vec<&'static str> {
        self.encodings.iter().map(|(name, _)| *name).collect()
    }

    fn batch(
        &self,
        scenario: &str,
        options: &BatchOptions,
    ) -> Result<(Box<dyn AnyBatch>, String), SpecError> {
        let (known, spec) = self.find_scenario(scenario)?;
        let (scenario, mut arguments) = self.build_scenario(known, &spec)?;
        let draw = known.instances.and_then(|parameter| {
            let given = spec.arguments.iter().find(|(known, _)| known == parameter);
            if let Some(given) = given {
                if arguments.iter().all(|(known, _)| known != parameter) {
                    arguments.push(given.clone());
                }
                return None;
            }
            Some((parameter, draw_scenario(self, &spec, parameter)))
        });
        let text = Spec { path: spec.path.clone(), arguments }.to_string();
        let (wanted, make) = self.find_named(&self.encodings, options.encoding.as_deref())?;
        let opponents = self.opponents(&scenario, &text, options)?;
        let (autoreset, stop) = (options.autoreset, options.stop.clone());
        let batch = make(BatchParts { scenario, draw, opponents, autoreset, stop })
            .map_err(|why| self.misfit(&text, wanted, &why))?;
        Ok((batch, text))
    }

    fn teacher(
        &self,
        scenario: &str,
        encoding: Option<&str>,
    ) -> Result<Box<dyn AnyTeacher>, SpecError> {
        let (scenario, text) = self.build(scenario)?;
        let (wanted, make) = self.find_named(Entry::encodings(self), encoding)?;
        let start = scenario.start(&mut Rng::from_seed(0));
        let encoding =
            make(scenario.rules(), &start).map_err(|why| self.misfit(&text, wanted, &why))?;
        Ok(Box::new(Teacher { scenario, encoding, name: wanted }))
    }
}

/// Builds the scenario for any value of the parameter that chooses an instance.
fn draw_scenario<R: Rules>(
    entry: &Arc<Entry<R>>,
    spec: &Spec,
    parameter: &'static str,
) -> DrawScenario<R> {
    let (entry, spec) = (Arc::clone(entry), spec.clone());
    Arc::new(move |seed| {
        let mut spec = spec.clone();
        spec.arguments.push((parameter.to_owned(), seed.to_string()));
        let built = entry
            .find_scenario(&spec.path)
            .and_then(|(known, _)| entry.build_scenario(known, &spec));
        built.expect("every number of 64 bits is an instance").0
    })
}

impl<R: Rules> Entry<R> {
    /// The item registered for the wanted encoding, or for the default one.
    fn find_named<'a, T>(
        &self,
        all: &'a [(&'static str, T)],
        wanted: Option<&str>,
    ) -> Result<(&'static str, &'a T), SpecError> {
        let name = self.name;
        let Some((default, _)) = all.first() else {
            return Err(SpecError::UnknownEncoding(format!(
                "{name} has no encoding for learners; register one on its entry"
            )));
        };
        let wanted = wanted.unwrap_or(default);
        let found = all.iter().find(|(known, _)| *known == wanted);
        let (known, found) = found.ok_or_else(|| {
            let known = all.iter().map(|(known, _)| *known);
            SpecError::UnknownEncoding(did_you_mean(&format!("{name} encoding"), wanted, known))
        })?;
        Ok((known, found))
    }

    /// The error for a scenario that an encoding does not fit.
    fn misfit(&self, scenario: &str, encoding: &str, why: &BuildError) -> SpecError {
        SpecError::Mismatch(format!("{}:{scenario}, encoding {encoding}: {why}", self.name))
    }

    /// The opponents of a batch, if any are wanted.
    fn opponents(
        &self,
        scenario: &Scenario<R>,
        text: &str,
        options: &BatchOptions,
    ) -> Result<Option<Opponents<R>>, SpecError> {
        let (name, seats) = (self.name, scenario.rules().seats());
        if options.opponents.is_empty() {
            return Ok(None);
        }
        if seats < 2 {
            return Err(SpecError::Mismatch(format!(
                "{name}:{text} has one seat: there is no opponent"
            )));
        }
        if let Some(seat) = options.seat.filter(|seat| *seat >= seats) {
            return Err(SpecError::Mismatch(format!("seat {seat}: expected 0 to {}", seats - 1)));
        }
        if !options.budget.is_reproducible() {
            return Err(SpecError::Mismatch(format!(
                "budget {}: opponents of learners need a limit of work, such as nodes=500; with a \
                 limit of time, episodes would depend on the machine",
                options.budget
            )));
        }
        let players = options.opponents.iter().map(|player| {
            let (prepared, spec, _) = self.prepare(player)?;
            prepared.check(scenario).map_err(|problem| self.refuse(&spec, problem))?;
            Ok(prepared)
        });
        Ok(Some(Opponents {
            players: players.collect::<Result<_, SpecError>>()?,
            budget: options.budget,
            learner: options.seat.map(Seat::new),
            match_start: MatchStart::new(name, text, seats),
            stop: options.stop.clone(),
        }))
    }
}
