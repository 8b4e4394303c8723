//! WebAssembly modules that were submitted, as players under their participants' names:
//! `wasm:NAME.VERSION`. The path of a module's file stays private to the host.

use std::path::Path;
use std::sync::Arc;

use quintain_core::ExternalSource;

/// Returns the source that knows one module, by the name of its player.
///
/// # Errors
/// What is wrong with the module, or that this program does not support modules.
#[cfg(feature = "wasm")]
pub(crate) fn source(
    player: &str,
    file: &Path,
    memory: u64,
) -> Result<Arc<dyn ExternalSource>, String> {
    let pages = (memory >> 16).max(1) << 6;
    // Players' texts are split at these characters.
    let file = file.to_string_lossy().into_owned();
    if file.contains(['?', '&', '=', '%']) {
        return Err(format!("{file}: the contest's folder has a name that no player can have"));
    }
    let spec = format!("wasm:{file}?memory={pages}kB");
    let named = NamedModule { player: format!("wasm:{player}"), spec, modules: <_>::default() };
    let checked = named.modules.resolve(&named.spec, "");
    checked.map_err(|error| explain(&error.to_string().replace(&file, player)))?;
    Ok(Arc::new(named))
}

/// Leaves out advice that a participant cannot follow: the contest sets what a module may have.
#[cfg(feature = "wasm")]
fn explain(problem: &str) -> String {
    match problem.split_once("; give it more with ?memory=") {
        Some((what, _)) => format!("{what}, as all modules of this contest; build it to need less"),
        None => problem.to_owned(),
    }
}

#[cfg(not(feature = "wasm"))]
pub(crate) fn source(_: &str, _: &Path, _: u64) -> Result<Arc<dyn ExternalSource>, String> {
    Err("this host cannot play WebAssembly modules: it was built without the feature wasm".into())
}

#[cfg(feature = "wasm")]
struct NamedModule {
    player: String,
    /// The module as known to its own source.
    spec: String,
    modules: quintain_wasm::Modules,
}

#[cfg(feature = "wasm")]
impl ExternalSource for NamedModule {
    fn prefix(&self) -> &str {
        "wasm"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, quintain_core::ExternalError> {
        match spec == self.player {
            true => Ok(self.player.clone()),
            false => Err(format!("there is no {spec} here").into()),
        }
    }

    fn version(&self, _spec: &str) -> u32 {
        self.modules.version(&self.spec)
    }

    fn is_reproducible(&self, _spec: &str) -> bool {
        true
    }

    fn open(
        &self,
        _spec: &str,
    ) -> Result<Box<dyn quintain_core::ExternalPlayer>, quintain_core::ExternalError> {
        self.modules.open(&self.spec)
    }
}
