//! Scenes as text: two columns a cell, so that squares look square; in a hex lattice
//! odd rows stand one column further right. Boards with lines get twice the room, the
//! lines between the cells. Plain style is ASCII and says everything by characters;
//! the others use colour, patterns and box-drawing characters. Outlines on squares are
//! drawn where cells of different ones meet: by underlines and bars, in plain style by `_`,
//! `|`, and `]` for both.

use std::fmt::Write;

use anstyle::{Color, RgbColor, Style as Ansi};
use quintain_ui::{Lattice, Paint, Panel, PanelBody, Point, Scene, Sign};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::compose::{self, Cell, Composed, compose};
use crate::outline::border;
use crate::palette::{Pattern, Rgb, look};
use crate::sanitize::clean;

/// What a terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalStyle {
    /// ASCII characters without colour.
    Plain,
    /// Unicode and the 256 colours of xterm.
    Indexed,
    /// Unicode and any colour.
    Full,
}

/// Columns of what stands beside the board.
const BESIDE: usize = 26;
/// Columns of a legend's lines.
const LEGEND: usize = 78;

/// The drawing of a scene with these overlays shown, its panels beside it and its caption
/// below; ends with a newline.
pub fn render_text(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> String {
    let canvas = canvas(scene, overlays, style);
    let frame = canvas.render_frame(style);
    let beside: Vec<String> =
        scene.panels.iter().flat_map(|panel| panel_lines(panel, style)).collect();
    let mut out = String::new();
    let blank = " ".repeat(canvas.rows.first().map_or(0, Vec::len) + 2);
    let mut rows = frame.lines();
    let mut panels = beside.iter();
    loop {
        let (row, panel) = (rows.next(), panels.next());
        match (row, panel.filter(|panel| !panel.is_empty())) {
            (None, None) if panel.is_none() => break,
            (Some(row), None) => out.push_str(row),
            (row, Some(panel)) => {
                let _ = write!(out, "{}  {panel}", row.unwrap_or(&blank));
            }
            (None, None) => {}
        }
        out.push('\n');
    }
    if !scene.caption.is_empty() {
        out.push_str(&clean(&scene.caption));
        out.push('\n');
    }
    out
}

/// What the signs of a scene mean, with these overlays shown, in lines that end with a
/// newline; nothing where the game says nothing.
pub fn render_legend(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> String {
    let mut out = String::new();
    let mut used = 0;
    for meaning in scene.legend(overlays) {
        let text = clean(&meaning.text);
        let wide = text.width() + 3;
        if used > 0 && used + 2 + wide > LEGEND {
            out.push('\n');
            used = 0;
        }
        if used > 0 {
            out.push_str("  ");
            used += 2;
        }
        let _ = write!(out, "{} {text}", render_sign(meaning.sign, style));
        used += wide;
    }
    if used > 0 {
        out.push('\n');
    }
    out
}

/// A sign, two columns wide.
fn render_sign(sign: Sign, style: TerminalStyle) -> String {
    let plain = style == TerminalStyle::Plain;
    let drawn = |text: [char; 2], paint: Paint| {
        let ink = (!plain).then(|| look(paint).dark);
        text.map(|text| Spot { text: Some(text), ink, ..Spot::default() })
    };
    let spots = match sign {
        Sign::Cell(paint, glyph) => cell_spots(Cell { paint, glyph }, style),
        Sign::Line(paint) => drawn(if plain { ['-', '-'] } else { ['─', '─'] }, paint),
        Sign::Outline(paint) => drawn(if plain { ['|', '_'] } else { ['▕', '▁'] }, paint),
    };
    let mut line = Line::default();
    spots.into_iter().for_each(|spot| line.push(spot, style));
    line.finish(style)
}

/// A panel in lines, an empty one last.
fn panel_lines(panel: &Panel, style: TerminalStyle) -> Vec<String> {
    let mut lines = vec![format!("{}:", clean(&panel.title))];
    match &panel.body {
        PanelBody::Picture(scene) => {
            let canvas = canvas(scene, &[], style);
            lines.extend(canvas.rows.iter().map(|row| {
                let mut line = Line::default();
                row.iter().for_each(|spot| line.push(*spot, style));
                line.finish(style)
            }));
        }
        PanelBody::Figures(figures) => {
            for (name, value) in figures {
                let (name, value) = (clean(name), clean(value));
                let gap = BESIDE.saturating_sub(name.width() + value.width()).max(1);
                lines.push(format!("{name}{}{value}", " ".repeat(gap)));
            }
        }
        PanelBody::Text(spans) => {
            let mut line = Line::default();
            let mut used = 0;
            for span in spans {
                let text = clean(&span.text);
                // Without colour a lit text stands in brackets.
                let text = match (style, span.lit) {
                    (TerminalStyle::Plain, true) => format!("[{text}]"),
                    _ => text,
                };
                for c in text.chars() {
                    if used + c.width().unwrap_or(0) > BESIDE {
                        lines.push(std::mem::take(&mut line).finish(style));
                        used = 0;
                    }
                    let ground = span.lit.then(|| look(Paint::Accent).dark);
                    let ink = ground.map(Rgb::ink);
                    line.push(Spot { text: Some(c), ink, ground, ..Spot::default() }, style);
                    used += c.width().unwrap_or(0);
                }
            }
            lines.push(line.finish(style));
        }
    }
    lines.push(String::new());
    lines
}

/// A scene drawn, without its frame.
fn canvas(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> Canvas {
    let composed = compose(scene, overlays);
    let mut canvas = Canvas::new(&composed, scene.lattice);
    for row in 0..composed.height {
        for column in 0..composed.width {
            canvas.draw_cell(column, row, composed.cell(column, row), style);
        }
    }
    let roomy = !composed.lines.is_empty() || scene.lattice == Lattice::Hex;
    for (cells, _) in composed.outlines.iter().filter(|_| !roomy) {
        canvas.draw_outline(cells, style);
    }
    for (from, to, paint) in &composed.lines {
        canvas.draw_line(*from, *to, *paint, style);
    }
    for (at, label) in &composed.labels {
        canvas.draw_label(*at, label);
    }
    canvas
}

/// How a seat looks in this scene, for legends: its head where the game draws heads,
/// and what it leaves behind. Of equal width for all seats of a scene.
pub fn render_swatch(scene: &Scene, seat: u16, style: TerminalStyle) -> String {
    let mut line = Line::default();
    for cell in compose::seat_cells(scene, seat) {
        let blank = Spot { text: Some(' '), ..Spot::default() };
        for spot in cell.map_or([blank; 2], |cell| cell_spots(cell, style)) {
            line.push(spot, style);
        }
    }
    line.finish(style)
}

/// One column of one row.
#[derive(Clone, Copy, Default)]
struct Spot {
    /// None behind a character two columns wide.
    text: Option<char>,
    ink: Option<Rgb>,
    ground: Option<Rgb>,
    bold: bool,
    underlined: bool,
    /// To which sides lines leave from here: north 1, east 2, south 4, west 8.
    sides: u8,
    /// Something stands here that a line must not cover.
    taken: bool,
}

const NORTH: u8 = 1;
const EAST: u8 = 2;
const SOUTH: u8 = 4;
const WEST: u8 = 8;
/// The box-drawing character for every set of sides.
const BOX: [char; 16] =
    [' ', '╵', '╶', '└', '╷', '│', '┌', '├', '╴', '┘', '─', '┴', '┐', '┤', '┬', '┼'];

struct Canvas {
    rows: Vec<Vec<Spot>>,
    /// Columns and rows from one cell to the next.
    pitch: (usize, usize),
    hex: bool,
}

impl Canvas {
    fn new(composed: &Composed, lattice: Lattice) -> Self {
        let pitch = if composed.lines.is_empty() { (2, 1) } else { (4, 2) };
        let hex = lattice == Lattice::Hex;
        // Behind the last cell no room for a line is needed.
        let shift = if hex { pitch.0 / 2 } else { 0 };
        let width = (composed.width * pitch.0 + shift + 2).saturating_sub(pitch.0);
        let height = (composed.height * pitch.1 + 1).saturating_sub(pitch.1);
        let blank = Spot { text: Some(' '), ..Spot::default() };
        Canvas { rows: vec![vec![blank; width]; height], pitch, hex }
    }

    fn place(&self, column: usize, row: usize) -> (usize, usize) {
        let shift = if self.hex && row % 2 == 1 { self.pitch.0 / 2 } else { 0 };
        (column * self.pitch.0 + shift, row * self.pitch.1)
    }

    fn draw_cell(&mut self, column: usize, row: usize, cell: Cell, style: TerminalStyle) {
        let (x, y) = self.place(column, row);
        let spots = cell_spots(cell, style);
        self.rows[y][x..x + 2].copy_from_slice(&spots);
    }

    /// The border of cells that stand without gaps: below and to the right of a cell, which
    /// for its neighbours is above and to the left.
    fn draw_outline(&mut self, cells: &[Point], style: TerminalStyle) {
        for (at, side) in border(Lattice::Square, cells) {
            let (at, below) = match side {
                0 => (Point::new(at.column, at.row - 1), true),
                1 => (at, false),
                2 => (at, true),
                _ => (Point::new(at.column - 1, at.row), false),
            };
            if at.column < 0 || at.row < 0 {
                continue;
            }
            let (x, y) = self.place(at.column as usize, at.row as usize);
            let spots = &mut self.rows[y][x..x + 2];
            match (style, below) {
                (TerminalStyle::Plain, below) => {
                    let bar = if below { '_' } else { '|' };
                    let text = &mut spots[1].text;
                    *text = Some(match *text {
                        Some('|' | '_' | ']') if *text != Some(bar) => ']',
                        _ => bar,
                    });
                }
                (_, true) => spots.iter_mut().for_each(|spot| spot.underlined = true),
                // Behind a character two columns wide there is no room.
                (_, false) => spots[1].text = spots[1].text.map(|_| '▕'),
            }
            if spots[1].ink.is_none() {
                spots[1].ink = spots[0].ink;
            }
        }
    }

    /// Box-drawing characters along rows and columns, slashes elsewhere.
    fn draw_line(&mut self, from: Point, to: Point, paint: Paint, style: TerminalStyle) {
        let place = |at: Point| {
            let (x, y) = self.place(at.column as usize, at.row as usize);
            (x as i32, y as i32)
        };
        let ((x0, y0), (x1, y1)) = (place(from), place(to));
        let (dx, dy) = (x1 - x0, y1 - y0);
        if dx == 0 || dy == 0 {
            let (ahead, back) = match (dx.signum(), dy.signum()) {
                (1, _) => (EAST, WEST),
                (-1, _) => (WEST, EAST),
                (_, 1) => (SOUTH, NORTH),
                (_, -1) => (NORTH, SOUTH),
                _ => return,
            };
            for step in 0..=dx.abs().max(dy.abs()) {
                let (x, y) = (x0 + dx.signum() * step, y0 + dy.signum() * step);
                let sides = match (step == 0, (x, y) == (x1, y1)) {
                    (true, _) => ahead,
                    (_, true) => back,
                    _ => ahead | back,
                };
                self.connect(x as usize, y as usize, sides, paint, style);
            }
        } else {
            let steps = dx.abs().max(dy.abs());
            let rising = (dx > 0) != (dy > 0);
            for step in 1..steps {
                let along = |from: i32, by: i32| {
                    from + (f64::from(by) * f64::from(step) / f64::from(steps)).round() as i32
                };
                let slash = match (rising, style) {
                    (true, TerminalStyle::Plain) => '/',
                    (false, TerminalStyle::Plain) => '\\',
                    (true, _) => '╱',
                    (false, _) => '╲',
                };
                self.stroke(along(x0, dx) as usize, along(y0, dy) as usize, slash, paint, style);
            }
        }
    }

    fn connect(&mut self, x: usize, y: usize, sides: u8, paint: Paint, style: TerminalStyle) {
        let sides = self.rows[y][x].sides | sides;
        self.rows[y][x].sides = sides;
        let text = match (style, sides) {
            (TerminalStyle::Plain, sides) if sides & !(EAST | WEST) == 0 => '-',
            (TerminalStyle::Plain, sides) if sides & !(NORTH | SOUTH) == 0 => '|',
            (TerminalStyle::Plain, _) => '+',
            (_, sides) => BOX[sides as usize],
        };
        self.stroke(x, y, text, paint, style);
    }

    fn stroke(&mut self, x: usize, y: usize, text: char, paint: Paint, style: TerminalStyle) {
        let spot = &mut self.rows[y][x];
        if !spot.taken {
            spot.text = Some(text);
            spot.ink = (style != TerminalStyle::Plain).then(|| look(paint).dark);
        }
    }

    /// Writes a label from its cell to the right, as far as the board goes.
    fn draw_label(&mut self, at: Point, label: &str) {
        let (mut x, y) = self.place(at.column as usize, at.row as usize);
        let row = &mut self.rows[y];
        for c in label.chars() {
            let width = c.width().unwrap_or(0);
            if width == 0 {
                continue;
            }
            if x + width > row.len() {
                return;
            }
            row[x].text = Some(c);
            row[x].bold = true;
            if width == 2 {
                row[x + 1].text = None;
            }
            x += width;
        }
    }

    fn render_frame(&self, style: TerminalStyle) -> String {
        let plain = style == TerminalStyle::Plain;
        let (side, across, corners) =
            if plain { ('|', '-', ['+'; 4]) } else { ('│', '─', ['┌', '┐', '└', '┘']) };
        let width = self.rows.first().map_or(0, Vec::len);
        let edge: String = std::iter::repeat_n(across, width).collect();
        let mut out = format!("{}{edge}{}\n", corners[0], corners[1]);
        for row in &self.rows {
            let mut line = Line::default();
            for spot in row {
                line.push(*spot, style);
            }
            let _ = writeln!(out, "{side}{}{side}", line.finish(style));
        }
        let _ = writeln!(out, "{}{edge}{}", corners[2], corners[3]);
        out
    }
}

/// The two columns of a cell.
fn cell_spots(cell: Cell, style: TerminalStyle) -> [Spot; 2] {
    let look = look(cell.paint);
    let glyph = cell.visible_glyph();
    if style == TerminalStyle::Plain {
        let glyph = if glyph.is_ascii_graphic() { glyph } else { look.glyph };
        let filler = if cell.paint == Paint::Wall { glyph } else { ' ' };
        let taken = cell.paint != Paint::Floor || glyph != look.glyph;
        return [(glyph, taken), (filler, filler != ' ')].map(|(c, taken)| Spot {
            text: Some(c),
            taken,
            ..Spot::default()
        });
    }
    if cell.paint == Paint::Floor {
        let (text, taken) = match cell.glyph {
            ' ' | '.' => ('·', false),
            glyph => (glyph, true),
        };
        // Readable on light terminals and on dark ones, and faint on both.
        let spot = Spot { ink: Some(Rgb(0x80, 0x84, 0x8C)), taken, ..Spot::default() };
        return char_spots(text, spot);
    }
    let ground = look.dark;
    let spot = Spot { ground: Some(ground), taken: true, ..Spot::default() };
    match cell.paint {
        Paint::Wall | Paint::Heat(_) => {
            let glyph = if cell.paint == Paint::Wall { ' ' } else { cell.glyph };
            char_spots(glyph, Spot { ink: Some(ground.ink()), ..spot })
        }
        Paint::Seat(_) | Paint::Claim(_) => {
            let ink = Some(ground.mix(ground.ink(), look.ink));
            let fill = fill(look.pattern);
            [Spot { text: Some(fill), ink, ..spot }; 2]
        }
        _ => char_spots(glyph, Spot { ink: Some(ground.ink()), bold: true, ..spot }),
    }
}

/// A character in a cell: wide ones take both columns, those without width none.
fn char_spots(c: char, spot: Spot) -> [Spot; 2] {
    match c.width().unwrap_or(0) {
        2 => [Spot { text: Some(c), ..spot }, Spot { text: None, ..spot }],
        1 => [Spot { text: Some(c), ..spot }, Spot { text: Some(' '), taken: false, ..spot }],
        _ => [Spot { text: Some(' '), ..spot }; 2],
    }
}

fn fill(pattern: Pattern) -> char {
    match pattern {
        Pattern::Solid => ' ',
        Pattern::Rising => '╱',
        Pattern::Falling => '╲',
        Pattern::Horizontal => '─',
        Pattern::Vertical => '│',
        Pattern::Cross => '╳',
        Pattern::Dots => '·',
    }
}

/// A line of styled text; the style changes only where it must.
#[derive(Default)]
struct Line {
    out: String,
    current: Ansi,
}

impl Line {
    fn push(&mut self, spot: Spot, style: TerminalStyle) {
        let Some(text) = spot.text else { return };
        if style != TerminalStyle::Plain {
            let colour = |rgb: Option<Rgb>| rgb.map(|rgb| terminal_colour(rgb, style));
            let mut next = Ansi::new().fg_color(colour(spot.ink)).bg_color(colour(spot.ground));
            if spot.bold {
                next = next.bold();
            }
            if spot.underlined {
                next = next.underline();
            }
            if next != self.current {
                let _ = write!(self.out, "{}{next}", self.current.render_reset());
                self.current = next;
            }
        }
        self.out.push(text);
    }

    fn finish(mut self, style: TerminalStyle) -> String {
        if style != TerminalStyle::Plain {
            let _ = write!(self.out, "{}", self.current.render_reset());
        }
        self.out
    }
}

fn terminal_colour(Rgb(red, green, blue): Rgb, style: TerminalStyle) -> Color {
    let rgb = RgbColor(red, green, blue);
    match style {
        TerminalStyle::Indexed => Color::Ansi256(anstyle_lossy::rgb_to_xterm(rgb)),
        _ => Color::Rgb(rgb),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_ui::Mark;

    fn cell(column: i32, row: i32, paint: Paint, glyph: char) -> Mark {
        Mark::Cell { at: Point::new(column, row), paint, glyph }
    }

    fn line(from: (i32, i32), to: (i32, i32)) -> Mark {
        let (from, to) = (Point::new(from.0, from.1), Point::new(to.0, to.1));
        Mark::Line { from, to, paint: Paint::Accent }
    }

    fn render(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> String {
        format!("\n{}", render_text(scene, overlays, style))
    }

    /// Without its escape sequences, which all end in `m`.
    fn strip_styles(text: &str) -> String {
        let mut parts = text.split('\u{1b}');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, text)| text))
    }

    #[test]
    fn outlines_are_drawn_where_cells_of_different_ones_meet() {
        let mut scene = Scene::square(3, 2);
        let room = |cells: &[(i32, i32)]| Mark::Outline {
            cells: cells.iter().map(|(column, row)| Point::new(*column, *row)).collect(),
            paint: Paint::Thing(0),
        };
        scene.layer("rooms", vec![room(&[(0, 0), (1, 0)]), room(&[(0, 1)])]);
        assert_eq!(
            render(&scene, &[], TerminalStyle::Plain),
            "\n+------+\n|._.]. |\n|.]. . |\n+------+\n"
        );
        let styled = render(&scene, &[], TerminalStyle::Full);
        assert!(styled.contains('▕') && styled.contains("\u{1b}[4m"), "{styled:?}");
    }

    #[test]
    fn panels_stand_beside_the_board_and_the_legend_is_told_in_lines() {
        let mut scene = Scene::square(2, 1);
        scene.layer("board", Vec::new()).means(Sign::Cell(Paint::Wall, '#'), "a wall");
        scene.overlay("heat", Vec::new()).means(Sign::Cell(Paint::Heat(0), '0'), "cold");
        let piece = Scene::board(2, 1, |_| (Paint::Thing(0), 'r'));
        scene.panel("next", PanelBody::Picture(piece));
        scene.panel("points", PanelBody::Figures(vec![("ponds".to_owned(), "2".to_owned())]));
        let said = |text: &str, lit| quintain_ui::Span { text: text.to_owned(), lit };
        scene.panel("said", PanelBody::Text(vec![said("a", false), said("ei!", true)]));
        let drawn = render_text(&scene, &[], TerminalStyle::Plain);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(&lines[..4], ["+----+  next:", "|. . |  r r ", "+----+", "        points:"]);
        assert_eq!(lines[4], format!("        ponds{}2", " ".repeat(20)));
        assert_eq!(lines[7], "        a[ei!]");
        assert_eq!(render_legend(&scene, &[], TerminalStyle::Plain), "## a wall\n");
        let all = render_legend(&scene, &["heat"], TerminalStyle::Plain);
        assert_eq!(all, "## a wall  0  cold\n");
    }

    #[test]
    fn plain_text_tells_every_role_by_its_character() {
        let mut scene = Scene::square(5, 2);
        scene.layer(
            "board",
            vec![
                cell(0, 0, Paint::Wall, ' '),
                cell(1, 0, Paint::Seat(0), ' '),
                cell(2, 0, Paint::Head(1), ' '),
                cell(3, 0, Paint::Thing(0), 'é'),
                cell(4, 0, Paint::Good, 'G'),
            ],
        );
        scene.caption = "turn 3".to_owned();
        assert_eq!(
            render(&scene, &[], TerminalStyle::Plain),
            "
+----------+
|##a B o G |
|. . . . . |
+----------+
turn 3
"
        );
    }

    #[test]
    fn odd_rows_of_a_hex_lattice_stand_one_column_further_right() {
        let scene = Scene { lattice: Lattice::Hex, width: 2, height: 3, ..Scene::default() };
        assert_eq!(
            render(&scene, &[], TerminalStyle::Plain),
            "
+-----+
|. .  |
| . . |
|. .  |
+-----+
"
        );
    }

    #[test]
    fn an_overlay_is_seen_only_when_asked_for_and_keeps_what_stands_below() {
        let mut scene = Scene::square(2, 1);
        scene.layer("board", vec![cell(0, 0, Paint::Seat(0), 'r')]);
        let claims = [0, 1].map(|column| cell(column, 0, Paint::Claim(0), ' '));
        scene.overlay("territory", claims.to_vec());
        assert_eq!(render(&scene, &[], TerminalStyle::Plain), "\n+----+\n|r . |\n+----+\n");
        assert_eq!(
            render(&scene, &["territory"], TerminalStyle::Plain),
            "\n+----+\n|r , |\n+----+\n"
        );
        assert_eq!(render(&scene, &["heat"], TerminalStyle::Plain), "\n+----+\n|r . |\n+----+\n");
    }

    fn walk() -> Scene {
        let mut scene = Scene::square(3, 2);
        let path = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 0)];
        let mut marks: Vec<Mark> = path.windows(2).map(|pair| line(pair[0], pair[1])).collect();
        marks.push(cell(0, 0, Paint::Thing(0), 'H'));
        marks.push(cell(1, 1, Paint::Thing(1), 'P'));
        scene.layer("walk", marks);
        scene
    }

    #[test]
    fn lines_run_between_cells_and_turn_where_nothing_stands() {
        let plain = render(&walk(), &[], TerminalStyle::Plain);
        assert_eq!(
            plain,
            "
+----------+
|H---+   | |
|    |   | |
|.   P---+ |
+----------+
"
        );
        let rich = strip_styles(&render_text(&walk(), &[], TerminalStyle::Full));
        assert_eq!(
            format!("\n{rich}"),
            "
┌──────────┐
│H───┐   ╷ │
│    │   │ │
│·   P───┘ │
└──────────┘
"
        );
    }

    #[test]
    fn lines_of_a_hex_lattice_slant() {
        let mut scene = Scene { lattice: Lattice::Hex, width: 2, height: 3, ..Scene::default() };
        scene.layer("walk", vec![line((0, 0), (0, 1)), line((0, 1), (0, 2))]);
        assert_eq!(
            render(&scene, &[], TerminalStyle::Plain),
            "
+--------+
|.   .   |
| \\      |
|  .   . |
| /      |
|.   .   |
+--------+
"
        );
    }

    #[test]
    fn labels_stay_on_the_board_and_cannot_steer_the_terminal() {
        let mut scene = Scene::square(3, 1);
        let text = "a\u{1b}[31m long one".to_owned();
        scene.layer("names", vec![Mark::Label { at: Point::new(1, 0), text }]);
        assert_eq!(render(&scene, &[], TerminalStyle::Plain), "\n+------+\n|. a�[3|\n+------+\n");
        scene.caption = "two\nlines\u{7}".to_owned();
        assert!(text_of(&scene).ends_with("two�lines�\n"));
    }

    fn text_of(scene: &Scene) -> String {
        render_text(scene, &[], TerminalStyle::Plain)
    }

    #[test]
    fn wide_characters_keep_the_frame_straight() {
        let mut scene = Scene::square(2, 1);
        scene.layer("board", vec![cell(0, 0, Paint::Thing(0), '龍')]);
        assert_eq!(
            strip_styles(&render_text(&scene, &[], TerminalStyle::Full)),
            "┌────┐\n│龍· │\n└────┘\n"
        );
    }

    #[test]
    fn marks_outside_the_board_are_left_out() {
        let mut scene = Scene::square(1, 1);
        scene.layer("board", vec![cell(1, 0, Paint::Wall, ' '), line((0, 0), (0, 5))]);
        assert_eq!(text_of(&scene), "+--+\n|. |\n+--+\n");
        assert_eq!(text_of(&Scene { width: -3, ..Scene::default() }), "++\n++\n");
    }

    #[test]
    fn a_legend_shows_the_characters_of_the_scene() {
        let mut scene = Scene::square(3, 1);
        let marks = vec![
            cell(0, 0, Paint::Seat(0), 'x'),
            cell(1, 0, Paint::Seat(1), 'o'),
            cell(2, 0, Paint::Seat(1), 'o'),
        ];
        scene.layer("board", marks);
        assert_eq!(
            [0, 1, 2].map(|seat| render_swatch(&scene, seat, TerminalStyle::Plain)),
            ["x ", "o ", "  "]
        );
        scene.layer("heads", vec![cell(2, 0, Paint::Head(1), ' ')]);
        assert_eq!(
            [0, 1].map(|seat| render_swatch(&scene, seat, TerminalStyle::Plain)),
            ["  x ", "B o "]
        );
    }

    #[test]
    fn colours_come_in_both_ranges_and_every_line_ends_reset() {
        let mut scene = Scene::square(2, 1);
        scene
            .layer("board", vec![cell(0, 0, Paint::Seat(0), ' '), cell(1, 0, Paint::Head(1), 'g')]);
        insta::assert_debug_snapshot!([
            render_text(&scene, &[], TerminalStyle::Indexed),
            render_text(&scene, &[], TerminalStyle::Full),
            render_swatch(&scene, 0, TerminalStyle::Full),
            render_swatch(&scene, 1, TerminalStyle::Full),
        ]);
    }
}
