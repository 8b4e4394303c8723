//! A knockout's bracket: who meets whom, and who goes on. A pure function of the order of players
//! and of the results of meetings.
//!
//! **Draw.** Players are seeded in the order of the list: the first is to meet the second in the
//! final, if nobody upsets either, and neither meets the third or fourth before the semifinal. If
//! their number is no power of two, the first of the list have no opponent in the first round.
//!
//! **A meeting** is won by whoever has more points of it. If both have as many, the one that stands
//! first in the list goes on.

use serde::Serialize;

/// A meeting of two players.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Meeting {
    /// The two, by their number in the list; none if nobody is there, or it is not known yet.
    pub players: [Option<usize>; 2],
    /// Whether one of them has no opponent and goes on.
    pub is_bye: bool,
    /// Their points, once all of their games are played.
    pub points: Option<[f64; 2]>,
    /// Their points so far, while their games are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub so_far: Option<[f64; 2]>,
    /// Who goes on.
    pub winner: Option<usize>,
}

impl Meeting {
    /// The meeting of two players, with their points once all of their games are played. Whoever
    /// has more has won.
    pub fn between(one: usize, other: usize, points: Option<[f64; 2]>) -> Meeting {
        let winner = points.and_then(|[own, theirs]| match own.total_cmp(&theirs) {
            std::cmp::Ordering::Greater => Some(one),
            std::cmp::Ordering::Less => Some(other),
            std::cmp::Ordering::Equal => None,
        });
        let players = [Some(one), Some(other)];
        Meeting { players, is_bye: false, points, so_far: None, winner }
    }

    /// The round of a player without an opponent.
    pub fn rest(player: usize) -> Meeting {
        let (players, winner) = ([Some(player), None], Some(player));
        Meeting { players, is_bye: true, points: None, so_far: None, winner }
    }

    /// Whether both have as many points, so that the order of the list has decided.
    pub fn is_tied(&self) -> bool {
        self.points.is_some_and(|[one, other]| one == other)
    }
}

/// A knockout.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Bracket {
    /// The players, in the order of the list.
    pub players: Vec<String>,
    /// The meetings of each round, from top to bottom; the last round is the final.
    pub rounds: Vec<Vec<Meeting>>,
}

impl Bracket {
    /// The bracket as far as meetings are over; `points` gives those of two players' meeting, once
    /// all of its games are played.
    pub fn new(players: Vec<String>, points: impl Fn(usize, usize) -> Option<[f64; 2]>) -> Bracket {
        let count = players.len();
        let mut entrants: Vec<Option<usize>> =
            places(count).into_iter().map(|player| (player < count).then_some(player)).collect();
        let mut rounds: Vec<Vec<Meeting>> = Vec::new();
        while entrants.len() > 1 {
            let is_first = rounds.is_empty();
            let meet = |pair: &[Option<usize>]| {
                let players = [pair[0], pair[1]];
                match players {
                    [Some(one), Some(other)] => {
                        let met = Meeting::between(one, other, points(one, other));
                        let tied = met.is_tied().then_some(one.min(other));
                        Meeting { winner: met.winner.or(tied), ..met }
                    }
                    [one, other] => {
                        let alone = one.or(other).filter(|_| is_first);
                        let (is_bye, winner) = (alone.is_some(), alone);
                        Meeting { players, is_bye, points: None, so_far: None, winner }
                    }
                }
            };
            let round: Vec<Meeting> = entrants.chunks(2).map(meet).collect();
            entrants = round.iter().map(|meeting| meeting.winner).collect();
            rounds.push(round);
        }
        Bracket { players, rounds }
    }

    /// Adds the points so far to meetings that are being played; `points` gives those of two
    /// players' games.
    pub fn add_points_so_far(&mut self, points: impl Fn(usize, usize) -> Option<[f64; 2]>) {
        for meeting in self.rounds.iter_mut().flatten() {
            if let ([Some(one), Some(other)], None) = (meeting.players, meeting.points) {
                meeting.so_far = points(one, other).filter(|points| *points != [0.0; 2]);
            }
        }
    }

    /// Who has won the final.
    pub fn champion(&self) -> Option<usize> {
        self.rounds.last()?.first()?.winner
    }

    /// The pairs of players that are known to meet, the lower number first, round by round.
    pub fn pairs(&self) -> Vec<Vec<(usize, usize)>> {
        let pair = |meeting: &Meeting| match meeting.players {
            [Some(one), Some(other)] => Some((one.min(other), one.max(other))),
            _ => None,
        };
        self.rounds.iter().map(|round| round.iter().filter_map(pair).collect()).collect()
    }

    /// What a round is called, by its number from 0.
    pub fn round_name(&self, round: usize) -> String {
        match self.rounds.len() - round {
            1 => "Final".to_owned(),
            2 => "Semifinals".to_owned(),
            3 => "Quarterfinals".to_owned(),
            left => format!("Last {}", 1 << left),
        }
    }
}

/// The numbers of players from top to bottom: in every round the two of a meeting have numbers that
/// add up to the same sum, if nobody upsets another. Numbers from `players` on stand for nobody.
fn places(players: usize) -> Vec<usize> {
    let mut places = vec![0];
    while places.len() < players {
        let last = 2 * places.len() - 1;
        places = places.iter().flat_map(|&place| [place, last - place]).collect();
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("p{number}")).collect()
    }

    #[test]
    fn the_first_two_of_the_list_meet_in_the_final() {
        assert_eq!(places(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        // The lower number always wins.
        let bracket = Bracket::new(names(8), |one, other| {
            Some(if one < other { [3.0, 1.0] } else { [1.0, 3.0] })
        });
        let pairs = bracket.pairs();
        assert_eq!(pairs[0], [(0, 7), (3, 4), (1, 6), (2, 5)]);
        assert_eq!(pairs[1..], [vec![(0, 3), (1, 2)], vec![(0, 1)]]);
        assert_eq!(bracket.champion(), Some(0));
        let rounds: Vec<String> = (0..3).map(|round| bracket.round_name(round)).collect();
        assert_eq!(rounds, ["Quarterfinals", "Semifinals", "Final"]);
    }

    #[test]
    fn the_first_of_the_list_rest_in_the_first_round_if_some_must() {
        let bracket = Bracket::new(names(5), |_, _| None);
        let byes: Vec<Option<usize>> =
            bracket.rounds[0].iter().filter(|one| one.is_bye).map(|one| one.winner).collect();
        assert_eq!(byes, [Some(0), Some(1), Some(2)]);
        assert_eq!(bracket.pairs(), [vec![(3, 4)], vec![(1, 2)], vec![]]);
        assert_eq!(bracket.champion(), None);
        let alone = Bracket::new(names(1), |_, _| None);
        assert!(alone.rounds.is_empty());
    }

    #[test]
    fn a_tie_goes_to_the_one_that_stands_first_in_the_list() {
        let bracket = Bracket::new(names(2), |_, _| Some([2.0, 2.0]));
        assert!(bracket.rounds[0][0].is_tied());
        assert_eq!(bracket.champion(), Some(0));
    }

    proptest! {
        #[test]
        fn everybody_but_the_champion_loses_once(count in 1usize..70, seed: u64) {
            let bracket = Bracket::new(names(count), |one, other| {
                let (low, high) = (one.min(other) as u64, one.max(other) as u64);
                let drawn = seed.wrapping_add(low * 71 + high).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let points = [f64::from((drawn >> 40) as u8), f64::from((drawn >> 50) as u8)];
                Some(if one < other { points } else { [points[1], points[0]] })
            });
            let mut lost = vec![0; count];
            for meeting in bracket.rounds.iter().flatten().filter(|one| !one.is_bye) {
                let [Some(one), Some(other)] = meeting.players else { unreachable!() };
                let winner = meeting.winner.unwrap();
                prop_assert!(winner == one || winner == other);
                lost[one + other - winner] += 1;
            }
            if let Some(champion) = bracket.champion() {
                lost[champion] += 1;
            }
            prop_assert!(count == 1 || lost.iter().all(|times| *times == 1), "{lost:?}");
        }
    }
}
