//! The replacement for `audit.rs` on systems without a sandbox: there is nothing to attack.

use std::io::Write;

use quintain_bots::Programs;
use quintain_core::Catalog;

use super::audit_args::AuditArgs;
use crate::failure::Failure;

pub(super) fn attack(
    args: &AuditArgs,
    _: &Catalog,
    _: &Programs,
    _: &mut dyn Write,
) -> Result<(), Failure> {
    let _ = (args.quick, args.concurrency);
    Err(Failure::Usage(
        "this system has no sandbox for programs, so there is none to attack (Linux has one)"
            .to_owned(),
    ))
}
