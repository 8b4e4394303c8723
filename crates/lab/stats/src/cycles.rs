//! Cycles of players in which each beats the next, as in rock, paper, scissors. Where there are
//! cycles, no ranking tells the whole truth.

/// The shortest cycles among `players` players, by their indices: all cycles of the least length
/// that occurs, up to `longest`; at most `most` of them. Each is listed once and begins with its
/// lowest index. `beats(a, b)` says whether `a` is better than `b`.
///
/// ```
/// use quintain_stats::cycles::find_cycles;
///
/// // Rock 0 beats scissors 2, which beat paper 1, which beats rock; 3 loses to all.
/// let wins = [(0, 2), (2, 1), (1, 0), (0, 3), (1, 3), (2, 3)];
/// let beats = |a: usize, b: usize| wins.contains(&(a, b));
/// assert_eq!(find_cycles(4, 4, 10, beats), [[0, 2, 1]]);
/// ```
pub fn find_cycles(
    players: usize,
    longest: usize,
    most: usize,
    beats: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let beaten: Vec<Vec<usize>> =
        (0..players).map(|a| (0..players).filter(|&b| a != b && beats(a, b)).collect()).collect();
    let mut found = Vec::new();
    for length in 3..=longest {
        for first in 0..players {
            extend(&beaten, length, most, &mut vec![first], &mut found);
        }
        // A longer cycle says little where there are shorter ones.
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Extends `path` by depth-first search to all cycles of this length that begin with it and have
/// their lowest index first.
fn extend(
    beaten: &[Vec<usize>],
    length: usize,
    most: usize,
    path: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    let (first, last) = (path[0], path[path.len() - 1]);
    for &next in &beaten[last] {
        if found.len() >= most {
            return;
        }
        if path.len() == length && next == first {
            found.push(path.clone());
        } else if path.len() < length && next > first && !path.contains(&next) {
            path.push(next);
            extend(beaten, length, most, path, found);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rock_paper_scissors_is_a_ring() {
        let beats = |a: usize, b: usize| (b + 1) % 3 == a;
        assert_eq!(find_cycles(3, 4, 10, beats), [[0, 2, 1]]);
    }

    #[test]
    fn a_ladder_has_no_ring() {
        assert!(find_cycles(6, 5, 10, |a, b| a < b).is_empty());
    }

    #[test]
    fn longer_rings_are_named_where_there_are_no_shorter_ones() {
        let beats = |a: usize, b: usize| (a + 1) % 4 == b;
        assert_eq!(find_cycles(4, 4, 10, beats), [[0, 1, 2, 3]]);
        assert!(find_cycles(4, 3, 10, beats).is_empty());
    }

    #[test]
    fn no_more_rings_are_named_than_asked_for() {
        // Everybody beats everybody: every ordered triple is a cycle.
        assert_eq!(find_cycles(8, 3, 5, |_, _| true).len(), 5);
    }
}
