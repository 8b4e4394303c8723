//! How a person walks: arrows and the keys at their corners, or the digits as on a numeric keypad.

use quintain_core::ui::{Key, Keyboard};

use crate::rules::torus::Move;

/// The keyboard of gather.
pub(crate) const KEYBOARD: Keyboard = Keyboard {
    help: "arrows and Home PgUp End PgDn, or digits, walk; . or 5 stays",
    action,
    names: &[],
    pointing: None,
    solution: None,
};

fn action(key: Key) -> Option<String> {
    let to = match key {
        Key::Character('.' | '5') => Move::Stay,
        Key::Left | Key::Character('4') => Move::W,
        Key::Right | Key::Character('6') => Move::E,
        Key::Up | Key::Character('8') => Move::N,
        Key::Down | Key::Character('2') => Move::S,
        Key::Home | Key::Character('7') => Move::NW,
        Key::PageUp | Key::Character('9') => Move::NE,
        Key::End | Key::Character('1') => Move::SW,
        Key::PageDown | Key::Character('3') => Move::SE,
        _ => return None,
    };
    Some(to.to_string())
}
