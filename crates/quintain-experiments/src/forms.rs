//! The tables that each source prints of a tournament, for reports in the same form.

use quintain_report::{SourceTable, TableKind};

/// The tables of a game's source; none for a game without one.
pub fn source_forms(game: &str) -> &'static [SourceTable] {
    match game {
        "tron" => &[SourceTable {
            title: "Results, as the report prints them",
            table: TableKind::Outcomes,
        }],
        "gather" => &[
            SourceTable {
                title: "Average rounds, board by number of players",
                table: TableKind::Crossed { rows: "board", columns: "players" },
            },
            SourceTable { title: "Rankings, tournament by tournament", table: TableKind::Ranks },
        ],
        "pentocity" => &[
            SourceTable {
                title: "Table 1: average scores of each player on each distribution",
                table: TableKind::Means,
            },
            SourceTable {
                title: "Table 2: score table of 1-vs-1 matches",
                table: TableKind::Duels,
            },
            SourceTable {
                title: "Figure 7: median scores of each player",
                table: TableKind::Medians,
            },
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
