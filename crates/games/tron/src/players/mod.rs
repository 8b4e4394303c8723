//! The roster. Each strategy is a file of its own; generic players come from
//! `quintain-search`.

mod champion;
#[cfg(test)]
#[path = "champion/tests.rs"]
mod champion_tests;
mod contest2010;
mod duel;
mod duelists;
mod lookahead;
mod report;
mod simple;
mod voronoi;

use quintain_core::{Entry, Parameters, Player, Rules};

use crate::rules::Tron;

const REPORT: &str = "report “Tron.py”, HackerRank";

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<Tron>) -> Entry<Tron> {
    let entry = entry
        .player(
            "basic",
            1,
            "Voronoi sums of the next joint moves",
            REPORT,
            for_two::<report::Basic>,
        )
        .player(
            "improved",
            1,
            "Voronoi sums, three steps ahead",
            REPORT,
            for_two::<report::Improved>,
        )
        .player("advanced", 1, "the same within zones", REPORT, for_two::<report::Advanced>)
        .player(
            "contest2010",
            1,
            "alpha-beta over chambers: the method that won the 2010 contest",
            "Google AI Challenge 2010, Andy Sloane's winner, written anew from its description",
            duelists::build_contest2010,
        )
        .player(
            "champion",
            1,
            "principal-variation search over chambers on bit boards",
            "ours; see docs/tron.md",
            duelists::build_champion,
        )
        .player("wall-hugger", 1, "keeps to the walls", "folklore", for_all::<simple::WallHugger>)
        .player("space", 1, "goes where there is most room", "folklore", for_all::<simple::Space>);
    quintain_search::players::add_to(entry)
}

/// A player whose parameters are all it is.
fn for_all<P: Parameters + Player<Tron>>(
    _: &Tron,
    player: &P,
) -> Result<Box<dyn Player<Tron>>, String> {
    Ok(Box::new(player.clone()))
}

/// The same, for boards with two seats only.
fn for_two<P: Parameters + Player<Tron>>(
    game: &Tron,
    player: &P,
) -> Result<Box<dyn Player<Tron>>, String> {
    match game.seats() {
        2 => Ok(Box::new(player.clone())),
        seats => Err(format!("it is made for two seats, and this board has {seats}")),
    }
}
