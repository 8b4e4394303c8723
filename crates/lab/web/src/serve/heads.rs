//! The heads of pages: handlers return a [`Page`] without one, and the head for the visitor is
//! added to the response here, whichever part of the site the page belongs to.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use futures_util::future::BoxFuture;

use crate::pages::{Head, Links, Page};

/// Returns the head of a page for whoever sends a request with these headers.
pub type HeadFor = Arc<dyn Fn(HeaderMap) -> BoxFuture<'static, Head> + Send + Sync>;

/// Returns the same head for everybody.
pub(super) fn always(links: Links) -> HeadFor {
    Arc::new(move |_| Box::pin(std::future::ready(Head::from(links))))
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = Html(String::new()).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Adds their heads to pages.
pub(super) async fn add(State(head): State<HeadFor>, request: Request, next: Next) -> Response {
    let headers = request.headers().clone();
    let mut response = next.run(request).await;
    if let Some(page) = response.extensions_mut().remove::<Page>() {
        let head = head(headers).await;
        response.headers_mut().remove(CONTENT_LENGTH);
        // The head may name the visitor, so a cache that many share must not keep the page.
        let private = HeaderValue::from_static("private, no-cache");
        response.headers_mut().entry(CACHE_CONTROL).or_insert(private);
        *response.body_mut() = Body::from(page.with(&head).into_string());
    }
    response
}
