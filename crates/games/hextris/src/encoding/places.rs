//! Hextris one unit at a time: an action is a place where the unit can lock, given by its rotation
//! and the board cell that its first cell comes to. The way there is a shortest one, in which
//! phrases are spoken only by chance. Odd rows of the honeycomb look different, so the bytes of
//! their cells differ.

use quintain_core::{Encoding, Layout, Seat, View};

use crate::notation::CommandString;
use crate::rules::paths::{LockPlace, Paths};
use crate::rules::units::{Position, Unit};
use crate::rules::{Hextris, State};

/// The number of rotations of a unit.
const ROTATIONS: usize = 6;
/// The side of the box in which a unit is shown.
const BOX: usize = 5;
/// The number of values of a cell's byte: empty or full, on even rows and on odd ones.
const VALUES: u16 = 4;

pub(crate) struct PlacesEncoding {
    rules: Hextris,
    rows: usize,
    columns: usize,
}

impl PlacesEncoding {
    pub(crate) fn new(rules: Hextris) -> PlacesEncoding {
        let board = rules.instance().problem().board();
        let (rows, columns) = (board.height(), board.width());
        PlacesEncoding { rules, rows, columns }
    }

    /// The number of the place of a unit at a position. If several rotations look the same there,
    /// the first one counts.
    fn number(&self, unit: &Unit, position: Position) -> usize {
        let (left, top, _) = unit.footprint(position);
        let rows = &unit.shape(position).rows;
        let looks_so = |rotation: &u8| {
            unit.shapes(*rotation).iter().zip(0..).any(|(shape, parity)| {
                (i32::from(top) - shape.top - parity) & 1 == 0 && shape.rows == *rows
            })
        };
        let rotation = (0..unit.period()).find(looks_so).unwrap_or(position.rotation);
        let first = usize::try_from(left).unwrap_or(0) + rows[0].trailing_zeros() as usize;
        let cell = usize::try_from(top).unwrap_or(0) * self.columns + first;
        usize::from(rotation) * self.rows * self.columns + cell
    }

    /// All places, each with its number, and the paths to them.
    fn places(&self, state: &State) -> (Paths, Vec<(usize, LockPlace)>) {
        let paths = self.rules.places(state);
        if state.walk.is_none() {
            return (paths, Vec::new());
        }
        let unit = self.rules.instance().unit(state);
        let number = |place: &LockPlace| (self.number(unit, place.position), *place);
        let mut places: Vec<(usize, LockPlace)> = paths.places().iter().map(number).collect();
        places.sort_by_key(|(number, _)| *number);
        (paths, places)
    }

    /// Where these commands lock the unit; `None` if they do not.
    fn lock_of(&self, state: &State, commands: &CommandString) -> Option<Position> {
        let mut after = state.clone();
        for letter in commands.text().bytes() {
            let at = after.walk.as_ref()?.position();
            let came = after.came;
            self.rules.instance().speak(&mut after, letter).ok()?;
            if after.came != came || after.walk.is_none() {
                return Some(at);
            }
        }
        None
    }

    /// Writes the cells of a unit as it enters the game, from its first row and its leftmost
    /// column.
    fn show(unit: Option<&Unit>, out: &mut [i32]) {
        out.fill(0);
        let Some(unit) = unit else { return };
        let (left, top, _) = unit.footprint(unit.spawn());
        for cell in unit.cells(unit.spawn()) {
            let row = (cell.y - i32::from(top)) as usize;
            let column = (cell.x - i32::from(left)) as usize;
            if row < BOX && column < BOX {
                out[row * BOX + column] = 1;
            }
        }
    }
}

impl Encoding for PlacesEncoding {
    type Rules = Hextris;
    type Trace = ();

    fn rules(&self) -> &Hextris {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let numbers = ["points", "lines before", "units left"].map(str::to_owned);
        let boxed = |unit: &'static str| {
            (0..BOX * BOX).map(move |cell| format!("{unit} {},{}", cell / BOX, cell % BOX))
        };
        Layout::new(1, ROTATIONS * self.rows * self.columns, [self.rows, self.columns], VALUES)
            .with_features(numbers.into_iter().chain(boxed("unit")).chain(boxed("next unit")))
            .with_cell_actions(ROTATIONS)
    }

    fn action(&self, state: &State, _seat: Seat, number: usize) -> Option<CommandString> {
        let (paths, places) = self.places(state);
        let (_, place) = places.iter().find(|(known, _)| *known == number)?;
        Some(CommandString::from_commands(paths.commands_to(place)))
    }

    fn numbered_actions(&self, state: &State, _seat: Seat, out: &mut Vec<(usize, CommandString)>) {
        let (paths, places) = self.places(state);
        out.extend(places.iter().map(|(number, place)| {
            (*number, CommandString::from_commands(paths.commands_to(place)))
        }));
    }

    /// Only the place that the unit comes to counts, whatever is spoken on the way.
    fn parts(
        &self,
        state: &State,
        _seat: Seat,
        action: &CommandString,
    ) -> Vec<(usize, CommandString)> {
        let unit = self.rules.instance().unit(state);
        let at = self.lock_of(state, action);
        at.map(|at| (self.number(unit, at), action.clone())).into_iter().collect()
    }

    fn mask(&self, state: &State, _seat: Seat, out: &mut [i8]) {
        out.fill(0);
        for (number, _) in self.places(state).1 {
            out[number] = 1;
        }
    }

    fn write(&self, state: &State, view: &mut View<'_>) {
        let rows = view.board.chunks_exact_mut(self.columns).zip(state.board.rows());
        for (parity, (out, row)) in rows.enumerate().map(|(y, row)| ((y & 1) as u8, row)) {
            for (column, out) in out.iter_mut().enumerate() {
                *out = 2 * parity + (row >> column & 1) as u8;
            }
        }
        let [points, before, left, boxes @ ..] = &mut *view.features else { return };
        let instance = self.rules.instance();
        let queue = instance.queue();
        *points = instance.score(state) as i32;
        *before = state.before as i32;
        *left = (queue.len() - state.came as usize) as i32;
        let (unit, next) = boxes.split_at_mut(BOX * BOX);
        Self::show(state.walk.as_ref().map(|_| instance.unit(state)), unit);
        let following = state.came as usize;
        Self::show((following < queue.len()).then(|| instance.nth(following)), next);
    }
}
