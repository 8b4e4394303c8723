//! The arguments of `quintain bot audit`, the same on every system.

#[derive(clap::Args)]
pub(super) struct AuditArgs {
    /// Leave out the slow attacks: those on memory and on the clock
    #[arg(long)]
    pub(super) quick: bool,
    /// The number of attacks at the same time [default: two per core]
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,
}
