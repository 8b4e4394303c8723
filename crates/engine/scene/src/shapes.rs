//! The shapes of cells and the lines of patterns. They are data, in `shapes.json`, because the
//! script that draws boards in a browser reads the same file: both draw the same picture.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use quintain_core::ui::Lattice;
use serde::Deserialize;

/// `shapes.json` as a script that exports it as `SHAPES`.
pub const SHAPES_SCRIPT: &str =
    concat!("export const SHAPES = ", include_str!("shapes.json"), ";\n");

/// What `shapes.json` contains.
static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    serde_json::from_str(include_str!("shapes.json")).expect("the file matches its types")
});

#[derive(Deserialize)]
struct Shapes {
    square: Shape,
    hex: Shape,
    patterns: Patterns,
    /// The kinds of cells that are recognized by colour and pattern, without a character.
    silent: Vec<String>,
    forms: Forms,
}

/// How marks are drawn that are more than a filled cell.
#[derive(Deserialize)]
pub(crate) struct Forms {
    /// The width of a road, as a share of a cell's.
    pub(crate) road: f64,
    pub(crate) relief: Relief,
    pub(crate) ring: Ring,
}

/// The relief of hexagons: light from above.
#[derive(Deserialize)]
pub(crate) struct Relief {
    /// The width of the slope, as a share of the cell.
    pub(crate) inset: f64,
    /// The share of white on the upper slope, and of black on the lower one.
    pub(crate) light: f64,
    pub(crate) dark: f64,
    /// The kinds of cells that have it.
    pub(crate) kinds: Vec<String>,
}

/// A ring around a disc, in the units of a drawing.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Ring {
    /// The radius of the disc.
    pub(crate) disc: f64,
    /// The radius of the ring's middle.
    pub(crate) radius: f64,
    /// The width of the ring.
    pub(crate) wide: f64,
    /// The opacity of a part that is not filled.
    pub(crate) faint: f64,
}

/// The shape of a cell, in the units of a drawing.
#[derive(Deserialize)]
pub(crate) struct Shape {
    pub(crate) width: f64,
    /// A hexagon has its points above and below; 26 by 30 is regular within a thousandth.
    pub(crate) height: f64,
    /// The distance between two rows.
    pub(crate) pitch: f64,
    /// Clockwise, relative to the centre, in cell widths and heights. Side n lies between the
    /// corners n and n + 1.
    pub(crate) corners: Vec<(f64, f64)>,
    /// The steps right and down across each side, in even rows and in odd rows.
    pub(crate) neighbours: [Vec<(i32, i32)>; 2],
}

/// The patterns that fill cells, each in a square tile.
#[derive(Deserialize)]
pub(crate) struct Patterns {
    /// The side of the tile.
    pub(crate) tile: f64,
    /// The width of the lines.
    pub(crate) stroke: f64,
    /// The SVG path of each pattern, by name.
    pub(crate) lines: BTreeMap<String, String>,
}

/// Returns the shape of the cells of a lattice.
pub(crate) fn shape(lattice: Lattice) -> &'static Shape {
    match lattice {
        Lattice::Square => &SHAPES.square,
        Lattice::Hex => &SHAPES.hex,
    }
}

/// Returns the patterns that fill cells.
pub(crate) fn patterns() -> &'static Patterns {
    &SHAPES.patterns
}

/// Returns how marks are drawn that are more than a filled cell.
pub(crate) fn forms() -> &'static Forms {
    &SHAPES.forms
}

/// Returns whether cells of this kind have a relief, and no character: filled hexagons.
pub(crate) fn is_raised(lattice: Lattice, kind: &str) -> bool {
    lattice == Lattice::Hex && SHAPES.forms.relief.kinds.iter().any(|own| own == kind)
}

/// Returns whether cells of this kind are drawn without a character.
pub(crate) fn is_silent(kind: &str) -> bool {
    SHAPES.silent.iter().any(|silent| silent == kind)
}
