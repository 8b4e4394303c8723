//! The settings of the champion.

use quintain_core::parameters;

use super::weights::Weights;

parameters! {
    /// The champion.
    pub(super) struct Settings {
        /// Rollouts of each of the best moves if requests have ten cells on average;
        /// proportionally more for larger ones; 0 for greedy moves.
        effort: usize = 8, in 0..=1000;
        /// The number of placements that are completed with road, pond and field; twice as many
        /// with a learned value.
        candidates: usize = 8, in 1..=10_000;
        /// Rollouts go on to the end of the game once the empty cells are likely to last for
        /// fewer requests than this, where there is no learned value.
        late: u32 = 20, in 0..=4096;
        /// The number of requests that rollouts cover before that.
        ahead: usize = 4, in 0..=120;
        /// The number of moves that are compared by rollouts; one more with a learned value.
        moves: usize = 4, in 1..=1000;
        /// Weight of the greedy value of a move beside the points of its rollouts; it counts only
        /// when rollouts go on to the end of the game (see late).
        trust: f64 = 1.0, in 0.0..=100.0;
        /// Whether moves are compared by the learned value of the land, where the profile has one.
        learned: bool = true;
        /// Which weights: auto for those that fit the requests seen, or a distribution's name.
        profile: String = "auto".to_owned();
        /// All weights, separated by commas, instead of a profile's; after slashes those for a
        /// full board, for large factories, and for these on a full board.
        weights: String = String::new();
        /// Factor on the weights of touching what is built, for a residence.
        residence_built: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of the empty cells beside it, for a residence.
        residence_empty: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of where its cells lie, for a residence.
        residence_place: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of touching what is built, for a factory.
        factory_built: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of the empty cells beside it, for a factory.
        factory_empty: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of where its cells lie, for a factory.
        factory_place: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of touching what is built, for roads.
        road_built: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of the empty cells beside it, for roads.
        road_empty: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of where its cells lie, for roads.
        road_place: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of touching what is built, for ponds and parks.
        pond_built: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of the empty cells beside it, for ponds and parks.
        pond_empty: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weights of where its cells lie, for ponds and parks.
        pond_place: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of empty cells that no road can reach.
        lost: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of empty cells near a road.
        reach: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of the places left for what is asked for.
        room: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of a residence's bonus.
        residence_bonus: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of a factory's bonus.
        factory_bonus: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of a residence that is already served.
        residence_served: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of a factory that is already served.
        factory_served: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of a building that needs no new road.
        road_served: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of a place in the plan.
        slot: f64 = 1.0, in -10.0..=10.0;
        /// Factor on the weight of the moves that follow.
        later: f64 = 1.0, in -10.0..=10.0;
    }
}

impl Settings {
    /// A profile's weights times the factors of these settings.
    pub(super) fn scale(&self, weights: &Weights) -> Weights {
        let kinds = [
            [self.residence_built, self.residence_empty, self.residence_place],
            [self.factory_built, self.factory_empty, self.factory_place],
            [self.road_built, self.road_empty, self.road_place],
            [self.pond_built, self.pond_empty, self.pond_place],
        ];
        let rest = [
            ("lost", self.lost),
            ("reach", self.reach),
            ("room", self.room),
            ("residence-bonus", self.residence_bonus),
            ("factory-bonus", self.factory_bonus),
            ("residence-served", self.residence_served),
            ("factory-served", self.factory_served),
            ("road-served", self.road_served),
            ("slot", self.slot),
            ("later", self.later),
        ];
        weights.times(kinds, &rest)
    }
}
