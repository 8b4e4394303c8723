//! The page of published lessons: of each the position and who is to decide. What is better is
//! shown when it is asked for.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use quintain_lessons::Lesson;
use quintain_web::pages::{Page, figure, name};

use super::{moment, page as framed};
use crate::config::Config;
use crate::state::{LessonSet, PublishedLesson, time_of};

/// Renders a set, with links to all.
pub(crate) fn page(config: &Config, set: Option<&LessonSet>, numbers: &[i64]) -> Page {
    let body = html! {
        main {
            h1 { "Lessons" }
            p {
                "Positions of lost matches: what went wrong, not who played. Find a better action \
                 before you look."
            }
            @match set {
                None => { p class="note" id="no-lessons" { "None is published yet." } }
                Some(set) => { (one_set(config, set)) }
            }
            @if numbers.len() > 1 {
                p id="sets" {
                    "All sets: "
                    @for number in numbers { a href={ "/lessons/" (number) } { (number) } " " }
                }
            }
        }
    };
    framed("Lessons", &[], body)
}

fn one_set(config: &Config, set: &LessonSet) -> Markup {
    let number = set.number;
    html! {
        h2 { "Set " (number) ", " (moment(&config.zone, time_of(set.at))) }
        p id="run" {
            a href={ "/lessons/" (number) ".zip" } download { "Download it" }
            " and unpack it, and see which of them your program passes: "
            code { "quintain lessons run bot:mybot lessons-" (number) }
        }
        (cards(set))
    }
}

/// Renders the lessons of a set.
pub(crate) fn cards(set: &LessonSet) -> Markup {
    html! {
        ul class="pictures lessons" {
            @for (at, one) in set.lessons.iter().enumerate() { li { (card(at + 1, one)) } }
        }
    }
}

fn card(number: usize, PublishedLesson { lesson, picture }: &PublishedLesson) -> Markup {
    let seat = lesson.seat.letter();
    html! {
        h3 { "Lesson " (number) }
        // As an image, a picture runs no script, wherever it comes from.
        img alt={ "The position in which " (seat) " is to decide" }
            src={ "data:image/svg+xml;base64," (STANDARD.encode(picture)) };
        p {
            (seat) " is to decide. "
            // The first is the one that was made; others could leave only the answer.
            @if let Some(made) = lesson.mistakes.first() { (name(made)) " is a mistake." }
        }
        details {
            summary { "What is better?" }
            p { strong { (name(&lesson.better.join(" or "))) } }
            p { (name(&lesson.sentence)) }
            p class="note" {
                (proof(lesson))
                @if let Some(opponent) = &lesson.opponent {
                    "; " (name(&opponent.player)) " is enough to punish the mistake"
                }
            }
        }
    }
}

/// Says how a lesson was checked by whoever made it.
fn proof(lesson: &Lesson) -> String {
    let verified = &lesson.verified;
    let (better, mistake) = (figure(verified.better), figure(verified.mistake));
    let player = quintain_scene::clean(&verified.player);
    let exact = if verified.exact { "proved by exact values; " } else { "" };
    format!(
        "{exact}{player} plays on to {better} after the better action, {mistake} after the mistake"
    )
}
