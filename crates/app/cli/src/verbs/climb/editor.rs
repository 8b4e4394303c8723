//! Who edits the program: a command in the program's folder, or a language model that is shown the
//! files and answers with changed ones.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use quintain_bots::inside::{list_files, read_file, write_file};
use quintain_scene::clean;

use super::answer::{File, read_files};
use crate::context::Context;
use crate::failure::{Failure, cannot_write};

/// What a model is told about the form of its answer.
const AGAIN: &str = "Answer with every file that you change, as a whole, each in a block that \
                     begins with three backticks and the file's name, as above.";

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

    /// Has the files in `work` changed. What was told and answered is kept in `place`. Returns why
    /// nothing can be done with the answer, if that is so.
    pub(super) fn edit(
        &self,
        brief: &str,
        work: &Path,
        place: &Path,
    ) -> Result<Option<String>, Failure> {
        let told = place.join("brief.md");
        fs::write(&told, brief).map_err(|error| cannot_write(&told, &error))?;
        let answer = place.join("answer.txt");
        let keep =
            |said: &str| fs::write(&answer, said).map_err(|error| cannot_write(&answer, &error));
        match self {
            Editor::Command(command) => {
                let (said, done) = run(command, brief, work, &told)?;
                keep(&said)?;
                done.map_err(|problem| {
                    let more = match said.trim().is_empty() {
                        true => String::new(),
                        false => format!(" (all of its answer: {})", answer.display()),
                    };
                    Failure::Failed(clean(&format!("{problem}{more}")))
                })?;
                Ok(None)
            }
            Editor::Model(name, context) => {
                let known = list_files(work);
                let read = |said: &str| read_files(said, &known);
                let (said, files) = ask(name, context, &show_files(brief, work)?, &read)?;
                keep(&said)?;
                match files.and_then(|files| write_files(&files, work)) {
                    Ok(()) => Ok(None),
                    Err(problem) => Ok(Some(format!("{name}: {problem}"))),
                }
            }
        }
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
        false if last.is_empty() => {
            Err(format!("--by {command}: {}, and it said nothing", output.status))
        }
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
    for file in list_files(work) {
        let content = read_file(work, &file).ok().map(String::from_utf8);
        let Some(Ok(content)) = content else { continue };
        if text.len() + content.len() > LONGEST {
            return Err(Failure::Failed(format!(
                "{}: the program has more than {LONGEST} bytes of text, which no question holds",
                work.join(&file).display()
            )));
        }
        text += &format!("\n```{file}\n{}\n```\n", content.trim_end());
    }
    let _ = writeln!(text, "\n{AGAIN}");
    Ok(text)
}

/// Writes the files of an answer, through no link.
fn write_files(files: &[File], work: &Path) -> Result<(), String> {
    for (name, content) in files {
        let done = write_file(work, name, content.as_bytes());
        done.map_err(|error| format!("{name} cannot be written: {error}"))?;
    }
    Ok(())
}

/// What a model said, and the files that were read from it.
type Answered = (String, Result<Vec<File>, String>);

/// Asks a model.
#[cfg(feature = "remote")]
fn ask(
    name: &str,
    context: &Context<'_>,
    words: &str,
    read: &dyn Fn(&str) -> Result<Vec<File>, String>,
) -> Result<Answered, Failure> {
    const SYSTEM: &str =
        "You improve a program that plays a game. You see its files and how it does.";
    let task = quintain_remote::Task { system: SYSTEM, words, again: AGAIN };
    let answer = context.chats.ask(name, task, read);
    let answer = answer.map_err(|error| Failure::Failed(error.to_string()))?;
    Ok((answer.said, answer.read))
}

#[cfg(not(feature = "remote"))]
fn ask(
    _: &str,
    _: &Context<'_>,
    _: &str,
    _: &dyn Fn(&str) -> Result<Vec<File>, String>,
) -> Result<Answered, Failure> {
    unreachable!("without the feature there is no such editor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_an_answer_are_written_and_shown_in_the_next_question() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("bot.py"), "old").unwrap();
        let files = [("bot.py", "new\n"), ("lib/more.py", "x = 1\n")];
        let files = files.map(|(name, content)| (name.to_owned(), content.to_owned()));
        write_files(&files, place.path()).unwrap();
        assert_eq!(fs::read_to_string(place.path().join("bot.py")).unwrap(), "new\n");
        assert_eq!(list_files(place.path()), ["bot.py", "lib/more.py"]);
        let shown = show_files("the brief", place.path()).unwrap();
        assert!(shown.starts_with("the brief\n") && shown.contains("```bot.py\nnew\n```"));
        assert!(shown.ends_with(&format!("\n{AGAIN}\n")));
        let blocked = [("bot.py/x.py".to_owned(), String::new())];
        assert!(write_files(&blocked, place.path()).unwrap_err().contains("bot.py/x.py"));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_shown_or_written_through_a_link_in_the_programs_folder() {
        use std::os::unix::fs::symlink;
        let [place, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let victim = outside.path().join("victim.txt");
        fs::write(&victim, "a secret").unwrap();
        fs::write(place.path().join("bot.py"), "old").unwrap();
        symlink(&victim, place.path().join("settings.py")).unwrap();
        symlink(outside.path(), place.path().join("keys")).unwrap();
        let shown = show_files("the brief", place.path()).unwrap();
        assert!(shown.contains("```bot.py") && !shown.contains("secret"), "{shown}");
        for name in ["settings.py", "keys/new.py", "keys/victim.txt"] {
            let files = [(name.to_owned(), "OVERWRITTEN".to_owned())];
            let refused = write_files(&files, place.path()).unwrap_err();
            assert!(refused.starts_with(name) && refused.contains("is a link"), "{refused}");
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "a secret");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}
