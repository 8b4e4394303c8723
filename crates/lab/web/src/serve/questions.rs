//! Questions for a WebAssembly module in a visitor's page: in a match that is played there, and
//! about any turn of a finished one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use quintain_core::{AnyGame, AnyMatch, Budget, MatchStart, Question, Record, Seat, Streams};
use serde::Deserialize;

use super::problem::Problem;
use super::renderings::Rendering;
use super::renderings::making::render_for;
use super::shared::{Shared, blocking};
use crate::play::ModuleQuestion;

/// Maximum number of seats of a match about which modules are asked.
const SEATS: usize = 64;
/// Time for a decision where the match had another kind of limit, and the maximum time.
const USUAL: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(5);

/// The turn and the seat that the module is asked about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnRequest {
    #[serde(default)]
    turn: u32,
    #[serde(default)]
    seat: u16,
}

/// `GET /api/matches/{id}/question`: returns the messages that the player at a seat got on a turn
/// of a finished match.
pub(super) async fn of_match(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
    Query(request): Query<TurnRequest>,
) -> Result<impl IntoResponse, Problem> {
    let record = blocking(Arc::clone(&shared), move |shared| shared.record(&id)).await?;
    let what = Rendering::Question(record.id.clone(), request.turn, request.seat);
    let question = render_for(&shared, from.ip(), what, move |shared, work| {
        let game = shared.catalog.game_of(&record)?;
        let refused = |text: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text);
        if game.seats() > SEATS {
            return Err(refused(format!(
                "{} seats are too many for a module here: {SEATS} is the most",
                game.seats()
            )));
        }
        let mut problem = None;
        let found = position(game.as_ref(), &record, request.turn, &mut || {
            problem = work.objection();
            problem.is_none()
        });
        if let Some(problem) = problem {
            return Err(problem);
        }
        let (state, _) = found.map_err(refused)?;
        let seat = Seat::new(usize::from(request.seat));
        if !state.acting().contains(&seat) {
            let text = format!("seat {seat} does not move on turn {}", request.turn);
            return Err(refused(text));
        }
        let time = record.fixture.budget.per_move.unwrap_or(USUAL).min(MOST);
        let budget = Budget::time(time);
        let start = MatchStart::new(game.name(), game.scenario(), game.seats());
        let seed = Streams::new(record.fixture.seed).player_seed(seat);
        let start = start.with_seat(seat, seed, budget);
        let (seen, offered) = (state.observation(seat), state.actions(seat));
        let question = Question::new(seat, request.turn, seen, offered).with_time(Some(time));
        let id = format!("{} {}", record.id, seat.index());
        let question = ModuleQuestion::new(id, game.as_ref(), &start, &question);
        Ok(serde_json::to_vec(&question).expect("questions have a JSON form"))
    });
    Ok(([(CONTENT_TYPE, "application/json")], Bytes::from_owner(question.await?)))
}

/// Returns the position of a record before a turn, and what was played on it.
pub(super) fn position<'a>(
    game: &dyn AnyGame,
    record: &'a Record,
    turn: u32,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(Box<dyn AnyMatch>, Vec<&'a str>), String> {
    let mut state = game.begin(record.fixture.seed);
    let mut texts = record.action_texts();
    while state.turn() < turn {
        if !go_on() {
            return Err("it was ended".to_owned());
        }
        let joint: Vec<&str> = texts.by_ref().take(state.acting().len()).collect();
        if joint.is_empty() {
            return Err(format!("the match ended on turn {}", state.turn()));
        }
        state
            .play(&joint)
            .map_err(|(seat, problem)| format!("turn {}, seat {seat}: {problem}", state.turn()))?;
    }
    let played = texts.take(state.acting().len()).collect();
    Ok((state, played))
}
