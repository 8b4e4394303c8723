//! Every attack of the collection is harmless on this machine, if it has all that confines
//! programs.
#![cfg(target_os = "linux")]

use std::path::PathBuf;

use quintain_bots::audit::{AttackResult, attacks, audit};
use quintain_bots::sandbox::Protection;
use quintain_bots::{Programs, Settings};
use quintain_core::Catalog;

#[test]
fn no_attack_does_harm() {
    let settings = Settings {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
        file: PathBuf::new(),
        protection: Protection::Full,
        protocols: Vec::new(),
    };
    if let Err(missing) = Programs::new(settings.clone()).protections() {
        eprintln!("skipped: {missing}");
        return;
    }
    let catalog = Catalog::new().with(quintain_tron::entry());
    let attacks = attacks().unwrap();
    assert!(attacks.len() >= 229, "{} attacks", attacks.len());
    let show = |finding: &AttackResult| println!("{}: {}", finding.attack.name, finding.outcome);
    let findings = audit(&catalog, &settings, &attacks, 4, &show).unwrap();
    let harm: Vec<String> = findings
        .iter()
        .flat_map(|finding| {
            finding.harm.iter().map(|harm| format!("{}: {harm}", finding.attack.name))
        })
        .collect();
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}
