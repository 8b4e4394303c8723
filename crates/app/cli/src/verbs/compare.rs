//! `quintain compare`: is one player better than another, and by how much? Plays paired matches
//! until the answer is certain.

mod lost;
mod played_by;
mod progress;
pub(crate) mod question;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use progress::ProgressDisplay;
use quintain_arena::compare::{CandidateResult, Comparison, ComparisonConfig};
use quintain_report::{
    Detail, plot_comparison, render_comparison, render_comparison_markdown, render_plan,
};
use quintain_scene::clean;
use quintain_stats::Verdict;
use quintain_store::Store;
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, cannot_write};
use crate::messages::{print_notice, with_remark};
use crate::plain::clean_lines;
use crate::verbs::new::usual_scenario;
use crate::{options, screen, sources, stop};
pub(crate) use played_by::PlayedBy;
#[cfg(feature = "programs")]
pub(crate) use question::{MOST_LETTERS, MeasureName, REVISION, note_names, pin_revision};
pub(crate) use question::{Question, QuestionArgs};

/// The number of matches by which a plan is made.
const PLAN_MATCHES: u64 = 60;

#[derive(clap::Args)]
#[command(after_help = "\
The matches are paired: both players get the same seeds and, as rivals, swap their seats.
The error rates hold even though the answer is checked after every pair.")]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    #[arg(long, value_name = "FILE", help = options::with(
        options::STORE,
        "(its matches are used again, and new ones added) [default: none; with --on \
         quintain.sqlite, or $QUINTAIN_STORE]",
    ))]
    store: Option<PathBuf>,
    /// Play 60 matches, then report how many matches would detect leads of several sizes, and which
    /// lead --matches can detect
    #[arg(long, conflicts_with_all = ["details", "format", "plot"])]
    plan: bool,
    /// Show the figures behind the answer: pairs by their result, Elo, normalised Elo, variance
    #[arg(long)]
    details: bool,
    #[arg(long, value_enum, default_value_t = Format::Table, help = options::FORMAT)]
    format: Format,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::PLOT, "(the evidence by round)"))]
    plot: Option<PathBuf>,
    /// Write the answer in Markdown to a file, for the summary of a workflow or a comment
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    markdown: Option<PathBuf>,
    #[arg(long, conflicts_with = "plan", help = options::EXIT_CODE)]
    exit_code: bool,
    #[arg(short, long, help = options::QUIET)]
    quiet: bool,
    #[command(flatten)]
    played_by: PlayedBy,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Sentences and a table
    Table,
    /// Everything, with all digits
    Json,
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    sources::check_folders([&args.plot, &args.markdown])?;
    let Some(file) = &args.markdown else { return answer(args, context, out) };
    // What an earlier comparison has left there is no answer to this one, however it ends.
    if file.is_file() {
        std::fs::remove_file(file).map_err(|error| cannot_write(file, &error))?;
    }
    let answered = answer(args, context, out);
    if let Err(error @ (Failure::Usage(_) | Failure::Failed(_))) = &answered {
        let text = format!("**The comparison has no answer.**\n\n{}\n", indent(&error.to_string()));
        std::fs::write(file, text).map_err(|error| cannot_write(file, &error))?;
    }
    answered
}

/// Returns a text as Markdown that shows it as it is.
fn indent(text: &str) -> String {
    let text = clean_lines(text);
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

fn answer(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    // Found before a store is created, as the request may be impossible.
    let mut question = find_question(args, context)?;
    let most = question.config.matches;
    if args.plan {
        question.config.matches =
            most.min(PLAN_MATCHES.max(2 * question.config.games.len() as u64));
    }
    let store = store_path(args);
    let mut store = store.as_deref().map(sources::open_store).transpose()?;
    #[cfg(feature = "programs")]
    if let Some(store) = &mut store {
        note_names(store, context.programs, &question.revisions)?;
    }
    let (mut comparison, remarks) = play(args, &question, context, store.as_mut())?;
    let Question { config, scenarios, .. } = &question;
    let lost = match args.format {
        Format::Table if !args.plan => {
            lost::find(&comparison, config, store_path(args).as_deref())?
        }
        _ => Vec::new(),
    };
    question.name_players(&mut comparison);
    if !args.quiet {
        remarks.iter().for_each(|remark| print_notice(&clean(remark)));
    }
    if args.plan {
        let plan = render_plan(&comparison, (most, args.question.delta), screen::terminal_width());
        out.write_all(clean_lines(&plan).as_bytes())?;
        return if comparison.stopped { Err(Failure::Stopped) } else { Ok(()) };
    }
    suggest_scenario(&comparison, scenarios, context)?;
    write_answer(args, &comparison, (&lost, &question.revisions), out)?;
    if !args.quiet {
        out.flush()?;
        describe_instances(scenarios, config);
    }
    match comparison.stopped {
        true => Err(Failure::Stopped),
        false if args.exit_code => answer_by_status(&comparison),
        false => Ok(()),
    }
}

/// Finds what is asked, with the commits of revisions.
fn find_question(args: &Args, context: &Context<'_>) -> Result<Question, Failure> {
    let question = args.question.find(context.catalog, store_path(args).as_deref())?;
    #[cfg(feature = "programs")]
    let question = question.pin_revisions(context.programs, args.quiet)?;
    question.note_same_players();
    Ok(question)
}

/// Has the matches played, and shows how far they are. Also returns what is remarkable about the
/// workers.
fn play(
    args: &Args,
    question: &Question,
    context: &Context<'_>,
    store: Option<&mut Store>,
) -> Result<(Comparison, Vec<String>), Failure> {
    let config = &question.config;
    let notice = if args.quiet { "" } else { "stopping: matches in progress are dropped…" };
    let stop = stop::watch_signals_with_notice(notice);
    if !args.quiet && args.played_by.on.is_none() {
        context.warn_of_memory(args.played_by.threads(), &config.lineups());
    }
    let [candidates, references] = question.sides();
    let sides = clean(&format!("{candidates} with {references}"));
    let mut display = ProgressDisplay::new(sides, config.matches, args.quiet);
    let mut progress = |progress| display.update(progress);
    let title = format!("compare {candidates} with {references}");
    let compared = args.played_by.compare(
        (question, &title),
        &Arc::default(),
        context.catalog,
        store,
        &stop,
        &mut progress,
    );
    display.clear();
    compared
}

/// Names a scenario on which seeds matter if they did not here.
fn suggest_scenario(
    comparison: &Comparison,
    scenarios: &[String],
    context: &Context<'_>,
) -> Result<(), Failure> {
    if comparison.candidates.iter().all(CandidateResult::repeats_one_round) {
        let other = usual_scenario(context.catalog.entry(&comparison.game)?);
        if !scenarios.contains(&other) {
            print_notice(&format!("seeds matter on {other}: try --scenario {other}"));
        }
    }
    Ok(())
}

/// The status that says how the candidate fared that did worst.
fn answer_by_status(comparison: &Comparison) -> Result<(), Failure> {
    let status = |one: &CandidateResult| match one.verdict {
        Some(Verdict::Better) => 0,
        Some(Verdict::NoDifference) => 10,
        Some(Verdict::Worse) => 20,
        None if one.alike => 10,
        None => 30,
    };
    let statuses: Vec<u8> = comparison.candidates.iter().map(status).collect();
    // Whoever is worse decides, whatever is still open.
    let worst = match statuses.contains(&20) {
        true => 20,
        false => statuses.into_iter().max().unwrap_or(30),
    };
    if worst == 0 { Ok(()) } else { Err(Failure::Answer(worst)) }
}

/// The store, if there is one. A comparison on many machines always has one: it is what the next
/// process goes on from if this one is killed.
fn store_path(args: &Args) -> Option<PathBuf> {
    let path = args.store.clone();
    path.or_else(|| args.played_by.on.is_some().then(|| sources::store_path(None)))
}

/// An answer as JSON.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    /// The versions that play, by the revisions that were asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    versions: BTreeMap<&'a str, &'a str>,
}

/// Writes the answer, and plots the evidence.
fn write_answer(
    args: &Args,
    comparison: &Comparison,
    (lost, revisions): (&[lost::Hint], &BTreeMap<String, String>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match args.format {
        Format::Table => {
            let detail = if args.details { Detail::Everything } else { Detail::Answer };
            let width = screen::terminal_width();
            let table = render_comparison(comparison, detail, width);
            out.write_all(clean_lines(&table).as_bytes())?;
            for (place, hint) in lost.iter().enumerate() {
                let lead = if place == 0 { "worst: " } else { "       " };
                for line in with_remark(lead, &hint.command, &hint.what, width) {
                    writeln!(out, "{}", clean(&line))?;
                }
            }
        }
        Format::Json => {
            let versions = revisions.iter().map(|(player, named)| (&named[..], &player[..]));
            let answer = JsonAnswer { comparison, versions: versions.collect() };
            let json = serde_json::to_string_pretty(&answer).expect("answers have JSON");
            writeln!(out, "{json}")?;
        }
    }
    if let Some(file) = &args.markdown {
        std::fs::write(file, clean_lines(&render_comparison_markdown(comparison)))
            .map_err(|error| cannot_write(file, &error))?;
    }
    if let Some(file) = &args.plot {
        std::fs::write(file, plot_comparison(comparison))
            .map_err(|error| cannot_write(file, &error))?;
    }
    Ok(())
}

/// Prints which instance a seed draws, where every seed has its own.
fn describe_instances(scenarios: &[String], question: &ComparisonConfig) {
    let next = question.first_seed.wrapping_add(1);
    for (place, draw) in &question.instances {
        let shown = draw(next);
        print_notice(&format!(
            "on {} every seed draws its own problem: seed {next} plays {}:{}",
            scenarios[*place],
            shown.name(),
            shown.scenario()
        ));
    }
}
