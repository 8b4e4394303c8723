//! Where gather is played: the boards of the course, one with a player on every
//! cell, and any other.

use quintain_core::{BuildError, Entry, Scenario, choices, parameters};

use crate::environment::scenario;
use crate::rules::Gather;
use crate::rules::torus::Torus;
use crate::rules::variant::{Diagonals, Variant};

const COURSE: &str = "CS4444 course problem and report, Columbia 2004";

choices! {
    /// The boards of the course, columns × rows, and a larger one.
    enum Board {
        /// 15 × 22.
        Small = "15x22",
        /// 35 × 35.
        Square = "35x35",
        /// 76 × 50.
        Large = "76x50",
        /// 2 × 75.
        Thin = "2x75",
        /// 92 × 1.
        Line = "92x1",
        /// 100 × 100, which the course did not play on.
        Huge = "100x100",
    }
}

impl Board {
    fn torus(self) -> Torus {
        let (width, height) = match self {
            Board::Small => (15, 22),
            Board::Square => (35, 35),
            Board::Large => (76, 50),
            Board::Thin => (2, 75),
            Board::Line => (92, 1),
            Board::Huge => (100, 100),
        };
        Torus { width, height }
    }
}

/// Declares the parameters of a family: where, and what every family can choose.
macro_rules! family {
    (
        $(#[$doc:meta])*
        $name:ident, players = $players:literal, limit = $limit:literal, { $($own:tt)* }
    ) => {
        parameters! {
            $(#[$doc])*
            struct $name {
                $($own)*
                /// N, the number of players. The course played 2, 3, 5 and 9 of a kind, or 2, 3, 5
                /// and 8 mixed.
                players: usize = $players, in 1..=65_535;
                /// Whether several players may start on one cell.
                shared: bool = false;
                /// Whether start cells are marked with their player's unit.
                marked: bool = true;
                /// Whether a player sees itself on its own cell.
                mirror: bool = false;
                /// How the diagonal moves are numbered: row by row (5 NW, 6 NE, 7 SW, 8 SE) or
                /// clockwise (5 NE, 6 SE, 7 SW, 8 NW).
                diagonals: Diagonals = Diagonals::Rows;
                /// Whether each player sees the others under ids of its own, so that nobody knows
                /// true ids.
                masked: bool = true;
                /// The round on which a match is cut off.
                limit: u32 = $limit, in 1..=10_000_000;
            }
        }

        impl $name {
            fn on(&self, torus: Torus) -> Result<Scenario<Gather>, BuildError> {
                let variant = Variant {
                    torus,
                    players: self.players,
                    shared: self.shared,
                    marked: self.marked,
                    mirror: self.mirror,
                    diagonals: self.diagonals,
                    masked: self.masked,
                    limit: self.limit,
                };
                let rules = Gather::new(variant).map_err(|error| error.to_string())?;
                Ok(scenario(rules, None))
            }
        }
    };
}

family! {
    /// A board that the course played on.
    Course, players = 5, limit = 20_000, {
        /// The size of the board, columns × rows.
        board: Board = Board::Small;
    }
}
family! {
    /// Any board.
    Any, players = 3, limit = 20_000, {
        /// L, the columns of the board.
        width: u16 = 8, in 1..=65_535;
        /// W, the rows of the board.
        height: u16 = 6, in 1..=65_535;
    }
}
family! {
    /// A player on every cell.
    Full, players = 165, limit = 200, {
        /// L, the columns of the board.
        width: u16 = 15, in 1..=65_535;
        /// W, the rows of the board.
        height: u16 = 11, in 1..=65_535;
    }
}

/// Registers all scenarios.
pub(crate) fn add_to(entry: Entry<Gather>) -> Entry<Gather> {
    entry
        .scenario(
            "course",
            "one of the course's boards (92×1 to 76×50), or 100×100",
            COURSE,
            |p: &mut Course| p.on(p.board.torus()),
        )
        .scenario(
            "torus",
            "a board of any size, with any number of players up to one per cell",
            COURSE,
            |p: &mut Any| p.on(Torus { width: p.width, height: p.height }),
        )
        .scenario(
            "full",
            "a crowded board: as many players as cells, 165 on 15×11 unless you say otherwise",
            COURSE,
            |p: &mut Full| p.on(Torus { width: p.width, height: p.height }),
        )
}
