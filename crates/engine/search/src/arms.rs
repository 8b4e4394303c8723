//! What searches record about the actions they try, and how they compare them: shared by
//! [`crate::uct`], [`crate::puct`], [`crate::ensemble`] and [`crate::flat_monte_carlo`]. A tree
//! keeps its own links between arms; the numbers are kept and read here.

use quintain_core::choices;

choices! {
    /// Which of the actions tried is played in the end.
    pub enum Choice {
        /// The one tried most often (the “robust child”).
        Visits = "visits",
        /// The one with the best mean (the “max child”).
        Mean = "mean",
    }
}

impl Choice {
    /// The rank of an arm: the other measure breaks ties.
    #[inline]
    pub(crate) fn rank(self, visits: u32, mean: f64) -> (f64, f64) {
        match self {
            Choice::Visits => (f64::from(visits), mean),
            Choice::Mean => (mean, f64::from(visits)),
        }
    }
}

choices! {
    /// Which arm of a node is tried next.
    pub enum Selection {
        /// mean + c·√(ln N / n) (Auer, Cesa-Bianchi & Fischer 2002).
        Ucb1 = "ucb1",
        /// UCB1 whose intervals are narrower where the arm's values vary little (ibid., section 4).
        Ucb1Tuned = "ucb1-tuned",
    }
}

/// The arm with the greatest bound. Of equal arms it is the first; if no bound is a number above
/// minus infinity, it is `fallback`.
#[inline]
pub(crate) fn greatest<I>(fallback: I, arms: impl IntoIterator<Item = (I, f64)>) -> I {
    let mut best = (f64::NEG_INFINITY, fallback);
    for (arm, bound) in arms {
        if bound > best.0 {
            best = (bound, arm);
        }
    }
    best.1
}

/// The number of values backed up to an arm or a node, and their sum.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) visits: u32,
    pub(crate) total: f64,
}

impl Tally {
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        self.visits += 1;
        self.total += value;
    }

    /// The mean of the values; not a number if there are none.
    #[inline]
    pub(crate) fn mean(self) -> f64 {
        self.total / f64::from(self.visits)
    }

    /// mean + width·√(log / visits), the bound of UCB1.
    #[inline]
    pub(crate) fn upper_bound(self, width: f64, log: f64) -> f64 {
        self.mean() + width * (log / f64::from(self.visits)).sqrt()
    }
}

/// The same for arms that are compared far more often than they change: the mean is kept instead of
/// the sum, and so is 1/√visits, which a comparison would otherwise compute for every arm. `L` is
/// where the arm leads; it lies between the numbers, where it takes no additional space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedArm<L> {
    pub(crate) visits: u32,
    pub(crate) link: L,
    pub(crate) mean: f64,
    /// 1/√visits.
    narrowing: f64,
}

impl<L> CachedArm<L> {
    pub(crate) fn new(link: L) -> Self {
        CachedArm { visits: 0, link, mean: 0.0, narrowing: 0.0 }
    }

    /// Adds a value, and returns its share of the new mean.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) -> f64 {
        self.visits += 1;
        let share = 1.0 / f64::from(self.visits);
        self.mean += (value - self.mean) * share;
        self.narrowing = share.sqrt();
        share
    }
}

/// The upper confidence bound by which cached arms are compared.
#[derive(Clone, Copy)]
pub(crate) struct UpperBound {
    pub(crate) selection: Selection,
    pub(crate) exploration: f64,
    /// The width of the scale of values.
    pub(crate) spread: f64,
}

impl UpperBound {
    /// The bound of `arm`. `log` is the logarithm of the number of rounds in which the arm was on
    /// offer, and `width` is [`UpperBound::width`] of `log`. `squares` gives the mean of the arm's
    /// squared values, and is called only for UCB1-Tuned.
    #[inline]
    pub(crate) fn of<L>(
        &self,
        log: f64,
        width: f64,
        arm: &CachedArm<L>,
        squares: impl FnOnce() -> f64,
    ) -> f64 {
        match self.selection {
            Selection::Ucb1 => arm.mean + width * arm.narrowing,
            Selection::Ucb1Tuned => {
                // The published formula has min(1/4, V) where this has min(1, 4·V): it equals this
                // one at an exploration of 1/2, and is never wider than UCB1.
                let variance = (squares() - arm.mean * arm.mean).max(0.0);
                let variance = variance / (self.spread * self.spread)
                    + std::f64::consts::SQRT_2 * log.sqrt() * arm.narrowing;
                arm.mean + width * arm.narrowing * (4.0 * variance).min(1.0).sqrt()
            }
        }
    }

    /// The part of a bound that is the same for all arms of a node.
    #[inline]
    pub(crate) fn width(&self, log: f64) -> f64 {
        self.exploration * self.spread * log.sqrt()
    }
}
