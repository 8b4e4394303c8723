//! Where tron is played: the boards of the four contests, generated ones, and maps from files.
//! Sizes include the border. Boards are made in [`crate::scenarios::generate`], and files are read
//! in [`crate::notation`].

pub(crate) mod generate;

use std::path::Path;

use quintain_core::parameters::NoParameters;
use quintain_core::{
    BuildError, Entry, Scenario, data_folder, did_you_mean, kept_file, parameters, scenario_file,
};

use crate::environment::{scenario, scenario_with_boards};
use crate::notation::read_map;
use crate::rules::state::State;
use crate::rules::{Headings, Moves, Trails, Tron};
use crate::scenarios::generate::{Generator, Shape, Starts, Symmetry};

const SPEC: &str = "the four contests' rules, restated";

parameters! {
    /// The board of HackerRank's first tron challenge.
    struct Hackerrank {
        /// Turns played at random before the match, so that matches between deterministic players
        /// vary.
        opening: u32 = 0, in 0..=20;
    }
}

parameters! {
    /// The board of HackerRank's second tron challenge.
    struct TronV2 {
        /// The share of cells that are obstacles.
        density: f64 = 0.1, in 0.0..=0.5;
    }
}

parameters! {
    /// CodinGame's board.
    struct Codingame {
        /// The number of players.
        players: usize = 2, in 2..=4;
    }
}

parameters! {
    /// A board without obstacles.
    struct Empty {
        /// Columns of the board, its border included.
        width: usize = 15, in 5..=128;
        /// Rows of the board, its border included.
        height: usize = 15, in 5..=128;
        /// The symmetry of the random starts.
        symmetry: Symmetry = Symmetry::Point;
        /// The number of players.
        players: usize = 2, in 2..=4;
        /// Whether all move at once or one after another.
        moves: Moves = Moves::Simultaneous;
        /// What becomes of a fallen player's trail.
        trails: Trails = Trails::Stay;
        /// Whether a head has a direction from the start.
        headings: Headings = Headings::Free;
        /// The match ends after this many turns, with those who live then level; 0: it does not.
        turns: u32 = 0, in 0..=16384;
    }
}

macro_rules! generated {
    (
        $(#[$doc:meta])* $name:ident,
        $(#[doc = $own_doc:literal])* $own:ident: $type:ty = $default:expr, in $range:expr
    ) => {
        parameters! {
            $(#[$doc])*
            struct $name {
                /// Columns of the board, its border included.
                width: usize = 21, in 7..=128;
                /// Rows of the board, its border included.
                height: usize = 21, in 7..=128;
                $(#[doc = $own_doc])*
                $own: $type = $default, in $range;
                /// The symmetry of the board.
                symmetry: Symmetry = Symmetry::Point;
                /// Whether all move at once or one after another.
                moves: Moves = Moves::Simultaneous;
                /// What becomes of a fallen player's trail.
                trails: Trails = Trails::Stay;
                /// Whether a head has a direction from the start.
                headings: Headings = Headings::Free;
                /// The match ends after this many turns, with those who live then level; 0: it does
                /// not.
                turns: u32 = 0, in 0..=16384;
            }
        }

        impl $name {
            fn scenario(&self, shape: Shape) -> Scenario<Tron> {
                let generator = Generator {
                    width: self.width,
                    height: self.height,
                    seats: 2,
                    shape,
                    symmetry: self.symmetry,
                    starts: Starts::Random,
                };
                let rules = Tron::new(generator.seats, self.moves, self.trails);
                scenario_with_boards(with_ends(rules, self.headings, self.turns), generator)
            }
        }
    };
}

generated! {
    /// Single walls here and there.
    Obstacles,
    /// The share of cells that are walls.
    density: f64 = 0.12, in 0.0..=0.5
}
generated! {
    /// Rings around the centre.
    Rings,
    /// The number of cells between two rings.
    apart: usize = 3, in 1..=20
}
generated! {
    /// Rooms with doors.
    Rooms,
    /// The side of a room, in cells.
    side: usize = 5, in 2..=30
}
generated! {
    /// Pillars with corridors between them.
    Corridors,
    /// The share of gaps between pillars that are closed.
    closed: f64 = 0.1, in 0.0..=0.6
}

parameters! {
    /// A map from a file.
    struct File {
        /// The path of the map's file.
        path: String = String::new();
        /// Turns played at random before the match.
        opening: u32 = 0, in 0..=20;
        /// The digest of its content; a file that has changed is refused.
        digest: String = String::new();
        /// Whether all move at once or one after another.
        moves: Moves = Moves::Simultaneous;
        /// What becomes of a fallen player's trail.
        trails: Trails = Trails::Stay;
        /// Whether a head has a direction from the start.
        headings: Headings = Headings::Free;
        /// The match ends after this many turns, with those who live then level; 0: it does not.
        turns: u32 = 0, in 0..=16384;
    }
}

parameters! {
    /// A map of the contest's starter package.
    struct Starter {
        /// The name of a map from the starter package.
        map: String = "empty-room".to_owned();
        /// Turns played at random before the match.
        opening: u32 = 0, in 0..=20;
        /// The digest of its content; a file that has changed is refused.
        digest: String = String::new();
    }
}

/// Registers all scenarios.
pub(crate) fn add_to(entry: Entry<Tron>) -> Entry<Tron> {
    entry
        .scenario("hackerrank", "15×15, starts at the left and right edges", SPEC, hackerrank)
        .scenario("tronv2", "15×15 with obstacles, starts in the corners", SPEC, tron_v2)
        .scenario("codingame", "30×20, open, moves in turn, 2–4 players", SPEC, codingame)
        .scenario("riddles", "16×16, open, random point-symmetric starts", SPEC, riddles)
        .scenario("empty", "any size, random starts", "generated", |p: &mut Empty| {
            if p.symmetry != Symmetry::None && p.players % 2 == 1 {
                return Err("an odd number of players needs symmetry=none".into());
            }
            let generator = Generator {
                width: p.width,
                height: p.height,
                seats: p.players,
                shape: Shape::Empty,
                symmetry: p.symmetry,
                starts: Starts::Random,
            };
            if !generator.has_room() {
                let other = if p.symmetry == Symmetry::None { "" } else { " or symmetry=none" };
                return Err(format!(
                    "{}×{} has no room for {} starts three steps apart; try a larger board{other}",
                    p.width, p.height, p.players,
                )
                .into());
            }
            let rules = Tron::new(generator.seats, p.moves, p.trails);
            Ok(scenario_with_boards(with_ends(rules, p.headings, p.turns), generator))
        })
        .scenario("obstacles", "walls here and there", "generated", |p: &mut Obstacles| {
            Ok(p.scenario(Shape::Obstacles(p.density)))
        })
        .scenario("rings", "rings around the centre", "generated", |p: &mut Rings| {
            Ok(p.scenario(Shape::Rings(p.apart)))
        })
        .scenario("rooms", "rooms with doors", "generated", |p: &mut Rooms| {
            Ok(p.scenario(Shape::Rooms(p.side)))
        })
        .scenario("corridors", "pillars and corridors", "generated", |p: &mut Corridors| {
            Ok(p.scenario(Shape::Corridors(p.closed)))
        })
        .scenario("file", "a map from a file", "yours", file)
        .scenario(
            "starter",
            "a map from the 2010 contest's starter package, found through QUINTAIN_DATA",
            "Google AI Challenge 2010",
            starter,
        )
}

fn hackerrank(parameters: &mut Hackerrank) -> Result<Scenario<Tron>, BuildError> {
    let mut state =
        State::empty(15, 15, |row, column| row == 0 || column == 0 || row == 14 || column == 14);
    state.place(7, 1);
    state.place(7, 13);
    Ok(scenario(
        Tron::new(state.seats(), Moves::Simultaneous, Trails::Stay),
        state,
        parameters.opening,
    ))
}

fn tron_v2(parameters: &mut TronV2) -> Result<Scenario<Tron>, BuildError> {
    let generator = Generator {
        width: 15,
        height: 15,
        seats: 2,
        shape: Shape::Obstacles(parameters.density),
        symmetry: Symmetry::Point,
        starts: Starts::Corners,
    };
    Ok(scenario_with_boards(
        Tron::new(generator.seats, Moves::Simultaneous, Trails::Stay),
        generator,
    ))
}

fn codingame(parameters: &mut Codingame) -> Result<Scenario<Tron>, BuildError> {
    // 30×20 cells and the edge of the world around them.
    let generator = Generator {
        width: 32,
        height: 22,
        seats: parameters.players,
        shape: Shape::Empty,
        symmetry: Symmetry::None,
        starts: Starts::Random,
    };
    Ok(scenario_with_boards(
        Tron::new(generator.seats, Moves::Sequential, Trails::Vanish),
        generator,
    ))
}

fn riddles(_: &mut NoParameters) -> Result<Scenario<Tron>, BuildError> {
    // 16×16 cells and the edge of the world around them.
    let generator = Generator {
        width: 18,
        height: 18,
        seats: 2,
        shape: Shape::Empty,
        symmetry: Symmetry::Point,
        starts: Starts::Random,
    };
    Ok(scenario_with_boards(
        Tron::new(generator.seats, Moves::Simultaneous, Trails::Stay),
        generator,
    ))
}

fn file(parameters: &mut File) -> Result<Scenario<Tron>, BuildError> {
    if parameters.path.is_empty() {
        return Err("it needs path=FILE, a map drawn with #, spaces and the starts 1 and 2".into());
    }
    let state = load(Path::new(&parameters.path), &mut parameters.digest)?;
    let File { opening, moves, trails, headings, turns, .. } = *parameters;
    let rules = with_ends(Tron::new(state.seats(), moves, trails), headings, turns);
    Ok(scenario(rules, state, opening))
}

/// The rules with directions from the start and a last turn, where 0 is none.
fn with_ends(rules: Tron, headings: Headings, turns: u32) -> Tron {
    rules.with_headings(headings).with_last_turn(if turns == 0 { u16::MAX } else { turns as u16 })
}

fn starter(parameters: &mut Starter) -> Result<Scenario<Tron>, BuildError> {
    let state = load_starter(parameters)?;
    Ok(scenario(
        Tron::new(state.seats(), Moves::Simultaneous, Trails::Stay),
        state,
        parameters.opening,
    ))
}

/// Reads a map of the starter package, which is not needed for a map that is in memory.
fn load_starter(parameters: &mut Starter) -> Result<State, BuildError> {
    if kept_file(&parameters.digest).is_some() {
        return load(Path::new(&parameters.map), &mut parameters.digest);
    }
    let folder = data_folder().join("tron/maps/starter");
    let names = map_names(&folder);
    if names.is_empty() {
        return Err(format!(
            "the starter package's maps are not at {}; set QUINTAIN_DATA to the folder that \
             contains tron/maps/starter, or use a generated board",
            folder.display()
        )
        .into());
    }
    if !names.contains(&parameters.map) {
        let names = names.iter().map(String::as_str);
        return Err(did_you_mean("map", &parameters.map, names).into());
    }
    load(&folder.join(format!("{}.txt", parameters.map)), &mut parameters.digest)
}

/// The names of the maps in a folder, in order.
fn map_names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            name.strip_suffix(".txt").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// Reads a map and checks its digest, or records the digest where none is expected.
fn load(path: &Path, expected: &mut String) -> Result<State, BuildError> {
    let text = scenario_file(path, expected)?;
    Ok(read_map(&text).map_err(|problem| format!("{}: {problem}", path.display()))?)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use quintain_core::Rng;

    #[test]
    fn hackerranks_players_start_at_7_1_and_7_13() {
        let state = hackerrank(&mut Hackerrank::default()).unwrap().start(&mut Rng::from_seed(0));
        assert_eq!(state.heads[..2], [7 * 15 + 1, 7 * 15 + 13]);
        assert_eq!(state.cells.iter().filter(|cell| **cell == 0).count(), 13 * 13 - 2);
    }

    #[test]
    fn tronv2_starts_in_the_corners() {
        let game = tron_v2(&mut TronV2::default()).unwrap();
        for seed in 0..20 {
            let state = game.start(&mut Rng::from_seed(seed));
            assert_eq!(state.heads[..2], [15 + 1, 13 * 15 + 13]);
        }
    }

    #[test]
    fn a_map_that_changes_under_a_record_stays_what_it_was_or_is_refused() {
        let path = std::env::temp_dir().join(format!("quintain-map-{}.txt", std::process::id()));
        std::fs::write(&path, "#####\n#1 2#\n#####\n").unwrap();
        let mut parameters = File { path: path.display().to_string(), ..File::default() };
        file(&mut parameters).unwrap();
        assert_eq!(parameters.digest.len(), 12);
        std::fs::write(&path, "#####\n#2 1#\n#####\n").unwrap();
        // The text with this digest is still in memory.
        file(&mut parameters).unwrap();
        parameters.digest = "0123456789ab".to_owned();
        let message = file(&mut parameters).unwrap_err().to_string();
        assert!(message.contains("has changed"), "{message}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_map_of_the_starter_package_that_is_in_memory_needs_no_package() {
        let digest = quintain_core::keep_file("#####\n#1 2#\n#####\n");
        let map = "nowhere".to_owned();
        assert!(starter(&mut Starter { map, digest, ..Starter::default() }).is_ok());
    }

    #[test]
    fn the_maps_of_the_starter_package_all_read() {
        let folder = std::env::var_os("QUINTAIN_DATA")
            .map_or_else(|| PathBuf::from("../../../../shared/data"), PathBuf::from)
            .join("tron/maps/starter");
        let names = map_names(&folder);
        if names.is_empty() {
            eprintln!("skipped: no maps at {}", folder.display());
            return;
        }
        assert_eq!(names.len(), 23);
        for name in names {
            let path = folder.join(format!("{name}.txt"));
            let state = load(&path, &mut String::new()).unwrap();
            assert_eq!(state.seats(), 2, "{name}");
        }
    }
}
