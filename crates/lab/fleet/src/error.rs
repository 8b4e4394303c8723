//! The errors of a fleet; each is one line for the user.

/// Why work cannot be handed out or taken on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The text is not the address of a server.
    #[error(
        "“{text}” is not the address of a NATS server: {problem}; expected nats://HOST:PORT or \
         tls://HOST:PORT, or several of them, joined by commas"
    )]
    Address {
        /// What was given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of credentials or certificates cannot be used.
    #[error("{file}: {problem}")]
    Credentials {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No server answers at the address.
    #[error("no NATS server answers at {address}: {problem}; is nats-server running there?")]
    Unreachable {
        /// The address.
        address: String,
        /// What the system says.
        problem: String,
    },
    /// The server refuses the client's credentials.
    #[error(
        "the NATS server at {address} refuses the login: {problem}; see --creds, --user and \
         --password-file"
    )]
    Refused {
        /// The address.
        address: String,
        /// What the server says.
        problem: String,
    },
    /// Server and client do not agree on encryption or certificates.
    #[error(
        "TLS with the NATS server at {address} fails: {problem}; see --ca for whom to trust, and \
         --cert and --key if the server asks for a client certificate"
    )]
    Tls {
        /// The address.
        address: String,
        /// What is wrong.
        problem: String,
    },
    /// The server knows this user, who may not do what is needed.
    #[error(
        "the server at {address} does not let this user do that; coordinators, and those who list \
         workers or ask the queue of tests, need another user (--user) than workers (-v shows what \
         the server says)"
    )]
    Forbidden {
        /// The address.
        address: String,
        /// What the server says.
        problem: String,
    },
    /// Nobody answers a queue of tests there.
    #[error(
        "nobody answers tests at {address}; on the machine that has the queue, start `quintain \
         tests run --stay --on {address}`"
    )]
    NoQueue {
        /// The address.
        address: String,
    },
    /// There are no streams yet, and this user may not create them.
    #[error(
        "no tournament has been handed out at {address} yet, and this user may not prepare the \
         server; start a coordinator: `quintain tournament FILE --on {address}`."
    )]
    NothingYet {
        /// The address.
        address: String,
    },
    /// The server has no JetStream, or refuses to create streams.
    #[error(
        "the NATS server at {address} cannot keep streams: {problem}; start it with JetStream: \
         `nats-server -js`"
    )]
    NoStreams {
        /// The address.
        address: String,
        /// What the server says.
        problem: String,
    },
    /// The server has no room for streams and messages.
    #[error(
        "the NATS server at {address} has no room left: {problem}; free space on its disk, or \
         raise its max_file_store"
    )]
    NoRoom {
        /// The address.
        address: String,
        /// What the server says.
        problem: String,
    },
    /// Another coordinator has taken over the tournament; holds who, or why.
    #[error(
        "another coordinator has taken over this tournament ({0}); what this one has stored is \
         safe"
    )]
    TakenOver(String),
    /// A part of a worker has ended, which no other replaces; holds why.
    #[error("a part of this worker has failed ({0}); start it again")]
    WorkerBroken(String),
    /// The system provides no threads or no async runtime.
    #[error("{0}")]
    System(String),
}

impl FleetError {
    /// The server does not let this user do something. What it says names its own subjects, which
    /// tells people nothing.
    pub(crate) fn forbidden(address: String, problem: String) -> FleetError {
        tracing::info!("the server at {address} says: {problem}");
        FleetError::Forbidden { address, problem }
    }

    /// The server cannot keep streams, for this reason.
    pub(crate) fn no_streams(address: String, problem: String) -> FleetError {
        match is_full(&problem) {
            true => FleetError::NoRoom { address, problem },
            false => FleetError::NoStreams { address, problem },
        }
    }
}

/// The text of an error and of its causes, on one line.
pub(crate) fn format_error(error: &(dyn std::error::Error + 'static)) -> String {
    let text = error.to_string();
    match error.source() {
        Some(source) if !text.contains(&source.to_string()) => {
            format!("{text}: {}", format_error(source))
        }
        _ => text,
    }
}

/// What servers say when they have no room: on a full disk, and at their own limits.
const FULL: [&str; 4] = [
    "no space left on device",
    "insufficient resources",
    "insufficient storage resources",
    "maximum bytes exceeded",
];

/// Whether a server's complaint is that it has no room.
pub(crate) fn is_full(problem: &str) -> bool {
    FULL.iter().any(|words| problem.contains(words))
}
