//! Our players as programs: a player of the catalog plays for another referee, in a foreign
//! protocol or in Quintain's own, over lines of text. It knows nothing of the referee but the
//! lines.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use quintain_core::{
    Advice, AdviceError, AnyAdviser, Budget, Catalog, ForeignProtocol, MatchStart, Note, Parsed,
    PlayerHandle, Seat, SpecError, Streams,
};

use crate::{FromProgram, NoteValue, PROTOCOL, Ready, Reply, ToProgram, quote_line};

/// The share of the referee's time that is left unused: its clock also counts the transport of the
/// lines and the start of our process's thread. On a busy machine these take longer the more others
/// wait for a core, however short the time is, so at least [`WAIT`] is left.
const MARGIN: f64 = 0.15;
const WAIT: Duration = Duration::from_millis(30);

/// The part of a referee's time that can be used for deciding.
fn usable(time: Duration) -> Duration {
    // Of a very short time, some must remain to think in.
    time - time.mul_f64(MARGIN).max(WAIT).min(time / 2)
}

/// Why serving ended before the referee was finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerServerError {
    /// The referee said something unexpected.
    #[error("line {line}: {problem}, got {got}")]
    Line {
        /// The line's number, from 1.
        line: u64,
        /// What was expected.
        problem: String,
        /// What was received instead.
        got: String,
    },
    /// The referee begins a match of another game.
    #[error("line {line}: start names {named}; this is a {own} player")]
    OtherGame {
        /// The line's number, from 1.
        line: u64,
        /// The game that the referee names.
        named: String,
        /// The player's game.
        own: String,
    },
    /// The player is not available, or cannot play what is requested.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// Our players do not speak this protocol, with its name.
    #[error("{0} cannot be served")]
    NotServed(&'static str),
    /// The player failed.
    #[error(transparent)]
    Advice(#[from] AdviceError),
    /// The lines cannot be read or written.
    #[error(transparent)]
    Pipe(#[from] std::io::Error),
}

/// A player of a catalog that plays for a referee.
pub struct PlayerServer<'a> {
    /// The games.
    pub catalog: &'a Catalog,
    /// The game that is played.
    pub game: &'a str,
    /// The player.
    pub player: &'a PlayerHandle,
    /// Its budget, where the referee sets no time.
    pub budget: Budget,
}

impl PlayerServer<'_> {
    /// Plays in a foreign protocol until the referee is done or closes the input.
    ///
    /// # Errors
    /// [`PlayerServerError`] if a line is not part of the protocol, the player cannot play, or the
    /// lines cannot be read or written.
    pub fn serve_foreign(
        &self,
        protocol: &ForeignProtocol,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), PlayerServerError> {
        let Some(program) = protocol.program else {
            return Err(PlayerServerError::NotServed(protocol.name));
        };
        let mut codec = program();
        let mut adviser: Option<Box<dyn AnyAdviser>> = None;
        for (number, line) in (1..).zip(input.lines()) {
            let line = read_text(number, line)?;
            let wrong =
                |problem| PlayerServerError::Line { line: number, problem, got: quote_line(&line) };
            match codec.hear(&line).map_err(|error| wrong(error.to_string()))? {
                Parsed::More => {}
                Parsed::Over => return Ok(()),
                Parsed::Request(request) => {
                    let adviser = match &mut adviser {
                        Some(known) => known,
                        None => adviser.insert(self.adviser(&request.scenario, request.seat, 0)?),
                    };
                    let (action, notes) = decide_within(request.time, |stop| {
                        adviser.advise(&Advice {
                            observation: &request.observation,
                            turn: request.turn,
                            budget: limit_to(self.budget, request.time),
                            time_left: None,
                            stop,
                        })
                    })?;
                    log_decision(request.turn, &action, &notes);
                    output.write_all(codec.answer(&action).as_bytes())?;
                    output.flush()?;
                }
            }
        }
        Ok(())
    }

    /// Plays in Quintain's protocol until `bye` or the end of the input.
    ///
    /// # Errors
    /// As [`PlayerServer::serve_foreign`].
    pub fn serve(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), PlayerServerError> {
        let mut adviser: Option<Box<dyn AnyAdviser>> = None;
        for (number, line) in (1..).zip(input.lines()) {
            let line = read_text(number, line)?;
            let wrong =
                |problem| PlayerServerError::Line { line: number, problem, got: quote_line(&line) };
            let expected = |error| wrong(format!("expected a message of the protocol ({error})"));
            let answer = match serde_json::from_str(&line).map_err(expected)? {
                ToProgram::Hello { protocol, .. } if protocol != PROTOCOL => {
                    return Err(wrong(format!("expected protocol {PROTOCOL}")));
                }
                ToProgram::Hello { .. } => FromProgram::Ready(Ready {
                    name: self.player.spec.clone(),
                    games: vec![self.game.to_owned()],
                    protocol: PROTOCOL,
                }),
                ToProgram::Start(start) if start.game != self.game => {
                    return Err(PlayerServerError::OtherGame {
                        line: number,
                        named: start.game.chars().filter(|sign| !sign.is_control()).collect(),
                        own: self.game.to_owned(),
                    });
                }
                ToProgram::Start(start) => {
                    let seat = Seat::new(start.seat);
                    adviser = Some(self.adviser(&start.scenario, seat, start.seed)?);
                    continue;
                }
                ToProgram::Turn(turn) => {
                    let adviser =
                        adviser.as_mut().ok_or_else(|| wrong("expected start".to_owned()))?;
                    let advice = Advice {
                        observation: &turn.observation,
                        turn: turn.turn,
                        budget: limit_to(self.budget, Some(Duration::from_millis(turn.time_ms))),
                        time_left: None,
                        stop: None,
                    };
                    let (action, notes) = adviser.advise(&advice)?;
                    log_decision(turn.turn, &action, &notes);
                    FromProgram::Action(Reply {
                        action: action.into(),
                        notes: notes
                            .into_iter()
                            .map(|note| (note.name, NoteValue::Number(note.value)))
                            .collect(),
                        draw: Vec::new(),
                    })
                }
                ToProgram::Bye {} => return Ok(()),
                _ => continue,
            };
            serde_json::to_writer(&mut *output, &answer).map_err(std::io::Error::from)?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
        Ok(())
    }

    fn adviser(
        &self,
        scenario: &str,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn AnyAdviser>, SpecError> {
        let game = self.catalog.game(self.game, scenario)?;
        let start = MatchStart::new(self.game, scenario, game.seats());
        let start = start.with_seat(seat, seed, Budget::default());
        game.adviser(self.player, &start, Streams::new(seed).player(seat))
    }
}

/// Reads a line of the referee.
fn read_text(number: u64, line: std::io::Result<String>) -> Result<String, PlayerServerError> {
    line.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => PlayerServerError::Line {
            line: number,
            problem: "expected text in UTF-8".to_owned(),
            got: "other bytes".to_owned(),
        },
        _ => error.into(),
    })
}

/// Logs a decision with the figures that the player noted about it.
fn log_decision(turn: u32, action: &str, notes: &[Note]) {
    let figures = notes.iter().map(|note| format!(", {} {}", note.name, note.value));
    tracing::info!("turn {turn}: {action}{}", figures.collect::<String>());
}

/// Lets a player decide within a referee's time as measured by the wall clock. A budget does not
/// count how long a thread waits for a core, and neither does our own arena; another referee does
/// count it. The flag passed to `decide` is set shortly before the time is up.
fn decide_within<T>(
    time: Option<Duration>,
    decide: impl FnOnce(Option<&Arc<AtomicBool>>) -> T,
) -> T {
    let Some(time) = time else { return decide(None) };
    let stop = Arc::new(AtomicBool::new(false));
    let (decided, is_decided) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let flag = Arc::clone(&stop);
        scope.spawn(move || {
            let most = usable(time) + (time - usable(time)) / 3;
            if is_decided.recv_timeout(most) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let decision = decide(Some(&stop));
        drop(decided);
        decision
    })
}

/// The budget of a decision: our own, limited to what the referee's time leaves. A budget in work
/// alone is left as it is, so that served players decide as in matches, unless it would take longer
/// than that.
fn limit_to(budget: Budget, time: Option<Duration>) -> Budget {
    let per_move = [budget.per_move, time.map(usable)].into_iter().flatten().min();
    Budget { per_move, ..budget }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Option<Duration> = Some(Duration::from_secs(1));

    fn per_move(budget: &str, time: Option<Duration>) -> Option<Duration> {
        limit_to(budget.parse().unwrap(), time).per_move
    }

    #[test]
    fn no_budget_goes_beyond_the_time_of_the_referee() {
        let most = Some(Duration::from_millis(850));
        assert_eq!(per_move("", SECOND), most);
        assert_eq!(per_move("move=5s", SECOND), most);
        assert_eq!(per_move("nodes=1000000000", SECOND), most);
        assert_eq!(per_move("move=40ms", SECOND), Some(Duration::from_millis(40)));
    }

    #[test]
    fn of_a_short_time_more_is_left_for_the_way() {
        let most = |time| per_move("", Some(Duration::from_millis(time)));
        assert_eq!(most(100), Some(Duration::from_millis(70)));
        assert_eq!(most(20), Some(Duration::from_millis(10)));
    }

    #[test]
    fn bytes_that_are_no_text_are_reported_with_their_line() {
        let bytes = &b"3 3\n###\n#\xff#\n"[..];
        let read: Vec<String> = (1..)
            .zip(bytes.lines())
            .map(|(number, line)| read_text(number, line).unwrap_or_else(|error| error.to_string()))
            .collect();
        assert_eq!(read, ["3 3", "###", "line 3: expected text in UTF-8, got other bytes"]);
    }

    #[test]
    fn players_without_a_core_stop_within_the_referees_time() {
        let stopped = decide_within(Some(Duration::from_millis(1)), |stop| {
            let stop = stop.expect("where there is a limit there is something to look at");
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            true
        });
        assert!(stopped);
        assert!(decide_within(None, |stop| stop.is_none()));
    }

    #[test]
    fn without_a_referees_time_the_budget_applies() {
        assert_eq!(limit_to("nodes=300".parse().unwrap(), None), "nodes=300".parse().unwrap());
        assert_eq!(per_move("move=5s", None), Some(Duration::from_secs(5)));
    }
}
