//! What a table of standings says for certain, and what would make the rest so.

use quintain_standings::{Certainty, LeadIn, OpenQuestion, Standings};
use quintain_stats::all_pairs::Mark;

use crate::numbers::{count, count_of, format_fixed, significant};

/// Why the table of a Swiss tournament or a knockout says nothing to be certain.
const WITHHELD: &str = "Results decided who met whom, so nothing is said to be certain; points are \
                        against different opponents, and the rating takes that into account.";

/// A few sentences; the last says what is not certain yet. Empty for a single player.
pub(crate) fn describe(standings: &Standings) -> Vec<String> {
    let certainty = &standings.certainty;
    if standings.overall.len() < 2 {
        return Vec::new();
    }
    if certainty.is_withheld {
        return vec![WITHHELD.to_owned()];
    }
    let on_each = if standings.scenarios.len() > 1 { " on each scenario" } else { "" };
    if certainty.missing_seeds > 0 {
        let more = count_of(certainty.missing_seeds, "seed").replacen(' ', " more ", 1);
        return vec![format!("Too few seeds to tell who is better: play {more}{on_each}.")];
    }
    let mut sentences = Vec::new();
    sentences.extend(explain_marks(standings));
    sentences.extend(describe_leads(certainty, standings.scenarios.len() as u64));
    sentences.extend(match &certainty.open {
        Some(open) => Some(describe_open(certainty, open, on_each)),
        None => (certainty.undecided == 0)
            .then(|| "All ranks are certain (95 % for all of them together).".to_owned()),
    });
    sentences
}

/// Why a comparison of two players, which counts the matches between them, may ask for another
/// number of matches than these standings do. Empty where the standings ask for none.
pub fn explain_other_question(standings: &Standings, one: &str, other: &str) -> Option<String> {
    let Certainty { open, lead_in, is_withheld, missing_seeds, .. } = &standings.certainty;
    if *is_withheld || *missing_seeds > 0 || standings.overall.len() < 2 {
        return None;
    }
    let what = match lead_in {
        LeadIn::PointsPercent | LeadIn::Elo => "takes more points from all players together",
        LeadIn::Score => "has the better mean score",
        LeadIn::Rank => "has the better mean rank on a seed",
    };
    let is_this = |question: &&OpenQuestion| {
        let [first, second] = &question.players;
        [(one, other), (other, one)].contains(&(first.as_str(), second.as_str()))
    };
    let on_each = if standings.scenarios.len() > 1 { " on each scenario" } else { "" };
    let there = open.as_ref().filter(is_this).and_then(|question| question.more_seeds);
    let there = match there {
        Some(more) => {
            let seeds = count(round(more as f64) as u64);
            let word = if more == 1 { "seed" } else { "seeds" };
            format!(", and asks for about {seeds} more {word}{on_each}")
        }
        None => String::new(),
    };
    Some(format!(
        "The standings of the tournament answer another question: who {what}, judged once, after \
         all seeds{there}. Here only the two are compared, and after every match, so the numbers \
         differ."
    ))
}

/// What the marks say that are not plain.
fn explain_marks(standings: &Standings) -> Option<String> {
    let has = |wanted| standings.overall.iter().any(|row| row.mark == Some(wanted));
    let text = match (has(Mark::Behind), has(Mark::CannotTell)) {
        (true, true) => {
            "“behind” means that somebody is certainly better, “cannot tell” that nobody is."
        }
        (true, false) => "“behind” means that somebody is certainly better.",
        (false, true) => "“cannot tell” means that nobody is certainly better.",
        (false, false) => return None,
    };
    Some(text.to_owned())
}

/// The smallest lead that is told, and what a lead of ten points would take.
fn describe_leads(certainty: &Certainty, scenarios: u64) -> Option<String> {
    let lead = certainty.smallest_lead?;
    let lead = match certainty.lead_in {
        LeadIn::PointsPercent => format!("{} % of the points", format_fixed(lead, 1)),
        LeadIn::Elo => format!("{} Elo", format_fixed(lead, 0)),
        LeadIn::Score => format!("{} points", significant(round(lead))),
        LeadIn::Rank => format!("{} in mean rank by seed", format_fixed(lead, 2)),
    };
    let ten = match certainty.lead_in {
        LeadIn::PointsPercent => "10 % of the points",
        _ => "70 Elo",
    };
    let seeds = count_of(certainty.seeds / scenarios.max(1), "seed");
    let on_each = match scenarios {
        0 | 1 => String::new(),
        many => format!(" on each of {many} scenarios"),
    };
    let more = match certainty.seeds_for_ten_points {
        Some(seeds) => {
            format!("; a lead of {ten} takes about {}", count_of(seeds, "seed"))
        }
        None => String::new(),
    };
    Some(format!("The smallest lead that {seeds}{on_each} can show: {lead}{more}."))
}

fn describe_open(certainty: &Certainty, open: &OpenQuestion, on_each: &str) -> String {
    let OpenQuestion { players: [one, other], more_seeds, .. } = open;
    let others = match certainty.undecided - 1 {
        0 => String::new(),
        1 => " One more pair is open.".to_owned(),
        some => format!(" {} more pairs are open.", count(some)),
    };
    let would_tell = match more_seeds {
        Some(more) => format!(
            "about {} more {}{on_each} would settle it in half of all cases, if the lead holds",
            count(round(*more as f64) as u64),
            if *more == 1 { "seed" } else { "seeds" }
        ),
        None => "no number of seeds is in sight that would settle it".to_owned(),
    };
    format!("Not certain yet: whether {one} is better than {other} ({would_tell}).{others}")
}

/// Two digits of a number.
fn round(value: f64) -> f64 {
    let digits = 10_f64.powf(1.0 - value.abs().max(f64::MIN_POSITIVE).log10().floor());
    (value * digits).round() / digits
}
