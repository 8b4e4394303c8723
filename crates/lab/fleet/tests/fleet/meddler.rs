//! A man in the middle between a worker and the server, who changes what the worker submits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use super::nats::Nats;

/// How a message is changed on its way to the server: its headers keep their length.
pub type Change = fn(headers: &mut [u8], payload: &mut [u8]);

/// A man in the middle between a client and the server, who changes the records that the client
/// sends.
pub struct Meddler {
    port: u16,
}

impl Meddler {
    /// Starts one in front of this server.
    pub fn start(nats: &Nats, change: Change) -> Meddler {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, server) = (listener.local_addr().unwrap().port(), nats.port);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (mut back, mut away) =
                    (server.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || {
                    let _ = std::io::copy(&mut back, &mut away);
                    let _ = away.shutdown(Shutdown::Both);
                });
                thread::spawn(move || {
                    let _ = meddle(client, &server, change);
                    let _ = server.shutdown(Shutdown::Both);
                });
            }
        });
        Meddler { port }
    }

    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// Passes on what a client sends, with its records changed.
fn meddle(client: TcpStream, mut server: &TcpStream, change: Change) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let verb = words.first().copied().unwrap_or_default();
        if !["PUB", "HPUB"].contains(&verb) {
            server.write_all(line.as_bytes())?;
            continue;
        }
        let size = |word: &str| word.parse::<usize>().expect("sizes are numbers");
        let mut message = vec![0; size(words[words.len() - 1]) + 2];
        reader.read_exact(&mut message)?;
        if verb == "HPUB" && words[1].starts_with("quintain.records.") {
            message.truncate(message.len() - 2);
            let head = size(words[words.len() - 2]);
            let mut payload = message.split_off(head);
            change(&mut message, &mut payload);
            let all = head + payload.len();
            line = format!("{} {head} {all}\r\n", words[..words.len() - 2].join(" "));
            message.extend(payload);
            message.extend(b"\r\n");
        }
        server.write_all(line.as_bytes())?;
        server.write_all(&message)?;
    }
}
