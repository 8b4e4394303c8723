//! Requests by participants about their own page, matches and versions.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use quintain_web::Problem;
use serde::Deserialize;

use super::access::{
    Host, Shared, actor, blocking, forbidden, form, html, own_address, refuse, require_no_ban,
    require_visitor, visitor,
};
use crate::contest::Contest;
use crate::disk;
use crate::lock::lock;
use crate::own_page::OwnPage;
use crate::pages::me as page;
use crate::performance::names_in;
use crate::state::{
    CHALLENGE, ChallengeLimits, Kind, Pairing, Participant, State as Database, time_of,
};
use crate::teams::adopt_by;
use quintain_final::seeds;

/// Maximum number of waiting challenges, of one participant and of everybody.
const MAX_WAITING: i64 = 3;
const MAX_WAITING_OF_ALL: i64 = 200;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/me", get(me))
        .route("/me/activate", post(activate))
        .route("/me/for-team", post(activate_for_team))
        .route("/me/withdraw", post(withdraw))
        .route("/me/delete", post(delete))
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
        if let Some(why) = contest.closed_for(&who)? {
            return Err(forbidden(&format!("nobody can change to another version: {why}")));
        }
        let what = format!("activated version {version}");
        match contest.write_state().activate(&who.actor(), &who, version, &what)? {
            true => Ok(Redirect::to("/me")),
            false => {
                Err(refuse(format!("you have no version {version} that has passed the check")))
            }
        }
    })
    .await
}

/// Puts a version that a member of a team submitted for themselves on the ladder for the team.
async fn activate_for_team(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let team = actor(&host, request.headers()).await?;
    let VersionChoice { version } = form(request).await?;
    blocking(&host, move |contest| {
        let member = contest.read_state().participant(team.person())?;
        let member = member.filter(|member| member.team == Some(team.id));
        let member = member.ok_or_else(|| refuse("you are in no team"))?;
        if let Some(why) = contest.closed_for(&team)? {
            return Err(forbidden(&format!("nobody can change to another version: {why}")));
        }
        if !contest.read_state().may_hand_in(team.id, contest.config.limits.version_limits())? {
            let text = "the team has submitted as many versions as it may for now";
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text));
        }
        match adopt_by(&team.actor(), &mut contest.write_state(), (&team, &member), version)? {
            Some(_) => Ok(Redirect::to("/me")),
            None => Err(refuse(format!(
                "you have no version {version} of your own that has passed the check"
            ))),
        }
    })
    .await
}

/// Withdraws from the ladder: nothing is deleted, and a version can be activated again.
async fn withdraw(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = actor(&host, request.headers()).await?;
    blocking(&host, move |contest| {
        if let Some(why) = contest.closed_for(&who)? {
            return Err(forbidden(&format!("nobody can leave the ladder: {why}")));
        }
        contest.write_state().withdraw(&who.actor(), &who, "left the ladder")?;
        Ok(Redirect::to("/me"))
    })
    .await
}

/// Deletes the files of a version; its results stay.
async fn delete(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = actor(&host, request.headers()).await?;
    let VersionChoice { version: number } = form(request).await?;
    blocking(&host, move |contest| {
        let versions = contest.read_state().versions_of(who.id)?;
        let found = versions.into_iter().find(|version| version.number == number);
        let missing = || refuse(format!("you have no version {number}"));
        let by = who.actor();
        match disk::delete(contest, &found.ok_or_else(missing)?, &by)? {
            true => Ok(Redirect::to("/me")),
            false => Err(refuse(format!(
                "version {number} cannot be deleted: it plays, is being checked, or is deleted \
                 already"
            ))),
        }
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
            contest.write_state().end_submit_token(&who)?;
            return Ok(Redirect::to("/me").into_response());
        }
        let token = contest.write_state().make_submit_token(&who)?;
        Ok(html(page::repository(&token, &address)))
    })
    .await
}

/// The version that was submitted again just now, if any.
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
        require_no_ban(&host, &headers).await?;
        return Ok(Redirect::to("/sign-in").into_response());
    };
    let address = own_address(&host, &headers);
    let page = blocking(&host, move |contest| {
        let own = OwnPage::read(contest, &who, &address, again)?;
        Ok(page::me(&contest.config, &who, &own))
    });
    Ok(html(page.await?))
}

/// Shows a match of the participant's own, with the output of their programs.
async fn one_match(
    State(host): Shared,
    Path(number): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let who = require_visitor(&host, &headers).await?;
    let page = blocking(&host, move |contest| {
        let (found, outputs) = {
            let state = contest.read_state();
            (state.match_of(who.id, number)?, state.list_outputs(who.id, number)?)
        };
        let missing = || Problem::new(StatusCode::NOT_FOUND, "this is not one of your matches");
        let played = found.ok_or_else(missing)?;
        let names = names_in(contest, &[&played])?;
        Ok(page::one_match(&contest.config.game, &played, &names, &who, &outputs))
    });
    Ok(html(page.await?))
}

#[derive(Deserialize)]
struct Challenge {
    #[serde(default)]
    opponent: i64,
    scenario: String,
}

async fn challenge(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = actor(&host, request.headers()).await?;
    let challenge: Challenge = form(request).await?;
    let work = move |contest: &Contest| {
        enter_challenge(contest, &who, challenge)?;
        Ok(Redirect::to("/me"))
    };
    blocking(&host, work).await
}

/// Enters a match that counts for nothing: the participant's active version against another one on
/// the ladder, on a scenario of the contest.
fn enter_challenge(
    contest: &Contest,
    who: &Participant,
    challenge: Challenge,
) -> Result<(), Problem> {
    let Challenge { opponent, scenario } = challenge;
    let phase = contest.phase()?;
    if !phase.has_ladder() {
        return Err(forbidden("nobody can be challenged in this phase"));
    }
    let is_known = contest.config.scenarios_of(phase).contains(&scenario);
    let game = if is_known { contest.game(&scenario).ok() } else { None };
    let game = game.ok_or_else(|| refuse("the contest is not played on this scenario"))?;
    let is_solo = lock(&contest.ladder).is_solo();
    let mut state = contest.write_state();
    let own = who.active.ok_or_else(|| refuse("you have no program on the ladder yet"))?;
    let mut seats = match is_solo {
        true => vec![own; game.seats()],
        false => {
            let rival = find_rival(&state, own, opponent)?;
            [own, rival].into_iter().cycle().take(game.seats()).collect()
        }
    };
    let number = state.count_planned()?;
    let seed = seeds::seed(&contest.secret, "challenge", &[number, who.id as u64]);
    if seed % 2 == 1 {
        seats.reverse();
    }
    let pairing = Pairing {
        kind: Kind::Challenge,
        scenario,
        seed,
        seats,
        challenger: Some(who.id),
        ..Pairing::default()
    };
    let quota = contest.config.limits.challenge_quota();
    if let Some(at) = state.used_up_until(who.id, CHALLENGE, quota)? {
        let text = format!(
            "your challenges have played for {} within an hour, which is the most; try again at {}",
            contest.config.limits.challenge_time,
            contest.config.zone.write(time_of(at))
        );
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text));
    }
    let hourly = i64::try_from(contest.config.limits.challenges).unwrap_or(i64::MAX);
    let limits = ChallengeLimits { waiting: MAX_WAITING, hourly, all: MAX_WAITING_OF_ALL };
    if !state.challenge(who.id, &pairing, limits)? {
        let text = format!(
            "you may have {MAX_WAITING} challenges waiting, and {hourly} an hour; there is also a \
             limit on the challenges of everybody together: try again later"
        );
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text));
    }
    Ok(())
}

/// Returns the opponent, if it is another version on the ladder.
fn find_rival(state: &Database, own: i64, opponent: i64) -> Result<i64, Problem> {
    let is_there = state.active()?.iter().any(|version| version.id == opponent && opponent != own);
    is_there.then_some(opponent).ok_or_else(|| refuse("this opponent is not on the ladder"))
}
