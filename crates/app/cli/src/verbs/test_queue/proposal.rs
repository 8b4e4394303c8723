//! What is common to everything that proposes tests: a question in which nothing can change its
//! meaning later, and its place in the queue.

use std::path::Path;

#[cfg(feature = "programs")]
use quintain_core::cut;
use quintain_scene::clean;
use quintain_stats::likelihood::EloScale;
use quintain_store::{NewTest, QueuedTest};
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::usage::person;
#[cfg(feature = "programs")]
use crate::verbs::compare::REVISION;
use crate::verbs::compare::{Question, QuestionArgs};
use crate::{options, sources};

/// The most letters of a commit's title in a question.
#[cfg(feature = "programs")]
const MOST_LETTERS: usize = 40;

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct PlaceInQueue {
    /// Tests of higher priority are answered first
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
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

/// Refuses players that are named by their command: whoever can write to the store could have any
/// command run by whoever answers its tests.
pub(super) fn check_players(question: &QuestionArgs) -> Result<(), Failure> {
    let mut players = question.players.iter().chain(&question.against);
    match players.find(|player| player.trim_start().starts_with("exec:")) {
        None => Ok(()),
        Some(player) => Err(Failure::Usage(format!(
            "{player}: the queue takes no commands; list the program in bots.toml and name it \
             bot:NAME"
        ))),
    }
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
    text + &format!(", α {}, β {}", config.risks.alpha, config.risks.beta)
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
    path: &Path,
    context: &Context<'_>,
) -> Result<String, Failure> {
    check_players(asked)?;
    let found = asked.find(context.catalog, Some(path))?;
    #[cfg(feature = "programs")]
    let found = found.pin_revisions(context.programs, false)?;
    let question = pin(asked, &found)?;
    #[cfg(feature = "programs")]
    let (found, question, mut remarks) = keep_programs(found, question, context.programs);
    #[cfg(not(feature = "programs"))]
    let mut remarks = String::new();
    let what = format!("{} {}", name_sides(&found), describe_terms(&found));
    let mut store = sources::open_store(path)?;
    let test = place.test(&question, &what);
    let is_same = |known: &QueuedTest| known.question == test.question;
    if let Some(known) = store.queued_tests()?.iter().rfind(|known| is_same(known)) {
        remarks += &format!(
            "it is the question of test {}, whose matches are used again; --seed N asks it on \
             other seeds\n",
            known.number
        );
    }
    let number = store.propose_test(&test)?;
    Ok(format!("test {number}: {}\n{remarks}", clean(&what)))
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
        let question = serde_json::to_string(question).expect("questions have JSON");
        NewTest { priority: self.priority, who, what: what.to_owned(), question }
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
