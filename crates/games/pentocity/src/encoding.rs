//! Pentocity for learners: action 0 rejects, the others build the request in a rotation at a place,
//! with a shortest road where it needs one; observations have a byte per cell. These actions lay no
//! water and no park: only players that use the game's own actions do.

use crate::rules::board::{Cells, Use};
use crate::rules::paths::Prefer;
use crate::rules::placements::shortest_road;
use crate::{Build, Move, Pentocity, Ruleset, State};
use quintain_core::{Encoding, Layout, Rules, ScoreChange, Seat, View};
use quintain_grid::Cell;

/// The largest number of rotations of a request.
const ROTATIONS: usize = 4;
/// The side of a request's box.
const BOX: usize = 5;

pub(crate) struct PentocityEncoding {
    rules: Pentocity,
    ruleset: Ruleset,
}

impl PentocityEncoding {
    pub(crate) fn new(rules: Pentocity) -> PentocityEncoding {
        let ruleset = rules.ruleset();
        PentocityEncoding { rules, ruleset }
    }
}

impl Encoding for PentocityEncoding {
    type Rules = Pentocity;
    type Trace = ();

    fn rules(&self) -> &Pentocity {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let side = self.rules.side();
        let numbers = ["factory", "rotations", "rejections", "requests"].map(str::to_owned);
        let cells = (0..BOX * BOX).map(|cell| format!("request {},{}", cell / BOX, cell % BOX));
        Layout::new(1, 1 + ROTATIONS * side * side, [side, side], 6)
            .with_features(numbers.into_iter().chain(cells))
            .with_cell_actions(ROTATIONS)
    }

    /// Builds the request in a rotation at a place, with a shortest road.
    fn action(&self, state: &State, _seat: Seat, number: usize) -> Option<Move> {
        let Some(number) = number.checked_sub(1) else { return Some(Move::Reject) };
        let side = self.rules.side();
        let (rotation, place) = (number / (side * side), number % (side * side));
        let at = Cell::new((place / side) as u8, (place % side) as u8);
        let request = state.request()?;
        let rotation = u8::try_from(rotation).ok().filter(|it| *it < request.rotations())?;
        if !self.rules.placements(state)?.anchors(rotation).contains(at) {
            return None;
        }
        let (board, piece) = (state.board(), request.rotated(rotation));
        let road = shortest_road(board, self.ruleset, piece, at, &Cells::EMPTY, Prefer::Any)?;
        Some(Move::Build(Build { rotation, at, road, water: Vec::new(), park: Vec::new() }))
    }

    /// The building's rotation and place; its road, water and park are ignored.
    fn parts(&self, _state: &State, _seat: Seat, action: &Move) -> Vec<(usize, Move)> {
        let side = self.rules.side();
        let number = match action {
            Move::Reject => 0,
            Move::Build(build) => {
                let place = usize::from(build.at.row) * side + usize::from(build.at.col);
                1 + usize::from(build.rotation) * side * side + place
            }
            Move::Ask(_) => return Vec::new(),
        };
        vec![(number, action.clone())]
    }

    fn play(&self, state: &mut State, action: impl Fn(Seat) -> usize) -> Result<ScoreChange, Seat> {
        let seat = Seat::new(0);
        let joint = [self.action(state, seat, action(seat)).ok_or(seat)?];
        self.rules.step(state, &joint);
        Ok(ScoreChange::Possible)
    }

    fn mask(&self, state: &State, _seat: Seat, out: &mut [i8]) {
        out.fill(0);
        let Some(placements) = self.rules.placements(state) else { return };
        out[0] = 1;
        let side = self.rules.side();
        for rotation in 0..state.request().map_or(0, |request| request.rotations()) {
            let first = 1 + usize::from(rotation) * side * side;
            for at in placements.anchors(rotation).cells() {
                out[first + usize::from(at.row) * side + usize::from(at.col)] = 1;
            }
        }
    }

    fn write(&self, state: &State, view: &mut View<'_>) {
        let side = self.rules.side();
        let board = state.board();
        for (cell, out) in view.board.iter_mut().enumerate() {
            *out = match board.at(Cell::new((cell / side) as u8, (cell % side) as u8)) {
                Use::Empty => 0,
                Use::Residence => 1,
                Use::Factory => 2,
                Use::Road => 3,
                Use::Water => 4,
                Use::Park => 5,
            };
        }
        let [factory, rotations, rejections, requests, shape @ ..] = &mut *view.features else {
            return;
        };
        *rejections = state.rejections().into();
        *requests = state.requests() as i32;
        shape.fill(0);
        (*factory, *rotations) = (0, 0);
        if let Some(request) = state.request() {
            (*factory, *rotations) = (request.is_factory().into(), request.rotations().into());
            for (row, column) in &request.shape().cells {
                shape[usize::from(*row) * BOX + usize::from(*column)] = 1;
            }
        }
    }
}
