//! Pages that everybody may see: the ladder, the final, the rules, starter kits.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use quintain_final::seeds::commitment;
use quintain_web::Problem;
use serde_json::json;

use super::access::{Host, Shared, blocking, html, own_address, refuse, visitor};
use super::exploits::may_see_exploits;
use crate::contest::Contest;
use crate::error::HostError;
use crate::finals::{self, FinalResult, Finals};
use crate::grades::StandingsBySeat;
use crate::ladder::Rung;
use crate::lock::lock;
use crate::pages;
use crate::performance::names_in;
use crate::state::{Kind, PlayedMatch};

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/", get(ladder))
        .route("/final", get(result_of_final))
        .route("/show", get(show))
        .route("/live.json", get(live_match))
        .route("/seats", get(by_seat))
        .route("/participants/{id}", get(participant))
        .route("/seeds", get(seeds))
        .route("/rules", get(rules))
        .route("/rules/schema.json", get(schemas))
        .route("/maps/{digest}", get(send_map))
        .route("/kits", get(list_kits))
        .route("/kits/{file}", get(send_kit))
}

/// The ladder page, which a script renews.
async fn ladder(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let (active, is_paused) = {
            let state = contest.read_state();
            (state.playing()?, state.is_paused()?)
        };
        let (rungs, (played, under_way), is_solo, copies_apart) = {
            let mut ladder = lock(&contest.ladder);
            let matches = (ladder.count_played(), ladder.count_under_way());
            let rungs = ladder.recent_standings(&active);
            (rungs, matches, ladder.is_solo(), ladder.copies_apart())
        };
        let phase = contest.phase()?;
        // If the organiser chose a phase, the clock decides nothing.
        let is_chosen = contest.has_chosen_phase()?;
        let coming = contest.schedule()?.coming(SystemTime::now());
        let coming = if is_chosen { &[][..] } else { &coming };
        // A match that is missing since a final was over is told on the final's page.
        let of_final = lock(&contest.finals).as_ref().map(|finals| {
            let played = if finals.is_published() { finals.len() } else { finals.count_played() };
            (played, finals.len())
        });
        let over =
            lock(&contest.finals).as_mut().filter(|finals| finals.is_over()).map(Finals::result);
        let banned = banned_participants(contest)?;
        let over = over.map(|result| pages::finals::table(&result, &banned));
        let trouble = contest.troubles.current();
        let has_exploited = contest.config.exploited;
        let exploited = has_exploited.then(|| contest.read_state().list_exploited()).transpose()?;
        let shown = pages::LadderPage {
            rungs: &rungs,
            played,
            under_way,
            is_solo,
            trends: &contest.trends()?,
            copies_apart,
            is_paused,
            over: over.as_ref(),
            of_final,
            exploited: exploited.as_ref(),
            trouble: trouble.as_ref(),
            phase,
            coming,
        };
        Ok(pages::ladder(&contest.config, who.as_ref(), &shown))
    });
    Ok(html(page.await?))
}

/// The latest match of the best, for the board beside the ladder.
async fn live_match(State(host): Shared) -> Result<Response, Problem> {
    let found = blocking(&host, |contest| {
        let rungs = {
            let active = contest.read_state().playing()?;
            lock(&contest.ladder).recent_standings(&active)
        };
        let Some(played) = watched(contest, &rungs, false)? else { return Ok(json!({})) };
        let names = names_in(contest, &[&played])?;
        Ok(json!({ "record": played.record, "title": pages::match_title(&played, &names) }))
    });
    Ok(Json(found.await?).into_response())
}

/// How many of the best are shown in matches on the projector.
const BEST_SHOWN: usize = 4;

/// The page for the projector, which a script renews.
async fn show(State(host): Shared) -> Result<Response, Problem> {
    let page = blocking(&host, move |contest| {
        let of_final = lock(&contest.finals).as_mut().map(|finals| {
            let rungs = finals.recent_standings();
            (rungs, (finals.count_played(), finals.len()), finals.knockout())
        });
        let is_solo = lock(&contest.ladder).is_solo();
        let (rungs, of_final, knockout) = match of_final {
            Some((rungs, counts, knockout)) => (rungs, Some(counts), knockout),
            None => {
                let active = contest.read_state().playing()?;
                (lock(&contest.ladder).recent_standings(&active), None, Vec::new())
            }
        };
        let watched = watched(contest, &rungs, of_final.is_some())?;
        let names = names_in(contest, &watched.iter().collect::<Vec<_>>())?;
        let banned = banned_participants(contest)?;
        let shown = pages::show::Show {
            rungs: &rungs,
            is_solo,
            of_final,
            watched: watched.as_ref(),
            names: &names,
            knockout: &knockout,
            banned: &banned,
        };
        Ok(pages::show::page(&contest.config, &shown))
    });
    Ok(html(page.await?))
}

/// Returns the latest match among the best that everybody may watch, or else of one of them.
/// Matches of banned participants are announced only in the final, where they keep their places.
fn watched(
    contest: &Contest,
    rungs: &[Rung],
    of_final: bool,
) -> Result<Option<PlayedMatch>, HostError> {
    let kind = if of_final { Kind::Final } else { Kind::Ladder };
    let best: Vec<i64> = rungs.iter().take(BEST_SHOWN).map(|rung| rung.version.id).collect();
    let is_among = |played: &PlayedMatch| played.pairing.seats.iter().all(|of| best.contains(of));
    let rank = |played: &PlayedMatch| (is_among(played), played.pairing.id);
    let banned = match of_final {
        true => Vec::new(),
        false => contest.read_state().banned_versions()?,
    };
    let is_allowed =
        |played: &PlayedMatch| !played.pairing.seats.iter().any(|seat| banned.contains(seat));
    let is_shown = |played: &PlayedMatch| {
        played.pairing.kind == kind && played.is_shown() && is_allowed(played)
    };
    let mut latest: Option<PlayedMatch> = None;
    for version in &best {
        let matches = contest.read_state().matches_of(*version, MAX_WATCHED)?;
        let found = matches.into_iter().filter(is_shown).max_by_key(rank);
        latest = latest.into_iter().chain(found).max_by_key(rank);
    }
    Ok(latest)
}

/// Returns the banned participants, who keep their places in the final.
fn banned_participants(contest: &Contest) -> Result<Vec<i64>, HostError> {
    let all = contest.read_state().participants()?;
    Ok(all.iter().filter(|who| who.is_banned).map(|who| who.id).collect())
}

/// Maximum number of a participant's latest matches that everybody may watch from the ladder.
const MAX_WATCHED: u32 = 60;

async fn participant(
    State(host): Shared,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let who = visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let state = contest.read_state();
        let found = state.active()?.into_iter().find(|version| version.participant == id);
        let missing =
            || Problem::new(StatusCode::NOT_FOUND, "nobody with that number is on the ladder");
        let version = found.ok_or_else(missing)?;
        let (mut matches, active) = (state.matches_of(version.id, MAX_WATCHED)?, state.playing()?);
        let lines = match may_see_exploits(&state, who.as_ref(), id)? {
            true => state.exploits_of(version.id)?,
            false => Vec::new(),
        };
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
        Ok(pages::participant(&version, standing.as_deref(), &matches, &names, &lines))
    });
    Ok(html(page.await?))
}

/// The page of the final: its standings, or before it begins the digest of its seed. While the
/// final is played, a browser reloads the page by itself.
async fn result_of_final(State(host): Shared) -> Result<Response, Problem> {
    let page = blocking(&host, move |contest| {
        let banned = banned_participants(contest)?;
        let result = lock(&contest.finals).as_mut().map(Finals::result);
        let coming = contest.schedule()?.coming(SystemTime::now());
        let begins = coming.iter().find(|(phase, _)| phase.rounds.is_some()).map(|(_, at)| *at);
        let phase = contest.phase()?;
        // If the organiser chose a phase, the clock begins none.
        let is_chosen = contest.has_chosen_phase()?;
        let (secret, undone) = {
            let state = contest.read_state();
            (finals::secret(&state)?, state.undone_finals()?)
        };
        let shown = pages::finals::Final {
            commitment: commitment(&secret),
            undone: &undone,
            seed: result.as_ref().filter(|result| !result.is_under_way()).map(|_| &secret),
            result: result.as_ref(),
            is_solo: lock(&contest.ladder).is_solo(),
            banned: &banned,
            begins: begins.filter(|_| !is_chosen),
            stands_still: phase.rounds.is_none().then_some(phase.name.as_str()),
        };
        let is_under_way = result.as_ref().is_some_and(FinalResult::is_under_way);
        Ok((pages::finals::page(&contest.config, &shown), is_under_way))
    });
    let (page, is_under_way) = page.await?;
    Ok(match is_under_way {
        true => ([("refresh", "5")], html(page)).into_response(),
        false => html(page),
    })
}

/// The sequences of seeds of a ladder on which everybody plays alone.
async fn seeds(State(host): Shared) -> Result<Response, Problem> {
    let page = blocking(&host, move |contest| {
        if !lock(&contest.ladder).is_solo() {
            let text = "every pair has seeds of its own in this contest";
            return Err(Problem::new(StatusCode::NOT_FOUND, text).leading_to("/", "the ladder"));
        }
        let sequences = contest.read_state().sequences()?;
        Ok(pages::seeds::page(&contest.config, &sequences))
    });
    Ok(html(page.await?))
}

/// The standings by seat of the final, once there is one, otherwise of the ladder.
async fn by_seat(State(host): Shared) -> Result<Response, Problem> {
    let page = blocking(&host, move |contest| {
        let [first, second] = &contest.config.seats[..] else {
            let text = "the seats of this contest have no different roles";
            return Err(Problem::new(StatusCode::NOT_FOUND, text).leading_to("/", "the ladder"));
        };
        let seats = StandingsBySeat::of(contest)?;
        Ok(pages::seats::page([first, second], &seats))
    });
    Ok(html(page.await?))
}

/// The rules of the game, in words.
async fn rules(State(host): Shared) -> Result<Response, Problem> {
    let page = blocking(&host, move |contest| {
        let entry = contest.catalog.entry(&contest.config.game).map_err(refuse)?;
        let (phase, is_solo) = (contest.phase()?, lock(&contest.ladder).is_solo());
        // While the organiser writes the file, the formula of the start is better than none.
        let formula = contest.formula().unwrap_or_else(|_| contest.config.grades.clone());
        let (config, terms) = (&contest.config, (phase, formula.as_ref()));
        Ok(pages::rules::page_of(config, terms, entry, is_solo))
    });
    Ok(html(page.await?))
}

/// What a seat sees and does, as JSON schemas.
async fn schemas(State(host): Shared) -> Result<Response, Problem> {
    let contest = &host.contest;
    let entry = contest.catalog.entry(&contest.config.game).map_err(refuse)?;
    Ok(Json(entry.schemas()).into_response())
}

/// The file of a scenario.
async fn send_map(State(host): Shared, Path(digest): Path<String>) -> Result<Response, Problem> {
    let mut maps = host.contest.config.maps.iter();
    let map = maps.find(|map| map.file.digest == digest);
    let map = map.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "there is no such file"))?;
    // The browser must not take it for a page, whatever is in it.
    let kind = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (CONTENT_DISPOSITION, "attachment")];
    Ok((kind, map.file.text.clone()).into_response())
}

/// The available starter kits.
async fn list_kits(State(host): Shared) -> Result<Response, Problem> {
    Ok(html(pages::kits(&host.contest.config, &host.kits)))
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
