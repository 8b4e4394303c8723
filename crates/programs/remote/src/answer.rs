//! What the other side answers.

use std::time::Duration;

use ureq::http::StatusCode;

/// What came back.
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    /// How long to wait before asking again, if the other side says so.
    pub(crate) retry_after: Option<Duration>,
    /// Where the answer is instead, if it is a redirection.
    pub(crate) location: Option<String>,
    pub(crate) text: String,
}

/// Whether a status says that the same question may be answered later.
pub(crate) fn is_overload(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}
