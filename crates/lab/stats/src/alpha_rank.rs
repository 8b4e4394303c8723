//! α-rank (Omidshafiei et al. 2019, "α-Rank: multi-agent evaluation by evolution"): how often each
//! player is met in a population that again and again switches to a player that beats its current
//! one. Unlike a rating it suits players that beat one another in cycles: the players of a cycle
//! share the time, and a player beaten by everybody gets none.

/// The chance of a step to a player that the current one beats, in the limit of strong selection;
/// it makes the answer unique.
const MUTATION: f64 = 1e-3;

/// The share of time of each of `players` players, in the limit of strong selection (α → ∞). From
/// one player the population considers another, drawn uniformly. It moves there if `beats(other,
/// one)` is positive, with half the chance where that is zero, and once in a thousand times where
/// it is negative.
///
/// ```
/// use quintain_stats::alpha_rank::alpha_rank;
///
/// // Rock, paper, scissors, and one that loses to all.
/// let beats = |a: usize, b: usize| match (a, b) {
///     (3, _) => -1.0,
///     (_, 3) => 1.0,
///     _ => [0.0, 1.0, -1.0][(3 + a - b) % 3],
/// };
/// let shares = alpha_rank(4, beats);
/// assert!(shares[..3].iter().all(|share| (share - 1.0 / 3.0).abs() < 0.01) && shares[3] < 0.01);
/// ```
pub fn alpha_rank(players: usize, beats: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    if players < 2 {
        return vec![1.0; players];
    }
    let rate = |from: usize, to: usize| {
        let better = beats(to, from);
        let chance = if better > 0.0 {
            1.0 - MUTATION
        } else if better == 0.0 {
            0.5
        } else {
            MUTATION
        };
        chance / (players - 1) as f64
    };
    let mut chain: Vec<Vec<f64>> = (0..players)
        .map(|from| (0..players).map(|to| if to == from { 0.0 } else { rate(from, to) }).collect())
        .collect();
    stationary(&mut chain)
}

/// The stationary distribution of a chain, given its rates from row to column, by eliminating one
/// state after another without subtractions (Grassmann, Taksar & Heyman 1985).
fn stationary(chain: &mut [Vec<f64>]) -> Vec<f64> {
    let states = chain.len();
    for last in (1..states).rev() {
        let out: f64 = chain[last][..last].iter().sum();
        for from in 0..last {
            chain[from][last] /= out;
            for to in 0..last {
                if to != from {
                    let through = chain[from][last] * chain[last][to];
                    chain[from][to] += through;
                }
            }
        }
    }
    let mut shares = vec![1.0; states];
    for state in 1..states {
        shares[state] = (0..state).map(|from| shares[from] * chain[from][state]).sum();
    }
    let all: f64 = shares.iter().sum();
    shares.iter().map(|share| share / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Rng;

    #[test]
    fn shares_are_those_of_the_chain_run_for_long() {
        let mut rng = Rng::from_seed(3);
        for players in 2..7 {
            let mut payoff = vec![vec![0.0; players]; players];
            for a in 0..players {
                for b in 0..a {
                    payoff[a][b] = [-1.0, 0.0, 1.0][rng.below(3)];
                    payoff[b][a] = -payoff[a][b];
                }
            }
            let shares = alpha_rank(players, |a, b| payoff[a][b]);
            // The slow twin: the distribution moved on until it stands still.
            let mut slow = vec![1.0 / players as f64; players];
            for _ in 0..200_000 {
                let mut next = slow.clone();
                for from in 0..players {
                    for to in (0..players).filter(|to| *to != from) {
                        let chance = match payoff[to][from] {
                            better if better > 0.0 => 1.0 - MUTATION,
                            0.0 => 0.5,
                            _ => MUTATION,
                        };
                        let moved = slow[from] * chance / (players - 1) as f64;
                        next[from] -= moved;
                        next[to] += moved;
                    }
                }
                slow = next;
            }
            for (fast, slow) in shares.iter().zip(&slow) {
                assert!((fast - slow).abs() < 1e-6, "{players}: {shares:?} {slow:?}");
            }
        }
    }

    #[test]
    fn who_beats_everybody_has_nearly_all_of_the_time() {
        let shares = alpha_rank(4, |a, b| if a < b { 1.0 } else { -1.0 });
        assert!(shares[0] > 0.99 && shares[3] < 0.001, "{shares:?}");
        assert_eq!((alpha_rank(0, |_, _| 0.0).len(), alpha_rank(1, |_, _| 0.0)), (0, vec![1.0]));
    }
}
