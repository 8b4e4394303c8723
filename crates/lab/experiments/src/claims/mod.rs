//! What each source claims: one file per source, with a folder of its chapters, each a file with
//! its experiments. Where a source gives no figures for a claim (“better”, “slightly”,
//! “comparable”), the figure is compared with a range that is our reading.

mod gather;
mod hextris;
mod pentocity;
mod polymer;
mod tron;

use quintain_core::{SpecError, did_you_mean};

use crate::experiment::Experiment;

/// A source and its claims, and what our own champion of its game should reach.
#[derive(Clone, Copy)]
pub struct Source {
    /// The name of its game, with which the names of its experiments begin.
    pub name: &'static str,
    /// What kind of document the source is, and its title.
    pub title: &'static str,
    /// Its claims, in chapters.
    claims: &'static [&'static [Experiment]],
    /// Our own goals, which are no claims of the source.
    goals: &'static [Experiment],
}

impl Source {
    /// The experiments on its claims and on our own goals.
    pub fn experiments(&self) -> impl Iterator<Item = &'static Experiment> + use<> {
        self.claims().chain(self.goals())
    }

    /// The experiments on its claims.
    pub fn claims(&self) -> impl Iterator<Item = &'static Experiment> + use<> {
        self.claims.iter().copied().flatten()
    }

    /// The experiments on our own goals in its game.
    pub fn goals(&self) -> impl Iterator<Item = &'static Experiment> + use<> {
        self.goals.iter()
    }

    /// The name of its game, as a title.
    pub fn game(&self) -> String {
        let (first, rest) = self.name.split_at(1);
        first.to_uppercase() + rest
    }
}

/// Whether an experiment is on a goal of our own instead of a claim of a source.
pub(crate) fn is_goal(experiment: &str) -> bool {
    SOURCES.iter().flat_map(|source| source.goals).any(|goal| goal.name == experiment)
}

/// The five sources.
pub const SOURCES: [Source; 5] = [
    Source {
        name: "tron",
        title: "report “Tron.py”, HackerRank",
        claims: &[tron::EXPERIMENTS],
        goals: &[],
    },
    Source {
        name: "gather",
        title: "report “Project 3: Let's Get Together”, group 4, CS4444, 2004",
        claims: gather::CHAPTERS,
        goals: gather::GOALS,
    },
    Source {
        name: "pentocity",
        title: "report “Project 1: Pentocity”, Lin, Meiyappan, Sheng, 2016",
        claims: pentocity::CHAPTERS,
        goals: pentocity::GOALS,
    },
    Source {
        name: "hextris",
        title: "post “ICFPC 2015: Hexagonal Tetris”",
        claims: hextris::CHAPTERS,
        goals: hextris::GOALS,
    },
    Source {
        name: "polymer",
        title: "slides “CS5330 Randomized Algorithm Project”, Koroa",
        claims: polymer::CHAPTERS,
        goals: polymer::GOALS,
    },
];

/// All experiments, source by source.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    SOURCES.iter().flat_map(Source::experiments)
}

/// The experiments with these names: those of a source (`tron`) or single ones (`tron/ties`); all
/// if no name is given.
///
/// # Errors
/// If a name is unknown; the text suggests one.
pub fn choose(names: &[String]) -> Result<Vec<Experiment>, SpecError> {
    let matches = |experiment: &Experiment, name: &str| {
        experiment.name == name || experiment.name.split('/').next() == Some(name)
    };
    for name in names {
        if !all().any(|experiment| matches(experiment, name)) {
            let sources = SOURCES.iter().map(|source| source.name);
            let known = sources.chain(all().map(|experiment| experiment.name));
            return Err(SpecError::Mismatch(did_you_mean("experiment or source", name, known)));
        }
    }
    let is_wanted = |experiment: &&Experiment| {
        names.is_empty() || names.iter().any(|name| matches(experiment, name))
    };
    Ok(all().filter(is_wanted).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_experiment_has_a_name_of_its_own_that_begins_with_its_source() {
        let names: HashSet<&str> = all().map(|experiment| experiment.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(names.len() >= 40, "{} experiments", names.len());
        for source in SOURCES {
            for experiment in source.experiments() {
                let (of, name) = experiment.name.split_once('/').unwrap();
                assert_eq!(of, source.name);
                assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{name}");
                assert!(experiment.claim.ends_with('.'), "{}", experiment.name);
            }
        }
    }

    #[test]
    fn goals_of_our_own_are_no_claims_of_a_source() {
        let goals = all().filter(|experiment| is_goal(experiment.name));
        assert_eq!((goals.count(), all().count()), (26, 212));
        for experiment in all() {
            let is_ours = experiment.place.starts_with("our page");
            assert_eq!(is_goal(experiment.name), is_ours, "{}", experiment.name);
        }
    }

    #[test]
    fn experiments_are_chosen_by_source_or_name_in_the_order_of_the_list() {
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            choose(&names)
        };
        assert_eq!(of(&[]).unwrap().len(), all().count());
        let tron = of(&["tron"]).unwrap();
        assert_eq!(tron.len(), SOURCES[0].experiments().count());
        assert_eq!(of(&["tron", tron[0].name]).unwrap().len(), tron.len());
        assert_eq!(of(&[tron[0].name]).unwrap().len(), 1);
        let said = of(&["trom"]).err().unwrap().to_string();
        assert!(said.contains("did you mean “tron”"), "{said}");
    }
}
