//! A module before it is compiled: whether it is valid, which interface it has, and whether its
//! sizes and instructions are allowed. The same modules are refused on every machine.

use std::collections::BTreeSet;

use wasmparser::{
    BlockType, CompositeInnerType, Encoding, ExternalKind, Frame, FrameKind, FuncToValidate,
    FuncValidator, FuncValidatorAllocations, FunctionBody, Operator, OperatorsReader, Parser,
    Payload, TypeRef, ValidPayload, Validator, ValidatorResources, WasmFeatures,
    WasmModuleResources,
};

use crate::limits::write_memory;
use crate::prices::{price_of_carrying, price_of_frame, surcharge};
use crate::rewrite::{Bulk, Rewriting, rewrite};

/// The most bytes of a module's file.
pub(crate) const MAX_BYTES: u64 = 16 << 20;
/// The most bytes of all code, and of one function: this much compiles within seconds.
const MAX_CODE: u64 = 8 << 20;
const MAX_FUNCTION: usize = 512 << 10;
/// The most functions, and elements of all tables.
const MAX_FUNCTIONS: u32 = 50_000;
/// The most types, and global variables: each takes time whenever the module starts.
const MAX_TYPES: usize = 2_000;
const MAX_GLOBALS: u32 = 10_000;
pub(crate) const MAX_ELEMENTS: u64 = 100_000;
/// The most units of fuel beyond one for each instruction: the compiler meets every one of them.
const MAX_SURCHARGES: u64 = 6_000_000;
/// The most work for the compiler in a function, and in all of them: see [`CodeWork`].
const MAX_WORK: u64 = 5_000_000;
const MAX_ALL_WORK: u64 = 4 * MAX_WORK;
/// The square of the number of a function's branches is this many times the work that it makes.
const BRANCHES_SQUARED: u64 = 350;
/// The work of each parameter and result of a call beyond a few.
const CALL_VALUE: u64 = 20;
const FEW_PARAMETERS: u64 = 16;
/// How deep loops may lie within loops: the time to compile them grows with the third power.
const MAX_LOOPS: u32 = 40;
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
    let mut validator = Validator::new_with_features(FEATURES);
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(invalid)?;
        seen.add(&payload)?;
        if let ValidPayload::Func(function, body) = validator.payload(&payload).map_err(invalid)? {
            seen.add_code(function, &body)?;
        }
        seen.check_counts()?;
    }
    let interface = seen.interface()?;
    let rewriting = Rewriting {
        bulk: seen.bulk.iter().copied().collect(),
        types: seen.types.len() as u32,
        functions: seen.functions,
        carried: seen.carried,
    };
    let bytes = rewrite(bytes, &rewriting).map_err(ModuleError::Invalid)?;
    Ok(InspectedModule { interface, memory: seen.memory, bytes })
}

fn invalid(error: wasmparser::BinaryReaderError) -> ModuleError {
    ModuleError::Invalid(error.to_string())
}

/// Whether the innermost block is a loop.
fn is_in_loop(validator: &FuncValidator<ValidatorResources>) -> bool {
    validator.get_control_frame(0).is_some_and(|frame| frame.kind == FrameKind::Loop)
}

/// What a function makes the compiler do. It follows each value, in a local or on the stack,
/// through each piece of code between two branches, and compares branches with each other.
#[derive(Default)]
struct CodeWork {
    values: u64,
    branches: u64,
}

impl CodeWork {
    /// Adds an instruction, before it is validated.
    fn add(
        &mut self,
        operator: &Operator<'_>,
        validator: &FuncValidator<ValidatorResources>,
        types: &[(u32, u32)],
    ) {
        let of_type = |number: u32| types.get(number as usize).copied().unwrap_or_default();
        match operator {
            Operator::Call { function_index: function }
            | Operator::ReturnCall { function_index: function } => {
                let number = validator.resources().type_index_of_function(*function);
                self.add_call(number.map_or((0, 0), of_type));
            }
            Operator::CallIndirect { type_index, .. }
            | Operator::ReturnCallIndirect { type_index, .. } => {
                self.add_call(of_type(*type_index));
            }
            _ => {}
        }
        let branches = count_branches(operator);
        let live = u64::from(validator.len_locals()) + u64::from(validator.operand_stack_height());
        self.branches += branches;
        self.values += branches * live;
    }

    /// Adds a call with so many parameters and results.
    fn add_call(&mut self, (params, results): (u32, u32)) {
        let count = u64::from(params) + u64::from(results);
        self.values += count.saturating_sub(FEW_PARAMETERS) * CALL_VALUE;
    }

    fn total(&self) -> u64 {
        self.values + self.branches * self.branches / BRANCHES_SQUARED
    }
}

/// How many pieces of code begin after an instruction, since it branches or is branched to.
fn count_branches(operator: &Operator<'_>) -> u64 {
    match operator {
        Operator::BrTable { targets } => u64::from(targets.len()) + 1,
        Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::If { .. }
        | Operator::Else
        | Operator::End
        | Operator::Br { .. }
        | Operator::BrIf { .. } => 1,
        _ => 0,
    }
}

fn too_large(what: &str, bytes: u64, most: u64) -> ModuleError {
    let most = write_memory(most);
    ModuleError::TooLarge(format!("{what} of {bytes} bytes; a module may have at most {most}"))
}

/// What has been found in a module.
#[derive(Default)]
struct ModuleFeatures {
    /// The numbers of parameters and results of each type.
    types: Vec<(u32, u32)>,
    functions: u32,
    globals: u32,
    elements: u64,
    memory: u64,
    bulk: BTreeSet<Bulk>,
    /// Units of fuel beyond the first of all slow instructions.
    surcharges: u64,
    /// For each function with code, the units that its branches burn for the values they carry, and
    /// its first instruction for all values of the function, by the number of the instruction.
    carried: Vec<Vec<(u32, u32)>>,
    /// The work of compiling all functions.
    work: u64,
    allocations: FuncValidatorAllocations,
    has_memory: bool,
    has_start: bool,
    has_alloc: bool,
    has_decide: bool,
    has_decide_packed: bool,
}

impl ModuleFeatures {
    /// Adds what a part of the module has.
    fn add(&mut self, payload: &Payload<'_>) -> Result<(), ModuleError> {
        match payload {
            Payload::Version { encoding: Encoding::Component, .. } => {
                return Err(ModuleError::Component);
            }
            Payload::TypeSection(types) => {
                if self.types.len() + types.count() as usize > MAX_TYPES {
                    let problem = format!("a module may have at most {MAX_TYPES} types");
                    return Err(ModuleError::TooLarge(problem));
                }
                for group in types.clone() {
                    for kind in group.map_err(invalid)?.types() {
                        self.types.push(match &kind.composite_type.inner {
                            CompositeInnerType::Func(kind) => {
                                (kind.params().len() as u32, kind.results().len() as u32)
                            }
                            _ => (0, 0),
                        });
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.clone() {
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
            Payload::GlobalSection(globals) => {
                self.globals = self.globals.saturating_add(globals.count());
            }
            Payload::TableSection(tables) => {
                for table in tables.clone() {
                    let elements = table.map_err(invalid)?.ty.initial;
                    self.elements = self.elements.saturating_add(elements);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories.clone() {
                    let pages = memory.map_err(invalid)?.initial;
                    self.memory = self.memory.saturating_add(pages.saturating_mul(PAGE));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports.clone() {
                    let export = export.map_err(invalid)?;
                    self.export(export.name, export.kind);
                }
            }
            Payload::CodeSectionStart { size, .. } if u64::from(*size) > MAX_CODE => {
                return Err(too_large("code", (*size).into(), MAX_CODE));
            }
            Payload::CodeSectionEntry(body) => {
                let length = body.range().len();
                if length > MAX_FUNCTION {
                    return Err(too_large("a function", length as u64, MAX_FUNCTION as u64));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Validates the code of a function, and adds what it has.
    fn add_code(
        &mut self,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'_>,
    ) -> Result<(), ModuleError> {
        let mut validator = function.into_validator(std::mem::take(&mut self.allocations));
        let mut reader = body.get_binary_reader();
        validator.read_locals(&mut reader).map_err(invalid)?;
        let mut reader = OperatorsReader::new(reader);
        let (mut carried, mut work, mut loops, mut number) =
            (Vec::new(), CodeWork::default(), 0, 0);
        let mut deepest = 0;
        while !reader.eof() {
            let (operator, at) = reader.read_with_offset().map_err(invalid)?;
            let values = self.carried_by(&operator, &validator);
            if let Some(units) = values.and_then(price_of_carrying) {
                carried.push((number, units));
                self.surcharges += u64::from(units);
            }
            match operator {
                Operator::Loop { .. } => loops += 1,
                Operator::End => loops -= u32::from(is_in_loop(&validator)),
                _ => {}
            }
            if loops > MAX_LOOPS {
                let problem =
                    format!("loops within loops, {loops} deep; a module may have {MAX_LOOPS}");
                return Err(ModuleError::TooLarge(problem));
            }
            work.add(&operator, &validator, &self.types);
            validator.op(at, &operator).map_err(invalid)?;
            deepest = deepest.max(validator.operand_stack_height());
            self.operator(&operator)?;
            number += 1;
        }
        reader.finish().map_err(invalid)?;
        let values = u64::from(validator.len_locals()) + u64::from(deepest);
        if let Some(units) = price_of_frame(values) {
            // The first instruction is an entrance: no branch leads to it.
            match carried.first_mut() {
                Some((0, carrying)) => *carrying += units,
                _ => carried.insert(0, (0, units)),
            }
            self.surcharges += u64::from(units);
        }
        self.allocations = validator.into_allocations();
        self.carried.push(carried);
        self.work += work.total();
        if work.total() > MAX_WORK || self.work > MAX_ALL_WORK {
            let problem = "it has more branches and local variables in its functions than compile \
                           quickly";
            return Err(ModuleError::TooLarge(problem.to_owned()));
        }
        Ok(())
    }

    /// How many values an instruction carries to where it leads; `None` if it leads on to the next.
    fn carried_by(
        &self,
        operator: &Operator<'_>,
        validator: &FuncValidator<ValidatorResources>,
    ) -> Option<u32> {
        let label = |frame: &Frame| {
            let (params, results) = self.arity(frame.block_type);
            if frame.kind == FrameKind::Loop { params } else { results }
        };
        let frame = |depth: u32| validator.get_control_frame(depth as usize);
        match operator {
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                frame(*relative_depth).map(label)
            }
            Operator::BrTable { targets } => frame(targets.default()).map(label),
            Operator::Return => frame(validator.control_stack_height().checked_sub(1)?).map(label),
            // What is on the stack joins with what the other way has left there.
            Operator::Else | Operator::End => frame(0).map(|f| self.arity(f.block_type).1),
            Operator::Loop { blockty } => Some(self.arity(*blockty).0),
            _ => None,
        }
    }

    /// The numbers of parameters and results of a block.
    fn arity(&self, block: BlockType) -> (u32, u32) {
        match block {
            BlockType::Empty => (0, 0),
            BlockType::Type(_) => (0, 1),
            BlockType::FuncType(number) => {
                self.types.get(number as usize).copied().unwrap_or_default()
            }
        }
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
                self.surcharges += u64::from(surcharge(operator, self.functions));
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
        if self.globals > MAX_GLOBALS {
            let (globals, most) = (self.globals, MAX_GLOBALS);
            let problem = format!("{globals} global variables; a module may have at most {most}");
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
