//! The TOML form of a tournament: keys, kinds and ranges of values, each with its place in the
//! file. The names in it are not looked up here.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use quintain_core::{Budget, Scoring, did_you_mean};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{SourcePosition, TournamentError};

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Games of one seat: every player on the same seeds.
    Solo,
    /// Every combination of different players, in every rotation of the seats.
    Versus,
    /// All seats one player.
    Mirror,
    /// Seats drawn from the roster; the same player may be drawn more than once.
    Mixed,
}

const FORMATS: [(&str, Format); 4] = [
    ("solo", Format::Solo),
    ("versus", Format::Versus),
    ("mirror", Format::Mirror),
    ("mixed", Format::Mixed),
];

impl Format {
    /// The format that suits matches with this many seats, where none is named.
    pub fn suiting(seats: usize, scoring: Scoring) -> Format {
        match (seats, scoring) {
            (1, _) => Format::Solo,
            (_, Scoring::Adversarial) => Format::Versus,
            (_, Scoring::Independent) => Format::Mirror,
        }
    }

    /// The word for it in tournament files and stores.
    pub fn word(self) -> &'static str {
        let known = FORMATS.iter().find(|(_, format)| *format == self);
        known.expect("every format has a word").0
    }
}

const KEYS: [&str; 15] = [
    "name",
    "game",
    "format",
    "scenarios",
    "players",
    "seeds",
    "seed",
    "budget",
    "notes",
    "sample",
    "pairing",
    "challengers",
    "rounds",
    "allocate",
    "question",
];

/// Which of the players meet in a tournament in which all of them could.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Pairing {
    /// Everybody meets everybody.
    All,
    /// The first players of the list, as many as this, meet everybody; the others do not meet.
    Gauntlet {
        /// How many players meet everybody.
        challengers: usize,
    },
    /// In each round everybody meets another one that has done about as well so far.
    Swiss {
        /// The number of rounds.
        rounds: u64,
    },
    /// In each round two meet, and the better one goes on.
    Knockout,
}

/// The word for a pairing, before its numbers are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PairingWord {
    All,
    Gauntlet,
    Swiss,
    Knockout,
}

const PAIRINGS: [(&str, PairingWord); 4] = [
    ("all", PairingWord::All),
    ("gauntlet", PairingWord::Gauntlet),
    ("swiss", PairingWord::Swiss),
    ("knockout", PairingWord::Knockout),
];

/// What `format` may say: who meets whom, or one of the pairings, which is shorter than
/// `format = "versus"` and `pairing`.
fn find_format(word: &str) -> Result<(Format, Option<PairingWord>), String> {
    let pairings = || PAIRINGS.iter().filter(|(_, pairing)| *pairing != PairingWord::All);
    if let Some((_, pairing)) = pairings().find(|(name, _)| *name == word) {
        return Ok((Format::Versus, Some(*pairing)));
    }
    let known = FORMATS.iter().find(|(name, _)| *name == word);
    let words = FORMATS.iter().map(|of| of.0).chain(pairings().map(|of| of.0));
    known.map(|(_, format)| (*format, None)).ok_or_else(|| did_you_mean("format", word, words))
}

/// What a tournament is to tell before it ends, if it plays further seeds for close pairs only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Question {
    /// Who is the best.
    Best,
    /// The rank of everybody.
    Ranks,
}

/// The number of seeds after which a tournament with a question looks for the answer for the first
/// time; with fewer, nothing can be told.
pub(crate) const FIRST_LOOK: u64 = 5;

const QUESTIONS: [(&str, Question); 2] = [("best", Question::Best), ("ranks", Question::Ranks)];

/// How seeds are allotted: to all pairs, or further ones to those that are not told apart yet.
const ALLOCATIONS: [(&str, bool); 2] = [("equal", false), ("close pairs", true)];

/// Finds a word in a table.
fn find_word<T: Copy, const N: usize>(
    kind: &str,
    table: [(&str, T); N],
    word: &str,
) -> Result<T, String> {
    let known = table.iter().find(|(name, _)| *name == word);
    known.map(|(_, value)| *value).ok_or_else(|| did_you_mean(kind, word, table.map(|of| of.0)))
}

/// The most seeds that a tournament may have, and the most samples in a round: far more than can be
/// played.
pub const MAX_SEEDS: u64 = 1_000_000_000;

/// Returns the text of a tournament file with another number of seeds, and a comment that says so;
/// everything else, comments too, stays as it is. Text that is no TOML comes back unchanged:
/// reading it says what is wrong.
///
/// ```
/// use quintain_arena::set_seeds;
///
/// let text = "seeds = 3 # for a first look\ngame = \"tron\"\n";
/// let more = "seeds = 40 # instead of 3 # for a first look\ngame = \"tron\"\n";
/// assert_eq!(set_seeds(text, 40), more);
/// assert_eq!(set_seeds(text, 3), text);
/// ```
pub fn set_seeds(text: &str, seeds: u64) -> String {
    let Ok(table) = DeTable::parse(text) else { return text.to_owned() };
    match table.get_ref().get("seeds") {
        Some(value) => {
            let Range { start, end } = value.span();
            let own = &text[start..end];
            if own.parse() == Ok(seeds) {
                return text.to_owned();
            }
            format!("{}{seeds} # instead of {own}{}", &text[..start], &text[end..])
        }
        None => format!("seeds = {seeds} # instead of the usual number\n{text}"),
    }
}

/// A value and its place in the file.
pub(crate) type Located<T> = (T, Range<usize>);

/// A tournament file, read but not yet resolved.
pub(crate) struct Draft {
    pub(crate) name: Option<String>,
    pub(crate) game: Located<String>,
    pub(crate) format: Option<Located<Format>>,
    pub(crate) scenarios: Option<Vec<Located<String>>>,
    pub(crate) players: Vec<Located<String>>,
    pub(crate) players_at: Range<usize>,
    pub(crate) seeds: u64,
    pub(crate) seed: u64,
    pub(crate) budget: Option<Located<Budget>>,
    pub(crate) notes: bool,
    pub(crate) sample: Option<Located<u64>>,
    pub(crate) pairing: Option<Located<PairingWord>>,
    pub(crate) challengers: Option<Located<u64>>,
    pub(crate) rounds: Option<Located<u64>>,
    /// Whether further seeds are for close pairs only.
    pub(crate) allocate: Option<Located<bool>>,
    pub(crate) question: Option<Located<Question>>,
}

/// A file's name and text, for messages that point into it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    pub(crate) fn position(&self, span: &Range<usize>) -> SourcePosition {
        SourcePosition::new(self.file, self.text, span)
    }

    fn key(&self, span: &Range<usize>, problem: impl Into<String>) -> TournamentError {
        TournamentError::Key { position: self.position(span), problem: problem.into() }
    }
}

/// Reads the file's text.
pub(crate) fn read(source: Source<'_>) -> Result<Draft, TournamentError> {
    let table = DeTable::parse(source.text).map_err(|error| TournamentError::Syntax {
        position: source.position(&error.span().unwrap_or(0..0)),
        problem: simplify_message(error.message()),
    })?;
    let keys = Keys { source, table: table.get_ref() };
    keys.refuse_unknown()?;
    let format = keys.parse_key("format", find_format)?;
    let mut pairing = keys.parse_key("pairing", |word| find_word("pairing", PAIRINGS, word))?;
    if let Some(((_, Some(short)), at)) = &format {
        if let Some((_, at)) = pairing.filter(|(long, _)| long != short) {
            let problem = "format and pairing say different things; leave out one of them";
            return Err(source.key(&at, problem));
        }
        pairing = Some((*short, at.clone()));
    }
    let players_at = keys.get("players").map_or(0..0, Spanned::span);
    Ok(Draft {
        name: keys.text("name")?.map(|(name, _)| name),
        game: keys.text("game")?.ok_or_else(|| keys.missing("game", "game = \"tron\""))?,
        format: format.map(|((format, _), at)| (format, at)),
        scenarios: keys.texts("scenarios")?,
        players: keys
            .texts("players")?
            .ok_or_else(|| keys.missing("players", "players = [\"random\", \"greedy\"]"))?,
        players_at,
        seeds: keys.whole("seeds", 1, MAX_SEEDS)?.map_or(1, |(seeds, _)| seeds),
        seed: keys.whole("seed", 0, i64::MAX as u64 - MAX_SEEDS)?.map_or(1, |(seed, _)| seed),
        budget: keys.parse_key("budget", Budget::from_str)?,
        notes: keys.flag("notes")?.unwrap_or(false),
        sample: keys.whole("sample", 1, MAX_SEEDS)?,
        pairing,
        challengers: keys.whole("challengers", 1, MAX_SEEDS)?,
        rounds: keys.whole("rounds", 1, MAX_SEEDS)?,
        allocate: keys.parse_key("allocate", |word| find_word("allocation", ALLOCATIONS, word))?,
        question: keys.parse_key("question", |word| find_word("question", QUESTIONS, word))?,
    })
}

/// The TOML reader's message, made simpler: for a word without quotes that begins like `true` or
/// `false`, the reader talks about booleans, which helps nobody.
fn simplify_message(problem: &str) -> String {
    let problem = problem.replace('\n', "; ");
    match problem.starts_with("invalid boolean") {
        true => format!("{problem}; text needs quotes, such as \"tron\""),
        false => problem,
    }
}

struct Keys<'a> {
    source: Source<'a>,
    table: &'a DeTable<'a>,
}

impl<'a> Keys<'a> {
    fn refuse_unknown(&self) -> Result<(), TournamentError> {
        let unknown = self.table.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            Some(key) => {
                Err(self.source.key(&key.span(), did_you_mean("key", key.get_ref(), KEYS)))
            }
            None => Ok(()),
        }
    }

    fn missing(&self, key: &str, example: &str) -> TournamentError {
        self.source.key(&(0..0), format!("“{key}” is missing; write for example {example}"))
    }

    fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> TournamentError {
        let found = value.get_ref().type_str();
        self.source.key(&value.span(), format!("{key}: expected {expected}, found {found}"))
    }

    fn one_text(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Located<String>, TournamentError> {
        match value.get_ref().as_str() {
            Some(text) if text.trim().is_empty() => {
                Err(self.source.key(&value.span(), format!("{key}: the text is empty")))
            }
            Some(text) => Ok((text.trim().to_owned(), value.span())),
            None => Err(self.wrong(key, value, "text in quotes")),
        }
    }

    fn text(&self, key: &str) -> Result<Option<Located<String>>, TournamentError> {
        self.get(key).map(|value| self.one_text(key, value)).transpose()
    }

    fn parse_key<T, E: Display>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<Located<T>>, TournamentError> {
        let Some((text, span)) = self.text(key)? else { return Ok(None) };
        match parse(&text) {
            Ok(value) => Ok(Some((value, span))),
            Err(problem) => Err(self.source.key(&span, problem.to_string())),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<Located<String>>>, TournamentError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_array() {
            Some(items) if items.is_empty() => {
                Err(self.source.key(&value.span(), format!("{key}: the list is empty")))
            }
            Some(items) => items
                .iter()
                .map(|item| self.one_text(key, item))
                .collect::<Result<_, _>>()
                .map(Some),
            None => Err(self.wrong(key, value, "a list of texts in brackets")),
        }
    }

    fn whole(
        &self,
        key: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<Located<u64>>, TournamentError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let Some(number) = value.get_ref().as_integer() else {
            return Err(self.wrong(key, value, "a whole number"));
        };
        let read = u64::from_str_radix(number.as_str(), number.radix());
        match read.ok().filter(|read| (least..=most).contains(read)) {
            Some(read) => Ok(Some((read, value.span()))),
            None => {
                let shown = number.as_str();
                let problem = format!("{key} = {shown}: expected from {least} to {most}");
                Err(self.source.key(&value.span(), problem))
            }
        }
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, TournamentError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => Err(self.wrong(key, value, "true or false")),
        }
    }
}
