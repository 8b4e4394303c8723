//! A person at a terminal: `script` (of util-linux) makes one, in which keys are pressed as soon
//! as something is shown.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Runs a command in a terminal. Each of the keys is pressed once its text is shown, after the
/// keys before it. Returns all that was shown and the exit code.
///
/// # Errors
/// If a text is not shown in time, or there is no terminal.
pub fn press_keys(
    command: &Command,
    keys: &[(&str, &str)],
    patience: Duration,
) -> Result<(String, Option<i32>), String> {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let mut script = Command::new("script");
    script.args(["-q", "-f", "-e", "-c", &line.join(" "), "/dev/null"]);
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
    let shown = watch(&mut child, keys, patience);
    if shown.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("script: {error}"))?;
    Ok((shown?, status.code()))
}

fn watch(child: &mut Child, keys: &[(&str, &str)], patience: Duration) -> Result<String, String> {
    let mut input = child.stdin.take().expect("standard input is a pipe");
    let output = read(child.stdout.take().expect("standard output is a pipe"));
    let (mut shown, mut seen, mut keys) = (String::new(), 0, keys.iter());
    let mut next = keys.next();
    loop {
        match output.recv_timeout(patience) {
            Ok(bytes) => shown += &String::from_utf8_lossy(&bytes),
            Err(RecvTimeoutError::Timeout) => return Err(format!("it does not end:\n{shown}")),
            Err(RecvTimeoutError::Disconnected) if next.is_none() => return Ok(shown),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(format!("it ends before the keys {next:?}:\n{shown}"));
            }
        }
        if let Some((text, press)) = next
            && shown[seen..].contains(text)
        {
            seen = shown.len();
            let pressed = input.write_all(press.as_bytes()).and_then(|()| input.flush());
            pressed.map_err(|error| format!("script: {error}"))?;
            next = keys.next();
        }
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
    fn keys_are_pressed_when_their_text_is_shown() {
        if !crate::steps::succeeds(&["script", "--version"]) {
            return;
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo ready; read -r word; echo got $word; read -r last; exit 3"]);
        let keys = [("ready", "one\n"), ("got one", "two\n")];
        let (shown, code) = press_keys(&shell, &keys, Duration::from_secs(60)).unwrap();
        assert!(shown.contains("got one"), "{shown}");
        assert_eq!(code, Some(3));
        let early =
            press_keys(&shell, &[("ready", "one\n"), ("never", "")], Duration::from_secs(1));
        assert!(early.is_err());
    }
}
