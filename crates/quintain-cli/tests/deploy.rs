//! The files under `deploy` are sound: whoever reads them (systemd, a shell, Kubernetes,
//! nats-server) can read them, and every option in them exists.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(folder);
    let files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    files
}

/// What a program says of a file; nothing, visibly, where the program is missing.
fn said(program: &str, arguments: &[&str], file: &Path) -> Option<Output> {
    let mut command = Command::new(program);
    command.env("NODE", "one").env("COORDINATOR_PASSWORD", "x").env("WORKER_PASSWORD", "y");
    let output = command.args(arguments).arg(file).output();
    if output.is_err() {
        eprintln!("skipped: there is no {program} to check {} with", file.display());
    }
    output.ok()
}

#[test]
fn every_option_in_them_exists() {
    let help = |verb: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_quintain")).args([verb, "--help"]).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let known = ["worker", "tournament", "merge", "serve"].map(help).concat();
    let known: Vec<&str> = known.split([' ', ',', '\n']).collect();
    let mut options = 0;
    for folder in ["systemd", "kubernetes", "slurm"] {
        for file in files(folder) {
            let text = fs::read_to_string(&file).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with("#SBATCH"));
            let lines =
                lines.filter(|line| !line.contains("systemctl") && !line.contains("kubectl"));
            for word in lines.flat_map(|line| line.split([' ', ',', '"', '=', '['])) {
                if word.starts_with("--") && !word.trim_matches('-').is_empty() {
                    assert!(known.contains(&word), "{}: {word}", file.display());
                    options += 1;
                }
            }
        }
    }
    assert!(options > 15, "{options}");
}

#[test]
fn scripts_are_shell() {
    for file in files("slurm") {
        let Some(output) = said("sh", &["-n"], &file) else { continue };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn units_are_systemds() {
    for file in files("systemd") {
        let Some(output) = said("systemd-analyze", &["verify"], &file) else { continue };
        // The command need not be installed here.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let name = file.file_name().unwrap().to_str().unwrap().split(['@', '.']).next().unwrap();
        let own = said.lines().filter(|line| line.contains(name));
        let problems: Vec<&str> = own.filter(|line| !line.contains("is not executable")).collect();
        assert!(problems.is_empty(), "{problems:?}");
    }
}

#[test]
fn manifests_and_workflows_are_yaml() {
    let python = Command::new("python3").args(["-c", "import yaml"]).output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3 with yaml to check manifests and workflows with");
        return;
    }
    for (folder, key) in [("kubernetes", "kind"), ("../.github/workflows", "jobs")] {
        let read = format!(
            "import sys, yaml; assert all(d['{key}'] for d in yaml.safe_load_all(open(sys.argv[1])))"
        );
        for file in files(folder) {
            let Some(output) = said("python3", &["-c", &read], &file) else { continue };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn the_cluster_is_nats_servers() {
    for file in files("nats") {
        let Some(output) = said("nats-server", &["-t", "-c"], &file) else { continue };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
