//! Tables beyond the ranking: all columns, who met whom, every scenario, how steady players are,
//! how their matches end.

use quintain_core::Scoring;
use quintain_standings::{EndingStats, NormalisedScores, Standings, StandingsRow};
use quintain_stats::{Interval, WinDrawLoss};

use super::layout::{Page, Style};
use super::tables;
use crate::grid::Column;
use crate::numbers::{NOTHING, SCORE_DECIMALS, count, format_fixed, plain, with_intervals};

/// Those of these tables that have content.
pub(super) fn details(standings: &Standings, style: Style) -> String {
    let mut page = Page::new(style);
    if standings.overall.is_empty() {
        return page.text;
    }
    tables::all_columns(standings, &mut page);
    tables::matrix(standings, &mut page);
    tables::scenarios(standings, &mut page);
    render_normalised(&standings.overall, &mut page);
    superiority(standings, &mut page);
    robustness(standings, &mut page);
    leagues(&standings.overall, &mut page);
    endings(&standings.overall, &mut page);
    regret(standings, &mut page);
    page.text
}

fn column(head: &str, cells: Vec<String>) -> Column {
    Column { head: head.to_owned(), cells, text: false, weight: None }
}

fn text(head: &str, cells: Vec<String>) -> Column {
    Column { text: true, ..column(head, cells) }
}

/// Scores of all scenarios on one scale.
fn render_normalised(rows: &[StandingsRow], page: &mut Page) {
    let known: Vec<_> =
        rows.iter().filter_map(|row| Some((row, row.normalised.as_ref()?))).collect();
    if known.is_empty() {
        return;
    }
    page.heading("Normalised scores");
    let end = |pick: fn(Interval) -> f64| {
        let cell = |of: &NormalisedScores| {
            of.interval.map_or(NOTHING.to_owned(), |i| format_fixed(pick(i), 3))
        };
        known.iter().map(|(_, of)| cell(of)).collect::<Vec<_>>()
    };
    let above = |level: f64| {
        let share = |of: &NormalisedScores| {
            let found = of.profile.iter().find(|(at, _)| (at - level).abs() < 1e-9);
            found.map_or(NOTHING.to_owned(), |(_, share)| format_fixed(100.0 * share, 0))
        };
        known.iter().map(|(_, of)| share(of)).collect::<Vec<_>>()
    };
    page.columns(vec![
        text("player", known.iter().map(|(row, _)| row.player.clone()).collect()),
        column("IQM", known.iter().map(|(_, of)| format_fixed(of.iqm, 3)).collect()),
        column("2.5 %", end(|interval| interval.low)),
        column("97.5 %", end(|interval| interval.high)),
        column("% above 0", above(0.0)),
        column("above 1/2", above(0.5)),
        column("above 1", above(1.0)),
    ]);
    page.note(
        "On each scenario 0 is the mean of the player that does worst there and 1 that of the \
         best. \
         IQM is the mean of the middle half of all scores (Agarwal et al. 2021).",
    );
}

/// With more players than this, the superiority of pairs is only in the JSON.
const MAX_PLAYERS_IN_MATRIX: usize = 24;

fn superiority(standings: &Standings, page: &mut Page) {
    let Some(of) = &standings.superiority else { return };
    let players = of.players.len();
    if players > MAX_PLAYERS_IN_MATRIX {
        return;
    }
    page.heading("Who does better than whom on a common seed");
    let letter = |at: usize| char::from(b'A' + at as u8).to_string();
    let ranks = |at: usize| standings.overall.get(at).and_then(|row| row.ranks);
    let differ_in_rank = |one: usize, other: usize| {
        let ranks = ranks(one).zip(ranks(other));
        ranks.is_some_and(|(one, other)| one.1 < other.0 || other.1 < one.0)
    };
    let cell = |one: usize, other: usize| match of.chances[one][other] {
        Some(chance) if one != other => {
            let p_value = of.p_values[one][other];
            let differ = p_value <= 0.05 && differ_in_rank(one, other);
            format!("{}{}", format_fixed(100.0 * chance, 0), if differ { "*" } else { " " })
        }
        _ => NOTHING.to_owned() + " ",
    };
    let mut columns =
        vec![text("", (0..players).map(letter).collect()), text("player", of.players.clone())];
    columns.extend(
        (0..players).map(|other| {
            column(&letter(other), (0..players).map(|one| cell(one, other)).collect())
        }),
    );
    let share = |player: usize| match &of.alpha_rank {
        Some(shares) => format_fixed(100.0 * shares[player], 1),
        None => NOTHING.to_owned(),
    };
    columns.push(column("α-rank %", (0..players).map(share).collect()));
    page.columns(columns);
    page.note(
        "% of seeds on which the row's player does better, equal ones counting half; * certainly \
         differs from one half, and so do the ranks (sign test, Holm over all pairs, 0.05). \
         α-rank: a player's share of the time if whoever certainly does better on common seeds \
         takes over (Omidshafiei et al. 2019); players in a ring share it.",
    );
}

fn robustness(standings: &Standings, page: &mut Page) {
    let steady: Vec<_> =
        standings.overall.iter().filter_map(|row| Some((row, row.robustness.as_ref()?))).collect();
    if steady.is_empty() {
        return;
    }
    page.heading("Steadiness over scenarios");
    let unit = match standings.rule.scoring {
        Scoring::Adversarial => "points %",
        Scoring::Independent => "mean",
    };
    let share = |of: f64| format!("{} %", format_fixed(100.0 * of, 0));
    let values = |value: Vec<f64>| plain(&value);
    page.columns(vec![
        text("player", steady.iter().map(|(row, _)| row.player.clone()).collect()),
        column("above average", steady.iter().map(|(_, of)| share(of.above_average)).collect()),
        column(&format!("median {unit}"), values(steady.iter().map(|(_, of)| of.median).collect())),
        column(
            &format!("{unit} on the worst"),
            values(steady.iter().map(|(_, of)| of.worst_value).collect()),
        ),
        text("worst scenario", steady.iter().map(|(_, of)| of.worst.clone()).collect()),
    ]);
    page.note(
        "“Above average” and “worst” compare with the average of all players on the scenario.",
    );
}

fn leagues(rows: &[StandingsRow], page: &mut Page) {
    let rated: Vec<_> = rows.iter().filter_map(|row| Some((row, row.leagues?))).collect();
    if rated.is_empty() {
        return;
    }
    page.heading("League-style ratings");
    let format_rating = |rating: f64, deviation: f64, decimals: usize| {
        format!("{} ± {}", format_fixed(rating, decimals), format_fixed(deviation, decimals))
    };
    let glicko = |of: &quintain_stats::online::Rating| format_rating(of.rating, of.deviation, 0);
    let weng_lin = |of: &quintain_stats::online::Rating| format_rating(of.rating, of.deviation, 2);
    page.columns(vec![
        text("player", rated.iter().map(|(row, _)| row.player.clone()).collect()),
        column("Glicko-2", rated.iter().map(|(_, of)| glicko(&of.glicko2)).collect()),
        column("Weng–Lin", rated.iter().map(|(_, of)| weng_lin(&of.weng_lin)).collect()),
    ]);
    page.note("± is one standard deviation. Games are taken in the order of their seeds.");
}

fn endings(rows: &[StandingsRow], page: &mut Page) {
    let all: Vec<_> =
        rows.iter().flat_map(|row| row.endings.iter().map(move |of| (row, of))).collect();
    if all.is_empty() {
        return;
    }
    page.heading("How matches ended");
    // The name is given only in the first row of a player.
    let name = |(row, of): &(&StandingsRow, &EndingStats)| match row.endings.first() {
        Some(first) if std::ptr::eq(first, *of) => row.player.clone(),
        _ => String::new(),
    };
    let mut columns = vec![
        text("player", all.iter().map(name).collect()),
        text("end", all.iter().map(|(_, of)| of.ending.clone()).collect()),
        column("matches", all.iter().map(|(_, of)| count(of.matches)).collect()),
        column("mean", plain(&all.iter().map(|(_, of)| of.mean).collect::<Vec<_>>())),
    ];
    if all.iter().any(|(_, of)| of.games.is_some()) {
        let games = all.iter().map(|(_, of)| match of.games {
            Some(games) => games.to_string(),
            None => NOTHING.to_owned(),
        });
        columns.push(column(WinDrawLoss::TITLE, games.collect()));
    }
    page.columns(columns);
}

/// The distances from bounds, or from perfect play.
pub(super) fn regret(standings: &Standings, page: &mut Page) {
    let rows = &standings.regret;
    let Some(first) = rows.first() else { return };
    let (heading, reached, note) = match first.exact {
        true => (
            "Regret: points of a match given away compared with perfect play",
            "perfect",
            "By exact values of all positions, in points of a match: a win is 1, a draw 0.5. \
             worst: the most in one match, which is more than 1 where the opponent gave something \
             back; perfect: matches in which nothing was given away.",
        ),
        false => (
            "Regret: the distance from a bound that nobody can beat",
            "bound reached",
            "The game proves the bound for each match; the optimum may lie short of it.",
        ),
    };
    page.heading(heading);
    let means: Vec<_> = rows.iter().map(|row| Some((row.mean, row.interval))).collect();
    page.columns(vec![
        text("player", rows.iter().map(|row| row.player.clone()).collect()),
        column("n", rows.iter().map(|row| count(row.n)).collect()),
        column("mean ± 95 %", with_intervals(&means, SCORE_DECIMALS, false)),
        column("worst", plain(&rows.iter().map(|row| row.worst).collect::<Vec<_>>())),
        column(reached, rows.iter().map(|row| count(row.reached)).collect()),
    ]);
    page.note(note);
}
