//! The roster. Each strategy has its own file.

mod champion;
mod convention;
mod cra_z_y;
mod flower_or_bee;
mod groovy;
mod hybrid;
mod line;
mod map;
mod meeting;
mod optimal;
mod salsa;
mod spiral;
mod stranger;
mod trail;

use quintain_core::{Description, Entry};

use crate::rules::Gather;

const REPORT: &str = "report “Project 3: Let's Get Together”, group 4, CS4444, 2004";

/// Registers all players.
pub(crate) fn add_to(entry: Entry<Gather>) -> Entry<Gather> {
    quintain_search::players::add_random(entry, "any move, all equally likely")
        .player(
            Description {
                name: "convention",
                version: 1,
                summary: "stands still and meets neighbours by a convention alone; shows the \
                    deadlocks",
                source: REPORT,
            },
            |_, bare: &convention::Bare| Ok(Box::new(bare.clone())),
        )
        .player(
            Description {
                name: "salsa",
                version: 1,
                summary: "Salsa y Arroz: goes straight ahead and waits on trails that cross its \
                    way",
                source: REPORT,
            },
            |_, salsa: &salsa::Salsa| Ok(Box::new(salsa.player())),
        )
        .player(
            Description {
                name: "hybrid",
                version: 3,
                summary: "walks diamond spirals, and begins again elsewhere when it finds nothing \
                    new",
                source: REPORT,
            },
            |_, hybrid: &hybrid::HybridParameters| Ok(Box::new(hybrid.player())),
        )
        .player(
            Description {
                name: "groovy",
                version: 1,
                summary: "walks saw-teeth and spirals; decides at random about meetings and waits",
                source: REPORT,
            },
            |_, groovy: &groovy::GroovyParameters| Ok(Box::new(groovy.player())),
        )
        .player(
            Description {
                name: "flower-v1",
                version: 2,
                summary: "one player in N lays a trail along a row and waits; the others go south \
                    to find it",
                source: REPORT,
            },
            |_, v1: &flower_or_bee::V1| Ok(Box::new(v1.player())),
        )
        .player(
            Description {
                name: "flower-v2",
                version: 3,
                summary: "like flower-v1, but flowers go along the shorter side, and bees may go \
                    diagonally",
                source: REPORT,
            },
            |_, v2: &flower_or_bee::V2| Ok(Box::new(v2.player())),
        )
        .player(
            Description {
                name: "cra-z-y",
                version: 1,
                summary: "walks like a Z, and learns each player's convention for meetings",
                source: REPORT,
            },
            |_, crazy: &cra_z_y::CraZY| Ok(Box::new(crazy.player())),
        )
        .player(
            Description {
                name: "optimal",
                version: 1,
                summary: "player 0 collects along a row; needs masked=false",
                source: REPORT,
            },
            |game, optimal: &optimal::Optimal| Ok(Box::new(optimal.player(game)?)),
        )
        .player(
            Description {
                name: "champion",
                version: 9,
                summary: "sweeps and follows trails: in a pair backwards, in a crowd to players \
                    that wait; for teams of its kind",
                source: "ours",
            },
            |_, champion: &champion::ChampionParameters| {
                Ok(Box::new(champion::Champion::new(champion)))
            },
        )
        .player(
            Description {
                name: "stranger",
                version: 2,
                summary: "sweeps, searches along young trails and assumes nothing about the \
                    others; for mixed teams",
                source: "ours",
            },
            |_, stranger: &stranger::StrangerParameters| Ok(Box::new(stranger.player())),
        )
}
