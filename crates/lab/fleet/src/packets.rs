//! Joins the parts of packets, which come in any order and from anybody, and bounds what packets
//! that never become complete may hold. This module does not know what packets mean.

use std::collections::HashMap;

use async_nats::HeaderMap;

use crate::wire::{MAX_BYTES, Sender, batch_of, part_of, sender_of};

/// The most bytes of all incomplete packets together.
const MAX_WAITING_BYTES: usize = 4 * MAX_BYTES;
/// What a part counts in addition to its bytes.
const PART_COST: usize = 256;

/// The packets of which parts have come. `T` is the token that acknowledges a message.
pub(crate) struct Packets<T> {
    /// By sender and id, so that nobody can add to another's packet.
    waiting: HashMap<(Option<Sender>, String), Parts<T>>,
    bytes: usize,
}

struct Parts<T> {
    parts: Vec<Option<Vec<u8>>>,
    tokens: Vec<T>,
    bytes: usize,
}

/// The result of taking in a message.
pub(crate) enum JoinResult<T> {
    /// Other parts are missing.
    Waits,
    /// It was the last part. The tokens of all parts are to be acknowledged once the packet is
    /// dealt with.
    Complete {
        /// The sender of the packet.
        sender: Option<Sender>,
        /// The batch that it answers.
        batch: Option<String>,
        bytes: Vec<u8>,
        tokens: Vec<T>,
    },
    /// The message is not part of a packet, or is part of one that is too large or contradicts
    /// itself; says why. The whole packet is dropped.
    Refused {
        /// The sender of the message.
        sender: Option<Sender>,
        problem: &'static str,
        tokens: Vec<T>,
    },
}

impl<T> Packets<T> {
    pub(crate) fn new() -> Packets<T> {
        Packets { waiting: HashMap::new(), bytes: 0 }
    }

    /// Takes in a message.
    pub(crate) fn join(
        &mut self,
        headers: Option<&HeaderMap>,
        payload: &[u8],
        token: T,
    ) -> JoinResult<T> {
        let sender = sender_of(headers);
        let Some((id, number, of)) = part_of(headers) else {
            let problem = "a message that is not part of a packet";
            return JoinResult::Refused { sender, problem, tokens: vec![token] };
        };
        let key = (sender, id);
        let cost = of * size_of::<Option<Vec<u8>>>();
        let packet = self.waiting.entry(key.clone()).or_insert_with(|| {
            self.bytes += cost;
            Parts { parts: vec![None; of], tokens: Vec::new(), bytes: cost }
        });
        packet.tokens.push(token);
        // A part that waits long is delivered again, and replaces itself.
        let known = packet.parts.get(number).and_then(Option::as_ref).map_or(0, Vec::len);
        packet.bytes = packet.bytes - known + payload.len() + PART_COST;
        self.bytes = self.bytes - known + payload.len() + PART_COST;
        let fits = packet.parts.len() == of && packet.bytes <= MAX_BYTES;
        if packet.parts.len() == of {
            packet.parts[number] = Some(payload.to_vec());
        }
        if fits && packet.parts.iter().any(Option::is_none) {
            return JoinResult::Waits;
        }
        let packet = self.waiting.remove(&key).expect("it is there");
        self.bytes -= packet.bytes;
        let (sender, tokens) = (key.0, packet.tokens);
        if !fits {
            let problem =
                "a packet that is longer than any batch, or whose parts contradict each other";
            return JoinResult::Refused { sender, problem, tokens };
        }
        let bytes: Vec<u8> = packet.parts.into_iter().flatten().flatten().collect();
        JoinResult::Complete { sender, batch: batch_of(headers).map(str::to_owned), bytes, tokens }
    }

    /// Whether incomplete packets hold more than honest workers would leave incomplete.
    pub(crate) fn is_overfull(&self) -> bool {
        self.bytes > MAX_WAITING_BYTES
    }

    /// Drops all incomplete packets, and returns their tokens.
    pub(crate) fn drop_all(&mut self) -> Vec<T> {
        self.bytes = 0;
        self.waiting.drain().flat_map(|(_, packet)| packet.tokens).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(who: &str, part: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("Quintain-Part", part);
        headers.insert("Quintain-Worker", format!("{} host:1", who.repeat(32)).as_str());
        headers
    }

    const ID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn parts_arrive_in_any_order_and_only_from_their_sender() {
        let mut packets = Packets::new();
        let part = |who: &str, number| headers(who, &format!("{ID} {number} 2"));
        let join = |packets: &mut Packets<u32>, who, number, text: &[u8], token| {
            packets.join(Some(&part(who, number)), text, token)
        };
        assert!(matches!(join(&mut packets, "a", 1, b"two", 1), JoinResult::Waits));
        assert!(matches!(join(&mut packets, "b", 0, b"lie", 2), JoinResult::Waits));
        let JoinResult::Complete { bytes, tokens, .. } = join(&mut packets, "a", 0, b"one ", 3)
        else {
            panic!("both parts are there");
        };
        assert_eq!((bytes.as_slice(), tokens), (b"one two".as_slice(), vec![1, 3]));
        assert_eq!(packets.drop_all(), [2]);
        assert_eq!(packets.bytes, 0);
    }

    #[test]
    fn incomplete_packets_are_bounded() {
        let mut packets = Packets::new();
        let mut sent = 0;
        while !packets.is_overfull() {
            let id = format!("{sent:032x} 0 2");
            let joined = packets.join(Some(&headers("a", &id)), &[0; 1 << 20], sent);
            assert!(matches!(joined, JoinResult::Waits));
            sent += 1;
        }
        assert!(sent <= MAX_WAITING_BYTES >> 20);
        assert_eq!(packets.drop_all().len(), sent);
        // A single packet is bounded as well, and a part that is delivered again is not counted
        // twice.
        let most = MAX_BYTES >> 20;
        let mut join = |number: usize| {
            let part = headers("a", &format!("{ID} {number} {}", most + 2));
            matches!(packets.join(Some(&part), &[0; 1 << 20], number), JoinResult::Waits)
        };
        assert!((0..2 * most).all(|_| join(0)));
        assert_eq!((0..=most).position(|number| !join(number)), Some(most - 1));
        assert_eq!(packets.bytes, 0);
    }
}
