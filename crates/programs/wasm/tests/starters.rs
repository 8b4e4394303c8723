//! Players in every language that compiles to WebAssembly, and the examples of `docs/wasm.md`, play
//! the same match twice. A language whose compiler is not here is skipped, visibly.

#[path = "../../languages/tests/common/mod.rs"]
mod starter;

use std::path::Path;
use std::sync::Arc;

use quintain_core::{Catalog, Record, Setup};
use quintain_languages::{Starter, starters};
use quintain_wasm::Modules;
use starter::{Player, games, installed, shell, text_of};

fn catalog() -> Catalog {
    quintain_games::catalog().with_external(Arc::new(Modules::new()))
}

/// Plays a module against players of the roster.
fn play(catalog: &Catalog, game: &str, module: &Path) -> Record {
    let entry = catalog.entry(game).unwrap();
    let venue = catalog.game(game, entry.scenarios()[0].name()).unwrap();
    let module = format!("wasm:{}?fuel=50M", module.display());
    let own = catalog.player(game, &module).unwrap();
    let other = catalog.player(game, entry.players()[0].name()).unwrap();
    let players: Vec<_> =
        (0..venue.seats()).map(|seat| if seat == 0 { &own } else { &other }).collect();
    venue.play(&Setup::new(1), &players, None).unwrap()
}

fn plays_the_same_match_twice(game: &str, module: &Path) {
    let catalog = catalog();
    let record = play(&catalog, game, module);
    assert_eq!(record.outcome.fault, None, "{game}: {}", module.display());
    assert_eq!(record.to_json(), play(&catalog, game, module).to_json());
    catalog.verify(&record).unwrap();
}

/// Begins a module and builds it by the printed step, unless its compiler is not here.
fn build(starter: &'static Starter, game: &str) -> Option<Player> {
    let player = Player::named(&format!("{}-{game}", starter.name), starter, game);
    // Packages installed by npm are found in the folders above.
    let packages = match starter.name.as_str() {
        "javascript-wasm" | "python-wasm" => installed("interpreters/node_modules"),
        _ => installed("assemblyscript/node_modules"),
    };
    std::os::unix::fs::symlink(packages, player.place.path().join("node_modules")).unwrap();
    let probe = &starter.module().unwrap().probe;
    let probed = shell(probe).current_dir(player.place.path()).output().unwrap();
    if !probed.status.success() {
        eprintln!("skipped: a player in {} needs `{probe}`", starter.name);
        return None;
    }
    let built = player.build();
    let output = text_of(&built);
    assert!(built.status.success() && output.contains("bot.wasm is built\n"), "{output}");
    Some(player)
}

fn plays(starter: &'static Starter, game: &str) {
    let Some(player) = build(starter, game) else { return };
    player.passes_local_test();
    plays_the_same_match_twice(game, &player.folder().join("bot.wasm"));
}

fn modules() -> impl Iterator<Item = &'static Starter> {
    starters().iter().filter(|starter| starter.module().is_some())
}

/// The languages whose compilers take seconds. Those of JavaScript and Python optimise a whole
/// interpreter, and Zig compiles its libraries for C++ first.
#[test]
fn modules_in_c_and_assemblyscript_play() {
    plays(Starter::find("c-wasm").unwrap(), "tron");
    plays(Starter::find("assemblyscript-wasm").unwrap(), "polymer");
}

#[test]
#[ignore = "nightly: every language for every game"]
fn modules_in_every_language_play_every_game() {
    for starter in modules() {
        for game in games() {
            plays(starter, game);
        }
    }
}

#[test]
#[ignore = "nightly: optimises an interpreter of Python"]
fn a_module_in_python_reports_the_lines_of_its_errors() {
    let Some(player) = build(Starter::find("python-wasm").unwrap(), "tron") else { return };
    let right = player.read("bot.py");
    let choice = "    return random.choice(actions)";
    // An exception that is caught inside stays there; one that is not caught is reported with its
    // lines.
    player.change(
        "bot.py",
        choice,
        "    try:\n        raise ValueError(len(actions))\n    except ValueError as \
         error:\n        print('caught', error, flush=True)\n    return [][0]",
    );
    let built = player.build();
    assert!(built.status.success(), "{}", text_of(&built));
    let (passes, output) = player.run_local_test();
    assert!(!passes, "{output}");
    let line = 1 + right.lines().position(|line| line == choice).unwrap() + 4;
    for expected in [
        "caught 4",
        &format!("File \"bot.py\", line {line}, in choose"),
        "IndexError: list index out of range",
    ] {
        assert!(output.contains(expected), "{expected}: {output}");
    }
    std::fs::write(player.folder().join("bot.py"), right.replace(choice, "    return (")).unwrap();
    let output = text_of(&player.build());
    assert!(output.contains("File \"bot.py\", line") && output.contains("SyntaxError"), "{output}");
}

#[test]
fn the_examples_in_c_of_the_documentation_play_every_game() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let run = |line: &str| shell(line).current_dir(folder).output().unwrap();
    if !run("python3 -m ziglang version").status.success() {
        eprintln!("skipped: examples in C need ziglang");
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/wasm.md");
    let page = std::fs::read_to_string(page).unwrap();
    let build = page.lines().find(|line| line.contains("-mexec-model=reactor")).unwrap().trim();
    let examples: Vec<&str> =
        page.split("```c\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    let [in_json, in_numbers] = examples[..] else { panic!("{} examples", examples.len()) };
    for (text, games) in [(in_json, vec!["tron"]), (in_numbers, games())] {
        std::fs::write(folder.join("bot.c"), text).unwrap();
        let built = run(build);
        assert!(built.status.success(), "{}", text_of(&built));
        for game in games {
            plays_the_same_match_twice(game, &folder.join("bot.wasm"));
        }
    }
}
