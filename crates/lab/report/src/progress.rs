//! The progress of a program over a series of tests: by how much each version is better than the
//! one before it, how far that has led, and at which version it fell.

use std::cmp::Ordering;

use quintain_arena::compare::{CandidateResult, Comparison, Effect};
use quintain_core::cut;
use quintain_scene::{clean, quote};
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Interval, Measure, Verdict};
use quintain_store::{Lead, QueuedTest, SeriesVersion, TestSeries, TestState};
use serde_json::Value;

use crate::grid::{Column, for_terminal, wrap};
use crate::numbers::{count, count_of, significant};

/// Verdicts, as reports of tests keep them.
const BETTER: &str = "better";
const WORSE: &str = "worse";
const NO_DIFFERENCE: &str = "no difference";
const ALIKE: &str = "alike";
/// The most characters of a commit's title.
const MAX_TITLE: usize = 72;
/// The columns of a table where there is no terminal.
const USUAL_WIDTH: usize = 80;
const ELO: &str = "Elo";
const NORMALISED_ELO: &str = "nElo";

/// The verdict of a comparison, for the report of a test.
pub fn verdict_word(compared: &CandidateResult) -> &'static str {
    match compared.verdict {
        Some(Verdict::Better) => BETTER,
        Some(Verdict::Worse) => WORSE,
        Some(Verdict::NoDifference) => NO_DIFFERENCE,
        None if compared.alike => ALIKE,
        // Further rounds would only repeat those that were played, so what was seen is certain.
        None if compared.unvarying => match balance(compared) {
            Some(Ordering::Greater) => BETTER,
            Some(Ordering::Less) => WORSE,
            Some(Ordering::Equal) => NO_DIFFERENCE,
            None => "cannot tell",
        },
        None => "cannot tell",
    }
}

/// Whether more was won than lost.
fn balance(compared: &CandidateResult) -> Option<Ordering> {
    let (Effect::Rivals { games, .. } | Effect::Scores { seeds: games, .. }) = &compared.effect
    else {
        return None;
    };
    Some(games.wins.cmp(&games.losses))
}

/// By how much a candidate is better, for the report of a test; `None` if nothing was judged, or if
/// it won or lost everything so soon that no number says by how much.
pub fn lead_of(comparison: &Comparison, compared: &CandidateResult) -> Option<Lead> {
    let lead = |value: f64, interval: Option<Interval>, unit: &str| {
        let seen = Interval { low: value, high: value };
        let interval = if compared.unvarying { Some(seen) } else { interval };
        let end = |end: fn(Interval) -> f64| interval.map(end).filter(|end| end.is_finite());
        let (low, high) = (end(|interval| interval.low), end(|interval| interval.high));
        value.is_finite().then(|| Lead { value, low, high, unit: unit.to_owned() })
    };
    match &compared.effect {
        Effect::Rivals { elo, long_run, interval, .. } => {
            let unit = match comparison.scale {
                EloScale::Logistic => ELO,
                EloScale::Normalised => NORMALISED_ELO,
            };
            lead(long_run.or(*elo)?, *interval, unit)
        }
        Effect::Scores { measure, estimate, long_run, interval, .. } => {
            let unit = match measure {
                Measure::Chance => "P(better) - P(worse)",
                _ => "points",
            };
            lead(long_run.or(*estimate)?, *interval, unit)
        }
        Effect::Unknown => None,
    }
}

/// A version of a series, with what is known of it so far.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgressRow<'a> {
    /// The version, and its tests.
    pub version: &'a SeriesVersion,
    /// The version that it was tested against.
    pub before: Option<&'a SeriesVersion>,
    /// By how much it is better than that one.
    pub step: Option<Lead>,
    /// Versions since then that cannot play.
    pub left_out: Vec<&'a SeriesVersion>,
    /// By how much it is better than the first version: the sum of all steps. The intervals of the
    /// steps are added as those of independent estimates, in squares. `None` where a step is
    /// unknown or is no difference of ratings, and beyond a step that is known from one side only:
    /// how large it is, nobody knows.
    pub total: Option<Lead>,
    /// By how much it is better than the anchor.
    pub anchored: Option<Lead>,
    /// Whether its test has found that it is worse than the version before it.
    pub fell: bool,
}

/// Returns what is known of each version of a series.
pub fn progress(series: &TestSeries) -> Vec<ProgressRow<'_>> {
    let mut rows: Vec<ProgressRow<'_>> = Vec::new();
    let mut before: Option<&SeriesVersion> = None;
    let mut left_out: Vec<&SeriesVersion> = Vec::new();
    let mut total = None;
    for version in &series.versions {
        let is_first = before.is_none();
        let step = version.step.as_ref().and_then(lead_of_test);
        // A version that has no test of its own plays as the one before it, or does not play.
        if is_first {
            total = Some(Lead { value: 0.0, low: Some(0.0), high: Some(0.0), unit: String::new() });
        } else if version.step.is_some() {
            total = total.zip(step.clone()).and_then(|(total, step)| add(&total, &step));
        }
        rows.push(ProgressRow {
            version,
            before: before.filter(|_| version.step.is_some()),
            step,
            left_out: left_out.clone(),
            total: version.info.player.is_some().then(|| total.clone()).flatten(),
            anchored: version.anchored.as_ref().and_then(lead_of_test),
            fell: version.step.as_ref().is_some_and(|test| verdict(test) == Some(WORSE)),
        });
        match version.info.player {
            Some(_) => (before, left_out) = (Some(version), Vec::new()),
            None => left_out.push(version),
        }
    }
    rows
}

fn verdict(test: &QueuedTest) -> Option<&str> {
    test.report.verdict.as_deref()
}

/// The lead that a test has found. Those of two players that play alike are equal.
fn lead_of_test(test: &QueuedTest) -> Option<Lead> {
    match (&test.report.lead, verdict(test)) {
        (lead, Some(ALIKE)) => {
            let unit = lead.as_ref().map_or(ELO.to_owned(), |lead| lead.unit.clone());
            Some(Lead { value: 0.0, low: Some(0.0), high: Some(0.0), unit })
        }
        (lead, _) => lead.clone(),
    }
}

/// Whether it is known how large a lead may be, and how small.
fn is_bounded(lead: &Lead) -> bool {
    lead.low.is_some() && lead.high.is_some()
}

/// Whether a lead is nothing for certain.
fn is_zero(lead: &Lead) -> bool {
    (lead.low, lead.high) == (Some(0.0), Some(0.0))
}

/// A lead and a further one. The distances of both intervals' ends are added in squares.
fn add(one: &Lead, other: &Lead) -> Option<Lead> {
    if ![ELO, NORMALISED_ELO].contains(&other.unit.as_str()) {
        return None;
    }
    if !is_bounded(one) || !is_bounded(other) {
        let whole = if is_zero(one) { other } else { one };
        let is_alone = is_zero(one) || is_zero(other);
        return is_alone.then(|| whole.clone());
    }
    let value = one.value + other.value;
    let distance = |end: fn(&Lead) -> Option<f64>| {
        let of = |lead: &Lead| Some(end(lead)? - lead.value);
        Some(of(one)?.hypot(of(other)?))
    };
    Some(Lead {
        value,
        low: distance(|lead| lead.low).map(|distance| value - distance),
        high: distance(|lead| lead.high).map(|distance| value + distance),
        unit: other.unit.clone(),
    })
}

/// A lead with its interval: `+12 (+3 to +21)`.
pub fn format_lead(lead: &Lead) -> String {
    let end = |value: f64| format_signed(value, &lead.unit);
    let value = format_value(lead);
    match (lead.low, lead.high) {
        (Some(low), Some(high)) if low == high => value,
        (Some(low), Some(high)) => format!("{value} ({} to {})", end(low), end(high)),
        (Some(low), None) => format!("{value} (over {})", end(low)),
        (None, Some(high)) => format!("{value} (below {})", end(high)),
        (None, None) => value,
    }
}

fn format_value(lead: &Lead) -> String {
    format_signed(lead.value, &lead.unit)
}

fn format_signed(value: f64, unit: &str) -> String {
    let value = round_lead(value, unit);
    format!("{}{}", if value > 0.0 { "+" } else { "" }, significant(value))
}

/// How far the test of a version is, in a few words.
pub fn describe_step(version: &SeriesVersion) -> String {
    match &version.step {
        None => version.info.remark.clone().unwrap_or_default(),
        Some(test) if test.state == TestState::Decided => match verdict(test) {
            Some(word) => word.to_owned(),
            None => "decided".to_owned(),
        },
        Some(test) => test.status().to_owned(),
    }
}

/// What a version is about. Some write their whole message into its first line.
fn title(version: &SeriesVersion) -> String {
    clean(&cut(&version.info.title, MAX_TITLE))
}

/// The name of a version: its commit and what that is about.
fn name(version: &SeriesVersion) -> String {
    format!("{} “{}”", version.info.short, title(version))
}

/// What a series says, in sentences: where it fell, how far it has come, how many tests are open.
/// `option` is added to commands, so that they are about the same store.
pub fn describe_progress(series: &TestSeries, option: &str) -> Vec<String> {
    let rows = progress(series);
    let steps = || series.versions.iter().filter_map(|version| version.step.as_ref());
    let decided = steps().filter(|test| test.state == TestState::Decided).count();
    let open = series
        .tests()
        .filter(|test| matches!(test.state, TestState::Proposed | TestState::Running))
        .count();
    let falls = rows.iter().filter(|row| row.fell);
    let mut lines: Vec<String> = falls.map(|row| describe_fall(series, row, option)).collect();
    if lines.is_empty() && decided > 0 {
        let all = if decided == steps().count() {
            String::new()
        } else {
            format!(" of {}", steps().count())
        };
        let tests = if decided == 1 && all.is_empty() { "test" } else { "tests" };
        lines.push(format!(
            "No version is worse than the one before it, in {decided}{all} {tests}."
        ));
    }
    let last = rows.iter().rev().find(|row| row.total.is_some() && row.before.is_some());
    if let Some(beside_anchor) = describe_anchored(&rows) {
        lines.push(beside_anchor);
    } else if let Some(unknown) = describe_unknown_total(series, &rows, option) {
        lines.push(unknown);
    } else if let Some(ProgressRow { version, total: Some(total), .. }) = last {
        lines.push(describe_total(series, (&rows, version), total, option));
    }
    let stopped: Vec<String> = series
        .tests()
        .filter(|test| test.state == TestState::Stopped)
        .map(|test| test.number.to_string())
        .collect();
    if let Some(first) = stopped.first() {
        lines.push(format!(
            "Stopped without an answer: {} {}; quintain tests again {first}{option} asks once \
             more.",
            if stopped.len() == 1 { "test" } else { "tests" },
            stopped.join(", ")
        ));
    }
    if open > 0 {
        let are = if open == 1 { "is" } else { "are" };
        lines.push(format!("{} {are} open.", count_of(open as u64, "test")));
    }
    lines
}

/// How the first and the last version fare against the anchor, if both were compared with it: that
/// is measured, and not summed.
fn describe_anchored(rows: &[ProgressRow<'_>]) -> Option<String> {
    let mut anchored = rows.iter().filter_map(|row| Some((row.version, row.anchored.as_ref()?)));
    let first = anchored.next()?;
    let last = anchored.next_back()?;
    let (first_lead, last_lead) = (format_lead(first.1), format_lead(last.1));
    Some(format!(
        "Beside the anchor, {} is {last_lead} {}, and {} was {first_lead}.",
        last.0.info.short, last.1.unit, first.0.info.short
    ))
}

/// How far the last version is from the first. A sum of steps has their errors, too; a test of the
/// two has its own alone.
fn describe_total(
    series: &TestSeries,
    (rows, last): (&[ProgressRow<'_>], &SeriesVersion),
    total: &Lead,
    option: &str,
) -> String {
    let (first, short, lead) = (first_counted(rows), &last.info.short, format_lead(total));
    let steps = rows.iter().filter_map(|row| row.step.as_ref()).filter(|step| !is_zero(step));
    let compared = format!("{short} compared with {first}: {lead} {}", total.unit);
    match steps.count() {
        0 | 1 => format!("{compared}."),
        steps => {
            let ask = ask_directly(series, short, first, option);
            let ask = ask.map_or(String::new(), |ask| format!(" To measure it: {ask}"));
            let doubt = match (total.low, total.high) {
                (Some(low), Some(high)) if low < 0.0 && high > 0.0 => {
                    "; which of the two is better is not known"
                }
                _ => "",
            };
            format!("{compared}, summed over {steps} steps with their errors{doubt}.{ask}")
        }
    }
}

/// The command that compares two versions of a series.
fn ask_directly(series: &TestSeries, one: &str, other: &str, option: &str) -> Option<String> {
    let (program, options) = question_options(series)?;
    Some(format!("quintain tests add {program}@git:{one} {program}@git:{other}{options}{option}"))
}

/// Why the distance of the last version from the first is unknown, if one step's size is, and the
/// command that asks for it.
fn describe_unknown_total(
    series: &TestSeries,
    rows: &[ProgressRow<'_>],
    option: &str,
) -> Option<String> {
    let last = rows.iter().rfind(|row| row.step.is_some()).filter(|row| row.total.is_none())?;
    let is_open = |row: &&ProgressRow<'_>| row.step.as_ref().is_some_and(|step| !is_bounded(step));
    let open = rows.iter().find(is_open)?;
    let (first, last, open) = (first_counted(rows), &last.version.info.short, open.version);
    let ask = ask_directly(series, last, first, option)?;
    Some(format!(
        "How far {last} is from {first} is unknown, since the step to {} is known from one side \
         only. To ask: {ask}",
        open.info.short
    ))
}

/// At which version it fell, and by how much.
fn describe_fall(series: &TestSeries, row: &ProgressRow<'_>, option: &str) -> String {
    let ProgressRow { version, before, step, .. } = row;
    let before = before.map_or("", |before| &before.info.short);
    let how = match step {
        None => "worse".to_owned(),
        Some(Lead { value, low, high, unit }) => {
            let loss = |lead: f64| significant(round_lead(-lead, unit));
            let range = match (high.map(loss), low.map(loss)) {
                (Some(least), Some(most)) => format!(" ({least} to {most})"),
                (Some(least), None) => format!(" (over {least})"),
                _ => String::new(),
            };
            format!("{} {unit}{range} worse", loss(*value))
        }
    };
    let (at, which) = locate_fall(series, row, option);
    let day = &version.info.day;
    format!("It fell at {at}, of {day}: {how} than {before}.{which}")
}

/// The commits at one of which it fell, and how to find out at which.
fn locate_fall(series: &TestSeries, row: &ProgressRow<'_>, option: &str) -> (String, String) {
    let ProgressRow { version, before, left_out, .. } = row;
    let last = name(version);
    if version.info.commits <= 1 {
        return (last, String::new());
    }
    // Each version that cannot play stands for a commit, and a new series would not tell more.
    if version.info.commits as usize == left_out.len() + 1 {
        let why = |one: &&SeriesVersion| {
            let remark = one.info.remark.as_deref().unwrap_or("cannot play");
            format!("{} ({remark})", name(one))
        };
        let others: Vec<String> = left_out.iter().map(why).collect();
        return (format!("{last} or {}", others.join(" or ")), String::new());
    }
    let at = format!("one of {} commits, up to {last}", version.info.commits);
    let command = before.and_then(|before| search_command(series, before, version));
    (at, command.map_or(String::new(), |command| format!(" Which one: {command}{option}")))
}

/// The command that compares every commit between two versions.
fn search_command(
    series: &TestSeries,
    before: &SeriesVersion,
    version: &SeriesVersion,
) -> Option<String> {
    let (program, options) = question_options(series)?;
    let (since, to) = (&before.info.short, &version.info.short);
    Some(format!(
        "quintain tests series add {program} --name {}-{to} --since {since} --to {to}{options}",
        series.name
    ))
}

/// The program of a series, and the options with which its tests are asked.
fn question_options(series: &TestSeries) -> Option<(String, String)> {
    let asked: Value = serde_json::from_str(&series.question).ok()?;
    let question = &asked["question"];
    let mut options = String::new();
    let game = question["game"].as_str().map(|game| ("game", game.to_owned()));
    let scenarios = question["scenario"].as_array().into_iter().flatten();
    let scenarios = scenarios.filter_map(|one| Some(("scenario", one.as_str()?.to_owned())));
    let budget = question["budget"].as_str().filter(|budget| !budget.is_empty());
    let delta = question["delta"].as_f64().map(|delta| ("delta", delta.to_string()));
    let budget = budget.map(|budget| ("budget", budget.to_owned()));
    for (option, value) in game.into_iter().chain(scenarios).chain(budget).chain(delta) {
        options += &format!(" --{option} {}", quote(&value));
    }
    Some((asked["program"].as_str()?.to_owned(), options))
}

/// A lead of this unit, without digits that say nothing.
fn round_lead(value: f64, unit: &str) -> f64 {
    // Chances are below one, points of ratings are many.
    let scale = if [ELO, NORMALISED_ELO].contains(&unit) { 1.0 } else { 100.0 };
    // What is certainly not 0 does not look like it.
    let scales = [scale, 10.0 * scale, 100.0 * scale];
    let rounded = scales.map(|scale| (value * scale).round() / scale);
    rounded.into_iter().find(|rounded| *rounded != 0.0).unwrap_or(0.0)
}

/// The commit of the first version that plays, from which the others are counted.
fn first_counted<'a>(rows: &[ProgressRow<'a>]) -> &'a str {
    let first = rows.iter().find(|row| row.total.is_some());
    first.map_or("", |row| &row.version.info.short)
}

/// Renders a series for a terminal of this width: what it says, and a row for each version.
pub fn render_progress(series: &TestSeries, option: &str, width: Option<usize>) -> String {
    let wrapped = |line: &str| match width {
        Some(width) => wrap(line, width),
        None => format!("{line}\n"),
    };
    let mut text = format!("{}\n", clean(&series.name));
    text.extend(describe_progress(series, option).iter().map(|line| wrapped(line)));
    let rows = progress(series);
    let unit = rows.iter().find_map(|row| row.step.as_ref().or(row.anchored.as_ref()));
    let unit = unit.map_or(ELO, |lead| &lead.unit);
    let first = first_counted(&rows);
    let cells = |cell: &dyn Fn(&ProgressRow<'_>) -> String| rows.iter().map(cell).collect();
    let lead = |lead: &Option<Lead>| lead.as_ref().map_or(String::new(), format_lead);
    let column = |head: String, text: bool, weight: Option<u8>, cells: Vec<String>| Column {
        head,
        cells,
        text,
        weight,
    };
    // A sentence says how far the last version is from the first. Beside an anchor, that is the
    // first to be left out.
    let has_anchor = rows.iter().any(|row| row.version.anchored.is_some());
    let from_weight = Some(if has_anchor { 5 } else { 40 });
    let mut columns = vec![
        column("commit".to_owned(), true, None, cells(&|row| row.version.info.short.clone())),
        column("day".to_owned(), true, Some(20), cells(&|row| row.version.info.day.clone())),
        column("about".to_owned(), true, None, cells(&|row| title(row.version))),
        column("test".to_owned(), false, Some(10), cells(&|row| number(row.version))),
        column("matches".to_owned(), false, Some(30), cells(&|row| matches(row.version))),
        column("step".to_owned(), true, None, cells(&|row| describe_mark(row))),
        column(unit.to_owned(), false, None, cells(&|row| lead(&row.step))),
        column(format!("sum from {first}"), false, from_weight, cells(&|row| lead(&row.total))),
        column(format!("{unit} to anchor"), false, None, cells(&|row| lead(&row.anchored))),
    ];
    columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    text += &for_terminal(columns, Some(width.unwrap_or(USUAL_WIDTH))).0;
    text += &wrapped(&clean(&series.what));
    text
}

fn number(version: &SeriesVersion) -> String {
    version.step.as_ref().map_or(String::new(), |test| test.number.to_string())
}

fn matches(version: &SeriesVersion) -> String {
    let played: u64 =
        version.step.iter().chain(&version.anchored).map(|test| test.report.matches).sum();
    if played == 0 { String::new() } else { count(played) }
}

/// The word for the step, which stands out where it fell.
fn describe_mark(row: &ProgressRow<'_>) -> String {
    let word = clean(&describe_step(row.version));
    if row.fell { format!("{word} ←") } else { word }
}

#[cfg(test)]
mod tests;
