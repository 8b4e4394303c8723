//! Tries a service or a model before it plays: one question of each game, and what comes back.

use std::time::Instant;

use quintain_core::{
    Advice, AdviceError, AnyEntry, Budget, Catalog, FaultKind, MatchStart, PlayerHandle, Rng, Seat,
    SpecError, Streams,
};

use crate::ask::quote;

/// What is asked in a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RemoteCheck {
    /// The seed of the positions that it is asked about.
    pub seed: u64,
    /// What it may think.
    pub budget: Budget,
    /// The game, and its scenario; every game on its first scenario if absent.
    pub place: Option<(String, String)>,
}

/// The result of one question.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RemoteFinding {
    /// Whether the answer was an action.
    pub good: bool,
    /// The question and the answer, in a line.
    pub text: String,
}

impl RemoteCheck {
    /// A check with positions of this seed.
    pub fn new(seed: u64, budget: Budget, place: Option<(String, String)>) -> RemoteCheck {
        RemoteCheck { seed, budget, place }
    }

    /// Asks a player of a service or model one question of each game, until it fails in a way that
    /// has nothing to do with the game. Returns whether all answers were good.
    ///
    /// # Errors
    /// If there is no such player, game or scenario.
    pub fn run(
        &self,
        games: &Catalog,
        spec: &str,
        on_finding: &mut dyn FnMut(&RemoteFinding),
    ) -> Result<bool, SpecError> {
        let mut all_good = true;
        // Another referee's protocol is for one game.
        let is_of_one_game = self.place.is_none()
            && games.entries().any(|entry| {
                let player = games.player(entry.name(), spec);
                player.is_ok_and(|player| player.foreign_protocol().is_some())
            });
        for entry in games.entries() {
            let scenario = match &self.place {
                Some((game, _)) if game != entry.name() => continue,
                Some((_, scenario)) => scenario.clone(),
                None => entry.scenarios().first().map_or("", |first| first.name()).to_owned(),
            };
            let player = match games.player(entry.name(), spec) {
                Err(_) if is_of_one_game => continue,
                player => player?,
            };
            let begun = Instant::now();
            let asked = self.ask(entry, &scenario, &player)?;
            let time = begun.elapsed().as_secs_f64();
            let what = format!("{}:{scenario}", entry.name());
            let (good, text, is_final) = match asked {
                Ok(action) => {
                    (true, format!("{what}: {} after {time:.1} s", quote(&action)), false)
                }
                Err(AdviceError::Fault(fault)) => {
                    let is_game = matches!(fault.kind, FaultKind::Illegal | FaultKind::Protocol);
                    (false, format!("{what}: {fault}"), !is_game)
                }
                Err(error) => (false, format!("{what}: {error}"), false),
            };
            on_finding(&RemoteFinding { good, text });
            all_good &= good;
            if is_final {
                break;
            }
        }
        Ok(all_good)
    }

    /// Asks about the first position of a match.
    fn ask(
        &self,
        entry: &dyn AnyEntry,
        scenario: &str,
        player: &PlayerHandle,
    ) -> Result<Result<String, AdviceError>, SpecError> {
        ask_first(entry, scenario, player, (self.seed, None), self.budget)
    }
}

/// Asks a player about the first position of a match, as the match will ask it: the answer of a
/// model is kept for the match. It is asked at the seat, or at the first that moves.
///
/// # Errors
/// If there is no such scenario, or nobody moves there.
pub fn ask_first(
    entry: &dyn AnyEntry,
    scenario: &str,
    player: &PlayerHandle,
    (seed, seat): (u64, Option<Seat>),
    budget: Budget,
) -> Result<Result<String, AdviceError>, SpecError> {
    let game = entry.game(scenario)?;
    let position = game.begin(seed);
    let acting = position.acting();
    let seat = seat.filter(|seat| acting.contains(seat)).or(acting.first().copied());
    let Some(seat) = seat else {
        return Err(SpecError::Mismatch(format!("{scenario}: nobody moves")));
    };
    let streams = Streams::new(seed);
    let rng: Rng = streams.player(seat);
    let seed = rng.peek();
    let start = MatchStart::new(entry.name(), game.scenario(), game.seats());
    let start = start.with_seat(seat, seed, budget);
    let mut adviser = game.adviser(player, &start, rng)?;
    let observation = position.observation(seat);
    let advice = Advice { observation: &observation, turn: 0, budget, time_left: None, stop: None };
    Ok(adviser.advise(&advice).map(|(action, _)| action))
}
