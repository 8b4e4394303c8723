//! Counts of games won, drawn and lost. Ratings are computed from them in [`crate::elo`] and
//! [`crate::bradley_terry`].

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

impl WinDrawLoss {
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
