//! Builds a program by the step that its entry in `bots.toml` names. The step runs as the user, in
//! the program's folder and outside the sandbox, as if the user had typed it: a program is built
//! only when the user asks for it, never by a match. Files that somebody else wrote, a revision of
//! git or a model's edit, are built in the sandbox.

#[cfg(target_os = "linux")]
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toml::{Table, Value};

use crate::bots_file::find_folder;
use crate::error::ProgramError;
#[cfg(target_os = "linux")]
use crate::git::untar;
use crate::programs::Programs;
#[cfg(target_os = "linux")]
use crate::programs::Settings;
use crate::protection::Protection;

/// How long a build in the sandbox may take.
#[cfg(target_os = "linux")]
const TIME: Duration = Duration::from_secs(600);

/// The result of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Build {
    /// The step, as written in the entry.
    pub step: String,
    /// Whether it succeeded.
    pub is_good: bool,
    /// What it wrote, to standard output and then to standard error.
    pub said: String,
    /// How long it took.
    pub took: Duration,
}

impl Programs {
    /// Builds a program of the `bots.toml`, which is read again; returns `None` if its entry names
    /// no step.
    ///
    /// # Errors
    /// [`ProgramError`] if there is no such program, or the step cannot be started.
    pub fn build(&self, name: &str) -> Result<Option<Build>, ProgramError> {
        let entry = self.read_entry(name)?;
        let Some(step) = entry.build.clone() else { return Ok(None) };
        let spec = format!("bot:{name}");
        let folder = find_folder(&spec, &entry, &self.base()?)?;
        let begun = Instant::now();
        let built = match self.builds_for_strangers {
            false => build_as_user(&step, &folder),
            true => {
                let table = self.read_table(name).unwrap_or_default();
                self.build_for_stranger(&step, &self.base()?, &table)
            }
        };
        let (mut said, outcome) = built.map_err(ProgramError::System)?;
        if let Err(why) = &outcome
            && said.trim().is_empty()
        {
            said = format!("{why}\n");
        }
        Ok(Some(Build { step, is_good: outcome.is_ok(), said, took: begun.elapsed() }))
    }

    /// Builds files that somebody else wrote, in the sandbox if programs are confined. `entry` is
    /// that of the program in a `bots.toml` in `place`, with the folder of the files. Returns what
    /// the step said, and why it failed if it did.
    ///
    /// # Errors
    /// If it cannot be tried.
    pub(crate) fn build_for_stranger(
        &self,
        step: &str,
        place: &Path,
        entry: &Table,
    ) -> Result<(String, Result<(), String>), String> {
        let files = place.join(entry.get("folder").and_then(Value::as_str).unwrap_or("."));
        match self.settings().protection {
            Protection::Unconfined => build_as_user(step, &files),
            #[cfg(target_os = "linux")]
            _ => self.build_confined(step, place, &files, entry),
            #[cfg(not(target_os = "linux"))]
            _ => build_as_user(step, &files),
        }
    }

    /// Builds by a job in the sandbox, which has no access to the files: it builds a copy and
    /// writes what is there then to its output.
    #[cfg(target_os = "linux")]
    fn build_confined(
        &self,
        step: &str,
        place: &Path,
        files: &Path,
        entry: &Table,
    ) -> Result<(String, Result<(), String>), String> {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;

        const SCRIPT: &str = "set -e\nmkdir \"$TMPDIR/work\"\ncp -R . \"$TMPDIR/work\"\n\
            cd \"$TMPDIR/work\"\nchmod -R u+w .\nsh -c \"$1\" >&2 </dev/null\n\
            tar -cf \"$TMPDIR/built\" .\nbase64 \"$TMPDIR/built\"\n";
        let job = "build";
        let mut table = Table::new();
        let command = ["sh", "-c", SCRIPT, job, step].map(Value::from);
        table.insert("command".to_owned(), command.to_vec().into());
        for key in ["folder", "read", "environment"] {
            table.extend(entry.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        let limits = "memory = '4GB'\nscratch = '1GB'\noutput = '512MB'\nline = '512MB'\n\
                      processes = 256\nfiles = 1024\ncores = 64";
        let limits: Table = toml::from_str(limits).expect("the limits are well-formed");
        table.insert("limits".to_owned(), Value::Table(limits));
        let file = place.join("build.toml");
        let entry = Table::from_iter([(job.to_owned(), Value::Table(table))]);
        fs::write(&file, entry.to_string()).map_err(|error| error.to_string())?;
        let programs = Programs::new(Settings { file, ..self.settings().clone() });
        let bot = programs.bot(&format!("bot:{job}")).map_err(|error| error.to_string());
        let end =
            bot.and_then(|bot| bot.run_to_end(TIME, true, None).map_err(|fault| fault.to_string()));
        let _ = fs::remove_file(&programs.settings().file);
        let end = end?;
        let built = end.output.map_err(|failure| failure.to_string()).and_then(|packed| {
            let packed: String = packed.split_ascii_whitespace().collect();
            STANDARD.decode(packed).map_err(|error| error.to_string())
        });
        let outcome = match built {
            Ok(bytes) => {
                fs::remove_dir_all(files).map_err(|error| error.to_string())?;
                untar(&bytes, files).map_err(|error| error.to_string())
            }
            Err(why) => Err(why),
        };
        Ok((end.said, outcome))
    }
}

/// Runs the step in a folder, as if the user had typed it.
fn build_as_user(step: &str, folder: &Path) -> Result<(String, Result<(), String>), String> {
    let output = shell(step).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let outcome = if output.status.success() { Ok(()) } else { Err(output.status.to_string()) };
    Ok((said, outcome))
}

/// The system's shell with a line to run.
#[cfg(unix)]
pub(crate) fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    shell
}

/// The system's shell with a line to run, which it reads as it is.
#[cfg(windows)]
pub(crate) fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;

    let mut shell = Command::new("cmd");
    shell.arg("/C").raw_arg(line);
    shell
}
