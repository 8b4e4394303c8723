//! The matches of a tournament that are worth watching: a few of each scenario, chosen by the
//! standings. How they are shown is not decided here.

use quintain_core::{Catalog, Objective, Record, Scoring, Seat};
use quintain_standings::{ScenarioStandings, SeatResult, Standings, seat_results};
use quintain_store::{Filter, MatchRow, Store, StoreError, TournamentInfo};

/// The number of scenarios for which matches are named.
const SCENARIOS: usize = 4;

/// A match worth watching.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct NotableMatch {
    /// The record's id.
    pub id: String,
    /// Where it was played, by whom, and why it is worth watching.
    pub text: String,
}

impl NotableMatch {
    /// Adds what decided the match. A record that the games here do not replay stays without.
    pub(crate) fn add_decision(&mut self, record: &Record, catalog: &Catalog) {
        let decision = catalog.game_of(record).map(|game| game.decision(record));
        if let Ok(Ok(decision)) = decision {
            self.text += &format!(". {decision}.");
        }
    }

    /// The file that shows the match, next to the report.
    pub fn file(&self) -> String {
        format!("matches/{}.html", self.id.chars().take(8).collect::<String>())
    }
}

/// The search for matches on one scenario.
struct Search<'a> {
    scenario: &'a str,
    /// The player at the top of the scenario's table.
    first: &'a str,
    objective: Objective,
    /// The two matches so far, each with the key by which it was chosen.
    chosen: [Option<((f64, f64), NotableMatch)>; 2],
}

/// The matches worth watching: where scores are independent, the best score and the worst of
/// the first player; among rivals, the worst match of the first player and the longest that it won.
pub(crate) fn notable_matches(
    store: &Store,
    tournament: &TournamentInfo,
    standings: &Standings,
) -> Result<Vec<NotableMatch>, StoreError> {
    let objective = standings.rule.objective;
    let gain = |score: f64| if objective == Objective::Minimize { -score } else { score };
    let scenarios = standings.scenarios.iter().take(SCENARIOS);
    let mut searches: Vec<Search<'_>> =
        scenarios.filter_map(|scenario| Search::of(scenario, objective)).collect();
    let sets = tournament.scenario_sets();
    let filter = Filter { sorted: true, ..Filter::tournament(tournament.id) };
    store.matches(&filter, |row| {
        let scenario = sets.set_of(&row.scenario);
        if let Some(search) = searches.iter_mut().find(|own| own.scenario == scenario) {
            match standings.rule.scoring {
                Scoring::Independent => search.take_by_score(row, gain),
                Scoring::Adversarial => search.take_by_result(row, gain),
            }
        }
        Ok::<(), StoreError>(())
    })?;
    let mut found: Vec<NotableMatch> = Vec::new();
    for (_, notable) in searches.into_iter().flat_map(|search| search.chosen).flatten() {
        if found.iter().all(|known| known.id != notable.id) {
            found.push(notable);
        }
    }
    Ok(found)
}

impl<'a> Search<'a> {
    /// Starts a search; `None` if nobody has played on the scenario.
    fn of(standings: &'a ScenarioStandings, objective: Objective) -> Option<Search<'a>> {
        let first = &standings.rows.first()?.player;
        Some(Search { scenario: &standings.scenario, first, objective, chosen: [None, None] })
    }

    fn take_by_score(&mut self, row: &MatchRow, gain: impl Fn(f64) -> f64) {
        let Some(best) =
            row.scores.iter().copied().reduce(|a, b| if gain(b) > gain(a) { b } else { a })
        else {
            return;
        };
        self.take(0, (gain(best), 0.0), row, || format!("the best score, {best}"));
        if row.players.iter().all(|player| player == self.first) {
            let first = self.first.to_owned();
            let text = || format!("the worst score of {first}, {best}");
            self.take(1, (-gain(best), 0.0), row, text);
        }
    }

    fn take_by_result(&mut self, row: &MatchRow, gain: impl Fn(f64) -> f64) {
        let own = row.players.iter().position(|player| player == self.first);
        let score = own.and_then(|seat| row.scores.get(seat)).copied();
        let others =
            row.players.iter().zip(&row.scores).filter(|(player, _)| *player != self.first);
        let best = others.map(|(_, score)| gain(*score)).reduce(f64::max);
        let (Some(score), Some(best)) = (score.map(&gain), best) else { return };
        let (lead, turns, first) = (score - best, f64::from(row.turns), self.first.to_owned());
        let fallen = row.fault.as_ref().map(|(seat, _)| *seat);
        let results = seat_results(self.objective, &row.scores, fallen);
        match own.and_then(|seat| results.get(seat)) {
            Some(SeatResult::Won) => {
                let text = || format!("the longest match that {first} won, {turns} turns");
                self.take(1, (turns, lead), row, text);
            }
            Some(SeatResult::Drew) => self.take(0, (0.0, turns), row, || format!("{first} drew")),
            Some(SeatResult::Lost) => {
                self.take(0, (-lead, turns), row, || format!("{first} lost"));
            }
            None => {}
        }
    }

    /// Replaces the match chosen so far if this one ranks higher.
    fn take(&mut self, place: usize, by: (f64, f64), row: &MatchRow, why: impl Fn() -> String) {
        if self.chosen[place].as_ref().is_some_and(|(known, _)| *known >= by) {
            return;
        }
        let named = |(seat, player): (usize, &String)| match row.players.len() {
            1 => player.clone(),
            _ => format!("{} {player}", Seat::new(seat).letter()),
        };
        let players: Vec<String> = row.players.iter().enumerate().map(named).collect();
        let players = players.join(", ");
        let text = format!("{}, seed {}, {players}: {}", row.scenario, row.seed, why());
        self.chosen[place] = Some((by, NotableMatch { id: row.id.clone(), text }));
    }
}
