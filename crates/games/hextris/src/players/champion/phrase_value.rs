//! The value of a node of the phrases' automaton while a unit falls: the value of phrases that have
//! been begun.
//!
//! Without it, a search would prefer any text that has just finished a phrase over one that is a
//! letter short of a longer one. A phrase of `L` letters with `d` downward commands pays `2 L`
//! points each time (and once [`ONCE`]). But the unit has to go down anyway, and going down earns
//! points by other phrases too: about `density` for each downward command. So what counts for a
//! phrase is its *profit*, `2 L − density · d`, and a node at which `k` of its letters have been
//! spoken, with `d(k)` downward commands, is worth
//!
//! `density · d(k)` (what these commands would have earned otherwise) `+ profit · k / L`.
//!
//! A profit below 0 counts in full from the first letter on, so that a bad phrase is not begun. One
//! above 0 is earned letter by letter, so that a text that has not begun the phrase yet is not far
//! behind. The end of a path is ranked by its points plus this value.

use std::ops::Range;

use crate::players::champion::phrase_scorer::PhraseScorer;
use crate::rules::phrases::ONCE;

/// Values are counted in this many parts of a point. Each letter costs one part, so that the
/// shorter of two paths with equal points is preferred.
pub(super) const POINT: i32 = 256;

/// The values of all nodes while a unit of one period falls and some phrases have been spoken
/// already. They are computed once for every set of spoken phrases that the search meets.
#[derive(Clone, Debug)]
pub(super) struct PhraseValue {
    /// By node, in parts of a point.
    worth: Vec<i32>,
    /// By node, the node that it is taken for: itself, or the longest proper suffix that is worth
    /// as much. Nodes taken for the same one are the same state of the search.
    taken_for: Vec<u16>,
    /// Letters worth speaking, by node and command.
    choices: Vec<Choice>,
    /// By node and command, where its choices begin; with one more entry for the end.
    from: Vec<u32>,
}

/// A letter worth speaking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// What it earns, in parts of a point, without the points paid only once.
    pub earned: i32,
    /// The value of the node after it.
    pub promise: i32,
    /// The node that the one after it is taken for.
    pub node: u16,
    /// The letter.
    pub letter: u8,
    /// Whether it ends a phrase that has not been spoken yet.
    pub is_new: bool,
}

/// How phrases are weighed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PhraseWeights {
    /// The points that a downward command is expected to earn anyway.
    pub density: f32,
    /// The share of the points paid once for a phrase that counts when it is spoken: the rest would
    /// be earned later anyway.
    pub share: f32,
}

impl PhraseWeights {
    /// What the first speaking of a phrase counts besides its letters, in parts of a point.
    #[inline]
    pub(super) fn once(&self) -> i32 {
        (ONCE as f32 * self.share) as i32 * POINT
    }
}

/// What the phrases that have been begun at a node are worth by themselves, in parts of a point:
/// the most of them; `i32::MIN` if there is none.
fn own_worth(
    scorer: &PhraseScorer,
    node: usize,
    period: u8,
    used: u64,
    phrase_weights: PhraseWeights,
) -> i32 {
    let worth = scorer.begun[node].iter().filter_map(|&(phrase, letters)| {
        let new = used >> phrase & 1 == 0;
        let phrase = &scorer.phrases[usize::from(phrase)];
        let letters = usize::from(letters);
        if letters == phrase.commands.len() || !phrase.rest[usize::from(period)][letters] {
            return None;
        }
        let once = if new { ONCE as f32 * phrase_weights.share } else { 0.0 };
        let pays = phrase.points as f32 + once;
        let profit = pays - phrase_weights.density * phrase.downs() as f32;
        let spoken = phrase.downs[letters] as f32 * phrase_weights.density;
        let done = letters as f32 / phrase.commands.len() as f32;
        let earned = if profit > 0.0 { profit * done } else { profit };
        Some(((spoken + earned) * POINT as f32) as i32)
    });
    worth.max().unwrap_or(i32::MIN)
}

/// The values of nodes and what they are taken for, by the values that they have by themselves: a
/// node whose own phrases are worth less than those of its suffix is taken for that suffix.
fn take_for_suffixes(scorer: &PhraseScorer, own: Vec<i32>) -> (Vec<i32>, Vec<u16>) {
    let nodes = own.len();
    let mut worth = own;
    let mut taken_for: Vec<u16> = (0..nodes as u16).collect();
    worth[0] = 0;
    // Shorter nodes first: the value of a proper suffix must be known before that of the node that
    // ends in it.
    let mut order: Vec<usize> = (1..nodes).collect();
    order.sort_by_key(|node| scorer.begun[*node].first().map_or(0, |begun| begun.1));
    for node in order {
        let behind = usize::from(scorer.behind[node]);
        if worth[node] <= worth[behind] {
            worth[node] = worth[behind];
            taken_for[node] = taken_for[behind];
        }
    }
    (worth, taken_for)
}

impl PhraseValue {
    pub(super) fn new(
        scorer: &PhraseScorer,
        period: u8,
        used: u64,
        phrase_weights: PhraseWeights,
    ) -> PhraseValue {
        let nodes = scorer.automaton.nodes();
        let own = (0..nodes).map(|node| own_worth(scorer, node, period, used, phrase_weights));
        let (worth, taken_for) = take_for_suffixes(scorer, own.collect());
        let mut value = PhraseValue { worth, taken_for, choices: Vec::new(), from: vec![0] };
        for node in 0..nodes as u16 {
            for command in 0..6 {
                value.add_choices(scorer, used, node, command);
                value.from.push(value.choices.len() as u32);
            }
        }
        value
    }

    /// Adds the letters worth speaking for a command at a node.
    fn add_choices(&mut self, scorer: &PhraseScorer, used: u64, node: u16, command: usize) {
        let from = self.choices.len();
        for spoken in scorer.letters_for(node, command) {
            let heard = scorer.phrases_at(spoken.node);
            let points = |phrase: &u16| scorer.phrases[usize::from(*phrase)].points * POINT;
            let (node, promise) = self.of(spoken.node);
            let choice = Choice {
                earned: heard.iter().map(points).sum::<i32>() - 1,
                promise,
                node,
                letter: spoken.letter,
                is_new: heard.iter().any(|phrase| used >> phrase & 1 == 0),
            };
            // Among letters that lead to nodes taken for the same one, the best will do.
            let known = self.choices[from..]
                .iter_mut()
                .find(|known| known.node == node && !known.is_new && !choice.is_new);
            match known {
                Some(known) if known.earned < choice.earned => *known = choice,
                Some(_) => {}
                None => self.choices.push(choice),
            }
        }
        if self.choices.len() > from + 1 {
            self.drop_plain(from);
        }
    }

    /// Drops the letters from this one on after which nothing has been heard, except one of them if
    /// it is the best.
    fn drop_plain(&mut self, from: usize) {
        let mut kept = from;
        let best = self.choices[from..].iter().map(|c| c.earned + c.promise).max();
        for index in from..self.choices.len() {
            let choice = self.choices[index];
            let plain = choice.node == 0 && choice.earned < 0 && !choice.is_new;
            if !plain || best == Some(choice.earned + choice.promise) && kept == from {
                self.choices[kept] = choice;
                kept += 1;
            }
        }
        self.choices.truncate(kept.max(from + 1));
    }

    /// The letters worth speaking for a command, each to be looked up by [`choice`](Self::choice).
    #[inline]
    pub(super) fn choices(&self, node: u16, command: usize) -> Range<usize> {
        let at = usize::from(node) * 6 + command;
        self.from[at] as usize..self.from[at + 1] as usize
    }

    /// One of the letters worth speaking.
    #[inline]
    pub(super) fn choice(&self, index: usize) -> Choice {
        self.choices[index]
    }

    /// The node that this one is taken for, and its value in parts of a point.
    #[inline]
    pub(super) fn of(&self, node: u16) -> (u16, i32) {
        let taken_for = self.taken_for[usize::from(node)];
        (taken_for, self.worth[usize::from(taken_for)])
    }
}
