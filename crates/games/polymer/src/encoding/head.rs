//! Polymer for learners as seen from the head of the chain: the cells around the head, turned so
//! that the last bond points up, the charges of the monomers to come, and the settled part of the
//! score. Steps are left, ahead and right.
//!
//! What cannot matter is not shown: where on the torus the head is, which way it goes, and which of
//! the two charges is called positive. So walks that are images of each other look alike, except
//! mirror images. This encoding is only for a torus of one layer.

use quintain_core::{BuildError, Encoding, Layout, Seat, View};

use crate::rules::instance::Interaction;
use crate::rules::step::Step;
use crate::rules::{Polymer, State};

/// The most cells that are seen from the head in each direction; on a smaller torus, once around.
const REACH: usize = 15;
/// The number of monomers to come whose charges are shown.
const COMING: usize = 32;
/// The value of a monomer of charge 0; those of −1 and +1 are beside it, and 0 is a free cell.
const NEUTRAL: i32 = 2;
/// The turns in the order of their numbers, as quarter turns to the right from ahead.
const TURNS: [usize; 3] = [3, 0, 1];
/// Rows and columns of a step, in the order of [`Step::ALL`]: each is a quarter turn to the right
/// of the last.
const OFFSETS: [[i32; 2]; 4] = [[0, 1], [1, 0], [0, -1], [-1, 0]];

pub(crate) struct HeadEncoding {
    rules: Polymer,
    reach: usize,
    /// What the bonds from each monomer on add to the score: nothing in the HP model.
    bonds: Vec<i32>,
}

impl HeadEncoding {
    /// # Errors
    /// If the torus has several layers: there a step has more ways to turn.
    pub(crate) fn new(rules: Polymer) -> Result<HeadEncoding, BuildError> {
        let instance = rules.instance();
        let torus = instance.torus();
        if torus.depth() > 1 {
            return Err("the encoding head is for a torus of one layer; use torus here".into());
        }
        let reach = REACH.min(torus.width().max(torus.height()) / 2);
        let monomers = instance.monomers();
        let mut bonds = vec![0; monomers.len() + 1];
        for number in (1..monomers.len()).rev() {
            let bond = i32::from(monomers[number - 1]) * i32::from(monomers[number]);
            bonds[number] = bonds[number + 1] + instance.sign() * bond;
        }
        bonds[0] = bonds.get(1).copied().unwrap_or(0);
        Ok(HeadEncoding { reach, bonds, rules })
    }

    fn side(&self) -> usize {
        2 * self.reach + 1
    }

    /// The number of the step of the last bond; any number for the first monomer.
    fn heading(state: &State, rules: &Polymer) -> usize {
        let [.., before, head] = state.walk() else { return 0 };
        let next = rules.instance().torus().next(usize::from(*before));
        next.iter().position(|cell| cell == head).unwrap_or(0)
    }

    /// 1, or −1 if the next monomer with a charge is negative.
    fn polarity(&self, laid: usize) -> i32 {
        let coming = &self.rules.instance().monomers()[laid..];
        coming.iter().find(|charge| **charge != 0).map_or(1, |charge| i32::from(*charge))
    }

    /// The part of the score that no step can change any more: that of all monomers laid and all
    /// bonds.
    fn settled(&self, state: &State) -> i32 {
        let laid = state.walk().len();
        match self.rules.instance().interaction() {
            Interaction::Charge => state.r() + self.bonds[laid],
            Interaction::Hp => state.r() - (self.bonds[0] - self.bonds[laid]),
        }
    }
}

impl Encoding for HeadEncoding {
    type Rules = Polymer;
    type Trace = ();

    fn rules(&self) -> &Polymer {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let coming = (1..=COMING).map(|number| format!("monomer {number} to come"));
        let features = ["monomers to come", "settled"].map(str::to_owned);
        Layout::new(1, TURNS.len(), [self.side(), self.side()], 4)
            .with_features(features.into_iter().chain(coming))
    }

    fn action(&self, state: &State, _seat: Seat, number: usize) -> Option<Step> {
        let turn = TURNS.get(number)?;
        Some(Step::ALL[(Self::heading(state, &self.rules) + turn) % OFFSETS.len()])
    }

    fn mask(&self, state: &State, _seat: Seat, out: &mut [i8]) {
        let instance = self.rules.instance();
        if state.walk().len() == instance.len() {
            return out.fill(0);
        }
        let next = instance.torus().next(state.head());
        let heading = Self::heading(state, &self.rules);
        for (turn, out) in TURNS.iter().zip(out) {
            *out = i8::from(state.is_free(next[(heading + turn) % OFFSETS.len()]));
        }
    }

    fn write(&self, state: &State, view: &mut View<'_>) {
        let instance = self.rules.instance();
        let (monomers, torus) = (instance.monomers(), instance.torus());
        let laid = state.walk().len();
        let polarity = self.polarity(laid);
        let heading = Self::heading(state, &self.rules);
        let [ahead, right] = [0, 1].map(|turn| OFFSETS[(heading + turn) % OFFSETS.len()]);
        let head = [state.head() / torus.width(), state.head() % torus.width()];
        let sides = [torus.height(), torus.width()];
        for (place, out) in view.board.iter_mut().enumerate() {
            let up = self.reach as i32 - (place / self.side()) as i32;
            let across = (place % self.side()) as i32 - self.reach as i32;
            let [row, column] = [0, 1].map(|axis| {
                let at = head[axis] as i32 + up * ahead[axis] + across * right[axis];
                at.rem_euclid(sides[axis] as i32) as usize
            });
            *out = match state.monomer(row * torus.width() + column) {
                Some(number) => (NEUTRAL + polarity * i32::from(monomers[number])) as u8,
                None => 0,
            };
        }
        let [to_come, settled, charges @ ..] = view.features else { return };
        *to_come = (monomers.len() - laid) as i32;
        *settled = self.settled(state);
        for (number, charge) in (laid..).zip(charges) {
            *charge = polarity * monomers.get(number).copied().map_or(0, i32::from);
        }
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::{Rng, Rules};

    use super::*;
    use crate::rules::instance::Instance;
    use crate::rules::torus::Torus;

    const SEAT: Seat = Seat::new(0);

    fn polymer(width: usize, height: usize, monomers: &[i8]) -> Polymer {
        let torus = Torus::new(width, height).unwrap();
        let instance = Instance::new(torus, Interaction::Charge, monomers.to_vec()).unwrap();
        Polymer::new(instance, false)
    }

    fn walk(rules: &Polymer, steps: &[Step]) -> State {
        let mut state = rules.first_state();
        steps.iter().for_each(|step| rules.step(&mut state, &[*step]));
        state
    }

    /// Board and features of a position.
    fn see(rules: &Polymer, state: &State) -> (Vec<u8>, Vec<i32>) {
        let encoding = HeadEncoding::new(rules.clone()).unwrap();
        let layout = encoding.layout();
        let (mut board, mut features) = (vec![9; layout.board_len()], vec![9; 2 + COMING]);
        encoding.write(state, &mut View { board: &mut board, features: &mut features });
        (board, features)
    }

    fn draw(board: &[u8], side: usize) -> Vec<String> {
        let letter = |byte: &u8| [".", "-", "o", "+"][usize::from(*byte)];
        board.chunks(side).map(|row| row.iter().map(letter).collect()).collect()
    }

    #[test]
    fn the_head_is_in_the_middle_and_the_last_bond_points_up() {
        let rules = polymer(5, 5, &[1, 0, -1, 1, -1]);
        let (board, features) = see(&rules, &walk(&rules, &[Step::Right, Step::Down]));
        // The walk went right and then down: seen downwards, it came from the right.
        assert_eq!(draw(&board, 5), [".....", ".....", "..-..", "..o+.", "....."]);
        // Two monomers to come, and no contact; of the bonds, − with + and + with − are worth 1
        // each.
        assert_eq!(features[..5], [2, 2, 1, -1, 0]);
    }

    #[test]
    fn a_walk_turned_or_with_its_charges_exchanged_looks_the_same() {
        let (one, other) = ([1, 0, -1, 1, -1, 1, 0], [-1, 0, 1, -1, 1, -1, 0]);
        let turned = [Step::Down, Step::Down, Step::Left, Step::Up];
        let straight = [Step::Right, Step::Right, Step::Down, Step::Left];
        let (one, other) = (polymer(6, 6, &one), polymer(6, 6, &other));
        assert_eq!(see(&one, &walk(&one, &straight)), see(&other, &walk(&other, &turned)));
    }

    #[test]
    fn a_torus_smaller_than_what_is_seen_shows_its_cells_again() {
        let rules = polymer(6, 2, &[1, -1, 0]);
        let (board, _) = see(&rules, &walk(&rules, &[Step::Right]));
        // Going right, the rows lie across, of which there are two.
        let column = ".......";
        assert_eq!(draw(&board, 7)[..3], [column; 3]);
        assert_eq!(draw(&board, 7)[3..5], [".-.-.-.", ".+.+.+."]);
    }

    #[test]
    fn the_settled_part_of_a_whole_walk_is_its_score() {
        let mut rng = Rng::from_seed(3);
        let chains = ["L08_s01?seed=7", "hp?name=S1-1", "random?width=5&height=4&n=12&seed=2"];
        for scenario in chains {
            let (built, _) = crate::entry().build(scenario).unwrap();
            let rules = built.rules();
            let mut whole = 0;
            while whole < 5 {
                let mut state = rules.first_state();
                let mut actions = Vec::new();
                while state.walk().len() < rules.instance().len() {
                    actions.clear();
                    rules.actions(&state, SEAT, &mut actions);
                    let Some(step) = rng.pick(&actions) else { break };
                    rules.step(&mut state, &[*step]);
                }
                if state.walk().len() == rules.instance().len() {
                    let gain = rules.objective().gain(rules.score(&state, SEAT));
                    assert_eq!(f64::from(see(rules, &state).1[1]), gain, "{scenario}");
                    whole += 1;
                }
            }
        }
    }

    #[test]
    fn a_torus_with_layers_is_refused() {
        let (built, _) = crate::entry().build("hp3d").unwrap();
        assert!(HeadEncoding::new(built.rules().clone()).is_err());
    }
}
