//! The programs of a `bots.toml`, and which of them play a game.

use std::path::PathBuf;
#[cfg(feature = "programs")]
use std::time::Duration;

#[cfg(feature = "programs")]
use quintain_bots::check::{CheckTime, try_game};
#[cfg(feature = "programs")]
use quintain_core::Catalog;
#[cfg(feature = "programs")]
use quintain_scene::clean;

use crate::context::Context;
use crate::failure::Failure;

/// The programs of the nearest `bots.toml`.
pub(super) struct Programs<'a> {
    #[cfg_attr(not(feature = "programs"), expect(dead_code))]
    context: &'a Context<'a>,
}

/// The programs of a `bots.toml`, sorted for one game.
#[derive(Default)]
pub(super) struct Entrants {
    /// Players that can play it, such as `bot:mine`.
    pub(super) able: Vec<String>,
    /// What is wrong with some of them, one line each.
    pub(super) doubtful: Vec<String>,
    /// Why each of the others is left out, one line each.
    pub(super) left_out: Vec<String>,
}

impl<'a> Programs<'a> {
    pub(super) fn of(context: &'a Context<'a>) -> Programs<'a> {
        Programs { context }
    }
}

#[cfg(feature = "programs")]
impl Programs<'_> {
    /// Returns the `bots.toml` found from here, or to be created here.
    pub(super) fn file(&self) -> PathBuf {
        self.context.programs.file_path().to_owned()
    }

    /// Checks that the file, if it exists, can be read as one that names programs.
    pub(super) fn check(&self) -> Result<(), Failure> {
        Ok(self.context.programs.file_if_any().map(drop)?)
    }

    /// Sorts the programs for a tournament of a game.
    pub(super) fn entrants(&self, game: &str) -> Result<Entrants, Failure> {
        find_entrants(self.context.programs, game, self.context.catalog)
    }
}

/// Without programs as players, players still begin.
#[cfg(not(feature = "programs"))]
impl Programs<'_> {
    pub(super) fn file(&self) -> PathBuf {
        "bots.toml".into()
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    pub(super) fn entrants(&self, _: &str) -> Result<Entrants, Failure> {
        Ok(Entrants::default())
    }
}

/// How long each program is tried before it is entered in a tournament.
#[cfg(feature = "programs")]
const TRIAL: CheckTime = CheckTime { all: Duration::from_secs(5), one: Duration::from_secs(2) };

/// Finds the programs in the file that play a game; each is started, asked and tried.
#[cfg(feature = "programs")]
fn find_entrants(
    programs: &quintain_bots::Programs,
    game: &str,
    catalog: &Catalog,
) -> Result<Entrants, Failure> {
    let mut entrants = Entrants::default();
    let Some(file) = programs.file_if_any()? else { return Ok(entrants) };
    for name in file.names() {
        let player = format!("bot:{name}");
        let plays = match programs.bot(&player) {
            Ok(bot) => {
                bot.plays(game).map_err(|fault| format!("{player}: {}", bot.explain(&fault)))
            }
            Err(problem) => Err(problem.to_string()),
        };
        match plays {
            Ok(true) => {
                let entry = catalog.entry(game)?;
                // The program has just been found.
                let bot = programs.bot(&player)?;
                let bad = match bot.foreign_protocol() {
                    None => try_game(catalog, &bot, entry, TRIAL),
                    Some(_) => None,
                };
                entrants.doubtful.extend(bad.map(|finding| {
                    let problem = clean(&finding.text);
                    format!(
                        "{player} is entered, but fails: {problem}; see quintain bot check {player}"
                    )
                }));
                entrants.able.push(player);
            }
            Ok(false) => entrants.left_out.push(format!("{player} does not play {game}")),
            Err(problem) => entrants.left_out.push(clean(&problem)),
        }
    }
    Ok(entrants)
}
