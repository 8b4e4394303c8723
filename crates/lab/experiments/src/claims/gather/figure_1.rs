//! Figure 1 of the report, played: three players in a column, where meeting conventions deadlock.

use quintain_core::{Decision, Entry, Player, Rng, Rules as _, Seat, Turn};
use quintain_gather::{Cell, Gather, Move, scenario};

use crate::estimate::Estimate;
use crate::lab::{Lab, LabError};
use crate::measurement::ExpectedValue::Always;
use crate::measurement::Measurements;

/// What three players in a column of three cells do, as in figure 1, for `rounds` rounds or until
/// all have met.
fn figure_1(player: &str, rounds: usize, seed: u64) -> Result<Vec<Vec<Move>>, LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::Failed(error.to_string());
    let entry: Entry<Gather> = quintain_gather::entry();
    let (built, _) = entry.build("torus?width=3&height=3&players=3").map_err(|e| failed(&e))?;
    let rules = built.rules().clone();
    let starts = (0..3).map(|row| Cell { column: 1, row }).collect();
    let mut state = scenario(rules.clone(), Some(starts)).start(&mut Rng::from_seed(seed));
    let mut players: Vec<Box<dyn Player<Gather>>> = Vec::new();
    for _ in 0..3 {
        players.push(entry.build_player(player, &rules).map_err(|error| failed(&error))?);
    }
    let mut rng = Rng::from_seed(seed + 1);
    let mut moves = Vec::new();
    while moves.len() < rounds && rules.turn(&state) == Turn::Simultaneous {
        let mut joint = Vec::new();
        for (seat, player) in Seat::all(3).zip(&mut players) {
            let decided = player.decide(&mut Decision::new(&rules, &state, seat, &mut rng));
            joint.push(decided.map_err(|fault| failed(&fault))?);
        }
        rules.step(&mut state, &joint);
        moves.push(joint);
    }
    Ok(moves)
}

/// The share of rounds in figure 1 in which all three do the same.
pub(super) fn deadlock(
    lab: &Lab<'_>,
    what: &str,
    player: &str,
    all: Move,
) -> Result<Measurements, LabError> {
    lab.note(format!("`{player}` in a column of three on a torus of 3×3, 200 rounds"));
    let rounds = figure_1(player, 200, 1)?;
    let alike = rounds.iter().filter(|joint| joint.iter().all(|own| *own == all)).count();
    let share = Estimate::exact(100.0 * alike as f64 / 200.0).in_unit(" %");
    Ok(Measurements::new().part(what, share, Always(100.0)))
}

/// How often three players leave the column of figure 1, in which conventions deadlock.
pub(super) fn leaves_figure_1(lab: &Lab<'_>, player: &str) -> Result<Measurements, LabError> {
    let times = lab.take(50, 200);
    lab.note(format!(
        "`{player}` in a column of three on a torus of 3×3, 200 rounds, {times} times"
    ));
    let seeds: Vec<u64> = (1..=times).collect();
    let left =
        lab.each(&seeds, |seed| figure_1(player, 200, *seed).map(|moves| moves.len() < 200))?;
    let left = left.into_iter().collect::<Result<Vec<bool>, LabError>>()?;
    Ok(Measurements::new().part(
        "runs that leave figure 1",
        Estimate::share_of(left),
        Always(100.0),
    ))
}
