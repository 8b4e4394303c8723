//! Acts as one of the processes of our own that stand between the arena and a program, or look
//! after the arena's temporary folder.

use std::path::PathBuf;

use crate::stage::STAGE;
use crate::temporary::{KEEPER, KEPT, KEPT_GROUPS, keep};

/// Runs such a stage and exits, if this process was started as one; returns otherwise. Every
/// executable that runs programs must call this before anything else.
pub fn take_over_if_asked() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(STAGE) {
        return;
    }
    let stage = arguments.next().unwrap_or_default();
    if stage == KEEPER {
        #[cfg(target_os = "linux")]
        crate::sandbox::close_inherited(&[]);
        let folder = |name| PathBuf::from(std::env::var_os(name).unwrap_or_default());
        keep(&folder(KEPT), &folder(KEPT_GROUPS));
        std::process::exit(0);
    }
    #[cfg(target_os = "linux")]
    std::process::exit(crate::sandbox::run_stage(&stage, arguments));
    #[cfg(not(target_os = "linux"))]
    std::process::exit(2);
}
