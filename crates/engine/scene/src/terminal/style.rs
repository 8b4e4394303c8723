//! The choice of characters and colours.

/// What a terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalStyle {
    /// ASCII characters without colour.
    Plain,
    /// Unicode and the 256 colours of xterm.
    Indexed,
    /// Unicode and any colour.
    Full,
}
