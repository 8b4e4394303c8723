//! A game's entry in the catalog: its scenarios and its roster of players, each
//! with its parameters, registered once, in the game's own crate.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use crate::dialect::Dialect;
use crate::game::Game;
use crate::parameters::{Declared, Parameters};
use crate::player::Player;
use crate::scene::Point;
use crate::spec::{Spec, SpecError};
use crate::suggest::did_you_mean;

type BuildGame<G> =
    Arc<dyn Fn(&[(String, String)]) -> Result<(G, Vec<(String, String)>), String> + Send + Sync>;
/// Makes a player for one seat of one match, or says why it cannot play there.
pub(crate) type Prepared<G> = Arc<dyn Fn(&G) -> Result<Box<dyn Player<G>>, String> + Send + Sync>;
type PreparePlayer<G> = Arc<
    dyn Fn(&[(String, String)]) -> Result<(Prepared<G>, Vec<(String, String)>), String>
        + Send
        + Sync,
>;

/// A scenario family of a game.
pub struct ScenarioEntry<G> {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: Vec<Declared>,
    build: BuildGame<G>,
}

/// A player of a game's roster.
pub struct PlayerEntry<G: Game> {
    /// Its name.
    pub name: &'static str,
    /// Raised whenever its decisions change, so that old results stay apart.
    pub version: u32,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: Vec<Declared>,
    prepare: PreparePlayer<G>,
}

/// What a verb on files (`solve`, `score`) is asked.
#[derive(Clone, Debug, Default)]
pub struct ToolRequest {
    /// Files or names.
    pub inputs: Vec<String>,
    /// Further settings by name.
    pub options: Vec<(String, String)>,
    /// JSON instead of text for people.
    pub json: bool,
    /// Set when the user wants the best so far, now.
    pub stop: Arc<AtomicBool>,
    /// Where the best solutions are kept, if they are.
    pub keeper: Option<Arc<dyn Keeper>>,
}

/// Keeps the best solution known of each instance of a game.
pub trait Keeper: fmt::Debug + Send + Sync {
    /// Keeps a solution if it is better (`gain` is higher) than what is known of its
    /// instance; the gain known before, if there was one.
    ///
    /// # Errors
    /// If it cannot be read or written; the text says why.
    fn keep(&self, instance: &str, gain: f64, solution: &str) -> Result<Option<f64>, String>;

    /// All that is kept, by instance.
    ///
    /// # Errors
    /// If it cannot be read; the text says why.
    fn kept(&self) -> Result<Vec<(String, String)>, String>;
}

/// A key that a person presses to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter, digit or sign; the space too.
    Character(char),
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow upwards.
    Up,
    /// The arrow downwards.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

/// How a game is played by hand.
#[derive(Clone, Copy, Debug)]
pub struct Keyboard {
    /// What the keys do, in a line.
    pub help: &'static str,
    /// The action of a key, in text.
    pub action: fn(Key) -> Option<String>,
    /// How actions are put together on the board, where a key is not enough.
    pub pointing: Option<Pointing>,
    /// What was played, as a solution in the form of the game's files: from the scenario
    /// and the actions. Only where there is such a form.
    pub solution: Option<Solved>,
}

/// See [`Keyboard::solution`].
pub type Solved = fn(&str, &[String]) -> Result<String, String>;

/// How actions are put together by pointing at cells.
#[derive(Clone, Copy, Debug)]
pub struct Pointing {
    /// How it is done, in a line.
    pub help: &'static str,
    /// What cells can be marked as beforehand, each with its key: `('w', "water")`.
    pub marks: &'static [(char, &'static str)],
    /// Actions that need no cell, each with its key: `('x', "reject")`.
    pub others: &'static [(char, &'static str)],
    /// What is meant by a gesture.
    pub action: fn(&Gesture<'_>) -> Option<Pointed>,
}

/// A cell pointed at, and what was said before.
#[derive(Clone, Copy, Debug)]
pub struct Gesture<'a> {
    /// The cell.
    pub at: Point,
    /// How often the piece was turned.
    pub turns: u8,
    /// Cells marked, by the key of [`Pointing::marks`].
    pub marks: &'a [(char, Point)],
    /// What the person sees, in the game's JSON form.
    pub observation: &'a Value,
    /// The actions offered, in text.
    pub offered: &'a [String],
}

/// What a gesture means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointed {
    /// The action, in text; perhaps one that the rules refuse.
    pub action: String,
    /// The cells that it is about.
    pub cells: Vec<Point>,
}

/// Why a verb on files failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ToolError {
    /// Asked for wrongly.
    #[error("{0}")]
    Usage(String),
    /// Could not be done.
    #[error("{0}")]
    Failed(String),
}

/// A verb on files that a single-seat game brings along: text for standard output.
pub type FileTool = Arc<dyn Fn(&ToolRequest) -> Result<String, ToolError> + Send + Sync>;

/// How far a score of a finished match, whose metrics are given, is from a bound that nobody can
/// beat, in points of the score; nothing where no bound is proved.
pub type RegretOf = fn(f64, &BTreeMap<String, f64>) -> Option<f64>;

/// A game with everything registered for it.
pub struct Entry<G: Game> {
    pub(crate) name: &'static str,
    pub(crate) version: u32,
    pub(crate) summary: &'static str,
    pub(crate) source: &'static str,
    pub(crate) scenarios: Vec<ScenarioEntry<G>>,
    pub(crate) players: Vec<PlayerEntry<G>>,
    pub(crate) showcase: (String, Vec<String>),
    pub(crate) dialects: Vec<Dialect>,
    pub(crate) solve: Option<FileTool>,
    pub(crate) score: Option<FileTool>,
    pub(crate) tools: Vec<(&'static str, FileTool)>,
    pub(crate) keyboard: Option<Keyboard>,
    pub(crate) regret: Option<RegretOf>,
}

impl<G: Game> Entry<G> {
    /// A game without scenarios and players yet. `version` is raised whenever the
    /// rules change, so that old results stay apart.
    pub fn new(
        name: &'static str,
        version: u32,
        summary: &'static str,
        source: &'static str,
    ) -> Self {
        Entry {
            name,
            version,
            summary,
            source,
            scenarios: Vec::new(),
            players: Vec::new(),
            showcase: (String::new(), Vec::new()),
            dialects: Vec::new(),
            solve: None,
            score: None,
            tools: Vec::new(),
            keyboard: None,
            regret: None,
        }
    }

    /// Registers a scenario family; the first one is the default. `build` may complete
    /// the parameters (a file's digest, say): what it leaves is the canonical text.
    pub fn scenario<P: Parameters>(
        mut self,
        name: &'static str,
        summary: &'static str,
        source: &'static str,
        build: impl Fn(&mut P) -> Result<G, String> + Send + Sync + 'static,
    ) -> Self {
        debug_assert!(self.scenarios.iter().all(|known| known.name != name), "{name} twice");
        let build: BuildGame<G> = Arc::new(move |arguments| {
            let mut parameters = P::from_arguments(arguments).map_err(|e| e.to_string())?;
            let game = build(&mut parameters)?;
            Ok((game, parameters.spec(name).arguments))
        });
        let parameters = P::declared();
        self.scenarios.push(ScenarioEntry { name, summary, source, parameters, build });
        self
    }

    /// Registers a player. `build` seats it at a game, or refuses with a reason.
    pub fn player<P: Parameters>(
        mut self,
        name: &'static str,
        version: u32,
        summary: &'static str,
        source: &'static str,
        build: impl Fn(&G, &P) -> Result<Box<dyn Player<G>>, String> + Send + Sync + 'static,
    ) -> Self {
        debug_assert!(self.players.iter().all(|known| known.name != name), "{name} twice");
        let build = Arc::new(build);
        let prepare: PreparePlayer<G> = Arc::new(move |arguments| {
            let parameters = P::from_arguments(arguments).map_err(|e| e.to_string())?;
            let canonical = parameters.spec(name).arguments;
            let build = Arc::clone(&build);
            let prepared: Prepared<G> = Arc::new(move |game| build(game, &parameters));
            Ok((prepared, canonical))
        });
        let parameters = P::declared();
        self.players.push(PlayerEntry { name, version, summary, source, parameters, prepare });
        self
    }

    /// What `quintain match GAME` plays when nothing else is said.
    pub fn showcase<'a>(
        mut self,
        scenario: &str,
        players: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        self.showcase = (scenario.to_owned(), players.into_iter().map(str::to_owned).collect());
        self
    }

    /// Registers a foreign protocol.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        debug_assert!(self.dialects.iter().all(|known| known.name != dialect.name));
        self.dialects.push(dialect);
        self
    }

    /// What `quintain solve GAME` does.
    pub fn solve_tool(mut self, tool: FileTool) -> Self {
        self.solve = Some(tool);
        self
    }

    /// What `quintain score GAME` does.
    pub fn score_tool(mut self, tool: FileTool) -> Self {
        self.score = Some(tool);
        self
    }

    /// What another verb on files (`stats`, `leaderboard`) does.
    pub fn tool(mut self, verb: &'static str, tool: FileTool) -> Self {
        self.tools.push((verb, tool));
        self
    }

    /// How far a score is from what nobody can beat.
    pub fn regret(mut self, regret: RegretOf) -> Self {
        self.regret = Some(regret);
        self
    }

    /// How a person plays it.
    pub fn keyboard(mut self, keyboard: Keyboard) -> Self {
        self.keyboard = Some(keyboard);
        self
    }

    /// The scenario families.
    pub fn scenarios(&self) -> &[ScenarioEntry<G>] {
        &self.scenarios
    }

    /// The roster.
    pub fn players(&self) -> &[PlayerEntry<G>] {
        &self.players
    }

    /// The game on a scenario given as text (`NAME` or `GAME:NAME`), and the canonical text.
    ///
    /// # Errors
    /// If the scenario or a parameter is unknown, or a value cannot be.
    pub fn build(&self, scenario: &str) -> Result<(G, String), SpecError> {
        let scenario =
            scenario.strip_prefix(self.name).and_then(|s| s.strip_prefix(':')).unwrap_or(scenario);
        let spec: Spec = scenario.parse()?;
        let family = self.scenarios.iter().find(|known| known.name == spec.path);
        let family = family.ok_or_else(|| {
            let names = self.scenarios.iter().map(|known| known.name);
            SpecError(did_you_mean(&format!("{} scenario", self.name), &spec.path, names))
        })?;
        let (game, arguments) = (family.build)(&spec.arguments)
            .map_err(|problem| SpecError(format!("scenario {}:{spec}: {problem}", self.name)))?;
        Ok((game, Spec { path: spec.path, arguments }.to_string()))
    }

    /// A player given as text (`NAME` or `GAME/NAME`), its canonical text and version.
    ///
    /// # Errors
    /// If the player or a parameter is unknown, or a value cannot be.
    pub(crate) fn prepare(&self, player: &str) -> Result<(Prepared<G>, String, u32), SpecError> {
        let player =
            player.strip_prefix(self.name).and_then(|s| s.strip_prefix('/')).unwrap_or(player);
        let spec: Spec = player.parse()?;
        let entry = self.players.iter().find(|known| known.name == spec.path);
        let entry = entry.ok_or_else(|| {
            let names = self.players.iter().map(|known| known.name);
            SpecError(did_you_mean(&format!("{} player", self.name), &spec.path, names))
        })?;
        let (prepared, arguments) = (entry.prepare)(&spec.arguments)
            .map_err(|problem| SpecError(format!("player {}/{spec}: {problem}", self.name)))?;
        Ok((prepared, Spec { path: spec.path, arguments }.to_string(), entry.version))
    }

    /// A player given as text, seated at `game`.
    ///
    /// # Errors
    /// If the player is unknown or refuses the game.
    pub fn seated(&self, player: &str, game: &G) -> Result<Box<dyn Player<G>>, SpecError> {
        let (prepared, spec, _) = self.prepare(player)?;
        prepared(game).map_err(|why| SpecError(format!("player {}/{spec}: {why}", self.name)))
    }
}

impl<G: Game> fmt::Debug for Entry<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}
