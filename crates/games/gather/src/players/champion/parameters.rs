//! The champion's parameters. Their defaults are the tuned numbers of `tuned.toml`, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use quintain_core::parameters;
use serde::Deserialize;

parameters! {
    /// The champion. Times of a pair and of players with roles are in the longer side, which is a
    /// lap, those of a crowd in the root of the area.
    pub(crate) struct ChampionParameters {
        /// Rounds after a meeting before that player may be met again, as a multiple of the longer
        /// side.
        again: f64 = tuned("again"), in 0.0..=1000.0;
        /// With at least this many players, it plays as one of a crowd, except on thin boards.
        crowd: usize = tuned("crowd") as usize;
        /// The probability that one of a pair walks a diagonal loop.
        diagonal: f64 = tuned("diagonal"), in 0.0..=1.0;
        /// The probability of a loop along the longer side, among those that are not diagonal.
        along: f64 = tuned("along"), in 0.0..=1.0;
        /// Rounds that one of a pair stays on its first loop, as a multiple of the longer side.
        first: f64 = tuned("first"), in 0.0..=100.0;
        /// Rounds for which one of a pair tries to meet the other from a second loop, as a multiple
        /// of the longer side.
        second_loop: f64 = tuned("second_loop"), in 0.0..=100.0;
        /// Rounds that one of a pair stays on each loop drawn at random after that, as a multiple
        /// of the longer side.
        later: f64 = tuned("later"), in 0.0..=100.0;
        /// The probability that one of a pair keeps its loop when that time is over.
        keep: f64 = tuned("keep"), in 0.0..=1.0;
        /// Steps after which one of a pair or a seeker gives up following a trail, as a multiple of
        /// the longer side.
        limit: f64 = tuned("limit"), in 0.0..=100.0;
        /// Rounds for which it ignores the unit of a trail that it gave up, as a multiple of the
        /// longer side.
        ignore: f64 = tuned("ignore"), in 0.0..=100.0;
        /// The greatest age at which a trail is followed, as a multiple of the longer side.
        fresh: f64 = tuned("fresh"), in 0.0..=1000.0;
        /// On a ring, the probability of turning where another player's trail begins.
        turn: f64 = tuned("turn"), in 0.0..=1.0;
        /// Rounds that one of a crowd sweeps without finding a trail before it turns back and
        /// waits, as a multiple of the root of the area.
        bloom: f64 = tuned("bloom"), in 0.0..=100.0;
        /// The share of its sweep that one of a crowd walks back before it waits.
        back: f64 = tuned("back"), in 0.0..=1.0;
        /// The longest wait for a first visitor with three players, as a multiple of the root of
        /// the area.
        alone: f64 = tuned("alone"), in 0.0..=100.0;
        /// How much a crowd of more than three hurries: `bloom` is divided by 1 + `crowding` ×
        /// (players − 3), `back` and `alone` by its square.
        crowding: f64 = tuned("crowding"), in 0.0..=10.0;
        /// Rounds by which sweeps are shorter with more than three players, since a trail is seen
        /// from the cells beside it.
        early: f64 = tuned("early"), in 0.0..=1000.0;
        /// Rounds that one of a crowd goes on waiting after the last news, as a multiple of the
        /// root of the area.
        visited: f64 = tuned("visited"), in 0.0..=100.0;
        /// Rounds of following one trail after which one of a crowd may stop at random, as a
        /// multiple of the root of the area; if it walks in a circle, it may stop at once.
        tired: f64 = tuned("tired"), in 0.0..=100.0;
        /// Rounds between two random decisions whether to stop, as a multiple of the root of the
        /// area.
        asking: f64 = tuned("asking"), in 0.0..=100.0;
        /// The probability of stopping at each of these decisions.
        halt: f64 = tuned("halt"), in 0.0..=1.0;
        /// Steps that it walks back along its own way after such a stop, toward whoever follows it,
        /// as a multiple of the root of the area.
        retreat: f64 = tuned("retreat"), in 0.0..=100.0;
        /// Rounds that it waits after such a stop, as a multiple of the root of the area.
        pause: f64 = tuned("pause"), in 0.0..=100.0;
        /// Rounds for which it ignores the unit it followed after such a wait, as a multiple of the
        /// root of the area.
        forget: f64 = tuned("forget"), in 0.0..=100.0;
        /// The most cells for each player with which a crowd is dense.
        dense: f64 = tuned("dense"), in 0.0..=1e9;
        /// In a dense crowd, the probability that one that has waited in vain takes the other
        /// diagonal.
        change: f64 = tuned("change"), in 0.0..=1.0;
        /// Rounds without news after which one of a crowd wanders off now and then, as a multiple
        /// of the root of the area.
        stuck: f64 = tuned("stuck"), in 0.0..=1000.0;
        /// The longest such walk, and the longest time until the next one, as a multiple of the
        /// root of the area.
        wander: f64 = tuned("wander"), in 0.0..=100.0;
        /// The shortest side of square boards on which three or more players draw the roles of
        /// patrol and seeker.
        square: usize = tuned("square") as usize;
        /// The mean number of patrols, as a multiple of the root of the number of players.
        patrols: f64 = tuned("patrols"), in 0.0..=100.0;
        /// Laps after which a player that has crossed nobody's loop takes part in an election.
        proof: f64 = tuned("proof"), in 0.0..=100.0;
        /// Laps after an election after which a role is given up if it brought nothing.
        second: f64 = tuned("second"), in 0.0..=100.0;
        /// Laps without news after which any role is given up.
        stale: f64 = tuned("stale"), in 0.0..=1000.0;
        /// Rounds for which it ignores a unit whose trail ended with nobody there, as a multiple of
        /// the root of the area.
        lost: f64 = tuned("lost"), in 0.0..=100.0;
    }
}

const TEXT: &str = include_str!("tuned.toml");

/// What the file has beside its origin.
#[derive(Deserialize)]
struct Tuned {
    parameters: BTreeMap<String, f64>,
}

/// The tuned value of a parameter.
fn tuned(name: &str) -> f64 {
    static TUNED: LazyLock<Tuned> = LazyLock::new(|| {
        toml::from_str(TEXT).unwrap_or_else(|problem| panic!("tuned.toml: {problem}"))
    });
    let value = TUNED.parameters.get(name);
    *value.unwrap_or_else(|| panic!("tuned.toml: no parameter is named “{name}”"))
}

#[cfg(test)]
mod tests {
    use quintain_core::Parameters;

    use super::*;

    #[test]
    fn the_file_has_every_parameter_and_says_where_they_are_from() {
        let file: toml::Table = toml::from_str(TEXT).unwrap();
        assert!(["command", "seeds"].iter().all(|key| file["origin"][key].is_str()));
        let known = ChampionParameters::list();
        let parameters = file["parameters"].as_table().unwrap();
        assert_eq!(parameters.len(), known.len());
        assert!(known.iter().all(|known| parameters.contains_key(known.name)));
    }
}
