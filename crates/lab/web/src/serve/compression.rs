//! Compresses pages, scripts, style sheets and data for clients that accept it.

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::standalone::gzip;

/// The sizes in bytes that are compressed: less is not worth it, more would take too long.
const SIZES: std::ops::RangeInclusive<u64> = 1000..=4_000_000;

/// What is text. Streams of events are not listed: nothing of them may be held back.
const TEXT: [&str; 6] =
    ["text/html", "text/css", "text/javascript", "text/csv", "application/json", "image/svg+xml"];

/// Compresses the body of a response if it is text of known size.
pub(super) async fn add(request: Request, next: Next) -> Response {
    let is_accepted = accepts_gzip(request.headers());
    let response = next.run(request).await;
    let headers = response.headers();
    let has_size = response.body().size_hint().exact().is_some_and(|size| SIZES.contains(&size));
    if !has_size || !is_text(headers) || headers.contains_key(CONTENT_ENCODING) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    if !is_accepted {
        return Response::from_parts(parts, body);
    }
    let Ok(bytes) = to_bytes(body, *SIZES.end() as usize).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(parts, Body::from(gzip(&bytes)))
}

/// Whether a client accepts gzip; `gzip;q=0` refuses it.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight != Some(0.0)
    })
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    TEXT.contains(&kind.split(';').next().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_accepted_only_if_it_is_named_with_a_weight() {
        for (value, accepted) in [
            ("gzip", true),
            ("br, GZip;q=0.5", true),
            ("gzip;q=0", false),
            ("br, deflate", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(accepts_gzip(&headers), accepted, "{value}");
        }
    }
}
