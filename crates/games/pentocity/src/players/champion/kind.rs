//! The kinds of things that can be laid on the board.

/// A kind of thing that can be laid; each has its own maps in the [view](super::view).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Residence,
    Factory,
    Road,
    Water,
    Park,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] =
        [Kind::Residence, Kind::Factory, Kind::Road, Kind::Water, Kind::Park];

    /// The index of its weights among [`super::weights::KINDS`]: ponds and fields share theirs.
    pub(super) fn weight_index(self) -> usize {
        (self as usize).min(3)
    }
}
