//! Signing in and out.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Query, Request, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use quintain_web::{Peer, Problem};
use serde::Deserialize;
use serde_json::json;

use super::access::{
    Host, Shared, actor, banned, blocking, forbidden, form, html, is_own, session_of,
};
use crate::pages;

/// For how many seconds a browser keeps a session.
const SESSION_SECONDS: u64 = 14 * 24 * 3600;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/sign-in", get(sign_in_page).post(sign_in))
        .route("/sign-out", post(sign_out))
}

#[derive(Deserialize)]
struct InvitationForm {
    #[serde(default)]
    token: String,
}

async fn sign_in_page(
    State(host): Shared,
    Query(invitation): Query<InvitationForm>,
    request: Request,
) -> Result<Response, Problem> {
    let Some(named) = named_by_proxy(&host, &request) else {
        return Ok(html(pages::sign_in(&invitation.token)));
    };
    let session = blocking(&host, move |contest| {
        let found = contest.read_state().find_by_login(&named)?;
        let Some(who) = found else {
            contest.events.log("sign-in", "refused", json!({ "named": named }));
            let text = format!("“{named}” is not invited to this contest: ask its organiser");
            return Err(forbidden(&text).leading_to("/", "the ladder"));
        };
        if let Some(ban) = contest.read_state().ban_of(Some(who.clone()))? {
            contest.events.log("sign-in", "refused", json!({ "named": named }));
            return Err(banned(&ban));
        }
        contest.events.log("sign-in", "done", json!({ "who": who.name, "by": "proxy" }));
        Ok(contest.write_state().sign_in(who.id)?)
    });
    let cookie = own_cookie(&host, &session.await?);
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/me")).into_response())
}

/// Returns whom the contest's proxy says that it has signed in. What anybody else says is ignored,
/// and so is an address that the proxy reports: only who holds the connection counts.
fn named_by_proxy(host: &Host, request: &Request) -> Option<String> {
    let trusted = host.contest.config.single_sign_on.as_ref()?;
    let Peer(from) = request.extensions().get::<Peer>()?;
    if !trusted.from.contains(&from.ip().to_canonical()) {
        return None;
    }
    // A proxy that passes on what its client says would send two.
    let mut all = request.headers().get_all(&trusted.header).iter();
    let named = all.next()?.to_str().ok()?.trim();
    (all.next().is_none() && !named.is_empty()).then(|| named.to_owned())
}

/// Returns the cookie with a session that a browser keeps.
fn own_cookie(host: &Host, session: &str) -> String {
    let secure = if host.contest.config.https { "; Secure" } else { "" };
    session_cookie(host, session, SESSION_SECONDS) + secure
}

/// Returns the address of whoever sends a request, for those who guess tokens.
fn client_of(request: &Request) -> Option<String> {
    let from = request.extensions().get::<ConnectInfo<SocketAddr>>();
    from.map(|ConnectInfo(from)| from.ip().to_string())
}

fn unknown_token() -> Problem {
    forbidden("this token is not known here, or was replaced").leading_to("/sign-in", "sign in")
}

/// Returns a cookie for so many seconds. Lax: whoever follows a link from a letter or a course's
/// page is signed in; a form from elsewhere is not, and is refused by its origin besides.
fn session_cookie(host: &Host, session: &str, seconds: u64) -> String {
    let (name, path) = (&host.session_cookie, host.contest.config.path.first_page());
    format!("{name}={session}; HttpOnly; SameSite=Lax; Path={path}; Max-Age={seconds}")
}

async fn sign_in(State(host): Shared, request: Request) -> Result<Response, Problem> {
    if !is_own(request.headers()) {
        return Err(forbidden("this was not sent by a page of this contest"));
    }
    let from = client_of(&request);
    let InvitationForm { token } = form(request).await?;
    let session = blocking(&host, move |contest| {
        let found = contest.read_state().holder(&token)?;
        let Some(who) = found else {
            contest.events.log("sign-in", "refused", json!({ "from": from }));
            return Err(match contest.read_state().banned_with_token(&token)? {
                Some(who) => banned(&who),
                None => unknown_token(),
            });
        };
        let session = contest.write_state().sign_in(who.id)?;
        contest.events.log("sign-in", "done", json!({ "who": who.name }));
        Ok((session, who.is_organiser))
    });
    let (session, is_organiser) = session.await?;
    let to = if is_organiser { "/organiser" } else { "/me" };
    Ok(([(SET_COOKIE, own_cookie(&host, &session))], Redirect::to(to)).into_response())
}

async fn sign_out(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = actor(&host, &headers).await?;
    let session = session_of(&host, &headers).unwrap_or_default();
    blocking(&host, move |contest| {
        contest.write_state().sign_out(&session)?;
        contest.events.log("sign-out", "done", json!({ "who": who.name }));
        Ok(())
    })
    .await?;
    let cookie = session_cookie(&host, "", 0);
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}
