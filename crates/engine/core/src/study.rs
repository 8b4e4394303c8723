//! What a game can say about a single position: how to begin a match in it, which positions are
//! like it but simpler, and what its actions are worth. Lessons are made from it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use crate::seat::Seat;

/// A position in which matches begin: a scenario whose file is the drawing of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StudyPosition {
    /// The scenario, with the digest of the file. Where the file is
    /// [kept](crate::keep_file), the scenario can be built.
    pub scenario: String,
    /// The text of the file.
    pub file: String,
}

/// What an action is worth to a seat, in points of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionWorth {
    /// The action.
    pub action: String,
    /// What it is worth against an opponent that plays perfectly, and as badly for this action as
    /// perfect play allows.
    pub expected: f64,
    /// What it is worth at least, whatever the opponent does on this turn.
    pub least: f64,
    /// What the opponent does on this turn to hold it down to that.
    pub reply: String,
}

/// What all actions of a seat are worth.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionWorths {
    /// One entry an action; none if it would take more work than was allowed.
    pub actions: Option<Vec<ActionWorth>>,
    /// The number of positions that were searched for it.
    pub searched: u64,
}

/// A game's knowledge about single positions. Registered by [`Entry::study`](crate::Entry::study).
pub trait Study: Send + Sync {
    /// The position in which a match on a scenario stands, given what a seat observes, as one in
    /// which a match begins.
    ///
    /// # Errors
    /// Why no match can begin there, as the end of a sentence about the scenario.
    fn begin_at(&self, scenario: &str, observation: &Value) -> Result<StudyPosition, String>;

    /// Positions that are like this one but simpler, the greatest steps first. Each chain of such
    /// steps ends.
    fn simpler(&self, position: &StudyPosition) -> Vec<StudyPosition>;

    /// The exact worth of each action of a seat, if it can be found by searching at most `most`
    /// positions, and before `stop` is set.
    fn worths(
        &self,
        position: &StudyPosition,
        seat: Seat,
        most: u64,
        stop: Option<&Arc<AtomicBool>>,
    ) -> ActionWorths;

    /// The size of the board, in words: `5×4`.
    fn size(&self, position: &StudyPosition) -> String;

    /// What follows if a seat takes an action and the opponent the reply that is worst for it, in
    /// plain words that continue a sentence after the action and a colon. None if there is nothing
    /// to say that explains what the action is worth at least.
    fn consequence(
        &self,
        position: &StudyPosition,
        seat: Seat,
        worth: &ActionWorth,
    ) -> Option<String>;
}
