//! What a player begins with on Windows needs nothing that only Unix has.

use quintain_languages::{Entry, GameInfo, PlayerFiles, Shell, Starter, begin, starters};

/// Programs of Unix that `cmd` does not have, and how Python is called there alone.
const OF_UNIX: [&str; 9] = ["sh", "cp", "mv", "rm", "cat", "test", "[", "python3", "./test.sh"];

fn languages_of_windows() -> impl Iterator<Item = &'static Starter> {
    starters().iter().filter(|starter| Shell::Windows.lacks(starter).is_none())
}

fn begun(starter: &Starter) -> PlayerFiles {
    let catalog = quintain_games::catalog();
    let game = GameInfo::of(catalog.entry("tron").unwrap(), &catalog).unwrap();
    begin("mine", starter, &game, true, Shell::Windows)
}

fn assert_runs_on_windows(line: &str) {
    assert!(!line.contains(['$', '\'', '`', ';']), "{line}");
    for command in line.trim_start_matches("cmd /c \"").split("&& ") {
        let program = command.split(' ').next().unwrap();
        assert!(!OF_UNIX.contains(&program), "{line}");
    }
}

#[test]
fn commands_need_no_program_of_unix() {
    for starter in languages_of_windows() {
        let begun = begun(starter);
        for step in &begun.steps {
            assert_runs_on_windows(&step.command);
        }
        if let Entry::Program(command) = &starter.plays {
            assert_runs_on_windows(&Shell::Windows.command(command));
        }
        let file = |name: &str| begun.files.iter().find(|(file, _)| file == name);
        let (_, page) = file("README.md").unwrap();
        let test = page.lines().find(|line| line.contains("`, in this folder")).unwrap();
        assert_runs_on_windows(test.split('`').nth(1).unwrap());
        assert!(!page.contains("test.sh") && file("test.sh").is_none(), "{}", starter.name);
        assert_eq!(file("test.bat").is_some(), page.contains(r".\test.bat"), "{}", starter.name);
    }
}

/// Neither `go build` nor every C++ compiler adds the ending without which nothing can be started.
#[test]
fn a_program_that_is_built_has_the_ending_of_programs() {
    for starter in languages_of_windows() {
        let is_own = matches!(&starter.plays, Entry::Program(command) if command == "./bot");
        let build = Shell::Windows.build(starter).unwrap_or_default();
        assert_eq!(is_own, build.contains("-o bot.exe"), "{}: {build}", starter.name);
    }
}

#[test]
fn tests_for_cmd_have_its_line_ends_and_nothing_left_to_fill_in() {
    let mut count = 0;
    for starter in languages_of_windows() {
        for (_, text) in begun(starter).files.iter().filter(|(file, _)| file.ends_with(".bat")) {
            assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text}");
            for word in ["PREPARE", "COMMAND", "BUILD", "NAME"] {
                let found = text.replace("%ERRORLEVEL%", "").contains(word);
                assert!(!found, "{word} in {text}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 4, "C and C++ as modules, C++, Java");
}

#[test]
fn what_needs_a_shell_of_unix_is_refused_on_windows() {
    let refused = |language| Shell::Windows.lacks(Starter::find(language).unwrap());
    assert!(refused("sh").is_some_and(|why| why.contains("WSL")));
    assert_eq!(refused("python"), None);
    assert_eq!(Shell::Unix.lacks(Starter::find("sh").unwrap()), None);
}
