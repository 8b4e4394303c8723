;; Reads lines: greets, and answers every turn with `U` and a note.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "{\"type\":\"ready\"}\0a")
  (data (i32.const 128) "{\"type\":\"action\",\"action\":\"U\",\"notes\":{\"depth\":3}}\0a")
  (func $say (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start") (local $at i32) (local $kind i32)
    (loop $line
      (local.set $at (i32.const 1024))
      (loop $next
        (i32.store (i32.const 0) (local.get $at))
        (i32.store (i32.const 4) (i32.const 1))
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 10))))
      (local.set $kind (i32.load8_u (i32.const 1033)))
      (if (i32.eq (local.get $kind) (i32.const 104)) (then (call $say (i32.const 64) (i32.const 17))))
      (if (i32.eq (local.get $kind) (i32.const 116)) (then (call $say (i32.const 128) (i32.const 51))))
      (br $line))))
