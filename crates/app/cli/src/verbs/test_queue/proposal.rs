//! What is common to everything that proposes tests: a question in which nothing can change its
//! meaning later, and its place in the queue.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::{Component, Path};

use quintain_core::Catalog;
#[cfg(feature = "programs")]
use quintain_core::cut;
use quintain_scene::clean;
use quintain_stats::likelihood::EloScale;
use quintain_store::{NewTest, QueuedTest, Store, TestState};
use serde::{Deserialize, Serialize};

use super::desk::{Desk, OPEN};
use crate::failure::Failure;
use crate::full_names::player_part;
use crate::usage::{above_zero, first_seed, pairs, person, priority, probability};
#[cfg(feature = "programs")]
use crate::verbs::compare::{MOST_LETTERS, REVISION, note_names};
use crate::verbs::compare::{Question, QuestionArgs};
use crate::{options, sources};

/// Numbers of somebody elsewhere that lists show without hundreds of digits.
const LEGIBLE: RangeInclusive<f64> = 1e-9..=1e9;

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct PlaceInQueue {
    /// Tests of higher priority are answered first
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    #[arg(value_parser = priority)]
    priority: i64,
    #[arg(long, value_name = "NAME", value_parser = person)]
    #[arg(help = options::with(options::WHO, "[default: the name of this user]"))]
    who: Option<String>,
}

/// The same question with everything fixed that may mean something else later: revisions, seeds.
pub(super) fn pin(asked: &QuestionArgs, found: &Question) -> Result<QuestionArgs, Failure> {
    let config = &found.config;
    let [candidate] = &config.candidates[..] else {
        let problem = "a test is about one player; propose one for each";
        return Err(Failure::Usage(problem.to_owned()));
    };
    Ok(QuestionArgs {
        players: vec![candidate.spec.clone()],
        against: config.references.iter().map(|player| player.spec.clone()).collect(),
        game: Some(config.games[0].name().to_owned()),
        scenario: found.scenarios.clone(),
        seed: Some(config.first_seed),
        revisions: found.revisions.clone(),
        ..asked.clone()
    })
}

/// Refuses players that are named by their command, perhaps after a game: whoever can write to the
/// store could have any command run by whoever answers its tests. The verb's own catalog has no
/// such players either; this says why.
pub(super) fn check_players(question: &QuestionArgs) -> Result<(), Failure> {
    let mut players = question.players.iter().chain(&question.against);
    let is_command =
        |player: &&String| player.split('/').any(|part| part.trim_start().starts_with("exec:"));
    match players.find(is_command) {
        None => Ok(()),
        Some(player) => Err(Failure::Usage(format!(
            "{player}: the queue takes no commands; list the program in bots.toml and name it \
             bot:NAME"
        ))),
    }
}

/// Refuses players that somebody elsewhere names and for whom this machine would have to read a
/// file that its owner has not listed, or to ask a server.
pub(super) fn check_from_elsewhere<'a>(
    players: impl IntoIterator<Item = &'a String>,
    catalog: &Catalog,
) -> Result<(), Failure> {
    let is_below =
        |file: &str| Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
    for name in players {
        let player = player_part(name, catalog);
        let (path, parameters) = player.split_once('?').unwrap_or((player, ""));
        let problem = match path.split_once(':') {
            None | Some(("bot", _)) => None,
            Some(("wasm", file)) if is_below(file) => None,
            Some(("wasm", _)) => Some("of modules, only those in its folder and below it play"),
            Some(_) => Some("it is no player of the game, of its bots.toml or of its folder"),
        };
        let names_file = names_file(player, catalog) || parameters.contains(['/', '\\']);
        let problem =
            problem.or_else(|| names_file.then_some("it reads no files that others name"));
        if let Some(problem) = problem {
            let name = clean(name);
            return Err(Failure::Usage(format!(
                "{name}: {problem}; the owner of the queue can propose this test there"
            )));
        }
    }
    Ok(())
}

/// Whether a player has a parameter that may name a file, in whichever game: any text, but for the
/// words that mean a game's own network or none. What a file of that name contains, and whether
/// there is one, is nobody else's business.
fn names_file(player: &str, catalog: &Catalog) -> bool {
    let is_word =
        |value: &str| value == "none" || catalog.entries().any(|entry| entry.name() == value);
    catalog.entries().any(|entry| {
        let Ok((listed, spec)) = entry.listed_player(player) else { return false };
        listed.changed_text(&spec).is_some_and(|(_, value)| !is_word(value))
    })
}

pub(super) fn read_question(test: &QueuedTest) -> Result<QuestionArgs, Failure> {
    let question: QuestionArgs = serde_json::from_str(&test.question).map_err(|error| {
        Failure::Failed(format!("test {} was proposed by another version: {error}", test.number))
    })?;
    check_players(&question)?;
    Ok(question)
}

/// Checks who proposes, and how urgently, as the command line does.
pub(super) fn check_place(place: &PlaceInQueue) -> Result<(), Failure> {
    check("--priority", Some(place.priority), priority)?;
    check("--who", place.who(), person)
}

/// Checks the first seed, as the command line does.
pub(super) fn check_seed(seed: Option<u64>) -> Result<(), Failure> {
    check("--seed", seed, first_seed)
}

/// Checks the bounds of a test, as the command line does.
pub(super) fn check_bounds(
    delta: Option<f64>,
    [alpha, beta]: [Option<f64>; 2],
    matches: Option<NonZeroU64>,
) -> Result<(), Failure> {
    for (option, value) in [("--delta", delta), ("--alpha", alpha), ("--beta", beta)] {
        if let Some(value) = value.filter(|value| !LEGIBLE.contains(&value.abs())) {
            let (least, most) = (LEGIBLE.start(), LEGIBLE.end());
            let problem = format!("{option} {value:e}: expected a number from {least} to {most}");
            return Err(Failure::Usage(problem));
        }
    }
    check("--delta", delta, above_zero)?;
    check("--alpha", alpha, probability)?;
    check("--beta", beta, probability)?;
    check("--matches", matches, pairs)
}

/// Checks a value as if it stood on the command line.
fn check<T>(
    option: &str,
    value: Option<impl ToString>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<(), Failure> {
    let Some(text) = value.map(|value| value.to_string()) else { return Ok(()) };
    let parsed = parse(&text).map(drop);
    parsed.map_err(|problem| Failure::Usage(format!("{option} “{}”: {problem}", clean(&text))))
}

/// Where a question is asked, and how sure its answer is to be.
pub(super) fn describe_terms(found: &Question) -> String {
    let config = &found.config;
    let mut text = format!("on {}:{}", config.games[0].name(), found.scenarios.join(", "));
    if !config.budget.to_string().is_empty() {
        text += &format!(", {}", config.budget);
    }
    if let Some(delta) = config.delta {
        let unit = match config.scale {
            EloScale::Normalised => " normalised Elo",
            EloScale::Logistic => "",
        };
        text += &format!(", delta {delta}{unit}");
    }
    let [alpha, beta] = [config.risks.alpha, config.risks.beta].map(two_digits);
    text + &format!(", α {alpha}, β {beta}")
}

/// A number with its first two digits that are not zeros: those of a series of tests are computed.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// Who is compared with whom, in words.
pub(super) fn name_sides(found: &Question) -> String {
    let [candidates, references] = found.sides();
    format!("{candidates} against {references}")
}

/// Puts a question into the queue of a store; returns what to say about it. Programs are kept as
/// they are now, since they may have changed when it is their turn.
pub(super) fn propose(
    asked: &QuestionArgs,
    place: &PlaceInQueue,
    desk: &Desk<'_, '_>,
) -> Result<String, Failure> {
    let Desk { store: path, context, .. } = *desk;
    check_players(asked)?;
    let found = asked.find(context.catalog, Some(path))?;
    refuse_same_players(&found)?;
    #[cfg(feature = "programs")]
    let found = found.pin_revisions(context.programs, false)?;
    let question = pin(asked, &found)?;
    let mut store = sources::open_store(path)?;
    #[cfg(feature = "programs")]
    note_names(&mut store, context.programs, &found.revisions)?;
    #[cfg(feature = "programs")]
    let (mut found, mut question, mut remarks) = keep_programs(found, question, context.programs);
    #[cfg(not(feature = "programs"))]
    let (mut found, mut question, mut remarks) = (found, question, String::new());
    let queue = store.queued_tests()?;
    if asked.seed.is_none()
        && let Some(seed) = find_seed(&queue, &question)
    {
        // Seeds are drawn, so that nobody knows them; who asks the same again means the same
        // matches, even before the first was played.
        (question.seed, found.config.first_seed) = (Some(seed), seed);
    }
    let what = format!("{} {}", name_sides(&found), describe_terms(&found));
    let test = place.test(&question, &what);
    let number = store.propose_test(&test)?;
    let is_same = |known: &&QueuedTest| {
        read_question(known).is_ok_and(|known| write_unnamed(&known) == write_unnamed(&question))
    };
    // Of several, the first: the others say the same of it.
    match queue.iter().filter(is_same).min_by_key(|known| known.number) {
        Some(known) => remarks += &describe_duplicate(known, number, &desk.option),
        None => remarks += &describe_known(&store, (&question, number), &found)?,
    }
    Ok(format!("test {number}: {}\n{remarks}{}\n", clean(&what), desk.describe_queue()))
}

/// Refuses a test of a player against itself.
fn refuse_same_players(found: &Question) -> Result<(), Failure> {
    let Some((player, names)) = found.same_player() else { return Ok(()) };
    let problem = match names {
        [one, other] if one != other => {
            format!("{one} and {other} are the same player, {player}: their files are equal")
        }
        _ => format!("{} is named twice", names.first().map_or(player, String::as_str)),
    };
    Err(Failure::Usage(format!(
        "{}; a test needs two players that differ, such as mine@git:main mine@git:HEAD",
        clean(&problem)
    )))
}

/// The seed of the latest test in a queue that asks for the same matches on seeds of its own.
fn find_seed(queue: &[QueuedTest], question: &QuestionArgs) -> Option<u64> {
    let topic = topic_of(question);
    let asked = |known: &QueuedTest| {
        let question = read_question(known).ok().filter(|known| topic_of(known) == topic)?;
        Some((known.number, question.seed?))
    };
    queue.iter().filter_map(asked).max().map(|(_, seed)| seed)
}

/// Says that a question was asked before, and what that means now.
fn describe_duplicate(known: &QueuedTest, number: i64, option: &str) -> String {
    let (before, status) = (known.number, known.status());
    match known.state {
        TestState::Proposed | TestState::Running => format!(
            "it is the question of test {before}, which is {status}: one answer is enough \
             (`quintain tests stop {number}{option}` takes this one back; --seed N asks on other \
             seeds)\n"
        ),
        _ => format!(
            "it is the question of test {before}, whose matches are used again; --seed N asks it \
             on other seeds\n"
        ),
    }
}

/// Says how many matches of a question are in the store before it is asked, and for which test they
/// were played or will be: one with other bounds, the players swapped, or commits with equal files.
/// `number` is that of the question's own test.
pub(super) fn describe_known(
    store: &Store,
    (question, number): (&QuestionArgs, i64),
    found: &Question,
) -> Result<String, Failure> {
    let matches = matches_of(question);
    let is_about = |known: &QueuedTest| {
        known.number != number
            && read_question(known).is_ok_and(|question| matches_of(&question) == matches)
    };
    let count = match found.config.count_played(store)? {
        0 => {
            let open = |known: &QueuedTest| OPEN.contains(&known.state) && is_about(known);
            let other = store.queued_tests()?.into_iter().find(open);
            return Ok(other.map_or(String::new(), |known| {
                format!(
                    "test {} is about the same matches, which are played once for both; --seed N \
                     asks on other seeds\n",
                    known.number
                )
            }));
        }
        1 => "1 of its matches was".to_owned(),
        count => format!("{count} of its matches were"),
    };
    let mut before: Vec<i64> =
        store.queued_tests()?.into_iter().filter(is_about).map(|known| known.number).collect();
    before.sort_unstable();
    let before = match &before[..] {
        [] => String::new(),
        [one] => format!(", for test {one}"),
        several => format!(", for tests {}", list_numbers(several)),
    };
    Ok(format!("{count} played before{before}; they count; --seed N asks on other seeds\n"))
}

fn list_numbers(numbers: &[i64]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What decides which matches a question is answered by.
fn matches_of(question: &QuestionArgs) -> impl PartialEq + use<> {
    (topic_of(question), question.seed)
}

/// The same but for the seed.
fn topic_of(question: &QuestionArgs) -> impl PartialEq + use<> {
    let QuestionArgs { players, against, game, scenario, budget, .. } = question.clone();
    let mut players = [players, against].concat();
    players.sort();
    (players, game, scenario, budget)
}

/// A question as the queue keeps it, whatever its players are called.
fn write_unnamed(question: &QuestionArgs) -> String {
    write(&QuestionArgs { revisions: BTreeMap::new(), ..question.clone() })
}

/// A question as the queue keeps it.
pub(super) fn write(question: &QuestionArgs) -> String {
    serde_json::to_string(question).expect("questions have JSON")
}

/// Keeps the programs that are named without a version as they are now, and names these versions
/// instead; tells the titles of commits. Also returns which cannot be kept, and why.
#[cfg(feature = "programs")]
fn keep_programs(
    mut found: Question,
    mut question: QuestionArgs,
    programs: &quintain_bots::Programs,
) -> (Question, QuestionArgs, String) {
    let mut unkept = String::new();
    for named in found.revisions.values_mut() {
        // A commit's title tells people more than its hash.
        let Some((program, revision)) = named.split_once(REVISION) else { continue };
        if let Ok(commit) = programs.commit(program, revision) {
            *named = format!("{named} “{}”", cut(&commit.title, MOST_LETTERS));
        }
    }
    for player in question.players.iter_mut().chain(&mut question.against) {
        let Some(name) = player.strip_prefix("bot:").filter(|name| !name.contains('@')) else {
            continue;
        };
        match programs.keep(name) {
            Ok(version) => {
                found.revisions.insert(player.clone(), version.player());
                *player = version.player();
            }
            Err(error) => {
                unkept += &format!("{}; it plays as it is then\n", clean(&error.to_string()))
            }
        }
    }
    (found, question, unkept)
}

impl PlaceInQueue {
    /// The test that asks a question in this place.
    pub(super) fn test(&self, question: &QuestionArgs, what: &str) -> NewTest {
        let who = self.proposer();
        NewTest { priority: self.priority, who, what: what.to_owned(), question: write(question) }
    }

    /// Who proposes: whoever was named, or this user.
    fn proposer(&self) -> String {
        let user = || std::env::var("USER").or_else(|_| std::env::var("USERNAME")).ok();
        self.who.clone().or_else(user).unwrap_or_else(|| "somebody".to_owned())
    }

    /// The same place, for a queue on a machine that does not know this user.
    pub(super) fn with_proposer(&self) -> PlaceInQueue {
        PlaceInQueue { who: Some(self.proposer()), ..*self }
    }

    /// Who proposes, if that is said.
    pub(super) fn who(&self) -> Option<&str> {
        self.who.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_error_have_two_digits_and_questions_have_the_same_matches_whoever_comes_first() {
        let shown = |value: f64| two_digits(value).to_string();
        assert_eq!([0.05, 1.0 - 0.95_f64.powf(0.1), 0.1].map(shown), ["0.05", "0.0051", "0.1"]);
        let question = |one: &str, other: &str, delta| QuestionArgs {
            players: vec![one.to_owned()],
            against: vec![other.to_owned()],
            delta: Some(delta),
            ..QuestionArgs::default()
        };
        let asked = matches_of(&question("a", "b", 20.0));
        assert!(asked == matches_of(&question("b", "a", 5.0)));
        assert!(asked != matches_of(&question("a", "c", 20.0)));
    }

    #[test]
    fn whoever_is_elsewhere_names_no_file_by_whatever_parameter() {
        let catalog = crate::catalog::catalog();
        let check = |player: &str| check_from_elsewhere([&player.to_owned()], &catalog);
        for player in [
            "random",
            "champion?cell=5",
            "tron/champion?net=none",
            "puct?simulations=9",
            "puct?net=tron",
            "bot:mine@0123abcd",
        ] {
            assert!(check(player).is_ok(), "{player}");
        }
        for player in [
            "net?file=bots.toml",
            "net?file=nothing.toml",
            "puct?net=quintain.sqlite",
            "tron/puct?simulations=9&net=secret",
            "champion?net=..%2fsecret",
        ] {
            let problem = check(player).unwrap_err().to_string();
            assert!(problem.contains("it reads no files that others name"), "{player}: {problem}");
        }
    }

    #[test]
    fn numbers_from_elsewhere_are_those_of_the_command_line() {
        let problem = |checked: Result<(), Failure>| checked.unwrap_err().to_string();
        let bounds = |delta, alpha| check_bounds(Some(delta), [Some(alpha), Some(0.05)], None);
        assert!(bounds(20.0, 0.05).is_ok() && check_seed(Some(7)).is_ok());
        assert!(problem(check_seed(Some(u64::MAX))).starts_with("--seed"));
        assert_eq!(
            problem(bounds(20.0, 5e-324)),
            "--alpha 5e-324: expected a number from 0.000000001 to 1000000000"
        );
        assert!(problem(bounds(1e-308, 0.05)).starts_with("--delta 1e-308: "));
        assert!(problem(bounds(-1.0, 0.05)).contains("above 0"));
        let place = |priority| check_place(&PlaceInQueue { priority, who: None });
        assert!(place(-1000).is_ok() && place(1000).is_ok());
        assert_eq!(
            problem(place(i64::MAX)),
            "--priority “9223372036854775807”: expected a whole number from -1000 to 1000"
        );
    }
}
