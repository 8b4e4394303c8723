//! The drawing of a position: the content of each cell, and each building in its outline, the last
//! one marked. Two overlays can be switched on: where a building needs no road laid (frontage), and
//! how closely the request would touch what is built (contact). Beside the board are the request as
//! a shape and the parts of the score.

mod course;

use quintain_core::ui::{Keyboard, Mark, Paint, PanelBody, Point, Scene, Sign, Span};
use quintain_core::{Presentation, Seat};
use quintain_grid::Cell;

use crate::notation::word;
use crate::rules::Pentocity;
use crate::rules::board::{Board, Cells, Use};
use crate::rules::contact::{Counts, Outline};
use crate::rules::pieces::{LONGEST, Piece};
use crate::rules::placements::Placements;
use crate::rules::state::{BONUS, Move, REJECTIONS, Ruleset, State};

/// The presentation of pentocity: its drawing, and its keyboard.
pub(crate) struct PentocityPresentation;

impl Presentation<Pentocity> for PentocityPresentation {
    fn scene(&self, rules: &Pentocity, state: &State, _eye: Option<Seat>) -> Scene {
        draw(state, rules.ruleset())
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }

    fn tell(&self, _: &Pentocity, after: &State, _: Seat, action: &Move) -> Option<String> {
        Some(course::tell(after, action))
    }

    fn figure_titles(&self) -> &'static [(&'static str, &'static str)] {
        course::FIGURES
    }

    fn decision(
        &self,
        rules: &Pentocity,
        positions: &mut dyn Iterator<Item = State>,
    ) -> Option<String> {
        course::describe(rules, positions)
    }
}

/// The drawing of a position.
fn draw(state: &State, scoring: Ruleset) -> Scene {
    let board = state.board();
    let side = board.side();
    let mut scene = Scene::square(side, side);
    let cells = Cells::rectangle(side, side);
    let cells = cells.cells().map(|cell| {
        let (paint, glyph) = look(board.at(cell));
        Mark::Cell { at: point(cell), paint, glyph }
    });
    let layer = scene.layer("board", cells.collect());
    for is in [Use::Residence, Use::Factory, Use::Road, Use::Water, Use::Park] {
        let (paint, glyph) = look(is);
        layer.means(Sign::Cell(paint, glyph), word(is).trim_start_matches("a "));
    }
    buildings(state, &mut scene);
    scene
        .overlay("frontage", frontage(board, scoring))
        .means(Sign::Cell(Paint::Accent, '+'), "needs no road laid")
        .means(Sign::Cell(Paint::Bad, '-'), "no road can come here");
    scene
        .overlay("contact", contact(state, scoring))
        .means(Sign::Cell(Paint::Heat(255), '9'), "the request would touch most")
        .means(Sign::Cell(Paint::Heat(0), '0'), "it would touch nothing");
    panels(state, &mut scene);
    scene.caption = caption(state);
    scene
}

const fn look(is: Use) -> (Paint, char) {
    match is {
        Use::Empty => (Paint::Floor, ' '),
        Use::Residence => (Paint::Roof(0), 'r'),
        Use::Factory => (Paint::Roof(1), 'f'),
        Use::Road => (Paint::Road, '#'),
        Use::Water => (Paint::Water, '~'),
        Use::Park => (Paint::Green, '*'),
    }
}

/// Each building in its outline, with its bonus if it has one. The last one is marked, in capital
/// letters for readers who see no outlines.
fn buildings(state: &State, scene: &mut Scene) {
    let buildings = state.history.buildings();
    let paint_of =
        |piece: Piece| look(if piece.is_factory() { Use::Factory } else { Use::Residence }).0;
    let outlines = buildings.iter().map(|building| Mark::Outline {
        cells: building.cells().map(point).collect(),
        paint: paint_of(building.piece),
    });
    let bonuses = buildings.iter().filter(|building| building.bonus > 0).map(|building| {
        let glyph = char::from_digit(building.bonus, 10).unwrap_or('+');
        let at = point(building.cells().next().expect("a building has cells"));
        Mark::Cell { at, paint: paint_of(building.piece), glyph }
    });
    let (outlines, bonuses) = (outlines.collect(), bonuses.collect());
    let last = buildings.last().map_or(Vec::new(), |last| {
        let (paint, capital) = match last.piece.is_factory() {
            true => (paint_of(last.piece), 'F'),
            false => (paint_of(last.piece), 'R'),
        };
        let cells: Vec<Point> = last.cells().map(point).collect();
        let bonus = char::from_digit(last.bonus, 10).filter(|_| last.bonus > 0);
        let mut marks: Vec<Mark> = cells
            .iter()
            .enumerate()
            .map(|(number, at)| {
                let glyph = bonus.filter(|_| number == 0).unwrap_or(capital);
                Mark::Cell { at: *at, paint, glyph }
            })
            .collect();
        marks.push(Mark::Outline {
            cells: cells.into_iter().chain(last.laid.iter().copied().map(point)).collect(),
            paint: Paint::Accent,
        });
        marks
    });
    scene.layer("buildings", outlines);
    scene
        .layer("bonuses", bonuses)
        .means(Sign::Cell(look(Use::Residence).0, '2'), "2 or 4: bonus points of this building");
    scene
        .layer("last", last)
        .means(Sign::Outline(Paint::Accent), "last building and what was laid with it");
}

/// The request as a shape, and the parts of the score.
fn panels(state: &State, scene: &mut Scene) {
    let side = usize::from(LONGEST);
    let request = state.request();
    let wanted = Scene::board(side, side, |index| {
        let cell = ((index / side) as u8, (index % side) as u8);
        match request.filter(|piece| piece.shape().cells.contains(&cell)) {
            Some(piece) if piece.is_factory() => look(Use::Factory),
            Some(_) => look(Use::Residence),
            None => look(Use::Empty),
        }
    });
    let nothing = || PanelBody::Text(vec![Span { text: "nothing".to_owned(), lit: false }]);
    let wanted = request.map_or_else(nothing, |_| PanelBody::Picture(wanted));
    scene.panel("asked for", wanted);
    let totals = state.totals();
    let residences = 5 * u32::from(totals.residences);
    let (ponds, fields) = (BONUS * u32::from(totals.ponds), BONUS * u32::from(totals.fields));
    let factories = totals.score.saturating_sub(residences + ponds + fields);
    let part = |points: u32, count: u16| format!("{points}  (×{count})");
    let figures = [
        ("residences", part(residences, totals.residences)),
        ("factories", part(factories, totals.factories)),
        ("beside ponds", part(ponds, totals.ponds)),
        ("beside fields", part(fields, totals.fields)),
        ("points", totals.score.to_string()),
        ("rejections", format!("{} of {REJECTIONS}", state.rejections())),
    ];
    let figures = figures.map(|(name, value)| (name.to_owned(), value));
    scene.panel("score by part", PanelBody::Figures(figures.into()));
}

fn point(cell: Cell) -> Point {
    Point::new(i32::from(cell.col), i32::from(cell.row))
}

/// The empty cells where a building needs no road laid, and those that no road can reach.
fn frontage(board: &Board, scoring: Ruleset) -> Vec<Mark> {
    let served = board.rings(scoring.rings_without_road()) | board.roads().neighbours();
    let front = *board.empty() & served;
    let lost = *board.empty() - board.open() - front;
    let marks = |cells: &Cells, paint: Paint, glyph: char| -> Vec<Mark> {
        cells.cells().map(|cell| Mark::Cell { at: point(cell), paint, glyph }).collect()
    };
    // In the colour of good things it would look like a park.
    [marks(&front, Paint::Accent, '+'), marks(&lost, Paint::Bad, '-')].concat()
}

/// For each cell that the request could cover, the greatest share of the outline that would touch
/// something.
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
        Some(piece) => format!("{} asked for; ", course::name(piece)),
        None => String::new(),
    };
    let buildings = totals.residences + totals.factories;
    let noun = if buildings == 1 { "building" } else { "buildings" };
    let (score, rejections) = (totals.score, state.rejections());
    format!("{asked}{score} points, {buildings} {noun}, {rejections} of {REJECTIONS} rejections")
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
        assert_eq!(paint_of(Ruleset::Simulator, 0, 0), Some(Paint::Accent));
        assert_eq!(paint_of(Ruleset::Simulator, 2, 2), Some(Paint::Bad));
        assert_eq!(paint_of(Ruleset::Report, 4, 4), Some(Paint::Accent));
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
        assert_eq!(scene.caption, "0 points, 0 buildings, 0 of 3 rejections");
    }

    #[test]
    fn every_building_of_a_match_has_an_outline_of_its_own_and_the_last_one_is_marked() {
        let catalog = quintain_core::Catalog::new().with(crate::entry());
        let game = catalog.game("pentocity", "stars?side=20").unwrap();
        let mut state = game.begin(1);
        let seat = Seat::new(0);
        for _ in 0..6 {
            let actions = state.actions(seat);
            state.play(&[actions.last().unwrap()]).unwrap();
        }
        let scene = state.scene(None);
        let marks =
            |name: &str| &scene.layers.iter().find(|layer| layer.name == name).unwrap().marks;
        let outlines = marks("buildings");
        assert_eq!(outlines.len(), 6);
        let mut covered: Vec<Point> = Vec::new();
        for mark in outlines {
            let Mark::Outline { cells, .. } = mark else { panic!("{mark:?}") };
            assert!(cells.iter().all(|cell| !covered.contains(cell)), "buildings do not overlap");
            covered.extend(cells);
        }
        let Some(Mark::Outline { cells, paint: Paint::Accent }) = marks("last").last() else {
            panic!("the last building is marked");
        };
        assert!(covered[covered.len() - 5..].iter().all(|cell| cells.contains(cell)));
    }

    #[test]
    fn the_request_is_beside_the_board_and_the_score_adds_up() {
        let mut state = State::new(5);
        state.ask("X".parse().unwrap());
        let scene = draw(&state, Ruleset::Simulator);
        let [asked, score] = scene.panels.as_slice() else { panic!("two panels") };
        let PanelBody::Picture(picture) = &asked.body else { panic!("a picture") };
        let filled = |mark: &&Mark| matches!(mark, Mark::Cell { paint: Paint::Roof(0), .. });
        assert_eq!(picture.layers[0].marks.iter().filter(filled).count(), 5);
        state.totals.score = 5 + 12 + 2;
        (state.totals.residences, state.totals.factories, state.totals.ponds) = (1, 1, 1);
        let PanelBody::Figures(_) = &score.body else { panic!("figures") };
        let scene = draw(&state, Ruleset::Simulator);
        let PanelBody::Figures(figures) = &scene.panels[1].body else { panic!("figures") };
        let values: Vec<&str> = figures.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["5  (×1)", "12  (×1)", "2  (×1)", "0  (×0)", "19", "0 of 3"]);
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
