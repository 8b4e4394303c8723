//! The rounds of a Swiss tournament: who met whom, and with which points. Who meets whom is up to
//! the tournament; this is what came of it.

use serde::Serialize;

use crate::bracket::Meeting;

/// The rounds of a Swiss tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Rounds {
    /// The players, in the order of the list.
    pub players: Vec<String>,
    /// The meetings of each round that is known, the first round first. Who rests has no opponent.
    pub rounds: Vec<Vec<Meeting>>,
    /// The number of rounds of the whole tournament.
    pub planned: u64,
    /// The points of each player so far, with half of a round's points for a rest.
    pub points: Vec<f64>,
}

impl Rounds {
    /// The rounds among these players, in which two that meet play so many games.
    pub fn new(
        players: Vec<String>,
        rounds: Vec<Vec<Meeting>>,
        planned: u64,
        games: u64,
    ) -> Rounds {
        let mut points = vec![0.0; players.len()];
        for meeting in rounds.iter().flatten() {
            let rest = meeting.is_bye.then_some([games as f64 / 2.0; 2]);
            let of_both = meeting.points.or(rest).unwrap_or_default();
            for (player, of_one) in meeting.players.iter().zip(of_both) {
                if let Some(player) = player {
                    points[*player] += of_one;
                }
            }
        }
        Rounds { players, rounds, planned, points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_counts_half_of_a_rounds_points_and_an_open_meeting_nothing() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let first = vec![Meeting::between(0, 1, Some([3.0, 1.0])), Meeting::rest(2)];
        let second = vec![Meeting::between(0, 2, None), Meeting::rest(1)];
        let rounds = Rounds::new(names, vec![first, second], 3, 4);
        assert_eq!(rounds.points, [3.0, 3.0, 2.0]);
    }
}
