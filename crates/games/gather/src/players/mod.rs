//! The roster. Each strategy is a file of its own.

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

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;
use quintain_search::random::Random;

use crate::rules::Gather;

const REPORT: &str = "report “Project 3: Let's Get Together”, group 4, CS4444, 2004";

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<Gather>) -> Entry<Gather> {
    entry
        .player("random", 1, "any move, all equally likely", "–", |_, _: &NoParameters| {
            Ok(Box::new(Random))
        })
        .player(
            "convention",
            1,
            "stands still and meets neighbours by a convention alone: the deadlocks",
            REPORT,
            |_, bare: &convention::Bare| Ok(Box::new(bare.clone())),
        )
        .player(
            "salsa",
            1,
            "Salsa y Arroz: straight ahead, waits on trails across",
            REPORT,
            |_, salsa: &salsa::Salsa| Ok(Box::new(salsa.player())),
        )
        .player(
            "hybrid",
            2,
            "diamond spirals, begun again elsewhere",
            REPORT,
            |_, hybrid: &hybrid::HybridParameters| Ok(Box::new(hybrid.player())),
        )
        .player(
            "groovy",
            1,
            "saw-teeth and spirals by the dice",
            REPORT,
            |_, groovy: &groovy::GroovyParameters| Ok(Box::new(groovy.player())),
        )
        .player(
            "flower-v1",
            1,
            "one in N lays a row and waits, the others go south to find it",
            REPORT,
            |_, v1: &flower_or_bee::V1| Ok(Box::new(v1.player())),
        )
        .player(
            "flower-v2",
            1,
            "the same along the shorter side, with diagonal bees",
            REPORT,
            |_, v2: &flower_or_bee::V2| Ok(Box::new(v2.player())),
        )
        .player(
            "cra-z-y",
            1,
            "a path like a Z, and meetings whose convention it learns",
            REPORT,
            |_, crazy: &cra_z_y::CraZY| Ok(Box::new(crazy.player())),
        )
        .player(
            "optimal",
            1,
            "player 0 collects along a row; only where ids are not masked",
            REPORT,
            |game, optimal: &optimal::Optimal| Ok(Box::new(optimal.player(game)?)),
        )
        .player(
            "champion",
            4,
            "sweeps and follows trails, a pair backwards, a crowd to who waits; for its kind",
            "ours",
            |_, champion: &champion::ChampionParameters| {
                Ok(Box::new(champion::Champion::new(champion)))
            },
        )
        .player(
            "stranger",
            2,
            "sweeps, searches young trails and assumes nothing; for mixed teams",
            "ours",
            |_, stranger: &stranger::StrangerParameters| Ok(Box::new(stranger.player())),
        )
}
