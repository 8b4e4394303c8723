//! `quintain reproduce`: measures what the sources claim, and says whether it is true. A claim that
//! is not confirmed is a result, not a failure.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_arena::RunOptions;
use quintain_core::{Catalog, format_duration, read_text};
use quintain_experiments::{
    Finding, Lab, LabError, RunSize, SOURCES, choose, read_figures, report, reproduce,
    write_figures,
};
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::failure::{Failure, cannot_write};
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::usage::{positive, time};
use crate::{options, screen, sources, stop};

/// Maximum time limit; a much longer one would exceed the range of the clock.
const MAX_TIME: Duration = Duration::from_secs(1_000_000_000);

/// The default store.
const DEFAULT_STORE: &str = "reproduction.sqlite";

/// The file of figures in the folder of pages.
const FIGURES: &str = "figures.json";

/// How findings are written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// A Markdown document
    Md,
    /// JSON for programs
    Json,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure: a source (the name of its game) or an experiment; `quintain experiments`
    /// lists them
    names: Vec<String>,
    /// Measure all experiments of all sources
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Play few matches: all experiments take minutes (the default)
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Play as many matches as the documentation reports
    #[arg(long)]
    full: bool,
    /// The time limit of --full: experiments that are not done by then are measured as with
    /// --quick, and marked as such
    #[arg(long, value_name = "TIME", requires = "full", allow_negative_numbers = true)]
    #[arg(value_parser = time)]
    within: Option<Duration>,
    #[arg(long, value_name = "FILE", default_value = DEFAULT_STORE, help = options::with(
        options::STORE,
        "(a run that was stopped resumes from there)",
    ))]
    store: PathBuf,
    #[arg(help = options::with(options::THREADS, options::ONE_PER_CORE))]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    #[arg(long, value_enum, default_value_t = Format::Text, help = options::FORMAT)]
    format: Format,
    /// Also write a Markdown summary to this file, and the tables and figures to a folder beside it
    /// with the file's name, such as reproduction/tron.md beside reproduction.md. Claims that are
    /// in the folder already and are not measured now keep their figures
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Run(error) => error.into(),
            LabError::Store(error) => error.into(),
            LabError::Stopped => Failure::Stopped,
            error => Failure::Failed(error.to_string()),
        }
    }
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    if args.names.is_empty() && !args.all {
        let sources: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
        return Err(Failure::Usage(format!(
            "name what to measure: a source ({}), an experiment (quintain experiments lists them) \
             or --all",
            sources.join(", ")
        )));
    }
    let experiments = choose(&args.names)
        .map_err(|error| Failure::Usage(format!("{error} (to list all: quintain experiments)")))?;
    sources::check_folders([&args.output])?;
    let run_size = if args.full { RunSize::Full } else { RunSize::Quick };
    let threads = args.threads.map_or(RunOptions::default().threads, NonZeroUsize::get);
    let store = sources::open_store(&args.store)?;
    let stop = stop::watch_signals_with_notice("stopping: the current experiment is dropped…");
    let mut lab = Lab::new(catalog, store, run_size, threads, stop)?;
    if let Some(time) = args.within {
        lab = lab.with_time_limit(time.min(MAX_TIME));
    }
    let mut findings: Vec<Finding> = Vec::new();
    let mut written: std::io::Result<()> = Ok(());
    let result = reproduce(&experiments, &lab, &mut |finding| {
        let (done, of) = (findings.len() + 1, experiments.len());
        let Finding { name, seconds, .. } = &finding;
        if args.format == Format::Text {
            if written.is_ok() {
                let text = fit(&report::render_text(&finding), screen::terminal_width());
                written = writeln!(out, "{text}").and_then(|()| out.flush());
            }
        } else {
            let verdict = report::describe_verdict(&finding);
            print_notice(&format!("{done} of {of}: {name} {verdict} ({seconds:.1} s)"));
        }
        findings.push(finding);
    });
    if matches!(result, Err(LabError::Stopped)) {
        print_notice(&format!(
            "stopped after {} of {} experiments; what was played is in {}, and the same command \
             resumes from there",
            findings.len(),
            experiments.len(),
            args.store.display()
        ));
    }
    written?;
    result?;
    write_findings(args, &findings, out)
}

/// Writes all findings: the summary, or the whole in another format; and the document.
fn write_findings(args: &Args, findings: &[Finding], out: &mut dyn Write) -> Result<(), Failure> {
    let command = command(args);
    match args.format {
        Format::Text => {
            writeln!(out, "{}", screen::fit(&report::summarize(findings)))?;
            if let Some(advice) = advise_full(args, findings) {
                writeln!(out, "{}", screen::fit(&advice))?;
            }
            let kept = format!(
                "what was played is in {}, and is not played again by the next run",
                args.store.display()
            );
            writeln!(out, "{}", screen::fit(&kept))?;
        }
        Format::Md => {
            let document = report::render_markdown(findings, &command, None);
            out.write_all(document.join().as_bytes())?;
        }
        Format::Json => {
            let text = serde_json::to_string_pretty(findings).expect("findings are JSON");
            writeln!(out, "{text}")?;
        }
    }
    match &args.output {
        Some(path) => write_pages(path, findings, &command, out),
        None => Ok(()),
    }
}

/// Writes a summary to a file, and the pages that it links to a folder beside it.
fn write_pages(
    path: &Path,
    findings: &[Finding],
    command: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let folder = path.with_extension("");
    let Some(name) = folder.file_name().filter(|_| folder != path) else {
        // Standard output, or a file without an extension, which cannot have the folder's name.
        let document = report::render_markdown(findings, command, None);
        return sources::write(path, document.join(), out);
    };
    let kept = folder.join(FIGURES);
    let (measured, findings) = (findings.len(), merge(findings, &kept)?);
    let command = if findings.len() == measured { command } else { "" };
    let document = report::render_markdown(&findings, command, Some(&name.to_string_lossy()));
    std::fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    for (page, text) in &document.pages {
        sources::write(&folder.join(page).with_extension("md"), text, out)?;
    }
    sources::write(&kept, write_figures(&findings), out)?;
    sources::write(path, document.summary, out)
}

/// Returns these findings and those that a file of figures has of other claims, in the order of the
/// claims.
fn merge(findings: &[Finding], kept: &Path) -> Result<Vec<Finding>, Failure> {
    let Ok(text) = read_text(kept) else { return Ok(findings.to_vec()) };
    let damaged = |error| {
        let place = kept.display();
        Failure::Failed(format!(
            "{place}: these are no figures of an earlier run ({error}); move the file away, or \
             name another --output"
        ))
    };
    let new = read_figures(&write_figures(findings)).map_err(damaged)?;
    let mut all = read_figures(&text).map_err(damaged)?;
    all.retain(|old| new.iter().all(|finding| finding.name != old.name));
    all.extend(new);
    read_figures(&write_figures(&all)).map_err(damaged)
}

/// Breaks lines that are too long for the terminal between words. The rest of a line is below
/// its text: behind its label, if it has one.
fn fit(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut fitted = String::new();
    for line in text.lines() {
        let begin = line.len() - line.trim_start().len();
        let label = line[begin..].find("  ").map_or(0, |end| {
            let rest = &line[begin + end..];
            end + rest.len() - rest.trim_start().len()
        });
        let indent = " ".repeat(begin + label);
        let options = Options::new(width)
            .initial_indent(&line[..begin + label])
            .subsequent_indent(&indent)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        fitted += &textwrap::fill(&line[begin + label..], options);
        fitted.push('\n');
    }
    fitted
}

/// The most experiments that advice names one by one.
const MAX_NAMED: usize = 8;

/// Returns what decides more of the claims, if only few matches were played for those that are
/// open.
fn advise_full(args: &Args, findings: &[Finding]) -> Option<String> {
    let open = report::list_hurried(findings);
    let what = match open.len() {
        0 => return None,
        1..=MAX_NAMED => format!(" {}", open.join(" ")),
        _ => selection(args),
    };
    Some(format!(
        "{} may be decided by more matches, as many as the documentation reports: quintain \
         reproduce{what} --full{}",
        format_count(open.len(), "claim"),
        store_option(args)
    ))
}

/// Returns the arguments that name the same experiments.
fn selection(args: &Args) -> String {
    let names = args.names.iter().map(|name| format!(" {name}")).collect::<String>();
    names + if args.all { " --all" } else { "" }
}

/// Returns the option that names the store; empty if it is the default.
fn store_option(args: &Args) -> String {
    match args.store.as_path() == Path::new(DEFAULT_STORE) {
        true => String::new(),
        false => sources::store_option(Some(&args.store)),
    }
}

/// Returns the command that gives the same findings again.
fn command(args: &Args) -> String {
    let effort = if args.full { "--full" } else { "--quick" };
    let within = args.within.map(|time| format!(" --within {}", format_duration(time)));
    let (selection, within, store) =
        (selection(args), within.unwrap_or_default(), store_option(args));
    format!("quintain reproduce{selection} {effort}{within}{store}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_that_are_not_measured_now_keep_their_figures() {
        let figures = |name: &str, why: &str| {
            format!(
                r#"{{"name": "{name}", "how": [], "effort": "full", "measured":
                {{"parts": [], "is_bound": false, "undecidable": null, "incomparable": "{why}"}}}}"#
            )
        };
        let list = |of: &[String]| format!("[{}]", of.join(","));
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join(FIGURES);
        let old = [figures("gather/diagonal-steps", "old"), figures("tron/ranks", "old")];
        std::fs::write(&kept, list(&old)).unwrap();
        let new = read_figures(&list(&[figures("gather/diagonal-steps", "new")])).unwrap();
        let Ok(all) = merge(&new, &kept) else { panic!("the figures are read") };
        let reasons = all.iter().map(|finding| finding.verdict.to_string());
        assert_eq!(reasons.collect::<Vec<_>>(), ["not comparable: old", "not comparable: new"]);
        std::fs::write(&kept, "no figures").unwrap();
        assert!(merge(&new, &kept).is_err());
    }

    #[test]
    fn long_lines_continue_below_their_text() {
        let text = "a/b: agrees\n  A claim in words.\n  ours    rounds: 41 with many\n";
        let fitted =
            "a/b: agrees\n  A claim in words.\n  ours    rounds: 41\n          with many\n";
        assert_eq!(fit(text, Some(20)), fitted);
        assert_eq!(fit(text, None), text);
    }
}
