//! The file `bots.toml`: a table for each program.
//!
//! ```toml
//! [alice]
//! command = "python3 alice.py"
//! folder = "students/alice"
//! limits = { memory = "256MB" }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use quintain_core::{Access, TextFileError, did_you_mean, read_settings, reason};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::command::{Command, join_words};
use crate::error::ProgramError;
use crate::limits::{Limits, Time, some_time};
use quintain_protocol as protocol;

/// A program as the file describes it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table for each program, such as [mine]")]
pub struct BotEntry {
    /// The command that is run.
    pub command: Command,
    /// The working folder, relative to the file; the program may read everything in it.
    #[serde(default)]
    pub folder: PathBuf,
    /// The command that builds the program, run in its folder. `quintain watch` runs it; elsewhere
    /// it is only mentioned when the program is missing.
    #[serde(default)]
    pub build: Option<String>,
    /// Environment variables, besides PATH, HOME, TMPDIR and LANG.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Further files and folders that it may read, relative to its folder.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// The name of the protocol that it speaks.
    #[serde(default = "own_protocol")]
    pub protocol: String,
    /// The most matches that one process plays; any number if absent.
    #[serde(default)]
    pub matches: Option<NonZeroU64>,
    /// The limits of each process.
    #[serde(default)]
    pub limits: Limits,
}

fn own_protocol() -> String {
    protocol::NAME.to_owned()
}

impl BotEntry {
    /// A program with nothing but its command.
    pub(crate) fn new(command: Command) -> BotEntry {
        BotEntry {
            command,
            folder: PathBuf::new(),
            build: None,
            environment: BTreeMap::new(),
            read: Vec::new(),
            protocol: own_protocol(),
            matches: None,
            limits: Limits::default(),
        }
    }

    /// The build step, if it has one, as a command to run from the current folder.
    pub(crate) fn build_step(&self, folder: &Path) -> Option<String> {
        let build = self.build.as_ref()?;
        // Relative to the current folder, if that is shorter.
        let here = std::env::current_dir().ok().and_then(|here| crate::open::resolve(&here).ok());
        let near = here.and_then(|here| Some(folder.strip_prefix(here).ok()?.to_owned()));
        let folder = near.as_deref().unwrap_or(folder).display().to_string();
        if folder.is_empty() {
            return Some(build.clone());
        }
        let folder = join_words(&[folder]);
        Some(quintain_languages::Shell::here().in_folder(&folder, build))
    }
}

/// Rewords a message of the TOML reader without Rust's terms.
fn in_plain_words(problem: &str) -> String {
    let mut quoted = problem.split('`').skip(1).step_by(2);
    if problem.starts_with("unknown field")
        && let Some(unknown) = quoted.next()
    {
        let known: Vec<&str> = quoted.collect();
        // Without a model, the entry of one looks like that of a service.
        let is_service = known.contains(&"url") && !known.contains(&"model");
        let more = if is_service { CHAT_KEYS.as_slice() } else { &[] };
        return did_you_mean("key", unknown, known.into_iter().chain(more.iter().copied()));
    }
    if problem.starts_with("unknown variant")
        && let Some(unknown) = quoted.next()
    {
        return did_you_mean("value", unknown, quoted);
    }
    problem
        .replace("expected a nonzero u64", "expected a number from 1")
        .replace("expected a nonzero u32", "expected a number from 1")
        .replace("expected u32", "expected a whole number from 0 to 4294967295")
        .replace("expected u64", "expected a whole number from 0")
}

/// Keys of models that services do not have.
const CHAT_KEYS: [&str; 3] = ["model", "model_from_env", "url_from_env"];

/// A service as the file describes it: a program that runs elsewhere and is asked by HTTP.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ServiceEntry {
    /// Where questions are posted.
    pub url: String,
    /// The name of the protocol that it speaks.
    #[serde(default = "own_protocol")]
    pub protocol: String,
    /// The time for an answer, where the match sets no limit.
    #[serde(default = "answer_time", deserialize_with = "some_time")]
    pub answer: Time,
    /// Raised by its owner when it answers differently, so that old results stay apart.
    #[serde(default)]
    pub version: u32,
    /// Headers of every request, each with the environment variable that holds its value.
    #[serde(default)]
    pub header_from_env: BTreeMap<String, String>,
}

fn answer_time() -> Time {
    Limits::default().answer
}

/// A model behind an endpoint for chats, as the file describes it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ChatEntry {
    /// The name by which the endpoint knows the model.
    pub model: Option<String>,
    /// The environment variable that holds this name.
    pub model_from_env: Option<String>,
    /// Where the endpoint is.
    pub url: Option<String>,
    /// The environment variable that holds this address.
    pub url_from_env: Option<String>,
    /// The environment variable that holds the key.
    pub key_from_env: Option<String>,
    /// Further headers of every request, each with the environment variable that holds its value.
    #[serde(default)]
    pub header_from_env: BTreeMap<String, String>,
    /// The time for an answer with all retries, where the match sets no limit.
    #[serde(default = "chat_time", deserialize_with = "some_time")]
    pub answer: Time,
    /// Which part of the answer is the action.
    #[serde(default)]
    pub reply: ChatReply,
    /// How often the model is asked again after an answer that is no offered action.
    #[serde(default = "chat_retries")]
    pub retries: u32,
    /// Further fields of every request, as the endpoint documents them.
    #[serde(default)]
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The file with the words of the questions, relative to this file.
    pub prompt: Option<PathBuf>,
    /// The number of turns before this one that a question tells about.
    #[serde(default = "chat_turns")]
    pub turns: u32,
    /// Raised by its owner when it answers differently, so that old results stay apart.
    #[serde(default)]
    pub version: u32,
    /// What may be spent on all matches together.
    #[serde(default)]
    pub budget: ChatBudget,
    /// What the endpoint costs.
    #[serde(default)]
    pub price: ChatPrice,
}

fn chat_time() -> Time {
    Time(std::time::Duration::from_secs(60))
}

fn chat_retries() -> u32 {
    2
}

fn chat_turns() -> u32 {
    5
}

/// Which part of a model's answer is the action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChatReply {
    /// Its last line.
    #[default]
    Line,
    /// The field `action` of the JSON object that it is.
    Json,
}

/// What may be spent on a model; without a limit where there is none.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatBudget {
    /// Requests, those that brought no answer included.
    pub calls: Option<u64>,
    /// Tokens of questions and answers.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    pub money: Option<f64>,
}

/// The prices of a million tokens.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatPrice {
    /// Of questions.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

impl ServiceEntry {
    /// A service with nothing but its address.
    pub fn new(url: impl Into<String>) -> ServiceEntry {
        let (answer, version, header_from_env) = (answer_time(), 0, BTreeMap::new());
        let (url, protocol) = (url.into(), own_protocol());
        ServiceEntry { url, protocol, answer, version, header_from_env }
    }
}

/// The programs, services and models described in a file.
#[derive(Clone, PartialEq, Debug)]
pub struct BotsFile {
    path: PathBuf,
    bots: BTreeMap<String, BotEntry>,
    services: BTreeMap<String, ServiceEntry>,
    chats: BTreeMap<String, ChatEntry>,
}

impl BotsFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ProgramError`] if it does not exist, cannot be read or is malformed.
    pub fn load(path: &Path) -> Result<BotsFile, ProgramError> {
        let file = || path.display().to_string();
        let unreadable = |problem: String| ProgramError::Unreadable { file: file(), problem };
        let text = read_settings(path).map_err(|error| match error {
            TextFileError::Missing(_) => ProgramError::NoFile(file()),
            TextFileError::Folder(_) => {
                unreadable("it is a folder; name the file in it".to_owned())
            }
            error => unreadable(error.problem()),
        })?;
        BotsFile::parse(path, &text)
    }

    /// Parses the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// [`ProgramError::Malformed`] with the line and what was expected.
    pub fn parse(path: &Path, text: &str) -> Result<BotsFile, ProgramError> {
        // Some editors of Windows begin every file with it.
        let text = text.trim_start_matches('\u{feff}');
        let malformed = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            let problem = in_plain_words(&error.message().replace('\n', "; "));
            ProgramError::Malformed { file: path.display().to_string(), line, problem }
        };
        let kinds: BTreeMap<String, Kind> = toml::from_str(text).map_err(malformed)?;
        let entries = toml::Deserializer::parse(text).map_err(malformed)?;
        let EntriesByName { bots, services, chats } =
            Entries { kinds: &kinds }.deserialize(entries).map_err(malformed)?;
        Ok(BotsFile { path: path.to_owned(), bots, services, chats })
    }

    /// The program of this name.
    ///
    /// # Errors
    /// [`ProgramError::UnknownBot`], which suggests a similar name.
    pub fn bot(&self, name: &str) -> Result<&BotEntry, ProgramError> {
        self.find("bot", &self.bots, name)
    }

    /// Says by which prefix a name of another kind plays.
    fn elsewhere(&self, name: &str) -> Option<String> {
        let problem = if self.bots.contains_key(name) {
            format!("{name} has a command; as a player it is bot:{name}")
        } else if self.services.contains_key(name) {
            format!("{name} has a url and no model; as a player it is http:{name}")
        } else if self.chats.contains_key(name) {
            format!("{name} has a model; as a player it is chat:{name}")
        } else {
            return None;
        };
        Some(problem)
    }

    /// The model of this name.
    ///
    /// # Errors
    /// [`ProgramError::UnknownBot`], which suggests a similar name.
    pub fn chat(&self, name: &str) -> Result<&ChatEntry, ProgramError> {
        self.find("model", &self.chats, name)
    }

    /// The names of all services and all models as players, sorted.
    pub fn remote_players(&self) -> Vec<String> {
        let services = self.services.keys().map(|name| format!("http:{name}"));
        services.chain(self.chats.keys().map(|name| format!("chat:{name}"))).collect()
    }

    /// The service of this name.
    ///
    /// # Errors
    /// [`ProgramError::UnknownBot`], which suggests a similar name.
    pub fn service(&self, name: &str) -> Result<&ServiceEntry, ProgramError> {
        self.find("service", &self.services, name)
    }

    /// The entry of this name among those of a kind.
    fn find<'a, T>(
        &self,
        kind: &str,
        entries: &'a BTreeMap<String, T>,
        name: &str,
    ) -> Result<&'a T, ProgramError> {
        entries.get(name).ok_or_else(|| {
            let known = entries.keys().map(String::as_str);
            let problem = self.elsewhere(name).unwrap_or_else(|| did_you_mean(kind, name, known));
            ProgramError::UnknownBot { file: self.path.display().to_string(), problem }
        })
    }

    /// The names of all programs, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.bots.keys().map(String::as_str)
    }
}

/// What tells an entry's kind.
#[derive(Deserialize)]
#[serde(expecting = "a table for each program, such as [mine]")]
struct Kind {
    url: Option<IgnoredAny>,
    url_from_env: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
    model_from_env: Option<IgnoredAny>,
    key_from_env: Option<IgnoredAny>,
    prompt: Option<IgnoredAny>,
    options: Option<IgnoredAny>,
    price: Option<IgnoredAny>,
    budget: Option<IgnoredAny>,
    retries: Option<IgnoredAny>,
    reply: Option<IgnoredAny>,
}

impl Kind {
    /// Whether the entry is that of a model, though the model itself may be missing.
    fn is_chat(&self) -> bool {
        let Kind { url, url_from_env, model, model_from_env, key_from_env, prompt, .. } = self;
        let Kind { options, price, budget, retries, reply, .. } = self;
        let sure = [url_from_env, model, model_from_env];
        // Services have none of these.
        let likely = [key_from_env, prompt, options, price, budget, retries, reply];
        let has_any = |keys: &[&Option<IgnoredAny>]| keys.iter().any(|key| key.is_some());
        has_any(&sure) || url.is_some() && has_any(&likely)
    }
}

/// Reads each entry as what it is, so that every message names its line.
struct Entries<'a> {
    kinds: &'a BTreeMap<String, Kind>,
}

#[derive(Default)]
struct EntriesByName {
    bots: BTreeMap<String, BotEntry>,
    services: BTreeMap<String, ServiceEntry>,
    chats: BTreeMap<String, ChatEntry>,
}

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = EntriesByName;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<EntriesByName, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = EntriesByName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table for each program, such as [mine]")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<EntriesByName, M::Error> {
        let mut entries = EntriesByName::default();
        while let Some(name) = map.next_key::<String>()? {
            let kind = self.kinds.get(&name);
            if kind.is_some_and(Kind::is_chat) {
                entries.chats.insert(name, map.next_value()?);
            } else if kind.is_some_and(|kind| kind.url.is_some()) {
                entries.services.insert(name, map.next_value()?);
            } else {
                entries.bots.insert(name, map.next_value()?);
            }
        }
        Ok(entries)
    }
}

/// The working folder of a program, with all links resolved.
pub(crate) fn find_folder(
    spec: &str,
    entry: &BotEntry,
    base: &Path,
) -> Result<PathBuf, ProgramError> {
    let folder = base.join(&entry.folder);
    crate::open::resolve_own(&folder).map_err(|error| ProgramError::Folder {
        bot: spec.to_owned(),
        folder: folder.display().to_string(),
        // Worded as for a place to write to, since that is a folder.
        problem: match error.kind() {
            std::io::ErrorKind::Other => error.to_string(),
            _ => reason(&error, Access::Write),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_programs_and_services() {
        let text = "[mine]\ncommand = \"x\"\n\n[model]\nurl = \"http://127.0.0.1:9\"\n";
        let file = BotsFile::parse(Path::new("bots.toml"), text).unwrap();
        assert_eq!(file.names().collect::<Vec<_>>(), ["mine"]);
        assert_eq!(file.service("model").unwrap(), &ServiceEntry::new("http://127.0.0.1:9"));
        let says = |error: ProgramError| error.to_string();
        assert!(says(file.bot("model").unwrap_err()).contains("it is http:model"));
        assert!(says(file.service("mine").unwrap_err()).contains("it is bot:mine"));
        assert!(says(file.service("modle").unwrap_err()).contains("did you mean “model”"));
        for (text, said) in [
            ("[a]\nurl = \"x\"\ncommand = \"y\"\n", "bots.toml:3: "),
            ("[a]\nurl = \"x\"\nanswer = \"0s\"\n", "bots.toml:3: "),
            ("[a]\nurl = 3\n", "bots.toml:2: "),
            ("[a]\nurl = \"x\"\nheaders_from_env = {}\n", "did you mean “header_from_env”"),
        ] {
            let error = says(BotsFile::parse(Path::new("bots.toml"), text).unwrap_err());
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn an_entry_with_a_model_is_a_chat() {
        let text = "[mini]\nmodel = \"m\"\nurl = \"http://127.0.0.1:9/v1\"\n\
                    options = { temperature = 0, max_tokens = 50 }\n\
                    budget = { calls = 9, money = 0.5 }\n[env]\nmodel_from_env = \"M\"\n";
        let file = BotsFile::parse(Path::new("bots.toml"), text).unwrap();
        let mini = file.chat("mini").unwrap();
        assert_eq!(mini.options["max_tokens"], 50);
        assert_eq!((mini.retries, mini.turns, mini.reply), (2, 5, ChatReply::Line));
        assert_eq!((mini.budget.calls, mini.budget.tokens), (Some(9), None));
        assert_eq!(file.remote_players(), ["chat:env", "chat:mini"]);
        let says = |error: ProgramError| error.to_string();
        assert!(says(file.bot("mini").unwrap_err()).contains("it is chat:mini"));
        assert!(says(file.service("mini").unwrap_err()).contains("it is chat:mini"));
        assert!(says(file.chat("mni").unwrap_err()).contains("did you mean “mini”"));
        for (line, said) in [
            ("reply = \"xml\"", "unknown value “xml”; known: line, json"),
            ("reply = \"jsno\"", "did you mean “json”"),
            ("retrys = 3", "did you mean “retries”"),
            ("retries = -1", "expected a whole number from 0 to 4294967295"),
            ("budget = { calls = -1 }", "expected a whole number from 0"),
            ("budget = { call = 3 }", "did you mean “calls”"),
            ("answer = \"0s\"", "bots.toml:3: "),
        ] {
            let text = format!("[a]\nmodel = \"x\"\n{line}\n");
            let error = says(BotsFile::parse(Path::new("bots.toml"), &text).unwrap_err());
            assert!(error.contains(said) && error.contains("bots.toml:3"), "{line}: {error}");
        }
    }

    #[test]
    fn an_entry_whose_model_is_missing_or_misspelt_is_understood() {
        let text = "[mini]\nurl = \"http://127.0.0.1:9/v1\"\nkey_from_env = \"KEY\"\n";
        let file = BotsFile::parse(Path::new("bots.toml"), text).unwrap();
        assert_eq!(file.chat("mini").unwrap().model, None);
        let text = "[mini]\nmodle = \"m\"\nurl = \"http://127.0.0.1:9/v1\"\n";
        let refused = BotsFile::parse(Path::new("bots.toml"), text).unwrap_err().to_string();
        assert!(refused.contains("did you mean “model”"), "{refused}");
    }

    #[test]
    fn mistakes_in_an_entry_are_explained() {
        let said =
            |text: &str| BotsFile::parse(Path::new("bots.toml"), text).unwrap_err().to_string();
        let command = said("[a]\ncommand = 5");
        assert!(command.starts_with("bots.toml:2: ") && command.contains("a list"), "{command}");
        assert!(
            said("players = 5").contains("a table for each program"),
            "{}",
            said("players = 5")
        );
        let limits = said("[a]\ncommand = \"x\"\nlimits = { anser = \"2s\" }");
        assert!(limits.contains("did you mean “answer”"), "{limits}");
        assert!(said("[a]\ncommand = \"x\"\nmatches = 0").contains("a number from 1"));
        let cores = said("[b]\ncommand = \"x\"\n[a]\ncommand = \"x\"\nlimits = { cores = 0 }");
        assert!(cores.starts_with("bots.toml:5: "), "{cores}");
        assert!(cores.contains("`0`, expected a number from 1"), "{cores}");
    }

    #[test]
    fn a_file_may_end_its_lines_as_windows_does() {
        let text = "[a]\ncommand = \"x\"\nfolder = 'students\\ada'\n\n[b]\ncommand = [\"y\"]\n";
        let of = |text: &str| BotsFile::parse(Path::new("bots.toml"), text).unwrap();
        assert_eq!(of(&format!("\u{feff}{}", text.replace('\n', "\r\n"))), of(text));
        let broken = text.replace("\"x\"", "5").replace('\n', "\r\n");
        let said = BotsFile::parse(Path::new("bots.toml"), &broken).unwrap_err().to_string();
        assert!(said.starts_with("bots.toml:2: "), "{said}");
    }

    #[cfg(unix)]
    #[test]
    fn what_somebody_else_put_there_is_read_neither_for_ever_nor_without_a_bound() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("bots.toml");
        let load = || BotsFile::load(&file).unwrap_err().to_string();
        std::fs::write(&file, "a.a.a=1\n".repeat((1 << 17) + 1)).unwrap();
        let large = format!("cannot read {}: it is larger than 1 MiB", file.display());
        assert_eq!(load(), large);
        std::fs::remove_file(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        assert!(load().ends_with("it is not a regular file"), "{}", load());
    }

    #[test]
    fn a_folder_is_no_file_of_programs() {
        let said = BotsFile::load(&std::env::temp_dir()).unwrap_err().to_string();
        assert!(said.ends_with("it is a folder; name the file in it"), "{said}");
    }
}
