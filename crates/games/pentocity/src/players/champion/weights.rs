//! The weights of the champion's evaluation, by name. What the numbers multiply is in
//! [`super::view`]; the unit is a point. The tuned ones are in [`super::profiles`].

/// The kinds of what is laid, each with its own weights.
pub(super) const KINDS: [&str; 4] = ["residence", "factory", "road", "pond"];
/// Edges of the outline by what lies beyond: the outside, what is built, and empty cells by how
/// many of their neighbours are already taken.
pub(super) const BESIDE: [&str; 15] = [
    "outside",
    "road",
    "water",
    "park",
    "residence",
    "factory",
    "empty-0",
    "empty-1",
    "empty-2",
    "empty-3",
    "empty-by-road",
    "empty-by-water",
    "empty-by-park",
    "empty-by-residence",
    "empty-by-factory",
];
/// How many of these are not empty cells.
const BUILT: usize = 6;
/// Cells by where they lie.
pub(super) const ON: [&str; 8] =
    ["cell", "full", "sum", "apart", "row", "depth", "road-line", "pond-line"];
/// Weights that belong to no cell, and those of the plan's lines.
pub(super) const REST: [&str; 14] = [
    "lost",
    "reach",
    "room",
    "residence-bonus",
    "factory-bonus",
    "residence-served",
    "factory-served",
    "road-served",
    "period",
    "road-row",
    "pond-row",
    "segment",
    "slot",
    "later",
];

/// What a gap may end at: a gap is the run of empty cells that begins beyond an edge and goes
/// straight on.
pub(super) const ENDS: [&str; 3] = ["road", "water", "building"];
/// The longest gaps, in cells, whose length counts.
pub(super) const LONGEST_GAP: usize = 6;

const KIND: usize = BESIDE.len() + ON.len();
/// The number of weights before those of gaps. A list of as many is read as one without gaps.
const WITHOUT_GAPS: usize = KINDS.len() * KIND + REST.len();
const GAPS: usize = ENDS.len() * LONGEST_GAP;
/// The total number of weights.
pub(super) const COUNT: usize = WITHOUT_GAPS + KINDS.len() * GAPS;

/// A value for each weight.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights(pub(super) [f32; COUNT]);

impl Weights {
    /// A weight by kind and by what lies beyond an edge.
    pub(super) fn edge(&self, kind: usize, what: usize) -> f32 {
        self.0[kind * KIND + what]
    }

    /// A weight by kind and by where a cell lies.
    pub(super) fn on(&self, kind: usize, what: usize) -> f32 {
        self.0[kind * KIND + BESIDE.len() + what]
    }

    /// A weight by kind and by the gap beyond an edge: its length from 1 on, and what it ends at.
    pub(super) fn gap(&self, kind: usize, end: usize, length: usize) -> f32 {
        self.0[WITHOUT_GAPS + kind * GAPS + end * LONGEST_GAP + length - 1]
    }

    /// Whether gaps count.
    pub(super) fn has_gaps(&self) -> bool {
        self.0[WITHOUT_GAPS..].iter().any(|weight| *weight != 0.0)
    }

    /// A weight that belongs to no cell.
    pub(super) fn rest(&self, name: &str) -> f32 {
        let index = REST.iter().position(|known| *known == name).expect("a name of the rest");
        self.0[KINDS.len() * KIND + index]
    }

    /// These weights times factors: for each kind, of the edges towards what is built, of those
    /// towards empty cells and of where cells lie; and of some of the rest by name.
    pub(super) fn times(&self, kinds: [[f64; 3]; KINDS.len()], rest: &[(&str, f64)]) -> Weights {
        let mut weights = self.clone();
        for (kind, factors) in kinds.into_iter().enumerate() {
            for (index, weight) in weights.0[kind * KIND..][..KIND].iter_mut().enumerate() {
                let group = usize::from(index >= BUILT) + usize::from(index >= BESIDE.len());
                *weight *= factors[group] as f32;
            }
            let gaps = &mut weights.0[WITHOUT_GAPS + kind * GAPS..][..GAPS];
            gaps.iter_mut().for_each(|weight| *weight *= factors[1] as f32);
        }
        for (name, weight) in REST.iter().zip(&mut weights.0[KINDS.len() * KIND..]) {
            let factor = rest.iter().find(|(known, _)| known == name);
            *weight *= factor.map_or(1.0, |(_, factor)| *factor) as f32;
        }
        weights
    }

    /// The weights between these and others: these for a `share` of 0, the others for 1.
    pub(super) fn mix(&self, other: &Weights, share: f32) -> Weights {
        let mut weights = self.clone();
        for (weight, other) in weights.0.iter_mut().zip(&other.0) {
            *weight += (other - *weight) * share;
        }
        weights
    }

    /// Reads numbers separated by commas, one for each weight; those of gaps may be missing.
    pub(super) fn read(text: &str) -> Result<Weights, String> {
        let mut values: Vec<f32> = text
            .split(',')
            .map(|word| word.parse().map_err(|_| format!("“{word}” is not a number")))
            .collect::<Result<_, String>>()?;
        let count = values.len();
        if count == WITHOUT_GAPS {
            values.resize(COUNT, 0.0);
        }
        let values = values.try_into().map_err(|_| format!("{count} weights; expected {COUNT}"))?;
        Ok(Weights(values))
    }
}

/// The name of each weight.
#[cfg(test)]
pub(super) fn names() -> Vec<String> {
    let of_kinds = KINDS.iter().flat_map(|kind| {
        BESIDE
            .iter()
            .map(move |what| format!("{kind} beside {what}"))
            .chain(ON.iter().map(move |what| format!("{kind} on {what}")))
    });
    let gaps = KINDS.iter().flat_map(|kind| {
        let of_end =
            move |end| (1..=LONGEST_GAP).map(move |length| format!("{kind} gap {end}-{length}"));
        ENDS.iter().flat_map(of_end)
    });
    of_kinds.chain(REST.iter().map(|name| (*name).to_owned())).chain(gaps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_reach_every_weight_but_the_lines_of_the_plan() {
        let ones = Weights([1.0; COUNT]);
        let is_kept = |name: &str| ["period", "road-row", "pond-row", "segment"].contains(&name);
        let rest: Vec<(&str, f64)> =
            REST.iter().filter(|name| !is_kept(name)).map(|name| (*name, 7.0)).collect();
        let times = ones.times([[2.0, 3.0, 5.0]; 4], &rest);
        for (name, weight) in names().iter().zip(times.0) {
            let expected = match name.split_once(" beside ").or(name.split_once(" on ")) {
                Some(_) if name.contains(" on ") => 5.0,
                Some((_, what)) if what.starts_with("empty") => 3.0,
                Some(_) => 2.0,
                None if name.contains(" gap ") => 3.0,
                None if is_kept(name) => 1.0,
                None => 7.0,
            };
            assert_eq!(weight, expected, "{name}");
        }
    }

    #[test]
    fn weights_are_read_as_many_as_there_are() {
        let text = vec!["0.5"; COUNT].join(",");
        assert_eq!(Weights::read(&text), Ok(Weights([0.5; COUNT])));
        let without_gaps = Weights::read(&vec!["0.5"; WITHOUT_GAPS].join(",")).unwrap();
        assert!(!without_gaps.has_gaps());
        assert_eq!(without_gaps.rest("later"), 0.5);
        assert!(Weights::read("1,2").unwrap_err().contains("expected"));
        assert!(Weights::read("a").unwrap_err().contains("is not a number"));
    }
}
