//! Phrases of power: the automaton that finds all of them in a command string, letter by letter
//! (Aho & Corasick 1975), and what they are worth.

use std::collections::VecDeque;

use crate::rules::commands::command_of;

/// The eighteen phrases of the contest, from its last list.
pub const CONTEST: [&str; 18] = [
    "ei!",
    "ia! ia!",
    "r'lyeh",
    "yuggoth",
    "tsathoggua",
    "yogsothoth",
    "necronomicon",
    "vigintillion",
    "cthulhu fhtagn!",
    "ph'nglui mglw'nafh cthulhu r'lyeh wgah'nagl fhtagn.",
    "in his house at r'lyeh dead cthulhu waits dreaming.",
    "the laundry",
    "planet 10",
    "yoyodyne",
    "monkeyboy",
    "john bigboote",
    "blue hades",
    "case nightmare green",
];

/// The points paid once for every phrase that occurs.
pub const ONCE: u64 = 300;

/// A set of phrases and the automaton that hears them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phrases {
    texts: Vec<String>,
    /// By node and byte, the next node.
    next: Vec<[u16; 256]>,
    /// By node, the phrases that end there, as indices.
    ends: Vec<Vec<u16>>,
    /// By node, its length in bytes.
    depth: Vec<u16>,
    /// By node, the byte that leads to it and the node before.
    parent: Vec<(u16, u8)>,
}

impl Phrases {
    /// Builds the automaton of the phrases that can be spoken at all, each once and in lower case.
    /// Phrases that are empty, too long, or contain a character that is not a command are left out.
    pub fn new<T: AsRef<str>>(phrases: impl IntoIterator<Item = T>) -> Phrases {
        let mut set = Phrases {
            texts: Vec::new(),
            next: vec![[0; 256]],
            ends: vec![Vec::new()],
            depth: vec![0],
            parent: vec![(0, 0)],
        };
        for phrase in phrases {
            let text = phrase.as_ref().to_ascii_lowercase();
            let room = usize::from(u16::MAX) - set.next.len();
            let fits = !text.is_empty() && text.len() < room && set.texts.len() < 4_096;
            if fits && Phrases::can_be_spoken(&text) && !set.texts.contains(&text) {
                set.add(text);
            }
        }
        set.close();
        set
    }

    /// Builds the automaton of the contest's eighteen phrases.
    pub fn contest() -> Phrases {
        Phrases::new(CONTEST)
    }

    /// Whether every character of a phrase is a command.
    pub fn can_be_spoken(phrase: &str) -> bool {
        phrase.bytes().all(|byte| command_of(byte).is_some())
    }

    fn add(&mut self, text: String) {
        let mut node = 0;
        for byte in text.bytes() {
            let mut child = self.next[node][usize::from(byte)];
            if child == 0 {
                child = self.next.len() as u16;
                self.next[node][usize::from(byte)] = child;
                self.next.push([0; 256]);
                self.ends.push(Vec::new());
                self.depth.push(self.depth[node] + 1);
                self.parent.push((node as u16, byte));
            }
            node = usize::from(child);
        }
        self.ends[node].push(self.texts.len() as u16);
        self.texts.push(text);
    }

    /// Turns the trie into the automaton, breadth first.
    fn close(&mut self) {
        let mut fail = vec![0u16; self.next.len()];
        let mut queue: VecDeque<usize> = VecDeque::new();
        queue.extend(self.next[0].iter().filter(|child| **child != 0).map(|c| usize::from(*c)));
        while let Some(node) = queue.pop_front() {
            let behind = usize::from(fail[node]);
            let also = self.ends[behind].clone();
            self.ends[node].extend(also);
            for byte in 0..256 {
                let child = self.next[node][byte];
                let other = self.next[behind][byte];
                if child == 0 {
                    self.next[node][byte] = other;
                } else {
                    fail[usize::from(child)] = other;
                    queue.push_back(usize::from(child));
                }
            }
        }
        // Upper case counts as lower case.
        for next in &mut self.next {
            for byte in b'A'..=b'Z' {
                next[usize::from(byte)] = next[usize::from(byte.to_ascii_lowercase())];
            }
        }
    }

    /// The phrases, in order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The number of phrases.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no phrases.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The number of nodes of the automaton; at node 0 nothing has been heard.
    pub fn nodes(&self) -> usize {
        self.next.len()
    }

    /// The node after a byte.
    #[inline]
    pub fn after(&self, node: u16, byte: u8) -> u16 {
        self.next[usize::from(node)][usize::from(byte)]
    }

    /// The phrases that end at a node.
    #[inline]
    pub fn phrases_at(&self, node: u16) -> &[u16] {
        &self.ends[usize::from(node)]
    }

    /// Returns what has been heard at a node: the longest prefix of a phrase that was just spoken.
    pub fn beginning(&self, node: u16) -> String {
        let mut bytes = Vec::new();
        let mut node = node;
        while node != 0 {
            let (before, byte) = self.parent[usize::from(node)];
            bytes.push(byte);
            node = before;
        }
        bytes.reverse();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Counts how often each phrase occurs in a text, overlaps included.
    pub fn counts(&self, text: &str) -> Vec<u32> {
        let mut counts = vec![0; self.len()];
        let mut node = 0;
        for byte in text.bytes() {
            node = self.after(node, byte);
            for phrase in self.phrases_at(node) {
                counts[usize::from(*phrase)] += 1;
            }
        }
        counts
    }

    /// The points for these counts of the phrases.
    pub fn power(&self, counts: &[u32]) -> u64 {
        let worth = |(text, count): (&String, &u32)| match *count {
            0 => 0,
            count => 2 * text.len() as u64 * u64::from(count) + ONCE,
        };
        self.texts.iter().zip(counts).map(worth).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn occurrences_overlap() {
        let phrases = Phrases::new(["ia! ia!"]);
        assert_eq!(phrases.counts("ia! ia! ia!"), [2]);
        assert_eq!(phrases.power(&[2]), 2 * 7 * 2 + 300);
    }

    #[test]
    fn a_phrase_within_a_phrase_counts_too_and_a_newline_breaks_one() {
        let phrases = Phrases::contest();
        let text = "In his house at R'lyeh dead Cthulhu waits dreaming.";
        let counts = phrases.counts(text);
        assert_eq!((counts[10], counts[2]), (1, 1));
        assert_eq!(Phrases::new(["ei!"]).counts("ei\n!"), [0]);
    }

    #[test]
    fn phrases_that_cannot_be_spoken_are_left_out_and_equal_ones_are_one() {
        let phrases = Phrases::new(["Ei!", "ei!", "naïve", "a-b", "", "6"]);
        assert_eq!(phrases.texts(), ["ei!"]);
    }

    #[test]
    fn a_node_knows_its_beginning() {
        let phrases = Phrases::contest();
        let node = "lei! r'ly".bytes().fold(0, |node, byte| phrases.after(node, byte));
        assert_eq!(phrases.beginning(node), "r'ly");
    }

    proptest! {
        #[test]
        fn the_automaton_hears_what_looking_at_every_start_hears(
            phrases in prop::collection::vec("[ab!]{1,4}", 0..5),
            text in "[abAB!\n]{0,40}",
        ) {
            let set = Phrases::new(&phrases);
            let plain: Vec<u32> = set
                .texts()
                .iter()
                .map(|phrase| {
                    let text = text.to_ascii_lowercase();
                    let is_spoken = |start: &usize| text[*start..].starts_with(phrase.as_str());
                    (0..text.len()).filter(is_spoken).count() as u32
                })
                .collect();
            prop_assert_eq!(set.counts(&text), plain);
        }
    }
}
