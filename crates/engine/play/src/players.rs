//! People as players, which a catalog can name.

use std::time::{SystemTime, UNIX_EPOCH};

use quintain_core::{ExternalError, ExternalPlayer, ExternalSource, now};

/// The word before a person's name in records: `human:Ada`.
pub const HUMAN: &str = "human";
/// The most characters that a name may have.
const NAME: usize = 40;

/// The source of players that are people. With it, a catalog can read records with people; commands
/// that play matches by themselves cannot seat people.
#[derive(Clone, Copy, Debug, Default)]
pub struct HumanPlayers;

impl ExternalSource for HumanPlayers {
    fn prefix(&self) -> &str {
        HUMAN
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        let name = spec.split_once(':').map_or("", |(_, name)| name).trim();
        if name.is_empty() || name.chars().count() > NAME || name.contains(char::is_control) {
            return Err(format!("“{name}” is not a name: expected 1 to {NAME} letters").into());
        }
        Ok(format!("{HUMAN}:{name}"))
    }

    /// The version of a person is the time in seconds since 1970, or 0 if there is no clock. People
    /// learn and do not play the same match twice, so two matches on one seed are two fixtures.
    fn version(&self, _spec: &str) -> u32 {
        if now().is_none() {
            return 0;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u32::try_from(now.as_secs()).unwrap_or(u32::MAX)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Err(format!("{spec} is a person; people play with quintain play GAME, or in the browser")
            .into())
    }
}
