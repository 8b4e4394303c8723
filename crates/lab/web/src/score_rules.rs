//! How scores of matches are read: which are better, and whether seats are rivals. Lists of matches
//! of several games ask it match by match.

use std::collections::HashMap;

use quintain_core::{Catalog, Objective, Scoring};

/// What is known of the scenarios that were asked about.
pub(crate) struct ScoreRules<'a> {
    catalog: &'a Catalog,
    /// By game and scenario, without the scenario's parameters.
    known: HashMap<(String, String), Option<(Objective, Scoring)>>,
}

impl<'a> ScoreRules<'a> {
    pub(crate) fn new(catalog: &'a Catalog) -> ScoreRules<'a> {
        ScoreRules { catalog, known: HashMap::new() }
    }

    /// Returns how scores are read; `None` where this server does not know the game or lacks the
    /// scenario's data.
    pub(crate) fn of(&mut self, game: &str, scenario: &str) -> Option<(Objective, Scoring)> {
        let name = scenario.split('?').next().unwrap_or_default();
        let key = (game.to_owned(), name.to_owned());
        *self.known.entry(key).or_insert_with(|| {
            let found = self.catalog.game(game, scenario).ok()?;
            Some((found.objective(), found.scoring()))
        })
    }
}
