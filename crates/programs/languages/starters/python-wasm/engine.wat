;; Joins MicroPython (the module "micropython") and the script of a player: exports the functions that
;; quintain calls, and gives MicroPython the functions that it expects of the web page it was made for.
(module
  (import "micropython" "memory" (memory 1))
  (import "micropython" "__indirect_function_table" (table $functions 1 funcref))
  (import "micropython" "__wasm_call_ctors" (func $construct))
  (import "micropython" "malloc" (func $malloc (param i32) (result i32)))
  (import "micropython" "mp_js_init" (func $init_python (param i32 i32)))
  (import "micropython" "proxy_c_init" (func $init_values))
  (import "micropython" "mp_js_do_exec" (func $exec (param i32 i32 i32)))
  (import "micropython" "mp_js_do_import" (func $import (param i32 i32)))
  (import "micropython" "proxy_c_to_js_lookup_attr" (func $lookup (param i32 i32 i32)))
  (import "micropython" "proxy_c_to_js_call" (func $call (param i32 i32 i32 i32)))
  (import "micropython" "emscripten_stack_get_current" (func $get_stack (result i32)))
  (import "micropython" "_emscripten_stack_restore" (func $set_stack (param i32)))
  (import "micropython" "setThrew" (func $set_threw (param i32 i32)))
  (import "micropython" "asyncify_start_unwind" (func $start_unwind (param i32)))
  (import "micropython" "asyncify_stop_unwind" (func $stop_unwind))
  (import "micropython" "asyncify_get_state" (func $is_unwinding (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get"
    (func $clock_time_get (param i32 i64 i32) (result i32)))

  ;; Addresses of the names, and of a value: its kind, a text's length, and the text's address or an object's
  ;; number.
  (global $names (mut i32) (i32.const 0))
  (global $value (mut i32) (i32.const 0))
  ;; Where functions that are unwound save their variables, which nobody reads.
  (global $aside (mut i32) (i32.const 0))
  ;; The number of the function `on_turn`.
  (global $on_turn (mut i32) (i32.const 0))
  (data $names "__main__\00on_start\00on_turn\00")
  (data $script "SCRIPT")

  ;; Starts Python, with 16,384 words for its frames and a megabyte for its objects, which grows.
  (func (export "_initialize")
    (call $construct)
    (global.set $value (call $malloc (i32.const 16)))
    (global.set $aside (call $malloc (i32.const 65544)))
    (global.set $names (call $malloc (i32.const 26)))
    (memory.init $names (global.get $names) (i32.const 0) (i32.const 26))
    (call $init_python (i32.const 16384) (i32.const 1048576))
    (call $init_values))

  ;; Allocates memory for a message; MicroPython frees it once it has read it.
  (func (export "alloc") (param $length i32) (result i32)
    (call $malloc (local.get $length)))

  ;; Runs the script and passes it the beginning of the match.
  (func (export "init") (param $at i32) (param $length i32) (local $script i32) (local $main i32)
    (local.set $script (call $malloc (i32.const LENGTH)))
    (memory.init $script (local.get $script) (i32.const 0) (i32.const LENGTH))
    (call $exec (local.get $script) (i32.const LENGTH) (global.get $value))
    (call $check)
    (call $import (global.get $names) (global.get $value))
    (call $check)
    (local.set $main (i32.load offset=4 (global.get $value)))
    (global.set $on_turn (call $find (local.get $main) (i32.const 18)))
    (call $tell (call $find (local.get $main) (i32.const 9)) (local.get $at) (local.get $length)))

  ;; Answers a turn.
  (func (export "decide") (param $at i32) (param $length i32) (result i64)
    (call $tell (global.get $on_turn) (local.get $at) (local.get $length))
    (i64.or (i64.shl (i64.load32_u offset=8 (global.get $value)) (i64.const 32))
            (i64.load32_u offset=4 (global.get $value))))

  ;; Returns the number of the function whose name is at this offset in $names.
  (func $find (param $main i32) (param $name i32) (result i32)
    (call $lookup (local.get $main) (i32.add (global.get $names) (local.get $name)) (global.get $value))
    (call $check)
    (i32.load offset=4 (global.get $value)))

  ;; Calls a function with a text (a value of kind 5); $value is then what it returned.
  (func $tell (param $function i32) (param $at i32) (param $length i32)
    (i32.store (global.get $value) (i32.const 5))
    (i32.store offset=4 (global.get $value) (local.get $length))
    (i32.store offset=8 (global.get $value) (local.get $at))
    (call $call (local.get $function) (i32.const 1) (global.get $value) (global.get $value))
    (call $check))

  ;; Ends the module if the value is an exception (kind -1), and reports it on standard error. Its text is
  ;; the name of its class, a byte 4, and the lines that Python would print.
  (func $check (local $at i32) (local $end i32)
    (if (i32.ne (i32.load (global.get $value)) (i32.const -1)) (then (return)))
    (local.set $at (i32.load offset=8 (global.get $value)))
    (local.set $end (i32.add (local.get $at) (i32.load offset=4 (global.get $value))))
    (loop $class
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $class (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 4))))
    (i32.store (global.get $value) (local.get $at))
    (i32.store offset=4 (global.get $value) (i32.sub (local.get $end) (local.get $at)))
    (drop (call $fd_write (i32.const 2) (global.get $value) (i32.const 1)
      (i32.add (global.get $value) (i32.const 8))))
    unreachable)

  ;; MicroPython raises with C's longjmp; a web page throws a JavaScript exception for it. Here functions
  ;; are unwound one after the other, which Asyncify has made possible, up to the one of INVOKES that called
  ;; the first of them; that one then notes that something was raised.
  (func (export "_emscripten_throw_longjmp")
    (i32.store (global.get $aside) (i32.add (global.get $aside) (i32.const 8)))
    (i32.store offset=4 (global.get $aside) (i32.add (global.get $aside) (i32.const 65544)))
    (call $start_unwind (global.get $aside)))
  (func $land (param $stack i32)
    (call $stop_unwind)
    (call $set_stack (local.get $stack))
    (call $set_threw (i32.const 1) (i32.const 0)))
  INVOKES

  (func (export "emscripten_resize_heap") (param $bytes i32) (result i32) (local $pages i32)
    (local.set $pages (i32.shr_u (i32.add (local.get $bytes) (i32.const 65535)) (i32.const 16)))
    (i32.ne (i32.const -1) (memory.grow (i32.sub (local.get $pages) (memory.size)))))
  (func $milliseconds (export "mp_js_time_ms") (result f64)
    (drop (call $clock_time_get (i32.const 0) (i64.const 0) (global.get $value)))
    (f64.div (f64.convert_i64_u (i64.load (global.get $value))) (f64.const 1e6)))
  (func (export "mp_js_ticks_ms") (result i32)
    (i32.wrap_i64 (i64.trunc_f64_u (call $milliseconds))))
  ;; The generator is seeded by the script.
  (func (export "mp_js_random_u32") (result i32) (i32.const 0))
  (func (export "_abort_js") unreachable)

  ;; There are no files: error 44.
  (func (export "__syscall_chdir") (export "__syscall_rmdir") (param i32) (result i32) (i32.const -44))
  (func (export "__syscall_fstat64") (export "__syscall_getcwd") (export "__syscall_lstat64")
    (export "__syscall_stat64") (param i32 i32) (result i32) (i32.const -44))
  (func (export "__syscall_getdents64") (export "__syscall_mkdirat") (export "__syscall_poll")
    (export "__syscall_statfs64") (export "__syscall_unlinkat")
    (param i32 i32 i32) (result i32) (i32.const -44))
  (func (export "__syscall_newfstatat") (export "__syscall_openat") (export "__syscall_renameat")
    (param i32 i32 i32 i32) (result i32) (i32.const -44))

  ;; There is no JavaScript, so no JavaScript object stands for a Python one; any other call ends the module.
  (func (export "js_check_existing") (param i32) (result i32) (i32.const -1))
  (func (export "js_get_proxy_js_ref_info") (export "proxy_js_free_obj")
    (export "proxy_convert_mp_to_js_then_js_to_js_then_js_to_mp_obj_jsside")
    (export "proxy_convert_mp_to_js_then_js_to_mp_obj_jsside") (param i32) unreachable)
  (func (export "call0") (export "create_promise") (export "js_get_iter") (export "js_then_reject")
    (export "js_then_resolve") (param i32 i32) unreachable)
  (func (export "has_attr") (export "js_iter_next") (param i32 i32) (result i32) unreachable)
  (func (export "js_get_error_info") (export "js_subscr_load") (export "js_subscr_store")
    (export "store_attr") (param i32 i32 i32) unreachable)
  (func (export "lookup_attr") (param i32 i32 i32) (result i32) unreachable)
  (func (export "js_reflect_construct") (param i32 i32 i32 i32) unreachable)
  (func (export "call1") (param i32 i32 i32 i32) (result i32) unreachable)
  (func (export "js_then_continue") (param i32 i32 i32 i32 i32) unreachable)
  (func (export "call2") (export "calln") (param i32 i32 i32 i32 i32) (result i32) unreachable)
  (func (export "call0_kwarg") (param i32 i32 i32 i32 i32 i32) unreachable)
  (func (export "calln_kwarg") (param i32 i32 i32 i32 i32 i32 i32 i32) unreachable))
