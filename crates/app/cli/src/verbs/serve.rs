//! `quintain serve`: tournaments, matches and play in the browser.

use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use quintain_core::{Catalog, FilesOfRecords};
use quintain_store::Store;
use quintain_web::{MatchLimits, Options, ServeError, check_origin, serve};

use crate::failure::Failure;
use crate::messages::print_notice;
use crate::server::Credentials;
use crate::usage::{port, positive};
use crate::{fleet, options, sources, stop};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(short, long, default_value_t = 8080, value_parser = port, allow_negative_numbers = true)]
    #[arg(help = options::PORT)]
    port: u16,
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    #[arg(help = options::HOST)]
    host: IpAddr,
    /// Let people play; their matches go into the store
    #[arg(long)]
    allow_play: bool,
    /// Also read files that records name and the store lacks, if they have the record's digest
    #[arg(long)]
    allow_files: bool,
    /// The most matches that people may play at a time, in total
    #[arg(long, value_name = "N", default_value = "32", requires = "allow_play")]
    #[arg(value_parser = positive::<NonZeroUsize>, allow_negative_numbers = true)]
    #[arg(alias = "matches")]
    matches_total: NonZeroUsize,
    /// The same per address; a class behind one router has one address
    #[arg(long, value_name = "N", default_value = "8", requires = "allow_play")]
    #[arg(value_parser = positive::<NonZeroUsize>, allow_negative_numbers = true)]
    matches_each: NonZeroUsize,
    /// Let pages of this origin, such as https://example.org, show matches in a frame; * for all
    /// (may be given several times)
    #[arg(long, value_name = "ORIGIN", value_parser = check_origin)]
    embed_in: Vec<String>,
    #[arg(long, value_name = "ADDRESS", help = options::with(
        options::ON,
        "(its tournaments and workers are shown, too)",
    ))]
    on: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let path = sources::store_path(args.store.as_deref());
    let shown = path.display().to_string();
    if path.exists() {
        // A file that is not a store is reported now, and not by every page.
        Store::open_to_read(&path)?.check_quickly()?;
    } else if !args.allow_play && args.on.is_none() {
        return Err(Failure::Usage(format!(
            "there is no store {shown}: play a tournament to make one (quintain tournament quick), \
             or let people play (--allow-play)"
        )));
    }
    let workers =
        args.on.as_ref().map(|address| fleet::server(address, &args.credentials)).transpose()?;
    let matches = MatchLimits { all: args.matches_total.get(), each: args.matches_each.get() };
    let files = match args.allow_files {
        true => FilesOfRecords::Unchanged,
        false => FilesOfRecords::Never,
    };
    let (catalog, allow_play) = (catalog.clone().with_files_of_records(files), args.allow_play);
    let frames = args.embed_in.clone();
    let options = Options { store: path, catalog, allow_play, matches, frames, workers };
    let address = SocketAddr::new(args.host, args.port);
    let flag = stop::watch_signals();
    let mut printed = Ok(());
    let ready = |bound: SocketAddr| {
        let may = if args.allow_play { "people may play" } else { "nothing is written" };
        printed = writeln!(out, "{shown} at http://{bound}/ ({may}); Ctrl-C ends it")
            .and_then(|()| out.flush());
        if !bound.ip().is_loopback() {
            print_notice(&format!("warning: whoever can reach {bound} can see this store"));
        }
    };
    serve(options, address, ready, move || flag.load(Ordering::SeqCst)).map_err(
        |error| match error {
            ServeError::Listen { source, .. } if source.kind() == ErrorKind::AddrInUse => {
                Failure::Failed(format!(
                    "port {} is in use, perhaps by another quintain serve; choose another with \
                     --port (0 picks a free one)",
                    args.port
                ))
            }
            error => Failure::Failed(error.to_string()),
        },
    )?;
    Ok(printed?)
}
