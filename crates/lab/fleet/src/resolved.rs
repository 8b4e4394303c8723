//! A tournament as one worker can play it: its games and players, resolved once in the worker's own
//! catalog and compared with the versions that the manifest names. Anything that is missing or
//! differs here is refused with a reason. This module plays single fixtures; [`crate::worker`]
//! handles batches and threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use quintain_core::panics;
use quintain_core::{
    AnyMatch, Catalog, ExternalSource, FilesOfRecords, PlayerHandle, Record, ScenarioSet, Setup,
    digest_in, kept_file, reading_as_record, write_log,
};
use serde_json::value::RawValue;

use crate::attempts::is_failed_start;
use crate::wire::{Answer, Assignment, Lane, Manifest, PROTOCOL, is_program};

/// How often a program that failed to start may try again: some fail now and then.
const STARTS: usize = 3;

/// Players made from artefacts, by their text, or why they cannot be made.
pub(crate) type MadeSources = HashMap<String, Result<Arc<dyn ExternalSource>, String>>;

/// The part of a tournament that this worker can play.
pub(crate) struct ResolvedTournament {
    pub(crate) manifest: Manifest,
    sets: Vec<ScenarioSet>,
    /// In the order of the manifest; programs may be missing.
    players: Vec<Option<PlayerHandle>>,
    /// Why programs are missing, one line each.
    pub(crate) refused: Vec<String>,
    /// Whether all missing programs were sent and cannot be used here. Perhaps nobody
    /// can use them, so their matches are taken if nobody else takes them, and reported as failed.
    tells_of_refused: bool,
    /// The numbers of programs that have not started here; see [`Self::try_programs`].
    bad_starts: OnceLock<Vec<usize>>,
}

impl ResolvedTournament {
    /// Resolves what the manifest names. `made` holds the players made from its artefacts, or why
    /// they could not be made.
    ///
    /// # Errors
    /// If the game, a scenario or one of the game's own players is not available here in the
    /// version that is wanted.
    pub(crate) fn resolve(
        manifest: Manifest,
        catalog: &Catalog,
        made: &MadeSources,
    ) -> Result<ResolvedTournament, String> {
        if manifest.protocol != PROTOCOL {
            let theirs = manifest.protocol;
            return Err(format!(
                "its messages are of version {theirs}; here they are of version {PROTOCOL}"
            ));
        }
        let entry = catalog.entry(&manifest.game).map_err(|error| error.to_string())?;
        let (game, version) = (&manifest.game, entry.version());
        if version != manifest.version {
            let wanted = manifest.version;
            return Err(format!(
                "{game}'s rules are version {version} here, but {wanted} is wanted"
            ));
        }
        let sets =
            manifest.scenarios.iter().map(|scenario| resolve_scenario(catalog, game, scenario));
        let sets = sets.collect::<Result<_, _>>()?;
        let mut resolved = ResolvedTournament {
            sets,
            players: Vec::new(),
            refused: Vec::new(),
            tells_of_refused: true,
            bad_starts: OnceLock::new(),
            manifest,
        };
        resolved.resolve_players(catalog, made)?;
        Ok(resolved)
    }

    /// Resolves the players of the manifest, and notes which programs are missing and why.
    fn resolve_players(&mut self, catalog: &Catalog, made: &MadeSources) -> Result<(), String> {
        let Manifest { game, artefacts, .. } = &self.manifest;
        let mut not_taken = Vec::new();
        for (player, wanted) in &self.manifest.players {
            let found = match made.get(player) {
                Some(Ok(source)) => {
                    let catalog = catalog.clone().with_external(Arc::clone(source));
                    resolve_player(&catalog, game, player, *wanted)
                }
                Some(Err(problem)) => Err(format!("{player}: {problem}")),
                None => resolve_player(catalog, game, player, *wanted),
            };
            let is_sent = artefacts.contains_key(player);
            match (found, is_program(player)) {
                (Ok(seated), _) => self.players.push(Some(seated)),
                (Err(problem), true) if is_sent && !made.contains_key(player) => {
                    self.tells_of_refused = false;
                    // The worker's own list may have it with other files.
                    match catalog.player(game, player).is_ok() {
                        true => self.refused.push(problem),
                        false => not_taken.push(player.as_str()),
                    }
                    self.players.push(None);
                }
                (Err(problem), true) => {
                    self.tells_of_refused &= made.contains_key(player);
                    self.refused.push(problem);
                    self.players.push(None);
                }
                (Err(problem), false) => return Err(problem),
            }
        }
        if !not_taken.is_empty() {
            self.refused.push(format!(
                "it does not take programs ({}); a worker with --take-programs fetches and \
                 confines them",
                not_taken.join(", ")
            ));
        }
        Ok(())
    }

    /// The lanes of the tournament that this worker can take batches from.
    pub(crate) fn lanes(&self) -> Vec<Lane> {
        let programs = self.manifest.players.iter().any(|(player, _)| is_program(player));
        let mut lanes = vec![Lane::Plain];
        if programs && self.tells_of_refused {
            lanes.push(Lane::Programs);
        }
        lanes
    }

    /// Has each program play one turn against itself, and returns those that fail before the turn
    /// is over, with the reason: something that they need may be missing on this machine. Programs
    /// that were sent are not tried: there may be many in every round of a contest, and the
    /// contest's host has checked them; modules start alike everywhere. If one fails here all the
    /// same, its matches are played elsewhere.
    pub(crate) fn try_programs(&self) -> Vec<(String, String)> {
        let mut failed = Vec::new();
        let mut numbers = Vec::new();
        let programs = self.manifest.players.iter().enumerate();
        for (number, (player, _)) in programs.filter(|(_, (player, _))| is_program(player)) {
            let Some(handle) = self.players[number].as_ref() else {
                numbers.push(number);
                continue;
            };
            if !self.manifest.sends(player)
                && let Some(problem) = self.try_out(handle)
            {
                numbers.push(number);
                failed.push((player.clone(), problem));
            }
        }
        let _ = self.bad_starts.set(numbers);
        failed
    }

    /// Returns why a program does not get through the first turn of a match against itself, if it
    /// does not.
    fn try_out(&self, player: &PlayerHandle) -> Option<String> {
        let game = self.sets.first()?.game();
        let stop = Arc::new(AtomicBool::new(false));
        let setup = Setup::default().with_budget(self.manifest.budget).with_stop(Arc::clone(&stop));
        let seats = vec![player; game.seats()];
        let mut watch = |now: &dyn AnyMatch| {
            if now.turn() > 0 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        match panics::catch(|| game.play(&setup, &seats, Some(&mut watch))) {
            // Whatever happens after that turn is caused by the stop.
            _ if stop.load(Ordering::Relaxed) => None,
            Ok(Ok(record)) => is_failed_start(&record).then(|| {
                record.outcome.fault.map_or_else(String::new, |fault| fault.fault.to_string())
            }),
            Ok(Err(problem)) => Some(problem.to_string()),
            Err(panicked) => Some(panicked.to_string()),
        }
    }

    /// Whether a batch contains matches of programs that do not start here.
    pub(crate) fn has_bad_start(&self, batch: &[u8]) -> bool {
        let Some(numbers) = self.bad_starts.get().filter(|numbers| !numbers.is_empty()) else {
            return false;
        };
        let batch: Vec<Assignment> = serde_json::from_slice(batch).unwrap_or_default();
        batch.iter().any(|Assignment(.., lineup)| lineup.iter().any(|one| numbers.contains(one)))
    }

    /// Plays one fixture. Returns `None` if `stop` was set in the meantime: players then cut their
    /// thinking short, so the record would not be what the fixture asks for.
    pub(crate) fn play(&self, assignment: &Assignment, stop: &Arc<AtomicBool>) -> Option<Answer> {
        let Assignment(index, scenario, seed, lineup) = assignment;
        let begun = Instant::now();
        let played = panics::catch(|| {
            let game = self.sets.get(*scenario).ok_or("no such scenario")?.instance(*seed);
            let seats = lineup.iter().map(|&player| self.players.get(player)?.as_ref());
            let seats = seats
                .collect::<Option<Vec<&PlayerHandle>>>()
                .ok_or("one of its players is not available here")?;
            let Manifest { budget, notes, .. } = self.manifest;
            let setup =
                Setup::new(*seed).with_budget(budget).with_notes(notes).with_stop(Arc::clone(stop));
            game.play(&setup, &seats, None).map_err(|refused| refused.to_string())
        });
        let elapsed_us = begun.elapsed().as_micros() as u64;
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let raw = |json: String| RawValue::from_string(json).expect("records and logs are JSON");
        let starts_here =
            matches!(&played, Ok(Ok(record)) if self.failed_by_itself(record, lineup));
        let (record, log, problem) = match played {
            Ok(Ok(record)) => {
                let log = (!record.log.is_empty()).then(|| raw(write_log(&record.log)));
                (Some(raw(record.to_json())), log, None)
            }
            Ok(Err(problem)) => (None, None, Some(problem)),
            Err(panicked) => (None, None, Some(format!("the rules failed: {panicked}"))),
        };
        Some(Answer { index: *index, elapsed_us, record, log, problem, starts_here })
    }

    /// Whether a program that failed before anything was played gets through a first turn here when
    /// it is asked again: then this machine has what it needs, and no other need try.
    fn failed_by_itself(&self, record: &Record, lineup: &[usize]) -> bool {
        let fault = record.outcome.fault.as_ref().filter(|_| is_failed_start(record));
        let number = fault.and_then(|fault| lineup.get(fault.seat.index()));
        let player = number.and_then(|number| self.players.get(*number)?.as_ref());
        player.is_some_and(|player| (0..STARTS).any(|_| self.try_out(player).is_none()))
    }
}

/// Finds a scenario that is the same here as in the manifest. Its file was fetched. A coordinator
/// must not choose which files of this machine are read and quoted in errors: only one that is the
/// same is read.
fn resolve_scenario(catalog: &Catalog, game: &str, scenario: &str) -> Result<ScenarioSet, String> {
    let find = || ScenarioSet::find(catalog, game, scenario);
    let set = reading_as_record(FilesOfRecords::Unchanged, find);
    let set = set.map_err(|error| match digest_in(scenario) {
        Some(digest) if kept_file(&digest).is_none() => {
            format!("scenario {scenario}: its file is not here")
        }
        _ => error.to_string(),
    })?;
    if set.text() != scenario {
        let ours = set.text();
        return Err(format!("scenario {scenario} is {ours} here"));
    }
    Ok(set)
}

/// Finds a player in exactly the version that the manifest wants.
fn resolve_player(
    catalog: &Catalog,
    game: &str,
    player: &str,
    wanted: u32,
) -> Result<PlayerHandle, String> {
    // What is in a file of this machine, and whether there is one, is nobody's business: reasons
    // are published.
    let listed = catalog.entry(game).ok().and_then(|entry| entry.listed_player(player).ok());
    if listed.is_some_and(|(known, spec)| known.changed_text(&spec).is_some()) {
        let seated = catalog.player(game, player).ok();
        let same = seated.filter(|seated| seated.spec == player && seated.version == wanted);
        return same.ok_or_else(|| {
            format!("player {player} is not here in version {wanted}: every worker needs its file")
        });
    }
    let seated = catalog.player(game, player).map_err(|error| match is_program(player) {
        true => {
            let problem = error.to_string();
            // The game's own players are no answer to who asks for a program.
            let problem = problem.split("; known: ").next().unwrap_or_default();
            format!("{player} is not one of the programs allowed here: {problem}")
        }
        false => error.to_string(),
    })?;
    if seated.spec != player {
        return Err(format!("player {player} is {} here", seated.spec));
    }
    match (seated.version == wanted, is_program(player)) {
        (true, _) => Ok(seated),
        (false, true) => Err(format!("{player} is another program here: its files differ")),
        (false, false) => Err(format!(
            "player {player} is version {} here, but {wanted} is wanted",
            seated.version
        )),
    }
}
