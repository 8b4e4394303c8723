//! The answer to the question of a tournament that plays further seeds for close pairs only, in
//! words.

use quintain_arena::{Answer, PlayerRanks, Question};
use quintain_scene::clean;

/// Describes the answer, and what it cost: `played` matches.
pub(super) fn describe(answer: &Answer, played: u64) -> String {
    let Answer { question, is_certain, rounds, most_rounds, ranks, equally, .. } = answer;
    let possible: Vec<&PlayerRanks> = match question {
        Question::Best => ranks.iter().filter(|of| of.best == 1).collect(),
        _ => ranks.iter().collect(),
    };
    let names = possible.iter().map(|of| clean(&of.player));
    let after = format!("after {rounds} of at most {most_rounds} rounds");
    let first = match (question, is_certain) {
        (Question::Best, true) => {
            format!("The best is {}, certain {after}.", names.collect::<Vec<_>>().join(", "))
        }
        (Question::Best, false) => format!(
            "The best is not certain {after}: it is one of {}.",
            names.collect::<Vec<_>>().join(", ")
        ),
        (_, true) => format!("All ranks are certain {after}: {}.", list(&possible)),
        (_, false) => format!("Not all ranks are certain {after}: {}.", list(&possible)),
    };
    let saved = match equally.saturating_sub(played) {
        0 => "as many as with equal seeds for all".to_owned(),
        saved => format!("{saved} fewer than the {equally} with equal seeds for all"),
    };
    format!("\n{first}\nThat took {played} matches, {saved}.\n")
}

/// Lists players with the ranks that they may have.
fn list(players: &[&PlayerRanks]) -> String {
    let of = |player: &&PlayerRanks| {
        let PlayerRanks { player, best, worst, .. } = player;
        let ranks = if best == worst { best.to_string() } else { format!("{best}–{worst}") };
        format!("{ranks} {}", clean(player))
    };
    players.iter().map(of).collect::<Vec<_>>().join(", ")
}
