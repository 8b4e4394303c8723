//! The position of a match that makes a picture: the one that differs most from the beginning. The
//! last one may be as empty as the first.

use std::collections::HashMap;

use quintain_core::ui::{Mark, Paint, Point, Scene};

/// Number of positions that are drawn before only every second one is, and so on: of a long match
/// a few dozen are enough.
const DRAWN: u32 = 32;

/// The cells of a position, as they are seen.
type Cells = HashMap<Point, (Paint, char)>;

/// Looks for the fullest of a match's positions.
#[derive(Default)]
pub(crate) struct FullestScene {
    start: Option<Cells>,
    best: Option<(usize, Scene)>,
    seen: u32,
    drawn: u32,
}

impl FullestScene {
    /// Considers the next position.
    pub(crate) fn offer(&mut self, draw: impl FnOnce() -> Scene) {
        let every = 1_u32 << (self.drawn / DRAWN);
        let is_due = self.seen.is_multiple_of(every);
        self.seen += 1;
        if is_due {
            self.drawn += 1;
            self.consider(draw());
        }
    }

    fn consider(&mut self, scene: Scene) {
        let Some(start) = &self.start else {
            self.start = Some(cells(&scene));
            return;
        };
        let changed = count_changes(start, &scene);
        // Of equally full ones the latest is nearest to the end.
        if self.best.as_ref().is_none_or(|(most, _)| changed >= *most) {
            self.best = Some((changed, scene));
        }
    }

    /// Returns the fullest position of those that were offered; the last one if there are none but
    /// the first.
    pub(crate) fn before(self, last: Scene) -> Scene {
        self.best.map_or(last, |(_, scene)| scene)
    }

    /// Returns the fullest position, the last one of the match included.
    pub(crate) fn or_last(mut self, last: Scene) -> Scene {
        if self.start.is_none() {
            return last;
        }
        self.consider(last);
        self.best.expect("the last one was considered").1
    }
}

fn cells(scene: &Scene) -> Cells {
    let mut cells = Cells::new();
    for mark in scene.layers.iter().flat_map(|layer| &layer.marks) {
        if let Mark::Cell { at, paint, glyph } = mark {
            cells.insert(*at, (*paint, *glyph));
        }
    }
    cells
}

/// Counts the cells that look otherwise than at the start, and what is drawn across cells.
fn count_changes(start: &Cells, scene: &Scene) -> usize {
    let changed = cells(scene).iter().filter(|(at, look)| start.get(at) != Some(look)).count();
    let marks = scene.layers.iter().flat_map(|layer| &layer.marks);
    changed + marks.filter(|mark| matches!(mark, Mark::Line { .. })).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(filled: i32) -> Scene {
        let mut scene = Scene::square(10, 1);
        let paint = |column| if column < filled { Paint::Thing(0) } else { Paint::Floor };
        let cells = (0..10).map(|column| Mark::Cell {
            at: Point::new(column, 0),
            paint: paint(column),
            glyph: ' ',
        });
        scene.layer("board", cells.collect());
        scene
    }

    fn fullest(course: &[i32]) -> usize {
        let (last, before) = course.split_last().unwrap();
        let mut fullest = FullestScene::default();
        before.iter().for_each(|filled| fullest.offer(|| scene(*filled)));
        let found = fullest.or_last(scene(*last));
        count_changes(&cells(&scene(0)), &found)
    }

    #[test]
    fn the_picture_of_a_board_that_was_cleared_is_taken_before() {
        assert_eq!(fullest(&[0, 3, 7, 2, 0]), 7);
        assert_eq!(fullest(&[0, 3, 7, 8]), 8, "nothing was cleared");
        assert_eq!(fullest(&[4]), 4, "a match without turns");
    }

    #[test]
    fn a_picture_that_tells_no_result_is_of_what_was_offered() {
        let mut fullest = FullestScene::default();
        [0, 3, 7].iter().for_each(|filled| fullest.offer(|| scene(*filled)));
        assert_eq!(count_changes(&cells(&scene(0)), &fullest.before(scene(9))), 7);
        let short = FullestScene::default();
        assert_eq!(count_changes(&cells(&scene(0)), &short.before(scene(9))), 9);
    }

    #[test]
    fn few_positions_of_a_long_match_are_drawn() {
        let mut drawn = 0;
        let mut fullest = FullestScene::default();
        for _ in 0..10_000 {
            fullest.offer(|| {
                drawn += 1;
                scene(1)
            });
        }
        assert!((64..400).contains(&drawn), "{drawn}");
    }
}
