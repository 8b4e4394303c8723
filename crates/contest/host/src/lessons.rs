//! Lessons that the organiser publishes. Their files may come from anybody, so each is checked
//! before anybody sees it, and what could tell who played is taken out. Pages show what was checked
//! and build no game.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use quintain_core::{
    Access, AnyEntry, Budget, Catalog, ScenarioSet, Spec, digest_in, keep_file, reason,
};
use quintain_lessons::{Lesson, lesson_files};
use quintain_scene::{PictureText, render_svg};

use crate::archive::{Refused, Tree, TreeFile, TreeLimits};
use crate::config::Config;
use crate::contest::{Contest, ORGANISER};
use crate::error::HostError;
use crate::state::{LessonSet, Participant, PublishedLesson, State};

/// Maximum number of lessons in a set, and size in bytes of a lesson's file and of its picture.
const MOST_LESSONS: usize = 50;
const MOST_BYTES: u64 = 1 << 20;
/// Maximum length of a lesson's sentence in bytes.
const MOST_WORDS: usize = 2000;
/// The path of a board that comes with its lesson.
const BOARD: &str = "lesson";

/// A set that was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NewLessonSet {
    /// Its number.
    pub number: i64,
    /// How many lessons it has.
    pub lessons: usize,
}

/// Publishes the lessons in a folder as a set, unless one of them is refused.
///
/// # Errors
/// If there is no contest or no lesson, or a lesson is not one of this contest, does not replay,
/// names a participant, or has a seed that is secret for now.
pub fn publish_lessons(
    folder: &Path,
    from: &Path,
    catalog: &Catalog,
) -> Result<NewLessonSet, HostError> {
    let config = Config::load(folder, catalog)?;
    let mut state = State::open(folder)?;
    let files = lesson_files(from).map_err(|error| refused(from, &reason(&error, Access::Read)))?;
    check_number(from, files.len())?;
    let lessons: Result<_, HostError> =
        files.iter().map(|file| Ok((file.clone(), read(file)?))).collect();
    let lessons = check_all(&config, catalog, &state, lessons?)?;
    let number = state.publish_lessons(ORGANISER, &lessons)?;
    Ok(NewLessonSet { number, lessons: lessons.len() })
}

/// Checks lessons that were uploaded, so that they can be published.
pub(crate) fn check_uploaded(
    contest: &Contest,
    tree: &Tree,
) -> Result<Vec<PublishedLesson>, HostError> {
    let is_lesson = |(path, _): &(&String, &TreeFile)| path.ends_with(".json");
    let files: Vec<_> = tree.files().iter().filter(is_lesson).collect();
    check_number(Path::new("the files"), files.len())?;
    let mut lessons = Vec::new();
    for (path, file) in files {
        let path = Path::new(path);
        if file.bytes.len() as u64 > MOST_BYTES {
            return Err(refused(path, &format!("more than {MOST_BYTES} bytes")));
        }
        let text = std::str::from_utf8(&file.bytes);
        let text = text.map_err(|_| refused(path, "not a lesson: it is not in UTF-8"))?;
        lessons.push((path.to_owned(), Lesson::parse(path, text).map_err(not_published)?));
    }
    check_all(&contest.config, &contest.catalog, &contest.read_state(), lessons)
}

/// Returns how much of an upload is read.
pub(crate) fn upload_limits() -> TreeLimits {
    TreeLimits { files: 2 * MOST_LESSONS, bytes: MOST_LESSONS as u64 * MOST_BYTES }
}

fn refused(path: &Path, why: &str) -> HostError {
    not_published(format!("{}: {why}", path.display()))
}

fn not_published(why: impl Display) -> HostError {
    HostError::Usage(format!("{why}; nothing was published"))
}

/// Refuses a set of so many lessons, if none or too many were found.
fn check_number(from: &Path, lessons: usize) -> Result<(), HostError> {
    let why = match lessons {
        0 => {
            "it holds no lessons: expected files of `quintain lesson`, such as 0001.json".to_owned()
        }
        1..=MOST_LESSONS => return Ok(()),
        _ => format!("{lessons} lessons; a set has {MOST_LESSONS} at most"),
    };
    Err(refused(from, &why))
}

/// Checks lessons, each with the path of its file.
fn check_all(
    config: &Config,
    catalog: &Catalog,
    state: &State,
    lessons: Vec<(PathBuf, Lesson)>,
) -> Result<Vec<PublishedLesson>, HostError> {
    let people = state.participants()?;
    let terms = Terms { config, catalog, people: &people };
    let mut checked = Vec::new();
    for (file, lesson) in lessons {
        if state.is_secret_seed(lesson.seed)? {
            let why = "its seed is one that everybody plays now, and secret until it is retired";
            return Err(refused(&file, why));
        }
        checked.push(terms.check(lesson).map_err(|why| refused(&file, &why))?);
    }
    Ok(checked)
}

/// Withdraws a published set.
///
/// # Errors
/// If there is no contest, or no set of that number.
pub fn withdraw_lessons(folder: &Path, number: i64, catalog: &Catalog) -> Result<(), HostError> {
    Config::load(folder, catalog)?;
    withdraw_by(ORGANISER, &mut State::open(folder)?, number)
}

pub(crate) fn withdraw_by(by: &str, state: &mut State, number: i64) -> Result<(), HostError> {
    if state.withdraw_lessons(by, number)? {
        return Ok(());
    }
    let known: Vec<String> = state.list_lesson_sets()?.iter().map(i64::to_string).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(HostError::Usage(format!("there is no lesson set {number}; published: {known}")))
}

/// Reads a file, which must not be a link: that could lead to a file of the organiser's.
fn read(file: &Path) -> Result<Lesson, HostError> {
    let found = fs::symlink_metadata(file).map_err(|error| refused(file, &error.to_string()))?;
    if !found.is_file() {
        return Err(refused(file, "expected a file, found a link or something else"));
    }
    if found.len() > MOST_BYTES {
        return Err(refused(file, &format!("more than {MOST_BYTES} bytes")));
    }
    Lesson::read(file).map_err(not_published)
}

/// What a lesson must be to be published.
struct Terms<'a> {
    config: &'a Config,
    catalog: &'a Catalog,
    people: &'a [Participant],
}

/// Checks that a player of the roster is named, and no file with it: nothing is read but the lesson
/// itself.
fn check_player(entry: &dyn AnyEntry, role: &str, player: &str) -> Result<(), String> {
    let (known, spec) = entry.listed_player(player).map_err(|error| format!("{role} {error}"))?;
    match known.changed_text(&spec) {
        Some((name, value)) => {
            Err(format!("{role} a player with {name}={value}, which may be a file"))
        }
        None => entry.player(player).map(drop).map_err(|error| format!("{role} {error}")),
    }
}

impl Terms<'_> {
    /// Checks a lesson, and takes out what could tell who played. Otherwise says why not.
    fn check(&self, mut lesson: Lesson) -> Result<PublishedLesson, String> {
        let Terms { config, catalog, .. } = *self;
        if lesson.game != config.game {
            return Err(format!(
                "a lesson of {:?}; this contest plays {}",
                lesson.game, config.game
            ));
        }
        let entry = catalog.entry(&config.game).map_err(|error| error.to_string())?;
        if lesson.rules != entry.version() {
            let (found, now) = (lesson.rules, entry.version());
            return Err(format!("made for version {found} of the rules, which now have {now}"));
        }
        self.check_scenario(&mut lesson)?;
        check_player(entry, "verified by", &lesson.verified.player)?;
        if let Some(opponent) = &lesson.opponent {
            check_player(entry, "punished by", &opponent.player)?;
        }
        lesson.origin = None;
        lesson.budget = budget_of(config)?;
        // What a program hears is written by the rules: a file may say anything.
        lesson.messages.clear();
        let position = lesson.check(catalog).map_err(|error| error.to_string())?;
        self.check_words(&lesson)?;
        let picture = render_svg(&position.scene(Some(lesson.seat)), &[], &PictureText::default());
        if picture.len() as u64 > MOST_BYTES {
            return Err(format!("its picture has more than {MOST_BYTES} bytes"));
        }
        let lesson = lesson.with_messages(catalog).map_err(|error| error.to_string())?;
        Ok(PublishedLesson { lesson, picture })
    }

    /// Checks that a lesson is on a scenario of the contest, or on a board that comes with it. No
    /// other file is read.
    fn check_scenario(&self, lesson: &mut Lesson) -> Result<(), String> {
        let Terms { config, catalog, .. } = *self;
        let Some(digest) = digest_in(&lesson.scenario) else {
            let mut all = config.phases.iter().flat_map(|phase| config.scenarios_of(phase));
            let is_on = |scenario: &String| {
                let set = ScenarioSet::find(catalog, &config.game, scenario);
                set.is_ok_and(|set| set.instance(lesson.seed).scenario() == lesson.scenario)
            };
            if !lesson.files.is_empty() || !all.any(is_on) {
                return Err(format!(
                    "{:?} is no scenario of this contest, nor a board that comes with the lesson",
                    lesson.scenario
                ));
            }
            return Ok(());
        };
        match &lesson.files[..] {
            [board] if keep_file(&board.join("\n")) == digest => {}
            _ => return Err(format!("it lacks the file of {:?}", lesson.scenario)),
        }
        // The path may tell where somebody works.
        let mut spec: Spec = lesson.scenario.parse().map_err(|error| format!("{error}"))?;
        let paths = spec.arguments.iter_mut().filter(|(key, _)| key == "path");
        paths.for_each(|(_, path)| *path = BOARD.to_owned());
        lesson.scenario = spec.to_string();
        Ok(())
    }

    /// Checks that what people read in a lesson names nobody.
    fn check_words(&self, lesson: &Lesson) -> Result<(), String> {
        if lesson.sentence.len() > MOST_WORDS {
            return Err(format!("its sentence has more than {MOST_WORDS} bytes"));
        }
        let board = lesson.files.iter().flatten();
        let texts: Vec<String> = board
            .chain([&lesson.sentence, &lesson.scenario])
            .map(|text| text.to_lowercase())
            .collect();
        for who in self.people.iter().filter(|who| !who.is_house) {
            for name in [&who.name, &who.display_name] {
                if texts.iter().any(|text| has_word(text, &name.to_lowercase())) {
                    return Err(format!("it names the participant {name}; write it without names"));
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a text has a name as words of its own. Single letters are seats.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    name.chars().count() > 1
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !is_part(before.chars().next_back()) && !is_part(after.chars().next())
        })
}

/// Returns what a program may think about a lesson: what it may think in the contest.
fn budget_of(config: &Config) -> Result<Budget, String> {
    config.budget.parse().map_err(|error| format!("budget: {error}"))
}

/// Packs the lesson files of a set into a folder of its own.
pub(crate) fn pack(set: &LessonSet) -> Result<Vec<u8>, Refused> {
    let limits = TreeLimits { files: MOST_LESSONS, bytes: 2 * MOST_LESSONS as u64 * MOST_BYTES };
    let mut tree = Tree::default();
    for (path, text) in list_files(set) {
        tree.add(&path, false, text.into_bytes(), limits)?;
    }
    tree.zip()
}

/// Returns the lesson files of a set, by their paths.
pub(crate) fn list_files(set: &LessonSet) -> impl Iterator<Item = (String, String)> {
    let numbered = (1..).zip(&set.lessons);
    numbered.map(|(number, one)| {
        (format!("lessons-{}/{number:04}.json", set.number), one.lesson.to_json())
    })
}
