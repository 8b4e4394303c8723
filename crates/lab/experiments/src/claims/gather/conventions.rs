//! What the report says about meeting conventions and about the strategy that is optimal where the
//! number of players is known.

use quintain_gather::Move;

use crate::experiment::Experiment;
use crate::matches::MeasuredMatch;
use crate::measurement::ExpectedValue::Always;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{BOARDS, course};
use super::figure_1::deadlock;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/higher-move-chase",
        place: "meeting conventions, figure 1",
        claim: "By “Higher Move”, three players in a column that each turn to their southern \
                neighbour chase one another for ever.",
        figure: "a deadlocked loop",
        measure: |lab| {
            deadlock(lab, "rounds in which all go south", "convention?wanted=south", Move::S)
        },
    },
    Experiment {
        name: "gather/higher-move-wait",
        place: "meeting conventions, figure 1",
        claim: "By “Higher Move”, three players in a column that each turn to their northern \
                neighbour wait for ever.",
        figure: "a stagnant deadlock",
        measure: |lab| {
            deadlock(lab, "rounds in which all stay", "convention?wanted=north", Move::Stay)
        },
    },
    Experiment {
        name: "gather/opposing-ls",
        place: "meeting conventions, figure 2",
        claim: "“Opposing Ls” has the same deadlocks.",
        figure: "–",
        measure: |lab| {
            let south = "convention?convention=opposing-ls&wanted=south";
            let north = "convention?convention=opposing-ls&wanted=north";
            let mut measured = deadlock(lab, "all stay", south, Move::Stay)?;
            measured.parts.extend(deadlock(lab, "all go north", north, Move::N)?.parts);
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/optimal-strategy",
        place: "trail following",
        claim: "If the number of players is known, the “Optimal Strategy” needs at most 2L + 2W \
                moves.",
        figure: "2L + 2W",
        measure: |lab| {
            let boards = BOARDS
                .iter()
                .flat_map(|board| [2, 5].map(|n| format!("{}&masked=false", course(board, n))));
            let games = lab.play(&TournamentPlan::mirror(
                "gather",
                boards,
                ["optimal"],
                lab.take(20, 100),
            ))?;
            let is_within_bound = |game: &MeasuredMatch| game.metrics["rounds / (2L+2W)"] <= 1.0;
            let share = games.share("optimal", is_within_bound);
            Ok(Measurements::new()
                .part("matches within this bound", share, Always(100.0))
                .of_a_bound())
        },
    },
];
