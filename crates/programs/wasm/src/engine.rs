//! The engine: how modules are compiled and what an instance of one costs. Every setting that could
//! make two machines differ is fixed here.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use quintain_core::Fault;
use wasmtime::{
    Config, Engine, InstancePre, Linker, Module, OptLevel, UnknownImportError, WasmBacktraceDetails,
};

use crate::host::Host;
use crate::module::{InspectedModule, Interface, ModuleError, inspect};
use crate::{prices, wasi};

/// Bytes of stack that a module's calls may take, and of the fiber on which they run: the
/// difference is for our functions that they call.
const MODULE_STACK: usize = 512 << 10;
const FIBER_STACK: usize = 1 << 20;

/// A compiled module, from which instances are made.
pub(crate) struct Compiled {
    pub(crate) instance: InstancePre<Host>,
    pub(crate) interface: Interface,
    /// Bytes of linear memory that an instance begins with.
    pub(crate) memory: u64,
    /// The version of the file and of fuel's prices.
    pub(crate) version: u32,
    /// The games that it says it plays, once it has been started; none if it may play any. Or why
    /// it does not start.
    pub(crate) games: OnceLock<Result<Vec<String>, Fault>>,
    /// How many of its matches were given up since its fuel took too long.
    pub(crate) given_up: AtomicU32,
}

/// The linker of this process, with its engine.
fn linker() -> Result<&'static Linker<Host>, ModuleError> {
    static LINKER: OnceLock<Result<Linker<Host>, String>> = OnceLock::new();
    let linker = LINKER.get_or_init(|| {
        let engine = Engine::new(&config()).map_err(|error| error.to_string())?;
        let mut linker = Linker::new(&engine);
        wasi::define(&mut linker).map_err(|error| error.to_string())?;
        Ok(linker)
    });
    linker.as_ref().map_err(|error| ModuleError::Compile(error.clone()))
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .async_support(true)
        // The bits of a NaN that an operation yields depend on the processor.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .max_wasm_stack(MODULE_STACK)
        .async_stack_size(FIBER_STACK)
        // A trap names its function, not its place in the machine code.
        .wasm_backtrace(true)
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .native_unwind_info(cfg!(windows))
        .generate_address_map(false);
    // In a test build the compiler itself is slow; what modules do and burn is the same.
    if cfg!(debug_assertions) {
        config.cranelift_opt_level(OptLevel::None);
    }
    config
}

/// Compiles a module, after checking that it is one that is allowed. `version` gives its version by
/// that of its prices.
pub(crate) fn compile(
    bytes: &[u8],
    version: impl FnOnce(u32) -> u32,
) -> Result<Compiled, ModuleError> {
    let InspectedModule { interface, memory, bytes } = inspect(bytes)?;
    let version = version(prices::VERSION);
    let linker = linker()?;
    let module = Module::new(linker.engine(), &bytes)
        .map_err(|error| ModuleError::Compile(error.root_cause().to_string()))?;
    check_exports(&module, interface)?;
    let instance = linker.instantiate_pre(&module).map_err(|error| {
        match error.downcast_ref::<UnknownImportError>() {
            Some(unknown) => {
                ModuleError::Import(format!("{}.{}", unknown.module(), unknown.name()))
            }
            None => ModuleError::Compile(format!("{error:#}").replace('\n', "; ")),
        }
    })?;
    Ok(Compiled {
        instance,
        interface,
        memory,
        version,
        games: OnceLock::new(),
        given_up: AtomicU32::new(0),
    })
}

/// Checks that the functions of the interface have the right types.
fn check_exports(module: &Module, interface: Interface) -> Result<(), ModuleError> {
    let expected: &[(&str, &str, bool)] = match interface {
        Interface::Program => &[("_start", "() -> ()", true)],
        Interface::Direct => &[("decide", "(i32, i32) -> (i64)", true)],
        Interface::Packed => &[("decide_packed", "(i32, i32) -> (i32)", true)],
    };
    let called: &[(&str, &str, bool)] = match interface {
        Interface::Program => &[],
        Interface::Direct | Interface::Packed => &[
            ("_initialize", "() -> ()", false),
            ("alloc", "(i32) -> (i32)", true),
            ("init", "(i32, i32) -> ()", false),
        ],
    };
    for &(name, expected, needed) in called.iter().chain(expected) {
        let found = match module.get_export(name) {
            Some(export) => export.func().map(describe),
            None if needed => None,
            None => continue,
        };
        if found.as_deref() != Some(expected) {
            let found = found.map_or("no function".to_owned(), |found| found);
            return Err(ModuleError::Export(format!("{name} is {found}, expected {expected}")));
        }
    }
    Ok(())
}

/// A function's type: `(i32, i32) -> (i64)`.
fn describe(function: &wasmtime::FuncType) -> String {
    let list = |types: &mut dyn Iterator<Item = wasmtime::ValType>| {
        types.map(|kind| kind.to_string()).collect::<Vec<_>>().join(", ")
    };
    let (given, back) = (list(&mut function.params()), list(&mut function.results()));
    format!("({given}) -> ({back})")
}
