//! A table of standings, with the columns of every table of standings; and a picture of its answer:
//! each player's rating or mean score with its interval.

use maud::{Markup, html};
use quintain_scene::clean;
use quintain_standings::columns::{
    Cell, Column, ELO, FORFEITS, Format, Length, MEAN, MEAN_RANK, columns, describe_mark,
};
use quintain_standings::{StandingsRow, describe_faults};
use quintain_stats::Interval;
use quintain_store::PlayerName;

use crate::overview::Overview;
use crate::pages::charts::{Scale, WIDE, interval};
use crate::pages::frame::{figure, name, query, tournament_link};

/// Maximum number of players in the picture.
const PICTURED: usize = 40;

/// Renders a table of players, best first. Only the overall table has ratings.
pub(super) fn table(overview: &Overview, rows: &[StandingsRow], id: &str) -> Markup {
    let columns = columns(rows, overview.standings.scenarios.len(), Length::Short);
    html! {
        div class="wide" {
            // On a phone a row is a few lines.
            table class="list sortable cards flow" id=(id) {
                thead { tr { @for column in &columns { (head(column, rows)) } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for column in &columns {
                                @if column.format == Format::Text { (player(overview, row)) }
                                @else { (titled_value(column, row, rows)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Says what the columns of the table mean, for those who cannot point at their heads.
pub(super) fn explained(overview: &Overview, rows: &[StandingsRow]) -> Markup {
    let columns = columns(rows, overview.standings.scenarios.len(), Length::Short);
    html! {
        details class="note" {
            summary { "What the columns mean" }
            dl {
                @for column in columns.iter().filter(|column| column.format != Format::Text) {
                    dt { (column.head(rows)) } dd { (column.help) }
                }
            }
        }
    }
}

fn head(column: &Column, rows: &[StandingsRow]) -> Markup {
    let class = (column.format != Format::Text).then_some("number");
    html! { th scope="col" class=[class] title=(column.help) { (column.head(rows)) } }
}

/// Draws who is best and how sure that is: each player's rating, or its mean score, with its
/// interval; the places that it may have, where scores are from scenarios of different scales.
pub(super) fn ratings(overview: &Overview) -> Markup {
    let standings = &overview.standings;
    let rows = &standings.overall[..standings.overall.len().min(PICTURED)];
    let columns = columns(rows, standings.scenarios.len(), Length::Short);
    let shown = match (&standings.versus, standings.scenarios.len()) {
        (Some(_), _) => ELO,
        (None, 0 | 1) => MEAN,
        (None, _) => MEAN_RANK,
    };
    let Some(column) = columns.into_iter().find(|column| column.name == shown) else {
        return html! {};
    };
    let drawn = |row: &StandingsRow| match shown {
        MEAN_RANK => possible_places(row),
        _ => estimate((column.read)(row)),
    };
    let scale = scale_of_estimates(rows.iter().filter_map(drawn), shown == MEAN_RANK);
    let points = |row: &StandingsRow| row.games.and_then(|games| games.share());
    let is_wide = |bounds: Interval| bounds.low < bounds.high;
    let has_intervals = rows.iter().any(|row| drawn(row).and_then(|of| of.1).is_some_and(is_wide));
    let mark = |row: &StandingsRow| row.mark.map(describe_mark).unwrap_or_default();
    html! {
        table class="ratings" {
            caption class="note" {
                @match shown {
                    ELO if has_intervals => {
                        "Bars: Elo with its 95 % interval; beside them, the points."
                    }
                    ELO => "Dots: Elo; beside them, the points.",
                    MEAN if has_intervals => "Bars: the mean score with its 95 % interval.",
                    MEAN => "Dots: the mean score.",
                    _ => {
                        @if has_intervals {
                            "Bars: the places that each may have, the first at the right; all hold \
                             together with 95 % confidence. "
                        } @else {
                            "Dots: the places, the first at the right. "
                        }
                        "Beside them, the mean rank on " (standings.scenarios.len())
                        " scenarios; the less, the better."
                    }
                }
            }
            tbody {
                @for row in rows {
                    tr {
                        td class="number" { (row.rank) }
                        th scope="row" { (shown_name(overview, &row.player)) }
                        td class="drawn" {
                            @if let Some((value, bounds)) = drawn(row) {
                                (interval(&scale, value, bounds.map(|of| (of.low, of.high))))
                            }
                        }
                        @if let Some(share) = points(row) {
                            td class="number" { (format!("{:.1} %", 100.0 * share)) }
                        } @else {
                            (value(column, row))
                        }
                        td class="mark" { (mark(row)) }
                    }
                }
            }
        }
    }
}

/// A value that is drawn, with its bounds.
type Estimate = (f64, Option<Interval>);

fn estimate(cell: Cell<'_>) -> Option<Estimate> {
    match cell {
        Cell::Estimate(value, bounds, _) => Some((value, bounds)),
        Cell::Number(value) => Some((value, None)),
        _ => None,
    }
}

/// The place of a player, between the best and the worst that it may have.
fn possible_places(row: &StandingsRow) -> Option<Estimate> {
    let bounds = row.ranks.map(|(best, worst)| Interval { low: best as f64, high: worst as f64 });
    Some((row.rank as f64, bounds))
}

/// Returns the common scale of values with their bounds; where the least is the best, it is at the
/// right.
fn scale_of_estimates(
    estimates: impl Iterator<Item = Estimate> + Clone,
    is_least_best: bool,
) -> Scale {
    // If all values are positive, the scale need not be extended for intervals below zero.
    let is_positive = estimates.clone().all(|(value, _)| value > 0.0);
    let ends = estimates.flat_map(|(value, bounds)| {
        [Some(value), bounds.map(|of| of.low), bounds.map(|of| of.high)]
    });
    let ends = ends.flatten().filter(|value| !is_positive || *value > 0.0);
    let (left, right) = (8.0, WIDE - 8.0);
    if is_least_best { Scale::new(ends, right, left) } else { Scale::new(ends, left, right) }
}

/// Renders a player's name, with a link to the player's matches.
fn player(overview: &Overview, row: &StandingsRow) -> Markup {
    let matches = tournament_link(&overview.info) + "/matches?player=" + &query(&row.player);
    html! { th scope="row" { a href=(matches) { (shown_name(overview, &row.player)) } } }
}

/// Renders what people call a player: a version of a program by its commit, with what that is
/// about.
fn shown_name(overview: &Overview, player: &str) -> Markup {
    match overview.names.get(player) {
        None => name(player),
        Some(PlayerName { name: short, title }) => html! {
            (name(short)) " " span class="note" { "“" (clean(title)) "”" }
        },
    }
}

fn value(column: &Column, row: &StandingsRow) -> Markup {
    let cell = (column.read)(row);
    html! {
        td class="number" data-sort=[cell.sort_key()] { (value_text(column, row)) }
    }
}

fn value_text(column: &Column, row: &StandingsRow) -> Markup {
    html! {
        (text(column.format, (column.read)(row)))
        @if column.name == FORFEITS && row.forfeits > 0 { ": " (describe_faults(&row.faults)) }
    }
}

/// Renders a value with its column's title, for phones; a rank needs none.
fn titled_value(column: &Column, row: &StandingsRow, rows: &[StandingsRow]) -> Markup {
    let cell = (column.read)(row);
    let title = (!matches!(cell, Cell::Rank(..))).then(|| column.head(rows));
    html! {
        td class="number" data-sort=[cell.sort_key()] data-title=[title] {
            (value_text(column, row))
        }
    }
}

fn text(format: Format, cell: Cell<'_>) -> String {
    match (cell, format) {
        (Cell::Text(text), _) => text.to_owned(),
        (Cell::Count(count), _) => count.to_string(),
        (Cell::Number(value), Format::Decimals(decimals)) => format!("{value:.decimals$}"),
        (Cell::Number(value), _) => figure(value),
        (Cell::Estimate(value, interval, mark), format) => {
            let is_rating = format == Format::Rating;
            let write = |value| if is_rating { format!("{value:.0}") } else { figure(value) };
            let plus = if is_rating && value.is_sign_positive() { "+" } else { "" };
            let half = interval.map(|i| format!(" ± {}", write((i.high - i.low) / 2.0)));
            let mark = mark.map(String::from).unwrap_or_default();
            let text = format!("{plus}{}{}{mark}", write(value), half.unwrap_or_default());
            text.replace('-', "−")
        }
        (Cell::Range(best, worst), Format::Ranks) if best == worst => best.to_string(),
        (Cell::Range(best, worst), Format::Ranks) => format!("{best}–{worst}"),
        (Cell::Range(low, high), _) => format!("{} to {}", figure(low), figure(high)),
        (Cell::Rank(rank, mark), _) => {
            let word = mark.map(|mark| format!(" {}", describe_mark(mark)));
            format!("{rank}{}", word.unwrap_or_default())
        }
        (Cell::Games(games), _) => games.to_string(),
        (Cell::Nothing | Cell::Share(..), _) => String::new(),
    }
}
