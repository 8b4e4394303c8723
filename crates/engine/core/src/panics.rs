//! Keeps panics of players quiet. The match loop catches a player's panic and writes it into the
//! record; the default hook would also print it across the progress bar. The hook here withholds
//! the message of a panic during a match. If the match itself unwinds, the rules or the framework
//! have a bug, and the withheld message is returned. Panics outside matches are printed as usual.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IN_MATCH: Cell<bool> = const { Cell::new(false) };
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic of the rules or the framework, not of a player.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PanicMessage(String);

/// Runs a match on this thread. Panics that the match catches are not printed.
///
/// # Errors
/// If the match itself panics: the panic's message, and where it happened.
pub fn catch<T>(play: impl FnOnce() -> T) -> Result<T, PanicMessage> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if IN_MATCH.get() {
                SAID.set(panic.to_string().replace('\n', " "));
            } else {
                before(panic);
            }
        }));
    });
    IN_MATCH.set(true);
    let played = catch_unwind(AssertUnwindSafe(play));
    IN_MATCH.set(false);
    played.map_err(|_| PanicMessage(SAID.take()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_panic_has_message_and_place() {
        let message = catch(|| -> u32 { panic!("the board is upside down") }).unwrap_err().0;
        assert!(message.contains("the board is upside down"), "{message}");
        assert!(message.contains("panics.rs:"), "{message}");
    }

    #[test]
    fn a_panic_caught_inside_is_ignored() {
        let caught = || catch_unwind(|| panic!("a player fell over")).is_err();
        assert_eq!(catch(caught), Ok(true));
        assert!(!IN_MATCH.get());
    }
}
