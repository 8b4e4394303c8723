//! Plots of plain numbers, as SVG. The caller knows what the numbers mean.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use quintain_stats::quantile;

const WIDTH: u32 = 820;
/// The width that a phone shows without scrolling.
const NARROW: u32 = 350;
/// The title of an axis of ranks.
pub const RANK: &str = "rank";
const INK: RGBColor = RGBColor(27, 31, 36);
const FAINT: RGBColor = RGBColor(216, 222, 228);
const BLUE: RGBColor = RGBColor(9, 105, 218);
/// The height of a line of names.
const LINE: u32 = 24;
/// The approximate width of a letter in names.
const LETTER: f64 = 7.2;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotLine<'a> {
    /// The name of the value.
    pub name: &'a str,
    /// The value.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Draws on a sheet of the usual width and this height.
fn sheet(height: u32, draw: impl FnOnce(&Area<'_>)) -> String {
    sheet_of((WIDTH, height), draw)
}

/// Draws on a sheet of this size. Writing to a string cannot fail.
fn sheet_of(size: (u32, u32), draw: impl FnOnce(&Area<'_>)) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE).expect("memory takes it");
        draw(&root);
        root.present().expect("memory takes it");
    }
    svg
}

/// A name that fits to the left of a plot; if it is too long, its middle is left out.
fn short(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let (head, tail) = (most.div_ceil(2) - 1, most / 2);
    letters[..head].iter().chain(['…'].iter()).chain(&letters[letters.len() - tail..]).collect()
}

/// Names that fit to the left of a plot. Those that would look alike are shown from where they
/// differ.
fn short_names(names: &[&str], most: usize) -> Vec<String> {
    let shared = |one: &str, other: &str| {
        one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
    };
    let mut shortened: Vec<String> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let text = short(name, most);
        let twins = names.iter().filter(|other| *other != name && short(other, most) == text);
        let mut text = match twins.map(|other| shared(name, other)).max() {
            Some(from) => short_from(name, from, most),
            None => text,
        };
        if shortened.contains(&text) {
            text = format!("{}. {}", at + 1, short(&text, most - 4));
        }
        shortened.push(text);
    }
    shortened
}

/// A name without what lies between its beginning and the parameter at this letter.
fn short_from(name: &str, from: usize, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    let head = letters.iter().position(|letter| *letter == '?').map_or(0, |at| at + 1);
    let head = head.min(most / 3);
    let from = from.min(letters.len());
    let from = letters[..from].iter().rposition(|letter| matches!(letter, '?' | '&'));
    let rest: String = letters[from.unwrap_or(0).max(head)..].iter().collect();
    let begin: String = letters[..head].iter().collect();
    let room = most - head - 1;
    format!("{begin}…{}", short(&rest, room))
}

const LONGEST_NAME: usize = 34;
const LONGEST_NAME_NARROW: usize = 16;

fn name_width<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> u32 {
    let longest = names.map(|name| name.chars().count().min(most)).max().unwrap_or(0);
    (longest as f64 * LETTER) as u32 + 16
}

/// A range a little wider than these values; never empty.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    match high - low {
        wide if wide > 0.0 => (low - wide * 0.04, high + wide * 0.04),
        _ if low.is_finite() => (low - 0.5, low + 0.5),
        _ => (0.0, 1.0),
    }
}

/// The most marks along an axis.
const MARKS: usize = 11;
const MARKS_NARROW: usize = 4;

/// Draws a chart with a named line for each row, the first on top, and the elements at (value,
/// row).
fn rows(
    root: &Area<'_>,
    title: &str,
    names: &[&str],
    (low, high): (f64, f64),
    elements: Vec<(f64, [f64; 5], bool)>,
) {
    let count = names.len() as f64;
    let is_narrow = root.dim_in_pixel().0 <= NARROW;
    let letters = if is_narrow { LONGEST_NAME_NARROW } else { LONGEST_NAME };
    let short_names = short_names(names, letters);
    let mut chart = ChartBuilder::on(root)
        .margin(8)
        .x_label_area_size(44)
        .y_label_area_size(name_width(names.iter().copied(), letters))
        .build_cartesian_2d(low..high, count - 0.5..-0.5)
        .expect("the range is not empty");
    let label = |row: &f64| {
        let at = row.round();
        let known = (row - at).abs() < 1e-6 && at >= 0.0;
        let name = if known { short_names.get(at as usize) } else { None };
        name.cloned().unwrap_or_default()
    };
    // Ranks are whole numbers: there is none between two of them.
    let counts = title == RANK;
    let most = if is_narrow { MARKS_NARROW } else { MARKS };
    let marks = if counts { (high - low) as usize + 1 } else { most };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .x_labels(marks.min(most))
        .light_line_style(WHITE.mix(0.0))
        .bold_line_style(FAINT)
        .axis_style(FAINT)
        .y_labels(names.len() * 2 + 1)
        .y_label_formatter(&label)
        .x_label_formatter(&|value| match counts && value.fract() != 0.0 {
            true => String::new(),
            false => number(*value),
        })
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .x_desc(title)
        .draw()
        .expect("memory takes it");
    for (row, [least, first, middle, third, greatest], is_box) in elements {
        let thin = BLUE.stroke_width(2);
        // Whiskers end at the box; without a box they meet at the dot.
        let whiskers = [(least, first), (third, greatest)];
        let whiskers = whiskers.map(|(from, to)| PathElement::new([(from, row), (to, row)], thin));
        chart.draw_series(whiskers).expect("memory takes it");
        if is_box {
            let (top, bottom) = (row - 0.3, row + 0.3);
            let corners = [(first, top), (third, bottom)];
            chart
                .draw_series([Rectangle::new(corners, BLUE.mix(0.25).filled())])
                .expect("memory takes it");
            let middle = PathElement::new(vec![(middle, top), (middle, bottom)], thin);
            chart.draw_series([middle]).expect("memory takes it");
        } else {
            let dot = Circle::new((middle, row), 4, BLUE.filled());
            chart.draw_series([dot]).expect("memory takes it");
        }
    }
}

/// A number on an axis.
fn number(value: f64) -> String {
    let text = if value.abs() >= 1000.0 { format!("{value:.0}") } else { format!("{value:.3}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Values with their intervals, one line each.
pub fn intervals(title: &str, lines: &[PlotLine<'_>]) -> String {
    intervals_on(WIDTH, title, lines)
}

/// The same for a narrow screen.
pub fn narrow_intervals(title: &str, lines: &[PlotLine<'_>]) -> String {
    intervals_on(NARROW, title, lines)
}

fn intervals_on(width: u32, title: &str, lines: &[PlotLine<'_>]) -> String {
    let names: Vec<&str> = lines.iter().map(|line| line.name).collect();
    let span = range(lines.iter().flat_map(|line| [line.low, line.value, line.high]));
    let element = |(at, line): (usize, &PlotLine<'_>)| {
        let PlotLine { value, low, high, .. } = *line;
        (at as f64, [low, value, value, value, high], false)
    };
    let elements = lines.iter().enumerate().map(element).collect();
    let size = (width, LINE * lines.len() as u32 + 64);
    sheet_of(size, |root| rows(root, title, &names, span, elements))
}

/// Box plots: quartiles, and whiskers to the least and the greatest value (Tukey 1977, without
/// separate outliers).
pub fn boxes(title: &str, lists: &[(&str, Vec<f64>)]) -> String {
    let names: Vec<&str> = lists.iter().map(|(name, _)| *name).collect();
    let span = range(lists.iter().flat_map(|(_, values)| values.iter().copied()));
    let element = |(at, (_, values)): (usize, &(&str, Vec<f64>))| {
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let five = [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| quantile(&sorted, p));
        (!sorted.is_empty()).then_some((at as f64, five, true))
    };
    let elements = lists.iter().enumerate().filter(|(_, (_, values))| !values.is_empty());
    let elements = elements.filter_map(element).collect();
    sheet(LINE * lists.len() as u32 + 64, |root| rows(root, title, &names, span, elements))
}

/// Histograms one above the other on a common scale: how many matches had a score.
pub fn histograms(lists: &[(&str, Vec<f64>)]) -> String {
    const HEIGHT: u32 = 90;
    const BINS: usize = 40;
    let (low, high) = range(lists.iter().flat_map(|(_, values)| values.iter().copied()));
    let width = (high - low) / BINS as f64;
    sheet(HEIGHT * lists.len().max(1) as u32 + 26, |root| {
        let (root, foot) = root.split_vertically(HEIGHT * lists.len().max(1) as u32);
        let style = ("sans-serif", 13).into_font().color(&INK);
        let middle = style.pos(Pos::new(HPos::Center, VPos::Top));
        foot.draw(&Text::new("score", (WIDTH as i32 / 2, 4), middle)).expect("memory takes it");
        let areas = root.split_evenly((lists.len().max(1), 1));
        for (area, (name, values)) in areas.iter().zip(lists) {
            let mut counts = [0u32; BINS];
            for value in values {
                counts[(((value - low) / width) as usize).min(BINS - 1)] += 1;
            }
            let highest = counts.iter().copied().max().unwrap_or(0).max(1);
            let mut chart = ChartBuilder::on(area)
                .margin(4)
                .caption(short(name, 90), ("sans-serif", 13).into_font().color(&INK))
                .x_label_area_size(20)
                .y_label_area_size(56)
                .build_cartesian_2d(low..high, 0.0..f64::from(highest))
                .expect("the range is not empty");
            chart
                .configure_mesh()
                .disable_mesh()
                .axis_style(FAINT)
                .y_labels(3)
                .y_desc("matches")
                .y_label_formatter(&|count| format!("{count:.0}"))
                .x_label_formatter(&|value| number(*value))
                .label_style(("sans-serif", 12).into_font().color(&INK))
                .draw()
                .expect("memory takes it");
            let bars = counts.iter().enumerate().map(|(at, count)| {
                let left = low + width * at as f64;
                let corners = [(left, 0.0), (left + width * 0.9, f64::from(*count))];
                Rectangle::new(corners, BLUE.mix(0.6).filled())
            });
            chart.draw_series(bars).expect("memory takes it");
        }
    })
}

/// The colours of curves, which colour-blind readers can also tell apart (Wong, “Points of view:
/// Color blindness”, Nature Methods 2011).
const CURVES: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// A curve: its name and its points.
pub type Curve<'a> = (&'a str, Vec<(f64, f64)>);

/// Values in sequence, a curve for each name; zero is always visible.
pub fn curves(title: &str, across: &str, curves: &[(&str, Vec<f64>)]) -> String {
    let points = |values: &[f64]| {
        values.iter().enumerate().map(|(at, value)| ((at + 1) as f64, *value)).collect()
    };
    let curves: Vec<_> = curves.iter().map(|(name, values)| (*name, points(values))).collect();
    lines(title, across, &[0.0], &curves)
}

/// Curves through points, with a horizontal line at each of `levels`, which are always visible.
pub fn lines(title: &str, across: &str, levels: &[f64], curves: &[Curve<'_>]) -> String {
    lines_on((WIDTH, 320), title, across, levels, curves)
}

/// The same for a narrow screen.
pub fn narrow_lines(title: &str, across: &str, curves: &[Curve<'_>]) -> String {
    lines_on((NARROW, 260), title, across, &[], curves)
}

fn lines_on(
    size: (u32, u32),
    title: &str,
    across: &str,
    levels: &[f64],
    curves: &[Curve<'_>],
) -> String {
    // As many letters of a title as the width holds, and marks of an axis that do not touch.
    let (letters, marks) = (size.0 as usize / 8 - 2, size.0 as usize / 80);
    let points = || curves.iter().flat_map(|(_, points)| points.iter().copied());
    let (low, high) = range(points().map(|(_, y)| y).chain(levels.iter().copied()));
    let (first, last) = points()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), (x, _)| {
            (first.min(x), last.max(x))
        });
    let (first, last) = if first < last { (first, last) } else { (1.0, 2.0) };
    sheet_of(size, |root| {
        let mut chart = ChartBuilder::on(root)
            .margin(8)
            .caption(short(title, letters), ("sans-serif", 14).into_font().color(&INK))
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(first..last, low..high)
            .expect("the range is not empty");
        chart
            .configure_mesh()
            .light_line_style(WHITE.mix(0.0))
            .bold_line_style(FAINT)
            .axis_style(FAINT)
            .x_labels(marks)
            .x_label_formatter(&|value| number(*value))
            .y_label_formatter(&|value| number(*value))
            .label_style(("sans-serif", 12).into_font().color(&INK))
            .x_desc(across)
            .draw()
            .expect("memory takes it");
        let level = |y: &f64| PathElement::new([(first, *y), (last, *y)], INK.mix(0.5));
        chart.draw_series(levels.iter().map(level)).expect("memory takes it");
        for ((name, points), colour) in curves.iter().zip(CURVES.iter().cycle()) {
            let style = colour.stroke_width(2);
            chart
                .draw_series([PathElement::new(points.clone(), style)])
                .expect("memory takes it")
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(FAINT)
            .label_font(("sans-serif", 12).into_font().color(&INK))
            .draw()
            .expect("memory takes it");
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plot_names_what_it_shows() {
        let lines = [
            PlotLine { name: "first", value: 2.0, low: 1.0, high: 3.5 },
            PlotLine { name: "second <b>", value: -1.0, low: -1.0, high: -1.0 },
        ];
        let lists = [("first", vec![3.0, 1.0, 2.0]), ("second <b>", vec![]), ("third", vec![5.0])];
        for svg in [
            intervals("mean", &lines),
            boxes("score", &lists),
            histograms(&lists),
            curves("gain", "generation", &lists),
        ] {
            assert!(svg.contains("first") && svg.contains("second &lt;b&gt;"), "{svg}");
            assert!(svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(short("territory?depth=8&width=12", 11), "terri…th=12");
        assert_eq!(short("short", 11), "short");
    }

    #[test]
    fn names_that_differ_in_their_middle_are_shown_from_there() {
        let names = ["uct?nodes=1&depth=2&width=12", "uct?nodes=1&rave=2&width=12", "uct"];
        assert_eq!(short(names[0], 20), short(names[1], 20));
        let shortened = short_names(&names, 20);
        assert_eq!(shortened, ["uct?…&depth=…idth=12", "uct?…&rave=2…idth=12", "uct"]);
    }

    #[test]
    fn nothing_and_equal_values_are_drawn_too() {
        assert!(histograms(&[]).contains("</svg>"));
        assert!(curves("gain", "generation", &[]).contains("</svg>"));
        assert!(boxes("score", &[("a", vec![1.0, 1.0])]).contains("</svg>"));
        let endless = [PlotLine { name: "a", value: f64::INFINITY, low: 0.0, high: f64::INFINITY }];
        assert!(intervals("Elo", &endless).contains("</svg>"));
    }
}
