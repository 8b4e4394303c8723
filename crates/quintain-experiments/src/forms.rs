//! The tables that each source prints of a tournament, for reports in the same form.

use quintain_report::{Form, Table};

/// The tables of a game's source; none for a game without one.
pub fn source_forms(game: &str) -> &'static [Form] {
    match game {
        "tron" => &[Form { title: "Results, as the report prints them", table: Table::Outcomes }],
        "gather" => &[
            Form {
                title: "Average rounds, board by number of players",
                table: Table::Crossed { rows: "board", columns: "players" },
            },
            Form { title: "Rankings, tournament by tournament", table: Table::Ranks },
        ],
        "pentocity" => &[
            Form {
                title: "Table 1: average scores of each player on each distribution",
                table: Table::Means,
            },
            Form { title: "Table 2: score table of 1-vs-1 matches", table: Table::Duels },
            Form { title: "Figure 7: median scores of each player", table: Table::Medians },
        ],
        "hextris" => &[Form { title: "Leaderboard", table: Table::SumOfRanks { over: "game" } }],
        "polymer" => &[Form { title: "Results, run by run", table: Table::Trials }],
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
