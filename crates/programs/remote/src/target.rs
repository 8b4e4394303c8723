//! Where requests go, and what each of them has: an address, headers, and words that must be shown
//! nowhere.

use std::collections::BTreeMap;
use std::env::VarError;
use std::net::{TcpStream, ToSocketAddrs};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue, Uri};

use crate::slips::lacks_tls;

/// How long a service on this machine may take to accept a connection before anything is played.
const CONNECT: Duration = Duration::from_secs(5);
/// Connections to one service that are kept for later questions.
const KEPT: usize = 16;
/// The shortest part of a header that counts as a secret: shorter ones occur in any text.
const SECRET: usize = 4;
/// A word of letters and digits with this many is a key, not a name.
const LONG_KEY: usize = 20;
/// Words before a key in a header, which are no secrets.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// What stands in place of a secret.
const REDACTED: &str = "(secret)";

/// An address, and what every request to it has.
pub(crate) struct Target {
    pub(crate) agent: Agent,
    pub(crate) uri: Uri,
    /// Headers of every request, which may be secret: they appear in no message.
    pub(crate) headers: Vec<(String, String)>,
    secrets: Vec<String>,
    /// Set once the host was found.
    found: OnceLock<()>,
}

impl Target {
    /// A target at this address, with headers from environment variables.
    ///
    /// # Errors
    /// What is wrong with the address or with a header.
    pub(crate) fn new(
        url: &str,
        header_from_env: &BTreeMap<String, String>,
    ) -> Result<Target, String> {
        check_address(url)?;
        let expected = || format!("“{url}”: expected an address, such as http://127.0.0.1:9000");
        let uri: Uri = url.parse().map_err(|_| expected())?;
        let scheme = uri.scheme_str().unwrap_or_default();
        if !matches!(scheme, "http" | "https") || uri.host().is_none_or(str::is_empty) {
            return Err(expected());
        }
        let agent = agent(&uri);
        let (headers, secrets, found) = (Vec::new(), Vec::new(), OnceLock::new());
        let mut target = Target { agent, uri, headers, secrets, found };
        for (name, variable) in header_from_env {
            let value = read_variable(variable, &format!("the header {name}"))?;
            target.add_header(name, value, variable)?;
        }
        Ok(target)
    }

    /// Adds a header whose value came from this variable.
    ///
    /// # Errors
    /// If it is no header.
    pub(crate) fn add_header(
        &mut self,
        name: &str,
        value: String,
        variable: &str,
    ) -> Result<(), String> {
        let is_header = name.parse::<HeaderName>().is_ok() && HeaderValue::from_str(&value).is_ok();
        if !is_header {
            return Err(format!("{name}, with the value of {variable}, is not a header"));
        }
        let is_secret = |word: &&str| {
            word.len() >= SECRET && !SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known))
        };
        self.secrets.extend(value.split_whitespace().filter(is_secret).map(str::to_owned));
        self.headers.push((name.to_owned(), value));
        Ok(())
    }

    /// A text without the secrets that it repeats: some services quote a key that they refuse. It
    /// may be JSON, or an address, and so may texts within it; a secret is found in any of them.
    pub(crate) fn redact(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| {
            let text = text.replace(secret, REDACTED);
            match text.contains(['\\', '%']) {
                true => redact_escaped(&text, secret),
                false => text,
            }
        })
    }

    /// The address of something below this one.
    ///
    /// # Errors
    /// If that is no address.
    pub(crate) fn below(&self, name: &str) -> Result<Uri, String> {
        let (scheme, path) = (self.uri.scheme_str().unwrap_or("http"), self.uri.path());
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        let text = format!("{scheme}://{authority}{}/{name}", path.trim_end_matches('/'));
        text.parse().map_err(|_| format!("“{text}” is no address"))
    }

    /// The proxy through which it is asked, as host and port.
    pub(crate) fn proxy(&self) -> Option<String> {
        let proxy = self.agent.config().proxy().filter(|proxy| !proxy.is_no_proxy(&self.uri))?;
        Some(format!("{}:{}", proxy.host(), proxy.port()))
    }

    /// Checks that something listens at an address of this machine, or that there is such another
    /// machine. What is behind a proxy is not looked for.
    ///
    /// # Errors
    /// If it is not there.
    pub(crate) fn check(&self) -> Result<(), String> {
        let uri = &self.uri;
        let is_secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let found = || (host, port).to_socket_addrs().into_iter().flatten();
        if !is_local(uri) {
            let is_found = self.found.get().is_some() || self.proxy().is_some();
            if !is_found && found().next().is_none() {
                return Err(format!("there is no host {host}: is its name right?"));
            }
            let _ = self.found.set(());
            return Ok(());
        }
        let mut tried = found().map(|address| TcpStream::connect_timeout(&address, CONNECT));
        if !tried.any(|connected| connected.is_ok()) {
            return Err(format!("nothing listens at {host}:{port}; start the service first"));
        }
        if is_secure && self.found.get().is_none() {
            let request = self.agent.head(uri).config().timeout_global(Some(CONNECT)).build();
            if request.call().is_err_and(|error| lacks_tls(&error)) {
                let problem = "speaks no TLS: write http:// instead of https://";
                return Err(format!("what listens at {host}:{port} {problem}"));
            }
            let _ = self.found.set(());
        }
        Ok(())
    }
}

/// Checks the form of an address as its owner wrote it.
///
/// # Errors
/// What is wrong with it. A name and a password in it are not repeated.
pub(crate) fn check_address(url: &str) -> Result<(), String> {
    let Some((_, rest)) = url.split_once("://") else {
        return Err(match url.trim().is_empty() || url.contains(char::is_whitespace) {
            true => format!("“{url}”: expected an address, such as http://127.0.0.1:9000"),
            false => format!("“{url}”: http:// is missing; write http://{url}"),
        });
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match host.contains('@') {
        true => Err("the address has a name and a password, which everybody would see; write it \
                     without them, and header_from_env = { Authorization = \"VARIABLE\" }, where \
                     the variable holds “Basic …”"
            .to_owned()),
        false => Ok(()),
    }
}

/// Whether a text can be the name of an environment variable, rather than the secret itself, which
/// must not be repeated.
fn is_variable(text: &str) -> bool {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    let is_like_a_key = text.len() >= LONG_KEY
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && !text.contains('_');
    is_word && !is_like_a_key
}

/// A text without a secret some of whose characters may be escaped: `\u0073k-1\/2`, `sk-1%2F2`.
fn redact_escaped(text: &str, secret: &str) -> String {
    let signs = read_escaped(text);
    let secret: Vec<char> = secret.chars().collect();
    let (mut redacted, mut from, mut at) = (String::new(), 0, 0);
    while at + secret.len() <= signs.len() {
        let found = &signs[at..at + secret.len()];
        if found.iter().map(|(sign, _)| *sign).ne(secret.iter().copied()) {
            at += 1;
            continue;
        }
        redacted.push_str(&text[from..found[0].1.start]);
        redacted.push_str(REDACTED);
        from = found[secret.len() - 1].1.end;
        at += secret.len();
    }
    redacted + &text[from..]
}

/// The characters of a text and where each is written, with the escapes of JSON and of addresses
/// read. A text of JSON within another has more backslashes before each escape.
fn read_escaped(text: &str) -> Vec<(char, Range<usize>)> {
    let hexadecimal = |digits: Option<&str>| u32::from_str_radix(digits?, 16).ok();
    let (mut signs, mut at) = (Vec::new(), 0);
    while let Some(sign) = text[at..].chars().next() {
        let slashes = text[at..].len() - text[at..].trim_start_matches('\\').len();
        let next = at + slashes;
        let read = match (sign, text[next..].chars().next()) {
            // Without four digits, the backslashes before it are read as one, and none is looked at
            // twice: a service could send a million of them.
            ('\\', Some('u')) => {
                Some(hexadecimal(text.get(next + 1..next + 5)).map_or((sign, next), |number| {
                    (char::from_u32(number).unwrap_or('\u{fffd}'), next + 5)
                }))
            }
            ('\\', Some(escaped @ ('/' | '"'))) => Some((escaped, next + 1)),
            ('\\', _) => Some((sign, next)),
            ('%', _) => hexadecimal(text.get(at + 1..at + 3))
                .and_then(|number| Some((char::from_u32(number)?, at + 3))),
            _ => None,
        };
        let (sign, end) = read.unwrap_or((sign, at + sign.len_utf8()));
        signs.push((sign, at..end));
        at = end;
    }
    signs
}

/// Reads an environment variable that is meant for something.
pub(crate) fn read_variable(variable: &str, meant_for: &str) -> Result<String, String> {
    if !is_variable(variable) {
        return Err(format!(
            "for {meant_for}, expected the name of an environment variable, such as MODEL_KEY; the \
             secret itself stands in no file: export MODEL_KEY=…"
        ));
    }
    let problem = match std::env::var(variable) {
        Ok(value) if value.trim().is_empty() => "is empty",
        Ok(value) => return Ok(value),
        Err(VarError::NotPresent) => "is not set",
        Err(VarError::NotUnicode(_)) => "is no text",
    };
    Err(format!("the environment variable {variable}, for {meant_for}, {problem}"))
}

/// Makes the agent that asks a service and keeps its connections. A service on this machine is
/// never asked through a proxy.
fn agent(uri: &Uri) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_idle_connections_per_host(KEPT)
        .user_agent(concat!("quintain/", env!("CARGO_PKG_VERSION")));
    let config = if is_local(uri) { config.proxy(None) } else { config };
    config.build().into()
}

/// Whether an address is on this machine.
pub(crate) fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_refused_with_what_is_wrong_and_without_passwords() {
        for (url, said) in [
            ("127.0.0.1:8080/v1", "“127.0.0.1:8080/v1”: http:// is missing"),
            ("", "expected an address"),
            ("http://ada:hunter2@127.0.0.1:9/v1", "a name and a password"),
        ] {
            let refused = check_address(url).unwrap_err();
            assert!(refused.contains(said) && !refused.contains("hunter2"), "{refused}");
        }
        check_address("http://127.0.0.1:8080/v1?a=b@c").unwrap();
    }

    #[test]
    fn what_speaks_no_tls_is_refused_at_an_address_with_https() {
        use std::io::{Read, Write};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if stream.read(&mut [0; 512]).is_ok_and(|count| count > 0) {
                    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
                }
            }
        });
        let refused = Target::new(&url, &BTreeMap::new()).unwrap().check().unwrap_err();
        assert!(refused.contains("write http:// instead of https://"), "{refused}");
    }

    #[test]
    fn a_host_that_is_not_there_is_refused() {
        let target = Target::new("http://no-such-host.invalid/v1", &BTreeMap::new()).unwrap();
        if target.proxy().is_none() {
            let refused = target.check().unwrap_err();
            assert!(refused.contains("there is no host no-such-host.invalid"), "{refused}");
        }
    }

    #[test]
    fn only_addresses_of_this_machine_are_local() {
        for url in ["http://127.0.0.1:9000", "http://localhost/x", "http://[::1]:80/"] {
            assert!(is_local(&url.parse().unwrap()), "{url}");
        }
        for url in ["http://127.example.org:9000", "https://example.org", "nonsense"] {
            assert!(!is_local(&url.parse().unwrap()), "{url}");
        }
    }

    #[test]
    fn a_key_where_a_name_belongs_is_not_repeated() {
        for key in ["sk-0123456789", "Bearer abc", "hf0a1b2c3d4e5f60718293", "a.b"] {
            let refused = read_variable(key, "the key").unwrap_err();
            assert!(!refused.contains(key) && refused.contains("the name of"), "{refused}");
        }
        for name in ["MODEL_KEY", "OPENAI_API_KEY2", "key", "my_key_for_the_model_1"] {
            assert!(is_variable(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_taken_out_however_they_are_escaped() {
        let mut target = Target::new("http://127.0.0.1:9", &BTreeMap::new()).unwrap();
        target.add_header("Authorization", "Bearer sk-1/2345".to_owned(), "KEY").unwrap();
        let escaped: String =
            "sk-1/2345".chars().map(|sign| format!("\\u{:04x}", u32::from(sign))).collect();
        for written in [
            "sk-1/2345",
            r"sk-1\/2345",
            &escaped,
            // JSON in a text of JSON.
            &escaped.replace('\\', r"\\"),
            r"s\u006B-1\\\/2345",
            "sk-1%2f2345",
        ] {
            let text = format!("{{\"auth\":\"Bearer {written} \\n\"}} 5 % \\u00 é");
            let expected = text.replace(written, "(secret)");
            assert_eq!(target.redact(text), expected, "{written}");
        }
        let other = r"\ud83d %zz \u sk-1\\2345 \".to_owned();
        assert_eq!(target.redact(other.clone()), other);
    }

    /// This took half an hour when every backslash was counted from every other.
    #[test]
    fn a_megabyte_of_escapes_that_are_none_is_read_once() {
        let mut target = Target::new("http://127.0.0.1:9", &BTreeMap::new()).unwrap();
        target.add_header("Authorization", "Bearer sk-1/2345".to_owned(), "KEY").unwrap();
        let slashes = "\\".repeat(1 << 20);
        for end in ["uzz", "u", "x", "", "u0073k-1/2345"] {
            let redacted = target.redact(format!("{slashes}{end}"));
            assert!(!redacted.contains("2345"), "{end}");
        }
    }

    #[test]
    fn secrets_are_taken_out_of_texts() {
        let mut target = Target::new("http://127.0.0.1:9", &BTreeMap::new()).unwrap();
        target.add_header("Authorization", "Bearer sk-12345".to_owned(), "KEY").unwrap();
        let text = target.redact("wrong key sk-12345 for Bearer".to_owned());
        assert_eq!(text, "wrong key (secret) for Bearer");
        let error = target.add_header("X Y", "v".to_owned(), "KEY").unwrap_err();
        assert_eq!(error, "X Y, with the value of KEY, is not a header");
    }
}
