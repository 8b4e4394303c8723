//! The files under `deploy` are valid: their readers (systemd, a shell, Kubernetes, nats-server)
//! accept them, and every option in them exists.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy").join(folder);
    let files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    files
}

/// Returns a program's output about a file; nothing, visibly, if the program is missing.
fn check_with(program: &str, arguments: &[&str], file: &Path) -> Option<Output> {
    let mut command = Command::new(program);
    command.env("NODE", "one");
    let output = command.args(arguments).arg(file).output();
    if output.is_err() {
        eprintln!("skipped: there is no {program} to check {} with", file.display());
    }
    output.ok()
}

#[test]
fn every_option_in_them_exists() {
    let help = |verb: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_quintain"))
            .args(verb.split(' '))
            .arg("--help")
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let known = ["worker", "workers", "tournament", "merge", "serve", "host init", "host serve"]
        .map(help)
        .concat();
    let known: Vec<&str> = known.split([' ', ',', '\n']).collect();
    let mut options = 0;
    for folder in ["systemd", "kubernetes", "slurm", "compose"] {
        for file in files(folder).into_iter().filter(|file| file.is_file()) {
            let text = fs::read_to_string(&file).unwrap();
            let others =
                ["#SBATCH", "systemctl", "systemd-run", "kubectl", "podman", "sbatch", "--array"];
            let lines = text.lines().filter(|line| !others.iter().any(|one| line.contains(one)));
            for word in lines.flat_map(|line| line.split([' ', ',', '"', '=', '[', '`'])) {
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
fn released_commands_that_run_contests_bring_the_verifier_along() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let release = read(".github/workflows/release.yml");
    // Contests run on Linux.
    let jobs = release.split("\n\n  ").filter(|job| {
        job.contains("-p quintain-cli") && (job.contains("ubuntu-22.04") || job.contains("musl"))
    });
    let mut built = jobs.map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(built.len(), 3, "{built:?}");
    built.extend([read("Containerfile"), read("scripts/wheels")]);
    for text in built {
        let module = text.find("scripts/verifier");
        let build = ["cargo build", "cargo deb", "MATURIN_PEP517_ARGS=\"--locked"]
            .iter()
            .filter_map(|command| text.find(command))
            .min();
        assert!(module.is_some() && module < build, "the module is there first: {text}");
        assert!(text.contains("QUINTAIN_VERIFIER"), "{text}");
    }
}

#[test]
fn scripts_are_shell() {
    for file in files("slurm") {
        let Some(output) = check_with("sh", &["-n"], &file) else { continue };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_script_of_shards_says_what_it_expects() {
    let script = files("slurm").into_iter().find(|file| file.ends_with("shards.sh")).unwrap();
    let run = |arguments: &[&str], task: Option<&str>| {
        let mut command = Command::new("sh");
        command.arg(&script).args(arguments).env_remove("SLURM_ARRAY_TASK_ID");
        let output = command.envs(task.map(|task| ("SLURM_ARRAY_TASK_ID", task))).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {task:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(run(&[], Some("1")).contains("which tournament file? sbatch --array=1-64 shards.sh"));
    assert!(run(&["cup.toml"], Some("1")).contains("how many shards in all?"));
    for wrong in ["x", "0", "-1", "1.5"] {
        assert!(
            run(&["cup.toml", wrong], Some("1")).contains("is not a number of shards"),
            "{wrong}"
        );
    }
    assert!(run(&["cup.toml", "64"], None).contains("which shard? Slurm says so"));
    assert!(run(&["cup.toml", "64"], Some("65")).contains("there is no shard 65 of 64"));
    assert!(run(&["cup.toml", "64"], Some("0")).contains("there is no shard 0 of 64"));
}

#[test]
fn units_are_systemds() {
    for file in files("systemd") {
        let Some(output) = check_with("systemd-analyze", &["verify"], &file) else { continue };
        // The command need not be installed here.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let name = file.file_name().unwrap().to_str().unwrap().split(['@', '.']).next().unwrap();
        let own = said.lines().filter(|line| line.contains(name));
        let problems: Vec<&str> = own.filter(|line| !line.contains("is not executable")).collect();
        assert!(problems.is_empty(), "{problems:?}");
    }
}

/// Runs a line of Python on a file if there is a Python with this module.
fn python(module: &str, line: &str, file: &Path) -> Option<Output> {
    let has = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3 with {module} to check {} with", file.display());
        return None;
    }
    check_with("python3", &["-c", line], file)
}

#[test]
fn manifests_and_workflows_are_yaml() {
    for (folder, key) in [("kubernetes", "kind"), ("../.github/workflows", "jobs")] {
        let read = format!(
            "import sys, yaml; assert all(d['{key}'] for d in \
             yaml.safe_load_all(open(sys.argv[1])))"
        );
        for file in files(folder) {
            let Some(output) = python("yaml", &read, &file) else { continue };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// Checked with the schemas of Kubernetes itself, unknown fields included; KEDA's are not among
/// them.
#[test]
fn manifests_are_kubernetes() {
    let check = "import sys, yaml, kubernetes_validate as k\n\
                 for d in yaml.safe_load_all(open(sys.argv[1])):\n  \
                 'keda' in d['apiVersion'] or k.validate(d, '1.29', strict=True)";
    for file in files("kubernetes") {
        let Some(output) = python("kubernetes_validate", check, &file) else { continue };
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {error}", file.display());
    }
}

/// Whatever manifests mount is made by a manifest or by the command in a comment.
#[test]
fn manifests_name_what_there_is() {
    let texts: Vec<String> =
        files("kubernetes").iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let all = texts.concat();
    let values_of = |key: &str| -> Vec<&str> {
        let text_after = |at: usize| &all[at + key.len()..];
        let names = all.match_indices(key).map(|(at, _)| text_after(at));
        names.map(|rest| rest.trim_start().split([' ', '}', '\n']).next().unwrap()).collect()
    };
    let mut checked = 0;
    for (key, commands) in [
        ("secretName:", &["create secret generic"][..]),
        ("configMap: { name:", &["create configmap"]),
        ("secret: { name:", &["create secret generic"]),
        ("claimName:", &[]),
    ] {
        for name in values_of(key) {
            let made = all.contains(&format!("metadata:\n  name: {name}\n"))
                || commands.iter().any(|command| all.contains(&format!("{command} {name} ")));
            assert!(made, "{key} {name}");
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked}");
}

#[test]
fn the_compose_file_is_of_compose() {
    let check = "import sys, compose_spec as c\n\
                 c.PyCompose.from_yaml(open(sys.argv[1]).read()).validate()";
    for file in files("compose").iter().filter(|file| file.extension().is_some_and(|e| e == "yaml"))
    {
        let Some(output) = python("compose_spec", check, file) else { continue };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Passwords are neither in files nor on command lines, such as `--password` or a password in an
/// address.
#[test]
fn no_password_is_on_a_command_line() {
    for folder in ["systemd", "kubernetes", "slurm", "compose"] {
        for file in files(folder).into_iter().filter(|file| file.is_file()) {
            let text = fs::read_to_string(&file).unwrap();
            let address = |line: &str| line.contains("://") && line.contains('@');
            let bad = text.lines().find(|line| line.contains("--password ") || address(line));
            assert_eq!(bad, None, "{}", file.display());
        }
    }
}

/// Runs a job of a batch system with a `quintain` that prints how it was called.
fn shard(task: &str, count: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let command = folder.path().join("quintain");
    fs::write(&command, "#!/bin/sh\necho \"$@\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&command, mode).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/slurm/shards.sh");
    let mut job = Command::new("sh");
    job.arg(script.canonicalize().unwrap()).args(arguments).current_dir(folder.path());
    job.env("PATH", path).env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_TASK_COUNT", count);
    job.env_remove("SLURM_CPUS_PER_TASK").output().unwrap()
}

#[test]
fn a_shard_submitted_again_is_the_shard_that_it_was() {
    // sbatch --array=3, of 64: there is one task, whose number is 3.
    let output = shard("3", "1", &["cup.toml", "64"]);
    let called = String::from_utf8(output.stdout).unwrap();
    assert!(
        called.starts_with("tournament cup.toml --shard 3/64 --store shards/3.sqlite"),
        "{called}"
    );
    for (task, arguments) in [("65", &["cup.toml", "64"][..]), ("0", &["cup.toml", "64"])] {
        let output = shard(task, "1", arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(error.contains("expected --array=1-64"), "{error}");
    }
    let error = String::from_utf8(shard("1", "64", &["cup.toml"]).stderr).unwrap();
    assert!(error.contains("how many shards in all?"), "{error}");
}

/// The servers' files work with passwords that contain any character.
#[test]
fn the_cluster_is_nats_servers() {
    let folder = tempfile::tempdir().unwrap();
    for file in files("nats").into_iter().chain(files("compose")).filter(|file| file.is_file()) {
        fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let passwords = "COORDINATOR_PASSWORD: \"1 \\\" $x # {'\\\\\"\nWORKER_PASSWORD: \"12345\"\n";
    fs::write(folder.path().join("passwords.conf"), passwords).unwrap();
    for name in ["node.conf", "one.conf", "accounts.conf"] {
        let file = folder.path().join(name);
        let Some(output) = check_with("nats-server", &["-t", "-c"], &file) else { continue };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_printed_apparmor_profile_is_that_of_the_packages_for_this_executable() {
    let packaged = fs::read_to_string(&files("apparmor")[0]).unwrap();
    let printed = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
        let output = command.args(["bot", "apparmor"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let own = fs::canonicalize(env!("CARGO_BIN_EXE_quintain")).unwrap();
    let line =
        |text: &str| text.lines().find(|line| line.starts_with("profile ")).unwrap().to_owned();
    assert!(line(&printed(&[])).contains(&format!(" \"{}\" ", own.display())));
    let without = |text: &str| text.replace(&line(text), "");
    assert_eq!(without(&printed(&["/bin/sh"])), without(&packaged));
}
