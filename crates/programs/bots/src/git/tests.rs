//! Small repositories, some of them hostile.

use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::protection::Protection;

/// A repository with a program in the folder `mine`.
struct Place(TempDir);

impl Place {
    /// Makes one, if there is git to test with.
    fn new(build: Option<&str>) -> Option<Place> {
        if Command::new("git").arg("--version").output().is_err() {
            eprintln!("skipped: there is no git");
            return None;
        }
        let place = Place(tempfile::tempdir().unwrap());
        let build = build.map_or(String::new(), |step| format!("build = '{step}'\n"));
        let entry = format!("[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\n{build}");
        fs::write(place.path().join("bots.toml"), entry).unwrap();
        fs::create_dir(place.path().join("mine")).unwrap();
        place.git(&["init", "--quiet", "--initial-branch", "main"]);
        Some(place)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(self.path()).args(arguments);
        let settings = ["user.name=a", "user.email=a@b.c", "core.hooksPath=.git/hooks"];
        let git = git.envs(settings.iter().enumerate().flat_map(|(at, setting)| {
            let (key, value) = setting.split_once('=').unwrap();
            [
                (format!("GIT_CONFIG_KEY_{at}"), key.to_owned()),
                (format!("GIT_CONFIG_VALUE_{at}"), value.to_owned()),
            ]
        }));
        let output = git.env("GIT_CONFIG_COUNT", "3").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn commit(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).unwrap();
        self.git(&["add", file]);
        self.git(&["commit", "--quiet", "--message", file]);
    }

    /// Makes an object of a tree of these lines, which git itself would not make.
    fn tree(&self, lines: &str) -> String {
        fs::write(self.path().join("lines"), lines).unwrap();
        let mktree = format!("git -C '{0}' mktree --missing < '{0}/lines'", self.path().display());
        let output = Command::new("sh").args(["-c", &mktree]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Makes an object of a tree with names that git refuses even to `mktree`.
    fn raw_tree(&self, entries: &[(&str, &str, &str)]) -> String {
        let byte = |at: usize, hash: &str| u8::from_str_radix(&hash[at..at + 2], 16).unwrap();
        let mut content = Vec::new();
        for (mode, name, hash) in entries {
            content.extend(format!("{mode} {name}\0").bytes());
            content.extend((0..hash.len()).step_by(2).map(|at| byte(at, hash)));
        }
        fs::write(self.path().join("content"), content).unwrap();
        self.git(&["hash-object", "-w", "-t", "tree", "--literally", "content"])
    }

    /// Makes a commit in which the folder of the program is this tree.
    fn commit_tree(&self, tree: &str) -> String {
        let root = self.tree(&format!("040000 tree {tree}\tmine\n"));
        self.git(&["commit-tree", &root, "-m", "x"])
    }

    /// Makes an object of a file or a link.
    fn blob(&self, text: &str) -> String {
        fs::write(self.path().join("content"), text).unwrap();
        self.git(&["hash-object", "-w", "content"])
    }

    fn programs(&self) -> Arc<Programs> {
        Programs::new(Settings {
            launcher: PathBuf::from("/nonexistent"),
            file: self.path().join("bots.toml"),
            protection: Protection::Unconfined,
            protocols: Vec::new(),
        })
    }

    fn read(&self, revision: &str, file: &str) -> Result<String, String> {
        let bot = self.programs().bot(&format!("bot:mine@git:{revision}"));
        let bot = bot.map_err(|error| error.to_string())?;
        let hash = bot.name().rsplit('@').next().unwrap();
        let files = self.path().join(".quintain-versions/mine").join(hash).join(FILES);
        fs::read_to_string(files.join(file)).map_err(|error| error.to_string())
    }
}

#[test]
fn a_revision_is_the_program_as_it_was() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    place.commit("mine/bot.sh", "echo new");
    place.git(&["branch", "feature/x"]);
    fs::write(place.path().join("mine/bot.sh"), "echo unsaved").unwrap();
    assert_eq!(place.read("HEAD~1", "bot.sh").unwrap(), "echo old");
    assert_eq!(place.read("main", "bot.sh").unwrap(), "echo new");
    assert_eq!(place.read("feature/x", "bot.sh").unwrap(), "echo new");
    let version = |revision: &str| {
        let bot = place.programs().bot(&format!("bot:mine@git:{revision}")).unwrap();
        bot.name().to_owned()
    };
    let old = version("HEAD~1");
    assert!(old.starts_with("bot:mine@") && !old.contains("git"), "{old}");
    assert_ne!(old, version("main"));
    assert_eq!(version("main"), version(&place.git(&["rev-parse", "HEAD"])));
    assert_eq!(place.programs().versions("mine").unwrap().len(), 2);
}

#[test]
fn a_pull_request_does_not_decide_what_another_revision_is() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo strong");
    place.commit("mine/bot.sh", "echo new");
    assert_eq!(place.read("HEAD~1", "bot.sh").unwrap(), "echo strong");
    let hash = place.programs().bot("bot:mine@git:HEAD~1").unwrap();
    let hash = hash.name().rsplit('@').next().unwrap().to_owned();
    // Whoever commits the kept versions chooses their files, and which commit is which version.
    place.git(&["add", "--force", ".quintain-versions"]);
    place.git(&["commit", "--quiet", "--message", "much better"]);
    for player in ["git:main", "git:HEAD~1", &hash] {
        let refused = place.programs().bot(&format!("bot:mine@{player}")).map(drop);
        let refused = refused.unwrap_err().to_string();
        let why = ": git tracks .quintain-versions, so its versions are what a commit says and are \
                   not used: run git rm -r .quintain-versions and commit that";
        assert!(refused.ends_with(why), "{refused}");
    }
    let programs = place.programs();
    assert!(programs.keep("mine").is_err() && programs.best_version("mine", "tron").is_err());
    // What needs no versions plays.
    assert!(programs.bot("bot:mine").is_ok());
    place.git(&["rm", "-r", "--quiet", ".quintain-versions"]);
    assert_eq!(place.read("HEAD~2", "bot.sh").unwrap(), "echo strong");
}

#[test]
fn git_that_does_not_answer_lets_nobody_choose_versions() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo strong");
    let hash = place.programs().keep("mine").unwrap().hash().to_owned();
    fs::write(place.path().join(".git/index"), "damaged").unwrap();
    let refused = place.programs().bot(&format!("bot:mine@{hash}")).map(drop).unwrap_err();
    assert!(refused.to_string().contains("git does not say whether it tracks"), "{refused}");
}

#[test]
fn a_revision_is_built_once_in_a_clean_copy() {
    let built = "cp bot.sh built.sh; echo x >> ../../../runs";
    let Some(place) = Place::new(Some(built)) else { return };
    place.commit("mine/bot.sh", "echo old");
    fs::write(place.path().join("mine/untracked"), "x").unwrap();
    for _ in 0..3 {
        assert_eq!(place.read("main", "built.sh").unwrap(), "echo old");
    }
    // Another commit with the same files.
    place.commit("other", "x");
    assert_eq!(place.read("main", "built.sh").unwrap(), "echo old");
    assert!(place.read("main", "untracked").is_err());
    let runs = fs::read_to_string(place.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count(), 1);
    let left = fs::read_dir(place.path().join(".quintain-versions")).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".gitignore", "mine"], "no temporary folder stays");
}

#[test]
fn the_commits_that_changed_the_folder_are_listed_from_the_oldest_on() {
    let Some(place) = Place::new(None) else { return };
    for (file, text) in [("mine/bot.sh", "1"), ("other", "x"), ("mine/bot.sh", "2")] {
        place.commit(file, text);
    }
    place.git(&["checkout", "--quiet", "-b", "side"]);
    place.commit("mine/aside.sh", "3");
    place.git(&["checkout", "--quiet", "main"]);
    place.git(&["merge", "--quiet", "--no-ff", "--message", "the\tside", "side"]);
    let titles = |since: Option<&str>, until: &str| -> Vec<String> {
        let commits = place.programs().commits("mine", since, until).unwrap();
        assert!(commits.iter().all(|commit| commit.id.starts_with(&commit.short)), "{commits:?}");
        commits.into_iter().map(|commit| commit.title).collect()
    };
    assert_eq!(titles(None, "main"), ["mine/bot.sh", "mine/bot.sh", "the\tside"]);
    assert_eq!(titles(Some("main~2"), "main"), ["other", "mine/bot.sh", "the\tside"]);
    assert_eq!(titles(Some("main"), "main"), ["the\tside"]);
    let programs = place.programs();
    assert_eq!(programs.commit("mine", "main~1").unwrap().title, "mine/bot.sh");
    assert!(programs.is_part_of("mine", "side", "main").unwrap());
    assert!(!programs.is_part_of("mine", "main", "side").unwrap());
    assert!(!programs.is_in_shallow_clone("mine").unwrap());
    let long = "x".repeat(100_000);
    place.git(&["commit", "--quiet", "--allow-empty", "--message", &long]);
    assert_eq!(programs.commit("mine", "main").unwrap().title.chars().count(), 200);
    let refused = place.programs().commits("mine", Some("--all"), "main").unwrap_err();
    assert!(refused.to_string().contains("is no revision"), "{refused}");
}

#[test]
fn a_build_that_fails_is_said_with_its_last_lines() {
    let Some(place) = Place::new(Some("echo no such header; exit 3")) else { return };
    place.commit("mine/bot.sh", "echo old");
    let said = place.read("main", "bot.sh").unwrap_err();
    assert!(said.contains("failed: exit status: 3\n  no such header"), "{said}");
}

#[test]
fn revisions_that_do_not_exist_are_refused_and_none_is_an_option() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    for (revision, why) in [
        ("nowhere", "there is no revision “nowhere”"),
        ("--git-dir=/tmp", "is no revision"),
        ("-h", "is no revision"),
        ("", "is no revision"),
        ("HEAD:mine", "is no revision"),
    ] {
        let said = place.read(revision, "bot.sh").unwrap_err();
        assert!(said.contains(why), "{revision}: {said}");
    }
    let outside = Place(tempfile::tempdir().unwrap());
    fs::write(outside.path().join("bots.toml"), "[mine]\ncommand = \"sh bot.sh\"\n").unwrap();
    fs::write(outside.path().join("bot.sh"), "").unwrap();
    assert!(outside.read("main", "bot.sh").unwrap_err().contains("is in no git repository"));
}

#[test]
fn no_hook_and_no_filter_of_a_repository_runs() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/.gitattributes", "* filter=evil\n*.sh export-subst\n");
    place.commit("mine/bot.sh", "echo $Format:%H$");
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor"] {
        let path = place.path().join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\ntouch {}/ran\n", place.path().display())).unwrap();
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let touch = format!("touch {}/ran; cat", place.path().display());
    place.git(&["config", "filter.evil.smudge", &touch]);
    place.git(&["config", "core.fsmonitor", ".git/hooks/fsmonitor"]);
    assert_eq!(place.read("main", "bot.sh").unwrap(), "echo $Format:%H$");
    assert!(!place.path().join("ran").exists());
}

#[test]
fn submodules_are_left_out() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    let (content, head) = (place.blob("other"), place.git(&["rev-parse", "HEAD"]));
    let tree = format!("100644 blob {content}\tbot.sh\n160000 commit {head}\tmodule\n");
    let commit = place.commit_tree(&place.tree(&tree));
    assert_eq!(place.read(&commit, "bot.sh").unwrap(), "other");
    assert!(place.read(&commit, "module/bot.sh").is_err());
}

#[test]
fn nothing_is_written_through_a_link() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    let (target, content) = (place.blob("../../.."), place.blob("stolen"));
    // The same name twice, as a link that leads out and as a folder; some systems take two names
    // that differ in case for the same.
    for (mode, link, folder) in [
        ("100644", "out", "out"),
        ("120000", "out", "out"),
        ("120000", "out", "Out"),
        ("120000", "OUT", "out"),
    ] {
        let inner = place.tree(&format!("{mode} blob {content}\tescaped\n"));
        let commit = place.commit_tree(&place.tree(&format!(
            "100644 blob {content}\tbot.sh\n120000 blob {target}\t{link}\n\
             040000 tree {inner}\t{folder}\n"
        )));
        let refused = place.read(&commit, "bot.sh").unwrap_err();
        assert!(refused.contains("escaped” lies in a file, or in a link"), "{refused}");
        assert!(place.path().join("escaped").symlink_metadata().is_err(), "{mode} {link} {folder}");
    }
}

#[test]
fn a_folder_whose_name_is_a_dot_hides_no_link() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    let outside = tempfile::tempdir().unwrap();
    let to_outside = place.blob(outside.path().to_str().unwrap());
    let target = place.blob("../bot.sh");
    // `mine/x/./a` is a link that leads out, and `mine/x/a/planted` lies in it.
    let dot = place.raw_tree(&[("120000", "a", &to_outside)]);
    let planted = place.raw_tree(&[("120000", "planted", &target)]);
    let both = place.raw_tree(&[("40000", ".", &dot), ("40000", "a", &planted)]);
    let commit = place.commit_tree(&place.raw_tree(&[("40000", "x", &both)]));
    let refused = place.read(&commit, "bot.sh").unwrap_err();
    assert!(refused.contains("“x/.” is no name of a file"), "{refused}");
    for name in ["..", "x/y"] {
        let commit = place.commit_tree(&place.raw_tree(&[("40000", name, &planted)]));
        let refused = place.read(&commit, "bot.sh").unwrap_err();
        assert!(refused.contains("is no name of a file"), "{name}: {refused}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_repository_among_the_files_of_a_program_is_not_taken_for_one() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo reviewed");
    let mine = place.path().join("mine");
    for folder in ["objects", "refs/heads"] {
        fs::create_dir_all(mine.join(folder)).unwrap();
    }
    fs::write(mine.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let touch = place.path().join("ran");
    let config = format!(
        "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\n\
         [remote \"origin\"]\nurl = ext::touch {}\nfetch = +refs/heads/*:refs/remotes/origin/*\n\
         [protocol \"ext\"]\nallow = always\n",
        touch.display()
    );
    fs::write(mine.join("config"), config).unwrap();
    let refused = place.read("main", "bot.sh").unwrap_err();
    assert!(refused.contains("a repository among the program's own files"), "{refused}");
    let said = place.programs().fetch("mine", "1234567").unwrap();
    assert!(said.is_some() && !touch.exists(), "{said:?}");
}

#[test]
fn a_remote_that_is_a_command_is_not_run() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    let touch = place.path().join("ran");
    place.git(&["remote", "add", "origin", &format!("ext::touch {}", touch.display())]);
    place.git(&["config", "protocol.ext.allow", "always"]);
    let said = place.programs().fetch("mine", "1234567").unwrap();
    assert!(said.is_some() && !touch.exists(), "{said:?}");
}

#[test]
fn a_revision_with_endless_files_is_refused_before_all_are_listed() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    // A file, and nothing, of which git's own list would show nothing for ever.
    for leaf in [&format!("100644 blob {}\tbot.sh\n", place.blob("x")), ""] {
        let mut tree = place.tree(leaf);
        // Ten thousand million of it, of ten objects.
        for _ in 0..10 {
            let lines: String = (0..10).map(|n| format!("040000 tree {tree}\t{n}\n")).collect();
            tree = place.tree(&lines);
        }
        let refused = place.read(&place.commit_tree(&tree), "bot.sh").unwrap_err();
        assert!(refused.contains("more than 20000 files"), "{refused}");
    }
}
