//! Programs handed in as source: built in the sandbox, stored and reused, and stopped if they are
//! hostile. Also WebAssembly modules.

use std::fs;
use std::io::Write;
use std::process::Command;

use base64::Engine;
use zip::write::SimpleFileOptions;

use crate::contest::{Contest, quintain};

/// Makes a zip of files.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no {tool}");
    }
    found
}

/// Sets the limits of builds in host.toml low enough to be reached soon.
fn limit_builds(contest: &Contest) {
    let small = "[build]\nlanguages = { java = { build = \"\" } }\ntime = \"4s\"";
    contest
        .edit(&[("[build]\ntime = \"60s\"", small), ("scratch = \"1GB\"", "scratch = \"16MB\"")]);
}

#[test]
fn sources_are_built_once_and_what_was_built_plays() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    if !has("c++") {
        return;
    }
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    quintain(contest.at(), &["new", "player", "swift", "--game", "tron", "--lang", "cpp"]);
    let server = contest.serve();
    let submitted = contest.submit(&server, &ada, "swift");
    let said = String::from_utf8_lossy(&submitted.stdout).into_owned();
    assert!(submitted.status.success(), "{said}{}", String::from_utf8_lossy(&submitted.stderr));
    assert!(said.contains("building (c++)") && said.contains("ok  built\n"), "{said}");
    assert!(said.contains("started as: ./bot") && said.ends_with("is on the ladder\n"), "{said}");
    // The same sources from somebody else are built already.
    let again = contest.submit(&server, &bob, "swift");
    let said = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(again.status.success() && said.contains("ok  built before"), "{said}");
    server.until("both play", |server| {
        let page = server.get("/").body;
        page.contains(">ada<") && page.contains(">bob<") && server.count_played() > 3
    });
}

#[test]
fn compilers_that_need_socket_pairs_build_where_these_are_allowed() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    if !has("javac") {
        return;
    }
    let ada = contest.invite("ada");
    quintain(contest.at(), &["new", "player", "bean", "--game", "tron", "--lang", "java"]);
    let server = contest.serve();
    let refused = contest.submit(&server, &ada, "bean");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("programs in java are not built in this contest"), "{said}");
    drop(server);
    contest.edit(&[("socket_pairs = false", "socket_pairs = true")]);
    let server = contest.serve();
    let submitted = contest.submit(&server, &ada, "bean");
    let said = String::from_utf8_lossy(&submitted.stdout).into_owned();
    assert!(said.contains("ok  built\n") && submitted.status.success(), "{said}");
    // The kits of such languages are offered then, and are built by their own lists. Their packages are
    // included.
    let checked = server.hand_in_and_wait(&ada, &server.bytes("/kits/java.zip"));
    assert_eq!(checked["stage"], "passed", "{checked}");
    let page = server.get("/kits").body;
    assert!(!page.contains("rust.zip") || page.contains("run `cargo vendor` in my-bot"), "{page}");
}

#[test]
fn a_build_that_fails_tells_its_author_alone() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    if !has("cc") {
        return;
    }
    let ada = contest.invite("ada");
    let server = contest.serve();
    let broken = zip(&[("bot.c", "int main(void) { return nothing_of_this_name; }\n")]);
    let checked = server.hand_in_and_wait(&ada, &broken);
    assert_eq!(checked["stage"], "failed");
    let log = checked["log"].as_str().unwrap();
    assert!(log.contains("nothing_of_this_name") && log.contains("exit code"), "{log}");
    assert!(!server.get("/").body.contains("nothing_of_this_name"));
}

#[test]
fn builds_that_mean_harm_end_at_their_limits() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    limit_builds(&contest);
    // Two at a time, and nothing else meanwhile, since most of them wait for their limits.
    contest.edit(&[("# threads = 1", "threads = 2")]);
    contest.host("pause", &[]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let outside = contest.at().join("cup/host.sqlite");
    let outside = outside.display();
    let program = "command = \"sh bot.sh\"";
    let python = |line: &str| format!("python3 -c '{line}'");
    let builds = [
        ("sleep 1000".to_owned(), "longer than 4 s"),
        ("while :; do :; done".to_owned(), "longer than 4 s"),
        (python("import socket; socket.create_connection((\"127.0.0.1\", 80))"), "exit code 1"),
        (python("import socket; socket.socket().bind((\"0.0.0.0\", 0))"), "exit code 1"),
        ("cat /dev/zero > big".to_owned(), "cannot be built"),
        ("yes".to_owned(), "wrote more than is allowed"),
        (format!("cat {outside}"), "exit code 1"),
        ("touch /bin/quintain".to_owned(), "exit code 1"),
        ("ln -s /etc/passwd bot.txt".to_owned(), "link or a device"),
        ("i=0; while [ $i -lt 2000 ]; do : > f$i; i=$((i+1)); done".to_owned(), "more than 1000"),
        (python("b = bytearray(3 << 30)"), "cannot be built"),
    ];
    let zipped = builds.each_ref().map(|(build, _)| {
        let list = format!("[bot]\n{program}\nbuild = {build:?}\n");
        zip(&[("bots.toml", &list), ("bot.sh", "exit 1\n")])
    });
    for files in &zipped {
        assert_eq!(server.hand_in(&ada, "", files).status, 201);
    }
    for ((build, why), files) in builds.iter().zip(&zipped) {
        // The same files again are the same version.
        let checked = server.hand_in_and_wait(&ada, files);
        assert_eq!(checked["stage"], "failed", "{build}");
        let log = checked["log"].as_str().unwrap();
        assert!(log.contains(*why), "{build}: {log}");
    }
    // The host is still alive, and none of their processes is.
    assert_eq!(server.get("/").status, 200);
}

/// Returns a module that goes up until it hits a wall, which is legal.
pub(crate) fn module_going_up() -> Vec<u8> {
    wat::parse_str(
        r#"(module
          (memory (export "memory") 1)
          (data (i32.const 64) "U")
          (func (export "alloc") (param i32) (result i32) (i32.const 1024))
          (func (export "decide") (param i32 i32) (result i64)
            (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#,
    )
    .unwrap()
}

#[test]
fn a_module_of_webassembly_is_handed_in_and_plays() {
    let module = module_going_up();
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let checked = server.hand_in_file_and_wait(&ada, "bot.wasm", &module);
    assert_eq!(checked["stage"], "passed", "{checked}");
    server.until("ada is rated", |server| server.get("/").body.contains(">ada<"));
    let broken = server.hand_in_file_and_wait(&ada, "bot.wasm", b"\0asm but no more");
    assert_eq!(broken["stage"], "failed");
}

#[test]
fn a_module_is_built_where_the_contest_says_how_and_refused_before_it_is_built_elsewhere() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    quintain(contest.at(), &["new", "player", "snake", "--game", "tron", "--lang", "python-wasm"]);
    let server = contest.serve();
    let refused = contest.submit(&server, &ada, "snake");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("a WebAssembly module that is not built: build it first"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    drop(server);
    // The stand-in for a compiler takes the module out of its source.
    let file = contest.at().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap();
    let language = "[build.languages.packed]\nshows = [\"module.txt\"]\n\
                    build = \"base64 -d module.txt > bot.wasm\"\nstart = \"bot.wasm\"\n";
    fs::write(&file, format!("{text}\n{language}")).unwrap();
    let server = contest.serve();
    let source = base64::engine::general_purpose::STANDARD.encode(module_going_up());
    let checked = server.hand_in_file_and_wait(&ada, "module.txt", source.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    let log = checked["log"].as_str().unwrap();
    assert!(log.contains("ok  built\n") && log.contains("it is a WebAssembly module"), "{log}");
}
