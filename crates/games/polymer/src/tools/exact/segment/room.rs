//! Whether there is room for the rest of a walk.

use super::{End, Segment};

impl Segment {
    /// Whether the rest of both ends has room in the free regions beside their heads: enough cells
    /// of both colours.
    pub(super) fn has_room(&mut self) -> bool {
        let n = self.instance.len();
        let needs = [self.between(0, self.ends[0]), self.between(self.ends[1] + 1, n)]
            .map(|demand| demand.map(|demand| demand.all));
        let open = End::BOTH.map(|end| self.is_open(end));
        self.seen.fill(false);
        // Whether each end fits into one region, into another, and whether both fit into one.
        let mut fits = [0, 0];
        let (mut same, mut both) = (false, false);
        let mut regions = 0;
        let mut reached = 0;
        for end in End::BOTH.into_iter().filter(|end| open[*end as usize]) {
            let torus = self.instance.torus();
            for start in torus.next_of::<4>(usize::from(self.head(end))) {
                if !self.free_cells.is_free(start) || self.seen[usize::from(start)] {
                    continue;
                }
                let (have, touched) = self.flood(start);
                regions += 1;
                reached += have[0] + have[1];
                let fit: [bool; 2] = std::array::from_fn(|end| {
                    open[end] && touched[end] && (0..2).all(|part| have[part] >= needs[end][part])
                });
                fits[0] += i32::from(fit[0]);
                fits[1] += i32::from(fit[1]);
                same |= fit == [true, true];
                both |= fit == [true, true]
                    && (0..2).all(|part| have[part] >= needs[0][part] + needs[1][part]);
            }
        }
        let free = self.kind.len() - self.laid.len();
        let last = self.laid.len() - 1;
        self.laid[last].is_split = regions != 1 || reached != free as i32;
        match open {
            [true, true] => {
                let apart = fits[0] > 0 && fits[1] > 0 && !(same && fits == [1, 1]);
                both || apart
            }
            [true, false] => fits[0] > 0,
            [false, true] => fits[1] > 0,
            [false, false] => true,
        }
    }

    /// The number of cells of each colour in the free region of a cell, and which heads it touches.
    fn flood(&mut self, start: u16) -> ([i32; 2], [bool; 2]) {
        let torus = self.instance.torus();
        let heads = End::BOTH.map(|end| self.head(end));
        let (mut have, mut touched) = ([0, 0], [false, false]);
        self.stack.clear();
        self.stack.push(start);
        self.seen[usize::from(start)] = true;
        while let Some(cell) = self.stack.pop() {
            have[usize::from(self.colours[usize::from(cell)])] += 1;
            for next in torus.next_of::<4>(usize::from(cell)) {
                touched[0] |= next == heads[0];
                touched[1] |= next == heads[1];
                if self.free_cells.is_free(next) && !self.seen[usize::from(next)] {
                    self.seen[usize::from(next)] = true;
                    self.stack.push(next);
                }
            }
        }
        (have, touched)
    }
}
