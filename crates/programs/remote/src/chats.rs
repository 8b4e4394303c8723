//! The models that have been named.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quintain_bots::Programs;
use quintain_core::{Catalog, ExternalError, ExternalPlayer, ExternalSource, file_name_problem};

use crate::chat_player::{ChatPlayer, RulesByGame};
use crate::completion::Message;
use crate::model::{Model, Patience};
use crate::totals::ChatTotals;

/// The folder of all answers, beside the file that names the models.
const FOLDER: &str = ".quintain-chats";

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

    /// Asks the model of a player's text something else than a turn, and returns its answer. It is
    /// kept as those of turns are.
    ///
    /// # Errors
    /// If there is no such model, or it does not answer.
    pub fn ask(&self, spec: &str, task: &str, words: &str) -> Result<String, ExternalError> {
        let model = self.find(spec)?;
        let fail = |problem: String| ExternalError::from(format!("{spec}: {problem}"));
        model.check().map_err(fail)?;
        let messages = [Message::new("system", task), Message::new("user", words)];
        let patience = Patience::new(model.answer, None);
        model.count(|totals| totals.turns += 1);
        let completion = model.complete(&messages, "", &patience);
        completion.map(|answer| answer.text).map_err(|fault| fail(fault.to_string()))
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
        let file = self.programs.file().map_err(|error| fail(error.to_string()))?;
        let entry = file.chat(name).map_err(|error| fail(error.to_string()))?;
        let base = self.programs.file_path().parent().unwrap_or(Path::new(""));
        let kept = base.join(FOLDER).join(format!("{name}.jsonl"));
        let model = Arc::new(Model::of(spec, entry, base, &kept).map_err(fail)?);
        known.insert(spec.to_owned(), Arc::clone(&model));
        Ok(model)
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
