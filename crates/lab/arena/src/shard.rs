//! Shares of a tournament that several machines play separately.

use std::fmt;
use std::str::FromStr;

use quintain_core::split_mix;

/// One of several equal shares of a tournament, each played into a separate store.
///
/// The fixtures are cut into rows of as many fixtures as there are shares, and each share gets one
/// of each row, in an order drawn for the row. So shares differ by one fixture at most, and no
/// share always gets the same line-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// The whole tournament.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Whether the fixture with this number belongs to this share.
    pub fn has(self, index: u64) -> bool {
        let (row, place) = (index / self.of, index % self.of);
        (u128::from(place) + u128::from(split_mix(row))) % u128::from(self.of)
            == u128::from(self.number - 1)
    }

    /// How many of the first `all` fixtures belong to this share.
    pub(crate) fn of_all(self, all: u64) -> u64 {
        let rows = all / self.of;
        rows + (rows * self.of..all).filter(|&index| self.has(index)).count() as u64
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// Text that names no share.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected PART/PARTS, with parts counted from 1, such as 3/64")]
#[non_exhaustive]
pub struct ParseShardError;

impl FromStr for Shard {
    type Err = ParseShardError;

    /// Reads `3/64`: the third of 64 shares.
    fn from_str(text: &str) -> Result<Shard, ParseShardError> {
        let (number, of) = text.split_once('/').ok_or(ParseShardError)?;
        let read = |text: &str| text.parse::<u64>().map_err(|_| ParseShardError);
        let share = Shard { number: read(number)?, of: read(of)? };
        if (1..=share.of).contains(&share.number) { Ok(share) } else { Err(ParseShardError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_share_is_written_as_it_is_read() {
        assert_eq!("3/64".parse::<Shard>().unwrap().to_string(), "3/64");
        for wrong in ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1.5/2"] {
            assert_eq!(wrong.parse::<Shard>(), Err(ParseShardError), "{wrong}");
        }
    }

    #[test]
    fn no_share_is_dealt_always_the_same_line_up() {
        // Six line-ups a round, three shares: dealt in turn, each share would see two of them.
        let share: Shard = "1/3".parse().unwrap();
        let seen: std::collections::BTreeSet<u64> =
            (0..600).filter(|&index| share.has(index)).map(|index| index % 6).collect();
        assert_eq!(seen.len(), 6);
    }

    proptest! {
        #[test]
        fn every_fixture_is_in_one_share_and_shares_are_equal(of in 1u64..70, all in 0u64..500) {
            let shares: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            for index in 0..all {
                prop_assert_eq!(shares.iter().filter(|share| share.has(index)).count(), 1);
            }
            for share in shares {
                let has = (0..all).filter(|&index| share.has(index)).count() as u64;
                prop_assert_eq!(has, share.of_all(all));
                prop_assert!(has == all / of || has == all / of + 1);
            }
        }
    }
}
