//! Who plays the matches of a comparison: this machine, or the workers at a server.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use quintain_arena::compare::{CompareProgress, Comparison, compare, compare_on};
use quintain_arena::{RunOptions, Tournament};
use quintain_core::Catalog;
use quintain_store::Store;

use super::question::Question;
use crate::failure::Failure;
use crate::fleet::RunNews;
use crate::server::{HandOut, hide_password};
use crate::usage::positive;
use crate::{fleet, options};

#[derive(Clone, clap::Args)]
pub(crate) struct PlayedBy {
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    #[arg(help = options::with(options::THREADS, options::ONE_PER_CORE))]
    threads: Option<NonZeroUsize>,
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads", help = options::with(
        options::ON,
        "(whose workers play the matches: see `quintain worker`)",
    ))]
    pub(crate) on: Option<String>,
    #[command(flatten)]
    pub(crate) hand_out: HandOut,
}

impl PlayedBy {
    /// The threads of this machine that play, if it does.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or(RunOptions::default().threads, NonZeroUsize::get)
    }

    /// Checks that the workers' server can be reached, if they are to play.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match &self.on {
            None => Ok(()),
            Some(address) => fleet::check(&fleet::server(address, &self.hand_out.credentials)?),
        }
    }

    /// Why the workers' server cannot be reached now, if they are to play and that is so.
    pub(crate) fn why_unreachable(&self) -> Result<Option<String>, Failure> {
        let Some(address) = &self.on else { return Ok(None) };
        fleet::why_unreachable(&fleet::server(address, &self.hand_out.credentials)?)
    }

    /// Has a comparison played, which people call by its title. Without a store, its matches are
    /// forgotten. Also returns what is remarkable about the workers. What there is to say meanwhile
    /// is left in the news.
    pub(crate) fn compare(
        &self,
        (question, title): (&Question, &str),
        news: &Arc<Mutex<RunNews>>,
        catalog: &Catalog,
        store: Option<&mut Store>,
        stop: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(CompareProgress),
    ) -> Result<(Comparison, Vec<String>), Failure> {
        let config = &question.config;
        let Some(address) = &self.on else {
            let options = RunOptions { threads: self.threads(), stop: Arc::clone(stop) };
            return Ok((compare(config, store, &options, progress)?, Vec::new()));
        };
        let sets = question.sets(catalog)?;
        let server = fleet::server(address, &self.hand_out.credentials)?;
        let is_asked = Cell::new(false);
        let make_executor = |tournament: &Tournament| {
            is_asked.set(true);
            let called = (title, question.revisions.clone());
            fleet::executor_of_comparison(&server, tournament, &self.hand_out, called, news)
        };
        let mut own;
        let store = match store {
            Some(store) => store,
            None => {
                own = Store::in_memory()?;
                &mut own
            }
        };
        let (comparison, mut remarks) =
            compare_on(&make_executor, config, &sets, store, stop, progress)?;
        if !is_asked.get() {
            remarks.push(format!(
                "all matches are in the store; the server {} was not asked",
                hide_password(address)
            ));
        }
        Ok((comparison, remarks))
    }
}
