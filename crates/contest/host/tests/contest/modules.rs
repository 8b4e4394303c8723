//! WebAssembly modules as programs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::setup::{Contest, zip};

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
fn a_module_is_handed_in_and_plays() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let checked = server.hand_in_file_and_wait(&ada, "bot.wasm", &module_going_up());
    assert_eq!(checked["stage"], "passed", "{checked}");
    server.until("ada is rated", |server| server.get("/").body.contains(">ada<"));
    let broken = server.hand_in_file_and_wait(&ada, "bot.wasm", b"\0asm but no more");
    assert_eq!(broken["stage"], "failed");
}

#[test]
fn a_module_that_needs_too_much_memory_gets_no_advice_that_its_author_cannot_follow() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let text = "(module (memory (export \"memory\") 16384)
                  (func (export \"alloc\") (param i32) (result i32) (i32.const 0))
                  (func (export \"decide\") (param i32 i32) (result i64) (i64.const 0)))";
    let checked = server.hand_in_file_and_wait(&ada, "bot.wasm", &wat::parse_str(text).unwrap());
    let log = checked["log"].as_str().unwrap();
    assert!(log.contains("1GB of memory but may have only 512MB, as all modules"), "{log}");
    assert!(!log.contains("?memory"), "{log}");
}

#[test]
fn a_module_is_built_where_host_toml_says_how_and_must_be_built_before_elsewhere() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let sources =
        zip(&[("bot.py", "#"), ("engine.py", "#"), ("engine.wat", "()"), ("build.js", "//")]);
    let refused = server.hand_in(&ada, "", &sources);
    assert_eq!(refused.status, 422);
    let why = "a WebAssembly module that is not built: build it first";
    assert!(refused.body.contains(why), "{}", refused.body);
    assert_eq!(refused.body.lines().count(), 1, "{}", refused.body);
    drop(server);
    // A stand-in for a compiler takes the module out of its source.
    contest.append(
        "[build.languages.packed]\nshows = [\"module.txt\"]\n\
         build = \"base64 -d module.txt > bot.wasm\"\nstart = \"bot.wasm\"\n",
    );
    let server = contest.serve();
    let source = STANDARD.encode(module_going_up());
    let checked = server.hand_in_file_and_wait(&ada, "module.txt", source.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    let log = checked["log"].as_str().unwrap();
    assert!(log.contains("ok  built\n") && log.contains("it is a WebAssembly module"), "{log}");
}
