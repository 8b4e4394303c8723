//! Grades and points: their tables, and the points' preview and publication.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use quintain_web::Problem;
use serde::Deserialize;

use super::downloads::{download_name, file};
use super::forms::{Confirmation, back, finish, organiser_of};
use crate::admin::{PointsFormat, write_points};
use crate::points::{PointsTable, Published, describe_merged};
use crate::requests::access::{
    Host, Shared, blocking, form_and_fields, html, require_organiser, require_visitor,
};
use crate::{grades, pages};

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/grades.csv", get(export_grades))
        .route("/organiser/points", get(preview_points).post(publish_points))
        .route("/organiser/points.csv", get(export_points))
}

/// The columns of the grades, separated by commas; if empty, the usual ones.
#[derive(Deserialize)]
struct Columns {
    #[serde(default)]
    columns: String,
}

async fn export_grades(
    State(host): Shared,
    Query(Columns { columns }): Query<Columns>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let table = blocking(&host, move |contest| {
        let named = columns.split(',').map(str::trim).filter(|column| !column.is_empty());
        let named: Vec<String> = named.map(str::to_owned).collect();
        Ok(grades::of(contest, &named)?)
    });
    let table = table.await.map_err(back)?;
    let name = download_name(&host.contest, "grades", "csv");
    Ok(file("text/csv; charset=utf-8", &name, table.into()))
}

/// Shows the points as they are now, beside those that are published.
async fn preview_points(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let page = blocking(&host, move |contest| {
        let points = PointsTable::of(contest)?;
        let published = Published::read(&contest.read_state())?;
        let merged = describe_merged(&contest.read_state())?;
        let zone = &contest.config.zone;
        Ok(pages::points::page_of(zone, &points, published.as_ref(), merged.as_deref()))
    });
    Ok(html(page.await.map_err(back)?))
}

async fn publish_points(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let to = request.uri().path().to_owned();
    let (Confirmation { confirm }, fields) = form_and_fields(request).await?;
    finish(&host, (&to, &to), fields, move |contest| {
        PointsTable::of(contest)?.publish(&mut contest.write_state(), &who.name, confirm)?;
        Ok(())
    })
    .await
}

/// For which platform points are written.
#[derive(Deserialize)]
struct PointsFor {
    #[serde(default)]
    format: String,
}

async fn export_points(
    State(host): Shared,
    Query(PointsFor { format }): Query<PointsFor>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let (kind, what) = match format.as_str() {
        "moodle" => (PointsFormat::Moodle, "points-for-moodle"),
        "canvas" => (PointsFormat::Canvas, "points-for-canvas"),
        _ => (PointsFormat::People, "points"),
    };
    let text = blocking(&host, move |contest| {
        Ok(write_points(&PointsTable::of(contest)?, &contest.config.name, kind)?)
    });
    let name = download_name(&host.contest, what, "csv");
    Ok(file("text/csv; charset=utf-8", &name, text.await.map_err(back)?.into()))
}
