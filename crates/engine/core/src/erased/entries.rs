//! An [`Entry`] as an entry of the catalog, whatever its game.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ui::Keyboard;
use serde_json::Value;

use super::bound::BoundGame;
use super::{AnyEntry, AnyGame, PlayerHandle, PlayerHandleKind, Schemas};
use crate::description::{Description, Listed};
use crate::encoding_hook::EncodingHook;
use crate::entry::{Entry, RegretOf};
use crate::exact::MakeJudge;
use crate::files::noting_files;
use crate::protocol::ForeignProtocol;
use crate::rules::Rules;
use crate::spec::Spec;
use crate::spec_error::SpecError;
use crate::study::Study;
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
    fn description(&self) -> Description {
        self.description
    }

    fn scenarios(&self) -> Vec<Listed> {
        self.scenario_entries().iter().map(|known| known.listed.clone()).collect()
    }

    fn players(&self) -> Vec<Listed> {
        self.player_entries().iter().map(|known| known.listed.clone()).collect()
    }

    fn listed_scenario(&self, scenario: &str) -> Result<(Listed, Spec), SpecError> {
        let (known, spec) = self.find_scenario(scenario)?;
        Ok((known.listed.clone(), spec))
    }

    fn listed_player(&self, player: &str) -> Result<(Listed, Spec), SpecError> {
        let (known, spec) = self.find_player(player)?;
        Ok((known.listed.clone(), spec))
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
        let (built, files) = noting_files(|| self.build(scenario));
        let (scenario, text) = built?;
        Ok(Arc::new(BoundGame { entry: Arc::clone(self), scenario, text, files }))
    }

    fn instance_parameter(&self, scenario: &str) -> Result<Option<&'static str>, SpecError> {
        let (known, spec) = self.find_scenario(scenario)?;
        let is_given =
            |parameter: &&str| spec.arguments.iter().any(|(given, _)| given == parameter);
        Ok(known.listed.instances.filter(|parameter| !is_given(parameter)))
    }

    fn instance(&self, scenario: &str, number: u64) -> Result<Option<Arc<dyn AnyGame>>, SpecError> {
        let Some(parameter) = self.instance_parameter(scenario)? else { return Ok(None) };
        let (_, mut spec) = self.find_scenario(scenario)?;
        spec.arguments.push((parameter.to_owned(), number.to_string()));
        AnyEntry::game(self, &spec.to_string()).map(Some)
    }

    fn player(&self, player: &str) -> Result<PlayerHandle, SpecError> {
        let (prepared, spec, version) = self.prepare(player)?;
        Ok(PlayerHandle { spec, version, kind: PlayerHandleKind::Roster(Arc::new(prepared)) })
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

    fn exact(&self) -> Option<MakeJudge> {
        self.exact
    }

    fn study(&self) -> Option<&dyn Study> {
        self.study.as_deref()
    }

    fn encodings(&self) -> Vec<&'static str> {
        Entry::encodings(self).iter().map(|(name, _)| *name).collect()
    }

    fn encoding_hook(&self, encoding: Option<&str>) -> Result<Box<dyn EncodingHook>, SpecError> {
        Entry::encoding_hook(self, encoding)
    }
}
