//! Scenes as a GIF that repeats for ever: pixels straight from roles, with the palette's colours on
//! a light page, its patterns, and letters of eight by eight pixels. Every picture after the first
//! holds only the rectangle that changed. Below the board are lines of text: the players, the
//! score, the turn, the result. There is no legend.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use font8x8::UnicodeFonts;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use quintain_core::ui::{Lattice, Paint, Point, Scene};

use crate::compose::{self, Composed, compose};
use crate::outline::border;
use crate::palette::{self, Pattern, Rgb, kind, look};
use crate::shapes::{is_raised, shape};

/// The default width of a board in an animation, in pixels (approximate); on fewer one cannot see
/// much.
pub const GIF_ACROSS: usize = 480;
/// The least number of pixels across a cell.
const LEAST: usize = 6;
/// The most pixels across a cell in a single picture: programs that learn from pictures want them
/// small.
const MOST: usize = 16;
const PAGE: Rgb = Rgb(0xff, 0xff, 0xff);
/// The height of a line of text, and the space around its text, in pixels.
const LINE: usize = 22;
const GAP: usize = 6;
/// How long the last picture stays.
const REST: Duration = Duration::from_secs(2);

/// A picture of an animation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GifFrame {
    /// The board.
    pub scene: Scene,
    /// The lines below it.
    pub lines: Vec<GifLine>,
}

/// A line of text below a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GifLine {
    /// The seat whose colour is shown before it.
    pub seat: Option<u16>,
    /// The text; what does not fit is cut off.
    pub text: String,
}

/// Renders the frames one after another, with `pause` between two and boards about `across` pixels
/// wide ([`GIF_ACROSS`]). All are as large as the largest.
///
/// # Errors
/// If there is no frame, or a board has more pixels than the format allows.
pub fn render_gif(
    frames: &[GifFrame],
    overlays: &[&str],
    across: usize,
    pause: Duration,
) -> Result<Vec<u8>, EncodingError> {
    let most =
        |side: fn(&Scene) -> i32| frames.iter().map(|frame| side(&frame.scene)).max().unwrap_or(0);
    let (columns, rows) = (most(|scene| scene.width), most(|scene| scene.height));
    let lines = frames.iter().map(|frame| frame.lines.len()).max().unwrap_or(0);
    let mut writer = GifWriter::new(GifSize { columns, rows, lines }, across, pause)?;
    frames.iter().try_for_each(|frame| writer.push(frame, overlays))?;
    writer.finish()
}

/// The size of the largest frame of an animation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GifSize {
    /// Cells across.
    pub columns: i32,
    /// Cells down.
    pub rows: i32,
    /// Lines of text below the board.
    pub lines: usize,
}

/// Encodes an animation frame by frame, of which only the last is kept in memory.
pub struct GifWriter {
    size: GifSize,
    side: usize,
    pause: Duration,
    ink: Ink,
    encoder: Option<Encoder<Vec<u8>>>,
    /// The last two pictures: the one that is encoded already, and the one that is not.
    encoded: Option<Picture>,
    next: Option<Picture>,
}

/// Where the table of colours lies in the file, in bytes.
const TABLE_AT: usize = 13;
/// Its bytes: red, green and blue of 256 colours.
const TABLE: usize = 3 << 8;

impl GifWriter {
    /// Begins an animation with `pause` between two frames and boards about `across` pixels wide.
    ///
    /// # Errors
    /// If the board has no cell, or more pixels than the format allows.
    pub fn new(size: GifSize, across: usize, pause: Duration) -> Result<GifWriter, EncodingError> {
        let side = animated_side(across, size.columns, size.rows);
        let cells = |cells: i32| usize::try_from(cells).unwrap_or(0);
        let pixels = [cells(size.columns), cells(size.rows)].map(|cells| cells * side);
        if !pixels.iter().all(|pixels| (1..=usize::from(u16::MAX)).contains(pixels)) {
            return Err(too_large(pixels[0], pixels[1]));
        }
        let (encoder, encoded, next) = (None, None, None);
        Ok(GifWriter { size, side, pause, ink: Ink::default(), encoder, encoded, next })
    }

    /// Adds a frame, no larger than the size.
    ///
    /// # Errors
    /// If it has more pixels than the format allows.
    pub fn push(&mut self, frame: &GifFrame, overlays: &[&str]) -> Result<(), EncodingError> {
        let GifSize { columns, rows, lines } = self.size;
        let GifFrame { scene, lines: words } = frame;
        let (side, ink) = (self.side, &mut self.ink);
        let mut picture = match (scene.width, scene.height) == (columns, rows) {
            true => Picture::of(scene, overlays, side, ink),
            false => Picture::of(&scene.clone().padded(columns, rows), overlays, side, ink),
        };
        picture.write(words, lines, scene, ink);
        if self.encoder.is_none() {
            let (width, height) = (picture.width, picture.height);
            let [Ok(wide), Ok(high)] = [width, height].map(u16::try_from) else {
                return Err(too_large(width, height));
            };
            // The colours become known frame by frame, and are filled in at the end.
            let mut encoder = Encoder::new(Vec::new(), wide, high, &[0; TABLE])?;
            encoder.set_repeat(Repeat::Infinite)?;
            self.encoder = Some(encoder);
        }
        let pause = self.pause;
        self.encode_next(pause)?;
        self.next = Some(picture);
        Ok(())
    }

    /// Encodes the picture that is not encoded yet, if there is one, to stay for this long.
    fn encode_next(&mut self, time: Duration) -> Result<(), EncodingError> {
        let (Some(picture), Some(encoder)) = (self.next.take(), &mut self.encoder) else {
            return Ok(());
        };
        let width = picture.width;
        let (left, top, right, bottom) = picture.changed_area(self.encoded.as_ref());
        let (wide, high) = (right - left, bottom - top);
        let rows = (top..bottom).map(|y| &picture.pixels[y * width + left..y * width + right]);
        let pixels: Vec<u8> = rows.flatten().copied().collect();
        let side = |long: usize| u16::try_from(long).expect("pictures are no larger");
        let mut frame = Frame::from_indexed_pixels(side(wide), side(high), pixels, None);
        frame.palette = None;
        (frame.left, frame.top) = (side(left), side(top));
        frame.dispose = DisposalMethod::Keep;
        frame.delay = u16::try_from(time.as_millis() / 10).unwrap_or(u16::MAX);
        encoder.write_frame(&frame)?;
        self.encoded = Some(picture);
        Ok(())
    }

    /// Returns the animation.
    ///
    /// # Errors
    /// If it has no frame.
    pub fn finish(mut self) -> Result<Vec<u8>, EncodingError> {
        self.encode_next(REST)?;
        let encoder = self.encoder.ok_or_else(|| io::Error::other("there is no frame"))?;
        let mut bytes = encoder.into_inner()?;
        let colours = self.ink.table();
        bytes[TABLE_AT..TABLE_AT + colours.len()].copy_from_slice(&colours);
        Ok(bytes)
    }
}

fn too_large(width: usize, height: usize) -> EncodingError {
    EncodingError::from(io::Error::other(format!(
        "{width} by {height} pixels; a GIF has 1 to 65535 each way"
    )))
}

/// The pixels across a cell in an animation, such that the board is `across` wide, unless that
/// would make a narrow board more than three times as high.
fn animated_side(across: usize, columns: i32, rows: i32) -> usize {
    let [columns, rows] = [columns, rows].map(|cells| cells.max(1) as usize);
    across.div_ceil(columns).min(3 * across / rows).max(LEAST)
}

/// A picture, pixel by pixel.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Pixels {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

/// One scene as pixels, drawn as in [`render_gif`], but small where the board is small.
pub fn render_pixels(scene: &Scene, overlays: &[&str]) -> Pixels {
    let mut ink = Ink::default();
    let cell_side = (GIF_ACROSS / scene.width.max(1) as usize).clamp(LEAST, MOST);
    let Picture { width, height, pixels } = Picture::of(scene, overlays, cell_side, &mut ink);
    let colour = |number: &u8| {
        let Rgb(red, green, blue) = ink.colours[usize::from(*number)];
        [red, green, blue]
    };
    Pixels { width, height, rgb: pixels.iter().flat_map(colour).collect() }
}

/// The colours, by number.
#[derive(Default)]
struct Ink {
    numbers: HashMap<Rgb, u8>,
    colours: Vec<Rgb>,
}

impl Ink {
    /// The number of a colour; beyond 256 colours, that of the nearest one.
    fn number(&mut self, colour: Rgb) -> u8 {
        let colours = &mut self.colours;
        *self.numbers.entry(colour).or_insert_with(|| {
            if let Ok(number) = u8::try_from(colours.len()) {
                colours.push(colour);
                return number;
            }
            let far = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
            let distance = |Rgb(red, green, blue): &Rgb| {
                far(*red, colour.0) + far(*green, colour.1) + far(*blue, colour.2)
            };
            let nearest = (0..=u8::MAX).min_by_key(|n| distance(&colours[usize::from(*n)]));
            nearest.expect("there are 256 of them")
        })
    }

    fn table(&self) -> Vec<u8> {
        self.colours.iter().flat_map(|Rgb(red, green, blue)| [*red, *green, *blue]).collect()
    }
}

struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// Where cells lie, in pixels.
struct Grid {
    hex: bool,
    side: usize,
    pitch: f64,
    columns: usize,
    rows: usize,
}

impl Grid {
    fn of(composed: &Composed, lattice: Lattice, side: usize) -> Grid {
        let hex = lattice == Lattice::Hex;
        let (columns, rows) = (composed.width, composed.height);
        let pitch = if hex { side as f64 * 0.75_f64.sqrt() } else { side as f64 };
        Grid { hex, side, pitch, columns, rows }
    }

    fn size(&self) -> (usize, usize) {
        let shift = if self.hex { self.side / 2 } else { 0 };
        let tail = if self.hex { self.side as f64 * 1.16 - self.pitch } else { 0.0 };
        let height = self.rows as f64 * self.pitch + tail;
        (self.columns * self.side + shift, height.ceil() as usize)
    }

    fn centre(&self, column: usize, row: usize) -> (f64, f64) {
        let shift = if self.hex && row % 2 == 1 { self.side as f64 / 2.0 } else { 0.0 };
        let half = self.side as f64 / 2.0;
        let down = if self.hex { self.side as f64 * 0.58 } else { half };
        (column as f64 * self.side as f64 + shift + half, row as f64 * self.pitch + down)
    }

    /// The two ends of a cell's side.
    fn side(&self, at: Point, side: usize) -> [(f64, f64); 2] {
        let lattice = if self.hex { Lattice::Hex } else { Lattice::Square };
        let (x, y) = self.centre(at.column as usize, at.row as usize);
        let high = self.side as f64 * if self.hex { 1.16 } else { 1.0 };
        let corners = &shape(lattice).corners;
        [side, (side + 1) % corners.len()].map(|corner| {
            let (right, down) = corners[corner];
            (x + right * self.side as f64, y + down * high)
        })
    }

    /// The cell that a pixel belongs to; `None` between cells and outside them.
    fn cell(&self, x: usize, y: usize) -> Option<(usize, usize)> {
        if !self.hex {
            let (column, row) = (x / self.side, y / self.side);
            let gap = x.is_multiple_of(self.side) || y.is_multiple_of(self.side);
            return (!gap).then_some((column, row));
        }
        // A regular hexagon consists of the points that are nearest to its centre.
        let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
        let near = (y / self.pitch) as usize;
        let mut nearest = [(f64::MAX, (0, 0)); 2];
        for row in near.saturating_sub(1)..(near + 2).min(self.rows) {
            let shift = if row % 2 == 1 { self.side as f64 / 2.0 } else { 0.0 };
            let column = ((x - shift) / self.side as f64).max(0.0) as usize;
            for column in column.saturating_sub(1)..(column + 2).min(self.columns) {
                let (cx, cy) = self.centre(column, row);
                let found = ((x - cx).hypot(y - cy), (column, row));
                if found.0 < nearest[0].0 {
                    nearest = [found, nearest[0]];
                } else if found.0 < nearest[1].0 {
                    nearest[1] = found;
                }
            }
        }
        let [first, second] = nearest;
        let inside = first.0 < self.side as f64 * 0.56 && second.0 - first.0 > 0.9;
        inside.then_some(first.1)
    }
}

impl Picture {
    /// A scene with cells of this many pixels across.
    fn of(scene: &Scene, overlays: &[&str], side: usize, ink: &mut Ink) -> Picture {
        let composed = compose(scene, overlays);
        let grid = Grid::of(&composed, scene.lattice, side);
        let (width, height) = grid.size();
        let page = ink.number(PAGE);
        let mut picture = Picture { width, height, pixels: vec![page; width * height] };
        for y in 0..height {
            for x in 0..width {
                let Some((column, row)) = grid.cell(x, y) else { continue };
                let look = look(composed.cell(column, row).paint);
                let colour = match is_on(look.pattern, x, y) {
                    true => look.light.mix(look.light.ink(), look.ink),
                    false => look.light,
                };
                picture.pixels[y * width + x] = ink.number(colour);
            }
        }
        for (from, to, paint) in &composed.lines {
            let colour = ink.number(look(*paint).light);
            let centre = |at: Point| grid.centre(at.column as usize, at.row as usize);
            picture.line(centre(*from), centre(*to), colour, 1);
        }
        for (cells, paint) in &composed.outlines {
            let strokes: &[(Rgb, i32)] = match paint {
                Paint::Accent => &[(palette::RIM, 2), (palette::outline(Paint::Accent).0, 1)],
                paint => &[(palette::outline(*paint).0, 0)],
            };
            for (colour, half) in strokes {
                let colour = ink.number(*colour);
                for (at, side) in border(scene.lattice, cells) {
                    let [from, to] = grid.side(at, side);
                    picture.line(from, to, colour, *half);
                }
            }
        }
        for row in 0..composed.height {
            for column in 0..composed.width {
                picture.letter(&composed, &grid, column, row, ink);
            }
        }
        picture
    }

    fn set(&mut self, x: f64, y: f64, colour: u8) {
        if x >= 0.0 && y >= 0.0 && (x as usize) < self.width && (y as usize) < self.height {
            self.pixels[y as usize * self.width + x as usize] = colour;
        }
    }

    /// A line of `2 · half + 1` pixels.
    fn line(&mut self, (x0, y0): (f64, f64), (x1, y1): (f64, f64), colour: u8, half: i32) {
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
        for step in 0..=steps as usize {
            let share = step as f64 / steps;
            let (x, y) = (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share);
            for (right, down) in (-half..=half).flat_map(|r| (-half..=half).map(move |d| (r, d))) {
                if right.abs() + down.abs() <= half {
                    self.set(x + f64::from(right), y + f64::from(down), colour);
                }
            }
        }
    }

    /// Draws the letter of a cell whose pattern does not identify it, if there is room; on
    /// hexagons a dot in the cell around which a piece turns.
    fn letter(
        &mut self,
        composed: &Composed,
        grid: &Grid,
        column: usize,
        row: usize,
        ink: &mut Ink,
    ) {
        let cell = composed.cell(column, row);
        if grid.hex && matches!(cell.paint, Paint::Head(_)) && !cell.written {
            let white = ink.number(palette::RIM);
            let at = grid.centre(column, row);
            self.line(at, at, white, (grid.side / 6).max(1) as i32);
            return;
        }
        let lattice = if grid.hex { Lattice::Hex } else { Lattice::Square };
        let silent = is_raised(lattice, kind(cell.paint).0)
            || matches!(
                cell.paint,
                Paint::Wall
                    | Paint::Seat(_)
                    | Paint::Claim(_)
                    | Paint::Heat(_)
                    | Paint::Floor
                    | Paint::Roof(_)
                    | Paint::Road
                    | Paint::Water
                    | Paint::Green
            );
        if silent && !cell.written || grid.side < 9 {
            return;
        }
        let Some(bits) = font8x8::BASIC_FONTS.get(cell.visible_glyph()) else { return };
        let colour = ink.number(look(cell.paint).light.ink());
        let (x, y) = grid.centre(column, row);
        // A letter takes half a large cell.
        let scale = (grid.side / 16).max(1);
        let corner = (x - 4.0 * scale as f64, y - 4.0 * scale as f64);
        self.stamp(&bits, corner, scale, colour);
    }

    /// Writes text below the board, with room for that many lines.
    fn write(&mut self, words: &[GifLine], lines: usize, scene: &Scene, ink: &mut Ink) {
        if lines == 0 {
            return;
        }
        let page = ink.number(PAGE);
        let black = ink.number(PAGE.ink());
        let mut y = self.height + GAP;
        self.height += 2 * GAP + lines * LINE;
        self.pixels.resize(self.width * self.height, page);
        for GifLine { seat, text } in words {
            let mut left = GAP;
            if let Some(seat) = seat {
                let cell = compose::seat_cells(scene, *seat).into_iter().flatten().next();
                let paint = cell.map_or(Paint::Seat(*seat), |cell| cell.paint);
                let colour = ink.number(look(paint).light);
                for (right, down) in
                    (0..16).flat_map(|right| (0..16).map(move |down| (right, down)))
                {
                    self.set((left + right) as f64, (y + down) as f64, colour);
                }
                left += 16 + GAP;
            }
            // Large letters, unless the line has no room for them.
            let letters = text.chars().count();
            let scale = if left + letters * 16 + GAP <= self.width { 2 } else { 1 };
            for letter in text.chars() {
                if left + 8 * scale > self.width {
                    break;
                }
                let known = font8x8::BASIC_FONTS.get(letter);
                if let Some(bits) = known.or_else(|| font8x8::LATIN_FONTS.get(letter)) {
                    let top = y + if scale == 1 { 4 } else { 0 };
                    self.stamp(&bits, (left as f64, top as f64), scale, black);
                }
                left += 8 * scale;
            }
            y += LINE;
        }
    }

    /// Draws a letter of eight by eight dots.
    fn stamp(&mut self, bits: &[u8; 8], (left, top): (f64, f64), scale: usize, colour: u8) {
        for (down, right) in
            (0..8 * scale).flat_map(|down| (0..8 * scale).map(move |right| (down, right)))
        {
            if bits[down / scale] >> (right / scale) & 1 == 1 {
                self.set(left + right as f64, top + down as f64, colour);
            }
        }
    }

    /// The rectangle outside which nothing has changed; one pixel if nothing has changed at all.
    fn changed_area(&self, before: Option<&Picture>) -> (usize, usize, usize, usize) {
        let Some(before) = before.filter(|before| before.pixels.len() == self.pixels.len()) else {
            return (0, 0, self.width, self.height);
        };
        let (mut left, mut top, mut right, mut bottom) = (self.width, self.height, 0, 0);
        for (at, (new, old)) in self.pixels.iter().zip(&before.pixels).enumerate() {
            if new != old {
                let (x, y) = (at % self.width, at / self.width);
                (left, right) = (left.min(x), right.max(x + 1));
                (top, bottom) = (top.min(y), bottom.max(y + 1));
            }
        }
        if right == 0 { (0, 0, 1, 1) } else { (left, top, right, bottom) }
    }
}

/// Whether a pattern has ink at a pixel.
fn is_on(pattern: Pattern, x: usize, y: usize) -> bool {
    let rising = (x + y) % 8 < 2;
    let falling = (x + 8 - y % 8) % 8 < 2;
    match pattern {
        Pattern::Solid => false,
        Pattern::Rising => rising,
        Pattern::Falling => falling,
        Pattern::Horizontal => y % 6 < 2,
        Pattern::Vertical => x % 6 < 2,
        Pattern::Cross => rising || falling,
        Pattern::Dots => x % 6 < 2 && y % 6 < 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::ui::Mark;

    fn scene(lattice: Lattice, at: (i32, i32)) -> Scene {
        let mut scene = Scene { lattice, width: 5, height: 4, ..Scene::default() };
        let at = Point::new(at.0, at.1);
        scene.layer("board", vec![Mark::Cell { at, paint: Paint::Head(0), glyph: 'A' }]);
        scene
    }

    /// The pictures of a GIF, each as it appears on the screen.
    fn decode_pictures(gif: &[u8]) -> Vec<Vec<u8>> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(gif).unwrap();
        let width = usize::from(decoder.width());
        let mut screen = vec![0; width * usize::from(decoder.height())];
        let mut shown = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (number, pixel) in frame.buffer.iter().enumerate() {
                let wide = usize::from(frame.width);
                let x = usize::from(frame.left) + number % wide;
                let y = usize::from(frame.top) + number / wide;
                screen[y * width + x] = *pixel;
            }
            shown.push(screen.clone());
        }
        shown
    }

    #[test]
    fn pixels_are_those_of_a_picture() {
        for lattice in [Lattice::Square, Lattice::Hex] {
            let scene = scene(lattice, (4, 3));
            let mut ink = Ink::default();
            let picture = Picture::of(&scene, &[], MOST, &mut ink);
            let table = ink.table();
            let Pixels { width, height, rgb } = render_pixels(&scene, &[]);
            assert_eq!((width, height), (picture.width, picture.height));
            for (number, colour) in picture.pixels.iter().zip(rgb.as_chunks::<3>().0) {
                assert_eq!(colour, &table[3 * usize::from(*number)..][..3]);
            }
        }
    }

    #[test]
    fn rectangles_that_changed_add_up_to_whole_pictures() {
        for lattice in [Lattice::Square, Lattice::Hex] {
            let scenes = [(0, 0), (4, 3), (4, 3), (2, 1)].map(|at| scene(lattice, at));
            let frame = |scene: &Scene| GifFrame { scene: scene.clone(), lines: Vec::new() };
            let frames = scenes.each_ref().map(frame);
            let written = render_gif(&frames, &[], GIF_ACROSS, Duration::from_millis(100)).unwrap();
            let mut ink = Ink::default();
            let drawn: Vec<Vec<u8>> =
                scenes.iter().map(|scene| Picture::of(scene, &[], 96, &mut ink).pixels).collect();
            assert_eq!(decode_pictures(&written), drawn);
            assert_ne!(drawn[0], drawn[1]);
        }
    }

    #[test]
    fn every_cell_has_its_pixels() {
        for lattice in [Lattice::Square, Lattice::Hex] {
            let composed = compose(&scene(lattice, (0, 0)), &[]);
            let grid = Grid::of(&composed, lattice, MOST);
            let (width, height) = grid.size();
            let mut counts = [0; 20];
            for y in 0..height {
                for x in 0..width {
                    if let Some((column, row)) = grid.cell(x, y) {
                        counts[row * 5 + column] += 1;
                    }
                }
            }
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least > 140 && most - least < 40, "{counts:?}");
        }
    }

    #[test]
    fn an_animation_is_wide_enough_to_be_seen() {
        for (columns, rows) in [(5, 4), (19, 15), (50, 50), (76, 50), (7, 11)] {
            for across in [GIF_ACROSS, 800] {
                assert!(columns as usize * animated_side(across, columns, rows) >= across);
            }
        }
        assert_eq!(
            animated_side(GIF_ACROSS, 1, 100),
            14,
            "a narrow board is not drawn endlessly high"
        );
    }

    #[test]
    fn pictures_too_large_for_the_format_are_errors() {
        assert!(render_gif(&[], &[], GIF_ACROSS, Duration::ZERO).is_err());
        assert!(render_gif(&[GifFrame::default()], &[], GIF_ACROSS, Duration::ZERO).is_err());
        let wide = Scene { width: 20_000, height: 1, ..Scene::default() };
        let wide = GifFrame { scene: wide, lines: Vec::new() };
        assert!(render_gif(&[wide], &[], GIF_ACROSS, Duration::ZERO).is_err());
    }

    #[test]
    fn texts_are_below_the_board() {
        let mut ink = Ink::default();
        let scene = scene(Lattice::Square, (0, 0));
        let mut picture = Picture::of(&scene, &[], 96, &mut ink);
        let board = picture.pixels.clone();
        let line = |text: &str| GifLine { seat: Some(0), text: text.to_owned() };
        picture.write(&[line("A champion  1"), line(&"long ".repeat(40))], 3, &scene, &mut ink);
        assert_eq!(picture.height, 4 * 96 + 2 * GAP + 3 * LINE);
        assert_eq!(picture.pixels[..board.len()], board);
        let black = ink.number(PAGE.ink());
        assert!(picture.pixels[board.len()..].contains(&black));
    }
}
