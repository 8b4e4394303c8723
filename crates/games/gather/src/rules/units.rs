//! A set of units or of players by number: one word where 64 bits are enough, a row of words beyond
//! that.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of numbers, without an upper bound.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Units(Bits);

/// Sets of numbers below 64 are always a `Word`; `Words` never end in an empty word.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Bits {
    Word(u64),
    Words(Box<[u64]>),
}

impl Units {
    /// The empty set.
    pub const EMPTY: Units = Units(Bits::Word(0));

    /// Returns the set of the numbers whose bits are set.
    #[inline]
    pub fn from_word(word: u64) -> Self {
        Units(Bits::Word(word))
    }

    /// Returns the set of the numbers whose bits are set, 64 per word.
    pub fn from_words(words: &[u64]) -> Self {
        let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        match used {
            0 => Units::EMPTY,
            1 => Units(Bits::Word(words[0])),
            _ => Units(Bits::Words(words[..used].into())),
        }
    }

    /// The bits, 64 per word.
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Bits::Word(word) => std::slice::from_ref(word),
            Bits::Words(words) => words,
        }
    }

    /// The size of the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Bits::Word(0))
    }

    /// Whether the set contains this number.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.words().get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether all numbers of this set are in `other`.
    #[inline]
    pub fn is_within(&self, other: &Units) -> bool {
        let theirs = other.words();
        let word = |index: usize| theirs.get(index).copied().unwrap_or(0);
        self.words().iter().enumerate().all(|(index, mine)| mine & !word(index) == 0)
    }

    /// Returns the numbers that are not in `other`.
    pub fn minus(&self, other: &Units) -> Units {
        if let (Bits::Word(mine), Bits::Word(theirs)) = (&self.0, &other.0) {
            return Units::from_word(mine & !theirs);
        }
        let theirs = other.words();
        let word = |index: usize| theirs.get(index).copied().unwrap_or(0);
        let left: Vec<u64> =
            self.words().iter().enumerate().map(|(index, mine)| mine & !word(index)).collect();
        Units::from_words(&left)
    }

    /// Returns the set with one more number.
    pub fn with(&self, number: usize) -> Units {
        let mut words = self.words().to_vec();
        words.resize(words.len().max(number / 64 + 1), 0);
        words[number / 64] |= 1 << (number % 64);
        Units::from_words(&words)
    }

    /// The numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        numbers(self.words())
    }
}

/// The numbers whose bits are set in a row of words, in ascending order.
pub(crate) fn numbers(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(index * 64 + bit)
        })
    })
}

impl FromIterator<usize> for Units {
    fn from_iter<T: IntoIterator<Item = usize>>(numbers: T) -> Self {
        let mut words = vec![0u64];
        for number in numbers {
            words.resize(words.len().max(number / 64 + 1), 0);
            words[number / 64] |= 1 << (number % 64);
        }
        Units::from_words(&words)
    }
}

impl fmt::Debug for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Units {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<u16>::deserialize(deserializer)?;
        Ok(numbers.into_iter().map(usize::from).collect())
    }
}

impl JsonSchema for Units {
    fn schema_name() -> Cow<'static, str> {
        "Units".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<u16>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_set_is_what_a_plain_set_is(
            left in proptest::collection::btree_set(0usize..200, 0..20),
            right in proptest::collection::btree_set(0usize..200, 0..20),
        ) {
            let mine: Units = left.iter().copied().collect();
            let theirs: Units = right.iter().copied().collect();
            prop_assert_eq!(mine.iter().collect::<BTreeSet<_>>(), left.clone());
            prop_assert_eq!(mine.len(), left.len());
            prop_assert_eq!(mine.is_empty(), left.is_empty());
            prop_assert_eq!(mine.is_within(&theirs), left.is_subset(&right));
            let rest: Units = left.difference(&right).copied().collect();
            prop_assert_eq!(mine.minus(&theirs), rest);
            for number in [0, 63, 64, 150] {
                prop_assert_eq!(mine.contains(number), left.contains(&number));
                let mut more = left.clone();
                more.insert(number);
                prop_assert_eq!(mine.with(number), more.into_iter().collect::<Units>());
            }
            let json = serde_json::to_string(&mine).unwrap();
            prop_assert_eq!(serde_json::from_str::<Units>(&json).unwrap(), mine);
        }
    }
}
