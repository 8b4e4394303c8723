//! A network of either kind, ours or ONNX, and how it sees the positions of a scenario.

use std::path::Path;

use quintain_core::{Layout, SEED, Spec};

use crate::file::{NetworkError, NetworkFile};
use crate::network::{Evaluation, Network, Scratch};
#[cfg(feature = "onnx")]
use crate::onnx::OnnxNetwork;
use crate::sight::{Misfit, Sight, distinguished_seats, shape};

/// A network that was read from a file.
#[derive(Debug)]
pub struct Model {
    kind: Kind,
    digest: String,
}

#[derive(Debug)]
enum Kind {
    Ours(Box<Network>),
    #[cfg(feature = "onnx")]
    Onnx(Box<OnnxNetwork>),
}

impl Model {
    /// Reads a file: as ONNX if its name says so, otherwise as one of ours.
    ///
    /// # Errors
    /// If it cannot be read, or is not a network.
    pub fn open(path: &Path) -> Result<Model, NetworkError> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx")) {
            return Model::open_onnx(path);
        }
        Ok(Model::from(&NetworkFile::open(path)?))
    }

    #[cfg(feature = "onnx")]
    fn open_onnx(path: &Path) -> Result<Model, NetworkError> {
        let network = OnnxNetwork::open(path)?;
        let digest = network.digest.clone();
        Ok(Model { kind: Kind::Onnx(Box::new(network)), digest })
    }

    #[cfg(not(feature = "onnx"))]
    fn open_onnx(path: &Path) -> Result<Model, NetworkError> {
        let why = "this quintain was built without ONNX: cargo install quintain-cli --features \
                   onnx (or cargo build --release --features onnx)";
        Err(NetworkError::Onnx(path.display().to_string(), why.to_owned()))
    }

    /// The digest of the file.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// A version derived from the file's content: another network is another player.
    pub fn version(&self) -> u32 {
        u32::from_str_radix(&self.digest[..8], 16).unwrap_or(0)
    }

    /// The names of its game and of its encoding.
    pub(crate) fn purpose(&self) -> (&str, &str) {
        match &self.kind {
            Kind::Ours(network) => (&network.header().game, &network.header().encoding),
            #[cfg(feature = "onnx")]
            Kind::Onnx(network) => (&network.game, &network.encoding),
        }
    }

    /// The scenario that it was trained on; empty if the file does not say.
    fn scenario(&self) -> &str {
        match &self.kind {
            Kind::Ours(network) => &network.header().scenario,
            #[cfg(feature = "onnx")]
            Kind::Onnx(network) => &network.scenario,
        }
    }

    /// The number of actions.
    pub(crate) fn actions(&self) -> usize {
        match &self.kind {
            Kind::Ours(network) => network.header().actions,
            #[cfg(feature = "onnx")]
            Kind::Onnx(network) => network.actions,
        }
    }

    /// Whether it is one of our own networks, which cannot fail.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.kind, Kind::Ours(_))
    }

    /// How it sees the positions of an encoding; `range` is the least and the greatest utility by
    /// the rules.
    ///
    /// # Errors
    /// If it was made for boards or actions of another shape.
    pub(crate) fn fit(&self, layout: &Layout, range: Option<(f64, f64)>) -> Result<Sight, Misfit> {
        let told = distinguished_seats(layout);
        match &self.kind {
            Kind::Ours(network) => {
                let header = network.header();
                self.fit_board(layout, header.board, header.planes)?;
                let own = header.cell_actions;
                self.check("actions of each cell:", &own, &layout.cell_actions)?;
                let features = header.feature_scale.len();
                self.check("features:", &features, &layout.features.len())?;
                self.check("seats that it tells apart:", &header.seats, &told)?;
                let (feature_scale, seats) = (header.feature_scale.clone(), header.seats);
                // The file itself gives the scale of its values.
                let _ = range;
                let estimate = header.estimate;
                Ok(Sight { feature_scale, seats, range: header.range, estimate })
            }
            #[cfg(feature = "onnx")]
            Kind::Onnx(network) => {
                self.fit_board(layout, network.board, network.planes)?;
                let features = layout.features.len();
                let (seats, shown) = match network.numbers {
                    Some(numbers) => {
                        self.check("features and seats:", &numbers, &(features + told))?;
                        (told, features)
                    }
                    None => (0, 0),
                };
                let feature_scale = network.feature_scale.clone();
                let mut feature_scale = feature_scale.unwrap_or_else(|| vec![1.0; features]);
                self.check("features:", &feature_scale.len(), &features)?;
                feature_scale.truncate(shown);
                let range = network.range.or(range).ok_or_else(|| {
                    let why = "its metadata_props lack range, the scores that the values -1 and 1 \
                               stand for, and the rules of this game set no bounds";
                    Misfit(format!("{}: {why}", network.place))
                })?;
                Ok(Sight { feature_scale, seats, range, estimate: network.estimate })
            }
        }
    }

    fn fit_board(&self, layout: &Layout, board: [usize; 2], planes: usize) -> Result<(), Misfit> {
        // Width first, as is usual.
        let sides = |[rows, columns]: [usize; 2]| format!("{columns}×{rows}");
        let (board_here, planes_here) = shape(layout);
        self.check("boards of", &sides(board), &sides(board_here))?;
        self.check("planes:", &planes, &planes_here)?;
        self.check("actions:", &self.actions(), &layout.actions)
    }

    /// The scenario that it was trained on, as commands take it: without the game, and without the
    /// parameter that chooses one of many problems.
    fn trained_on(&self) -> String {
        let ((game, _), text) = (self.purpose(), self.scenario());
        let text = text.strip_prefix(game).and_then(|text| text.strip_prefix(':')).unwrap_or(text);
        let Ok(mut spec) = text.parse::<Spec>() else { return String::new() };
        spec.arguments.retain(|(_, value)| value != SEED);
        spec.to_string()
    }

    fn check<T: PartialEq + std::fmt::Display>(
        &self,
        what: &str,
        own: &T,
        here: &T,
    ) -> Result<(), Misfit> {
        if own == here {
            return Ok(());
        }
        let hint = match self.trained_on().as_str() {
            "" => "choose a scenario that fits by --scenario".to_owned(),
            plain if plain.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) => {
                format!("it was trained on --scenario {plain}")
            }
            other => format!("it was trained on --scenario \"{other}\""),
        };
        Err(Misfit(format!(
            "the network is for {what} {own}, but this scenario has {here}; {hint}"
        )))
    }

    /// Evaluates a position. `ones` are the planes that are set, as the cell and the plane of each;
    /// `numbers` are scaled features, then the seat, one-hot, if the network is told the seat.
    ///
    /// # Errors
    /// If it cannot be computed, or the result is not a number; neither happens with our own
    /// networks.
    pub(crate) fn evaluate(
        &self,
        ones: impl Iterator<Item = (usize, usize)>,
        numbers: &[f32],
        scratch: &mut Scratch,
        answer: &mut Evaluation,
    ) -> Result<(), String> {
        match &self.kind {
            Kind::Ours(network) => {
                network.evaluate(ones, numbers, scratch, answer);
                Ok(())
            }
            #[cfg(feature = "onnx")]
            Kind::Onnx(network) => network.evaluate(&ones.collect::<Vec<_>>(), numbers, answer),
        }
    }
}

impl From<&NetworkFile> for Model {
    fn from(file: &NetworkFile) -> Model {
        let kind = Kind::Ours(Box::new(Network::new(file)));
        Model { kind, digest: file.digest.clone() }
    }
}
