//! Connections: how many there are, and how long they may do nothing.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

use super::limits::{Limits, Quota};

/// Bytes of a connection that are kept: a request's header, at most.
const BUFFER: usize = 64 << 10;
/// How long to wait after the system had no socket.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// Answers all connections, for as long as it is polled.
pub(super) async fn accept(listener: TcpListener, app: Router, limits: Limits) {
    let quota = Quota::new(limits.connections);
    loop {
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // One that broke off is not worth waiting for; all else is a lack of sockets.
                let broken = [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset];
                if !broken.contains(&error.kind()) {
                    sleep(EXHAUSTED).await;
                }
                continue;
            }
        };
        // No place, no answer: whoever takes too many connections would not read it.
        let Ok(place) = quota.take(from.ip()) else { continue };
        let (app, limits) = (app.clone(), limits.clone());
        tokio::spawn(async move {
            // That a connection breaks is the client's affair.
            let _ = answer(stream, from, app, &limits).await;
            drop(place);
        });
    }
}

/// Answers the requests of one connection.
async fn answer(
    stream: TcpStream,
    from: SocketAddr,
    app: Router,
    limits: &Limits,
) -> hyper::Result<()> {
    let app = TowerToHyperService::new(app);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        app.call(request)
    });
    let stream = Patient { stream, patience: limits.taking, until: None };
    http1::Builder::new()
        .timer(TokioTimer::new())
        // Between two requests too, so it ends connections that are idle.
        .header_read_timeout(limits.header)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// A connection that breaks when the other side takes nothing for too long.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// When patience ends, while there is something to be taken.
    until: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        ready!(until.as_mut().poll(context));
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
