//! Requests to a contest: who asks, whether they may, and what is done. A request with a cookie must
//! come from our own pages before anything is changed for its sender; a token in the header is
//! sufficient by itself. No body is read before its sender is known, and only a few are read at once.

mod organiser;
mod own;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::{Body, to_bytes};
use axum::extract::rejection::FormRejection;
use axum::extract::{FromRequest, Multipart, Path, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST,
    HeaderName, ORIGIN, SET_COOKIE,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use maud::Markup;
use quintain_bots::limits::Size;
use quintain_web::Problem;
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::archive::{Refused, Tree, TreeLimits};
use crate::contest::{Contest, PHASE, lock};
use crate::error::HostError;
use crate::finals::Finals;
use crate::grades::StandingsBySeat;
use crate::kit::Kit;
use crate::performance::names_in;
use crate::seeds::commitment;
use crate::state::{Kind, Participant, Stage, Version, VersionLimits};
use crate::{pages, program};

/// The name of the cookie that holds a session.
const SESSION: &str = "quintain_session";
/// For how many seconds a browser keeps it.
const KEPT: u64 = 14 * 24 * 3600;
/// Maximum number of uploads read at the same time.
const UPLOADS: usize = 4;
/// Maximum number of requests processed at the same time.
const AT_WORK: usize = 16;
/// Maximum size of a form in bytes, and how long a body may take.
const FORM: usize = 4 << 10;
const PATIENCE: Duration = Duration::from_secs(60);

/// State shared by all requests.
struct Host {
    contest: Arc<Contest>,
    /// Each kit with the reason why it cannot be handed in here, if there is one.
    kits: Vec<(Kit, Option<String>)>,
    uploads: Semaphore,
    at_work: Semaphore,
    /// Only one is made and sent at a time.
    downloads: Arc<Semaphore>,
    /// The address by which others on the network reach this machine, if it accepts them.
    network: Option<IpAddr>,
}

type Shared = State<Arc<Host>>;

/// Returns the router for the pages of a contest.
pub(crate) fn router(contest: Arc<Contest>, kits: Vec<Kit>, network: Option<IpAddr>) -> Router {
    let (uploads, at_work) = (Semaphore::new(UPLOADS), Semaphore::new(AT_WORK));
    let offered = |kit: Kit| {
        let why_not = kit.why_not(&contest.config.build);
        (kit, why_not)
    };
    let kits = kits.into_iter().map(offered).collect();
    let downloads = Arc::new(Semaphore::new(1));
    let host = Host { contest, kits, uploads, at_work, downloads, network };
    Router::new()
        .route("/", get(ladder))
        .route("/sign-in", get(sign_in_page).post(sign_in))
        .route("/sign-out", post(sign_out))
        .route("/final", get(result_of_final))
        .route("/seats", get(by_seat))
        .route("/participants/{id}", get(participant))
        .route("/rules", get(rules))
        .route("/rules/schema.json", get(schemas))
        .route("/kits", get(list_kits))
        .route("/kits/{file}", get(send_kit))
        .route("/me/submit", post(submit_by_page))
        .route("/api/submissions", post(submit_by_command))
        .route("/api/submissions/{number}", get(submission))
        .merge(own::routes())
        .merge(organiser::routes())
        .with_state(Arc::new(host))
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Problem {
        let status = match error {
            HostError::Usage(_) => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem::new(status, error)
    }
}

fn refuse(why: impl ToString) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why)
}

fn forbidden(why: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, why)
}

/// Runs work on files away from the threads that serve requests.
async fn blocking<T: Send + 'static>(
    host: &Arc<Host>,
    work: impl FnOnce(&Contest) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // The semaphore is never closed.
    let _turn = host.at_work.acquire().await;
    let contest = Arc::clone(&host.contest);
    let done = tokio::task::spawn_blocking(move || work(&contest)).await;
    done.unwrap_or_else(|_| {
        let text = "this is a bug in quintain: please report it";
        Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text))
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the session that a browser sent.
fn session_of(headers: &HeaderMap) -> Option<String> {
    let cookies = text(headers, &COOKIE)?.split(';');
    let mut pairs = cookies.filter_map(|cookie| cookie.trim().split_once('='));
    pairs.find(|(name, _)| *name == SESSION).map(|(_, value)| value.to_owned())
}

/// Returns whether a form was sent by one of our own pages.
fn is_own(headers: &HeaderMap) -> bool {
    let origin = text(headers, &ORIGIN).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, at)| Some(at) == text(headers, &HOST))
}

/// Returns the visitor of a page, if they are signed in.
async fn visitor(host: &Arc<Host>, headers: &HeaderMap) -> Result<Option<Participant>, Problem> {
    let Some(session) = session_of(headers) else { return Ok(None) };
    blocking(host, move |contest| Ok(contest.look().session_holder(&session)?)).await
}

async fn require_visitor(host: &Arc<Host>, headers: &HeaderMap) -> Result<Participant, Problem> {
    let unknown = || {
        let text = "sign in first, with the token of your invitation";
        Problem::new(StatusCode::UNAUTHORIZED, text).leading_to("/sign-in", "sign in")
    };
    visitor(host, headers).await?.ok_or_else(unknown)
}

/// Returns who changes something by a form.
async fn actor(host: &Arc<Host>, headers: &HeaderMap) -> Result<Participant, Problem> {
    match is_own(headers) {
        true => require_visitor(host, headers).await,
        false => Err(forbidden("this was not sent by a page of this contest")),
    }
}

/// Returns who hands in by a token in the header, their own or their repository's.
async fn submitter(host: &Arc<Host>, headers: &HeaderMap) -> Result<Participant, Problem> {
    let token = text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let token = token.unwrap_or_default().to_owned();
    let found = blocking(host, move |contest| {
        let state = contest.look();
        match state.submitter(&token)? {
            Some(who) => Ok(who),
            None if state.is_of_banned(&token)? => Err(banned()),
            None => Err(Problem::new(StatusCode::UNAUTHORIZED, "this token is not known here")),
        }
    });
    found.await
}

fn for_organiser(who: Participant) -> Result<Participant, Problem> {
    match who.is_organiser {
        true => Ok(who),
        false => Err(forbidden("only the organiser may do this")),
    }
}

/// Limits a request's body to `most` bytes, which must arrive in time.
async fn body(request: Request, most: usize) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    let length = text(&parts.headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let is_too_large = length.is_some_and(|length: usize| length > most);
    match tokio::time::timeout(PATIENCE, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => {
            let size = Size(most as u64);
            let text = match is_too_large {
                true => format!("this is too large: {size} is the most"),
                false => format!("more than {size} was sent, or not all of it arrived"),
            };
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text))
        }
        Err(_) => {
            let text = "the body of the request did not arrive in time";
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, text))
        }
    }
}

async fn form<T: for<'a> Deserialize<'a>>(request: Request) -> Result<T, Problem> {
    form_within(request, FORM).await
}

/// Reads a form of at most this many bytes.
async fn form_within<T: for<'a> Deserialize<'a>>(
    request: Request,
    most: usize,
) -> Result<T, Problem> {
    let request = body(request, most).await?;
    let read: Result<Form<T>, FormRejection> = Form::from_request(request, &()).await;
    read.map(|Form(form)| form)
        .map_err(|refused| Problem::new(refused.status(), refused.body_text()))
}

fn html(page: Markup) -> Response {
    ([(CACHE_CONTROL, "no-store")], Html(page.into_string())).into_response()
}

/// The ladder page, which a browser reloads by itself.
async fn ladder(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let (active, is_paused) = {
            let state = contest.look();
            (state.active()?, state.is_paused()?)
        };
        let (rungs, (played, under_way), is_solo) = {
            let mut ladder = lock(&contest.ladder);
            let matches = (ladder.count_played(), ladder.count_under_way());
            (ladder.recent_standings(&active), matches, ladder.is_solo())
        };
        let phase = contest.phase()?;
        // If the organiser chose a phase, the clock decides nothing.
        let is_chosen = contest.look().setting(PHASE)?.is_some();
        let coming = contest.config.coming(SystemTime::now());
        let coming = if is_chosen { &[][..] } else { &coming };
        let final_is_over = lock(&contest.finals).as_ref().is_some_and(Finals::is_over);
        let shown = pages::Standings {
            rungs: &rungs,
            played,
            under_way,
            is_solo,
            is_paused,
            final_is_over,
            phase,
            coming,
        };
        Ok(pages::ladder(&contest.config, who.as_ref(), &shown))
    });
    Ok(([("refresh", "5")], html(page.await?)).into_response())
}

/// Maximum number of a participant's latest matches that everybody may watch from the ladder.
const WATCHED: u32 = 60;

async fn participant(
    State(host): Shared,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let viewer = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let state = contest.look();
        let found = state.active()?.into_iter().find(|version| version.participant == id);
        let missing =
            || Problem::new(StatusCode::NOT_FOUND, "nobody with that number is on the ladder");
        let version = found.ok_or_else(missing)?;
        let (mut matches, active) = (state.matches_of(version.id, WATCHED)?, state.active()?);
        drop(state);
        let standing = {
            let mut ladder = lock(&contest.ladder);
            let (rungs, is_solo) = (ladder.recent_standings(&active), ladder.is_solo());
            let rung = rungs.iter().find(|rung| rung.version.id == version.id);
            rung.map(|rung| pages::measures::describe(is_solo, rung, rungs.len()))
        };
        // Challenges are private to those who asked for them.
        matches.retain(|played| played.pairing.kind != Kind::Challenge);
        let names = names_in(contest, &matches.iter().collect::<Vec<_>>())?;
        Ok(pages::participant(viewer.as_ref(), &version, standing.as_deref(), &matches, &names))
    });
    Ok(html(page.await?))
}

/// The page of the final: its standings, or before it begins the digest of its seed. While the final is
/// played, a browser reloads the page by itself.
async fn result_of_final(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let banned: Vec<i64> = {
            let all = contest.look().participants()?;
            all.iter().filter(|who| who.is_banned).map(|who| who.id).collect()
        };
        let result = lock(&contest.finals).as_mut().map(Finals::result);
        let coming = contest.config.coming(SystemTime::now());
        let begins = coming.iter().find(|(phase, _)| phase.rounds.is_some()).map(|(_, at)| *at);
        let phase = contest.phase()?;
        // If the organiser chose a phase, the clock begins none.
        let is_chosen = contest.look().setting(PHASE)?.is_some();
        let shown = pages::finals::Final {
            commitment: commitment(&contest.final_secret),
            seed: result.as_ref().filter(|result| result.is_over()).map(|_| &contest.final_secret),
            result: result.as_ref(),
            is_solo: lock(&contest.ladder).is_solo(),
            banned: &banned,
            begins: begins.filter(|_| !is_chosen),
            stands_still: phase.rounds.is_none().then_some(phase.name.as_str()),
        };
        let is_under_way = result.as_ref().is_some_and(|result| !result.is_over());
        Ok((pages::finals::page(&contest.config, who.as_ref(), &shown), is_under_way))
    });
    let (page, is_under_way) = page.await?;
    Ok(match is_under_way {
        true => ([("refresh", "5")], html(page)).into_response(),
        false => html(page),
    })
}

/// The standings by seat of the final, once there is one, otherwise of the ladder.
async fn by_seat(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let [first, second] = &contest.config.seats[..] else {
            let text = "the seats of this contest have no different roles";
            return Err(Problem::new(StatusCode::NOT_FOUND, text).leading_to("/", "the ladder"));
        };
        let seats = StandingsBySeat::of(contest)?;
        Ok(pages::seats::page([first, second], who.as_ref(), &seats))
    });
    Ok(html(page.await?))
}

/// The rules of the game, in words.
async fn rules(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let entry = contest.catalog.entry(&contest.config.game).map_err(refuse)?;
        let (phase, is_solo) = (contest.phase()?, lock(&contest.ladder).is_solo());
        Ok(pages::rules::page_of(&contest.config, phase, who.as_ref(), entry, is_solo))
    });
    Ok(html(page.await?))
}

/// What a seat sees and does, as JSON schemas.
async fn schemas(State(host): Shared) -> Result<Response, Problem> {
    let contest = &host.contest;
    let entry = contest.catalog.entry(&contest.config.game).map_err(refuse)?;
    Ok(Json(entry.schemas()).into_response())
}

/// The available starter kits.
async fn list_kits(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    Ok(html(pages::kits(&host.contest.config, who.as_ref(), &host.kits)))
}

async fn send_kit(
    State(host): Shared,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let offered = host.kits.iter().filter(|(_, why_not)| why_not.is_none());
    let found = offered.map(|(kit, _)| kit).find(|kit| kit.file() == file);
    let kit = found.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "there is no such kit"))?;
    let name = format!("attachment; filename=\"{}\"", kit.file());
    let address = quintain_scene::clean(&own_address(&host, &headers));
    let zip = kit.zip(&host.contest.config, &address, &host.contest.catalog).map_err(refuse)?;
    let kind = [(CONTENT_TYPE, "application/zip"), (CONTENT_DISPOSITION, name.as_str())];
    Ok((kind, zip).into_response())
}

#[derive(Deserialize)]
struct InvitationForm {
    #[serde(default)]
    token: String,
}

async fn sign_in_page(Query(invitation): Query<InvitationForm>) -> Response {
    html(pages::sign_in(&invitation.token))
}

/// Returns the contest's address from the point of view of the requester.
fn own_address(host: &Host, headers: &HeaderMap) -> String {
    let scheme = if host.contest.config.https { "https" } else { "http" };
    let at = text(headers, &HOST).unwrap_or_default();
    // Somebody at the host machine itself invites others, who reach it by another address.
    let port = match at.parse::<SocketAddr>() {
        Ok(own) if own.ip().is_loopback() => Some(own.port()),
        _ => at.strip_prefix("localhost:").and_then(|port| port.parse().ok()),
    };
    match (host.network, port) {
        (Some(network), Some(port)) => format!("{scheme}://{}", SocketAddr::new(network, port)),
        _ => format!("{scheme}://{at}"),
    }
}

fn banned() -> Problem {
    forbidden("the owner of this token was banned from this contest: ask its organiser")
}

fn unknown_token() -> Problem {
    forbidden("this token is not known here, or was replaced").leading_to("/sign-in", "sign in")
}

async fn sign_in(State(host): Shared, request: Request) -> Result<Response, Problem> {
    if !is_own(request.headers()) {
        return Err(forbidden("this was not sent by a page of this contest"));
    }
    let InvitationForm { token } = form(request).await?;
    let session = blocking(&host, move |contest| {
        let mut state = contest.state();
        let who = state.holder(&token)?;
        if who.is_none() && state.is_of_banned(&token)? {
            return Err(banned());
        }
        let who = who.ok_or_else(unknown_token)?;
        Ok((state.sign_in(who.id)?, who.is_organiser))
    });
    let secure = if host.contest.config.https { "; Secure" } else { "" };
    let (session, is_organiser) = session.await?;
    let to = if is_organiser { "/organiser" } else { "/me" };
    let cookie =
        format!("{SESSION}={session}; HttpOnly; SameSite=Strict; Path=/; Max-Age={KEPT}{secure}");
    Ok(([(SET_COOKIE, cookie)], Redirect::to(to)).into_response())
}

async fn sign_out(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    actor(&host, &headers).await?;
    let session = session_of(&headers).unwrap_or_default();
    blocking(&host, move |contest| Ok(contest.state().sign_out(&session)?)).await?;
    let cookie = format!("{SESSION}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

async fn submit_by_page(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = actor(&host, request.headers()).await?;
    let _place = upload_place(&host)?;
    let most = host.contest.config.limits.upload.0 as usize + FORM;
    let request = body(request, most).await?;
    let unreadable = |error: &dyn std::fmt::Display| refuse(format!("the form: {error}"));
    let read = Multipart::from_request(request, &()).await;
    let mut parts = read.map_err(|error| unreadable(&error))?;
    let (mut file, mut folder) = (None, Vec::new());
    while let Some(part) = parts.next_field().await.map_err(|error| unreadable(&error))? {
        let (field, name) = (part.name().unwrap_or_default(), part.file_name().unwrap_or_default());
        let (field, name) = (field.to_owned(), name.to_owned());
        let bytes = part.bytes().await.map_err(|error| unreadable(&error))?;
        match field.as_str() {
            "file" => file = Some((name, bytes)),
            // For a folder, a browser sends every file with its path.
            "folder" => folder.push((name, bytes.to_vec())),
            _ => {}
        }
    }
    let read = move |limits| match file {
        Some((name, bytes)) => Tree::read(&name, &bytes, limits),
        None if folder.is_empty() => Err(Refused("the form has no file".to_owned())),
        None => Tree::of_files(folder, limits),
    };
    let version = blocking(&host, move |contest| hand_in(contest, &who, read)).await?;
    // The same files are the same version as before, which has been checked already.
    let is_known = matches!(version.stage, Stage::Passed | Stage::Failed);
    let to = if is_known { format!("/me?again={}", version.number) } else { "/me".to_owned() };
    Ok(Redirect::to(&to).into_response())
}

#[derive(Deserialize)]
struct FileName {
    #[serde(default)]
    name: String,
}

async fn submit_by_command(
    State(host): Shared,
    Query(file): Query<FileName>,
    request: Request,
) -> Result<Response, Problem> {
    let who = submitter(&host, request.headers()).await?;
    let _place = upload_place(&host)?;
    let most = host.contest.config.limits.upload.0 as usize;
    let request = body(request, most).await?;
    let bytes = to_bytes(request.into_body(), most).await.map_err(refuse)?;
    let read = move |limits| Tree::read(&file.name, &bytes, limits);
    let version = blocking(&host, move |contest| {
        let version = hand_in(contest, &who, read)?;
        describe(contest, &who, &version)
    });
    Ok((StatusCode::CREATED, Json(version.await?)).into_response())
}

async fn submission(
    State(host): Shared,
    Path(number): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let who = submitter(&host, &headers).await?;
    let version = blocking(&host, move |contest| {
        let versions = contest.look().versions_of(who.id)?;
        let found = versions.into_iter().find(|version| version.number == number);
        let missing = || Problem::new(StatusCode::NOT_FOUND, format!("no version {number}"));
        describe(contest, &who, &found.ok_or_else(missing)?)
    });
    Ok(Json(version.await?).into_response())
}

/// Describes a version for its author, including whether it is the one that plays. The author is looked
/// up again after the version, as the check may have ended in the meantime.
fn describe(
    contest: &Contest,
    who: &Participant,
    version: &Version,
) -> Result<serde_json::Value, Problem> {
    let who = contest.look().find_participant(&who.name)?;
    let is_active = who.is_some_and(|who| who.active == Some(version.id));
    let finals = lock(&contest.finals);
    let is_in = |finals: &Finals| finals.roster().iter().any(|known| known.id == version.id);
    let final_begun = finals.as_ref().is_some_and(|finals| !is_in(finals));
    Ok(serde_json::json!({
        "version": version.number, "digest": version.digest, "stage": version.stage.word(),
        "log": version.log, "active": is_active, "final_begun": final_begun,
    }))
}

/// Reserves one of the upload places, which limit how many uploads are in memory.
fn upload_place(host: &Host) -> Result<tokio::sync::SemaphorePermit<'_>, Problem> {
    host.uploads.try_acquire().map_err(|_| {
        let text = "too many programs are being handed in; try again in a moment";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, text)
    })
}

/// Accepts what was handed in, and stores it on the disk before anybody is told so.
fn hand_in(
    contest: &Contest,
    who: &Participant,
    read: impl FnOnce(TreeLimits) -> Result<Tree, Refused>,
) -> Result<Version, Problem> {
    let limits = &contest.config.limits;
    if !contest.phase()?.takes_programs() {
        return Err(forbidden("programs are not accepted in this phase"));
    }
    let most = VersionLimits { per_hour: limits.per_hour, all: limits.per_participant };
    let too_many = || {
        let text = format!(
            "at most {} versions an hour and {} in all are allowed; this is one more",
            most.per_hour, most.all
        );
        Problem::new(StatusCode::TOO_MANY_REQUESTS, text)
    };
    // Checked before anything is unpacked; the check that counts is made when the version is entered.
    if !contest.look().may_hand_in(who.id, most)? {
        return Err(too_many());
    }
    let tree = read(limits.tree()).map_err(refuse)?;
    let tree = program::program_in(tree, &contest.config.build).map_err(refuse)?;
    program::plan_of(&tree, &contest.config.build).map_err(refuse)?;
    let unkept = |error: std::io::Error| {
        let text = format!("it could not be stored: {error}");
        Problem::new(StatusCode::INSUFFICIENT_STORAGE, text)
    };
    let digest = program::keep(&contest.folder, &tree).map_err(unkept)?;
    let mut state = contest.state();
    let number = state.hand_in(who.id, &digest, most)?.ok_or_else(too_many)?;
    let versions = state.versions_of(who.id)?;
    let found = versions.into_iter().find(|version| version.number == number);
    found.ok_or_else(|| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the version is gone"))
}
