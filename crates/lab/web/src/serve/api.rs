//! The API for programs: the same data as on the pages, as JSON, and the exports. It is described
//! in `openapi.json`; a test keeps the two consistent.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quintain_report::export::{self, ExportError, ExportFormat};
use quintain_report::{StandingsFormat, render};
use quintain_store::{Filter, QueuedTest, Store, TournamentId, TournamentInfo};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compression::accepts_gzip;
use super::problem::Problem;
use super::renderings::Rendering;
use super::renderings::making::render_for;
use super::shared::{Shared, blocking, key_of};
use crate::matches::{MatchPage, Search};
use crate::overview::Comparison;

/// The description of the API.
pub(super) const OPENAPI: &str = include_str!("openapi.json");

const JSON: &str = "application/json";

/// Responds with text that is already encoded.
fn respond_with(kind: &'static str, text: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, kind)], text.into()).into_response()
}

pub(super) async fn description() -> Response {
    respond_with(JSON, OPENAPI)
}

pub(super) async fn games(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let games = shared.catalog.entries().map(|entry| {
        json!({
            "name": entry.name(),
            "summary": entry.summary(),
            "source": entry.source(),
            "version": entry.version(),
            "can_be_played": shared.allow_play && entry.keyboard().is_some(),
        })
    });
    Json(games.collect())
}

pub(super) async fn game(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Problem> {
    let entry = shared.catalog.entry(&name).map_err(Problem::not_found)?;
    Ok(Json(json!({
        "name": entry.name(),
        "summary": entry.summary(),
        "source": entry.source(),
        "version": entry.version(),
        "scenarios": entry.scenarios(),
        "players": entry.players(),
        "schemas": entry.schemas(),
    })))
}

/// A tournament, as listed.
#[derive(Serialize)]
pub(super) struct TournamentForm {
    number: i64,
    name: String,
    game: String,
    format: String,
    goal: quintain_core::Objective,
    contest: quintain_core::Scoring,
    fixtures: u64,
    played: u64,
    run_at: i64,
    /// The number of a later tournament of the same name.
    superseded_by: Option<i64>,
}

impl From<TournamentInfo> for TournamentForm {
    fn from(info: TournamentInfo) -> TournamentForm {
        TournamentForm {
            number: info.id.number(),
            name: info.name,
            game: info.game,
            format: info.format,
            goal: info.objective,
            contest: info.scoring,
            fixtures: info.fixtures,
            played: info.played,
            run_at: info.run_at,
            superseded_by: info.superseded_by.map(TournamentId::number),
        }
    }
}

pub(super) async fn tournaments(
    State(shared): State<Arc<Shared>>,
) -> Result<Json<Vec<TournamentForm>>, Problem> {
    blocking(shared, |shared| {
        Ok(Json(shared.tournaments_if_any()?.into_iter().map(TournamentForm::from).collect()))
    })
    .await
}

pub(super) async fn tournament(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
) -> Result<Json<TournamentForm>, Problem> {
    blocking(shared, move |shared| Ok(Json(shared.tournament(number)?.into()))).await
}

/// Standings, in the form of `quintain standings --format json`.
pub(super) async fn standings(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
) -> Result<Response, Problem> {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        Ok(respond_with(JSON, render(&overview.standings, StandingsFormat::Json)))
    })
    .await
}

pub(super) async fn matches(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
    Query(search): Query<Search>,
) -> Result<Json<MatchPage>, Problem> {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        Ok(Json(shared.search(&overview, &search)?))
    })
    .await
}

pub(super) async fn compare(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
    Query(pair): Query<PlayerPair>,
) -> Result<Json<Comparison>, Problem> {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        let pair = overview.pair(&pair.a, &pair.b)?;
        Ok(Json(shared.comparison(&overview, pair)?))
    })
    .await
}

/// Two players of a tournament, as named in the query of a URL; empty for the best.
#[derive(Deserialize)]
pub(super) struct PlayerPair {
    #[serde(default)]
    pub(super) a: String,
    #[serde(default)]
    pub(super) b: String,
}

/// The queue of tests, without the courses of their evidence, which are long.
pub(super) async fn tests(
    State(shared): State<Arc<Shared>>,
) -> Result<Json<Vec<QueuedTest>>, Problem> {
    blocking(shared, |shared| {
        let mut tests = shared.tests_if_any()?;
        tests.iter_mut().for_each(|test| test.report.course.clear());
        Ok(Json(tests))
    })
    .await
}

pub(super) async fn test(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
) -> Result<Json<QueuedTest>, Problem> {
    blocking(shared, move |shared| shared.read(|store| Ok(Json(store.queued_test(number)?)))).await
}

/// The latest matches of the store, whether they belong to a tournament or not.
pub(super) async fn latest(
    State(shared): State<Arc<Shared>>,
    Query(search): Query<Search>,
) -> Result<Json<MatchPage>, Problem> {
    blocking(shared, move |shared| Ok(Json(shared.latest(&search)?))).await
}

/// The format of a table.
#[derive(Deserialize)]
pub(super) struct ExportQuery {
    #[serde(default)]
    form: Form,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Csv,
    #[default]
    Jsonl,
}

/// Results, in the form of `quintain export results`.
pub(super) async fn results(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(number): Path<i64>,
    Query(ExportQuery { form }): Query<ExportQuery>,
) -> Result<Response, Problem> {
    let (kind, table) = match form {
        Form::Csv => ("text/csv; charset=utf-8", ExportFormat::Csv),
        Form::Jsonl => ("application/jsonl", ExportFormat::JsonLines),
    };
    let write =
        move |store: &Store, filter: &Filter, out: Pipe| export::results(store, filter, table, out);
    stream_export(shared, from.ip(), number, kind, write).await
}

/// Records, in the form of `quintain export records`.
pub(super) async fn records(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(number): Path<i64>,
) -> Result<Response, Problem> {
    let write = |store: &Store, filter: &Filter, out: Pipe| export::records(store, filter, out);
    stream_export(shared, from.ip(), number, "application/jsonl", write).await
}

/// Writes an export piece by piece while the client reads it. Its thread waits for the client; if
/// the client takes nothing for too long, the connection breaks and ends the export.
async fn stream_export(
    shared: Arc<Shared>,
    client: IpAddr,
    number: i64,
    kind: &'static str,
    write: impl FnOnce(&Store, &Filter, Pipe) -> Result<(), ExportError> + Send + 'static,
) -> Result<Response, Problem> {
    let info = blocking(Arc::clone(&shared), move |shared| shared.tournament(number)).await?;
    let place = shared.downloads.take(client).map_err(|full| full.problem("downloads"))?;
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    tokio::task::spawn_blocking(move || {
        // Held until the thread is free again, whether or not the client is still there.
        let _place = place;
        let filter = Filter { sorted: true, ..Filter::tournament(info.id) };
        let pipe = Pipe { sender: sender.clone(), waiting: Vec::new() };
        let done = shared.read(|store| Ok(write(store, &filter, pipe)));
        if let Err(error) =
            done.map_err(|problem| problem.text).and_then(|done| done.map_err(|e| e.to_string()))
        {
            // The response has begun, so it can only be aborted.
            let _ = sender.blocking_send(Err(io::Error::other(error)));
        }
    });
    let pieces = futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    Ok(respond_with(kind, Body::from_stream(pieces)))
}

/// Size of a piece in bytes.
const PIECE: usize = 64 << 10;

/// Passes written data to the response, and waits for the reader.
struct Pipe {
    sender: tokio::sync::mpsc::Sender<io::Result<Bytes>>,
    waiting: Vec<u8>,
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = Bytes::from(std::mem::take(&mut self.waiting));
        let broken_pipe = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.blocking_send(Ok(piece)).map_err(broken_pipe)
    }
}

/// The record, exactly as stored.
pub(super) async fn record(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    blocking(shared, move |shared| Ok(respond_with(JSON, shared.record(&id)?.to_json()))).await
}

/// The replay of a match, for the viewer.
pub(super) async fn replay(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !accepts_gzip(&headers) {
        let text = "the replay is sent only compressed: accept gzip";
        return Err(Problem::new(StatusCode::NOT_ACCEPTABLE, text));
    }
    let named = move |shared: &Shared| shared.record(&id).map(|record| shared.named(record));
    let record = blocking(Arc::clone(&shared), named).await?;
    let what = Rendering::Replay(key_of(&record));
    let replay =
        render_for(&shared, from.ip(), what, move |shared, work| shared.replay(&record, work))
            .await?;
    let replay = Bytes::from_owner(replay);
    Ok(([(CONTENT_TYPE, JSON), (CONTENT_ENCODING, "gzip")], replay).into_response())
}
