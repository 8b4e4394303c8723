//! The settings of the champion.

use quintain_core::parameters;

use super::weights::Weights;

parameters! {
    /// The champion.
    pub(super) struct Settings {
        /// Futures that each of the best moves is played on for where requests have ten cells
        /// on average, in proportion more where they are larger; 0 for greedy.
        effort: usize = 8, in 0..=1000;
        /// Placements that are completed with road, pond and field.
        candidates: usize = 8, in 1..=10_000;
        /// Requests that the empty cells are likely to last for when moves are played on.
        late: u32 = 20, in 0..=4096;
        /// Requests that moves are played on for before.
        ahead: usize = 4, in 0..=120;
        /// Moves that are played on.
        moves: usize = 4, in 1..=1000;
        /// What the greedy worth of a move counts beside the points of its futures.
        trust: f64 = 1.0, in 0.0..=100.0;
        /// Whose weights: auto for those that fit the requests seen, or a distribution's name.
        profile: String = "auto".to_owned();
        /// All weights, parted by commas, instead of a profile's.
        weights: String = String::new();
        /// What the weights of touching what is built are multiplied by, for a residence.
        residence_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for a residence.
        residence_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for a residence.
        residence_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of touching what is built are multiplied by, for a factory.
        factory_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for a factory.
        factory_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for a factory.
        factory_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of touching what is built are multiplied by, for road.
        road_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for road.
        road_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for road.
        road_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of touching what is built are multiplied by, for pond and park.
        pond_built: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of the empty cells beside it are multiplied by, for pond and park.
        pond_empty: f64 = 1.0, in -10.0..=10.0;
        /// What the weights of where its cells lie are multiplied by, for pond and park.
        pond_place: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of empty cells that no road can come to is multiplied by.
        lost: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of empty cells near a road is multiplied by.
        reach: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of places left for what is asked is multiplied by.
        room: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a bonus of a residence is multiplied by.
        residence_bonus: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a bonus of a factory is multiplied by.
        factory_bonus: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a residence that is served already is multiplied by.
        residence_served: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a factory that is served already is multiplied by.
        factory_served: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a building that needs no new road is multiplied by.
        road_served: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of a place of the plan is multiplied by.
        slot: f64 = 1.0, in -10.0..=10.0;
        /// What the weight of the moves that follow is multiplied by.
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
