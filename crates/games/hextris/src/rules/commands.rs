//! The six commands and the letters that speak them. Their effect on a unit is in
//! [`crate::rules::units`], their effect on a game in [`crate::rules`].

/// What a letter tells the unit to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Command {
    /// One cell left.
    West,
    /// One cell right.
    East,
    /// Down and half a cell left.
    SouthWest,
    /// Down and half a cell right.
    SouthEast,
    /// By 60° around the pivot.
    Clockwise,
    /// By −60° around the pivot.
    CounterClockwise,
}

impl Command {
    /// All six.
    pub const ALL: [Command; 6] = [
        Command::West,
        Command::East,
        Command::SouthWest,
        Command::SouthEast,
        Command::Clockwise,
        Command::CounterClockwise,
    ];

    /// The letters that speak this command, in lower case.
    pub const fn letters(self) -> &'static str {
        match self {
            Command::West => "p'!.03",
            Command::East => "bcefy2",
            Command::SouthWest => "aghij4",
            Command::SouthEast => "lmno 5",
            Command::Clockwise => "dqrvz1",
            Command::CounterClockwise => "kstuwx",
        }
    }

    /// The letter to speak where any will do.
    pub const fn letter(self) -> u8 {
        self.letters().as_bytes()[0]
    }

    /// Whether the unit goes down a row.
    pub const fn is_down(self) -> bool {
        matches!(self, Command::SouthWest | Command::SouthEast)
    }
}

/// The meaning of a character in a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Letter {
    /// A command.
    Command(Command),
    /// Tab, newline or carriage return: nothing happens, but a phrase is broken.
    Ignored,
    /// Not allowed in a solution.
    Unknown,
}

const LETTERS: [Letter; 256] = {
    let mut letters = [Letter::Unknown; 256];
    letters[b'\t' as usize] = Letter::Ignored;
    letters[b'\n' as usize] = Letter::Ignored;
    letters[b'\r' as usize] = Letter::Ignored;
    let mut command = 0;
    while command < 6 {
        let spoken = Command::ALL[command].letters().as_bytes();
        let mut index = 0;
        while index < spoken.len() {
            letters[spoken[index] as usize] = Letter::Command(Command::ALL[command]);
            letters[spoken[index].to_ascii_uppercase() as usize] =
                Letter::Command(Command::ALL[command]);
            index += 1;
        }
        command += 1;
    }
    letters
};

impl Letter {
    /// Classifies a byte of a solution.
    #[inline]
    pub const fn of(byte: u8) -> Letter {
        LETTERS[byte as usize]
    }
}

/// The command that a byte speaks, if any.
#[inline]
pub const fn command_of(byte: u8) -> Option<Command> {
    match Letter::of(byte) {
        Letter::Command(command) => Some(command),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_letters_in_either_case_six_digits_and_four_signs_are_commands() {
        let is_command = |byte: &u8| command_of(*byte).is_some();
        assert_eq!((0..=255).filter(is_command).count(), 36 + 26);
        assert_eq!(command_of(b'P'), Some(Command::West));
        assert_eq!(command_of(b' '), Some(Command::SouthEast));
        assert_eq!(Letter::of(b'\t'), Letter::Ignored);
        assert_eq!(Letter::of(b'_'), Letter::Unknown);
        for letter in ('a'..='z').chain('0'..='5') {
            assert!(command_of(letter as u8).is_some(), "{letter}");
        }
    }
}
