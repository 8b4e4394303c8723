//! What can go wrong between machines, one clear line each.

/// Work that cannot be handed out or taken on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FleetError {
    /// The address names no server.
    #[error(
        "“{text}” is no address of a NATS server: {problem}; expected nats://HOST:PORT or \
         tls://HOST:PORT, several joined by commas"
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
    /// Nobody answers there.
    #[error("no NATS server answers at {address}: {problem}; is `nats-server -js` running there?")]
    Unreachable {
        /// The address.
        address: String,
        /// What the system says.
        problem: String,
    },
    /// The server does not let us in.
    #[error(
        "the NATS server at {address} refuses us: {problem}; see --creds and the user in its URL"
    )]
    Refused {
        /// The address.
        address: String,
        /// What the server says.
        problem: String,
    },
    /// The server keeps no streams.
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
    /// Somebody else coordinates this tournament now.
    #[error(
        "another coordinator has taken over this tournament ({0}); what this one has stored is \
         safe"
    )]
    TakenOver(String),
    /// The system gives no thread or no runtime.
    #[error("{0}")]
    System(String),
}
