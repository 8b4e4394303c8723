//! The three bots of the report “Tron.py”: *basic* scores the sixteen next joint moves, *improved*
//! looks S steps ahead, *advanced* knows zones. All constants of the report are parameters. The
//! tree search is in [`super::lookahead`], the sums of diagrams in [`super::voronoi`].

use quintain_core::{Decision, Fault, Player, Seat, parameters};

use super::lookahead::{Hypothesis, Lookahead, Order, Reply, best_free};
use super::voronoi::{Metric, ZoneRewards, plain_sum, zoned_sum, zones};
use crate::rules::Tron;
use crate::rules::direction::Direction;
use crate::rules::state::State;
use crate::rules::territory::{Claim, claims};

parameters! {
    /// The report's first bot.
    pub(crate) struct Basic {
        /// The distance that divides the grid.
        metric: Metric = Metric::Manhattan;
        /// The score of a move into a wall.
        wall_penalty: i64 = -999;
    }
}

/// Declares the parameters shared by improved and advanced, plus those of each.
macro_rules! lookahead_parameters {
    ($(#[$doc:meta])* $name:ident, steps = $steps:literal, { $($own:tt)* }) => {
        parameters! {
            $(#[$doc])*
            pub(crate) struct $name {
                /// S: steps of look-ahead.
                steps: u32 = $steps, in 1..=8;
                /// How the values of the opponent's possible replies are combined into the value of
                /// a move.
                reply: Reply = Reply::Best;
                /// The order of search; breadth-first and best-first always use `reply=best`.
                order: Order = Order::Depth;
                /// The most nodes that a best-first search expands.
                expansions: u64 = 500, in 1..=1_000_000;
                /// A node with a smaller sum is not expanded.
                stop_below: i64 = -1_000_000;
                /// Whether moves looked ahead leave walls (which cost the report's bot 3–4 points).
                update: bool = false;
                /// The distance that divides the grid.
                metric: Metric = Metric::Manhattan;
                /// The score of a move into a wall.
                wall_penalty: i64 = -999;
                $($own)*
            }
        }

        impl $name {
            fn lookahead(&self) -> Lookahead {
                Lookahead {
                    steps: self.steps,
                    reply: self.reply,
                    order: self.order,
                    expansions: self.expansions,
                    stop_below: self.stop_below,
                    update: self.update,
                    wall_penalty: self.wall_penalty,
                }
            }
        }
    };
}

quintain_core::choices! {
    /// What a node of the advanced bot's tree is worth.
    pub(crate) enum Rewards {
        /// The report's table: plain distances within zones.
        Zones = "zones",
        /// Another equation: true distances around walls, +1 own, −1 the other's.
        Territory = "territory",
    }
}

lookahead_parameters! {
    /// The report's second bot.
    Improved, steps = 3, {}
}
lookahead_parameters! {
    /// The report's third bot.
    Advanced, steps = 3, {
        /// What each cell outside the player's own zone (the region between walls it is in) adds to
        /// its sum.
        outside: i64 = -1;
        /// What each cell of the player's own zone adds to its sum when the opponent is in another
        /// zone.
        apart: i64 = 0;
        /// The equation that turns a diagram of territories into a reward.
        reward: Rewards = Rewards::Zones;
    }
}

/// The other seat of a two-seat game.
pub(crate) fn rival(seat: Seat) -> Seat {
    Seat::new(1 - seat.index())
}

impl Player<Tron> for Basic {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let state = decision.observation();
        let own = state.head(decision.seat());
        let other = state.head(rival(decision.seat()));
        let score = |direction: &Direction| {
            let next = state.neighbour(own, *direction);
            if !state.is_free(next) {
                return self.wall_penalty;
            }
            // All four moves of the opponent are counted, even into walls.
            let replies = Direction::ALL.map(|reply| state.neighbour(other, reply));
            replies.iter().map(|reply| plain_sum(&state, self.metric, next, *reply)).sum()
        };
        let scores = Direction::ALL.map(|direction| score(&direction));
        let best = best_free(&state, own, &scores);
        decision.note("value", scores[best] as f64);
        Ok(Direction::ALL[best])
    }
}

/// Looks ahead with a reward and notes what the search saw.
fn look_ahead(
    lookahead: &Lookahead,
    decision: &mut Decision<'_, Tron>,
    state: &State,
    reward: &dyn Fn(&Hypothesis<'_>) -> i64,
) -> Direction {
    let seat = decision.seat();
    let chosen = lookahead.choose(state, seat, rival(seat), reward);
    decision.note("value", chosen.value as f64);
    decision.note("nodes", chosen.nodes as f64);
    chosen.direction
}

impl Player<Tron> for Improved {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let state = decision.observation();
        let reward = |at: &Hypothesis<'_>| plain_sum(at.state, self.metric, at.own, at.other);
        Ok(look_ahead(&self.lookahead(), decision, &state, &reward))
    }
}

impl Player<Tron> for Advanced {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let state = decision.observation();
        let seat = decision.seat();
        let rewards = ZoneRewards { outside: self.outside, apart: self.apart };
        let now = zones(&state);
        let zoned = |at: &Hypothesis<'_>| {
            let moved;
            let zones = if self.update {
                moved = zones(at.state);
                &moved
            } else {
                &now
            };
            zoned_sum(at.state, zones, rewards, self.metric, at.own, at.other)
        };
        let territory = |at: &Hypothesis<'_>| {
            let moved = at.state.with_heads([(seat, at.own), (rival(seat), at.other)]);
            let count = |claim: Claim| match claim {
                Claim::Seat(owner) => {
                    if owner == seat {
                        1
                    } else {
                        -1
                    }
                }
                Claim::Nobody | Claim::Contested => 0,
            };
            claims(&moved).into_iter().map(count).sum()
        };
        let reward: &dyn Fn(&Hypothesis<'_>) -> i64 = match self.reward {
            Rewards::Zones => &zoned,
            Rewards::Territory => &territory,
        };
        Ok(look_ahead(&self.lookahead(), decision, &state, reward))
    }
}
