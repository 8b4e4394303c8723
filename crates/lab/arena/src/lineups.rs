//! The line-ups of a format on one scenario, that is, which player sits where, numbered without
//! being listed. Pure counting: only the numbers of players and seats matter, not the game or who
//! the players are.
//!
//! Combinations are numbered in lexicographic order (Knuth, TAOCP 4A, 7.2.1.3).
//! Samples are drawn without repetition by walking a Feistel permutation of all
//! line-ups (Black & Rogaway 2002, "Ciphers with arbitrary finite domains").

use quintain_core::{Streams, mix_bits};

/// Listed line-ups of a mixed format hold at most this many seats in memory.
const LISTED_SEATS: u128 = 1_000_000;

/// The line-ups of one scenario in one round. A line-up gives each seat the
/// number of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lineups {
    /// Each player in all seats.
    Alone { players: usize, seats: usize },
    /// Each combination of different players with one of the first `challengers` among them, in
    /// each rotation of the seats.
    Rotations { players: usize, seats: usize, challengers: usize },
    /// Each combination with repetition, in each rotation that differs.
    Listed(Vec<Box<[usize]>>),
    /// `count` of all ways to fill the seats, none twice in a round.
    Sampled { players: usize, seats: usize, count: u64 },
}

impl Lineups {
    /// Combinations with repetition; `None` if there are too many to list.
    pub(crate) fn list_mixed(players: usize, seats: usize) -> Option<Lineups> {
        let all = combinations(players + seats - 1, seats)?.checked_mul(seats as u128)?;
        if all.checked_mul(seats as u128)? > LISTED_SEATS {
            return None;
        }
        let mut listed = Vec::new();
        let mut combination = vec![0; seats];
        loop {
            for shift in 0..seats {
                let rotated = rotate(&combination, shift);
                if shift > 0 && *rotated == *combination {
                    break;
                }
                listed.push(rotated.into());
            }
            // The next combination in order: raise the last seat that can be raised.
            let Some(raised) = combination.iter().rposition(|&player| player + 1 < players) else {
                return Some(Lineups::Listed(listed));
            };
            let player = combination[raised] + 1;
            combination[raised..].fill(player);
        }
    }

    /// `count` line-ups, other ones in each round. If there are fewer, returns how many there are.
    pub(crate) fn sample(players: usize, seats: usize, count: u64) -> Result<Lineups, u64> {
        match all_ways(players, seats) {
            Some(all) if count > all => Err(all),
            _ => Ok(Lineups::Sampled { players, seats, count }),
        }
    }

    /// The number of line-ups, if it can be counted at all.
    pub(crate) fn len(&self) -> Option<u64> {
        match self {
            Lineups::Alone { players, .. } => Some(*players as u64),
            Lineups::Rotations { players, seats, challengers } => {
                // In order, combinations without a challenger are the last.
                let others = players.saturating_sub(*challengers);
                let without = if others < *seats { 0 } else { combinations(others, *seats)? };
                (combinations(*players, *seats)? - without)
                    .checked_mul(*seats as u128)
                    .and_then(|all| u64::try_from(all).ok())
            }
            Lineups::Listed(listed) => Some(listed.len() as u64),
            Lineups::Sampled { count, .. } => Some(*count),
        }
    }

    /// The line-up with this number in the round of this seed.
    pub(crate) fn get(&self, index: u64, seed: u64) -> Vec<usize> {
        match self {
            Lineups::Alone { seats, .. } => vec![index as usize; *seats],
            Lineups::Rotations { players, seats, .. } => {
                let chosen = combination(*players, *seats, index / *seats as u64);
                rotate(&chosen, (index % *seats as u64) as usize)
            }
            Lineups::Listed(listed) => listed[index as usize].to_vec(),
            Lineups::Sampled { players, seats, .. } => match all_ways(*players, *seats) {
                Some(all) => digits(permute(index, all, seed), *players, *seats),
                // Among more than 2^63 line-ups, two draws practically never coincide.
                None => {
                    let mut rng = Streams::new(seed).address("line-up", index);
                    (0..*seats).map(|_| rng.below(*players)).collect()
                }
            },
        }
    }
}

/// All ways to fill the seats, up to 2^63.
fn all_ways(players: usize, seats: usize) -> Option<u64> {
    let all = (players as u64).checked_pow(u32::try_from(seats).ok()?)?;
    (all <= 1 << 63).then_some(all)
}

/// n choose k.
fn combinations(n: usize, k: usize) -> Option<u128> {
    let k = k.min(n.checked_sub(k)?);
    (0..k)
        .try_fold(1u128, |product, i| Some(product.checked_mul((n - i) as u128)? / (i as u128 + 1)))
}

/// The combination with this number, in lexicographic order.
fn combination(players: usize, seats: usize, mut index: u64) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(seats);
    let mut player = 0;
    while chosen.len() < seats {
        let with_it = combinations(players - player - 1, seats - chosen.len() - 1)
            .expect("the number of combinations was counted before");
        if u128::from(index) < with_it {
            chosen.push(player);
        } else {
            index -= with_it as u64;
        }
        player += 1;
    }
    chosen
}

/// The line-up rotated by `shift` seats.
fn rotate(lineup: &[usize], shift: usize) -> Vec<usize> {
    let mut rotated = lineup.to_vec();
    rotated.rotate_left(shift);
    rotated
}

/// `number` in base `players`, as many digits as seats.
fn digits(mut number: u64, players: usize, seats: usize) -> Vec<usize> {
    let mut lineup = vec![0; seats];
    for seat in lineup.iter_mut().rev() {
        *seat = (number % players as u64) as usize;
        number /= players as u64;
    }
    lineup
}

/// The place of `index` in a random order of `0..size` that is determined by the seed.
fn permute(index: u64, size: u64, seed: u64) -> u64 {
    let mut keys = Streams::new(seed).address("line-up order", 0);
    let keys: [u64; 4] = std::array::from_fn(|_| keys.bits());
    let half = (64 - (size - 1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut number = index;
    loop {
        let (mut left, mut right) = (number >> half, number & mask);
        for key in keys {
            (left, right) = (right, left ^ (mix_bits(right.wrapping_add(key)) & mask));
        }
        number = (left << half) | right;
        if number < size {
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn all(lineups: &Lineups) -> Vec<Vec<usize>> {
        (0..lineups.len().unwrap()).map(|index| lineups.get(index, 1)).collect()
    }

    #[test]
    fn versus_is_every_pair_in_both_orders() {
        let lineups = Lineups::Rotations { players: 3, seats: 2, challengers: 3 };
        assert_eq!(all(&lineups), [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);
    }

    #[test]
    fn in_a_gauntlet_only_challengers_meet_everybody() {
        let lineups = Lineups::Rotations { players: 3, seats: 2, challengers: 1 };
        assert_eq!(all(&lineups), [[0, 1], [1, 0], [0, 2], [2, 0]]);
        let all_seats = |lineup: &Vec<usize>| lineup.iter().min().unwrap() < &2;
        let two = all(&Lineups::Rotations { players: 5, seats: 3, challengers: 2 });
        assert!(two.len() == 9 * 3 && two.iter().all(all_seats), "{two:?}");
    }

    #[test]
    fn mirror_fills_all_seats_with_one_player() {
        let lineups = Lineups::Alone { players: 2, seats: 3 };
        assert_eq!(all(&lineups), [[0, 0, 0], [1, 1, 1]]);
    }

    #[test]
    fn mixed_repeats_players_and_rotates_what_differs() {
        let lineups = Lineups::list_mixed(2, 2).unwrap();
        assert_eq!(all(&lineups), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        let four = all(&Lineups::list_mixed(2, 4).unwrap());
        assert!(four.contains(&vec![0, 1, 1, 0]), "{four:?}");
        assert_eq!(four.iter().filter(|l| l.iter().sum::<usize>() == 2).count(), 4, "{four:?}");
    }

    #[test]
    fn what_is_too_much_is_not_counted() {
        assert_eq!(Lineups::list_mixed(20, 165), None);
        assert_eq!(Lineups::Rotations { players: 400, seats: 165, challengers: 400 }.len(), None);
        assert_eq!(Lineups::sample(3, 2, 10), Err(9));
        assert!(Lineups::sample(20, 165, 1000).is_ok());
    }

    #[test]
    fn a_sample_changes_with_the_seed_and_with_nothing_else() {
        let lineups = Lineups::sample(5, 165, 10).unwrap();
        assert_eq!(lineups.get(3, 7), lineups.get(3, 7));
        assert_ne!(lineups.get(3, 7), lineups.get(3, 8));
        assert_ne!(lineups.get(3, 7), lineups.get(4, 7));
        assert_eq!(lineups.get(0, 1).len(), 165);
    }

    proptest! {
        #[test]
        fn rotations_are_every_choice_of_different_players_once_a_rotation(
            players in 2usize..7, seats in 1usize..5,
        ) {
            prop_assume!(players >= seats);
            let listed = all(&Lineups::Rotations { players, seats, challengers: players });
            let distinct: BTreeSet<_> = listed.iter().cloned().collect();
            prop_assert_eq!(distinct.len(), listed.len());
            // A slow reference: all ways to fill the seats, kept if they rotate an ascending one.
            let ways = (players as u64).pow(seats as u32);
            let expected: BTreeSet<Vec<usize>> = (0..ways)
                .map(|number| digits(number, players, seats))
                .filter(|lineup| {
                    (0..seats).any(|shift| {
                        rotate(lineup, shift).windows(2).all(|pair| pair[0] < pair[1])
                    })
                })
                .collect();
            prop_assert_eq!(distinct, expected);
        }

        #[test]
        fn mixed_is_every_rotation_of_every_sorted_choice_once(
            players in 1usize..5, seats in 1usize..5,
        ) {
            let listed = all(&Lineups::list_mixed(players, seats).unwrap());
            let distinct: BTreeSet<_> = listed.iter().cloned().collect();
            prop_assert_eq!(distinct.len(), listed.len());
            let ways = (players as u64).pow(seats as u32);
            let expected: BTreeSet<Vec<usize>> = (0..ways)
                .map(|number| digits(number, players, seats))
                .filter(|lineup| {
                    (0..seats).any(|shift| {
                        rotate(lineup, shift).windows(2).all(|pair| pair[0] <= pair[1])
                    })
                })
                .collect();
            prop_assert_eq!(distinct, expected);
        }

        #[test]
        fn a_full_sample_is_every_line_up_once(
            players in 1usize..6, seats in 1usize..5, seed: u64,
        ) {
            let ways = (players as u64).pow(seats as u32);
            let lineups = Lineups::sample(players, seats, ways).unwrap();
            let drawn: BTreeSet<_> = (0..ways).map(|index| lineups.get(index, seed)).collect();
            prop_assert_eq!(drawn.len() as u64, ways);
        }
    }
}
