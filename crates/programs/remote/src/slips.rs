//! The usual mistakes in a set-up: what a refusal most likely means, in a few words that follow
//! the refusal itself.

use ureq::Error;
use ureq::http::{StatusCode, Uri};

use crate::answer::{HttpAnswer, is_overload};

/// What a failed request most likely means; begins with a semicolon, or is empty.
pub(crate) fn explain_error(uri: &Uri, error: &Error) -> String {
    let is_secure = uri.scheme_str() == Some("https");
    let text = error.to_string().to_lowercase();
    let hint = match error {
        Error::HostNotFound => format!("there is no host {}", uri.host().unwrap_or_default()),
        Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names the proxy; list hosts to reach without it \
             in NO_PROXY"
                .to_owned()
        }
        _ if is_secure && lacks_tls(error) => {
            "it speaks no TLS there: write http:// instead of https://".to_owned()
        }
        _ if text.contains("certificate") => {
            "its certificate is not one that a public authority signed for this host; put a proxy \
             with such a certificate before it, or ask it by http:// where nobody listens in"
                .to_owned()
        }
        Error::Protocol(_) if !is_secure => {
            "if it speaks TLS, write https:// instead of http://; if not, the port may be that of \
             another program"
                .to_owned()
        }
        _ if text.contains("refused") => "is the port right, and has it been started?".to_owned(),
        _ => return String::new(),
    };
    format!("; {hint}")
}

/// Whether what answered a request by TLS does not speak it.
pub(crate) fn lacks_tls(error: &Error) -> bool {
    let text = error.to_string().to_lowercase();
    text.contains("invalidcontenttype") || text.contains("corrupt")
}

/// What a status other than 200 most likely means; begins with a semicolon, or is empty.
pub(crate) fn explain_status(
    uri: &Uri,
    status: StatusCode,
    text: &str,
    location: Option<&str>,
) -> String {
    let text = text.to_lowercase();
    let hint = match status {
        _ if text.contains("https port") || text.contains("http request to an https") => {
            "it speaks TLS there: write https:// instead of http://".to_owned()
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            format!("is the path {} right, and the port that of the service?", uri.path())
        }
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            "that is the proxy of HTTPS_PROXY or HTTP_PROXY; it wants a name and a password in \
             its address, or list the host in NO_PROXY"
                .to_owned()
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "it wants a key, or another one: key_from_env or header_from_env in bots.toml names \
             the variable that holds it"
                .to_owned()
        }
        status if status.is_redirection() => {
            let to = location.map_or(String::new(), |to| format!(", {to}"));
            format!("redirections are not followed: write the address that it leads to{to}")
        }
        _ => return String::new(),
    };
    format!("; {hint}")
}

/// Whether a refusal means that the account is empty, rather than that it was asked too often: many
/// endpoints call their limits of questions a minute a quota, too.
pub(crate) fn is_out_of_credit(answer: &HttpAnswer) -> bool {
    let low = answer.text.to_lowercase();
    let has = |word: &str| low.contains(word);
    answer.status == StatusCode::PAYMENT_REQUIRED
        || has("insufficient_quota")
        || answer.retry_after.is_none() && (has("billing") || has("payment required"))
}

/// What an endpoint's refusal of a chat most likely means; begins with a semicolon, or is empty.
pub(crate) fn explain_refusal(uri: &Uri, answer: &HttpAnswer, model: &str) -> String {
    let HttpAnswer { status, text, location, .. } = answer;
    let (status, low) = (*status, text.to_lowercase());
    let has = |words: &[&str]| words.iter().any(|word| low.contains(word));
    let hint = if is_out_of_credit(answer) {
        "the account has no credit left".to_owned()
    } else if is_overload(status) {
        return String::new();
    } else if has(&["response_format", "json_object", "json mode"]) {
        "this endpoint has no JSON mode: write reply = \"line\" in bots.toml".to_owned()
    } else if has(&["context length", "context_length", "context size", "context window"])
        || has(&["maximum context", "too many tokens", "prompt is too long"])
        || status == StatusCode::PAYLOAD_TOO_LARGE
    {
        "the question is longer than the model's context: serve the model with a longer one, or \
         shorten the prompt (turns = 0, or a prompt file of your own)"
            .to_owned()
    } else if status == StatusCode::NOT_FOUND && low.contains("model") {
        format!("the endpoint knows no model “{model}”: is the name right?")
    } else if matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
        let path = uri.path();
        format!(
            "is the path {path} right? Most endpoints have theirs at /v1/chat/completions, and \
             url = \"http://HOST:PORT/v1\" leads there"
        )
    } else if has(&["max_tokens", "temperature", "unsupported parameter", "unsupported value"])
        || has(&["unrecognized request argument", "extra_forbidden"])
    {
        "options in bots.toml has a field that this model does not take".to_owned()
    } else {
        return explain_status(uri, status, text, location.as_deref());
    };
    format!("; {hint}")
}

/// What an answer with status 200 that is no completion most likely is; begins with a semicolon,
/// or is empty.
pub(crate) fn explain_body(text: &str) -> &'static str {
    let start = text.trim_start();
    if start.starts_with('<') {
        "; that is a page: is the address that of the API?"
    } else if start.starts_with("data:") {
        "; it streams: leave stream out of options"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: StatusCode, text: &str) -> HttpAnswer {
        HttpAnswer { status, retry_after: None, location: None, text: text.to_owned() }
    }

    #[test]
    fn refusals_are_explained() {
        let uri: Uri = "http://127.0.0.1:9/api".parse().unwrap();
        for (status, text, hint) in [
            (400, "'response_format' is not supported", "reply = \"line\""),
            (400, "This model's maximum context length is 2048", "turns = 0"),
            (413, "", "turns = 0"),
            (429, "insufficient_quota", "no credit"),
            (404, "The model `x` does not exist", "no model “mini”"),
            (404, "404 page not found", "is the path /api right?"),
            (405, "", "/v1/chat/completions"),
            (400, "Unsupported parameter: 'max_tokens'", "options in bots.toml"),
            (401, "no key", "key_from_env"),
            (403, "", "key_from_env"),
            (407, "", "NO_PROXY"),
            (301, "", "redirections are not followed"),
            (400, "The plain HTTP request was sent to HTTPS port", "https:// instead"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let said = explain_refusal(&uri, &answer(status, text), "mini");
            assert!(said.starts_with("; ") && said.contains(hint), "{status} {text}: {said}");
        }
        assert_eq!(explain_refusal(&uri, &answer(StatusCode::BAD_REQUEST, "no"), "mini"), "");
        let location = Some("https://b.example/v1".to_owned());
        let moved = HttpAnswer { location, ..answer(StatusCode::FOUND, "") };
        assert!(explain_refusal(&uri, &moved, "mini").ends_with("leads to, https://b.example/v1"));
        assert!(explain_body("<!doctype html>").contains("a page"));
        assert!(explain_body("data: {}").contains("stream"));
        assert_eq!(explain_body("{}"), "");
    }

    #[test]
    fn an_empty_account_is_told_from_a_limit_of_questions_a_minute() {
        let often = StatusCode::TOO_MANY_REQUESTS;
        let soon = Some(std::time::Duration::from_secs(1));
        let minute = "Quota exceeded for quota metric 'Generate Content API requests per minute'";
        let plan = "You exceeded your current quota, please check your plan and billing details.";
        for (status, text, retry_after, is_empty) in [
            (often, minute, soon, false),
            (often, minute, None, false),
            (often, plan, soon, false),
            (often, plan, None, true),
            (often, "{\"code\": \"insufficient_quota\"}", soon, true),
            (StatusCode::PAYMENT_REQUIRED, "", None, true),
            (often, "maximum context: too many tokens a minute", None, false),
        ] {
            let answer = HttpAnswer { retry_after, ..answer(status, text) };
            assert_eq!(is_out_of_credit(&answer), is_empty, "{status} {text}");
            let uri: Uri = "http://127.0.0.1:9/api".parse().unwrap();
            assert_eq!(explain_refusal(&uri, &answer, "mini").is_empty(), !is_empty, "{text}");
        }
    }

    #[test]
    fn failed_requests_are_explained() {
        let plain: Uri = "http://nohost.example:9/".parse().unwrap();
        let secure: Uri = "https://nohost.example:9/".parse().unwrap();
        let io = |text: &str| Error::Io(std::io::Error::other(text.to_owned()));
        for (uri, error, hint) in [
            (&plain, Error::HostNotFound, "no host nohost.example"),
            (&secure, Error::ConnectProxyFailed("502".to_owned()), "NO_PROXY"),
            (&secure, io("received corrupt message of type InvalidContentType"), "http:// instead"),
            (&secure, io("invalid peer certificate: UnknownIssuer"), "public authority"),
            (&plain, io("Connection refused"), "is the port right"),
        ] {
            let said = explain_error(uri, &error);
            assert!(said.contains(hint), "{error}: {said}");
        }
        assert_eq!(explain_error(&plain, &io("odd")), "");
    }
}
