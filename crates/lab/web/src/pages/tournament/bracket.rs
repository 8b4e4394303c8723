//! A knockout's bracket and the rounds of a Swiss tournament: a column for each round on a wide
//! screen, one below the other on a narrow one.

use maud::{Markup, html};
use quintain_standings::{Bracket, Meeting, Rounds};
use quintain_store::TournamentInfo;

use crate::pages::frame::{name, query, tournament_link};

/// Draws a bracket; each meeting leads to its matches.
pub(super) fn draw(info: &TournamentInfo, bracket: &Bracket) -> Markup {
    html! {
        h2 id="bracket" { "Bracket" }
        div class="bracket" {
            @for (number, round) in bracket.rounds.iter().enumerate() {
                section {
                    h3 { (bracket.round_name(number)) }
                    ol { @for meeting in round {
                        li { (draw_meeting(info, &bracket.players, meeting)) }
                    } }
                }
            }
        }
        @if bracket.rounds.iter().flatten().any(Meeting::is_tied) {
            p class="note" { "After a tie, the player earlier in the list advances." }
        }
    }
}

/// Draws the rounds of a Swiss tournament; each meeting leads to its matches.
pub(super) fn draw_rounds(info: &TournamentInfo, rounds: &Rounds) -> Markup {
    html! {
        h2 id="rounds" { "Rounds" }
        div class="bracket" {
            @for (number, round) in (1..).zip(&rounds.rounds) {
                section {
                    h3 { "Round " (number) " of " (rounds.planned) }
                    ol { @for meeting in round {
                        li { (draw_meeting(info, &rounds.players, meeting)) }
                    } }
                }
            }
        }
    }
}

fn draw_meeting(info: &TournamentInfo, players: &[String], meeting: &Meeting) -> Markup {
    let side = |seat: usize| {
        let player = meeting.players[seat];
        let has_won = player.is_some() && player == meeting.winner;
        html! {
            span class={ "side" @if has_won { " won" } } {
                span class="who" {
                    @match player {
                        Some(player) => { (name(&players[player])) }
                        None if meeting.is_bye => { "rests" }
                        None => { "open" }
                    }
                }
                @if let Some(points) = meeting.points.or(meeting.so_far) {
                    span class="points" { (points[seat]) }
                }
            }
        }
    };
    let sides = html! { (side(0)) (side(1)) };
    match (meeting.points.or(meeting.so_far), meeting.players) {
        (Some(_), [Some(one), Some(other)]) => {
            let (one, other) = (query(&players[one]), query(&players[other]));
            let link = tournament_link(info);
            let matches = format!("{link}/matches?player={one}&against={other}");
            html! { a class="meeting" href=(matches) { (sides) } }
        }
        _ => html! { div class="meeting" { (sides) } },
    }
}
