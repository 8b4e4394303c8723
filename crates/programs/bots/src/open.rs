//! Opens files that somebody else can replace at any time: those of a participant's folder, and
//! those of the folder for temporary files, in which every user may write. Nothing here blocks,
//! whatever has taken a file's place.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

/// Opens a regular file for reading, and nothing that has taken its place: a link, a pipe.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    regular(open(path, OFlag::O_NOFOLLOW)?)
}

/// Opens the regular file for reading that a path leads to.
pub(crate) fn open_target(path: &Path) -> io::Result<File> {
    regular(open(path, OFlag::empty())?)
}

/// Opens a folder, but not through a link.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    open(path, OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY)
}

/// Opens the folder that a path leads to.
pub(crate) fn open_target_folder(path: &Path) -> io::Result<File> {
    open(path, OFlag::O_DIRECTORY)
}

fn open(path: &Path, how: OFlag) -> io::Result<File> {
    // Opening a pipe would wait for its other end.
    let flags = OFlag::O_NONBLOCK | how;
    File::options().read(true).custom_flags(flags.bits()).open(path)
}

fn regular(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_or_a_pipe_that_takes_the_place_of_a_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "").unwrap();
        symlink("file", path("link")).unwrap();
        symlink(".", path("way")).unwrap();
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(open_file(&path("file")).is_ok() && open_target(&path("link")).is_ok());
        for name in ["link", "pipe", "."] {
            assert!(open_file(&path(name)).is_err(), "{name}");
        }
        assert!(open_target(&path("pipe")).is_err());
        assert!(open_folder(folder.path()).is_ok() && open_target_folder(&path("way")).is_ok());
        assert!(open_folder(&path("way")).is_err() && open_folder(&path("pipe")).is_err());
    }
}
