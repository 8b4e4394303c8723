//! The matches of a program that its author should look at first: those lost by a fault, then those
//! lost by the largest margin and soonest.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use quintain_arena::compare::Comparison;
use quintain_core::{AnyGame, Scoring};
use quintain_scene::clean;
use quintain_store::{Filter, MatchRow, Store, StoreError};

use crate::board::format_number;
use crate::lists::format_count;

/// Number of matches listed.
const SHOWN: usize = 3;

/// A match that is worth a look.
pub(super) struct Worst {
    pub(super) id: String,
    /// Why it forfeited, if it did.
    fault: Option<String>,
    /// Its gain minus the best of the others; its own gain if it was alone.
    margin: f64,
    score: f64,
    others: Vec<String>,
    turns: u32,
    seed: u64,
}

impl Worst {
    /// Describes what happened in a few words.
    pub(super) fn describe(&self) -> String {
        let turns = format_count(self.turns as usize, "turn");
        let what = match (&self.fault, self.others.as_slice()) {
            (Some(fault), _) => format!("forfeited after {turns}: {}", clean(fault)),
            (None, []) => format!("scored {} in {turns}", format_number(self.score)),
            (None, others) => format!("lost to {} after {turns}", clean(&others.join(", "))),
        };
        format!("{what}, seed {}", self.seed)
    }
}

/// Finds the worst of a player's matches that these comparisons counted, the worst first. Its other
/// matches in the store, with other places, seeds or budgets, do not belong to this question.
pub(super) fn find(
    store: &Store,
    game: &dyn AnyGame,
    player: &str,
    comparisons: &[Comparison],
) -> Result<Vec<Worst>, StoreError> {
    let counted: BTreeSet<&str> = comparisons
        .iter()
        .flat_map(|comparison| comparison.ids.iter().map(String::as_str))
        .collect();
    let rivals = game.scoring() == Scoring::Adversarial;
    let filter = Filter {
        player: Some(player.to_owned()),
        game: Some(game.name().to_owned()),
        sorted: true,
        ..Filter::default()
    };
    let mut found = Vec::new();
    store.matches::<StoreError>(&filter, |row| {
        if counted.contains(row.id.as_str())
            && let Some(one) = judge(row, game, player, rivals)
        {
            found.push(one);
        }
        Ok(())
    })?;
    let by = |one: &Worst, other: &Worst| -> Ordering {
        let faults = other.fault.is_some().cmp(&one.fault.is_some());
        faults.then(one.margin.total_cmp(&other.margin)).then(one.turns.cmp(&other.turns))
    };
    found.sort_by(by);
    found.truncate(SHOWN);
    Ok(found)
}

/// Returns a match from its author's point of view; none if it was not lost although there are
/// rivals.
fn judge(row: &MatchRow, game: &dyn AnyGame, player: &str, rivals: bool) -> Option<Worst> {
    let gain = |seat: usize| game.objective().gain(row.scores[seat]);
    let seats = || 0..row.players.len().min(row.scores.len());
    let own = seats().filter(|seat| row.players[*seat] == player);
    let own = own.min_by(|one, other| gain(*one).total_cmp(&gain(*other)))?;
    let theirs = seats().filter(|seat| row.players[*seat] != player);
    let best = theirs.clone().map(gain).fold(f64::NEG_INFINITY, f64::max);
    let fault = row.fault.as_ref().filter(|(seat, _)| row.players[*seat] == player);
    let margin = if rivals && best.is_finite() { gain(own) - best } else { gain(own) };
    if fault.is_none() && rivals && margin >= 0.0 {
        return None;
    }
    let mut others: Vec<String> =
        if rivals { theirs.map(|seat| row.players[seat].clone()).collect() } else { Vec::new() };
    others.dedup();
    Some(Worst {
        id: row.id.clone(),
        fault: fault.map(|(_, why)| why.clone()),
        margin,
        score: row.scores[own],
        others,
        turns: row.turns,
        seed: row.seed,
    })
}
