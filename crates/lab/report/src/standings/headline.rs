//! The sentence above a table of standings: who is first, and how certain that is.

use quintain_standings::{Bracket, Meeting, Standings, StandingsRow};
use quintain_stats::all_pairs::Mark;

use crate::numbers::{count_of, format_fixed};

/// More players than this that may be better are counted, not named.
const MAX_NAMED: usize = 3;

/// Says who is first and how certain that is; `None` without results.
pub fn headline(standings: &Standings) -> Option<String> {
    let rows = &standings.overall;
    let first = rows.first()?;
    let (leaders, others) = rows.split_at(rows.partition_point(|row| row.rank == first.rank));
    let with = describe_result(first);
    let player = &first.player;
    let among = count_of(rows.len() as u64, "player");
    let leads = match leaders {
        [_] => format!("{player} is first of {among}"),
        [before @ .., last] if leaders.len() <= MAX_NAMED => {
            let before: Vec<&str> = before.iter().map(|row| row.player.as_str()).collect();
            format!("{} and {} share the first place of {among}", before.join(", "), last.player)
        }
        many => format!("{} of {among} share the first place", many.len()),
    };
    if let Some(bracket) = &standings.bracket {
        return Some(describe_knockout(bracket));
    }
    if let Some(about) = describe_gauntlet(standings) {
        return Some(about);
    }
    Some(match first.mark {
        _ if rows.len() == 1 => format!("{player} has {with}."),
        Some(Mark::Best) => format!("{player} is certainly the best of {among}, with {with}."),
        Some(_) => {
            let but = match (describe_rivals(others), leaders.len()) {
                (None, 1) => ", but others may be better".to_owned(),
                (None, _) => String::new(),
                (Some(rivals), _) => format!(", but {rivals} may be better"),
            };
            format!("{leads}, with {with}{but}.")
        }
        None if standings.certainty.is_withheld => {
            let more = describe_more_points(first, others);
            format!("{leads}, with {with}{more}.")
        }
        None => format!(
            "{leads}, with {with}, but there are too few seeds to tell who is \
             better."
        ),
    })
}

/// Who has more points than the first, where opponents differ: ratings decide the order.
fn describe_more_points(first: &StandingsRow, others: &[StandingsRow]) -> String {
    let share = |row: &StandingsRow| row.games.and_then(|games| games.share());
    let Some(own) = share(first) else { return String::new() };
    let most = others.iter().filter_map(|row| Some((row, share(row)?)));
    let most = most.max_by(|(_, one), (_, other)| one.total_cmp(other));
    match most.filter(|(_, share)| *share > own) {
        Some((row, share)) => format!(
            " against stronger opponents than those of {}, who has {:.1} %",
            row.player,
            100.0 * share
        ),
        None => String::new(),
    }
}

/// How the challenger of a gauntlet has done, or the best of several; `None` for other tournaments.
fn describe_gauntlet(standings: &Standings) -> Option<String> {
    let challengers = &standings.challengers;
    let row = standings.overall.iter().find(|row| challengers.contains(&row.player))?;
    let share = row.games?.share()?;
    let player = &row.player;
    let others = standings.overall.iter().filter(|other| !challengers.contains(&other.player));
    let (mut better, mut worse, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for other in others {
        let side = match standings.order_of(player, &other.player) {
            Some(([first, _], true)) if first == player => &mut better,
            Some((_, true)) => &mut worse,
            _ => &mut open,
        };
        side.push(other.player.as_str());
    }
    let opponents = count_of((better.len() + worse.len() + open.len()) as u64, "opponent");
    let who = match challengers.len() {
        1 => player.clone(),
        several => format!("{player}, the first of {several} challengers,"),
    };
    if better.is_empty() && worse.is_empty() {
        return Some(format!(
            "{who} took {:.1} % of the points from {opponents}, none of which is certainly better \
             or worse.",
            100.0 * share
        ));
    }
    let parts =
        [("better than", better), ("worse than", worse), ("not distinguishable from", open)];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let parts: Vec<String> =
        parts.map(|(how, names)| format!("{how} {}", list_or_count(names))).collect();
    Some(format!(
        "{who} took {:.1} % of the points from {opponents}: {}.",
        100.0 * share,
        parts.join(", ")
    ))
}

/// A few names, or how many there are.
fn list_or_count(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        some if some.len() <= MAX_NAMED => {
            let (last, before) = some.split_last().expect("there are two or more");
            format!("{} and {last}", before.join(", "))
        }
        many => format!("{} of them", many.len()),
    }
}

/// Who has won a knockout, or how far it is.
fn describe_knockout(bracket: &Bracket) -> String {
    let players = count_of(bracket.players.len() as u64, "player");
    let name = |player: usize| &bracket.players[player];
    let last = bracket.rounds.last().and_then(|round| round.first());
    let ended = last.and_then(|last| Some((last, last.winner?)));
    let Some((last, winner)) = ended else {
        let is_open = |round: &Vec<Meeting>| round.iter().any(|meeting| meeting.winner.is_none());
        let open = bracket.rounds.iter().position(is_open).unwrap_or(0);
        let round = bracket.round_name(open);
        let so_far = bracket.rounds[open].iter().find_map(|meeting| match meeting.players {
            [Some(one), Some(other)] => Some((name(one), meeting.so_far?, name(other))),
            _ => None,
        });
        let so_far = so_far
            .map(|(one, [own, theirs], other)| format!(", {one} {own}–{theirs} {other} so far"));
        return format!(
            "The knockout of {players} is not over: {round}{}.",
            so_far.unwrap_or_default()
        );
    };
    let [one, other] = last.points.unwrap_or_default();
    let (more, less) = if one >= other { (one, other) } else { (other, one) };
    let loser = last.players.iter().flatten().find(|player| **player != winner);
    let beaten = loser.map_or("", |loser| name(*loser));
    let why = if last.is_tied() { ", since it stands first in the list" } else { "" };
    let winner = name(winner);
    format!(
        "{winner} won the knockout of {players}: {more}–{less} in the final against {beaten}{why}."
    )
}

/// What a player is ranked by, in words.
fn describe_result(row: &StandingsRow) -> String {
    let share = row.games.and_then(|games| games.share());
    match (share, &row.places) {
        (Some(share), _) => format!("{:.1} % of the points", 100.0 * share),
        (None, Some(places)) if places.scenarios > 1 => format!(
            "a mean rank of {:.2} on {}",
            places.mean_rank,
            count_of(places.scenarios, "scenario")
        ),
        _ => format!("a mean score of {}", format_fixed(row.summary.mean, 1)),
    }
}

/// The players behind the first of which nobody is certainly better, in words; `None` if there are
/// none.
fn describe_rivals(others: &[StandingsRow]) -> Option<String> {
    let is_open = |row: &&StandingsRow| row.mark == Some(Mark::CannotTell);
    let open: Vec<&str> = others.iter().filter(is_open).map(|row| row.player.as_str()).collect();
    Some(match open.as_slice() {
        [] => return None,
        all if all.len() == others.len() && all.len() > 1 => "any other".to_owned(),
        [one] => (*one).to_owned(),
        some if some.len() <= MAX_NAMED => {
            let (last, before) = some.split_last().expect("there are two or more");
            format!("{} or {last}", before.join(", "))
        }
        many => format!(
            "{} or {} others",
            many[..MAX_NAMED - 1].join(", "),
            many.len() - (MAX_NAMED - 1)
        ),
    })
}
