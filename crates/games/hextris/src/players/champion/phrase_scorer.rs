//! The phrases as one hears them on the way: for each state of the automaton and each
//! command the letters worth speaking, and what a phrase that has been begun is worth.
//!
//! A begun phrase is worth what it will pay, less what the downward commands still to be
//! spoken would have paid anyway; a phrase that pays more than that even as a whole earns
//! it letter by letter, so that one that has not been begun yet is not envied.

use std::collections::HashMap;

use crate::players::champion::steps::Seen;
use crate::rules::commands::{Command, command_of};
use crate::rules::phrases::{ONCE, Phrases};

/// Values are held in this many parts of a point, to prefer short paths.
pub(super) const POINT: i32 = 256;

/// The most phrases that are pursued.
const MOST: usize = 64;

/// A letter to speak.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken {
    /// The state after it.
    pub node: u16,
    /// The letter.
    pub letter: u8,
    /// Whether a phrase ends here.
    pub ends: bool,
}

/// A phrase, as the search sees it.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    commands: Vec<Command>,
    /// Two points a letter.
    pub points: i32,
    /// By letters spoken, the downward commands among them.
    downs: Vec<i32>,
    /// Whether the rest can be spoken by one unit, by period and letters spoken.
    rest: [Vec<bool>; 7],
}

impl Phrase {
    fn new(text: &str) -> Phrase {
        let commands: Vec<Command> = text.bytes().filter_map(command_of).collect();
        let mut downs = vec![0];
        downs.extend(commands.iter().scan(0, |sum, command| {
            *sum += i32::from(command.is_down());
            Some(*sum)
        }));
        let rest = std::array::from_fn(|period| {
            (0..=commands.len()).map(|from| goes(&commands[from..], period as u8)).collect()
        });
        Phrase { points: 2 * commands.len() as i32, commands, downs, rest }
    }

    /// Its downward commands.
    pub(super) fn downs(&self) -> i32 {
        self.downs[self.commands.len()]
    }
}

/// Whether a unit with this period can obey in the open without coming back.
fn goes(commands: &[Command], period: u8) -> bool {
    if period == 0 {
        return false;
    }
    let (mut rotation, mut seen) = (0, Seen::start(0));
    for command in commands {
        match command {
            Command::Clockwise => rotation = (rotation + 1) % period,
            Command::CounterClockwise => rotation = (rotation + period - 1) % period,
            _ => {}
        }
        seen = match command.is_down() {
            true => Seen::start(rotation),
            false => match seen.after(*command, rotation) {
                Some(seen) => seen,
                None => return false,
            },
        };
    }
    true
}

/// The phrases that units of a game can speak.
#[derive(Clone, Debug)]
pub(super) struct PhraseScorer {
    automaton: Phrases,
    pub phrases: Vec<Phrase>,
    /// By phrase, its index among those of the game.
    indices: Vec<usize>,
    /// By state and command.
    spoken: Vec<[Vec<Spoken>; 6]>,
    /// By state, the next shorter one that is heard too.
    behind: Vec<u16>,
    /// By state, phrases that it begins, and how many letters of them it holds.
    begun: Vec<Vec<(u16, u16)>>,
    /// By period, what a downward command earns in the open.
    density: [f32; 7],
}

impl PhraseScorer {
    /// The phrases that a unit with one of these periods can speak.
    pub(super) fn new(all: &Phrases, periods: &[u8]) -> PhraseScorer {
        let mut indices: Vec<usize> = (0..all.len())
            .filter(|index| {
                let commands: Vec<Command> =
                    all.texts()[*index].bytes().filter_map(command_of).collect();
                periods.iter().any(|period| goes(&commands, *period))
            })
            .collect();
        if indices.len() > MOST {
            // The short ones are easy to speak.
            indices.sort_by_key(|index| (all.texts()[*index].len(), *index));
            indices.truncate(MOST);
            indices.sort_unstable();
        }
        let texts = indices.iter().map(|index| all.texts()[*index].as_str());
        let automaton = Phrases::new(texts);
        let phrases: Vec<Phrase> = automaton.texts().iter().map(|text| Phrase::new(text)).collect();
        let nodes = automaton.nodes();
        let mut begun = vec![Vec::new(); nodes];
        let mut behind = vec![0; nodes];
        for (index, text) in automaton.texts().iter().enumerate() {
            let mut node = 0;
            for (letter, byte) in text.bytes().enumerate() {
                node = automaton.after(node, byte);
                begun[usize::from(node)].push((index as u16, letter as u16 + 1));
                // The longest proper end that is a state is heard by leaving letters out.
                behind[usize::from(node)] =
                    text.as_bytes()[1..=letter].iter().fold(0, |at, b| automaton.after(at, *b));
            }
        }
        let mut scorer = PhraseScorer {
            automaton,
            phrases,
            indices,
            spoken: Vec::new(),
            behind,
            begun,
            density: [0.0; 7],
        };
        scorer.spoken = (0..nodes as u16)
            .map(|node| std::array::from_fn(|command| scorer.letters(node, Command::ALL[command])))
            .collect();
        for period in [1, 2, 3, 6] {
            if periods.contains(&period) {
                scorer.density[usize::from(period)] = scorer.open_density(period);
            }
        }
        scorer
    }

    /// The letters of a command that lead to states of which none is heard in another.
    fn letters(&self, node: u16, command: Command) -> Vec<Spoken> {
        let mut letters: Vec<Spoken> = Vec::new();
        for letter in command.letters().bytes() {
            let to = self.automaton.after(node, letter);
            if letters.iter().all(|known| known.node != to) {
                letters.push(Spoken {
                    node: to,
                    letter,
                    ends: !self.automaton.heard(to).is_empty(),
                });
            }
        }
        let all = letters.clone();
        letters.retain(|one| !all.iter().any(|other| self.hears(other.node, one.node)));
        letters
    }

    /// Whether `shorter` is a proper end of what has been heard at `longer`.
    fn hears(&self, mut longer: u16, shorter: u16) -> bool {
        while longer != 0 {
            longer = self.behind[usize::from(longer)];
            if longer == shorter {
                return true;
            }
        }
        false
    }

    /// The phrases pursued.
    #[cfg(test)]
    pub(super) fn texts(&self) -> &[String] {
        self.automaton.texts()
    }

    /// The letters worth speaking for a command.
    #[inline]
    pub(super) fn spoken(&self, node: u16, command: usize) -> &[Spoken] {
        &self.spoken[usize::from(node)][command]
    }

    /// The state after a letter.
    #[inline]
    pub(super) fn hear(&self, node: u16, letter: u8) -> u16 {
        self.automaton.after(node, letter)
    }

    /// Which of the phrases pursued end on coming to a state.
    #[inline]
    pub(super) fn heard(&self, node: u16) -> &[u16] {
        self.automaton.heard(node)
    }

    /// Of the phrases pursued, those counted already, as bits.
    pub(super) fn used(&self, counts: &[u32]) -> u64 {
        let spoken = |(bit, index): (usize, &usize)| u64::from(counts[*index] > 0) << bit;
        self.indices.iter().enumerate().map(spoken).sum()
    }

    /// The state after a beginning heard by the automaton of the game.
    pub(super) fn after(&self, heard: &str) -> u16 {
        heard.bytes().fold(0, |node, byte| self.automaton.after(node, byte))
    }

    /// What a downward command earns in the open, without what is paid once.
    pub(super) fn density(&self, period: u8) -> f32 {
        self.density[usize::from(period)]
    }

    /// What is earned in a long fall through the open, by downward command, with few letters
    /// in every row.
    fn open_density(&self, period: u8) -> f32 {
        const DOWNS: usize = 48;
        const LETTERS: usize = 4;
        // What is so much worse than the best is as good as never.
        const MARGIN: i32 = 24;
        type At = (u16, Seen, u8);
        let mut row: HashMap<At, i32> = HashMap::from([((0, Seen::start(0), 0), 0)]);
        let (mut half, mut best) = (0, 0);
        for down in 0..DOWNS {
            let mut below: HashMap<At, i32> = HashMap::new();
            for letters in 0..=LETTERS {
                let mut beside: HashMap<At, i32> = HashMap::new();
                for (&(node, seen, rotation), &worth) in &row {
                    for (index, command) in Command::ALL.into_iter().enumerate() {
                        let turned = match command {
                            Command::Clockwise => (rotation + 1) % period,
                            Command::CounterClockwise => (rotation + period - 1) % period,
                            // Turning the whole row turns nothing in what follows.
                            Command::SouthWest | Command::SouthEast => 0,
                            _ => rotation,
                        };
                        let seen = match command.is_down() {
                            true => Some(Seen::start(0)),
                            false if letters == LETTERS => None,
                            false => seen.after(command, turned),
                        };
                        let Some(seen) = seen else { continue };
                        let map = if command.is_down() { &mut below } else { &mut beside };
                        for spoken in self.spoken(node, index) {
                            let heard = self.heard(spoken.node).iter();
                            let points: i32 =
                                heard.map(|phrase| self.phrases[usize::from(*phrase)].points).sum();
                            let known = map.entry((spoken.node, seen, turned)).or_insert(i32::MIN);
                            *known = worth.saturating_add(points).max(*known);
                        }
                    }
                }
                row = beside;
            }
            best = below.values().copied().max().unwrap_or(0);
            below.retain(|_, worth| *worth + MARGIN >= best);
            row = below;
            if down + 1 == DOWNS / 2 {
                half = best;
            }
        }
        (best - half) as f32 / (DOWNS / 2) as f32
    }
}

/// What states are worth while a unit with one period falls and some phrases have been
/// spoken already.
#[derive(Clone, Debug)]
pub(super) struct PhraseValue {
    /// By state.
    worth: Vec<i32>,
    /// By state, the one that it counts as: the longest end that is worth more.
    counts_as: Vec<u16>,
    /// Letters worth speaking, by state and command.
    choices: Vec<Choice>,
    /// By state and command, where its choices begin.
    from: Vec<u32>,
}

/// A letter worth speaking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// What is earned by it, without what is paid once.
    pub earned: i32,
    /// What the state after it promises.
    pub promise: i32,
    /// The state that the one after it counts as.
    pub node: u16,
    /// The letter.
    pub letter: u8,
    /// Whether it ends a phrase that has not been spoken yet.
    pub is_new: bool,
}

/// How phrases are weighed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PhraseWeights {
    /// What a downward command earns anyway.
    pub density: f32,
    /// Of the points paid once for a phrase, the share counted when it is spoken: what is
    /// left would be earned later anyway.
    pub share: f32,
}

impl PhraseWeights {
    /// What speaking a phrase for the first time counts besides its letters.
    #[inline]
    pub(super) fn once(&self) -> i32 {
        (ONCE as f32 * self.share) as i32 * POINT
    }
}

impl PhraseValue {
    pub(super) fn new(
        scorer: &PhraseScorer,
        period: u8,
        used: u64,
        phrase_weights: PhraseWeights,
    ) -> PhraseValue {
        let nodes = scorer.automaton.nodes();
        let own: Vec<i32> = (0..nodes)
            .map(|node| {
                let begun = scorer.begun[node].iter();
                let worth = begun.filter_map(|&(phrase, letters)| {
                    let new = used >> phrase & 1 == 0;
                    let phrase = &scorer.phrases[usize::from(phrase)];
                    let letters = usize::from(letters);
                    if letters == phrase.commands.len()
                        || !phrase.rest[usize::from(period)][letters]
                    {
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
            })
            .collect();
        let mut worth = own;
        let mut counts_as: Vec<u16> = (0..nodes as u16).collect();
        worth[0] = 0;
        // Shorter states first.
        let mut order: Vec<usize> = (1..nodes).collect();
        order.sort_by_key(|node| scorer.begun[*node].first().map_or(0, |begun| begun.1));
        for node in order {
            let behind = usize::from(scorer.behind[node]);
            if worth[node] <= worth[behind] {
                worth[node] = worth[behind];
                counts_as[node] = counts_as[behind];
            }
        }
        let mut phrase_value = PhraseValue { worth, counts_as, choices: Vec::new(), from: vec![0] };
        for node in 0..nodes as u16 {
            for command in 0..6 {
                let from = phrase_value.choices.len();
                for spoken in scorer.spoken(node, command) {
                    let heard = scorer.heard(spoken.node);
                    let points = |phrase: &u16| scorer.phrases[usize::from(*phrase)].points * POINT;
                    let (node, promise) = phrase_value.of(spoken.node);
                    let choice = Choice {
                        earned: heard.iter().map(points).sum::<i32>() - 1,
                        promise,
                        node,
                        letter: spoken.letter,
                        is_new: heard.iter().any(|phrase| used >> phrase & 1 == 0),
                    };
                    // Of equal ones, one will do.
                    let known = phrase_value.choices[from..]
                        .iter_mut()
                        .find(|known| known.node == node && !known.is_new && !choice.is_new);
                    match known {
                        Some(known) if known.earned < choice.earned => *known = choice,
                        Some(_) => {}
                        None => phrase_value.choices.push(choice),
                    }
                }
                // What counts as nothing heard is no better than anything else.
                if phrase_value.choices.len() > from + 1 {
                    let mut kept = from;
                    let best =
                        phrase_value.choices[from..].iter().map(|c| c.earned + c.promise).max();
                    for index in from..phrase_value.choices.len() {
                        let choice = phrase_value.choices[index];
                        let plain = choice.node == 0 && choice.earned < 0 && !choice.is_new;
                        if !plain || best == Some(choice.earned + choice.promise) && kept == from {
                            phrase_value.choices[kept] = choice;
                            kept += 1;
                        }
                    }
                    phrase_value.choices.truncate(kept.max(from + 1));
                }
                phrase_value.from.push(phrase_value.choices.len() as u32);
            }
        }
        phrase_value
    }

    /// The letters worth speaking for a command.
    #[inline]
    pub(super) fn choices(&self, node: u16, command: usize) -> &[Choice] {
        let at = usize::from(node) * 6 + command;
        &self.choices[self.from[at] as usize..self.from[at + 1] as usize]
    }

    /// The state that this one counts as, and what it is worth.
    #[inline]
    pub(super) fn of(&self, node: u16) -> (u16, i32) {
        let counts_as = self.counts_as[usize::from(node)];
        (counts_as, self.worth[usize::from(counts_as)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usable_phrases_are_those_that_the_symmetry_of_a_unit_allows() {
        let usable = |period| -> Vec<String> {
            PhraseScorer::new(&Phrases::contest(), &[period]).automaton.texts().to_vec()
        };
        assert_eq!(usable(1), ["ei!", "ia! ia!"]);
        assert_eq!(usable(3).len(), 18);
        assert_eq!(usable(6).len(), 18);
        let missing = ["the laundry", "tsathoggua"];
        let two = usable(2);
        assert_eq!(two.len(), 15);
        assert!(missing.iter().all(|phrase| !two.contains(&(*phrase).to_owned())));
        assert!(PhraseScorer::new(&Phrases::new(["ei!ei!"]), &[6]).phrases.is_empty());
    }

    #[test]
    fn a_downward_command_earns_at_most_six_points_in_the_open() {
        let scorer = PhraseScorer::new(&Phrases::contest(), &[1, 6]);
        assert!(scorer.density(1) > 4.0 && scorer.density(1) < 6.0, "{}", scorer.density(1));
        assert!(scorer.density(6) > 5.0 && scorer.density(6) <= 6.0, "{}", scorer.density(6));
    }

    #[test]
    fn only_letters_that_may_lead_somewhere_are_spoken() {
        let scorer = PhraseScorer::new(&Phrases::new(["ei!"]), &[6]);
        let letters = |command: Command| -> String {
            scorer.spoken(0, command as usize).iter().map(|one| char::from(one.letter)).collect()
        };
        assert_eq!(letters(Command::East), "e");
        assert_eq!(letters(Command::West).len(), 1);
    }
}
