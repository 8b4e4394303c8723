//! Findings as text: as Markdown, a summary with a page for each source, and for a terminal.

use std::fmt::Write as _;

use crate::claims::{SOURCES, is_goal};
use crate::experiment::Finding;
use crate::lab::RunSize;
use crate::measurement::{ClaimVerdict, ExpectedValue, Measurement, Threshold};
use crate::plan::DataSet;

/// The verdicts in the order in which they are counted: for one claim, for several, and for tables.
const VERDICTS: [(&str, &str, &str); 7] = [
    ("agrees", "agree", "agree"),
    ("is not contradicted", "are not contradicted", "not contradicted"),
    ("bound holds", "bounds hold", "bounds hold"),
    ("shows no noticeable effect", "show no noticeable effect", "no noticeable effect"),
    ("differs", "differ", "differ"),
    ("is not comparable", "are not comparable", "not comparable"),
    ("cannot be decided", "cannot be decided", "cannot be decided"),
];

/// The same for our own goals, by the position of the verdict.
const OUTCOMES: [(usize, &str); 3] = [(0, "reached"), (4, "missed"), (6, "cannot be decided")];

/// The number of findings with each verdict: agree, not contradicted, bound holds, no noticeable
/// effect, differ, not comparable, undecided.
pub fn count_verdicts<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> [usize; 7] {
    let mut counts = [0; 7];
    for finding in findings {
        counts[match finding.verdict {
            ClaimVerdict::Agrees => 0,
            ClaimVerdict::NotContradicted => 1,
            ClaimVerdict::BoundHolds => 2,
            ClaimVerdict::NoNoticeableEffect => 3,
            ClaimVerdict::Differs => 4,
            ClaimVerdict::NotComparable(_) => 5,
            ClaimVerdict::Undecided(_) => 6,
        }] += 1;
    }
    counts
}

/// The verdict in words: a claim agrees or differs, a goal of our own is reached or missed.
pub fn describe_verdict(finding: &Finding) -> String {
    match (&finding.verdict, is_goal(finding.name)) {
        (ClaimVerdict::Agrees, true) => "reached".to_owned(),
        (ClaimVerdict::Differs, true) => "missed".to_owned(),
        (verdict, _) => verdict.to_string(),
    }
}

/// The counts of verdicts in words: of the sources' claims, and of our own goals.
pub fn summarize(findings: &[Finding]) -> String {
    let (goals, claims): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| is_goal(finding.name));
    let mut texts = Vec::new();
    if !claims.is_empty() {
        let counts = count_verdicts(claims.iter().copied());
        let counted = counts.iter().zip(VERDICTS).filter(|(count, _)| **count > 0);
        let words: Vec<String> = counted
            .map(|(count, (one, many, _))| {
                format!("{count} {}", if *count == 1 { one } else { many })
            })
            .collect();
        let noun = if claims.len() == 1 { "claim" } else { "claims" };
        texts.push(format!("{} {noun}: {}", claims.len(), words.join(", ")));
    }
    if !goals.is_empty() {
        let counts = count_verdicts(goals.iter().copied());
        let counted = OUTCOMES.iter().filter(|(verdict, _)| counts[*verdict] > 0);
        let words: Vec<String> =
            counted.map(|(verdict, outcome)| format!("{} {outcome}", counts[*verdict])).collect();
        let noun = if goals.len() == 1 { "goal" } else { "goals" };
        texts.push(format!("{} {noun} of our own: {}", goals.len(), words.join(", ")));
    }
    texts.join("; ")
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

/// The name of the page of our own goals, whatever their games.
const GOALS: &str = "goals";

/// Findings as Markdown: a summary of one screen, and the pages of the sources that it links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// The verdicts counted by source, what differs and what remains open, and how to read a page.
    pub summary: String,
    /// The name and the text of each page: a source, or `goals`.
    pub pages: Vec<(&'static str, String)>,
}

impl Document {
    /// Returns everything in one text.
    pub fn join(&self) -> String {
        let pages = self.pages.iter().map(|(_, text)| text.as_str());
        std::iter::once(self.summary.as_str()).chain(pages).collect::<Vec<_>>().join("\n")
    }
}

/// Renders all findings; `command` is the command that writes them, empty if it was more than one.
/// The summary links to the pages as files in `folder`, and they back to it; without a folder
/// there are no links.
pub fn render_markdown(findings: &[Finding], command: &str, folder: Option<&str>) -> Document {
    let is_mixed = is_mixed(findings);
    let (goals, claims): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| is_goal(finding.name));
    let mut pages = Vec::new();
    for source in SOURCES {
        let own: Vec<&Finding> =
            claims.iter().copied().filter(|finding| is_of(finding, source.name)).collect();
        if !own.is_empty() {
            let heading = format!("{}: {}", source.game(), source.title);
            let titles = ["the source says", "verdict"];
            pages.push((source.name, render_page(&heading, titles, &own, is_mixed, folder)));
        }
    }
    if !goals.is_empty() {
        let titles = ["goal", "outcome"];
        pages.push((GOALS, render_page("Our own goals", titles, &goals, is_mixed, folder)));
    }
    Document { pages, summary: render_summary(findings, command, folder) }
}

/// Whether an experiment is on a source, or on a goal in its game.
fn is_of(finding: &Finding, source: &str) -> bool {
    finding.name.split('/').next() == Some(source)
}

/// Renders the first page. Its first screen says where the sources are wrong and what could not be
/// told; then come the rest of the answers, how to repeat it, and how to read the tables.
fn render_summary(findings: &[Finding], command: &str, folder: Option<&str>) -> String {
    let mut text =
        format!("# What the sources claim, measured again\n\n{}.\n", summarize(findings));
    if is_mixed(findings) {
        let hurried = findings.iter().filter(|finding| is_hurried(finding)).count();
        let _ = write!(
            text,
            "\n{hurried} of them, marked (quick), were measured with as few matches as by \
             `--quick`, since the time given was up.\n"
        );
    }
    let is_claim = |finding: &&Finding| !is_goal(finding.name);
    let differing: Vec<String> = findings
        .iter()
        .filter(|finding| is_claim(finding) && finding.verdict == ClaimVerdict::Differs)
        .map(|Finding { name, claim, .. }| format!("- `{name}`: {claim}\n"))
        .collect();
    add_section(&mut text, "Where the sources are wrong", &differing);
    let open = list_by_reason(findings.iter().filter(is_claim), reason_open);
    add_section(&mut text, "What could not be told", &open);
    let negligible = list_by_reason(findings.iter().filter(is_claim), |finding| {
        (finding.verdict == ClaimVerdict::NoNoticeableEffect).then_some("certainly too small")
    });
    add_section(&mut text, "Effects that cannot be noticed", &negligible);
    let apart =
        list_by_reason(findings.iter().filter(is_claim), |finding| match &finding.verdict {
            ClaimVerdict::NotComparable(why) => Some(why),
            _ => None,
        });
    add_section(&mut text, "What could not be compared", &apart);
    let mut goals =
        list_by_reason(findings.iter().filter(|finding| is_goal(finding.name)), |finding| {
            match &finding.verdict {
                ClaimVerdict::Agrees => Some("reached"),
                ClaimVerdict::Differs => Some("missed"),
                _ => Some("cannot be decided"),
            }
        });
    if let (Some(folder), false) = (folder, goals.is_empty()) {
        goals.push(format!("\n[Each goal and what was measured]({folder}/{GOALS}.md)\n"));
    }
    add_section(&mut text, "Our own goals", &goals);
    text += &count_by_source(findings, folder);
    if !command.is_empty() {
        let _ = write!(text, "\nWritten by `{command}`.\n");
    }
    text += HOW_TO_REPEAT;
    text += HOW_TO_READ;
    text
}

/// Why a claim could not be decided, in a few words.
fn reason_open(finding: &Finding) -> Option<&str> {
    let ClaimVerdict::Undecided(why) = &finding.verdict else { return None };
    let measured = &finding.measured;
    let lacks = measured.undecidable.is_some() || measured.deciding().next().is_none();
    Some(if lacks { why } else { "an interval includes the boundary" })
}

/// The commands that measure it again.
const HOW_TO_REPEAT: &str = "\n`quintain reproduce tron` measures a source again with few matches, \
     in minutes; `quintain reproduce tron/losses --full` measures one claim with as many matches \
     as here; with `--output FILE` it also writes these pages, where the other claims keep their \
     figures. What was played stays in a store and is not played again.\n";

/// What a reader of the tables needs to know.
const HOW_TO_READ: &str = "\n\
     ## How to read the tables\n\n\
     Every figure is a mean, a median, a share or a ratio with its 95 % interval over n \
     matches, n pairs of matches on a common seed, or n draws. The value that the figure should \
     have if the source is right follows in brackets, behind the last line if it is the same for \
     *each* or for *these* several; where the source uses words (“better by far”, “slightly”) and \
     the boundary is our reading of them, the bracket says *ours*. From the size *noticed* on we \
     would notice an effect.\n\n\
     - **agrees**: every figure is certainly as the source says.\n\
     - **not contradicted**: the source gives a figure, or says that something always or never \
     happens, and we saw what one would see if it is right. That is no proof.\n\
     - **bound holds**: the source states an upper bound, and nothing went beyond it; the bound \
     may be far from reached.\n\
     - **no noticeable effect**: the source states an effect, and it is certainly smaller than \
     what we would notice; on which side of zero it lies is open.\n\
     - **differs**: a figure is certainly not as the source says.\n\
     - **not comparable**: the source's figures come from another machine, or from sequences or \
     opponents that are lost. Ours are shown beside them. How a player does beside others is a \
     claim about these others too.\n\
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

/// Returns a table of the verdicts on the claims of every source.
fn count_by_source(findings: &[Finding], folder: Option<&str>) -> String {
    let titles = VERDICTS.map(|(.., title)| title).join(" | ");
    let mut text = format!(
        "\n## By source\n\n| source | claims | {titles} |\n|---|--:|{}\n",
        "--:|".repeat(VERDICTS.len())
    );
    for source in SOURCES {
        let own = || findings.iter().filter(|finding| is_of(finding, source.name));
        let claims = || own().filter(|finding| !is_goal(finding.name));
        if claims().next().is_none() {
            continue;
        }
        let heading = format!("{}: {}", source.game(), source.title);
        let name = match folder {
            Some(folder) => format!("[{heading}]({folder}/{}.md)", source.name),
            None => heading,
        };
        let counts = count_verdicts(claims()).map(|count| count.to_string()).join(" | ");
        let _ = writeln!(text, "| {name} | {} | {counts} |", claims().count());
    }
    text
}

/// Returns a line for every reason, with the experiments for which `reason` returns it.
fn list_by_reason<'a>(
    findings: impl Iterator<Item = &'a Finding>,
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

/// Renders a page: claims or goals, under the titles of what is said and of what came of it, and
/// the sets of matches that they rest on, each written once.
fn render_page(
    heading: &str,
    [said, outcome]: [&str; 2],
    findings: &[&Finding],
    mixed: bool,
    folder: Option<&str>,
) -> String {
    let mut text = format!("# {heading}\n\n");
    if let Some(folder) = folder {
        let _ = write!(text, "The [summary](../{folder}.md) explains verdicts and brackets.\n\n");
    }
    let mut sets: Vec<&str> = Vec::new();
    let _ = write!(
        text,
        "| experiment | {said} | its figure | ours | tested by | {outcome} | data |\n\
         |---|---|---|---|---|---|---|\n{}",
        render_rows(findings, mixed, &mut sets)
    );
    add_section(&mut text, "Data", &list_data(findings, &sets));
    text
}

/// Renders the rows of a table.
fn render_rows<'a>(findings: &[&'a Finding], mixed: bool, sets: &mut Vec<&'a str>) -> String {
    let mut text = String::new();
    for finding in findings {
        let ours = format_measurements(&finding.measured.parts);
        let verdict = match (&finding.verdict, describe_verdict(finding)) {
            (ClaimVerdict::Undecided(_) | ClaimVerdict::NotComparable(_), verdict) => verdict,
            (_, verdict) => format!("**{verdict}**"),
        };
        let numbers = finding.how.iter().map(|set| find_or_add(sets, &set.what)).collect();
        let cells = [
            format!("`{}`", finding.name),
            format!("{} ({})", finding.claim, finding.place),
            finding.figure.to_owned(),
            ours.join("<br>"),
            finding.measured.describe_methods(),
            verdict + if mixed && is_hurried(finding) { " (quick)" } else { "" },
            format_numbers(numbers),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// Lists the sets of matches, each once, with all players that any claim needs there. A list of
/// players that is already there is referred to, and sets in a row that differ only in their
/// scenario share a line.
fn list_data(findings: &[&Finding], sets: &[&str]) -> Vec<String> {
    let all = || findings.iter().flat_map(|finding| &finding.how);
    let mut known: Vec<Vec<&str>> = Vec::new();
    let mut shown: Vec<NumberedSet<'_>> = Vec::new();
    for (index, what) in sets.iter().enumerate() {
        let mut players: Vec<&str> = Vec::new();
        for player in all().filter(|set: &&DataSet| set.what == **what).flat_map(|set| &set.players)
        {
            if !players.contains(&player.as_str()) {
                players.push(player);
            }
        }
        let list = match known.iter().position(|before| *before == players) {
            _ if players.is_empty() => String::new(),
            Some(before) if players.len() > 2 => format!("; players of {}", before + 1),
            _ => format!("; `{}`", players.join("`, `")),
        };
        known.push(players);
        shown.push((index + 1, *what, list));
    }
    shown.chunk_by(differ_only_in_scenario).map(render_sets).collect()
}

/// A set of matches: its number, what it is, and its players as they are shown.
type NumberedSet<'a> = (usize, &'a str, String);

/// Whether two sets of matches have everything but their scenario in common.
fn differ_only_in_scenario(one: &NumberedSet<'_>, next: &NumberedSet<'_>) -> bool {
    match (split_scenario(one.1), split_scenario(next.1)) {
        (Some((before, _, after)), Some((next_before, _, next_after))) => {
            before == next_before && after == next_after && one.2 == next.2
        }
        _ => false,
    }
}

/// Splits what a set of matches is at its scenario, if it has a single one.
fn split_scenario(what: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = what.split_once(" on `")?;
    let (scenario, after) = rest.split_once('`')?;
    after.starts_with("; seeds ").then_some((before, scenario, after))
}

/// Renders the line of some sets of matches: their numbers, what they are, and their players.
fn render_sets(sets: &[NumberedSet<'_>]) -> String {
    let numbers = format_numbers(sets.iter().map(|set| set.0).collect());
    let (_, what, players) = &sets[0];
    match split_scenario(what) {
        Some((before, _, after)) if sets.len() > 1 => {
            let scenarios = sets.iter().filter_map(|set| Some(split_scenario(set.1)?.1));
            let scenarios = scenarios.collect::<Vec<_>>().join("`, `");
            format!("- {numbers}: {before} on `{scenarios}`, one each{after}{players}\n")
        }
        _ => format!("- {numbers}: {what}{players}\n"),
    }
}

/// Returns the number of a set, counted from 1, after adding it if it is new.
fn find_or_add<'a>(sets: &mut Vec<&'a str>, set: &'a str) -> usize {
    let known = sets.iter().position(|known| *known == set);
    known.unwrap_or_else(|| {
        sets.push(set);
        sets.len() - 1
    }) + 1
}

/// Formats numbers in ascending order, each once, runs of three and more as `4–7`.
fn format_numbers(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
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
    let verdict = describe_verdict(finding);
    let mut text = format!("{}: {verdict}\n  {}\n", finding.name, finding.claim);
    let side = if is_goal(finding.name) { "goal  " } else { "source" };
    let _ = writeln!(text, "  {side}  {} ({})", finding.figure, finding.place);
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

/// Formats the figures of a claim for a table, each on a line. What holds for all lines (n) or for
/// several in a row (the value that they should have) is written after the last of them.
fn format_measurements(parts: &[Measurement]) -> Vec<String> {
    let n = parts.first().map_or(0, |part| part.estimate.n);
    let is_common = parts.len() > 1 && n > 0 && parts.iter().all(|part| part.estimate.n == n);
    let mut lines = Vec::new();
    for run in parts.chunk_by(|one, next| format_expected(one) == format_expected(next)) {
        for (index, part) in run.iter().enumerate() {
            let n = match (is_common, lines.len() + 1 == parts.len()) {
                (false, _) => format_n(part.estimate.n),
                (true, true) => format!(" (n = {n} each)"),
                (true, false) => String::new(),
            };
            let wanted = match (format_expected(part), run.len()) {
                (wanted, _) if wanted.is_empty() => wanted,
                (wanted, 1) => format!(" [{wanted}]"),
                (wanted, all) if all == parts.len() && index + 1 == all => {
                    format!(" [each: {wanted}]")
                }
                (wanted, some) if index + 1 == some => format!(" [these {some}: {wanted}]"),
                _ => String::new(),
            };
            lines.push(format!("{}: {}{n}{wanted}", part.what, part.estimate));
        }
    }
    lines
}

/// Formats a figure with the value that it should have.
fn format_measurement(part: &Measurement) -> String {
    let wanted = match format_expected(part) {
        wanted if wanted.is_empty() => wanted,
        wanted => format!(" [{wanted}]"),
    };
    format!("{}: {}{}{wanted}", part.what, part.estimate, format_n(part.estimate.n))
}

/// Formats a number of observations; nothing if the figure was counted.
fn format_n(n: u64) -> String {
    match n {
        0 => String::new(),
        n => format!(" (n = {n})"),
    }
}

/// Formats the value that a figure should have; nothing if any will do.
fn format_expected(part: &Measurement) -> String {
    let Measurement { estimate, expected, threshold, noticeable, .. } = part;
    let unit = estimate.unit;
    let wanted = match *expected {
        ExpectedValue::Above(least) => format!("above {}{unit}", short(least)),
        ExpectedValue::Below(most) => format!("below {}{unit}", short(most)),
        ExpectedValue::Between(least, most) => format!("{} to {}{unit}", short(least), short(most)),
        ExpectedValue::Equal(figure) => format!("{}{unit}", short(figure)),
        ExpectedValue::Always(figure) => format!("always {}{unit}", short(figure)),
        ExpectedValue::AtMost(most) => format!("at most {}{unit}", short(most)),
        ExpectedValue::Anything => return String::new(),
    };
    let noticed = noticeable.map(|least| format!("noticed from {}{unit}", short(least)));
    match (threshold, noticed) {
        (Threshold::Source, None) => wanted,
        (Threshold::Ours, None) => format!("ours: {wanted}"),
        (Threshold::Source, Some(noticed)) => format!("{wanted}; {noticed}"),
        (Threshold::Ours, Some(noticed)) => format!("ours: {wanted}; {noticed}"),
    }
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
        assert_eq!(format_numbers(vec![9, 1, 2, 5, 6, 7, 6]), "1, 2, 5–7, 9");
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

    #[test]
    fn what_holds_for_several_figures_of_a_claim_is_written_once() {
        let figure = Estimate::new(3.0, 2.0, 4.0, 10);
        let measured = Measurements::new()
            .part("a", figure, ExpectedValue::Above(2.0))
            .part("b", figure, ExpectedValue::Above(2.0))
            .with_figure("c", figure);
        let lines = format_measurements(&measured.parts);
        assert!(lines[0].starts_with("a: 3") && !lines[0].contains(['[', 'n']), "{lines:?}");
        assert!(lines[1].ends_with(" [these 2: above 2]"), "{lines:?}");
        assert!(lines[2].ends_with(" (n = 10 each)"), "{lines:?}");
        let lines = format_measurements(&measured.parts[..2]);
        assert!(lines[1].ends_with(" (n = 10 each) [each: above 2]"), "{lines:?}");
    }

    #[test]
    fn sets_that_differ_only_in_their_scenario_share_a_line() {
        let set = |number, what| (number, what, "; `a`".to_owned());
        let sets = [
            set(1, "tron solo on `x`; seeds 1–9"),
            set(2, "tron solo on `y`; seeds 1–9"),
            set(3, "tron solo on `z`; seeds 1–9"),
        ];
        let line = "- 1–3: tron solo on `x`, `y`, `z`, one each; seeds 1–9; `a`\n";
        assert_eq!(render_sets(&sets), line);
        assert_eq!(render_sets(&sets[..1]), "- 1: tron solo on `x`; seeds 1–9; `a`\n");
        assert_eq!(split_scenario("tron solo on `x`, `y`; seeds 1–9"), None);
        assert_eq!(split_scenario("`a` on `x` move by move"), None);
    }
}
