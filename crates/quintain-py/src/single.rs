//! One environment: a state whose steps return new arrays. What the classes for Gymnasium and
//! PettingZoo stand on.

use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_core::{ActionNumbers, AnyBatch, ArrayLengths, Arrays, Layout, Seat};

use crate::batch::{
    Players, Saved, Wanted, describe_layout, make_batch, of_tuple, scenario_of, shape_board,
    to_tuple, warn_of_sameness,
};
use crate::catalog::refuse;
use crate::picture;

/// Observation, reward, terminated, truncated, information.
type Stepped<'py> = (Bound<'py, PyDict>, f64, bool, bool, Bound<'py, PyDict>);

/// What an environment was made of besides game and scenario.
#[derive(Clone)]
struct Made {
    encoding: Option<String>,
    opponents: Vec<String>,
    seat: Option<usize>,
    budget: String,
}

/// Of each seat, [`Layout::own_bytes`]; empty where seats do not show in the board's bytes.
fn own_bytes(layout: &Layout) -> Vec<[u8; 256]> {
    if layout.seat_values.is_empty() || layout.learner_seats == 1 {
        return Vec::new();
    }
    Seat::all(layout.seats).map(|seat| layout.own_bytes(seat, layout.seats)).collect()
}

/// An environment that was pickled.
#[pyfunction(name = "_restore_single")]
#[expect(clippy::too_many_arguments, reason = "each is a field of the pickle")]
pub(crate) fn restore_single(
    py: Python<'_>,
    game: &str,
    scenario: &str,
    encoding: Option<&str>,
    opponents: Vec<String>,
    seat: Option<usize>,
    budget: &str,
    saved: Option<Saved>,
) -> PyResult<Single> {
    let opponent = (!opponents.is_empty()).then_some(Players::Several(opponents));
    let mut single =
        Single::new(py, game, Some(scenario), encoding, false, opponent, seat, budget)?;
    let Some(saved) = saved else { return Ok(single) };
    single.begun = true;
    let (batch, arrays) = single.apart();
    batch
        .restore(&[of_tuple(saved)], arrays)
        .map_err(|_| refuse("the pickled episode cannot be played"))?;
    Ok(single)
}

/// One state of a game, stepped by numbers.
#[pyclass(module = "quintain")]
pub(crate) struct Single {
    batch: Box<dyn AnyBatch>,
    layout: Layout,
    /// For each seat, the byte that it sees for each of the board's, where that differs.
    own: Vec<[u8; 256]>,
    name: &'static str,
    scenario: String,
    made: Made,
    begun: bool,
    board: Vec<u8>,
    features: Vec<i32>,
    masks: Vec<i8>,
    rewards: Vec<f32>,
    scores: Vec<f64>,
    ends: [bool; 3],
    seed: u64,
}

#[pymethods]
impl Single {
    #[new]
    #[pyo3(signature = (
        game, scenario = None, *, encoding = None, letters = false, opponent = None, seat = None,
        budget = ""
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is an option of the constructor")]
    fn new(
        py: Python<'_>,
        game: &str,
        scenario: Option<&str>,
        encoding: Option<&str>,
        letters: bool,
        opponent: Option<Players>,
        seat: Option<usize>,
        budget: &str,
    ) -> PyResult<Single> {
        let opponents = opponent.map_or_else(Vec::new, Players::all);
        let made = Made {
            encoding: if letters {
                Some("letters".to_owned())
            } else {
                encoding.map(str::to_owned)
            },
            opponents: opponents.clone(),
            seat,
            budget: budget.to_owned(),
        };
        let autoreset = false;
        let wanted =
            Wanted { game, scenario, encoding, letters, opponents, seat, budget, autoreset };
        let (batch, name, scenario) = make_batch(wanted)?;
        warn_of_sameness(py, batch.as_ref(), name, &scenario)?;
        let layout = batch.layout().clone();
        let ArrayLengths { board, features, masks, seats } = ArrayLengths::new(&layout, true, true);
        Ok(Single {
            batch,
            own: own_bytes(&layout),
            layout,
            name,
            scenario,
            made,
            begun: false,
            board: vec![0; board],
            features: vec![0; features],
            masks: vec![0; masks],
            rewards: vec![0.0; seats],
            scores: vec![0.0; seats],
            ends: [false; 3],
            seed: 0,
        })
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &str {
        self.name
    }

    /// The scenario of the episode, in its canonical text: with the instance that is played,
    /// where every episode draws its own.
    #[getter]
    fn scenario(&self) -> String {
        if !self.begun {
            return self.scenario.clone();
        }
        scenario_of(&self.scenario, self.batch.as_ref(), 0)
    }

    /// The seat that the learner has, where others play against it.
    #[getter]
    fn learner(&self) -> Option<usize> {
        if self.begun { self.batch.learner(0).map(Seat::index) } else { None }
    }

    /// The form of actions and observations.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe_layout(py, &self.layout)
    }

    /// The seed of the episode.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The score of each seat once the episode is over.
    #[getter]
    fn scores(&self) -> Vec<f64> {
        self.scores.clone()
    }

    /// Whether the episode is over.
    #[getter]
    fn is_over(&self) -> bool {
        !self.begun || self.batch.is_over(0)
    }

    /// Whether an illegal action ended it.
    #[getter]
    fn was_illegal(&self) -> bool {
        self.ends[2]
    }

    /// Begins the match of a seed; what seat 0 sees, and the information beside it.
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        seed: u64,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        self.begun = true;
        self.scores.fill(0.0);
        self.ends = [false; 3];
        let (batch, arrays) = self.apart();
        batch.reset(&[seed], arrays, None);
        Ok((self.observation(py, 0, false)?, self.information(py)?))
    }

    /// Plays an action of the only seat, and returns what Gymnasium has a step return.
    fn step<'py>(&mut self, py: Python<'py>, action: i64) -> PyResult<Stepped<'py>> {
        self.play(&[action])?;
        let [terminated, truncated, _] = self.ends;
        let reward = f64::from(self.rewards[0]);
        Ok((self.observation(py, 0, false)?, reward, terminated, truncated, self.information(py)?))
    }

    /// Plays an action of each seat, whatever it is for those that do not move: the rewards,
    /// terminated, truncated.
    fn step_together<'py>(
        &mut self,
        py: Python<'py>,
        actions: Vec<i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.play(&actions)?;
        let [terminated, truncated, _] = self.ends;
        let rewards = self.rewards.as_slice().into_pyobject(py)?;
        (rewards, terminated, truncated).into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("quintain._quintain")?.getattr("_restore_single")?;
        let Made { encoding, opponents, seat, budget } = self.made.clone();
        let saved = if self.begun { self.batch.save().pop().map(to_tuple) } else { None };
        let arguments = (self.name, &self.scenario, encoding, opponents, seat, budget, saved);
        (restore, arguments).into_pyobject(py)
    }

    /// What a seat sees: `board` and `features`; with `own`, itself as seat 0.
    #[pyo3(signature = (seat = 0, own = false))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: usize,
        own: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let seen = PyDict::new(py);
        let board = match self.own.get(seat) {
            Some(bytes) if own && seat != 0 => {
                let board: Vec<u8> = self.board.iter().map(|b| bytes[usize::from(*b)]).collect();
                self.seen(py, seat, &board)?
            }
            _ => self.seen(py, seat, &self.board)?,
        };
        seen.set_item(intern!(py, "board"), board)?;
        let features = PyArray1::from_slice(py, &self.features);
        seen.set_item(intern!(py, "features"), features)?;
        Ok(seen)
    }

    /// Which actions a seat may take: 1 or 0.
    #[pyo3(signature = (seat = 0))]
    fn mask<'py>(&self, py: Python<'py>, seat: usize) -> Bound<'py, PyArray1<i8>> {
        let count = self.layout.actions;
        PyArray1::from_slice(py, &self.masks[seat * count..(seat + 1) * count])
    }

    /// Whether a seat must move now.
    fn acts(&self, seat: usize) -> bool {
        self.begun && self.batch.is_acting(0, Seat::new(seat))
    }

    /// Whether a seat is still in the game.
    fn lives(&self, seat: usize) -> bool {
        self.begun && self.batch.is_alive(0, Seat::new(seat))
    }

    /// The position as `ansi`, `svg` or `rgb_array`, through the eyes of a seat if one is given.
    #[pyo3(signature = (mode = "ansi", seat = None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        mode: &str,
        seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !self.begun {
            return Err(refuse("nothing to be seen before reset()"));
        }
        picture::render(py, &self.batch.scene(0, seat.map(Seat::new)), mode, &[], &[])
    }
}

impl Single {
    /// The state and the arrays that it writes, borrowed apart.
    fn apart(&mut self) -> (&mut dyn AnyBatch, Arrays<'_>) {
        let lengths = ArrayLengths::new(&self.layout, true, true);
        let [terminated, truncated, illegal] = &mut self.ends;
        let arrays = Arrays {
            lengths,
            board: &mut self.board,
            features: &mut self.features,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            scores: &mut self.scores,
            terminated: std::slice::from_mut(terminated),
            truncated: std::slice::from_mut(truncated),
            illegal: std::slice::from_mut(illegal),
            seeds: std::slice::from_mut(&mut self.seed),
        };
        (self.batch.as_mut(), arrays)
    }

    fn play(&mut self, actions: &[i64]) -> PyResult<()> {
        let Layout { learner_seats: seats, actions: count, .. } = self.layout;
        if actions.len() != seats {
            return Err(refuse(format!("{} actions for {seats} seats", actions.len())));
        }
        if self.is_over() {
            return Err(refuse("the episode is over; reset() begins another"));
        }
        let numbers = ActionNumbers::Long(actions);
        if let Some((seat, number)) = numbers.first_beyond(count) {
            return Err(refuse(format!(
                "seat {seat}: action {number}: expected 0 to {}",
                count - 1
            )));
        }
        let (batch, arrays) = self.apart();
        batch.step(numbers, arrays, None);
        Ok(())
    }

    /// The board that a seat sees.
    fn seen<'py>(&self, py: Python<'py>, seat: usize, board: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let row = if self.layout.is_words {
            let bytes = board.len() / self.layout.learner_seats;
            &board[seat * bytes..][..bytes]
        } else {
            board
        };
        shape_board(py, &self.layout, row)
    }

    /// The mask of seat 0; at the end the score, and whether an illegal action ended it.
    fn information<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let information = PyDict::new(py);
        information.set_item(intern!(py, "action_mask"), self.mask(py, 0))?;
        if self.batch.is_over(0) {
            information.set_item(intern!(py, "score"), self.scores[0])?;
            information.set_item(intern!(py, "illegal"), self.ends[2])?;
        }
        Ok(information)
    }
}
