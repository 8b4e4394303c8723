//! State shared by all requests: where the store is, what was read from it recently, who plays. The
//! store is read on separate threads; connections are kept and reused.

use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quintain_arena::compare::{Review, review};
use quintain_core::ui::Scene;
use quintain_core::{AnyGame, Catalog, Objective, Record, Scoring, replay_while};
use quintain_report::count_of;
use quintain_scene::{GIF_ACROSS, PictureText, render_svg};
use quintain_store::{
    Filter, MatchRow, QueuedTest, Store, StoreError, TestRunner, TestSeries, TournamentInfo,
};
use tokio::sync::{Semaphore, watch};

use super::analysis_jobs::Analyses;
use super::limits::{Limits, Quota, Turns};
use super::options::{FleetServer, MatchContext, Options};
use super::problem::Problem;
use super::renderings::{Renderings, Work, too_large};
use super::sessions::Sessions;
use crate::film::{Film, FilmError};
use crate::fullest_scene::FullestScene;
use crate::headline::MatchNumber;
use crate::match_entry::{MatchEntry, match_entry};
use crate::matches::{self, MatchPage, ON_A_PAGE, Order, OutcomeFilter, Search};
use crate::overview::{Comparison, Overview, Pair};
use crate::pages::figure;
use crate::replay::Replay;
use crate::score_rules::ScoreRules;
use crate::standalone;

/// Maximum number of requests that read the store at the same time; others wait for their turn.
pub(super) const READERS: usize = 16;
/// Maximum number of them that belong to one client.
const CLIENT_READERS: usize = 8;
/// Number of connections kept for later requests.
const KEPT: usize = 8;
/// Number of latest matches on a tournament's page.
const SHOWN: u64 = 4;
/// Number of overviews kept.
const OVERVIEWS: usize = 16;
/// The most bytes of a page in one file.
const PAGE: usize = 16 << 20;
/// The most cells of all pictures of a loop together, and the most of all turns that are replayed
/// for it.
const FILM_CELLS: u64 = 20_000_000;
const REPLAYED_CELLS: u64 = 200_000_000;
/// An overview is kept for this many times as long as it took to make.
const OVERVIEW_LIFETIMES: u32 = 8;

/// Shared by all requests.
pub(crate) struct Shared {
    pub(crate) store: PathBuf,
    pub(crate) catalog: Catalog,
    pub(crate) allow_play: bool,
    /// Whether only people at this machine can reach the server.
    pub(crate) is_local: bool,
    /// Whether other pages may show matches.
    pub(crate) has_frames: bool,
    /// The server whose workers are shown.
    pub(crate) workers: Option<FleetServer>,
    /// What the site knows of the store's matches.
    pub(super) context: Option<Arc<dyn MatchContext>>,
    /// Increases with every change of the store.
    pub(crate) news: watch::Sender<u64>,
    /// Pages that listen for news.
    pub(super) listeners: Arc<Quota>,
    /// Exports being sent.
    pub(super) downloads: Arc<Quota>,
    /// Matches that people play.
    pub(crate) sessions: Sessions,
    /// Analyses of matches by strong players.
    pub(crate) analyses: Analyses,
    /// Replays and pictures.
    pub(super) renderings: Renderings,
    /// Held while the board of a new match is laid out and not yet known to be small.
    pub(super) laying_out: Mutex<()>,
    readers: Arc<Semaphore>,
    turns: Turns,
    connections: Mutex<Vec<Store>>,
    overviews: Mutex<HashMap<i64, CachedOverview>>,
    /// Held while the overview of a tournament is computed.
    making: Mutex<HashMap<i64, Arc<Mutex<()>>>>,
}

struct CachedOverview {
    overview: Arc<Overview>,
    at: Instant,
    took: Duration,
}

tokio::task_local! {
    /// The client of the request that is being answered.
    pub(super) static CLIENT: IpAddr;
}

/// Runs work that reads the store, away from the threads that serve requests.
pub(crate) async fn blocking<T: Send + 'static>(
    shared: Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // Held until the work is done, as the client may be gone before. A client that is gone before
    // its turn does not take it. The semaphores are never closed.
    let own = match CLIENT.try_with(|client| shared.turns.of(*client)) {
        Ok(turns) => Some(turns.acquire_owned().await),
        Err(_) => None,
    };
    let turn = Arc::clone(&shared.readers).acquire_owned().await;
    let in_turn = move |shared: &Shared| {
        let _turn = (own, turn);
        work(shared)
    };
    thinking(shared, in_turn).await
}

/// Runs work that may take long because players think, up to as many at once as there are matches.
pub(crate) async fn thinking<T: Send + 'static>(
    shared: Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    // Boxed to a single type; otherwise tokio's own task code would be compiled for each kind of
    // work.
    let task: Box<dyn FnOnce() + Send> = Box::new(move || {
        let _ = sender.send(work(&shared));
    });
    tokio::task::spawn_blocking(task);
    // The sender is dropped without a message if the work panics.
    receiver.await.unwrap_or_else(|_| {
        let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
        Err(Problem::new(status, "this is a bug in quintain: please report it"))
    })
}

/// Returns what a replay depends on: names of players may change.
pub(super) fn key_of(record: &Record) -> String {
    format!("{} {}", record.id, record.fixture.seats.join(" "))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(options: Options, limits: &Limits) -> Shared {
        Shared {
            sessions: Sessions::new(limits.matches, &options.store),
            store: options.store,
            workers: options.workers,
            context: None,
            catalog: options.catalog,
            allow_play: options.allow_play,
            is_local: false,
            has_frames: !options.frames.is_empty(),
            news: watch::channel(0).0,
            listeners: Quota::new(limits.listeners),
            downloads: Quota::new(limits.downloads),
            analyses: Analyses::new(),
            renderings: Renderings::new(limits.renderings),
            laying_out: Mutex::default(),
            readers: Arc::new(Semaphore::new(READERS)),
            turns: Turns::new(CLIENT_READERS),
            connections: Mutex::default(),
            overviews: Mutex::default(),
            making: Mutex::default(),
        }
    }

    /// Adds what a site knows of the store's matches.
    pub(super) fn with_context(self, context: Option<Arc<dyn MatchContext>>) -> Shared {
        Shared { context, ..self }
    }

    /// The store as commands name it.
    pub(crate) fn store_path(&self) -> String {
        self.store.display().to_string()
    }

    /// Reads the store.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let kept = lock(&self.connections).pop();
        let store = match kept {
            Some(store) => store,
            None => Store::open_to_read(&self.store)?,
        };
        let done = work(&store);
        // A connection that failed may have lost its file, and an empty file may be a store by now,
        // so the next request opens a new one.
        if done.is_ok() && !store.is_placeholder() {
            let mut connections = lock(&self.connections);
            if connections.len() < KEPT {
                connections.push(store);
            }
        }
        done
    }

    pub(crate) fn tournaments(&self) -> Result<Vec<TournamentInfo>, Problem> {
        self.read(|store| Ok(store.tournaments()?))
    }

    /// Returns all tournaments; none if there is no store yet.
    pub(crate) fn tournaments_if_any(&self) -> Result<Vec<TournamentInfo>, Problem> {
        if self.store.exists() { self.tournaments() } else { Ok(Vec::new()) }
    }

    /// Returns the queue of tests; an empty one if there is no store yet.
    pub(crate) fn tests_if_any(&self) -> Result<Vec<QueuedTest>, Problem> {
        if !self.store.exists() {
            return Ok(Vec::new());
        }
        self.read(|store| Ok(store.queued_tests()?))
    }

    /// Returns the processes that answer the queue of tests; none if there is no store yet.
    pub(crate) fn test_runners_if_any(&self) -> Result<Vec<TestRunner>, Problem> {
        if !self.store.exists() {
            return Ok(Vec::new());
        }
        self.read(|store| Ok(store.test_runners()?))
    }

    /// Returns all series of tests; none if there is no store yet.
    pub(crate) fn test_series_if_any(&self) -> Result<Vec<TestSeries>, Problem> {
        if !self.store.exists() {
            return Ok(Vec::new());
        }
        self.read(|store| Ok(store.all_test_series()?))
    }

    pub(crate) fn tournament(&self, number: i64) -> Result<TournamentInfo, Problem> {
        self.read(|store| Ok(store.tournament_by_number(number)?))
    }

    /// Returns the tournaments that a record counts for.
    pub(crate) fn tournaments_of(&self, id: &str) -> Result<Vec<TournamentInfo>, Problem> {
        self.read(|store| Ok(store.tournaments_of(id)?))
    }

    /// Returns a tournament's standings and scores, which may be slightly out of date if they take
    /// long to compute.
    pub(crate) fn overview(&self, number: i64) -> Result<Arc<Overview>, Problem> {
        let info = self.tournament(number)?;
        if let Some(kept) = self.kept_overview(&info) {
            return Ok(kept);
        }
        // Computed once, for all who ask meanwhile.
        let making = Arc::clone(lock(&self.making).entry(number).or_default());
        let _making = lock(&making);
        if let Some(kept) = self.kept_overview(&info) {
            return Ok(kept);
        }
        let begun = Instant::now();
        let overview = self.read(|store| Ok(Overview::of(store, info)?))?;
        let overview = Arc::new(overview);
        let (at, took) = (Instant::now(), begun.elapsed());
        let mut overviews = lock(&self.overviews);
        if overviews.len() >= OVERVIEWS && !overviews.contains_key(&number) {
            let oldest = overviews.iter().min_by_key(|(_, kept)| kept.at).map(|(own, _)| *own);
            oldest.map(|oldest| overviews.remove(&oldest));
        }
        overviews.insert(number, CachedOverview { overview: Arc::clone(&overview), at, took });
        Ok(overview)
    }

    /// Returns the overview of a tournament, if it is kept and not too old.
    fn kept_overview(&self, info: &TournamentInfo) -> Option<Arc<Overview>> {
        let overviews = lock(&self.overviews);
        let kept = overviews.get(&info.id.number())?;
        let same =
            kept.overview.info.played == info.played && kept.overview.info.run_at == info.run_at;
        // What is known of a finished tournament is its result, which nothing follows.
        let is_finished = info.played >= info.fixtures;
        let is_recent = !is_finished && kept.at.elapsed() < kept.took * OVERVIEW_LIFETIMES;
        (same || is_recent).then(|| Arc::clone(&kept.overview))
    }

    /// Returns the matches that fit a search.
    pub(crate) fn search(
        &self,
        overview: &Overview,
        search: &Search,
    ) -> Result<MatchPage, Problem> {
        self.read(|store| search.run(store, overview).map_err(Problem::from))
    }

    /// Returns a page of the store's matches that fit a search, the latest first.
    pub(crate) fn latest(&self, search: &Search) -> Result<MatchPage, Problem> {
        let mut rules = ScoreRules::new(&self.catalog);
        let mut goal_of = |row: &MatchRow| {
            rules.of(&row.game, &row.scenario).map_or(Objective::Maximize, |(goal, _)| goal)
        };
        if !self.store.exists() {
            return Ok(MatchPage::default());
        }
        self.read(|store| matches::latest(store, search, &mut goal_of).map_err(Problem::from))
    }

    /// Returns the players of the store, in order; none if there is no store yet.
    pub(crate) fn players_if_any(&self) -> Result<Vec<String>, Problem> {
        if !self.store.exists() {
            return Ok(Vec::new());
        }
        self.read(|store| Ok(store.players()?))
    }

    /// Adds the last match of a tournament of each game of which none is among the latest.
    pub(crate) fn with_other_games(
        &self,
        mut latest: Vec<MatchEntry>,
        tournaments: &[TournamentInfo],
    ) -> Result<Vec<MatchEntry>, Problem> {
        for info in tournaments.iter().filter(|info| info.played > 0) {
            if latest.iter().all(|listed| listed.game != info.game) {
                latest.extend(self.read(|store| Ok(matches::last_of(store, info, 1)?))?);
            }
        }
        Ok(latest)
    }

    /// Returns the latest matches of a tournament.
    pub(crate) fn latest_of(&self, overview: &Overview) -> Result<Vec<MatchEntry>, Problem> {
        self.read(|store| matches::last_of(store, &overview.info, SHOWN).map_err(Problem::from))
    }

    /// Compares two players on the matches that each has played.
    pub(crate) fn comparison(
        &self,
        overview: &Overview,
        (a, b): (&str, &str),
    ) -> Result<Comparison, Problem> {
        self.read(|store| Ok(Comparison::of(store, overview, a, b)?))
    }

    /// Returns what a sequential test says about two players; `None` without a seed on which both
    /// played the same matches.
    pub(crate) fn review(
        &self,
        overview: &Overview,
        (a, b): (&str, &str),
    ) -> Result<Option<Review>, Problem> {
        self.read(|store| Ok(review(store, &overview.info, a, b)?))
    }

    /// Returns some matches that the one of two players who does worse should watch, each with a
    /// note: those that it lost to the other, the longest first; where seats are no rivals, its
    /// matches on the seeds on which it fell furthest behind.
    pub(crate) fn lost_matches(
        &self,
        overview: &Overview,
        comparison: &Comparison,
    ) -> Result<Vec<(String, MatchEntry)>, Problem> {
        let (winner, loser) = comparison.better_first(overview);
        if overview.info.scoring == Scoring::Independent {
            return self.matches_behind(overview, comparison);
        }
        let search = Search {
            player: loser.to_owned(),
            against: winner.to_owned(),
            outcome: OutcomeFilter::Lost,
            order: Order::Longest,
            ..Search::default()
        };
        let found = self.search(overview, &search)?.matches.into_iter().take(SHOWN as usize);
        Ok(found.map(|listed| (count_of(listed.turns.into(), "turn"), listed)).collect())
    }

    /// Returns the matches of the one who does worse on the seeds on which it fell furthest behind.
    fn matches_behind(
        &self,
        overview: &Overview,
        comparison: &Comparison,
    ) -> Result<Vec<(String, MatchEntry)>, Problem> {
        let (better, worse) = comparison.better_first(overview);
        let sets = overview.info.scenario_sets();
        let lost = comparison.worst_seeds(overview);
        let mut found: Vec<Option<(String, MatchEntry)>> = Vec::new();
        found.resize_with(lost.len().min(SHOWN as usize), || None);
        let filter = Filter {
            player: Some(worse.to_owned()),
            sorted: true,
            ..Filter::tournament(overview.info.id)
        };
        self.read(|store| {
            store.matches(&filter, |row| {
                let is_here = |pair: &&Pair| {
                    pair.seed == row.seed && pair.scenario == sets.set_of(&row.scenario)
                };
                let place = lost.iter().take(found.len()).position(is_here);
                if let Some(place) = place.filter(|place| found[*place].is_none()) {
                    let pair = lost[place];
                    let score = if better == comparison.a { pair.a } else { pair.b };
                    let note = format!("{better} scored {} on the same seed", figure(score));
                    found[place] = Some((note, match_entry(row, None)));
                }
                Ok::<(), StoreError>(())
            })?;
            Ok(())
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Returns the name of a player for people.
    pub(super) fn display_name(&self, player: &str) -> String {
        let named = self.context.as_ref().and_then(|context| context.display_name(player));
        named.unwrap_or_else(|| player.to_owned())
    }

    /// Returns the number of a match, if the site numbers its matches.
    pub(super) fn number_of(&self, record: &str) -> MatchNumber {
        self.context.as_ref().map_or(MatchNumber::None, |context| context.number(record))
    }

    /// Returns a record whose players are called as people call them.
    pub(super) fn named(&self, mut record: Record) -> Record {
        for seat in &mut record.fixture.seats {
            *seat = self.display_name(seat);
        }
        record
    }

    /// Returns a search for the players of records, whatever they are called in it.
    pub(super) fn with_players(&self, search: &Search) -> Search {
        let player = |name: &String| {
            let found = self.context.as_ref().and_then(|context| context.find_player(name));
            found.unwrap_or_else(|| name.clone())
        };
        let (player, against) = (player(&search.player), player(&search.against));
        Search { player, against, ..search.clone() }
    }

    /// Returns a record by its id, or by the first digits of it.
    pub(crate) fn record(&self, id: &str) -> Result<Record, Problem> {
        self.read(|store| Ok(store.load(id)?))
    }

    /// Returns the replay of a record as compressed JSON.
    pub(super) fn replay(&self, record: &Record, work: &Work) -> Result<Vec<u8>, Problem> {
        self.replay_of(record, work).map(|replay| standalone::compress(&replay))
    }

    fn replay_of(&self, record: &Record, work: &Work) -> Result<Replay, Problem> {
        let game = self.catalog.game_of(record)?;
        let mut problem = None;
        let replay = Replay::of_while(game.as_ref(), record, &mut |bytes| {
            problem = work.objection().or_else(|| work.check_size(bytes).err());
            problem.is_none()
        })?;
        match (replay, problem) {
            (_, Some(problem)) => Err(problem),
            (replay, None) => Ok(replay.expect("nothing was wrong with it")),
        }
    }

    /// Returns some matches of a game: those among the latest of the store or, if there are none,
    /// its first ones.
    fn some_of(&self, game: &str) -> Result<Vec<MatchEntry>, Problem> {
        let mut found = self.latest(&Search::default())?.matches;
        found.retain(|listed| listed.game == game);
        if found.is_empty() {
            let limit = Some(ON_A_PAGE);
            let filter = Filter { game: Some(game.to_owned()), limit, ..Filter::default() };
            found = self.read(|store| Ok(matches::list(store, &filter)?))?;
        }
        Ok(found)
    }

    /// Returns a position of a game on which there is something to see: from the middle of the
    /// longest of some of its matches, or, if it was never played, the first position of its
    /// showcase.
    pub(super) fn example(&self, game: &str, work: &Work) -> Result<Scene, Problem> {
        let entry = self.catalog.entry(game).map_err(Problem::not_found)?;
        let played = if self.store.exists() { self.some_of(game)? } else { Vec::new() };
        let own = played.iter().filter(|listed| listed.fault.is_none());
        if let Some(longest) = own.max_by_key(|listed| listed.turns) {
            let record = self.record(&longest.id)?;
            let game = self.catalog.game_of(&record)?;
            let (mut turn, mut scene, mut problem) = (0, None, None);
            replay_while(game.as_ref(), &record, &mut |state, _| {
                problem = work.objection();
                if turn == longest.turns / 2 {
                    scene = Some(state.scene(None));
                }
                turn += 1;
                // The rest does not matter.
                match scene.is_some() || problem.is_some() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
            if let Some(problem) = problem {
                return Err(problem);
            }
            if let Some(scene) = scene {
                return Ok(scene);
            }
        }
        Ok(entry.game(entry.showcase().0)?.begin(1).scene(None))
    }

    /// Returns a record as a page in one file.
    pub(super) fn one_file(&self, record: &Record, work: &Work) -> Result<Vec<u8>, Problem> {
        let replay = self.replay_of(record, work)?;
        let page = standalone::render_page(replay, PAGE);
        page.map(String::into_bytes).map_err(|error| {
            let text = format!("{error}; `quintain replay ID --html FILE` writes larger ones");
            Problem::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, text)
        })
    }

    /// Returns a record as a short loop.
    pub(super) fn film(&self, record: &Record, work: &Work) -> Result<Vec<u8>, Problem> {
        let game = self.catalog.game_of(record)?;
        refuse_long_film(game.as_ref(), record)?;
        // It is limited by its work, not by time: a busy machine draws it as well.
        let (mut turns, mut problem) = (0, None);
        replay_while(game.as_ref(), record, &mut |_, _| {
            turns += 1;
            problem = work.abandonment();
            if problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let film = Film {
            game: game.as_ref(),
            record,
            last: turns.max(1) - 1,
            overlays: &[],
            most_cells: Some(FILM_CELLS),
        };
        let drawn = match problem {
            Some(_) => Ok(None),
            None => film.render(GIF_ACROSS, &mut |_, _| {
                problem = work.abandonment();
                problem.is_none()
            }),
        };
        match (problem, drawn) {
            (Some(problem), _) => Err(problem),
            (None, Ok(Some(drawn))) => Ok(drawn),
            (None, Ok(None)) => unreachable!("only a problem ends it"),
            (None, Err(error @ FilmError::TooLarge { .. })) => Err(too_large(&error.to_string())),
            (None, Err(error)) => {
                Err(Problem::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, error))
            }
        }
    }

    /// Returns the position of a record on which there is most to see as SVG.
    pub(super) fn picture(&self, record: &Record, work: &Work) -> Result<Vec<u8>, Problem> {
        let game = self.catalog.game_of(record)?;
        let (mut fullest, mut problem) = (FullestScene::default(), None);
        // Whoever chooses a match of rivals does not want to see who wins it.
        let tells = game.scoring() == Scoring::Independent || game.seats() < 2;
        let turns = count_turns(game.as_ref(), record);
        let last = replay_while(game.as_ref(), record, &mut |state, _| {
            if tells || state.turn() as usize <= turns * 2 / 3 {
                fullest.offer(|| state.board());
            }
            problem = work.objection();
            if problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        match (last, problem) {
            (_, Some(problem)) => Err(problem),
            (last, None) => {
                let last = last.expect("nothing was wrong with it").board();
                let mut scene = if tells { fullest.or_last(last) } else { fullest.before(last) };
                scene.caption.clear();
                Ok(render_svg(&scene, &[], &PictureText::default()).into_bytes())
            }
        }
    }
}

/// The turns of a recorded match, about: not every seat may act on each.
fn count_turns(game: &dyn AnyGame, record: &Record) -> usize {
    let acting = game.begin(record.fixture.seed).acting().len();
    record.action_texts().count() / acting.max(1)
}

/// Refuses a loop of a match for which too much would have to be replayed.
fn refuse_long_film(game: &dyn AnyGame, record: &Record) -> Result<(), Problem> {
    let board = game.begin(record.fixture.seed).board();
    let turns = count_turns(game, record);
    let cells = (board.width.max(0) as u64).saturating_mul(board.height.max(0) as u64);
    match cells.saturating_mul(turns as u64) > REPLAYED_CELLS {
        true => {
            Err(too_large(&format!("a loop of {turns} turns on {cells} cells is too much work")))
        }
        false => Ok(()),
    }
}
