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

/// The same, for a place where programs of other users may lie: only links of this user and of the
/// system's are followed. Another one could lead to what its owner may not read.
///
/// # Errors
/// What the system says, or which link is another user's.
pub(crate) fn resolve_own(path: &Path) -> io::Result<PathBuf> {
    system::check_links(path)?;
    resolve(path)
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
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::{Path, PathBuf};

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

    /// Refuses a path through a link of another user.
    pub(super) fn check_links(path: &Path) -> io::Result<()> {
        let users = [nix::unistd::geteuid().as_raw(), 0];
        let mut place = PathBuf::new();
        let path = std::path::absolute(path)?;
        let mut left: Vec<PathBuf> = parts(&path);
        let mut links = 0;
        while let Some(part) = left.pop() {
            if part.as_os_str() == ".." {
                place.pop();
                continue;
            }
            place.push(part);
            let metadata = place.symlink_metadata()?;
            if !metadata.is_symlink() {
                continue;
            }
            links += 1;
            if !users.contains(&metadata.uid()) || links > MAX_LINKS {
                let text = format!("{} is a link of another user", place.display());
                return Err(io::Error::other(text));
            }
            let target = place.read_link()?;
            place.pop();
            left.extend(parts(&target));
        }
        Ok(())
    }

    /// How many links lead on to others at most, as in the kernel.
    const MAX_LINKS: u32 = 40;

    /// The parts of a path, the last first.
    fn parts(path: &Path) -> Vec<PathBuf> {
        path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
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

    /// Programs are the user's own here.
    pub(super) fn check_links(_: &Path) -> io::Result<()> {
        Ok(())
    }

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

    #[test]
    fn links_of_other_users_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("mine/deep")).unwrap();
        symlink("mine", path("link")).unwrap();
        symlink("loop", path("loop")).unwrap();
        let deep = path("mine/deep").canonicalize().unwrap();
        assert_eq!(resolve_own(&path("link/deep")).unwrap(), deep);
        assert_eq!(resolve_own(&path("link/../link/deep")).unwrap(), deep);
        assert!(resolve_own(&path("loop")).is_err() && resolve_own(&path("missing")).is_err());
        let other = nix::unistd::Uid::from_raw(65534);
        let flags = nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW;
        let given =
            nix::unistd::fchownat(nix::fcntl::AT_FDCWD, &path("link"), Some(other), None, flags);
        if given.is_err() {
            eprintln!("skipped: only root gives a link to another user");
            return;
        }
        let refused = resolve_own(&path("link/deep")).unwrap_err().to_string();
        assert!(refused.ends_with("link is a link of another user"), "{refused}");
        assert!(resolve_own(&path("mine/deep")).is_ok());
    }
}
