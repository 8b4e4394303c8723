//! Players written in Python, seated among ours. A player is any object with `decide`;
//! `quintain.Player` is the class to derive from. An error in it is a fault of that player, like a
//! panic in one of ours: the match ends by the rules, and nothing else ends. If what it depends on
//! fails (`ConnectionError`, `quintain.VoidMatch`), the match is void.

use std::ffi::CString;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::exceptions::{
    PyConnectionError, PyException, PyRuntimeWarning, PySystemExit, PyTypeError,
};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use quintain_core::{
    Answer, AnyGame, Catalog, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind,
    LogContent, MatchStart, Outcome, Question as Request, Seat, SpecError, ThinkingClock,
};
use serde_json::Value;

use crate::arguments::{self, whole};
use crate::calls::Calls;
use crate::catalog::{catalog, find_game, refuse};
use crate::json::{describe, from_python, to_python};

/// The word before the colon in a Python player's spec.
const PREFIX: &str = "python";
/// The number of traceback lines that a record keeps.
const KEPT_LINES: usize = 12;

/// What a Python player gets besides its observation.
#[pyclass(module = "quintain", frozen)]
pub(crate) struct Question {
    /// The turn of the match, from 0.
    #[pyo3(get)]
    turn: u32,
    /// The seat that is asked.
    #[pyo3(get)]
    seat: usize,
    /// The actions offered, in text.
    #[pyo3(get)]
    actions: Py<PyAny>,
    /// The seconds for this decision; None if time is not limited.
    #[pyo3(get)]
    seconds: Option<f64>,
    notes: Mutex<Notes>,
    observation: Value,
    table: Arc<Table>,
}

/// What a player has noted about a decision: figures, and words, each by name.
#[derive(Default)]
struct Notes {
    figures: Vec<(String, f64)>,
    words: Vec<(String, String)>,
}

/// What is played, once the match has started.
#[derive(Default)]
struct Table {
    /// The game's name and the scenario.
    played: OnceLock<(String, String)>,
    /// The game, made when it is first needed.
    game: OnceLock<Arc<dyn AnyGame>>,
}

impl Table {
    fn game(&self) -> PyResult<&Arc<dyn AnyGame>> {
        if let Some(game) = self.game.get() {
            return Ok(game);
        }
        let (name, scenario) = self.played.get().ok_or_else(|| refuse("no match has started"))?;
        let (entry, scenario) = find_game(name, Some(scenario))?;
        let game = entry.game(&scenario).map_err(refuse)?;
        Ok(self.game.get_or_init(|| game))
    }
}

#[pymethods]
impl Question {
    /// Keeps a figure or words about this decision, if notes are kept.
    fn note(
        &self,
        #[pyo3(from_py_with = arguments::name)] name: &str,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        match value.cast::<PyString>() {
            Ok(words) => notes.words.push((name.to_owned(), words.extract()?)),
            Err(_) => notes.figures.push((name.to_owned(), arguments::value(value)?)),
        }
        Ok(())
    }

    /// Raises ValueError, naming the rule, if this action (in text or in its JSON form) is not
    /// legal here. In some games more actions are legal than are offered.
    fn check(&self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let (game, action) = (self.table.game()?, from_python(action)?);
        game.check(&self.observation, Seat::new(self.seat), &action).map_err(refuse)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let actions = self.actions.bind(py).repr()?;
        Ok(format!("<Question on turn {} to seat {}: {actions}>", self.turn, self.seat))
    }
}

/// Lets only one match of Python players run at a time: what such players share (a network, a
/// source of random numbers) is seldom safe to use from several threads.
#[derive(Default)]
struct OneMatch {
    /// The thread that plays the match, and how many of its players are left.
    playing: Mutex<Option<(ThreadId, usize)>>,
    over: Condvar,
}

impl OneMatch {
    /// Waits until no other thread plays.
    fn enter(self: &Arc<Self>) -> Pass {
        let own = std::thread::current().id();
        let playing = self.playing.lock().unwrap_or_else(PoisonError::into_inner);
        let others = |now: &mut Option<(ThreadId, usize)>| now.is_some_and(|(id, _)| id != own);
        let free = self.over.wait_while(playing, others);
        let mut playing = free.unwrap_or_else(PoisonError::into_inner);
        let players = playing.map_or(0, |(_, players)| players);
        *playing = Some((own, players + 1));
        Pass(Arc::clone(self))
    }
}

/// A player's part in the match that is allowed to run.
struct Pass(Arc<OneMatch>);

impl Drop for Pass {
    fn drop(&mut self) {
        let mut playing = self.0.playing.lock().unwrap_or_else(PoisonError::into_inner);
        *playing = playing.filter(|(_, left)| *left > 1).map(|(id, left)| (id, left - 1));
        if playing.is_none() {
            self.0.over.notify_one();
        }
    }
}

/// How a player is obtained: made for each seat of each match, or the same object every time.
struct Maker {
    name: String,
    version: u32,
    object: Py<PyAny>,
    is_player: bool,
    /// Whether several threads may have players made by it at the same time.
    is_concurrent: bool,
}

/// The Python players of one call.
#[derive(Default)]
pub(crate) struct Guests {
    makers: Vec<Maker>,
    /// Calls of their code. An exception that is no player's fault (KeyboardInterrupt) ends all.
    pub(crate) calls: Arc<Calls>,
    one_match: Arc<OneMatch>,
}

/// How many matches are played at once. Instances are accepted only for one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matches {
    /// One match, on one thread.
    One,
    /// Many at once.
    Many,
}

impl Guests {
    /// The spec of a player that is given as text, as a class, as a function that makes one, or,
    /// for one match, as an instance.
    pub(crate) fn invite(
        &mut self,
        player: &Bound<'_, PyAny>,
        matches: Matches,
    ) -> PyResult<String> {
        if let Ok(spec) = player.cast::<PyString>() {
            return spec.extract();
        }
        let is_class = player.is_instance_of::<PyType>();
        let is_player = !is_class && player.hasattr("decide")?;
        if !is_player && !player.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "{} is not a player; expected a string such as “random”, a class derived from \
                 quintain.Player, or a function that makes a player",
                player.repr()?
            )));
        }
        if is_player && matches == Matches::Many {
            return Err(PyTypeError::new_err(format!(
                "{} is a single player, but many matches are played at once; give its class, or a \
                 function that makes one",
                player.repr()?
            )));
        }
        let name = name_of(player)?;
        let version = match player.getattr_opt("version")? {
            Some(version) => whole("version", &version, 0..=u64::from(u32::MAX))?,
            None => 0,
        };
        let is_concurrent = match player.getattr_opt("concurrent")? {
            Some(is) => is.is_truthy()?,
            None => false,
        };
        let object = player.clone().unbind();
        let known = self.makers.iter().find(|known| known.name == name);
        match known {
            // The same object may have several seats.
            Some(known) if known.object.is(player) => {}
            Some(_) => {
                return Err(refuse(format!(
                    "two players are called {name}; give one of them another “name”"
                )));
            }
            None => {
                let name = name.clone();
                self.makers.push(Maker { name, version, object, is_player, is_concurrent });
            }
        }
        Ok(format!("{PREFIX}:{name}"))
    }

    /// The catalog including these players.
    pub(crate) fn seat(self) -> Catalog {
        if self.makers.is_empty() {
            return catalog().clone();
        }
        catalog().clone().with_external(Arc::new(self))
    }
}

/// The `name` of a player or its class; otherwise the name of a class or function, or of the
/// object's class.
fn name_of(player: &Bound<'_, PyAny>) -> PyResult<String> {
    for attribute in ["name", "__name__"] {
        if let Some(name) = player.getattr_opt(attribute)?
            && let Ok(name) = name.extract::<String>()
            && !name.is_empty()
        {
            if name.contains(char::is_whitespace) || name.contains(['?', '&', ',']) {
                return Err(refuse(format!(
                    "“{name}” cannot be a player's name: names have no spaces, ?, & or commas"
                )));
            }
            return Ok(name);
        }
    }
    player.get_type().name()?.extract()
}

impl ExternalSource for Guests {
    fn prefix(&self) -> &str {
        PREFIX
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        match self.maker(spec) {
            Some(_) => Ok(spec.to_owned()),
            None => Err(format!("{spec} is not among the players given").into()),
        }
    }

    fn version(&self, spec: &str) -> u32 {
        self.maker(spec).map_or(0, |maker| maker.version)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let maker = self.maker(spec).ok_or_else(|| format!("{spec} is not among the players"))?;
        let pass = (!maker.is_concurrent).then(|| self.one_match.enter());
        Python::attach(|py| {
            let object = if maker.is_player {
                maker.object.clone_ref(py)
            } else {
                let made = self.calls.make(py, || maker.object.call0(py));
                made.map_err(|error| fault(py, error, &self.calls).detail)?
            };
            let can = object.bind(py).hasattr("decide").unwrap_or(false);
            if !can {
                return Err(format!("{} has made an object without “decide”", maker.name).into());
            }
            Ok(Box::new(Guest {
                name: maker.name.clone(),
                object,
                is_concurrent: maker.is_concurrent,
                calls: Arc::clone(&self.calls),
                table: Arc::default(),
                prepared: None,
                words: Vec::new(),
                _pass: pass,
            }) as Box<dyn ExternalPlayer>)
        })
    }
}

impl Guests {
    fn maker(&self, spec: &str) -> Option<&Maker> {
        let name = spec.strip_prefix(PREFIX)?.strip_prefix(':')?;
        self.makers.iter().find(|maker| maker.name == name)
    }
}

/// A Python player in its seat.
struct Guest {
    name: String,
    object: Py<PyAny>,
    is_concurrent: bool,
    calls: Arc<Calls>,
    table: Arc<Table>,
    /// The answer that is thought about on another thread.
    prepared: Option<Receiver<Answered>>,
    /// What it has noted in words since the log was last taken.
    words: Vec<(u32, LogContent)>,
    /// Held until the match is over.
    _pass: Option<Pass>,
}

/// An answer, and what was noted in words.
type Answered = Result<(Answer, Vec<(String, String)>), Fault>;

impl Guest {
    /// Calls a method if the player has it.
    fn tell(&self, method: &str, about: &impl serde::Serialize) -> Result<(), Fault> {
        Python::attach(|py| {
            let object = self.object.bind(py);
            let made = self.calls.make(py, || match object.getattr_opt(method)? {
                Some(listener) => await_result(listener.call1((describe(py, about)?,))?).map(drop),
                None => Ok(()),
            });
            made.map_err(|error| fault(py, error, &self.calls))
        })
    }
}

/// Asks a player for its action, and waits for it.
fn ask(object: &Py<PyAny>, calls: &Calls, table: &Arc<Table>, asked: &Request) -> Answered {
    Python::attach(|py| {
        let answered = calls.make(py, || {
            let question = Question {
                turn: asked.turn,
                seat: asked.seat.index(),
                actions: asked.actions.as_slice().into_pyobject(py)?.unbind(),
                seconds: asked.time.as_ref().map(Duration::as_secs_f64),
                notes: Mutex::default(),
                observation: asked.observation.clone(),
                table: Arc::clone(table),
            };
            let question = Bound::new(py, question)?;
            let seen = to_python(py, &asked.observation)?;
            let action = object.bind(py).call_method1("decide", (seen, &question))?;
            let action = from_python(&await_result(action)?)?;
            let mut notes = question.get().notes.lock().unwrap_or_else(PoisonError::into_inner);
            let Notes { figures, words } = std::mem::take(&mut *notes);
            Ok((Answer::from(action).with_notes(figures), words))
        });
        answered.map_err(|error| fault(py, error, calls))
    })
}

/// Waits for the result of an `async` method; any other result is returned as it is.
fn await_result(result: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if result.is_instance_of::<PyString>() || !result.hasattr("__await__")? {
        return Ok(result);
    }
    result.py().import("quintain.asynchronous")?.call_method1("wait_for", (result,))
}

impl ExternalPlayer for Guest {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        let played = (match_start.game.clone(), match_start.scenario.clone());
        self.table.played.get_or_init(|| played);
        let mut message = serde_json::to_value(match_start).unwrap_or_default();
        message["setting"] = setting.clone();
        self.tell("start", &message)
    }

    fn can_prepare(&self) -> bool {
        self.is_concurrent
    }

    fn prepare(&mut self, question: &Request) {
        let (sender, receiver) = sync_channel(1);
        let object = Python::attach(|py| self.object.clone_ref(py));
        let (calls, table) = (Arc::clone(&self.calls), Arc::clone(&self.table));
        let question = question.clone();
        let think = move || {
            let clock = ThinkingClock::start();
            let answered = ask(&object, &calls, &table, &question);
            let answered =
                answered.map(|(answer, words)| (answer.with_thought(clock.elapsed()), words));
            // If the match has ended meanwhile, nobody listens any more.
            let _ = sender.send(answered);
        };
        // Without a thread, it is asked when its turn comes.
        let thread = thread::Builder::new().name("quintain player".to_owned()).spawn(think);
        self.prepared = thread.ok().map(|_| receiver);
    }

    fn answer(&mut self, asked: &Request) -> Result<Answer, Fault> {
        let prepared = self.prepared.take().and_then(|answered| answered.recv().ok());
        let answered =
            prepared.unwrap_or_else(|| ask(&self.object, &self.calls, &self.table, asked));
        let (answer, words) = answered?;
        let log =
            words.into_iter().map(|(name, text)| (asked.turn, LogContent::Note { name, text }));
        self.words.extend(log);
        Ok(answer)
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        std::mem::take(&mut self.words)
    }

    fn finish(&mut self, outcome: &Outcome) {
        // Another seat may have ended the match while this one was still thinking.
        let _ = self.prepared.take().and_then(|answered| answered.recv().ok());
        // A player that fails only now has nothing left to lose, but its author should know.
        let Err(Fault { detail, .. }) = self.tell("finish", outcome) else { return };
        if self.calls.is_over() {
            return;
        }
        Python::attach(|py| {
            let text = format!("{PREFIX}:{}: finish: {detail}", self.name);
            let text = CString::new(text.replace('\0', " ")).expect("it has no zeros");
            let category = py.get_type::<PyRuntimeWarning>();
            // Warnings may be configured as errors; then they end everything.
            if let Err(error) = PyErr::warn(py, &category, &text, 1) {
                self.calls.end(error);
            }
        });
    }
}

/// Turns an exception into a player's fault: its message and where it was raised, with the end of
/// the traceback. If something failed that the player depends on, the match is void. What is
/// neither an `Exception` nor a `SystemExit` is kept and ends everything.
fn fault(py: Python<'_>, error: PyErr, calls: &Calls) -> Fault {
    let detail = describe_error(py, &error);
    let lines = traceback(py, &error).unwrap_or_default();
    let kind = if is_outage(py, &error) { FaultKind::Outage } else { FaultKind::Panic };
    if !error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PySystemExit>(py) {
        calls.end(error);
    }
    let skipped = lines.len().saturating_sub(KEPT_LINES);
    Fault::new(kind, detail).with_output(lines[skipped..].to_vec())
}

/// Returns `quintain.VoidMatch`.
fn void_match(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("quintain.player")?.getattr("VoidMatch")
}

/// Whether an exception says that something failed that the player depends on.
fn is_outage(py: Python<'_>, error: &PyErr) -> bool {
    if error.is_instance_of::<PyConnectionError>(py) {
        return true;
    }
    void_match(py).is_ok_and(|void| error.matches(py, void).unwrap_or(false))
}

/// The exception for a match that could not be played.
pub(crate) fn unplayed(py: Python<'_>, problem: &SpecError) -> PyErr {
    let SpecError::Void { player, fault } = problem else { return refuse(problem) };
    if fault.kind != FaultKind::Outage {
        return refuse(problem);
    }
    let made = void_match(py).and_then(|void| void.call1((format!("{player}: {}", fault.detail),)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An exception in one line: its class, its message, and the place.
pub(crate) fn describe_error(py: Python<'_>, error: &PyErr) -> String {
    let text = error.value(py).str().map(|text| text.to_string()).unwrap_or_default();
    let name = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
    let message = match text.lines().next() {
        Some(line) if !line.is_empty() => format!("{name}: {line}"),
        _ => name,
    };
    match place(py, error) {
        Ok(Some((file, line))) => format!("{message} ({file}, line {line})"),
        _ => message,
    }
}

/// The file and line of the innermost frame.
fn place(py: Python<'_>, error: &PyErr) -> PyResult<Option<(String, u32)>> {
    let Some(traceback) = error.traceback(py) else { return Ok(None) };
    let mut innermost = traceback.into_any();
    loop {
        let next = innermost.getattr("tb_next")?;
        if next.is_none() {
            break;
        }
        innermost = next;
    }
    let line = innermost.getattr("tb_lineno")?.extract()?;
    let path = innermost.getattr("tb_frame")?.getattr("f_code")?.getattr("co_filename")?;
    let path: String = path.extract()?;
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Ok(Some((file, line)))
}

fn traceback(py: Python<'_>, error: &PyErr) -> PyResult<Vec<String>> {
    let format = py.import("traceback")?.getattr("format_exception")?;
    let parts: Vec<String> = format.call1((error.value(py),))?.extract()?;
    Ok(parts.concat().lines().map(str::to_owned).collect())
}

/// The players of a call: a list or tuple of texts, classes, functions or instances.
pub(crate) fn invite(
    players: &Bound<'_, PyAny>,
    matches: Matches,
) -> PyResult<(Guests, Vec<String>)> {
    let mut guests = Guests::default();
    let is_one = players.is_instance_of::<PyString>()
        || players.is_callable()
        || players.hasattr("decide")?;
    let given: Vec<Bound<'_, PyAny>> = match is_one {
        true => vec![players.clone()],
        false => match players.try_iter() {
            Ok(several) => several.collect::<PyResult<_>>()?,
            // The error says what a player is.
            Err(_) => vec![players.clone()],
        },
    };
    let specs = given.iter().map(|player| guests.invite(player, matches));
    let specs = specs.collect::<PyResult<_>>()?;
    Ok((guests, specs))
}
