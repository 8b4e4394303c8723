//! Players that this quintain was built without, or that this system cannot seat. Using their names
//! gives an explanation.

use std::sync::Arc;

use quintain_core::{AbsentSource, Catalog};

/// Returns a catalog that recognises programs, but seats none.
#[cfg(not(feature = "programs"))]
pub(crate) fn refuse_programs(games: Catalog) -> Catalog {
    let why =
        "this quintain was built without programs: cargo install quintain-cli --features programs";
    // Named by an entry of bots.toml, or by a command.
    ["bot", "exec"].into_iter().fold(games, |games, prefix| refuse(games, prefix, why))
}

/// Returns a catalog that recognises WebAssembly modules, but seats none.
#[cfg(not(feature = "wasm"))]
pub(crate) fn refuse_modules(games: Catalog) -> Catalog {
    let why = "this quintain was built without WebAssembly: cargo install quintain-cli --features \
               wasm (or cargo build --release --features wasm)";
    refuse(games, "wasm", why)
}

/// Returns a catalog that recognises services, but seats none.
#[cfg(not(feature = "remote"))]
pub(crate) fn refuse_services(games: Catalog) -> Catalog {
    let why = "this quintain was built without services: cargo install quintain-cli --features \
               remote (or cargo build --release --features remote)";
    ["http", "https", "chat"].into_iter().fold(games, |games, prefix| refuse(games, prefix, why))
}

fn refuse(games: Catalog, prefix: &'static str, why: &'static str) -> Catalog {
    games.with_external(Arc::new(AbsentSource { prefix, why }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_of_a_missing_feature_is_not_unknown() {
        let catalog = refuse(crate::catalog::catalog(), "bot", "there are no programs");
        let Err(error) = catalog.player("tron", "bot:mine") else { panic!("it is seated") };
        assert_eq!(error.to_string(), "bot:mine: there are no programs");
    }
}
