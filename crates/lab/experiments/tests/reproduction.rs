//! Experiments run end to end, with a few matches each: they measure, resume, and do not depend on
//! threads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_experiments::{
    ClaimVerdict, ExpectedValue, Experiment, Finding, Lab, LabError, Method, RunSize, choose,
    read_figures, report, reproduce,
};
use quintain_store::Store;

fn find_experiments(names: &[&str]) -> Vec<Experiment> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    choose(&names).unwrap()
}

/// Experiments that take no time, of every source and kind.
const SOME: [&str; 12] = [
    "tron/basic-improved-advanced",
    "tron/ranks",
    "tron/early-stopping",
    "gather/higher-move-chase",
    "gather/diagonal-steps",
    "gather/all-bees",
    "gather/v1-tall",
    "pentocity/perimeter-roads",
    "pentocity/table-1-stars",
    "hextris/gravity",
    "polymer/memory",
    "polymer/dead-end-zero",
];

fn findings(store: Store, names: &[&str], threads: usize) -> Vec<Finding> {
    let catalog = quintain_games::catalog();
    let lab = Lab::new(&catalog, store, RunSize::Tiny, threads, Arc::default()).unwrap();
    let mut findings = Vec::new();
    reproduce(&find_experiments(names), &lab, &mut |finding| findings.push(finding)).unwrap();
    findings
}

fn store(path: &Path) -> Store {
    Store::open(path).unwrap()
}

/// Findings as text, without the time taken.
fn format_findings(findings: &[Finding]) -> String {
    serde_json::to_string_pretty(findings).unwrap()
}

#[test]
fn findings_are_the_same_whatever_the_threads_and_whether_played_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.sqlite");
    let one = findings(Store::in_memory().unwrap(), &SOME, 1);
    let two = findings(store(&path), &SOME, 2);
    assert_eq!(format_findings(&one), format_findings(&two));
    let records = store(&path).records().unwrap();
    let again = findings(store(&path), &SOME, 2);
    assert_eq!(format_findings(&two), format_findings(&again));
    assert_eq!(store(&path).records().unwrap(), records);

    assert_eq!(one.iter().map(|f| f.name).collect::<Vec<_>>().len(), SOME.len());
    for finding in &one {
        let decided =
            !matches!(finding.verdict, ClaimVerdict::Undecided(_) | ClaimVerdict::NotComparable(_));
        assert!(!finding.measured.parts.is_empty() || !decided, "{finding:?}");
        assert!(!finding.how.is_empty() || finding.name == "tron/ranks", "{finding:?}");
    }
}

#[test]
fn what_can_be_counted_agrees_with_the_sources() {
    let names = [
        "gather/higher-move-chase",
        "gather/higher-move-wait",
        "gather/opposing-ls",
        "gather/diagonal-steps",
        "hextris/rotation",
    ];
    for finding in findings(Store::in_memory().unwrap(), &names, 1) {
        assert_eq!(finding.verdict, ClaimVerdict::Agrees, "{}", report::render_text(&finding));
    }
}

#[test]
fn a_run_that_is_stopped_keeps_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.sqlite");
    let (catalog, stop) = (quintain_games::catalog(), Arc::new(AtomicBool::new(false)));
    let lab = Lab::new(&catalog, store(&path), RunSize::Tiny, 1, Arc::clone(&stop)).unwrap();
    let experiments = find_experiments(&["gather/v1-tall", "pentocity/naive"]);
    let mut found = 0;
    let result = reproduce(&experiments, &lab, &mut |_| {
        found += 1;
        stop.store(true, Ordering::Relaxed);
    });
    assert!(matches!(result, Err(LabError::Stopped)), "{result:?}");
    assert_eq!(found, 1);
    drop(lab);
    let played = store(&path).records().unwrap();
    assert!(played > 0);
    let whole = findings(store(&path), &["gather/v1-tall", "pentocity/naive"], 1);
    assert_eq!(whole.len(), 2);
    assert!(store(&path).records().unwrap() > played);
}

#[test]
fn measurements_cut_short_by_time_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.sqlite");
    let catalog = quintain_games::catalog();
    let names = ["gather/opposing-ls", "gather/all-bees", "gather/v1-tall"];
    let measure = |run_size, time: Option<u64>, names: &[&str]| {
        let mut lab = Lab::new(&catalog, store(&path), run_size, 1, Arc::default()).unwrap();
        if let Some(seconds) = time {
            lab = lab.with_time_limit(std::time::Duration::from_secs(seconds));
        }
        let mut findings = Vec::new();
        reproduce(&find_experiments(names), &lab, &mut |finding| findings.push(finding)).unwrap();
        findings
    };
    // The matches of the last experiment are in the store already.
    measure(RunSize::Full, None, &names[2..]);
    let records = store(&path).records().unwrap();
    // With no time at all, only what is stored or takes no time is complete.
    let late = measure(RunSize::Full, Some(0), &names);
    let run_sizes: Vec<RunSize> = late.iter().map(|finding| finding.run_size).collect();
    assert_eq!(run_sizes, [RunSize::Full, RunSize::Quick, RunSize::Full]);
    assert_eq!(store(&path).records().unwrap(), records + 4 * 1000);
    assert!(late[1].how[0].what.contains("seeds 1–1000"), "{:?}", late[1].how);
    let command = "quintain reproduce --full --within 0";
    let text = report::render_markdown(&late, command, None).join();
    assert_eq!(text.matches(" (quick) |").count(), 1, "{text}");
    assert!(text.contains("\n1 of them, marked (quick)"), "{text}");

    let enough = measure(RunSize::Full, Some(1_000_000), &names[..1]);
    assert_eq!(enough[0].run_size, RunSize::Full);
    assert!(!report::render_markdown(&enough, "", None).join().contains("(quick)"));
}

#[test]
fn every_finding_has_a_row_on_the_page_of_its_source() {
    let findings = findings(Store::in_memory().unwrap(), &SOME, 1);
    let document = report::render_markdown(&findings, "quintain reproduce", Some("folder"));
    let mut rows = BTreeSet::new();
    for (page, text) in &document.pages {
        let of_page = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        for name in of_page {
            assert_eq!(name.split('/').next(), Some(*page));
            assert!(rows.insert(name), "{name} is on two pages");
        }
        assert!(text.contains("[summary](../folder.md)"), "{text}");
        assert!(document.summary.contains(&format!("(folder/{page}.md)")), "{}", document.summary);
    }
    assert_eq!(rows, SOME.into_iter().collect());
    assert_eq!(report::count_verdicts(&findings).iter().sum::<usize>(), SOME.len());
    assert!(document.summary.contains(&report::summarize(&findings)));
}

#[test]
fn every_set_of_matches_and_every_list_of_players_is_written_once_on_a_page() {
    let names = [
        "gather/groovy-thin",
        "gather/groovy-large",
        "gather/flower-least",
        "gather/crazy-poor",
        "pentocity/walks-slow",
        "pentocity/walks-400",
    ];
    let findings = findings(Store::in_memory().unwrap(), &names, 1);
    for (page, text) in report::render_markdown(&findings, "", None).pages {
        let (_, data) = text.split_once("## Data\n\n").unwrap();
        let sets: Vec<&str> =
            data.lines().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
        let different: BTreeSet<&str> = sets.iter().copied().collect();
        assert_eq!(sets.len(), different.len(), "{page}: {text}");
        let whats = findings.iter().flat_map(|finding| &finding.how).map(|set| &set.what);
        assert!(whats.clone().any(|what| sets.iter().any(|set| set.starts_with(what))), "{text}");
        if page == "gather" {
            assert_eq!(data.matches("`salsa`, `hybrid`, `groovy`").count(), 1, "{data}");
        }
    }
}

/// The committed figures.
fn committed() -> (PathBuf, Vec<Finding>) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    let figures = std::fs::read_to_string(docs.join("reproduction/figures.json")).unwrap();
    (docs, read_figures(&figures).unwrap())
}

#[test]
fn the_committed_pages_are_written_from_the_claims_and_the_committed_figures() {
    let (docs, findings) = committed();
    let names: Vec<&str> = findings.iter().map(|finding| finding.name).collect();
    let all: Vec<&str> = quintain_experiments::all().map(|experiment| experiment.name).collect();
    assert_eq!(names, all);
    let document = report::render_markdown(&findings, "", Some("reproduction"));
    let mut files = vec![(docs.join("reproduction.md"), document.summary)];
    for (page, text) in document.pages {
        assert!(text.len() <= 25_000, "{page}: {} bytes", text.len());
        files.push((docs.join("reproduction").join(page).with_extension("md"), text));
    }
    for (path, text) in files {
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written == text, "{}: write it with UPDATE_GOLDEN=1", path.display());
    }
}

#[test]
fn the_first_screen_says_where_the_sources_are_wrong_and_what_could_not_be_told() {
    let (_, findings) = committed();
    let summary = report::render_markdown(&findings, "", Some("reproduction")).summary;
    let place = |text: &str| summary.lines().position(|line| line.starts_with(text)).unwrap();
    assert!(place("## Where the sources are wrong") < 10);
    let end = place("## What could not be told");
    assert!(end < place("## Our own goals"), "{summary}");
    assert!(end < 40, "{end}");
}

#[test]
fn nothing_agrees_that_only_fails_to_reject_the_sources_figure() {
    let (_, findings) = committed();
    for finding in findings {
        let only_fits = finding.measured.parts.iter().any(|part| match part.expected {
            ExpectedValue::Equal(_) => true,
            ExpectedValue::Always(_) | ExpectedValue::AtMost(_) => {
                part.estimate.method != Method::Counted
            }
            _ => false,
        });
        assert!(!only_fits || finding.verdict != ClaimVerdict::Agrees, "{}", finding.name);
    }
}
