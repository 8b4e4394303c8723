;; Joins QuickJS (the module "quickjs") and the script of a player: exports the functions that quintain
;; calls, and gives QuickJS the functions that it needs from its host. A number named `value` is the
;; address of a JavaScript value.
(module
  (import "quickjs" "memory" (memory 1))
  (import "quickjs" "wasm_malloc" (func $malloc (param i32) (result i32)))
  (import "quickjs" "wasm_free" (func $free (param i32)))
  (import "quickjs" "qjs_init" (func $qjs_init (result i32)))
  (import "quickjs" "qjs_eval" (func $eval (param i32 i32 i32 i32) (result i32)))
  (import "quickjs" "qjs_call" (func $qjs_call (param i32 i32 i32 i32) (result i32)))
  (import "quickjs" "qjs_new_string" (func $new_string (param i32 i32) (result i32)))
  (import "quickjs" "qjs_get_string_len" (func $get_string (param i32 i32) (result i32)))
  (import "quickjs" "qjs_free_cstring" (func $free_string (param i32)))
  (import "quickjs" "qjs_free_value" (func $free_value (param i32)))
  (import "quickjs" "qjs_get_undefined" (func $undefined (result i32)))
  (import "quickjs" "qjs_get_global" (func $global (result i32)))
  (import "quickjs" "qjs_get_prop_string" (func $get (param i32 i32) (result i32)))
  (import "quickjs" "qjs_set_prop_string" (func $set (param i32 i32 i32) (result i32)))
  (import "quickjs" "qjs_new_host_function" (func $new_function (param i32 i32 i32) (result i32)))
  (import "quickjs" "qjs_is_exception" (func $is_exception (param i32) (result i32)))
  (import "quickjs" "qjs_get_exception" (func $get_exception (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $fd_write (param i32 i32 i32 i32) (result i32)))

  ;; Addresses of the names, the message, the reply and a few numbers, in memory from QuickJS.
  (global $names (mut i32) (i32.const 0))
  (global $message (mut i32) (i32.const 0))
  (global $reply (mut i32) (i32.const 0))
  (global $numbers (mut i32) (i32.const 0))
  (data $names "onStart\00onTurn\00writeError\00stack\00bot.js\00")
  (data $script "SCRIPT")

  ;; Allocates memory for a message.
  (func (export "alloc") (param $length i32) (result i32)
    (call $free (global.get $message))
    (global.set $message (call $malloc (i32.add (local.get $length) (i32.const 1))))
    (global.get $message))

  ;; Starts JavaScript, evaluates the script and passes it the beginning of the match.
  (func (export "init") (param $at i32) (param $length i32) (local $script i32) (local $say i32)
    (if (call $qjs_init) (then unreachable))
    (global.set $numbers (call $malloc (i32.const 16)))
    (global.set $names (call $malloc (i32.const 39)))
    (memory.init $names (global.get $names) (i32.const 0) (i32.const 39))
    (local.set $say (call $new_function
      (i32.add (global.get $names) (i32.const 15)) (i32.const 10) (i32.const 1)))
    (drop (call $set (call $global) (i32.add (global.get $names) (i32.const 15)) (local.get $say)))
    (local.set $script (call $malloc (i32.const LENGTH)))
    (memory.init $script (local.get $script) (i32.const 0) (i32.const LENGTH))
    (call $check (call $eval (local.get $script) (i32.sub (i32.const LENGTH) (i32.const 1))
      (i32.add (global.get $names) (i32.const 32)) (i32.const 0)))
    (call $free (local.get $script))
    (call $free_value (call $tell (i32.const 0) (local.get $at) (local.get $length))))

  ;; Answers a turn.
  (func (export "decide") (param $at i32) (param $length i32) (result i64) (local $value i32)
    (if (global.get $reply) (then (call $free_string (global.get $reply))))
    (local.set $value (call $tell (i32.const 8) (local.get $at) (local.get $length)))
    (global.set $reply (call $get_string (local.get $value) (global.get $numbers)))
    (call $free_value (local.get $value))
    (i64.or (i64.shl (i64.extend_i32_u (global.get $reply)) (i64.const 32))
            (i64.extend_i32_u (i32.load (global.get $numbers)))))

  ;; Calls the function of this name with a text; returns its value.
  (func $tell (param $name i32) (param $at i32) (param $length i32) (result i32)
    (local $function i32) (local $text i32) (local $value i32)
    (local.set $function (call $get (call $global) (i32.add (global.get $names) (local.get $name))))
    (local.set $text (call $new_string (local.get $at) (local.get $length)))
    (i32.store (global.get $numbers) (local.get $text))
    (local.set $value
      (call $qjs_call (local.get $function) (call $undefined) (i32.const 1) (global.get $numbers)))
    (call $check (local.get $value))
    (call $free_value (local.get $function))
    (call $free_value (local.get $text))
    (local.get $value))

  ;; Ends the module if a value is an exception, and reports it on standard error.
  (func $check (param $value i32) (local $exception i32)
    (if (i32.eqz (call $is_exception (local.get $value))) (then (return)))
    (local.set $exception (call $get_exception))
    (call $print (local.get $exception))
    (call $print (call $get (local.get $exception) (i32.add (global.get $names) (i32.const 26))))
    unreachable)

  ;; Writes a value to standard error.
  (func $print (param $value i32) (local $text i32)
    (local.set $text (call $get_string (local.get $value) (i32.add (global.get $numbers) (i32.const 4))))
    (i32.store (global.get $numbers) (local.get $text))
    (drop (call $fd_write (i32.const 2) (global.get $numbers) (i32.const 1)
      (i32.add (global.get $numbers) (i32.const 8))))
    (call $free_string (local.get $text)))

  ;; What QuickJS needs from its host: `writeError` works; the rest does nothing.
  (func (export "host_call") (param i32 i32 i32 i32) (param $arguments i32) (result i32)
    (call $print (i32.load (local.get $arguments)))
    (call $undefined))
  (func (export "host_interrupt") (result i32) (i32.const 0))
  (func (export "host_get_timezone_offset") (param i32 i32) (result i32) (i32.const 0))
  (func (export "host_promise_rejection") (param i32 i32 i32))
  (func (export "host_module_normalize") (param i32 i32) (result i32) (i32.const 0))
  (func (export "host_module_load") (param i32 i32) (result i32) (i32.const 0)))
