//! Modules written in the text format, and matches in which they play tron.

#![allow(dead_code, reason = "every test takes what it needs of it")]

use std::path::PathBuf;
use std::sync::Arc;

use quintain_core::{Catalog, Fault, Record, Setup, SpecError};
use quintain_wasm::Modules;
use tempfile::TempDir;

/// A program that communicates by lines: it answers `hello` with `ready`, and a turn with an action
/// chosen by a random number. `before` runs before the first line, `turn` on every turn.
pub fn program(imports: &str, before: &str, turn: &str, more: &str) -> String {
    format!(
        r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  {imports}
  (memory (export "memory") 2)
  (data (i32.const 64) "{{\"type\":\"ready\",\"name\":\"text\"}}\0a")
  (data (i32.const 128)
    "{{\"type\":\"action\",\"action\":\"U\",\"notes\":{{\"seen\":3,\"fuel\":1}}}}\0a")
  (data (i32.const 256) "URDL")
  {more}
  ;; Reads a line to 1024 and says how long it is.
  (func $line (result i32) (local $at i32)
    (local.set $at (i32.const 1024))
    (loop $next
      (i32.store (i32.const 0) (local.get $at))
      (i32.store (i32.const 4) (i32.const 1))
      (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 10))))
    (i32.sub (local.get $at) (i32.const 1024)))
  (func $write (param $file i32) (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (local.get $file) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start") (local $kind i32)
    {before}
    (loop $next
      (drop (call $line))
      (local.set $kind (i32.load8_u (i32.const 1033)))
      (if (i32.eq (local.get $kind) (i32.const 104))
        (then (call $write (i32.const 1) (i32.const 64) (i32.const 31))))
      (if (i32.eq (local.get $kind) (i32.const 116))
        (then
          (drop (call $random (i32.const 16) (i32.const 1)))
          (i32.store8 (i32.const 155) (i32.load8_u
            (i32.add (i32.const 256) (i32.and (i32.load8_u (i32.const 16)) (i32.const 3)))))
          {turn}
          (call $write (i32.const 1) (i32.const 128) (i32.const 59))))
      (br $next))))"#
    )
}

/// A module that is called, whose `decide` first runs this code and then returns its reply.
pub fn direct(decide: &str, more: &str) -> String {
    format!(
        r#"(module
  (memory (export "memory") 1)
  (data (i32.const 64) "U")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  {more}
  (func (export "decide") (param i32 i32) (result i64)
    {decide}
    ;; One byte at 64.
    (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#
    )
}

/// A folder of modules, and a catalog of tron with them.
pub struct Bench {
    folder: TempDir,
    pub catalog: Catalog,
}

impl Default for Bench {
    fn default() -> Self {
        Bench {
            folder: tempfile::tempdir().unwrap(),
            catalog: Catalog::new()
                .with(quintain_tron::entry())
                .with_external(Arc::new(Modules::new())),
        }
    }
}

impl Bench {
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a module given in the text format. Returns the text that names it as a player.
    pub fn player(&self, name: &str, text: &str) -> String {
        let bytes = wat::parse_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        format!("wasm:{}", self.write(&format!("{name}.wasm"), &bytes).display())
    }

    pub fn play(&self, players: [&str; 2], setup: &Setup) -> Result<Record, SpecError> {
        let game = self.catalog.game("tron", "hackerrank")?;
        let players: Vec<_> = players
            .iter()
            .map(|player| self.catalog.player("tron", player))
            .collect::<Result<_, _>>()?;
        game.play(setup, &players.iter().collect::<Vec<_>>(), None)
    }

    /// The record of a match against a player of the roster, with notes.
    pub fn record(&self, player: &str, seed: u64) -> Record {
        let setup = Setup::new(seed).with_notes(true);
        self.play([player, "random"], &setup).unwrap()
    }

    /// The fault of a module at seat 0.
    pub fn fault(&self, player: &str) -> Fault {
        let fault = self.record(player, 1).outcome.fault.expect("a fault");
        assert_eq!(fault.seat.index(), 0, "{fault:?}");
        fault.fault
    }

    /// Why a player is refused.
    pub fn refusal(&self, player: &str) -> String {
        let refused = self.catalog.player("tron", player).map(|_| ());
        refused.expect_err("a refusal").to_string()
    }
}
