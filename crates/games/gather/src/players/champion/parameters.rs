//! What can be set about the champion.

use quintain_core::parameters;

parameters! {
    /// The champion. Times of a pair are in the longer side, those of a crowd in the root
    /// of the area.
    pub(crate) struct ChampionParameters {
        /// Rounds after which somebody met is met again, in the longer side.
        again: f64 = 0.5, in 0.0..=1000.0;
        /// From this many players on, it plays as one of a crowd (on thin boards never).
        crowd: usize = 3;
        /// A pair: the probability of a diagonal loop.
        diagonal: f64 = 0.45, in 0.0..=1.0;
        /// The probability of a loop along the longer side, among those that are not diagonal.
        along: f64 = 0.55, in 0.0..=1.0;
        /// Rounds on the first loop.
        first: f64 = 1.29, in 0.0..=100.0;
        /// Rounds on each later one.
        later: f64 = 1.9, in 0.0..=100.0;
        /// The probability of going on along the same loop after that.
        keep: f64 = 0.2, in 0.0..=1.0;
        /// Diagonals cross each other twice: after this time the other has probably found
        /// one's own trail before.
        double: f64 = 0.6, in 0.0..=100.0;
        /// Steps of a chase before it is given up.
        limit: f64 = 0.52, in 0.0..=100.0;
        /// How long a unit is left alone after that.
        ignore: f64 = 0.26, in 0.0..=100.0;
        /// A trail is chased only if it is known to be no older than this.
        fresh: f64 = 1.15, in 0.0..=1000.0;
        /// On a ring: the probability of turning where another's trail begins.
        turn: f64 = 1.0, in 0.0..=1.0;
        /// A crowd: rounds of a sweep without a trail before it turns back and waits,
        bloom: f64 = 0.51, in 0.0..=100.0;
        /// how much of the sweep it walks back,
        back: f64 = 0.7, in 0.0..=1.0;
        /// and how long nobody may come, with three players.
        alone: f64 = 0.285, in 0.0..=100.0;
        /// With more, the first of these is divided by one and this for each beyond three,
        /// the others by the square of that.
        crowding: f64 = 0.03, in 0.0..=10.0;
        /// With more than three, rounds that the sweep is shorter, since a trail is seen
        /// from beside it.
        early: f64 = 2.2, in 0.0..=1000.0;
        /// How long it waits after the last news.
        visited: f64 = 2.7, in 0.0..=100.0;
        /// How long a chase may last before the dice are asked,
        tired: f64 = 1.5, in 0.0..=100.0;
        /// as they are in a circle, and how often.
        asking: f64 = 0.6, in 0.0..=100.0;
        /// The probability of stopping then,
        halt: f64 = 0.42, in 0.0..=1.0;
        /// and for how long.
        pause: f64 = 0.68, in 0.0..=100.0;
        /// How long a unit is left alone after that,
        forget: f64 = 0.13, in 0.0..=100.0;
        /// and where its trail ends with nobody there.
        lost: f64 = 0.6, in 0.0..=100.0;
    }
}
