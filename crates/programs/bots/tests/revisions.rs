//! A revision of git is built in the sandbox.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::fs;
use std::process::Command;

use common::Bench;

#[test]
fn a_revision_is_built_in_the_sandbox() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("skipped: there is no git");
        return;
    }
    let bench = Bench::new();
    let here = bench.folder.path();
    fs::create_dir(here.join("mine")).unwrap();
    fs::write(here.join("mine/source.sh"), "echo").unwrap();
    // The build sees a copy of its folder, and neither what is around it nor the network.
    let outside = here.join("outside");
    let build = format!(
        "cp source.sh bot.sh; mkdir deep; touch deep/made; touch {0}; cat {1} && exit 8; \
         true",
        outside.display(),
        here.join("secret").display()
    );
    fs::write(here.join("secret"), "s").unwrap();
    let entry = format!("[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\nbuild = '{build}'\n");
    fs::write(here.join("bots.toml"), entry).unwrap();
    let git = |arguments: &[&str]| {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        let done = Command::new("git").arg("-C").arg(here).args(settings).args(arguments).output();
        assert!(done.unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["add", "mine"]);
    git(&["commit", "--quiet", "--message", "x"]);
    let bot = bench.programs.bot("bot:mine@git:main").unwrap();
    let player = bot.name();
    assert!(player.starts_with("bot:mine@") && !player.contains("git"), "{player}");
    assert!(!outside.exists());
    let version = here.join(".quintain-versions/mine").join(player.rsplit('@').next().unwrap());
    assert_eq!(fs::read_to_string(version.join("files/bot.sh")).unwrap(), "echo");
    assert!(version.join("files/deep/made").is_file());
}
