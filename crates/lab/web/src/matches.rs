//! Searching the matches of a tournament: by player, scenario and outcome, in order of arrival or
//! with the most remarkable first.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use quintain_core::{Objective, SEED, Scoring};
use quintain_report::find_upset;
use quintain_standings::{SeatResult, game_between, seat_results};
use quintain_store::{Filter, MatchRow, Store, StoreError, TournamentInfo};
use serde::{Deserialize, Serialize};

use crate::match_entry::{MatchEntry, match_entry};
use crate::overview::Overview;

/// Number of matches on a page.
pub(crate) const ON_A_PAGE: u64 = 50;
/// Maximum number of pages.
const PAGES: u64 = 100_000;

/// A search, as it appears in the URL.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    /// Only matches in which this player has a seat.
    pub(crate) player: String,
    /// Only matches in which this player has another seat.
    pub(crate) against: String,
    /// Only matches of this game; those of a tournament are of one.
    pub(crate) game: String,
    /// Only matches on this scenario.
    pub(crate) scenario: String,
    /// Only matches that ended in this way.
    pub(crate) outcome: OutcomeFilter,
    /// The order of the results.
    pub(crate) order: Order,
    /// The page, counted from 0.
    pub(crate) page: u64,
}

/// The outcomes to find. Won and lost refer to the player, or to anybody if no player is given;
/// with an opponent, to the two of them, whoever else took part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OutcomeFilter {
    #[default]
    #[serde(alias = "")]
    Any,
    Won,
    Drawn,
    Lost,
    Forfeit,
    CutOff,
}

/// The order of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    #[default]
    #[serde(alias = "")]
    Arrival,
    /// Matches first in which the weaker beat the stronger by the most.
    Upsets,
    /// Matches first in which the player did worst, compared with the others on that seed.
    Worst,
    /// Matches with the most turns first.
    Longest,
}

/// The result of a search.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct MatchPage {
    /// One page of the matches.
    pub(crate) matches: Vec<MatchEntry>,
    /// Number of all matches found.
    pub(crate) total: u64,
}

impl Search {
    /// Searches the tournament.
    pub(crate) fn run(&self, store: &Store, overview: &Overview) -> Result<MatchPage, StoreError> {
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        // Records name the instances of a set, not the set itself.
        let sets = overview.info.scenario_sets();
        let is_set = self.scenario.contains(SEED);
        let filter = Filter {
            player: some(&self.player),
            scenario: some(&self.scenario).filter(|_| !is_set),
            ..Filter::tournament(overview.info.id)
        };
        let usual = match self.order {
            Order::Worst => load_usual_scores(store, overview, &self.player)?,
            _ => HashMap::new(),
        };
        let first = self.page.min(PAGES) * ON_A_PAGE;
        // Only the best so far are kept, however many there are.
        let kept = (first + ON_A_PAGE) as usize;
        let mut found: Vec<(f64, u64, MatchEntry)> = Vec::new();
        let mut total = 0;
        store.matches(&filter, |row| {
            if !self.fits(row, overview.info.objective)
                || is_set && sets.set_of(&row.scenario) != self.scenario
                || !self.has_opponent(row)
            {
                return Ok(());
            }
            let measure = match self.order {
                Order::Arrival => Some(0.0),
                Order::Longest => Some(f64::from(row.turns)),
                Order::Upsets => upset(row, overview),
                Order::Worst => shortfall(row, overview, &self.player, &usual),
            };
            let Some(measure) = measure else { return Ok(()) };
            total += 1;
            if self.order == Order::Arrival {
                if (first..first + ON_A_PAGE).contains(&(total - 1)) {
                    found.push((measure, total, match_entry(row, None)));
                }
                return Ok(());
            }
            found.push((measure, total, match_entry(row, Some(measure))));
            if found.len() >= 2 * kept {
                found.sort_by(by_measure);
                found.truncate(kept);
            }
            Ok::<(), StoreError>(())
        })?;
        found.sort_by(by_measure);
        let skipped = if self.order == Order::Arrival { 0 } else { first as usize };
        let page = found.into_iter().map(|(.., listed)| listed).skip(skipped);
        Ok(MatchPage { matches: page.take(ON_A_PAGE as usize).collect(), total })
    }

    /// The places of the page's matches in order of arrival, of so many in all; the last page has
    /// the first ones.
    fn newest_first(&self, total: u64) -> Range<u64> {
        let end = total.saturating_sub(self.page.min(PAGES) * ON_A_PAGE);
        end.saturating_sub(ON_A_PAGE)..end
    }

    /// Whether the match ended as is searched for.
    fn fits(&self, row: &MatchRow, goal: Objective) -> bool {
        let wanted = match self.outcome {
            OutcomeFilter::Won => SeatResult::Won,
            OutcomeFilter::Drawn => SeatResult::Drew,
            OutcomeFilter::Lost => SeatResult::Lost,
            _ => return self.outcome.fits(row, &self.player, goal),
        };
        if self.player.is_empty() || self.against.is_empty() {
            return self.outcome.fits(row, &self.player, goal);
        }
        let fallen = row.fault.as_ref().map(|(seat, _)| *seat);
        let merit = |seat: usize| (goal.gain(row.scores[seat]), fallen == Some(seat));
        let seats_of = |player: &str| -> Vec<usize> {
            (0..row.players.len()).filter(|seat| row.players[*seat] == player).collect()
        };
        let others = seats_of(&self.against);
        let mut pairs = seats_of(&self.player).into_iter().flat_map(|own| {
            others.iter().filter(move |other| **other != own).map(move |other| (own, *other))
        });
        pairs.any(|(own, other)| {
            let game = game_between(merit(own), merit(other));
            match wanted {
                SeatResult::Won => game.wins > 0,
                SeatResult::Drew => game.draws > 0,
                SeatResult::Lost => game.losses > 0,
            }
        })
    }

    /// Whether the opponent, if one is searched for, has another seat than the player.
    fn has_opponent(&self, row: &MatchRow) -> bool {
        let seats_of = |player: &str| row.players.iter().filter(|own| *own == player).count();
        self.against.is_empty()
            || seats_of(&self.against) > usize::from(self.against == self.player)
    }
}

/// Returns the matches of a filter.
pub(crate) fn list(store: &Store, filter: &Filter) -> Result<Vec<MatchEntry>, StoreError> {
    let mut matches = Vec::new();
    store.matches(filter, |row| {
        matches.push(match_entry(row, None));
        Ok::<(), StoreError>(())
    })?;
    Ok(matches)
}

/// Returns a page of the matches of a store, the latest first: all, or those of the players, the
/// scenario and the outcome that are searched for.
pub(crate) fn latest(
    store: &Store,
    search: &Search,
    goal_of: &mut dyn FnMut(&MatchRow) -> Objective,
) -> Result<MatchPage, StoreError> {
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    let filter = Filter {
        player: some(&search.player).or_else(|| some(&search.against)),
        scenario: some(&search.scenario),
        game: some(&search.game),
        ..Filter::default()
    };
    if filter == Filter::default() && search.outcome == OutcomeFilter::Any {
        let total = store.records()?;
        let shown = search.newest_first(total);
        let (offset, limit) = (shown.start, Some(shown.end - shown.start));
        let mut matches = list(store, &Filter { offset, limit, ..filter })?;
        matches.reverse();
        return Ok(MatchPage { matches, total });
    }
    let mut fits = |row: &MatchRow| {
        search.has_opponent(row)
            && (search.outcome == OutcomeFilter::Any || search.fits(row, goal_of(row)))
    };
    let mut total = 0;
    store.matches(&filter, |row| {
        total += u64::from(fits(row));
        Ok::<(), StoreError>(())
    })?;
    let shown = search.newest_first(total);
    let (mut matches, mut number) = (Vec::new(), 0);
    store.matches(&filter, |row| {
        if fits(row) {
            if shown.contains(&number) {
                matches.push(match_entry(row, None));
            }
            number += 1;
        }
        Ok::<(), StoreError>(())
    })?;
    matches.reverse();
    Ok(MatchPage { matches, total })
}

/// Returns so many of the latest matches of a tournament, the latest first.
pub(crate) fn last_of(
    store: &Store,
    info: &TournamentInfo,
    count: u64,
) -> Result<Vec<MatchEntry>, StoreError> {
    let offset = info.played.saturating_sub(count);
    let filter = Filter { limit: Some(count), offset, ..Filter::tournament(info.id) };
    let mut matches = list(store, &filter)?;
    matches.reverse();
    Ok(matches)
}

/// Orders by remarkableness, the most remarkable first; ties in order of arrival.
fn by_measure(a: &(f64, u64, MatchEntry), b: &(f64, u64, MatchEntry)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

impl OutcomeFilter {
    fn fits(self, row: &MatchRow, player: &str, goal: Objective) -> bool {
        let fallen = row.fault.as_ref().map(|(seat, _)| *seat);
        let came_out = |wanted: SeatResult| {
            let results = seat_results(goal, &row.scores, fallen);
            let mut seats = row.players.iter().zip(results);
            seats.any(|(own, result)| (player.is_empty() || *own == player) && result == wanted)
        };
        match self {
            OutcomeFilter::Any => true,
            OutcomeFilter::Won => row.scores.len() > 1 && came_out(SeatResult::Won),
            OutcomeFilter::Drawn => row.scores.len() > 1 && came_out(SeatResult::Drew),
            OutcomeFilter::Lost => came_out(SeatResult::Lost),
            OutcomeFilter::Forfeit => row.fault.is_some(),
            OutcomeFilter::CutOff => row.truncated,
        }
    }
}

/// Returns the size of the largest upset of a match; only where seats are rivals.
fn upset(row: &MatchRow, overview: &Overview) -> Option<f64> {
    let is_contest = overview.info.scoring == Scoring::Adversarial;
    let find = || find_upset(row, overview.info.objective, |player| overview.strength(player));
    is_contest.then(find).flatten().map(|upset| upset.gap)
}

/// The other players' scores by scenario and seed: sum and number.
type Usual = HashMap<(String, u64), (f64, u32)>;

fn load_usual_scores(
    store: &Store,
    overview: &Overview,
    player: &str,
) -> Result<Usual, StoreError> {
    let mut usual = Usual::new();
    store.matches(&Filter::tournament(overview.info.id), |row| {
        for (other, score) in row.players.iter().zip(&row.scores) {
            if other != player {
                let sum = usual.entry((row.scenario.clone(), row.seed)).or_default();
                *sum = (sum.0 + score, sum.1 + 1);
            }
        }
        Ok::<(), StoreError>(())
    })?;
    Ok(usual)
}

/// Returns by how much the player did worse than the others on the same seed; where seats are
/// rivals, by how much it was rated above those who beat it.
fn shortfall(row: &MatchRow, overview: &Overview, player: &str, usual: &Usual) -> Option<f64> {
    let goal = overview.info.objective;
    let own = row.players.iter().position(|known| known == player)?;
    let gain = goal.gain(row.scores[own]);
    if overview.info.scoring == Scoring::Adversarial {
        let strength = overview.strength(player)?;
        let better = row.players.iter().zip(&row.scores);
        let better = better.filter(|(_, score)| goal.gain(**score) > gain);
        let lost = better.filter_map(|(other, _)| Some(strength - overview.strength(other)?));
        return lost.max_by(f64::total_cmp);
    }
    let (sum, scores) = usual.get(&(row.scenario.clone(), row.seed))?;
    Some(goal.gain(sum / f64::from(*scores)) - gain)
}
