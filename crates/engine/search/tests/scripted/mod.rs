//! A game given by its tree, drawn in text, with every possible turn structure, and small enough to
//! be solved by brute force.
//!
//! A line is a position; its replies are the lines below it, indented deeper:
//!
//! ```text
//! seat 0
//!   a: seat 1            one seat moves
//!     l: 3 -3            the end, with the score of each seat
//!     r: 1 -1
//!   b: simultaneous      every seat moves at once: a letter each, `-` for one that does not
//!     l,l: 0 0
//!     l,r: 2 -2
//!   c: chance            drawn in proportion to the numbers
//!     1: seat 0 [x]      seat 0 cannot tell this from other positions marked [x]
//!       a: 1 -1
//! ```

#![allow(dead_code)]

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use quintain_core::{Ending, Illegal, Objective, Rng, Rules, Scoring, Seat, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A letter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Letter(pub char);

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Letter {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Letter).map_err(|_| format!("“{text}” is no letter"))
    }
}

/// One position of the tree; children are indices.
#[derive(Clone, Debug)]
pub enum Position {
    End(Vec<f64>),
    Seat { seat: usize, children: Vec<(char, usize)>, mark: Option<String> },
    Simultaneous(Vec<(Vec<char>, usize)>),
    Chance(Vec<(f64, usize)>),
}

/// The game. Several lines may lead to one position, so it may be a graph rather than a tree.
#[derive(Clone, Debug)]
pub struct Scripted {
    pub positions: Arc<Vec<Position>>,
    /// The estimate of each position for seat 0; for the others, the opposite.
    pub estimates: Arc<Vec<f64>>,
    pub seats: usize,
    pub objective: Objective,
    pub scoring: Scoring,
    pub range: Option<(f64, f64)>,
}

impl Scripted {
    /// The game drawn in `text`.
    pub fn new(text: &str) -> Self {
        let lines: Vec<(usize, &str)> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| (line.len() - line.trim_start().len(), line.trim()))
            .collect();
        let mut positions = Vec::new();
        read(&lines, &mut positions);
        Scripted::of(positions)
    }

    pub fn of(positions: Vec<Position>) -> Self {
        let seats = positions.iter().find_map(|position| match position {
            Position::End(scores) => Some(scores.len()),
            _ => None,
        });
        let seats = seats.expect("the game ends somewhere");
        Scripted {
            estimates: Arc::new(vec![0.0; positions.len()]),
            positions: Arc::new(positions),
            seats,
            objective: Objective::Maximize,
            scoring: if seats == 1 { Scoring::Independent } else { Scoring::Adversarial },
            range: None,
        }
    }

    pub fn root(&self) -> usize {
        0
    }

    /// The worth of the position to seat 0 of two rivals when both play well; with `depth` turns
    /// left, by the estimate. `joint_value` gives the value of a joint turn.
    pub fn solve(&self, at: usize, depth: u32, joint_value: &dyn Fn(&[f64], usize) -> f64) -> f64 {
        let sign = if self.objective == Objective::Maximize { 1.0 } else { -1.0 };
        let below = |child: &usize| self.solve(*child, depth - 1, joint_value);
        match &self.positions[at] {
            Position::End(scores) => sign * (scores[0] - scores[1]),
            Position::Chance(children) => {
                let total: f64 = children.iter().map(|(weight, _)| weight).sum();
                children
                    .iter()
                    .map(|(weight, child)| weight / total * self.solve(*child, depth, joint_value))
                    .sum()
            }
            _ if depth == 0 => sign * 2.0 * self.estimates[at],
            Position::Seat { seat: 0, children, .. } => {
                children.iter().map(|(_, child)| below(child)).fold(f64::NEG_INFINITY, f64::max)
            }
            Position::Seat { children, .. } => {
                children.iter().map(|(_, child)| below(child)).fold(f64::INFINITY, f64::min)
            }
            Position::Simultaneous(children) => {
                let columns = self.letters(at, 1).len();
                let values: Vec<f64> = children.iter().map(|(_, child)| below(child)).collect();
                joint_value(&values, columns)
            }
        }
    }

    /// The position after `letters` from the root, one letter per turn or joint action.
    pub fn after(&self, letters: &str) -> usize {
        let mut state = 0;
        for letter in letters.chars() {
            self.step(&mut state, &[Letter(letter)]);
        }
        state
    }

    fn letters(&self, at: usize, seat: usize) -> Vec<char> {
        let mut letters = Vec::new();
        match &self.positions[at] {
            Position::Seat { seat: mover, children, .. } if *mover == seat => {
                letters.extend(children.iter().map(|(letter, _)| *letter));
            }
            Position::Simultaneous(children) => {
                for (joint, _) in children {
                    if joint[seat] != '-' && !letters.contains(&joint[seat]) {
                        letters.push(joint[seat]);
                    }
                }
            }
            _ => {}
        }
        letters
    }
}

/// Reads the first line and the lines indented below it; returns its index.
fn read(lines: &[(usize, &str)], positions: &mut Vec<Position>) -> usize {
    let (indent, line) = lines[0];
    let body = line.rsplit(": ").next().expect("there is a last part");
    let index = positions.len();
    positions.push(Position::End(Vec::new()));
    let below = lines[1..].iter().take_while(|(depth, _)| *depth > indent).count();
    let lines = &lines[1..=below];
    let level = lines.first().map_or(0, |(depth, _)| *depth);
    let mut children = Vec::new();
    for (start, (depth, line)) in lines.iter().enumerate() {
        if *depth == level {
            let (label, _) = line.split_once(": ").expect("a reply has a label");
            children.push((label, read(&lines[start..], positions)));
        }
    }
    let letter = |text: &str| text.parse::<char>().expect("a letter");
    let words: Vec<&str> = body.split(' ').collect();
    positions[index] = match words[..] {
        ["seat", seat, ref mark @ ..] => Position::Seat {
            seat: seat.parse().expect("the number of a seat"),
            children: children.iter().map(|(label, child)| (letter(label), *child)).collect(),
            mark: mark.first().map(|mark| mark.trim_matches(['[', ']']).to_owned()),
        },
        ["simultaneous"] => Position::Simultaneous(
            children
                .iter()
                .map(|(label, child)| (label.split(',').map(letter).collect(), *child))
                .collect(),
        ),
        ["chance"] => Position::Chance(
            children
                .iter()
                .map(|(label, child)| (label.parse().expect("a weight"), *child))
                .collect(),
        ),
        _ => Position::End(words.iter().map(|word| word.parse().expect("a score")).collect()),
    };
    index
}

/// What a seat sees: the position, or its mark.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Sight {
    At(usize),
    Mark(String),
}

impl Rules for Scripted {
    type State = usize;
    type Action = Letter;
    type Observation = Sight;

    fn seats(&self) -> usize {
        self.seats
    }

    fn objective(&self) -> Objective {
        self.objective
    }

    fn scoring(&self) -> Scoring {
        self.scoring
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        self.range
    }

    fn has_chance(&self) -> bool {
        self.positions.iter().any(|position| matches!(position, Position::Chance(_)))
    }

    fn has_hidden_information(&self) -> bool {
        self.positions
            .iter()
            .any(|position| matches!(position, Position::Seat { mark: Some(_), .. }))
    }

    fn turn(&self, at: &usize) -> Turn {
        match &self.positions[*at] {
            Position::End(_) => Turn::Over,
            Position::Seat { seat, .. } => Turn::Seat(Seat::new(*seat)),
            Position::Simultaneous(_) => Turn::Simultaneous,
            Position::Chance(_) => Turn::Chance,
        }
    }

    fn is_acting(&self, at: &usize, seat: Seat) -> bool {
        !self.letters(*at, seat.index()).is_empty()
    }

    fn actions(&self, at: &usize, seat: Seat, out: &mut Vec<Letter>) {
        out.extend(self.letters(*at, seat.index()).into_iter().map(Letter));
    }

    fn check(&self, at: &usize, seat: Seat, action: &Letter) -> Result<(), Illegal> {
        match self.letters(*at, seat.index()).contains(&action.0) {
            true => Ok(()),
            false => Err(Illegal::new(format!("{action} leads nowhere"))),
        }
    }

    fn step(&self, at: &mut usize, joint: &[Letter]) {
        *at = match &self.positions[*at] {
            Position::Seat { children, .. } => {
                children.iter().find(|(letter, _)| *letter == joint[0].0).expect("legal").1
            }
            Position::Simultaneous(children) => {
                let matches = |letters: &[char]| {
                    let moved = letters.iter().filter(|letter| **letter != '-');
                    moved.eq(joint.iter().map(|action| &action.0))
                };
                children.iter().find(|(letters, _)| matches(letters)).expect("legal").1
            }
            other => panic!("nobody moves at {other:?}"),
        };
    }

    fn sample_chance(&self, at: &mut usize, rng: &mut Rng) {
        if let Position::Chance(children) = &self.positions[*at] {
            let weights: Vec<f64> = children.iter().map(|(weight, _)| *weight).collect();
            *at = children[rng.weighted(&weights)].1;
        }
    }

    fn observe(&self, at: &usize, seat: Seat) -> Sight {
        match &self.positions[*at] {
            Position::Seat { seat: mover, mark: Some(mark), .. } if *mover == seat.index() => {
                Sight::Mark(mark.clone())
            }
            _ => Sight::At(*at),
        }
    }

    fn determinize(&self, sight: &Sight, _seat: Seat, rng: &mut Rng) -> usize {
        match sight {
            Sight::At(at) => *at,
            Sight::Mark(seen) => {
                let alike: Vec<usize> = (0..self.positions.len())
                    .filter(|at| {
                        matches!(&self.positions[*at],
                            Position::Seat { mark: Some(mark), .. } if mark == seen)
                    })
                    .collect();
                alike[rng.below(alike.len())]
            }
        }
    }

    fn score(&self, at: &usize, seat: Seat) -> f64 {
        match &self.positions[*at] {
            Position::End(scores) => scores[seat.index()],
            _ => 0.0,
        }
    }

    fn estimate(&self, at: &usize, seat: Seat) -> f64 {
        match &self.positions[*at] {
            // Nobody should ask for the estimate of a finished game.
            Position::End(_) => -1e6,
            _ if seat.index() == 0 => self.estimates[*at],
            _ => -self.estimates[*at],
        }
    }

    fn ending(&self, _at: &usize) -> Ending {
        Ending::new("end of the line")
    }

    fn forfeit(&self, _at: &usize, seat: Seat) -> Vec<f64> {
        Seat::all(self.seats).map(|other| if other == seat { -100.0 } else { 0.0 }).collect()
    }
}
