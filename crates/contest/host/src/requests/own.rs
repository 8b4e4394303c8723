//! Requests by participants about their own page, matches and versions.

use super::*;
use crate::pages::me as page;
use crate::performance::{self, names_in};
use crate::state::{ChallengeLimits, Kind, Pairing, PlayedMatch, Version};
use crate::{pages, seeds};

/// Number of latest matches on a participant's page, and of worst ones.
const SHOWN: u32 = 50;
const WORST: usize = 8;
/// Number of latest challenges shown.
const TRIED: u32 = 10;
/// Number of a version's latest matches that are examined for its page.
const LOOKED_AT: u32 = 3000;
/// Maximum number of waiting challenges, of one participant and of everybody.
const WAITING: i64 = 3;
const WAITING_OF_ALL: i64 = 200;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/me", get(me))
        .route("/me/activate", post(activate))
        .route("/me/withdraw", post(withdraw))
        .route("/me/challenge", post(challenge))
        .route("/me/repository", post(change_submit_token))
        .route("/me/matches/{number}", get(one_match))
}

#[derive(Deserialize)]
struct VersionChoice {
    version: i64,
}

async fn activate(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = actor(&host, request.headers()).await?;
    let VersionChoice { version } = form(request).await?;
    blocking(&host, move |contest| {
        if !contest.phase()?.takes_programs() {
            return Err(forbidden("nobody can change to another version in this phase"));
        }
        match contest.state().activate(who.id, version)? {
            true => Ok(Redirect::to("/me")),
            false => {
                Err(refuse(format!("you have no version {version} that has passed the check")))
            }
        }
    })
    .await
}

/// Withdraws from the ladder: nothing is deleted, and a version can be activated again.
async fn withdraw(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = actor(&host, request.headers()).await?;
    blocking(&host, move |contest| {
        if !contest.phase()?.takes_programs() {
            return Err(forbidden("nobody can leave the ladder in this phase"));
        }
        contest.state().withdraw(who.id)?;
        Ok(Redirect::to("/me"))
    })
    .await
}

#[derive(Deserialize)]
struct Repository {
    /// Whether the token is revoked; otherwise a new one is made.
    #[serde(default)]
    ends: bool,
}

/// Makes a token for a repository, which is shown only this once, or revokes it.
async fn change_submit_token(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = actor(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let Repository { ends } = form(request).await?;
    blocking(&host, move |contest| {
        if ends {
            contest.state().end_submit_token(&who)?;
            return Ok(Redirect::to("/me").into_response());
        }
        let token = contest.state().make_submit_token(&who)?;
        Ok(html(page::repository(&who, &token, &address)))
    })
    .await
}

/// The version that was handed in again just now, if any.
#[derive(Deserialize)]
struct HandedIn {
    again: Option<i64>,
}

async fn me(
    State(host): Shared,
    Query(HandedIn { again }): Query<HandedIn>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Some(who) = visitor(&host, &headers).await? else {
        return Ok(Redirect::to("/sign-in").into_response());
    };
    let address = own_address(&host, &headers);
    let page = blocking(&host, move |contest| {
        let state = contest.look();
        let versions = state.versions_of(who.id)?;
        let latest = state.latest_of(who.id, SHOWN)?;
        let of_active = match who.active {
            Some(active) => state.matches_of(active, LOOKED_AT)?,
            None => Vec::new(),
        };
        let (measures, active) = (state.measures_of(who.id)?, state.active()?);
        let waiting = state.challenges_waiting(who.id)?;
        let tried = state.latest_challenges(who.id, TRIED)?;
        let has_submit_token = state.has_submit_token(who.id)?;
        drop(state);
        let names =
            names_in(contest, &latest.iter().chain(&of_active).chain(&tried).collect::<Vec<_>>())?;
        let (tables, worst, beside_others, standing, is_solo) = {
            let mut ladder = lock(&contest.ladder);
            let rungs = ladder.recent_standings(&active);
            let rating = |version: i64| {
                let rung = rungs.iter().find(|rung| rung.version.id == version);
                rung.and_then(|rung| rung.measure)
            };
            let counted: Vec<&PlayedMatch> =
                of_active.iter().filter(|played| played.pairing.kind == Kind::Ladder).collect();
            let own = who.active.unwrap_or_default();
            let is_solo = ladder.is_solo();
            let results = |played: &PlayedMatch| ladder.points_of(played);
            let tables = performance::tables(own, &counted, &names, &results);
            let worst = match is_solo {
                true => {
                    let seeds = ladder.worst_seeds(own, &active, WORST);
                    performance::worst_alone(&counted, &seeds)
                }
                false => performance::worst(own, &counted, &results, &rating, &names, WORST),
            };
            let others = rungs.iter().map(|rung| &rung.version).filter(|other| other.id != own);
            let beside = |other: &Version| {
                let compared = ladder.compare(own, other.id);
                compared
                    .into_iter()
                    .map(|comparison| (other.clone(), comparison))
                    .collect::<Vec<_>>()
            };
            let beside_others: Vec<_> = others.flat_map(beside).collect();
            let rung = rungs.iter().find(|rung| rung.version.id == own);
            let standing = rung.map(|rung| pages::measures::describe(is_solo, rung, rungs.len()));
            (tables, worst, beside_others, standing, is_solo)
        };
        let (mut roster, mut in_final) = (Vec::new(), None);
        if let Some(finals) = lock(&contest.finals).as_mut() {
            roster.extend(finals.roster().iter().map(|version| version.id));
            let rungs = finals.recent_standings();
            let own = rungs.iter().find(|rung| rung.version.participant == who.id);
            in_final = own.map(|rung| {
                let stands = pages::measures::describe(is_solo, rung, rungs.len());
                let so_far = if finals.is_over() { "" } else { ", so far" };
                format!("version {} is {stands}{so_far}", rung.version.number)
            });
        }
        let shown = page::OwnPage {
            versions: &versions,
            latest: &latest,
            tried: &tried,
            names: &names,
            phase: contest.phase()?,
            tables: &tables,
            worst: &worst,
            standing: standing.as_deref(),
            in_final: in_final.as_deref(),
            address: &address,
            beside_others: &beside_others,
            measures: &measures,
            is_solo,
            opponents: &active,
            waiting,
            has_submit_token,
            roster: &roster,
            again,
        };
        Ok(page::me(&contest.config, &who, &shown))
    });
    Ok(html(page.await?))
}

/// Shows a match of the participant's own, with what their programs said in it.
async fn one_match(
    State(host): Shared,
    Path(number): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let who = require_visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let (found, said) = {
            let state = contest.look();
            (state.match_of(who.id, number)?, state.list_said(who.id, number)?)
        };
        let missing = || Problem::new(StatusCode::NOT_FOUND, "this is not one of your matches");
        let played = found.ok_or_else(missing)?;
        let names = names_in(contest, &[&played])?;
        Ok(pages::me::one_match(&played, &names, &who, &said))
    });
    Ok(html(page.await?))
}

#[derive(Deserialize)]
struct Challenge {
    #[serde(default)]
    opponent: i64,
    scenario: String,
}

/// Enters a match that counts for nothing: the participant's active version against another one on the
/// ladder, on a scenario of the contest.
async fn challenge(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = actor(&host, request.headers()).await?;
    let Challenge { opponent, scenario } = form(request).await?;
    let work = move |contest: &Contest| {
        if !contest.phase()?.has_ladder() {
            return Err(forbidden("nobody can be challenged in this phase"));
        }
        let known = contest.config.scenarios_of(contest.phase()?).contains(&scenario);
        let game = if known { contest.game(&scenario).ok() } else { None };
        let game = game.ok_or_else(|| refuse("the contest is not played on this scenario"))?;
        let is_solo = lock(&contest.ladder).is_solo();
        let mut state = contest.state();
        let own = who.active.ok_or_else(|| refuse("you have no program on the ladder yet"))?;
        let active = state.active()?;
        let rival = active.iter().find(|version| version.id == opponent && opponent != own);
        let mut seats = match (is_solo, rival) {
            (true, _) => vec![own; game.seats()],
            (false, Some(rival)) => {
                [own, rival.id].into_iter().cycle().take(game.seats()).collect()
            }
            (false, None) => return Err(refuse("this opponent is not on the ladder")),
        };
        let number = state.count_planned()?;
        let seed = seeds::seed(&contest.secret, "challenge", &[number, who.id as u64]);
        if seed % 2 == 1 {
            seats.reverse();
        }
        let (kind, slot) = (Kind::Challenge, None);
        let pairing = Pairing { id: 0, kind, slot, scenario, seed, seats };
        let hourly = i64::try_from(contest.config.limits.challenges).unwrap_or(i64::MAX);
        let limits = ChallengeLimits { waiting: WAITING, hourly, all: WAITING_OF_ALL };
        match state.challenge(who.id, &pairing, limits)? {
            true => Ok(Redirect::to("/me")),
            false => {
                let text = format!(
                    "you may have {WAITING} challenges waiting, and {hourly} an hour; there is also a limit \
                     on the challenges of everybody together: try again later"
                );
                Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text))
            }
        }
    };
    blocking(&host, work).await
}
