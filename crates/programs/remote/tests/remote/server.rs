//! A small server that answers as a service of somebody else might.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

pub struct Request {
    pub head: String,
    pub body: Value,
}

/// What the server does with a request.
pub struct Reply {
    status: String,
    headers: String,
    body: String,
    /// Whether the connection ends in the middle of the body.
    is_cut: bool,
}

impl Reply {
    pub fn new(status: impl Into<String>, body: impl Into<String>) -> Reply {
        let (headers, is_cut) = (String::new(), false);
        Reply { status: status.into(), headers, body: body.into(), is_cut }
    }

    pub fn with_header(mut self, name: &str, value: &str) -> Reply {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    pub fn cut(self) -> Reply {
        Reply { is_cut: true, ..self }
    }
}

/// Answers a request, given the number of those before it; the question stays open if it is none.
type Behaviour = dyn Fn(&Request, usize) -> Option<Reply> + Send + Sync;

/// A server in this process, and the requests that it has had.
pub struct Server {
    pub address: String,
    pub requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server that keeps connections, or closes each after its first answer.
    pub fn start(
        keeps: bool,
        behaviour: impl Fn(&Request, usize) -> Option<Reply> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let behaviour: Arc<Behaviour> = Arc::new(behaviour);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, behaviour) = (Arc::clone(&seen), Arc::clone(&behaviour));
                std::thread::spawn(move || serve(stream.unwrap(), &*behaviour, keeps, &seen));
            }
        });
        Server { address, requests }
    }

    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

/// Answers one request, and is gone.
pub fn answer_once(
    listener: TcpListener,
    behaviour: impl Fn(&Request, usize) -> Option<Reply> + Send + Sync + 'static,
) {
    let seen = Mutex::new(Vec::new());
    // Some connections only look whether anything listens.
    while seen.lock().unwrap().is_empty() {
        serve(listener.accept().unwrap().0, &behaviour, false, &seen);
    }
}

fn serve(stream: TcpStream, behaviour: &Behaviour, keeps: bool, seen: &Mutex<Vec<Request>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut answers = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if lines.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        lines.read_exact(&mut body).unwrap();
        let request = Request { head, body: serde_json::from_slice(&body).unwrap() };
        let answer = {
            // The number and the place in the list agree, however many ask at once.
            let mut seen = seen.lock().unwrap();
            let answer = behaviour(&request, seen.len());
            seen.push(request);
            answer
        };
        let Some(Reply { status, headers, body, is_cut }) = answer else {
            // The question stays open until the other side goes.
            let _ = lines.read_line(&mut String::new());
            return;
        };
        let length = body.len();
        let sent = if is_cut { &body[..length / 2] } else { &body };
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n");
        if answers.write_all((head + sent).as_bytes()).is_err() || !keeps || is_cut {
            return;
        }
    }
}
