//! Downloads that take a while, one at a time: the site, tables, letters, a backup.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use quintain_web::Problem;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use super::forms::{back, organiser_of};
use crate::contest::Contest;
use crate::download::{self, Download};
use crate::names::plain_name;
use crate::requests::access::{Host, Shared, blocking, form, refuse};
use crate::state::Participant;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/site.zip", post(download_site))
        .route("/organiser/anonymous.zip", post(download_anonymous))
        .route("/organiser/letters.zip", post(download_letters))
        .route("/organiser/backup.zip", post(download_backup))
}

/// Returns the name of a download: the contest, its kind, and the day.
pub(super) fn download_name(contest: &Contest, what: &str, ending: &str) -> String {
    let day = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    format!("{}-{what}-{}.{ending}", plain_name(&contest.config.name), &day[..10])
}

/// How many pages of matches the site has.
#[derive(Deserialize)]
struct SiteOptions {
    matches: u32,
}

/// Maximum number of pages of matches for each version; the command allows more.
const MAX_MATCHES: u32 = 50;

async fn download_site(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let SiteOptions { matches } = form(request).await?;
    if matches > MAX_MATCHES {
        let text = format!("a site has pages for at most {MAX_MATCHES} matches of each version");
        return Err(back(refuse(text)));
    }
    send_download(&host, who, Download::Site { matches }).await
}

async fn download_anonymous(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    send_download(&host, who, Download::Anonymous).await
}

async fn download_letters(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    send_download(&host, who, Download::Letters).await
}

async fn download_backup(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    send_download(&host, who, Download::Backup).await
}

/// Makes a download and sends it piece by piece.
async fn send_download(
    host: &Arc<Host>,
    who: Participant,
    what: Download,
) -> Result<Response, Problem> {
    let place = Arc::clone(&host.downloads).try_acquire_owned().map_err(|_| {
        let text = "something is being downloaded already; try again when that is done";
        back(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text))
    })?;
    // The place stays reserved until the download is made, even if nobody waits for it any more.
    let packed = blocking(host, move |contest| {
        let packed = download::make(contest, what)?;
        contest.write_state().log_action(&who.name, what.words())?;
        Ok((packed, place))
    });
    let (packed, place) = packed.await.map_err(back)?;
    let length = packed.metadata().map_err(|error| back(refuse(error)))?.len();
    let name = download_name(&host.contest, what.name(), "zip");
    let mut answer = file("application/zip", &name, stream(packed, place));
    answer.headers_mut().insert(CONTENT_LENGTH, length.into());
    Ok(answer)
}

/// Returns a response that a browser saves as a file.
pub(super) fn file(kind: &str, name: &str, body: Body) -> Response {
    let kept = format!("attachment; filename=\"{name}\"");
    let head =
        [(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, kept.as_str()), (CACHE_CONTROL, "no-store")];
    (head, body).into_response()
}

/// Size of a piece in bytes, and number of pieces that wait to be sent.
const PIECE: usize = 64 << 10;

const PIECES: usize = 4;

/// Returns a file as the body of a response. Its thread waits for the client; if the client takes
/// nothing for too long, the connection breaks and ends the thread.
fn stream(mut file: File, place: OwnedSemaphorePermit) -> Body {
    let (sender, receiver) = tokio::sync::mpsc::channel::<io::Result<Bytes>>(PIECES);
    tokio::task::spawn_blocking(move || {
        // Reserved until all is sent, or nobody takes it any more.
        let _place = place;
        let mut piece = vec![0; PIECE];
        loop {
            let read = match file.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => Ok(Bytes::copy_from_slice(&piece[..count])),
                Err(error) => Err(error),
            };
            // A response that has begun can only be aborted.
            let is_last = read.is_err();
            if sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    let pieces = futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    Body::from_stream(pieces)
}
