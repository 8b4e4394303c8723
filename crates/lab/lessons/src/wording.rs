//! The sentence of a lesson.

use quintain_core::{ActionWorth, Objective, Scoring, Seat, Study, StudyPosition};

use crate::lesson::Verification;

/// Scores closer than this are called equal.
const CLOSE: f64 = 0.02;

/// Says what the mistake leads to and what a better action does, on a small board, where players
/// may move in turn. Where no exact values prove it, what a search found is likely.
pub(crate) fn compare_on_board(
    study: &dyn Study,
    position: &StudyPosition,
    (seat, is_in_turn): (Seat, bool),
    (mistake, better): (&ActionWorth, &ActionWorth),
    is_exact: bool,
) -> String {
    let tell = |worth: &ActionWorth| study.consequence(position, seat, worth);
    let then = tell(mistake).map_or(String::new(), |then| format!(": {then}"));
    let other = Seat::new(1 - seat.index()).letter();
    let wins = better.least > 1.0 - CLOSE;
    let most = if wins { "" } else { "at least " };
    let ActionWorth { action, reply, least, .. } = better;
    let good = match (is_exact, tell(better)) {
        (true, None) => format!("{most}{} whatever {other} does", outcome(*least, true)),
        (true, Some(then)) => {
            format!("{most}{} whatever {other} does; at worst {then}", outcome(*least, true))
        }
        (false, None) => outcome(*least, false),
        (false, Some(then)) => {
            format!("{}; if {other} goes {reply}, {then}", outcome(*least, false))
        }
    };
    let moves = if is_in_turn { format!(", then {other} moves") } else { String::new() };
    format!(
        "{} is to decide{moves}. {} {} if {other} goes {}{then}. {action} {good}.",
        seat.letter(),
        mistake.action,
        outcome(mistake.least, is_exact),
        mistake.reply,
    )
}

/// What a score between 0 and 1 is called.
fn outcome(score: f64, is_exact: bool) -> String {
    let names = match is_exact {
        true => ["loses", "draws", "wins"],
        false => ["is likely to lose", "is likely to draw", "is likely to win"],
    };
    let [loses, draws, wins] = names.map(str::to_owned);
    match score {
        score if score < CLOSE => loses,
        score if (score - 0.5).abs() < CLOSE => draws,
        score if score > 1.0 - CLOSE => wins,
        score if is_exact => format!("is worth {score:.2} of a point"),
        score => format!("seems worth {score:.2} of a point"),
    }
}

/// Whether an action certainly loses a point that another does not.
pub(crate) fn is_lost(mistake: &ActionWorth, is_exact: bool) -> bool {
    is_exact && mistake.least < CLOSE
}

/// Says by how much another action is better, where there is no more to say; and who decides, if
/// there are several seats. Without rivals it says for what that holds: for starts that look the
/// same, or for this seed only.
pub(crate) fn compare_scores(
    verified: &Verification,
    seat: Option<Seat>,
    (mistake, better): (&str, &str),
    objective: Objective,
    scoring: Scoring,
) -> String {
    let who = seat.map_or(String::new(), |seat| format!("{} is to decide. ", seat.letter()));
    let aim = match objective {
        Objective::Maximize => "",
        Objective::Minimize => " (less is better)",
    };
    let (means, where_so) = match (scoring, verified.continuations) {
        (Scoring::Adversarial, _) => ("", String::new()),
        (Scoring::Independent, 0) => ("", ", on this seed".to_owned()),
        (Scoring::Independent, number) => (
            "mean ",
            format!(", over {number} continuations that look the same to everybody until now"),
        ),
    };
    format!(
        "{who}{better} instead of {mistake}: the {means}score is {} instead of {}{aim} if {} \
         plays on{where_so}.",
        number(verified.better),
        number(verified.mistake),
        verified.player,
    )
}

/// Where nobody is a rival: what both actions do in words, what else is different in the end, and
/// whether that is worth much.
pub(crate) struct Explanation {
    /// What the mistake and the better action do, as sentences go on after a name.
    pub(crate) words: Option<[String; 2]>,
    /// What is different in the end, with the figures after the better action first.
    pub(crate) figures: Vec<(String, [f64; 2])>,
}

/// The most figures that are told.
const MOST_FIGURES: usize = 3;
/// A decision that costs less of the score than this matters little.
const LITTLE: f64 = 0.02;

impl Explanation {
    /// The sentences that follow the scores, each after a space.
    pub(crate) fn tell(&self, verified: &Verification) -> String {
        let mut text = String::new();
        if let Some([mistake, better]) = &self.words {
            text += &format!(" Played: {mistake}. Better: {better}.");
        }
        // They are listed as they matter for the score.
        let figures = self.figures.iter().filter(|(_, [better, mistake])| better != mistake);
        let told = figures.take(MOST_FIGURES).map(|(title, [better, mistake])| {
            format!("{title} {} instead of {}", number(*better), number(*mistake))
        });
        let told: Vec<String> = told.collect();
        if !told.is_empty() {
            text += &format!(" In the end: {}.", told.join(", "));
        }
        let cost = (verified.better - verified.mistake).abs();
        let of = verified.mistake.abs().max(verified.better.abs());
        if verified.continuations == 0 && cost < LITTLE * of {
            text += &format!(
                " That is {} % of the score, and no other decision that was looked at costs more: \
                 no single one matters much.",
                number(100.0 * cost / of)
            );
        }
        text
    }
}

/// A number with at most two decimals.
fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use quintain_core::ActionWorths;

    use super::*;

    /// A game that has nothing to say about positions.
    struct Silent;

    impl Study for Silent {
        fn begin_at(&self, _: &str, _: &serde_json::Value) -> Result<StudyPosition, String> {
            Err(String::new())
        }

        fn simpler(&self, _: &StudyPosition) -> Vec<StudyPosition> {
            Vec::new()
        }

        fn worths(
            &self,
            _: &StudyPosition,
            _: Seat,
            _: u64,
            _: Option<&Arc<AtomicBool>>,
        ) -> ActionWorths {
            ActionWorths { actions: None, searched: 0 }
        }

        fn size(&self, _: &StudyPosition) -> String {
            String::new()
        }

        fn consequence(&self, _: &StudyPosition, _: Seat, _: &ActionWorth) -> Option<String> {
            None
        }
    }

    #[test]
    fn values_found_only_by_search_are_called_likely() {
        let position = StudyPosition { scenario: String::new(), file: String::new() };
        let worth = |action: &str, least: f64| ActionWorth {
            action: action.to_owned(),
            expected: least,
            least,
            reply: "L".to_owned(),
        };
        let (mistake, better) = (worth("U", 0.0), worth("R", 0.5));
        let tell = |is_exact| {
            compare_on_board(
                &Silent,
                &position,
                (Seat::new(0), false),
                (&mistake, &better),
                is_exact,
            )
        };
        assert_eq!(
            tell(true),
            "A is to decide. U loses if B goes L. R at least draws whatever B does."
        );
        assert_eq!(
            tell(false),
            "A is to decide. U is likely to lose if B goes L. R is likely to draw."
        );
        assert!(is_lost(&mistake, true) && !is_lost(&mistake, false) && !is_lost(&better, true));
    }
}
