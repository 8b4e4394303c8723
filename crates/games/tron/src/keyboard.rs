//! How a person steers: arrow keys, or letters in the same layout.

use quintain_core::ui::{Key, Keyboard};

use crate::rules::direction::Direction;

/// The keyboard of tron.
pub(crate) const KEYBOARD: Keyboard = Keyboard {
    names: &[(Key::Up, "up"), (Key::Left, "left"), (Key::Right, "right"), (Key::Down, "down")],
    ..Keyboard::new("arrows or w a s d drive", action)
};

fn action(key: Key) -> Option<String> {
    let direction = match key {
        Key::Up | Key::Character('w') => Direction::Up,
        Key::Right | Key::Character('d') => Direction::Right,
        Key::Down | Key::Character('s') => Direction::Down,
        Key::Left | Key::Character('a') => Direction::Left,
        _ => return None,
    };
    Some(direction.to_string())
}
