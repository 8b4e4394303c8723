//! The arrays that a step writes, which can be split into those of single states or of parts of a
//! batch.

use quintain_core::Layout;

/// The lengths of one state's part of each array.
#[derive(Clone, Copy, Debug)]
pub struct ArrayLengths {
    /// Bytes of the board.
    pub board: usize,
    /// Features.
    pub features: usize,
    /// Bytes of the masks of all seats.
    pub masks: usize,
    /// Seats, each with a reward and a score.
    pub seats: usize,
}

impl ArrayLengths {
    /// The lengths for a layout, zero for observations or masks that are not wanted.
    pub fn new(layout: &Layout, observe: bool, masks: bool) -> ArrayLengths {
        let length_if = |is: bool, length: usize| if is { length } else { 0 };
        ArrayLengths {
            board: length_if(observe, layout.board_len()),
            features: length_if(observe, layout.features.len()),
            masks: length_if(masks, layout.learner_seats * layout.actions),
            seats: layout.learner_seats,
        }
    }
}

/// The arrays that a step writes, for as many states as there are [`seeds`](Arrays::seeds).
pub struct Arrays<'a> {
    /// How much of each array belongs to one state.
    pub lengths: ArrayLengths,
    /// The boards.
    pub board: &'a mut [u8],
    /// The features.
    pub features: &'a mut [i32],
    /// Which actions each seat may take: 1 or 0.
    pub masks: &'a mut [i8],
    /// The reward of each seat for the last step.
    pub rewards: &'a mut [f32],
    /// The scores of the episode that ended last.
    pub scores: &'a mut [f64],
    /// Whether the last step ended an episode by the rules.
    pub terminated: &'a mut [bool],
    /// Whether a limit cut the episode off on the last step.
    pub truncated: &'a mut [bool],
    /// Whether an illegal action ended the episode on the last step.
    pub illegal: &'a mut [bool],
    /// The seed of each state's episode.
    pub seeds: &'a mut [u64],
}

/// Splits the first `count` items off a slice.
#[inline]
fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    slice.split_off_mut(..count).expect("as many as there are states")
}

impl<'a> Arrays<'a> {
    /// Splits off the arrays of the first `count` states.
    ///
    /// # Panics
    /// If there are fewer states.
    #[inline]
    pub fn take(&mut self, count: usize) -> Arrays<'a> {
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

    /// Writes how a turn of one state ended: terminated, truncated, illegal.
    #[inline]
    pub(crate) fn set_ends(&mut self, ends: [bool; 3]) {
        let arrays = [&mut *self.terminated, &mut *self.truncated, &mut *self.illegal];
        for (out, is) in arrays.into_iter().zip(ends) {
            out[0] = is;
        }
    }

    /// Writes that nothing happened to one state.
    #[inline]
    pub(crate) fn set_nothing(&mut self) {
        self.rewards.fill(0.0);
        self.set_ends([false; 3]);
    }

    /// The arrays of one state.
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

    /// The arrays in parts of `count` states each, with fewer in the last part.
    #[inline]
    pub(crate) fn parts(mut self, count: usize) -> impl Iterator<Item = Arrays<'a>> {
        std::iter::from_fn(move || {
            let left = self.seeds.len();
            (left > 0).then(|| self.take(count.min(left)))
        })
    }
}
