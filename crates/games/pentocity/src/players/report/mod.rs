//! Every strategy of the report “Project 1: Pentocity” (Columbia, 2016), as parameters
//! that combine freely: where to build, which road, which ponds and fields, and whether
//! to judge them together. What the report names has a preset in [`presets`].
//!
//! Where the text is open, the program that was submitted decides: its recorded games
//! have the placements of `g1`.

mod joint;
mod placement;
mod ponds;
pub(crate) mod presets;
mod roads;

use quintain_core::parameters::{Kind, Value};
use quintain_core::{Decision, Fault, Player, Rng, choices, parameters};

use crate::forms::Form;
use crate::land::{Cells, Land};
use crate::notation::Observation;
use crate::paths::Prefer;
use crate::placements::Placement;
use crate::rules::{Build, Move, Pentocity, Ruleset};

choices! {
    /// Where to build: the first key.
    pub(crate) enum Where {
        /// Residences row by row from the top, factories from the bottom.
        Rows = "rows",
        /// Along the diagonal: residences from the top left, factories from the bottom right.
        Diagonal = "diagonal",
        /// Residences at the centre, factories at the borders.
        Centre = "centre",
        /// The most edges of the outline taken.
        Edges = "edges",
        /// The most cells beside it taken.
        Cells = "cells",
    }
}

choices! {
    /// Whether the number of vacant components around the building is a key.
    pub(crate) enum Components {
        /// No.
        No = "no",
        /// Before the placement's own key.
        First = "first",
        /// After it.
        Second = "second",
    }
}

choices! {
    /// Which of places that are otherwise alike.
    pub(crate) enum Ties {
        /// The least i+j, then the least |i−j|; for factories the greatest i+j.
        Diagonal = "diagonal",
        /// The least i+j (for factories the greatest).
        Sum = "sum",
        /// The first row by row (for factories the last).
        Rows = "rows",
        /// As submitted: as diagonal for residences, the first row by row for factories.
        Submitted = "submitted",
    }
}

choices! {
    /// Which road.
    pub(crate) enum Roads {
        /// A shortest one.
        Shortest = "shortest",
        /// Of the shortest the one with the most neighbours taken (the report).
        Max = "max",
        /// Of the shortest the one with the fewest neighbours taken (the program submitted).
        Min = "min",
        /// One that clings to what is built, even if longer.
        Clinging = "clinging",
        /// A tree laid before the first building; from there on as min.
        Fractal = "fractal",
    }
}

choices! {
    /// Whether a residence that touches a pond or field still gets new ones.
    pub(crate) enum Served {
        /// None if it touches a pond or a field (the report).
        Either = "either",
        /// No pond if it touches a pond, no field if it touches a field.
        Own = "own",
        /// Always.
        Never = "never",
    }
}

choices! {
    /// What is judged together.
    pub(crate) enum Joint {
        /// The building alone.
        No = "no",
        /// The building with its road.
        Roads = "roads",
        /// The building with its road, pond and field.
        All = "all",
    }
}

/// Which ponds and fields are tried: none, or so many random walks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum Ponds {
    None,
    Walks(u32),
}

impl std::fmt::Display for Ponds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ponds::None => f.write_str("none"),
            Ponds::Walks(count) => write!(f, "walks:{count}"),
        }
    }
}

impl Value for Ponds {
    fn kind() -> Kind {
        Kind::Text
    }

    fn read(text: &str) -> Result<Ponds, String> {
        let walks = || text.strip_prefix("walks:")?.parse().ok().filter(|count| *count <= 100_000);
        match text {
            "none" => Ok(Ponds::None),
            _ => walks().map(Ponds::Walks).ok_or_else(|| {
                "none, or walks:200 for the best of so many random walks (up to 100000)".to_owned()
            }),
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

parameters! {
    /// The strategies of the report.
    pub(crate) struct Report {
        /// Where to build.
        placement: Where = Where::Edges;
        /// The number of vacant components as a key.
        components: Components = Components::No;
        /// Which of equal places.
        ties: Ties = Ties::Diagonal;
        /// Which road.
        roads: Roads = Roads::Max;
        /// Which ponds and fields: none, or walks:200.
        ponds: Ponds = Ponds::Walks(200);
        /// Which of equally large ponds: by neighbours taken.
        prefer: Prefer = Prefer::Least;
        /// All straight ponds are tried too.
        straight: bool = true;
        /// A pond within so many cells is extended instead; 0 for never.
        extension: usize = 3, in 0..=10;
        /// What residences that touch a pond or field get.
        served: Served = Served::Either;
        /// What is judged together.
        joint: Joint = Joint::No;
        /// Of the places by their own keys, so many are judged together; 0 for all.
        candidates: usize = 60, in 0..=100_000;
        /// Relies on the two outermost rings needing no road, where that is so.
        rings: bool = false;
    }
}

/// A player by these parameters.
pub(crate) struct Reporter {
    parameters: Report,
    /// The tree of roads is laid.
    has_tree: bool,
}

impl Reporter {
    pub(crate) fn new(parameters: Report) -> Reporter {
        Reporter { parameters, has_tree: false }
    }
}

/// Seats one.
pub(crate) fn report(_: &Pentocity, given: &Report) -> Result<Box<dyn Player<Pentocity>>, String> {
    Ok(Box::new(Reporter::new(given.clone())))
}

impl Player<Pentocity> for Reporter {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.rules().ruleset();
        let seen: Observation = decision.observation();
        let state = seen.state();
        let Some(request) = state.request() else { return Ok(Move::Reject) };
        let mut land = *state.land();
        let mut tree = Vec::new();
        if self.parameters.roads == Roads::Fractal && !self.has_tree {
            tree = roads::tree(&land);
            tree.iter().for_each(|&cell| land.lay_road(cell));
        }
        let build = self.parameters.build(&land, request, scoring, decision.rng());
        Ok(match build {
            Some(mut build) => {
                self.has_tree = true;
                build.road.splice(0..0, tree);
                Move::Build(build)
            }
            None => Move::Reject,
        })
    }
}

impl Report {
    /// The rules as the player takes them: without the rings, only the border needs no road.
    fn reading(&self, scoring: Ruleset) -> Ruleset {
        if self.rings { scoring } else { Ruleset::Report }
    }

    /// What to build; nothing if it cannot be.
    fn build(&self, land: &Land, request: Form, scoring: Ruleset, rng: &mut Rng) -> Option<Build> {
        let reading = self.reading(scoring);
        if self.joint != Joint::No {
            return joint::best(self, land, request, reading, rng);
        }
        let placement = placement::best(self, land, request, reading)?;
        let road = roads::road(self.roads, land, reading, placement.form, placement.at)?;
        Some(self.complete(land, placement, road, rng))
    }

    /// The building with its road, and the pond and field that come along.
    fn complete(
        &self,
        land: &Land,
        placement: Placement,
        road: Vec<quintain_grid::Cell>,
        rng: &mut Rng,
    ) -> Build {
        let Placement { rotation, form, at } = placement;
        let mut build = Build { rotation, at, road, water: vec![], park: vec![] };
        if form.is_factory() || self.ponds == Ponds::None {
            return build;
        }
        let touches = |cells: &Cells| Land::touches(cells, form, at);
        let (pond, field) = (touches(land.ponds()), touches(land.fields()));
        let (skip_pond, skip_field) = match self.served {
            Served::Either => (pond || field, pond || field),
            Served::Own => (pond, field),
            Served::Never => (false, false),
        };
        let mut site = ponds::Site::new(self, land, form, at, &build.road);
        if !skip_field {
            build.park = site.best(land.fields(), rng);
            site.keep(&build.park);
        }
        if !skip_pond {
            build.water = site.best(land.ponds(), rng);
        }
        build
    }
}
