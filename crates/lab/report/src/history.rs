//! What became of a program: a row for each version and opponent, the newest version last.

use quintain_arena::history::{GameHistory, OpponentResult, VersionHistory};
use quintain_stats::WinDrawLoss;

use crate::grid::{Column, for_terminal};
use crate::numbers::{count, format_fixed};

/// What is known about a version besides its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionNote {
    /// When it first played, in words.
    pub when: String,
    /// What it is now, such as the best version.
    pub is: String,
}

/// Renders the last `most` versions of a program in a game, for a terminal of this width. `note`
/// says what else is known about a version.
pub fn render_history(
    history: &GameHistory,
    most: usize,
    note: &dyn Fn(&VersionHistory) -> VersionNote,
    width: Option<usize>,
) -> String {
    let left_out = history.versions.len().saturating_sub(most);
    let shown = &history.versions[left_out..];
    // A comparison without a store keeps its lost matches alone, which count nowhere.
    let is_uncounted = shown.iter().any(|version| version.results.is_empty());
    let rows: Vec<(Option<&VersionHistory>, Option<&OpponentResult>)> = shown
        .iter()
        .flat_map(|version| {
            let none = version.results.is_empty().then_some((Some(version), None));
            let results = version.results.iter().enumerate();
            let rows = results.map(move |(at, one)| ((at == 0).then_some(version), Some(one)));
            rows.chain(none)
        })
        .collect();
    let of_version = |cell: &dyn Fn(&VersionHistory) -> String| -> Vec<String> {
        rows.iter().map(|(version, _)| version.map_or(String::new(), cell)).collect()
    };
    let of_result = |cell: &dyn Fn(&OpponentResult) -> String| -> Vec<String> {
        rows.iter().map(|(_, result)| result.map_or(String::new(), cell)).collect()
    };
    let column = |head: &str, text: bool, weight: Option<u8>, cells: Vec<String>| Column {
        head: head.to_owned(),
        cells,
        text,
        weight,
    };
    let rivals = rows.iter().filter_map(|(_, result)| *result).any(|one| one.games.is_some());
    let mut columns = vec![
        column("version", true, None, of_version(&|version| version.hash.clone())),
        column("first played", true, Some(50), of_version(&|version| note(version).when)),
        column("note", true, None, of_version(&|version| note(version).is)),
        column("against", true, None, of_result(&opponents)),
    ];
    if rivals {
        columns.push(column("points %", false, None, of_result(&points)));
        columns.push(column(WinDrawLoss::TITLE, false, Some(80), of_result(&games)));
    } else {
        let mean = |one: &OpponentResult| format_fixed(one.mean, 2);
        columns.push(column("mean score", false, None, of_result(&mean)));
    }
    columns.push(column("matches", false, Some(60), of_result(&|one| count(one.matches))));
    if rows.iter().filter_map(|(_, result)| *result).any(|one| one.forfeits > 0) {
        columns.push(column("forfeits", false, None, of_result(&|one| count(one.forfeits))));
    }
    columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    let (table, _) = for_terminal(columns, width);
    let earlier = match left_out {
        0 => String::new(),
        left_out => {
            format!("{} earlier versions are left out; --all shows them\n", count(left_out as u64))
        }
    };
    let uncounted = match is_uncounted {
        true => {
            "Matches of `compare` without --store are not counted; the lost ones are kept to \
             watch.\n"
        }
        false => "",
    };
    table + uncounted + &earlier
}

fn opponents(result: &OpponentResult) -> String {
    match result.opponents.is_empty() {
        true => "nobody".to_owned(),
        false => result.opponents.join(" and "),
    }
}

fn points(result: &OpponentResult) -> String {
    let share = result.games.and_then(|games| games.share());
    share.map_or(String::new(), |share| format_fixed(100.0 * share, 1))
}

fn games(result: &OpponentResult) -> String {
    result.games.map_or(String::new(), |games| games.to_string())
}
