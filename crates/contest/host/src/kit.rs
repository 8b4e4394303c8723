//! Starter kits: programs that play the contest's game at once, to be downloaded, tried out and
//! changed. The caller that serves a contest supplies the files; this module packs them.

use std::path::PathBuf;

use quintain_core::{Catalog, SEED};

use crate::archive::{Refused, Tree, TreeLimits};
use crate::build::{Builds, is_installed};
use crate::config::{Config, example_of, simplest_player};
use crate::maps::MapFile;
use crate::program::{self, Plan, Start};

/// Limits of a kit.
const LIMITS: TreeLimits = TreeLimits { files: 100, bytes: 1 << 20 };

/// Limits of a kit with the contest's maps.
const MAP_LIMITS: TreeLimits = TreeLimits { files: 200, bytes: 256 << 20 };

/// A kit for one language.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The language as it appears in URLs: lowercase letters, digits, hyphens.
    pub language: String,
    /// The language in words.
    pub title: String,
    /// The files, by their paths.
    pub files: Vec<(String, String)>,
    /// The folder among them that is submitted.
    pub folder: String,
    /// The player's text, relative to the files.
    pub player: String,
}

impl Kit {
    /// Returns the name of the kit's file.
    pub(crate) fn file(&self) -> String {
        format!("{}.zip", self.language)
    }

    /// Returns why a program from this kit cannot be submitted here as it is, if so: something that
    /// builds or runs it is not on this machine, or not allowed in this contest.
    pub(crate) fn why_not(&self, builds: &Builds) -> Option<String> {
        let planned = || {
            let mut tree = Tree::default();
            for (path, text) in &self.files {
                tree.add(path, text.starts_with("#!"), text.clone().into_bytes(), LIMITS)?;
            }
            program::plan_of(&program::program_in(tree, builds)?, builds)
        };
        let is_module = self.player.starts_with("wasm:");
        let unbuilt = || {
            let begins = format!("`quintain new player --lang {}` creates one", self.language);
            Some(format!("a module is submitted built, as bot.wasm; {begins}"))
        };
        let plan = match planned() {
            // A file that a module is made from may have the name of a program without being one.
            Ok(Plan { recipe: None, start: Start::Command { .. } }) if is_module => {
                return unbuilt();
            }
            Ok(plan) => plan,
            Err(Refused(_)) if is_module => return unbuilt(),
            Err(Refused(why)) => return Some(why),
        };
        let is_missing =
            |(tool, read): &(&str, &[PathBuf])| !tool.contains('/') && !is_installed(tool, read);
        let (missing, _) = plan.tools().find(is_missing)?;
        Some(format!("{missing} is not installed where this contest runs"))
    }

    /// Returns what has to be done before it is submitted, if anything: builds have no network.
    pub(crate) fn first_step(&self) -> Option<String> {
        let (path, text) = self.files.iter().find(|(path, _)| path.ends_with("/Cargo.toml"))?;
        let manifest: toml::Table = text.parse().ok()?;
        let packages = manifest.get("dependencies")?.as_table()?;
        let folder = path.strip_suffix("/Cargo.toml")?;
        (!packages.is_empty()).then(|| {
            format!("run `cargo vendor` in {folder} first, so that its packages are included")
        })
    }

    /// Packs the kit's files with what its users need to know about the contest, which has this
    /// address.
    pub(crate) fn zip(
        &self,
        config: &Config,
        address: &str,
        catalog: &Catalog,
    ) -> Result<Vec<u8>, Refused> {
        let mut tree = Tree::default();
        let guide = ("CONTEST.md".to_owned(), self.guide(config, address, catalog));
        // A single folder, so that unpacking does not scatter files.
        let place = format!("{}-{}", config.game, self.language);
        for (path, text) in self.files.iter().chain([&guide]) {
            let bytes = text.clone().into_bytes();
            tree.add(&format!("{place}/{path}"), text.starts_with("#!"), bytes, LIMITS)?;
        }
        for map in &config.maps {
            let bytes = map.file.text.clone().into_bytes();
            // Two scenarios may share a file.
            if !tree.has(&format!("{place}/{}", map.place())) {
                tree.add(&format!("{place}/{}", map.place()), false, bytes, MAP_LIMITS)?;
            }
        }
        tree.zip()
    }

    fn guide(&self, config: &Config, address: &str, catalog: &Catalog) -> String {
        let Config { name, game, scenarios, budget, .. } = config;
        let (player, folder) = (&self.player, &self.folder);
        let portable = |scenario: &String| {
            config.map_of(scenario).map_or_else(|| scenario.clone(), MapFile::portable)
        };
        let simplest = |scenario: &str| {
            let simplest = catalog.entry(game).ok().and_then(|of| simplest_player(of, scenario));
            simplest.map_or_else(|| player.clone(), |simplest| simplest.spec)
        };
        let budget = match budget.is_empty() {
            true => String::new(),
            false => format!(" --budget {budget}"),
        };
        let matches: Vec<String> = scenarios
            .iter()
            .map(|scenario| {
                let scenario = &example_of(&portable(scenario));
                let seats = catalog.game(game, scenario).map_or(1, |game| game.seats());
                let others = format!(" {}", simplest(scenario)).repeat(seats.saturating_sub(1));
                format!("quintain match \"{game}:{scenario}\" {player}{others}{budget}\n")
            })
            .collect();
        let module = match player.starts_with("wasm:") {
            true => {
                "Submit a WebAssembly module already built, with bot.wasm in the folder; from the \
                 source alone the contest builds an ordinary program.\n\n"
            }
            false => "",
        };
        let first = self.first_step();
        let first = first.map_or(String::new(), |step| format!("To submit it, {step}.\n\n"));
        let family = match scenarios.iter().any(|scenario| scenario.contains(SEED)) {
            true => {
                "In the contest every match draws a new problem, so try other numbers than 1 after \
                     seed=, too.\n\n"
            }
            false => "",
        };
        let check = match (player.starts_with("bot:"), scenarios.first()) {
            (true, Some(scenario)) => {
                let scenario = example_of(&portable(scenario));
                format!("quintain bot check --scenario \"{scenario}\"{budget} {player}\n")
            }
            _ => String::new(),
        };
        format!(
            "# {name}\n\nTry the program in the folder of this file. If it has to be built, build \
             it first; {folder}/README.md says how, and how to run its test, which does not need \
             quintain.\n\n```sh\n{check}{}```\n\n{family}{first}{module}Then submit it: on your \
             page as a zip, of everything here (the kit as you downloaded it will do) or of the \
             folder {folder} alone; or as that folder; or by\n\n```sh\nquintain submit --to \
             {address} --token TOKEN {folder}\n```\n\nThe contest builds sources. Submit several \
             programs one by one, each with its own folder.\n",
            matches.concat()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_a_module_are_not_a_program() {
        let kit = Kit {
            language: "javascript-wasm".to_owned(),
            title: "javascript-wasm".to_owned(),
            files: vec![("my-bot/bot.js".to_owned(), "export function choose() {}".to_owned())],
            folder: "my-bot".to_owned(),
            player: "wasm:my-bot/bot.wasm".to_owned(),
        };
        let message = kit.why_not(&Builds::default().with_usual()).unwrap();
        assert!(message.starts_with("a module is submitted built"), "{message}");
    }
}
