//! Pentocity: the whole truth of the game. On square land, buildings are asked for one
//! by one: residences (pentominoes) and factories (rectangles). The player rejects each
//! or places it, with roads, water and park as it likes; the third rejection ends it.
//!
//! From the COMS 4444 course problem (Columbia, 2016), as its simulator read it and as
//! its report “Project 1: Pentocity” did; where they differ is [`Ruleset`]. What is asked
//! for is in [`crate::sequencers`], geometry in [`crate::land`].

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn, choices};
use quintain_grid::Cell;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::{Counts, Outline};
use crate::forms::Form;
use crate::land::{Cells, Land, neighbours};
use crate::notation::{self, Observation};
use crate::paths::Prefer;
use crate::placements::{Placements, needs_road, shortest_road};

choices! {
    /// Whose reading of the rules.
    pub enum Ruleset {
        /// The simulator's: factories earn bonuses too, the two outermost rings need no road.
        Simulator = "simulator",
        /// The report's: residences earn bonuses, only the border needs no road.
        Report = "report",
    }
}

impl Ruleset {
    /// How many of the outermost rings need no road.
    #[inline(always)]
    pub fn rings_without_road(self) -> usize {
        match self {
            Ruleset::Simulator => 2,
            Ruleset::Report => 1,
        }
    }
}

/// The rejection that ends the game.
pub const REJECTIONS: u8 = 3;
/// Points for touching a pond, and for touching a field.
pub const BONUS: u32 = 2;

/// What a player does with a request. Text form `reject`, or rotation, place and cells
/// as in `r2@10,12;road=3,4+3,5;water=5,5;park=6,6+6,7` (row, column).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Move {
    /// Does not build.
    Reject,
    /// Builds.
    Build(Build),
}

/// A building with what comes along.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// How the request is turned: by 90 degrees so many times.
    pub rotation: u8,
    /// The top left cell of the bounding box: row and column.
    #[serde(with = "notation::one_cell")]
    #[schemars(with = "[u8; 2]")]
    pub at: Cell,
    /// Cells of road to lay.
    #[serde(default, with = "notation::cells")]
    #[schemars(with = "Vec<[u8; 2]>")]
    pub road: Vec<Cell>,
    /// Cells of water to lay.
    #[serde(default, with = "notation::cells")]
    #[schemars(with = "Vec<[u8; 2]>")]
    pub water: Vec<Cell>,
    /// Cells of park to lay.
    #[serde(default, with = "notation::cells")]
    #[schemars(with = "Vec<[u8; 2]>")]
    pub park: Vec<Cell>,
}

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub(crate) land: Land,
    pub(crate) request: Option<Form>,
    pub(crate) rejections: u8,
    pub(crate) tally: Tally,
    /// How often each form was asked for.
    pub(crate) seen: [u16; Form::COUNT],
    /// The scenario has no more requests. No observation tells.
    pub(crate) is_exhausted: bool,
}

/// What was asked for, built and earned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Points.
    pub score: u32,
    /// Residences asked for.
    pub residences_asked: u16,
    /// Factories asked for.
    pub factories_asked: u16,
    /// Residences built.
    pub residences: u16,
    /// Factories built.
    pub factories: u16,
    /// Bonuses for ponds.
    pub ponds: u16,
    /// Bonuses for fields.
    pub fields: u16,
}

impl State {
    /// A position with nothing built.
    pub fn new(side: usize) -> State {
        State {
            land: Land::new(side),
            request: None,
            rejections: 0,
            tally: Tally::default(),
            seen: [0; Form::COUNT],
            is_exhausted: false,
        }
    }

    /// The position with other land of the same side: for set positions.
    pub fn with_land(mut self, land: Land) -> State {
        self.land = land;
        self
    }

    /// What stands where.
    #[inline(always)]
    pub fn land(&self) -> &Land {
        &self.land
    }

    /// What is asked for now; nothing before it is drawn and at the end.
    #[inline(always)]
    pub fn request(&self) -> Option<Form> {
        self.request
    }

    /// Rejections so far.
    pub fn rejections(&self) -> u8 {
        self.rejections
    }

    /// Whether the third rejection has ended it.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.rejections >= REJECTIONS
    }

    /// What was asked for, built and earned.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How often each form was asked for, by its number, this request included.
    pub fn seen(&self) -> &[u16; Form::COUNT] {
        &self.seen
    }

    /// Requests so far, this one included.
    pub fn requests(&self) -> u32 {
        u32::from(self.tally.residences_asked) + u32::from(self.tally.factories_asked)
    }

    /// Asks for a building.
    #[inline]
    pub fn ask(&mut self, form: Form) {
        let tally = &mut self.tally;
        let asked = if form.is_factory() {
            &mut tally.factories_asked
        } else {
            &mut tally.residences_asked
        };
        *asked = asked.saturating_add(1);
        let seen = &mut self.seen[form.index()];
        *seen = seen.saturating_add(1);
        self.request = Some(form);
    }

    /// Answers the request, which must be legal; the points earned.
    #[inline]
    pub fn answer(&mut self, scoring: Ruleset, answer: &Move) -> u32 {
        let Some(request) = self.request.take() else { return 0 };
        let Move::Build(build) = answer else {
            self.rejections = self.rejections.saturating_add(1);
            return 0;
        };
        let land = &mut self.land;
        land.lay_water(&build.water);
        land.lay_park(&build.park);
        build.road.iter().for_each(|&cell| land.lay_road(cell));
        let form = request.rotated(build.rotation);
        land.build(form, build.at);
        let tally = &mut self.tally;
        let mut points = form.size();
        if scoring == Ruleset::Simulator || !form.is_factory() {
            if Land::touches(land.ponds(), form, build.at) {
                points += BONUS;
                tally.ponds += 1;
            }
            if Land::touches(land.fields(), form, build.at) {
                points += BONUS;
                tally.fields += 1;
            }
        }
        let built = if form.is_factory() { &mut tally.factories } else { &mut tally.residences };
        *built += 1;
        tally.score += points;
        points
    }
}

/// The rules. What will be asked for is the environment's affair.
#[derive(Clone, Debug)]
pub struct Pentocity {
    side: usize,
    ruleset: Ruleset,
}

impl Pentocity {
    /// The game on a land of this side. The side must be among [`crate::land::SIDES`].
    pub fn new(side: usize, ruleset: Ruleset) -> Pentocity {
        Pentocity { side, ruleset }
    }

    /// Cells a side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Whose reading of the rules.
    pub fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The legal placements of the request; none if there is no request.
    pub fn placements(&self, state: &State) -> Option<Placements> {
        state.request.map(|request| Placements::of(&state.land, request, self.ruleset))
    }

    fn check_build(&self, state: &State, request: Form, build: &Build) -> Result<(), String> {
        let mut land = state.land;
        if build.rotation >= request.rotations() {
            return Err(format!(
                "rotation {} does not exist: {} {request} has rotations 0 to {}",
                build.rotation,
                request.kind(),
                request.rotations() - 1
            ));
        }
        for (cells, what) in [(&build.water, "water"), (&build.park, "park"), (&build.road, "road")]
        {
            for &cell in cells {
                self.check_empty(&land, cell, what)?;
                match what {
                    "water" => land.lay_water(&[cell]),
                    "park" => land.lay_park(&[cell]),
                    _ => land.lay_road(cell),
                }
            }
        }
        self.check_road(&state.land, &build.road)?;
        let form = request.rotated(build.rotation);
        for &(down, right) in &form.shape().cells {
            let cell =
                Cell::new(build.at.row.saturating_add(down), build.at.col.saturating_add(right));
            self.check_empty(&land, cell, form.kind())?;
            let other = if form.is_factory() { land.residences() } else { land.factories() };
            if let Some(beside) = neighbours(cell).into_iter().find(|side| other.contains(*side)) {
                let other = if form.is_factory() { "residence" } else { "factory" };
                return Err(format!(
                    "{} on {cell}: it would touch a {other} on {beside}; residences and factories \
                     must not touch",
                    form.kind()
                ));
            }
        }
        if needs_road(&land, self.ruleset, form, build.at) {
            return Err(format!(
                "{} at {}: no road beside it; it must touch a road or the ring road",
                form.kind(),
                build.at
            ));
        }
        Ok(())
    }

    fn check_empty(&self, land: &Land, cell: Cell, what: &str) -> Result<(), String> {
        if !land.has(cell) {
            let last = self.side - 1;
            return Err(format!(
                "{what} on {cell}: outside of the land, rows and columns 0–{last}"
            ));
        }
        if !land.empty().contains(cell) {
            let there = notation::word(land.at(cell));
            return Err(format!("{what} on {cell}: the cell is taken by {there}"));
        }
        Ok(())
    }

    /// Whether new road cells join the roads that there are, or the ring road.
    fn check_road(&self, land: &Land, road: &[Cell]) -> Result<(), String> {
        if road.is_empty() {
            return Ok(());
        }
        let last = self.side as u8 - 1;
        let is_at_end = |cell: Cell| {
            [0, last].contains(&cell.row)
                || [0, last].contains(&cell.col)
                || land.roads().sides(cell).contains(&true)
        };
        // Roads are short: a list is faster than a board.
        let mut joined: Vec<Cell> = road.iter().copied().filter(|cell| is_at_end(*cell)).collect();
        let mut next = 0;
        while next < joined.len() {
            for beside in neighbours(joined[next]) {
                if road.contains(&beside) && !joined.contains(&beside) {
                    joined.push(beside);
                }
            }
            next += 1;
        }
        match road.iter().find(|cell| !joined.contains(cell)) {
            None => Ok(()),
            Some(cell) => Err(format!(
                "road on {cell}: it joins neither the roads nor the ring road around the land"
            )),
        }
    }
}

impl Rules for Pentocity {
    type State = State;
    type Action = Move;
    type Observation = Observation;

    fn seats(&self) -> usize {
        1
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn setting(&self) -> serde_json::Value {
        serde_json::json!({ "side": self.side, "scoring": self.ruleset.to_string() })
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        // No cell is worth more than a 1×1 factory with both bonuses.
        Some((0.0, (self.side * self.side) as f64 * f64::from(1 + 2 * BONUS)))
    }

    fn has_chance(&self) -> bool {
        true
    }

    fn has_hidden_information(&self) -> bool {
        true
    }

    fn turn(&self, state: &State) -> Turn {
        if state.request.is_some() {
            Turn::Seat(Seat::new(0))
        } else if state.is_over() || state.is_exhausted {
            Turn::Over
        } else {
            Turn::Chance
        }
    }

    /// Rejecting, and the tightest placements with a shortest road.
    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Move>) {
        out.push(Move::Reject);
        let Some(mut placements) = self.placements(state) else { return };
        let land = &state.land;
        placements
            .narrow(|form, at| Counts::of(land, land.empty(), form, Outline::Edges).least(at));
        for placement in placements.iter() {
            let (form, at) = (placement.form, placement.at);
            let road = shortest_road(land, self.ruleset, form, at, &Cells::EMPTY, Prefer::Any);
            if let Some(road) = road {
                let (water, park) = (Vec::new(), Vec::new());
                let rotation = placement.rotation;
                out.push(Move::Build(Build { rotation, at, road, water, park }));
            }
        }
    }

    fn actions_are_all(&self) -> bool {
        false
    }

    /// Rejecting is never better than building, as far as these can see.
    fn pruned_actions(&self, state: &State, seat: Seat, out: &mut Vec<Move>) {
        let first = out.len();
        self.actions(state, seat, out);
        if out.len() > first + 1 {
            out.remove(first);
        }
    }

    fn check(&self, state: &State, _seat: Seat, action: &Move) -> Result<(), Illegal> {
        match (state.request, action) {
            (None, _) => Err(Illegal("nothing is asked for".to_owned())),
            (Some(_), Move::Reject) => Ok(()),
            (Some(request), Move::Build(build)) => {
                self.check_build(state, request, build).map_err(Illegal)
            }
        }
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Move]) {
        state.answer(self.ruleset, &joint[0]);
    }

    /// Draws the next request by how often each was asked for so far.
    fn sample_chance(&self, state: &mut State, rng: &mut Rng) {
        let weights = state.seen.map(f64::from);
        state.ask(Form::all().nth(rng.weighted(&weights)).expect("a weight for each form"));
    }

    fn observe(&self, state: &State, _seat: Seat) -> Observation {
        Observation::of(state)
    }

    fn determinize(&self, observation: &Observation, _seat: Seat, _rng: &mut Rng) -> State {
        observation.state().clone()
    }

    fn score(&self, state: &State, _seat: Seat) -> f64 {
        f64::from(state.tally.score)
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = if state.is_over() { "three rejections" } else { "no more requests" };
        Ending { reason, truncated: false }
    }

    fn forfeit(&self, state: &State, _seat: Seat) -> Vec<f64> {
        vec![f64::from(state.tally.score)]
    }

    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let (land, tally) = (&state.land, &state.tally);
        let count = |cells: &Cells| f64::from(cells.count());
        let wet = count(land.water()) + count(land.park());
        let bonuses = u32::from(tally.ponds) + u32::from(tally.fields);
        let mut metrics = vec![
            ("empty cells", count(land.empty())),
            ("road cells", count(land.roads())),
            ("water cells", count(land.water())),
            ("park cells", count(land.park())),
            ("residences", f64::from(tally.residences)),
            ("factories", f64::from(tally.factories)),
            ("bonuses", f64::from(bonuses)),
            ("rejections", f64::from(state.rejections)),
        ];
        if wet > 0.0 {
            metrics.push(("utility of water/park cells", f64::from(bonuses * BONUS) / wet));
        }
        metrics
    }
}
