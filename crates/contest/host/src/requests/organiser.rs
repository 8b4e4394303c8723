//! Requests by the organiser, by subject.

mod downloads;
mod forms;
mod invitations;
mod ladder;
mod lessons;
mod page;
mod people;
mod phases;
mod points;
mod programs;

use std::sync::Arc;

use axum::Router;

use super::access::Host;

pub(super) fn routes() -> Router<Arc<Host>> {
    [
        page::routes(),
        phases::routes(),
        ladder::routes(),
        people::routes(),
        invitations::routes(),
        programs::routes(),
        points::routes(),
        downloads::routes(),
        lessons::routes(),
    ]
    .into_iter()
    .fold(Router::new(), Router::merge)
}
