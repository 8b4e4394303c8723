//! Single positions, for lessons: as maps on which matches begin there, in which walls stand for
//! trails; the same with fewer rows, columns and walls; and what each direction is worth.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::{ActionWorth, ActionWorths, Seat, Study, StudyPosition, keep_file};
use serde_json::Value;

use super::board::{Board, Cells, Position};
use super::in_turn::InTurn;
use super::solver::{Equilibrium, Solver, moved};
use super::tool::check_duel;
use crate::notation::read_map;
use crate::roster::roster;
use crate::rules::direction::Direction;
use crate::rules::state::{MAX_SEATS, State};
use crate::rules::territory::{Claim, claims};
use crate::rules::{Moves, Trails};

/// What tron can say about positions.
pub(crate) struct TronStudy;

/// The memory for the values of one position, in bytes: little, because many are tried, and more
/// where more work is allowed than [`LITTLE_WORK`].
const MEMORY: usize = 8 << 20;
const MORE_MEMORY: usize = 128 << 20;
/// The most open cells of a position whose value is looked for with little work: that of more is
/// seldom found.
const MOST_CELLS: u32 = 40;
/// The most positions searched with little work.
const LITTLE_WORK: u64 = 100_000;

/// The most positions searched to say what follows from a move.
const MOST_POSITIONS: u64 = 10_000;
/// Differences smaller than this are rounding.
const ROUNDING: f64 = 1e-9;
/// The most rows or columns beside a head in parts of a map.
const NEAR: usize = 3;

/// What the scenario of a board says of moves and trails, where it must.
const IN_TURN: &str = "&moves=sequential";
const VANISHING: &str = "&trails=vanish";

const WALL: u8 = b'#';
const FREE: u8 = b' ';

impl Study for TronStudy {
    fn begin_at(&self, scenario: &str, observation: &Value) -> Result<StudyPosition, String> {
        let (built, _) = roster().build(scenario).map_err(|error| error.to_string())?;
        let rules = built.rules();
        check_duel(rules).map_err(|expected| format!("no smaller one is like it ({expected})"))?;
        let state: State =
            serde_json::from_value(observation.clone()).map_err(|error| error.to_string())?;
        if state.alive().count() < state.seats() {
            return Err("a player has crashed".to_owned());
        }
        let is_in_turn = rules.moves() == Moves::Sequential;
        let mut heads: Vec<usize> = Seat::all(state.seats()).map(|seat| state.head(seat)).collect();
        if is_in_turn {
            heads.rotate_left(usize::from(state.to_move));
        }
        let sign = |cell: usize| match heads.iter().position(|head| *head == cell) {
            Some(seat) => b'1' + seat as u8,
            None if state.is_free(cell) => FREE,
            None => WALL,
        };
        let cells: Vec<u8> = (0..state.cells().len()).map(sign).collect();
        let rows = cells.chunks(state.width()).map(<[u8]>::to_vec).collect();
        let vanish = rules.trails() == Trails::Vanish;
        Ok(Map { rows, is_in_turn, vanish }.trimmed().position())
    }

    fn simpler(&self, position: &StudyPosition) -> Vec<StudyPosition> {
        let map = Map::read(position);
        let size = map.complexity();
        let mut near: Vec<Map> = map.near_the_heads().iter().map(Map::trimmed).collect();
        near.sort_by_key(Map::complexity);
        let steps = map.with_fewer_lines().into_iter().chain(map.with_fewer_walls());
        let all = near.into_iter().chain(steps.map(|step| step.trimmed()));
        let mut seen = HashSet::new();
        all.filter(|other| other.complexity() < size)
            .map(|other| other.position())
            .filter(|position| seen.insert(position.file.clone()))
            .collect()
    }

    fn worths(
        &self,
        position: &StudyPosition,
        seat: Seat,
        most: u64,
        stop: Option<&Arc<AtomicBool>>,
    ) -> ActionWorths {
        let stop = stop.cloned().unwrap_or_default();
        let solver = read_map(&position.file).ok().and_then(|state| {
            let solver = solver_of(&state, most, Arc::clone(&stop))?;
            Some((state, solver))
        });
        let Some((state, mut solver)) = solver else {
            return ActionWorths { actions: None, searched: 0 };
        };
        if is_in_turn(position) {
            let at = solver.board().position(&state);
            let mut search = InTurn::new(solver, most, stop);
            let actions = weigh_in_turn(&mut search, at);
            return ActionWorths { actions, searched: search.searched() };
        }
        let actions = weigh_all(&mut solver, &state, seat);
        ActionWorths { actions, searched: solver.searched() }
    }

    fn size(&self, position: &StudyPosition) -> String {
        let Map { rows, .. } = Map::read(position);
        format!("{}×{}", rows[0].len() - 2, rows.len() - 2)
    }

    fn consequence(
        &self,
        position: &StudyPosition,
        seat: Seat,
        worth: &ActionWorth,
    ) -> Option<String> {
        let state = read_map(&position.file).ok()?;
        let moves = [worth.action.parse().ok()?, worth.reply.parse().ok()?];
        if is_in_turn(position) {
            return describe_in_turn(&state, moves, worth.least);
        }
        describe(&state, seat, moves, worth.least)
    }
}

/// The worth of each direction.
fn weigh_all(solver: &mut Solver, state: &State, seat: Seat) -> Option<Vec<ActionWorth>> {
    let at = solver.board().position(state);
    let own = |score: f64| if seat.index() == 0 { score } else { 1.0 - score };
    let equilibrium = solver.equilibrium(at).ok()?;
    let (mine, theirs) = (&equilibrium.moves[seat.index()], &equilibrium.moves[1 - seat.index()]);
    let reply_to = |target: u8| {
        let head = at.heads[1 - seat.index()];
        let is_it = |to: &Direction| solver.board().target(head, *to) == 1 << target;
        Direction::ALL.into_iter().find(is_it)
    };
    // Where the opponent must crash, it does not matter how.
    let replies: Vec<Option<(u8, Direction)>> = match theirs.is_empty() {
        true => vec![None],
        false => theirs.iter().map(|to| Some((*to, reply_to(*to)?))).collect(),
    };
    let mut actions = Vec::new();
    for direction in Direction::ALL {
        let target = solver.board().target(at.heads[seat.index()], direction);
        let number = mine.iter().position(|cell| 1 << cell == target);
        let mut least: Option<(f64, Direction)> = None;
        for reply in &replies {
            let worth = match (number, reply) {
                (None, None) => 0.5,
                (None, Some(_)) => 0.0,
                (Some(_), None) => 1.0,
                (Some(number), Some((to, _))) if mine[number] == *to => 0.5,
                (Some(number), Some((to, _))) => {
                    let cells = match seat.index() {
                        0 => [mine[number], *to],
                        _ => [*to, mine[number]],
                    };
                    own(solver.value(moved(at, cells[0], cells[1])).ok()?)
                }
            };
            let reply = reply.map_or(Direction::Up, |(_, direction)| direction);
            if least.is_none_or(|(known, _)| worth < known) {
                least = Some((worth, reply));
            }
        }
        let (least, reply) = least?;
        let expected = match number {
            Some(_) if theirs.is_empty() => 1.0,
            Some(number) => own(equilibrium.scores[seat.index()][number]),
            None => least,
        };
        let (action, reply) = (direction.to_string(), reply.to_string());
        actions.push(ActionWorth { action, expected, least, reply });
    }
    Some(actions)
}

/// Whether matches on a position's board are played in turn.
fn is_in_turn(position: &StudyPosition) -> bool {
    position.scenario.contains(IN_TURN)
}

/// The worth of each direction to the first head, whose turn it is, with the next move of the other
/// as the reply.
fn weigh_in_turn(search: &mut InTurn, at: Position) -> Option<Vec<ActionWorth>> {
    let mut actions = Vec::new();
    for direction in Direction::ALL {
        let (mut least, mut reply) = (0.0, Direction::Up);
        let target = search.board().target(at.heads[0], direction);
        if target & at.open != 0 {
            let after = enter(at, target);
            least = 1.0;
            let replies = search.moves(after);
            for (place, (cell, next)) in replies.into_iter().enumerate() {
                let wins = !search.wins(next).ok()?;
                if place == 0 || wins {
                    let head = after.heads[0];
                    let is_it = |to: &Direction| search.board().target(head, *to) == 1 << cell;
                    reply = Direction::ALL.into_iter().find(is_it)?;
                }
                if wins {
                    least = 0.0;
                    break;
                }
            }
        }
        let (action, reply) = (direction.to_string(), reply.to_string());
        actions.push(ActionWorth { action, expected: least, least, reply });
    }
    Some(actions)
}

/// The position after the first head has entered a cell.
fn enter(at: Position, cell: Cells) -> Position {
    let Position { open, heads: [_, other] } = at;
    Position { open: open & !cell, heads: [other, cell.trailing_zeros() as u8] }
}

/// A solver of a position's board that may search so many positions, if the board is small enough
/// for that.
fn solver_of(state: &State, most: u64, stop: Arc<AtomicBool>) -> Option<Solver> {
    let board = Board::new(state)?;
    let at = board.position(state);
    let [a, b] = at.heads.map(|head| board.reach(head, at.open));
    let is_little = most <= LITTLE_WORK;
    if is_little && (a | b).count_ones() > MOST_CELLS {
        return None;
    }
    let memory = if is_little { MEMORY } else { MORE_MEMORY };
    let mut solver = Solver::new(board, memory, stop);
    solver.allow(most);
    Some(solver)
}

/// What follows from a move of the first seat and the other's next one, if that explains a score.
fn describe_in_turn(state: &State, [action, reply]: [Direction; 2], score: f64) -> Option<String> {
    let [mine, theirs] = [(0, action), (1, reply)]
        .map(|(seat, direction)| state.neighbour(state.head(Seat::new(seat)), direction));
    if !state.is_free(mine) {
        return Some("it crashes".to_owned());
    }
    if mine == theirs || !state.is_free(theirs) {
        return Some("B must crash".to_owned());
    }
    let after = state.with_heads([(Seat::new(0), mine), (Seat::new(1), theirs)]);
    let solver = solver_of(&after, MOST_POSITIONS, Arc::default())?;
    let mut search = InTurn::new(solver, MOST_POSITIONS, Arc::default());
    let mut at = search.board().position(&after);
    let explains = |own: u32, others: u32| (own > others) == (score > 0.5);
    let [own, others] = search.claims(at);
    let room = |own: u32, others: u32| {
        let more = if own == 1 { "move" } else { "moves" };
        format!("it has room for {own} more {more}, B for {others}")
    };
    for moves in 0.. {
        if let Some(left) = search.moves_left(at).ok()? {
            // Whoever moves comes first.
            let [own, others] = if moves % 2 == 0 { left } else { [left[1], left[0]] };
            if moves == 0 {
                return Some(room(own, others));
            }
            let later = if moves == 1 { "one move".to_owned() } else { format!("{moves} moves") };
            return Some(format!("if both go on well, {later} later {}", room(own, others)));
        }
        if moves == 0 && own != others && explains(own, others) {
            let cells = if own == 1 { "cell" } else { "cells" };
            return Some(format!("it reaches {own} {cells} first, B {others}"));
        }
        let replies = search.moves(at);
        let mut best = replies.first()?.1;
        for (_, next) in replies {
            if !search.wins(next).ok()? {
                best = next;
                break;
            }
        }
        at = best;
    }
    None
}

/// What follows from a move and the other's, if that explains a score.
fn describe(
    state: &State,
    seat: Seat,
    [action, reply]: [Direction; 2],
    score: f64,
) -> Option<String> {
    let other = Seat::new(1 - seat.index());
    let [mine, theirs] = [(seat, action), (other, reply)]
        .map(|(seat, direction)| state.neighbour(state.head(seat), direction));
    let them = other.letter();
    match (state.is_free(mine), state.is_free(theirs)) {
        (false, false) => return Some("both crash".to_owned()),
        (false, true) => return Some("it crashes".to_owned()),
        (true, false) => return Some(format!("{them} must crash")),
        (true, true) if mine == theirs => return Some(format!("it meets {them} head-on")),
        (true, true) => {}
    }
    let after = state.with_heads([(seat, mine), (other, theirs)]);
    let counts = |counts: [u32; 2]| Some((counts[seat.index()], counts[other.index()]));
    let explains = |(own, others): &(u32, u32)| {
        let is_even = (score - 0.5).abs() < ROUNDING;
        own.cmp(others) == if is_even { Ordering::Equal } else { score.total_cmp(&0.5) }
    };
    let (turns, parted) = follow(&after).unzip();
    let room = |(own, others): (u32, u32)| {
        let more = if own == 1 { "move" } else { "moves" };
        format!("it has room for {own} more {more}, {them} for {others}")
    };
    let parted = parted.and_then(counts).filter(explains);
    if let (Some(0), Some(left)) = (turns, parted) {
        return Some(room(left));
    }
    let claims = claims(&after);
    let count = |seat: usize| {
        let own = Claim::Seat(Seat::new(seat));
        claims.iter().filter(|claim| **claim == own).count() as u32
    };
    if let Some((own, others)) = counts([count(0), count(1)]).filter(explains) {
        let cells = if own == 1 { "cell" } else { "cells" };
        return Some(format!("it reaches {own} {cells} first, {them} {others}"));
    }
    let (Some(turns), Some(left)) = (turns, parted) else { return None };
    let later =
        if turns == 1 { "one turn later".to_owned() } else { format!("{turns} turns later") };
    Some(format!("if both go on well, {later} {}", room(left)))
}

/// Plays on by exact values until the heads can no longer meet. Returns after how many turns, and
/// how many more moves each can make.
fn follow(state: &State) -> Option<(u32, [u32; 2])> {
    let mut solver = solver_of(state, MOST_POSITIONS, Arc::default())?;
    let mut at = solver.board().position(state);
    for turns in 0.. {
        if let Some(left) = solver.moves_left(at).ok()? {
            return Some((turns, left));
        }
        let Equilibrium { moves, shares, .. } = solver.equilibrium(at).ok()?;
        let often = |seat: usize| {
            let moves = moves[seat].iter().zip(&shares[seat]).rev();
            moves.max_by(|a, b| a.1.total_cmp(b.1)).map(|(cell, _)| *cell)
        };
        let (a, b) = (often(0)?, often(1)?);
        if a == b {
            return None;
        }
        at = moved(at, a, b);
    }
    None
}

/// A map as rows of signs, with a ring of wall around.
#[derive(Clone, PartialEq, Eq)]
struct Map {
    rows: Vec<Vec<u8>>,
    is_in_turn: bool,
    vanish: bool,
}

impl Map {
    fn read(position: &StudyPosition) -> Map {
        let rows = position.file.lines().map(|row| row.as_bytes().to_vec()).collect();
        let vanish = position.scenario.contains(VANISHING);
        Map { rows, is_in_turn: is_in_turn(position), vanish }
    }

    /// Another map for the same rules.
    fn with(&self, rows: Vec<Vec<u8>>) -> Map {
        Map { rows, ..*self }
    }

    fn position(&self) -> StudyPosition {
        let rows = self.rows.iter().map(|row| String::from_utf8_lossy(row));
        let file = rows.fold(String::new(), |text, row| text + &row + "\n");
        let digest = keep_file(&file);
        let in_turn = if self.is_in_turn { IN_TURN } else { "" };
        let vanishing = if self.vanish { VANISHING } else { "" };
        let scenario = format!("file?digest={digest}&path=lesson{in_turn}{vanishing}");
        StudyPosition { scenario, file }
    }

    /// The cells, then the walls inside the border: less is simpler.
    fn complexity(&self) -> (usize, usize) {
        let (height, width) = (self.rows.len(), self.rows[0].len());
        let walls = self.rows[1..height - 1].iter();
        let walls = walls.map(|row| row[1..width - 1].iter().filter(|sign| **sign == WALL).count());
        (height * width, walls.sum())
    }

    /// The same with walls where no head can go, and without rows and columns of nothing else.
    fn trimmed(&self) -> Map {
        let (height, width) = (self.rows.len(), self.rows[0].len());
        let at = |row: usize, column: usize| self.rows[row][column];
        let mut kept = vec![vec![WALL; width + 2]; height + 2];
        let mut open = Vec::new();
        for (row, signs) in self.rows.iter().enumerate() {
            for (column, sign) in signs.iter().enumerate() {
                if !matches!(*sign, WALL | FREE) {
                    kept[row + 1][column + 1] = *sign;
                    open.push((row, column));
                }
            }
        }
        while let Some((row, column)) = open.pop() {
            let beside = [
                (row.wrapping_sub(1), column),
                (row + 1, column),
                (row, column.wrapping_sub(1)),
                (row, column + 1),
            ];
            for (row, column) in beside {
                if row < height
                    && column < width
                    && at(row, column) == FREE
                    && kept[row + 1][column + 1] == WALL
                {
                    kept[row + 1][column + 1] = FREE;
                    open.push((row, column));
                }
            }
        }
        let is_open = |sign: &u8| *sign != WALL;
        let has_open = |row: &Vec<u8>| row.iter().any(is_open);
        let top = kept.iter().position(has_open).unwrap_or(1);
        let bottom = kept.iter().rposition(has_open).unwrap_or(1);
        let columns = |row: &Vec<u8>| row.iter().position(is_open);
        let left = kept.iter().filter_map(columns).min().unwrap_or(1);
        let last = |row: &Vec<u8>| row.iter().rposition(is_open);
        let right = kept.iter().filter_map(last).max().unwrap_or(1);
        let rows = kept[top - 1..=bottom + 1].iter();
        self.with(rows.map(|row| row[left - 1..=right + 1].to_vec()).collect())
    }

    fn has_heads(&self) -> bool {
        let signs = self.rows.iter().flatten();
        signs.filter(|sign| (b'1'..b'1' + MAX_SEATS as u8).contains(sign)).count() == 2
    }

    fn without_rows(&self, from: usize, to: usize) -> Map {
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(row, _)| !(from..to).contains(row));
        self.with(rows.map(|(_, row)| row.clone()).collect())
    }

    fn transposed(&self) -> Map {
        let columns = 0..self.rows[0].len();
        let column = |column: usize| self.rows.iter().map(|row| row[column]).collect();
        self.with(columns.map(column).collect())
    }

    /// The parts of the map that are small enough for exact values: a few rows before the first
    /// head, between the heads and after the second one, and columns likewise.
    fn near_the_heads(&self) -> Vec<Map> {
        let across = self.transposed();
        let (rows, columns) = (self.bands(), across.bands());
        let mut found = Vec::new();
        for rows in &rows {
            for columns in columns.iter().filter(|c| c.len() * rows.len() <= MOST_CELLS as usize) {
                let row = |row: &usize| columns.iter().map(|c| self.rows[*row][*c]).collect();
                found.push(self.with(rows.iter().map(row).collect()));
            }
        }
        found
    }

    /// Sets of rows with both heads: up to [`NEAR`] before, between and after.
    fn bands(&self) -> Vec<Vec<usize>> {
        let is_head = |sign: &u8| !matches!(*sign, WALL | FREE);
        let mut heads = (0..self.rows.len()).filter(|row| self.rows[*row].iter().any(is_head));
        let first = heads.next().unwrap_or(1);
        let last = heads.next().unwrap_or(first);
        let (above, between) = (first.saturating_sub(1), (last - first).saturating_sub(1));
        let below = self.rows.len().saturating_sub(last + 2);
        let mut found = Vec::new();
        for before in 0..=above.min(NEAR) {
            for inside in 0..=between.min(NEAR) {
                for after in 0..=below.min(NEAR) {
                    let mut rows: Vec<usize> = (first - before..=first + inside).collect();
                    rows.extend((first < last).then_some(last));
                    rows.extend(last + 1..=last + after);
                    found.push(rows);
                }
            }
        }
        found
    }

    /// The same without bands of rows or columns, wide bands first; at the end without one row and
    /// one column, which keeps the parity of the distance between the heads.
    fn with_fewer_lines(&self) -> Vec<Map> {
        let across = self.transposed();
        let mut found = Vec::new();
        let mut wide = (self.rows.len().max(across.rows.len()) - 2) / 2;
        while wide >= 1 {
            for (map, is_across) in [(self, false), (&across, true)] {
                let last = map.rows.len() - 1;
                for from in (1..last).take_while(|from| from + wide <= last) {
                    let fewer = map.without_rows(from, from + wide);
                    if fewer.has_heads() {
                        found.push(if is_across { fewer.transposed() } else { fewer });
                    }
                }
            }
            wide /= 2;
        }
        for row in 1..self.rows.len() - 1 {
            let fewer = self.without_rows(row, row + 1).transposed();
            for column in 1..fewer.rows.len() - 1 {
                let fewer = fewer.without_rows(column, column + 1);
                if fewer.has_heads() {
                    found.push(fewer.transposed());
                }
            }
        }
        found
    }

    /// The same without some of the walls inside the border: all of them, halves, and so on.
    fn with_fewer_walls(&self) -> Vec<Map> {
        let (height, width) = (self.rows.len(), self.rows[0].len());
        let inside = (1..height - 1).flat_map(|row| (1..width - 1).map(move |c| (row, c)));
        let walls: Vec<(usize, usize)> =
            inside.filter(|(row, column)| self.rows[*row][*column] == WALL).collect();
        let mut found = Vec::new();
        let mut many = walls.len();
        while many >= 1 {
            for cleared in walls.chunks(many) {
                let mut map = self.clone();
                cleared.iter().for_each(|(row, column)| map.rows[*row][*column] = FREE);
                found.push(map);
            }
            many /= 2;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::{Rules, Turn};

    use super::*;
    use crate::notation::parse_drawn;
    use crate::rules::Tron;

    fn drawn(rows: &[&str]) -> StudyPosition {
        let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
        Map { rows, is_in_turn: false, vanish: false }.position()
    }

    fn begin_at(board: &str, scenario: &str) -> Result<StudyPosition, String> {
        TronStudy.begin_at(scenario, &serde_json::to_value(parse_drawn(board)).unwrap())
    }

    #[test]
    fn a_position_begins_a_match_with_walls_for_trails_and_without_cells_that_nobody_reaches() {
        let board = "
            ########
            #aA #  #
            #a  #  #
            #bbB#  #
            ########";
        let position = begin_at(board, "hackerrank").unwrap();
        assert_eq!(position.file, "####\n#1 #\n#  #\n##2#\n####\n");
        let (scenario, _) = roster().build(&position.scenario).unwrap();
        assert_eq!(scenario.rules().seats(), 2);
    }

    #[test]
    fn boards_without_exact_values_say_what_they_lack() {
        let board = "#####\n#A  #\n#  B#\n#####";
        let three = "empty?players=3&symmetry=none";
        assert_eq!(
            begin_at(board, three).unwrap_err(),
            "no smaller one is like it (exact values exist for two players only)"
        );
        assert_eq!(
            begin_at(board, "empty?headings=drawn").unwrap_err(),
            "no smaller one is like it (expected headings=free)"
        );
    }

    #[test]
    fn simpler_positions_are_simpler_and_keep_both_heads() {
        let position = drawn(&["#######", "#1 #  #", "#  #  #", "#    2#", "#######"]);
        let size = Map::read(&position).complexity();
        let simpler = TronStudy.simpler(&position);
        assert!(simpler.len() > 10);
        for other in simpler {
            let map = Map::read(&other);
            assert!(map.complexity() < size && map.has_heads(), "{}", other.file);
            assert!(read_map(&other.file).is_ok(), "{}", other.file);
        }
    }

    #[test]
    fn each_direction_has_its_worth_and_the_reply_that_holds_it_down() {
        // Only to the right is there more room than the other has.
        let position = drawn(&["#######", "# 1   #", "#######", "#2  ###", "#######"]);
        let worths = TronStudy.worths(&position, Seat::new(0), 1000, None).actions.unwrap();
        let told: Vec<(&str, f64, f64)> = worths
            .iter()
            .map(|worth| (worth.action.as_str(), worth.expected, worth.least))
            .collect();
        let right = ("R", 1.0, 1.0);
        assert_eq!(told, [("U", 0.0, 0.0), right, ("D", 0.0, 0.0), ("L", 0.0, 0.0)]);
        assert!(worths.iter().all(|worth| worth.reply == "R"));
        let seen_from_b = TronStudy.worths(&position, Seat::new(1), 1000, None).actions.unwrap();
        assert_eq!(seen_from_b[1].expected, 0.0);
    }

    #[test]
    fn positions_that_take_more_than_the_work_allowed_have_no_worths() {
        let position = drawn(&["######", "#1   #", "#    #", "#   2#", "######"]);
        assert!(TronStudy.worths(&position, Seat::new(0), 1, None).actions.is_none());
        assert!(TronStudy.worths(&position, Seat::new(0), 10_000, None).actions.is_some());
    }

    fn tell(position: &StudyPosition, [action, reply]: [&str; 2], least: f64) -> Option<String> {
        let (action, reply) = (action.to_owned(), reply.to_owned());
        let worth = ActionWorth { action, reply, expected: least, least };
        TronStudy.consequence(position, Seat::new(0), &worth)
    }

    #[test]
    fn consequences_count_what_is_left() {
        let position = drawn(&["#######", "# 1   #", "#######", "#2  ###", "#######"]);
        let tell = |moves, least| tell(&position, moves, least).unwrap();
        assert_eq!(tell(["R", "R"], 1.0), "it has room for 2 more moves, B for 1");
        assert_eq!(tell(["L", "R"], 0.0), "it has room for 0 more moves, B for 1");
        assert_eq!(tell(["U", "R"], 0.0), "it crashes");
        assert_eq!(tell(["U", "L"], 0.5), "both crash");
        assert_eq!(tell(["R", "L"], 1.0), "B must crash");
    }

    #[test]
    fn counts_that_contradict_the_score_are_not_given_as_its_reason() {
        // A reaches more cells first, and loses: the way to them is B's.
        let board = ["#####", "#   #", "# 1 #", "# # #", "### #", "#   #", "#2  #", "#####"];
        let position = drawn(&board);
        let worths = TronStudy.worths(&position, Seat::new(0), 10_000, None).actions.unwrap();
        let right = worths.iter().find(|worth| worth.action == "R").unwrap();
        assert_eq!((right.least, right.reply.as_str()), (0.0, "U"));
        let told = TronStudy.consequence(&position, Seat::new(0), right).unwrap();
        assert_eq!(
            told,
            "if both go on well, one turn later it has room for 4 more moves, B for 5"
        );
    }

    #[test]
    fn a_stopped_study_knows_no_worths_even_where_only_ways_are_left() {
        let position =
            drawn(&["######", "#1   #", "#    #", "######", "#2   #", "#    #", "######"]);
        let stop = Arc::new(AtomicBool::new(true));
        let worths = TronStudy.worths(&position, Seat::new(0), 10_000, Some(&stop));
        assert_eq!(worths.actions, None);
        assert!(TronStudy.worths(&position, Seat::new(0), 10_000, None).actions.is_some());
    }

    #[test]
    fn long_ways_count_as_work() {
        let rows =
            ["########", "#1     #", "#      #", "#      #", "########", "#2     #", "########"];
        let worths = |most| TronStudy.worths(&drawn(&rows), Seat::new(0), most, None).actions;
        assert_eq!(worths(1), None);
        assert!(worths(10_000).is_some());
    }

    /// Whether whoever moves wins, by the rules alone.
    fn wins_by_rules(rules: &Tron, state: &State) -> bool {
        let Turn::Seat(mover) = rules.turn(state) else { return false };
        Direction::ALL.into_iter().any(|direction| {
            let mut after = state.clone();
            rules.step(&mut after, &[direction]);
            match rules.turn(&after) {
                Turn::Over => after.is_alive(mover),
                _ => !wins_by_rules(rules, &after),
            }
        })
    }

    #[test]
    fn in_turn_each_direction_is_worth_what_the_rules_make_of_it() {
        let maps: [&[&str]; 4] = [
            &["######", "#1   #", "#    #", "#   2#", "######"],
            &["######", "#    #", "#1#2 #", "# #  #", "######"],
            &["#######", "# 1   #", "#######", "#2  ###", "#######"],
            &["#####", "#  1#", "#   #", "# 2 #", "#####"],
        ];
        let rules = Tron::new(2, Moves::Sequential, Trails::Vanish);
        let mut seen = [0; 2];
        for rows in maps {
            let position = Map { is_in_turn: true, vanish: true, ..Map::read(&drawn(rows)) };
            let position = position.position();
            let (scenario, _) = roster().build(&position.scenario).unwrap();
            assert_eq!(scenario.rules().moves(), Moves::Sequential);
            let state = read_map(&position.file).unwrap();
            let worths = TronStudy.worths(&position, Seat::new(0), 100_000, None).actions.unwrap();
            for worth in worths {
                let mut after = state.clone();
                rules.step(&mut after, &[worth.action.parse().unwrap()]);
                let wins = match rules.turn(&after) {
                    Turn::Over => after.is_alive(Seat::new(0)),
                    _ => !wins_by_rules(&rules, &after),
                };
                assert_eq!(worth.least, f64::from(u8::from(wins)), "{}\n{state:?}", worth.action);
                seen[usize::from(wins)] += 1;
                let told = TronStudy.consequence(&position, Seat::new(0), &worth);
                assert!(told.is_some(), "{worth:?}");
            }
        }
        assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
    }

    #[test]
    fn in_turn_whoever_decides_begins() {
        let board = "#####\n#A  #\n#  B#\n#####";
        let mut seen = serde_json::to_value(parse_drawn(board)).unwrap();
        seen["to_move"] = 1.into();
        let position = TronStudy.begin_at("codingame", &seen).unwrap();
        assert_eq!(position.file, "#####\n#2  #\n#  1#\n#####\n");
        assert!(position.scenario.ends_with("&moves=sequential&trails=vanish"));
        assert!(TronStudy.simpler(&position).iter().all(is_in_turn));
    }
}
