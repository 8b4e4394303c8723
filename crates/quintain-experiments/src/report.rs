//! Findings as text: as Markdown tables, one a source, and for a terminal.

use std::fmt::Write as _;

use crate::claims::SOURCES;
use crate::experiment::Finding;
use crate::lab::Effort;
use crate::measurement::{ClaimVerdict, Expected, Measurement};

/// The numbers of findings that agree, differ, and cannot be decided.
pub fn count_verdicts(findings: &[Finding]) -> [usize; 3] {
    let mut counts = [0; 3];
    for finding in findings {
        counts[match finding.verdict {
            ClaimVerdict::Agrees => 0,
            ClaimVerdict::Differs => 1,
            ClaimVerdict::Undecided(_) => 2,
        }] += 1;
    }
    counts
}

/// The counts in words.
pub fn summarize(findings: &[Finding]) -> String {
    let [agree, differ, open] = count_verdicts(findings);
    let claims = if findings.len() == 1 { "claim" } else { "claims" };
    let of = findings.len();
    format!("{of} {claims}: {agree} agree, {differ} differ, {open} cannot be decided")
}

/// Renders a Markdown document: what the verdicts mean, then source by source a table and how each
/// figure was measured. `command` is the command that writes it.
pub fn render_markdown(findings: &[Finding], command: &str) -> String {
    let mut text = format!(
        "# What the sources claim, measured again\n\n\
         Written by `{command}`. {}.\n\n\
         Every figure is a mean with its 95 % interval (Student's t; Wilson's for shares) over n \
         matches, pairs of matches on a common seed, or draws. A claim *agrees* if the interval \
         lies within what the source says, and *differs* if it lies outside. It *cannot be \
         decided* if the interval crosses the boundary, or if something that the source used is \
         lost. Where a source gives no figure (“better”, “slightly”), the range in brackets is \
         our reading. One interval in twenty misses the true value, so a verdict close to a \
         boundary may be wrong. Figures in seconds are from one machine.\n",
        summarize(findings)
    );
    let mixed = findings.iter().any(|finding| finding.effort != findings[0].effort);
    if mixed {
        let hurried = findings.iter().filter(|finding| is_hurried(finding)).count();
        let _ = write!(
            text,
            "\n{hurried} of them, marked (quick), were measured with fewer matches, by the effort of \
             `--quick`, as the time given was up.\n"
        );
    }
    for source in SOURCES {
        let prefix = format!("{}/", source.name);
        let own: Vec<&Finding> = findings.iter().filter(|f| f.name.starts_with(&prefix)).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {}: {}\n\n", capital(source.name), source.title);
        text += "| experiment | the source says | its figure | ours | verdict |\n|---|---|---|---|---|\n";
        for finding in &own {
            let ours: Vec<String> = finding.measured.parts.iter().map(format_measurement).collect();
            let cells = [
                format!("`{}`", finding.name),
                format!("{} ({})", finding.claim, finding.place),
                finding.figure.to_owned(),
                ours.join("<br>"),
                match &finding.verdict {
                    ClaimVerdict::Undecided(why) => format!("cannot be decided: {why}"),
                    verdict => format!("**{verdict}**"),
                } + if mixed && is_hurried(finding) { " (quick)" } else { "" },
            ];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text += "\nMeasured by:\n\n";
        for finding in own.iter().filter(|finding| !finding.how.is_empty()) {
            let _ = writeln!(text, "- `{}`: {}", finding.name, finding.how.join("; and "));
        }
    }
    text
}

/// Whether less was measured than for other findings.
fn is_hurried(finding: &Finding) -> bool {
    finding.effort == Effort::Quick
}

/// Renders one finding for a terminal.
pub fn render_text(finding: &Finding) -> String {
    let mut text = format!("{}: {}\n  {}\n", finding.name, finding.verdict, finding.claim);
    let _ = writeln!(text, "  source  {} ({})", finding.figure, finding.place);
    for (index, part) in finding.measured.parts.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {}    {}",
            if index == 0 { "ours" } else { "    " },
            format_measurement(part)
        );
    }
    text
}

/// Formats a figure with the value that it should have.
fn format_measurement(part: &Measurement) -> String {
    let Measurement { what, estimate, expected } = part;
    let unit = estimate.unit;
    let wanted = match expected {
        Expected::Above(least) => format!(" [above {least}{unit}]"),
        Expected::Below(most) => format!(" [below {most}{unit}]"),
        Expected::Between(least, most) => format!(" [{least} to {most}{unit}]"),
        Expected::Equal(figure) => format!(" [{figure}{unit}]"),
        Expected::Always(figure) => format!(" [{figure}{unit}, without exception]"),
        Expected::Anything => String::new(),
    };
    let n = match estimate.n {
        0 => String::new(),
        n => format!(" (n = {n})"),
    };
    format!("{what}: {estimate}{n}{wanted}")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}
