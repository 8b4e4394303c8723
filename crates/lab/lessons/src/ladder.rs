//! Plays for a loss against the game's players, from weak to strong.

use quintain_core::{AnyGame, Catalog, PlayerHandle, Record, Scoring, Seat, Setup, SpecError};

use crate::rivals::{has_lost, ladder};

/// The seeds on which each opponent is played.
const SEEDS: u64 = 4;

/// Plays until the player has lost, against each opponent on a few seeds and at every seat. In
/// games without rivals it plays one match, at every seat. Calls `each` with every record; it says
/// whether to go on looking.
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
) -> Result<(), SpecError> {
    let seats = game.seats();
    if game.scoring() == Scoring::Independent {
        for seed in setup.seed..setup.seed + SEEDS {
            let setup = with_seed(setup, seed);
            let record = game.play(&setup, &vec![player; seats], None)?;
            if !each(&record, Seat::new(0)) {
                return Ok(());
            }
        }
        return Ok(());
    }
    let names = match opponent {
        Some(name) => vec![name.to_owned()],
        None => ladder(catalog.entry(game.name())?),
    };
    for name in names {
        let other = catalog.player(game.name(), &name)?;
        // Players that do not fit the scenario are no rungs of the ladder.
        if opponent.is_none() && (other.spec == player.spec || game.accepts(&other).is_err()) {
            continue;
        }
        for seed in setup.seed..setup.seed + SEEDS {
            for seat in Seat::all(seats) {
                let setup = with_seed(setup, seed);
                let mut line_up = vec![&other; seats];
                line_up[seat.index()] = player;
                let record = game.play(&setup, &line_up, None)?;
                let is_shown =
                    has_lost(&record, seat, game.objective()) || record.outcome.fault.is_some();
                if is_shown && !each(&record, seat) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn with_seed(setup: &Setup, seed: u64) -> Setup {
    let mut setup = setup.clone();
    setup.seed = seed;
    setup
}
