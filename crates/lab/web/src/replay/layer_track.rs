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
    #[serde(skip)]
    last: LayerState,
}

/// A layer at one turn: for each cell the index of its look plus one, and the indices of lines and
/// labels.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LayerState {
    /// One value per cell; 0 where nothing is drawn.
    pub cells: Vec<u32>,
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
    pub fn blank(cells: usize) -> LayerState {
        LayerState {
            cells: vec![0; cells],
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
            last: LayerState::blank(cells),
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

    /// Appends a turn, as its difference from the previous one.
    pub(super) fn push(&mut self, next: LayerState) {
        let turn = self.cells.len();
        self.cells.push(runs(&self.last.cells, &next.cells));
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

/// Encodes the cells that changed as runs of equal looks. Unchanged cells with the same look
/// between two runs join them.
pub(super) fn runs(before: &[u32], now: &[u32]) -> Vec<u32> {
    let mut runs = Vec::new();
    // Most layers stay the same on most turns.
    if before == now {
        return runs;
    }
    let mut at = 0;
    while at < now.len() {
        if before[at] == now[at] {
            at += 1;
            continue;
        }
        let look = now[at];
        let same = now[at..].iter().take_while(|next| **next == look).count();
        let changed = (at..at + same).rev().find(|cell| before[*cell] != look);
        let end = changed.expect("the first of the run changed") + 1;
        runs.extend([at as u32, (end - at) as u32, look]);
        at = end;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_runs_of_equal_cells() {
        assert_eq!(runs(&[0, 0, 0, 0, 0], &[0, 0, 0, 0, 0]), [0; 0]);
        assert_eq!(runs(&[0, 0, 0, 0, 0], &[0, 4, 4, 4, 0]), [1, 3, 4]);
        assert_eq!(runs(&[0, 0, 4, 0, 9], &[0, 4, 4, 4, 0]), [1, 3, 4, 4, 1, 0]);
        assert_eq!(runs(&[7, 0, 4, 4], &[4, 4, 4, 4]), [0, 2, 4], "the tail did not change");
    }

    #[test]
    fn lines_come_and_go_by_number() {
        let state_of = |lines: &[u32]| LayerState {
            lines: lines.iter().copied().collect(),
            ..LayerState::blank(1)
        };
        let mut track = LayerTrack::new("walk".to_owned(), false, 1, 2);
        track.push(state_of(&[]));
        track.push(state_of(&[0, 2]));
        track.push(state_of(&[2, 3]));
        assert_eq!(track.lines, [vec![], vec![], vec![], vec![0, 2], vec![!0, 3]]);
        assert!(track.labels.is_empty());
    }
}
