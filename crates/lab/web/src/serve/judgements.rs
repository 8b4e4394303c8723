//! What a move is worth that a visitor tries in place of one of a match: the player that analysed
//! the match plays on from both.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use quintain_core::{AnyMatch, PlayerHandle, Record, Seat};
use quintain_play::{Continuation, usual_budget};
use serde::{Deserialize, Serialize};

use super::deadline::Deadline;
use super::problem::Problem;
use super::questions::position;
use super::renderings::making::render_for;
use super::renderings::{Rendering, Work};
use super::shared::{Shared, blocking};

/// Maximum number of decisions for both moves, and the maximum time.
const DECISIONS: u64 = 4000;
const TIME: Duration = Duration::from_secs(20);

/// The move, and what it stands in place of.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgementRequest {
    /// The player that plays on: one of the game's roster.
    player: String,
    /// The turns played before.
    turn: u32,
    /// The seat that moves.
    seat: usize,
    /// The move.
    action: String,
}

#[derive(Serialize)]
struct Judgement {
    /// By how many points the move is better than the one of the match; none if that takes too much
    /// work.
    gain: Option<f64>,
    /// The turns until the match is over after the move, less those after the one of the match.
    later: i64,
}

/// `GET /api/matches/{id}/judgement`: returns by how much a move is better than the one played.
pub(super) async fn of_move(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
    Query(request): Query<JudgementRequest>,
) -> Result<impl IntoResponse, Problem> {
    let record = blocking(Arc::clone(&shared), move |shared| shared.record(&id)).await?;
    let what = Rendering::Judgement(format!("{} {request:?}", record.id));
    let judged = render_for(&shared, from.ip(), what, move |shared, work| {
        let deadline = Deadline::after(TIME);
        let judged = judge(shared, work, &record, &request, &deadline.stop)?;
        Ok(serde_json::to_vec(&judged).expect("judgements have a JSON form"))
    });
    Ok(([(CONTENT_TYPE, "application/json")], Bytes::from_owner(judged.await?)))
}

fn judge(
    shared: &Shared,
    work: &Work,
    record: &Record,
    request: &JudgementRequest,
    stop: &Arc<AtomicBool>,
) -> Result<Judgement, Problem> {
    let refused = |text: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text);
    let game = shared.catalog.game_of(record)?;
    let player = find_player(shared, record, &request.player)?;
    let mut problem = None;
    let found = position(game.as_ref(), record, request.turn, &mut || {
        problem = work.objection();
        problem.is_none()
    });
    if let Some(problem) = problem {
        return Err(problem);
    }
    let (state, played) = found.map_err(refused)?;
    let seat = Seat::new(request.seat);
    let place = state.acting().iter().position(|own| *own == seat);
    let Some(place) = place.filter(|place| *place < played.len()) else {
        return Err(refused(format!("seat {seat} does not move on turn {}", request.turn)));
    };
    state.check(seat, &request.action).map_err(|error| refused(error.to_string()))?;
    if state.do_the_same(seat, &request.action, played[place]) {
        return Ok(Judgement { gain: Some(0.0), later: 0 });
    }
    let way = Continuation {
        game: game.as_ref(),
        player: &player,
        opponent: None,
        budget: usual_budget(),
        seed: record.fixture.seed,
        stop: Some(stop),
    };
    let mut left = DECISIONS;
    let (mut values, mut turns) = (Vec::new(), Vec::new());
    for action in [request.action.as_str(), played[place]] {
        let mut joint = played.clone();
        joint[place] = action;
        let mut after: Box<dyn AnyMatch> = state.fork();
        after.play(&joint).map_err(|(_, error)| refused(error.to_string()))?;
        let playout =
            way.play(after.as_ref(), &mut left).map_err(|error| refused(error.to_string()))?;
        let Some(playout) = playout else { return Ok(Judgement { gain: None, later: 0 }) };
        values.push(playout.scores.get(seat.index()).copied().unwrap_or_default());
        turns.push(i64::from(playout.turns));
    }
    let gain = game.objective().gain(values[0] - values[1]);
    Ok(Judgement { gain: Some(gain), later: turns[0] - turns[1] })
}

/// Returns a player of the roster, as it is there.
fn find_player(shared: &Shared, record: &Record, name: &str) -> Result<PlayerHandle, Problem> {
    let entry = shared.catalog.entry(&record.fixture.game).map_err(Problem::not_found)?;
    // If players could have parameters, visitors could ask for any amount of work.
    if !entry.players().iter().any(|known| known.name() == name) {
        let text = format!("{name}: expected the name of a player of {}", entry.name());
        return Err(Problem::bad_request(text));
    }
    Ok(shared.catalog.player(entry.name(), name)?)
}
