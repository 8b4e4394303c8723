//! Plays for a loss against the game's players, from weak to strong.

use std::sync::atomic::Ordering;

use quintain_core::{AnyGame, Catalog, PlayerHandle, Record, Scoring, Seat, Setup, SpecError};

use crate::rivals::{has_lost, ladder};

/// The seeds on which each opponent is played.
const SEEDS: u64 = 4;
/// The same where the opponent is named.
const SEEDS_OF_ONE: u64 = 32;

/// Plays until the player has lost, against each opponent on a few seeds, against a named one on
/// more, and at every seat. In games without rivals it plays one match, at every seat. Calls `each`
/// with every record; it says whether to go on looking. Returns the number of matches played to
/// their end.
///
/// # Errors
/// If a player refuses the game, or a match is void.
pub fn find_loss(
    catalog: &Catalog,
    game: &dyn AnyGame,
    player: &PlayerHandle,
    setup: &Setup,
    opponent: Option<&str>,
    each: &mut dyn FnMut(&Record, Seat) -> bool,
) -> Result<u64, SpecError> {
    let mut played = 0;
    let is_stopped = || setup.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    let seats = game.seats();
    if game.scoring() == Scoring::Independent {
        for seed in setup.seed..setup.seed + SEEDS {
            let setup = with_seed(setup, seed);
            let record = game.play(&setup, &vec![player; seats], None)?;
            if is_stopped() && record.outcome.fault.is_some() {
                return Ok(played);
            }
            played += 1;
            if !each(&record, Seat::new(0)) {
                break;
            }
        }
        return Ok(played);
    }
    let names = match opponent {
        Some(name) => vec![name.to_owned()],
        None => ladder(catalog.entry(game.name())?),
    };
    let seeds = if opponent.is_some() { SEEDS_OF_ONE } else { SEEDS };
    for name in names {
        let other = catalog.player(game.name(), &name)?;
        // Players that do not fit the scenario are no rungs of the ladder.
        if opponent.is_none() && (other.spec == player.spec || game.accepts(&other).is_err()) {
            continue;
        }
        for seed in setup.seed..setup.seed + seeds {
            for seat in Seat::all(seats) {
                if is_stopped() {
                    return Ok(played);
                }
                let setup = with_seed(setup, seed);
                let mut line_up = vec![&other; seats];
                line_up[seat.index()] = player;
                let record = game.play(&setup, &line_up, None)?;
                // Whoever was thinking when it was stopped has not run out of time.
                if is_stopped() && record.outcome.fault.is_some() {
                    return Ok(played);
                }
                played += 1;
                let is_shown =
                    has_lost(&record, seat, game.objective()) || record.outcome.fault.is_some();
                if is_shown && !each(&record, seat) {
                    return Ok(played);
                }
            }
        }
    }
    Ok(played)
}

fn with_seed(setup: &Setup, seed: u64) -> Setup {
    let mut setup = setup.clone();
    setup.seed = seed;
    setup
}
