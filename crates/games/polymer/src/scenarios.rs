//! The scenarios of polymer: chains of the course's sizes from a seeded generator (the course's own
//! sequences are lost), chains of any size, the HP chains of the literature, and files. The
//! generators are ours; their draws will never change.

use std::path::Path;

use quintain_core::{
    BuildError, Entry, Scenario, Streams, choices, did_you_mean, parameters, scenario_file,
};

use crate::environment::scenario;
use crate::notation::read_instance;
use crate::rules::Polymer;
use crate::rules::instance::{Instance, Interaction, parse_hp};
use crate::rules::torus::Torus;

choices! {
    /// How charges are drawn.
    pub enum Charges {
        /// −1, 0 and +1, all equally likely.
        Uniform = "uniform",
        /// −1 and +1, equally likely; none neutral.
        Signs = "signs",
        /// Four of five neutral.
        Sparse = "sparse",
        /// +1 half of the time, −1 one time in six, otherwise neutral.
        Imbalanced = "imbalanced",
    }
}

/// The sizes of the course: name, summary, columns, rows, monomers.
pub const COURSE: &[(&str, &str, usize, usize, usize)] = &[
    ("L08_s01", "8×8, 24 monomers", 8, 8, 24),
    ("L08_s02", "8×8, 56 monomers", 8, 8, 56),
    ("L08_s03", "8×8, 48 monomers", 8, 8, 48),
    ("L16_s01", "16×16, 204 monomers", 16, 16, 204),
    ("L16_s02", "16×16, 128 monomers", 16, 16, 128),
    ("L64_s01", "64×64, 640 monomers", 64, 64, 640),
    ("L64_s02", "64×64, 2560 monomers", 64, 64, 2560),
];

parameters! {
    /// A chain of the course's size.
    struct CourseChain {
        /// Which chain of this size.
        seed: u64 = 1;
        /// How charges are drawn.
        charges: Charges = Charges::Uniform;
        /// Whether a walk in a dead end scores what was laid, instead of counting as no solution.
        partial: bool = false;
    }
}

parameters! {
    /// A chain of any size.
    struct Random {
        /// Columns of the torus.
        width: usize = 6, in 1..=1_000;
        /// Rows of the torus.
        height: usize = 6, in 1..=1_000;
        /// Monomers in the chain.
        n: usize = 18, in 1..=65_000;
        /// Which chain of this size.
        seed: u64 = 1;
        /// How charges are drawn.
        charges: Charges = Charges::Uniform;
        /// Whether a walk in a dead end scores what was laid, instead of counting as no solution.
        partial: bool = false;
    }
}

/// The word for no sequence.
const NO_SEQUENCE: &str = "none";

/// The chain that is meant if none is given, and that on the cubic lattice.
const FIRST: &str = "S1-1";
const FIRST_IN_SPACE: &str = "48-1";

parameters! {
    /// An HP chain.
    struct Hp {
        /// A chain of the literature (S1-1 to S1-9, 100a, 100b, C-1, C-2, C-3, C-5).
        name: String = FIRST.to_owned();
        /// Your own chain instead, as a string of H and P; none if it is given by name.
        sequence: String = NO_SEQUENCE.to_owned();
        /// Columns of the torus; 0 for a torus so large that it is like the plane.
        width: usize = 0, in 0..=1_000;
        /// Rows of the torus; 0 if there are 0 columns.
        height: usize = 0, in 0..=1_000;
        /// Whether a walk in a dead end scores what was laid, instead of counting as no solution.
        partial: bool = false;
    }
}

parameters! {
    /// An HP chain on the cubic lattice.
    struct HpInSpace {
        /// A chain of the literature (48-1 to 48-10, 58, 60, 64, 103, 136).
        name: String = FIRST_IN_SPACE.to_owned();
        /// Your own chain instead, as a string of H and P; none if it is given by name.
        sequence: String = NO_SEQUENCE.to_owned();
        /// The side of the cubic torus; 0 for one as large as open space needs, up to 40.
        side: usize = 0, in 0..=40;
        /// Whether a walk in a dead end scores what was laid, instead of counting as no solution.
        partial: bool = false;
    }
}

parameters! {
    /// An instance from a file.
    struct File {
        /// The file's path; the file holds Lx Ly n1 n2 … nn, or a string of H and P.
        path: String = String::new();
        /// The first 12 letters of the file's digest, which is then checked; filled in if left out.
        digest: String = String::new();
        /// Whether a walk in a dead end scores what was laid, instead of counting as no solution.
        partial: bool = false;
    }
}

/// An HP chain of the literature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HpChain {
    /// Its name in the literature.
    pub name: &'static str,
    /// The least known energy, on the plane or in space.
    pub energy: i32,
    /// Its monomers.
    pub sequence: &'static str,
}

/// The 2-D HP chains with their least known energies: the benchmark header of Aarhus hpview3k.py,
/// cross-checked against other public lists.
pub const HP_CHAINS: &[HpChain] = &[
    HpChain { name: "S1-1", energy: -9, sequence: "HPHPPHHPHPPHPHHPPHPH" },
    HpChain { name: "S1-2", energy: -9, sequence: "HHPPHPPHPPHPPHPPHPPHPPHH" },
    HpChain { name: "S1-3", energy: -8, sequence: "PPHPPHHPPPPHHPPPPHHPPPPHH" },
    HpChain { name: "S1-4", energy: -14, sequence: "PPPHHPPHHPPPPPHHHHHHHPPHHPPPPHHPPHPP" },
    HpChain {
        name: "S1-5",
        energy: -23,
        sequence: "PPHPPHHPPHHPPPPPHHHHHHHHHHPPPPPPHHPPHHPPHPPHHHHH",
    },
    HpChain {
        name: "S1-6",
        energy: -21,
        sequence: "HHPHPHPHPHHHHPHPPPHPPPHPPPPHPPPHPPPHPHHHHPHPHPHPHH",
    },
    HpChain {
        name: "S1-7",
        energy: -36,
        sequence: "PPHHHPHHHHHHHHPPPHHHHHHHHHHPHPPPHHHHHHHHHHHHPPPPHHHHHHPHHPHP",
    },
    HpChain {
        name: "S1-8",
        energy: -42,
        sequence: "HHHHHHHHHHHHPHPHPPHHPPHHPPHPPHHPPHHPPHPPHHPPHHPPHPHPHHHHHHHHHHHH",
    },
    HpChain {
        name: "S1-9",
        energy: -53,
        sequence: "HHHHPPPPHHHHHHHHHHHHPPPPPPHHHHHHHHHHHHPPPHHHHHHHHHHHHPPPHHHH\
            HHHHHHHHPPPHPPHHPPHHPPHPH",
    },
    HpChain {
        name: "100a",
        energy: -48,
        sequence: "PPPPPPHPHHPPPPPHHHPHHHHHPHHPPPPHHPPHHPHHHHHPHHHHHHHHHHPHHPHH\
            HHHHHPPPPPPPPPPPHHHHHHHPPHPHHHPPPPPPHPHH",
    },
    HpChain {
        name: "100b",
        energy: -50,
        sequence: "PPPHHPPHHHHPPHHHPHHPHHPHHHHPPPPPPPPHHHHHHPPHHHHHHPPPPPPPPPHP\
            HHPHHHHHHHHHHHPPHHHPHHPHPPHPHHHPPPPPPHHH",
    },
    HpChain { name: "C-1", energy: -4, sequence: "HHPPPPPHHPPPHPPPHP" },
    HpChain { name: "C-2", energy: -8, sequence: "HPHPHHHPPPHHHHPPHH" },
    HpChain { name: "C-3", energy: -9, sequence: "PHPPHPHHHPHHPHHHHH" },
    HpChain { name: "C-5", energy: -10, sequence: "HHHPPHPHPHPPHPHPHPPH" },
];

/// The 48-mers of the Harvard group on the cubic lattice with their least known energies (Yue et
/// al. 1995, who found them by an exact method; Thachuk et al. 2007). Then longer chains, named by
/// their lengths, with the least energies that anybody published: 60 and 64 are the plane's S1-7
/// and S1-8 (Unger & Moult 1993); 58 models BPTI (Dill, Fiebig & Chan 1993); 103 and 136 model
/// cytochrome c and staphylococcal nuclease (Lattman, Fiebig & Dill 1994). Energies: Wüst & Landau
/// 2012; 60 and 64 as recomputed from published folds.
pub const HP_CHAINS_IN_SPACE: &[HpChain] = &[
    HpChain {
        name: "48-1",
        energy: -32,
        sequence: "HPHHPPHHHHPHHHPPHHPPHPHHHPHPHHPPHHPPPHPPPPPPPPHH",
    },
    HpChain {
        name: "48-2",
        energy: -34,
        sequence: "HHHHPHHPHHHHHPPHPPHHPPHPPPPPPHPPHPPPHPPHHPPHHHPH",
    },
    HpChain {
        name: "48-3",
        energy: -34,
        sequence: "PHPHHPHHHHHHPPHPHPPHPHHPHPHPPPHPPHHPPHHPPHPHPPHP",
    },
    HpChain {
        name: "48-4",
        energy: -33,
        sequence: "PHPHHPPHPHHHPPHHPHHPPPHHHHHPPHPHHPHPHPPPPHPPHPHP",
    },
    HpChain {
        name: "48-5",
        energy: -32,
        sequence: "PPHPPPHPHHHHPPHHHHPHHPHHHPPHPHPHPPHPPPPPPHHPHHPH",
    },
    HpChain {
        name: "48-6",
        energy: -32,
        sequence: "HHHPPPHHPHPHHPHHPHHPHPPPPPPPHPHPPHPPPHPPHHHHHHPH",
    },
    HpChain {
        name: "48-7",
        energy: -32,
        sequence: "PHPPPPHPHHHPHPHHHHPHHPHHPPPHPHPPPHHHPPHHPPHHPPPH",
    },
    HpChain {
        name: "48-8",
        energy: -31,
        sequence: "PHHPHHHPHHHHPPHHHPPPPPPHPHHPPHHPHPPPHHPHPHPHHPPP",
    },
    HpChain {
        name: "48-9",
        energy: -34,
        sequence: "PHPHPPPPHPHPHPPHPHHHHHHPPHHHPHPPHPHHPPHPHHHPPPPH",
    },
    HpChain {
        name: "48-10",
        energy: -33,
        sequence: "PHHPPPPPPHHPPPHHHPHPPHPHHPPHPPHPPHHPPHHHHHHHPPHH",
    },
    HpChain {
        name: "60",
        energy: -55,
        sequence: "PPHHHPHHHHHHHHPPPHHHHHHHHHHPHPPPHHHHHHHHHHHHPPPPHHHHHHPHHPHP",
    },
    HpChain {
        name: "64",
        energy: -59,
        sequence: "HHHHHHHHHHHHPHPHPPHHPPHHPPHPPHHPPHHPPHPPHHPPHHPPHPHPHHHHHHHHHHHH",
    },
    HpChain {
        name: "58",
        energy: -44,
        sequence: "PHPHHHPHHHPPHHPHPHHPHHHPHPHPHHPPHHHPPHPHPPPPHPPHPPHHPPHPPH",
    },
    HpChain {
        name: "103",
        energy: -58,
        sequence: "PPHHPPPPPHHPPHHPHPPHPPPPPPPHPPPHHPHHPPPPPPHPPHPHPPHPPPPPHHHPPPPHHPHHPPPPPHHPPPPH\
                   HHHPHPPPPPPPPHHHHHPPHPP",
    },
    HpChain {
        name: "136",
        energy: -83,
        sequence: "HPPPPPHPPPPHPHHPHHPPPPHPHHHPPPPHPHPHHHHPPPPPPPPPPPHPPHPPPHPHHPPPHHPPHPPHPHPHPPPP\
                   PPPPHPPPHHHHHHPPPHHPPHHHPPPHHPHHHHHPPPPPPPPPHPPPPHPHPPPP",
    },
];

/// Draws the charges of a chain.
pub fn draw_charges(charges: Charges, n: usize, seed: u64) -> Vec<i8> {
    let mut rng = Streams::new(seed).address("polymer chain", n as u64);
    let mut draw = || match charges {
        Charges::Uniform => rng.below(3) as i8 - 1,
        Charges::Signs => 2 * rng.below(2) as i8 - 1,
        Charges::Sparse => [-1, 1, 0, 0, 0, 0, 0, 0, 0, 0][rng.below(10)],
        Charges::Imbalanced => [1, 1, 1, -1, 0, 0][rng.below(6)],
    };
    (0..n).map(|_| draw()).collect()
}

/// The instance of the course's size called `name`, with this seed.
pub fn course(name: &str, charges: Charges, seed: u64) -> Option<Instance> {
    let &(_, _, width, height, n) = COURSE.iter().find(|known| known.0 == name)?;
    let torus = Torus::new(width, height).ok()?;
    Instance::new(torus, Interaction::Charge, draw_charges(charges, n, seed)).ok()
}

/// Registers all scenarios.
pub(crate) fn add_to(mut entry: Entry<Polymer>) -> Entry<Polymer> {
    const SOURCE: &str = "sizes: slides “CS5330”; charges: ours, by seed";
    for &(name, summary, ..) in COURSE {
        entry = entry.scenario(name, summary, SOURCE, move |given: &mut CourseChain| {
            let instance = course(name, given.charges, given.seed).ok_or("an unknown size")?;
            Ok(scenario(Polymer::new(instance, given.partial)))
        });
        entry = entry.instances("seed");
    }
    entry
        .scenario("random", "any torus, any length", "ours, by seed", |given: &mut Random| {
            let torus = Torus::new(given.width, given.height)?;
            let monomers = draw_charges(given.charges, given.n, given.seed);
            let instance = Instance::new(torus, Interaction::Charge, monomers)?;
            Ok(scenario(Polymer::new(instance, given.partial)))
        })
        .instances("seed")
        .scenario(
            "hp",
            "HP chains, by name or as given",
            "Aarhus hpview3k.py; Dill 1985",
            |given: &mut Hp| {
                let instance = hp(given)?;
                Ok(scenario(Polymer::new(instance, given.partial)))
            },
        )
        .scenario(
            "hp3d",
            "HP chains on the cubic lattice, by name or as given",
            "Yue et al. 1995; Dill 1985",
            |given: &mut HpInSpace| {
                let instance = hp_in_space(given)?;
                Ok(scenario(Polymer::new(instance, given.partial)))
            },
        )
        .scenario("file", "an instance from a file", "the course's format", |given: &mut File| {
            file(given)
        })
}

/// The given sequence, or the known one of this name; `usual` is the name if none is given.
fn sequence_of<'a>(
    (name, usual): (&str, &str),
    sequence: &'a str,
    known: &[HpChain],
) -> Result<&'a str, BuildError> {
    if sequence.is_empty() {
        return Err("sequence is empty; expected a string of H and P, or name= alone".into());
    }
    if sequence != NO_SEQUENCE && name != usual {
        return Err(
            format!("name={name} and a sequence are both given; expected one of them").into()
        );
    }
    if sequence != NO_SEQUENCE {
        return Ok(sequence);
    }
    let chain = known.iter().find(|chain| chain.name == name);
    let names = known.iter().map(|chain| chain.name);
    Ok(chain.ok_or_else(|| did_you_mean("HP chain", name, names))?.sequence)
}

fn hp_in_space(given: &HpInSpace) -> Result<Instance, BuildError> {
    let sequence = sequence_of((&given.name, FIRST_IN_SPACE), &given.sequence, HP_CHAINS_IN_SPACE)?;
    if given.side == 0 {
        return Ok(Instance::hp_in_space(sequence)?);
    }
    let torus = Torus::with_layers(given.side, given.side, given.side)?;
    Ok(Instance::new(torus, Interaction::Hp, parse_hp(sequence)?)?)
}

fn hp(given: &Hp) -> Result<Instance, BuildError> {
    let sequence = sequence_of((&given.name, FIRST), &given.sequence, HP_CHAINS)?;
    match (given.width, given.height) {
        (0, 0) => Ok(Instance::hp_in_the_plane(sequence)?),
        (0, _) | (_, 0) => {
            let (width, height) = (given.width, given.height);
            Err(format!(
                "width={width} and height={height}: expected both from 1, or both 0 for the plane"
            )
            .into())
        }
        (width, height) => {
            Ok(Instance::new(Torus::new(width, height)?, Interaction::Hp, parse_hp(sequence)?)?)
        }
    }
}

fn file(given: &mut File) -> Result<Scenario<Polymer>, BuildError> {
    if given.path.is_empty() {
        return Err("it needs path=FILE".into());
    }
    let path = &given.path;
    let text = scenario_file(Path::new(path), &mut given.digest)?;
    let instance = read_instance(&text).map_err(|problem| format!("{path}: {problem}"))?;
    Ok(scenario(Polymer::new(instance, given.partial)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chains_of_a_seed_are_fixed_for_ever() {
        let text: String = draw_charges(Charges::Uniform, 24, 1)
            .iter()
            .map(|charge| {
                if *charge == 0 {
                    'o'
                } else if *charge > 0 {
                    '+'
                } else {
                    '-'
                }
            })
            .collect();
        assert_eq!(text, "o++++-oo++--+--oo-+o+o+o");
    }

    #[test]
    fn hp_chains_have_the_lengths_of_the_literature() {
        let lengths: Vec<usize> = HP_CHAINS.iter().map(|chain| chain.sequence.len()).collect();
        assert_eq!(lengths, [20, 24, 25, 36, 48, 50, 60, 64, 85, 100, 100, 18, 18, 18, 20]);
        assert!(HP_CHAINS.iter().all(|chain| Instance::hp_in_the_plane(chain.sequence).is_ok()));
        for chain in HP_CHAINS_IN_SPACE {
            let instance = Instance::hp_in_space(chain.sequence).unwrap();
            let length = chain.name.split('-').next().unwrap();
            assert_eq!(instance.len().to_string(), length, "{}", chain.name);
            // The chains of the Harvard group were designed with 24 H each.
            assert!(instance.len() != 48 || instance.norm() == 24, "{}", chain.name);
        }
    }
}
