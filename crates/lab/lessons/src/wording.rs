//! The sentence of a lesson.

use quintain_core::{ActionWorth, Seat, Study, StudyPosition};

/// Scores closer than this are called equal.
const CLOSE: f64 = 0.02;

/// Says what the mistake leads to and what a better action does, on a small board.
pub(crate) fn compare_on_board(
    study: &dyn Study,
    position: &StudyPosition,
    seat: Seat,
    mistake: &ActionWorth,
    better: &ActionWorth,
) -> String {
    let tell = |worth: &ActionWorth| study.consequence(position, seat, worth);
    let then = tell(mistake).map_or(String::new(), |then| format!(": {then}"));
    let at_worst = tell(better).map_or(String::new(), |then| format!("; at worst {then}"));
    let other = Seat::new(1 - seat.index()).letter();
    let wins = better.least > 1.0 - CLOSE;
    let most = if wins { "" } else { "at least " };
    format!(
        "{} is to decide. {} {} if {other} goes {}{then}. {} {most}{} whatever {other} \
         does{at_worst}.",
        seat.letter(),
        mistake.action,
        outcome(mistake.least),
        mistake.reply,
        better.action,
        outcome(better.least),
    )
}

/// What a score between 0 and 1 is called.
fn outcome(score: f64) -> String {
    match score {
        score if score < CLOSE => "loses".to_owned(),
        score if (score - 0.5).abs() < CLOSE => "draws".to_owned(),
        score if score > 1.0 - CLOSE => "wins".to_owned(),
        score => format!("is worth {score:.2} of a point"),
    }
}

/// Says by how much another action is better, where there is no more to say; and who decides, if
/// there are several seats.
pub(crate) fn compare_scores(
    player: &str,
    seat: Option<Seat>,
    mistake: (&str, f64),
    better: (&str, f64),
) -> String {
    let number = |score: f64| {
        let text = format!("{score:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let who = seat.map_or(String::new(), |seat| format!("{} is to decide. ", seat.letter()));
    format!(
        "{who}{} instead of {}: the score is {} instead of {} if {player} plays on.",
        better.0,
        mistake.0,
        number(better.1),
        number(mistake.1),
    )
}
