//! Scenes as SVG: one self-contained picture, light or dark like the reader's page. It can be read
//! without colour by patterns and characters, and has title and description for screen readers.
//! Cells of one role in a layer become one path, so that a picture of a usual board takes a few
//! kilobytes. No script, no animation.

use std::collections::BTreeMap;
use std::fmt::Write;

use quintain_core::ui::{Lattice, Paint, Point, Scene, Sign};

use crate::compose::{self, Composed, compose};
use crate::outline::border;
use crate::palette::{self, Look, Pattern, Rgb, kind, look};
use crate::sanitize::xml;
use crate::shapes::{Patterns, Relief, Ring, Shape, forms, is_raised, is_silent, patterns, shape};
use crate::space::{self, Role};

/// The text that accompanies the board.
#[derive(Clone, Copy, Debug, Default)]
pub struct PictureText<'a> {
    /// What the picture shows, in a line.
    pub title: &'a str,
    /// The name at each seat, for the legend; may be empty.
    pub names: &'a [String],
    /// Lines below the board: the turn, the result.
    pub lines: &'a [String],
    /// Whether the title is shown above the board, and the meaning of signs below it.
    pub explained: bool,
}

/// The greatest advance of a letter of 13 pixels in a fixed-width font.
const LETTER: f64 = 7.9;
/// With more seats than this, the legend ends with the number of those left out.
const LEGEND_LIMIT: usize = 16;
const MARGIN: f64 = 8.0;
const LINE_HEIGHT: f64 = 20.0;

/// Draws a scene with these overlays shown.
pub fn render_svg(scene: &Scene, overlays: &[&str], text: &PictureText<'_>) -> String {
    let composed = compose(scene, overlays);
    let geometry = Geometry::of(scene.lattice);
    let mut roles = Roles::default();
    // The meaning of signs is told of slices.
    let in_space = (!text.explained)
        .then(|| {
            space::draw(scene, &composed, &mut |role, paint| match role {
                Role::Cell => roles.cell(paint),
                Role::Ink => roles.ink(paint),
                Role::Line => roles.line(paint),
            })
        })
        .flatten();
    let (board, (width, height)) = match in_space {
        Some(board) => (board, space::SIZE),
        None => {
            let board = board(&composed, &geometry, &mut roles);
            (board, geometry.extent(composed.width, composed.height))
        }
    };
    let legend_width = if text.explained { words_width(scene, overlays, text.names) } else { 0.0 };
    let shown_width = width.max(240.0).max(legend_width) + 2.0 * MARGIN;
    let mut below = height + LINE_HEIGHT;
    let mut words = String::new();
    let columns = ((shown_width - 2.0 * MARGIN) / LETTER) as usize;
    let mut top = -MARGIN;
    if text.explained {
        let title = wrap(text.title, columns);
        top -= LINE_HEIGHT * title.len() as f64;
        let mut y = -LINE_HEIGHT * (title.len() as f64 - 1.0) - 8.0;
        for line in title {
            let _ = write!(
                words,
                r#"<text class="q-word q-title" x="0" y="{y}">{}</text>"#,
                xml(&line)
            );
            y += LINE_HEIGHT;
        }
    }
    let lines = std::iter::once(scene.caption.as_str()).filter(|caption| !caption.is_empty());
    for line in lines.chain(text.lines.iter().map(String::as_str)) {
        for part in wrap(line, columns) {
            let part = xml(&part);
            let _ = write!(words, r#"<text class="q-word" x="0" y="{below}">{part}</text>"#);
            below += LINE_HEIGHT;
        }
    }
    legend(scene, text.names, &mut below, &mut words, &mut roles);
    if text.explained {
        signs(scene, overlays, shown_width - 2.0 * MARGIN, &mut below, &mut words, &mut roles);
    }
    let left = -MARGIN;
    let shown_height = below - LINE_HEIGHT / 2.0 + MARGIN - top;
    let (title, caption) = (xml(text.title), xml(&scene.caption));
    let style = roles.style();
    let patterns = roles.patterns();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"quintain\" role=\"img\" \
         viewBox=\"{left} {top} {shown_width} {shown_height}\" width=\"{shown_width}\" \
         height=\"{shown_height}\" aria-label=\"{title}\">\n\
         <title>{title}</title>\n<desc>{caption}</desc>\n\
         <style>{style}</style>\n<defs>{patterns}</defs>\n\
         <rect class=\"q-page\" x=\"{left}\" y=\"{top}\" width=\"{shown_width}\" \
         height=\"{shown_height}\"/>\n{board}{words}\n</svg>\n"
    )
}

/// The width of a legend whose lines are not wrapped: signs with their meaning, and names.
fn words_width(scene: &Scene, overlays: &[&str], names: &[String]) -> f64 {
    let signs = scene.legend(overlays).filter(|meaning| meaning.sign != Sign::Unseen);
    let meanings = signs.map(|meaning| 24.0 + width_of(&meaning.text));
    let names = names.iter().take(LEGEND_LIMIT).map(|name| 42.0 + width_of(name));
    meanings.chain(names).fold(0.0, f64::max)
}

fn width_of(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// Where cells lie, in the picture's units.
struct Geometry {
    lattice: Lattice,
    shape: &'static Shape,
    /// The path of a hexagon from its upper corner.
    hexagon: String,
}

impl Geometry {
    fn of(lattice: Lattice) -> Self {
        let shape = shape(lattice);
        Geometry { lattice, shape, hexagon: trace(shape) }
    }

    fn is_hex(&self) -> bool {
        self.lattice == Lattice::Hex
    }

    /// How far a row lies to the right of even rows.
    fn shift(&self, is_odd: bool) -> f64 {
        if self.is_hex() && is_odd { self.shape.width / 2.0 } else { 0.0 }
    }

    fn extent(&self, columns: usize, rows: usize) -> (f64, f64) {
        let Shape { width, height, pitch, .. } = self.shape;
        let last_row = height - pitch;
        (columns as f64 * width + self.shift(rows > 1), rows as f64 * pitch + last_row)
    }

    fn centre(&self, column: usize, row: usize) -> (f64, f64) {
        let Shape { width, height, pitch, .. } = self.shape;
        let x = column as f64 * width + self.shift(row % 2 == 1) + width / 2.0;
        (x, row as f64 * pitch + height / 2.0)
    }

    fn centre_of(&self, at: Point) -> (f64, f64) {
        self.centre(at.column as usize, at.row as usize)
    }

    /// The two ends of a cell's side.
    fn side(&self, at: Point, side: usize) -> [(f64, f64); 2] {
        let (x, y) = self.centre_of(at);
        let Shape { width, height, corners, .. } = self.shape;
        [side, (side + 1) % corners.len()].map(|corner| {
            let (right, down) = corners[corner];
            (x + right * width, y + down * height)
        })
    }

    /// The outline of `run` cells side by side.
    fn outline(&self, column: usize, row: usize, run: usize, path: &mut String) {
        let (x, y) = self.centre(column, row);
        let Shape { width, height, .. } = self.shape;
        if self.is_hex() {
            for step in 0..run {
                let x = x + step as f64 * width;
                let _ = write!(path, "M{x} {}{}", y - height / 2.0, self.hexagon);
            }
        } else {
            let (left, top, width) = (x - width / 2.0, y - height / 2.0, run as f64 * width);
            let _ = write!(path, "M{left} {top}h{width}v{height}h-{width}z");
        }
    }
}

/// A closed path along the sides of a cell, from its first corner.
fn trace(Shape { width, height, corners, .. }: &Shape) -> String {
    let mut path = String::new();
    let mut is_slanted = false;
    for side in corners.windows(2) {
        let (right, down) = ((side[1].0 - side[0].0) * width, (side[1].1 - side[0].1) * height);
        let _ = match (right == 0.0, down == 0.0) {
            (true, _) => write!(path, "v{down}"),
            (_, true) => write!(path, "h{right}"),
            // A command that is repeated is left out, and a sign separates numbers.
            _ => {
                let command = if !is_slanted {
                    "l"
                } else if right < 0.0 {
                    ""
                } else {
                    " "
                };
                let gap = if down < 0.0 { "" } else { " " };
                write!(path, "{command}{right}{gap}{down}")
            }
        };
        is_slanted = right != 0.0 && down != 0.0;
    }
    path + "z"
}

fn board(composed: &Composed, geometry: &Geometry, roles: &mut Roles) -> String {
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    let mut glyphs: BTreeMap<String, Glyphs> = BTreeMap::new();
    for row in 0..composed.height {
        let mut column = 0;
        while column < composed.width {
            let cell = composed.cell(column, row);
            let same = |next: &usize| composed.cell(*next, row).paint == cell.paint;
            let run = (column..composed.width).take_while(same).count();
            // A road is a line on the ground, and so is a pivot outside of its piece.
            let is_line = cell.paint == Paint::Road || is_outer_pivot(cell, geometry.lattice);
            let ground = if is_line { Paint::Floor } else { cell.paint };
            let class = roles.cell(ground);
            geometry.outline(column, row, run, paths.entry(class).or_default());
            for column in column..column + run {
                if let Some(glyph) = glyph(composed.cell(column, row), geometry.lattice) {
                    let class = roles.ink(cell.paint);
                    glyphs.entry(class).or_default().push(glyph, geometry.centre(column, row));
                }
            }
            column += run;
        }
    }
    let mut out = String::new();
    for (class, path) in &paths {
        let _ = writeln!(out, r#"<path class="{class}" d="{path}"/>"#);
    }
    if !geometry.is_hex() {
        let _ = writeln!(out, r#"<path class="q-grid" d="{}"/>"#, grid(composed, geometry));
    }
    let (width, height) = geometry.extent(composed.width, composed.height);
    if !geometry.is_hex() {
        let _ = writeln!(out, r#"<path class="q-edge" d="M0 0h{width}v{height}h-{width}z"/>"#);
    }
    roads(composed, geometry, roles, &mut out);
    relief(composed, geometry, &mut out);
    pivots(composed, geometry, roles, &mut out);
    lines(composed, geometry, roles, &mut out);
    outlines(composed, geometry, roles, &mut out);
    for (class, Glyphs { x, y, text }) in &glyphs {
        let text = xml(text);
        let _ = writeln!(out, r#"<text class="q-glyph {class}" x="{x}" y="{y}">{text}</text>"#);
    }
    for (at, label) in &composed.labels {
        let (x, y) = geometry.centre_of(*at);
        let label = xml(label);
        let _ =
            writeln!(out, r#"<text class="q-word q-label" x="{x}" y="{}">{label}</text>"#, y + 4.0);
    }
    rings(composed, geometry, roles, &mut out);
    if !composed.dimmed.is_empty() {
        let mut path = String::new();
        for at in &composed.dimmed {
            geometry.outline(at.column as usize, at.row as usize, 1, &mut path);
        }
        let _ = writeln!(out, r#"<path class="q-veil" d="{path}"/>"#);
    }
    out
}

/// Joins the cells of roads that lie side by side; a road of one cell is a dot.
fn roads(composed: &Composed, geometry: &Geometry, roles: &mut Roles, out: &mut String) {
    let is_road = |column: usize, row: usize| {
        column < composed.width
            && row < composed.height
            && composed.cell(column, row).paint == Paint::Road
    };
    let mut path = String::new();
    for (column, row) in
        (0..composed.height).flat_map(|row| (0..composed.width).map(move |column| (column, row)))
    {
        if !is_road(column, row) {
            continue;
        }
        let (x, y) = geometry.centre(column, row);
        let _ = write!(path, "M{x} {y}h0");
        for (column, row) in [(column + 1, row), (column, row + 1)] {
            if is_road(column, row) {
                let (right, down) = geometry.centre(column, row);
                let _ = write!(path, "M{x} {y}L{right} {down}");
            }
        }
    }
    if !path.is_empty() {
        let (class, wide) = (roles.line(Paint::Road), forms().road * geometry.shape.width);
        let _ = writeln!(
            out,
            r#"<path class="q-line {class}" style="stroke-width:{wide}" d="{path}"/>"#
        );
    }
}

/// Lights the upper sides of filled hexagons and shades the lower ones.
fn relief(composed: &Composed, geometry: &Geometry, out: &mut String) {
    if !geometry.is_hex() {
        return;
    }
    let Relief { inset, light, dark, .. } = &forms().relief;
    let Shape { width, height, corners, .. } = geometry.shape;
    let mut shapes = [String::new(), String::new()];
    for (column, row) in
        (0..composed.height).flat_map(|row| (0..composed.width).map(move |column| (column, row)))
    {
        let cell = composed.cell(column, row);
        if !is_raised(geometry.lattice, kind(cell.paint).0)
            || is_outer_pivot(cell, geometry.lattice)
        {
            continue;
        }
        let (x, y) = geometry.centre(column, row);
        let corner = |path: &mut String, (right, down): (f64, f64), size: f64| {
            let command = if path.is_empty() || path.ends_with('z') { 'M' } else { 'L' };
            let (x, y) = (x + right * width * size, y + down * height * size);
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        };
        // The sides that meet at the uppermost corner, and those at the lowest.
        for (path, sides) in shapes.iter_mut().zip([[5, 0, 1], [2, 3, 4]]) {
            sides.iter().for_each(|side| corner(path, corners[*side], 1.0));
            sides.iter().rev().for_each(|side| corner(path, corners[*side], 1.0 - inset));
            path.push('z');
        }
    }
    for (path, (colour, share)) in shapes.iter().zip([("#fff", light), ("#000", dark)]) {
        if !path.is_empty() {
            let _ =
                writeln!(out, r#"<path style="fill:{colour};fill-opacity:{share}" d="{path}"/>"#);
        }
    }
}

/// Whether a cell is one around which a piece turns, outside of the piece.
fn is_outer_pivot(cell: compose::Cell, lattice: Lattice) -> bool {
    lattice == Lattice::Hex && matches!(cell.paint, Paint::Head(_)) && cell.glyph == '+'
}

/// Marks the cells around which pieces turn: a dot in a piece, a ring outside of it.
fn pivots(composed: &Composed, geometry: &Geometry, roles: &mut Roles, out: &mut String) {
    if !geometry.is_hex() {
        return;
    }
    let cells =
        (0..composed.height).flat_map(|row| (0..composed.width).map(move |column| (column, row)));
    for (column, row) in cells {
        let cell = composed.cell(column, row);
        if !matches!(cell.paint, Paint::Head(_)) || cell.written {
            continue;
        }
        let (x, y) = geometry.centre(column, row);
        let (class, line) = (roles.cell(cell.paint), roles.line(cell.paint));
        let wide = r#"style="stroke-width:2.4""#;
        let _ = match is_outer_pivot(cell, geometry.lattice) {
            true => {
                writeln!(out, r#"<circle class="q-line {line}" {wide} cx="{x}" cy="{y}" r="5"/>"#)
            }
            false => writeln!(
                out,
                r#"<circle class="{class}" stroke="white" {wide} cx="{x}" cy="{y}" r="4"/>"#
            ),
        };
    }
}

/// Draws those who have a ring as large discs, and the ring in the colours of its seats.
fn rings(composed: &Composed, geometry: &Geometry, roles: &mut Roles, out: &mut String) {
    let Ring { disc, radius, wide, faint } = forms().ring;
    for (at, held, of) in &composed.rings {
        let (x, y) = geometry.centre_of(*at);
        let cell = composed.cell(at.column as usize, at.row as usize);
        let (class, ink) = (roles.cell(cell.paint), roles.ink(cell.paint));
        let all = radius + wide / 2.0 + 0.8;
        let _ = write!(out, r#"<circle class="q-page" cx="{x}" cy="{y}" r="{all}"/>"#);
        let _ = write!(out, r#"<circle class="{class}" cx="{x}" cy="{y}" r="{disc}"/>"#);
        let glyph = xml(&cell.visible_glyph().to_string());
        let _ =
            write!(out, r#"<text class="q-glyph {ink}" x="{x}" y="{}">{glyph}</text>"#, y + 4.5);
        for part in 0..*of {
            let angle = |share: f64| {
                let turn = (f64::from(part) + share) / f64::from(*of) * std::f64::consts::TAU;
                (x + radius * turn.sin(), y - radius * turn.cos())
            };
            let gap = if *of > 1 { 0.06 } else { 0.001 };
            let ((x0, y0), (x1, y1)) = (angle(gap), angle(1.0 - gap));
            let opacity = if held.contains(&part) { 1.0 } else { faint };
            let class = roles.line(Paint::Head(part));
            let long = u8::from(*of == 1);
            let _ = write!(
                out,
                "<path class=\"q-line {class}\" style=\"stroke-width:{wide};stroke-linecap:butt;\
                 stroke-opacity:{opacity}\" d=\"M{x0:.1} {y0:.1}A{radius} {radius} 0 {long} 1 \
                 {x1:.1} {y1:.1}\"/>"
            );
        }
        out.push('\n');
    }
}

/// Characters, each with its place: one element holds any number.
#[derive(Default)]
struct Glyphs {
    x: String,
    y: String,
    text: String,
}

impl Glyphs {
    fn push(&mut self, glyph: char, (x, y): (f64, f64)) {
        let gap = if self.text.is_empty() { "" } else { " " };
        let _ = write!(self.x, "{gap}{x}");
        let _ = write!(self.y, "{gap}{}", y + 4.5);
        self.text.push(glyph);
    }
}

/// The character drawn in a cell. Floor, walls, trails and tints are recognized by pattern and
/// lightness alone, and filled hexagons by their relief, unless a program writes something on them,
/// or the game does on a floor.
fn glyph(cell: compose::Cell, lattice: Lattice) -> Option<char> {
    match cell.paint {
        _ if cell.written => Some(cell.glyph),
        paint if is_silent(kind(paint).0) || is_raised(lattice, kind(paint).0) => None,
        Paint::Floor if matches!(cell.glyph, ' ' | '.') => None,
        Paint::Roof(_) if !cell.glyph.is_ascii_digit() => None,
        _ => Some(cell.visible_glyph()),
    }
}

fn grid(composed: &Composed, geometry: &Geometry) -> String {
    let (width, height) = geometry.extent(composed.width, composed.height);
    let mut path = String::new();
    for column in 1..composed.width {
        let _ = write!(path, "M{} 0v{height}", column as f64 * geometry.shape.width);
    }
    for row in 1..composed.height {
        let _ = write!(path, "M0 {}h{width}", row as f64 * geometry.shape.height);
    }
    path
}

fn lines(composed: &Composed, geometry: &Geometry, roles: &mut Roles, out: &mut String) {
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    for (from, to, paint) in &composed.lines {
        let ((x0, y0), (x1, y1)) = (geometry.centre_of(*from), geometry.centre_of(*to));
        let path = paths.entry(roles.line(*paint)).or_default();
        let _ = write!(path, "M{x0} {y0}L{x1} {y1}");
    }
    for (class, path) in &paths {
        let _ = writeln!(out, r#"<path class="q-line {class}" d="{path}"/>"#);
    }
}

/// Draws outlines in order; those meant to be noticed have a rim.
fn outlines(composed: &Composed, geometry: &Geometry, roles: &mut Roles, out: &mut String) {
    let mut paths: Vec<(Paint, String)> = Vec::new();
    for (cells, paint) in &composed.outlines {
        if paths.last().is_none_or(|(last, _)| last != paint) {
            paths.push((*paint, String::new()));
        }
        let (_, path) = paths.last_mut().expect("one was added");
        for (at, side) in border(geometry.lattice, cells) {
            let [(x0, y0), (x1, y1)] = geometry.side(at, side);
            let _ = write!(path, "M{x0} {y0}L{x1} {y1}");
        }
    }
    for (paint, path) in &paths {
        if *paint == Paint::Accent {
            let _ = writeln!(out, r#"<path class="q-line q-rim" d="{path}"/>"#);
        }
        let class = roles.outline(*paint);
        let _ = writeln!(out, r#"<path class="q-line q-outline {class}" d="{path}"/>"#);
    }
}

fn legend(scene: &Scene, names: &[String], below: &mut f64, words: &mut String, roles: &mut Roles) {
    for (seat, name) in names.iter().take(LEGEND_LIMIT).enumerate() {
        let seat = u16::try_from(seat).expect("the legend is shorter than that");
        let (top, middle) = (*below - 13.0, *below + 1.0);
        let cells = compose::seat_cells(scene, seat);
        let x = if cells.iter().any(Option::is_some) || names.len() > 1 { 42 } else { 0 };
        for (place, cell) in cells.into_iter().enumerate() {
            let Some(cell) = cell else { continue };
            let (class, left) = (roles.cell(cell.paint), 18 * place);
            let _ = write!(words, "\n<path class=\"{class}\" d=\"M{left} {top}h18v18h-18z\"/>");
            if let Paint::Head(_) = cell.paint {
                let (ink, glyph) = (roles.ink(cell.paint), xml(&cell.visible_glyph().to_string()));
                let _ = write!(
                    words,
                    "<text class=\"q-glyph {ink}\" x=\"9\" y=\"{middle}\">{glyph}</text>"
                );
            }
        }
        let name = xml(name);
        let _ = write!(words, "<text class=\"q-word\" x=\"{x}\" y=\"{middle}\">{name}</text>");
        *below += LINE_HEIGHT;
    }
    if let Some(left) = names.len().checked_sub(LEGEND_LIMIT).filter(|left| *left > 0) {
        let _ = write!(
            words,
            "\n<text class=\"q-word\" x=\"42\" y=\"{}\">and {left} more</text>",
            *below + 1.0
        );
        *below += LINE_HEIGHT;
    }
}

/// A text in lines of at most `columns` letters, broken between words where possible.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let mut letters: Vec<char> = word.chars().collect();
        if let Some(line) = lines.last_mut()
            && line.chars().count() + 1 + letters.len() <= columns
        {
            line.push(' ');
            line.extend(letters);
            continue;
        }
        while letters.len() > columns.max(1) {
            lines.push(letters.drain(..columns.max(1)).collect());
        }
        lines.push(letters.into_iter().collect());
    }
    lines
}

/// The meaning of signs, side by side as far as there is room.
fn signs(
    scene: &Scene,
    overlays: &[&str],
    width: f64,
    below: &mut f64,
    words: &mut String,
    roles: &mut Roles,
) {
    let mut x = 0.0;
    // Cells of which nothing is known look like floors here.
    for meaning in scene.legend(overlays).filter(|meaning| meaning.sign != Sign::Unseen) {
        let wide = 24.0 + width_of(&meaning.text);
        if x > 0.0 && x + wide > width {
            x = 0.0;
            *below += LINE_HEIGHT;
        }
        let (top, middle) = (*below - 13.0, *below + 1.0);
        let _ = match meaning.sign {
            Sign::Unseen => Ok(()),
            Sign::Cell(paint, sign) => {
                let (class, ink) = (roles.cell(paint), roles.ink(paint));
                let cell = compose::Cell { paint, glyph: sign, written: false, unseen: false };
                let drawn = glyph(cell, scene.lattice).map(|glyph| xml(&glyph.to_string()));
                write!(words, "\n<path class=\"{class}\" d=\"M{x} {top}h18v18h-18z\"/>").and_then(
                    |()| match drawn {
                        Some(glyph) => write!(
                            words,
                            "<text class=\"q-glyph {ink}\" x=\"{}\" y=\"{middle}\">{glyph}</text>",
                            x + 9.0
                        ),
                        None => Ok(()),
                    },
                )
            }
            Sign::Line(paint) => {
                let class = roles.line(paint);
                let y = top + 9.0;
                write!(words, "\n<path class=\"q-line {class}\" d=\"M{} {y}h14\"/>", x + 2.0)
            }
            Sign::Outline(paint) => {
                let class = roles.outline(paint);
                let (left, top) = (x + 2.0, top + 2.0);
                write!(
                    words,
                    "\n<path class=\"q-line q-outline {class}\" d=\"M{left} {top}h14v14h-14z\"/>"
                )
            }
        };
        let text = xml(&meaning.text);
        let _ =
            write!(words, "<text class=\"q-word\" x=\"{}\" y=\"{middle}\">{text}</text>", x + 24.0);
        x += wide + 14.0;
    }
    if x > 0.0 {
        *below += LINE_HEIGHT;
    }
}

/// The roles that occur, by class name, and the style rules they need.
#[derive(Default)]
struct Roles {
    cells: BTreeMap<String, Look>,
    inks: BTreeMap<String, Look>,
    lines: BTreeMap<String, Look>,
    outlines: BTreeMap<String, (Rgb, Rgb)>,
}

impl Roles {
    fn cell(&mut self, paint: Paint) -> String {
        let name = format!("q-{}", role(paint));
        self.cells.insert(name.clone(), look(paint));
        name
    }

    fn ink(&mut self, paint: Paint) -> String {
        let name = format!("q-on-{}", role(paint));
        self.inks.insert(name.clone(), look(paint));
        name
    }

    fn line(&mut self, paint: Paint) -> String {
        let name = format!("q-along-{}", role(paint));
        self.lines.insert(name.clone(), look(paint));
        name
    }

    fn outline(&mut self, paint: Paint) -> String {
        let name = format!("q-around-{}", role(paint));
        self.outlines.insert(name.clone(), palette::outline(paint));
        name
    }

    /// The rules for a light page, then those that differ on a dark one.
    fn style(&self) -> String {
        let mut out = String::from(
            ".quintain text{font-family:ui-monospace,monospace}\
             .q-grid{fill:none;stroke-width:.5;stroke-opacity:.18}\
             .q-edge{fill:none}.q-line{fill:none;stroke-width:4;stroke-linecap:round}\
             .q-glyph{font-size:13px;font-weight:700;text-anchor:middle}\
             .q-word{font-size:13px}.q-title{font-weight:700}\
             .q-label{text-anchor:middle;paint-order:stroke;stroke-width:3px}\
             .q-veil{fill-opacity:.6}",
        );
        for (name, look) in &self.cells {
            if look.pattern != Pattern::Solid {
                let _ = write!(out, ".{name}{{fill:url(#{name}-pattern)}}");
            }
        }
        if !self.outlines.is_empty() {
            let rim = palette::RIM.hex();
            let _ = write!(
                out,
                ".q-outline{{stroke-width:1.8}}.q-around-accent{{stroke-width:2.6}}\
                 .q-rim{{stroke-width:6;stroke:{rim}}}"
            );
        }
        let around = |side: fn(&(Rgb, Rgb)) -> Rgb| {
            self.outlines.iter().fold(String::new(), |mut out, (name, colours)| {
                let _ = write!(out, ".{name}{{stroke:{}}}", side(colours).hex());
                out
            })
        };
        out.push_str(&self.color_rules(|look| look.light, LIGHT_INK, LIGHT_PAGE));
        out.push_str(&around(|colours| colours.0));
        let dark = self.color_rules(|look| look.dark, DARK_INK, DARK_PAGE);
        let _ = write!(
            out,
            "@media(prefers-color-scheme:dark){{{dark}{}}}",
            around(|colours| colours.1)
        );
        out
    }

    fn color_rules(&self, side: impl Fn(&Look) -> Rgb, ink: Rgb, page: Rgb) -> String {
        let (ink, page) = (ink.hex(), page.hex());
        let mut out = format!(
            ".q-page,.q-veil{{fill:{page}}}.q-word{{fill:{ink}}}.q-label{{stroke:{page}}}\
             .q-grid,.q-edge{{stroke:{ink}}}"
        );
        for (name, look) in &self.cells {
            let colour = side(look);
            if look.pattern == Pattern::Solid {
                let _ = write!(out, ".{name}{{fill:{}}}", colour.hex());
            } else {
                let stroke = colour.mix(colour.ink(), look.ink).hex();
                let _ = write!(
                    out,
                    "#{name}-pattern rect{{fill:{}}}#{name}-pattern path{{stroke:{stroke}}}",
                    colour.hex()
                );
            }
        }
        for (name, look) in &self.inks {
            let _ = write!(out, ".{name}{{fill:{}}}", side(look).ink().hex());
        }
        for (name, look) in &self.lines {
            let _ = write!(out, ".{name}{{stroke:{}}}", side(look).hex());
        }
        out
    }

    fn patterns(&self) -> String {
        let Patterns { tile, stroke, lines } = patterns();
        let mut out = String::new();
        for (name, look) in &self.cells {
            let Some(lines) = lines.get(look.pattern.name()) else { continue };
            let _ = write!(
                out,
                "<pattern id=\"{name}-pattern\" width=\"{tile}\" height=\"{tile}\" \
                 patternUnits=\"userSpaceOnUse\"><rect width=\"{tile}\" height=\"{tile}\"/>\
                 <path d=\"{lines}\" stroke-width=\"{stroke}\"/></pattern>"
            );
        }
        out
    }
}

const LIGHT_PAGE: Rgb = Rgb(0xFF, 0xFF, 0xFF);
const LIGHT_INK: Rgb = Rgb(0x1B, 0x1E, 0x23);
const DARK_PAGE: Rgb = Rgb(0x12, 0x14, 0x18);
const DARK_INK: Rgb = Rgb(0xE8, 0xEA, 0xED);

/// A role's name in class names and pattern ids.
fn role(paint: Paint) -> String {
    match kind(paint) {
        (kind, Some(number)) => format!("{kind}-{number}"),
        (kind, None) => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::ui::Mark;

    fn cell(column: i32, row: i32, paint: Paint, glyph: char) -> Mark {
        Mark::Cell { at: Point::new(column, row), paint, glyph }
    }

    #[test]
    fn a_small_board_of_squares() {
        let mut scene = Scene::square(4, 3);
        scene.layer(
            "board",
            vec![
                cell(0, 0, Paint::Wall, '#'),
                cell(1, 0, Paint::Wall, '#'),
                cell(0, 1, Paint::Seat(0), 'r'),
                cell(1, 1, Paint::Seat(0), 'r'),
                cell(2, 1, Paint::Head(0), 'R'),
                cell(3, 2, Paint::Head(1), 'G'),
            ],
        );
        let territory = vec![cell(0, 2, Paint::Claim(0), ' '), cell(1, 2, Paint::Claim(1), ' ')];
        scene.overlay("territory", territory);
        scene.caption = "turn 2".to_owned();
        let names = ["basic".to_owned(), "champion".to_owned()];
        let text = PictureText { title: "tron, turn 2", names: &names, ..PictureText::default() };
        insta::assert_snapshot!(render_svg(&scene, &["territory"], &text));
    }

    #[test]
    fn characters_of_programs_are_shown_on_every_paint() {
        let marks = |glyph| {
            let paints = [Paint::Heat(200), Paint::Claim(0), Paint::Seat(1), Paint::Wall];
            (0..).zip(paints).map(|(column, paint)| cell(column, 0, paint, glyph)).collect()
        };
        let mut scene = Scene::square(4, 1);
        scene.layer("board", marks('g'));
        scene.overlay("drawings of A", marks('x'));
        // A mark without its own character leaves the one that is there.
        scene.overlay("drawings of B", vec![cell(0, 0, Paint::Heat(9), ' ')]);
        let draw = |overlays: &[&str]| render_svg(&scene, overlays, &PictureText::default());
        let count =
            |drawn: String| drawn.split("<text").filter(|text| text.contains(">x<")).count();
        assert_eq!(count(draw(&["drawings of A"])), 4);
        assert_eq!(count(draw(&["drawings"])), 4);
        let own = draw(&[]);
        assert!(!own.contains(">g<") && !own.contains(">x<"), "{own}");
    }

    #[test]
    fn a_walk_on_hexagons() {
        let mut scene = Scene { lattice: Lattice::Hex, width: 2, height: 2, ..Scene::default() };
        let line = |from: (i32, i32), to: (i32, i32)| Mark::Line {
            from: Point::new(from.0, from.1),
            to: Point::new(to.0, to.1),
            paint: Paint::Accent,
        };
        let label = Mark::Label { at: Point::new(0, 1), text: "here".to_owned() };
        let marks = vec![cell(1, 0, Paint::Thing(8), 'H'), line((0, 0), (0, 1)), label];
        scene.layer("walk", marks);
        insta::assert_snapshot!(render_svg(&scene, &[], &PictureText::default()));
    }

    #[test]
    fn roads_join_their_cells_and_a_building_shows_its_number_only() {
        let mut scene = Scene::square(4, 2);
        let mut marks: Vec<Mark> = (0..3).map(|column| cell(column, 0, Paint::Road, '#')).collect();
        marks.extend([cell(0, 1, Paint::Roof(0), 'r'), cell(1, 1, Paint::Roof(0), '4')]);
        scene.layer("board", marks);
        let drawn = render_svg(&scene, &[], &PictureText::default());
        assert!(drawn.contains("M10 10h0M10 10L30 10M30 10h0M30 10L50 10M50 10h0"), "{drawn}");
        assert!(drawn.contains(">4<") && !drawn.contains(">r<") && !drawn.contains(">#<"));
    }

    #[test]
    fn a_ring_is_around_a_head_and_shows_what_it_holds() {
        let mut scene = Scene::square(2, 1);
        let ring = |seat| Mark::Ring { seat, held: vec![0, 2], of: 4 };
        scene.layer("players", vec![cell(1, 0, Paint::Head(0), 'A'), ring(0), ring(7)]);
        let drawn = render_svg(&scene, &[], &PictureText::default());
        let faint = format!("stroke-opacity:{}", forms().ring.faint);
        assert_eq!(drawn.matches("<circle").count(), 2, "only seat 0 has a head: {drawn}");
        assert_eq!(drawn.matches("stroke-opacity:1\"").count(), 2);
        assert_eq!(drawn.matches(&faint).count(), 2);
    }

    #[test]
    fn what_a_layer_leaves_out_is_dimmed_while_it_is_shown() {
        let mut scene = Scene::square(3, 1);
        scene.layer("board", Vec::new());
        scene.overlay("sight", vec![cell(0, 0, Paint::Good, 'x')]).dimming();
        let draw = |overlays: &[&str]| render_svg(&scene, overlays, &PictureText::default());
        assert!(
            draw(&["sight"]).contains("class=\"q-veil\" d=\"M20 0h20v20h-20zM40 0h20v20h-20z\"")
        );
        assert!(!draw(&[]).contains("class=\"q-veil\""));
    }

    #[test]
    fn filled_hexagons_have_a_relief_and_empty_ones_none() {
        let mut scene = Scene { lattice: Lattice::Hex, width: 2, height: 1, ..Scene::default() };
        let fills = |scene: &Scene| {
            render_svg(scene, &[], &PictureText::default()).matches("fill-opacity").count()
        };
        scene.layer("board", vec![cell(0, 0, Paint::Floor, '.')]);
        let before = fills(&scene);
        scene.layer("unit", vec![cell(1, 0, Paint::Seat(0), 'o')]);
        assert_eq!(fills(&scene), before + 2);
    }

    #[test]
    fn hexagons_have_no_characters_but_those_that_programs_write() {
        let mut scene = Scene { lattice: Lattice::Hex, width: 5, height: 1, ..Scene::default() };
        let marks = vec![
            cell(0, 0, Paint::Thing(0), '#'),
            cell(1, 0, Paint::Seat(0), 'o'),
            cell(2, 0, Paint::Head(0), '@'),
            cell(3, 0, Paint::Head(0), '+'),
        ];
        scene.layer("board", marks).means(Sign::Cell(Paint::Head(0), '@'), "pivot");
        let text = PictureText { explained: true, ..PictureText::default() };
        let drawn = render_svg(&scene, &[], &text);
        assert!(!drawn.contains("<text class=\"q-glyph"), "{drawn}");
        assert_eq!(drawn.matches("<circle").count(), 2, "a dot and a ring: {drawn}");
        scene.layer("drawings", vec![cell(4, 0, Paint::Thing(0), 'x')]);
        assert!(render_svg(&scene, &[], &text).contains(">x<"));
    }

    #[test]
    fn every_pattern_but_solid_has_lines() {
        let paints = (0..8).flat_map(|n| [Paint::Seat(n), Paint::Claim(n)]);
        let mut roles = Roles::default();
        paints.clone().for_each(|paint| drop(roles.cell(paint)));
        let drawn = roles.patterns();
        for paint in paints {
            let lines = patterns().lines.get(look(paint).pattern.name());
            assert_eq!(lines.is_none(), look(paint).pattern == Pattern::Solid, "{paint:?}");
            assert!(lines.is_none_or(|lines| drawn.contains(lines.as_str())), "{paint:?}");
        }
    }

    #[test]
    fn names_are_shown_and_not_obeyed() {
        let mut scene = Scene::square(1, 1);
        let text = "</text><script>".to_owned();
        scene.layer("board", vec![cell(0, 0, Paint::Thing(0), '<')]);
        scene.layer("labels", vec![Mark::Label { at: Point::new(0, 0), text }]);
        scene.caption = "a & b".to_owned();
        let names = ["<img src=x onerror=alert(1)>".to_owned()];
        let drawn = render_svg(
            &scene,
            &[],
            &PictureText { title: "\"><script>", names: &names, ..PictureText::default() },
        );
        assert!(!drawn.contains("<script") && !drawn.contains("<img"), "{drawn}");
        assert!(drawn.contains("&lt;img src=x onerror=alert(1)&gt;"));
        assert!(drawn.contains("aria-label=\"&quot;&gt;&lt;script&gt;\""));
        assert!(drawn.contains("a &amp; b"));
    }

    #[test]
    fn a_full_board_of_225_cells_takes_less_than_8_kilobytes() {
        let mut scene = Scene::square(15, 15);
        let paint = |n: i32| match n % 5 {
            0 => Paint::Wall,
            1 => Paint::Seat(0),
            2 => Paint::Seat(1),
            _ => Paint::Floor,
        };
        scene.layer("board", (0..225).map(|n| cell(n % 15, n / 15, paint(n / 2), ' ')).collect());
        let size = render_svg(&scene, &[], &PictureText::default()).len();
        assert!(size < 8192, "{size} bytes");
    }

    #[test]
    fn an_explained_picture_has_its_title_result_and_legend_uncut() {
        let mut scene = Scene::square(3, 1);
        scene.layer("board", Vec::new()).means(Sign::Cell(Paint::Wall, '#'), "a wall");
        scene.caption = "two of two players are alive and on their way".to_owned();
        let lines = ["A beat B after 37 turns".to_owned()];
        let text =
            PictureText { title: "Tron, seed 1", lines: &lines, explained: true, names: &[] };
        let drawn = render_svg(&scene, &[], &text);
        for words in
            ["q-title\" x=\"0\" y=\"-8\">Tron, seed 1<", ">a wall<", ">A beat B after 37 turns<"]
        {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert!(drawn.contains(">two of two players are alive<"), "{drawn}");
        assert!(drawn.contains(">and on their way<"), "{drawn}");
        assert_eq!(wrap("aaaa bb", 2), ["aa", "aa", "bb"]);
    }

    #[test]
    fn a_picture_is_as_wide_as_its_legend_needs() {
        let mut scene = Scene::square(3, 1);
        let meaning = "players meet and pool what they hold";
        scene.layer("board", Vec::new()).means(Sign::Cell(Paint::Wall, '#'), meaning);
        let text = PictureText { explained: true, ..PictureText::default() };
        let drawn = render_svg(&scene, &[], &text);
        let width = drawn.split(" width=\"").nth(1).and_then(|rest| rest.split('"').next());
        let width: f64 = width.unwrap().parse().unwrap();
        assert!(width >= 24.0 + width_of(meaning) + 2.0 * MARGIN, "{width}");
    }

    #[test]
    fn a_long_legend_says_how_many_it_leaves_out() {
        let names: Vec<String> = (0..165).map(|seat| format!("player {seat}")).collect();
        let drawn = render_svg(
            &Scene::square(1, 1),
            &[],
            &PictureText { names: &names, ..PictureText::default() },
        );
        assert!(drawn.contains("player 15") && !drawn.contains("player 16"));
        assert!(drawn.contains("and 149 more"));
    }
}
