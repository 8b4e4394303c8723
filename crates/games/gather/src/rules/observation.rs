//! What a seat sees: the trails and players on nine cells, under its own ids; and a position that
//! looks the same to it, with the rest drawn at random.

use quintain_core::{Rng, Seat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::ids::{IN_ORDER, Ids};
use crate::rules::state::State;
use crate::rules::torus::{Cell, Move};
use crate::rules::units::{Units, numbers};
use crate::rules::variant::Variant;

/// What a seat knows in one round. Where ids are masked, it is 0 itself, and everybody else has the
/// number by which this seat calls it, in trails and in meetings alike. The seat is not told where
/// on the board it is; what a program draws is placed by column and row of the board that the
/// referee sees, from 0 at the top left.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Columns of the torus: its extent from west to east (the course's L).
    pub width: u16,
    /// Rows of the torus: its extent from north to south (the course's W).
    pub height: u16,
    /// Players, and as many units of information (the course's N).
    pub players: u16,
    /// Rounds played.
    pub round: u32,
    /// The round on which the match is cut off.
    pub limit: u32,
    /// The number of this seat itself: 0 where ids are masked.
    pub me: u16,
    /// The units this seat holds.
    pub holds: Units,
    /// Its own cell and its neighbours, in the order stay, W, E, N, S, NW, NE, SW, SE. On a board
    /// of one or two columns or rows the same cell shows several times.
    pub around: [Look; 9],
}

/// One cell as it is seen.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Every unit ever carried onto it.
    pub trail: Units,
    /// The players on it now, without this seat itself, unless the setting says `mirror`.
    pub players: Units,
}

impl Observation {
    /// The cell to which a move leads.
    #[inline]
    pub fn at(&self, to: Move) -> &Look {
        &self.around[to as usize]
    }
}

/// Returns what `seat` sees of a position.
pub(crate) fn observe(variant: &Variant, state: &State, seat: Seat) -> Observation {
    let seat = seat.index();
    let ids = state.ids.of(seat);
    let called = |words: &[u64]| -> Units {
        if state.seats() <= 64 {
            let bits = numbers(words).fold(0, |bits, unit| bits | 1 << ids[unit]);
            return Units::from_word(bits);
        }
        numbers(words).map(|unit| usize::from(ids[unit])).collect()
    };
    let torus = state.torus();
    let look = |to: Move| {
        let cell = torus.index(torus.after(state.at[seat], to));
        let others = state.players_on(cell).filter(|other| *other != seat || variant.mirror);
        let players = if state.seats() <= 64 {
            Units::from_word(others.fold(0, |bits, other| bits | 1 << ids[other]))
        } else {
            others.map(|other| usize::from(ids[other])).collect()
        };
        Look { trail: called(state.trail_words(cell)), players }
    };
    Observation {
        width: torus.width,
        height: torus.height,
        players: state.seats() as u16,
        round: state.round(),
        limit: variant.limit,
        me: ids[seat],
        holds: called(state.holdings_words(seat)),
        around: Move::ALL.map(look),
    }
}

/// The words of [`Gather::look_words`](crate::Gather::look_words): the units that the seat
/// holds, then the trails of the nine cells around, then the players on them.
pub const LOOK_WORDS: usize = 1 + 2 * Move::ALL.len();

/// See [`Gather::look_words`](crate::Gather::look_words).
#[inline]
pub(crate) fn look_words(variant: &Variant, state: &State, seat: Seat) -> [u64; LOOK_WORDS] {
    assert!(state.seats() <= 64, "more players than a word has bits");
    let seat = seat.index();
    let cells = state.torus().around(state.at[seat]);
    let ids = state.ids.of(seat);
    let mut words = [0; LOOK_WORDS];
    // There are so few players that each set of units is one word.
    let (units, players) = words.split_at_mut(1 + Move::ALL.len());
    let mut sets = [0; 1 + Move::ALL.len()];
    sets[0] = state.holds[seat];
    for (trail, cell) in sets[1..].iter_mut().zip(cells) {
        *trail = state.trails[cell];
    }
    // Four units at a time, with one table for every four: there is no branch to mispredict.
    for table in state.ids.of_sets(seat) {
        for (called, set) in units.iter_mut().zip(&mut sets) {
            *called |= table[(*set & 15) as usize];
            *set >>= 4;
        }
    }
    for (players, cell) in players.iter_mut().zip(cells) {
        *players = state.players_on(cell).fold(0, |all, other| all | 1 << ids[other]);
    }
    if !variant.mirror {
        // On a side of one or two cells, the seat's own cell shows several times.
        players.iter_mut().for_each(|players| *players &= !(1 << ids[seat]));
    }
    words
}

/// Draws a position that looks like this to `seat`. Players that it does not see stand anywhere out
/// of its sight, with their own unit and no trail but the cell they are on.
pub(crate) fn determinize(
    variant: &Variant,
    seen: &Observation,
    seat: Seat,
    rng: &mut Rng,
) -> State {
    let (torus, seats, seat) = (variant.torus, variant.players, seat.index());
    let ids = match variant.masked {
        true => {
            let keys =
                (0..seats).map(|other| if other == seat { IN_ORDER } else { rng.bits() | 1 });
            Ids::with_keys(true, keys.collect())
        }
        false => Ids::in_order(seats),
    };
    let mut seat_called = vec![0; seats];
    for (other, id) in ids.of(seat).iter().enumerate() {
        seat_called[usize::from(*id)] = other;
    }
    let seats_of = |units: &Units| -> Vec<usize> {
        units.iter().filter_map(|id| seat_called.get(id).copied()).collect()
    };

    let own = torus.cell(rng.below(torus.area()));
    let around = Move::ALL.map(|to| torus.after(own, to));
    let mut at: Vec<Option<Cell>> = vec![None; seats];
    for (cell, look) in around.iter().zip(&seen.around) {
        seats_of(&look.players).into_iter().for_each(|other| at[other] = Some(*cell));
    }
    at[seat] = Some(own);
    let at: Vec<Cell> = at
        .into_iter()
        .map(|placed| {
            placed.unwrap_or_else(|| {
                // Only players out of sight are drawn, so there is a cell out of sight.
                loop {
                    let cell = torus.cell(rng.below(torus.area()));
                    let hidden = !around.contains(&cell);
                    if hidden || torus.width <= 3 && torus.height <= 3 {
                        return cell;
                    }
                }
            })
        })
        .collect();

    let mut state = State::new(torus, at, ids);
    for unit in seats_of(&seen.holds) {
        state.holdings_words_mut(seat)[unit / 64] |= 1 << (unit % 64);
    }
    state.pool();
    state.mark();
    for (cell, look) in around.iter().zip(&seen.around) {
        let words = state.trail_words_mut(torus.index(*cell));
        words.fill(0);
        for unit in seats_of(&look.trail) {
            words[unit / 64] |= 1 << (unit % 64);
        }
    }
    state.round = seen.round;
    state
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quintain_core::{Rng, Rules};

    use super::*;

    proptest! {
        #[test]
        fn looking_by_words_shows_what_the_observation_shows(
            players in 1usize..20, masked: bool, mirror: bool, seed: u64,
        ) {
            let scenario =
                format!("torus?players={players}&masked={masked}&mirror={mirror}&shared=true");
            let (built, _) = crate::entry().build(&scenario).expect("known");
            let rules = built.rules().clone();
            let mut rng = Rng::from_seed(seed);
            let mut state = built.start(&mut rng);
            for _ in 0..10 {
                let mut draw = |seat| rules.random_action(&state, seat, &mut rng);
                let moves = Seat::all(players).map(&mut draw);
                let joint: Vec<Move> = moves.collect();
                rules.step(&mut state, &joint);
            }
            for seat in Seat::all(players) {
                let seen = rules.observe(&state, seat);
                let trails = seen.around.iter().map(|look| look.trail.words()[0]);
                let others = seen.around.iter().map(|look| look.players.words()[0]);
                let words: Vec<u64> =
                    [seen.holds.words()[0]].into_iter().chain(trails).chain(others).collect();
                prop_assert_eq!(words, rules.look_words(&state, seat).to_vec());
            }
        }
    }
}
