//! A chain in space as a picture: the slices of a box, which a drawing has side by side, are put
//! together again and seen from one side, as the viewer shows them at first.

use std::collections::HashMap;
use std::fmt::Write;

use quintain_core::ui::{Mark, Paint, Point, Scene, Slices};

use crate::compose::{Cell, Composed};
use crate::sanitize::xml;

/// The size of the picture.
pub(crate) const SIZE: (f64, f64) = (320.0, 240.0);
/// How the box is turned.
const YAW: f64 = 0.6;
const PITCH: f64 = -0.45;
/// The distance of the eye, in radii of what is seen.
const EYE: f64 = 5.0;
/// Radius of a bead, and width of a bond and of a contact, in sides of a cell.
const BEAD: f64 = 0.3;
const BOND: f64 = 0.2;
const CONTACT: f64 = 0.09;

/// A place in the box, in sides of a cell.
type Place = (f64, f64, f64);

/// A place on the picture: across, down, how far away, and the size of a cell there.
#[derive(Clone, Copy)]
struct Seen {
    x: f64,
    y: f64,
    depth: f64,
    size: f64,
}

/// Draws the beads and bonds of a scene with slices, the furthest first; `None` if it has none.
pub(crate) fn draw(
    scene: &Scene,
    composed: &Composed,
    roles: &mut dyn FnMut(Role, Paint) -> String,
) -> Option<String> {
    let slices = scene.slices?;
    let cells = (0..composed.height)
        .flat_map(|row| (0..composed.width).map(move |column| (column, row)))
        .map(|(column, row)| (Point::new(column as i32, row as i32), composed.cell(column, row)));
    let beads: HashMap<Point, Cell> = cells.filter(|(_, cell)| is_bead(*cell)).collect();
    let eye = Eye::around(beads.keys().map(|at| place(*at, &slices)))?;
    let mut parts: Vec<(f64, String)> = Vec::new();
    let marks = scene.layers.iter().flat_map(|layer| &layer.marks);
    for mark in marks {
        let Mark::Line { from, to, paint } = mark else { continue };
        let ends = [from, to].map(|end| eye.see(place(*end, &slices)));
        let [one, other] = ends;
        let is_contact = matches!(paint, Paint::Good | Paint::Bad);
        let wide = (one.size + other.size) / 2.0 * if is_contact { CONTACT } else { BOND };
        let dashes = if *paint == Paint::Bad { ";stroke-dasharray:1 5" } else { "" };
        let line = format!(
            "<path class=\"q-line {}\" style=\"stroke-width:{wide:.1}{dashes}\" d=\"M{:.1} \
             {:.1}L{:.1} {:.1}\"/>\n",
            roles(Role::Line, *paint),
            one.x,
            one.y,
            other.x,
            other.y
        );
        parts.push(((one.depth + other.depth) / 2.0, line));
    }
    for (at, cell) in &beads {
        let Seen { x, y, depth, size } = eye.see(place(*at, &slices));
        let radius = size * BEAD;
        let mut bead = format!(
            "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>\n",
            roles(Role::Cell, cell.paint)
        );
        if radius >= 6.0 {
            let _ = writeln!(
                bead,
                "<text class=\"q-glyph {}\" style=\"font-size:{:.1}px\" x=\"{x:.1}\" \
                 y=\"{:.1}\">{}</text>",
                roles(Role::Ink, cell.paint),
                radius * 1.15,
                y + radius * 0.4,
                xml(&cell.visible_glyph().to_string())
            );
        }
        parts.push((depth, bead));
    }
    // Parts that are equally far away keep an order that does not depend on the map's.
    parts.sort_by(|(one, own), (other, their)| other.total_cmp(one).then_with(|| own.cmp(their)));
    Some(parts.into_iter().map(|(_, part)| part).collect())
}

/// What a class is for.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    Cell,
    Ink,
    Line,
}

fn is_bead(cell: Cell) -> bool {
    matches!(cell.paint, Paint::Thing(_) | Paint::Accent | Paint::Heat(_)) && cell.glyph != ' '
}

/// The place in the box of a cell of the drawing.
fn place(at: Point, slices: &Slices) -> Place {
    let (column, row) = (at.column - slices.first.column, at.row - slices.first.row);
    let wide = slices.columns + 1;
    (f64::from(column.rem_euclid(wide)), f64::from(row), f64::from(column.div_euclid(wide)))
}

/// From where the box is seen.
struct Eye {
    middle: Place,
    radius: f64,
    unit: f64,
}

impl Eye {
    fn around(places: impl Iterator<Item = Place>) -> Option<Eye> {
        let places: Vec<Place> = places.collect();
        let middle = |of: fn(&Place) -> f64| {
            let values = places.iter().map(of);
            let least = values.clone().reduce(f64::min)?;
            Some((least + values.reduce(f64::max)?) / 2.0)
        };
        let middle = (middle(|place| place.0)?, middle(|place| place.1)?, middle(|place| place.2)?);
        let far = |place: &Place| {
            let (x, y, z) = (place.0 - middle.0, place.1 - middle.1, place.2 - middle.2);
            (x * x + y * y + z * z).sqrt()
        };
        let radius = places.iter().map(far).fold(2.0, f64::max) + 0.6;
        let unit = SIZE.1 / 2.0 / radius * 1.12 * ((EYE - 1.0) / EYE);
        Some(Eye { middle, radius, unit })
    }

    fn see(&self, place: Place) -> Seen {
        let (right, down) = (place.0 - self.middle.0, place.1 - self.middle.1);
        let away = place.2 - self.middle.2;
        let across = right * YAW.cos() + away * YAW.sin();
        let back = away * YAW.cos() - right * YAW.sin();
        let depth = back * PITCH.cos() - down * PITCH.sin();
        let size = self.unit * (EYE * self.radius) / (EYE * self.radius + depth) * 1.05;
        let lowered = down * PITCH.cos() + back * PITCH.sin();
        Seen { x: SIZE.0 / 2.0 + across * size, y: SIZE.1 / 2.0 + lowered * size, depth, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_two_slices_one_above_the_other_are_neighbours() {
        let slices = Slices { first: Point::new(1, 1), columns: 3, rows: 2, count: 2 };
        assert_eq!(place(Point::new(1, 1), &slices), (0.0, 0.0, 0.0));
        assert_eq!(place(Point::new(5, 1), &slices), (0.0, 0.0, 1.0));
        assert_eq!(place(Point::new(7, 2), &slices), (2.0, 1.0, 1.0));
    }

    #[test]
    fn everything_lies_inside_the_picture() {
        let corners = (0..8u8).map(|at| {
            let side = |bit: u8| if at & bit == 0 { 0.0 } else { 9.0 };
            (side(1), side(2), side(4))
        });
        let eye = Eye::around(corners.clone()).unwrap();
        for corner in corners {
            let Seen { x, y, size, .. } = eye.see(corner);
            let radius = size * BEAD;
            assert!(x - radius > 0.0 && x + radius < SIZE.0, "{x}");
            assert!(y - radius > 0.0 && y + radius < SIZE.1, "{y}");
        }
    }
}
