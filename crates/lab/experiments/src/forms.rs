//! The tables that each game's source prints of a tournament, for reports in the same form.

use quintain_report::{SourceTable, TableKind};

/// The tables of a game's source; empty for a game without one.
pub fn source_forms(game: &str) -> &'static [SourceTable] {
    match game {
        "tron" => &[SourceTable { title: "Won, drawn and lost", table: TableKind::Outcomes }],
        "gather" => &[
            SourceTable {
                title: "Average rounds, board by number of players",
                table: TableKind::Crossed { rows: "board", columns: "players" },
            },
            SourceTable { title: "Rankings, tournament by tournament", table: TableKind::Ranks },
        ],
        "pentocity" => &[
            SourceTable {
                title: "Average scores of each player on each distribution",
                table: TableKind::Means,
            },
            SourceTable { title: "Seeds won against each other", table: TableKind::Duels },
            SourceTable { title: "Median scores of each player", table: TableKind::Medians },
        ],
        "hextris" => {
            &[SourceTable { title: "Leaderboard", table: TableKind::SumOfRanks { over: "game" } }]
        }
        "polymer" => &[SourceTable { title: "Results, run by run", table: TableKind::Trials }],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_source_has_a_form() {
        for source in crate::SOURCES {
            assert!(!super::source_forms(source.name).is_empty(), "{}", source.name);
        }
        assert!(super::source_forms("connect-four").is_empty());
    }
}
