use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use quintain_store::RecordRow;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::*;
use crate::serve::limits::{Allowance, Pace, RenderingLimits};

/// A server that runs until this is dropped.
struct Served {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Place {
    fn serve(&self, limits: Limits) -> Served {
        let (store, catalog) = (self.store.clone(), catalog());
        let options = Options {
            store,
            catalog,
            allow_play: true,
            matches: <_>::default(),
            frames: Vec::new(),
            workers: None,
        };
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

    /// Like [`ask`](Served::ask), for what is sent only compressed.
    async fn ask_for_gzip(&self, client: u8, path: &str) -> TcpStream {
        self.ask(client, &format!("{path} HTTP/1.1\r\naccept-encoding: gzip\r\nx:")).await
    }

    async fn status(&self, client: u8, path: &str) -> StatusCode {
        status(&mut self.ask(client, path).await).await
    }

    /// Opens a connection with the request for a match to play.
    async fn begin(&self, client: u8, wish: &Value) -> TcpStream {
        let mut stream = self.connect(client).await;
        let body = wish.to_string();
        let head = format!(
            "POST /api/play HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
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
        taking: Pace { grace: Duration::from_millis(50), rate: 1 << 20 },
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

/// Returns the id of some match.
async fn some_match(app: &App) -> String {
    let found = app.get("/api/matches").await.json();
    found["matches"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn replays_that_take_long_hold_up_no_page() {
    let place = play_tournaments(&[CUP]);
    let id = some_match(&place.app(false)).await;
    // With nobody to make them, they take for ever.
    let renderings = RenderingLimits { at_once: 0, ..RenderingLimits::default() };
    let served = place.serve(Limits { renderings, ..Limits::default() });
    let path = format!("/api/matches/{id}/replay");
    let mut waiting = Vec::new();
    for _ in 0..16 {
        waiting.push(served.ask_for_gzip(ATTACKER, &path).await);
    }
    for client in [VISITOR, ATTACKER] {
        for path in ["/", "/matches", "/api/matches", &format!("/matches/{id}")] {
            assert_eq!(served.status(client, path).await, StatusCode::OK, "{path}");
        }
    }
    // One more than a client may wait for.
    let mut one_more = served.ask_for_gzip(ATTACKER, &path).await;
    assert_eq!(status(&mut one_more).await, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_replay_is_made_once_for_all_who_wait() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let shared = Arc::clone(&app.1);
    let made = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let (go, gate) = mpsc::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let render = |client: u8| {
        let (shared, made, gate) = (Arc::clone(&shared), Arc::clone(&made), Arc::clone(&gate));
        tokio::spawn(async move {
            let address = std::net::IpAddr::from([127, 0, 0, client]);
            let what = Rendering::Replay("a".to_owned());
            render_for(&shared, address, what, move |_, _| {
                made.fetch_add(1, Ordering::SeqCst);
                gate.lock().unwrap().recv().unwrap();
                Ok(b"done".to_vec())
            })
            .await
        })
    };
    let waiting: Vec<_> = (1..=5).map(render).collect();
    // Let all of them ask before the first is done.
    while shared.renderings.waiting() < 5 {
        tokio::task::yield_now().await;
    }
    go.send(()).unwrap();
    for one in waiting {
        assert_eq!(in_time(one).await.unwrap().unwrap().as_ref(), b"done");
    }
    assert_eq!(made.load(Ordering::SeqCst), 1);
    assert_eq!(in_time(render(9)).await.unwrap().unwrap().as_ref(), b"done", "it is kept");
}

#[tokio::test]
async fn a_replay_that_nobody_waits_for_is_abandoned() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let shared = Arc::clone(&app.1);
    let (sender, abandoned) = mpsc::channel();
    let (begin, begun) = tokio::sync::oneshot::channel();
    let asking = tokio::spawn({
        let shared = Arc::clone(&shared);
        async move {
            let what = Rendering::Replay("a".to_owned());
            let address = std::net::IpAddr::from([127, 0, 0, 1]);
            render_for(&shared, address, what, move |_, work| {
                begin.send(()).unwrap();
                let problem = loop {
                    if let Some(problem) = work.objection() {
                        break problem;
                    }
                    thread::yield_now();
                };
                sender.send(()).unwrap();
                Err(problem)
            })
            .await
        }
    });
    in_time(begun).await.unwrap();
    asking.abort();
    in_time(tokio::task::spawn_blocking(move || abandoned.recv())).await.unwrap().unwrap();
    // Who asks now has it made again.
    let what = Rendering::Replay("a".to_owned());
    let address = std::net::IpAddr::from([127, 0, 0, 2]);
    let made = render_for(&shared, address, what, |_, _| Ok(b"new".to_vec()));
    assert_eq!(in_time(made).await.unwrap().as_ref(), b"new");
}

#[tokio::test]
async fn replays_beyond_the_limits_are_refused_with_what_to_do() {
    let place = play_tournaments(&[CUP]);
    let path = format!("/api/matches/{}/replay", some_match(&place.app(false)).await);
    let usual = RenderingLimits::default();
    for (renderings, says) in [
        (RenderingLimits { time: Duration::ZERO, ..usual }, "takes longer than"),
        (RenderingLimits { bytes: 1000, ..usual }, "takes more than 1 kB"),
    ] {
        let app = place.app_within(&Limits { renderings, ..Limits::default() });
        let answer = app.get(&path).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
        assert!(answer.text.contains(says), "{}", answer.text);
        assert!(answer.text.contains("quintain replay"), "{}", answer.text);
    }
}

#[tokio::test]
async fn requests_for_two_hosts_are_refused() {
    let place = play_tournaments(&[CUP]);
    let served = place.serve(Limits::default());
    for (request, expected) in [
        ("GET /api/games HTTP/1.1\r\nhost: localhost\r\n\r\n", 200),
        ("GET http://localhost/api/games HTTP/1.1\r\nhost: localhost\r\n\r\n", 200),
        ("GET /api/games HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n", 400),
        ("GET /api/games HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n", 400),
        ("GET http://evil.example/api/games HTTP/1.1\r\nhost: localhost\r\n\r\n", 400),
        ("GET http://localhost/api/games HTTP/1.1\r\nhost: evil.example\r\n\r\n", 400),
        ("GET /api/games HTTP/1.1\r\nhost: evil.example\r\n\r\n", 403),
        ("GET /api/games HTTP/1.1\r\n\r\n", 403),
    ] {
        let mut stream = served.connect(VISITOR).await;
        stream.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(status(&mut stream).await.as_u16(), expected, "{request:?}");
    }
}

const DRIPPING_HEADER: &str = "GET / HTTP/1.1\r\nx: ";
const DRIPPING_BODY: &str = "POST /api/play HTTP/1.1\r\nhost: localhost\r\ncontent-type: \
                             application/json\r\ncontent-length: 1000\r\n\r\n{";

#[tokio::test]
async fn slow_connections_of_many_addresses_make_room_for_another_one() {
    let place = play_tournaments(&[CUP]);
    let connections = Allowance { all: 12, each: 4 };
    for begun in [DRIPPING_HEADER, DRIPPING_BODY] {
        let served = place.serve(Limits { connections, ..Limits::default() });
        let mut dripping = Vec::new();
        for client in 100..104 {
            for _ in 0..4 {
                let mut stream = served.connect(client).await;
                let _ = stream.write_all(begun.as_bytes()).await;
                dripping.push(stream);
            }
        }
        for visitor in [VISITOR, VISITOR + 1, VISITOR + 2] {
            let status = served.status(visitor, "/api/tournaments").await;
            assert_eq!(status, StatusCode::OK, "{begun}");
        }
    }
}

#[tokio::test]
async fn a_flood_in_one_connection_ends_with_its_first_refusal() {
    let place = play_tournaments(&[CUP]);
    let served = place.serve(Limits::default());
    let mut stream = served.connect(ATTACKER).await;
    let request = "GET /assets/mark.svg HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let (mut reading, mut writing) = stream.split();
    let begun = Instant::now();
    let flood = async {
        // The server closes before it has read everything.
        let _ = writing.write_all(request.repeat(2000).as_bytes()).await;
    };
    let mut answers = Vec::new();
    let read = async {
        let _ = in_time(reading.read_to_end(&mut answers)).await;
    };
    tokio::join!(flood, read);
    let answers = String::from_utf8_lossy(&answers);
    assert!(answers.matches("HTTP/1.1 429").count() <= 1);
    // A slow machine gives the client more time, in which it may ask more.
    let allowed = guard::BURST + guard::RATE * begun.elapsed().as_secs_f64();
    assert!(answers.matches("HTTP/1.1 200").count() as f64 <= allowed + 1.0);
}

/// Returns the first two turns of a match of three in which the person crashes on the second.
fn crash() -> Value {
    let scenario = "empty?width=15&height=15&players=3&symmetry=none";
    let mut actions = Vec::new();
    let config = quintain_play::HumanMatchConfig {
        game: "tron".to_owned(),
        scenario: scenario.to_owned(),
        seed: 5,
        name: "guest".to_owned(),
        seat: 0,
        opponent: "space".to_owned(),
        budget: quintain_core::Budget::nodes(100),
    };
    let catalog = catalog();
    let mut human_match = quintain_play::HumanMatch::begin(&catalog, &config).unwrap();
    human_match
        .set_patience(quintain_play::Patience { most: Some(Duration::ZERO), ..Default::default() });
    for own in ["U", "D"] {
        human_match.play(own).unwrap();
        actions = human_match.actions().to_vec();
    }
    assert!(!human_match.is_over() && human_match.waiting().is_empty());
    json!({
        "game": "tron", "scenario": scenario, "opponent": "champion", "think": 5000, "seed": 5,
        "actions": actions,
    })
}

#[tokio::test]
async fn matches_that_others_play_on_for_long_make_room_for_another_client() {
    let place = play_tournaments(&[CUP]);
    let matches = Allowance { all: 3, each: 3 };
    let served = place.serve(Limits { matches, ..Limits::default() });
    let wish = crash();
    let mut busy = Vec::new();
    for _ in 0..3 {
        busy.push(served.begin(ATTACKER, &wish).await);
    }
    let own = json!({ "game": "polymer", "scenario": "L08_s01" });
    // The requests of the attacker may not have arrived yet.
    while status(&mut served.begin(ATTACKER, &own).await).await != StatusCode::TOO_MANY_REQUESTS {
        tokio::time::sleep(TICK).await;
    }
    // On a busy machine, room may be made only after the visitor has been told to come again.
    let answered = loop {
        match status(&mut served.begin(VISITOR, &own).await).await {
            StatusCode::SERVICE_UNAVAILABLE => tokio::time::sleep(TICK).await,
            answered => break answered,
        }
    };
    assert_eq!(answered, StatusCode::CREATED);
}

#[tokio::test]
async fn a_match_that_waits_for_its_person_makes_room_and_comes_back() {
    let place = play_tournaments(&[CUP]);
    let matches = Allowance { all: 2, each: 2 };
    let served = place.serve(Limits { matches, ..Limits::default() });
    let own = json!({ "game": "polymer", "scenario": "L08_s01" });
    let mut ids = Vec::new();
    for client in [ATTACKER, ATTACKER + 1] {
        let answer = read_until_closed(&mut served.begin(client, &own).await).await;
        let (_, after) = answer.split_once("\"id\":\"").expect("a match has begun");
        ids.push(after.split_once('"').unwrap().0.to_owned());
    }
    let answered = loop {
        match status(&mut served.begin(VISITOR, &own).await).await {
            StatusCode::SERVICE_UNAVAILABLE => tokio::time::sleep(TICK).await,
            answered => break answered,
        }
    };
    assert_eq!(answered, StatusCode::CREATED);
    for (client, id) in [ATTACKER, ATTACKER + 1].into_iter().zip(ids) {
        let found = loop {
            match served.status(client, &format!("/api/play/{id}")).await {
                StatusCode::SERVICE_UNAVAILABLE => tokio::time::sleep(TICK).await,
                found => break found,
            }
        };
        assert_eq!(found, StatusCode::OK);
    }
}
