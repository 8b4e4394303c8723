//! The pages under `docs/reference` are generated from the command's own output: its verbs, and
//! every game's scenarios and players with their parameters. `UPDATE_GOLDEN=1` rewrites them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[test]
fn the_reference_is_what_the_command_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference");
    let pages = pages();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for old in existing(&folder) {
            fs::remove_file(old).unwrap();
        }
        fs::create_dir_all(folder.join("commands")).unwrap();
        for (name, text) in &pages {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    for (name, text) in &pages {
        let committed = fs::read_to_string(folder.join(name)).unwrap_or_default();
        let different = text.lines().zip(committed.lines()).find(|(now, then)| now != then);
        assert!(
            *text == committed,
            "docs/reference/{name} is out of date ({different:?}); \
             write it with: just golden quintain-cli"
        );
    }
    assert_eq!(existing(&folder).len(), pages.len(), "a page of docs/reference is nobody's");
    for (name, text) in &pages {
        assert!(text.len() <= 25_000, "{name} has {} bytes; split it", text.len());
    }
}

/// Returns the pages in a folder and in the folders below it.
fn existing(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.flat_map(|file| if file.is_dir() { existing(&file) } else { vec![file] }).collect()
}

/// Returns every page by its file name.
fn pages() -> BTreeMap<String, String> {
    let groups = groups();
    let mut pages = BTreeMap::from([("commands.md".to_owned(), commands(&groups))]);
    for (group, verbs) in &groups {
        pages.insert(format!("commands/{}.md", slug(group)), command_page(group, verbs));
    }
    let games: Value = serde_json::from_str(&print(&["games", "--json"])).unwrap();
    for game in games.as_array().unwrap() {
        pages.insert(format!("{}.md", text(game, "name")), game_page(game));
    }
    pages
}

/// Returns the command's output, which is the same on every machine.
fn print(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    for name in ["QUINTAIN_BOTS", "QUINTAIN_CREDS", "QUINTAIN_ON", "QUINTAIN_STORE"] {
        command.env_remove(name);
    }
    let output = command.args(arguments).env("NO_COLOR", "1").env("COLUMNS", "100").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the groups of verbs as `quintain --help` lists them.
fn groups() -> Vec<(String, Vec<String>)> {
    let help = print(&["--help"]);
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let list = help.lines().skip_while(|line| !line.starts_with("On the first day:"));
    for line in list.take_while(|line| !line.starts_with('(')) {
        if let Some(group) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            groups.push((group.to_owned(), Vec::new()));
        } else if let Some(verb) = line.split_whitespace().next() {
            groups.last_mut().unwrap().1.push(verb.to_owned());
        }
    }
    groups
}

/// Returns the name of a group's page.
fn slug(group: &str) -> String {
    group.to_lowercase().replace(' ', "-")
}

/// Returns the page with the command's own help and a link to every verb.
fn commands(groups: &[(String, Vec<String>)]) -> String {
    let mut page = String::from(
        "# Commands\n\nThe verbs of `quintain` by who needs them, with their options as \
         `quintain VERB --help` prints them.\n\n",
    );
    for (group, verbs) in groups {
        let file = format!("commands/{}.md", slug(group));
        let links = verbs.iter().map(|verb| format!("[{verb}]({file}#quintain-{verb})"));
        let links = links.collect::<Vec<_>>().join(", ");
        writeln!(page, "- [{group}]({file}): {links}").unwrap();
    }
    page.push_str("\nAll verbs have the options below.\n");
    add_help(&mut page, "quintain", &print(&["--help"]));
    page
}

/// Returns the page of a group of verbs.
fn command_page(group: &str, verbs: &[String]) -> String {
    let mut page = format!(
        "# Commands: {}\n\n\
         [All verbs, and the options that they have in common](../commands.md)\n",
        group.to_lowercase(),
    );
    for verb in verbs {
        add_command(&mut page, &[verb]);
    }
    page
}

/// Adds a section with a text of help. Blank lines between options are left out.
fn add_help(page: &mut String, title: &str, help: &str) {
    write!(page, "\n## {title}\n\n```text\n").unwrap();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    for (index, line) in lines.iter().enumerate() {
        let is_indented = |line: Option<&&str>| line.is_some_and(|line| line.starts_with(' '));
        let is_between = index > 0 && is_indented(lines.get(index - 1));
        if !line.is_empty() || !is_between || !is_indented(lines.get(index + 1)) {
            writeln!(page, "{line}").unwrap();
        }
    }
    page.push_str("```\n");
}

/// Adds a section for a verb, and one for each verb below it.
fn add_command(page: &mut String, verbs: &[&str]) {
    let help = print(&[verbs, &["--help"]].concat());
    add_help(page, &[&["quintain"], verbs].concat().join(" "), &remove_common(&help));
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in below.take_while(|line| !line.is_empty()) {
        let verb = line.split_whitespace().next();
        if let Some(verb) = verb.filter(|verb| line.starts_with("  ") && *verb != "help") {
            // The continuation of a wrapped summary is indented far to the right.
            if !line.starts_with("   ") {
                add_command(page, &[verbs, &[verb]].concat());
            }
        }
    }
}

/// Returns a verb's help without the options that all verbs have.
fn remove_common(help: &str) -> String {
    let mut kept = String::new();
    let (mut in_section, mut in_option) = (false, false);
    for line in help.lines() {
        if line.starts_with(char::is_alphabetic) {
            in_section = line == "Programs as players:";
            in_option = false;
        } else if line.trim_start().starts_with('-') && line.len() - line.trim_start().len() < 8 {
            in_option = line.starts_with("  -v, --verbose") || line.starts_with("  -h, --help");
        }
        if !in_section && !in_option {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    // An empty section is removed.
    kept.trim_end().trim_end_matches("Options:").trim_end().to_owned()
}

fn game_page(game: &Value) -> String {
    let name = text(game, "name");
    let count = |field: &str| game[field].as_u64().unwrap();
    let seats = match (count("fewest_seats"), count("most_seats")) {
        (1, 1) => "1 seat".to_owned(),
        (fewest, most) if fewest == most => format!("{fewest} seats"),
        (fewest, most) => format!("{fewest} to {most} seats"),
    };
    let mut page = format!(
        "# {name}: scenarios and players\n\n{}. {seats}; rules version {}; from {}. \
         [Rules and measurements](../{name}.md)\n",
        sentence(text(game, "summary")),
        game["version"],
        text(game, "source"),
    );
    for (title, verb) in [("Scenarios", "scenarios"), ("Players", "players")] {
        let listed: Value = serde_json::from_str(&print(&[verb, name, "--json"])).unwrap();
        write!(page, "\n## {title}\n").unwrap();
        for item in listed[name].as_array().unwrap() {
            add_item(&mut page, item);
        }
    }
    page
}

/// Adds a scenario or a player.
fn add_item(page: &mut String, item: &Value) {
    let version = item["version"].as_u64().map(|version| format!(" Version {version}."));
    write!(
        page,
        "\n### {}\n\n{}. Source: {}.{}\n",
        text(item, "name"),
        sentence(text(item, "summary")),
        text(item, "source"),
        version.unwrap_or_default(),
    )
    .unwrap();
    let parameters = item["parameters"].as_array().unwrap();
    if parameters.is_empty() {
        return;
    }
    page.push_str("\n| parameter | default | values | meaning |\n|---|---|---|---|\n");
    for parameter in parameters {
        let default = match text(parameter, "default") {
            "" => String::new(),
            default => format!("`{default}`"),
        };
        let meaning = text(parameter, "doc");
        let row =
            [&format!("`{}`", text(parameter, "name")), &default, &values(parameter), meaning];
        let row = row.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        writeln!(page, "| {} |", row.join(" | ")).unwrap();
    }
}

/// Returns the possible values of a parameter.
fn values(parameter: &Value) -> String {
    if let Some(choices) = parameter["kind"]["choice"].as_array() {
        let choices: Vec<String> =
            choices.iter().map(|choice| format!("`{}`", choice.as_str().unwrap())).collect();
        return choices.join(", ");
    }
    let kind = match parameter["kind"].as_str().unwrap() {
        "integer" => "a whole number",
        "real" => "a number",
        "flag" => "`true`, `false`",
        other => other,
    };
    match parameter["range"].as_array() {
        Some(range) => {
            format!("{} to {}", range[0].as_str().unwrap(), range[1].as_str().unwrap())
        }
        None => kind.to_owned(),
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} of {value}"))
}

/// Makes the first letter a capital, and removes the full stop at the end.
fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
