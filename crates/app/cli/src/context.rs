//! What verbs work with besides their arguments.

#[cfg(feature = "programs")]
use std::collections::BTreeMap;
#[cfg(feature = "programs")]
use std::sync::Arc;

#[cfg(feature = "programs")]
use quintain_bots::Programs;
use quintain_core::Catalog;

#[cfg(feature = "programs")]
use crate::messages::print_notice;

/// The players that verbs know.
pub(crate) struct Context<'a> {
    /// The games with all their players.
    pub(crate) catalog: &'a Catalog,
    /// The programs that the command line allows.
    #[cfg(feature = "programs")]
    pub(crate) programs: &'a Arc<Programs>,
    /// The language models that have been named.
    #[cfg(feature = "remote")]
    pub(crate) chats: &'a Arc<quintain_remote::Chats>,
}

#[cfg(feature = "programs")]
impl Context<'_> {
    /// Why a player's files keep it from playing, if they do: `bot:NAME: …`.
    pub(crate) fn unusable(&self, player: &str) -> Option<String> {
        let error = self.programs.bot(player.trim()).err()?;
        error.is_of_its_files().then(|| error.to_string())
    }

    /// Warns, before matches between these players are played, of which so many are played at
    /// once, if their programs may take more memory than the machine has.
    pub(crate) fn warn_of_memory(&self, at_once: usize, lineups: &[Vec<&str>]) {
        let memory: BTreeMap<&str, u64> = lineups
            .iter()
            .flatten()
            .filter_map(|player| Some((*player, self.programs.bot(player).ok()?.limits().memory.0)))
            .collect();
        let playing = |lineup: &Vec<&str>| -> u64 {
            lineup.iter().filter_map(|player| memory.get(player)).sum()
        };
        let most = lineups.iter().map(playing).max().unwrap_or(0);
        let warning = quintain_bots::warn_of_memory(at_once, most, memory.values().sum());
        if let Some(warning) = warning {
            print_notice(&warning);
        }
    }
}

impl Context<'_> {
    /// Why a player of a service has refused a question for good, if it has in this process.
    #[cfg(feature = "remote")]
    pub(crate) fn given_up(&self, player: &str) -> Option<String> {
        self.chats.given_up(player)
    }

    #[cfg(not(feature = "remote"))]
    pub(crate) fn given_up(&self, _player: &str) -> Option<String> {
        None
    }

    /// Asks a language model the first question of a match, which will be asked there anyway;
    /// returns why it refuses for good, if it does.
    #[cfg(feature = "remote")]
    pub(crate) fn find_refusal(
        &self,
        player: &str,
        fixture: &quintain_core::Fixture,
    ) -> Option<String> {
        let seat = fixture.seats.iter().position(|seated| seated == player)?;
        let entry = self.catalog.entry(&fixture.game).ok()?;
        let handle = self.catalog.player(&fixture.game, player).ok()?;
        let place = (fixture.seed, Some(quintain_core::Seat::new(seat)));
        // Whatever else goes wrong will be seen in the match.
        let _ =
            quintain_remote::ask_first(entry, &fixture.scenario, &handle, place, fixture.budget);
        self.given_up(player)
    }

    #[cfg(not(feature = "remote"))]
    pub(crate) fn find_refusal(&self, _: &str, _: &quintain_core::Fixture) -> Option<String> {
        None
    }
}

#[cfg(not(feature = "programs"))]
impl Context<'_> {
    pub(crate) fn unusable(&self, _player: &str) -> Option<String> {
        None
    }

    pub(crate) fn warn_of_memory(&self, _at_once: usize, _lineups: &[Vec<&str>]) {}
}
