//! Small repositories, some of them hostile.

use std::sync::Arc;

use tempfile::TempDir;

use super::*;

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
    let leftover = fs::read_dir(place.path().join(".quintain-versions")).unwrap().count();
    assert_eq!(leftover, 1, "no temporary folder stays");
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
fn submodules_are_left_out_and_no_file_is_written_through_a_link() {
    let Some(place) = Place::new(None) else { return };
    place.commit("mine/bot.sh", "echo old");
    let blob = |text: &str| {
        fs::write(place.path().join("content"), text).unwrap();
        place.git(&["hash-object", "-w", "content"])
    };
    let (target, content) = (blob("../../.."), blob("stolen"));
    let head = place.git(&["rev-parse", "HEAD"]);
    let tree = |lines: &str| {
        fs::write(place.path().join("lines"), lines).unwrap();
        let mktree = format!("git -C '{0}' mktree --missing < '{0}/lines'", place.path().display());
        let output = Command::new("sh").args(["-c", &mktree]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    };
    let inner = tree(&format!("100644 blob {content}\tescaped\n"));
    // The same name twice, first as a link that leads out, then as a folder.
    let hostile = tree(&format!(
        "100644 blob {content}\tbot.sh\n120000 blob {target}\tout\n040000 tree {inner}\tout\n\
         160000 commit {head}\tmodule\n"
    ));
    let root = tree(&format!("040000 tree {hostile}\tmine\n"));
    let commit = place.git(&["commit-tree", &root, "-m", "x"]);
    assert!(place.read(&commit, "bot.sh").is_err(), "the link is where a folder is");
    assert!(!place.path().join("escaped").exists());
    let module = tree(&format!("100644 blob {content}\tbot.sh\n160000 commit {head}\tmodule\n"));
    let root = tree(&format!("040000 tree {module}\tmine\n"));
    let commit = place.git(&["commit-tree", &root, "-m", "x"]);
    assert_eq!(place.read(&commit, "bot.sh").unwrap(), "stolen");
    assert!(place.read(&commit, "module/bot.sh").is_err());
}
