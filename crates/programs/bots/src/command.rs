//! A command: a program, its arguments, and the files that it names. It is split as a shell would
//! split it, but no shell runs it: nothing in it is expanded. On Windows a backslash is part of a
//! path, unless a double quote follows it.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CommandError;
use crate::open::{may_run, resolve};

/// The most links that lead from one to the next; the kernel follows no more either.
const MAX_LINKS: usize = 40;

/// A program and its arguments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "CommandForm")]
pub struct Command(Vec<String>);

/// The forms in which a file gives a command.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the words of a command as a string, or a list of strings")]
enum CommandForm {
    Line(String),
    Words(Vec<String>),
}

/// Whether a word is a redirection, a pipe or a list operator, which only a shell would obey.
fn is_for_a_shell(word: &str) -> bool {
    let redirection = word.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(word, "|" | "||" | "&" | "&&" | ";" | "|&")
        || redirection.starts_with(['<', '>'])
        || word.starts_with("&>")
}

/// A command whose files have been found.
pub(crate) struct ResolvedCommand {
    pub(crate) program: PathBuf,
    /// What belongs to the program's installation, besides the system's programs.
    pub(crate) installed: Vec<PathBuf>,
    /// The files that the command names by their paths.
    pub(crate) files: Vec<PathBuf>,
}

impl Command {
    /// Parses a command in one line, split into words as a shell would.
    ///
    /// # Errors
    /// [`CommandError`] if it is empty, a quote is not closed, or a word is meant for a shell.
    pub fn parse(line: &str) -> Result<Command, CommandError> {
        match split(line, cfg!(windows)) {
            Some(words) if !words.is_empty() => {
                match words.iter().find(|word| is_for_a_shell(word)) {
                    None => Ok(Command(words)),
                    Some(word) => Err(CommandError::ForAShell(word.clone())),
                }
            }
            Some(_) => Err(CommandError::EmptyLine),
            None => Err(CommandError::OpenQuote(line.to_owned())),
        }
    }

    /// Parses a command in one line, which may be enclosed in double quotes.
    pub(crate) fn parse_quoted(text: &str) -> Result<Command, CommandError> {
        let text = text.trim();
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Command::parse(inner.unwrap_or(text))
    }

    /// The program, as it is named.
    pub(crate) fn program(&self) -> &str {
        &self.0[0]
    }

    /// The arguments, without the program.
    pub fn arguments(&self) -> &[String] {
        &self.0[1..]
    }

    /// The first word that names a place outside the program's own folder, if there is one. The
    /// program gets to see whatever its command names, so anyone who runs other people's commands
    /// checks this first.
    pub fn find_leading_out(&self) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|word| leads_out(word))
    }

    /// Finds the program: relative to the working folder if the command names a path, else in
    /// `PATH`.
    pub(crate) fn find(&self, folder: &Path) -> Result<ResolvedCommand, CommandError> {
        let name = &self.0[0];
        let endings = program_endings();
        let find_in = |folder: &Path| {
            with_endings(name, &endings).map(|name| folder.join(name)).find(|path| path.is_file())
        };
        let is_path = is_path(name);
        let program = if is_path {
            find_in(folder)
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).find_map(|in_path| find_in(&in_path))
        };
        let program = program.map(|program| without_detours(&program));
        let program = program.ok_or_else(|| match is_path {
            true => CommandError::NotInFolder {
                program: name.clone(),
                folder: folder.display().to_string(),
            },
            false if cfg!(windows) && (name == "py" || name.starts_with("python")) => {
                CommandError::NoPython(name.clone())
            }
            false => CommandError::NotInPath(name.clone()),
        })?;
        if is_path && !is_executable(&program) {
            return Err(CommandError::NotExecutable(name.clone()));
        }
        let mut files: Vec<PathBuf> =
            self.arguments().iter().filter_map(|word| own_file(folder, word)).collect();
        let mut installed = Vec::new();
        if is_path {
            files.extend(program.file_name().and_then(|own| {
                own_file(folder, &Path::new(name).with_file_name(own).to_string_lossy())
            }));
            installed.extend(virtual_environment(&program));
        } else {
            installed.push(program.clone());
            installed.extend(installation(&program, folder));
        }
        for step in links_of(&program) {
            installed.extend(installation(&step, folder));
            installed.push(step);
        }
        Ok(ResolvedCommand { program, installed, files })
    }
}

/// Splits a line into words as a shell would; `None` if a quote is not closed. On `windows` a
/// backslash stands for itself unless a double quote follows it.
fn split(line: &str, windows: bool) -> Option<Vec<String>> {
    if !windows {
        return shlex::split(line);
    }
    // In single quotes a backslash stands for itself already.
    let (mut escaped, mut in_single) = (String::new(), false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        in_single ^= sign == '\'';
        escaped.push(sign);
        if sign == '\\' && !in_single && signs.peek() != Some(&'"') {
            escaped.push('\\');
        }
    }
    shlex::split(&escaped)
}

/// Joins the words of a command so that [`Command::parse`] finds them again.
pub fn join_words(words: &[String]) -> String {
    join(words, cfg!(windows))
}

/// Joins words so that [`split`] finds them again. On `windows`, a path stays as people write it.
fn join(words: &[String], windows: bool) -> String {
    if !windows {
        let joined = shlex::try_join(words.iter().map(String::as_str));
        return joined.unwrap_or_else(|_| words.join(" "));
    }
    let is_plain = |sign: char| sign.is_alphanumeric() || "\\/.:_-+=,@%~".contains(sign);
    let quoted = words.iter().map(|word| match word {
        word if !word.is_empty() && word.chars().all(is_plain) => word.clone(),
        word if !word.contains('\'') => format!("'{word}'"),
        word => format!("\"{}\"", word.replace('"', "\\\"")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Whether a program is named by its path and not to be found in `PATH`.
pub(crate) fn is_path(program: &str) -> bool {
    is_path_on(program, cfg!(windows))
}

fn is_path_on(program: &str, windows: bool) -> bool {
    let has_drive = || {
        let mut signs = program.chars();
        signs.next().is_some_and(|first| first.is_ascii_alphabetic()) && signs.next() == Some(':')
    };
    program.contains('/') || (windows && (program.contains('\\') || has_drive()))
}

/// The endings with which the system finds a program that is named without one; none on Unix.
fn program_endings() -> Vec<String> {
    if !cfg!(windows) {
        return Vec::new();
    }
    let listed = std::env::var("PATHEXT").unwrap_or_else(|_| ".COM;.EXE;.BAT;.CMD".to_owned());
    listed.split(';').filter(|ending| ending.starts_with('.')).map(str::to_lowercase).collect()
}

/// The names under which a program may be found: its own if the system knows its ending, and then
/// with each ending that the system knows.
fn with_endings<'a>(name: &'a str, endings: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let lower = name.to_ascii_lowercase();
    let is_whole = endings.is_empty() || endings.iter().any(|ending| lower.ends_with(ending));
    let own = is_whole.then(|| name.to_owned());
    own.into_iter().chain(endings.iter().map(move |ending| format!("{name}{ending}")))
}

/// The path of a file with all links and detours in its folder's path resolved, but not the file
/// itself if it is a link: programs look at the path by which they were started. A private root
/// shows files only under such paths.
fn without_detours(file: &Path) -> PathBuf {
    let resolved = file.parent().and_then(|folder| resolve(folder).ok());
    match (resolved, file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

/// What a program that is a link leads to, step by step: a private root must have every step.
fn links_of(program: &Path) -> Vec<PathBuf> {
    let mut steps = Vec::new();
    let mut at = program.to_owned();
    while steps.len() < MAX_LINKS
        && let Ok(target) = std::fs::read_link(&at)
    {
        at = without_detours(&at.parent().unwrap_or(Path::new("/")).join(target));
        steps.push(at.clone());
    }
    steps
}

fn is_executable(file: &Path) -> bool {
    cfg!(windows) || file.metadata().is_ok_and(|file| may_run(&file))
}

/// The file that a word of a command names, if it names one. A link out of the folder is followed
/// only where the command itself leads out of it: the author of the folder's files may not be the
/// author of the command, and must not be able to have other files copied.
fn own_file(folder: &Path, word: &str) -> Option<PathBuf> {
    let path = folder.join(word);
    let file = resolve(path.parent()?).ok()?.join(path.file_name()?);
    let is_link = !file.starts_with(folder) || file.is_symlink();
    (file.is_file() && (leads_out(word) || !is_link)).then_some(file)
}

/// Whether a path may lead out of the folder that it is relative to.
fn leads_out(word: &str) -> bool {
    let mut parts = Path::new(word).components();
    parts.any(|part| {
        matches!(part, Component::Prefix(_) | Component::RootDir | Component::ParentDir)
    })
}

/// What programs of a prefix that serves many purposes may need: themselves, their libraries, the
/// versions that version managers keep.
const PARTS: [&str; 14] = [
    "bin",
    "shims",
    "libexec",
    "lib",
    "lib32",
    "lib64",
    "include",
    "share/jupyter",
    "installs",
    "plugins",
    "toolchains",
    "tools",
    "version",
    "versions",
];

/// The folder under which a program of `PATH` is installed, if that folder is the program's own:
/// for `PREFIX/bin/python3` it is `PREFIX`. The user's home, and any folder that contains the
/// working folder, do not count: a program must not see what lies around its own files. Of a prefix
/// that also keeps other things of its user, such as `~/.local` with its keyrings and `~/.cargo`
/// with its tokens, only some [`PARTS`] count.
fn installation(program: &Path, folder: &Path) -> Vec<PathBuf> {
    let Some(prefix) = prefix_of(program) else { return Vec::new() };
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = prefix.parent().is_some()
        && home.is_none_or(|home| !home.starts_with(prefix))
        && !folder.starts_with(prefix);
    if !own {
        return Vec::new();
    }
    if !keeps_other_things(prefix) {
        return vec![prefix.to_owned()];
    }
    let parts = PARTS.iter().map(|part| prefix.join(part));
    // A link may lead to anything.
    parts.filter(|part| resolve(part).is_ok_and(|place| place == *part)).collect()
}

/// `PREFIX` of a program `PREFIX/bin/NAME`.
fn prefix_of(program: &Path) -> Option<&Path> {
    let bin = program.parent()?;
    let is_bin = matches!(bin.file_name()?.to_str()?, "bin" | "shims" | "libexec");
    bin.parent().filter(|_| is_bin)
}

/// Whether a prefix also keeps what is none of its programs' business: hidden folders, in which
/// tools keep all that they have of a user, unless they are an environment of Python; and `~/go`,
/// which has the user's own sources.
fn keeps_other_things(prefix: &Path) -> bool {
    let name = prefix.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_environment = ["pyvenv.cfg", "conda-meta"].iter().any(|mark| prefix.join(mark).exists());
    (name.starts_with('.') || name == "go" && prefix.join("src").exists()) && !is_environment
}

/// The virtual environment of Python that a program named by its path belongs to.
pub(crate) fn virtual_environment(program: &Path) -> Option<PathBuf> {
    let prefix = program.parent()?.parent()?;
    prefix.join("pyvenv.cfg").is_file().then(|| prefix.to_owned())
}

impl TryFrom<CommandForm> for Command {
    type Error = CommandError;

    fn try_from(form: CommandForm) -> Result<Command, CommandError> {
        match form {
            CommandForm::Line(line) => Command::parse(&line),
            CommandForm::Words(words) if words.is_empty() => Err(CommandError::EmptyList),
            CommandForm::Words(words) => Ok(Command(words)),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&join_words(&self.0))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn backslashes_are_parts_of_paths_on_windows_alone() {
        let of = |line, windows| split(line, windows).unwrap_or_default().join("|");
        assert_eq!(of(r"C:\bots\my.exe --level 3", true), r"C:\bots\my.exe|--level|3");
        assert_eq!(of(r#""C:\my bots\b.exe" x\y"#, true), r"C:\my bots\b.exe|x\y");
        assert_eq!(of(r"'C:\my bots\b.exe' -v", true), r"C:\my bots\b.exe|-v");
        assert_eq!(of(r#"say "a \"word\"""#, true), r#"say|a "word""#);
        assert_eq!(of(r"py -3 students\ada\bot.py", true), r"py|-3|students\ada\bot.py");
        assert_eq!(of(r"my\ bot", false), "my bot");
        assert_eq!(split("'open", true), None);
    }

    #[test]
    fn what_is_joined_is_split_into_the_same_words() {
        for words in [
            &[r"C:\bots\bot.exe", "--level", "3"][..],
            &[r"C:\my bots\bot.exe", "", "a'b", "x=1"],
            &["py", "-3", "students/ada/bot.py"],
            &["say", "it's", "\"quoted\"", "$HOME", "a;b"],
        ] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            for windows in [false, true] {
                let joined = join(&words, windows);
                assert_eq!(split(&joined, windows).as_ref(), Some(&words), "{joined}");
            }
        }
        let path = [r"mine\bot.exe".to_owned()];
        assert_eq!(join(&path, true), r"mine\bot.exe");
    }

    #[test]
    fn a_program_is_named_by_its_path_or_found_in_path() {
        for (name, unix, windows) in [
            ("python3", false, false),
            ("./bot", true, true),
            (r".\bot.exe", false, true),
            ("C:bot.exe", false, true),
            (r"C:\bots\bot.exe", false, true),
            ("c:", false, true),
        ] {
            assert_eq!(is_path_on(name, false), unix, "{name}");
            assert_eq!(is_path_on(name, true), windows, "{name}");
        }
    }

    #[test]
    fn where_the_system_knows_endings_a_program_is_found_with_each_of_them() {
        let names = |name: &str, endings: &[&str]| {
            let endings: Vec<String> = endings.iter().map(|&ending| ending.to_owned()).collect();
            with_endings(name, &endings).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("python3", &[]), "python3");
        assert_eq!(names("./bot", &[".exe", ".bat"]), "./bot.exe ./bot.bat");
        assert_eq!(names("bot.EXE", &[".exe"]), "bot.EXE bot.EXE.exe");
        assert_eq!(names("bot.py", &[".exe"]), "bot.py.exe");
    }

    #[test]
    fn words_for_a_shell_are_refused() {
        for line in ["./bot > log.txt", "./bot 2>/dev/null", "a | b", "a && b", "a; b &", "a <in"] {
            let refused = Command::parse(line).map(drop).unwrap_err().to_string();
            assert!(refused.contains("no shell runs it"), "{line}: {refused}");
        }
        for line in ["sh -c './bot > log.txt'", "./bot --level=3", "python3 -c 'print(1>0)'"] {
            assert!(Command::parse(line).is_ok(), "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_bin_folder_of_the_program_is_no_installation() {
        let of = |program: &str, folder: &str| installation(Path::new(program), Path::new(folder));
        let python = PathBuf::from("/opt/python");
        assert_eq!(of("/opt/python/bin/python3", "/class/ada"), [python]);
        // The store and others' sources lie in /class.
        let none: [PathBuf; 0] = [];
        for folder in ["/class/bin", "/class", "/class/ada"] {
            assert_eq!(of("/class/bin/bot", folder), none, "{folder}");
        }
        assert_eq!(of("/bin/sh", "/class/ada"), none, "the whole system");
        assert_eq!(of("/opt/python/python3", "/class/ada"), none);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_in_a_prefix_of_many_purposes_does_not_show_all_of_it() {
        let base = tempfile::tempdir().unwrap();
        let base = resolve(base.path()).unwrap();
        let local = base.join(".local");
        for folder in ["bin", "lib/python3.12", "share/keyrings", "share/jupyter", "state"] {
            std::fs::create_dir_all(local.join(folder)).unwrap();
        }
        symlink(base.join(".local/share"), local.join("plugins")).unwrap();
        std::fs::write(local.join("share/keyrings/login.keyring"), "secret").unwrap();
        let shown = installation(&local.join("bin/jupyter"), Path::new("/class/ada"));
        let parts = ["bin", "lib", "share/jupyter"].map(|part| local.join(part));
        assert_eq!(shown, parts, "a link to what is not shown is not followed");
        // An environment of Python is its programs' own, whatever it is called.
        std::fs::write(local.join("pyvenv.cfg"), "").unwrap();
        assert_eq!(installation(&local.join("bin/jupyter"), Path::new("/class/ada")), [local]);
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_names_a_place_outside_of_its_folder_is_found() {
        let of = |line: &str| Command::parse(line).unwrap().find_leading_out().map(str::to_owned);
        assert_eq!(of("python3 -u ./lib/bot.py --depth=3 a..b"), None);
        assert_eq!(of("/opt/venv/bin/python bot.py").as_deref(), Some("/opt/venv/bin/python"));
        assert_eq!(of("python3 bot.py ../host.sqlite").as_deref(), Some("../host.sqlite"));
        assert_eq!(of("python3 a/../../x").as_deref(), Some("a/../../x"));
        assert_eq!(of("sh '--x=../y'").as_deref(), None, "a folder of that name");
        assert_eq!(of("sh '--x=../../y'").as_deref(), Some("--x=../../y"));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_by_a_path_without_detours_and_with_every_link_on_the_way() {
        let base = tempfile::tempdir().unwrap();
        let base = resolve(base.path()).unwrap();
        for folder in ["bots", "real/bin", "opt/python/bin", "local"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        let python = base.join("opt/python/bin/python3.12");
        std::fs::write(&python, "").unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../opt/python/bin/python3.12", base.join("local/python3")).unwrap();
        symlink(base.join("local/python3"), base.join("real/bin/python")).unwrap();
        std::fs::write(base.join("real/pyvenv.cfg"), "").unwrap();
        symlink("real", base.join("venv")).unwrap();
        for name in ["../venv/bin/python", "../bots/../real/bin/python"] {
            let found = Command::parse(name).unwrap().find(&base.join("bots")).unwrap();
            assert_eq!(found.program, base.join("real/bin/python"), "{name}");
            for shown in ["real", "local/python3", "opt/python", "opt/python/bin/python3.12"] {
                assert!(found.installed.contains(&base.join(shown)), "{name}: {shown}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_a_folder_is_not_followed_out_of_it_unless_the_command_leads_there() {
        let base = tempfile::tempdir().unwrap();
        let base = resolve(base.path()).unwrap();
        let [folder, other] = ["folder", "other"].map(|name| base.join(name));
        for folder in [&folder, &other] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("bot.py"), "").unwrap();
        }
        symlink(other.join("bot.py"), folder.join("link.py")).unwrap();
        symlink(&other, folder.join("sub")).unwrap();
        assert_eq!(own_file(&folder, "bot.py"), Some(folder.join("bot.py")));
        assert_eq!(own_file(&folder, "./bot.py"), Some(folder.join("bot.py")));
        assert_eq!(own_file(&folder, "link.py"), None);
        assert_eq!(own_file(&folder, "sub/bot.py"), None);
        assert_eq!(own_file(&folder, "../other/bot.py"), Some(other.join("bot.py")));
        assert_eq!(own_file(&folder, "--fast"), None);
    }
}
