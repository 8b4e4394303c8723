//! Which profile fits the requests seen so far, and what will be asked for next.
//!
//! Both come from frequencies alone: each distribution that a profile was tuned on is
//! described once more below ([`frequencies`]), and the one under which the counts so far
//! are most likely is chosen. If even that one is much less likely than the counts' own
//! frequencies, none fits, and the general profile plays. The scenario's own source of
//! requests is out of a player's reach.

use std::sync::LazyLock;

use super::weights::profiles;
use crate::Piece;
use crate::requests::Weights;
use crate::rules::pieces::LETTERS;

/// The requests that distributions are told apart over; later ones count as the last.
const LENGTH: usize = 600;
/// The part of every distribution that is anything at all.
const ANYTHING: f64 = 0.02;
/// Nats a request that the best distribution may be worse than the requests' own
/// frequencies; beyond, none fits.
const MISFIT: f64 = 0.7;
/// Requests before that is judged.
const JUDGED: u32 = 25;
/// Nats that a distribution of one piece alone must be ahead by: others begin so at times,
/// and a plan that is given up after a few buildings costs more than it brings.
const ALONE: f64 = 4.3;
/// The profile for requests that no distribution fits.
const GENERAL: &str = "all";

/// What a distribution asks for.
struct Known {
    /// The number of its profile.
    profile: usize,
    /// The frequencies of all requests up to each.
    so_far: Vec<[f64; Piece::COUNT]>,
    /// The frequencies on each.
    then: Vec<Weights>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let named = profiles().iter().enumerate().filter(|(_, profile)| profile.name != GENERAL);
    named
        .map(|(number, profile)| {
            let then: Vec<Weights> =
                (0..LENGTH).map(|request| frequencies(&profile.name, request)).collect();
            let mut sum = [0.0; Piece::COUNT];
            let so_far = then.iter().enumerate().map(|(request, weights)| {
                let total: f64 = Piece::all().map(|piece| weights.get(piece)).sum();
                for piece in Piece::all() {
                    sum[piece.index()] += weights.get(piece) / total;
                }
                sum.map(|weight| weight / (request + 1) as f64)
            });
            Known { profile: number, so_far: so_far.collect(), then }
        })
        .collect()
});

/// What fits the requests seen.
#[derive(Clone, Copy)]
pub(super) struct Guess {
    /// The number of the profile.
    pub(super) profile: usize,
    /// The number among the known distributions; nothing if none fits.
    known: Option<usize>,
}

/// The profile that fits the requests seen.
pub(super) fn guess(seen: &[u16; Piece::COUNT]) -> Guess {
    let requests: u32 = seen.iter().map(|count| u32::from(*count)).sum();
    let last = (requests as usize).clamp(1, LENGTH) - 1;
    let asked: Vec<(usize, f64)> = seen
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(piece, count)| (piece, f64::from(*count)))
        .collect();
    let likelihood = |known: &Known| -> f64 {
        let frequency = |piece: usize| {
            (1.0 - ANYTHING) * known.so_far[last][piece] + ANYTHING / Piece::COUNT as f64
        };
        let alone = known.so_far[LENGTH - 1].iter().filter(|share| **share > 0.0).count() == 1;
        let ahead = if alone { ALONE } else { 0.0 };
        asked.iter().map(|&(piece, count)| count * frequency(piece).ln()).sum::<f64>() - ahead
    };
    let fits = KNOWN.iter().enumerate().map(|(number, known)| (number, likelihood(known)));
    let best = fits.max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let total = f64::from(requests.max(1));
    let own: f64 = asked.iter().map(|&(_, count)| count * (count / total).ln()).sum();
    let general = profiles().iter().position(|profile| profile.name == GENERAL);
    match (best, general) {
        (Some((_, fit)), Some(general)) if requests >= JUDGED && own - fit > MISFIT * total => {
            Guess { profile: general, known: None }
        }
        (Some((number, _)), _) => Guess { profile: KNOWN[number].profile, known: Some(number) },
        (None, _) => Guess { profile: general.unwrap_or(0), known: None },
    }
}

/// What is likely to be asked for on a request, counted from 0, after those seen.
pub(super) fn forecast(guess: Guess, seen: &[u16; Piece::COUNT], request: usize) -> Weights {
    match guess.known {
        Some(number) => KNOWN[number].then[request.min(LENGTH - 1)].clone(),
        None => Weights::of(Piece::all().map(|piece| (piece, f64::from(seen[piece.index()])))),
    }
}

fn letters(text: &str) -> Weights {
    let piece = |letter| Piece::residence(letter, 0).expect("a letter of a pentomino");
    Weights::of(text.chars().map(|letter| (piece(letter), 1.0)))
}

fn rectangles(sides: &[(u8, u8)]) -> Weights {
    let piece = |&(height, width)| Piece::factory(height, width).expect("sides from 1 to 5");
    Weights::of(sides.iter().map(|sides| (piece(sides), 1.0)))
}

/// How often a distribution of the class asks for each piece on a request, counted from
/// 0, as the course's page of request sources describes it.
fn frequencies(name: &str, request: usize) -> Weights {
    let walk = Weights::walk;
    let mix = Weights::mix;
    let half = |residences: &Weights, factories: &Weights| mix(0.5, residences, factories);
    match name {
        "random" => mix(0.7, &walk(), &Weights::sides([0.0, 1.0, 1.0, 1.0, 0.0])),
        "tailheavy" => mix(0.7, &walk(), &Weights::sides([0.185, 0.142, 0.120, 0.106, 0.447])),
        "stars" => mix(0.9, &letters("X"), &rectangles(&[(5, 5)])),
        "industrialization" => {
            let t = request as f64;
            let power = 50.0 / t.max(1.0);
            let below = |x: f64| x.powf(power);
            // The side is 5 less the number of whole fifths drawn.
            let side =
                |side: i32| below(f64::from(6 - side) / 5.0) - below(f64::from(5 - side) / 5.0);
            let sides = Weights::sides(std::array::from_fn(|index| side(index as i32 + 1)));
            mix(0.99 * 0.994f64.powi(request as i32), &walk(), &sides)
        }
        "misfits" => half(&letters("XT"), &rectangles(&[(1, 5), (5, 1)])),
        "tanks" => half(&letters("Pp"), &rectangles(&[(5, 5)])),
        "g1" => {
            let factories =
                if request < 140 { rectangles(&[(1, 1), (1, 2)]) } else { rectangles(&[(5, 5)]) };
            mix(0.8, &letters("XXXII"), &factories)
        }
        "g2" => half(&letters("XlTLUPpINV"), &rectangles(&[(1, 1)])),
        "g3" => half(&letters("ZplzlX"), &rectangles(&[(5, 5), (1, 1)])),
        "g4" if request < 22 => half(&walk(), &rectangles(&[(5, 5)])),
        "g4" => half(&letters("X"), &rectangles(&[(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)])),
        "g5" => half(&letters("fF"), &rectangles(&[(1, 1), (5, 5)])),
        "g6" => letters("I"),
        "g8" if request < 105 => letters(&LETTERS.iter().collect::<String>()),
        "g8" => Weights::sides([1.0; 5]),
        "g9" => half(&letters("I"), &rectangles(&[(1, 1)])),
        _ => mix(0.2, &letters("X"), &rectangles(&[(1, 1), (2, 2), (3, 3), (4, 4)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;
    use quintain_core::{Rng, Rules};

    /// What a scenario asks for, whatever is answered.
    fn requests(scenario: &str, count: usize) -> [u16; Piece::COUNT] {
        let (built, _) = entry().build(scenario).unwrap();
        let rules = built.rules().clone();
        let mut rng = Rng::from_seed(5);
        let mut state = built.start(&mut rng);
        for request in 0..count {
            built.apply_chance(&mut state, &mut rng);
            if request + 1 < count {
                rules.step(&mut state, &[crate::Move::Reject]);
            }
        }
        *state.request_counts()
    }

    #[test]
    fn every_distribution_that_has_a_profile_is_known_by_its_requests() {
        for profile in profiles().iter().filter(|profile| profile.name != GENERAL) {
            for count in [30, 150, 250] {
                let seen = requests(&profile.name, count);
                let found = &profiles()[guess(&seen).profile].name;
                assert_eq!(*found, profile.name, "after {count} requests");
            }
        }
    }

    #[test]
    fn what_no_distribution_asks_for_gets_the_general_weights() {
        let seen = requests("mixture?share=0.5&shapes=Y:1,W:1&factories=1x4:1", 60);
        let guess = guess(&seen);
        assert_eq!(profiles()[guess.profile].name, GENERAL);
        let next = forecast(guess, &seen, 60);
        assert!(next.get("Y".parse().unwrap()) > 0.0 && next.get("X".parse().unwrap()) == 0.0);
    }

    #[test]
    fn a_forecast_follows_the_phases_of_a_distribution() {
        let seen = requests("g1", 100);
        let (large, small) = ("5x5".parse().unwrap(), "1x1".parse().unwrap());
        let of = |request| forecast(guess(&seen), &seen, request);
        assert!(of(120).get(small) > 0.0 && of(120).get(large) == 0.0);
        assert!(of(150).get(large) > 0.0 && of(150).get(small) == 0.0);
    }
}
