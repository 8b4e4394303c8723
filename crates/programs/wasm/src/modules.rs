//! The modules that have been named: each file is read once and each content compiled once, however
//! many players, seats and matches there are.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use quintain_core::{
    Access, ExternalError, ExternalPlayer, ExternalSource, Spec, digest, open_at_once, reason,
};

use crate::engine::{Compiled, compile};
use crate::limits::{Limits, MAX_MEMORY, write_memory};
use crate::module::{Interface, MAX_BYTES, ModuleError};
use crate::player::WasmPlayer;

/// The word before the colon.
const PREFIX: &str = "wasm";

/// The source of players `wasm:FILE`.
#[derive(Default)]
pub struct Modules {
    place: Place,
    known: Mutex<Known>,
}

/// Where the files of modules are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Anywhere,
    /// In the current folder and those below it.
    ThisFolder,
    /// Nowhere: only what is known already is played.
    Nowhere,
}

#[derive(Default)]
struct Known {
    /// The hash of what each file contained when it was first named, and that content.
    files: HashMap<String, (String, Arc<Compiled>)>,
    /// The compiled module for each content, by the content's hash.
    contents: HashMap<String, Arc<Compiled>>,
}

impl Modules {
    /// Creates a source of modules from any file.
    pub fn new() -> Modules {
        Modules::default()
    }

    /// Creates a source of modules from the current folder and those below it, for players that
    /// others name.
    pub fn of_this_folder() -> Modules {
        Modules { place: Place::ThisFolder, ..Modules::default() }
    }

    fn compile(&self, file: &str) -> Result<Arc<Compiled>, ModuleError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = known.files.get(file) {
            return Ok(Arc::clone(compiled));
        }
        let bytes = self.read(file)?;
        let hash = digest(&bytes);
        let compiled = match known.contents.get(&hash) {
            Some(compiled) => Arc::clone(compiled),
            None => Arc::new(compile(&bytes, |prices| version(&hash, prices))?),
        };
        known.contents.insert(hash.clone(), Arc::clone(&compiled));
        known.files.insert(file.to_owned(), (hash, Arc::clone(&compiled)));
        Ok(compiled)
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, ModuleError> {
        let unreadable =
            |problem: String| ModuleError::Unreadable { file: file.to_owned(), problem };
        let path = Path::new(file);
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
        match self.place {
            Place::Nowhere => return Err(unreadable("it was not sent".to_owned())),
            Place::ThisFolder if !is_below => {
                let problem = "only files in this folder and below it are played here";
                return Err(unreadable(problem.to_owned()));
            }
            Place::ThisFolder | Place::Anywhere => {}
        }
        let system = |error: std::io::Error| unreadable(reason(&error, Access::Read));
        let mut bytes = Vec::new();
        // Opening a pipe would wait for its other end.
        if !std::fs::metadata(path).map_err(system)?.is_file() {
            return Err(unreadable("it is not a file".to_owned()));
        }
        let opened = open_at_once(path).map_err(system)?;
        opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(system)?;
        if bytes.len() as u64 > MAX_BYTES {
            let problem = format!("it is larger than {}", write_memory(MAX_BYTES));
            return Err(unreadable(problem));
        }
        Ok(bytes)
    }

    fn find(&self, spec: &str) -> Result<(Arc<Compiled>, Limits, String), ExternalError> {
        let outside = |problem: String| ExternalError::from(problem);
        let parsed = parse(spec)?;
        let file = file_of(&parsed);
        if file.is_empty() {
            return Err(outside(format!("{spec}: expected a file, such as wasm:bot.wasm")));
        }
        let to_error = |error: &dyn std::fmt::Display| outside(format!("wasm:{file}: {error}"));
        let limits = Limits::from_spec(&parsed).map_err(|error| to_error(&error))?;
        let compiled = self.compile(file).map_err(|error| match error {
            ModuleError::Unreadable { .. } => outside(format!("wasm:{error}")),
            error => to_error(&error),
        })?;
        if compiled.memory > MAX_MEMORY {
            let (wanted, most) = (write_memory(compiled.memory), write_memory(MAX_MEMORY));
            let problem = format!("it begins with {wanted} of memory; a module may have {most}");
            return Err(to_error(&problem));
        }
        if compiled.memory > limits.memory {
            let (wanted, given) = (write_memory(compiled.memory), write_memory(limits.memory));
            let problem = format!(
                "it begins with {wanted} of memory but may have only {given}; \
                 give it more with ?memory={wanted}"
            );
            return Err(to_error(&problem));
        }
        let spec = limits.spec(file);
        Ok((compiled, limits, spec))
    }
}

/// The version of a module whose file has this hash. What fuel buys decides what it plays, so the
/// version of fuel's prices is a part of it.
fn version(hash: &str, prices: u32) -> u32 {
    let digest = digest(format!("{hash} fuel {prices}").as_bytes());
    u32::from_str_radix(&digest[..8], 16).expect("a digest is hexadecimal")
}

fn parse(spec: &str) -> Result<Spec, ExternalError> {
    spec.parse().map_err(|error: quintain_core::SpecSyntaxError| error.to_string().into())
}

/// The file that a player's text names; empty if it names none.
fn file_of(parsed: &Spec) -> &str {
    parsed.path.split_once(':').map_or("", |(_, file)| file.trim())
}

/// Makes players from modules that others send, and compiles each content once while a player of it
/// exists. Nothing else on this machine is read.
#[derive(Default)]
pub struct SentModules(Mutex<HashMap<String, Weak<Compiled>>>);

impl SentModules {
    /// Returns the source of one player: this module, under the name of its file on the machine
    /// that it comes from.
    ///
    /// # Errors
    /// Why the module is refused.
    pub fn make(&self, spec: &str, bytes: &[u8]) -> Result<Modules, ExternalError> {
        let (parsed, hash) = (parse(spec)?, digest(bytes));
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match compiled.get(&hash).and_then(Weak::upgrade) {
            Some(module) => module,
            None => Arc::new(
                compile(bytes, |prices| version(&hash, prices))
                    .map_err(|error| ExternalError::from(format!("{spec}: {error}")))?,
            ),
        };
        compiled.retain(|_, module| module.strong_count() > 0);
        compiled.insert(hash.clone(), Arc::downgrade(&module));
        let files = HashMap::from([(file_of(&parsed).to_owned(), (hash, module))]);
        let known = Mutex::new(Known { files, contents: HashMap::new() });
        Ok(Modules { place: Place::Nowhere, known })
    }
}

impl ExternalSource for Modules {
    fn prefix(&self) -> &str {
        PREFIX
    }

    fn resolve(&self, spec: &str, game: &str) -> Result<String, ExternalError> {
        let (compiled, limits, spec) = self.find(spec)?;
        let started = compiled.games.get_or_init(|| WasmPlayer::try_start(&compiled, limits));
        let games = match started {
            Ok(games) => games,
            Err(fault) => return Err(ExternalError::from(format!("{spec}: {fault}"))),
        };
        if !games.is_empty() && !games.iter().any(|known| known == game) {
            let games = games.join(", ");
            let problem = format!("{spec} does not play {game}; it says that it plays {games}");
            return Err(ExternalError::from(problem));
        }
        Ok(spec)
    }

    /// Suggests a player's text for a file that was named without the prefix.
    fn suggest(&self, name: &str) -> Option<String> {
        let file = Path::new(name.split('?').next().unwrap_or(name));
        let is_module = file.extension().is_some_and(|extension| extension == "wasm");
        (is_module && file.is_file()).then(|| format!("{PREFIX}:{name}"))
    }

    fn version(&self, spec: &str) -> u32 {
        self.find(spec).map_or(0, |(compiled, _, _)| compiled.version)
    }

    fn is_reproducible(&self, _spec: &str) -> bool {
        true
    }

    /// Its file, read once more: what was compiled needs it no longer.
    fn portable_file(&self, spec: &str) -> Option<Arc<[u8]>> {
        let parsed = parse(spec).ok()?;
        let file = file_of(&parsed);
        let bytes = self.read(file).ok()?;
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (hash, _) = known.files.get(file)?;
        (digest(&bytes) == *hash).then(|| bytes.into())
    }

    fn is_numbered(&self, spec: &str) -> bool {
        self.find(spec).is_ok_and(|(compiled, _, _)| compiled.interface == Interface::Packed)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let (compiled, limits, _) = self.find(spec)?;
        Ok(Box::new(WasmPlayer::new(compiled, limits)))
    }
}
