//! Opens files that somebody else can replace at any time: those of a participant's folder, and
//! those of the folder for temporary files, in which every user may write. On Unix, nothing here
//! blocks or follows a link, whatever has taken a file's place. On Windows, programs are always the
//! user's own, and what a path leads to is looked at before it is opened.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Opens a regular file for reading, and nothing that has taken its place: a link, a pipe.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    regular(system::open(path, Kind::File, Links::Refused)?)
}

/// Opens the regular file for reading that a path leads to.
pub(crate) fn open_target(path: &Path) -> io::Result<File> {
    regular(system::open(path, Kind::File, Links::Followed)?)
}

/// Opens a folder, but not through a link.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    system::open(path, Kind::Folder, Links::Refused)
}

/// Opens the folder that a path leads to.
pub(crate) fn open_target_folder(path: &Path) -> io::Result<File> {
    system::open(path, Kind::Folder, Links::Followed)
}

/// The path by which to find what is in a folder that has been opened by `path`. On Linux it leads
/// to that folder even if another takes its place.
pub(crate) fn within(opened: &File, path: &Path) -> PathBuf {
    #[cfg(target_os = "linux")]
    {
        let _ = path;
        PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(opened)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = opened;
        path.to_owned()
    }
}

/// A path with all links resolved, in the form that programs and people know.
///
/// # Errors
/// What the system says, for example if there is nothing.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Creates a link.
pub(crate) fn link(target: &Path, at: &Path) -> io::Result<()> {
    system::link(target, at)
}

/// Whether a file may be run, as far as that is written with the file.
pub(crate) fn may_run(metadata: &Metadata) -> bool {
    system::may_run(metadata)
}

/// Lets everybody read a file of ours, and run it if it `runs`.
pub(crate) fn set_rights(path: &Path, runs: bool) -> io::Result<()> {
    system::set_rights(path, runs)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    File,
    Folder,
}

#[derive(Clone, Copy, PartialEq)]
enum Links {
    Followed,
    Refused,
}

fn regular(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Metadata, Permissions};
    use std::io;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    use nix::fcntl::OFlag;

    use super::{Kind, Links};

    pub(super) use std::os::unix::fs::symlink as link;

    pub(super) fn open(path: &Path, kind: Kind, links: Links) -> io::Result<File> {
        // Opening a pipe would wait for its other end.
        let mut flags = OFlag::O_NONBLOCK;
        flags.set(OFlag::O_NOFOLLOW, links == Links::Refused);
        flags.set(OFlag::O_DIRECTORY, kind == Kind::Folder);
        File::options().read(true).custom_flags(flags.bits()).open(path)
    }

    pub(super) fn may_run(metadata: &Metadata) -> bool {
        metadata.permissions().mode() & 0o111 != 0
    }

    pub(super) fn set_rights(path: &Path, runs: bool) -> io::Result<()> {
        let mode = if runs { 0o755 } else { 0o644 };
        std::fs::set_permissions(path, Permissions::from_mode(mode))
    }
}

#[cfg(windows)]
mod system {
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::windows::fs::{OpenOptionsExt, symlink_dir, symlink_file};
    use std::path::Path;

    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_BACKUP_SEMANTICS;

    use super::{Kind, Links};

    pub(super) fn open(path: &Path, kind: Kind, links: Links) -> io::Result<File> {
        if links == Links::Refused && path.is_symlink() {
            return Err(io::Error::other("it is a link"));
        }
        if kind == Kind::File {
            return File::open(path);
        }
        // Windows opens a folder only with this.
        let folder =
            File::options().read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
        match folder.metadata()?.is_dir() {
            true => Ok(folder),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Few users of Windows may create links; those that have some in a folder may.
    pub(super) fn link(target: &Path, at: &Path) -> io::Result<()> {
        let leads_to = at.parent().unwrap_or(Path::new("")).join(target);
        if leads_to.is_dir() { symlink_dir(target, at) } else { symlink_file(target, at) }
    }

    /// The name of a file says that, not its rights.
    pub(super) fn may_run(_: &Metadata) -> bool {
        false
    }

    pub(super) fn set_rights(_: &Path, _: bool) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
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
