//! A comparison as text for people: the answer in two sentences and a bar, then what qualifies it;
//! the figures behind it in a table, if asked for. Nothing is computed here except what pairing
//! saved.

mod answer;
mod between;
mod plan;
mod table;

use quintain_arena::compare::{CandidateResult, Comparison};

use self::answer::Medium;
pub use table::Detail;

use crate::grid::wrap;
use crate::plots;

pub use plan::render_plan;
pub(crate) use table::{games, interval, points, points_interval, scores, verdict};

/// The evidence of every candidate, round by round, as an SVG. Above the upper line there is a
/// verdict that the candidate is better, below the lower one that it is worse.
pub fn plot_comparison(comparison: &Comparison) -> String {
    let candidates = comparison.candidates.iter().map(|one| {
        let points = one.history.iter();
        // The larger evidence of the two; the other is then close to nothing.
        let points = points.map(|&(round, better, worse)| {
            (round as f64, if better >= worse { better.max(0.0) } else { -worse.max(0.0) })
        });
        (one.player.as_str(), points.collect())
    });
    let decisive = comparison.candidates.first().map_or(0.0, |one| one.decisive);
    plots::lines(
        "ln of the evidence: above, that it is better; below, that it is worse",
        "rounds",
        &[decisive, -decisive],
        &candidates.collect::<Vec<_>>(),
    )
}

/// The answer for one candidate on a page, a sentence each: the same as on a terminal, without the
/// options of the command.
pub fn describe_answer(comparison: &Comparison, compared: &CandidateResult) -> Vec<String> {
    let mut lines = answer::sentences(comparison, compared, Medium::Page);
    lines.extend(answer::reservations(comparison, compared));
    lines
}

/// The answer in Markdown, the figures behind it folded away.
pub fn render_comparison_markdown(comparison: &Comparison) -> String {
    let mut text = String::new();
    for (place, line) in between::sentences(comparison, Medium::Page).iter().enumerate() {
        let line = escape_markdown(line);
        text += &if place == 0 { format!("**{line}**\n\n") } else { format!("{line}\n\n") };
    }
    for compared in &comparison.candidates {
        let mut lines = answer::sentences(comparison, compared, Medium::Page);
        lines.extend(answer::reservations(comparison, compared));
        for (place, line) in lines.iter().enumerate() {
            let line = escape_markdown(line);
            text += &if place == 0 { format!("**{line}**\n\n") } else { format!("{line}\n") };
        }
        text += "\n";
    }
    text += &format!("{}\n\n", escape_markdown(&answer::describe_place(comparison)));
    let (table, notes) = table::render(comparison, Detail::Everything, None);
    let notes: String = notes.into_iter().map(|note| note + "\n").collect();
    // Nothing in it can close the fence.
    let figures = format!("{table}{notes}").replace("```", "");
    text + &format!("<details><summary>Figures</summary>\n\n```text\n{figures}```\n\n</details>\n")
}

/// Text in which no character formats anything.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars() {
        if "\\`*_[]<>|#~".contains(sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}

/// The answer and what was asked for beside it, for a terminal of this width.
pub fn render_comparison(comparison: &Comparison, detail: Detail, width: Option<usize>) -> String {
    let wrapped = |line: String| match width {
        Some(width) => wrap(&line, width),
        None => line + "\n",
    };
    let mut text: String =
        between::sentences(comparison, Medium::Terminal).into_iter().map(wrapped).collect();
    for compared in &comparison.candidates {
        let mut lines = answer::sentences(comparison, compared, Medium::Terminal);
        if comparison.candidates.len() == 1 {
            lines.extend(answer::bar(comparison, compared));
        }
        lines.extend(answer::reservations(comparison, compared));
        text.extend(lines.into_iter().map(wrapped));
    }
    if comparison.candidates.len() > 1 || detail == Detail::Everything {
        let (table, notes) = table::render(comparison, detail, width);
        text += "\n";
        text += &table;
        text.extend(notes.into_iter().map(wrapped));
    }
    text += &wrapped(answer::describe_place(comparison));
    text
}
