//! The points that the sources leave open about the rules, with their readings.

use std::fmt;

use quintain_core::choices;
use schemars::JsonSchema;
use serde::Serialize;

use crate::rules::state::NOBODY;
use crate::rules::torus::Torus;

/// The greatest side of a board.
pub(crate) const MAX_SIDE: u16 = 10_000;
/// The most cells of a board.
pub(crate) const MAX_AREA: usize = 4_000_000;
/// The most words of 64 bits in a position's sets of units, one for each cell and player: as many
/// as the most players need on a board that they fill.
pub(crate) const MAX_WORDS: usize = 160_000_000;

choices! {
    /// How the diagonal moves are numbered; the course gives 0 stay, 1 west, 2 east,
    /// 3 north, 4 south.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Diagonals {
        /// 5 NW, 6 NE, 7 SW, 8 SE.
        Rows = "rows",
        /// 5 NE, 6 SE, 7 SW, 8 NW.
        Clockwise = "clockwise",
    }
}

/// The choices that can be made about the rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The board.
    pub torus: Torus,
    /// N: the number of players and of units.
    pub players: usize,
    /// Whether several may start on one cell; those pool at once.
    pub shared: bool,
    /// Whether a start cell is marked with its player's unit before the first round.
    pub marked: bool,
    /// Whether a player sees itself among the players on its own cell.
    pub mirror: bool,
    /// The numbers of the diagonal moves.
    pub diagonals: Diagonals,
    /// Whether everybody is 0 to itself and sees the others under its own numbers.
    pub masked: bool,
    /// The round on which the match is cut off.
    pub limit: u32,
}

/// What every seat knows before the match, in its JSON form.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Setting {
    /// Columns of the torus (the course's L).
    width: u16,
    /// Rows of the torus (the course's W).
    height: u16,
    /// Players, and units of information (the course's N).
    players: usize,
    /// Several players may start on one cell; they pool at once.
    shared: bool,
    /// A start cell is marked with its player's unit before the first round.
    marked: bool,
    /// A player sees itself among the players on its own cell.
    mirror: bool,
    /// How the diagonal moves are numbered in the course's protocol; here moves have names.
    diagonals: Diagonals,
    /// Each player is 0 to itself and sees the others under its own numbers.
    masked: bool,
    /// The round on which the match is cut off.
    limit: u32,
}

impl Variant {
    pub(crate) fn setting(&self) -> Setting {
        let Variant { torus, players, shared, marked, mirror, diagonals, masked, limit } = *self;
        let Torus { width, height } = torus;
        Setting { width, height, players, shared, marked, mirror, diagonals, masked, limit }
    }
}

/// Why a variant cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VariantError {
    /// A side is zero or too long.
    Side(Torus),
    /// The board has too many cells.
    Area(Torus),
    /// There is no player.
    NoPlayers,
    /// There are more players than cells.
    MoreThanCells {
        /// The players.
        players: usize,
        /// The board.
        torus: Torus,
    },
    /// There are more players than seats can be numbered.
    TooManyPlayers(usize),
    /// What the trails on all cells can show takes too much memory.
    TooMuchToKnow {
        /// The players.
        players: usize,
        /// The board.
        torus: Torus,
    },
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            VariantError::Side(Torus { width, height }) => {
                write!(f, "the board is {width}×{height}; expected sides from 1 to {MAX_SIDE}")
            }
            VariantError::Area(torus) => {
                let (Torus { width, height }, area) = (torus, torus.area());
                write!(f, "{width}×{height} are {area} cells; at most {MAX_AREA} are possible")
            }
            VariantError::NoPlayers => f.write_str("a match needs at least one player"),
            VariantError::MoreThanCells { players, torus } => {
                let (Torus { width, height }, area) = (torus, torus.area());
                write!(f, "{width}×{height} has only {area} cells for {players} players")
            }
            VariantError::TooManyPlayers(players) => {
                write!(f, "{players} players; at most {NOBODY} are possible")
            }
            VariantError::TooMuchToKnow { players, torus: Torus { width, height } } => {
                write!(
                    f,
                    "{players} players on {width}×{height}: what their trails show takes more than \
                     {} MB; expected fewer players or a smaller board",
                    MAX_WORDS * 8 / 1_000_000
                )
            }
        }
    }
}

impl std::error::Error for VariantError {}
