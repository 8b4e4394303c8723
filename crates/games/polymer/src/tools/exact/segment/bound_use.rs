//! Whether a bound that takes long cuts often enough to be tried.

/// How often a bound was wanted, how often it was tried, and how often it cut.
#[derive(Clone, Copy, Default)]
pub(super) struct BoundUse {
    wanted: u32,
    tried: u32,
    pub(super) cuts: u32,
}

impl BoundUse {
    /// Whether to try the bound once more. One that takes as long as several segments must cut one
    /// time in `RARE`; otherwise it is only tried now and then.
    #[inline]
    pub(super) fn is_worth_it(&mut self) -> bool {
        const RARE: u32 = 8;
        const TRIALS: u32 = 64;
        self.wanted = self.wanted.wrapping_add(1);
        let tries = self.tried < TRIALS
            || self.cuts >= self.tried / RARE
            || self.wanted.is_multiple_of(2 * RARE);
        if tries {
            self.tried += 1;
        }
        if self.tried == u32::MAX {
            (self.tried, self.cuts) = (self.tried / 2, self.cuts / 2);
        }
        tries
    }
}
