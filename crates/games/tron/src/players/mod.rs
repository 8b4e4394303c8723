//! The roster. Each strategy has its own file; generic players come from `quintain-search`.

mod champion;
#[cfg(test)]
#[path = "champion/melee_tests.rs"]
mod champion_melee_tests;
#[cfg(test)]
#[path = "champion/network_tests.rs"]
mod champion_network_tests;
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

use quintain_core::{BuildError, Description, Entry, Parameters, Player, Rules};

use crate::rules::Tron;

const REPORT: &str = "report “Tron.py”, HackerRank";

/// Registers all players.
pub(crate) fn add_to(entry: Entry<Tron>) -> Entry<Tron> {
    let entry = entry
        .player(
            Description {
                name: "basic",
                version: 1,
                summary: "looks one step ahead for the move that leaves the most cells nearer to \
                    itself than to its opponent (Voronoi)",
                source: REPORT,
            },
            for_two::<report::Basic>,
        )
        .player(
            Description {
                name: "improved",
                version: 1,
                summary: "like basic, counts cells nearer to itself than to its opponent \
                    (Voronoi), but looks three steps ahead",
                source: REPORT,
            },
            for_two::<report::Improved>,
        )
        .player(
            Description {
                name: "advanced",
                version: 1,
                summary: "like improved, but on a board divided into zones, the regions between \
                    walls: cells of other zones count against it",
                source: REPORT,
            },
            for_two::<report::Advanced>,
        )
        .player(
            Description {
                name: "contest2010",
                version: 1,
                summary: "alpha-beta search; values a position by the chambers (rooms joined by \
                    single cells) that each side can fill: the method that won the 2010 contest",
                source: "Google AI Challenge 2010, Andy Sloane's winner, reimplemented from its \
                    description",
            },
            duelists::build_contest2010,
        )
        .anytime()
        .player_from(
            Description {
                name: "champion",
                version: 5,
                summary: "principal-variation search on bit boards; a small network values a \
                    position by the chambers (rooms joined by single cells) that each side can \
                    fill",
                source: "ours; see docs/tron.md",
            },
            duelists::load_network,
            duelists::build_champion,
        )
        .anytime()
        .player(
            Description {
                name: "wall-hugger",
                version: 1,
                summary: "keeps to the walls",
                source: "folklore",
            },
            for_all::<simple::WallHugger>,
        )
        .player(
            Description {
                name: "space",
                version: 1,
                summary: "goes where there is the most room",
                source: "folklore",
            },
            for_all::<simple::Space>,
        );
    quintain_search::players::add_to(entry)
}

/// Builds a player that consists of nothing but its parameters.
fn for_all<P: Parameters + Player<Tron>>(
    _: &Tron,
    player: &P,
) -> Result<Box<dyn Player<Tron>>, BuildError> {
    Ok(Box::new(player.clone()))
}

/// The same, for boards with two seats only.
fn for_two<P: Parameters + Player<Tron>>(
    rules: &Tron,
    player: &P,
) -> Result<Box<dyn Player<Tron>>, BuildError> {
    match rules.seats() {
        2 => Ok(Box::new(player.clone())),
        seats => Err(format!("it is made for two seats, and this board has {seats}").into()),
    }
}
