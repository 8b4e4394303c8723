//! A tournament as planned by an experiment: who plays where, on how many seeds. It is turned into
//! the text of a tournament file, which the arena reads like any other.

use serde::{Deserialize, Serialize};

/// A set of boards and seeds that figures rest on, and the players that were tried there; or a
/// calculation in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataSet {
    /// The set, in words.
    pub what: String,
    /// The players, if they are not in these words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<String>,
}

/// A plan of a tournament.
///
/// ```
/// use quintain_experiments::TournamentPlan;
///
/// // Seeds 1000 to 1009, keeping what players note.
/// let plan = TournamentPlan::solo("polymer", ["L08_s01"], ["uct", "random"], 10);
/// let plan = plan.from_seed(1000).with_notes();
/// # let _ = plan;
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct TournamentPlan {
    pub(crate) game: &'static str,
    format: &'static str,
    scenarios: Vec<String>,
    players: Vec<String>,
    first: u64,
    seeds: u64,
    sample: Option<u64>,
    notes: bool,
    budget: &'static str,
}

impl TournamentPlan {
    fn new(
        format: &'static str,
        game: &'static str,
        scenarios: impl IntoIterator<Item = impl Into<String>>,
        players: impl IntoIterator<Item = impl Into<String>>,
        seeds: u64,
    ) -> TournamentPlan {
        TournamentPlan {
            game,
            format,
            scenarios: scenarios.into_iter().map(Into::into).collect(),
            players: players.into_iter().map(Into::into).collect(),
            first: 1,
            seeds,
            sample: None,
            notes: false,
            budget: "",
        }
    }

    /// Every player alone, all on the same `seeds` seeds.
    pub fn solo(
        game: &'static str,
        scenarios: impl IntoIterator<Item = impl Into<String>>,
        players: impl IntoIterator<Item = impl Into<String>>,
        seeds: u64,
    ) -> TournamentPlan {
        TournamentPlan::new("solo", game, scenarios, players, seeds)
    }

    /// Each pair of players against each other, with the seats swapped on every seed.
    pub fn versus(
        game: &'static str,
        scenarios: impl IntoIterator<Item = impl Into<String>>,
        players: impl IntoIterator<Item = impl Into<String>>,
        seeds: u64,
    ) -> TournamentPlan {
        TournamentPlan::new("versus", game, scenarios, players, seeds)
    }

    /// Every player in all seats at once.
    pub fn mirror(
        game: &'static str,
        scenarios: impl IntoIterator<Item = impl Into<String>>,
        players: impl IntoIterator<Item = impl Into<String>>,
        seeds: u64,
    ) -> TournamentPlan {
        TournamentPlan::new("mirror", game, scenarios, players, seeds)
    }

    /// Seats dealt among the players at random, `sample` times on every seed.
    pub fn mix(
        game: &'static str,
        scenarios: impl IntoIterator<Item = impl Into<String>>,
        players: impl IntoIterator<Item = impl Into<String>>,
        seeds: u64,
        sample: u64,
    ) -> TournamentPlan {
        let sample = Some(sample);
        TournamentPlan { sample, ..TournamentPlan::new("mixed", game, scenarios, players, seeds) }
    }

    /// Every combination of players in the seats, including the same player in several seats.
    pub fn mix_all(
        game: &'static str,
        scenarios: impl IntoIterator<Item = impl Into<String>>,
        players: impl IntoIterator<Item = impl Into<String>>,
        seeds: u64,
    ) -> TournamentPlan {
        TournamentPlan::new("mixed", game, scenarios, players, seeds)
    }

    /// Keeps the notes that players make on their decisions.
    pub fn with_notes(self) -> TournamentPlan {
        TournamentPlan { notes: true, ..self }
    }

    /// Sets the budget for thinking.
    pub fn with_budget(self, budget: &'static str) -> TournamentPlan {
        TournamentPlan { budget, ..self }
    }

    /// Sets the first seed, which is 1 by default.
    pub fn from_seed(self, first: u64) -> TournamentPlan {
        TournamentPlan { first, ..self }
    }

    /// The plans for each scenario by itself.
    pub(crate) fn split_by_scenario(&self) -> impl Iterator<Item = TournamentPlan> {
        self.scenarios
            .iter()
            .map(|one| TournamentPlan { scenarios: vec![one.clone()], ..self.clone() })
    }

    pub(crate) fn players(&self) -> &[String] {
        &self.players
    }

    pub(crate) fn scenarios(&self) -> &[String] {
        &self.scenarios
    }

    /// The text of the tournament file.
    pub(crate) fn to_toml(&self) -> String {
        // A list of texts in JSON is also one in TOML.
        let list = |texts: &[String]| serde_json::to_string(texts).expect("texts are JSON");
        let mut text = format!(
            "game = \"{}\"\nformat = \"{}\"\nscenarios = {}\nplayers = {}\nseed = {}\nseeds = {}\n",
            self.game,
            self.format,
            list(&self.scenarios),
            list(&self.players),
            self.first,
            self.seeds
        );
        if let Some(sample) = self.sample {
            text += &format!("sample = {sample}\n");
        }
        if self.notes {
            text += "notes = true\n";
        }
        if !self.budget.is_empty() {
            text += &format!("budget = \"{}\"\n", self.budget);
        }
        text
    }

    /// Describes the plan as data that something is measured on.
    pub(crate) fn describe(&self) -> DataSet {
        let list = |texts: &[String]| -> String {
            let shown: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
            shown.join(", ")
        };
        let scenarios = match self.scenarios.len() {
            0..=6 => list(&self.scenarios),
            many => format!("{} … ({many} scenarios)", list(&self.scenarios[..2])),
        };
        let seeds = match self.seeds {
            1 => format!("seed {}", self.first),
            _ => format!("seeds {}–{}", self.first, self.first + self.seeds - 1),
        };
        let sample = self.sample.map(|sample| format!(", {sample} line-ups per seed"));
        let budget = match self.budget {
            "" => String::new(),
            budget => format!(", {budget}"),
        };
        let sample = sample.unwrap_or_default();
        DataSet {
            what: format!("{} {} on {scenarios}; {seeds}{sample}{budget}", self.game, self.format),
            players: self.players.clone(),
        }
    }
}
