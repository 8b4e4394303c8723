//! Requests to the process that answers a queue of tests, from people at other machines. Requests
//! and answers are texts; what they mean is known only to the two ends. Nothing is kept at the
//! server: where nobody answers, a request fails at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use async_nats::RequestErrorKind;
use async_nats::client::Request;
use futures_util::StreamExt;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::error::format_error;
use crate::nats_client::{Role, is_inbox};
use crate::server::Connection;
use crate::{FleetError, NatsServer};

/// Workers may not send anything to this subject.
const SUBJECT: &str = "quintain.tests";
/// Of several processes that answer one queue, one gets each request.
const GROUP: &str = "queue";
/// A version may have to be built before there is an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How many requests are answered at a time: many, because some wait for others.
const AT_ONCE: usize = 64;
/// How often the process that answers looks whether it is to stop.
const TICK: Duration = Duration::from_millis(200);
/// How long the last answer may take to leave.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Room left for a message's headers below a server's limit.
const HEADERS: usize = 1 << 10;

/// Sends a request to the process that answers the queue of tests at a server, and returns its
/// answer.
///
/// # Errors
/// [`FleetError`] if the server cannot be reached, this user may not send requests, or nobody
/// answers.
pub fn ask_queue(server: &NatsServer, request: &str) -> Result<String, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
    runtime.block_on(async {
        let inbox = server.inbox.as_deref().unwrap_or(Role::Coordinator.inbox());
        let Connection { client, mut forbidden, .. } =
            server.connect("quintain tests", inbox).await?;
        let address = server.to_string();
        let request =
            Request::new().payload(request.to_owned().into()).timeout(Some(ANSWER_TIMEOUT));
        // Forbidden requests are never answered.
        tokio::select! {
            answered = client.send_request(SUBJECT, request) => match answered {
                Ok(message) => Ok(String::from_utf8_lossy(&message.payload).into_owned()),
                Err(error) => Err(match error.kind() {
                    RequestErrorKind::NoResponders => FleetError::NoQueue { address },
                    _ => FleetError::System(format!(
                        "the queue of tests at {address} gives no answer: {}",
                        format_error(&error)
                    )),
                }),
            },
            Ok(problem) = forbidden.wait_for(Option::is_some) => {
                let problem = problem.clone().unwrap_or_default();
                let problem = problem.trim_start_matches("nats: ").to_owned();
                Err(FleetError::forbidden(address, problem))
            }
        }
    })
}

/// Answers requests until `stop` is set, several at a time. `answer` is told how many bytes an
/// answer may have, and may take its time.
///
/// # Errors
/// [`FleetError`] if the server cannot be reached, or does not let this user answer.
pub fn answer_queue(
    server: &NatsServer,
    stop: &AtomicBool,
    answer: impl Fn(&str, usize) -> String + Sync,
) -> Result<(), FleetError> {
    // The connection has a thread of its own, so it stays alive while an answer is sought.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
    let handle = runtime.handle();
    let connected = async {
        let inbox = server.inbox.as_deref().unwrap_or(Role::Coordinator.inbox());
        let Connection { client, .. } = server.connect("quintain tests run", inbox).await?;
        let subscribed = client.queue_subscribe(SUBJECT, GROUP.to_owned()).await;
        Ok((client, subscribed.map_err(|error| FleetError::System(format_error(&error)))?))
    };
    let (client, mut requests) = runtime.block_on(connected)?;
    let room = Arc::new(Semaphore::new(AT_ONCE));
    thread::scope(|scope| {
        runtime.block_on(async {
            while !stop.load(Ordering::Relaxed) {
                let Ok(Ok(place)) = timeout(TICK, Arc::clone(&room).acquire_owned()).await else {
                    continue;
                };
                let Ok(request) = timeout(TICK, requests.next()).await else { continue };
                let Some(request) = request else { break };
                // What a server delivers from a stream asks for an acknowledgement; nobody who may
                // ask has sent it.
                let Some(reply) = request.reply.filter(|reply| is_inbox(reply)) else { continue };
                let (client, answer) = (client.clone(), &answer);
                // While a version is built for one, others hear how far their tests are.
                scope.spawn(move || {
                    let most = client.max_payload().saturating_sub(HEADERS);
                    let said = answer(&String::from_utf8_lossy(&request.payload), most);
                    if let Err(error) = handle.block_on(client.publish(reply, said.into())) {
                        tracing::warn!("an answer is lost: {error}");
                    }
                    drop(place);
                });
            }
        });
    });
    // An answer may still be on its way. A server that is gone takes it no more.
    let _ = runtime.block_on(async { timeout(FLUSH_TIMEOUT, client.flush()).await });
    Ok(())
}
