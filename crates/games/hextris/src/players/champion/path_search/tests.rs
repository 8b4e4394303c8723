//! The search compared with an exhaustive one.

use super::list::LONGEST;
use super::*;
use crate::rules::commands::command_of;
use crate::rules::phrases::{ONCE, Phrases};
use crate::rules::units::Cell;
use crate::rules::walk::MoveResult;
use quintain_core::Rng;
use std::collections::HashMap;

/// The worth of one way: two points a letter, and once for each phrase.
fn worth(phrases: &Phrases, text: &str) -> u64 {
    phrases.power(&phrases.counts(text))
}

/// For every place, the most that a way to it can be worth: all letters from all states,
/// remembering every position that the unit has had.
fn exact(unit: &Unit, board: &Board, phrases: &Phrases) -> HashMap<(i16, i16, u8), u64> {
    let letters: Vec<u8> =
        (b'!'..=b'z').chain([b' ']).filter(|b| command_of(*b).is_some()).collect();
    let mut best: HashMap<(Walk, u16, u64), u64> = HashMap::new();
    let mut places = HashMap::new();
    let start = (Walk::new(unit, unit.spawn()), 0, 0);
    best.insert(start.clone(), 0);
    let mut waiting = vec![start];
    while let Some(at) = waiting.pop() {
        let points = best[&at];
        for letter in &letters {
            let (mut walk, mut node, mut used) = at.clone();
            let went = walk.go(unit, board, command_of(*letter).unwrap());
            if went == MoveResult::Repeated {
                continue;
            }
            node = phrases.after(node, *letter);
            let mut points = points;
            for phrase in phrases.phrases_at(node) {
                points += 2 * phrases.texts()[usize::from(*phrase)].len() as u64;
                if used >> phrase & 1 == 0 {
                    points += ONCE;
                    used |= 1 << phrase;
                }
            }
            if went == MoveResult::Locks {
                let known = places.entry(unit.footprint(walk.position())).or_insert(0);
                *known = points.max(*known);
            } else {
                let to = (walk, node, used);
                if best.get(&to).is_none_or(|known| *known < points) {
                    best.insert(to.clone(), points);
                    waiting.push(to);
                }
            }
        }
    }
    places
}

#[test]
fn ways_are_as_good_as_those_of_a_search_through_everything_or_nearly() {
    let mut rng = Rng::from_seed(1);
    let cell = |x, y| Cell { x, y };
    let units = [
        (vec![cell(0, 0)], cell(0, 0)),
        (vec![cell(0, 0), cell(2, 0)], cell(1, 0)),
        (vec![cell(1, 0), cell(2, 1), cell(1, 2)], cell(1, 1)),
    ];
    let pool = ["ei!", "ia! ia!", "al", "eel", "dal", "kap", "lla", "planet", "pa"];
    let (mut found, mut possible) = (0, 0);
    for round in 0..30 {
        let (members, pivot) = units[round % units.len()].clone();
        let width = 4 + rng.below(2);
        let unit = Unit::new(members, pivot, width).unwrap();
        let mut board = Board::new(width, 6).unwrap();
        for y in 3..6 {
            (0..width).for_each(|x| {
                if rng.chance(0.3) {
                    board.fill(x, y)
                }
            });
        }
        let texts: Vec<&str> = pool.iter().copied().filter(|_| rng.chance(0.4)).collect();
        let scorer = PhraseScorer::new(&Phrases::new(&texts), &[unit.period()]);
        let phrases = Phrases::new(scorer.texts());
        let walk = Walk::new(&unit, unit.spawn());
        let mut reach = Reach::new();
        reach.sweep(&unit, &board, unit.spawn());
        let mut targets: Vec<Position> = Vec::new();
        reach.for_each_lock(&unit, |position| {
            let print = unit.footprint(position);
            if targets.iter().all(|target| unit.footprint(*target) != print) {
                targets.push(position);
            }
        });
        let mut search = PathSearch::new(&scorer);
        let phrase_weights = PhraseWeights { density: 0.0, share: 1.0 };
        search.set_phrase_weights([unit.period(); 2], [phrase_weights; 2]);
        let limits = ListLimits { length: LONGEST, carried: 8, margin: 1_000, sideways: 0 };
        let begin = PathStart { node: 0, used: 0, worth: 0 };
        let steps = Steps::new(&unit);
        search.explore(&unit, &steps, &board, &walk, &reach, &targets, &[begin], limits);
        let exact = exact(&unit, &board, &phrases);
        assert_eq!(exact.len(), targets.len());
        for (index, target) in targets.iter().enumerate() {
            let mut ends = Vec::new();
            search.ends(index, &mut ends);
            let mut most = 0;
            for end in &ends {
                let mut letters = Vec::new();
                search.letters(end, &mut letters);
                let text = String::from_utf8(letters).unwrap();
                let mut walk = walk.clone();
                for (at, letter) in text.bytes().enumerate() {
                    let went = walk.go(&unit, &board, command_of(letter).unwrap());
                    let last = at + 1 == text.len();
                    assert_eq!(
                        went,
                        if last { MoveResult::Locks } else { MoveResult::Moved },
                        "{text}"
                    );
                }
                assert_eq!(unit.footprint(walk.position()), unit.footprint(*target));
                let points = worth(&phrases, &text);
                assert_eq!(end.worth, points as i32 * POINT - text.len() as i32, "{text}");
                most = most.max(points);
            }
            let bound = exact[&unit.footprint(*target)];
            assert!(most <= bound);
            found += most;
            possible += bound;
        }
    }
    assert!(possible > 100_000, "{possible}");
    assert!(found as f64 >= 0.96 * possible as f64, "{found} of {possible}");
}
