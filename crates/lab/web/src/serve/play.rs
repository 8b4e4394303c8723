//! The requests of people who play in the browser: begin a match, look at it, move, take a move
//! back, ask what a gesture means. [`super::sessions`] holds the matches; when one is over, its
//! record goes into the store.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::{ConnectInfo, FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use quintain_core::ui::Keyboard;
use quintain_core::{AnyEntry, Budget, FilesOfRecords, Spec, reading_as_record};
use quintain_play::{HumanMatch, OUTSIDE, PlayError};

use super::limits::Place;
use super::problem::Problem;
use super::sessions::{NoPlace, Session};
use super::shared::{Shared, blocking, thinking};
use super::thinking::{Client, Thinking};
use crate::play::{
    Hint, ModuleQuestion, MoveRequest, NewMatchRequest, PointRequest, PointedAction,
    QuestionRequest, View,
};
use crate::playable::{can_be_played, find_refused_parameter};

/// Maximum number of seats and cells of a game that can be played here.
const SEATS: usize = 64;
const CELLS: i32 = 10_000;
/// The range of thinking times of a player, in milliseconds.
const THINKING: std::ops::RangeInclusive<u64> = 10..=5000;
/// Maximum number of cells that a gesture may mark.
const MARKS: usize = 400;
/// The rows and columns that a gesture may be about, on the board and around it.
const CELL: std::ops::RangeInclusive<i32> = -CELLS..=CELLS;
/// Maximum number of bytes in the actions of a match: all of them are written after each move.
const ACTIONS: usize = 1 << 20;
/// How often, and with which pause, to ask for a place that another match is about to give up.
const TRIES: u32 = 30;
const PAUSE: Duration = Duration::from_millis(100);
/// Number of a session id's digits that become a module's seed: as many bits as every language
/// reads exactly.
const SEED_DIGITS: usize = 13;

impl Session {
    fn view(&self, id: &str) -> View {
        let own = View::of(&self.human_match, &self.keyboard, id);
        own.with_record(self.record.clone(), self.is_own)
    }
}

/// Turns an error into the response for a request that cannot be met here.
fn refuse(error: PlayError) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error)
}

fn find_keyboard(entry: &dyn AnyEntry) -> Result<Keyboard, Problem> {
    let name = entry.name();
    entry.keyboard().ok_or_else(|| Problem::bad_request(format!("{name} cannot be played by hand")))
}

/// The match under way that a request is about, and the address of the client.
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
    /// Returns the session, rebuilt if the server was restarted in the meantime.
    fn session(&self, shared: &Shared) -> Result<Arc<Mutex<Session>>, Problem> {
        self.session_for(shared, &Arc::default())
    }

    /// The same for a request for which players think.
    fn session_for(
        &self,
        shared: &Shared,
        thinking: &Arc<Thinking>,
    ) -> Result<Arc<Mutex<Session>>, Problem> {
        let rebuild = |request, place| build(shared, request, place, thinking);
        shared.sessions.get(&self.id, self.from, rebuild)
    }
}

/// Locks the session for one request at a time.
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
    let place = reserve(&shared, from.ip()).await?;
    let client = Client::default();
    let wanted = client.thinking();
    let done = thinking(shared, move |shared| {
        let mut session = build(shared, request, place, &wanted)?;
        if wanted.must_leave() {
            return Err(NoPlace::Soon.problem());
        }
        session.store_record(&shared.store)?;
        let id = shared.sessions.new_id();
        let session = shared.sessions.insert(id.clone(), session);
        let mut session = lock(&session)?;
        shared.sessions.keep(&id, &mut session);
        Ok(session.view(&id))
    });
    Ok((StatusCode::CREATED, Json(done.await?)))
}

/// Reserves a place for the client at this address, and waits for one that is given up soon.
async fn reserve(shared: &Shared, address: IpAddr) -> Result<Place, Problem> {
    for _ in 0..TRIES {
        match shared.sessions.reserve(address) {
            Err(NoPlace::Soon) => tokio::time::sleep(PAUSE).await,
            reserved => return reserved.map_err(NoPlace::problem),
        }
    }
    Err(NoPlace::Soon.problem())
}

/// Refuses a board that says by its parameters that it is too large, before it is laid out.
fn refuse_wide(spec: &Spec) -> Result<(), Problem> {
    let side = |name: &str| -> i64 {
        let given = spec.arguments.iter().find(|(own, _)| own == name);
        given.and_then(|(_, value)| value.parse().ok()).unwrap_or(1)
    };
    match side("width").saturating_mul(side("height")) > i64::from(CELLS) {
        true => Err(too_large()),
        false => Ok(()),
    }
}

fn too_large() -> Problem {
    Problem::bad_request(format!("the board is too large here: {CELLS} cells is the most"))
}

/// Returns the opponent that a visitor names, if visitors may seat it.
fn find_opponent(entry: &dyn AnyEntry, opponent: &str) -> Result<String, Problem> {
    // Nobody sits there in a game of one seat.
    if opponent.is_empty() || opponent == OUTSIDE {
        return Ok(opponent.to_owned());
    }
    let (known, spec) = entry.listed_player(opponent)?;
    match find_refused_parameter(&known, &spec) {
        Some(text) => Err(Problem::bad_request(text)),
        None => Ok(spec.to_string()),
    }
}

/// Seats all players of the requested match. Whatever a visitor names, no file is read for it.
fn build(
    shared: &Shared,
    request: NewMatchRequest,
    place: Place,
    thinking: &Arc<Thinking>,
) -> Result<Session, Problem> {
    reading_as_record(FilesOfRecords::Never, || seat_players(shared, request, place, thinking))
}

fn seat_players(
    shared: &Shared,
    request: NewMatchRequest,
    place: Place,
    thinking: &Arc<Thinking>,
) -> Result<Session, Problem> {
    shared.sessions.under_way.enter(place.client(), thinking);
    let entry = shared.catalog.entry(&request.game).map_err(Problem::not_found)?;
    let keyboard = find_keyboard(entry)?;
    let (scenario, spec) = entry.listed_scenario(&request.scenario)?;
    if !can_be_played(&scenario) {
        let text = "scenarios that read files cannot be played in the browser";
        return Err(Problem::new(StatusCode::FORBIDDEN, text));
    }
    let opponent = find_opponent(entry, &request.opponent)?;
    refuse_wide(&spec)?;
    let laying_out = shared.laying_out.lock().unwrap_or_else(PoisonError::into_inner);
    let game = entry.game(&spec.to_string())?;
    if game.seats() > SEATS {
        let text = format!("{} seats are too many here: {SEATS} is the most", game.seats());
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
    let scene = game.begin(seed).board();
    if scene.width.saturating_mul(scene.height) > CELLS {
        return Err(too_large());
    }
    drop((scene, game, laying_out));
    let budget = Budget::time(Duration::from_millis(request.think));
    let config = request.config(spec.to_string(), opponent, seed, budget);
    Ok(Session {
        human_match: HumanMatch::resume(
            &shared.catalog,
            &config,
            &request.actions,
            thinking.patience(),
        )?,
        keyboard,
        used: Instant::now(),
        place,
        record: None,
        is_kept: false,
        // A module in a page cannot be replayed.
        is_own: request.actions.is_empty() && request.opponent != OUTSIDE,
        request: NewMatchRequest { seed: Some(seed), actions: Vec::new(), ..request },
    })
}

/// Changes a match, stores its record if it has ended, and returns its view.
fn change(
    shared: &Shared,
    asked: &SessionRequest,
    thinking: &Arc<Thinking>,
    work: impl FnOnce(&mut Session) -> Result<(), Problem>,
) -> Result<View, Problem> {
    let session = asked.session_for(shared, thinking)?;
    let mut session = lock(&session)?;
    shared.sessions.under_way.enter(session.place.client(), thinking);
    session.human_match.set_patience(thinking.patience());
    work(&mut session)?;
    session.store_record(&shared.store)?;
    shared.sessions.keep(&asked.id, &mut session);
    if thinking.must_leave() {
        shared.sessions.put_aside(&asked.id);
    }
    Ok(session.view(&asked.id))
}

/// `GET /api/play/{id}`: returns the state of the match.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<Json<View>, Problem> {
    thinking(shared, move |shared| {
        let session = asked.session(shared)?;
        let session = lock(&session)?;
        Ok(Json(session.view(&asked.id)))
    })
    .await
}

/// `POST /api/play/{id}/move`: plays a move, followed by the others' moves.
pub(super) async fn play_move(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
    Json(request): Json<MoveRequest>,
) -> Result<Json<View>, Problem> {
    let client = Client::default();
    let wanted = client.thinking();
    thinking(shared, move |shared| {
        let played = change(shared, &asked, &wanted, |session| {
            let actions = session.human_match.actions().iter();
            if actions.map(|action| action.len() + 1).sum::<usize>() > ACTIONS {
                let text = "the match is too long to go on here; end it";
                return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text));
            }
            let turn = session.human_match.state().turn();
            if !request.is_for(turn) {
                let text = format!("the match went on elsewhere; it is at turn {turn}");
                return Err(Problem::new(StatusCode::CONFLICT, text));
            }
            request.play(&mut session.human_match).map_err(refuse)
        });
        Ok(Json(played?))
    })
    .await
}

/// `POST /api/play/{id}/undo`: takes the last move back, if nobody else plays.
pub(super) async fn undo(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<Json<View>, Problem> {
    blocking(shared, move |shared| {
        let undone = change(shared, &asked, &Arc::default(), |session| {
            if session.record.is_some() || !session.human_match.can_undo() {
                let text = "there is no move to take back";
                return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text));
            }
            session.human_match.undo();
            Ok(())
        });
        Ok(Json(undone?))
    })
    .await
}

/// `POST /api/play/{id}/end`: gives up the match; nothing of it is kept.
pub(super) async fn end(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<StatusCode, Problem> {
    shared.sessions.end(&asked.id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/play/{id}/hint`: returns what the game's strong player would do here.
pub(super) async fn hint(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
) -> Result<Json<Hint>, Problem> {
    let client = Client::default();
    let wanted = client.thinking();
    thinking(shared, move |shared| {
        let session = asked.session_for(shared, &wanted)?;
        let mut session = lock(&session)?;
        shared.sessions.under_way.enter(session.place.client(), &wanted);
        session.human_match.set_patience(wanted.patience());
        let hint = Hint::ask(&shared.catalog, &session.human_match).map_err(refuse)?;
        session.is_own = false;
        shared.sessions.keep(&asked.id, &mut session);
        Ok(Json(hint))
    })
    .await
}

/// `POST /api/play/{id}/question`: returns the question for a player in the person's place, or at a
/// seat that the page plays. From here on the person has had help, so the record is not kept.
pub(super) async fn question(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
    Json(request): Json<QuestionRequest>,
) -> Result<Json<ModuleQuestion>, Problem> {
    blocking(shared, move |shared| {
        let session = asked.session(shared)?;
        let mut session = lock(&session)?;
        let seed = module_seed(&asked.id);
        let question = request.ask(&session.human_match, &asked.id, seed).map_err(refuse)?;
        session.is_own = false;
        shared.sessions.keep(&asked.id, &mut session);
        Ok(Json(question))
    })
    .await
}

/// Returns a module's seed. It comes from the session's id, which the person knows anyway and which
/// reveals nothing about the match.
fn module_seed(id: &str) -> u64 {
    id.get(..SEED_DIGITS).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(1)
}

/// `POST /api/play/{id}/point`: returns what a gesture means, without playing it.
pub(super) async fn point(
    State(shared): State<Arc<Shared>>,
    asked: SessionRequest,
    Json(at): Json<PointRequest>,
) -> Result<Json<Option<PointedAction>>, Problem> {
    blocking(shared, move |shared| {
        let session = asked.session(shared)?;
        let Ok(session) = session.try_lock() else { return Ok(Json(None)) };
        if at.marks.len() > MARKS {
            return Err(Problem::bad_request("too many cells are marked"));
        }
        if !at.cells().all(|(row, column)| CELL.contains(&row) && CELL.contains(&column)) {
            return Err(Problem::bad_request("a cell is far outside of the board"));
        }
        Ok(Json(at.meaning(&session.human_match, &session.keyboard)))
    })
    .await
}
