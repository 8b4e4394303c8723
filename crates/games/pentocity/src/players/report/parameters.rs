//! The parameters of the report's strategies.

use quintain_core::parameters::{Kind, Value};
use quintain_core::{Expected, choices, parameters};

use crate::rules::board::POND;
use crate::rules::paths::Prefer;

/// The largest pond that is tried at once.
pub(super) const LARGEST: usize = 8;

choices! {
    /// Where to build: the first key.
    pub(crate) enum PlacementKey {
        /// Residences row by row from the top, factories from the bottom.
        Rows = "rows",
        /// Along the diagonal: residences from the top left, factories from the bottom right.
        Diagonal = "diagonal",
        /// Residences at the centre, factories at the borders.
        Centre = "centre",
        /// The most edges of the outline on occupied cells or the border.
        Edges = "edges",
        /// The most occupied cells beside it.
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
    /// Which of several places that are otherwise alike.
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
        /// Of the shortest, the one with the most occupied neighbours (the report).
        Max = "max",
        /// Of the shortest, the one with the fewest occupied neighbours (the submitted program).
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

    fn read(text: &str) -> Result<Ponds, Expected> {
        let walks = || text.strip_prefix("walks:")?.parse().ok().filter(|count| *count <= 100_000);
        match text {
            "none" => Ok(Ponds::None),
            _ => walks().map(Ponds::Walks).ok_or_else(|| {
                "none, or walks:200 for the best of 200 random walks (at most 100000)".into()
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
        /// The key by which places for a building are compared.
        placement: PlacementKey = PlacementKey::Edges;
        /// Whether the number of vacant components is a key, and which.
        components: Components = Components::No;
        /// Which of several places with equal keys is taken.
        ties: Ties = Ties::Diagonal;
        /// How the road to a building is chosen.
        roads: Roads = Roads::Max;
        /// How ponds and fields are found: not at all (`none`), or as the best of this many random
        /// walks (`walks:200`).
        ponds: Ponds = Ponds::Walks(200);
        /// Cells of a new pond or field.
        size: usize = POND, in POND..=LARGEST;
        /// Which of equally large ponds is taken, by its occupied neighbours.
        prefer: Prefer = Prefer::Least;
        /// Whether all straight ponds are tried too.
        straight: bool = true;
        /// A pond within this many cells is extended instead of laying a new one; 0 for never.
        extension: usize = 3, in 0..=10;
        /// Whether a residence that touches a pond or field still gets new ones.
        served: Served = Served::Either;
        /// What is judged together.
        joint: Joint = Joint::No;
        /// How many of the best places by their own keys are judged together; 0 for all.
        candidates: usize = 60, in 0..=100_000;
        /// Whether places that are cut off from every road are left out; otherwise the best
        /// place may be one of them, and the request is then rejected.
        filter: bool = true;
        /// Whether to rely on the two outermost rings needing no road, where the rules say so.
        rings: bool = false;
    }
}
