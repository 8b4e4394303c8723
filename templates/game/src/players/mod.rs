//! The roster. Each strategy is a file of its own; generic players come from
//! `quintain-search`.

mod centre;

use quintain_core::{Description, Entry};

use crate::rules::NewGame;

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<NewGame>) -> Entry<NewGame> {
    let entry = entry.player(
        Description {
            name: "centre",
            version: 1,
            summary: "marks the free cell on the most lines",
            source: "folklore",
        },
        |_rules, player: &centre::Centre| Ok(Box::new(player.clone())),
    );
    quintain_search::players::add_to(entry)
}
