//! A game's entry in the catalog: its scenarios and its roster of players, each with its
//! parameters. The game's own crate registers them, once.

mod encodings;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::build_error::BuildError;
use crate::description::{Description, Listed};
use crate::encoding_hook::EncodingHook;
use crate::environment::Scenario;
use crate::exact::MakeJudge;
use crate::numbered_rules::MakeEncoding;
use crate::parameters::Parameters;
use crate::player::{Player, PreparedPlayer};
use crate::presentation::{Presentation, TextPresentation};
use crate::protocol::ForeignProtocol;
use crate::rules::Rules;
use crate::spec::Spec;
use crate::spec_error::SpecError;
use crate::study::Study;
use crate::suggest::did_you_mean;
use crate::tool::Tool;

pub use encodings::TypedEncoding;

type BuildScenario<R> =
    Arc<dyn Fn(&[(String, String)]) -> Result<BuiltScenario<R>, BuildError> + Send + Sync>;
/// A scenario that was built, and its canonical arguments.
type BuiltScenario<R> = (Scenario<R>, Vec<(String, String)>);
type PreparePlayer<R> =
    Arc<dyn Fn(&[(String, String)]) -> Result<LoadedPlayer<R>, BuildError> + Send + Sync>;
type HookEncoding<R> = Arc<dyn Fn(&Arc<Entry<R>>) -> Box<dyn EncodingHook> + Send + Sync>;

/// A player that was looked up.
struct LoadedPlayer<R: Rules> {
    make: PreparedPlayer<R>,
    /// Its canonical arguments.
    arguments: Vec<(String, String)>,
    /// The version of what it was loaded from, which is added to the version of its entry.
    loaded: u32,
}

/// A scenario of a game.
pub struct ScenarioEntry<R: Rules> {
    /// What it is, with its parameters.
    pub listed: Listed,
    build: BuildScenario<R>,
}

impl<R: Rules> Clone for ScenarioEntry<R> {
    fn clone(&self) -> Self {
        ScenarioEntry { listed: self.listed.clone(), build: Arc::clone(&self.build) }
    }
}

/// A player on a game's roster.
pub struct PlayerEntry<R: Rules> {
    /// What it is, with its parameters.
    pub listed: Listed,
    prepare: PreparePlayer<R>,
}

/// Returns how far the score of a finished match with these metrics is from a bound that no player
/// can beat, in points; none if no bound is proved.
pub type RegretOf = fn(f64, &BTreeMap<String, f64>) -> Option<f64>;

/// A game with everything registered for it.
///
/// # Example
/// Adds a player that plays any game to a game's roster:
/// ```
/// use quintain_core::parameters::NoParameters;
/// use quintain_core::{Decision, Entry, Fault, Player, Description, Rules};
///
/// struct First;
///
/// impl<R: Rules> Player<R> for First {
///     fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
///         Ok(decision.actions().swap_remove(0))
///     }
/// }
///
/// fn add_first<R: Rules>(entry: Entry<R>) -> Entry<R> {
///     let description = Description {
///         name: "first",
///         version: 1,
///         summary: "takes the action that is offered first",
///         source: "folklore",
///     };
///     entry.player(description, |_rules, _: &NoParameters| Ok(Box::new(First)))
/// }
/// ```
pub struct Entry<R: Rules> {
    pub(crate) description: Description,
    pub(crate) scenarios: Vec<ScenarioEntry<R>>,
    pub(crate) players: Vec<PlayerEntry<R>>,
    pub(crate) how_to_play: &'static str,
    pub(crate) showcase: (String, Vec<String>),
    pub(crate) protocols: Vec<ForeignProtocol>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) presentation: Arc<dyn Presentation<R>>,
    encodings: Vec<(&'static str, MakeEncoding<R>)>,
    hooks: Vec<(&'static str, HookEncoding<R>)>,
    network: Option<&'static [u8]>,
    pub(crate) regret: Option<RegretOf>,
    pub(crate) exact: Option<MakeJudge>,
    pub(crate) study: Option<Arc<dyn Study>>,
}

impl<R: Rules> Entry<R> {
    /// A game without scenarios or players. `version` is raised whenever the rules change, so that
    /// old results stay apart.
    pub fn new(
        name: &'static str,
        version: u32,
        summary: &'static str,
        source: &'static str,
    ) -> Self {
        Entry::described(Description { name, summary, source, version })
    }

    fn described(description: Description) -> Self {
        Entry {
            description,
            scenarios: Vec::new(),
            players: Vec::new(),
            how_to_play: "",
            showcase: (String::new(), Vec::new()),
            protocols: Vec::new(),
            tools: Vec::new(),
            presentation: Arc::new(TextPresentation),
            encodings: Vec::new(),
            hooks: Vec::new(),
            network: None,
            regret: None,
            exact: None,
            study: None,
        }
    }

    /// Registers a scenario; the first one is the default. `build` may complete the
    /// parameters (with a file's digest, say); the completed parameters make the canonical text.
    pub fn scenario<P: Parameters>(
        mut self,
        name: &'static str,
        summary: &'static str,
        source: &'static str,
        build: impl Fn(&mut P) -> Result<Scenario<R>, BuildError> + Send + Sync + 'static,
    ) -> Self {
        let description = Description { name, summary, source, version: 0 };
        debug_assert!(self.scenario_entry(name).is_none(), "{name} twice");
        let build: BuildScenario<R> = Arc::new(move |arguments| {
            let mut parameters = P::from_arguments(arguments)?;
            let scenario = build(&mut parameters)?;
            Ok((scenario, parameters.spec(name).arguments))
        });
        self.scenarios.push(ScenarioEntry { listed: Listed::new(description, P::list()), build });
        self
    }

    /// Declares that a parameter of the last registered scenario numbers its instances: any 64-bit
    /// whole number chooses one of many problems of the same shape. Tournaments may play another
    /// instance on every seed (see [`ScenarioSet`](crate::ScenarioSet)). Learners meet the instance
    /// with the episode's seed in each episode, unless they ask for a particular one.
    pub fn instances(mut self, parameter: &'static str) -> Self {
        let scenario = self.scenarios.last_mut().expect("a scenario is registered before");
        debug_assert!(scenario.listed.parameters.iter().any(|known| known.name == parameter));
        scenario.listed.instances = Some(parameter);
        self
    }

    /// Registers a player. `build` makes it for one seat of a game with these rules, or gives the
    /// reason why it cannot.
    pub fn player<P: Parameters>(
        self,
        description: Description,
        build: impl Fn(&R, &P) -> Result<Box<dyn Player<R>>, BuildError> + Send + Sync + 'static,
    ) -> Self {
        self.player_from(
            description,
            |_: &P| Ok(((), 0)),
            move |rules, parameters, ()| build(rules, parameters),
        )
    }

    /// Registers a player that needs something besides its parameters, such as a file, read once
    /// for all of its matches. `load` reads it and returns its version, which is added to that of
    /// `description`, so that a changed file makes a different player. `make` makes the player
    /// from it.
    pub fn player_from<P: Parameters, T: Send + Sync + 'static>(
        self,
        description: Description,
        load: impl Fn(&P) -> Result<(T, u32), BuildError> + Send + Sync + 'static,
        make: impl Fn(&R, &P, &T) -> Result<Box<dyn Player<R>>, BuildError> + Send + Sync + 'static,
    ) -> Self {
        self.player_checked(description, load, |_, _, _| Ok(()), make)
    }

    /// Registers a player, as [`Entry::player_from`] does, that fits only some of the scenarios
    /// that the rules allow, such as a network for boards of one size. `check` is called before any
    /// match, with the rules and one of the positions in which matches begin (that of seed 0).
    pub fn player_checked<P: Parameters, T: Send + Sync + 'static>(
        mut self,
        description: Description,
        load: impl Fn(&P) -> Result<(T, u32), BuildError> + Send + Sync + 'static,
        check: impl Fn(&R, &R::State, &T) -> Result<(), BuildError> + Send + Sync + 'static,
        make: impl Fn(&R, &P, &T) -> Result<Box<dyn Player<R>>, BuildError> + Send + Sync + 'static,
    ) -> Self {
        let name = description.name;
        debug_assert!(self.player_entry(name).is_none(), "{name} twice");
        let (make, check) = (Arc::new(make), Arc::new(check));
        let prepare: PreparePlayer<R> = Arc::new(move |arguments| {
            let parameters = P::from_arguments(arguments)?;
            let arguments = parameters.spec(name).arguments;
            let (from, loaded) = load(&parameters)?;
            let from = Arc::new(from);
            let (make, check, checked) = (Arc::clone(&make), Arc::clone(&check), Arc::clone(&from));
            let make = PreparedPlayer::new(
                move |rules| make(rules, &parameters, &from),
                Arc::new(move |rules, start| check(rules, start, &checked)),
            );
            Ok(LoadedPlayer { make, arguments, loaded })
        });
        self.players.push(PlayerEntry { listed: Listed::new(description, P::list()), prepare });
        self
    }

    /// Says that the player registered last is an anytime search: with a limit of time, it thinks
    /// for as long as it may. A contest does not seat such players by default, since everybody
    /// would wait for them.
    ///
    /// # Panics
    /// Panics if no player is registered before.
    pub fn anytime(mut self) -> Self {
        self.players.last_mut().expect("a player is registered before").listed.anytime = true;
        self
    }

    /// Ranks the registered players from weak to strong, as lists show them. Those without a rank
    /// are listed last: they need something, such as a network or a certain scenario.
    ///
    /// # Panics
    /// Panics if a name is not that of a registered player.
    pub fn weak_to_strong(mut self, names: &[&str]) -> Self {
        for (rank, name) in names.iter().enumerate() {
            let player = self.players.iter_mut().find(|known| known.listed.name() == *name);
            let player = player.unwrap_or_else(|| panic!("{name} is not registered"));
            player.listed.strength = Some(rank);
        }
        self
    }

    /// Sets the rules for a person who is about to play, in Markdown: paragraphs and lists.
    pub fn how_to_play(mut self, text: &'static str) -> Self {
        self.how_to_play = text;
        self
    }

    /// Sets what `quintain match GAME` plays by default.
    pub fn showcase<'a>(
        mut self,
        scenario: &str,
        players: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        self.showcase = (scenario.to_owned(), players.into_iter().map(str::to_owned).collect());
        self
    }

    /// Registers a foreign protocol.
    pub fn protocol(mut self, protocol: ForeignProtocol) -> Self {
        debug_assert!(self.protocols.iter().all(|known| known.name != protocol.name));
        self.protocols.push(protocol);
        self
    }

    /// Registers a verb that works on files, such as `quintain solve GAME`.
    pub fn tool(mut self, tool: Tool) -> Self {
        let verb = tool.verb.name;
        debug_assert!(self.tools.iter().all(|known| known.verb.name != verb), "{verb} twice");
        self.tools.push(tool);
        self
    }

    /// Sets how to compute a score's distance from a bound that no player can beat.
    pub fn regret(mut self, regret: RegretOf) -> Self {
        self.regret = Some(regret);
        self
    }

    /// Sets who judges matches by exact values.
    pub fn exact(mut self, exact: MakeJudge) -> Self {
        self.exact = Some(exact);
        self
    }

    /// Sets what the game can say about single positions, from which lessons are made.
    pub fn study(mut self, study: impl Study + 'static) -> Self {
        self.study = Some(Arc::new(study));
        self
    }

    /// Sets how the game is shown and played by hand.
    pub fn presentation(mut self, presentation: impl Presentation<R>) -> Self {
        self.presentation = Arc::new(presentation);
        self
    }

    /// Registers the network that comes with the game: the bytes of its file, for players that use
    /// networks. They refer to it by the game's name.
    pub fn network(mut self, file: &'static [u8]) -> Self {
        self.network = Some(file);
        self
    }

    /// The bytes of the network that comes with the game, if one does.
    pub fn own_network(&self) -> Option<&'static [u8]> {
        self.network
    }

    /// The same game without players, protocols and tools. A tool that plays matches of its own,
    /// and is registered on this same game, needs it.
    #[must_use]
    pub fn bare(&self) -> Entry<R> {
        Entry {
            scenarios: self.scenarios.clone(),
            presentation: Arc::clone(&self.presentation),
            encodings: self.encodings.clone(),
            hooks: self.hooks.clone(),
            network: self.network,
            ..Entry::described(self.description)
        }
    }

    /// The game's name.
    pub fn name(&self) -> &'static str {
        self.description.name
    }

    fn scenario_entry(&self, name: &str) -> Option<&ScenarioEntry<R>> {
        self.scenarios.iter().find(|known| known.listed.name() == name)
    }

    fn player_entry(&self, name: &str) -> Option<&PlayerEntry<R>> {
        self.players.iter().find(|known| known.listed.name() == name)
    }

    /// The scenarios.
    pub fn scenario_entries(&self) -> &[ScenarioEntry<R>] {
        &self.scenarios
    }

    /// The roster.
    pub fn player_entries(&self) -> &[PlayerEntry<R>] {
        &self.players
    }

    /// The game on a scenario given as text (`NAME` or `GAME:NAME`), and the canonical text.
    ///
    /// # Errors
    /// If the scenario or a parameter is unknown, or a value is not valid.
    pub fn build(&self, scenario: &str) -> Result<(Scenario<R>, String), SpecError> {
        let (known, spec) = self.find_scenario(scenario)?;
        let (scenario, arguments) = self.build_scenario(known, &spec)?;
        Ok((scenario, Spec { path: spec.path, arguments }.to_string()))
    }

    /// The entry of a scenario given as text, and the parsed text.
    ///
    /// # Errors
    /// If the scenario is unknown.
    pub fn find_scenario(&self, scenario: &str) -> Result<(&ScenarioEntry<R>, Spec), SpecError> {
        let spec: Spec = strip_game(self.name(), scenario).parse()?;
        let known = self.scenario_entry(&spec.path).ok_or_else(|| {
            let names = self.scenarios.iter().map(|known| known.listed.name());
            SpecError::UnknownScenario(did_you_mean(
                &format!("{} scenario", self.name()),
                &spec.path,
                names,
            ))
        })?;
        Ok((known, spec))
    }

    /// A scenario with these arguments, and its canonical arguments.
    ///
    /// # Errors
    /// If a parameter is unknown, or a value is not valid.
    pub fn build_scenario(
        &self,
        known: &ScenarioEntry<R>,
        spec: &Spec,
    ) -> Result<BuiltScenario<R>, SpecError> {
        let (scenario, arguments) = (known.build)(&spec.arguments).map_err(|problem| {
            SpecError::Scenario { scenario: format!("{}:{spec}", self.name()), problem }
        })?;
        Ok((scenario.with_presentation(Arc::clone(&self.presentation)), arguments))
    }

    /// The entry of a player given as text (`NAME` or `GAME/NAME`), and the parsed text.
    ///
    /// # Errors
    /// If the player is unknown.
    pub fn find_player(&self, player: &str) -> Result<(&PlayerEntry<R>, Spec), SpecError> {
        let player =
            player.strip_prefix(self.name()).and_then(|s| s.strip_prefix('/')).unwrap_or(player);
        let spec: Spec = player.parse()?;
        let known = self.player_entry(&spec.path).ok_or_else(|| {
            let names = self.players.iter().map(|known| known.listed.name());
            SpecError::UnknownPlayer(did_you_mean(
                &format!("{} player", self.name()),
                &spec.path,
                names,
            ))
        })?;
        Ok((known, spec))
    }

    /// A player given as text (`NAME` or `GAME/NAME`), its canonical text and version.
    ///
    /// # Errors
    /// If the player or a parameter is unknown, or a value is not valid.
    pub fn prepare(&self, player: &str) -> Result<(PreparedPlayer<R>, String, u32), SpecError> {
        let (entry, spec) = self.find_player(player)?;
        let LoadedPlayer { make, arguments, loaded } =
            (entry.prepare)(&spec.arguments).map_err(|problem| self.refuse(&spec, problem))?;
        let version = entry.listed.description.version.wrapping_add(loaded);
        Ok((make, Spec { path: spec.path, arguments }.to_string(), version))
    }

    /// A player given as text, for a seat of a game with these `rules`.
    ///
    /// # Errors
    /// If the player is unknown or refuses the game.
    pub fn build_player(&self, player: &str, rules: &R) -> Result<Box<dyn Player<R>>, SpecError> {
        let (prepared, spec, _) = self.prepare(player)?;
        prepared.seat(rules).map_err(|problem| self.refuse(&spec, problem))
    }

    /// The error for a player that cannot be built.
    pub fn refuse(&self, spec: &impl fmt::Display, problem: BuildError) -> SpecError {
        SpecError::Player { player: format!("{}/{spec}", self.name()), problem }
    }
}

/// A scenario's text without this game before it.
pub(crate) fn strip_game<'a>(game: &str, scenario: &'a str) -> &'a str {
    scenario.strip_prefix(game).and_then(|rest| rest.strip_prefix(':')).unwrap_or(scenario)
}

impl<R: Rules> fmt::Debug for Entry<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name()).finish_non_exhaustive()
    }
}
