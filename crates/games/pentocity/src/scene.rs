//! How a position looks: what stands on each cell; over it, when asked for, where a
//! building needs no road laid (frontage) and how closely the request would touch what is
//! there (contact).

use quintain_core::{Presentation, Seat};
use quintain_grid::Cell;
use quintain_ui::{Keyboard, Mark, Paint, Point, Scene};

use crate::rules::Pentocity;
use crate::rules::board::{Board, Cells, Use};
use crate::rules::contact::{Counts, Outline};
use crate::rules::placements::Placements;
use crate::rules::state::{Ruleset, State};

/// How pentocity is shown and played by hand.
pub(crate) struct PentocityPresentation;

impl Presentation<Pentocity> for PentocityPresentation {
    fn scene(&self, rules: &Pentocity, state: &State, _eye: Option<Seat>) -> Scene {
        draw(state, rules.ruleset())
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }
}

/// The drawing of a position.
fn draw(state: &State, scoring: Ruleset) -> Scene {
    let board = state.board();
    let side = board.side();
    let mut scene = Scene::square(side, side);
    let cells = Cells::rectangle(side, side);
    let cells = cells.cells().map(|cell| {
        let (paint, glyph) = match board.at(cell) {
            Use::Empty => (Paint::Floor, ' '),
            Use::Residence => (Paint::Thing(0), 'r'),
            Use::Factory => (Paint::Thing(2), 'f'),
            Use::Road => (Paint::Wall, '#'),
            Use::Water => (Paint::Thing(5), '~'),
            Use::Park => (Paint::Thing(3), '*'),
        };
        Mark::Cell { at: point(cell), paint, glyph }
    });
    scene.layer("board", cells.collect());
    scene.overlay("frontage", frontage(board, scoring));
    scene.overlay("contact", contact(state, scoring));
    scene.caption = caption(state);
    scene
}

fn point(cell: Cell) -> Point {
    Point::new(i32::from(cell.col), i32::from(cell.row))
}

/// Empty cells where a building needs no road laid, and those that no road can come to.
fn frontage(board: &Board, scoring: Ruleset) -> Vec<Mark> {
    let served = board.rings(scoring.rings_without_road()) | board.roads().neighbours();
    let front = *board.empty() & served;
    let lost = *board.empty() - board.open() - front;
    let marks = |cells: &Cells, paint: Paint, glyph: char| -> Vec<Mark> {
        cells.cells().map(|cell| Mark::Cell { at: point(cell), paint, glyph }).collect()
    };
    [marks(&front, Paint::Good, '+'), marks(&lost, Paint::Bad, '-')].concat()
}

/// For each cell that the request could cover, the greatest share of the outline that
/// would touch something.
fn contact(state: &State, scoring: Ruleset) -> Vec<Mark> {
    let Some(request) = state.request() else { return Vec::new() };
    let board = state.board();
    let mut most = [[None::<u8>; 64]; 64];
    let places = Placements::of(board, request, scoring);
    for rotation in 0..request.rotations() {
        let piece = request.rotated(rotation);
        let counts = Counts::of(board, board.empty(), piece, Outline::Edges);
        let all = piece.shape().edges.len() as u32;
        for at in places.anchors(rotation).cells() {
            let heat = ((all - counts.at(at)) * 255 / all) as u8;
            for &(down, right) in &piece.shape().cells {
                let cell = &mut most[usize::from(at.row + down)][usize::from(at.col + right)];
                *cell = (*cell).max(Some(heat));
            }
        }
    }
    let cells = board.empty().cells();
    let marks = cells.filter_map(|cell| {
        let heat = most[usize::from(cell.row)][usize::from(cell.col)]?;
        let glyph = char::from(b'0' + (u16::from(heat) * 10 / 256) as u8);
        Some(Mark::Cell { at: point(cell), paint: Paint::Heat(heat), glyph })
    });
    marks.collect()
}

fn caption(state: &State) -> String {
    let totals = state.totals();
    let asked = match state.request() {
        Some(piece) => format!("{} {piece} asked for; ", piece.kind()),
        None => String::new(),
    };
    let count =
        |n: u16, one: &str, several: &str| format!("{n} {}", if n == 1 { one } else { several });
    format!(
        "{asked}{} points, {}, {}, {}, {}",
        totals.score,
        count(totals.residences, "residence", "residences"),
        count(totals.factories, "factory", "factories"),
        count(totals.ponds + totals.fields, "bonus", "bonuses"),
        count(u16::from(state.rejections()), "rejection", "rejections"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontage_shows_where_no_road_is_needed_and_what_is_lost() {
        let board: Board = "
            .......
            .fffff.
            .f..ff.
            .ffff#.
            .....#.
            .....#.
            ......."
            .parse()
            .unwrap();
        let paint_of = |scoring, row, col| {
            let marks = frontage(&board, scoring);
            marks.iter().find_map(|mark| match mark {
                Mark::Cell { at, paint, .. } if *at == Point::new(col, row) => Some(*paint),
                _ => None,
            })
        };
        assert_eq!(paint_of(Ruleset::Simulator, 0, 0), Some(Paint::Good));
        assert_eq!(paint_of(Ruleset::Simulator, 2, 2), Some(Paint::Bad));
        assert_eq!(paint_of(Ruleset::Report, 4, 4), Some(Paint::Good));
        assert_eq!(paint_of(Ruleset::Report, 4, 2), None);
    }

    #[test]
    fn every_use_has_a_paint_and_a_character_of_its_own() {
        let board: Board = ".rf#~ ..... ..... ..... ....*".parse().unwrap();
        let scene = draw(&State::new(5).with_board(board), Ruleset::Simulator);
        let mut looks: Vec<(Paint, char)> = Vec::new();
        for mark in &scene.layers[0].marks {
            let Mark::Cell { paint, glyph, .. } = mark else { panic!("{mark:?}") };
            if !looks.contains(&(*paint, *glyph)) {
                looks.push((*paint, *glyph));
            }
        }
        assert_eq!(looks.len(), 6);
        assert!(looks.iter().all(|look| {
            looks.iter().filter(|other| other.0 == look.0 || other.1 == look.1).count() == 1
        }));
        assert_eq!(scene.overlays().collect::<Vec<_>>(), ["frontage", "contact"]);
        assert_eq!(scene.caption, "0 points, 0 residences, 0 factories, 0 bonuses, 0 rejections");
    }

    #[test]
    fn contact_is_hottest_where_the_request_fits_tightest() {
        let board: Board = "
            .......
            .......
            .......
            ...rr..
            ...r...
            ...rr..
            ......."
            .parse()
            .unwrap();
        let mut state = State::new(7).with_board(board);
        state.ask("1x1".parse().unwrap());
        assert!(contact(&state, Ruleset::Simulator).iter().all(|mark| {
            // A factory has no place beside a residence.
            !matches!(mark, Mark::Cell { at, .. } if *at == Point::new(4, 4))
        }));
        let heat = |row, col| {
            contact(&state, Ruleset::Simulator).into_iter().find_map(|mark| match mark {
                Mark::Cell { at, paint: Paint::Heat(heat), .. } if at == Point::new(col, row) => {
                    Some(heat)
                }
                _ => None,
            })
        };
        assert_eq!(heat(0, 0), Some(127));
        assert_eq!(heat(0, 3), Some(63));
        assert_eq!(heat(1, 1), Some(0));
    }
}
