//! The messages between coordinator and workers: a tournament's manifest, batches of assignments,
//! and packets of answers. All are JSON; packets are deflated and cut into parts that fit a
//! message, so that a record may be longer than the server's limit. The names of fields are part of
//! the protocol: workers of another build may read them.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};

use async_nats::HeaderMap;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use quintain_core::{Budget, digest};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of these messages.
pub(crate) const PROTOCOL: u32 = 1;
/// The header by which a stream recognizes a message that comes twice.
pub(crate) const MESSAGE_ID: &str = "Nats-Msg-Id";
/// The header in which a batch names the machines on which its matches have failed before; it is
/// not to be played there if others can be found.
pub(crate) const NOT_ON: &str = "Quintain-Not-On";
/// The header in which a batch names the workers on which they failed, as host and process: another
/// worker on the same machine may succeed.
pub(crate) const NOT_BY: &str = "Quintain-Not-By";
/// The header in which a packet names the batch that it answers. Only the worker that was given the
/// batch knows its id, so nobody else can answer in its place.
const BATCH: &str = "Quintain-Batch";
/// The header that names the worker that has played a packet.
const WORKER: &str = "Quintain-Worker";
/// The header that says which part of which packet a message is.
const PART: &str = "Quintain-Part";
/// The bytes of a packet's answers before they are deflated; the text of long records may exceed
/// this.
pub(crate) const PACKET_BYTES: usize = 2 << 20;
/// The most bytes that a packet may inflate to: honest ones hold [`PACKET_BYTES`] and one long
/// record.
pub(crate) const MAX_BYTES: usize = 64 << 20;
/// The most answers in a packet: several times what any batch holds.
const MAX_ANSWERS: usize = 1 << 14;
/// The most bytes of a part, far below the usual limit of 1 MB: a part is stored and sent as a
/// whole.
const PART_BYTES: usize = 256 << 10;
/// Room left for a message's headers below a server's limit.
const HEADERS: usize = 1 << 10;

/// The manifest of a tournament: everything that workers must know about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// [`PROTOCOL`].
    pub(crate) protocol: u32,
    /// The hash of the tournament's definition.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) game: String,
    /// The version of the game's rules.
    pub(crate) version: u32,
    pub(crate) scenarios: Vec<String>,
    /// Each with the version of its behaviour.
    pub(crate) players: Vec<(String, u32)>,
    pub(crate) budget: Budget,
    pub(crate) notes: bool,
    /// How long a worker may be silent before its batch is given to another, in milliseconds.
    pub(crate) patience_ms: u64,
    /// An id of the coordinator's run: a new one makes workers start over.
    pub(crate) session: String,
    /// The workers that may not play on, by [`Sender::public`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) shut_out: Vec<ShutOut>,
    /// The programs that workers fetch: each player's text, and the digest to request it by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) artefacts: BTreeMap<String, String>,
    /// The files of scenarios that workers fetch, by the digests to request them by. A scenario
    /// knows its files by the beginnings of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<String>,
    /// The players that any machine can play with a file, each with the digest to request it by. It
    /// is not packed as `artefacts` are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) modules: BTreeMap<String, String>,
    /// How many microseconds the coordinator's machine takes for the work of [`crate::pace`], if
    /// players have limited time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pace_us: Option<u64>,
    /// How much of a worker's time it has where several tournaments want it, in percent of what one
    /// without this field has.
    #[serde(default = "usual_weight", skip_serializing_if = "is_usual_weight")]
    pub(crate) weight_percent: u32,
    /// The series of which the tournament is a part, if one process hands out one after the other
    /// that share the workers' time as one would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) series: Option<String>,
    /// The owner of the tournament, if one process hands out many, one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
}

/// The weight of a tournament that names none, in percent.
pub(crate) const fn usual_weight() -> u32 {
    100
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as Serde asks")]
fn is_usual_weight(percent: &u32) -> bool {
    *percent == usual_weight()
}

/// A worker that may not play on, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ShutOut {
    pub(crate) worker: String,
    pub(crate) reason: String,
}

/// A worker's identity, as it states it itself. The token is drawn when the worker starts and is
/// sent only to coordinators, so no other worker can speak in its name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Sender {
    pub(crate) token: String,
    /// Host and process.
    pub(crate) who: String,
}

impl Sender {
    /// Creates a sender with a random token.
    pub(crate) fn draw(who: &str) -> Sender {
        let token = format!("{:016x}{:016x}", draw_number(), draw_number());
        let legible = |sign: char| if sign.is_ascii_graphic() { sign } else { '-' };
        Sender { token, who: who.chars().take(200).map(legible).collect() }
    }

    /// Its name in places that other workers can read.
    pub(crate) fn public(&self) -> String {
        digest(self.token.as_bytes())
    }

    /// The machine, without the process.
    pub(crate) fn host(&self) -> &str {
        host_of(&self.who)
    }
}

/// The machine of a worker named by host and process.
pub(crate) fn host_of(who: &str) -> &str {
    who.rsplit_once(':').map_or(who, |(host, _)| host)
}

/// The key of a worker, named by host and process, in the server's list of workers. It may contain
/// neither colons nor most other special characters.
pub(crate) fn worker_key(who: &str) -> String {
    let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '-' };
    who.chars().map(sign).collect()
}

/// The sender of a message; `None` for workers from before senders had names.
pub(crate) fn sender_of(headers: Option<&HeaderMap>) -> Option<Sender> {
    let (token, who) = headers?.get(WORKER)?.as_str().split_once(' ')?;
    let is_legible = who.bytes().all(|sign| sign.is_ascii_graphic());
    let sound = token.len() == 32 && who.len() <= 200 && is_legible;
    sound.then(|| Sender { token: token.to_owned(), who: who.to_owned() })
}

/// The batch that a message says it answers; `None` for workers from before they stated it.
pub(crate) fn batch_of(headers: Option<&HeaderMap>) -> Option<&str> {
    Some(headers?.get(BATCH)?.as_str())
}

/// A number that nobody can guess: the system draws a hasher's keys.
pub(crate) fn draw_number() -> u64 {
    RandomState::new().hash_one(0)
}

/// A queue of batches, by what a worker needs in order to play them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Lane {
    /// The game and its own players.
    Plain,
    /// Also the programs of the tournament.
    Programs,
}

impl Lane {
    pub(crate) const ALL: [Lane; 2] = [Lane::Plain, Lane::Programs];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Lane::Plain => "plain",
            Lane::Programs => "programs",
        }
    }
}

/// Whether a player is a program, which its text's prefix shows; whether this machine can run it
/// does not matter.
pub(crate) fn is_program(player: &str) -> bool {
    let name = player.split(['?', '"']).next().unwrap_or_default();
    name.contains(':')
}

/// Whether a player is a module of WebAssembly: a program that is confined on every machine, and
/// whose steps are counted.
pub(crate) fn is_module(player: &str) -> bool {
    player.starts_with("wasm:")
}

impl Manifest {
    /// Whether workers can fetch a program that they do not have.
    pub(crate) fn sends(&self, player: &str) -> bool {
        self.artefacts.contains_key(player) || self.modules.contains_key(player)
    }

    /// What shares the workers' time with others: the tournament, or its series.
    pub(crate) fn share(&self) -> &str {
        self.series.as_deref().unwrap_or(&self.id)
    }

    /// The lane of a line-up.
    pub(crate) fn lane(&self, lineup: &[usize]) -> Lane {
        match lineup.iter().any(|&player| is_program(&self.players[player].0)) {
            true => Lane::Programs,
            false => Lane::Plain,
        }
    }
}

/// One fixture to be played: its number in the schedule, the number of its scenario, its
/// seed, and the number of the player at each seat. An array in JSON, since there are many.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Assignment(
    pub(crate) u64,
    pub(crate) usize,
    pub(crate) u64,
    pub(crate) Vec<usize>,
);

/// The answer to an assignment: a record, or a problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The fixture's number in the schedule.
    pub(crate) index: u64,
    pub(crate) elapsed_us: u64,
    /// The record's text, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<Box<RawValue>>,
    /// What programs wrote during the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) log: Option<Box<RawValue>>,
    /// Why there is no record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// Of a match in which a program failed before anything was played: whether that program plays
    /// a first turn on this machine when it is asked again, so that the failure is its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) starts_here: bool,
}

/// A part of a packet, as it is published.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) headers: HeaderMap,
    pub(crate) payload: Vec<u8>,
}

/// Packs answers into parts, none longer than a message of `limit` bytes. The packet's id is
/// derived from the batch, the sender and the matches, but not from how long they took. So a packet
/// that the same worker publishes again is recognized, and one that was lost and is played again in
/// another batch gets through.
pub(crate) fn pack(sender: &Sender, batch: &str, answers: &[Answer], limit: usize) -> Vec<Part> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let mut content = format!("{} {batch} ", sender.token).into_bytes();
    for answer in answers {
        serde_json::to_writer(&mut encoder, answer).expect("answers have JSON");
        encoder.write_all(b"\n").expect("memory can be written");
        let text = answer.record.as_ref().map_or("", |record| record.get());
        let what = answer.problem.as_deref().unwrap_or(text);
        content.extend_from_slice(digest(what.as_bytes()).as_bytes());
        content.extend_from_slice(&answer.index.to_le_bytes());
    }
    let id = digest(&content);
    let bytes = encoder.finish().expect("memory can be written");
    let size = PART_BYTES.min(limit.saturating_sub(HEADERS).max(1));
    let of = bytes.len().div_ceil(size);
    let parts = bytes.chunks(size).enumerate().map(|(number, payload)| {
        let mut headers = HeaderMap::new();
        headers.insert(MESSAGE_ID, format!("{id}-{number}-{of}").as_str());
        headers.insert(PART, format!("{id} {number} {of}").as_str());
        headers.insert(BATCH, batch);
        headers.insert(WORKER, format!("{} {}", sender.token, sender.who).as_str());
        Part { headers, payload: payload.to_vec() }
    });
    parts.collect()
}

/// Which part of which packet a message says it is: the id, its number from 0, and the number of
/// parts.
pub(crate) fn part_of(headers: Option<&HeaderMap>) -> Option<(String, usize, usize)> {
    let text = headers?.get(PART)?.as_str().to_owned();
    let mut words = text.split(' ');
    let id = words.next().filter(|id| id.len() == 32)?.to_owned();
    let (number, of) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    (number < of && of < 1 << 16).then_some((id, number, of))
}

/// Unpacks the answers of a packet whose parts have been joined. It may come from anybody, so no
/// more is inflated than an honest one can hold.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<Answer>, String> {
    let mut inflated = BufReader::new(DeflateDecoder::new(bytes).take(MAX_BYTES as u64 + 1));
    let (mut answers, mut line, mut total) = (Vec::new(), String::new(), 0);
    loop {
        line.clear();
        total += inflated.read_line(&mut line).map_err(|error| error.to_string())?;
        if total > MAX_BYTES || answers.len() > MAX_ANSWERS {
            return Err("it holds more than any batch".to_owned());
        }
        if line.is_empty() {
            return Ok(answers);
        }
        answers.push(serde_json::from_str(&line).map_err(|error| error.to_string())?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(index: u64, text: &str) -> Answer {
        let json = serde_json::to_string(text).unwrap();
        let record = Some(RawValue::from_string(json).unwrap());
        let log = RawValue::from_string(format!("[{index}]")).ok();
        Answer { index, elapsed_us: index + 1, record, log, problem: None, starts_here: false }
    }

    #[test]
    fn a_program_is_known_by_its_prefix() {
        assert!(is_program("bot:alice") && is_program("exec:\"python3 a.py\""));
        assert!(!is_program("champion") && !is_program("uct?iterations=300"));
        assert!(!is_program("weights?file=\"a:b\""));
    }

    #[test]
    fn a_batch_makes_the_same_packet_however_long_it_took_and_another_batch_another() {
        let (one, mut other) = (answer(3, "record"), answer(3, "record"));
        other.elapsed_us = 99;
        let (ann, bob) = (Sender::draw("host:1"), Sender::draw("host:2"));
        let id = |sender, batch, answer: &Answer| {
            let parts = pack(sender, batch, std::slice::from_ref(answer), 1 << 20);
            assert_eq!(sender_of(Some(&parts[0].headers)).as_ref(), Some(sender));
            part_of(Some(&parts[0].headers)).unwrap().0
        };
        assert_eq!(id(&ann, "1", &one), id(&ann, "1", &other));
        assert_ne!(id(&ann, "1", &one), id(&ann, "1", &answer(3, "another record")));
        assert_ne!(id(&ann, "1", &one), id(&ann, "2", &one), "played again");
        assert_ne!(id(&ann, "1", &one), id(&bob, "1", &one), "parts of two workers never mix");
    }

    #[test]
    fn a_sender_is_host_and_process_with_a_random_token() {
        let (one, other) = (Sender::draw("a host:7"), Sender::draw("a host:7"));
        assert_eq!((one.who.as_str(), one.host()), ("a-host:7", "a-host"));
        assert_ne!(one.public(), other.public());
        assert!(!one.public().contains(&one.token));
        assert_eq!(sender_of(None), None);
    }

    #[test]
    fn malformed_parts_and_packets_are_refused() {
        assert_eq!(part_of(None), None);
        for wrong in ["", "x 0 1", "0123456789abcdef0123456789abcdef 1 1", "a b c d"] {
            let mut headers = HeaderMap::new();
            headers.insert(PART, wrong);
            assert_eq!(part_of(Some(&headers)), None, "{wrong}");
        }
        assert!(unpack(b"nonsense").is_err());
    }

    #[test]
    fn a_packet_that_inflates_beyond_any_batch_is_refused() {
        let deflated = |text: &[u8]| {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let bomb = deflated(&vec![b' '; MAX_BYTES + 1]);
        assert!(bomb.len() < MAX_BYTES / 100);
        assert!(unpack(&bomb).unwrap_err().contains("more than any batch"));
        let many = r#"{"index":0,"elapsed_us":0}"#.to_owned() + "\n";
        assert!(unpack(&deflated(many.repeat(MAX_ANSWERS + 1).as_bytes())).is_err());
        assert_eq!(unpack(&deflated(many.repeat(3).as_bytes())).unwrap().len(), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn packets_are_split_and_joined(
            texts in proptest::collection::vec("[ -~]{0,400}", 0..20), limit in 1100usize..5000,
        ) {
            let answers: Vec<Answer> =
                texts.iter().enumerate().map(|(i, text)| answer(i as u64, text)).collect();
            let parts = pack(&Sender::draw("host:1"), "1", &answers, limit);
            let mut bytes = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                let (_, its_number, of) = part_of(Some(&part.headers)).unwrap();
                prop_assert_eq!((its_number, of), (number, parts.len()));
                prop_assert!(part.payload.len() + HEADERS <= limit);
                bytes.extend_from_slice(&part.payload);
            }
            let back = unpack(&bytes).unwrap();
            prop_assert_eq!(back.len(), answers.len());
            for (one, other) in back.iter().zip(&answers) {
                prop_assert_eq!(one.index, other.index);
                prop_assert_eq!(one.elapsed_us, other.elapsed_us);
                let text = |answer: &Answer| answer.record.as_ref().unwrap().get().to_owned();
                prop_assert_eq!(text(one), text(other));
                let log = |answer: &Answer| answer.log.as_ref().map(|log| log.get().to_owned());
                prop_assert_eq!(log(one), log(other));
            }
        }
    }
}
