//! The report's tree of joint moves: every next move of one's own is combined with every one of the
//! opponent's, S steps deep. Each node is rewarded by its Voronoi sum, and a move is worth the best
//! path below it (section “Improved version”). A closure gives the reward of a node; `improved` and
//! `advanced` use the tree with different rewards.
//!
//! The report's list of further improvements is here too: more steps, another search order with
//! early stopping ([`Order`], `stop_below`), and diagrams that follow the hypothesised moves
//! (`update`).

use std::collections::{BinaryHeap, HashMap};
use std::mem::take;

use quintain_core::{Seat, choices};

use crate::rules::direction::Direction;
use crate::rules::state::State;

choices! {
    /// What is made of the other's replies to a move of one's own.
    pub(crate) enum Reply {
        /// The best for oneself: the report's maximum over all paths.
        Best = "best",
        /// Their sum, as the basic bot has it.
        Sum = "sum",
        /// The worst for oneself.
        Worst = "worst",
    }
}

choices! {
    /// The order in which the tree is searched.
    pub(crate) enum Order {
        /// To the full depth, everywhere.
        Depth = "depth-first",
        /// To the full depth, one step further everywhere at a time.
        Breadth = "breadth-first",
        /// The most promising path first, until `expansions` nodes are opened.
        Best = "best-first",
    }
}

/// The hypothesised heads, and the board with the trails that they would have left.
pub(crate) struct Hypothesis<'a> {
    pub(crate) state: &'a State,
    pub(crate) own: usize,
    pub(crate) other: usize,
}

/// The search, with the constants of the report as fields.
#[derive(Clone, Debug)]
pub(crate) struct Lookahead {
    pub(crate) steps: u32,
    pub(crate) reply: Reply,
    pub(crate) order: Order,
    pub(crate) expansions: u64,
    pub(crate) stop_below: i64,
    pub(crate) update: bool,
    pub(crate) wall_penalty: i64,
}

/// The chosen direction and what the search saw.
pub(crate) struct SearchChoice {
    pub(crate) direction: Direction,
    pub(crate) value: i64,
    pub(crate) nodes: u64,
}

type Reward<'a> = dyn Fn(&Hypothesis<'_>) -> i64 + 'a;

impl Lookahead {
    /// Returns the direction with the best value, the first in order among equals.
    pub(crate) fn choose(
        &self,
        state: &State,
        own: Seat,
        other: Seat,
        reward: &Reward<'_>,
    ) -> SearchChoice {
        let mut search = Search {
            settings: self,
            state: state.clone(),
            seats: (own, other),
            reward,
            values: HashMap::new(),
            rewards: HashMap::new(),
            nodes: 0,
        };
        let (own, other) = (state.head(own), state.head(other));
        let values = match self.order {
            Order::Depth => search.values_of_moves(own, other, self.steps),
            Order::Breadth => search.breadth_first(own, other),
            Order::Best => search.best_first(own, other),
        };
        let best = best_free(state, own, &values);
        SearchChoice { direction: Direction::ALL[best], value: values[best], nodes: search.nodes }
    }
}

/// Returns the direction with the greatest value, the first among equals. A wall is only entered
/// where nothing is free, however bad the sums of a large board are.
pub(crate) fn best_free(state: &State, head: usize, values: &[i64; 4]) -> usize {
    let free = |to: &usize| state.is_free(state.neighbour(head, Direction::ALL[*to]));
    let best = (0..4).rev().filter(free).max_by_key(|to| values[*to]);
    best.unwrap_or(0)
}

struct Search<'a> {
    settings: &'a Lookahead,
    state: State,
    seats: (Seat, Seat),
    reward: &'a Reward<'a>,
    /// The values of subtrees by heads and steps left, used where paths leave no marks on the
    /// board.
    values: HashMap<(usize, usize, u32), i64>,
    /// The rewards by heads, used in the same case.
    rewards: HashMap<(usize, usize), i64>,
    nodes: u64,
}

impl Search<'_> {
    /// Returns the value of each own move with `steps` still to look ahead.
    fn values_of_moves(&mut self, own: usize, other: usize, steps: u32) -> [i64; 4] {
        let replies = self.replies(other);
        Direction::ALL.map(|direction| {
            let next = self.state.neighbour(own, direction);
            if !self.state.is_free(next) {
                return self.settings.wall_penalty;
            }
            let values: Vec<i64> =
                replies.iter().map(|reply| self.value(next, *reply, steps)).collect();
            match self.settings.reply {
                Reply::Best => values.into_iter().max().unwrap_or_default(),
                Reply::Worst => values.into_iter().min().unwrap_or_default(),
                Reply::Sum => values.into_iter().sum(),
            }
        })
    }

    /// The cells that the opponent could move to, or its current cell if it cannot move.
    fn replies(&self, other: usize) -> Vec<usize> {
        let next = Direction::ALL.map(|direction| self.state.neighbour(other, direction));
        let free: Vec<usize> = next.into_iter().filter(|cell| self.state.is_free(*cell)).collect();
        if free.is_empty() { vec![other] } else { free }
    }

    /// Returns the reward of a node plus that of the best path below it.
    fn value(&mut self, own: usize, other: usize, steps: u32) -> i64 {
        if !self.settings.update
            && let Some(known) = self.values.get(&(own, other, steps))
        {
            return *known;
        }
        let reward = self.reward_of(own, other);
        let mut value = reward;
        if steps > 1 && reward >= self.settings.stop_below {
            let marked = self.settings.update.then(|| self.mark(own, other));
            let moves = self.values_of_moves(own, other, steps - 1);
            value += moves.into_iter().max().expect("four directions");
            if let Some(marked) = marked {
                self.state = marked;
            }
        }
        if !self.settings.update {
            self.values.insert((own, other, steps), value);
        }
        value
    }

    /// Marks the hypothesised heads as taken; returns the board as it was before.
    fn mark(&mut self, own: usize, other: usize) -> State {
        let before = self.state.clone();
        self.state.take(other, self.seats.1);
        self.state.take(own, self.seats.0);
        before
    }

    fn reward_of(&mut self, own: usize, other: usize) -> i64 {
        if !self.settings.update
            && let Some(known) = self.rewards.get(&(own, other))
        {
            return *known;
        }
        self.nodes += 1;
        let reward = (self.reward)(&Hypothesis { state: &self.state, own, other });
        if !self.settings.update {
            self.rewards.insert((own, other), reward);
        }
        reward
    }

    /// Repeatedly extends all paths by one joint move. As in the depth-first search, a move is
    /// worth the best path that begins with it.
    fn breadth_first(&mut self, own: usize, other: usize) -> [i64; 4] {
        let mut values = [self.settings.wall_penalty; 4];
        let mut best = [None; 4];
        let mut paths = vec![Path::from(own, other)];
        while !paths.is_empty() {
            for path in take(&mut paths) {
                let longer = self.extend(&path);
                // A path that cannot go on steps into a wall.
                if let (Some(first), true) = (path.first, longer.is_empty()) {
                    let total = path.total + self.settings.wall_penalty;
                    best[first as usize] = best[first as usize].max(Some(total));
                }
                for next in longer {
                    let first = next.first.expect("a path that was extended has a first move");
                    let last = next.total - path.total;
                    if next.steps < self.settings.steps && last >= self.settings.stop_below {
                        paths.push(next);
                    } else {
                        best[first as usize] = best[first as usize].max(Some(next.total));
                    }
                }
            }
        }
        for (value, best) in values.iter_mut().zip(best) {
            *value = best.unwrap_or(*value);
        }
        values
    }

    /// Repeatedly opens the path with the best reward so far. A move is worth the best path found
    /// below it, per step, so that longer paths have no advantage.
    fn best_first(&mut self, own: usize, other: usize) -> [i64; 4] {
        let mut values = [self.settings.wall_penalty; 4];
        let mut frontier: BinaryHeap<Path> = BinaryHeap::new();
        frontier.push(Path::from(own, other));
        let mut opened = 0;
        while let Some(path) = frontier.pop() {
            if opened == self.settings.expansions {
                break;
            }
            opened += 1;
            for next in self.extend(&path) {
                let first = next.first.expect("a path that was extended has a first move");
                let value = &mut values[first as usize];
                *value = (*value).max(next.mean);
                let last = next.total - path.total;
                if next.steps < self.settings.steps && last >= self.settings.stop_below {
                    frontier.push(next);
                }
            }
        }
        values
    }

    /// Returns all extensions of a path by one joint move.
    fn extend(&mut self, path: &Path) -> Vec<Path> {
        let before = self.settings.update.then(|| self.state.clone());
        if self.settings.update {
            for (cell, seat) in &path.trail {
                self.state.take(*cell, *seat);
            }
        }
        let mut longer = Vec::new();
        for direction in Direction::ALL {
            let own = self.state.neighbour(path.own, direction);
            if !self.state.is_free(own) {
                continue;
            }
            for other in self.replies(path.other) {
                let total = path.total + self.reward_of(own, other);
                let steps = path.steps + 1;
                let mut trail = path.trail.clone();
                trail.extend([(other, self.seats.1), (own, self.seats.0)]);
                longer.push(Path {
                    mean: total / i64::from(steps),
                    first: path.first.or(Some(direction)),
                    own,
                    other,
                    steps,
                    total,
                    trail,
                });
            }
        }
        if let Some(before) = before {
            self.state = before;
        }
        longer
    }
}

/// A sequence of joint moves. Paths are ordered by mean reward, then by the order of moves, so that
/// the search is deterministic.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Path {
    mean: i64,
    first: Option<Direction>,
    own: usize,
    other: usize,
    steps: u32,
    total: i64,
    trail: Vec<(usize, Seat)>,
}

impl Path {
    /// A path without steps.
    fn from(own: usize, other: usize) -> Path {
        Path { mean: 0, first: None, own, other, steps: 0, total: 0, trail: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::{Decision, Player, Rng, Rules, Seat, Turn};

    use crate::rules::Tron;

    /// Whether two players decide alike in all positions of a match that the first plays against
    /// itself.
    fn decide_alike(scenario: &str, names: [&str; 2]) -> bool {
        let entry = crate::entry();
        let scenario = entry.build(scenario).unwrap().0;
        let rules = scenario.rules().clone();
        let mut players: Vec<Box<dyn Player<Tron>>> =
            names.iter().map(|name| entry.build_player(name, &rules).unwrap()).collect();
        let mut rng = Rng::from_seed(7);
        let mut state = scenario.start(&mut rng);
        while rules.turn(&state) == Turn::Simultaneous {
            let mut joint = Vec::new();
            for seat in Seat::all(2) {
                let mut decide = |player: &mut Box<dyn Player<Tron>>| {
                    player.decide(&mut Decision::new(&rules, &state, seat, &mut rng)).unwrap()
                };
                let [first, second] = players.as_mut_slice() else { panic!("two players") };
                let (ours, theirs) = (decide(first), decide(second));
                if ours != theirs {
                    return false;
                }
                joint.push(ours);
            }
            rules.step(&mut state, &joint);
        }
        true
    }

    #[test]
    fn breadth_first_decides_as_depth_first_does_even_where_it_stops_early() {
        for more in ["", "&stop_below=0", "&update=true"] {
            let [depth, breadth] = ["depth-first", "breadth-first"]
                .map(|order| format!("advanced?order={order}{more}"));
            assert!(decide_alike("riddles", [&depth, &breadth]), "{breadth}");
        }
        assert!(!decide_alike("riddles", ["advanced", "advanced?steps=1"]));
    }
}
