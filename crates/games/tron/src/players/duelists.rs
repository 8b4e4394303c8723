//! The two engines, [`super::champion`] and [`super::contest2010`], as players: positions become
//! duels (for the champion, also melees if there are more than two seats), and budgets become
//! nodes. No move is chosen here.

use std::path::Path;
use std::sync::Arc;

use quintain_core::{BuildError, Decision, Fault, Player, Rules, Seat, Unit, parameters};
use quintain_grid::{Cell, Rows128};

use super::champion::Champion;
use super::champion::holding::Weights;
use super::champion::melee::{ALL, Melee};
use super::champion::network::{Network, NetworkError};
use super::champion::settings::{Settings, tuned};
use super::contest2010;
use super::duel::{Choice, Duel, Order, Scale};
use crate::rules::direction::Direction;
use crate::rules::state::{FREE, State, TRAIL};
use crate::rules::{Moves, Trails, Tron};

/// The values of `net` that are not files.
const CHAMBERS: &str = "chambers";
const NONE: &str = "none";
/// All values of `net`, as error messages list them.
const EXPECTED: &str = "chambers, none, or a file of quintain.train.chambers";

parameters! {
    /// The champion.
    pub(crate) struct ChampionParameters {
        /// Positions examined per decision where the budget sets no limit.
        nodes: u64 = 20_000, in 1..=1_000_000_000;
        /// Entries of the transposition table, as a power of two.
        table_bits: u32 = tuned().table_bits, in 10..=26;
        /// The value of a cell that a path through one's own territory can visit. Like `edge` and
        /// `front`, it counts only where no network does: with `net=none`, when seats move in turn,
        /// or with more than two players.
        cell: i32 = tuned().weights.cell, in 0..=1000;
        /// The value of each free neighbour of a cell in one's own territory.
        edge: i32 = tuned().weights.edge, in 0..=1000;
        /// The value of a cell that borders on the opponent's territory.
        front: i32 = tuned().weights.front, in -1000..=1000;
        /// The value of each cell that one can probably fill beyond what the opponent can, once the
        /// two are separated; in thousandths of the log-odds of winning.
        spare_cell: i32 = tuned().values.spare_cell, in 0..=10_000;
        /// The value of both crashing at once, on the scale of `spare_cell`.
        draw: i32 = tuned().values.draw, in -1_000_000..=1_000_000;
        /// How far below `draw` a head-on collision is valued while 1000 cells are free.
        contempt: i32 = tuned().values.contempt, in 0..=100_000;
        /// What values positions of two players that move at once: `chambers`, the network that
        /// comes with the player; the file of another network, written by
        /// `quintain.train.chambers`; or `none`, for a weighted sum.
        net: String = CHAMBERS.to_owned();
    }
}

impl ChampionParameters {
    fn settings(&self, network: Option<Arc<Network>>) -> Settings {
        let &ChampionParameters { table_bits, cell, edge, front, .. } = self;
        let &ChampionParameters { spare_cell, draw, contempt, .. } = self;
        let weights = Weights { cell, edge, front };
        Settings { table_bits, weights, spare_cell, draw, contempt, network }
    }
}

parameters! {
    /// The method of the 2010 contest's winner.
    pub(crate) struct Contest2010Parameters {
        /// Positions examined per decision where the budget sets no limit.
        nodes: u64 = 20_000, in 1..=1_000_000_000;
    }
}

/// The position as the engines see it.
fn duel_of(rules: &Tron, state: &State) -> Duel {
    let heads = [0, 1].map(|seat| head_of(state, Seat::new(seat)));
    let free = cells_of(state, FREE);
    Duel { height: state.height(), width: state.width(), free, heads, order: order_of(rules) }
}

/// A position of more than two seats as the champion sees it from one of them.
pub(super) fn melee_of(rules: &Tron, state: &State, seat: Seat) -> Melee {
    let seats = state.seats();
    let in_turn = (0..seats).map(|turn| Seat::new((seat.index() + turn) % seats));
    let living = in_turn.filter(|seat| state.is_alive(*seat));
    let living: Vec<(Cell, Rows128)> = living
        .map(|seat| (head_of(state, seat), cells_of(state, TRAIL + seat.index() as u8)))
        .collect();
    Melee {
        height: state.height(),
        width: state.width(),
        free: cells_of(state, FREE),
        fallen: seats - living.len(),
        living,
        order: order_of(rules),
        trails_vanish: rules.trails() == Trails::Vanish,
    }
}

/// All cells that hold the byte `held`.
fn cells_of(state: &State, held: u8) -> Rows128 {
    let numbers = (0..).zip(state.cells()).filter(|(_, cell)| **cell == held);
    numbers.map(|(number, _)| cell_of(state, number)).collect()
}

fn head_of(state: &State, seat: Seat) -> Cell {
    cell_of(state, state.head(seat))
}

fn cell_of(state: &State, number: usize) -> Cell {
    Cell::new((number / state.width()) as u8, (number % state.width()) as u8)
}

fn order_of(rules: &Tron) -> Order {
    match rules.moves() {
        Moves::Simultaneous => Order::Simultaneous,
        Moves::Sequential => Order::InTurn,
    }
}

/// Notes what the engine saw and returns its direction. Each value is named after what it counts,
/// so that no series mixes two scales.
fn note_choice(decision: &mut Decision<'_, Tron>, choice: &Choice) -> Direction {
    decision.note("depth", choice.depth.into());
    decision.note("nodes", choice.nodes as f64);
    let value = f64::from(choice.value);
    match choice.scale {
        Scale::Value => decision.note("value", value),
        Scale::Forced => decision.note("value of a forced move", value),
        Scale::MovesLeft => decision.note("moves left", value),
        Scale::Outlived => decision.note("outlives", value / f64::from(ALL)),
    }
    choice.direction
}

/// Refuses rules that are not for two seats, as the 2010 method requires.
fn check_two_seats(rules: &Tron) -> Result<(), BuildError> {
    match rules.seats() {
        2 => Ok(()),
        seats => Err(format!("it is made for two seats, and this board has {seats}").into()),
    }
}

/// The champion as a player; its transposition table lives for one match.
struct ChampionPlayer {
    engine: Champion,
    nodes: u64,
}

impl Player<Tron> for ChampionPlayer {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let state = decision.observation();
        let seat = decision.seat();
        let mut meter = decision.meter(Unit::Nodes, self.nodes);
        let choice = if state.seats() == 2 {
            let duel = duel_of(decision.rules(), &state);
            self.engine.choose(&duel, seat.index(), &mut || meter.spend())
        } else {
            let melee = melee_of(decision.rules(), &state, seat);
            self.engine.choose_among(&melee, &mut || meter.spend())
        };
        Ok(note_choice(decision, &choice))
    }
}

impl Player<Tron> for Contest2010Parameters {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let duel = duel_of(decision.rules(), &decision.observation());
        let duel = duel.put_first(decision.seat().index());
        let mut meter = decision.meter(Unit::Nodes, self.nodes);
        let choice = contest2010::choose(&duel, &mut || meter.spend());
        Ok(note_choice(decision, &choice))
    }
}

/// Loads the network that the champion's parameters name and returns it with its version: 0 where
/// the player's own version already identifies it.
pub(crate) fn load_network(
    parameters: &ChampionParameters,
) -> Result<(Option<Arc<Network>>, u32), BuildError> {
    match parameters.net.as_str() {
        CHAMBERS => Ok((Some(Network::built_in()), 0)),
        NONE => Ok((None, 0)),
        file => {
            let network = Network::open(Path::new(file)).map_err(|error| match error {
                NetworkError::Unreadable(_) => unreadable(file, &error),
                error => error.to_string(),
            })?;
            let version = network.version();
            Ok((Some(Arc::new(network)), version))
        }
    }
}

/// The error for a network file that cannot be read; the text may have been meant as a name.
fn unreadable(name: &str, error: &NetworkError) -> String {
    let known = [CHAMBERS, NONE].into_iter().find(|known| known.eq_ignore_ascii_case(name.trim()));
    match known {
        Some(known) => format!("{error}; did you mean net={known}?"),
        None if name.is_empty() => format!("net= names no network; expected {EXPECTED}"),
        None => format!("{error}; expected {EXPECTED}"),
    }
}

pub(crate) fn build_champion(
    rules: &Tron,
    parameters: &ChampionParameters,
    network: &Option<Arc<Network>>,
) -> Result<Box<dyn Player<Tron>>, BuildError> {
    let is_file = ![CHAMBERS, NONE].contains(&parameters.net.as_str());
    if is_file && (rules.moves() == Moves::Sequential || rules.seats() != 2) {
        return Err("its networks are for two players that move at once; leave net out here".into());
    }
    Ok(Box::new(ChampionPlayer {
        engine: Champion::new(parameters.settings(network.clone())),
        nodes: parameters.nodes,
    }))
}

pub(crate) fn build_contest2010(
    rules: &Tron,
    parameters: &Contest2010Parameters,
) -> Result<Box<dyn Player<Tron>>, BuildError> {
    check_two_seats(rules)?;
    Ok(Box::new(parameters.clone()))
}
