//! Who edits the program: a command in the program's folder, or a language model that is shown the
//! files and answers with changed ones.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use quintain_scene::clean;

use crate::context::Context;
use crate::failure::{Failure, cannot_write};

/// The prefix of models.
const MODEL: &str = "chat:";

/// Who edits.
pub(super) enum Editor<'a> {
    Command(String),
    #[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "no build without it has one"))]
    Model(String, &'a Context<'a>),
}

/// Whether an editor of this name is a model.
pub(super) fn is_model(by: &str) -> bool {
    by.starts_with(MODEL)
}

impl<'a> Editor<'a> {
    /// The editor that is called so.
    pub(super) fn new(by: &str, context: &'a Context<'a>) -> Result<Editor<'a>, Failure> {
        if by.trim().is_empty() {
            return Err(Failure::Usage(
                "--by: expected a command, such as --by 'python3 edit.py', or chat:NAME".to_owned(),
            ));
        }
        if !is_model(by) {
            return Ok(Editor::Command(by.to_owned()));
        }
        match cfg!(feature = "remote") {
            true => Ok(Editor::Model(by.to_owned(), context)),
            false => Err(Failure::Usage(format!(
                "--by {by}: this quintain was built without models; cargo install quintain-cli \
                 --features remote"
            ))),
        }
    }

    /// Has the files in `work` changed. What was told and answered is kept in `place`.
    pub(super) fn edit(&self, brief: &str, work: &Path, place: &Path) -> Result<(), Failure> {
        let told = place.join("brief.md");
        fs::write(&told, brief).map_err(|error| cannot_write(&told, &error))?;
        let answer = place.join("answer.txt");
        let (said, done) = match self {
            Editor::Command(command) => run(command, brief, work, &told)?,
            Editor::Model(name, context) => {
                let said = ask(name, context, &show_files(brief, work)?)?;
                let written = write_files(&said, work);
                (said, written.map_err(|problem| format!("{name}: {problem}")))
            }
        };
        fs::write(&answer, said).map_err(|error| cannot_write(&answer, &error))?;
        done.map_err(|problem| {
            let answer = answer.display();
            Failure::Failed(clean(&format!("{problem} (all of its answer: {answer})")))
        })
    }
}

/// Runs a command in the folder; returns what it wrote, and whether it succeeded.
fn run(
    command: &str,
    brief: &str,
    work: &Path,
    told: &Path,
) -> Result<(String, Result<(), String>), Failure> {
    let fail = |error: std::io::Error| Failure::Failed(format!("--by {command}: {error}"));
    let mut shell = shell(command);
    shell.current_dir(work).env("QUINTAIN_BRIEF", told);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = shell.spawn().map_err(fail)?;
    let mut input = process.stdin.take().expect("its input is a pipe");
    let text = brief.to_owned();
    // Not every editor reads it.
    let writing = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let output = process.wait_with_output().map_err(fail)?;
    drop(writing.join());
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    let done = match output.status.success() {
        true => Ok(()),
        false => Err(format!("--by {command}: {}: {last}", output.status)),
    };
    Ok((said, done))
}

/// The system's shell with a line to run.
fn shell(line: &str) -> Command {
    let [program, option] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let mut shell = Command::new(program);
    shell.args([option, line]);
    shell
}

/// The brief, followed by all files that are text.
fn show_files(brief: &str, work: &Path) -> Result<String, Failure> {
    const LONGEST: usize = 100_000;
    let mut text = format!("{brief}\n# The files\n");
    for file in list_files(work, work) {
        let path = work.join(&file);
        let Ok(content) = fs::read_to_string(&path) else { continue };
        if text.len() + content.len() > LONGEST {
            return Err(Failure::Failed(format!(
                "{}: the program has more than {LONGEST} bytes of text, which no question holds",
                path.display()
            )));
        }
        text += &format!("\n```{file}\n{}\n```\n", content.trim_end());
    }
    text += "\nAnswer with every file that you change, as a whole, each in a block that begins \
             with three backticks and the file's name, as above.\n";
    Ok(text)
}

fn list_files(folder: &Path, work: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            found.extend(list_files(&path, work));
        } else if let Ok(own) = path.strip_prefix(work) {
            found.push(own.display().to_string().replace('\\', "/"));
        }
    }
    found
}

/// Writes the files of an answer: the blocks that begin with a file's name.
fn write_files(answer: &str, work: &Path) -> Result<(), String> {
    let mut lines = answer.lines();
    let mut written = 0;
    while let Some(line) = lines.next() {
        let Some(name) = line.trim_end().strip_prefix("```") else { continue };
        let name = name.split_whitespace().last().unwrap_or_default().to_owned();
        let block: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        if !name.contains('.') {
            continue;
        }
        let path = Path::new(&name);
        let is_inside =
            path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_inside {
            return Err(format!("it names a file outside the program's folder: {name}"));
        }
        let path = work.join(path);
        let folder = path.parent().unwrap_or(work);
        let done = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, format!("{}\n", block.join("\n"))));
        done.map_err(|error| format!("{}: {error}", path.display()))?;
        written += 1;
    }
    match written {
        0 => Err("its answer has no file: expected a block such as ```bot.py".to_owned()),
        _ => Ok(()),
    }
}

/// Asks a model.
#[cfg(feature = "remote")]
fn ask(name: &str, context: &Context<'_>, words: &str) -> Result<String, Failure> {
    const TASK: &str =
        "You improve a program that plays a game. You see its files and how it does.";
    context.chats.ask(name, TASK, words).map_err(|error| Failure::Failed(error.to_string()))
}

#[cfg(not(feature = "remote"))]
fn ask(_: &str, _: &Context<'_>, _: &str) -> Result<String, Failure> {
    unreachable!("without the feature there is no such editor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_changes_the_files_that_it_names_and_no_others() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("bot.py"), "old").unwrap();
        let answer = "I changed one line.\n```\nnot a file\n```\n```python bot.py\nnew\n```\n\
                      ```lib/more.py\nx = 1\n```\n";
        write_files(answer, place.path()).unwrap();
        assert_eq!(fs::read_to_string(place.path().join("bot.py")).unwrap(), "new\n");
        assert_eq!(list_files(place.path(), place.path()), ["bot.py", "lib/more.py"]);
        let shown = show_files("the brief", place.path()).unwrap();
        assert!(shown.starts_with("the brief\n") && shown.contains("```bot.py\nnew\n```"));
        for (answer, problem) in [
            ("Nothing to do.", "its answer has no file"),
            ("```../bot.py\nx\n```", "outside the program's folder: ../bot.py"),
            ("```/etc/x.py\nx\n```", "outside the program's folder: /etc/x.py"),
        ] {
            let refused = write_files(answer, place.path()).unwrap_err();
            assert!(refused.contains(problem), "{refused}");
        }
    }
}
