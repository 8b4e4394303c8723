//! The class tournament of 2016: what the report prints about it, and the recorded scores of its
//! nine players, from which the tables and figures can be recomputed. The players' programs are
//! lost.

use crate::data;
use crate::estimate::Estimate;
use crate::lab::{Lab, LabError};

/// The players, by group number; the report's is the first.
pub(super) const PLAYERS: [&str; 9] = ["g1", "g2", "g3", "g4", "g5", "g6", "g8", "g9", "g10"];
/// The report's player among them.
pub(super) const OWN: usize = 0;
/// Games of each player on each distribution.
pub(super) const GAMES: usize = 10;

/// Table 1: each distribution, the mean of every player on it, and their average.
pub(super) const TABLE_1: [(&str, [f64; 9], f64); 14] = [
    ("g1", [1853.6, 1784.1, 1776.5, 1823.4, 1865.8, 1796.0, 1692.5, 1762.7, 1621.8], 1775.2),
    ("g2", [2140.2, 2005.0, 2055.2, 2043.2, 1942.0, 1948.2, 1999.8, 2022.0, 1830.0], 1998.4),
    ("g3", [2109.2, 1947.7, 1410.5, 2006.2, 2094.4, 1941.8, 1722.0, 2023.7, 1961.9], 1913.0),
    ("g4", [1944.3, 1872.7, 1714.7, 1890.0, 1940.9, 1826.6, 1781.4, 1823.4, 1748.7], 1838.1),
    ("g5", [2025.6, 1900.3, 1661.2, 1963.2, 2120.2, 1905.6, 1755.2, 1957.2, 1872.8], 1906.8),
    ("g6", [1817.6, 1893.4, 1494.1, 2004.4, 1943.0, 2900.0, 1830.7, 1788.0, 1849.0], 1946.7),
    ("g8", [2104.5, 2030.6, 2065.1, 2018.5, 2033.4, 2046.3, 2140.9, 2022.9, 1894.5], 2039.6),
    ("g9", [1983.6, 1917.3, 1713.1, 1987.1, 1952.3, 2532.3, 1962.5, 1809.6, 1801.6], 1962.2),
    ("g10", [2046.9, 1905.7, 1729.1, 1923.7, 2042.8, 1863.0, 1885.2, 1889.4, 1912.0], 1910.9),
    ("random", [2031.7, 1983.0, 2067.2, 2046.3, 2020.1, 2069.9, 1615.3, 2029.8, 1939.7], 1978.1),
    ("tailheavy", [2078.5, 2010.1, 2119.9, 2083.9, 2067.0, 2097.3, 615.7, 2057.8, 1950.3], 1897.8),
    ("stars", [1699.0, 1672.4, 1681.2, 1697.0, 1807.2, 1584.1, 1656.1, 1588.1, 1513.2], 1655.4),
    (
        "industrialization",
        [2064.4, 2001.0, 2089.4, 2029.0, 2054.0, 2093.2, 1811.6, 2032.1, 1915.4],
        2010.0,
    ),
    ("misfits", [1828.6, 1822.8, 1830.1, 1899.8, 1778.9, 1881.8, 1816.2, 1839.9, 1703.1], 1822.4),
];

/// Table 2 above its diagonal: games won and lost by a row's player against the players after it.
pub(super) const TABLE_2: [&[(u32, u32)]; 8] = [
    &[(117, 22), (89, 50), (86, 52), (76, 63), (87, 53), (112, 27), (116, 24), (133, 7)],
    &[(43, 97), (25, 112), (36, 104), (52, 87), (89, 50), (69, 70), (117, 22)],
    &[(71, 67), (69, 70), (74, 66), (99, 41), (100, 39), (125, 15)],
    &[(59, 81), (79, 61), (112, 28), (103, 35), (137, 3)],
    &[(73, 67), (101, 39), (104, 35), (138, 2)],
    &[(87, 51), (85, 54), (122, 18)],
    &[(58, 81), (97, 43)],
    &[(112, 28)],
];

/// Recorded scores: for each distribution of Table 1, the games of each player.
pub(super) struct Class {
    scores: Vec<Vec<Vec<f64>>>,
}

impl Class {
    /// Reads the recorded scores.
    ///
    /// # Errors
    /// [`LabError::Missing`] if they are missing or not as expected.
    pub(super) fn read(lab: &Lab<'_>) -> Result<Class, LabError> {
        let class = Class::of(|distribution| {
            let path = format!("pentocity/tournament/{distribution}.csv");
            data::read(&path, "the recorded scores of the class tournament")
        })?;
        lab.note("the recorded scores of the class tournament");
        Ok(class)
    }

    fn of(text: impl Fn(&str) -> Result<String, LabError>) -> Result<Class, LabError> {
        let scores = TABLE_1.iter().map(|(distribution, ..)| {
            let text = text(distribution)?;
            let player = |line: &str| -> Option<Vec<f64>> {
                let games: Option<Vec<f64>> =
                    line.split(',').map(|score| score.trim().parse().ok()).collect();
                games.filter(|games| games.len() == GAMES)
            };
            let rows: Option<Vec<_>> = text.lines().take(PLAYERS.len()).map(player).collect();
            rows.filter(|rows| rows.len() == PLAYERS.len()).ok_or_else(|| {
                LabError::Missing(format!(
                    "the recorded scores on {distribution} are not {} rows of {GAMES}",
                    PLAYERS.len()
                ))
            })
        });
        Ok(Class { scores: scores.collect::<Result<_, _>>()? })
    }

    /// The games of a player on a distribution, both given by their position in Table 1.
    pub(super) fn games(&self, distribution: usize, player: usize) -> &[f64] {
        &self.scores[distribution][player]
    }

    /// A player's games on all distributions.
    pub(super) fn all(&self, player: usize) -> Vec<f64> {
        self.scores.iter().flat_map(|rows| rows[player].iter().copied()).collect()
    }

    /// A player's mean on a distribution.
    pub(super) fn mean(&self, distribution: usize, player: usize) -> f64 {
        mean(self.games(distribution, player))
    }

    /// The average of all players on a distribution.
    pub(super) fn average(&self, distribution: usize) -> f64 {
        (0..PLAYERS.len()).map(|player| self.mean(distribution, player)).sum::<f64>()
            / PLAYERS.len() as f64
    }

    /// Games that one player won and lost against another, on the same distribution and
    /// seed.
    pub(super) fn count_wins(&self, a: usize, b: usize) -> (u32, u32) {
        let (a, b) = (self.all(a), self.all(b));
        let count = |more: fn(&f64, &f64) -> bool| {
            a.iter().zip(&b).filter(|(a, b)| more(a, b)).count() as u32
        };
        (count(|a, b| a > b), count(|a, b| a < b))
    }

    /// The number of rounds, each on one distribution and seed, in which a player was ahead of all.
    pub(super) fn rounds_won(&self, player: usize) -> usize {
        let round = |rows: &Vec<Vec<f64>>, game: usize| {
            let own = rows[player][game];
            rows.iter().enumerate().all(|(other, games)| other == player || games[game] < own)
        };
        let of = |rows| (0..GAMES).filter(|game| round(rows, *game)).count();
        self.scores.iter().map(of).sum()
    }

    /// The number of distributions on which a player has the highest mean.
    pub(super) fn distributions_won(&self, player: usize) -> usize {
        let best = |distribution: &usize| {
            let own = self.mean(*distribution, player);
            (0..PLAYERS.len()).all(|other| self.mean(*distribution, other) <= own)
        };
        (0..TABLE_1.len()).filter(best).count()
    }

    /// The number of distributions on which a player is above the average of all.
    pub(super) fn above_average(&self, player: usize) -> usize {
        let above =
            |distribution: &usize| self.mean(*distribution, player) > self.average(*distribution);
        (0..TABLE_1.len()).filter(above).count()
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median of a player's recorded games.
pub(super) fn median(values: &[f64]) -> f64 {
    Estimate::median(values.iter().copied()).value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On every distribution, player p has 100·p points more than the next, and on seed 0 all are
    /// equal.
    fn make_class() -> Class {
        let row = |player: usize| {
            let games = (0..GAMES).map(|game| if game == 0 { 5 } else { 1000 - 100 * player });
            games.map(|score| score.to_string()).collect::<Vec<_>>().join(",")
        };
        let text = (0..PLAYERS.len()).map(row).collect::<Vec<_>>().join("\n");
        Class::of(|_| Ok(text.clone())).unwrap()
    }

    #[test]
    fn who_is_ahead_on_a_seed_wins_the_round_and_equals_win_nothing() {
        let class = make_class();
        assert_eq!(class.count_wins(0, 1), (14 * 9, 0));
        assert_eq!(class.count_wins(8, 0), (0, 14 * 9));
        assert_eq!((class.rounds_won(0), class.rounds_won(1)), (14 * 9, 0));
        assert_eq!((class.distributions_won(0), class.distributions_won(1)), (14, 0));
        assert_eq!((class.above_average(3), class.above_average(5)), (14, 0));
    }

    #[test]
    fn scores_that_are_not_nine_rows_of_ten_are_missing() {
        for text in ["", "1,2,3", "x,2,3,4,5,6,7,8,9,10"] {
            let read = Class::of(|_| Ok(text.to_owned()));
            assert!(matches!(read, Err(LabError::Missing(_))), "{text}");
        }
    }
}
