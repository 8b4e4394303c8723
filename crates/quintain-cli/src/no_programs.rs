//! What stands in for `bots.rs` where quintain is built without the feature `programs`, or for a
//! system that has no sandbox for them: whoever names a program is told so.

use std::sync::Arc;

use quintain_core::{Catalog, ExternalError, ExternalPlayer, ExternalSource};

/// The words before the colon of a program, by its name in bots.toml and by its command.
const PREFIXES: [&str; 2] = ["bot", "exec"];

/// A catalog that knows what programs are, and seats none.
pub(crate) fn without_programs(games: Catalog) -> Catalog {
    PREFIXES.into_iter().fold(games, |games, prefix| games.with_external(Arc::new(Missing(prefix))))
}

struct Missing(&'static str);

impl Missing {
    fn say(&self, spec: &str) -> ExternalError {
        let why = if cfg!(target_os = "linux") {
            "this quintain was built without programs: cargo install quintain-cli --features programs"
        } else {
            "programs need the sandbox of Linux, which this system does not have"
        };
        format!("{spec}: {why}").into()
    }
}

impl ExternalSource for Missing {
    fn prefix(&self) -> &str {
        self.0
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Err(self.say(spec))
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Err(self.say(spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_to_be_missing_and_not_unknown() {
        let catalog = without_programs(crate::catalog::catalog());
        for player in ["bot:mine", "exec:./mine"] {
            let Err(said) = catalog.player("tron", player) else { panic!("{player} is seated") };
            assert!(said.to_string().contains("programs"), "{said}");
        }
    }
}
