//! Text and file forms: instances (`Lx Ly n1 n2 … nn`, the course's format; strings of H and P),
//! walks (`RDLU…` or coordinates), steps, and the JSON form of a position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::errors::{InstanceError, WalkError};
use crate::rules::instance::{Instance, Interaction};
use crate::rules::step::{Step, StepError};
use crate::rules::torus::Torus;

/// The number of layers of a torus that gives none.
pub(crate) fn one() -> usize {
    1
}

fn is_one(layers: &usize) -> bool {
    *layers == 1
}

/// What every seat knows before the match, in its JSON form.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Setting<'a> {
    /// Columns of the torus.
    pub(crate) width: usize,
    /// Rows of the torus.
    pub(crate) height: usize,
    /// Layers of the torus; left out if there is only one.
    #[serde(skip_serializing_if = "is_one")]
    #[schemars(default = "one")]
    pub(crate) depth: usize,
    /// What touching monomers are worth.
    pub(crate) interaction: Interaction,
    /// The chain: charges -1, 0 and 1, or 1 for H and 0 for P.
    pub(crate) monomers: &'a [i8],
}

/// The JSON form of a position: what a player sees, which is everything.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Columns of the torus.
    pub width: usize,
    /// Rows of the torus.
    pub height: usize,
    /// Layers of the torus; left out if there is only one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub depth: usize,
    /// `charge` or `hp`.
    pub interaction: String,
    /// The monomers: charges, or 1 for H and 0 for P.
    pub monomers: Vec<i8>,
    /// The steps so far, from (0, 0), as letters R, D (rows count downwards), L, U (between layers
    /// F, B).
    pub walk: String,
    /// R of the walk so far, bonds included.
    pub r: i32,
}

impl Observation {
    /// The observation of a walk so far, worth `r`.
    pub(crate) fn new(instance: &Instance, walk: &[u16], r: i32) -> Observation {
        Observation {
            width: instance.torus().width(),
            height: instance.torus().height(),
            depth: instance.torus().depth(),
            interaction: instance.interaction().to_string(),
            monomers: instance.monomers().to_vec(),
            walk: steps_of(instance.torus(), walk),
            r,
        }
    }

    /// The steps so far.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.walk.chars().filter_map(Step::of_letter)
    }
}

/// A walk over cells as letters. If two steps lead to the same cell, the first of R, D, L, U is
/// taken.
pub fn steps_of(torus: &Torus, walk: &[u16]) -> String {
    let letter = |pair: &[u16]| {
        let way = torus.next(usize::from(pair[0])).iter().position(|next| *next == pair[1]);
        Step::ALL[way.expect("a walk goes from neighbour to neighbour")].letter()
    };
    walk.windows(2).map(letter).collect()
}

/// The word before a chain that is laid on the cubic lattice.
pub(crate) const CUBIC: &str = "cubic";

/// Reads an instance: the course's format, one line of H and P for the plane, or such a line after
/// the word `cubic` for the cubic lattice.
///
/// Lines that start with `#` are skipped.
///
/// # Errors
/// What is wrong, at which line and word, and what was expected there.
pub fn read_instance(text: &str) -> Result<Instance, InstanceError> {
    let words: Vec<(usize, usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, row)| !row.trim_start().starts_with('#'))
        .flat_map(|(line, row)| {
            let words = row.split_whitespace().enumerate();
            words.map(move |(word, text)| (line + 1, word + 1, text))
        })
        .collect();
    if let [(_, _, word)] = words[..]
        && word.starts_with(['H', 'P', 'h', 'p'])
    {
        return Instance::hp_in_the_plane(word);
    }
    if let [(_, _, word), (_, _, sequence)] = words[..]
        && word == CUBIC
    {
        return Instance::hp_in_space(sequence);
    }
    // A name of H and P alone would rather be the first part of a chain with a space in it.
    let pair = words
        .windows(2)
        .find(|pair| pair[0].0 == pair[1].0 && is_hp(pair[0].2) && is_hp(pair[1].2));
    if let Some([(line, _, one), (_, _, other)]) = pair {
        return Err(InstanceError(format!(
            "line {line}: “{one}” and “{other}” are both of H and P; expected one chain without \
             spaces, or a name that has other letters"
        )));
    }
    let mut sides = [0; 2];
    for (index, name) in ["Lx (columns)", "Ly (rows)"].into_iter().enumerate() {
        let Some((line, word, text)) = words.get(index) else {
            return Err(InstanceError(format!(
                "the size is missing: expected {name}; an instance is written Lx Ly n1 n2 … nn"
            )));
        };
        sides[index] = text.parse().ok().filter(|side| *side > 0).ok_or_else(|| {
            format!(
                "line {line}, word {word}: “{text}” is not {name}; expected a whole number from 1"
            )
        })?;
    }
    let torus = Torus::new(sides[0], sides[1])?;
    let charge = |(line, word, text): &(usize, usize, &str)| {
        let refuse =
            || format!("line {line}, word {word}: “{text}” is not a charge; expected −1, 0 or 1");
        match text.parse::<i8>() {
            Ok(charge @ -1..=1) => Ok(charge),
            _ => Err(refuse()),
        }
    };
    let monomers: Vec<i8> = words[2..].iter().map(charge).collect::<Result<_, String>>()?;
    if monomers.is_empty() {
        let problem = "the charges are missing: expected n1 n2 … nn after Lx Ly";
        return Err(InstanceError(problem.to_owned()));
    }
    Instance::new(torus, Interaction::Charge, monomers)
}

/// Whether a word is a string of H and P.
fn is_hp(word: &str) -> bool {
    word.chars().all(|letter| "HPhp".contains(letter))
}

/// Reads a list of chains. Each line ends with a string of H and P; before it may come a name,
/// which is not itself of H and P alone, and anything else that is known of the chain. Lines that
/// start with `#` are skipped. Returns the strings by name, or by line number if there are no
/// names; nothing if this is not such a list.
pub fn read_chains(text: &str) -> Option<Vec<(String, &str)>> {
    let rows = text.lines().zip(1..).filter(|(row, _)| !row.trim_start().starts_with('#'));
    let rows = rows.filter(|(row, _)| !row.trim().is_empty());
    let chains = rows.map(|(row, number)| {
        let words: Vec<&str> = row.split_whitespace().collect();
        let chain = *words.last()?;
        let name = if words.len() > 1 { words[0].to_owned() } else { number.to_string() };
        (is_hp(chain) && !is_hp(&name) && name != CUBIC).then_some((name, chain))
    });
    let chains: Vec<(String, &str)> = chains.collect::<Option<_>>()?;
    (!chains.is_empty()).then_some(chains)
}

/// Writes an instance in the course's format.
pub fn write_instance(instance: &Instance) -> String {
    let torus = instance.torus();
    let monomers: Vec<String> = instance.monomers().iter().map(ToString::to_string).collect();
    format!("{} {} {}\n", torus.width(), torus.height(), monomers.join(" "))
}

/// Reads a walk written by any program and checks it. The walk is given by steps `RDLU…`, or by a
/// coordinate for each monomer: `column row` or `column,row`, with the layer if there are several.
/// Lines that start with `#` are skipped.
///
/// # Errors
/// Which step or monomer is wrong, and why.
pub fn read_walk(instance: &Instance, text: &str) -> Result<Vec<u16>, WalkError> {
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    let cells = if text.contains(|sign: char| sign.is_ascii_digit()) {
        read_coordinates(instance.torus(), &text)?
    } else {
        read_steps(instance.torus(), &text)?
    };
    check_walk(instance, &cells)?;
    Ok(cells)
}

fn read_steps(torus: &Torus, text: &str) -> Result<Vec<u16>, String> {
    let mut walk = vec![0u16];
    for (index, letter) in text.chars().filter(|letter| !letter.is_whitespace()).enumerate() {
        let step: Step = letter
            .to_string()
            .parse()
            .map_err(|problem: StepError| format!("step {}: {problem}", index + 1))?;
        let next = torus.next(usize::from(walk[index])).get(step as usize);
        let next = next.ok_or_else(|| {
            format!("step {}: {step} leads to another layer; there is only one", index + 1)
        })?;
        walk.push(*next);
    }
    Ok(walk)
}

fn read_coordinates(torus: &Torus, text: &str) -> Result<Vec<u16>, String> {
    let signs = |sign: char| sign.is_whitespace() || matches!(sign, ',' | ';' | '(' | ')');
    let dimensions = if torus.depth() == 1 { 2 } else { 3 };
    let mut numbers = Vec::new();
    for (index, word) in text.split(signs).filter(|word| !word.is_empty()).enumerate() {
        let monomer = index / dimensions + 1;
        let number: i64 = word
            .parse()
            .map_err(|_| format!("monomer {monomer}: “{word}” is not a whole number"))?;
        numbers.push(number);
    }
    if !numbers.len().is_multiple_of(dimensions) {
        let missing = if numbers.len() % dimensions == 1 { "row" } else { "layer" };
        let monomer = numbers.len() / dimensions + 1;
        return Err(format!("monomer {monomer} has a column but no {missing}"));
    }
    let cell = |pair: &[i64]| {
        // A walk may be written as it would go on the plane; it is wrapped around the torus.
        let column = pair[0].rem_euclid(torus.width() as i64) as usize;
        let row = pair[1].rem_euclid(torus.height() as i64) as usize;
        let layer = pair.get(2).map_or(0, |layer| layer.rem_euclid(torus.depth() as i64) as usize);
        ((layer * torus.height() + row) * torus.width() + column) as u16
    };
    Ok(numbers.chunks(dimensions).map(cell).collect())
}

/// So many monomers, as people write it.
fn count_text(monomers: usize) -> String {
    if monomers == 1 { "1 monomer".to_owned() } else { format!("{monomers} monomers") }
}

/// Checks that cells are a whole self-avoiding walk of the instance's length.
///
/// # Errors
/// The first monomer that is wrong, and why.
pub fn check_walk(instance: &Instance, walk: &[u16]) -> Result<(), WalkError> {
    let torus = instance.torus();
    let mut taken = vec![0usize; torus.cells()];
    for (index, cell) in walk.iter().enumerate() {
        let cell = usize::from(*cell);
        let place = || torus.place(cell);
        if index > 0 && !torus.touch(usize::from(walk[index - 1]), cell) {
            return Err(WalkError(format!(
                "monomer {} at {} is not next to the one before it",
                index + 1,
                place()
            )));
        }
        if taken[cell] > 0 {
            return Err(WalkError(format!(
                "monomer {} at {}: monomer {} lies there",
                index + 1,
                place(),
                taken[cell]
            )));
        }
        taken[cell] = index + 1;
    }
    if walk.len() != instance.len() {
        return Err(WalkError(format!(
            "the walk has {}, the chain has {}",
            count_text(walk.len()),
            instance.len()
        )));
    }
    Ok(())
}

/// Draws a position as text: `+`, `-` and `o` for charges (`H` and `p`), the first monomer in
/// brackets, with the bonds in between. Layers are drawn one below the other, without the bonds
/// from one to another.
pub fn draw(instance: &Instance, walk: &[u16]) -> String {
    let torus = instance.torus();
    let (width, height) = (torus.width(), torus.height());
    let above = |row: usize| row / height * height + (row + height - 1) % height;
    // Each cell is a character and a gap to the right; each row has a row of gaps below.
    let mut rows = vec![vec![' '; 2 * width]; 2 * height * torus.depth()];
    for row in rows.iter_mut().step_by(2) {
        row.iter_mut().step_by(2).for_each(|sign| *sign = '·');
    }
    for (index, cell) in walk.iter().enumerate() {
        let (row, column) = (usize::from(*cell) / width, usize::from(*cell) % width);
        rows[2 * row][2 * column] = glyph(instance, index);
        if let Some(next) = walk.get(index + 1) {
            let way = torus.next(usize::from(*cell)).iter().position(|cell| cell == next);
            match way {
                Some(0) => rows[2 * row][2 * column + 1] = '─',
                Some(1) => rows[2 * row + 1][2 * column] = '│',
                Some(2) => rows[2 * row][2 * ((column + width - 1) % width) + 1] = '─',
                Some(3) => rows[2 * above(row) + 1][2 * column] = '│',
                _ => {}
            }
        }
    }
    let lines =
        rows.into_iter().map(|row| row.into_iter().collect::<String>().trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n"
}

/// The character for a monomer.
pub(crate) fn glyph(instance: &Instance, index: usize) -> char {
    match (instance.interaction(), instance.monomers()[index]) {
        (Interaction::Hp, 0) => 'p',
        (Interaction::Hp, _) => 'H',
        (_, 0) => 'o',
        (_, 1) => '+',
        _ => '-',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_reads_back_what_it_writes() {
        let text = "4 3 1 -1 0 1\n";
        let instance = read_instance(text).unwrap();
        assert_eq!(instance.monomers(), [1, -1, 0, 1]);
        assert_eq!(write_instance(&instance), text);
        assert_eq!(read_instance("4\n3 1\n-1 0\n1").unwrap(), instance);
    }

    #[test]
    fn a_list_of_chains_has_names_or_the_numbers_of_its_lines() {
        let list = "# id length energy sequence\nS1-1 20 -9 HPHPPH\n\nPPHH\n";
        let chains = read_chains(list).unwrap();
        assert_eq!(chains, [("S1-1".to_owned(), "HPHPPH"), ("4".to_owned(), "PPHH")]);
        assert_eq!(read_chains("4 3 1 -1 0 1\n"), None);
        assert_eq!(read_chains("# nothing\n"), None);
        assert_eq!(read_chains("HPHPHHPP HPHH\n"), None);
        assert_eq!(read_chains("cubic HPHPHHPPHPHH\n"), None);
        assert_eq!(read_instance("# by hand\n4 3 1 -1 0 1\n").unwrap().monomers(), [1, -1, 0, 1]);
    }

    #[test]
    fn a_broken_instance_says_what_is_wrong_where_and_what_was_expected() {
        let error_of = |text: &str| read_instance(text).unwrap_err().0;
        assert!(error_of("").contains("expected Lx"));
        assert!(error_of("8").contains("expected Ly"));
        assert!(error_of("8 8").contains("charges are missing"));
        assert!(error_of("8 x 1").contains("line 1, word 2: “x”"));
        assert!(error_of("8 0 1").contains("expected a whole number from 1"));
        assert!(error_of("8 8 1 0\n-1 2").contains("line 2, word 2: “2” is not a charge"));
        assert!(error_of("8 8 1 one").contains("line 1, word 4: “one”"));
        assert!(error_of("2 2 1 1 1 1 1").contains("impossible: a torus of 2×2 has 4 cells"));
        assert!(error_of("1 3 1 1 1 1").contains("no self-avoiding walk of 4 monomers"));
        assert!(error_of("HPX").contains("position 3: “X”"));
        assert!(error_of("S1-1 HPPH\nHPH HPHH").contains("line 2: “HPH” and “HPHH” are both of"));
        assert!(error_of("999999 999999 1").contains("too large"));
    }

    #[test]
    fn walks_read_as_steps_and_as_coordinates() {
        let instance = read_instance("4 3 1 -1 0 1").unwrap();
        let walk = read_walk(&instance, "RUL").unwrap();
        assert_eq!(walk, [0, 1, 9, 8]);
        assert_eq!(steps_of(instance.torus(), &walk), "RUL");
        assert_eq!(read_walk(&instance, "0 0, 1 0, 1 -1, 0 -1").unwrap(), walk);
        assert_eq!(read_walk(&instance, "# by hand\n(0,0)\n(1,0)\n(1,2)\n(0,2)").unwrap(), walk);
    }

    #[test]
    fn a_broken_walk_says_which_monomer_and_why() {
        let instance = read_instance("4 3 1 -1 0 1").unwrap();
        let error_of = |text: &str| read_walk(&instance, text).unwrap_err().0;
        assert!(error_of("RLU").contains("monomer 3 at (0, 0): monomer 1 lies there"));
        assert!(error_of("RR").contains("the walk has 3 monomers, the chain has 4"));
        assert!(error_of("RX").contains("step 2: “X”"));
        assert!(error_of("0 0 2 0 2 1 2 2").contains("monomer 2 at (2, 0) is not next to"));
        assert!(error_of("0 0 1").contains("monomer 2 has a column but no row"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in "[-0-9HPRDLUx,# \n]{0,40}") {
            let _ = read_instance(&text);
            let instance = read_instance("4 3 1 -1 0 1").unwrap();
            if let Ok(walk) = read_walk(&instance, &text) {
                check_walk(&instance, &walk).unwrap();
            }
        }
    }

    #[test]
    fn a_drawing_shows_charges_and_bonds() {
        let instance = read_instance("4 3 1 -1 0 1").unwrap();
        let walk = read_walk(&instance, "RDL").unwrap();
        assert_eq!(draw(&instance, &walk), "+─- · ·\n  │\n+─o · ·\n\n· · · ·\n");
    }
}
