//! How many pairs a sequential test takes to tell a lead, and the smallest lead that a number of
//! pairs can tell: for planning a comparison before it is played.
//!
//! ```
//! use quintain_stats::Risks;
//! use quintain_stats::plan::Plan;
//!
//! // Pairs whose score varies by 0.06, a lead of 3 % of the points.
//! let plan = Plan::of_rivals(Risks { alpha: 0.05, beta: 0.05 });
//! let pairs = plan.pairs_to_tell(0.03, 0.06);
//! assert!(pairs.usual > 400 && pairs.usual < pairs.most && pairs.most < 1500);
//! assert!((plan.smallest_lead(pairs.most, 0.06) - 0.03).abs() < 1e-4);
//! ```

use serde::Serialize;

use crate::passage::time_to_cross;
use crate::sprt::{ON_DELTA, Risks};

/// The logarithm of the evidence that bets lose because they are spread over several fractions.
const SPREAD_OVER_FRACTIONS: f64 = 1.3;

/// The pairs that a lead takes to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PairsToTell {
    /// After so many, half of all comparisons have their verdict.
    pub usual: u64,
    /// After so many, 95 of 100 have it.
    pub most: u64,
}

/// A comparison to be planned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// The logarithm of the evidence at which there is a verdict, for the lead looked for.
    decisive: f64,
}

impl Plan {
    /// Of rivals, see [`crate::ThreeWayTest`].
    pub fn of_rivals(risks: Risks) -> Plan {
        Plan { decisive: (2.0 / risks.alpha).ln() - ON_DELTA.ln() }
    }

    /// Of independent scores, see [`crate::DifferenceTest`].
    pub fn of_scores(risks: Risks) -> Plan {
        Plan { decisive: (2.0 / risks.alpha).ln() + SPREAD_OVER_FRACTIONS }
    }

    /// How many pairs tell that a difference of `lead` on average is there, if that is the lead
    /// looked for and differences have this variance.
    ///
    /// # Panics
    /// If the lead is 0.
    pub fn pairs_to_tell(self, lead: f64, variance: f64) -> PairsToTell {
        assert!(lead != 0.0, "no number of pairs tells equal players apart");
        let pairs = |share: f64| (self.information(share) * variance / (lead * lead)).ceil() as u64;
        PairsToTell { usual: pairs(0.5), most: pairs(0.95) }
    }

    /// The smallest difference on average that 95 of 100 comparisons of so many pairs tell.
    pub fn smallest_lead(self, pairs: u64, variance: f64) -> f64 {
        (self.information(0.95) * variance / pairs as f64).sqrt()
    }

    /// In how many units of information this share of comparisons has its verdict; one unit holds
    /// as many pairs as make the lead one standard deviation of their mean.
    fn information(self, share: f64) -> f64 {
        // The evidence for a true lead grows by half a unit a unit.
        time_to_cross(self.decisive, 0.5, share)
    }
}
