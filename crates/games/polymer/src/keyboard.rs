//! How a person lays a chain: arrows, or the letters of the steps.

use quintain_core::ui::{Key, Keyboard};

/// The keyboard of polymer.
pub(crate) const KEYBOARD: Keyboard = Keyboard {
    names: &[
        (Key::Up, "up"),
        (Key::Left, "left"),
        (Key::Right, "right"),
        (Key::Down, "down"),
        (Key::Character('f'), "front"),
        (Key::Character('b'), "back"),
    ],
    ..Keyboard::new("arrows lay the next monomer; f and b go to the next slice", action)
};

fn action(key: Key) -> Option<String> {
    let step = match key {
        Key::Up | Key::Character('u' | 'U') => "U",
        Key::Right | Key::Character('r' | 'R') => "R",
        Key::Down | Key::Character('d' | 'D') => "D",
        Key::Left | Key::Character('l' | 'L') => "L",
        Key::Character('f' | 'F') => "F",
        Key::Character('b' | 'B') => "B",
        _ => return None,
    };
    Some(step.to_owned())
}
