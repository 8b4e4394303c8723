//! Findings as text: as Markdown, a summary with a page for each source, and for a terminal.

use std::fmt::Write as _;

use crate::claims::SOURCES;
use crate::experiment::Finding;
use crate::lab::RunSize;
use crate::measurement::{ClaimVerdict, ExpectedValue, Measurement, Threshold};

/// The number of findings with each verdict: agree, bound holds, differ, not comparable, undecided.
pub fn count_verdicts(findings: &[Finding]) -> [usize; 5] {
    let mut counts = [0; 5];
    for finding in findings {
        counts[match finding.verdict {
            ClaimVerdict::Agrees => 0,
            ClaimVerdict::BoundHolds => 1,
            ClaimVerdict::Differs => 2,
            ClaimVerdict::NotComparable(_) => 3,
            ClaimVerdict::Undecided(_) => 4,
        }] += 1;
    }
    counts
}

/// The counts of verdicts in words.
pub fn summarize(findings: &[Finding]) -> String {
    let [agree, bounds, differ, apart, open] = count_verdicts(findings);
    let claims = if findings.len() == 1 { "claim" } else { "claims" };
    let agree = if agree == 1 { "1 agrees".to_owned() } else { format!("{agree} agree") };
    let differ = if differ == 1 { "1 differs".to_owned() } else { format!("{differ} differ") };
    let bounds = match bounds {
        1 => "1 bound holds".to_owned(),
        many => format!("{many} bounds hold"),
    };
    let apart = match apart {
        1 => "1 is not comparable".to_owned(),
        many => format!("{many} are not comparable"),
    };
    format!(
        "{} {claims}: {agree}, {bounds}, {differ}, {apart}, {open} cannot be decided",
        findings.len()
    )
}

/// The experiments that few matches left undecided, and that more matches may decide. What lacks
/// data stays undecided however much is played.
pub fn list_hurried(findings: &[Finding]) -> Vec<&'static str> {
    let lacks_matches = |finding: &&Finding| {
        is_hurried(finding)
            && matches!(finding.verdict, ClaimVerdict::Undecided(_))
            && finding.measured.undecidable.is_none()
            && finding.measured.deciding().next().is_some()
    };
    findings.iter().filter(lacks_matches).map(|finding| finding.name).collect()
}

/// Findings as Markdown: a summary of one screen, and the pages of the sources that it links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// The verdicts counted by source, what differs and what remains open, and how to read a page.
    pub summary: String,
    /// The name and the text of each page: a source, or a part of a large one.
    pub pages: Vec<(&'static str, String)>,
}

impl Document {
    /// Returns everything in one text.
    pub fn join(&self) -> String {
        let pages = self.pages.iter().map(|(_, text)| text.as_str());
        std::iter::once(self.summary.as_str()).chain(pages).collect::<Vec<_>>().join("\n")
    }
}

/// Renders all findings; `command` is the command that writes them. The summary links to the pages
/// as files in `folder`, and they back to it; without a folder there are no links.
pub fn render_markdown(findings: &[Finding], command: &str, folder: Option<&str>) -> Document {
    let pages: Vec<(&'static str, String)> = SOURCES
        .iter()
        .flat_map(|source| source.pages.iter().map(move |page| (source, page)))
        .filter_map(|(source, page)| {
            let own = findings.iter().filter(|finding| page.contains(finding.name));
            let own: Vec<&Finding> = own.collect();
            let text = || render_page(&source.heading(page), &own, is_mixed(findings), folder);
            (!own.is_empty()).then(|| (page.name, text()))
        })
        .collect();
    Document { summary: render_summary(findings, command, folder), pages }
}

/// Renders the first page: what came out, how to repeat it, and how to read the tables.
fn render_summary(findings: &[Finding], command: &str, folder: Option<&str>) -> String {
    let mut text = format!(
        "# What the sources claim, measured again\n\nWritten by `{command}`. {}.\n",
        summarize(findings)
    );
    if is_mixed(findings) {
        let hurried = findings.iter().filter(|finding| is_hurried(finding)).count();
        let _ = write!(
            text,
            "\n{hurried} of them, marked (quick), were measured with as few matches as by \
             `--quick`, since the time given was up.\n"
        );
    }
    text += &count_by_page(findings, folder);
    text += HOW_TO_REPEAT;
    let differing: Vec<String> = findings
        .iter()
        .filter(|finding| finding.verdict == ClaimVerdict::Differs)
        .map(|Finding { name, claim, place, .. }| format!("- `{name}`: {claim} ({place})\n"))
        .collect();
    add_section(&mut text, "Where the sources and our own targets are wrong", &differing);
    let open = list_by_reason(findings, |finding| match &finding.verdict {
        ClaimVerdict::Undecided(why) => {
            let measured = &finding.measured;
            let lacks = measured.undecidable.is_some() || measured.deciding().next().is_none();
            Some(if lacks { why } else { "an interval includes the boundary" })
        }
        _ => None,
    });
    add_section(&mut text, "What could not be decided", &open);
    let apart = list_by_reason(findings, |finding| match &finding.verdict {
        ClaimVerdict::NotComparable(why) => Some(why),
        _ => None,
    });
    add_section(&mut text, "What could not be compared", &apart);
    text += HOW_TO_READ;
    text
}

/// The commands that measure it again.
const HOW_TO_REPEAT: &str = "\n\
     `quintain reproduce tron` measures a source again with few matches, in minutes; `quintain \
     reproduce tron/losses --full` measures one claim with as many matches as here; `quintain \
     reproduce --all --full --output FILE` writes these pages. What was played stays in a store \
     and is not played again.\n";

/// What a reader of the tables needs to know.
const HOW_TO_READ: &str = "\n\
     ## How to read the tables\n\n\
     Every figure is a mean, a median, a share or a ratio with its 95 % interval over n \
     matches, n pairs of matches on a common seed, or n draws. The value that the figure should \
     have if the source is right follows in brackets; where the source uses words (“better by \
     far”, “slightly”) and the boundary is our reading of them, the bracket says *ours*.\n\n\
     - **agrees**: every figure is certainly as the source says.\n\
     - **bound holds**: the source states an upper bound, and nothing went beyond it; the bound \
     may be far from reached.\n\
     - **differs**: a figure is certainly not as the source says.\n\
     - **not comparable**: the source's figures come from another machine, or from sequences or \
     opponents that are lost. Ours are shown beside them.\n\
     - **cannot be decided**: the interval includes the boundary, or something is missing.\n\n\
     “Certainly” means with 95 % confidence in all figures of a claim together: their p-values, \
     from the distribution in the column *tested by*, are adjusted for their number (Holm \
     1979). Up to one in twenty of the claims that are decided by intervals may therefore be \
     decided wrongly. Ratios are geometric means, so that a ratio and its inverse count alike. \
     Figures in seconds are from one machine. The column *data* names the sets of matches \
     listed below the table.\n";

/// Adds a section with a list, unless that is empty.
fn add_section(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = write!(text, "\n## {title}\n\n{}", lines.concat());
    }
}

/// Returns a table of the verdicts on every page.
fn count_by_page(findings: &[Finding], folder: Option<&str>) -> String {
    let mut text = String::from(
        "\n| source | claims | agree | bounds hold | differ | not comparable | cannot be decided \
         |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for source in SOURCES {
        for page in source.pages {
            let own = findings.iter().filter(|finding| page.contains(finding.name)).cloned();
            let own: Vec<Finding> = own.collect();
            if own.is_empty() {
                continue;
            }
            let heading = source.heading(page);
            let name = match folder {
                Some(folder) => format!("[{heading}]({folder}/{}.md)", page.name),
                None => heading,
            };
            let counts = count_verdicts(&own).map(|count| count.to_string()).join(" | ");
            let _ = writeln!(text, "| {name} | {} | {counts} |", own.len());
        }
    }
    text
}

/// Returns a line for every reason, with the experiments for which `reason` returns it.
fn list_by_reason<'a>(
    findings: &'a [Finding],
    reason: impl Fn(&'a Finding) -> Option<&'a str>,
) -> Vec<String> {
    let mut names: Vec<(&str, Vec<String>)> = Vec::new();
    for finding in findings {
        let Some(why) = reason(finding) else { continue };
        let name = format!("`{}`", finding.name);
        match names.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => names.push((why, vec![name])),
        }
    }
    let lines = names.iter().map(|(why, names)| format!("- {why}: {}\n", names.join(", ")));
    lines.collect()
}

/// Renders the table of a page, and the sets of matches it rests on, each written once.
fn render_page(heading: &str, findings: &[&Finding], mixed: bool, folder: Option<&str>) -> String {
    let mut text = format!("# {heading}\n\n");
    if let Some(folder) = folder {
        let _ = write!(text, "The [summary](../{folder}.md) explains verdicts and brackets.\n\n");
    }
    text += "| experiment | the source says | its figure | ours | tested by | verdict | data |\n\
             |---|---|---|---|---|---|---|\n";
    let mut sets: Vec<&str> = Vec::new();
    for finding in findings {
        let ours: Vec<String> = finding.measured.parts.iter().map(format_measurement).collect();
        let verdict = match &finding.verdict {
            verdict @ (ClaimVerdict::Undecided(_) | ClaimVerdict::NotComparable(_)) => {
                verdict.to_string()
            }
            verdict => format!("**{verdict}**"),
        };
        let numbers = finding.how.iter().map(|set| find_or_add(&mut sets, set)).collect();
        let cells = [
            format!("`{}`", finding.name),
            format!("{} ({})", finding.claim, finding.place),
            finding.figure.to_owned(),
            ours.join("<br>"),
            finding.measured.describe_test(),
            verdict + if mixed && is_hurried(finding) { " (quick)" } else { "" },
            format_numbers(numbers),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    let sets: Vec<String> =
        sets.iter().enumerate().map(|(index, set)| format!("{}. {set}\n", index + 1)).collect();
    add_section(&mut text, "Data", &sets);
    text
}

/// Returns the number of a set, counted from 1, after adding it if it is new.
fn find_or_add<'a>(sets: &mut Vec<&'a str>, set: &'a str) -> usize {
    let known = sets.iter().position(|known| *known == set);
    known.unwrap_or_else(|| {
        sets.push(set);
        sets.len() - 1
    }) + 1
}

/// Formats numbers in ascending order, runs of three and more as `4–7`.
fn format_numbers(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|before, next| before + 1 == *next);
    let runs = runs.flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{first}–{last}")],
        few => few.iter().map(usize::to_string).collect(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// Whether not all findings were measured with as many matches.
fn is_mixed(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.run_size != findings[0].run_size)
}

/// Whether less was measured for this finding than for others.
fn is_hurried(finding: &Finding) -> bool {
    finding.run_size == RunSize::Quick
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
    let test = finding.measured.describe_test();
    if !test.is_empty() {
        let _ = writeln!(text, "  by      {test}");
    }
    text
}

/// Formats a figure with the value that it should have.
fn format_measurement(part: &Measurement) -> String {
    let Measurement { what, estimate, expected, threshold } = part;
    let unit = estimate.unit;
    let wanted = match *expected {
        ExpectedValue::Above(least) => format!("above {}{unit}", short(least)),
        ExpectedValue::Below(most) => format!("below {}{unit}", short(most)),
        ExpectedValue::Between(least, most) => format!("{} to {}{unit}", short(least), short(most)),
        ExpectedValue::Equal(figure) => format!("{}{unit}", short(figure)),
        ExpectedValue::Always(figure) => format!("{}{unit}, without exception", short(figure)),
        ExpectedValue::AtMost(most) => format!("at most {}{unit}", short(most)),
        ExpectedValue::Anything => String::new(),
    };
    let wanted = match (expected, threshold) {
        (ExpectedValue::Anything, _) => wanted,
        (_, Threshold::Source) => format!(" [{wanted}]"),
        (_, Threshold::Ours) => format!(" [ours: {wanted}]"),
    };
    let n = match estimate.n {
        0 => String::new(),
        n => format!(" (n = {n})"),
    };
    format!("{what}: {estimate}{n}{wanted}")
}

/// A number with four significant digits and no trailing zeros after the point.
fn short(value: f64) -> String {
    if value == 0.0 || value.fract() == 0.0 {
        return format!("{value}");
    }
    let before = value.abs().log10().floor() as i32;
    let digits = (3 - before).max(0) as usize;
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimate;
    use crate::measurement::Measurements;

    #[test]
    fn more_matches_are_for_claims_that_few_left_open() {
        let find = |name: &'static str, measured: Measurements, run_size: RunSize| Finding {
            name,
            place: "",
            claim: "",
            figure: "",
            verdict: measured.verdict(),
            measured,
            how: Vec::new(),
            run_size,
            seconds: 0.0,
        };
        let above = |least: f64| {
            let figure = Estimate::new(2.0, 1.0, 3.0, 10);
            Measurements::new().part("a", figure, ExpectedValue::Above(least))
        };
        let findings = [
            find("a/decided", above(0.0), RunSize::Quick),
            find("a/open", above(2.0), RunSize::Quick),
            find("a/open-in-full", above(2.0), RunSize::Full),
            find("a/without-data", above(2.0).undecidable("lost"), RunSize::Quick),
            find("a/without-figures", Measurements::new(), RunSize::Quick),
        ];
        assert_eq!(list_hurried(&findings), ["a/open"]);
    }

    #[test]
    fn sets_of_matches_are_numbered_in_the_order_in_which_they_are_used() {
        let mut sets = vec!["first"];
        assert_eq!(["second", "first"].map(|set| find_or_add(&mut sets, set)), [2, 1]);
        assert_eq!(sets, ["first", "second"]);
        assert_eq!(format_numbers(vec![9, 1, 2, 5, 6, 7]), "1, 2, 5–7, 9");
    }

    #[test]
    fn what_is_expected_is_shown_with_the_digits_that_it_needs() {
        // (1/5)^5 in percent, which four digits behind no point would lose.
        assert_eq!(short(100.0 * 0.2_f64.powi(5)), "0.032");
        assert_eq!([short(29.629_629), short(50.0), short(1980.55)], ["29.63", "50", "1981"]);
    }

    #[test]
    fn boundaries_name_their_side() {
        let format_first = |measured: Measurements| format_measurement(&measured.parts[0]);
        let figure = Estimate::exact(3.0);
        let part = Measurements::new().part("a", figure, ExpectedValue::Above(2.0));
        assert_eq!(format_first(part), "a: 3 [above 2]");
        let reading = Measurements::new().reading("a", figure, ExpectedValue::Below(5.0));
        assert_eq!(format_first(reading), "a: 3 [ours: below 5]");
        assert_eq!(format_first(Measurements::new().with_figure("a", figure)), "a: 3");
    }
}
