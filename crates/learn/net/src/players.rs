//! Networks as players: `net` plays the action that a network likes best, `puct` searches with it.
//! The version of such a player is that of its file; for a search, it also includes that of the
//! search.

use std::path::Path;
use std::sync::Arc;

use quintain_core::{
    BuildError, Decision, Description, Entry, Fault, FaultKind, MakeEncoding, Player, Rng, Rules,
    Seat, Unit, did_you_mean, parameters,
};
use quintain_search::exponential::softmax;
use quintain_search::puct::{Estimates, Leaf, Options, PriorEvaluator, Puct, Rollouts, Root};

use crate::evaluator::NetEvaluator;
use crate::file::{NetworkError, NetworkFile};
use crate::model::Model;
use crate::sight::Misfit;

/// The version of the search, whatever guides it.
const SEARCH: u32 = 2;
/// The version with a network, since the network's own range is the scale of values.
const GUIDED: u32 = 3;
/// The value of the parameter for a search without a network.
const NONE: &str = "none";

parameters! {
    /// A network that decides without search.
    pub struct NetOptions {
        /// The network's file, written by `quintain.train` or in ONNX format; or the game's name,
        /// for the network that comes with the game.
        file: String = String::new();
        /// How random the choice is: 0 takes the action that the network rates highest, 1 draws
        /// each action with the probability that the network gives it. Where all move at once, or
        /// players are alike, a random player is harder to block.
        temperature: f64 = 0.0, in 0.0..=100.0;
    }
}

parameters! {
    /// A search with a network, or without one.
    pub struct PuctOptions {
        /// The network's file, written by `quintain.train` or in ONNX format; or the game's name,
        /// for the network that comes with the game. With `none`, all actions are equally likely at
        /// first, and positions are worth what the game estimates.
        net: String = NONE.to_owned();
        /// Simulations per decision where the budget sets no limit.
        simulations: u64 = 200, in 1..=1_000_000_000;
        /// The weight of the prior, for values on a scale from 0 to 1.
        exploration: f64 = 1.0, in 0.0..=100.0;
        /// How far below its position's value an untried action is valued, on a scale from 0 to 1.
        first_play: f64 = 0.1, in -1.0..=1.0;
        /// Visits of a position after which the network is asked about it, if it corrects the
        /// game's estimate; until then the estimate alone counts. 0 asks about every position.
        ask_after: u32 = 0, in 0..=1_000_000;
        /// How visits at the root are shared out.
        root: Root = Root::Puct;
        /// The most actions that a `gumbel` root considers.
        considered: u32 = 16, in 1..=1024;
        /// Positions evaluated together; each is chosen as if those before it in the batch had
        /// lost.
        leaves: u32 = 1, in 1..=1024;
        /// Whether to keep as certain what finished games prove about the positions above them.
        /// This works where seats move one after another and nothing is hidden or left to chance.
        proofs: bool = true;
        /// The most nodes of the tree.
        nodes: u32 = 1_000_000, in 1..=100_000_000;
    }
}

impl PuctOptions {
    fn search(&self) -> Options {
        Options {
            simulations: self.simulations,
            exploration: self.exploration,
            first_play: self.first_play,
            root: self.root,
            considered: self.considered,
            leaves: self.leaves,
            proofs: self.proofs,
            nodes: self.nodes,
            ..Options::default()
        }
    }
}

/// A network that was read for a game, and the encoding that it needs.
pub(crate) struct LoadedNetwork<R: Rules> {
    pub(crate) model: Arc<Model>,
    pub(crate) encoding: MakeEncoding<R>,
}

impl<R: Rules> Clone for LoadedNetwork<R> {
    fn clone(&self) -> Self {
        LoadedNetwork { model: Arc::clone(&self.model), encoding: Arc::clone(&self.encoding) }
    }
}

/// The encodings of a game by name, the game's name, and the file of the network that comes with
/// it.
pub(crate) struct Encodings<R: Rules> {
    pub(crate) game: &'static str,
    pub(crate) all: Vec<(&'static str, MakeEncoding<R>)>,
    own_network: Option<&'static [u8]>,
}

impl<R: Rules> Encodings<R> {
    pub(crate) fn of(entry: &Entry<R>) -> Self {
        let own_network = entry.own_network();
        Encodings { game: entry.name(), all: entry.encodings().to_vec(), own_network }
    }

    fn find(&self, name: &str) -> Result<&MakeEncoding<R>, String> {
        let named = self.all.iter().find(|(known, _)| *known == name);
        let known = || self.all.iter().map(|(known, _)| *known);
        Ok(&named.ok_or_else(|| did_you_mean("encoding", name, known()))?.1)
    }

    /// The network's own encoding; without a network, the encoding called `name`, or else the
    /// first.
    pub(crate) fn choose<'a>(
        &'a self,
        loaded: Option<&LoadedNetwork<R>>,
        name: Option<&str>,
    ) -> Result<&'a MakeEncoding<R>, String> {
        let wanted = name.map(|name| self.find(name)).transpose()?;
        let Some(loaded) = loaded else { return Ok(wanted.unwrap_or(&self.all[0].1)) };
        let own = self.all.iter().find(|(_, known)| Arc::ptr_eq(known, &loaded.encoding));
        let (own_name, own) = own.expect("it was found here when the network was read");
        match wanted {
            Some(wanted) if !Arc::ptr_eq(wanted, own) => Err(format!(
                "the network was trained on the encoding {own_name}; leave out --encoding"
            )),
            _ => Ok(own),
        }
    }

    /// The possible names of a network.
    fn names(&self) -> String {
        match self.own_network {
            Some(_) => {
                let game = self.game;
                format!("{game}, the network that comes with the game, or a file of quintain.train")
            }
            None => "a file of quintain.train".to_owned(),
        }
    }

    /// Opens the network that comes with the game, if it is named, otherwise that of a file.
    fn open(&self, path: &str) -> Result<Model, NetworkError> {
        match self.own_network {
            Some(bytes) if path == self.game => Ok(Model::from(&NetworkFile::read(path, bytes)?)),
            _ => Model::open(Path::new(path)),
        }
    }

    /// Loads the network of this name, if it is one for this game.
    pub(crate) fn load(&self, path: &str) -> Result<LoadedNetwork<R>, BuildError> {
        let model = self.open(path).map_err(|error| match error {
            NetworkError::Unreadable(_) => format!("{error}; expected {}", self.names()),
            error => error.to_string(),
        })?;
        let (game, encoding) = model.purpose();
        if game != self.game {
            return Err(format!(
                "{path} is a network for {game}; {} needs one that was trained on it",
                self.game
            )
            .into());
        }
        let encoding = self.find(encoding).map_err(|why| format!("{path}: {why}"))?;
        let encoding = Arc::clone(encoding);
        Ok(LoadedNetwork { model: Arc::new(model), encoding })
    }
}

impl<R: Rules> LoadedNetwork<R> {
    /// The network applied to the scenario of these rules, of which `state` is a position.
    pub(crate) fn evaluator(&self, rules: &R, state: &R::State) -> Result<NetEvaluator<R>, Misfit> {
        NetEvaluator::new(Arc::clone(&self.model), &self.encoding, rules, state)
    }

    /// Checks that the network fits a scenario, of which `state` is a position. A network that is
    /// not ours may be unusable for other reasons, so it is evaluated once.
    pub(crate) fn check(&self, rules: &R, state: &R::State) -> Result<(), BuildError> {
        let mut evaluator = self.evaluator(rules, state).map_err(|misfit| misfit.0)?;
        if !self.model.is_ours() {
            evaluator.ask(state, Seat::new(0));
        }
        evaluator.failure().map_or(Ok(()), |why| Err(why.into()))
    }
}

/// Registers `net` and `puct`.
pub(crate) fn add_to<R: Rules>(entry: Entry<R>) -> Entry<R> {
    let for_net = Encodings::of(&entry);
    let names = for_net.names();
    let for_puct = Encodings::of(&entry);
    let net = Description {
        name: "net",
        version: 1,
        summary: "takes the action that a trained network rates highest",
        source: "a file of quintain.train",
    };
    let puct = Description {
        name: "puct",
        version: SEARCH,
        summary: "Monte Carlo tree search with a trained network",
        source: "Silver et al. 2018; Danihelka et al. 2022; Winands et al. 2008",
    };
    entry
        .player_checked(
            net,
            move |options: &NetOptions| {
                if options.file.is_empty() {
                    // Lists of players show `net` without a network; it reports what is missing
                    // when it is seated.
                    return Ok((None, 0));
                }
                let loaded = for_net.load(&options.file)?;
                let version = loaded.model.version();
                Ok((Some(loaded), version))
            },
            check,
            move |_, options, loaded| match loaded {
                Some(loaded) => Ok(Box::new(Net {
                    loaded: loaded.clone(),
                    temperature: options.temperature,
                    evaluator: None,
                })),
                None => {
                    Err(format!("it needs a network; name one behind net?file=, such as {names}")
                        .into())
                }
            },
        )
        .player_checked(
            puct,
            move |options: &PuctOptions| {
                match options.net.as_str() {
                    NONE => return Ok((None, 0)),
                    "" => {
                        let names = for_puct.names();
                        return Err(
                            format!("net= names no network; expected {NONE}, {names}").into()
                        );
                    }
                    _ => {}
                }
                let loaded = for_puct.load(&options.net)?;
                // Another search with the same network is another player; the first version is the
                // file's own.
                let version = loaded.model.version().wrapping_add(GUIDED - 1);
                Ok((Some(loaded), version))
            },
            check,
            |_, options, loaded| {
                Ok(Box::new(PuctPlayer {
                    puct: Puct::new(options.search()),
                    simulations: options.simulations,
                    ask_after: options.ask_after,
                    loaded: loaded.clone(),
                    guide: None,
                }))
            },
        )
        .anytime()
}

/// Checks that the network, if there is one, fits a scenario.
fn check<R: Rules>(
    rules: &R,
    start: &R::State,
    loaded: &Option<LoadedNetwork<R>>,
) -> Result<(), BuildError> {
    loaded.as_ref().map_or(Ok(()), |loaded| loaded.check(rules, start))
}

/// The network applied to the scenario of this decision.
fn evaluator<R: Rules>(
    loaded: &LoadedNetwork<R>,
    decision: &mut Decision<'_, R>,
) -> Result<NetEvaluator<R>, Fault> {
    let state = decision.determinize();
    loaded.evaluator(decision.rules(), &state).map_err(|misfit| fault(misfit.0))
}

/// The fault of a network that does not do what it should.
fn fault(why: String) -> Fault {
    Fault::new(FaultKind::Protocol, why)
}

/// The player `net`.
struct Net<R: Rules> {
    loaded: LoadedNetwork<R>,
    temperature: f64,
    evaluator: Option<NetEvaluator<R>>,
}

impl<R: Rules> Player<R> for Net<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        if self.evaluator.is_none() {
            self.evaluator = Some(evaluator(&self.loaded, decision)?);
        }
        let Some(evaluator) = &mut self.evaluator else { return Ok(decision.random_action()) };
        let (state, seat) = (decision.determinize(), decision.seat());
        let answer = evaluator.ask(&state, seat).clone();
        if let Some(why) = evaluator.failure() {
            return Err(fault(why));
        }
        let value = evaluator.value(decision.rules(), &state, seat, answer.value);
        decision.note("value", value.into());
        let numbered = evaluator.number_actions(&state, seat);
        let chosen = match self.temperature > 0.0 {
            true => draw(numbered, &answer.logits, self.temperature, decision.rng()),
            false => numbered.iter().reduce(|best, other| {
                if answer.logits[other.0] > answer.logits[best.0] { other } else { best }
            }),
        };
        match chosen {
            Some((_, action)) => Ok(action.clone()),
            None => Ok(decision.random_action()),
        }
    }
}

/// Draws one of the actions with the probabilities of the softmax of the logits, which are divided
/// by `temperature`.
fn draw<'a, A>(
    numbered: &'a [(usize, A)],
    logits: &[f32],
    temperature: f64,
    rng: &mut Rng,
) -> Option<&'a (usize, A)> {
    let scaled = numbered.iter().map(|(number, _)| f64::from(logits[*number]) / temperature);
    let mut shares: Vec<f64> = scaled.collect();
    softmax(&mut shares);
    let mut left = rng.unit();
    let drawn = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    // What is left over by rounding goes to the last action.
    drawn.map_or(numbered.last(), |drawn| numbered.get(drawn))
}

/// The evaluator that guides the search of [`PuctPlayer`].
pub(crate) enum Guide<R: Rules> {
    Estimates,
    Rollouts(Rollouts),
    Network(Box<NetEvaluator<R>>),
}

impl<R: Rules> PriorEvaluator<R> for Guide<R> {
    fn actions(&self, rules: &R, state: &R::State, seat: Seat, out: &mut Vec<R::Action>) {
        match self {
            Guide::Estimates => Estimates.actions(rules, state, seat, out),
            Guide::Rollouts(rollouts) => rollouts.actions(rules, state, seat, out),
            Guide::Network(network) => network.actions(rules, state, seat, out),
        }
    }

    fn range(&self) -> Option<(f64, f64)> {
        match self {
            Guide::Network(network) => network.range(),
            Guide::Estimates | Guide::Rollouts(_) => None,
        }
    }

    fn evaluate(&mut self, rules: &R, leaves: &mut [Leaf<R>]) {
        match self {
            Guide::Estimates => Estimates.evaluate(rules, leaves),
            Guide::Rollouts(rollouts) => rollouts.evaluate(rules, leaves),
            Guide::Network(network) => network.evaluate(rules, leaves),
        }
    }

    fn second_look(&self) -> u32 {
        match self {
            Guide::Network(network) => PriorEvaluator::second_look(&**network),
            Guide::Estimates | Guide::Rollouts(_) => 0,
        }
    }

    fn failure(&mut self) -> Option<String> {
        match self {
            Guide::Network(network) => network.failure(),
            Guide::Estimates | Guide::Rollouts(_) => None,
        }
    }
}

/// The player `puct`.
struct PuctPlayer<R: Rules> {
    puct: Puct<R>,
    simulations: u64,
    ask_after: u32,
    loaded: Option<LoadedNetwork<R>>,
    guide: Option<Guide<R>>,
}

impl<R: Rules> Player<R> for PuctPlayer<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        if self.guide.is_none() {
            self.guide = Some(match &self.loaded {
                None => Guide::Estimates,
                Some(loaded) => {
                    let network = evaluator(loaded, decision)?.asked_after(self.ask_after);
                    Guide::Network(Box::new(network))
                }
            });
        }
        let Some(guide) = &mut self.guide else { return Ok(decision.random_action()) };
        let (rules, seat, observation) =
            (decision.rules(), decision.seat(), decision.observation());
        let mut meter = decision.meter(Unit::Iterations, self.simulations);
        let found = self.puct.search(rules, &observation, seat, guide, &mut meter, decision.rng());
        if let Some(why) = guide.failure() {
            return Err(fault(why));
        }
        decision.note("value", found.value);
        decision.note("depth", found.depth.into());
        decision.note("simulations", found.spent as f64);
        Ok(found.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_drawn_by_their_logits() {
        let numbered = [(0, 'a'), (2, 'b')];
        // Action 1 is not legal, however much the network likes it.
        let logits = [0.0, 9.0, 3.0_f32.ln()];
        let mut rng = Rng::from_seed(1);
        let mut share_of_b = |temperature: f64| {
            let draws = 4_000;
            let drawn = (0..draws).filter_map(|_| draw(&numbered, &logits, temperature, &mut rng));
            drawn.filter(|(_, action)| *action == 'b').count() as f64 / f64::from(draws)
        };
        assert!((share_of_b(1.0) - 0.75).abs() < 0.03);
        // Halved, the logits of 1 and 3 become those of 1 and √3.
        assert!((share_of_b(2.0) - 0.634).abs() < 0.03);
        assert!((share_of_b(0.5) - 0.9).abs() < 0.03);
    }
}
