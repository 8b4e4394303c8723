//! What instructions cost in fuel beyond the one unit that the engine charges for each. The bench
//! `mixes` measures all of them: a unit must not take much longer than in plain arithmetic.

use wasmparser::Operator;

/// The version of these prices. It is a part of every module's version, since a module that runs
/// out of fuel decides differently where fuel buys less.
pub(crate) const VERSION: u32 = 5;

/// The units that writing to memory costs beyond the first.
const STORE: u32 = 8;
/// Bytes that are filled or copied for one unit.
pub(crate) const BYTES_PER_UNIT: u32 = 4;
/// The units that filling or copying costs at least: the engine calls a function of its own.
pub(crate) const BULK: u32 = 120;
/// The units that growing memory costs, since the system is asked for it.
pub(crate) const GROWTH: u32 = 1000;
/// The units for each 4 kB of new memory: the system clears them when they are first touched.
pub(crate) const NEW_MEMORY: u32 = 1000;
/// Bytes of new memory for [`NEW_MEMORY`].
pub(crate) const NEW_BYTES: u64 = 4096;

/// The units that a branch costs which carries so many values to where it leads: each may have to
/// be moved. The first is in the price of the branch.
pub(crate) fn price_of_carrying(values: u32) -> Option<u32> {
    values.checked_sub(1).filter(|units| *units > 0)
}

/// How many values of a function, in its locals and on its stack, a call of it holds for one unit.
/// The engine makes room for all of them, wherever the call leads, and touches every page of that.
const VALUES_PER_UNIT: u64 = 32;

/// The units that entering a function costs which has at most so many values at a time.
pub(crate) fn price_of_frame(values: u64) -> Option<u32> {
    let units = u32::try_from(values / VALUES_PER_UNIT).unwrap_or(u32::MAX);
    Some(units).filter(|units| *units > 0)
}

/// The units that a call through a table costs beyond the first in a module of so many functions.
/// Where it leads cannot be foreseen, and the more functions there are, the farther away is the
/// code of the one that is called.
fn price_of_calling_any(functions: u32) -> u32 {
    10 + (functions / 4).isqrt()
}

/// The units that an instruction costs beyond the first in a module of so many functions.
pub(crate) fn surcharge(operator: &Operator<'_>, functions: u32) -> u32 {
    use Operator as O;
    match operator {
        // Division takes a processor ten to forty cycles, and checks come before it.
        O::I32DivS | O::I32DivU | O::I32RemS | O::I32RemU => 12,
        O::I64DivS | O::I64DivU | O::I64RemS | O::I64RemU => 20,
        O::F32Div | O::F64Div | O::F32Sqrt | O::F64Sqrt => 12,
        O::F32x4Div | O::F64x2Div | O::F32x4Sqrt | O::F64x2Sqrt => 16,
        // Every result that may be a NaN is compared with itself.
        O::F32Add | O::F64Add | O::F32Sub | O::F64Sub | O::F32Mul | O::F64Mul => 3,
        O::F32x4Add | O::F64x2Add | O::F32x4Sub | O::F64x2Sub | O::F32x4Mul | O::F64x2Mul => 4,
        O::F32Min | O::F64Min | O::F32Max | O::F64Max => 6,
        O::F32x4Min | O::F64x2Min | O::F32x4Max | O::F64x2Max => 8,
        O::F32x4PMin | O::F64x2PMin | O::F32x4PMax | O::F64x2PMax => 3,
        O::F32Ceil | O::F64Ceil | O::F32Floor | O::F64Floor => 6,
        O::F32Trunc | O::F64Trunc | O::F32Nearest | O::F64Nearest => 6,
        O::F32x4Ceil | O::F64x2Ceil | O::F32x4Floor | O::F64x2Floor => 6,
        O::F32x4Trunc | O::F64x2Trunc | O::F32x4Nearest | O::F64x2Nearest => 6,
        O::I32TruncF32S | O::I32TruncF32U | O::I32TruncF64S | O::I32TruncF64U => 8,
        O::I64TruncF32S | O::I64TruncF32U | O::I64TruncF64S | O::I64TruncF64U => 8,
        O::I32TruncSatF32S | O::I32TruncSatF32U | O::I32TruncSatF64S | O::I32TruncSatF64U => 8,
        O::I64TruncSatF32S | O::I64TruncSatF32U | O::I64TruncSatF64S | O::I64TruncSatF64U => 8,
        O::F32ConvertI32S | O::F32ConvertI32U | O::F64ConvertI32S | O::F64ConvertI32U => 3,
        O::F32ConvertI64S | O::F32ConvertI64U | O::F64ConvertI64S | O::F64ConvertI64U => 4,
        O::F32DemoteF64 | O::F64PromoteF32 => 3,
        O::I32x4TruncSatF32x4S | O::I32x4TruncSatF32x4U => 10,
        O::I32x4TruncSatF64x2SZero | O::I32x4TruncSatF64x2UZero => 10,
        O::F32x4ConvertI32x4S | O::F32x4ConvertI32x4U => 6,
        O::F64x2ConvertLowI32x4S | O::F64x2ConvertLowI32x4U => 6,
        O::F32x4DemoteF64x2Zero | O::F64x2PromoteLowF32x4 => 4,
        O::I32x4Mul | O::I64x2Mul | O::I8x16Popcnt => 6,
        O::I8x16Shl | O::I8x16ShrS | O::I8x16ShrU | O::I64x2ShrS => 6,
        O::I8x16Swizzle | O::I8x16Shuffle { .. } => 3,
        O::I8x16AllTrue | O::I16x8AllTrue | O::I32x4AllTrue | O::I64x2AllTrue => 4,
        O::I8x16Bitmask | O::I16x8Bitmask | O::I32x4Bitmask | O::I64x2Bitmask => 4,
        O::V128AnyTrue => 4,
        // Where memory is written across two pages, that takes some fifteen times as long as
        // elsewhere, and reading it back as long again. Only the address tells, so all stores cost
        // the same.
        O::I32Store { .. } | O::I64Store { .. } | O::F32Store { .. } | O::F64Store { .. } => STORE,
        O::I32Store8 { .. } | O::I32Store16 { .. } => STORE,
        O::I64Store8 { .. } | O::I64Store16 { .. } | O::I64Store32 { .. } => STORE,
        O::V128Store { .. } | O::V128Store8Lane { .. } | O::V128Store16Lane { .. } => STORE,
        O::V128Store32Lane { .. } | O::V128Store64Lane { .. } => STORE,
        // The engine calls functions of its own.
        O::RefFunc { .. } | O::DataDrop { .. } | O::ElemDrop { .. } => 150,
        O::TableGet { .. } | O::TableSet { .. } => 60,
        O::CallIndirect { .. } | O::ReturnCallIndirect { .. } => price_of_calling_any(functions),
        O::Call { .. } | O::ReturnCall { .. } | O::BrTable { .. } => 2,
        _ => 0,
    }
}
