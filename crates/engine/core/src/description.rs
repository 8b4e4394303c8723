//! How what a game registers is described to people and distinguished in results.

use serde::Serialize;

use crate::parameters::{Kind, ParameterInfo};
use crate::spec::Spec;

/// What a game, a scenario or a player is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// What it is or does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Raised whenever its behaviour changes, so that old results stay apart; 0 for a scenario,
    /// which has the version of its game's rules.
    #[serde(skip_serializing_if = "is_unversioned")]
    pub version: u32,
}

fn is_unversioned(version: &u32) -> bool {
    *version == 0
}

/// A scenario or a player with its parameters, as lists show it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// What it is.
    #[serde(flatten)]
    pub description: Description,
    /// Whether a player thinks for as long as its budget allows
    /// ([`Entry::anytime`](crate::Entry::anytime)).
    #[serde(skip)]
    pub anytime: bool,
    /// A player's place among the game's players from weak to strong
    /// ([`Entry::weak_to_strong`](crate::Entry::weak_to_strong)).
    #[serde(skip)]
    pub strength: Option<usize>,
    /// The parameter that numbers a scenario's instances, if it has many
    /// ([`Entry::instances`](crate::Entry::instances)).
    #[serde(skip)]
    pub instances: Option<&'static str>,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
}

impl Listed {
    pub(crate) fn new(description: Description, parameters: Vec<ParameterInfo>) -> Listed {
        Listed { description, anytime: false, strength: None, instances: None, parameters }
    }

    /// The text that the arguments set to something else than usual, such as the name of a file,
    /// if they set one: whoever builds it for a stranger may not want to read that file.
    pub fn changed_text<'a>(&self, spec: &'a Spec) -> Option<(&'a str, &'a str)> {
        spec.arguments.iter().find_map(|(name, value)| {
            let known = self.parameters.iter().find(|known| known.name == name)?;
            let is_changed = known.kind == Kind::Text && *value != known.default;
            is_changed.then_some((name.as_str(), value.as_str()))
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.description.name
    }
}
