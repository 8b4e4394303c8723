//! A version's performance: points by opponent and by scenario, and the matches that went badly.
//! Its author's page and letter each show it in their own way.

use std::collections::{BTreeMap, HashMap};

use quintain_standings::WorstSeed;
use quintain_stats::WinDrawLoss;
use quintain_web::pages::figure;

use crate::config::short_scenario;
use crate::contest::Contest;
use crate::error::HostError;
use crate::ladder::Games;
use crate::state::PlayedMatch;

/// A version's name, for people.
pub(crate) struct VersionName {
    /// The author and the version, as text.
    pub(crate) label: String,
    /// The author's display name.
    pub(crate) display_name: String,
    pub(crate) participant: i64,
}

/// Formats a rating in whole points, or a mean rank with two decimals.
pub(crate) fn measure(is_solo: bool, value: f64) -> String {
    let text = if is_solo { format!("{value:.2}") } else { format!("{value:.0}") };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// Names of versions by id.
pub(crate) type Names = HashMap<i64, VersionName>;

/// Returns the names of all versions in these matches.
pub(crate) fn names_in(contest: &Contest, matches: &[&PlayedMatch]) -> Result<Names, HostError> {
    let state = contest.read_state();
    let mut names = Names::new();
    for seat in matches.iter().flat_map(|played| &played.pairing.seats) {
        if !names.contains_key(seat)
            && let Some(version) = state.version(*seat)?
        {
            let label = version.label();
            let (display_name, participant) = (version.display_name, version.participant);
            names.insert(*seat, VersionName { label, display_name, participant });
        }
    }
    Ok(names)
}

/// A version's performance by opponent and by scenario.
#[derive(Default)]
pub(crate) struct PerformanceTables {
    /// By the opponent's display name and participant id.
    pub(crate) opponents: BTreeMap<(String, i64), WinDrawLoss>,
    pub(crate) scenarios: BTreeMap<String, (WinDrawLoss, u64)>,
    pub(crate) matches: u64,
    pub(crate) faults: u64,
    /// The latest match that ended by a fault of the version.
    pub(crate) latest_fault: Option<i64>,
}

/// A match that went badly, and the reason why it counts as such.
pub(crate) struct Worst {
    pub(crate) id: i64,
    pub(crate) why: String,
}

/// Counts a version's matches.
pub(crate) fn tables(
    own: i64,
    matches: &[&PlayedMatch],
    names: &Names,
    games: &dyn Fn(&PlayedMatch) -> Vec<Games>,
) -> PerformanceTables {
    let mut tables =
        PerformanceTables { matches: matches.len() as u64, ..PerformanceTables::default() };
    for played in matches {
        let at_fault = played.fault.as_ref().and_then(|(seat, _)| played.pairing.seats.get(*seat));
        let is_ours = at_fault == Some(&own);
        tables.faults += u64::from(is_ours);
        tables.latest_fault = tables.latest_fault.max(is_ours.then_some(played.pairing.id));
        let of_scenario = tables.scenarios.entry(played.pairing.scenario.clone()).or_default();
        of_scenario.1 += u64::from(is_ours);
        for (_, other, result) in games(played).iter().filter(|(of, _, _)| *of == own) {
            let opponent = names.get(other);
            let opponent = opponent.map(|other| (other.display_name.clone(), other.participant));
            let opponent = opponent.unwrap_or_default();
            of_scenario.0 += *result;
            *tables.opponents.entry(opponent).or_default() += *result;
        }
    }
    tables
}

/// Returns the losses against those who are now rated lowest, after matches that ended by the
/// version's own fault.
pub(crate) fn worst(
    own: i64,
    matches: &[&PlayedMatch],
    games: &dyn Fn(&PlayedMatch) -> Vec<Games>,
    rating: &dyn Fn(i64) -> Option<f64>,
    names: &Names,
    most: usize,
) -> Vec<Worst> {
    // Matches that ended by its own fault come first.
    let own_fault = |played: &&PlayedMatch| {
        let (seat, why) = played.fault.as_ref()?;
        let is_own = played.pairing.seats.get(*seat) == Some(&own);
        let why = format!("your fault: {}", why.lines().next().unwrap_or_default());
        is_own.then_some(Worst { id: played.pairing.id, why })
    };
    let mut faults: Vec<Worst> = matches.iter().filter_map(own_fault).collect();
    faults.sort_by_key(|fault| std::cmp::Reverse(fault.id));
    faults.truncate(most / 2);
    let mut losses: Vec<(f64, i64, &PlayedMatch)> = Vec::new();
    for played in matches {
        let lost = games(played).into_iter().filter(|(of, _, game)| *of == own && game.losses > 0);
        let rated = lost.filter_map(|(_, other, _)| Some((rating(other)?, other)));
        let lowest = rated.min_by(|a, b| a.0.total_cmp(&b.0));
        losses.extend(lowest.map(|(rating, other)| (rating, other, *played)));
    }
    losses.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.2.pairing.id.cmp(&a.2.pairing.id)));
    losses.retain(|(_, _, played)| faults.iter().all(|fault| fault.id != played.pairing.id));
    losses.truncate(most - faults.len());
    let to_worst = |(rating, other, played): (f64, i64, &PlayedMatch)| Worst {
        id: played.pairing.id,
        why: format!(
            "lost to {}, rated {}, on {}",
            names.get(&other).map_or("", |other| other.label.as_str()),
            measure(false, rating),
            played.pairing.scenario
        ),
    };
    faults.into_iter().chain(losses.into_iter().map(to_worst)).collect()
}

/// Returns the matches on the seeds on which the most others were better.
pub(crate) fn worst_alone(matches: &[&PlayedMatch], seeds: &[WorstSeed]) -> Vec<Worst> {
    let of = |worst: &WorstSeed| {
        let WorstSeed { scenario, seed, score, best, better, others } = worst;
        let is_it = |played: &&&PlayedMatch| {
            played.pairing.scenario == *scenario && played.pairing.seed == *seed
        };
        let id = matches.iter().find(is_it)?.pairing.id;
        let (score, best) = (figure(*score), figure(*best));
        let scenario = short_scenario(scenario);
        let why =
            format!("{score} on {scenario}; {better} of {others} others did better, up to {best}");
        Some(Worst { id, why })
    };
    seeds.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_have_the_same_digits_everywhere() {
        for (is_solo, value, text) in [
            (false, 36.17, "36"),
            (false, -555.4, "−555"),
            (false, -0.2, "0"),
            (true, 0.5, "0.50"),
            (true, 1.0, "1.00"),
        ] {
            assert_eq!(measure(is_solo, value), text);
        }
    }
}
