//! Starter kits: a program that plays the contest's game at once, to be downloaded, tried out and
//! changed. Who serves a contest brings the files along; here they are packed.

use quintain_core::Catalog;

use crate::archive::{Refused, Tree, TreeLimits};
use crate::config::{Config, simplest_player};

/// More is no kit.
const LIMITS: TreeLimits = TreeLimits { files: 100, bytes: 1 << 20 };

/// A kit for one language.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The language as an address has it: small letters, digits, hyphens.
    pub language: String,
    /// The language in words.
    pub title: String,
    /// The files, by their paths.
    pub files: Vec<(String, String)>,
    /// The folder among them that is handed in.
    pub folder: String,
    /// The player's text, seen from where the files are.
    pub player: String,
}

impl Kit {
    /// The name of its file.
    pub(crate) fn file(&self) -> String {
        format!("{}.zip", self.language)
    }

    /// Its files, packed, with what is to be known of the contest.
    pub(crate) fn zip(&self, config: &Config, catalog: &Catalog) -> Result<Vec<u8>, Refused> {
        let mut tree = Tree::default();
        let guide = ("CONTEST.md".to_owned(), self.guide(config, catalog));
        // One folder, so that whoever unpacks it has nothing strewn about.
        let place = format!("{}-{}", config.game, self.language);
        for (path, text) in self.files.iter().chain([&guide]) {
            let bytes = text.clone().into_bytes();
            tree.add(&format!("{place}/{path}"), text.starts_with("#!"), bytes, LIMITS)?;
        }
        tree.zip()
    }

    fn guide(&self, config: &Config, catalog: &Catalog) -> String {
        let Config { name, game, scenarios, budget, .. } = config;
        let (player, folder) = (&self.player, &self.folder);
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
                let seats = catalog.game(game, scenario).map_or(1, |game| game.seats());
                let others = format!(" {}", simplest(scenario)).repeat(seats.saturating_sub(1));
                format!("quintain match \"{game}:{scenario}\" {player}{others}{budget}\n")
            })
            .collect();
        let check = match player.starts_with("bot:") {
            true => format!("quintain bot check {player}\n"),
            false => String::new(),
        };
        format!(
            "# {name}\n\nHere, where this file is (a program that has to be built, build first: \
             {folder}/README.md says how):\n\n```sh\n{check}{}```\n\nThen hand in the folder, on \
             your page or by\n\n```sh\nquintain submit --to ADDRESS --token TOKEN {folder}\n```\n",
            matches.concat()
        )
    }
}
