//! Signing in and out.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Query, Request, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use quintain_web::Problem;
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

async fn sign_in_page(Query(invitation): Query<InvitationForm>) -> Response {
    html(pages::sign_in(&invitation.token))
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
    let name = &host.session_cookie;
    format!("{name}={session}; HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}")
}

async fn sign_in(State(host): Shared, request: Request) -> Result<Response, Problem> {
    if !is_own(request.headers()) {
        return Err(forbidden("this was not sent by a page of this contest"));
    }
    let from = client_of(&request);
    let InvitationForm { token } = form(request).await?;
    let session = blocking(&host, move |contest| {
        let found = contest.look().holder(&token)?;
        let Some(who) = found else {
            contest.events.log("sign-in", "refused", json!({ "from": from }));
            return Err(match contest.look().is_of_banned(&token)? {
                true => banned(),
                false => unknown_token(),
            });
        };
        let session = contest.state().sign_in(who.id)?;
        contest.events.log("sign-in", "done", json!({ "who": who.name }));
        Ok((session, who.is_organiser))
    });
    let secure = if host.contest.config.https { "; Secure" } else { "" };
    let (session, is_organiser) = session.await?;
    let to = if is_organiser { "/organiser" } else { "/me" };
    let cookie = session_cookie(&host, &session, SESSION_SECONDS) + secure;
    Ok(([(SET_COOKIE, cookie)], Redirect::to(to)).into_response())
}

async fn sign_out(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = actor(&host, &headers).await?;
    let session = session_of(&host, &headers).unwrap_or_default();
    blocking(&host, move |contest| {
        contest.state().sign_out(&session)?;
        contest.events.log("sign-out", "done", json!({ "who": who.name }));
        Ok(())
    })
    .await?;
    let cookie = session_cookie(&host, "", 0);
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}
