//! The champion's parameters.

use quintain_core::parameters;

parameters! {
    /// The champion. Times of a pair and of players with roles are in the longer side, which is a
    /// lap, those of a crowd in the root of the area.
    pub(crate) struct ChampionParameters {
        /// Rounds after a meeting before that player may be met again, as a multiple of the longer
        /// side.
        again: f64 = 0.5, in 0.0..=1000.0;
        /// With at least this many players, it plays as one of a crowd, except on thin boards.
        crowd: usize = 3;
        /// The probability that one of a pair walks a diagonal loop.
        diagonal: f64 = 0.5, in 0.0..=1.0;
        /// The probability of a loop along the longer side, among those that are not diagonal.
        along: f64 = 0.5, in 0.0..=1.0;
        /// Rounds that one of a pair stays on its first loop, as a multiple of the longer side.
        first: f64 = 1.12, in 0.0..=100.0;
        /// Rounds for which one of a pair tries to meet the other from a second loop, as a multiple
        /// of the longer side.
        second_loop: f64 = 2.0, in 0.0..=100.0;
        /// Rounds that one of a pair stays on each loop drawn at random after that, as a multiple
        /// of the longer side.
        later: f64 = 1.9, in 0.0..=100.0;
        /// The probability that one of a pair keeps its loop when that time is over.
        keep: f64 = 0.2, in 0.0..=1.0;
        /// Steps after which one of a pair or a seeker gives up following a trail, as a multiple of
        /// the longer side.
        limit: f64 = 0.52, in 0.0..=100.0;
        /// Rounds for which it ignores the unit of a trail that it gave up, as a multiple of the
        /// longer side.
        ignore: f64 = 0.26, in 0.0..=100.0;
        /// The greatest age at which a trail is followed, as a multiple of the longer side.
        fresh: f64 = 1.15, in 0.0..=1000.0;
        /// On a ring, the probability of turning where another player's trail begins.
        turn: f64 = 1.0, in 0.0..=1.0;
        /// Rounds that one of a crowd sweeps without finding a trail before it turns back and
        /// waits, as a multiple of the root of the area.
        bloom: f64 = 0.51, in 0.0..=100.0;
        /// The share of its sweep that one of a crowd walks back before it waits.
        back: f64 = 0.7, in 0.0..=1.0;
        /// The longest wait for a first visitor with three players, as a multiple of the root of
        /// the area.
        alone: f64 = 0.285, in 0.0..=100.0;
        /// How much a crowd of more than three hurries: `bloom` is divided by 1 + `crowding` ×
        /// (players − 3), `back` and `alone` by its square.
        crowding: f64 = 0.03, in 0.0..=10.0;
        /// Rounds by which sweeps are shorter with more than three players, since a trail is seen
        /// from the cells beside it.
        early: f64 = 2.2, in 0.0..=1000.0;
        /// Rounds that one of a crowd goes on waiting after the last news, as a multiple of the
        /// root of the area.
        visited: f64 = 2.7, in 0.0..=100.0;
        /// Rounds of following one trail after which one of a crowd may stop at random, as a
        /// multiple of the root of the area; if it walks in a circle, it may stop at once.
        tired: f64 = 1.5, in 0.0..=100.0;
        /// Rounds between two random decisions whether to stop, as a multiple of the root of the
        /// area.
        asking: f64 = 0.6, in 0.0..=100.0;
        /// The probability of stopping at each of these decisions.
        halt: f64 = 0.42, in 0.0..=1.0;
        /// Steps that it walks back along its own way after such a stop, toward whoever follows it,
        /// as a multiple of the root of the area.
        retreat: f64 = 0.6, in 0.0..=100.0;
        /// Rounds that it waits after such a stop, as a multiple of the root of the area.
        pause: f64 = 0.68, in 0.0..=100.0;
        /// Rounds for which it ignores the unit it followed after such a wait, as a multiple of the
        /// root of the area.
        forget: f64 = 0.13, in 0.0..=100.0;
        /// The most cells for each player with which a crowd is dense.
        dense: f64 = 80.0, in 0.0..=1e9;
        /// In a dense crowd, the probability that one that has waited in vain takes the other
        /// diagonal.
        change: f64 = 0.05, in 0.0..=1.0;
        /// Rounds without news after which one of a crowd wanders off now and then, as a multiple
        /// of the root of the area.
        stuck: f64 = 12.0, in 0.0..=1000.0;
        /// The longest such walk, and the longest time until the next one, as a multiple of the
        /// root of the area.
        wander: f64 = 1.0, in 0.0..=100.0;
        /// The shortest side of square boards on which three or more players draw the roles of
        /// patrol and seeker.
        square: usize = 30;
        /// The mean number of patrols, as a multiple of the root of the number of players.
        patrols: f64 = 0.87, in 0.0..=100.0;
        /// Laps after which a player that has crossed nobody's loop takes part in an election.
        proof: f64 = 1.2, in 0.0..=100.0;
        /// Laps after an election after which a role is given up if it brought nothing.
        second: f64 = 2.1, in 0.0..=100.0;
        /// Laps without news after which any role is given up.
        stale: f64 = 2.5, in 0.0..=1000.0;
        /// Rounds for which it ignores a unit whose trail ended with nobody there, as a multiple of
        /// the root of the area.
        lost: f64 = 0.6, in 0.0..=100.0;
    }
}
