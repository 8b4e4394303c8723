//! The scenarios of pentocity: the class's 15 distributions, mixtures, lists from files, and a
//! request source that looks at the board. The sources themselves are in [`crate::requests`].

use std::path::Path;
use std::sync::Arc;

use quintain_core::{
    BuildError, Entry, Parameters, Scenario, Spec, SpecSyntaxError, parameters, scenario_file,
};

use crate::environment::{duel, scenario};
use crate::notation::parse_requests;
use crate::recorded;
use crate::requests::{Class, Contrary, List, Mixture, Weights};
use crate::rules::Pentocity;
use crate::rules::pieces::{Piece, PieceError};
use crate::rules::state::Ruleset;

const CLASS: &str = "COMS 4444 course problem, Columbia 2016: the class's simulator";

parameters! {
    /// A distribution of the class.
    struct Plain {
        /// Cells along each side of the land.
        side: usize = 50, in 5..=64;
        /// Which rules count the points: those of the class's simulator, or of the report.
        scoring: Ruleset = Ruleset::Simulator;
    }
}

parameters! {
    /// A weighted mixture, in one or two phases.
    struct Mixed {
        /// The share of residences.
        share: f64 = 0.7, in 0.0..=1.0;
        /// Weights of residences, such as walk:1 or X:6,I:4 (letters; L2 is L turned twice).
        shapes: String = "walk:1".to_owned();
        /// Weights of factories: sides, each drawn by itself (2:1,3:1,4:1), or rectangles
        /// (1x5:1,5x5:2).
        factories: String = "2:1,3:1,4:1".to_owned();
        /// The request, counted from 0, on which the second phase begins; 0 for none.
        switch: usize = 0, in 0..=100_000;
        /// The share of residences in the second phase.
        share2: f64 = 0.7, in 0.0..=1.0;
        /// Weights of residences in the second phase.
        shapes2: String = "walk:1".to_owned();
        /// Weights of factories in the second phase.
        factories2: String = "2:1,3:1,4:1".to_owned();
        /// Cells along each side of the land.
        side: usize = 50, in 5..=64;
        /// Which rules count the points: those of the class's simulator, or of the report.
        scoring: Ruleset = Ruleset::Simulator;
    }
}

parameters! {
    /// Asks for what fits worst.
    struct Opposed {
        /// Requests drawn each time; the one with the fewest placements is asked for.
        draws: usize = 3, in 1..=100;
        /// The share of residences.
        share: f64 = 0.7, in 0.0..=1.0;
        /// Weights of residences, as for mixture.
        shapes: String = "walk:1".to_owned();
        /// Weights of factories, as for mixture.
        factories: String = "2:1,3:1,4:1".to_owned();
        /// Cells along each side of the land.
        side: usize = 50, in 5..=64;
        /// Which rules count the points: those of the class's simulator, or of the report.
        scoring: Ruleset = Ruleset::Simulator;
    }
}

parameters! {
    /// Two seats: the second asks.
    struct Duel {
        /// Points of the first seat that make a draw; 0 for three points per four cells.
        par: u32 = 0, in 0..=100_000;
        /// Cells along each side of the land.
        side: usize = 50, in 5..=64;
        /// Which rules count the points: those of the class's simulator, or of the report.
        scoring: Ruleset = Ruleset::Simulator;
    }
}

parameters! {
    /// Requests from a file.
    struct File {
        /// The file: one request per line (X, L2, 3x4, or residence or factory and its cells), a
        /// game recorded by the original simulator, or a mixture saved by `quintain adversary`
        /// (which has its own side and scoring).
        path: String = String::new();
        /// The first 12 letters of the file's digest, which is then checked; filled in if left out.
        digest: String = String::new();
        /// Whether the list begins again after its last request.
        repeat: bool = false;
        /// Cells along each side of the land.
        side: usize = 50, in 5..=64;
        /// Which rules count the points: those of the class's simulator, or of the report.
        scoring: Ruleset = Ruleset::Simulator;
    }
}

/// Registers all scenarios.
pub(crate) fn add_to(mut entry: Entry<Pentocity>) -> Entry<Pentocity> {
    for class in Class::ALL {
        let summary = summary(class);
        entry = entry.scenario(name(class), summary, CLASS, move |given: &mut Plain| {
            Ok(scenario(Pentocity::new(given.side, given.scoring), Arc::new(class.source())))
        });
    }
    entry
        .scenario(
            "mixture",
            "requests drawn by weights of your own, in one or two phases",
            "ours",
            |given: &mut Mixed| Ok(mixture(given)?),
        )
        .scenario(
            "contrary",
            "an adversary: looks at the land and asks for the building that fits in the fewest \
             places",
            "ours",
            |given: &mut Opposed| {
                let weights = weights(given.share, &given.shapes, &given.factories)?;
                let source = Contrary { weights, draws: given.draws };
                Ok(scenario(Pentocity::new(given.side, given.scoring), Arc::new(source)))
            },
        )
        .scenario(
            "duel",
            "the second seat asks for what the first one builds: for programs that act as \
             sequencers",
            "COMS 4444 course problem, Columbia 2016: its class submitted both",
            |given: &mut Duel| {
                let par = match given.par {
                    // The class's players earned 1904 on 2500 cells, averaged over the
                    // distributions of the report's table 1.
                    0 => (given.side * given.side * 3 / 4) as u32,
                    par => par,
                };
                Ok(duel(Pentocity::duel(given.side, given.scoring, par)))
            },
        )
        .scenario(
            "file",
            "requests from a file, one after the other",
            "lists, or the original's recordings",
            |given: &mut File| file(given),
        )
}

fn name(class: Class) -> &'static str {
    match class {
        Class::Random => "random",
        Class::Tailheavy => "tailheavy",
        Class::Stars => "stars",
        Class::Industrialization => "industrialization",
        Class::Misfits => "misfits",
        Class::Tanks => "tanks",
        Class::G1 => "g1",
        Class::G2 => "g2",
        Class::G3 => "g3",
        Class::G4 => "g4",
        Class::G5 => "g5",
        Class::G6 => "g6",
        Class::G8 => "g8",
        Class::G9 => "g9",
        Class::G10 => "g10",
    }
}

fn summary(class: Class) -> &'static str {
    match class {
        Class::Random => {
            "70 % residences drawn as random walks of five cells, 30 % factories with sides of 2 \
             to 4"
        }
        Class::Tailheavy => {
            "70 % residences drawn as random walks of five cells, 30 % factories, mostly large ones"
        }
        Class::Stars => "90 % residences of shape X, 10 % factories of 5×5",
        Class::Industrialization => {
            "at first residences, then more and more factories, which become smaller"
        }
        Class::Misfits => "half factories of 1×5, half residences of shapes X and T",
        Class::Tanks => "half factories of 5×5, half residences of shapes P and p",
        Class::G1 => "residences X and I and small factories; after 140 requests factories of 5×5",
        Class::G2 => "residences of ten shapes in a cycle, with factories of 1×1 between them",
        Class::G3 => "residences of six shapes in a cycle, with factories of 5×5 and 1×1",
        Class::G4 => {
            "eleven factories of 5×5 and eleven residences drawn as random walks, then square \
             factories and residences X"
        }
        Class::G5 => {
            "in turn: a residence f or a factory of 1×1, then a residence F or a factory of 5×5"
        }
        Class::G6 => "nothing but residences of shape I, a line of five cells",
        Class::G8 => "105 residences of all shapes, then only factories",
        Class::G9 => "half factories of 1×1, half residences of shape I, a line of five cells",
        Class::G10 => "20 % residences of shape X, otherwise square factories whose sizes cycle",
    }
}

/// The weights that a mixture's parameters describe.
///
/// # Errors
/// Which part of the text is wrong, and what was expected.
fn weights(share: f64, shapes: &str, factories: &str) -> Result<Weights, String> {
    let mut residences = Weights::of([]);
    for (word, weight) in parse_weights(shapes)? {
        let added = match word {
            "walk" => Weights::walk(),
            _ => {
                let piece: Piece = word.parse().map_err(|error: PieceError| error.to_string())?;
                if piece.is_factory() {
                    return Err(format!("“{word}” in {shapes}: a factory; expected residences"));
                }
                Weights::of([(piece, 1.0)])
            }
        };
        residences = residences.plus(&added, weight);
    }
    let mut sides = [0.0; 5];
    let mut rectangles = Weights::of([]);
    for (word, weight) in parse_weights(factories)? {
        if let Ok(side @ 1..=5) = word.parse::<usize>() {
            sides[side - 1] += weight;
            continue;
        }
        let piece: Piece = word.parse().map_err(|error: PieceError| error.to_string())?;
        if !piece.is_factory() {
            return Err(format!("“{word}” in {factories}: a residence; expected factories"));
        }
        rectangles = rectangles.plus(&Weights::of([(piece, 1.0)]), weight);
    }
    let by_sides = sides.iter().sum::<f64>() > 0.0;
    if by_sides && !rectangles.is_nothing() {
        return Err(format!(
            "{factories}: expected sides (2:1,3:1) or rectangles (1x5:1), not both"
        ));
    }
    let factories = if by_sides { Weights::sides(sides) } else { rectangles };
    if (share > 0.0 && residences.is_nothing()) || (share < 1.0 && factories.is_nothing()) {
        return Err("a share above 0 needs a weight above 0".to_owned());
    }
    Ok(Weights::mix(share, &residences, &factories))
}

/// Reads words with weights, as `X:6,I:4`.
fn parse_weights(text: &str) -> Result<Vec<(&str, f64)>, String> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (word, weight) = part.split_once(':').unwrap_or((part, "1"));
            match weight.parse::<f64>() {
                Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok((word, weight)),
                _ => Err(format!("“{part}” in {text}: expected NAME:WEIGHT, as in X:6,I:4")),
            }
        })
        .collect()
}

fn mixture(given: &Mixed) -> Result<Scenario<Pentocity>, String> {
    let first = weights(given.share, &given.shapes, &given.factories)?;
    let then = match given.switch {
        0 => None,
        from => Some((from, weights(given.share2, &given.shapes2, &given.factories2)?)),
    };
    let source = Mixture { first, then };
    Ok(scenario(Pentocity::new(given.side, given.scoring), Arc::new(source)))
}

fn file(given: &mut File) -> Result<Scenario<Pentocity>, BuildError> {
    if given.path.is_empty() {
        return Err("it needs path=FILE".into());
    }
    let path = &given.path;
    let text = scenario_file(Path::new(path), &mut given.digest)?;
    let located = |problem: String| format!("{path}: {problem}");
    let saved = text.trim();
    let saved = saved.strip_prefix("pentocity:").unwrap_or(saved);
    if saved.starts_with("mixture") {
        let spec: Spec =
            saved.parse().map_err(|error: SpecSyntaxError| located(error.to_string()))?;
        let mixed = Mixed::from_arguments(&spec.arguments);
        let mixed = mixed.map_err(|error| located(error.to_string()))?;
        return Ok(mixture(&mixed).map_err(located)?);
    }
    let pieces = if saved.starts_with('{') {
        recorded::parse(&text)
            .map(|game| game.requests.into_iter().map(|request| request.piece).collect())
            .map_err(|error| error.to_string())
    } else {
        parse_requests(&text).map_err(|error| error.to_string())
    };
    let list = List { pieces: pieces.map_err(located)?, repeat: given.repeat };
    if list.pieces.is_empty() {
        return Err(located("no request in it".to_owned()).into());
    }
    Ok(scenario(Pentocity::new(given.side, given.scoring), Arc::new(list)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str) -> Piece {
        text.parse().unwrap()
    }

    #[test]
    fn a_mixture_has_the_weights_that_are_written() {
        let mixed = weights(0.8, "X:6,I:4", "1x1:1,1x2:1").unwrap();
        let close = |text: &str, expected: f64| {
            assert!((mixed.get(piece(text)) - expected).abs() < 1e-12, "{text}");
        };
        close("X", 0.48);
        close("I", 0.32);
        close("1x2", 0.1);
        let sides = weights(0.5, "walk", "5:1,1:3").unwrap();
        assert!((sides.get(piece("5x1")) - 0.5 * 3.0 / 16.0).abs() < 1e-12);
    }

    #[test]
    fn wrong_weights_are_refused_with_what_was_expected() {
        let error_of = |share, shapes, factories| weights(share, shapes, factories).unwrap_err();
        assert!(error_of(0.5, "Q:1", "1:1").contains("“Q” is neither a pentomino"));
        assert!(error_of(0.5, "X:a", "1:1").contains("expected NAME:WEIGHT"));
        assert!(error_of(0.5, "X:-1", "1:1").contains("expected NAME:WEIGHT"));
        assert!(error_of(0.5, "3x3:1", "1:1").contains("expected residences"));
        assert!(error_of(0.5, "X:1", "X:1").contains("expected factories"));
        assert!(error_of(0.5, "X:1", "1:1,2x2:1").contains("not both"));
        assert!(error_of(0.5, "X:1", "6:1").contains("“6” is neither a pentomino"));
        assert!(error_of(0.5, "", "1:1").contains("needs a weight"));
        assert!(weights(1.0, "X:1", "").is_ok());
    }

    #[test]
    fn every_family_builds_and_its_name_is_the_classs() {
        let entry = crate::entry();
        for class in Class::ALL {
            assert_eq!(name(class), class.to_string());
            assert!(entry.build(name(class)).is_ok());
        }
        let error_of = |text: &str| entry.build(text).map(|_| ()).unwrap_err().to_string();
        assert!(error_of("file").contains("it needs path=FILE"));
        assert!(error_of("file?path=nowhere.txt").contains("nowhere.txt"));
    }

    #[test]
    fn a_file_may_hold_requests_or_a_saved_mixture() {
        let entry = crate::entry();
        let folder = std::env::temp_dir().join(format!("pentocity-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            format!("file?path={}", path.display())
        };
        let (built, text) = entry.build(&file("list.txt", "X\n3x4\n")).unwrap();
        assert_eq!(built.rules().side(), 50);
        assert!(text.contains("digest="));
        let mixture = file("mixture.txt", "pentocity:mixture?share=1&shapes=X:1&side=20\n");
        assert_eq!(entry.build(&mixture).unwrap().0.rules().side(), 20);
        let error_of = |text: &str| entry.build(text).map(|_| ()).unwrap_err().to_string();
        assert!(
            error_of(&file("wrong.txt", "mixture?shapes=Q")).contains("“Q” is neither a pentomino")
        );
        assert!(error_of(&file("bad.txt", "X\nQ\n")).contains("line 2: “Q”"));
        let changed = format!("{}&digest=000000000000", file("list.txt", "X\n"));
        assert!(error_of(&changed).contains("has changed"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
