//! Analyses of recorded matches, and lessons of them, made on request while pages are read: one at
//! a time, each within limits of work and time, and at most one per client. Results are cached. A
//! request returns what is known so far, and the client asks again.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::StatusCode;
use quintain_core::{Budget, Record, Seat, panics};
use quintain_lessons::Teacher;
use quintain_play::{Analyst, MatchReview, quick_budget, usual_budget, usual_player};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::analysis_jobs::{AnalysisView, Found, Job, Key, LessonView, Task};
use super::deadline::Deadline;
use super::problem::Problem;
use super::shared::{Shared, blocking};
use crate::playable::find_refused_parameter;

/// Maximum number of decisions in each look at a match, and the maximum time of an analysis.
const DECISIONS: u64 = 20_000;
const TIME: Duration = Duration::from_secs(60);
/// Maximum number of nodes that are searched for a lesson.
const LESSON_NODES: u64 = 10_000_000;
/// Maximum number of seats of a match to analyse, and maximum product of its board's cells and its
/// moves: its positions are held in memory.
const SEATS: usize = 64;
const CELLS: usize = 20_000_000;
/// How often the intermediate result is updated for clients.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// What a client wants of a match.
pub(crate) trait Wanted: DeserializeOwned + Send + 'static {
    /// Returns the match, and the key of what is wanted of it.
    fn find(&self, shared: &Shared, id: &str) -> Result<(Record, Key), Problem>;
}

/// A request for an analysis.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisRequest {
    /// A player of the game's roster; if it is empty, the usual one.
    #[serde(default)]
    player: String,
}

/// Returns the players that can analyse a match, the usual one first.
pub(super) fn analysts(shared: &Shared, record: &Record) -> Vec<String> {
    let Ok(entry) = shared.catalog.entry(&record.fixture.game) else { return Vec::new() };
    let usual = usual_player(entry);
    let others = entry.players().into_iter().map(|player| player.name().to_owned());
    let others: Vec<String> = others.filter(|name| *name != usual).collect();
    std::iter::once(usual).chain(others).collect()
}

impl Wanted for AnalysisRequest {
    fn find(&self, shared: &Shared, id: &str) -> Result<(Record, Key), Problem> {
        let record = shared.record(id)?;
        let entry = shared.catalog.entry(&record.fixture.game).map_err(Problem::not_found)?;
        let player = match self.player.as_str() {
            "" => usual_player(entry),
            name => name.to_owned(),
        };
        // If players could have parameters, visitors could request any number of analyses.
        if !entry.players().iter().any(|known| known.name() == player) {
            let text = format!("{player}: expected the name of a player of {}", entry.name());
            return Err(Problem::bad_request(text));
        }
        let key = (record.id.clone(), Task::Review(player));
        Ok((record, key))
    }
}

/// A request for a lesson.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LessonRequest {
    /// The seat whose player is to learn, from 0.
    #[serde(default)]
    seat: usize,
}

impl Wanted for LessonRequest {
    fn find(&self, shared: &Shared, id: &str) -> Result<(Record, Key), Problem> {
        let (record, seat) = (shared.record(id)?, self.seat);
        let Some(player) = record.fixture.seats.get(seat) else {
            let text = format!("seat {seat}: expected 0 to {}", record.fixture.seats.len() - 1);
            return Err(Problem::bad_request(text));
        };
        let entry = shared.catalog.entry(&record.fixture.game).map_err(Problem::not_found)?;
        // Nobody else's program is started for a visitor. The record may be a stranger's, so its
        // player is looked at as one that a visitor names.
        let Ok((known, spec)) = entry.listed_player(player) else {
            let text = format!(
                "{player} is no player of {}; where it runs, `quintain lesson` makes its lessons",
                entry.name()
            );
            return Err(Problem::bad_request(text));
        };
        if let Some(why) = find_refused_parameter(&known, &spec) {
            let text = format!("{player}: {why}; `quintain lesson` makes its lessons elsewhere");
            return Err(Problem::bad_request(text));
        }
        let key = (record.id.clone(), Task::Lesson(Seat::new(seat)));
        Ok((record, key))
    }
}

/// `GET /api/matches/{id}/analysis` and `…/lesson`: returns what is known so far.
pub(super) async fn show<W: Wanted>(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(wanted): Query<W>,
) -> Result<Json<AnalysisView>, Problem> {
    blocking(shared, move |shared| {
        let (_, key) = wanted.find(shared, &id)?;
        Ok(Json(shared.analyses.jobs().view(&key)))
    })
    .await
}

/// `POST` to the same: begins what nobody has requested yet.
pub(super) async fn ask<W: Wanted>(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
    Json(wanted): Json<W>,
) -> Result<Json<AnalysisView>, Problem> {
    let worker = Arc::clone(&shared);
    let (view, begins) = blocking(shared, move |shared| {
        let (record, key) = wanted.find(shared, &id)?;
        if shared.analyses.jobs().known.contains_key(&key) {
            return Ok((shared.analyses.jobs().view(&key), false));
        }
        refuse_too_large(shared, &record)?;
        let place = shared.analyses.quota.take(from.ip());
        let place = place.map_err(|full| full.problem("analyses"))?;
        let mut jobs = shared.analyses.jobs();
        if !jobs.known.contains_key(&key) {
            jobs.known.insert(key.clone(), Job::Waiting(Box::new(record), place));
            jobs.waiting.push_back(key.clone());
        }
        let begins = !std::mem::replace(&mut jobs.is_busy, true);
        Ok((jobs.view(&key), begins))
    })
    .await?;
    if begins {
        tokio::task::spawn_blocking(move || work(&worker));
    }
    Ok(Json(view))
}

fn refuse_too_large(shared: &Shared, record: &Record) -> Result<(), Problem> {
    let game = shared.catalog.game_of(record)?;
    let too_large = |what: &str| {
        let text = format!("{what} for an analysis here; quintain analyse has no such limit");
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text)
    };
    if game.seats() > SEATS {
        return Err(too_large("too many seats"));
    }
    let scene = game.begin(record.fixture.seed).board();
    let cells = usize::try_from(scene.width.saturating_mul(scene.height)).unwrap_or(usize::MAX);
    let moves = record.action_texts().count();
    if cells.saturating_mul(moves) > CELLS {
        return Err(too_large("the match is too long and its board too large"));
    }
    Ok(())
}

/// Works on analyses until none is waiting.
fn work(shared: &Arc<Shared>) {
    let analyses = &shared.analyses;
    while let Some((key, record, _place)) = analyses.next() {
        let deadline = Deadline::after(TIME);
        let result = panics::catch(|| match &key.1 {
            Task::Review(player) => {
                review(shared, &key, player, &record, &deadline.stop).map(Found::Review)
            }
            Task::Lesson(seat) => {
                teach(shared, *seat, &record, &deadline.stop).map(Arc::new).map(Found::Lesson)
            }
        });
        let result = result.unwrap_or_else(|panic| Err(panic.to_string()));
        analyses.finish(key, result);
    }
}

/// Makes a lesson for the player at a seat.
fn teach(
    shared: &Shared,
    seat: Seat,
    record: &Record,
    stop: &Arc<AtomicBool>,
) -> Result<LessonView, String> {
    let catalog = &shared.catalog;
    let game = &record.fixture.game;
    let entry = catalog.entry(game).map_err(|error| error.to_string())?;
    let find = |spec: &str| catalog.player(game, spec).map_err(|error| error.to_string());
    let (judge, player) = (find(&usual_player(entry))?, find(&record.fixture.seats[seat.index()])?);
    let teacher = Teacher {
        catalog,
        judge: &judge,
        budget: usual_budget(),
        nodes: LESSON_NODES,
        stop: Some(stop),
        stop_checks: None,
        until: Instant::now().checked_add(TIME),
    };
    let taught = teacher.teach(record, seat, &player).map_err(|error| error.to_string())?;
    let opponent = taught.lesson.opponent.as_ref().map(|opponent| opponent.player.clone());
    Ok(LessonView { size: taught.size, turns: taught.turns, opponent, lesson: taught.lesson })
}

/// Reviews a match: quickly first, so that mistakes are soon known, then with the usual budget.
/// What the closer look finds counts if there was time for all of it.
fn review(
    shared: &Shared,
    key: &Key,
    player: &str,
    record: &Record,
    stop: &Arc<AtomicBool>,
) -> Result<Arc<MatchReview>, String> {
    let game = shared.catalog.game_of(record).map_err(|error| error.to_string())?;
    let player = shared.catalog.player(game.name(), player).map_err(|error| error.to_string())?;
    let look = |budget: Budget, quick: Option<&Arc<MatchReview>>| {
        let (game, player, stop) = (game.as_ref(), &player, Some(stop));
        let analyst = Analyst { game, player, budget, decisions: DECISIONS, stop };
        let mut reported = Instant::now();
        let review = analyst.review(record, &mut |analysis| {
            if reported.elapsed() >= REPORT_INTERVAL {
                let known = quick.map_or_else(|| Arc::new(analysis.so_far()), Arc::clone);
                let found = Some((analysis.progress(), known));
                shared.analyses.jobs().known.insert(key.clone(), Job::Running(found));
                reported = Instant::now();
            }
        });
        review.map_err(|error| error.to_string())
    };
    let quick = Arc::new(look(quick_budget(), None)?);
    let close = look(usual_budget(), Some(&quick))?;
    let is_better = close.complete || close.turns.len() > quick.turns.len();
    Ok(if is_better { Arc::new(close) } else { quick })
}
