//! The AppArmor profile that lets this executable create user namespaces where AppArmor keeps them
//! from ordinary users, as on Ubuntu since 23.10. It restricts nothing.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The profile as a package installs it, for [`PACKAGED`]; `deploy/apparmor` has a link to it.
const PROFILE: &str = include_str!("quintain.apparmor");
const PACKAGED: &str = "\"/usr/bin/quintain\"";
/// Where the system's profiles are, which it loads at every start.
const PROFILES: &str = "/etc/apparmor.d";

/// The profile for the executable at this path; `None` if AppArmor cannot name the path.
pub fn apparmor_profile(executable: &Path) -> Option<String> {
    let quoted = quote(executable.to_str()?)?;
    let [before, after] = PROFILE.split(PACKAGED).collect::<Vec<_>>()[..] else { return None };
    let before = match quoted == PACKAGED {
        true => before.to_owned(),
        // Every profile has a name of its own.
        false => before.replace("profile quintain ", &format!("profile {} ", name(executable))),
    };
    Some(format!("{before}{quoted}{after}"))
}

/// Writes the profile for this executable into the folder of the system's profiles, and loads it.
/// Returns its file.
///
/// # Errors
/// What the system says: this is for a superuser, and needs `apparmor_parser` of AppArmor 4.
pub fn install_apparmor_profile(executable: &Path) -> io::Result<PathBuf> {
    let unnamed = || io::Error::other("AppArmor cannot name the path of this executable");
    let file = Path::new(PROFILES).join(name(executable));
    std::fs::write(&file, apparmor_profile(executable).ok_or_else(unnamed)?)?;
    let loaded = Command::new("apparmor_parser").arg("-r").arg(&file).stdin(Stdio::null()).output();
    let failed = |why: String| {
        let _ = std::fs::remove_file(&file);
        Err(io::Error::other(why))
    };
    match loaded {
        Ok(loaded) if loaded.status.success() => Ok(file),
        Ok(loaded) => failed(String::from_utf8_lossy(&loaded.stderr).trim().replace('\n', "; ")),
        Err(error) => failed(format!("apparmor_parser: {error}")),
    }
}

/// The command of a shell that installs the profile for this executable.
pub(super) fn command(executable: &Path) -> String {
    let shown = executable.display().to_string();
    let path = shlex::try_quote(&shown).map_or(shown.clone(), |quoted| quoted.into_owned());
    match executable.file_name().is_some_and(|name| name == "quintain") {
        true => format!("sudo {path} bot apparmor --install"),
        // A launcher of its own, as the Python package has: the command knows how to install it.
        false => format!("sudo quintain bot apparmor --install {path}"),
    }
}

/// The name of an executable's profile: that of its path, in letters that any profile may have.
fn name(executable: &Path) -> String {
    if quote(&executable.to_string_lossy()).as_deref() == Some(PACKAGED) {
        return "quintain".to_owned();
    }
    let plain = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '.' };
    let path: String = executable.to_string_lossy().chars().map(plain).collect();
    format!("quintain-{}", path.trim_matches('.'))
}

/// A path as a profile names it: in quotes, and no sign stands for others.
fn quote(path: &str) -> Option<String> {
    if !path.starts_with('/') || path.chars().any(char::is_control) {
        return None;
    }
    let mut quoted = String::from("\"");
    for sign in path.chars() {
        if matches!(sign, '\\' | '"' | '*' | '?' | '[' | ']' | '{' | '}' | '^' | ',' | '@') {
            quoted.push('\\');
        }
        quoted.push(sign);
    }
    Some(quoted + "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_names_this_executable_and_no_other() {
        let packaged = apparmor_profile(Path::new("/usr/bin/quintain")).unwrap();
        assert_eq!(packaged, PROFILE);
        let own = apparmor_profile(Path::new("/home/ada lovelace/bin/quintain*")).unwrap();
        assert!(own.contains("\nabi <abi/4.0>,\n") && own.contains("\n  userns,\n"), "{own}");
        let expected = "\nprofile quintain-home.ada.lovelace.bin.quintain \
                        \"/home/ada lovelace/bin/quintain\\*\" flags=(unconfined) {\n";
        assert!(own.contains(expected), "{own}");
        assert_eq!(apparmor_profile(Path::new("quintain")), None);
        assert_eq!(apparmor_profile(Path::new("/a\nb")), None);
    }

    #[test]
    fn one_command_installs_it_whatever_the_path() {
        let said = |path: &str| command(Path::new(path));
        assert_eq!(said("/opt/q/quintain"), "sudo /opt/q/quintain bot apparmor --install");
        assert_eq!(said("/a b/quintain"), "sudo '/a b/quintain' bot apparmor --install");
        let launcher = "sudo quintain bot apparmor --install /venv/bin/quintain-launch";
        assert_eq!(said("/venv/bin/quintain-launch"), launcher);
    }

    #[test]
    fn apparmor_reads_the_profile() {
        let parser = |arguments: &[&str]| Command::new("apparmor_parser").args(arguments).output();
        let Ok(version) = parser(&["--version"]) else {
            eprintln!("left out: there is no apparmor_parser");
            return;
        };
        let mut profile = apparmor_profile(Path::new("/home/ada lovelace/{quintain}")).unwrap();
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        if ["version 2.", "version 3."].iter().any(|old| version.contains(old)) {
            eprintln!("left out: the two lines that are new in AppArmor 4");
            profile = profile.replace("abi <abi/4.0>,\n", "").replace("  userns,\n", "");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("profile");
        std::fs::write(&file, profile).unwrap();
        // It is compiled, and neither loaded nor kept.
        let parsed = parser(&["-Q", "-K", "-S", &file.display().to_string()]).unwrap();
        assert!(parsed.status.success(), "{}", String::from_utf8_lossy(&parsed.stderr));
    }
}
