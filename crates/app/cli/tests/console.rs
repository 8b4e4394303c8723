//! Commands and what they print: the pages under `tests/verbs`, and every `console` block of the
//! documentation. `...` stands for any lines and `[..]` for any text within a line, where a figure
//! changes from run to run; a `console,ignore` block is not run. `TRYCMD=overwrite` rewrites the
//! pages, except README.md.
//!
//! Each page runs in an empty folder, with copies of `tournaments`, of `examples/bots` and of the
//! `files` beside the page, and with what the page tells its reader to save: the block of code that
//! begins with "```toml cup.toml" is that file, and "```python mine/bot.py" is the player that
//! `new player` creates, with the functions of this block and of those above it.

use std::fs;
use std::path::{Path, PathBuf};

/// Runs the pages; if they were to be rewritten, takes the new ones back.
fn run(pages: &[PathBuf]) {
    let place = tempfile::tempdir().unwrap();
    let copies: Vec<(PathBuf, &PathBuf)> = pages
        .iter()
        .map(|page| {
            let copy = place.path().join(page.file_name().unwrap());
            match is_for_newcomers(page) {
                true => fs::write(&copy, generalize(&fs::read_to_string(page).unwrap())),
                false => fs::copy(page, &copy).map(drop),
            }
            .unwrap();
            let folder = copy.with_extension("in");
            copy_files(&repository().join("tournaments"), &folder.join("tournaments"));
            copy_files(&repository().join("examples/bots"), &folder.join("examples/bots"));
            copy_files(&page.with_file_name("files"), &folder);
            save_files(&fs::read_to_string(page).unwrap(), &folder);
            (copy, page)
        })
        .collect();
    let cases = trycmd::TestCases::new();
    cases.register_bin("quintain", Path::new(env!("CARGO_BIN_EXE_quintain")));
    // For pages on which a file is saved.
    cases.register_bin("cp", Path::new("/bin/cp"));
    for (name, value) in [("NO_COLOR", "1"), ("QUINTAIN_STORE", ""), ("RUST_LOG", "")] {
        cases.env(name, value);
    }
    for (copy, _) in &copies {
        cases.case(copy);
    }
    cases.run();
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        for (copy, page) in copies.iter().filter(|(_, page)| !is_for_newcomers(page)) {
            fs::copy(copy, page).unwrap();
        }
    }
}

/// Returns whether a page shows exactly what a terminal shows, without marks for the test. Such
/// pages are written by hand.
fn is_for_newcomers(page: &Path) -> bool {
    page.ends_with("README.md")
}

/// Adds the marks to a page: any time matches the one shown, and an error ends with status 2.
fn generalize(page: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in page.lines() {
        if line.starts_with("error: ")
            && lines.last().is_some_and(|before| before.starts_with("$ "))
        {
            lines.push("? 2".to_owned());
        }
        lines.push(
            match line
                .split_once(" played in ")
                .and_then(|(before, rest)| Some((before, rest.split_once(" s")?)))
            {
                Some((before, (_, after))) => format!("{before} played in [..] s{after}"),
                None => line.to_owned(),
            },
        );
    }
    lines.join("\n") + "\n"
}

/// Copies a folder with all its content, if it exists.
fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).into_iter().flatten() {
        let (file, copy) = file.map(|file| (file.path(), to.join(file.file_name()))).unwrap();
        if file.is_dir() {
            copy_files(&file, &copy);
        } else {
            fs::copy(file, copy).unwrap();
        }
    }
}

/// Saves the files that a page shows.
fn save_files(page: &str, folder: &Path) {
    let starter = include_str!("../../../programs/languages/starters/python/bot.py");
    let mut player = definitions(&starter.replace("NAME", "mine").replace("GAME", "tron"));
    let mut file: Option<(PathBuf, String)> = None;
    for line in page.lines() {
        match &mut file {
            Some((path, text)) if line == "```" => {
                if path.extension().is_some_and(|extension| extension == "py") {
                    replace_definitions(&mut player, text);
                    *text = player.concat();
                }
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
                file = None;
            }
            Some((_, text)) => *text += &format!("{line}\n"),
            None => {
                let name =
                    ["```python ", "```toml "].iter().find_map(|mark| line.strip_prefix(mark));
                file = name.map(|name| (folder.join(name), String::new()));
            }
        }
    }
}

/// Returns the parts of a program in Python that begin at the left margin.
fn definitions(program: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in program.lines() {
        if parts.is_empty() || line.starts_with(char::is_alphabetic) {
            parts.push(String::new());
        }
        *parts.last_mut().unwrap() += &format!("{line}\n");
    }
    parts
}

/// Replaces the definitions of a program that have the names of new ones, and adds the others
/// before `choose`.
fn replace_definitions(program: &mut Vec<String>, new: &str) {
    let name = |part: &str| part.split(['(', '=']).next().unwrap().to_owned();
    for part in definitions(new) {
        let part = format!("{}\n\n\n", part.trim_end());
        let place = |wanted: &str| program.iter().position(|known| name(known) == wanted);
        match place(&name(&part)) {
            Some(place) => program[place] = part,
            None => program.insert(place("def choose").unwrap(), part),
        }
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns the Markdown files of a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path());
    let mut pages: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "md")).collect();
    pages.sort();
    pages
}

#[test]
fn every_verb_prints_what_its_page_shows() {
    let pages = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verbs"));
    assert!(pages.len() > 5, "{pages:?}");
    run(&pages);
}

#[test]
fn every_command_in_the_documentation_prints_what_it_shows() {
    let mut documents = pages(&repository());
    documents.extend(pages(&repository().join("docs")));
    let has_example = |page: &PathBuf| fs::read_to_string(page).unwrap().contains("```console");
    run(&documents.into_iter().filter(has_example).collect::<Vec<_>>());
}

/// Plays the tournament on the page, and computes its table again from the records.
#[test]
#[ignore = "nightly: plays 2200 matches and solves 20 boards of 7×7 cells"]
fn the_figures_of_what_players_give_away_are_those_of_the_tournament_on_the_page() {
    let page = fs::read_to_string(repository().join("docs/rulers.md")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let quintain = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quintain"));
        command.args(arguments).current_dir(place.path()).env_remove("QUINTAIN_STORE");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let tournament = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    fs::write(place.path().join("exact.toml"), tournament).unwrap();
    quintain(&["tournament", "exact.toml", "--quiet"]);
    let records = quintain(&["export", "--what", "records"]);
    fs::write(place.path().join("matches.jsonl"), records).unwrap();
    let account = quintain(&["score", "tron", "matches.jsonl", "--format", "json"]);
    let account: serde_json::Value = serde_json::from_slice(&account).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let row = |of: &serde_json::Value| {
        let phases = of["phases"].as_array().unwrap().iter();
        let phases: String = phases.map(|cost| format!(" {:.4} |", number(cost))).collect();
        let [mean, interval] = ["mean", "interval"].map(|name| number(&of[name]));
        let perfect = 100.0 * number(&of["perfect"]);
        let player = of["player"].as_str().unwrap().to_owned();
        (player, format!("{mean:.4} ± {interval:.4} |{phases} {perfect:.1} % |"))
    };
    let found: Vec<_> = account["players"].as_array().unwrap().iter().map(row).collect();
    let table = page.split("| matches without a mistake |\n").nth(1).unwrap();
    let catalog = quintain_games::catalog();
    let cells = |line: &str| {
        let (player, figures) = line.strip_prefix("| ")?.split_once(" | ")?;
        // Records leave out parameters that have their usual values.
        Some((catalog.player("tron", player).unwrap().spec, figures.to_owned()))
    };
    let shown: Vec<_> = table.lines().skip(1).map_while(cells).collect();
    assert_eq!(found, shown);
}
