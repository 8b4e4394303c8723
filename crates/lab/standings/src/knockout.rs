//! The bracket of a knockout: whoever loses a duel is out. Seeds are placed as in tennis, so that
//! the best two can meet only in the last round, and the best have byes if places are left.

/// A duel of a knockout, between players who go by their seeds, 0 for the best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duel {
    /// The player with the upper place in the bracket.
    pub first: usize,
    /// The other one; none if the first goes on without a duel.
    pub second: Option<usize>,
    /// Who goes on.
    pub winner: usize,
}

/// Returns the rounds of a knockout between `players` players. `winner` says which of two seeds,
/// the better one first, wins their duel.
///
/// ```
/// use quintain_standings::knockout;
///
/// // The better seed always wins, except that 2 beats 1.
/// let rounds = knockout(4, |better, worse| if (better, worse) == (1, 2) { 2 } else { better });
/// assert_eq!(rounds[1][0].winner, 0);
/// assert_eq!(rounds[1][0].second, Some(2));
/// ```
pub fn knockout(players: usize, mut winner: impl FnMut(usize, usize) -> usize) -> Vec<Vec<Duel>> {
    let mut left: Vec<Option<usize>> =
        places(players).into_iter().map(|seed| Some(seed).filter(|seed| *seed < players)).collect();
    let mut rounds = Vec::new();
    while left.len() > 1 {
        let duel = |pair: &[Option<usize>]| match (pair[0], pair[1]) {
            (Some(first), Some(second)) => {
                let winner = winner(first.min(second), first.max(second));
                Some(Duel { first, second: Some(second), winner })
            }
            (first, second) => {
                let alone = first.or(second)?;
                Some(Duel { first: alone, second: None, winner: alone })
            }
        };
        let round: Vec<Option<Duel>> = left.chunks(2).map(duel).collect();
        left = round.iter().map(|duel| duel.map(|duel| duel.winner)).collect();
        rounds.push(round.into_iter().flatten().collect());
    }
    rounds
}

/// Returns the seeds in the order of their places in the bracket; there are as many places as the
/// next power of two.
fn places(players: usize) -> Vec<usize> {
    let mut places = if players > 0 { vec![0] } else { Vec::new() };
    while (1..players).contains(&places.len()) {
        let last = 2 * places.len() - 1;
        places = places.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_two_can_meet_only_at_the_end() {
        assert_eq!(places(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        let rounds = knockout(8, |better, _| better);
        assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2, 1]);
        assert_eq!(rounds[2], [Duel { first: 0, second: Some(1), winner: 0 }]);
    }

    #[test]
    fn the_best_have_byes_where_places_are_left() {
        let rounds = knockout(5, |better, _| better);
        let byes: Vec<usize> =
            rounds[0].iter().filter(|duel| duel.second.is_none()).map(|duel| duel.first).collect();
        assert_eq!(byes, [0, 1, 2]);
        assert!(rounds[1..].iter().flatten().all(|duel| duel.second.is_some()));
    }

    #[test]
    fn an_upset_goes_on_and_few_players_have_few_rounds() {
        let rounds = knockout(8, |_, worse| worse);
        assert_eq!(rounds[2][0].winner, 7);
        assert!(knockout(0, |a, _| a).is_empty() && knockout(1, |a, _| a).is_empty());
        assert_eq!(knockout(2, |a, _| a)[0], [Duel { first: 0, second: Some(1), winner: 0 }]);
    }
}
