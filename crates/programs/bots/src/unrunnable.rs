//! Explains why a program's file could not be run.

use std::path::Path;

use crate::open::open_target;

/// Why a program's file could not be run. The system gives the same error for a missing file and
/// for a file whose interpreter is missing.
pub(crate) fn explain(program: &Path, error: &std::io::Error) -> String {
    let shown = program.display();
    if error.kind() != std::io::ErrorKind::NotFound || !program.exists() {
        return format!("{shown}: {error}");
    }
    match interpreter(program) {
        Some(name) if name.ends_with('\r') => format!(
            "{shown}: its first line ends in a carriage return, which becomes part of the \
             interpreter's name; save it with Unix line endings"
        ),
        Some(name) => format!(
            "{shown}: its first line names the interpreter {name}, which the program cannot see; \
             name another, or list its folder under `read`"
        ),
        None => format!("{shown}: the loader or a library that it was built for is missing"),
    }
}

/// The longest path of a folder in which Windows starts a program.
const MAX_FOLDER: usize = 258;

/// Why no program can be started in a folder, if Windows is why.
pub(crate) fn refuse_long_folder(folder: &Path, windows: bool) -> std::io::Result<()> {
    let letters = folder.to_string_lossy().encode_utf16().count();
    if !windows || letters <= MAX_FOLDER {
        return Ok(());
    }
    Err(std::io::Error::other(format!(
        "the path of its folder has {letters} letters, and Windows starts programs only in folders \
         of at most {MAX_FOLDER}; move it to a shorter path"
    )))
}

/// The interpreter that the first line of a script names (`#!/usr/bin/python3 -u`).
fn interpreter(script: &Path) -> Option<String> {
    let mut head = [0; 256];
    let mut file = open_target(script).ok()?;
    let count = std::io::Read::read(&mut file, &mut head).ok()?;
    let text = String::from_utf8_lossy(&head[..count]).into_owned();
    let line = text.strip_prefix("#!")?.split('\n').next()?.trim_start_matches([' ', '\t']);
    line.split([' ', '\t']).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn windows_starts_programs_in_folders_with_short_paths_alone() {
        let folder = |letters: usize| PathBuf::from("ä".repeat(letters));
        assert!(refuse_long_folder(&folder(258), true).is_ok());
        assert!(refuse_long_folder(&folder(259), false).is_ok());
        let refused = refuse_long_folder(&folder(259), true).unwrap_err().to_string();
        assert!(refused.contains("has 259 letters"), "{refused}");
    }

    #[test]
    fn a_missing_interpreter_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot.py");
        let explained = |first: &str| {
            std::fs::write(&script, first).unwrap();
            explain(&script, &std::io::ErrorKind::NotFound.into())
        };
        let named = explained("#! /opt/python9/bin/python -u\nprint()\n");
        assert!(named.contains("the interpreter /opt/python9/bin/python, which"), "{named}");
        assert!(explained("#!/bin/sh\r\n").contains("carriage return"));
        assert!(explained("\u{7f}ELF").contains("loader"));
        std::fs::remove_file(&script).unwrap();
        let gone = explain(&script, &std::io::ErrorKind::NotFound.into());
        assert!(!gone.contains("interpreter"), "{gone}");
    }
}
