//! Every attack of the collection is harmless on this machine, if it has all that confines
//! programs.
#![cfg(target_os = "linux")]

use std::path::PathBuf;

use quintain_bots::audit::{Attack, AttackResult, attacks, audit};
use quintain_bots::sandbox::Protection;
use quintain_bots::{Programs, Settings};
use quintain_core::Catalog;

#[test]
fn no_attack_does_harm() {
    let settings = settings(Protection::Full);
    if let Err(missing) = Programs::new(settings.clone()).protections() {
        eprintln!("skipped: {missing}");
        return;
    }
    let attacks = attacks().unwrap();
    assert!(attacks.len() >= 235, "{} attacks", attacks.len());
    let without = attacks.iter().filter(|attack| attack.needs_namespaces()).count();
    assert_eq!(without, 7, "all others are harmless in a container, too");
    assert_harmless(&settings, &attacks);
}

/// With all that confines programs here, this is a part of the test above.
#[test]
fn no_attack_does_harm_to_what_a_container_without_namespaces_protects() {
    let settings = settings(Protection::Basic);
    let protections = Programs::new(settings.clone()).protections().unwrap();
    if protections.namespaces || !protections.landlock || !protections.seccomp {
        eprintln!("left out: this is no machine with Landlock and seccomp alone");
        return;
    }
    let mut attacks = attacks().unwrap();
    attacks.retain(|attack| !attack.needs_namespaces());
    assert_harmless(&settings, &attacks);
}

fn settings(protection: Protection) -> Settings {
    Settings {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
        file: PathBuf::new(),
        protection,
        protocols: Vec::new(),
    }
}

fn assert_harmless(settings: &Settings, attacks: &[Attack]) {
    let catalog = Catalog::new().with(quintain_tron::entry());
    let show = |finding: &AttackResult| println!("{}: {}", finding.attack.name, finding.outcome);
    let findings = audit(&catalog, settings, attacks, 4, &show).unwrap();
    let harm: Vec<String> = findings
        .iter()
        .flat_map(|finding| {
            finding.harm.iter().map(|harm| format!("{}: {harm}", finding.attack.name))
        })
        .collect();
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}
