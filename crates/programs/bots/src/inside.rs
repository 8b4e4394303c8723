//! Files of a folder in which somebody else may have put links: a program's, which a language
//! model reads and edits. Everything is found through the folder that was opened, and no link on
//! the way is followed, so that nothing outside the folder is read or written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::open::{may_run, open_file, open_folder, open_target_folder, set_rights, within};

/// The files in a folder and the folders in it, by their names there, with `/`. Links are left out.
pub fn list_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(opened) = open_target_folder(folder) {
        add_files(&opened, folder, "", &mut found);
    }
    found
}

fn add_files(opened: &File, at: &Path, before: &str, found: &mut Vec<String>) {
    let place = within(opened, at);
    let entries = fs::read_dir(&place).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        let path = place.join(&name);
        let Ok(kind) = path.symlink_metadata().map(|data| data.file_type()) else { continue };
        let own = format!("{before}{}", name.to_string_lossy());
        if kind.is_dir() {
            if let Ok(opened) = open_folder(&path) {
                add_files(&opened, &at.join(&name), &format!("{own}/"), found);
            }
        } else if kind.is_file() {
            found.push(own);
        }
    }
}

/// Reads a file of a folder by its name there.
///
/// # Errors
/// What the system says; or the file is none, or it or a folder on the way is a link.
pub fn read_file(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let (parent, file) = open_parent(folder, name, false)?;
    let path = within(&parent.0, &parent.1).join(file);
    let mut content = Vec::new();
    open_file(&path).map_err(|error| explain(&path, name, error))?.read_to_end(&mut content)?;
    Ok(content)
}

/// Writes a file of a folder by its name there, with the folders on the way. What was there is
/// replaced and not written into: it may have another name outside.
///
/// # Errors
/// What the system says; or something else has the name, or it or a folder on the way is a link.
pub fn write_file(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let (parent, file) = open_parent(folder, name, true)?;
    let place = within(&parent.0, &parent.1);
    let path = place.join(file);
    let there = match path.symlink_metadata() {
        Ok(data) if data.is_file() => Some(data),
        Ok(_) => return Err(explain(&path, name, io::Error::other("it is not a regular file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut new = tempfile::NamedTempFile::new_in(&place)?;
    new.write_all(content)?;
    set_rights(new.path(), there.is_some_and(|data| may_run(&data)))?;
    new.persist(&path).map(drop).map_err(|error| error.error)
}

/// An open folder, and the path by which it was found.
type Opened = (File, PathBuf);

/// Opens the folder in which a file of this name is, one folder after the other; returns the file's
/// name there, too.
fn open_parent(folder: &Path, name: &str, makes: bool) -> io::Result<(Opened, OsString)> {
    let parts = Path::new(name).components().map(|part| match part {
        Component::Normal(part) => Ok(part.to_owned()),
        _ => Err(io::Error::other(format!("{name} is not within the folder"))),
    });
    let mut parts: Vec<OsString> = parts.collect::<io::Result<_>>()?;
    let Some(file) = parts.pop() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let mut opened = (open_target_folder(folder)?, folder.to_owned());
    for part in parts {
        let next = within(&opened.0, &opened.1).join(&part);
        match makes.then(|| fs::create_dir(&next)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let inner =
            open_folder(&next).map_err(|error| explain(&next, &part.to_string_lossy(), error))?;
        opened = (inner, opened.1.join(part));
    }
    Ok((opened, file))
}

/// Says that something is a link, if that is why it was refused.
fn explain(path: &Path, name: &str, error: io::Error) -> io::Error {
    match path.is_symlink() {
        true => io::Error::other(format!("{name} is a link, and links are not followed")),
        false => error,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn nothing_outside_is_read_or_written_through_a_link() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir_all(path("outside/deep")).unwrap();
        fs::write(path("outside/victim.txt"), "secret").unwrap();
        fs::create_dir_all(path("mine/lib")).unwrap();
        fs::write(path("mine/bot.py"), "x").unwrap();
        fs::write(path("mine/lib/more.py"), "y").unwrap();
        symlink(path("outside/victim.txt"), path("mine/settings.py")).unwrap();
        symlink("../outside", path("mine/keys")).unwrap();
        symlink("../../outside", path("mine/lib/keys")).unwrap();
        fs::hard_link(path("outside/victim.txt"), path("mine/hard.py")).unwrap();
        let mine = path("mine");
        assert_eq!(list_files(&mine), ["bot.py", "hard.py", "lib/more.py"]);
        for name in ["settings.py", "keys/victim.txt", "lib/keys/victim.txt", "keys/deep/new.py"] {
            let read = read_file(&mine, name).unwrap_err().to_string();
            let written = write_file(&mine, name, b"OVERWRITTEN").unwrap_err().to_string();
            for refused in [read, written] {
                assert!(refused.ends_with("is a link, and links are not followed"), "{refused}");
            }
        }
        write_file(&mine, "hard.py", b"new").unwrap();
        for name in ["../outside/victim.txt", "/etc/passwd", "", "."] {
            assert!(write_file(&mine, name, b"").is_err(), "{name}");
            assert!(read_file(&mine, name).is_err(), "{name}");
        }
        assert_eq!(fs::read_to_string(path("outside/victim.txt")).unwrap(), "secret");
        assert_eq!(fs::read_dir(path("outside")).unwrap().count(), 2);
        assert_eq!(fs::read_dir(path("outside/deep")).unwrap().count(), 0);
    }

    #[test]
    fn a_file_is_replaced_with_its_rights_and_new_ones_get_their_folders() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("run");
        fs::write(&run, "old").unwrap();
        fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
        write_file(place.path(), "run", b"new").unwrap();
        write_file(place.path(), "a/b/c.py", b"c").unwrap();
        assert_eq!(read_file(place.path(), "run").unwrap(), b"new");
        assert!(may_run(&run.metadata().unwrap()));
        assert_eq!(list_files(place.path()), ["a/b/c.py", "run"]);
        assert!(write_file(place.path(), "run/x.py", b"").is_err());
        assert!(write_file(place.path(), "a", b"").is_err());
    }
}
