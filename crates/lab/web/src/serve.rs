//! `quintain serve`: pages and an API for a store. The store is only read, unless people may play.
//! The content of pages is in [`crate::pages`]; the API is in `api` and `play`.

mod analyses;
mod analysis_jobs;
mod api;
mod base;
mod compression;
mod deadline;
mod guard;
mod heads;
mod judgements;
mod lesson_commands;
mod limits;
mod listen;
mod live;
mod options;
mod play;
pub(crate) mod problem;
mod questions;
mod renderings;
mod sessions;
mod shared;
mod shelf;
mod thinking;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use quintain_core::Scoring;
use quintain_scene::{PictureText, render_svg};
use tokio::net::TcpListener;

use crate::assets::asset;
use crate::match_entry::MatchEntry;
use crate::matches::Search;
use crate::overview::Overview;
use crate::pages::{self, ListedTests, Page, Queue, ShownMatches};
use crate::score_rules::ScoreRules;
use analyses::{AnalysisRequest, LessonRequest};
use api::PlayerPair;
pub use base::{Base, BaseError};
pub use heads::HeadFor;
use lesson_commands::lesson_commands;
use limits::{Allowance, Limits};
pub use listen::Peer;
pub use options::{FleetServer, MatchContext, MatchLimits, Options, Site, check_origin};
use problem::Problem;
use renderings::Rendering;
use renderings::making::render_for;
use shared::{READERS, Shared, blocking};

/// The reason why the server could not start or had to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system gives no threads or sockets.
    #[error("the server cannot run: {0}")]
    Run(#[from] std::io::Error),
}

/// How often a browser requests a page on which something changes.
const REFRESH_SECONDS: &str = "5";
/// How often `stop` is called.
const TICK: Duration = Duration::from_millis(100);

/// Serves until `stop` returns true. `ready` is called with the bound address once requests are
/// answered.
///
/// # Errors
/// [`ServeError`] if the address cannot be bound, or the system gives no threads or sockets.
pub fn serve(
    options: Options,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    serve_with(options, None, address, ready, stop)
}

/// Like [`serve()`], with the pages of another server in place of the first page. They are subject
/// to the same limits on connections and requests, and their responses have the same headers. They
/// must check requests that change something, and read their bodies, themselves.
///
/// # Errors
/// As [`serve()`].
pub fn serve_with(
    options: Options,
    site: Option<Site>,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let MatchLimits { all, each } = options.matches;
    let mut limits = Limits { matches: Allowance { all, each }, ..Limits::default() };
    if site.is_some() {
        // A class in a lab may have one address. Where others need a place, whoever has the most
        // makes room.
        limits.connections.each = limits.connections.all;
    }
    serve_within(limits, options, site, address, ready, stop)
}

fn serve_within(
    limits: Limits,
    options: Options,
    site: Option<Site>,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Leaves threads for everything else, however many matches think and downloads wait.
        .max_blocking_threads(
            READERS + limits.matches.all + limits.downloads.all + limits.renderings.at_once + 1,
        )
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listen = TcpListener::bind(address).await;
        let listener = listen.map_err(|source| ServeError::Listen { address, source })?;
        let bound = listener.local_addr()?;
        let is_behind_proxy = site.as_ref().is_some_and(|site| site.is_behind_proxy);
        let frames = options.frames.clone();
        let context = site.as_ref().and_then(|site| site.matches.clone());
        let mut shared = Shared::new(options, &limits).with_context(context);
        shared.is_local = bound.ip().is_loopback();
        let shared = Arc::new(shared);
        let guard = guard::Guard::new(bound).framed_by(&frames);
        let app = router(shared, site, &limits, guard);
        ready(bound);
        tokio::select! {
            () = listen::accept(listener, app, limits, is_behind_proxy) => {}
            () = async { while !stop() { tokio::time::sleep(TICK).await } } => {}
        }
        Ok::<(), ServeError>(())
    })?;
    // Does not wait for players that are still thinking.
    runtime.shutdown_background();
    Ok(())
}

/// All routes: those of the API first, in the order of its description.
type Routes = Vec<(&'static str, MethodRouter<Arc<Shared>>)>;

fn routes(allow_play: bool, workers: bool, has_choice: bool) -> Routes {
    let mut routes: Routes = vec![
        ("/api/openapi.json", get(api::description)),
        ("/api/games", get(api::games)),
        ("/api/games/{game}", get(api::game)),
        ("/api/tournaments", get(api::tournaments)),
        ("/api/tournaments/{number}", get(api::tournament)),
        ("/api/tournaments/{number}/standings", get(api::standings)),
        ("/api/tournaments/{number}/matches", get(api::matches)),
        ("/api/tournaments/{number}/compare", get(api::compare)),
        ("/api/tournaments/{number}/results", get(api::results)),
        ("/api/tournaments/{number}/records", get(api::records)),
        ("/api/tournaments/{number}/events", get(live::events)),
        ("/api/tests", get(api::tests)),
        ("/api/tests/{number}", get(api::test)),
        ("/api/matches", get(api::latest)),
        ("/api/matches/{id}", get(api::record)),
        ("/api/matches/{id}/replay", get(api::replay)),
        ("/tournaments/{number}", get(tournament)),
        ("/tournaments/{number}/part", get(part)),
        ("/tournaments/{number}/matches", get(matches)),
        ("/tournaments/{number}/compare", get(compare)),
        ("/games/{game}", get(game_page)),
        ("/games/{game}/picture.svg", get(example_picture)),
        ("/games/{game}/explained.svg", get(explained_picture)),
        ("/tests", get(queue)),
        ("/tests/{number}", get(queued_test)),
        ("/tests/series/{number}", get(test_series)),
        ("/matches", get(latest)),
        ("/matches/{id}", get(watch)),
        ("/matches/{id}/picture.svg", get(picture)),
        ("/matches/{id}/page.html", get(one_file)),
        ("/matches/{id}/match.gif", get(film)),
        ("/embed/{id}", get(embed)),
        ("/assets/{name}", get(file)),
    ];
    if has_choice {
        routes.push(("/play", get(play_choice)));
    }
    if workers {
        #[cfg(feature = "fleet")]
        routes.extend([
            ("/workers", get(self::workers)),
            ("/workers.json", get(workers_data)),
            ("/api/workers", get(workers_data)),
        ]);
    }
    if allow_play {
        routes.extend([
            (
                "/api/matches/{id}/analysis",
                get(analyses::show::<AnalysisRequest>).post(analyses::ask::<AnalysisRequest>),
            ),
            (
                "/api/matches/{id}/lesson",
                get(analyses::show::<LessonRequest>).post(analyses::ask::<LessonRequest>),
            ),
            ("/api/matches/{id}/question", get(questions::of_match)),
            ("/api/matches/{id}/judgement", get(judgements::of_move)),
            ("/api/play", post(play::begin)),
            ("/api/play/{id}", get(play::show)),
            ("/api/play/{id}/move", post(play::play_move)),
            ("/api/play/{id}/undo", post(play::undo)),
            ("/api/play/{id}/end", post(play::end)),
            ("/api/play/{id}/hint", post(play::hint)),
            ("/api/play/{id}/point", post(play::point)),
            ("/api/play/{id}/question", post(play::question)),
            ("/play/{game}", get(play_page)),
        ]);
    }
    routes
}

fn router(shared: Arc<Shared>, site: Option<Site>, limits: &Limits, guard: guard::Guard) -> Router {
    let (allow_play, workers) = (shared.allow_play, shared.workers.is_some());
    let own_links = pages::own_links(allow_play, workers);
    let links = site.as_ref().map_or(own_links, |site| site.links);
    let head = site.as_ref().map_or_else(|| heads::always(links), |site| Arc::clone(&site.head));
    let base = site.as_ref().map_or_else(Base::default, |site| site.base.clone());
    live::watch(&shared);
    let is_behind_proxy = site.as_ref().is_some_and(|site| site.is_behind_proxy);
    let guard = Arc::new(guard.behind_proxy(is_behind_proxy));
    let mut router = Router::new();
    // Another server's site says itself what visitors may do, so it needs no page about play being
    // disabled.
    for (path, method) in routes(allow_play, workers, allow_play || site.is_none()) {
        router = router.route(path, method);
    }
    if site.is_none() {
        router = router.route("/", get(front));
    }
    // The former address of a replay, for scripts that use the API.
    let own = router
        .route("/api/matches/{id}/film", get(api::replay))
        .fallback(async || Problem::not_found("there is no such page"))
        .method_not_allowed_fallback(async || {
            Problem::method_not_allowed("this address does not take that method")
        })
        .layer(from_fn(problem::of_refusals))
        .layer(from_fn_with_state(limits.body, guard::read_body))
        .layer(DefaultBodyLimit::max(guard::BODY))
        .layer(from_fn(guard::only_json))
        .layer(from_fn(compression::add))
        .with_state(shared);
    // Pages of accounts are not compressed: their size would tell about the secrets in them.
    let is_public = site.is_none();
    let site = own
        .merge(site.map(|site| site.pages).unwrap_or_default())
        .layer(from_fn_with_state(links, problem::as_page))
        .layer(from_fn_with_state(head, heads::add));
    let site = if is_public { site.layer(from_fn(compression::add)) } else { site };
    let site = site.layer(from_fn_with_state(guard, guard::check));
    base::below(base, site)
}

/// Number of tournaments whose best players are on the first page, and the maximum number of
/// matches of all of them together.
const GLANCES: usize = 30;
const GLANCED_AT: u64 = 60_000;

/// Returns the current time in milliseconds since 1970.
fn milliseconds_now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as i64)
}

type Answer = Result<Page, Problem>;
type PartAnswer = Result<Html<String>, Problem>;

async fn front(State(shared): State<Arc<Shared>>) -> Answer {
    blocking(shared, |shared| {
        let tournaments = shared.tournaments_if_any()?;
        let latest = match shared.store.exists() {
            true => shared.latest(&Search::default())?.matches,
            false => Vec::new(),
        };
        let latest = shared.with_other_games(latest, &tournaments)?;
        let current = tournaments.iter().filter(|info| info.superseded_by.is_none());
        // Standings of large tournaments are computed only on request.
        let mut left = GLANCED_AT;
        let small = current.filter(|info| {
            let fits = (1..=left).contains(&info.played);
            left -= if fits { info.played } else { 0 };
            fits
        });
        let glances = small.take(GLANCES).map(|info| shared.overview(info.id.number()));
        let home = pages::Home {
            // The page of a damaged tournament says what is wrong with it.
            glances: glances.filter_map(Result::ok).collect(),
            tournaments,
            latest,
            now: milliseconds_now(),
            store: shared.store_path(),
            catalog: &shared.catalog,
            allow_play: shared.allow_play,
            workers: shared.workers.is_some(),
            tests: shared.tests_if_any()?.len(),
        };
        Ok(pages::front(&home))
    })
    .await
}

/// The position of a match on which there is most to see, as an image with its style included.
async fn picture(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
) -> PictureAnswer {
    let record = blocking(Arc::clone(&shared), move |shared| shared.record(&id)).await?;
    let what = Rendering::Picture(record.id.clone());
    let picture =
        render_for(&shared, from.ip(), what, move |shared, work| shared.picture(&record, work))
            .await?;
    Ok(svg(picture, "private, max-age=86400"))
}

/// The NATS server where workers meet, and its current tournaments and workers.
#[cfg(feature = "fleet")]
fn ask_workers(shared: &Shared) -> Result<(&FleetServer, quintain_fleet::Status), Problem> {
    let server = shared.workers.as_ref();
    let server = server.ok_or_else(|| Problem::not_found("no workers are shown here"))?;
    let unavailable = |error| Problem::new(axum::http::StatusCode::SERVICE_UNAVAILABLE, error);
    Ok((server, quintain_fleet::status(server).map_err(unavailable)?))
}

/// The page of tournaments and workers, queried for every request.
#[cfg(feature = "fleet")]
async fn workers(State(shared): State<Arc<Shared>>) -> Result<Response, Problem> {
    let page = blocking(shared, |shared| {
        let (server, status) = ask_workers(shared)?;
        Ok(pages::workers(&status, &server.to_string()))
    });
    Ok(refreshed(page.await?, true))
}

/// The workers as data, in the form of `quintain workers --json`, for autoscalers.
#[cfg(feature = "fleet")]
async fn workers_data(State(shared): State<Arc<Shared>>) -> Result<impl IntoResponse, Problem> {
    blocking(shared, |shared| Ok(axum::Json(ask_workers(shared)?.1))).await
}

/// Returns the matches that the page of a tournament shows: those worth watching when nobody plays
/// it, and the newest ones until all are played.
fn matches_to_show(shared: &Shared, overview: &Overview) -> Result<ShownMatches, Problem> {
    let notable = match overview.is_played_now() {
        true => Vec::new(),
        false => shared.read(|store| Ok(overview.notable(store)?.to_vec()))?,
    };
    let newest = match overview.is_incomplete() {
        true => newest(shared, overview)?,
        false => Vec::new(),
    };
    Ok(ShownMatches { notable, newest })
}

/// Returns the newest matches of a tournament, each with how long ago it was played.
fn newest(shared: &Shared, overview: &Overview) -> Result<Vec<(String, MatchEntry)>, Problem> {
    let now = milliseconds_now();
    let latest = shared.latest_of(overview)?.into_iter();
    let ago = |listed: &MatchEntry| pages::ago(now - listed.played_at);
    Ok(latest.map(|listed| (ago(&listed), listed)).collect())
}

async fn tournament(State(shared): State<Arc<Shared>>, Path(number): Path<i64>) -> Answer {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        let shown = matches_to_show(shared, &overview)?;
        Ok(pages::tournament(&overview, &shown))
    })
    .await
}

/// The part of the tournament's page that changes while the tournament is played.
async fn part(State(shared): State<Arc<Shared>>, Path(number): Path<i64>) -> PartAnswer {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        let part = pages::tournament_part(&overview, &matches_to_show(shared, &overview)?);
        Ok(Html(pages::shown(&part).into_string()))
    })
    .await
}

async fn matches(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
    Query(search): Query<Search>,
) -> Answer {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        let found = shared.search(&overview, &search)?;
        Ok(pages::matches(&overview, &search, &found))
    })
    .await
}

async fn compare(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
    Query(pair): Query<PlayerPair>,
) -> Answer {
    blocking(shared, move |shared| {
        let overview = shared.overview(number)?;
        let pair = overview.pair(&pair.a, &pair.b)?;
        let comparison = shared.comparison(&overview, pair)?;
        let lost = shared.lost_matches(&overview, &comparison)?;
        let review = shared.review(&overview, pair)?;
        Ok(pages::compare(&overview, &comparison, review.as_ref(), &lost))
    })
    .await
}

/// The queue of tests.
async fn queue(
    State(shared): State<Arc<Shared>>,
    Query(wanted): Query<ListedTests>,
) -> Result<Response, Problem> {
    blocking(shared, move |shared| {
        let (tests, series) = (&shared.tests_if_any()?, &shared.test_series_if_any()?);
        let (runners, store) = (&shared.test_runners_if_any()?, &shared.store_path());
        let is_live = tests.iter().any(|test| test.is_held);
        let queue = Queue { tests, series, runners, store };
        Ok(refreshed(pages::tests(&queue, &wanted, milliseconds_now()), is_live))
    })
    .await
}

async fn test_series(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
) -> Result<Response, Problem> {
    blocking(shared, move |shared| {
        let series = shared.read(|store| Ok(store.test_series(number)?))?;
        let is_live = series.tests().any(|test| test.is_held);
        let runners = shared.test_runners_if_any()?;
        Ok(refreshed(pages::test_series(&series, &runners, &shared.store_path()), is_live))
    })
    .await
}

async fn queued_test(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<i64>,
) -> Result<Response, Problem> {
    blocking(shared, move |shared| {
        let test = shared.read(|store| Ok(store.queued_test(number)?))?;
        let runners = shared.test_runners_if_any()?;
        Ok(refreshed(pages::test(&test, &runners, &shared.store_path()), test.is_held))
    })
    .await
}

/// A page that the browser requests again from time to time, while something on it changes.
fn refreshed(page: Page, is_live: bool) -> Response {
    match is_live {
        true => ([("refresh", REFRESH_SECONDS)], page).into_response(),
        false => page.into_response(),
    }
}

/// How many players are suggested where one is searched for.
const SUGGESTED: usize = 500;

/// The latest matches, whether they belong to a tournament or not.
async fn latest(State(shared): State<Arc<Shared>>, Query(search): Query<Search>) -> Answer {
    blocking(shared, move |shared| {
        let mut found = shared.latest(&shared.with_players(&search))?;
        for listed in &mut found.matches {
            listed.number = shared.number_of(&listed.id);
            for player in &mut listed.players {
                *player = shared.display_name(player);
            }
        }
        let rules = &mut ScoreRules::new(&shared.catalog);
        let games: Vec<&str> = shared.catalog.entries().map(|entry| entry.name()).collect();
        let players = shared.players_if_any()?;
        let players: Vec<String> =
            players.iter().take(SUGGESTED).map(|player| shared.display_name(player)).collect();
        Ok(pages::latest(&search, &found, (&games, &players), rules))
    })
    .await
}

async fn watch(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    blocking(shared, move |shared| {
        let record = shared.record(&id)?;
        let tournaments = shared.tournaments_of(&record.id)?;
        let analysts = shared.allow_play.then(|| analyses::analysts(shared, &record));
        let lessons = lesson_commands(shared, &record);
        let about = shared.context.as_ref().map(|context| context.about(&record.id, &headers));
        let shown = pages::Watched {
            number: shared.number_of(&record.id),
            record: &shared.named(record),
            tournaments: &tournaments,
            about: about.as_ref(),
            analysts: analysts.as_deref(),
            lessons: &lessons,
            can_be_embedded: shared.has_frames,
        };
        Ok(pages::watch(&shown))
    })
    .await
}

async fn game_page(State(shared): State<Arc<Shared>>, Path(game): Path<String>) -> Answer {
    blocking(shared, move |shared| {
        let entry = shared.catalog.entry(&game).map_err(Problem::not_found)?;
        let mut tournaments = shared.tournaments_if_any()?;
        tournaments.retain(|info| info.game == game && info.superseded_by.is_none());
        Ok(pages::game(entry, shared.allow_play, &tournaments))
    })
    .await
}

/// The viewer alone, for a frame in another page.
async fn embed(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> PartAnswer {
    blocking(shared, move |shared| {
        if !shared.has_frames {
            let text = "matches are not shown in other pages here (`quintain serve --embed-in`)";
            return Err(Problem::not_found(text));
        }
        Ok(Html(pages::embedded(&shared.named(shared.record(&id)?)).into_string()))
    })
    .await
}

/// The match as a page in one file.
async fn one_file(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
) -> PictureAnswer {
    let named = move |shared: &Shared| shared.record(&id).map(|record| shared.named(record));
    let record = blocking(Arc::clone(&shared), named).await?;
    let what = Rendering::Page(shared::key_of(&record));
    let page =
        render_for(&shared, from.ip(), what, move |shared, work| shared.one_file(&record, work))
            .await?;
    Ok(download("text/html; charset=utf-8", page))
}

/// The match as a short loop.
async fn film(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
) -> PictureAnswer {
    let record = blocking(Arc::clone(&shared), move |shared| shared.record(&id)).await?;
    let what = Rendering::Film(record.id.clone());
    let film = render_for(&shared, from.ip(), what, move |shared, work| shared.film(&record, work))
        .await?;
    Ok(download("image/gif", film))
}

/// A file that is saved, not shown: it would run its own scripts here.
fn download(kind: &'static str, made: Arc<[u8]>) -> ([(HeaderName, &'static str); 2], Bytes) {
    ([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, "attachment")], Bytes::from_owner(made))
}

async fn play_choice(State(shared): State<Arc<Shared>>) -> Answer {
    Ok(pages::play_choice(&shared.catalog, shared.allow_play))
}

async fn play_page(State(shared): State<Arc<Shared>>, Path(game): Path<String>) -> Answer {
    blocking(shared, move |shared| {
        let entry = shared.catalog.entry(&game).map_err(Problem::not_found)?;
        let tournaments = shared.tournaments_if_any()?;
        let known = tournaments.iter().find(|info| {
            info.game == game
                && info.superseded_by.is_none()
                && info.scoring == Scoring::Adversarial
                && (1..=GLANCED_AT).contains(&info.played)
        });
        let overview = known.map(|info| shared.overview(info.id.number())).transpose()?;
        Ok(pages::play(entry, overview.as_deref()))
    })
    .await
}

/// An example picture of a game.
async fn example_picture(
    shared: State<Arc<Shared>>,
    from: ConnectInfo<SocketAddr>,
    game: Path<String>,
) -> PictureAnswer {
    draw_example(shared, from, game, false).await
}

/// The same picture, with the meaning of its signs.
async fn explained_picture(
    shared: State<Arc<Shared>>,
    from: ConnectInfo<SocketAddr>,
    game: Path<String>,
) -> PictureAnswer {
    draw_example(shared, from, game, true).await
}

type PictureAnswer = Result<([(HeaderName, &'static str); 2], Bytes), Problem>;

/// A picture, and how long it may be kept.
fn svg(picture: Arc<[u8]>, kept: &'static str) -> ([(HeaderName, &'static str); 2], Bytes) {
    ([(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, kept)], Bytes::from_owner(picture))
}

async fn draw_example(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(game): Path<String>,
    explained: bool,
) -> PictureAnswer {
    let what = Rendering::Example(game.clone(), explained);
    let picture = render_for(&shared, from.ip(), what, move |shared, work| {
        let mut scene = shared.example(&game, work)?;
        if !explained {
            scene.caption.clear();
        }
        let text = PictureText { explained, ..PictureText::default() };
        Ok(render_svg(&scene, &[], &text).into_bytes())
    });
    Ok(svg(picture.await?, "private, max-age=600"))
}

async fn file(Path(name): Path<String>) -> Response {
    match asset(&name) {
        // A newer executable has different files under the same names.
        Some(asset) => {
            ([(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "no-cache")], asset.text).into_response()
        }
        None => Problem::not_found("there is no such file").into_response(),
    }
}

#[cfg(test)]
mod tests;
