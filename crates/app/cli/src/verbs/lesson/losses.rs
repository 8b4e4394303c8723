//! Lost matches: those of the store, and new ones.

use std::path::Path;

use quintain_core::{Budget, PlayerHandle, Record, Seat, Setup};
use quintain_lessons::{Teacher, find_loss};
use quintain_scene::clean;
use quintain_store::{Filter, Store, StoreError};

use crate::failure::Failure;
use crate::sources;

/// Where matches are played.
pub(super) struct Place {
    pub(super) scenario: String,
    pub(super) seed: u64,
    pub(super) budget: Budget,
}

/// Whether a seat's player is the one named, in whatever version of a program.
fn is_same(seated: &str, player: &str) -> bool {
    let name = |player: &str| player.split('@').next().unwrap_or(player).to_owned();
    seated == player || player.starts_with("bot:") && name(seated) == name(player)
}

/// The player's seat in a record; of several, the one with the least score.
pub(super) fn find_seat(record: &Record, player: &str) -> Result<Seat, Failure> {
    let seats = Seat::all(record.fixture.seats.len());
    let own = seats.filter(|seat| is_same(&record.fixture.seats[seat.index()], player));
    let score = |seat: &Seat| record.outcome.scores.get(seat.index()).copied().unwrap_or(0.0);
    own.min_by(|a, b| score(a).total_cmp(&score(b))).ok_or_else(|| {
        let seated = record.fixture.seats.join(" and ");
        Failure::Usage(clean(&format!(
            "{player} has no seat in record {}, which {seated} played",
            &record.id[..8]
        )))
    })
}

/// Calls `each` with the player's losses in the store, the newest first, while it wants more.
pub(super) fn of_store(
    store: Option<&Path>,
    game: &str,
    player: &str,
    each: &mut dyn FnMut(&Record, Seat) -> bool,
) -> Result<(), Failure> {
    let path = sources::store_path(store);
    let store = match Store::open_to_read(&path) {
        Err(StoreError::Missing(_)) if store.is_none() => return Ok(()),
        opened => opened?,
    };
    let filter = Filter { game: Some(game.to_owned()), ..Filter::default() };
    let mut lost: Vec<(i64, String)> = Vec::new();
    store.matches(&filter, |row| {
        let own = row.players.iter().zip(&row.scores);
        let own = own.filter(|(seated, _)| is_same(seated, player)).map(|(_, score)| *score);
        let least = own.fold(f64::INFINITY, f64::min);
        let best = row.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Alone, everybody has the best score, and every match can teach something.
        if least.is_finite() && (least < best || row.scores.len() == 1) && row.fault.is_none() {
            lost.push((row.played_at, row.id.clone()));
        }
        Ok::<(), StoreError>(())
    })?;
    lost.sort();
    for (_, id) in lost.iter().rev() {
        let record = store.load(id)?;
        let seat = find_seat(&record, player)?;
        if !each(&record, seat) {
            break;
        }
    }
    Ok(())
}

/// Plays for losses, and calls `each` with them while it wants more. Returns the number of matches.
pub(super) fn played(
    teacher: &Teacher<'_>,
    game: &str,
    player: &PlayerHandle,
    place: &Place,
    opponent: Option<&str>,
    each: &mut dyn FnMut(&Record, Seat) -> bool,
) -> Result<u64, Failure> {
    let catalog = teacher.catalog;
    let game = catalog.game(game, &place.scenario)?;
    let mut setup = Setup::new(place.seed).with_budget(place.budget);
    setup.stop = teacher.stop.cloned();
    Ok(find_loss(catalog, game.as_ref(), player, &setup, opponent, each)?)
}
