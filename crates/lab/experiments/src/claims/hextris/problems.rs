//! What the post says about the problems, the coordinates and the rows.

use quintain_hextris::{Cell, Position, Unit, read_problem};

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::measurement::ExpectedValue::Always;
use crate::measurement::Measurements;

use super::comparisons::{TABLE, contest};

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "hextris/problems",
        place: "infrastructure, board_stats",
        claim: "The sizes, seeds and lengths of the contest's 25 problems.",
        figure: "a table of 25 rows",
        measure: |lab| {
            let folder = contest()?;
            lab.note("the contest's files read by our rules");
            let equal = TABLE.iter().enumerate().filter(|(number, row)| {
                let path = folder.join(format!("problem_{number}.json"));
                let text = std::fs::read_to_string(path).unwrap_or_default();
                read_problem(&text).is_ok_and(|problem| {
                    let board = problem.board();
                    let found =
                        (problem.seeds().len(), problem.length(), board.width(), board.height());
                    found == **row
                })
            });
            let equal = Estimate::exact(equal.count() as f64);
            Ok(Measurements::new().part("rows that match the files", equal, Always(25.0)))
        },
    },
    Experiment {
        name: "hextris/rotation",
        place: "implementation details",
        claim: "In the post's coordinates a rotation is (y, x) → (x, x − y).",
        figure: "new y = x, new x = x − y",
        measure: |lab| {
            lab.note(
                "single cells up to five rows and columns from the pivot, rotated by our rules",
            );
            let pivot = Cell { x: 10, y: 10 };
            let cells = || (5..=15).flat_map(|y| (5..=15).map(move |x| Cell { x, y }));
            // The post lengthens row y by (y + 1)/2 cells to the left.
            let post = |cell: Cell| (cell.y, cell.x + (cell.y + 1) / 2);
            let from_pivot =
                |cell: Cell| (post(cell).0 - post(pivot).0, post(cell).1 - post(pivot).1);
            let equal = cells().filter(|cell| {
                let unit = Unit::new(vec![*cell], pivot, 20).expect("a cell is a unit");
                let rotation = u8::from(unit.period() > 1);
                let turned = unit.shape(Position { x: 10, y: 10, rotation });
                let turned = Cell { x: pivot.x + turned.left, y: pivot.y + turned.top };
                let (y, x) = from_pivot(*cell);
                from_pivot(turned) == (x, x - y)
            });
            let share = Estimate::exact(100.0 * equal.count() as f64 / cells().count() as f64);
            Ok(Measurements::new().part("cells rotated alike", share.in_unit(" %"), Always(100.0)))
        },
    },
    Experiment {
        name: "hextris/linear-rows",
        place: "implementation details",
        claim: "Rows lengthened by (y + 1)/2 cells to the left and width − (y + 1)/2 to the right \
                all have 2·width cells.",
        figure: "2·width",
        measure: |lab| {
            lab.note("counted over the 25 sizes of the post's table");
            let rows = || {
                TABLE.iter().flat_map(|(.., width, height)| {
                    (0..*height as i64).map(|y| (*width as i64, y.midpoint(1)))
                })
            };
            // Neither extension may be negative.
            let held = rows().filter(|(width, left)| width - left >= 0).count();
            let share = Estimate::exact(100.0 * held as f64 / rows().count() as f64);
            Ok(Measurements::new().part(
                "rows for which it works",
                share.in_unit(" %"),
                Always(100.0),
            ))
        },
    },
];
