//! A path to a chosen place that speaks phrases: the post's best-first search, whose edges are
//! whole phrases first, then single commands. A phrase never spoken before also counts its 300
//! points. Every position is settled once, by the path that is worth most when it is taken up. So
//! paths are good but not the best, because what was spoken on the way is not part of the state.

use std::collections::BinaryHeap;

use crate::rules::board::Board;
use crate::rules::commands::{Command, command_of};
use crate::rules::phrases::{ONCE, Phrases};
use crate::rules::units::{Position, Unit};
use crate::rules::walk::{MoveResult, Walk};

/// The search, made once for a game and used for every unit.
#[derive(Clone, Debug)]
pub struct PhraseSearch<'a> {
    phrases: &'a Phrases,
    /// The commands of each phrase.
    commands: Vec<Vec<Command>>,
    /// Whether each phrase has been spoken in this game so far.
    spoken: Vec<bool>,
    nodes: Vec<Node>,
    settled: Vec<u32>,
    search: u32,
}

#[derive(Clone, Debug)]
struct Node {
    walk: Walk,
    /// The previous node.
    parent: u32,
    edge: Edge,
    /// Those of the first 128 phrases that were spoken on the way for the first time in the game.
    new: u128,
}

/// What leads to a node.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Nothing,
    Phrase(u16),
    Command(Command),
}

impl<'a> PhraseSearch<'a> {
    /// Creates a search for a game in which nothing has been spoken.
    pub fn new(phrases: &'a Phrases) -> Self {
        let commands = phrases.texts().iter().map(|text| text.bytes().filter_map(command_of));
        PhraseSearch {
            phrases,
            commands: commands.map(Iterator::collect).collect(),
            spoken: vec![false; phrases.len()],
            nodes: Vec::new(),
            settled: Vec::new(),
            search: 0,
        }
    }

    /// Marks the phrases that have been spoken so far, given their counts.
    pub fn mark_spoken(&mut self, counts: &[u32]) {
        for (spoken, count) in self.spoken.iter_mut().zip(counts) {
            *spoken |= *count > 0;
        }
    }

    fn worth(&self, phrase: usize, new: u128) -> u64 {
        let known = self.spoken[phrase] || phrase >= 128 || new >> phrase & 1 == 1;
        2 * self.commands[phrase].len() as u64 + if known { 0 } else { ONCE }
    }

    /// Returns the commands that lead from the walk to the place and lock it there, if a path is
    /// found.
    pub fn find_path(
        &mut self,
        unit: &Unit,
        board: &Board,
        walk: &Walk,
        place: Position,
        lock: Command,
    ) -> Option<String> {
        let (width, height) = (board.width(), board.height());
        let cells = 6 * width * height;
        if self.settled.len() != cells || self.search == u32::MAX {
            self.settled = vec![0; cells];
            self.search = 0;
        }
        self.search += 1;
        let mark = |position: Position| {
            let shape = unit.shape(position);
            let left = (i32::from(position.x) + shape.left) as usize;
            let top = (i32::from(position.y) + shape.top) as usize;
            (usize::from(position.rotation) * height + top) * width + left
        };
        let mut queue: BinaryHeap<(u64, u32)> = BinaryHeap::new();
        self.nodes.clear();
        self.nodes.push(Node { walk: walk.clone(), parent: 0, edge: Edge::Nothing, new: 0 });
        queue.push((0, 0));
        while let Some((worth, index)) = queue.pop() {
            let at = self.nodes[index as usize].walk.position();
            let mark = mark(at);
            if self.settled[mark] == self.search {
                continue;
            }
            self.settled[mark] = self.search;
            if at == place {
                return Some(self.text(index, lock));
            }
            for phrase in 0..self.commands.len() {
                let mut walk = self.nodes[index as usize].walk.clone();
                let goes = |command: &Command| {
                    walk.go(unit, board, *command) == MoveResult::Moved
                        && walk.position().y <= place.y
                };
                if self.commands[phrase].iter().all(goes) {
                    let new = self.nodes[index as usize].new;
                    let worth = worth + self.worth(phrase, new);
                    let new = if phrase < 128 { new | 1 << phrase } else { new };
                    self.push(
                        &mut queue,
                        worth,
                        Node { walk, parent: index, edge: Edge::Phrase(phrase as u16), new },
                    );
                }
            }
            for command in Command::ALL {
                let mut walk = self.nodes[index as usize].walk.clone();
                if walk.go(unit, board, command) == MoveResult::Moved
                    && walk.position().y <= place.y
                {
                    let new = self.nodes[index as usize].new;
                    let edge = Edge::Command(command);
                    self.push(&mut queue, worth, Node { walk, parent: index, edge, new });
                }
            }
        }
        None
    }

    fn push(&mut self, queue: &mut BinaryHeap<(u64, u32)>, worth: u64, node: Node) {
        queue.push((worth, self.nodes.len() as u32));
        self.nodes.push(node);
    }

    fn text(&self, last: u32, lock: Command) -> String {
        let mut parts = Vec::new();
        let mut index = last;
        while index != 0 {
            let node = &self.nodes[index as usize];
            parts.push(node.edge);
            index = node.parent;
        }
        let mut text = String::new();
        for edge in parts.iter().rev() {
            match edge {
                Edge::Nothing => {}
                Edge::Phrase(phrase) => text += &self.phrases.texts()[usize::from(*phrase)],
                Edge::Command(command) => text.push(char::from(command.letter())),
            }
        }
        text.push(char::from(lock.letter()));
        text
    }
}
