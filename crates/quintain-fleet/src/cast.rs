//! A tournament as one worker can play it: its games and players, looked up once in the
//! worker's own catalog and compared with the versions that the tournament names. What is
//! missing or other here is refused, in words.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use quintain_core::panics;
use quintain_core::{AnyGame, Catalog, PlayerHandle, Setup};
use serde_json::value::RawValue;

use crate::wire::{Answer, Assignment, Card, Lane, PROTOCOL, is_program};

/// What a worker can play of a tournament.
pub(crate) struct Cast {
    pub(crate) card: Card,
    games: Vec<Arc<dyn AnyGame>>,
    /// In the order of the card; programs may be missing.
    players: Vec<Option<PlayerHandle>>,
    /// Why programs are missing.
    pub(crate) refused: Vec<String>,
}

impl Cast {
    /// Looks up what the card names.
    ///
    /// # Errors
    /// If the game, a scenario or a player of the game's own is not had here in the version
    /// that is wanted.
    pub(crate) fn of(card: Card, catalog: &Catalog) -> Result<Cast, String> {
        if card.protocol != PROTOCOL {
            let theirs = card.protocol;
            return Err(format!(
                "it is told in version {theirs} of the messages; here is {PROTOCOL}"
            ));
        }
        let entry = catalog.entry(&card.game).map_err(|error| error.0)?;
        let (game, version) = (&card.game, entry.version());
        if version != card.version {
            let wanted = card.version;
            return Err(format!("{game}'s rules are version {version} here, {wanted} is wanted"));
        }
        let mut games: Vec<Arc<dyn AnyGame>> = Vec::new();
        for scenario in &card.scenarios {
            let game = entry.game(scenario).map_err(|error| error.0)?;
            // A file of this name may hold something else here.
            if game.scenario() != scenario {
                let ours = game.scenario();
                return Err(format!("scenario {scenario} is {ours} here"));
            }
            games.push(game);
        }
        let (mut players, mut refused) = (Vec::new(), Vec::new());
        for (player, wanted) in &card.players {
            let found = seat(catalog, game, player, *wanted);
            match (found, is_program(player)) {
                (Ok(seated), _) => players.push(Some(seated)),
                (Err(problem), true) => {
                    refused.push(problem);
                    players.push(None);
                }
                (Err(problem), false) => return Err(problem),
            }
        }
        Ok(Cast { card, games, players, refused })
    }

    /// The lanes it can take batches from, of those that the tournament has.
    pub(crate) fn lanes(&self) -> Vec<Lane> {
        let programs = self.card.players.iter().any(|(player, _)| is_program(player));
        let mut lanes = vec![Lane::Plain];
        if programs && self.refused.is_empty() {
            lanes.push(Lane::Programs);
        }
        lanes
    }

    /// Plays one fixture; nothing if `stop` was set meanwhile, since players hurry then.
    pub(crate) fn play(&self, assignment: &Assignment, stop: &Arc<AtomicBool>) -> Option<Answer> {
        let Assignment(index, scenario, seed, lineup) = assignment;
        let begun = Instant::now();
        let played = panics::catch(|| {
            let game = self.games.get(*scenario).ok_or("no such scenario")?;
            let seats = lineup.iter().map(|&player| self.players.get(player)?.as_ref());
            let seats = seats.collect::<Option<Vec<&PlayerHandle>>>().ok_or("no such player")?;
            let Card { budget, notes, .. } = self.card;
            let setup = Setup { seed: *seed, budget, notes, stop: Some(Arc::clone(stop)) };
            game.play(&setup, &seats, None).map_err(|refused| refused.0)
        });
        let elapsed_us = begun.elapsed().as_micros() as u64;
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return None;
        }
        let (record, problem) = match played {
            Ok(Ok(record)) => {
                let raw = RawValue::from_string(record.to_json()).expect("records are JSON");
                (Some(raw), None)
            }
            Ok(Err(problem)) => (None, Some(problem)),
            Err(panicked) => (None, Some(format!("the rules failed: {panicked}"))),
        };
        Some(Answer { index: *index, elapsed_us, record, problem })
    }
}

/// A player in the version that is wanted.
fn seat(catalog: &Catalog, game: &str, player: &str, wanted: u32) -> Result<PlayerHandle, String> {
    let seated = catalog.player(game, player).map_err(|error| match is_program(player) {
        true => format!("{player} is none of the programs allowed here: {}", error.0),
        false => error.0,
    })?;
    if seated.spec != player {
        return Err(format!("player {player} is {} here", seated.spec));
    }
    match (seated.version == wanted, is_program(player)) {
        (true, _) => Ok(seated),
        (false, true) => Err(format!("{player} is another program here: its files differ")),
        (false, false) => {
            Err(format!("player {player} is version {} here, {wanted} is wanted", seated.version))
        }
    }
}
