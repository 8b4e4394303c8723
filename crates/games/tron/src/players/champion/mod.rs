//! The champion: the strongest engine here.
//!
//! Principal-variation search with iterative deepening and a transposition table over an evaluation
//! of chambers ([`chambers`]), on bit boards of the smallest width that fits the board. A small
//! network may value positions in place of a weighted sum ([`network`]). Once the players are
//! apart, the champion looks for the longest path through its own space ([`filling`]). Positions in
//! which more than two players can come near each other have their own search, one player after
//! another ([`melee`]).

pub(crate) mod chambers;
mod filling;
pub(crate) mod holding;
pub(crate) mod melee;
pub(crate) mod network;
pub(crate) mod odds;
mod search;
pub(crate) mod settings;
mod table;
mod walk;

use self::melee::Melee;
use self::search::Engine;
use self::settings::Settings;
use super::duel::{Choice, Duel, Order};

/// The engine, with what it remembers between the moves of one match.
pub(crate) struct Champion {
    engine: Option<Fitted>,
    settings: Settings,
}

/// The engine for the width of the board at hand.
enum Fitted {
    Of16(Box<Engine<u16, 16>>),
    Of32(Box<Engine<u32, 32>>),
    Of64(Box<Engine<u64, 64>>),
    Of128(Box<Engine<u128, 128>>),
}

impl Fitted {
    /// The side, in cells, of the largest board that it can take.
    fn widest(&self) -> usize {
        match self {
            Fitted::Of16(_) => 16,
            Fitted::Of32(_) => 32,
            Fitted::Of64(_) => 64,
            Fitted::Of128(_) => 128,
        }
    }
}

impl Champion {
    /// Creates an engine that has seen no position yet.
    pub(crate) fn new(settings: Settings) -> Champion {
        Champion { engine: None, settings }
    }

    /// Decides for a seat. `spend` is called once per node and returns whether to go on; when it
    /// counts nodes, the same calls on a new champion give the same choices.
    pub(crate) fn choose(
        &mut self,
        duel: &Duel,
        seat: usize,
        spend: &mut dyn FnMut() -> bool,
    ) -> Choice {
        let duel = duel.put_first(seat);
        match self.fitted(duel.height.max(duel.width), duel.order) {
            Fitted::Of16(engine) => engine.choose(&duel, spend),
            Fitted::Of32(engine) => engine.choose(&duel, spend),
            Fitted::Of64(engine) => engine.choose(&duel, spend),
            Fitted::Of128(engine) => engine.choose(&duel, spend),
        }
    }

    /// Decides for the first head of a position with more than two.
    pub(crate) fn choose_among(
        &mut self,
        melee: &Melee,
        spend: &mut dyn FnMut() -> bool,
    ) -> Choice {
        if let Some(duel) = melee.duel() {
            return self.choose(&duel, 0, spend);
        }
        match self.fitted(melee.height.max(melee.width), melee.order) {
            Fitted::Of16(engine) => engine.choose_among(melee, spend),
            Fitted::Of32(engine) => engine.choose_among(melee, spend),
            Fitted::Of64(engine) => engine.choose_among(melee, spend),
            Fitted::Of128(engine) => engine.choose_among(melee, spend),
        }
    }

    /// Returns the engine for boards with a side of this many cells. A referee may show a larger
    /// board than before; then everything remembered is discarded.
    fn fitted(&mut self, side: usize, order: Order) -> &mut Fitted {
        self.engine.take_if(|engine| engine.widest() < side);
        let settings = &self.settings;
        self.engine.get_or_insert_with(|| {
            let in_turn = order == Order::InTurn;
            match side {
                0..=16 => Fitted::Of16(Box::new(Engine::new(settings, in_turn))),
                17..=32 => Fitted::Of32(Box::new(Engine::new(settings, in_turn))),
                33..=64 => Fitted::Of64(Box::new(Engine::new(settings, in_turn))),
                _ => Fitted::Of128(Box::new(Engine::new(settings, in_turn))),
            }
        })
    }
}
