//! Forms about participants: bans, what several at once get, more time, and mending what was
//! entered wrongly.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{Redirect, Response};
use axum::routing::post;
use quintain_web::Problem;
use serde::Deserialize;

use super::forms::{Name, back, change, finish, organiser_of};
use crate::admin::{activate_by, extend_by, merge_by, remove_by, undo_merge_by};
use crate::bulk::Bulk;
use crate::contest::Contest;
use crate::error::CONFIRM;
use crate::guests::rename_by;
use crate::names::shortened;
use crate::requests::access::{Host, Shared, blocking, form, form_within, refuse};
use crate::state::BanResult;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/ban", post(ban))
        .route("/organiser/bulk", post(do_in_bulk))
        .route("/organiser/rename", post(rename))
        .route("/organiser/remove", post(remove))
        .route("/organiser/extend", post(extend))
        .route("/organiser/merge", post(merge))
        .route("/organiser/undo-merge", post(undo_merge))
        .route("/organiser/activate", post(activate))
}

#[derive(Deserialize)]
struct Ban {
    name: String,
    banned: bool,
}

async fn ban(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let Ban { name, banned } = form(request).await?;
    blocking(&host, move |contest| match contest.write_state().ban(&who.name, &name, banned)? {
        BanResult::Done | BanResult::Already => Ok(Redirect::to("/organiser")),
        BanResult::Nobody => {
            let shown = shortened(&name);
            Err(back(refuse(format!("there is no participant {shown:?} who can be banned"))))
        }
    })
    .await
}

/// Maximum size of a form with many participants and a message, in bytes.
const MAX_BULK: usize = 64 << 10;

/// Does something with all participants who are selected.
async fn do_in_bulk(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    // One field for each participant, all of one name.
    let fields: Vec<(String, String)> = form_within(request, MAX_BULK).await?;
    let sent = fields.clone();
    let work = move |contest: &Contest| {
        let field = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found.map_or("", |(_, value)| value.as_str())
        };
        let selected = fields.iter().filter(|(name, _)| name == "who");
        let numbers: Vec<i64> = selected.filter_map(|(_, value)| value.parse().ok()).collect();
        let is_set = |wanted: &str| field(wanted) == "true";
        let bulk = Bulk::read(field("action"), field("text"), (is_set(CONFIRM), is_set("force")))
            .ok_or_else(|| refuse("this is none of the actions on the page"))?;
        Ok(bulk.apply(&who.name, &contest.config, &mut contest.write_state(), &numbers)?)
    };
    finish(&host, ("/organiser/bulk", "/organiser#participants"), sent, work).await
}

#[derive(Deserialize)]
struct Renaming {
    name: String,
    new: String,
}

async fn rename(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Renaming { name, new }| {
        Ok(rename_by(by, &contest.config, &mut contest.write_state(), &name, &new)?)
    })
    .await
}

#[derive(Deserialize)]
struct Removal {
    name: String,
    #[serde(default)]
    confirm: bool,
}

async fn remove(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Removal { name, confirm }| {
        Ok(remove_by(by, &mut contest.write_state(), &name, confirm)?)
    })
    .await
}

/// Who may submit after the deadline, and until when, in the contest's time zone; without a time,
/// no longer than the others.
#[derive(Deserialize)]
struct Longer {
    name: String,
    #[serde(default)]
    until: String,
}

async fn extend(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Longer { name, until }| {
        let until = Some(until.as_str()).filter(|until| !until.is_empty());
        extend_by(by, &contest.config, &mut contest.write_state(), &name, until)?;
        Ok(())
    })
    .await
}

#[derive(Deserialize)]
struct Merging {
    name: String,
    into: String,
    #[serde(default)]
    confirm: bool,
}

async fn merge(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Merging { name, into, confirm }| {
        merge_by(by, &mut contest.write_state(), (&name, &into), confirm)?;
        Ok(())
    })
    .await
}

async fn undo_merge(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Name { name }| {
        undo_merge_by(by, &mut contest.write_state(), &name)?;
        Ok(())
    })
    .await
}

/// A version that is to be on the ladder.
#[derive(Deserialize)]
struct Activation {
    name: String,
    version: i64,
}

async fn activate(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Activation { name, version }| {
        activate_by(by, &mut contest.write_state(), &name, version)?;
        Ok(())
    })
    .await
}
