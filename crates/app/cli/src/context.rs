//! What verbs work with besides their arguments.

#[cfg(all(feature = "programs", target_os = "linux"))]
use std::sync::Arc;

#[cfg(all(feature = "programs", target_os = "linux"))]
use quintain_bots::Programs;
use quintain_core::Catalog;

/// The players that verbs know.
pub(crate) struct Context<'a> {
    /// The games with all their players.
    pub(crate) catalog: &'a Catalog,
    /// The programs that the command line allows.
    #[cfg(all(feature = "programs", target_os = "linux"))]
    pub(crate) programs: &'a Arc<Programs>,
}
