//! Which phrases the units of a game can speak at all, and which of the six letters of a command
//! are worth trying in each state of the automaton that hears them.
//!
//! A command has six letters, so a path of twenty commands can be spoken in 6²⁰ ways. Nearly all
//! are the same to the automaton: a letter that leads to a node is pointless if another letter of
//! the same command leads to a node in which the first node is heard as well, as a proper suffix.
//! That leaves one letter in most nodes, rarely more than two. The value of a node is in
//! [`super::phrase_value`].

use std::collections::HashMap;

use crate::players::champion::steps::SeenSteps;
use crate::rules::commands::{Command, command_of};
use crate::rules::phrases::Phrases;

/// The most phrases that are pursued.
const MAX_PHRASES: usize = 64;

/// A letter that is worth speaking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken {
    /// The node of the automaton after it.
    pub node: u16,
    /// The letter.
    pub letter: u8,
    /// Whether a phrase ends here.
    pub ends: bool,
}

/// A phrase, as the search for paths sees it.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub(super) commands: Vec<Command>,
    /// Two points a letter, each time that the phrase is spoken.
    pub points: i32,
    /// By number of letters spoken, the number of downward commands among them.
    pub(super) downs: Vec<i32>,
    /// By period of a unit and number of letters spoken: whether one unit can speak the rest in
    /// open space. If it cannot, the phrase is not worth continuing.
    pub(super) rest: [Vec<bool>; 7],
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
            (0..=commands.len()).map(|from| can_obey(&commands[from..], period as u8)).collect()
        });
        Phrase { points: 2 * commands.len() as i32, commands, downs, rest }
    }

    /// The number of its downward commands.
    pub(super) fn downs(&self) -> i32 {
        self.downs[self.commands.len()]
    }
}

/// Whether a unit with this period can obey in open space without coming back to an earlier
/// position.
fn can_obey(commands: &[Command], period: u8) -> bool {
    if period == 0 {
        return false;
    }
    let (mut rotation, mut seen) = (0, SeenSteps::start(0));
    for command in commands {
        match command {
            Command::Clockwise => rotation = (rotation + 1) % period,
            Command::CounterClockwise => rotation = (rotation + period - 1) % period,
            _ => {}
        }
        seen = match command.is_down() {
            true => SeenSteps::start(rotation),
            false => match seen.after(*command, rotation) {
                Some(seen) => seen,
                None => return false,
            },
        };
    }
    true
}

/// The phrases that the units of a game can speak, and how to speak them.
#[derive(Clone, Debug)]
pub(super) struct PhraseScorer {
    pub(super) automaton: Phrases,
    pub phrases: Vec<Phrase>,
    /// By phrase, its index among those of the game.
    indices: Vec<usize>,
    /// By node and command, the letters worth speaking.
    spoken: Vec<[Vec<Spoken>; 6]>,
    /// By node, the longest shorter one that is heard in it too (its failure link).
    pub(super) behind: Vec<u16>,
    /// By node, the phrases that it is a prefix of, and how many of their letters it has.
    pub(super) begun: Vec<Vec<(u16, u16)>>,
    /// By period, the points that a downward command earns in open space.
    density: [f32; 7],
}

impl PhraseScorer {
    /// Creates the scorer of those phrases that a unit with one of these periods can speak. A
    /// phrase whose commands bring every unit of the game back to an earlier position is never
    /// paid.
    pub(super) fn new(all: &Phrases, periods: &[u8]) -> PhraseScorer {
        let mut indices: Vec<usize> = (0..all.len())
            .filter(|index| {
                let commands: Vec<Command> =
                    all.texts()[*index].bytes().filter_map(command_of).collect();
                periods.iter().any(|period| can_obey(&commands, *period))
            })
            .collect();
        if indices.len() > MAX_PHRASES {
            // Sets of phrases are held as 64 bits. The short phrases are kept, since they are
            // spoken most often.
            indices.sort_by_key(|index| (all.texts()[*index].len(), *index));
            indices.truncate(MAX_PHRASES);
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
                // Hearing all letters but the first finds the longest proper suffix that is a node.
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
            .map(|node| {
                std::array::from_fn(|command| scorer.find_letters(node, Command::ALL[command]))
            })
            .collect();
        for period in [1, 2, 3, 6] {
            if periods.contains(&period) {
                scorer.density[usize::from(period)] = scorer.measure_density(period);
            }
        }
        scorer
    }

    /// The letters of a command that lead to nodes of which none is heard in another.
    fn find_letters(&self, node: u16, command: Command) -> Vec<Spoken> {
        let mut letters: Vec<Spoken> = Vec::new();
        for letter in command.letters().bytes() {
            let to = self.automaton.after(node, letter);
            if letters.iter().all(|known| known.node != to) {
                letters.push(Spoken {
                    node: to,
                    letter,
                    ends: !self.automaton.phrases_at(to).is_empty(),
                });
            }
        }
        let all = letters.clone();
        letters.retain(|one| !all.iter().any(|other| self.hears(other.node, one.node)));
        letters
    }

    /// Whether `shorter` is a proper suffix of what has been heard at `longer`.
    fn hears(&self, mut longer: u16, shorter: u16) -> bool {
        while longer != 0 {
            longer = self.behind[usize::from(longer)];
            if longer == shorter {
                return true;
            }
        }
        false
    }

    /// Whether there is no phrase to pursue.
    pub(super) fn is_silent(&self) -> bool {
        self.phrases.is_empty()
    }

    /// The phrases pursued.
    #[cfg(test)]
    pub(super) fn texts(&self) -> &[String] {
        self.automaton.texts()
    }

    /// The letters worth speaking for a command.
    #[inline]
    pub(super) fn letters_for(&self, node: u16, command: usize) -> &[Spoken] {
        &self.spoken[usize::from(node)][command]
    }

    /// The node after a letter.
    #[inline]
    pub(super) fn hear(&self, node: u16, letter: u8) -> u16 {
        self.automaton.after(node, letter)
    }

    /// Which of the phrases pursued end at a node.
    #[inline]
    pub(super) fn phrases_at(&self, node: u16) -> &[u16] {
        self.automaton.phrases_at(node)
    }

    /// Those of the phrases pursued that have been counted already, as bits.
    pub(super) fn find_counted(&self, counts: &[u32]) -> u64 {
        let to_bit = |(bit, index): (usize, &usize)| u64::from(counts[*index] > 0) << bit;
        self.indices.iter().enumerate().map(to_bit).sum()
    }

    /// The node after a prefix that the automaton of the game has heard.
    pub(super) fn after(&self, heard: &str) -> u16 {
        heard.bytes().fold(0, |node, byte| self.automaton.after(node, byte))
    }

    /// The points that a downward command earns in open space, without those paid only once.
    pub(super) fn density(&self, period: u8) -> f32 {
        self.density[usize::from(period)]
    }

    /// Measures what a long fall through open space earns per downward command, by dynamic
    /// programming over rows with few letters in each. Only the second half of the fall counts, so
    /// that its beginning, where no phrase is under way yet, does not matter.
    fn measure_density(&self, period: u8) -> f32 {
        const DOWNS: usize = 48;
        const LETTERS: usize = 4;
        // Entries so many points worse than the best of their row never become the best.
        const MARGIN: i32 = 24;
        type At = (u16, SeenSteps, u8);
        let mut row: HashMap<At, i32> = HashMap::from([((0, SeenSteps::start(0), 0), 0)]);
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
                            // In open space a fall continues alike from any rotation, so one is
                            // enough.
                            Command::SouthWest | Command::SouthEast => 0,
                            _ => rotation,
                        };
                        let seen = match command.is_down() {
                            true => Some(SeenSteps::start(0)),
                            false if letters == LETTERS => None,
                            false => seen.after(command, turned),
                        };
                        let Some(seen) = seen else { continue };
                        let map = if command.is_down() { &mut below } else { &mut beside };
                        for spoken in self.letters_for(node, index) {
                            let heard = self.phrases_at(spoken.node).iter();
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

/// The points that a downward command of a unit with this period earns in open space with these
/// phrases, without those paid only once.
pub(crate) fn points_per_down(phrases: &Phrases, period: u8) -> f32 {
    PhraseScorer::new(phrases, &[period]).density(period)
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
            scorer
                .letters_for(0, command as usize)
                .iter()
                .map(|one| char::from(one.letter))
                .collect()
        };
        assert_eq!(letters(Command::East), "e");
        assert_eq!(letters(Command::West).len(), 1);
    }
}
