//! The worth of phrases.

use quintain_hextris::Phrases;

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::matches::{MeasuredMatch, score};
use crate::measurement::ExpectedValue::{Above, Always};
use crate::measurement::Measurements;

use super::comparisons::{by_problem, change, everybody};

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "hextris/new-words",
        place: "power words",
        claim: "Words that were not used before have a score of 300 + 2·length.",
        figure: "300 + 2·length",
        measure: |lab| {
            lab.note(
                "every official phrase that contains no other, said once and twice, scored \
                      by our rules",
            );
            let phrases = Phrases::contest();
            // A newline is not a command and ends a phrase: no phrase is recognised across it.
            let worth = |said: &str| phrases.power(&phrases.counts(said));
            let lone = |text: &&String| {
                // If a phrase contains others, their worth is not its own.
                let others = phrases.counts(text).iter().filter(|count| **count > 0).count();
                others == 1
            };
            let (mut first, mut second) = (0, 0);
            let lone: Vec<&String> = phrases.texts().iter().filter(lone).collect();
            for text in &lone {
                let length = text.len() as u64;
                let twice = worth(&format!("{text}\n{text}"));
                first += u64::from(worth(text) == 300 + 2 * length);
                second += u64::from(twice - worth(text) == 2 * length);
            }
            let all = lone.len() as f64;
            Ok(Measurements::new()
                .part(
                    "phrases worth that the first time",
                    Estimate::exact(first as f64),
                    Always(all),
                )
                .part(
                    "worth 2·length the second time",
                    Estimate::exact(second as f64),
                    Always(all),
                ))
        },
    },
    Experiment {
        name: "hextris/phrases",
        place: "power words",
        claim: "Choosing paths by their phrases adds to the score.",
        figure: "–",
        measure: |lab| {
            let games = everybody(lab, &["post", "post?speaks=false"], "")?;
            let more = |game: &MeasuredMatch| score(game);
            let power = Estimate::mean(
                by_problem(&games, "post", &|game: &MeasuredMatch| {
                    Some(game.metrics["power"] / game.scores[0].max(1.0))
                })
                .into_values(),
            );
            Ok(Measurements::new()
                .part("score", change(&games, "post", "post?speaks=false", &more), Above(0.0))
                .with_figure("share of phrases in the score", power.as_percent()))
        },
    },
];
