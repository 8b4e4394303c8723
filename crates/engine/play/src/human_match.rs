//! The match itself: whose turn it is, what the others answer, and the record at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_core::{
    ActionError, Advice, AdviceError, AnyAdviser, AnyGame, AnyMatch, Budget, Catalog, FORMAT,
    Fault, FaultKind, Fixture, LogEntry, MatchLog, MatchStart, Note, Outcome, PlayerHandle,
    Question, Record, Seat, SeatFault, Setup, SpecError, Streams, now, panics,
};

use crate::players::{HUMAN, HumanPlayers};

/// A value of [`HumanMatchConfig::opponent`]: the other seats are also played from outside, by the
/// caller of [`HumanMatch::play_together`].
pub const OUTSIDE: &str = "outside";

/// The most time that is spent on showing the other players again what was played before.
const RECALLING: Duration = Duration::from_secs(5);

/// Which match is to be played, and by whom.
#[derive(Clone, PartialEq, Debug)]
pub struct HumanMatchConfig {
    /// The game's name.
    pub game: String,
    /// The scenario.
    pub scenario: String,
    /// The seed of all chance.
    pub seed: u64,
    /// The person's name.
    pub name: String,
    /// The person's seat.
    pub seat: usize,
    /// Who plays the other seats: a player of the game, or [`OUTSIDE`].
    pub opponent: String,
    /// What each of them may think.
    pub budget: Budget,
}

/// How long a match goes on by itself while only others move.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// After this long it pauses, at the end of a turn; [`HumanMatch::play_together`] without moves
    /// goes on.
    pub most: Option<Duration>,
    /// When set, it pauses at once: the turn that is being played does not count.
    pub stop: Arc<AtomicBool>,
}

/// The reason why a match cannot continue.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// It is over.
    #[error("the match is over")]
    Over,
    /// The person cannot take that action.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// An action of this turn is refused, whichever seat chose it.
    #[error("seat {seat}: {problem}")]
    Seat {
        /// The seat.
        seat: Seat,
        /// Why it is refused.
        problem: ActionError,
    },
    /// No move is given for a seat that must move.
    #[error("nobody has seat {0}")]
    NobodySeated(Seat),
    /// That seat is not played from outside.
    #[error("seat {0} belongs to another player, or does not exist")]
    OthersSeat(Seat),
    /// Another player cannot be asked.
    #[error("seat {seat} ({name}) cannot go on: {problem}")]
    OtherPlayer {
        /// Its seat.
        seat: Seat,
        /// The player.
        name: String,
        /// What went wrong.
        problem: String,
    },
}

/// A match that waits for a person.
pub struct HumanMatch {
    game: Arc<dyn AnyGame>,
    fixture: Fixture,
    seat: Seat,
    budget: Budget,
    /// The player of each seat; none if the seat is played from outside.
    others: Vec<Option<Box<dyn AnyAdviser>>>,
    state: Box<dyn AnyMatch>,
    actions: Vec<String>,
    notes: Vec<Note>,
    /// The others' logs.
    log: MatchLog,
    /// How it ended, once it has.
    outcome: Option<Outcome>,
    /// Positions to go back to, each with its number of actions; only in games of one seat.
    past: Vec<(Box<dyn AnyMatch>, usize)>,
    /// When the match began, if there is a clock.
    begun: Option<Instant>,
    patience: Patience,
}

impl HumanMatch {
    /// Seats everybody, and lets the others move if it is their turn.
    ///
    /// # Errors
    /// If the game, the scenario, the seat or a player is not available.
    pub fn begin(catalog: &Catalog, config: &HumanMatchConfig) -> Result<HumanMatch, SpecError> {
        HumanMatch::resume(catalog, config, &[], Patience::default())
    }

    /// Begins a match at the position after these actions, given turn by turn, seat by seat. They
    /// count as actions of this match, whoever chose them. The others are asked about every turn
    /// again, without time to think, so that a player that remembers earlier turns remembers these.
    /// From then on the match goes on as long as `patience` allows.
    ///
    /// # Errors
    /// As for [`HumanMatch::begin`], or if the actions are not whole turns that the rules allow.
    pub fn resume(
        catalog: &Catalog,
        config: &HumanMatchConfig,
        actions: &[String],
        patience: Patience,
    ) -> Result<HumanMatch, SpecError> {
        let HumanMatchConfig { name, seed, budget, .. } = config;
        let game = catalog.game(&config.game, &config.scenario)?;
        if config.seat >= game.seats() {
            return Err(SpecError::Mismatch(format!(
                "there is no seat {}: {}:{} has seats 0 to {}",
                config.seat,
                game.name(),
                game.scenario(),
                game.seats() - 1
            )));
        }
        let own = Seat::new(config.seat);
        let people = catalog.clone().with_external(Arc::new(HumanPlayers));
        let person = people.player(game.name(), &format!("{HUMAN}:{name}"))?;
        let is_outside = config.opponent == OUTSIDE;
        let other = match game.seats() {
            1 => None,
            _ if is_outside => None,
            _ => Some(catalog.player(game.name(), &config.opponent)?),
        };
        let outside = match is_outside {
            true => Some(people.player(game.name(), &format!("{HUMAN}:{OUTSIDE}"))?),
            false => None,
        };
        let others = other.as_ref().or(outside.as_ref()).unwrap_or(&person);
        let seated: Vec<&PlayerHandle> = Seat::all(game.seats())
            .map(|seat| if seat == own { &person } else { others })
            .collect();
        let setup = Setup::new(*seed).with_budget(*budget);
        let fixture = game.fixture(&setup, &seated);
        let mut others = Vec::with_capacity(game.seats());
        for seat in Seat::all(game.seats()) {
            others.push(match &other {
                Some(other) if seat != own => {
                    let match_start = MatchStart::new(game.name(), game.scenario(), game.seats());
                    let streams = Streams::new(*seed);
                    let own_seed = streams.player_seed(seat);
                    let match_start = match_start.with_seat(seat, own_seed, *budget);
                    Some(game.adviser(other, &match_start, streams.player(seat))?)
                }
                _ => None,
            });
        }
        let log = MatchLog::default();
        let mut human_match = HumanMatch {
            state: game.begin(*seed),
            game,
            fixture,
            seat: own,
            budget: *budget,
            others,
            actions: Vec::new(),
            notes: Vec::new(),
            log,
            outcome: None,
            past: Vec::new(),
            begun: now(),
            patience,
        };
        human_match.take_up(actions)?;
        human_match.advance(&[]).map_err(|error| SpecError::Mismatch(error.to_string()))?;
        Ok(human_match)
    }

    /// Plays the actions that were taken before.
    fn take_up(&mut self, mut actions: &[String]) -> Result<(), SpecError> {
        let begun = now();
        while !actions.is_empty() {
            let turn = self.state.turn();
            let refused = |why: String| {
                SpecError::Mismatch(format!("turn {turn} of the moves played: {why}"))
            };
            let acting = self.state.acting().len();
            let Some((joint, rest)) = actions.split_at_checked(acting).filter(|_| acting > 0)
            else {
                return Err(refused(match acting {
                    0 => "the match is already over".to_owned(),
                    _ => format!("{} actions for {acting} players", actions.len()),
                }));
            };
            if self.game.seats() == 1 {
                self.past.push((self.state.fork(), self.actions.len()));
            }
            let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
            if begun.is_none_or(|begun| begun.elapsed() < RECALLING) {
                self.recall(&texts);
            }
            let played = self.state.play(&texts);
            played.map_err(|(_, problem)| refused(problem.to_string()))?;
            self.actions.extend_from_slice(joint);
            actions = rest;
        }
        Ok(())
    }

    /// Asks the others about a turn that has been played, so that they see what they saw then and
    /// draw the same random numbers. Their notes are kept only if they decide as played. A failure
    /// is ignored here: it shows again when it is their turn.
    fn recall(&mut self, joint: &[&str]) {
        let budget = self.budget;
        let moment = Duration::from_millis(1);
        self.budget.per_move = budget.per_move.map(|time| time.min(moment));
        for (seat, played) in self.state.acting().to_vec().into_iter().zip(joint) {
            let noted = self.notes.len();
            if self.others[seat.index()].is_some() {
                match self.ask(seat) {
                    Ok(Ok(action)) if action == *played => {}
                    _ => self.notes.truncate(noted),
                }
            }
        }
        self.budget = budget;
    }

    /// What a player at a seat that is played from outside would learn about the match, and what
    /// it would be asked here. Its seed is `seed`, which tells nothing about the match. A seed
    /// drawn from the match's own seed would: that one is small and could be found by trying.
    ///
    /// # Errors
    /// If the match is over, or the seat is another player's.
    pub fn question(&self, seat: Seat, seed: u64) -> Result<(MatchStart, Question), PlayError> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        if !self.is_played_from_outside(seat) {
            return Err(PlayError::OthersSeat(seat));
        }
        let (budget, game) = (self.budget, &self.game);
        let match_start = MatchStart::new(game.name(), game.scenario(), game.seats());
        let question = Question::new(
            seat,
            self.state.turn(),
            self.state.observation(seat),
            self.state.actions(seat),
        )
        .with_time(budget.per_move);
        Ok((match_start.with_seat(seat, seed, budget), question))
    }

    /// What a given player would do in the person's place.
    ///
    /// # Errors
    /// If the match is over, or the player fails.
    pub fn hint(&self, player: &PlayerHandle) -> Result<String, PlayError> {
        let seat = self.seat;
        if self.is_over() {
            return Err(PlayError::Over);
        }
        let name = self.fixture.seats[seat.index()].clone();
        let failed = |problem: String| PlayError::OtherPlayer { seat, name, problem };
        let match_start =
            MatchStart::new(self.game.name(), self.game.scenario(), self.game.seats());
        let (streams, budget) = (Streams::new(self.fixture.seed), self.budget);
        let seed = streams.player_seed(seat);
        let match_start = match_start.with_seat(seat, seed, budget);
        let advice = Advice {
            observation: &self.state.observation(seat),
            turn: self.state.turn(),
            budget,
            time_left: None,
            stop: Some(&self.patience.stop),
        };
        let asked = panics::catch(|| {
            let mut adviser = self
                .game
                .adviser(player, &match_start, streams.player(seat))
                .map_err(|error| error.to_string())?;
            adviser.advise(&advice).map_err(|error| error.to_string())
        });
        match asked {
            Ok(Ok((action, _))) => Ok(action),
            Ok(Err(problem)) => Err(failed(problem)),
            Err(panic) => Err(failed(panic.to_string())),
        }
    }

    /// Sets how long the match goes on by itself from now on.
    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// The game.
    pub fn game(&self) -> &dyn AnyGame {
        self.game.as_ref()
    }

    /// What is played, and by whom.
    pub fn fixture(&self) -> &Fixture {
        &self.fixture
    }

    /// The position. Do not show more of it than [`HumanMatch::seat`] sees.
    pub fn state(&self) -> &dyn AnyMatch {
        self.state.as_ref()
    }

    /// The person's seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// How it ended, once it is over. A player that fails loses by the rules of the game, which
    /// ends the match.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The score of each seat; at the end, the one in the outcome.
    pub fn scores(&self) -> Vec<f64> {
        self.outcome.as_ref().map_or_else(|| self.state.scores(), |outcome| outcome.scores.clone())
    }

    /// Plays the person's move, and the others' moves until it is the person's turn again.
    ///
    /// # Errors
    /// [`PlayError::Over`] or [`PlayError::Action`] if the person cannot take the action; nothing
    /// changes then. Otherwise, [`PlayError`] says why another player cannot be asked. A player
    /// that fails loses, which is not an error.
    pub fn play(&mut self, action: &str) -> Result<(), PlayError> {
        self.play_together(&[(self.seat, action)])
    }

    /// The seats that must move now and are played from outside: the person's, and the others'
    /// where the opponent is [`OUTSIDE`].
    pub fn waiting(&self) -> Vec<Seat> {
        let acting = if self.is_over() { &[] } else { self.state.acting() };
        acting.iter().copied().filter(|seat| self.is_played_from_outside(*seat)).collect()
    }

    fn is_played_from_outside(&self, seat: Seat) -> bool {
        self.others.get(seat.index()).is_some_and(Option::is_none)
    }

    /// Plays the moves of all seats that are [waited for](HumanMatch::waiting), and the others'
    /// moves until such a seat must move again.
    ///
    /// # Errors
    /// As for [`HumanMatch::play`], and [`PlayError::NobodySeated`] if a seat's move is missing.
    pub fn play_together(&mut self, moves: &[(Seat, &str)]) -> Result<(), PlayError> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        for (seat, action) in moves {
            self.state.check(*seat, action)?;
            if !self.is_played_from_outside(*seat) {
                return Err(PlayError::OthersSeat(*seat));
            }
        }
        let is_missing = |seat: &Seat| moves.iter().all(|(given, _)| given != seat);
        if let Some(seat) = self.waiting().into_iter().find(is_missing) {
            return Err(PlayError::NobodySeated(seat));
        }
        if self.game.seats() == 1 {
            self.past.push((self.state.fork(), self.actions.len()));
        }
        self.advance(moves)
    }

    /// Plays turn after turn until a seat that is played from outside must move, or patience ends.
    /// `given` holds the moves for the first of these turns.
    fn advance(&mut self, mut given: &[(Seat, &str)]) -> Result<(), PlayError> {
        let begun = now();
        let is_late = |most: Duration| begun.is_some_and(|begun| begun.elapsed() >= most);
        let mut has_gone_on = false;
        loop {
            let acting = self.state.acting().to_vec();
            if acting.is_empty() {
                self.end(None);
                return Ok(());
            }
            let is_late = has_gone_on && self.patience.most.is_some_and(is_late);
            if given.is_empty() && (is_late || !self.waiting().is_empty()) {
                return Ok(());
            }
            let mut joint = Vec::with_capacity(acting.len());
            for seat in acting {
                joint.push(match given.iter().find(|(own, _)| *own == seat) {
                    Some((_, action)) => (*action).to_owned(),
                    None => match self.ask(seat)? {
                        Ok(action) => action,
                        Err(_) if self.patience.stop.load(Ordering::Relaxed) => return Ok(()),
                        Err(fault) => {
                            self.end(Some(SeatFault::new(seat, fault)));
                            return Ok(());
                        }
                    },
                });
            }
            if self.patience.stop.load(Ordering::Relaxed) {
                // What the others decided in haste does not count.
                return Ok(());
            }
            given = &[];
            has_gone_on = true;
            let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
            let played = self.state.play(&texts);
            played.map_err(|(seat, problem)| PlayError::Seat { seat, problem })?;
            self.actions.extend(joint);
        }
    }

    /// Ends the match, by this fault or by its rules, and tells the others.
    fn end(&mut self, mut fault: Option<SeatFault>) {
        for (seat, other) in Seat::all(self.others.len()).zip(&mut self.others) {
            if let Some(other) = other
                && fault.is_none()
                && let Ok(Err(failed)) = panics::catch(|| other.settle())
            {
                fault = Some(SeatFault::new(seat, failed));
            }
        }
        let outcome = match fault {
            Some(fault) => Some(self.state.outcome_with_fault(fault)),
            None => self.state.outcome(),
        };
        let Some(outcome) = outcome else { return };
        for (seat, other) in Seat::all(self.others.len()).zip(&mut self.others) {
            let Some(other) = other else { continue };
            // The outcome is settled, so a player that fails only now loses nothing.
            let entries = panics::catch(|| {
                other.finish(&outcome);
                other.take_log()
            });
            let entries = entries.unwrap_or_default().into_iter();
            entries.for_each(|(turn, content)| self.log.push(LogEntry { turn, seat, content }));
        }
        self.outcome = Some(outcome);
    }

    /// Asks another player, and returns its action or its fault.
    fn ask(&mut self, seat: Seat) -> Result<Result<String, Fault>, PlayError> {
        let name = &self.fixture.seats[seat.index()];
        let other = self.others[seat.index()].as_mut();
        let other = other.ok_or(PlayError::NobodySeated(seat))?;
        let advice = Advice {
            observation: &self.state.observation(seat),
            turn: self.state.turn(),
            budget: self.budget,
            time_left: None,
            stop: Some(&self.patience.stop),
        };
        let failed = |problem: String| PlayError::OtherPlayer { seat, name: name.clone(), problem };
        let answer = panics::catch(|| other.advise(&advice));
        let entries = panics::catch(|| other.take_log()).unwrap_or_default();
        let entries = entries.into_iter().map(|(turn, content)| LogEntry { turn, seat, content });
        entries.for_each(|entry| self.log.push(entry));
        let turn = self.state.turn();
        let (action, notes) = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(AdviceError::Fault(fault))) => return Ok(Err(fault)),
            Ok(Err(AdviceError::Illegal(illegal))) => {
                let detail = format!("turn {turn}: {illegal}");
                return Ok(Err(Fault::new(FaultKind::Illegal, detail)));
            }
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(panic) => return Ok(Err(Fault::new(FaultKind::Panic, panic.to_string()))),
        };
        // The notes should already have the right turn and seat; this makes sure of it.
        self.notes.extend(notes.into_iter().map(|note| Note { turn, seat, ..note }));
        Ok(Ok(action))
    }

    /// Whether a move can be taken back: in a game of one seat, if there is a move to take back.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Takes the last move back, if possible.
    pub fn undo(&mut self) {
        if let Some((state, actions)) = self.past.pop() {
            self.state = state;
            self.outcome = None;
            self.actions.truncate(actions);
        }
    }

    /// By how much a move would change the person's score, in a game of one seat and if the rules
    /// allow the move.
    pub fn gain(&self, action: &str) -> Option<f64> {
        if self.game.seats() > 1 {
            return None;
        }
        let own = |state: &dyn AnyMatch| state.scores().get(self.seat.index()).copied();
        let mut after = self.state.fork();
        after.play(&[action]).ok()?;
        Some(own(after.as_ref())? - own(self.state())?)
    }

    /// All actions so far, turn by turn, seat by seat.
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The record and how long the match took, once it is over. Debug builds check the record by
    /// playing it again.
    pub fn record(&self) -> Option<(Record, Duration)> {
        let outcome = self.outcome.clone()?;
        let record = Record {
            format: FORMAT,
            id: self.fixture.id(),
            fixture: self.fixture.clone(),
            actions: self.actions.join(" "),
            outcome,
            notes: self.notes.clone(),
            log: self.log.clone().into_entries(),
        };
        debug_assert_eq!(self.game.verify(&record), Ok(()));
        Some((record, self.begun.map_or(Duration::ZERO, |begun| begun.elapsed())))
    }
}
