//! Territory on any board with any number of seats: which living seat reaches each free cell first,
//! by plain breadth-first search. It is simple rather than fast; the two-player search engine has
//! its own bit boards.

use quintain_core::Seat;

use crate::rules::direction::Direction;
use crate::rules::state::State;

/// Which seat reaches a free cell first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// No seat can reach it.
    Nobody,
    /// This seat, before all others.
    Seat(Seat),
    /// Several seats reach it at the same time.
    Contested,
}

/// Returns who reaches each cell of the board first; taken cells are nobody's.
pub fn claims(state: &State) -> Vec<Claim> {
    let mut claims = vec![Claim::Nobody; state.width() * state.height()];
    let mut steps = vec![u16::MAX; claims.len()];
    let mut queue: Vec<u16> = Vec::with_capacity(claims.len());
    for seat in state.alive() {
        let head = state.head(seat);
        claims[head] = Claim::Seat(seat);
        steps[head] = 0;
        queue.push(head as u16);
    }
    let heads = queue.len();
    let mut next = 0;
    while let Some(&cell) = queue.get(next) {
        next += 1;
        let cell = usize::from(cell);
        let (claim, step) = (claims[cell], steps[cell] + 1);
        for direction in Direction::ALL {
            let reached = state.neighbour(cell, direction);
            if !state.is_free(reached) {
                continue;
            }
            if steps[reached] == u16::MAX {
                steps[reached] = step;
                claims[reached] = claim;
                queue.push(reached as u16);
            } else if steps[reached] == step && claims[reached] != claim {
                claims[reached] = Claim::Contested;
            }
        }
    }
    for head in &queue[..heads] {
        claims[usize::from(*head)] = Claim::Nobody;
    }
    claims
}

/// Returns the share of the claimed cells that `seat` claims, with contested cells counted half for
/// everyone; ½ where nobody claims anything.
pub fn share(state: &State, seat: Seat) -> f64 {
    let (mut mine, mut all) = (0u32, 0u32);
    for claim in claims(state) {
        let (own, total) = match claim {
            Claim::Nobody => (0, 0),
            Claim::Contested => (1, 2),
            Claim::Seat(owner) => (if owner == seat { 2 } else { 0 }, 2),
        };
        mine += own;
        all += total;
    }
    if all == 0 { 0.5 } else { f64::from(mine) / f64::from(all) }
}

/// Returns the number of free cells that can be reached from `cell`, including itself if it is
/// free.
pub fn reachable(state: &State, cell: usize) -> usize {
    let mut seen = vec![false; state.width() * state.height()];
    let mut stack = vec![cell];
    let mut count = 0;
    while let Some(cell) = stack.pop() {
        if seen[cell] || !state.is_free(cell) {
            continue;
        }
        seen[cell] = true;
        count += 1;
        stack.extend(Direction::ALL.map(|direction| state.neighbour(cell, direction)));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_drawn;

    fn draw_claims(board: &str) -> String {
        let state = parse_drawn(board);
        let claims = claims(&state);
        let shown = claims.chunks(state.width()).map(|row| {
            row.iter()
                .map(|claim| match claim {
                    Claim::Nobody => '.',
                    Claim::Contested => '=',
                    Claim::Seat(seat) => char::from(b'0' + seat.index() as u8),
                })
                .collect::<String>()
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_cell_belongs_to_the_head_that_is_nearer() {
        let claims = draw_claims(
            "
            #######
            #A    #
            #    B#
            #######",
        );
        assert_eq!(claims, ".......\n..0011.\n.0011..\n.......");
    }

    #[test]
    fn a_wall_in_between_keeps_a_cell_from_both() {
        let claims = draw_claims(
            "
            #######
            #A #  #
            ####B #
            #######",
        );
        assert_eq!(claims, ".......\n..0.11.\n.....1.\n.......");
    }

    #[test]
    fn only_cells_that_can_be_reached_count() {
        let state = parse_drawn(
            "
            #######
            #A #  #
            #  #B #
            #######",
        );
        assert_eq!(reachable(&state, 8 + 1), 3);
        assert_eq!(share(&state, Seat::new(0)), 0.5);
    }
}
