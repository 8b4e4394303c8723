//! What a move changes on the board, so that a drawing can mark it. The drawings themselves come
//! from the games.

use quintain_core::ui::{Mark, Paint, Point, Scene};

/// The most cells that are marked for a move.
const MOST: usize = 64;

/// The cells that are painted differently than before; where something is put down, only its own,
/// not those from which it came or where the next one waits. Empty if there are too many, or if the
/// drawing's size has changed, as when a drawing moves along with what happens.
pub fn cells_changed(before: &Scene, after: &Scene) -> Vec<Point> {
    if (before.width, before.height) != (after.width, after.height) {
        return Vec::new();
    }
    let (old, new) = (paints(before), paints(after));
    let width = after.width.max(1) as usize;
    let is_thing = |paint: Option<Paint>| matches!(paint, Some(Paint::Thing(_)));
    let is_put = |cell: &usize| is_thing(new[*cell]) && !is_thing(old[*cell]);
    let changed = (0..new.len()).filter(|cell| old[*cell] != new[*cell]);
    let something_is_put = changed.clone().any(|cell| is_put(&cell));
    let cells: Vec<Point> = changed
        .filter(|cell| !something_is_put || is_put(cell))
        .map(|cell| Point::new((cell % width) as i32, (cell / width) as i32))
        .take(MOST + 1)
        .collect();
    if cells.len() > MOST { Vec::new() } else { cells }
}

/// How each cell is painted, row by row, without overlays.
fn paints(scene: &Scene) -> Vec<Option<Paint>> {
    let (width, height) = (scene.width.max(0) as usize, scene.height.max(0) as usize);
    let mut paints = vec![None; width * height];
    let layers = scene.layers.iter().filter(|layer| !layer.overlay);
    for mark in layers.flat_map(|layer| &layer.marks) {
        if let Mark::Cell { at, paint, .. } = mark
            && scene.contains(mark)
        {
            paints[at.row as usize * width + at.column as usize] = Some(*paint);
        }
    }
    paints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(wall: Option<usize>) -> Scene {
        Scene::board(9, 9, |cell| match wall {
            Some(wall) if cell <= wall => (Paint::Wall, '#'),
            _ => (Paint::Floor, '.'),
        })
    }

    #[test]
    fn moves_mark_the_cells_that_they_paint() {
        let changed = |before: &Scene, wall| cells_changed(before, &board(Some(wall)));
        assert_eq!(changed(&board(None), 1), [Point::new(0, 0), Point::new(1, 0)]);
        assert_eq!(changed(&board(Some(9)), 10), [Point::new(1, 1)]);
        assert_eq!(changed(&board(None), 80), []);
        assert_eq!(changed(&Scene::square(3, 3), 1), []);
    }

    #[test]
    fn what_is_put_down_is_marked_where_it_comes_to_lie() {
        let falling = |at: usize, lies: usize| {
            Scene::board(3, 3, |cell| match cell {
                cell if cell == at => (Paint::Seat(0), 'o'),
                cell if cell == lies => (Paint::Thing(0), '#'),
                _ => (Paint::Floor, '.'),
            })
        };
        // The next one comes in beside where this one was.
        assert_eq!(cells_changed(&falling(0, 8), &falling(1, 8)).len(), 2, "it moves");
        assert_eq!(cells_changed(&falling(0, 9), &falling(1, 7)), [Point::new(1, 2)]);
    }
}
