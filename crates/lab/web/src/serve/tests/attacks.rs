use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use quintain_store::RecordRow;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::*;
use crate::serve::limits::Allowance;

/// A server that runs until this is dropped.
struct Served {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Place {
    fn serve(&self, limits: Limits) -> Served {
        let (store, catalog) = (self.store.clone(), catalog());
        let options =
            Options { store, catalog, allow_play: true, matches: <_>::default(), workers: None };
        let (sender, bound) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let any = SocketAddr::from(([127, 0, 0, 1], 0));
            let ready = |address| sender.send(address).unwrap();
            serve_within(limits, options, None, any, ready, || flag.load(Ordering::SeqCst))
                .unwrap();
        });
        Served { address: bound.recv().unwrap(), stop, thread: Some(thread) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

const ATTACKER: u8 = 66;
const VISITOR: u8 = 7;

impl Served {
    /// Opens a connection of the client with this number, which buffers little.
    async fn connect(&self, client: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        socket.bind(SocketAddr::from(([127, 0, 0, client], 0))).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// Opens a connection with a request for `path`, without reading any of the response.
    async fn ask(&self, client: u8, path: &str) -> TcpStream {
        let mut stream = self.connect(client).await;
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    async fn status(&self, client: u8, path: &str) -> StatusCode {
        status(&mut self.ask(client, path).await).await
    }
}

/// Limits the time, so that a server without its protections fails a test instead of blocking it.
async fn in_time<T>(reaction: impl Future<Output = T>) -> T {
    let most = Duration::from_secs(20);
    tokio::time::timeout(most, reaction).await.expect("the server does not react")
}

/// Reads the first twelve bytes of a response, and returns its status.
async fn status(stream: &mut TcpStream) -> StatusCode {
    let mut start = [0; 12];
    in_time(stream.read_exact(&mut start)).await.unwrap();
    StatusCode::from_bytes(&start[9..]).unwrap()
}

/// Waits until the server has closed a connection, and returns what it sent before.
async fn read_until_closed(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // Whether it ends in order or breaks makes no difference here.
    let _ = in_time(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a tournament whose records are more than any buffers hold.
fn large_tournament() -> Place {
    let place = play_tournaments(&[CUP]);
    let mut store = Store::open(&place.store).unwrap();
    let mut record = None;
    store
        .for_each_record(&Filter { limit: Some(1), ..Filter::default() }, |row| {
            record = Some(row.record().unwrap());
            Ok::<(), quintain_store::StoreError>(())
        })
        .unwrap();
    let mut record = record.unwrap();
    record.outcome.ending = "x".repeat(4 << 20);
    let id = store.tournament(None).unwrap().id;
    for seed in 0..8 {
        record.fixture.seed = 1_000_000 + seed;
        record.id = record.fixture.id();
        store.insert(Some(id), &[RecordRow::new(&record, Duration::ZERO)]).unwrap();
    }
    place
}

const RECORDS: &str = "/api/tournaments/1/records";

#[tokio::test]
async fn downloads_that_nobody_reads_stop_nobody() {
    let place = large_tournament();
    let served = place.serve(Limits::default());
    let mut unread = Vec::new();
    for _ in 0..16 {
        let mut stream = served.ask(ATTACKER, RECORDS).await;
        let status = status(&mut stream).await;
        unread.push((stream, status));
    }
    let sent = unread.iter().filter(|(_, status)| *status == StatusCode::OK).count();
    assert_eq!(sent, 4);
    assert!(unread[4..].iter().all(|(_, status)| *status == StatusCode::TOO_MANY_REQUESTS));
    for path in ["/api/tournaments", "/api/tournaments/1/standings", RECORDS] {
        assert_eq!(served.status(VISITOR, path).await, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn downloads_that_nobody_reads_have_their_own_threads() {
    let place = large_tournament();
    let served =
        place.serve(Limits { downloads: Allowance { all: 16, each: 16 }, ..Limits::default() });
    let mut unread = Vec::new();
    for _ in 0..16 {
        let mut stream = served.ask(ATTACKER, RECORDS).await;
        assert_eq!(status(&mut stream).await, StatusCode::OK);
        unread.push(stream);
    }
    assert_eq!(served.status(VISITOR, RECORDS).await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(served.status(VISITOR, "/api/tournaments/1").await, StatusCode::OK);
}

#[tokio::test]
async fn a_download_that_nobody_reads_ends() {
    let place = large_tournament();
    let served = place.serve(Limits {
        downloads: Allowance { all: 1, each: 1 },
        taking: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut unread = served.ask(ATTACKER, RECORDS).await;
    assert_eq!(status(&mut unread).await, StatusCode::OK);
    // The only place is free once the server has given up.
    let mut visits = 0;
    while served.status(VISITOR, RECORDS).await != StatusCode::OK {
        visits += 1;
        assert!(visits < 300, "the place is never free");
        tokio::time::sleep(TICK).await;
    }
    let rest = read_until_closed(&mut unread).await;
    assert!(rest.len() < 32 << 20, "{} bytes were sent", rest.len());
}

#[tokio::test]
async fn connections_that_drip_are_bounded_in_number() {
    let place = play_tournaments(&[CUP]);
    let served = place.serve(Limits::default());
    let mut dripping = Vec::new();
    for _ in 0..500 {
        let mut stream = served.connect(ATTACKER).await;
        // The connection may be closed already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nx: ").await;
        dripping.push(stream);
    }
    assert_eq!(served.status(VISITOR, "/api/tournaments").await, StatusCode::OK);
    for stream in &mut dripping[64..] {
        assert_eq!(read_until_closed(stream).await, "");
    }
}

#[tokio::test]
async fn a_header_that_drips_is_not_waited_for() {
    let place = play_tournaments(&[CUP]);
    let served = place.serve(Limits {
        connections: Allowance { all: 8, each: 8 },
        header: Duration::from_millis(300),
        ..Limits::default()
    });
    let mut dripping = Vec::new();
    for number in 0..8 {
        let mut stream = served.connect(ATTACKER).await;
        // Some send nothing at all, and some have had one response and keep the connection.
        if number % 3 == 1 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: loc").await;
        } else if number % 3 == 2 {
            let whole = b"GET /api/tournaments HTTP/1.1\r\nhost: localhost\r\n\r\n";
            let _ = stream.write_all(whole).await;
        }
        dripping.push(stream);
    }
    for stream in &mut dripping {
        read_until_closed(stream).await;
    }
    // There is room again; on a busy machine the first request may come too late.
    let mut visits = 0;
    loop {
        let mut visit = served.ask(VISITOR, "/api/tournaments").await;
        let mut start = [0; 12];
        if in_time(visit.read_exact(&mut start)).await.is_ok() {
            assert_eq!(&start, b"HTTP/1.1 200");
            break;
        }
        visits += 1;
        assert!(visits < 20, "nobody is answered any more");
    }
}

#[tokio::test]
async fn a_body_that_drips_is_not_waited_for() {
    let place = play_tournaments(&[CUP]);
    let served = place.serve(Limits { body: Duration::from_millis(50), ..Limits::default() });
    for method in ["POST /api/play", "GET /api/tournaments"] {
        let mut stream = served.connect(ATTACKER).await;
        let head = format!(
            "{method} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: 1000\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let answer = read_until_closed(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}

#[tokio::test]
async fn one_client_does_not_take_all_news() {
    let place = play_tournaments(&[CUP]);
    let served =
        place.serve(Limits { listeners: Allowance { all: 3, each: 2 }, ..Limits::default() });
    let events = "/api/tournaments/1/events";
    let mut listening = Vec::new();
    for (client, expected) in [
        (ATTACKER, StatusCode::OK),
        (ATTACKER, StatusCode::OK),
        (ATTACKER, StatusCode::TOO_MANY_REQUESTS),
        (VISITOR, StatusCode::OK),
        (VISITOR, StatusCode::SERVICE_UNAVAILABLE),
    ] {
        let mut stream = served.ask(client, events).await;
        assert_eq!(status(&mut stream).await, expected);
        listening.push(stream);
    }
}
