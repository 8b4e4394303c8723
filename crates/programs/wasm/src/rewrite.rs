//! Makes the fuel that instructions burn proportional to their work.
//!
//! The engine charges one unit for every instruction: for a division as for a sum, and even for a
//! `memory.fill` of a gigabyte. So instructions that take long get padding, a constant that is
//! dropped for each further unit: the engine counts it and makes no code of it. Fills, copies and
//! initialisations of memory become calls of functions that work in pieces and burn their price;
//! growing memory burns what a system call and the new pages are worth. [`crate::prices`] has the
//! prices. What a module computes does not change. The one exception is an instruction that traps
//! partway: some pieces may already have been written, but no one sees that, since a trap ends the
//! instance.

use std::collections::BTreeMap;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, Function, FunctionSection, Instruction, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, FunctionBody, FunctionSectionReader, Operator, Parser,
    TypeSectionReader,
};

use crate::prices::{BULK, BYTES_PER_UNIT, GROWTH, NEW_BYTES, NEW_MEMORY, surcharge};

/// Bytes that are filled or copied at once, a power of two.
const PIECE: i32 = 4096;
/// The smallest number of bytes whose price is not the least.
const SMALL: i32 = 64;
/// Bytes of a page of linear memory.
const PAGE: u64 = 64 << 10;

/// An instruction that is replaced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Bulk {
    Grow,
    Fill,
    Copy,
    Init { data: u32 },
}

impl Bulk {
    /// Returns which replaced instruction this operator is, if any.
    pub(crate) fn of(operator: &Operator<'_>) -> Option<Bulk> {
        match operator {
            Operator::MemoryGrow { .. } => Some(Bulk::Grow),
            Operator::MemoryFill { .. } => Some(Bulk::Fill),
            Operator::MemoryCopy { .. } => Some(Bulk::Copy),
            Operator::MemoryInit { data_index, .. } => Some(Bulk::Init { data: *data_index }),
            _ => None,
        }
    }

    /// Its replacement function, which takes the same arguments as the instruction.
    fn function(self) -> Function {
        let mut code = match self {
            Bulk::Grow => Function::new([(2, ValType::I32)]),
            _ => Function::new([]),
        };
        if self != Bulk::Grow {
            charge_rest(&mut code);
        }
        match self {
            Bulk::Grow => burn_and_grow(&mut code),
            Bulk::Fill => in_pieces(&mut code, &[0], |code| {
                code.instructions().memory_fill(0);
            }),
            Bulk::Init { data } => in_pieces(&mut code, &[0, 1], |code| {
                code.instructions().memory_init(0, data);
            }),
            Bulk::Copy => {
                // Forward if the source lies behind the target, backward if it lies before it: an
                // earlier piece must not overwrite what is still to be copied.
                code.instructions().local_get(0).local_get(1).i32_gt_u().if_(BlockType::Empty);
                copy_backward(&mut code);
                code.instructions().else_();
                in_pieces(&mut code, &[0, 1], |code| {
                    code.instructions().memory_copy(0, 0);
                });
                code.instructions().end();
            }
        }
        code.instructions().end();
        code
    }
}

/// Burns units without doing anything, in a function that has a local: the engine makes no code of
/// a value that is dropped.
fn charge(code: &mut Function, units: u32) {
    for _ in 0..units {
        code.instructions().local_get(0).drop();
    }
}

/// Burns what the bytes beyond the last whole piece cost; local 2 holds the number of bytes.
fn charge_rest(code: &mut Function) {
    charge(code, BULK);
    code.instructions().local_get(2).i32_const(SMALL).i32_ge_u().if_(BlockType::Empty);
    let mut bytes = PIECE / 2;
    while bytes >= SMALL {
        code.instructions().local_get(2).i32_const(bytes).i32_and().if_(BlockType::Empty);
        charge(code, bytes as u32 / BYTES_PER_UNIT);
        code.instructions().end();
        bytes /= 2;
    }
    code.instructions().end();
}

/// Local 0 is the number of pages, local 1 what growing returned, local 2 a counter.
fn burn_and_grow(code: &mut Function) {
    charge(code, GROWTH);
    code.instructions().local_get(0).memory_grow(0).local_tee(1);
    // Memory that was refused costs nothing more; nor does none.
    code.instructions().i32_const(-1).i32_ne().local_get(0).i32_const(0).i32_ne().i32_and();
    code.instructions().if_(BlockType::Empty);
    code.instructions().local_get(0).i32_const((PAGE / NEW_BYTES) as i32).i32_mul().local_set(2);
    code.instructions().loop_(BlockType::Empty);
    charge(code, NEW_MEMORY);
    code.instructions().local_get(2).i32_const(1).i32_sub().local_tee(2).br_if(0).end().end();
    code.instructions().local_get(1);
}

/// Locals 0 and 1 hold addresses, or an address and a value; local 2 holds the number of bytes
/// left. `moving` lists the locals that advance with every piece.
fn in_pieces(code: &mut Function, moving: &[u32], piece: impl Fn(&mut Function)) {
    code.instructions().block(BlockType::Empty).loop_(BlockType::Empty);
    code.instructions().local_get(2).i32_const(PIECE).i32_lt_u().br_if(1);
    charge(code, PIECE as u32 / BYTES_PER_UNIT);
    code.instructions().local_get(0).local_get(1).i32_const(PIECE);
    piece(code);
    for local in moving {
        code.instructions().local_get(*local).i32_const(PIECE).i32_add().local_set(*local);
    }
    code.instructions().local_get(2).i32_const(PIECE).i32_sub().local_set(2);
    code.instructions().br(0).end().end();
    code.instructions().local_get(0).local_get(1).local_get(2);
    piece(code);
}

/// Copies from the last piece to the first, with locals as in `in_pieces`.
fn copy_backward(code: &mut Function) {
    code.instructions().block(BlockType::Empty).loop_(BlockType::Empty);
    code.instructions().local_get(2).i32_const(PIECE).i32_lt_u().br_if(1);
    charge(code, PIECE as u32 / BYTES_PER_UNIT);
    code.instructions().local_get(2).i32_const(PIECE).i32_sub().local_set(2);
    code.instructions().local_get(0).local_get(2).i32_add();
    code.instructions().local_get(1).local_get(2).i32_add();
    code.instructions().i32_const(PIECE).memory_copy(0, 0);
    code.instructions().br(0).end().end();
    code.instructions().local_get(0).local_get(1).local_get(2).memory_copy(0, 0);
}

/// What is known of a module that is to be rewritten.
pub(crate) struct Rewriting {
    /// The instructions to be replaced.
    pub(crate) bulk: Vec<Bulk>,
    /// The number of its types.
    pub(crate) types: u32,
    /// The number of its functions, including imported ones.
    pub(crate) functions: u32,
    /// For each function with code, the units that its branches burn for the values they carry, and
    /// its first instruction for all values of the function, by the number of the instruction.
    pub(crate) carried: Vec<Vec<(u32, u32)>>,
}

/// Prices the instructions of a valid module.
pub(crate) fn rewrite(bytes: &[u8], known: &Rewriting) -> Result<Vec<u8>, String> {
    let numbered = (known.functions..).zip(&known.bulk).map(|(number, bulk)| (*bulk, number));
    let mut rewriter = Rewriter {
        types: known.types,
        all_functions: known.functions,
        functions: numbered.collect(),
        carried: known.carried.iter(),
    };
    let mut module = wasm_encoder::Module::new();
    rewriter
        .parse_core_module(&mut module, Parser::new(0), bytes)
        .map_err(|error: Error| error.to_string())?;
    Ok(module.finish())
}

struct Rewriter<'a> {
    /// The number of types before ours.
    types: u32,
    /// The number of the module's own functions.
    all_functions: u32,
    /// The function of each instruction that is replaced.
    functions: BTreeMap<Bulk, u32>,
    /// What the branches of the functions to come burn.
    carried: std::slice::Iter<'a, Vec<(u32, u32)>>,
}

impl Reencode for Rewriter<'_> {
    type Error = std::convert::Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([ValType::I32], [ValType::I32]);
        types.ty().function([ValType::I32; 3], []);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_function_section(self, functions, section)?;
        for bulk in self.ours() {
            functions.function(self.types + u32::from(bulk != Bulk::Grow));
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_code_section(self, code, section)?;
        for bulk in self.ours() {
            code.function(&bulk.function());
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut reader = body.get_operators_reader()?;
        let mut carried = self.carried.next().into_iter().flatten().peekable();
        for number in 0.. {
            if reader.eof() {
                break;
            }
            let operator = reader.read()?;
            let carrying = carried.next_if(|(at, _)| *at == number).map_or(0, |(_, units)| *units);
            for _ in 0..surcharge(&operator, self.all_functions) + carrying {
                function.instructions().i32_const(0).drop();
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        Ok(())
    }

    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error> {
        match Bulk::of(&operator).and_then(|bulk| self.functions.get(&bulk)) {
            Some(number) => Ok(Instruction::Call(*number)),
            None => utils::instruction(self, operator),
        }
    }

    fn parse_custom_section(
        &mut self,
        module: &mut wasm_encoder::Module,
        section: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        // Names say where a module trapped. Other custom sections hold line tables and the like,
        // nothing that runs.
        if section.name() == "name" {
            let (name, data) = (section.name().into(), section.data().into());
            module.section(&wasm_encoder::CustomSection { name, data });
        }
        Ok(())
    }
}

impl Rewriter<'_> {
    /// The replaced instructions, in the order of their functions' numbers.
    fn ours(&self) -> Vec<Bulk> {
        let mut ours: Vec<(u32, Bulk)> =
            self.functions.iter().map(|(bulk, number)| (*number, *bulk)).collect();
        ours.sort_unstable();
        ours.into_iter().map(|(_, bulk)| bulk).collect()
    }
}
