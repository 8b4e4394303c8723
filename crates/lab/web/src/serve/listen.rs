//! Connections: how many there may be, and how long they may be idle.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

use super::limits::{Allowance, Limits, Pace, client};

/// Size of a connection's buffer in bytes, which limits a request's header.
const BUFFER: usize = 64 << 10;
/// How long to wait after the system was out of sockets.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// Answers all connections for as long as it is polled. Behind a proxy of this machine, all
/// connections come from the proxy, on behalf of clients whose addresses it reports.
pub(super) async fn accept(
    listener: TcpListener,
    app: Router,
    limits: Limits,
    is_behind_proxy: bool,
) {
    let open = Open::new(match is_behind_proxy {
        true => Allowance { each: limits.connections.all, ..limits.connections },
        false => limits.connections,
    });
    loop {
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // An aborted connection needs no wait; any other error is a lack of sockets.
                let broken = [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset];
                if !broken.contains(&error.kind()) {
                    sleep(EXHAUSTED).await;
                }
                continue;
            }
        };
        // Without a place there is no answer: a client with too many connections would not read it.
        let Some(connection) = open.add(from.ip()) else { continue };
        let (app, limits) = (app.clone(), limits.clone());
        tokio::spawn(async move {
            let entry = Arc::clone(&connection.entry);
            let answered = answer(stream, (from, is_behind_proxy), app, &limits, &entry);
            tokio::select! {
                // It is the client's affair if a connection breaks.
                _ = answered => {}
                () = entry.closed.notified() => {}
            }
            drop(connection);
        });
    }
}

/// The open connections. Where all places are taken, one of the client with the most makes room for
/// a client that has fewer: if possible one that waits for its client. One with a request counts
/// too, since the request may wait for a body that never comes.
struct Open {
    share: Allowance,
    connections: Mutex<Vec<Arc<Entry>>>,
}

/// An open connection.
struct Entry {
    client: IpAddr,
    state: Mutex<ConnectionState>,
    closed: Notify,
}

struct ConnectionState {
    /// Number of requests being answered.
    requests: usize,
    /// Since when there is none.
    waits_since: Instant,
    is_closing: bool,
}

/// An open connection, which counts until this is dropped.
struct Connection {
    open: Arc<Open>,
    entry: Arc<Entry>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.open.connections).retain(|other| !Arc::ptr_eq(other, &self.entry));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Open {
    fn new(share: Allowance) -> Arc<Open> {
        Arc::new(Open { share, connections: Mutex::default() })
    }

    /// Adds a connection from this address, unless there are too many.
    fn add(self: &Arc<Open>, address: IpAddr) -> Option<Connection> {
        let client = client(address);
        let mut connections = lock(&self.connections);
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        let mut all = 0;
        for entry in connections.iter().filter(|entry| !lock(&entry.state).is_closing) {
            *counts.entry(entry.client).or_default() += 1;
            all += 1;
        }
        let own = counts.get(&client).copied().unwrap_or(0);
        if own >= self.share.each {
            return None;
        }
        if all >= self.share.all {
            let greedy = connections.iter().filter_map(|entry| {
                let state = lock(&entry.state);
                let count = counts.get(&entry.client).copied().unwrap_or(0);
                let can_close = !state.is_closing && count > own;
                let order = (Reverse(count), state.requests > 0, state.waits_since);
                can_close.then_some((order, entry))
            });
            let (_, entry) = greedy.min_by_key(|(order, _)| *order)?;
            lock(&entry.state).is_closing = true;
            entry.closed.notify_one();
        }
        let state = ConnectionState { requests: 0, waits_since: Instant::now(), is_closing: false };
        let entry = Arc::new(Entry { client, state: Mutex::new(state), closed: Notify::new() });
        connections.push(Arc::clone(&entry));
        Some(Connection { open: Arc::clone(self), entry })
    }
}

/// A request that is being answered.
struct Answering(Arc<Entry>);

impl Answering {
    fn begin(entry: &Arc<Entry>) -> Answering {
        lock(&entry.state).requests += 1;
        Answering(Arc::clone(entry))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.requests -= 1;
        state.waits_since = Instant::now();
    }
}

/// Who holds the connection that a request came by: the proxy, if there is one, and not its client.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Answers the requests of a connection.
async fn answer(
    stream: TcpStream,
    (from, is_behind_proxy): (SocketAddr, bool),
    app: Router,
    limits: &Limits,
    entry: &Arc<Entry>,
) -> hyper::Result<()> {
    let app = TowerToHyperService::new(app);
    let is_proxy = is_behind_proxy && from.ip().is_loopback();
    let service = service_fn(move |mut request: Request<Incoming>| {
        let client = is_proxy.then(|| forwarded_for(request.headers())).flatten();
        let client = client.map_or(from, |client| SocketAddr::new(client, from.port()));
        request.extensions_mut().insert(ConnectInfo(client));
        request.extensions_mut().insert(Peer(from));
        let (answering, answer) = (Answering::begin(entry), app.call(request));
        async move {
            let answer = answer.await;
            drop(answering);
            answer
        }
    });
    let stream = Patient::new(stream, limits.taking);
    http1::Builder::new()
        .timer(TokioTimer::new())
        // Also applies between two requests, so it ends idle connections.
        .header_read_timeout(limits.header)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// Returns the client of a proxy: the last address that it reports. Earlier ones are what the
/// client said.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let text = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    text.rsplit(',').next()?.trim().parse().ok()
}

/// A connection that breaks if the other side takes what is sent too slowly: it would hold what was
/// made for it, or read from the store, for ever.
struct Patient {
    stream: TcpStream,
    pace: Pace,
    /// How far the other side is behind.
    behind: Duration,
    waiting: Option<Waiting>,
}

/// A wait for the other side to take something.
struct Waiting {
    since: Instant,
    /// When patience ends.
    until: Pin<Box<Sleep>>,
}

impl Patient {
    fn new(stream: TcpStream, pace: Pace) -> Patient {
        Patient { stream, pace, behind: Duration::ZERO, waiting: None }
    }

    fn watch(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            let waited = self.waiting.take().map_or(Duration::ZERO, |own| own.since.elapsed());
            let taken = *written.as_ref().unwrap_or(&0);
            self.behind = self.pace.behind(self.behind, waited, taken);
            return Poll::Ready(written);
        }
        let left = self.pace.grace.saturating_sub(self.behind);
        let waiting = self
            .waiting
            .get_or_insert_with(|| Waiting { since: Instant::now(), until: Box::pin(sleep(left)) });
        ready!(waiting.until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_of_a_proxy_header_counts() {
        let check = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-for", line.parse().unwrap());
            }
            forwarded_for(&headers).map(|address| address.to_string())
        };
        assert_eq!(check(&["10.0.0.7"]).as_deref(), Some("10.0.0.7"));
        assert_eq!(check(&["1.2.3.4, 10.0.0.7"]).as_deref(), Some("10.0.0.7"));
        assert_eq!(check(&["1.2.3.4", "2001:db8::7"]).as_deref(), Some("2001:db8::7"));
        for none in [&[][..], &[""], &["unknown"], &["10.0.0.7, _hidden"]] {
            assert_eq!(check(none), None, "{none:?}");
        }
    }
}
