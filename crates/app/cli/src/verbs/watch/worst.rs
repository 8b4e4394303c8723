//! The matches of a program that its author should look at first: those lost by a fault, then those
//! lost by the largest margin and soonest.

use std::collections::BTreeSet;

use quintain_arena::compare::Comparison;
use quintain_arena::history::Loss;
use quintain_core::AnyGame;
use quintain_scene::clean;
use quintain_store::{Filter, Store, StoreError};

use crate::board::format_number;
use crate::lists::format_count;

/// Number of matches listed.
const SHOWN: usize = 3;

/// Describes what happened in a few words.
pub(crate) fn describe_loss(loss: &Loss) -> String {
    let turns = format_count(loss.turns as usize, "turn");
    let what = match (&loss.fault, loss.others.as_slice()) {
        (Some(fault), _) => format!("forfeited after {turns}: {}", clean(fault)),
        (None, []) => format!("scored {} in {turns}", format_number(loss.score)),
        (None, others) => format!("lost to {} after {turns}", clean(&others.join(", "))),
    };
    format!("{what}, seed {}", loss.seed)
}

/// Finds the worst of a player's matches that these comparisons counted, the worst first. Its other
/// matches in the store, with other places, seeds or budgets, do not belong to this question.
pub(super) fn find(
    store: &Store,
    game: &dyn AnyGame,
    player: &str,
    comparisons: &[Comparison],
) -> Result<Vec<Loss>, StoreError> {
    let counted: BTreeSet<&str> = comparisons
        .iter()
        .flat_map(|comparison| comparison.ids.iter().map(String::as_str))
        .collect();
    let filter = Filter {
        player: Some(player.to_owned()),
        game: Some(game.name().to_owned()),
        sorted: true,
        ..Filter::default()
    };
    let mut found = Vec::new();
    store.matches::<StoreError>(&filter, |row| {
        if counted.contains(row.id.as_str()) {
            found.extend(Loss::of(row, game, player));
        }
        Ok(())
    })?;
    Loss::keep_worst(&mut found, SHOWN);
    Ok(found)
}
