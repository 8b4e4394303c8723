//! Everything that is written about standings, comparisons and results: tables for terminals and in
//! Markdown, CSV and JSON, and a report on a tournament with its plots. Nothing is computed here
//! except what a table itself needs.
//!
//! | to | see |
//! |---|---|
//! | write standings down | [`render`], [`details`] |
//! | write the standings of a series down | [`render_series`] |
//! | write down what became of a program | [`render_history`] |
//! | write a comparison down | [`render_comparison`], [`describe_answer`], [`plot_comparison`], [`render_opponents`] |
//! | hand results and records to other programs | [`export`] |
//! | write results as Parquet | [`parquet`] (feature `parquet`) |
//! | write a report on a tournament | [`report`](report()) |
//! | print tables in the forms of their sources | [`SourceTable`], [`TableKind`] |
//! | draw | [`plots`]: plain numbers in, SVG out |
//!
//! # Example
//! ```
//! use quintain_arena::standings_of;
//! use quintain_report::{StandingsFormat, render};
//! use quintain_store::Store;
//!
//! /// The standings of the newest tournament in a store, as a table in Markdown.
//! fn newest_standings(store: &Store) -> Result<String, Box<dyn std::error::Error>> {
//!     let standings = standings_of(store, &store.tournament(None)?)?;
//!     Ok(render(&standings, StandingsFormat::Markdown))
//! }
//! ```

mod comparison;
pub mod export;
mod forms;
mod grid;
mod history;
mod notable;
mod numbers;
mod obstacles;
mod opponents;
mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plots;
mod progress;
mod report;
mod results;
mod series;
mod standings;
mod text;

pub use comparison::{
    Detail, describe_answer, plot_comparison, render_comparison, render_comparison_markdown,
    render_plan,
};
pub use forms::{SourceTable, TableKind};
pub use history::{VersionNote, render_history};
pub use notable::{NotableMatch, Reason, Upset, find_notable, find_upset};
pub use numbers::count_of;
pub use obstacles::{describe_obstacles, describe_pairs};
pub use opponents::render_opponents;
pub use progress::{
    ProgressRow, describe_progress, describe_step, format_lead, lead_of, progress, render_progress,
    verdict_word,
};
pub use report::{Report, report, scores_spread};
pub use series::render_series;
pub use standings::{
    StandingsFormat, describe_caveats, details, explain_other_question, headline, regret, render,
    render_named_json,
};
