//! Modules of WebAssembly on the command line.

#![cfg(feature = "wasm")]

use crate::place::Place;

/// Always answers U, whatever the game is.
const UP: &str = r#"(module
  (memory (export "memory") 2)
  (data (i32.const 64) "U")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide") (param i32 i32) (result i64)
    (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#;

#[test]
fn a_module_is_checked_at_every_seat_of_each_of_its_games() {
    let place = Place::new();
    std::fs::write(place.path().join("up.wasm"), wat::parse_str(UP).unwrap()).unwrap();
    let said = place.says(&["bot", "check", "wasm:up.wasm", "-s", "tron:hackerrank"]);
    let expected = "ok   tron:hackerrank as seat 0\nok   tron:hackerrank as seat 1\n\
                    the module is ready for a tournament\n";
    assert_eq!(said, expected);

    let checked = place.run(&["bot", "check", "wasm:up.wasm", "-s", "pentocity:random"]);
    let said = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(1), "{said}");
    assert!(said.starts_with("BAD  pentocity:random as seat 0: illegal"), "{said}");
    let again = said.lines().find_map(|line| line.strip_prefix("     to see it: quintain "));
    let words = shlex::split(again.unwrap_or_else(|| panic!("{said}"))).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert!(place.says(&words).contains("illegal"), "{words:?}");

    for (arguments, expected) in [
        (&["bot", "check", "wasm:none.wasm"][..], "none.wasm"),
        (&["bot", "check", "wasm:up.wasm", "-s", "nowhere"], "no game has the scenario “nowhere”"),
    ] {
        let refused = place.run(arguments);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
