//! Forms that invite one participant or a class.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use quintain_web::Problem;
use serde::Deserialize;

use super::forms::{Name, back, organiser_of};
use super::page::organiser_page;
use crate::class_list::text_of_list;
use crate::error::HostError;
use crate::invitation::{invite_class_into, invite_into};
use crate::pages;
use crate::pages::organiser::NewTokens;
use crate::requests::access::{
    Host, Shared, blocking, form, form_within, html, own_address, refuse,
};
use crate::requests::upload_form::read_upload;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/invite", post(invite))
        .route("/organiser/invite-class", post(invite_class))
        // The body is read up to the contest's own limit.
        .route("/organiser/invite-file", post(invite_file).layer(DefaultBodyLimit::disable()))
}

async fn invite(State(host): Shared, request: Request) -> Result<Response, Problem> {
    organiser_of(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let Name { name } = form(request).await?;
    let invited = blocking(&host, move |contest| {
        Ok(invite_into(&mut contest.write_state(), &contest.config, &name)?)
    });
    let invited = NewTokens::One(Box::new(invited.await.map_err(back)?));
    Ok(html(organiser_page(&host, Some((invited, address))).await?))
}

/// Maximum size of a list of names in bytes: enough for a few thousand.
const MAX_LIST: usize = 256 << 10;

#[derive(Deserialize)]
struct ClassList {
    list: String,
    /// Whether teams change although no programs are accepted.
    #[serde(default)]
    force: bool,
}

async fn invite_class(State(host): Shared, request: Request) -> Result<Response, Problem> {
    organiser_of(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let sent = form_within(request, MAX_LIST).await?;
    invite_all(&host, sent, address).await
}

/// Invites those on a list that is uploaded as a file.
async fn invite_file(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let (upload, _place) = read_upload(&host, &who, request).await.map_err(back)?;
    let bytes = upload.into_file().unwrap_or_default();
    if bytes.len() > MAX_LIST {
        let text = format!("a class list has at most {} kB", MAX_LIST >> 10);
        return Err(back(refuse(text)));
    }
    let list = text_of_list(bytes.to_vec()).map_err(|error| back(refuse(error)))?;
    invite_all(&host, ClassList { list, force: false }, address).await
}

/// Invites those on a list, or asks first if it changes teams while no programs are accepted.
async fn invite_all(
    host: &Arc<Host>,
    sent: ClassList,
    address: String,
) -> Result<Response, Problem> {
    let ClassList { list, force } = sent;
    let fields = [("list".to_owned(), list.clone())];
    let invited = blocking(host, move |contest| {
        match invite_class_into(&mut contest.write_state(), &contest.config, &list, force) {
            Ok(class) => Ok(Ok(class)),
            Err(HostError::Unconfirmed { what, option }) => Ok(Err((what, option))),
            Err(error) => Err(error.into()),
        }
    });
    match invited.await.map_err(back)? {
        Ok(class) => {
            let invited = NewTokens::Class(class);
            Ok(html(organiser_page(host, Some((invited, address))).await?))
        }
        Err((what, option)) => {
            let to = "/organiser/invite-class";
            let page = pages::organiser::confirmation(to, &fields, &what, option);
            Ok((StatusCode::CONFLICT, html(page)).into_response())
        }
    }
}
