//! Section 4: the distribution that the report's group designed against the others.

use quintain_core::{Decision, Rng, Rules as _, Turn};
use quintain_pentocity::{Move, Piece};

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{metric, score};
use crate::measurement::ExpectedValue::{Above, Always, Equal};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::PERIMETER;

/// The number of requests after which the adversary asks for large factories.
const PHASE: usize = 140;

/// A request of the adversary.
struct AdversaryRequest {
    piece: Piece,
    /// The number of requests before it.
    before: usize,
    /// Whether the player built it.
    is_built: bool,
}

impl AdversaryRequest {
    fn is_giant(&self) -> bool {
        let shape = self.piece.shape();
        self.piece.is_factory() && shape.height == 5 && shape.width == 5
    }
}

/// The requests that the report's adversary makes to a player, game by game.
fn adversary(lab: &Lab<'_>, player: &str) -> Result<Vec<Vec<AdversaryRequest>>, LabError> {
    let seeds: Vec<u64> = (1..=lab.take(20, 400)).collect();
    lab.note(format!("`{player}` on `g1` move by move, seeds 1–{}", seeds.len()));
    let games = lab.each(&seeds, |seed| {
        let failed = |error: &dyn std::fmt::Display| LabError::Failed(error.to_string());
        let entry = quintain_pentocity::entry();
        let (scenario, _) = entry.build("g1").map_err(|error| failed(&error))?;
        let rules = scenario.rules().clone();
        let mut player = entry.build_player(player, &rules).map_err(|error| failed(&error))?;
        let mut rng = Rng::from_seed(*seed);
        let mut state = scenario.start(&mut rng);
        let mut asked = Vec::new();
        loop {
            match (rules.turn(&state), state.request()) {
                (Turn::Chance, _) => scenario.apply_chance(&mut state, &mut rng),
                (Turn::Seat(seat), Some(piece)) => {
                    let decided = player.decide(&mut Decision::new(&rules, &state, seat, &mut rng));
                    let decided = decided.map_err(|fault| failed(&fault))?;
                    let is_built = matches!(decided, Move::Build(_));
                    asked.push(AdversaryRequest { piece, before: asked.len(), is_built });
                    rules.step(&mut state, &[decided]);
                }
                _ => break,
            }
        }
        Ok(asked)
    })?;
    games.into_iter().collect()
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "pentocity/adversary-requests",
        place: "4",
        claim: "The group's distribution asks for residences four times in five, half of them \
                stars, and for no 5×5 factory in the first 140 requests.",
        figure: "80 %, half, 140",
        measure: |lab| {
            let asked = adversary(lab, "naive")?;
            // Its first phase alone: games end on rejections, which hit factories more than others.
            let early = || asked.iter().flatten().filter(|asked| asked.before < PHASE);
            let homes = Estimate::share_of(early().map(|asked| !asked.piece.is_factory()));
            let stars = early().filter(|asked| !asked.piece.is_factory());
            let stars = Estimate::share_of(stars.map(|asked| asked.piece.letter() == 'X'));
            let giants = early().filter(|asked| asked.is_giant());
            Ok(Measurements::new()
                .part("residences", homes, Equal(80.0))
                .part("stars among them", stars, Equal(50.0))
                .part(
                    "5×5 factories in the first 140 requests",
                    Estimate::exact(giants.count() as f64),
                    Always(0.0),
                ))
        },
    },
    Experiment {
        name: "pentocity/adversary-giants",
        place: "4",
        claim: "A player that fills holes with small factories finds more room for the 5×5 \
                factories of the second phase than one that keeps factories apart.",
        figure: "hardly enough without it",
        measure: |lab| {
            let count_built = |player: &str| -> Result<Vec<f64>, LabError> {
                let games = adversary(lab, player)?;
                let giants = |game: &Vec<AdversaryRequest>| {
                    game.iter().filter(|asked| asked.is_giant() && asked.is_built).count() as f64
                };
                Ok(games.iter().map(giants).collect())
            };
            let (apart, filled) = (count_built("naive")?, count_built(PERIMETER)?);
            let pairs = filled.iter().copied().zip(apart.iter().copied());
            Ok(Measurements::new()
                .part(
                    "5×5 factories built, filling holes − keeping apart",
                    Estimate::difference(pairs),
                    Above(0.0),
                )
                .with_figure("5×5 factories built, keeping apart", Estimate::mean(apart))
                .with_figure("5×5 factories built, filling holes", Estimate::mean(filled)))
        },
    },
    Experiment {
        name: "pentocity/adversary-holes",
        place: "4",
        claim: "Stars and lines, which do not fit each other, leave many empty holes.",
        figure: "a lot",
        measure: |lab| {
            let plan =
                TournamentPlan::solo("pentocity", ["g1", "random"], ["g1"], lab.take(20, 100));
            let games = lab.play(&plan)?;
            let empty = |scenario: &str| games.on(scenario).mean("g1", &metric("empty cells"));
            let more = empty("g1").minus(empty("random"));
            Ok(Measurements::new()
                .part("empty cells on g1 − on random", more, Above(0.0))
                .with_figure("on g1", empty("g1"))
                .with_figure("on random", empty("random")))
        },
    },
    Experiment {
        name: "pentocity/adversary-fill",
        place: "4, figure 5",
        claim: "Against this distribution, a player that fills holes with small factories does \
                better than one that keeps factories apart.",
        figure: "an ideal solution",
        measure: |lab| {
            let players = [PERIMETER, "naive"];
            let plan = TournamentPlan::solo("pentocity", ["g1"], players, lab.take(20, 100));
            let games = lab.play(&plan)?;
            let factories = games.difference(PERIMETER, "naive", &metric("factories"));
            Ok(Measurements::new()
                .part(
                    "points more by perimeter",
                    games.difference(PERIMETER, "naive", &score),
                    Above(0.0),
                )
                .with_figure("factories more", factories))
        },
    },
];
