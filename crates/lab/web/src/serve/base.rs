//! A site below a path: `https://example.org/tron/` in place of `https://example.org/`. Requests
//! lose the path on their way in; on the way out, links of pages and redirects get it. Everything
//! between knows only addresses from `/` on.

use std::fmt;
use std::str::FromStr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use axum::http::uri::{PathAndQuery, Uri};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

/// The path below which a site is: empty, or such as `/tron`, without a slash at its end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Base(String);

/// A path below which no site can be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a path of letters, digits, - and _, such as /tron or /cups/tron, not {0:?}")]
pub struct BaseError(String);

impl FromStr for Base {
    type Err = BaseError;

    fn from_str(text: &str) -> Result<Base, BaseError> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_plain = |part: &str| {
            let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
            !part.is_empty() && part.chars().all(is_sign)
        };
        let is_base = path.is_empty()
            || path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_plain));
        is_base.then(|| Base(path.to_owned())).ok_or_else(|| BaseError(text.to_owned()))
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Base {
    /// Returns the path of the site's first page.
    pub fn first_page(&self) -> &str {
        if self.0.is_empty() { "/" } else { &self.0 }
    }

    /// Returns the path of a request without the base. A proxy may also have removed it already.
    fn strip<'a>(&self, path: &'a str) -> &'a str {
        match path.strip_prefix(&self.0) {
            Some("") => "/",
            Some(rest) if rest.starts_with('/') => rest,
            _ => path,
        }
    }

    /// Returns a page whose links, forms and pictures lead below the base. Markup has a quotation
    /// mark only at the ends of attributes: in text and within attributes it is escaped.
    fn root(&self, page: &str) -> String {
        let mut rooted = page.to_owned();
        for attribute in ATTRIBUTES {
            let [from, to] = ["", &self.0].map(|base| format!(" {attribute}=\"{base}/"));
            rooted = rooted.replace(&from, &to);
        }
        rooted.replacen("<html ", &format!("<html data-base=\"{}\" ", self.0), 1)
    }
}

/// The attributes with addresses.
const ATTRIBUTES: [&str; 7] =
    ["href", "src", "action", "data-replay", "data-part", "data-events", "data-live"];
/// Maximum size of a page.
const PAGE: usize = 64 << 20;

/// Returns a site below a path.
pub(super) fn below(base: Base, site: Router) -> Router {
    match base.0.is_empty() {
        true => site,
        false => Router::new().fallback_service(site).layer(from_fn_with_state(base, move_below)),
    }
}

async fn move_below(State(base): State<Base>, mut request: Request, next: Next) -> Response {
    if let Some(inner) = inner_address(&base, request.uri()) {
        *request.uri_mut() = inner;
    }
    let mut response = next.run(request).await;
    if let Some(moved) = moved(&base, response.headers()) {
        response.headers_mut().insert(LOCATION, moved);
    }
    if !is_page(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Pages are made as a whole before they are sent.
    let page = to_bytes(body, PAGE).await.unwrap_or_default();
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(base.root(&String::from_utf8_lossy(&page))))
}

/// Returns where a redirect within the site leads.
fn moved(base: &Base, headers: &HeaderMap) -> Option<HeaderValue> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let is_within = location.starts_with('/') && !location.starts_with("//");
    HeaderValue::from_str(&format!("{base}{location}")).ok().filter(|_| is_within)
}

/// Returns whether a response is a page or a part of one, rather than a file to be saved.
fn is_page(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
        && !headers.contains_key(CONTENT_DISPOSITION)
}

/// Returns the address of a request without the base.
fn inner_address(base: &Base, uri: &Uri) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    let path = base.strip(uri.path());
    let all = uri.query().map_or(path.to_owned(), |query| format!("{path}?{query}"));
    parts.path_and_query = Some(PathAndQuery::try_from(all).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_a_plain_path() {
        for (text, base) in
            [("", ""), ("/", ""), ("/tron", "/tron"), ("/cups/tron_2/", "/cups/tron_2")]
        {
            assert_eq!(text.parse(), Ok(Base(base.to_owned())), "{text}");
        }
        for text in ["tron", "//", "/a//b", "/a b", "/a\"b", "/..", "https://example.org/tron"] {
            assert!(text.parse::<Base>().is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_lose_the_base_only_as_a_whole() {
        let base = Base("/tron".to_owned());
        let inner = |at: &str| inner_address(&base, &at.parse().unwrap()).unwrap().to_string();
        for (at, within) in [
            ("/tron", "/"),
            ("/tron/", "/"),
            ("/tron?a=1", "/?a=1"),
            ("/tron/me?again=2", "/me?again=2"),
            ("/tronics", "/tronics"),
            ("/me", "/me"),
        ] {
            assert_eq!(inner(at), within, "{at}");
        }
    }

    #[test]
    fn links_lead_below_the_base_and_text_stays() {
        let base = Base("/tron".to_owned());
        let page = "<html lang=\"en\"><a href=\"/me\">href=&quot;/me</a><a href=\"#x\"></a>\
                    <form method=\"post\" action=\"/sign-out\"></form>";
        let rooted = "<html data-base=\"/tron\" lang=\"en\"><a href=\"/tron/me\">\
                      href=&quot;/me</a><a href=\"#x\"></a>\
                      <form method=\"post\" action=\"/tron/sign-out\"></form>";
        assert_eq!(base.root(page), rooted);
    }
}
