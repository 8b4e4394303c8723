//! What is common to everything that proposes tests: a question in which nothing can change its
//! meaning later, and its place in the queue.

use quintain_stats::likelihood::EloScale;
use quintain_store::NewTest;

use crate::failure::Failure;
use crate::options;
use crate::usage::person;
use crate::verbs::compare::{Question, QuestionArgs};

#[derive(clap::Args)]
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

impl PlaceInQueue {
    /// The test that asks a question in this place.
    pub(super) fn test(&self, question: &QuestionArgs, what: &str) -> NewTest {
        let user = || std::env::var("USER").or_else(|_| std::env::var("USERNAME")).ok();
        let who = self.who.clone().or_else(user).unwrap_or_else(|| "somebody".to_owned());
        let question = serde_json::to_string(question).expect("questions have JSON");
        NewTest { priority: self.priority, who, what: what.to_owned(), question }
    }
}
