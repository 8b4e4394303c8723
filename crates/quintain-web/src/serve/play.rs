//! The requests of people who play in the browser: begin a match, look at it, move, take a
//! move back, ask what a gesture means. The matches themselves wait in [`super::sessions`];
//! when one is over, its record goes into the store.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::{ConnectInfo, FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use quintain_core::{AnyEntry, Budget, Seat, Spec};
use quintain_human::{HumanMatch, HumanMatchConfig, OUTSIDE};
use quintain_ui::Point;
use quintain_ui::{Gesture, Key, Keyboard};
use serde::{Deserialize, Serialize};

use super::limits::Place;
use super::match_request::NewMatchRequest;
use super::problem::Problem;
use super::questions::ModuleQuestion;
use super::sessions::Session;
use super::shared::{Shared, blocking, thinking};
use crate::playable::{can_be_played, find_refused_parameter};
use crate::replay::Replay;

/// Seats and cells of a game that is played here, at most.
const SEATS: usize = 64;
const CELLS: i32 = 10_000;
/// Offered actions that are listed.
const LISTED: usize = 64;
/// Milliseconds that a player may think.
const THINKING: std::ops::RangeInclusive<u64> = 10..=5000;
/// Cells that a gesture may mark.
const MARKS: usize = 400;
/// Digits of a session's id that are a module's seed: as many bits as every language reads exactly.
const SEED_DIGITS: usize = 13;

/// A match as the person sees it.
#[derive(Serialize)]
pub(crate) struct View {
    id: String,
    seat: usize,
    turn: u32,
    over: bool,
    /// Seats whose moves are waited for; others than the person's are played by a module in the page.
    waiting: Vec<usize>,
    can_undo: bool,
    /// Whether the record is kept when it ends.
    is_kept: bool,
    /// The position through the person's eyes.
    replay: Replay,
    /// What may be done, where that can be listed.
    offered: Vec<String>,
    /// The record's id, once it is over.
    record: Option<String>,
    controls: Controls,
}

/// How a match is played by keys and by pointing.
#[derive(Serialize)]
struct Controls {
    help: &'static str,
    /// The action of each key, by the browser's name of the key.
    keys: HashMap<String, String>,
    /// What keys do, in words, where their action does not say it.
    names: HashMap<&'static str, &'static str>,
    pointing: Option<PointingControls>,
}

#[derive(Serialize)]
struct PointingControls {
    help: &'static str,
    marks: &'static [(char, &'static str)],
    others: &'static [(char, &'static str)],
}

impl Controls {
    fn of(keyboard: &Keyboard) -> Controls {
        let named = [
            ("ArrowLeft", Key::Left),
            ("ArrowRight", Key::Right),
            ("ArrowUp", Key::Up),
            ("ArrowDown", Key::Down),
            ("Home", Key::Home),
            ("End", Key::End),
            ("PageUp", Key::PageUp),
            ("PageDown", Key::PageDown),
        ];
        let letters = (' '..='~').map(|letter| (letter.to_string(), Key::Character(letter)));
        let keys = named.map(|(name, key)| (name.to_owned(), key)).into_iter().chain(letters);
        let pointing = keyboard.pointing.map(|pointing| PointingControls {
            help: pointing.help,
            marks: pointing.marks,
            others: pointing.others,
        });
        let name = |(name, key)| {
            let found = keyboard.names.iter().find(|(known, _)| *known == key);
            found.map(|(_, words)| (name, *words))
        };
        let names = named.into_iter().filter_map(name).collect();
        let keys = keys.filter_map(|(name, key)| Some((name, (keyboard.action)(key)?))).collect();
        Controls { help: keyboard.help, keys, names, pointing }
    }
}

impl View {
    /// The view of a session by the person who plays it.
    fn of(session: &Session, id: String) -> View {
        let (human_match, seat) = (&session.human_match, session.human_match.seat());
        let players = &human_match.fixture().seats;
        let mut offered = human_match.state().actions(seat);
        if offered.len() > LISTED {
            offered.clear();
        }
        let position = human_match.state();
        let replay = Replay::of_position(human_match.game(), players, position, Some(seat));
        // A player that fails ends the match where the rules would go on.
        let replay = Replay { outcome: human_match.outcome().cloned(), ..replay };
        View {
            id,
            seat: seat.index(),
            turn: human_match.state().turn(),
            over: human_match.is_over(),
            waiting: human_match.waiting().into_iter().map(Seat::index).collect(),
            can_undo: human_match.can_undo() && session.record.is_none(),
            is_kept: session.is_own,
            replay,
            offered,
            record: session.record.clone(),
            controls: Controls::of(&session.keyboard),
        }
    }
}

fn find_keyboard(entry: &dyn AnyEntry) -> Result<Keyboard, Problem> {
    let name = entry.name();
    entry.keyboard().ok_or_else(|| Problem::bad_request(format!("{name} is not played by hand")))
}

/// Which match under way a request is about, and who asks.
pub(super) struct SessionRequest {
    id: String,
    from: IpAddr,
}

impl<S: Send + Sync> FromRequestParts<S> for SessionRequest {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SessionRequest, Response> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        let from = ConnectInfo::<SocketAddr>::from_request_parts(parts, state).await;
        let (Path(id), ConnectInfo(from)) =
            (id.map_err(IntoResponse::into_response)?, from.map_err(IntoResponse::into_response)?);
        Ok(SessionRequest { id, from: from.ip() })
    }
}

impl SessionRequest {
    /// The session, rebuilt if the server was started anew meanwhile.
    fn session(&self, shared: &Shared) -> Result<Arc<Mutex<Session>>, Problem> {
        let rebuild = |request, place| build(shared, request, place);
        shared.sessions.get(&self.id, self.from, rebuild)
    }
}

/// The session, for one request at a time.
fn lock(session: &Mutex<Session>) -> Result<MutexGuard<'_, Session>, Problem> {
    let Ok(mut session) = session.try_lock() else {
        return Err(Problem::new(StatusCode::CONFLICT, "the others are still thinking"));
    };
    session.used = Instant::now();
    Ok(session)
}

/// `POST /api/play`: begins a match.
pub(super) async fn begin(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Json(request): Json<NewMatchRequest>,
) -> Result<(StatusCode, Json<View>), Problem> {
    let place = shared.sessions.reserve(from.ip())?;
    let done = thinking(shared, move |shared| {
        let mut session = build(shared, request, place)?;
        session.store_record(&shared.store)?;
        let id = shared.sessions.new_id();
        let session = shared.sessions.insert(id.clone(), session);
        let session = lock(&session)?;
        shared.sessions.keep(&id, &session);
        Ok(View::of(&session, id))
    });
    Ok((StatusCode::CREATED, Json(done.await?)))
}

/// Seats everybody at the match that is asked for.
fn build(shared: &Shared, request: NewMatchRequest, place: Place) -> Result<Session, Problem> {
    let entry = shared.catalog.entry(&request.game).map_err(Problem::not_found)?;
    let keyboard = find_keyboard(entry)?;
    let scenario = request.scenario.strip_prefix(entry.name()).unwrap_or(&request.scenario);
    let spec: Spec = scenario.trim_start_matches(':').parse()?;
    let families = entry.scenarios();
    if families.iter().any(|known| known.name == spec.path && !can_be_played(known)) {
        let text = "scenarios on files are not played in the browser";
        return Err(Problem::new(StatusCode::FORBIDDEN, text));
    }
    if let Ok(opponent) = request.opponent.parse::<Spec>()
        && let Some(known) = entry.players().iter().find(|known| known.name == opponent.path)
        && let Some(text) = find_refused_parameter(known, &opponent)
    {
        return Err(Problem::bad_request(text));
    }
    let laying_out = shared.laying_out.lock().unwrap_or_else(PoisonError::into_inner);
    let game = entry.game(&spec.to_string())?;
    if game.seats() > SEATS {
        let text = format!("{} seats are too many here; {SEATS} are played", game.seats());
        return Err(Problem::bad_request(text));
    }
    if !THINKING.contains(&request.think) {
        let (least, most) = (THINKING.start(), THINKING.end());
        return Err(Problem::bad_request(format!(
            "think={}: expected {least} to {most} milliseconds",
            request.think
        )));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = request.seed.unwrap_or(now.as_millis() as u64 % 1_000_000);
    let scene = game.begin(seed).scene(None);
    if scene.width.saturating_mul(scene.height) > CELLS {
        let text = format!("the board is too large here; {CELLS} cells are played");
        return Err(Problem::bad_request(text));
    }
    drop((scene, game, laying_out));
    let config = HumanMatchConfig {
        game: request.game.clone(),
        scenario: spec.to_string(),
        seed,
        name: request.name.clone(),
        seat: request.seat,
        opponent: request.opponent.clone(),
        budget: Budget::time(Duration::from_millis(request.think)),
    };
    Ok(Session {
        human_match: HumanMatch::resume(&shared.catalog, &config, &request.actions)?,
        keyboard,
        used: Instant::now(),
        place,
        record: None,
        // What a module in a page does, nobody can do again.
        is_own: request.actions.is_empty() && request.opponent != OUTSIDE,
        request: NewMatchRequest { seed: Some(seed), actions: Vec::new(), ..request },
    })
}

/// Changes a match, stores its record if it has ended, and returns its view.
fn change(
    shared: &Shared,
    asked: &SessionRequest,
    work: impl FnOnce(&mut Session) -> Result<(), Problem>,
) -> Result<View, Problem> {
    let session = asked.session(shared)?;
    let mut session = lock(&session)?;
    work(&mut session)?;
    session.store_record(&shared.store)?;
    shared.sessions.keep(&asked.id, &session);
    Ok(View::of(&session, asked.id.clone()))
}

/// `GET /api/play/{id}`: how it stands.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<Json<View>, Problem> {
    thinking(shared, move |shared| {
        let session = asked.session(shared)?;
        let session = lock(&session)?;
        Ok(Json(View::of(&session, asked.id)))
    })
    .await
}

/// The body of a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveRequest {
    /// The person's action; none where others move alone.
    #[serde(default)]
    action: Option<String>,
    /// What the page's own module does at other seats.
    #[serde(default)]
    others: Vec<(u16, String)>,
}

/// `POST /api/play/{id}/move`: a move, and what the others do then.
pub(super) async fn play_move(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
    Json(request): Json<MoveRequest>,
) -> Result<Json<View>, Problem> {
    thinking(shared, move |shared| {
        let played = change(shared, &asked, |session| {
            let own = request.action.as_deref().map(|action| (session.human_match.seat(), action));
            let others = request.others.iter();
            let others =
                others.map(|(seat, action)| (Seat::new(usize::from(*seat)), action.as_str()));
            let moves: Vec<(Seat, &str)> = own.into_iter().chain(others).collect();
            let played = session.human_match.play_together(&moves);
            played
                .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))
        });
        Ok(Json(played?))
    })
    .await
}

/// `POST /api/play/{id}/undo`: takes the last move back, where nobody else plays.
pub(super) async fn undo(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<Json<View>, Problem> {
    blocking(shared, move |shared| {
        let undone = change(shared, &asked, |session| {
            if session.record.is_some() || !session.human_match.can_undo() {
                let text = "there is nothing to be taken back";
                return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text));
            }
            session.human_match.undo();
            Ok(())
        });
        Ok(Json(undone?))
    })
    .await
}

/// `POST /api/play/{id}/end`: gives the match up; nothing of it is kept.
pub(super) async fn end(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<StatusCode, Problem> {
    shared.sessions.end(&asked.id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// What was asked for a hint, and the match, whose record is not kept from here on.
#[derive(Serialize)]
pub(crate) struct Hint {
    action: String,
    by: String,
    /// The cells that it would change on the board, where nobody else moves at the same time.
    cells: Vec<Point>,
}

/// `POST /api/play/{id}/hint`: what the game's strong player would do here.
pub(super) async fn hint(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<Json<Hint>, Problem> {
    thinking(shared, move |shared| {
        let session = asked.session(shared)?;
        let mut session = lock(&session)?;
        let game = session.human_match.game().name().to_owned();
        let entry = shared.catalog.entry(&game).map_err(Problem::not_found)?;
        let name = quintain_analysis::usual_player(entry);
        let player = shared.catalog.player(&game, &name)?;
        let action = session.human_match.hint(&player);
        let action = action
            .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
        session.is_own = false;
        shared.sessions.keep(&asked.id, &session);
        let cells = cells_of(&session.human_match, &action);
        Ok(Json(Hint { action, by: name, cells }))
    })
    .await
}

/// The cells that an action of the person would change on the board as the person sees it.
fn cells_of(human_match: &HumanMatch, action: &str) -> Vec<Point> {
    let (before, seat) = (human_match.state(), human_match.seat());
    let mut after = before.fork();
    match before.acting() == [seat] && after.play(&[action]).is_ok() {
        true => {
            quintain_analysis::cells_changed(&before.scene(Some(seat)), &after.scene(Some(seat)))
        }
        false => Vec::new(),
    }
}

/// The body of a question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionRequest {
    /// The seat that is asked; the person's where it is left out.
    seat: Option<u16>,
}

/// `POST /api/play/{id}/question`: what a player in the person's place, or at a seat that the page
/// plays, would be asked. The person is helped from here on, so the record is not kept.
pub(super) async fn question(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
    Json(request): Json<QuestionRequest>,
) -> Result<Json<ModuleQuestion>, Problem> {
    blocking(shared, move |shared| {
        let session = asked.session(shared)?;
        let mut session = lock(&session)?;
        let human_match = &session.human_match;
        let seat = request.seat.map_or(human_match.seat(), |seat| Seat::new(usize::from(seat)));
        let seed = module_seed(&asked.id).wrapping_add(seat.index() as u64);
        let (start, question) = human_match
            .question(seat, seed)
            .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
        let id = format!("{} {}", asked.id, seat.index());
        let question = ModuleQuestion::new(id, human_match.game(), &start, &question);
        session.is_own = false;
        shared.sessions.keep(&asked.id, &session);
        Ok(Json(question))
    })
    .await
}

/// A module's seed: of the session's id, which the person knows anyway and which says nothing about
/// the match.
fn module_seed(id: &str) -> u64 {
    id.get(..SEED_DIGITS).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(1)
}

/// The body of a gesture: a cell that is pointed at, and marks around it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointRequest {
    row: i32,
    column: i32,
    #[serde(default)]
    turns: u8,
    #[serde(default)]
    marks: Vec<(char, i32, i32)>,
}

/// The action that a gesture means.
#[derive(Serialize)]
pub(crate) struct PointedAction {
    action: String,
    /// Row and column.
    cells: Vec<(i32, i32)>,
    /// Which rule forbids it.
    refused: Option<String>,
    /// What the score would change by, where nobody else plays.
    gain: Option<f64>,
}

/// `POST /api/play/{id}/point`: what is meant by a gesture; nothing is played.
pub(super) async fn point(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
    Json(at): Json<PointRequest>,
) -> Result<Json<Option<PointedAction>>, Problem> {
    blocking(shared, move |shared| {
        let session = asked.session(shared)?;
        let Ok(session) = session.try_lock() else { return Ok(Json(None)) };
        let Some(pointing) = session.keyboard.pointing else { return Ok(Json(None)) };
        if at.marks.len() > MARKS {
            return Err(Problem::bad_request("too many cells are marked"));
        }
        let (human_match, seat) = (&session.human_match, session.human_match.seat());
        let marks: Vec<(char, Point)> =
            at.marks.iter().map(|(key, row, column)| (*key, Point::new(*column, *row))).collect();
        let gesture = Gesture {
            at: Point::new(at.column, at.row),
            turns: at.turns,
            marks: &marks,
            observation: &human_match.state().observation(seat),
            offered: &human_match.state().actions(seat),
        };
        let Some(pointed) = (pointing.action)(&gesture) else { return Ok(Json(None)) };
        Ok(Json(Some(PointedAction {
            cells: pointed.cells.iter().map(|cell| (cell.row, cell.column)).collect(),
            refused: human_match
                .state()
                .check(seat, &pointed.action)
                .err()
                .map(|error| error.to_string()),
            gain: human_match.gain(&pointed.action),
            action: pointed.action,
        })))
    })
    .await
}
