//! The actions of a turn, by number.

/// Actions by number, in the integer types that learners' arrays have.
#[derive(Clone, Copy, Debug)]
pub enum ActionNumbers<'a> {
    /// 64 bits each.
    Long(&'a [i64]),
    /// 32 bits each.
    Int(&'a [i32]),
    /// A byte each.
    Byte(&'a [u8]),
}

impl ActionNumbers<'_> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            ActionNumbers::Long(all) => all.len(),
            ActionNumbers::Int(all) => all.len(),
            ActionNumbers::Byte(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(crate) fn get(self, index: usize) -> usize {
        match self {
            ActionNumbers::Long(all) => all[index] as usize,
            ActionNumbers::Int(all) => all[index] as usize,
            ActionNumbers::Byte(all) => usize::from(all[index]),
        }
    }

    /// The index and value of the first number that is not below `actions`.
    pub fn first_beyond(self, actions: usize) -> Option<(usize, i64)> {
        let wrong = |number: i64| !(0..actions as i64).contains(&number);
        match self {
            ActionNumbers::Long(all) => {
                all.iter().position(|n| wrong(*n)).map(|place| (place, all[place]))
            }
            ActionNumbers::Int(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
            ActionNumbers::Byte(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
        }
    }
}
