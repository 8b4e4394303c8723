//! A position of pentocity, and the possible answers to a request. What is legal and what it earns
//! is in [`crate::rules`].

use quintain_core::choices;
use quintain_grid::Cell;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::board::Board;
use crate::rules::cell_json;
use crate::rules::history::History;
use crate::rules::pieces::Piece;

choices! {
    /// Whose reading of the rules.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Ruleset {
        /// The simulator's: factories earn bonuses too, the two outermost rings need no road.
        Simulator = "simulator",
        /// The report's: residences earn bonuses, only the border needs no road.
        Report = "report",
    }
}

impl Ruleset {
    /// How many of the outermost rings need no road.
    #[inline(always)]
    pub fn rings_without_road(self) -> usize {
        match self {
            Ruleset::Simulator => 2,
            Ruleset::Report => 1,
        }
    }
}

/// The rejection that ends the game.
pub const REJECTIONS: u8 = 3;
/// Points for touching a pond, and for touching a field.
pub const BONUS: u32 = 2;

/// What a player does with a request. Text form `reject`, or rotation, place and cells as in
/// `r2@10,12;road=3,4+3,5;water=5,5;park=6,6+6,7` (row, column); or, for the seat that asks in a
/// duel, the request, such as `X`, `L2` or `3x4`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Move {
    /// Does not build.
    Reject,
    /// Builds.
    Build(Build),
    /// Asks for a building: in a duel, the second seat.
    Ask(#[schemars(with = "String")] Piece),
}

/// A building, and what is laid with it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// How many times the request is turned by 90 degrees.
    pub rotation: u8,
    /// The top left cell of the bounding box: row and column.
    #[serde(with = "cell_json::one")]
    #[schemars(with = "[u8; 2]")]
    pub at: Cell,
    /// Cells of road to lay.
    #[serde(default, with = "cell_json::several")]
    #[schemars(with = "Vec<[u8; 2]>")]
    pub road: Vec<Cell>,
    /// Cells of water to lay.
    #[serde(default, with = "cell_json::several")]
    #[schemars(with = "Vec<[u8; 2]>")]
    pub water: Vec<Cell>,
    /// Cells of park to lay.
    #[serde(default, with = "cell_json::several")]
    #[schemars(with = "Vec<[u8; 2]>")]
    pub park: Vec<Cell>,
}

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub(crate) board: Board,
    pub(crate) request: Option<Piece>,
    pub(crate) rejections: u8,
    pub(crate) totals: Totals,
    /// How often each piece was asked for, by its number.
    pub(crate) seen: [u16; Piece::COUNT],
    /// The scenario has no more requests. Observations do not show it.
    pub(crate) is_exhausted: bool,
    /// For drawings; compares as equal in all positions.
    pub(crate) history: History,
}

/// What was asked for, built and earned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tally")]
pub struct Totals {
    /// Points.
    pub score: u32,
    /// Residences asked for.
    pub residences_asked: u16,
    /// Factories asked for.
    pub factories_asked: u16,
    /// Residences built.
    pub residences: u16,
    /// Factories built.
    pub factories: u16,
    /// Bonuses for ponds.
    pub ponds: u16,
    /// Bonuses for fields.
    pub fields: u16,
}

impl State {
    /// A position in which nothing is built.
    pub fn new(side: usize) -> State {
        State {
            board: Board::new(side),
            request: None,
            rejections: 0,
            totals: Totals::default(),
            seen: [0; Piece::COUNT],
            is_exhausted: false,
            history: History::default(),
        }
    }

    /// The same position, with its buildings kept for drawings from now on.
    pub(crate) fn with_history(mut self) -> State {
        self.history = History::empty();
        self
    }

    /// The position with another board of the same side, for setting up positions.
    pub fn with_board(mut self, board: Board) -> State {
        self.board = board;
        self
    }

    /// The contents of the cells.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The current request; nothing before it is drawn and at the end.
    #[inline(always)]
    pub fn request(&self) -> Option<Piece> {
        self.request
    }

    /// Rejections so far.
    pub fn rejections(&self) -> u8 {
        self.rejections
    }

    /// Whether the third rejection has ended the game.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.rejections >= REJECTIONS
    }

    /// What was asked for, built and earned.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// How often each piece was asked for, by its number, this request included.
    pub fn request_counts(&self) -> &[u16; Piece::COUNT] {
        &self.seen
    }

    /// Requests so far, this one included.
    pub fn requests(&self) -> u32 {
        u32::from(self.totals.residences_asked) + u32::from(self.totals.factories_asked)
    }
}
