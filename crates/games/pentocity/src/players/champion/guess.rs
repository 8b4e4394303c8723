//! Guesses which profile fits the requests seen so far, and what will be asked for next.
//!
//! Of the distributions that profiles were tuned on ([`Class`]), the one under which the requests
//! so far, in their order, are most likely is chosen. If even that one is much less likely than the
//! requests' own frequencies, none fits, and one of the profiles that do well on others is chosen
//! by the size of what is asked for. A position tells how often each piece was asked for, but not
//! in which order; a player that has not seen the earlier requests judges by the counts alone. The
//! scenario's own source of requests is out of a player's reach.

use std::borrow::Cow;
use std::sync::LazyLock;

use quintain_core::Rng;
use quintain_core::parameters::Value;

use super::profiles::profiles;
use super::tuned::tuned;
use crate::Piece;
use crate::requests::{Class, Weights};
use crate::rules::state::State;

/// The profile from which the others were tuned; no distribution has its name.
const GENERAL: &str = "all";

/// The requests of a distribution.
struct Known {
    class: Class,
    /// The number of its profile.
    profile: usize,
    /// The lead in nats that it needs.
    ahead: f64,
    /// For each request, the frequencies over all requests up to it.
    so_far: Vec<[f64; Piece::COUNT]>,
    /// The frequencies on each request.
    then: Vec<Weights>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let numbers = &tuned().guess;
    let named = profiles().iter().enumerate().filter(|(_, profile)| profile.name != GENERAL);
    named
        .map(|(number, profile)| {
            let class = Class::read(&profile.name).expect("profiles are named after distributions");
            let on_request = |request| class.next_after(request).weights(false);
            let then: Vec<Weights> = (0..numbers.length).map(on_request).collect();
            let mut sum = [0.0; Piece::COUNT];
            let so_far = then.iter().enumerate().map(|(request, weights)| {
                let total = total(weights);
                for piece in Piece::all() {
                    sum[piece.index()] += weights.get(piece) / total;
                }
                sum.map(|weight| weight / (request + 1) as f64)
            });
            Known {
                class,
                profile: number,
                ahead: numbers.ahead.get(&profile.name).copied().unwrap_or(0.0),
                so_far: so_far.collect(),
                then,
            }
        })
        .collect()
});

/// Whether a piece is one cell wide and at least three long.
fn is_bar(piece: Piece) -> bool {
    let shape = piece.shape();
    shape.height.min(shape.width) == 1 && piece.size() >= 3
}

fn total(weights: &Weights) -> f64 {
    Piece::all().map(|piece| weights.get(piece)).sum()
}

/// The logarithm of a share, after mixing in the part that is spread over all pieces.
fn logarithm(share: f64) -> f64 {
    let anything = tuned().guess.anything;
    ((1.0 - anything) * share + anything / Piece::COUNT as f64).ln()
}

impl Known {
    /// The distribution of the next request after so many residences and factories.
    fn next(&self, residences: usize, factories: usize) -> Cow<'_, Weights> {
        match self.class.has_order() {
            true => Cow::Owned(self.class.next(residences, factories).weights(true)),
            false => Cow::Borrowed(&self.then[(residences + factories).min(self.then.len() - 1)]),
        }
    }

    /// The log-likelihood of these requests, whatever their order.
    fn likelihood(&self, seen: &[u16; Piece::COUNT]) -> f64 {
        let requests: usize = seen.iter().map(|count| usize::from(*count)).sum();
        let shares = &self.so_far[requests.clamp(1, self.so_far.len()) - 1];
        let asked = seen.iter().zip(shares).filter(|(count, _)| **count > 0);
        asked.map(|(count, share)| f64::from(*count) * logarithm(*share)).sum()
    }
}

/// The requests of a match, followed one by one.
pub(super) struct FollowedRequests {
    seen: [u16; Piece::COUNT],
    residences: usize,
    factories: usize,
    /// The log-likelihood of the requests under each known distribution; nothing if their order is
    /// not known.
    likelihoods: Option<Vec<f64>>,
}

impl FollowedRequests {
    pub(super) fn new() -> FollowedRequests {
        FollowedRequests {
            seen: [0; Piece::COUNT],
            residences: 0,
            factories: 0,
            likelihoods: Some(vec![0.0; KNOWN.len()]),
        }
    }

    /// Follows the match to a position that has a request.
    pub(super) fn follow(&mut self, state: &State) {
        let seen = state.request_counts();
        if self.seen == *seen {
            return;
        }
        if state.requests() == 1 {
            *self = FollowedRequests::new();
        }
        let before = std::mem::replace(&mut self.seen, *seen);
        let (residences, factories) = (self.residences, self.factories);
        self.residences = usize::from(state.totals().residences_asked);
        self.factories = usize::from(state.totals().factories_asked);
        let Some(request) = state.request() else { return };
        let mut expected = before;
        expected[request.index()] += 1;
        if expected != self.seen {
            self.likelihoods = None;
        }
        for (likelihood, known) in self.likelihoods.iter_mut().flatten().zip(KNOWN.iter()) {
            let weights = known.next(residences, factories);
            *likelihood += logarithm(weights.get(request) / total(&weights));
        }
    }

    /// The profile that fits the requests.
    pub(super) fn guess(&self) -> Guess {
        let likelihood = |number: usize, known: &Known| match &self.likelihoods {
            Some(likelihoods) => likelihoods[number] - known.ahead,
            None => known.likelihood(&self.seen) - known.ahead,
        };
        let fits =
            KNOWN.iter().enumerate().map(|(number, known)| (number, likelihood(number, known)));
        let best = fits.max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let asked: Vec<f64> =
            self.seen.iter().filter(|count| **count > 0).map(|count| f64::from(*count)).collect();
        let requests: f64 = asked.iter().sum();
        // A few requests lie nearer to their own frequencies than to those that they are drawn
        // from: by half a nat for each kind but one (Miller 1955).
        let own: f64 = asked.iter().map(|count| count * (count / requests).ln()).sum();
        let own = own - (asked.len().max(1) - 1) as f64 / 2.0;
        let numbers = &tuned().guess;
        match best {
            Some((number, fit)) if own - fit <= numbers.doubt + numbers.misfit * requests => {
                Guess { profile: KNOWN[number].profile, known: Some(number) }
            }
            _ => Guess { profile: self.profile_of_strangers(), known: None },
        }
    }

    /// The profile for requests that no known distribution fits.
    fn profile_of_strangers(&self) -> usize {
        let numbers = &tuned().guess.strangers;
        let share = |weigh: &dyn Fn(Piece) -> f64| {
            let asked = |piece: Piece| f64::from(self.seen[piece.index()]);
            let sum: f64 = Piece::all().map(|piece| asked(piece) * weigh(piece)).sum();
            sum / Piece::all().map(asked).sum::<f64>()
        };
        let size = share(&|piece| f64::from(piece.size()));
        let bars = share(&|piece| f64::from(is_bar(piece)));
        let name = if size >= numbers.large {
            &numbers.where_large
        } else if size >= numbers.medium || bars >= numbers.bars {
            &numbers.where_medium
        } else {
            &numbers.elsewhere
        };
        let named = profiles().iter().position(|profile| profile.name == *name);
        named.expect("tuned.toml names profiles")
    }

    /// Whether each of the next `length` requests is certain.
    pub(super) fn is_certain(&self, guess: Guess, length: usize) -> bool {
        let Some(number) = guess.known else { return false };
        let (mut residences, mut factories) = (self.residences, self.factories);
        (0..length).all(|_| {
            let weights = KNOWN[number].next(residences, factories);
            let mut asked = Piece::all().filter(|piece| weights.get(*piece) > 0.0);
            let (Some(piece), None) = (asked.next(), asked.next()) else { return false };
            *(if piece.is_factory() { &mut factories } else { &mut residences }) += 1;
            true
        })
    }

    /// Draws what may be asked for next, request by request.
    pub(super) fn draw(&self, guess: Guess, length: usize, rng: &mut Rng) -> Vec<Piece> {
        let Some(number) = guess.known else {
            let count = |piece: Piece| f64::from(self.seen[piece.index()]);
            let own = Weights::of(Piece::all().map(|piece| (piece, count(piece))));
            return (0..length).map(|_| own.draw(rng)).collect();
        };
        let (mut residences, mut factories) = (self.residences, self.factories);
        let next = || {
            let piece = KNOWN[number].next(residences, factories).draw(rng);
            *(if piece.is_factory() { &mut factories } else { &mut residences }) += 1;
            piece
        };
        std::iter::repeat_with(next).take(length).collect()
    }
}

/// The profile and distribution that fit the requests seen.
#[derive(Clone, Copy)]
pub(super) struct Guess {
    /// The number of the profile.
    pub(super) profile: usize,
    /// The index among the known distributions; nothing if none fits.
    known: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;
    use quintain_core::{Rng, Rules};

    /// The requests of a scenario, whatever the answers, followed one by one or seen only in the
    /// end.
    fn asked(scenario: &str, count: usize, is_followed: bool) -> FollowedRequests {
        let (built, _) = entry().build(scenario).unwrap();
        let rules = built.rules().clone();
        let mut rng = Rng::from_seed(5);
        let mut state = built.start(&mut rng);
        let mut asked = FollowedRequests::new();
        for request in 1..=count {
            built.apply_chance(&mut state, &mut rng);
            if is_followed || request == count {
                asked.follow(&state);
                asked.follow(&state);
            }
            rules.step(&mut state, &[crate::Move::Reject]);
        }
        asked
    }

    fn name(asked: &FollowedRequests) -> &str {
        &profiles()[asked.guess().profile].name
    }

    #[test]
    fn every_distribution_that_has_a_profile_is_known_by_its_requests() {
        for profile in profiles().iter().filter(|profile| profile.name != GENERAL) {
            for count in [30, 150, 250] {
                for is_followed in [true, false] {
                    let found = asked(&profile.name, count, is_followed);
                    assert_eq!(name(&found), profile.name, "after {count} requests, {is_followed}");
                }
            }
        }
    }

    #[test]
    fn a_cycle_is_known_by_its_order_from_the_second_request_on() {
        assert_eq!(name(&asked("g2", 1, true)), "stars");
        (2..10).for_each(|count| assert_eq!(name(&asked("g2", count, true)), "g2"));
        assert_eq!(name(&asked("g2", 4, false)), "g3");
    }

    #[test]
    fn a_new_match_is_followed_from_its_beginning() {
        let mut followed = asked("g2", 9, true);
        let (built, _) = entry().build("misfits").unwrap();
        let mut rng = Rng::from_seed(5);
        let mut state = built.start(&mut rng);
        built.apply_chance(&mut state, &mut rng);
        followed.follow(&state);
        assert_eq!(followed.likelihoods, asked("misfits", 1, true).likelihoods);
    }

    #[test]
    fn requests_of_no_known_distribution_get_a_profile_by_their_size() {
        for is_followed in [true, false] {
            for (scenario, profile) in [
                ("mixture?share=0.5&shapes=Y:1,W:1&factories=2x2:1", "random"),
                ("mixture?share=0.5&shapes=Y:1,W:1&factories=1x4:1", "tailheavy"),
                ("mixture?share=0.5&shapes=Y:1,W:1&factories=3x4:1", "tailheavy"),
                ("mixture?share=0.2&shapes=Y:1,W:1&factories=4x4:1", "misfits"),
            ] {
                let asked = asked(scenario, 60, is_followed);
                assert_eq!(name(&asked), profile, "{scenario}");
                let next = asked.draw(asked.guess(), 60, &mut Rng::from_seed(1));
                let [y, x] = ["Y", "X"].map(|piece| piece.parse().unwrap());
                assert!(next.contains(&y) && !next.contains(&x));
            }
        }
    }

    #[test]
    fn draws_follow_the_phases_of_a_distribution() {
        let asked = asked("g1", 100, true);
        let (large, small) = ("5x5".parse().unwrap(), "1x1".parse().unwrap());
        let next = asked.draw(asked.guess(), 100, &mut Rng::from_seed(1));
        assert!(next[..40].contains(&small) && !next[..40].contains(&large));
        assert!(next[40..].contains(&large) && !next[40..].contains(&small));
        assert!(!asked.is_certain(asked.guess(), 2));
    }

    #[test]
    fn draws_from_a_cycle_are_the_next_requests() {
        for scenario in ["g2", "g8"] {
            let (early, late) = (asked(scenario, 40, true), asked(scenario, 60, true));
            let mut expected = late.seen;
            for piece in early.draw(early.guess(), 20, &mut Rng::from_seed(1)) {
                expected[piece.index()] -= 1;
            }
            assert_eq!(expected, early.seen, "{scenario}");
            assert!(early.is_certain(early.guess(), 20));
        }
    }
}
