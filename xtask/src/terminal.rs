//! A person at a terminal: `script` (of util-linux) makes one, in which keys are pressed as soon
//! as something is shown. Tests of the command use it, too (crates/app/cli/tests/terminal.rs).

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How long a person waits for the end before pressing the last keys again.
const AGAIN: Duration = Duration::from_secs(2);

/// What a person waits for.
#[derive(Clone, Copy, Debug)]
pub enum Cue<'a> {
    /// A text is written, or stands on the screen after something was written: a console of Windows
    /// only writes the cells that change.
    Text(&'a str),
    /// What is written since the last deed satisfies this.
    #[cfg_attr(not(test), expect(dead_code, reason = "the terminal of Wine keeps its size"))]
    Written(fn(&str) -> bool),
}

/// What a person does.
#[derive(Clone, Copy, Debug)]
pub enum Deed<'a> {
    /// Presses keys.
    Press(&'a str),
    /// Changes the size of the terminal, in columns and rows.
    #[cfg_attr(not(test), expect(dead_code, reason = "the terminal of Wine keeps its size"))]
    Resize(u16, u16),
}

/// Runs a command in a terminal of 80 columns and 24 rows. Each of the deeds is done at its cue
/// after the deeds before it. Returns all that was written and the exit code.
///
/// # Errors
/// If a cue does not come in time, or there is no terminal.
pub fn use_terminal(
    command: &Command,
    deeds: &[(Cue<'_>, Deed<'_>)],
    patience: Duration,
) -> Result<(String, Option<i32>), String> {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    // The terminal's name is shown first.
    let line = format!("tty; stty columns 80 rows 24; exec {}", line.join(" "));
    let mut script = Command::new("script");
    script.args(["-q", "-f", "-e", "-c", &line, "/dev/null"]).env("SHELL", "/bin/sh");
    if let Some(folder) = command.get_current_dir() {
        script.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let started = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| format!("script: {error}"))?;
    let shown = watch(&mut child, deeds, patience);
    if shown.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("script: {error}"))?;
    Ok((shown?, status.code()))
}

fn watch(
    child: &mut Child,
    deeds: &[(Cue<'_>, Deed<'_>)],
    patience: Duration,
) -> Result<String, String> {
    let mut input = child.stdin.take().expect("standard input is a pipe");
    let output = read(child.stdout.take().expect("standard output is a pipe"));
    let (mut shown, mut seen, mut deeds) = (String::new(), 0, deeds.iter());
    let mut screen = vt100::Parser::new(24, 80, 0);
    let mut next = deeds.next();
    let (mut last, mut waits) = ("", 0);
    loop {
        // A key that comes together with the signal of another size is told by crossterm only when
        // another key follows, so whoever sees nothing happen presses it again.
        let time = if next.is_none() { AGAIN.min(patience) } else { patience };
        match output.recv_timeout(time) {
            Ok(bytes) => {
                screen.process(&bytes);
                shown += &String::from_utf8_lossy(&bytes);
            }
            Err(RecvTimeoutError::Timeout) if next.is_none() && AGAIN * waits < patience => {
                waits += 1;
                let _ = input.write_all(last.as_bytes()).and_then(|()| input.flush());
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("nothing more is shown before {next:?}:\n{shown}"));
            }
            Err(RecvTimeoutError::Disconnected) if next.is_none() => return Ok(shown),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(format!("it ends before {next:?}:\n{shown}"));
            }
        }
        while let Some((cue, deed)) = next
            && match cue {
                Cue::Text(text) => {
                    is_written(&shown[seen..], text)
                        || seen < shown.len() && screen.screen().contents().contains(text)
                }
                Cue::Written(suffices) => suffices(&shown[seen..]),
            }
        {
            seen = shown.len();
            match deed {
                Deed::Press(keys) => {
                    last = keys;
                    let pressed = input.write_all(keys.as_bytes()).and_then(|()| input.flush());
                    pressed.map_err(|error| format!("script: {error}"))?;
                }
                Deed::Resize(columns, rows) => resize(&shown, *columns, *rows)?,
            }
            next = deeds.next();
        }
    }
}

/// Returns whether a text was written. Old consoles of Wine take escape sequences for letters, and
/// so break lines anywhere.
fn is_written(shown: &str, text: &str) -> bool {
    shown.contains(text) || shown.replace(['\r', '\n'], "").contains(text)
}

/// Changes the size of the terminal in which this was shown.
fn resize(shown: &str, columns: u16, rows: u16) -> Result<(), String> {
    let terminal = shown.lines().next().unwrap_or_default().trim();
    let mut stty = Command::new("stty");
    stty.args(["-F", terminal, "columns", &columns.to_string(), "rows", &rows.to_string()]);
    match stty.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("stty -F {terminal}: {status}")),
        Err(error) => Err(format!("stty: {error}")),
    }
}

fn read(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count) = output.read(&mut buffer)
            && count > 0
            && sender.send(buffer[..count].to_vec()).is_ok()
        {}
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_across_the_lines_of_an_old_console() {
        assert!(is_written("\u{1b}[1E\u{1b}[Kt\r\nurn 1  A", "turn 1"));
        assert!(!is_written("t\r\nurn 2", "turn 1"));
    }

    #[test]
    fn keys_are_pressed_when_their_text_is_shown() {
        if !Command::new("script").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
            return;
        }
        let mut shell = Command::new("sh");
        let line = "echo ready; read -r word; echo got $word; read -r last; stty size; exit 3";
        shell.args(["-c", line]);
        let keys = [
            (Cue::Text("ready"), Deed::Press("one\n")),
            (Cue::Text("got one"), Deed::Resize(100, 30)),
            (Cue::Text(""), Deed::Press("two\n")),
        ];
        let (shown, code) = use_terminal(&shell, &keys, Duration::from_secs(60)).unwrap();
        assert!(shown.contains("30 100"), "{shown}");
        assert_eq!(code, Some(3));
        let early = [
            (Cue::Text("ready"), Deed::Press("one\n")),
            (Cue::Written(|shown| shown.contains("never")), Deed::Press("")),
        ];
        assert!(use_terminal(&shell, &early, Duration::from_secs(1)).is_err());
    }
}
