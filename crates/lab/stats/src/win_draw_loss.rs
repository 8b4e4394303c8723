//! Counts of games won, drawn and lost. Ratings are computed from them in [`crate::elo`] and
//! [`crate::bradley_terry`].

use std::cmp::Ordering;

use serde::Serialize;

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl std::fmt::Display for WinDrawLoss {
    /// As under [`WinDrawLoss::TITLE`]: `3–1–2`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}–{}–{}", self.wins, self.draws, self.losses)
    }
}

impl WinDrawLoss {
    /// What a column of such games is called.
    pub const TITLE: &str = "won–drawn–lost";

    /// One game, as the side sees it whose result compares like this with the other's.
    ///
    /// ```
    /// use quintain_stats::WinDrawLoss;
    ///
    /// let won = WinDrawLoss::of(7.0_f64.total_cmp(&5.0));
    /// assert_eq!((won.wins, won.draws, won.losses), (1, 0, 0));
    /// ```
    pub fn of(result: Ordering) -> Self {
        let is = |other: Ordering| u64::from(result == other);
        let [wins, draws, losses] = [Ordering::Greater, Ordering::Equal, Ordering::Less].map(is);
        Self { wins, draws, losses }
    }

    /// These games as one duel, which goes to the side that won more of them.
    pub fn as_duel(self) -> Self {
        Self::of(self.wins.cmp(&self.losses))
    }

    /// The number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The points won: one for a win, a half for a draw.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The points per game, from 0 to 1; `None` without games.
    pub fn share(self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The same games seen from the other side.
    pub fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl std::ops::AddAssign for WinDrawLoss {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// The sum of all games in a row of a matrix of pairings.
///
/// ```
/// use quintain_stats::{WinDrawLoss, win_draw_loss};
///
/// let row = [WinDrawLoss::default(), WinDrawLoss { wins: 2, draws: 1, losses: 1 }];
/// assert_eq!(win_draw_loss::sum(&row).share(), Some(0.625));
/// ```
pub fn sum(row: &[WinDrawLoss]) -> WinDrawLoss {
    row.iter().fold(WinDrawLoss::default(), |mut sum, &games| {
        sum += games;
        sum
    })
}
