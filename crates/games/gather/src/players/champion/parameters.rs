//! The champion's parameters.

use quintain_core::parameters;

parameters! {
    /// The champion. Times of a pair are in the longer side, those of a crowd in the root
    /// of the area.
    pub(crate) struct ChampionParameters {
        /// Rounds after which a player that was met may be met again, as a multiple of the longer side.
        again: f64 = 0.5, in 0.0..=1000.0;
        /// From this many players on, it plays as one of a crowd (on thin boards never).
        crowd: usize = 3;
        /// The probability that one of a pair walks a diagonal loop.
        diagonal: f64 = 0.45, in 0.0..=1.0;
        /// The probability of a loop along the longer side, among those that are not diagonal.
        along: f64 = 0.55, in 0.0..=1.0;
        /// Rounds that one of a pair stays on its first loop, as a multiple of the longer side.
        first: f64 = 1.29, in 0.0..=100.0;
        /// Rounds that one of a pair stays on each later loop, as a multiple of the longer side.
        later: f64 = 1.9, in 0.0..=100.0;
        /// The probability that one of a pair keeps its loop when that time is over.
        keep: f64 = 0.2, in 0.0..=1.0;
        /// Rounds after which the other of a pair has probably crossed one's own trail already, since diagonals
        /// cross each other twice; as a multiple of the longer side.
        double: f64 = 0.6, in 0.0..=100.0;
        /// Steps after which one of a pair gives up following a trail, as a multiple of the longer side.
        limit: f64 = 0.52, in 0.0..=100.0;
        /// Rounds for which the unit of a trail given up is ignored, as a multiple of the longer side.
        ignore: f64 = 0.26, in 0.0..=100.0;
        /// The greatest age at which a trail is followed, as a multiple of the longer side.
        fresh: f64 = 1.15, in 0.0..=1000.0;
        /// On a ring: the probability of turning where another's trail begins.
        turn: f64 = 1.0, in 0.0..=1.0;
        /// Rounds that one of a crowd sweeps without finding a trail before it turns back and waits, as a
        /// multiple of the root of the area.
        bloom: f64 = 0.51, in 0.0..=100.0;
        /// The share of its sweep that one of a crowd walks back before it waits.
        back: f64 = 0.7, in 0.0..=1.0;
        /// The longest wait for a first visitor where there are three players, as a multiple of the root of the
        /// area.
        alone: f64 = 0.285, in 0.0..=100.0;
        /// How much a crowd of more than three hurries: `bloom` is divided by 1 + `crowding` × (players − 3),
        /// `back` and `alone` by its square.
        crowding: f64 = 0.03, in 0.0..=10.0;
        /// Rounds by which sweeps are shorter where there are more than three players, since a trail is seen
        /// from the cells beside it.
        early: f64 = 2.2, in 0.0..=1000.0;
        /// Rounds that one of a crowd waits on after the last news, as a multiple of the root of the area.
        visited: f64 = 2.7, in 0.0..=100.0;
        /// Rounds of following one trail after which one of a crowd may stop at random, as a multiple of the
        /// root of the area; where it walks in a circle it may at once.
        tired: f64 = 1.5, in 0.0..=100.0;
        /// Rounds between two draws of whether to stop, as a multiple of the root of the area.
        asking: f64 = 0.6, in 0.0..=100.0;
        /// The probability of stopping at each of these draws.
        halt: f64 = 0.42, in 0.0..=1.0;
        /// Steps that it turns back along its own way after such a stop, toward whoever follows it, as a multiple
        /// of the root of the area.
        retreat: f64 = 0.6, in 0.0..=100.0;
        /// Rounds that it waits after such a stop, as a multiple of the root of the area.
        pause: f64 = 0.68, in 0.0..=100.0;
        /// Rounds for which the unit followed is ignored after such a wait, as a multiple of the root of the
        /// area.
        forget: f64 = 0.13, in 0.0..=100.0;
        /// Rounds for which a unit is ignored whose trail ended with nobody there, as a multiple of the root of
        /// the area.
        lost: f64 = 0.6, in 0.0..=100.0;
    }
}
