//! A tree of files as a program: how it is started, and where it lies. A tree describes itself by a
//! `bots.toml` with one table, as `quintain new player` writes it, or by the names of its files.
//! Source is built first ([`crate::build`]).

use std::fs;
use std::io::Write;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use quintain_bots::limits::Limits;
pub(crate) use quintain_bots::packed::Start;
use quintain_bots::{BotEntry, BotsFile, Command};
use serde::Serialize;

use crate::archive::{Refused, Tree, TreeLimits};
use crate::build::{Builds, Recipe};

/// Folder within the contest's with each tree once, by its digest.
pub(crate) const TREES: &str = "submissions";
/// Folder within a tree's with its files.
pub(crate) const FILES: &str = "files";
const BOTS: &str = "bots.toml";
/// The most bytes of it, and of those of all folders of a tree together: reading a megabyte of TOML
/// takes seconds, and 0.4 GB.
const MAX_LIST: usize = 64 << 10;
/// The file of a starter kit that is joined with an interpreter into a module.
const JOINED: &str = "engine.wat";

/// The plan for a tree that was submitted.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    /// How it is built, if it has to be.
    pub(crate) recipe: Option<Recipe>,
    /// How the result of the build, or else the tree itself, is started.
    pub(crate) start: Start,
}

impl Plan {
    /// Returns the programs of the machine that build it and run it, with the folders in which they
    /// may be besides the system's.
    pub(crate) fn tools(&self) -> impl Iterator<Item = (&str, &[PathBuf])> {
        let command = match &self.start {
            Start::Command { command, .. } => command.split_whitespace().next(),
            Start::Module(_) => None,
        };
        let read = self.recipe.as_ref().map_or(&[][..], Recipe::read);
        self.recipe
            .as_ref()
            .map(Recipe::tool)
            .into_iter()
            .chain(command)
            .map(move |tool| (tool, read))
    }
}

/// Plans how a tree is built and started.
///
/// # Errors
/// [`Refused`] says what a tree must have.
pub(crate) fn plan_of(tree: &Tree, builds: &Builds) -> Result<Plan, Refused> {
    if let Some(file) = tree.files().get(BOTS) {
        let (_, entry) = only_entry(&file.bytes)?;
        return plan_listed(&entry, tree, builds);
    }
    by_names(tree, builds)
}

/// Plans a tree without a list, by the names of its files.
fn by_names(tree: &Tree, builds: &Builds) -> Result<Plan, Refused> {
    let has = |name: &str| tree.files().contains_key(name);
    let module = ["bot.wasm", "main.wasm"].into_iter().find(|name| has(name));
    // Next to this file is one that is named like a program but is not one.
    if module.is_none() && has(JOINED) {
        return plan_build(tree, builds).ok_or_else(|| refuse_module(JOINED));
    }
    let usual = ["bot", "main"].iter().find_map(|stem| {
        RUNNERS.iter().find_map(|(ending, runner)| {
            let name = format!("{stem}.{ending}");
            has(&name).then(|| command(format!("{runner} {name}")))
        })
    });
    let executable =
        ["bot", "main"].iter().find(|name| has(name)).map(|name| command(format!("./{name}")));
    let module = module.map(|name| Start::Module(name.to_owned()));
    let as_it_is = module.or(usual).or(executable).map(|start| Plan { recipe: None, start });
    let plan = as_it_is.or_else(|| plan_build(tree, builds)).or_else(|| plan_single_file(tree));
    let plan = plan.filter(|plan| plan.recipe.is_some() || is_plain(&plan.start));
    plan.ok_or_else(|| refuse_unknown(tree, builds))
}

/// What runs a file, by the ending of its name.
const RUNNERS: [(&str, &str); 3] = [("py", "python3"), ("js", "node"), ("sh", "sh")];

fn command(command: String) -> Start {
    Start::Command { command, protocol: None }
}

/// Plans a tree of sources that are built here.
fn plan_build(tree: &Tree, builds: &Builds) -> Option<Plan> {
    let (recipe, start) = builds.find(tree)?;
    let start = match start.ends_with(".wasm") {
        true => Start::Module(start),
        false => command(start),
    };
    Some(Plan { recipe: Some(recipe), start })
}

/// Plans a tree of one file, whatever its name.
fn plan_single_file(tree: &Tree) -> Option<Plan> {
    let (name, file) = tree.files().iter().next().filter(|_| tree.files().len() == 1)?;
    // A shell would split it into two words.
    if name.contains(' ') {
        return None;
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let runner = RUNNERS.iter().find(|(of, _)| *of == ending);
    let start = match runner {
        Some((_, runner)) => command(format!("{runner} {name}")),
        None if ending == "wasm" => Start::Module(name.clone()),
        None => file.is_executable.then(|| command(format!("./{name}")))?,
    };
    Some(Plan { recipe: None, start })
}

/// Says why a tree is no program, as well as its files show.
fn refuse_unknown(tree: &Tree, builds: &Builds) -> Refused {
    if let Some(language) = builds.find_disallowed_language(tree) {
        return refuse_unbuilt(language);
    }
    let is_source =
        |name: &&String| [".zig", ".ts", ".wat"].iter().any(|ending| name.ends_with(ending));
    if let Some(source) = tree.files().keys().find(is_source) {
        return refuse_module(source);
    }
    if let Some(name) = tree.files().keys().find(|name| name.contains(' ')) {
        return Refused(format!("{name:?}: give the file that is started a name without spaces"));
    }
    if let Some((folder, file)) = tree.files().keys().find_map(|path| find_start_inside(path)) {
        return Refused(format!(
            "nothing says how it is started: {file} is in {folder}; submit that folder, or add a \
             bots.toml with one table and its command"
        ));
    }
    let shown = builds.languages().filter_map(|(_, shows)| shows.first().cloned());
    let shown = shown.collect::<Vec<_>>().join(", ");
    Refused(format!(
        "nothing says how it is started: name a file bot.py, bot.js, bot.sh, bot.wasm or bot \
         (built), or name a source that is built here: {shown}; or add a bots.toml with one table \
         and its command"
    ))
}

/// Splits the path of a file in a folder that would be started if it were at the top level.
fn find_start_inside(path: &str) -> Option<(&str, &str)> {
    let (folder, file) = path.rsplit_once('/')?;
    let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
    let is_run = ending == "wasm" || RUNNERS.iter().any(|(of, _)| *of == ending);
    (matches!(stem, "bot" | "main") && is_run).then_some((folder, file))
}

fn refuse_module(shown: &str) -> Refused {
    Refused(format!(
        "{shown} belongs to a WebAssembly module that is not built: build it first, and submit \
         the folder with its bot.wasm"
    ))
}

/// Returns whether a shell leaves a command unchanged, or a player's text the name of a file.
fn is_plain(start: &Start) -> bool {
    let (Start::Command { command: text, .. } | Start::Module(text)) = start;
    text.chars().all(|c| c.is_ascii_alphanumeric() || " ./_-".contains(c))
}

fn refuse_unbuilt(language: &str) -> Refused {
    Refused(format!(
        "programs in {language} are not built in this contest. That is no fault of the program: \
         the organiser can allow it (socket_pairs = true in host.toml); or build it yourself, and \
         submit the result with a bots.toml that has a command and no build"
    ))
}

/// Returns the program of a list, which must be the only one.
fn only_entry(bytes: &[u8]) -> Result<(String, BotEntry), Refused> {
    if bytes.len() > MAX_LIST {
        return Err(Refused(format!(
            "{BOTS} has {} kB; expected at most {} kB",
            bytes.len() >> 10,
            MAX_LIST >> 10
        )));
    }
    let text = String::from_utf8_lossy(bytes);
    let file =
        BotsFile::parse(Path::new(BOTS), &text).map_err(|error| Refused(error.to_string()))?;
    let names: Vec<&str> = file.names().collect();
    let [name] = names[..] else {
        return Err(Refused(format!(
            "{BOTS} has {} programs: {}; submit the folder of one of them, or leave one table",
            names.len(),
            names.join(", ")
        )));
    };
    let entry = file.bot(name).map_err(|error| Refused(error.to_string()))?;
    Ok((name.to_owned(), entry.clone()))
}

/// Returns the folder of a program, if it is not where its list is.
fn folder_of(entry: &BotEntry) -> Option<String> {
    let own = entry.folder.as_os_str().is_empty() || entry.folder == Path::new(".");
    let text = entry.folder.to_string_lossy();
    (!own).then(|| text.trim_start_matches("./").trim_end_matches('/').to_owned())
}

/// Refuses what a list says in vain, since the contest decides it.
fn refuse_ignored(entry: &BotEntry) -> Result<(), Refused> {
    let ignored = match () {
        () if entry.limits != Limits::default() => "limits",
        () if entry.matches.is_some() => "matches",
        () => return Ok(()),
    };
    Err(Refused(format!(
        "{BOTS}: {ignored} of a program that is submitted are those of the contest, the same for \
         all; remove `{ignored}`"
    )))
}

fn plan_listed(entry: &BotEntry, tree: &Tree, builds: &Builds) -> Result<Plan, Refused> {
    refuse_ignored(entry)?;
    if folder_of(entry).is_some() || !entry.read.is_empty() || !entry.environment.is_empty() {
        return Err(Refused(format!(
            "{BOTS}: a program that is submitted has a command, a protocol and a build, and \
             neither files elsewhere nor an environment"
        )));
    }
    refuse_leading_out(&entry.command)?;
    if entry.build.is_some()
        && let Some(language) = builds.find_disallowed_language(tree)
    {
        return Err(refuse_unbuilt(language));
    }
    let start = Start::Command {
        command: entry.command.to_string(),
        protocol: Some(entry.protocol.clone()),
    };
    Ok(Plan { recipe: entry.build.as_deref().map(|build| builds.own(build)), start })
}

/// Refuses a command that names files elsewhere. It may name its program's own files and programs
/// of the system: other files are not public, and a program can see what its command names.
///
/// # Errors
/// [`Refused`] names the word that points outside.
pub(crate) fn refuse_leading_out(command: &Command) -> Result<(), Refused> {
    match command.find_leading_out() {
        None => Ok(()),
        Some(word) => Err(Refused(format!(
            "{BOTS}: the command names {word:?}, which is outside of what is submitted; name your \
             files by their paths from its folder, and programs of the system without a path"
        ))),
    }
}

/// Unwraps a program that is in a folder of its tree: the folder that the list names, as in a
/// starter kit, or the only folder whose files are those of a program. Any other tree is returned
/// unchanged.
///
/// # Errors
/// [`Refused`] if the list names a folder that does not exist.
pub(crate) fn program_in(tree: Tree, builds: &Builds) -> Result<Tree, Refused> {
    let Some(file) = tree.files().get(BOTS) else {
        if by_names(&tree, builds).is_ok() {
            return Ok(tree);
        }
        let only = find_only_program(&tree, builds)?;
        return Ok(only.unwrap_or(tree));
    };
    let (name, entry) = only_entry(&file.bytes)?;
    let Some(folder) = folder_of(&entry) else { return Ok(tree) };
    let inner = tree.inside(&folder);
    if inner.files().is_empty() {
        return Err(Refused(format!(
            "{BOTS}: the folder {folder:?} of {name} is not in what was submitted"
        )));
    }
    // If it is started in the same way without a list, it is the same version as the folder alone.
    let plan = plan_listed(&BotEntry { folder: PathBuf::new(), ..entry.clone() }, &inner, builds)?;
    let is_usual = by_names(&inner, builds).is_ok_and(|usual| is_same(&usual, &plan));
    match is_usual && !inner.files().contains_key(BOTS) {
        true => Ok(inner),
        false => with_list(&inner, &name, &entry),
    }
}

/// Returns the only folder of a tree whose files are those of a program.
///
/// # Errors
/// [`Refused`] if the lists of its folders are too large to read all of them.
fn find_only_program(tree: &Tree, builds: &Builds) -> Result<Option<Tree>, Refused> {
    let (mut only, mut left) = (None, MAX_LIST);
    for folder in tree.folders() {
        let inner = tree.inside(folder);
        let list = inner.files().get(BOTS).map_or(0, |file| file.bytes.len());
        left = left.checked_sub(list).ok_or_else(|| {
            Refused(format!(
                "the {BOTS} of its folders have more than {} kB together; submit the folder of the \
                 program",
                MAX_LIST >> 10
            ))
        })?;
        if plan_of(&inner, builds).is_ok() && only.replace(inner).is_some() {
            return Ok(None);
        }
    }
    Ok(only)
}

fn is_same(usual: &Plan, listed: &Plan) -> bool {
    let command = |plan: &Plan| match &plan.start {
        Start::Command { command, protocol } => {
            let protocol = protocol.clone().filter(|own| own != quintain_bots::protocol::NAME);
            Some((command.clone(), protocol))
        }
        Start::Module(_) => None,
    };
    usual.recipe == listed.recipe && command(usual) == command(listed)
}

/// Adds to a tree a list of its own, with what the outer list says about the program.
fn with_list(tree: &Tree, name: &str, entry: &BotEntry) -> Result<Tree, Refused> {
    #[derive(Serialize)]
    struct Own<'a> {
        command: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        build: Option<&'a str>,
        protocol: &'a str,
    }
    let own = Own {
        command: entry.command.to_string(),
        build: entry.build.as_deref(),
        protocol: &entry.protocol,
    };
    let text = toml::to_string(&std::collections::BTreeMap::from([(name, own)]));
    let text = text.map_err(|error| Refused(format!("{BOTS}: {error}")))?;
    let mut whole = Tree::default();
    for (path, file) in tree.files().iter().filter(|(path, _)| *path != BOTS) {
        whole.add(path, file.is_executable, file.bytes.clone(), TreeLimits::NONE)?;
    }
    whole.add(BOTS, false, text.into_bytes(), TreeLimits::NONE)?;
    Ok(whole)
}

/// Replaces the paths of a program's files in its output with the paths that the program knows:
/// where the files lie, on this machine or on a worker's, stays private.
pub(crate) fn hide_folder(text: &str, folder: &Path, digest: &str) -> String {
    let own = files_of(folder, digest).display().to_string();
    let text = text.replace(&format!("{own}/"), "").replace(&own, ".");
    let place = format!("/{digest}/{FILES}");
    let (mut hidden, mut rest) = (String::new(), text.as_str());
    while let Some(at) = rest.find(&place) {
        // A path begins after a character that the names of our folders do not contain.
        let before = &rest[..at];
        let begin = before.rfind(['"', '\'', '(', '\n', ' ', '\t', '=', ':', '`']);
        let begin = begin.map_or(0, |begin| begin + 1);
        hidden += &before[..begin];
        let after = &rest[at + place.len()..];
        rest = match after.strip_prefix('/') {
            Some(inside) => inside,
            None => {
                hidden.push('.');
                after
            }
        };
    }
    hidden + rest
}

/// Stores a tree on the disk, under its digest, either completely or not at all.
pub(crate) fn keep(folder: &Path, tree: &Tree) -> std::io::Result<String> {
    let digest = tree.digest();
    let (trees, place) = (folder.join(TREES), place(folder, &digest));
    if place.exists() {
        return Ok(digest);
    }
    fs::create_dir_all(&trees)?;
    // Two threads that store the same tree at once must not meet in one folder.
    let part =
        trees.join(format!("part-{}", crate::token::new_token().map_err(std::io::Error::other)?));
    fs::create_dir(&part)?;
    let written = tree.write(&part.join(FILES)).and_then(|()| fs::rename(&part, &place));
    if let Err(error) = written {
        // What is left is of no use; if it cannot be removed either, the error says so.
        let _ = fs::remove_dir_all(&part);
        // Another thread was quicker with the same files.
        if !place.exists() {
            return Err(error);
        }
    }
    fs::File::open(&trees)?.sync_all()?;
    Ok(digest)
}

/// Deletes a stored tree.
pub(crate) fn remove(folder: &Path, digest: &str) -> std::io::Result<()> {
    // Renamed first: a part of a tree is none.
    let part = folder.join(TREES).join(format!("part-{digest}"));
    match fs::rename(place(folder, digest), &part) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        renamed => renamed.and_then(|()| fs::remove_dir_all(&part)),
    }
}

fn place(folder: &Path, digest: &str) -> PathBuf {
    folder.join(TREES).join(digest)
}

/// Removes what was still being stored when the host ended.
pub(crate) fn clear_parts(folder: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(folder.join(TREES)) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("part-")) {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

/// Returns the folder with the files of a stored tree.
pub(crate) fn files_of(folder: &Path, digest: &str) -> PathBuf {
    place(folder, digest).join(FILES)
}

/// Reads a stored tree.
pub(crate) fn read_kept(folder: &Path, digest: &str) -> Result<Tree, Refused> {
    Tree::of_folder(&files_of(folder, digest), TreeLimits::NONE)
}

/// A program as listed for whatever starts it.
#[derive(Serialize)]
pub(crate) struct ListedProgram<'a> {
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'a str>,
    folder: &'static str,
    read: &'a [PathBuf],
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<NonZeroU64>,
    limits: &'a Limits,
}

impl<'a> ListedProgram<'a> {
    /// A program that this command starts in its own folder.
    pub(crate) fn new(
        command: &'a str,
        protocol: Option<&'a str>,
        read: &'a [PathBuf],
        limits: &'a Limits,
    ) -> ListedProgram<'a> {
        ListedProgram { command, protocol, folder: FILES, read, matches: None, limits }
    }

    /// The same, of which one process plays at most so many matches.
    pub(crate) fn playing_at_most(self, matches: Option<NonZeroU64>) -> ListedProgram<'a> {
        ListedProgram { matches, ..self }
    }
}

/// Writes the file that lists the program of a stored tree as this player.
pub(crate) fn write_entry(
    folder: &Path,
    digest: &str,
    player: &str,
    listed: &ListedProgram<'_>,
) -> Result<PathBuf, Refused> {
    list_program(&place(folder, digest), player, listed)
}

/// Does the same in the folder with the program's files.
pub(crate) fn list_program(
    place: &Path,
    player: &str,
    listed: &ListedProgram<'_>,
) -> Result<PathBuf, Refused> {
    let failed = |error: &dyn std::fmt::Display| Refused(format!("its files: {error}"));
    let text = toml::to_string(&std::collections::BTreeMap::from([(player, listed)]));
    let file = place.join(format!("{player}.toml"));
    // Two threads that write the same file at once have a part each.
    let mut part = tempfile::NamedTempFile::new_in(place).map_err(|error| failed(&error))?;
    let text = text.map_err(|error| failed(&error))?;
    part.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    part.persist(&file).map_err(|error| failed(&error))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for name in names {
            tree.add(name, false, b"x".to_vec(), TreeLimits::NONE).unwrap();
        }
        tree
    }

    #[test]
    fn sources_of_a_module_must_be_built_first() {
        let builds = Builds::default().with_usual();
        for sources in [
            &["bot.py", "engine.py", "engine.wat", "build.js"][..],
            &["bot.js", "engine.js", "engine.wat", "build.js"],
            &["bot.zig", "bot.test.js"],
            &["bot.ts", "bot.test.js"],
        ] {
            let message = plan_of(&tree(sources), &builds).unwrap_err().0;
            assert!(message.contains("build it first, and submit the folder with"), "{message}");
            let built = [sources, &["bot.wasm"][..]].concat();
            let module = Start::Module("bot.wasm".to_owned());
            assert_eq!(plan_of(&tree(&built), &builds).unwrap().start, module, "{sources:?}");
        }
        // A program with its sources next to it is a program.
        let plan = plan_of(&tree(&["bot.js", "bot.ts"]), &builds).unwrap();
        assert!(matches!(plan.start, Start::Command { .. }), "{plan:?}");
    }

    #[test]
    fn limits_that_the_contest_sets_are_refused_and_not_ignored() {
        let builds = Builds::default().with_usual();
        for (line, word) in
            [("limits = { memory = \"2GB\" }", "limits"), ("matches = 1", "matches")]
        {
            let mut tree = tree(&["bot.py"]);
            let list = format!("[mine]\ncommand = \"python3 bot.py\"\n{line}\n");
            tree.add(BOTS, false, list.into_bytes(), TreeLimits::NONE).unwrap();
            let message = plan_of(&tree, &builds).unwrap_err().0;
            assert!(message.contains(&format!("remove `{word}`")), "{message}");
        }
    }

    /// A tree of this many folders, each with a list of this text.
    fn folders(count: usize, list: &str) -> Tree {
        let mut tree = Tree::default();
        for number in 0..count {
            let (list, bytes) = (format!("d{number}/{BOTS}"), list.as_bytes().to_vec());
            tree.add(&list, false, bytes, TreeLimits::NONE).unwrap();
        }
        tree
    }

    #[test]
    fn lists_of_many_folders_are_bounded_together() {
        let builds = Builds::default().with_usual();
        // Each list is no program, and as large as one may be.
        let line = "a.a.a.a=1\n".repeat(MAX_LIST / 10 - 1);
        let refused = program_in(folders(250, &line), &builds).unwrap_err().0;
        assert!(refused.contains("more than 64 kB together; submit the folder of"), "{refused}");
        // Those of a repository with examples are small.
        let mut tree = folders(20, "[broken]\n");
        tree.add("mine/bot.py", false, b"x".to_vec(), TreeLimits::NONE).unwrap();
        assert!(program_in(tree, &builds).unwrap().files().contains_key("bot.py"));
        let two = folders(1000, "[mine]\ncommand = \"sh bot.sh\"\n");
        let whole = two.files().len();
        assert_eq!(program_in(two, &builds).unwrap().files().len(), whole, "none is chosen");
    }

    #[test]
    fn a_file_name_with_a_space_is_refused() {
        let message =
            plan_of(&tree(&["my bot.py"]), &Builds::default().with_usual()).unwrap_err().0;
        assert!(message.contains("\"my bot.py\": give the file that is started"), "{message}");
    }

    #[test]
    fn a_contest_may_build_modules() {
        let text = "[languages.zig]\nshows = ['bot.zig']\nbuild = 'zig build-exe bot.zig'\n\
                    start = 'bot.wasm'\n[languages.joined]\nshows = ['engine.wat']\n\
                    build = 'node build.js'\nstart = 'bot.wasm'\n";
        let builds = toml::from_str::<Builds>(text).unwrap().with_usual();
        for (sources, language) in [(&["bot.zig"][..], "zig"), (&["bot.py", JOINED], "joined")] {
            let Plan { recipe, start } = plan_of(&tree(sources), &builds).unwrap();
            assert_eq!(recipe.unwrap().language, language);
            assert_eq!(start, Start::Module("bot.wasm".to_owned()));
        }
    }

    #[test]
    fn output_has_paths_relative_to_the_program() {
        let hide = |text: &str| hide_folder(text, Path::new("/srv/a cup"), "d1");
        for (message, read) in [
            ("File \"/srv/a cup/submissions/d1/files/bot.py\", line 3", "File \"bot.py\", line 3"),
            ("in /srv/a cup/submissions/d1/files", "in ."),
            ("at (/tmp/quintain-7/x/d1/files/lib/a.js:3:1)", "at (lib/a.js:3:1)"),
            ("/tmp/x/d1/files and /tmp/x/d2/files/a", ". and /tmp/x/d2/files/a"),
            ("nothing of the kind", "nothing of the kind"),
        ] {
            assert_eq!(hide(message), read);
        }
    }
}
