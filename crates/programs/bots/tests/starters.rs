//! What `quintain new player` writes plays at once, in every language whose tools are here.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;
#[path = "../../languages/tests/common/mod.rs"]
mod starter;

use common::Bench;
use quintain_bots::check::{CheckTerms, CheckTime, check};
use quintain_languages::{Entry, Starter, bots_entry, starters};
use starter::{Player, games, is_installed};

/// Ways in which the program of a language may go wrong, which its local test distinguishes.
struct Wrong {
    /// The code in the source file that chooses.
    choice: &'static str,
    /// Its replacements: an action that is not one, a word that is printed, an endless loop.
    instead: [&'static str; 3],
    /// The file of the test, its time limit, and a shorter one.
    limit: [&'static str; 3],
}

fn wrong(language: &str) -> Option<Wrong> {
    let (choice, instead, limit) = match language {
        "python" => (
            "    return random.choice(actions)",
            [
                "    return \"none such\"",
                "    print(\"look\")\n    return random.choice(actions)",
                "    while True:\n        pass",
            ],
            ["test_bot.py", "LIMIT = 10", "LIMIT = 1"],
        ),
        "javascript" => (
            "  return actions[Math.floor(random() * actions.length)];",
            [
                "  return \"none such\";",
                "  console.log(\"look\");\n  return actions[0];",
                "  while (true) {}",
            ],
            ["bot.test.js", "LIMIT = 60", "LIMIT = 1"],
        ),
        "sh" => (
            "action=$(actions | choose)",
            ["action='none such'", "echo look; action=$(actions | choose)", "while :; do :; done"],
            ["test.sh", "timeout 60", "timeout 1"],
        ),
        "rust" => (
            "    &actions[random.below(actions.len())]",
            [
                "    Box::leak(Box::new(\"none such\".into()))",
                "    println!(\"look\");\n    &actions[random.below(actions.len())]",
                "    loop {}",
            ],
            ["tests/example.rs", "from_secs(60)", "from_secs(1)"],
        ),
        "go" => (
            "\treturn actions[random.Intn(len(actions))]",
            [
                "\treturn \"none such\"",
                "\tfmt.Println(\"look\")\n\treturn actions[0]",
                "\tfor {\n\t}",
            ],
            ["main_test.go", "60 * time.Second", "1 * time.Second"],
        ),
        _ => return None,
    };
    Some(Wrong { choice, instead, limit })
}

/// Languages whose players are programs, with the commands that start them.
fn programs() -> impl Iterator<Item = (&'static Starter, &'static str)> {
    starters().iter().filter_map(|starter| match &starter.plays {
        Entry::Program(command) => Some((starter, command.as_str())),
        Entry::Module(_) => None,
    })
}

/// Begins a player, builds it, runs its local test and checks it. Without its tools it is skipped,
/// visibly.
fn plays(starter: &'static Starter, command: &str, game: &str) {
    let tool = command.split(' ').next().filter(|tool| !tool.contains('/'));
    if tool.is_some_and(|tool| !is_installed(tool)) {
        return;
    }
    let name = format!("{}-{game}", starter.name);
    let player = Player::named(&name, starter, game);
    if !player.is_built() {
        return;
    }
    player.passes_local_test();
    let bots = bots_entry(&name, command, starter.build.as_deref(), &name);
    std::fs::write(player.place.path().join("bots.toml"), bots).unwrap();
    let bench = Bench::of(player.place, quintain_games::catalog());
    let bot = bench.programs.bot(&format!("bot:{name}")).unwrap();
    let partner = bench.catalog.entry(game).unwrap().players()[0].name().to_owned();
    let terms = CheckTerms { seed: 1, partner: Some(partner), ..CheckTerms::default() };
    let mut findings = Vec::new();
    let is_good = check(&bench.catalog, &bot, &terms, CheckTime::default(), &mut |finding| {
        findings.push(finding.text.clone());
    });
    assert!(is_good, "{}: {findings:#?}", starter.name);
    let played = findings.iter().filter(|text| text.starts_with(&format!("{game}:")));
    assert!(played.count() > 0, "{}: {findings:#?}", starter.name);
}

#[test]
fn players_in_every_language_play_and_every_game_is_played() {
    let games = games();
    for (number, (starter, command)) in programs().enumerate() {
        plays(starter, command, games[number % games.len()]);
    }
}

#[test]
#[ignore = "nightly: every language for every game"]
fn players_in_every_language_play_every_game() {
    for (starter, command) in programs() {
        for game in games() {
            plays(starter, command, game);
        }
    }
}

#[test]
fn local_tests_find_illegal_actions_stray_output_and_endless_loops() {
    let expected = [
        "none such",
        "standard output belongs to the protocol, and this is not a message",
        "does it loop?",
    ];
    for (starter, _) in programs() {
        let Some(Wrong { choice, instead, limit: [test, limit, shorter] }) = wrong(&starter.name)
        else {
            continue;
        };
        if !is_installed(starter.test.split(' ').next().unwrap()) {
            continue;
        }
        let player = Player::named(&format!("wrong-{}", starter.name), starter, "tron");
        let right = player.read(&starter.source);
        for (instead, expected) in instead.into_iter().zip(expected) {
            if expected == "does it loop?" {
                player.change(test, limit, shorter);
            }
            std::fs::write(player.folder().join(&starter.source), &right).unwrap();
            player.change(&starter.source, choice, instead);
            let output = player.fails_local_test();
            assert!(output.lines().any(|line| line.contains(expected)), "{instead}: {output}");
        }
    }
}
