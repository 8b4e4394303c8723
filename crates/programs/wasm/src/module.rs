//! A module before it is compiled: whether it is valid, which interface it has, and whether its
//! sizes and instructions are allowed. The same modules are refused on every machine.

use std::collections::BTreeSet;

use wasmparser::{
    Encoding, ExternalKind, Operator, Parser, Payload, TypeRef, Validator, WasmFeatures,
};

use crate::limits::write_memory;
use crate::prices::surcharge;
use crate::rewrite::{Bulk, rewrite};

/// The most bytes of a module's file.
pub(crate) const MAX_BYTES: u64 = 16 << 20;
/// The most bytes of all code, and of one function: this much compiles within seconds.
const MAX_CODE: u64 = 8 << 20;
const MAX_FUNCTION: usize = 512 << 10;
/// The most functions, and elements of all tables.
const MAX_FUNCTIONS: u32 = 50_000;
pub(crate) const MAX_ELEMENTS: u64 = 100_000;
/// The most units of fuel beyond one for each instruction: the compiler meets every one of them.
const MAX_SURCHARGES: u64 = 4_000_000;
/// Bytes of a page of linear memory.
const PAGE: u64 = 64 << 10;

/// The WebAssembly features that modules may use: version 2 without relaxed arithmetic, threads and
/// anything else that differs between machines, plus tail calls.
const FEATURES: WasmFeatures =
    WasmFeatures::WASM2.union(WasmFeatures::TAIL_CALL).union(WasmFeatures::EXTENDED_CONST);

/// Why a module is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModuleError {
    /// The file cannot be read.
    #[error("{file}: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reason.
        problem: String,
    },
    /// The file is not a module at all.
    #[error(
        "this is not a WebAssembly module: it does not begin with \\0asm (wat2wasm makes one from \
         text)"
    )]
    NoModule,
    /// The file is a component of WASI preview 2.
    #[error(
        "this is a component; expected a core module of WASI preview 1, as by --target \
         wasm32-wasi (quintain new player --lang javascript-wasm or python-wasm makes one from a \
         script)"
    )]
    Component,
    /// It breaks the rules of WebAssembly, or uses a feature that is not offered, with the
    /// validator's words.
    #[error("this is not a valid module of WebAssembly 2: {0}")]
    Invalid(String),
    /// It is larger than allowed; says in what.
    #[error("{0}")]
    TooLarge(String),
    /// It uses an instruction that is not offered, with its name.
    #[error("it uses {0}, whose work cannot be counted in fuel; build it without reference types")]
    Instruction(&'static str),
    /// It has none of the interfaces.
    #[error(
        "it exports neither _start (a program of WASI) nor decide or decide_packed (the direct \
         interface); see {}",
        concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/wasm.md")
    )]
    NoInterface,
    /// An export of an interface is missing or has another type; says what was expected.
    #[error("its interface is incomplete: {0}")]
    Export(String),
    /// It imports something that is not offered, with its name.
    #[error("it imports {0}, which is not offered; only WASI preview 1 and quintain.fuel_left are")]
    Import(String),
    /// The engine refuses it.
    #[error("it cannot be compiled: {0}")]
    Compile(String),
}

/// The interface through which a module is addressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interface {
    /// A WASI program, which uses standard input and output.
    Program,
    /// Exported functions, in JSON.
    Direct,
    /// Exported functions, in the game's packed encoding.
    Packed,
}

/// A module that can be compiled.
#[derive(Debug)]
pub(crate) struct InspectedModule {
    pub(crate) interface: Interface,
    /// The bytes of linear memory that it begins with.
    pub(crate) memory: u64,
    /// The bytes to compile.
    pub(crate) bytes: Vec<u8>,
}

/// Checks a module and prices the instructions whose work fuel does not count.
///
/// # Errors
/// [`ModuleError`] for a module that is not allowed to play.
pub(crate) fn inspect(bytes: &[u8]) -> Result<InspectedModule, ModuleError> {
    if !bytes.starts_with(b"\0asm") {
        return Err(ModuleError::NoModule);
    }
    let mut seen = ModuleFeatures::default();
    for payload in Parser::new(0).parse_all(bytes) {
        seen.add(payload.map_err(invalid)?)?;
        seen.check_counts()?;
    }
    Validator::new_with_features(FEATURES).validate_all(bytes).map_err(invalid)?;
    let interface = seen.interface()?;
    let bulk: Vec<Bulk> = seen.bulk.iter().copied().collect();
    let bytes = rewrite(bytes, &bulk, seen.types, seen.functions).map_err(ModuleError::Invalid)?;
    Ok(InspectedModule { interface, memory: seen.memory, bytes })
}

fn invalid(error: wasmparser::BinaryReaderError) -> ModuleError {
    ModuleError::Invalid(error.to_string())
}

fn too_large(what: &str, bytes: u64, most: u64) -> ModuleError {
    let most = write_memory(most);
    ModuleError::TooLarge(format!("{what} of {bytes} bytes; a module may have at most {most}"))
}

/// What has been found in a module.
#[derive(Default)]
struct ModuleFeatures {
    types: u32,
    functions: u32,
    elements: u64,
    memory: u64,
    bulk: BTreeSet<Bulk>,
    /// Units of fuel beyond the first of all slow instructions.
    surcharges: u64,
    has_memory: bool,
    has_start: bool,
    has_alloc: bool,
    has_decide: bool,
    has_decide_packed: bool,
}

impl ModuleFeatures {
    /// Adds what a part of the module has.
    fn add(&mut self, payload: Payload<'_>) -> Result<(), ModuleError> {
        match payload {
            Payload::Version { encoding: Encoding::Component, .. } => {
                return Err(ModuleError::Component);
            }
            Payload::TypeSection(types) => {
                for group in types {
                    self.types += group.map_err(invalid)?.types().len() as u32;
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports {
                    let import = import.map_err(invalid)?;
                    match import.ty {
                        TypeRef::Func(_) => self.functions += 1,
                        _ => {
                            let (module, name) = (import.module, import.name);
                            return Err(ModuleError::Import(format!("{module}.{name}")));
                        }
                    }
                }
            }
            Payload::FunctionSection(functions) => {
                self.functions = self.functions.saturating_add(functions.count());
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    let elements = table.map_err(invalid)?.ty.initial;
                    self.elements = self.elements.saturating_add(elements);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    let pages = memory.map_err(invalid)?.initial;
                    self.memory = self.memory.saturating_add(pages.saturating_mul(PAGE));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export.map_err(invalid)?;
                    self.export(export.name, export.kind);
                }
            }
            Payload::CodeSectionStart { size, .. } if u64::from(size) > MAX_CODE => {
                return Err(too_large("code", size.into(), MAX_CODE));
            }
            Payload::CodeSectionEntry(body) => {
                let length = body.range().len();
                if length > MAX_FUNCTION {
                    return Err(too_large("a function", length as u64, MAX_FUNCTION as u64));
                }
                for operator in body.get_operators_reader().map_err(invalid)? {
                    self.operator(&operator.map_err(invalid)?)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn export(&mut self, name: &str, kind: ExternalKind) {
        match (name, kind) {
            ("memory", ExternalKind::Memory) => self.has_memory = true,
            ("_start", ExternalKind::Func) => self.has_start = true,
            ("alloc", ExternalKind::Func) => self.has_alloc = true,
            ("decide", ExternalKind::Func) => self.has_decide = true,
            ("decide_packed", ExternalKind::Func) => self.has_decide_packed = true,
            _ => {}
        }
    }

    fn operator(&mut self, operator: &Operator<'_>) -> Result<(), ModuleError> {
        let uncounted = match operator {
            Operator::TableFill { .. } => "table.fill",
            Operator::TableCopy { .. } => "table.copy",
            Operator::TableInit { .. } => "table.init",
            Operator::TableGrow { .. } => "table.grow",
            _ => {
                self.bulk.extend(Bulk::of(operator));
                self.surcharges += u64::from(surcharge(operator));
                return Ok(());
            }
        };
        Err(ModuleError::Instruction(uncounted))
    }

    fn check_counts(&self) -> Result<(), ModuleError> {
        if self.surcharges > MAX_SURCHARGES {
            let problem = "it has more divisions and other slow instructions than compile quickly";
            return Err(ModuleError::TooLarge(problem.to_owned()));
        }
        if self.functions > MAX_FUNCTIONS {
            let (functions, most) = (self.functions, MAX_FUNCTIONS);
            let problem = format!("{functions} functions; a module may have at most {most}");
            return Err(ModuleError::TooLarge(problem));
        }
        if self.elements > MAX_ELEMENTS {
            let (elements, most) = (self.elements, MAX_ELEMENTS);
            let problem =
                format!("tables of {elements} elements; a module may have at most {most}");
            return Err(ModuleError::TooLarge(problem));
        }
        Ok(())
    }

    fn interface(&self) -> Result<Interface, ModuleError> {
        let missing = |what: &str| Err(ModuleError::Export(format!("there is no {what}")));
        let interface = match (self.has_decide_packed, self.has_decide, self.has_start) {
            (true, _, _) => Interface::Packed,
            (false, true, _) => Interface::Direct,
            (false, false, true) => Interface::Program,
            (false, false, false) => return Err(ModuleError::NoInterface),
        };
        if !self.has_memory {
            return missing("memory (a linear memory)");
        }
        if interface != Interface::Program && !self.has_alloc {
            return missing("alloc (a function from i32 to i32)");
        }
        Ok(interface)
    }
}
