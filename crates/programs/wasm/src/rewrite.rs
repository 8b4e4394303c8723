//! Replaces instructions whose work is not proportional to the fuel that they burn by calls of
//! functions that burn what they cost.
//!
//! The engine charges one unit for every instruction, even for a `memory.fill` of a gigabyte. So
//! fills, copies and initialisations of memory are done in pieces by a loop, and growing memory,
//! which the system is asked for, burns what a system call is worth. A module without such
//! instructions stays as it is. What a module computes does not change. The one exception is an
//! instruction that traps partway: some pieces may already have been written, but no one sees that,
//! since a trap ends the instance.

use std::collections::BTreeMap;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, Function, FunctionSection, Instruction, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, FunctionSectionReader, Operator, Parser,
    TypeSectionReader,
};

/// Bytes that are filled or copied at once: some hundred nanoseconds of work.
const PIECE: i32 = 4096;
/// Iterations of an empty loop before memory is grown; each burns four units.
const GROWTH: i32 = 250;

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
            Bulk::Grow => Function::new([(1, ValType::I32)]),
            _ => Function::new([]),
        };
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

/// Local 0 is the number of pages, local 1 a counter.
fn burn_and_grow(code: &mut Function) {
    let mut code = code.instructions();
    code.i32_const(GROWTH).local_set(1);
    code.loop_(BlockType::Empty);
    code.local_get(1).i32_const(1).i32_sub().local_tee(1).br_if(0).end();
    code.local_get(0).memory_grow(0);
}

/// Locals 0 and 1 hold addresses, or an address and a value; local 2 holds the number of bytes
/// left. `moving` lists the locals that advance with every piece.
fn in_pieces(code: &mut Function, moving: &[u32], piece: impl Fn(&mut Function)) {
    code.instructions().block(BlockType::Empty).loop_(BlockType::Empty);
    code.instructions().local_get(2).i32_const(PIECE).i32_le_u().br_if(1);
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
    let mut code = code.instructions();
    code.block(BlockType::Empty).loop_(BlockType::Empty);
    code.local_get(2).i32_const(PIECE).i32_le_u().br_if(1);
    code.local_get(2).i32_const(PIECE).i32_sub().local_set(2);
    code.local_get(0).local_get(2).i32_add();
    code.local_get(1).local_get(2).i32_add();
    code.i32_const(PIECE).memory_copy(0, 0);
    code.br(0).end().end();
    code.local_get(0).local_get(1).local_get(2).memory_copy(0, 0);
}

/// Replaces the bulk instructions of a valid module; `functions` is the number of its functions,
/// including imported ones, and `types` the number of its types.
pub(crate) fn rewrite(
    bytes: &[u8],
    bulk: &[Bulk],
    types: u32,
    functions: u32,
) -> Result<Vec<u8>, String> {
    let numbered = (functions..).zip(bulk).map(|(number, bulk)| (*bulk, number));
    let mut rewriter = Rewriter { types, functions: numbered.collect() };
    let mut module = wasm_encoder::Module::new();
    rewriter
        .parse_core_module(&mut module, Parser::new(0), bytes)
        .map_err(|error: Error| error.to_string())?;
    Ok(module.finish())
}

struct Rewriter {
    /// The number of types before ours.
    types: u32,
    /// The function of each instruction that is replaced.
    functions: BTreeMap<Bulk, u32>,
}

impl Reencode for Rewriter {
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

    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error> {
        match Bulk::of(&operator).and_then(|bulk| self.functions.get(&bulk)) {
            Some(number) => Ok(Instruction::Call(*number)),
            None => utils::instruction(self, operator),
        }
    }

    fn parse_custom_section(
        &mut self,
        _: &mut wasm_encoder::Module,
        _: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        // Custom sections hold names and line tables, nothing that runs.
        Ok(())
    }
}

impl Rewriter {
    /// The replaced instructions, in the order of their functions' numbers.
    fn ours(&self) -> Vec<Bulk> {
        let mut ours: Vec<(u32, Bulk)> =
            self.functions.iter().map(|(bulk, number)| (*number, *bulk)).collect();
        ours.sort_unstable();
        ours.into_iter().map(|(_, bulk)| bulk).collect()
    }
}
