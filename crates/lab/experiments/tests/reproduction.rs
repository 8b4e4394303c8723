//! Experiments run end to end, with a few matches each: they measure, resume, and do not depend on
//! threads.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_experiments::{
    ClaimVerdict, Experiment, Finding, Lab, LabError, RunSize, choose, report, reproduce,
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
    assert!(late[1].how[0].contains("seeds 1–1000"), "{:?}", late[1].how);
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
        let source = page.split('-').next().unwrap();
        let of_page = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        for name in of_page {
            assert_eq!(name.split('/').next(), Some(source));
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
fn every_set_of_matches_is_written_once_on_a_page() {
    let findings = findings(Store::in_memory().unwrap(), &SOME, 1);
    for (page, text) in report::render_markdown(&findings, "", None).pages {
        let sets: Vec<&str> = text.lines().filter(|line| line.contains(". ")).collect();
        let sets = sets
            .iter()
            .filter_map(|line| line.split_once(". "))
            .filter(|(number, _)| number.bytes().all(|digit| digit.is_ascii_digit()));
        let sets: Vec<&str> = sets.map(|(_, set)| set).collect();
        let different: BTreeSet<&str> = sets.iter().copied().collect();
        assert_eq!(sets.len(), different.len(), "{page}: {text}");
        assert!(
            findings
                .iter()
                .flat_map(|finding| &finding.how)
                .any(|how| sets.contains(&how.as_str())),
            "{text}"
        );
    }
}

#[test]
fn the_committed_pages_have_a_row_for_every_claim_and_at_most_25_kilobytes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    let mut rows = Vec::new();
    for page in std::fs::read_dir(docs.join("reproduction")).unwrap() {
        let page = page.unwrap().path();
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.len() <= 25_000, "{}: {} bytes", page.display(), text.len());
        let names = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        rows.extend(names.map(str::to_owned));
    }
    rows.sort();
    let mut all: Vec<&str> =
        quintain_experiments::all().map(|experiment| experiment.name).collect();
    all.sort_unstable();
    assert_eq!(rows, all);
}
