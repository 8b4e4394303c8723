//! The schedule of a final: everybody meets everybody, in every round, on every scenario. It
//! depends only on the list of participants, the scenarios and the seed, so anybody can draw it up
//! again.
//!
//! A pair plays both sides of a start. If there are more seats, all players are divided among
//! tables in an order that is drawn again in each round, and every table is played once for each
//! seat that one of them may have. Where everybody plays alone, all play the same seeds.

use quintain_core::Streams;

use crate::seeds::seed;

/// A match of the schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The scenario's text.
    pub scenario: String,
    /// The seed of the match.
    pub seed: u64,
    /// The player at each seat, as an index into the list of participants.
    pub seats: Vec<usize>,
    /// The round, from 0.
    pub round: u64,
}

/// A scenario and the number of its seats.
pub type ScenarioSeats = (String, usize);

/// Returns all matches of a final between `players` players.
pub fn schedule(
    secret: &str,
    players: usize,
    grounds: &[ScenarioSeats],
    rounds: u64,
    is_solo: bool,
) -> Vec<Slot> {
    let mut slots = Vec::new();
    for round in 0..rounds {
        for (place, (scenario, seats)) in (0_u64..).zip(grounds) {
            let seed_of = |numbers: &[usize]| {
                let numbers = numbers.iter().map(|&number| number as u64);
                let all: Vec<u64> = [round, place].into_iter().chain(numbers).collect();
                seed(secret, "final", &all)
            };
            let mut enter = |seed: u64, seats: Vec<usize>| {
                slots.push(Slot { scenario: scenario.clone(), seed, seats, round });
            };
            if is_solo {
                (0..players).for_each(|player| enter(seed_of(&[]), vec![player; *seats]));
            } else if *seats == 2 {
                for first in 0..players {
                    for second in first + 1..players {
                        let seed = seed_of(&[first, second]);
                        enter(seed, vec![first, second]);
                        enter(seed, vec![second, first]);
                    }
                }
            } else if players > 1 {
                for table in tables(seed_of(&[]), players, *seats) {
                    let seed = seed_of(&table);
                    for turn in 0..*seats {
                        let mut turned = table.clone();
                        turned.rotate_left(turn);
                        enter(seed, turned);
                    }
                }
            }
        }
    }
    slots
}

/// Divides all players among tables with `seats` seats, in random order; the last table is filled
/// up from the first.
fn tables(seed: u64, players: usize, seats: usize) -> Vec<Vec<usize>> {
    let mut rng = Streams::new(seed).address("tables", 0);
    let mut order: Vec<usize> = (0..players).collect();
    for at in (1..players).rev() {
        order.swap(at, rng.below(at + 1));
    }
    let begin = (0..players).step_by(seats);
    begin.map(|at| order.iter().copied().cycle().skip(at).take(seats).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(slots: &[Slot], holds: impl Fn(&Slot) -> bool) -> usize {
        slots.iter().filter(|slot| holds(slot)).count()
    }

    #[test]
    fn all_pairs_meet_on_both_sides_of_the_same_start() {
        let grounds = [("a".to_owned(), 2), ("b".to_owned(), 2)];
        let slots = schedule("s", 5, &grounds, 3, false);
        assert_eq!(slots.len(), 3 * 2 * 5 * 4);
        for (first, second) in [(0, 1), (4, 2)] {
            assert_eq!(count(&slots, |slot| slot.seats == [first, second]), 6);
        }
        for both in slots.chunks(2) {
            assert_eq!(both[0].seed, both[1].seed);
        }
        assert_eq!(slots, schedule("s", 5, &grounds, 3, false), "it can be drawn up again");
        assert_ne!(slots, schedule("t", 5, &grounds, 3, false));
    }

    #[test]
    fn at_large_tables_all_have_every_seat_equally_often_except_substitutes() {
        let slots = schedule("s", 6, &[("a".to_owned(), 3)], 4, false);
        assert_eq!(slots.len(), 4 * 2 * 3);
        for player in 0..6 {
            for seat in 0..3 {
                assert_eq!(count(&slots, |slot| slot.seats[seat] == player), 4);
            }
        }
        let few = schedule("s", 2, &[("a".to_owned(), 3)], 1, false);
        assert!(few.iter().all(|slot| slot.seats.contains(&0) && slot.seats.contains(&1)));
    }

    #[test]
    fn solo_players_all_play_the_same_seeds() {
        let slots = schedule("s", 3, &[("a".to_owned(), 2)], 2, true);
        assert_eq!(slots.len(), 6);
        assert!(slots[..3].iter().all(|slot| slot.seed == slots[0].seed));
        assert_ne!(slots[0].seed, slots[3].seed);
        assert_eq!(slots[1].seats, [1, 1]);
    }

    #[test]
    fn without_players_there_are_no_matches() {
        for players in [0, 1] {
            for seats in [2, 3] {
                assert!(schedule("s", players, &[("a".to_owned(), seats)], 2, false).is_empty());
            }
        }
    }
}
