//! Tables in the forms in which sources print tournaments. Which source prints which table is the
//! caller's knowledge; this module knows only the forms.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::str::FromStr;

use quintain_core::{Objective, Scoring, Spec};
use quintain_standings::{Duels, RankSum, Standings};
use quintain_stats::WinDrawLoss;

use crate::results::Results;
use crate::text::plain;

/// A table, with its title in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceTable {
    /// Its heading.
    pub title: &'static str,
    /// Its form.
    pub table: TableKind,
}

/// Forms of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TableKind {
    /// Mean scores: a row for each scenario, a column for each player, and last the average over
    /// all; the best in bold.
    Means,
    /// Matches won against each other on the same scenario and seed, and how many of these duels
    /// each player won, lost and drew.
    Duels,
    /// The median of each player's scores.
    Medians,
    /// Mean scores of each player by two parameters of the scenario.
    Crossed {
        /// The parameter of the rows.
        rows: &'static str,
        /// The parameter of the columns.
        columns: &'static str,
    },
    /// The rank of each player on each scenario, and how often it was first, second and
    /// third.
    Ranks,
    /// Ranks without gaps on each scenario, and their sum, by which the table is ordered. Scenarios
    /// that differ only in one parameter count as one, with the mean of their scores.
    SumOfRanks {
        /// The parameter in which they differ.
        over: &'static str,
    },
    /// Each player's best and mean score and its time per match on each scenario.
    Trials,
    /// Matches won, drawn and lost by each player on each scenario.
    Outcomes,
}

/// The default of a scenario's parameter, by the names of both.
pub(crate) type Defaults<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// The tables in these forms that the results can fill, in Markdown.
pub(crate) fn tables(
    forms: &[SourceTable],
    standings: &Standings,
    results: &Results,
    defaults: Defaults<'_>,
) -> String {
    let mut text = String::new();
    for form in forms {
        let body = match form.table {
            TableKind::Means => means(standings),
            TableKind::Duels => duels(standings, results),
            TableKind::Medians => medians(standings),
            TableKind::Crossed { rows, columns } => {
                render_cross_table(standings, rows, columns, defaults)
            }
            TableKind::Ranks => ranks(standings),
            TableKind::SumOfRanks { over } => sum_of_ranks(standings, over),
            TableKind::Trials => trials(standings, results),
            TableKind::Outcomes => outcomes(standings),
        };
        if !body.is_empty() {
            let _ = write!(text, "## {}\n\n{body}\n", form.title);
        }
    }
    text
}

/// A table of cells; the first column has the names.
fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|---|{}\n", head.join(" | "), "---:|".repeat(head.len() - 1));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

fn players(standings: &Standings) -> Vec<&str> {
    standings.overall.iter().map(|row| row.player.as_str()).collect()
}

/// A table head: something, then the players.
fn head(first: &str, players: &[&str]) -> Vec<String> {
    [first.to_owned()].into_iter().chain(players.iter().map(|player| plain(player))).collect()
}

/// Formats with one decimal, as most scores are printed; with more where they are small.
fn number(value: f64) -> String {
    if value.abs() < 10.0 && value.fract() != 0.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.1}")
    }
}

const NOTHING: &str = "–";

fn means(standings: &Standings) -> String {
    let players = players(standings);
    if standings.scenarios.is_empty() || players.len() > MAX_COLUMNS {
        return String::new();
    }
    let mut names = head("scenario", &players);
    names.push("average".to_owned());
    let row = |scenario: &quintain_standings::ScenarioStandings| {
        let cell = |player: &&str| {
            let row = scenario.rows.iter().find(|row| row.player == *player);
            row.map_or(NOTHING.to_owned(), |row| match row.rank {
                1 => format!("**{}**", number(row.summary.mean)),
                _ => number(row.summary.mean),
            })
        };
        let sum: f64 = scenario.rows.iter().map(|row| row.summary.mean).sum();
        let average = number(sum / scenario.rows.len().max(1) as f64);
        let name = [plain(&scenario.scenario)].into_iter();
        name.chain(players.iter().map(cell)).chain([average]).collect()
    };
    let rows: Vec<Vec<String>> = standings.scenarios.iter().map(row).collect();
    table(&names, &rows) + "\nBold: the best of a scenario.\n"
}

/// Nobody reads more columns than this.
const MAX_COLUMNS: usize = 30;

fn duels(standings: &Standings, results: &Results) -> String {
    let (players, objective) = (players(standings), standings.rule.objective);
    if players.len() < 2 || players.len() > MAX_COLUMNS {
        return String::new();
    }
    let mut names = head("", &players);
    names.push("win-lose-draw".to_owned());
    let scores: Vec<_> = players.iter().map(|player| results.mean_scores(player)).collect();
    let duels = Duels::of(objective, &scores);
    let row = |(own, player): (usize, &&str)| {
        let cell = |(other, seeds): (usize, &WinDrawLoss)| match other == own {
            true => String::new(),
            false => format!("{}:{}", seeds.wins, seeds.losses),
        };
        let WinDrawLoss { wins, draws, losses } = duels.records[own];
        let cells = duels.seeds[own].iter().enumerate().map(cell);
        let name = std::iter::once(plain(player));
        name.chain(cells).chain([format!("{wins}-{losses}-{draws}")]).collect()
    };
    let rows: Vec<Vec<String>> = players.iter().enumerate().map(row).collect();
    table(&names, &rows)
}

fn medians(standings: &Standings) -> String {
    let mut rows: Vec<(f64, &str)> =
        standings.overall.iter().map(|row| (row.summary.median, row.player.as_str())).collect();
    rows.sort_by(|a, b| match standings.rule.objective {
        Objective::Maximize => b.0.total_cmp(&a.0),
        Objective::Minimize => a.0.total_cmp(&b.0),
    });
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|(median, player)| vec![plain(player), number(median)]).collect();
    table(&["player".to_owned(), "median".to_owned()], &rows)
}

/// A scenario's parameter; the texts of scenarios leave out defaults.
fn parameter(scenario: &str, name: &str, defaults: Defaults<'_>) -> String {
    let spec = Spec::from_str(scenario).unwrap_or_default();
    let given = spec.arguments.iter().find(|(key, _)| key == name);
    let given = given.map(|(_, value)| value.clone());
    given.or_else(|| defaults(&spec.path, name)).unwrap_or(NOTHING.to_owned())
}

/// The texts in order: numbers by size, others alphabetically.
fn in_order(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect::<BTreeSet<_>>().into_iter().collect();
    let size = |text: &String| text.parse().unwrap_or(f64::INFINITY);
    texts.sort_by(|a, b| size(a).total_cmp(&size(b)));
    texts
}

fn render_cross_table(
    standings: &Standings,
    rows: &str,
    columns: &str,
    defaults: Defaults<'_>,
) -> String {
    let parameter = |scenario: &str, name: &str| parameter(scenario, name, defaults);
    let of = |name| standings.scenarios.iter().map(move |s| parameter(&s.scenario, name));
    let (down, across) = (in_order(of(rows)), in_order(of(columns)));
    if across.len() > MAX_COLUMNS || (down.len() < 2 && across.len() < 2) {
        return String::new();
    }
    let mut text = String::new();
    for player in players(standings) {
        let mut names = vec![format!("{} · {rows}", plain(player))];
        names.extend(across.iter().map(|value| format!("{columns} {}", plain(value))));
        let cell = |down: &String, across: &String| {
            let mean = standings.mean_over(player, |scenario| {
                parameter(scenario, rows) == *down && parameter(scenario, columns) == *across
            });
            mean.map_or(NOTHING.to_owned(), number)
        };
        let lines: Vec<Vec<String>> = down
            .iter()
            .map(|down| {
                let cells = across.iter().map(|across| cell(down, across));
                [plain(down)].into_iter().chain(cells).collect()
            })
            .collect();
        text += &table(&names, &lines);
        text.push('\n');
    }
    text
}

fn ranks(standings: &Standings) -> String {
    let players = players(standings);
    if players.len() < 2 || players.len() > MAX_COLUMNS {
        return String::new();
    }
    let rank = |player: &str, scenario: &quintain_standings::ScenarioStandings| {
        let row = scenario.rows.iter().find(|row| row.player == player);
        row.map_or(NOTHING.to_owned(), |row| row.rank.to_string())
    };
    let mut rows: Vec<Vec<String>> = standings
        .scenarios
        .iter()
        .map(|scenario| {
            let ranks = players.iter().map(|player| rank(player, scenario));
            [plain(&scenario.scenario)].into_iter().chain(ranks).collect()
        })
        .collect();
    let places = |what: &str, of: fn(&quintain_standings::Placements) -> String| {
        let cells = standings.overall.iter().map(|row| match &row.places {
            Some(places) => format!("**{}**", of(places)),
            None => NOTHING.to_owned(),
        });
        [format!("**{what}**")].into_iter().chain(cells).collect::<Vec<String>>()
    };
    rows.push(places("first", |places| places.first.to_string()));
    rows.push(places("second", |places| places.second.to_string()));
    rows.push(places("third", |places| places.third.to_string()));
    rows.push(places("mean rank", |places| format!("{:.2}", places.mean_rank)));
    table(&head("scenario", &players), &rows)
}

/// A scenario without one of its parameters.
fn remove_parameter(scenario: &str, name: &str) -> String {
    let Ok(mut spec) = Spec::from_str(scenario) else { return scenario.to_owned() };
    spec.arguments.retain(|(key, _)| key != name);
    spec.to_string()
}

fn sum_of_ranks(standings: &Standings, over: &str) -> String {
    let (sums, count) = standings.rank_sums(|scenario| remove_parameter(scenario, over));
    if sums.len() < 2 || count == 0 {
        return String::new();
    }
    let row = |of: &RankSum| vec![plain(&of.player), of.rank.to_string(), of.sum.to_string()];
    let rows: Vec<Vec<String>> = sums.iter().map(row).collect();
    let names = ["player", "rank", "sum of ranks"].map(str::to_owned);
    table(&names, &rows)
        + &format!("\nOver {count} problems; equal players share a rank, and ranks have no gaps.\n")
}

fn trials(standings: &Standings, results: &Results) -> String {
    let objective = standings.rule.objective;
    let mut rows = Vec::new();
    for scenario in &standings.scenarios {
        for row in &scenario.rows {
            let Some(own) = results.of_player(&row.player, &scenario.scenario) else { continue };
            let best = own
                .iter()
                .map(|result| result.score)
                .max_by(|a, b| objective.gain(*a).total_cmp(&objective.gain(*b)));
            let time: f64 = own.iter().map(|result| result.seconds).sum();
            rows.push(vec![
                plain(&scenario.scenario),
                plain(&row.player),
                own.len().to_string(),
                best.map_or(NOTHING.to_owned(), number),
                number(row.summary.mean),
                format!("{:.2} s", time / own.len() as f64),
            ]);
        }
    }
    let names = ["dataset", "player", "matches", "best score", "mean score", "runtime"];
    if rows.is_empty() { String::new() } else { table(&names.map(str::to_owned), &rows) }
}

fn outcomes(standings: &Standings) -> String {
    if standings.rule.scoring != Scoring::Adversarial {
        return String::new();
    }
    let overall = standings.overall.iter().map(|row| ("all", row));
    let each = standings
        .scenarios
        .iter()
        .flat_map(|scenario| scenario.rows.iter().map(|row| (scenario.scenario.as_str(), row)));
    let rows: Vec<Vec<String>> = overall
        .chain(each)
        .filter_map(|(scenario, row)| {
            let games = row.games?;
            let counts = [games.wins, games.draws, games.losses].map(|count| count.to_string());
            let [won, drawn, lost] = counts;
            Some(vec![plain(&row.player), plain(scenario), won, drawn, lost])
        })
        .collect();
    let names = ["player", "scenario", "won", "drawn", "lost"].map(str::to_owned);
    if rows.is_empty() {
        String::new()
    } else {
        table(&names, &rows).replacen("|---|---:|", "|---|---|", 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::PlayerMatch;
    use quintain_standings::{MatchResult, ScoringRule};

    /// Two players alone on two scenarios and two seeds.
    fn results() -> (Standings, Results) {
        let scores = [
            ("x?n=2", 1, "ann", 10.0),
            ("x?n=2", 1, "bob", 8.0),
            ("x?n=2", 2, "ann", 7.0),
            ("x?n=2", 2, "bob", 9.0),
            ("x?n=10", 1, "ann", 5.0),
            ("x?n=10", 1, "bob", 5.0),
            ("x?n=10", 2, "ann", 6.0),
            ("x?n=10", 2, "bob", 1.0),
        ];
        let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Independent };
        let matches = scores.iter().map(|(scenario, seed, player, score)| MatchResult {
            scenario,
            seed: *seed,
            players: std::slice::from_ref(player),
            scores: std::slice::from_ref(score),
            fault: None,
            truncated: false,
            ending: "over",
        });
        let mut results = Results::default();
        for (scenario, seed, player, score) in scores {
            results.add(
                player,
                scenario,
                PlayerMatch { seed, score, seconds: 0.5, is_repeat: false },
            );
        }
        (Standings::of(rule, matches).unwrap(), results)
    }

    fn printed(table: TableKind) -> String {
        let (standings, results) = results();
        tables(&[SourceTable { title: "T", table }], &standings, &results, &|_, name| {
            (name == "m").then(|| "7x7".to_owned())
        })
    }

    #[test]
    fn means_stand_by_scenario_with_their_average_and_the_best_in_bold() {
        let text = printed(TableKind::Means);
        assert!(text.contains("| scenario | ann | bob | average |"), "{text}");
        assert!(text.contains("| x\\?n\\=10 | **5.500** | 3.0 | 4.250 |"), "{text}");
        assert!(text.contains("| x\\?n\\=2 | **8.500** | **8.500** | 8.500 |"), "{text}");
    }

    #[test]
    fn duels_are_between_scores_on_one_scenario_and_seed_and_equals_win_nothing() {
        let text = printed(TableKind::Duels);
        assert!(text.contains("| ann |  | 2:1 | 1-0-0 |"), "{text}");
        assert!(text.contains("| bob | 1:2 |  | 0-1-0 |"), "{text}");
    }

    #[test]
    fn crossed_tables_are_in_the_order_of_numbers() {
        let text = printed(TableKind::Crossed { rows: "n", columns: "m" });
        let (two, ten) =
            (text.find("| 2 | 8.500 |").unwrap(), text.find("| 10 | 5.500 |").unwrap());
        assert!(two < ten, "{text}");
        // A parameter that a scenario leaves out has its default.
        assert!(text.contains("m 7x7") && !text.contains("default"), "{text}");
    }

    #[test]
    fn ranks_have_their_counts_below() {
        let text = printed(TableKind::Ranks);
        assert!(text.contains("| x\\?n\\=10 | 1 | 2 |"), "{text}");
        assert!(text.contains("| **first** | **2** | **1** |"), "{text}");
        assert!(text.contains("| **second** | **0** | **1** |"), "{text}");
    }

    #[test]
    fn ranks_are_summed_over_problems_without_gaps() {
        // As two problems: 1 and 2; 1 and 1 by scores rounded down.
        let text = printed(TableKind::SumOfRanks { over: "game" });
        assert!(text.contains("| ann | 1 | 2 |") && text.contains("| bob | 2 | 3 |"), "{text}");
        // As one: 7 and 5.75.
        let text = printed(TableKind::SumOfRanks { over: "n" });
        assert!(text.contains("| ann | 1 | 1 |") && text.contains("Over 1 problems"), "{text}");
    }

    #[test]
    fn trials_tell_the_best_the_mean_and_the_time() {
        let text = printed(TableKind::Trials);
        assert!(text.contains("| x\\?n\\=2 | bob | 2 | 9.0 | 8.500 | 0.50 s |"), "{text}");
        assert!(printed(TableKind::Medians).contains("| ann | 6.500 |"));
    }

    #[test]
    fn what_the_results_cannot_fill_is_left_out() {
        assert_eq!(printed(TableKind::Outcomes), "");
        assert_eq!(printed(TableKind::Crossed { rows: "p", columns: "q" }), "");
    }
}
