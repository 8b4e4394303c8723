//! Tables beyond the ranking: how certain it is, how steady players are, how their matches end.

use quintain_core::Scoring;
use quintain_standings::{
    Blocks, Difference, EndingStats, NormalisedScores, Standings, StandingsRow,
};
use quintain_stats::Interval;

use super::layout::{Page, Style};
use crate::grid::Column;
use crate::numbers::{
    NOTHING, SCORE_DECIMALS, count, count_of, format_fixed, p_value, plain, with_intervals,
};

/// Those of these tables that have content.
pub(super) fn details(standings: &Standings, style: Style) -> String {
    let mut page = Page::new(style);
    if let Some(difference) = &standings.difference {
        mean_ranks(difference, &mut page);
    }
    render_resampling(standings, &mut page);
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

/// The critical-difference diagram, turned on its side: a bar for every group of players that do
/// not differ.
fn mean_ranks(difference: &Difference, page: &mut Page) {
    let test = &difference.test;
    let mut order: Vec<usize> = (0..difference.players.len()).collect();
    order.sort_by(|&a, &b| test.mean_ranks[a].total_cmp(&test.mean_ranks[b]));
    // The mean rank in the other tables is over scenarios.
    let (blocks, mean_rank) = match difference.blocks_are {
        Blocks::Scenarios => ("scenario", "mean rank"),
        Blocks::Seeds => ("seed", "mean rank by seed"),
    };
    page.heading(&format!("Mean ranks over {}", count_of(test.blocks as u64, blocks)));
    let bars = |player: usize| {
        let bar = |group: &Vec<usize>| if group.contains(&player) { "│" } else { " " };
        test.groups.iter().map(bar).collect::<Vec<_>>().join(" ").trim_end().to_owned()
    };
    page.columns(vec![
        column(mean_rank, order.iter().map(|&at| format_fixed(test.mean_ranks[at], 2)).collect()),
        text("player", order.iter().map(|&at| difference.players[at].clone()).collect()),
        text("not told apart", order.iter().map(|&at| bars(at)).collect()),
    ]);
    page.note(&format!(
        "A bar joins players whose mean ranks are less than {} apart (Nemenyi, 0.05); Friedman's \
         chi-square {}, {}.",
        format_fixed(test.critical_difference, 2),
        format_fixed(test.chi_square, 2),
        p_value(test.p_value),
    ));
}

/// Intervals of the ranking by resampling seeds.
fn render_resampling(standings: &Standings, page: &mut Page) {
    let rows = &standings.overall;
    if rows.iter().all(|row| row.resampled.is_none()) {
        return;
    }
    page.heading("Seeds resampled");
    let versus = standings.rule.scoring == Scoring::Adversarial;
    let merit = |row: &StandingsRow| match &row.elo {
        Some(elo) if versus => format_fixed(elo.rating, 1),
        _ => format_fixed(row.summary.mean, 3),
    };
    let end = |pick: fn(Interval) -> f64| {
        let cell = |row: &StandingsRow| {
            let interval = row.resampled.as_ref().and_then(|resampled| resampled.interval);
            let decimals = if versus { 1 } else { 3 };
            interval.map_or(NOTHING.to_owned(), |interval| format_fixed(pick(interval), decimals))
        };
        rows.iter().map(cell).collect::<Vec<_>>()
    };
    let ranks = |row: &StandingsRow| {
        let ranks = row.resampled.as_ref().map(|resampled| resampled.ranks);
        ranks.map_or(NOTHING.to_owned(), |(best, worst)| format!("{best}–{worst}"))
    };
    page.columns(vec![
        text("player", rows.iter().map(|row| row.player.clone()).collect()),
        column(if versus { "Elo" } else { "mean" }, rows.iter().map(merit).collect()),
        column("2.5 %", end(|interval| interval.low)),
        column("97.5 %", end(|interval| interval.high)),
        column("ranks", rows.iter().map(ranks).collect()),
    ]);
    page.note(
        "All matches on one seed of a scenario are drawn together, for all players; the ranks hold \
         jointly with 95 % confidence.",
    );
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
    let cell = |one: usize, other: usize| match of.chances[one][other] {
        Some(chance) if one != other => {
            let sure = of.p_values[one][other] <= 0.05;
            format!("{}{}", format_fixed(100.0 * chance, 0), if sure { "*" } else { " " })
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
    let share = |share: &f64| format_fixed(100.0 * share, 1);
    columns.push(column("α-rank %", of.alpha_rank.iter().map(share).collect()));
    page.columns(columns);
    page.note(
        "% of seeds on which the row's player does better, equal ones counting half; * differs \
         from \
         one half (sign test, Holm over all pairs, 0.05). α-rank: a player's share of the time if \
         whoever surely does better takes over (Omidshafiei et al. 2019); players in a ring share \
         it.",
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
            Some(games) => format!("{}-{}-{}", games.wins, games.draws, games.losses),
            None => NOTHING.to_owned(),
        });
        columns.push(column("won-drawn-lost", games.collect()));
    }
    page.columns(columns);
}

fn regret(standings: &Standings, page: &mut Page) {
    let rows = &standings.regret;
    if rows.is_empty() {
        return;
    }
    page.heading("Regret: the distance from a bound that nobody can beat");
    let means: Vec<_> = rows.iter().map(|row| Some((row.mean, row.interval))).collect();
    page.columns(vec![
        text("player", rows.iter().map(|row| row.player.clone()).collect()),
        column("n", rows.iter().map(|row| count(row.n)).collect()),
        column("mean ± 95 %", with_intervals(&means, SCORE_DECIMALS, false)),
        column("worst", plain(&rows.iter().map(|row| row.worst).collect::<Vec<_>>())),
        column("bound reached", rows.iter().map(|row| count(row.reached)).collect()),
    ]);
    page.note("The game proves the bound for each match; the optimum may lie short of it.");
}
