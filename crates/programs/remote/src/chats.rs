//! The models that have been named.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quintain_bots::{ProgramError, Programs};
use quintain_core::{Catalog, ExternalError, ExternalPlayer, ExternalSource, file_name_problem};

use crate::chat_player::{ChatPlayer, RulesByGame};
use crate::completion::Message;
use crate::model::{Model, Patience};
use crate::totals::ChatTotals;

/// The folder of all answers, beside the file that names the models.
const FOLDER: &str = ".quintain-chats";

/// What a model is asked that is no turn of a match.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Who it is, and what it does.
    pub system: &'a str,
    /// The question.
    pub words: &'a str,
    /// What it is told after an answer that is of no use.
    pub again: &'a str,
}

/// What a model answered.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TaskAnswer<T> {
    /// All its answers, each with what was wrong with it.
    pub said: String,
    /// What was read from the last of them.
    ///
    /// # Errors
    /// What was wrong with it.
    pub read: Result<T, String>,
}

/// A source of players `chat:NAME`, for entries of `bots.toml` with a `model`.
pub struct Chats {
    programs: Arc<Programs>,
    rules: RulesByGame,
    known: Mutex<BTreeMap<String, Arc<Model>>>,
}

impl Chats {
    /// The source of the models that the file of these programs names, for these games.
    pub fn new(programs: &Arc<Programs>, games: &Catalog) -> Arc<Chats> {
        let rules = games.entries().map(|entry| (entry.name(), entry.how_to_play()));
        let rules = Arc::new(rules.collect());
        Arc::new(Chats { programs: Arc::clone(programs), rules, known: Mutex::default() })
    }

    /// What was asked of each model since the last call; none of those that were not asked.
    pub fn take_totals(&self) -> Vec<(String, ChatTotals)> {
        let known = self.lock();
        let totals = known.iter().map(|(spec, model)| (spec.clone(), model.take_totals()));
        totals.filter(|(_, totals)| totals.turns > 0).collect()
    }

    /// What was asked of each model so far that is in use.
    pub fn totals(&self) -> Vec<(String, ChatTotals)> {
        let known = self.lock();
        let totals = known.iter().map(|(spec, model)| (spec.clone(), model.totals()));
        totals.filter(|(_, totals)| totals.turns > 0).collect()
    }

    /// Why the model of a player's text has refused a question for good, or has used up its budget,
    /// if it has in this process.
    pub fn given_up(&self, spec: &str) -> Option<String> {
        let model = self.lock().get(spec).cloned()?;
        model.given_up()
    }

    /// Asks the model of a player's text something else than a turn. An answer that `read` refuses
    /// is told to it with `again`, and it is asked again, as often as its entry says. Answers are
    /// kept as those of turns are.
    ///
    /// # Errors
    /// If there is no such model, or it does not answer.
    pub fn ask<T>(
        &self,
        spec: &str,
        Task { system, words, again }: Task<'_>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<TaskAnswer<T>, ExternalError> {
        let model = self.find(spec)?;
        let fail = |problem: String| ExternalError::from(format!("{spec}: {problem}"));
        model.check().map_err(fail)?;
        let mut messages = vec![Message::new("system", system), Message::new("user", words)];
        model.count(|totals| totals.turns += 1);
        let (mut said, mut retries) = (String::new(), 0);
        loop {
            // An edit takes long, and each is another one.
            let patience = Patience::new(model.answer, None);
            let completion = model.complete(&messages, "", &patience);
            let completion = completion.map_err(|fault| fail(fault.to_string()))?;
            said += completion.text.trim_end();
            let answer = completion.text.rsplit_once("</think>");
            let answer = answer.map_or(completion.text.as_str(), |(_, answer)| answer);
            let read = match completion.is_cut_off() {
                true => Err("the answer was cut off; raise max_tokens".to_owned()),
                false => read(answer),
            };
            let mut problem = match read {
                Ok(read) => return Ok(TaskAnswer { said, read: Ok(read) }),
                Err(problem) => problem,
            };
            model.count(|totals| totals.unreadable += 1);
            if !completion.lack.is_empty() && !completion.is_cut_off() {
                problem = format!("{problem} ({})", completion.lack);
            }
            said += &format!("\n\n({problem})\n\n");
            if retries == model.retries {
                let read = match retries {
                    0 => Err(problem),
                    retries => Err(format!("{problem} (after {retries} retries)")),
                };
                return Ok(TaskAnswer { said, read });
            }
            retries += 1;
            let answered = if completion.text.is_empty() { "(nothing)" } else { &completion.text };
            messages.push(Message::new("assistant", answered));
            messages.push(Message::new("user", format!("{problem}. {again}")));
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Model>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, spec: &str) -> Result<Arc<Model>, ExternalError> {
        let mut known = self.lock();
        if let Some(model) = known.get(spec) {
            return Ok(Arc::clone(model));
        }
        let fail = |problem: String| ExternalError::from(format!("{spec}: {problem}"));
        let name = spec.split_once(':').map_or("", |(_, name)| name);
        if name.is_empty() || name.starts_with("//") {
            let expected = "expected the name of an entry of bots.toml with a model, as chat:NAME";
            return Err(fail(expected.to_owned()));
        }
        if let Some(problem) = file_name_problem(name) {
            return Err(fail(format!(
                "its answers are kept in a file of this name, but {problem}"
            )));
        }
        let file = self.programs.file().map_err(|error| {
            let keys = "model = \"…\" and url = \"http://127.0.0.1:8080/v1\"";
            fail(without_file(&error, name, keys))
        })?;
        let entry = file.chat(name).map_err(|error| fail(error.to_string()))?;
        let base = self.programs.file_path().parent().unwrap_or(Path::new(""));
        let kept = base.join(FOLDER).join(format!("{name}.jsonl"));
        let model = Arc::new(Model::of(spec, entry, base, &kept).map_err(fail)?);
        known.insert(spec.to_owned(), Arc::clone(&model));
        Ok(model)
    }
}

/// Why the file that names players cannot be read; where there is none, with an entry to write.
pub(crate) fn without_file(error: &ProgramError, name: &str, keys: &str) -> String {
    match error {
        ProgramError::NoFile(file) => {
            format!("there is no {file}; write one that says [{name}], and below it {keys}")
        }
        error => error.to_string(),
    }
}

impl ExternalSource for Chats {
    fn prefix(&self) -> &str {
        "chat"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        let checked = self.find(spec)?.check();
        checked.map_err(|problem| ExternalError::from(format!("{spec}: {problem}")))?;
        Ok(spec.to_owned())
    }

    fn version(&self, spec: &str) -> u32 {
        self.find(spec).map_or(0, |model| model.version)
    }

    fn wants_scene(&self, _spec: &str) -> bool {
        true
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Ok(Box::new(ChatPlayer::new(self.find(spec)?, Arc::clone(&self.rules))))
    }
}
