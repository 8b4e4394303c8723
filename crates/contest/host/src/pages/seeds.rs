//! The page of the seeds that everybody plays alone: the sequences so far, with their secrets as
//! soon as they are retired.

use maud::{Markup, html};
use quintain_web::pages::Page;

use super::{moment, page as framed};
use crate::config::Config;
use crate::state::{Sequence, time_of};
use quintain_final::seeds::sequence_commitment;

/// Renders the page.
pub(crate) fn page(config: &Config, sequences: &[Sequence]) -> Page {
    let body = html! {
        main {
            h1 { "Seeds of the ladder" }
            p {
                "Everybody plays the same seeds, in the same order. They come in sequences, each \
                 from one secret. While a sequence is played, its seeds, its records and what \
                 programs say on it are secret, so that nobody can learn them by heart. After "
                (config.new_seeds) " all of that is shown, and another sequence begins. The \
                 BLAKE3 digest of each secret is shown from the beginning."
            }
            @if sequences.is_empty() { p class="note" { "None has begun yet." } }
            div class="wide" {
                table class="list compact" id="sequences" {
                    thead { tr { th { "sequence" } th { "time" } th { "digest and secret" } } }
                    tbody {
                        @for sequence in sequences { (one(config, sequence)) }
                    }
                }
            }
            p class="note" {
                "A digest is that of “quintain host: the secret of the ladder's seeds is SECRET”."
            }
        }
    };
    framed("Seeds", &[], body)
}

fn one(config: &Config, sequence: &Sequence) -> Markup {
    html! {
        tr {
            th scope="row" { (sequence.id) }
            td {
                (moment(&config.zone, time_of(sequence.begun)))
                @match sequence.retired {
                    Some(retired) => { " to " (moment(&config.zone, time_of(retired))) }
                    None => ", running"
                }
            }
            td {
                code class="digest" { (sequence_commitment(&sequence.secret)) }
                @if sequence.retired.is_some() {
                    br; code class="digest" { (sequence.secret) }
                }
            }
        }
    }
}
