//! The arrays that a step writes, cut into those of single states or of parts of the crew.

use super::task::Layout;

/// How long the pieces of one state are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    pub(crate) board: usize,
    pub(crate) features: usize,
    pub(crate) masks: usize,
    pub(crate) seats: usize,
}

impl Lengths {
    /// Those of a layout, with nothing for what is not wanted.
    pub(crate) fn of(layout: &Layout, observe: bool, masks: bool) -> Lengths {
        let wanted = |is: bool, length: usize| if is { length } else { 0 };
        Lengths {
            board: wanted(observe, layout.cells()),
            features: wanted(observe, layout.features.len()),
            masks: wanted(masks, layout.seats * layout.actions),
            seats: layout.seats,
        }
    }
}

/// What a step writes, of so many states.
pub(crate) struct Arrays<'a> {
    pub(crate) lengths: Lengths,
    pub(crate) board: &'a mut [u8],
    pub(crate) features: &'a mut [i32],
    pub(crate) masks: &'a mut [i8],
    pub(crate) rewards: &'a mut [f32],
    /// Of the episode that ended last.
    pub(crate) scores: &'a mut [f64],
    pub(crate) terminated: &'a mut [bool],
    pub(crate) truncated: &'a mut [bool],
    pub(crate) illegal: &'a mut [bool],
    pub(crate) seeds: &'a mut [u64],
}

/// Takes the first `count` of a slice off it.
#[inline]
fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    slice.split_off_mut(..count).expect("as many as there are states")
}

impl<'a> Arrays<'a> {
    /// Takes the arrays of the first `count` states off these.
    #[inline]
    fn take(&mut self, count: usize) -> Arrays<'a> {
        let lengths = self.lengths;
        Arrays {
            lengths,
            board: take(&mut self.board, count * lengths.board),
            features: take(&mut self.features, count * lengths.features),
            masks: take(&mut self.masks, count * lengths.masks),
            rewards: take(&mut self.rewards, count * lengths.seats),
            scores: take(&mut self.scores, count * lengths.seats),
            terminated: take(&mut self.terminated, count),
            truncated: take(&mut self.truncated, count),
            illegal: take(&mut self.illegal, count),
            seeds: take(&mut self.seeds, count),
        }
    }

    /// Those of one state.
    #[inline]
    pub(crate) fn at(&mut self, index: usize) -> Arrays<'_> {
        fn cut<T>(slice: &mut [T], index: usize, length: usize) -> &mut [T] {
            &mut slice[index * length..][..length]
        }
        let lengths = self.lengths;
        Arrays {
            lengths,
            board: cut(self.board, index, lengths.board),
            features: cut(self.features, index, lengths.features),
            masks: cut(self.masks, index, lengths.masks),
            rewards: cut(self.rewards, index, lengths.seats),
            scores: cut(self.scores, index, lengths.seats),
            terminated: cut(self.terminated, index, 1),
            truncated: cut(self.truncated, index, 1),
            illegal: cut(self.illegal, index, 1),
            seeds: cut(self.seeds, index, 1),
        }
    }

    /// Those of `count` states each, fewer in the last one.
    #[inline]
    pub(crate) fn parts(mut self, count: usize) -> impl Iterator<Item = Arrays<'a>> {
        std::iter::from_fn(move || {
            let left = self.seeds.len();
            (left > 0).then(|| self.take(count.min(left)))
        })
    }
}
