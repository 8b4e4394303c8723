//! The private root of a program: a separate tree with the system's programs and libraries,
//! the files listed for the program, a scratch folder and the `/proc` of its own namespace, and
//! nothing else. All but the scratch folder is mounted read-only.
//!
//! Landlock alone is not enough: it forbids neither `stat` nor changes of metadata, so a program
//! could take away the rights to its opponent's files. The program cannot name anything outside its
//! root, and metadata cannot be changed on a read-only mount.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Component, Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{chdir, pivot_root};

use super::launch::SandboxLaunch;
use crate::launch::{Readable, SCRATCH};

/// The system's programs and libraries, and the few files in /etc that are needed to find and run
/// them.
const SYSTEM: [&str; 17] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/sys/devices/system/cpu",
];

/// The devices that every program gets.
pub(super) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// Where the old and the new root are while the new one is built.
const OLD: &str = "/old";
const NEW: &str = "/new";
/// The number of files and folders that a scratch folder may hold.
const INODES: u32 = 16_384;

/// What every program may read: [`SYSTEM`], and the settings of every version of Java
/// (`/etc/java-17-openjdk`), without which Java does not start. `root` is the path at which the
/// machine's own root is currently visible.
pub(super) fn system(root: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let entries = fs::read_dir(root.join("etc")).into_iter().flatten();
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let java = names.filter(|name| name == "java" || name.to_string_lossy().starts_with("java-"));
    all.extend(java.map(|name| Path::new("/etc").join(name)));
    all
}

/// The entries of `/proc` that describe the machine rather than processes, and that no runtime asks
/// for: the program finds them empty. A superuser could read all of them.
const MACHINE: [&str; 22] = [
    "buddyinfo",
    "cmdline",
    "config.gz",
    "diskstats",
    "interrupts",
    "iomem",
    "ioports",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "locks",
    "modules",
    "pagetypeinfo",
    "partitions",
    "slabinfo",
    "timer_list",
    "vmallocinfo",
    "zoneinfo",
];

/// Builds the root of a program and enters it. The process must be in mount and user namespaces of
/// its own, and be the first of its PID namespace.
pub(super) fn enter(launch: &SandboxLaunch) -> Result<(), String> {
    build(launch).map_err(|(what, error)| format!("private root: {what}: {error}"))
}

type Failure = (String, io::Error);

/// Adds to an error the name of what failed.
fn at<T, E: Into<io::Error>>(what: impl AsRef<Path>, result: Result<T, E>) -> Result<T, Failure> {
    result.map_err(|error| (what.as_ref().display().to_string(), error.into()))
}

fn build(launch: &SandboxLaunch) -> Result<(), Failure> {
    let closed = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    // A file system in memory takes the place of the root. The old root moves into it, where
    // everything can still be bind-mounted from it.
    at("/tmp", mount_memory("/tmp", "mode=755"))?;
    at("/tmp/old", fs::create_dir("/tmp/old"))?;
    at("/tmp/new", fs::create_dir("/tmp/new"))?;
    at("pivot_root", pivot_root("/tmp", "/tmp/old"))?;
    at("/", chdir("/"))?;
    at(NEW, mount_memory(NEW, "mode=755,size=1m"))?;

    let scratch = inside(Path::new(SCRATCH));
    at(SCRATCH, fs::create_dir(&scratch))?;
    let size = format!("mode=700,size={},nr_inodes={INODES}", launch.limits.scratch.0);
    at(SCRATCH, mount_memory(&scratch, &size))?;

    // Folders come before what is inside them, or they would hide it.
    let system = system(Path::new(OLD)).into_iter().map(|path| Readable::in_place(&path));
    let mut readable: Vec<Readable> = system.chain(launch.readable.iter().cloned()).collect();
    readable.sort_by_key(|readable| readable.at.components().count());
    for readable in readable {
        show(&readable.source, &readable.at)?;
    }
    // All at once: the mount table is long, and reading it for each mount would take most of the
    // time.
    for mounted in at("mountinfo", mounts_under(Path::new(NEW)))? {
        if mounted != Path::new(NEW) && mounted != scratch {
            at(&mounted, remount_read_only(&mounted, closed))?;
        }
    }
    for path in DEVICES.map(Path::new) {
        show_device(path)?;
    }
    // What programs expect in addition to the devices.
    for (name, target) in [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
        ("/dev/shm", SCRATCH),
    ] {
        at(name, symlink(target, inside(Path::new(name))))?;
    }
    let proc = inside(Path::new("/proc"));
    at("/proc", fs::create_dir(&proc))?;
    let flags = closed | MsFlags::MS_NOEXEC | MsFlags::MS_RDONLY;
    at("/proc", mount(Some("proc"), &proc, Some("proc"), flags, None::<&str>))?;
    for name in MACHINE {
        let shown = proc.join(name);
        if shown.exists() {
            at(name, bind(&Path::new(OLD).join("dev/null"), &shown))?;
        }
    }

    // The new root takes the place of the first file system, and the old one goes away.
    at(NEW, remount_read_only(Path::new(NEW), closed))?;
    at(NEW, chdir(NEW))?;
    at("pivot_root", pivot_root(".", "."))?;
    at("the old root", umount2(".", MntFlags::MNT_DETACH))?;
    at("/", chdir("/"))
}

/// Where a path of the program lies while its root is being built.
fn inside(path: &Path) -> PathBuf {
    Path::new(NEW).join(path.strip_prefix("/").unwrap_or(path))
}

fn mount_memory(at: impl AsRef<Path>, options: &str) -> nix::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), at.as_ref(), Some("tmpfs"), flags, Some(options))
}

/// Shows a file or folder of the machine to the program. It becomes read-only once all of them are
/// there. A path that does not exist is left out: no machine has everything that some system has.
fn show(source: &Path, shown_at: &Path) -> Result<(), Failure> {
    let from = Path::new(OLD).join(source.strip_prefix("/").unwrap_or(source));
    let to = inside(shown_at);
    let Ok(original) = fs::symlink_metadata(&from) else { return Ok(()) };
    let there = fs::symlink_metadata(&to);
    let identity = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    let is_same = |there: &fs::Metadata| identity(there) == identity(&original);
    if there.as_ref().is_ok_and(|there| is_same(there) || there.is_symlink()) {
        // It is already shown, as part of a folder that contains it.
        return Ok(());
    }
    let kind = original.file_type();
    make_parents(&to)?;
    if kind.is_symlink() {
        let target = at(source, fs::read_link(&from))?;
        return at(source, symlink(target, &to));
    }
    if kind.is_dir() {
        at(source, fs::create_dir_all(&to))?;
    } else if !kind.is_file() {
        return Ok(());
    } else if there.is_err() {
        at(source, File::create(&to))?;
    }
    at(source, bind(&from, &to))
}

fn show_device(path: &Path) -> Result<(), Failure> {
    let from = Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path));
    let to = inside(path);
    if !from.exists() {
        return Ok(());
    }
    make_parents(&to)?;
    at(path, File::create(&to))?;
    at(path, bind(&from, &to))?;
    at(path, remount_read_only(&to, MsFlags::MS_NOSUID))
}

/// Creates the folders above a path. A link among them is left as it is: where `/bin` is a link,
/// `/bin/x` is in `/usr/bin`.
fn make_parents(path: &Path) -> Result<(), Failure> {
    let parent = path.parent().unwrap_or(Path::new(NEW));
    let climbs = path.components().any(|component| component == Component::ParentDir);
    if climbs {
        return Err((path.display().to_string(), io::ErrorKind::InvalidInput.into()));
    }
    at(parent, fs::create_dir_all(parent))
}

fn bind(from: &Path, to: &Path) -> nix::Result<()> {
    mount(Some(from), to, None::<&str>, MsFlags::MS_BIND | MsFlags::MS_REC, None::<&str>)
}

/// Makes a mount read-only. Its own flags are kept: a user namespace may add flags to a mount that
/// comes from outside but may not take any away. (Those about times of access are kept by the
/// kernel if none is named.)
fn remount_read_only(mounted: &Path, more: MsFlags) -> nix::Result<()> {
    let own = statvfs(mounted)?.flags();
    let kept = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
    ];
    let kept = kept.into_iter().filter(|(own_flag, _)| own.contains(*own_flag));
    let flags = kept.fold(more, |flags, (_, flag)| flags | flag);
    let flags = flags | MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
    mount(None::<&str>, mounted, None::<&str>, flags, None::<&str>)
}

/// Returns a mount and all mounts beneath it.
fn mounts_under(path: &Path) -> io::Result<Vec<PathBuf>> {
    let table = fs::read_to_string(Path::new(OLD).join("proc/self/mountinfo"))?;
    let paths = table.lines().filter_map(|line| line.split(' ').nth(4)).map(unescape);
    Ok(paths.filter(|mounted| mounted.starts_with(path)).collect())
}

/// A path from the mount table, in which blanks and backslashes are written as octal numbers.
fn unescape(path: &str) -> PathBuf {
    let mut pieces = path.split('\\');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let number = piece.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match number {
            Some(byte) => {
                text.push(byte.into());
                text.push_str(&piece[3..]);
            }
            None => text.push_str(piece),
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_any_version_of_java_belong_to_the_system_and_others_in_etc_do_not() {
        let root = tempfile::tempdir().unwrap();
        for name in ["java-8-openjdk", "java-25-amazon-corretto", "javanese", "shadow"] {
            fs::create_dir_all(root.path().join("etc").join(name)).unwrap();
        }
        let mut etc = system(root.path());
        etc.retain(|path| !SYSTEM.iter().any(|known| path == Path::new(known)));
        etc.sort();
        let expected = ["/etc/java-25-amazon-corretto", "/etc/java-8-openjdk"];
        assert_eq!(etc, expected.map(PathBuf::from));
    }

    #[test]
    fn a_path_of_the_mount_table_is_read_with_its_blanks() {
        assert_eq!(unescape(r"/home/a\040b/c\134d"), PathBuf::from(r"/home/a b/c\d"));
        assert_eq!(unescape("/usr"), PathBuf::from("/usr"));
    }
}
