//! One layer over the turns of a match, as changes from turn to turn.

use std::collections::BTreeSet;

use serde::Serialize;

/// One layer of the board over all turns.
#[derive(Clone, Debug, Serialize)]
pub struct LayerTrack {
    /// Its name.
    pub name: String,
    /// Whether it is hidden until the user asks for it.
    pub overlay: bool,
    /// For each turn, the cells that changed, as runs of three numbers: the first cell, the number
    /// of cells, and the index of their look plus one (0 for nothing).
    pub cells: Vec<Vec<u32>>,
    /// For each turn, the lines that appeared (their index) and disappeared (the complement of the
    /// index, below 0). Empty if the layer never has a line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Vec<i64>>,
    /// For each turn, the outlines that appeared and disappeared, encoded in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<Vec<i64>>,
    /// For each turn, the labels that appeared and disappeared, encoded in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Vec<i64>>,
    /// For each turn, the rings that appeared and disappeared, encoded in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rings: Vec<Vec<i64>>,
    /// Whether the cells that it leaves out are dimmed while it is shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dims: bool,
    /// The looks of all cells after the last turn, and which of them show something, in order.
    #[serde(skip)]
    looks: Vec<u32>,
    #[serde(skip)]
    shown: Vec<u32>,
    /// The rest of the layer after the last turn; it lists no cells.
    #[serde(skip)]
    last: LayerState,
}

/// A layer at one turn: the cells on which something is drawn, and the indices of lines and labels.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LayerState {
    /// Cells in order, each with the index of its look plus one.
    pub cells: Vec<(u32, u32)>,
    /// Indices of lines.
    pub lines: BTreeSet<u32>,
    /// Indices of outlines.
    pub outlines: BTreeSet<u32>,
    /// Indices of labels.
    pub labels: BTreeSet<u32>,
    /// Indices of rings.
    pub rings: BTreeSet<u32>,
}

impl LayerState {
    /// Returns an empty layer.
    pub fn blank() -> LayerState {
        LayerState {
            cells: Vec::new(),
            lines: BTreeSet::new(),
            outlines: BTreeSet::new(),
            labels: BTreeSet::new(),
            rings: BTreeSet::new(),
        }
    }
}

impl LayerTrack {
    /// Makes the track of a layer that was blank for the first `turns` turns.
    pub(super) fn new(name: String, overlay: bool, cells: usize, turns: usize) -> LayerTrack {
        LayerTrack {
            name,
            overlay,
            cells: vec![Vec::new(); turns],
            lines: Vec::new(),
            outlines: Vec::new(),
            labels: Vec::new(),
            rings: Vec::new(),
            dims: false,
            looks: vec![0; cells],
            shown: Vec::new(),
            last: LayerState::blank(),
        }
    }

    /// Returns whether anything is drawn on any turn.
    pub(super) fn shows_anything(&self) -> bool {
        self.cells.iter().any(|runs| !runs.is_empty())
            || !self.lines.is_empty()
            || !self.outlines.is_empty()
            || !self.labels.is_empty()
            || !self.rings.is_empty()
    }

    /// Appends a turn, as its difference from the previous one. With `is_partial`, the cells that
    /// it leaves out stay as they were.
    pub(super) fn push(&mut self, mut next: LayerState, is_partial: bool) {
        let turn = self.cells.len();
        let cells = std::mem::take(&mut next.cells);
        let mut changed = Vec::new();
        if !is_partial {
            let mut stays = cells.iter().map(|(cell, _)| *cell).peekable();
            let gone = self.shown.iter().filter(|cell| {
                while stays.next_if(|stays| stays < cell).is_some() {}
                stays.peek() != Some(cell)
            });
            changed.extend(gone.map(|cell| (*cell, 0)));
        }
        changed.extend(cells.iter().filter(|(cell, look)| self.looks[*cell as usize] != *look));
        changed.sort_unstable();
        for (cell, look) in &changed {
            self.looks[*cell as usize] = *look;
        }
        self.cells.push(runs(&changed, &self.looks));
        // Of a layer that is patched, all that was ever drawn counts as shown.
        match is_partial {
            true => self.show_also(&changed),
            false => self.shown = cells.into_iter().map(|(cell, _)| cell).collect(),
        }
        let kept = [
            (&mut self.lines, &self.last.lines, &next.lines),
            (&mut self.outlines, &self.last.outlines, &next.outlines),
            (&mut self.labels, &self.last.labels, &next.labels),
            (&mut self.rings, &self.last.rings, &next.rings),
        ];
        for (kept, before, now) in kept {
            if !kept.is_empty() || !now.is_empty() {
                kept.resize(turn, Vec::new());
                let gone = before.difference(now).map(|number| !i64::from(*number));
                let come = now.difference(before).map(|number| i64::from(*number));
                kept.push(gone.chain(come).collect());
            }
        }
        self.last = next;
    }
}

impl LayerTrack {
    /// Adds cells to those that show something.
    fn show_also(&mut self, changed: &[(u32, u32)]) {
        for (cell, _) in changed {
            if let Err(place) = self.shown.binary_search(cell) {
                self.shown.insert(place, *cell);
            }
        }
    }
}

/// The most cells between two runs that are looked at to join them.
const JOINED: usize = 16;

/// Encodes the cells that changed, which are in order, as runs of equal looks. A few unchanged
/// cells with the same look between two runs join them. `now` has the looks of all cells.
pub(super) fn runs(changed: &[(u32, u32)], now: &[u32]) -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    for &(cell, look) in changed {
        if let [.., first, count, own] = runs.as_mut_slice()
            && *own == look
            && cell - (*first + *count) <= JOINED as u32
            && now[(*first + *count) as usize..cell as usize].iter().all(|same| *same == look)
        {
            *count = cell + 1 - *first;
            continue;
        }
        runs.extend([cell, 1, look]);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_runs_of_equal_cells() {
        let state_of = |looks: &[u32]| {
            let drawn = (0u32..).zip(looks.iter().copied()).filter(|(_, look)| *look > 0);
            LayerState { cells: drawn.collect(), ..LayerState::blank() }
        };
        let changes = |before: &[u32], now: &[u32]| {
            let mut track = LayerTrack::new("board".to_owned(), false, before.len(), 0);
            track.push(state_of(before), false);
            track.push(state_of(now), false);
            track.cells.pop().unwrap()
        };
        assert_eq!(changes(&[0, 0, 0, 0, 0], &[0, 0, 0, 0, 0]), [0; 0]);
        assert_eq!(changes(&[0, 0, 0, 0, 0], &[0, 4, 4, 4, 0]), [1, 3, 4]);
        assert_eq!(changes(&[0, 0, 4, 0, 9], &[0, 4, 4, 4, 0]), [1, 3, 4, 4, 1, 0]);
        assert_eq!(changes(&[7, 0, 4, 4], &[4, 4, 4, 4]), [0, 2, 4], "the tail did not change");
    }

    #[test]
    fn a_part_of_a_layer_leaves_the_rest_as_it_was() {
        let state_of =
            |cells: &[(u32, u32)]| LayerState { cells: cells.to_vec(), ..LayerState::blank() };
        let mut track = LayerTrack::new("trails".to_owned(), false, 5, 0);
        track.push(state_of(&[(0, 1), (1, 1)]), false);
        track.push(state_of(&[(1, 2), (4, 2)]), true);
        assert_eq!(track.cells[1], [1, 1, 2, 4, 1, 2]);
        // What is drawn whole again forgets what the part drew.
        track.push(state_of(&[(1, 2)]), false);
        assert_eq!(track.cells[2], [0, 1, 0, 4, 1, 0]);
    }

    #[test]
    fn lines_come_and_go_by_number() {
        let state_of = |lines: &[u32]| LayerState {
            lines: lines.iter().copied().collect(),
            ..LayerState::blank()
        };
        let mut track = LayerTrack::new("walk".to_owned(), false, 1, 2);
        track.push(state_of(&[]), false);
        track.push(state_of(&[0, 2]), false);
        track.push(state_of(&[2, 3]), false);
        assert_eq!(track.lines, [vec![], vec![], vec![], vec![0, 2], vec![!0, 3]]);
        assert!(track.labels.is_empty());
    }
}
