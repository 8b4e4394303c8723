//! The messages that a WebAssembly module in a page gets.

use quintain_core::{AnyGame, MatchStart, Question};
use quintain_protocol::ToProgram;
use serde::Serialize;

/// Messages for a module, as lines of the protocol for programs. They are strings, so that no
/// number loses digits on its way through the page.
#[derive(Serialize)]
pub struct ModuleQuestion {
    /// Which instance of the module this is for.
    #[serde(rename = "match")]
    id: String,
    hello: String,
    start: String,
    turn: String,
    time_ms: u64,
}

impl ModuleQuestion {
    /// Makes a question in the match with this id.
    pub fn new(
        id: String,
        game: &dyn AnyGame,
        start: &MatchStart,
        question: &Question,
    ) -> ModuleQuestion {
        let time = question.time.unwrap_or_default();
        let line = |message: ToProgram| message.line().trim_end().to_owned();
        ModuleQuestion {
            hello: line(ToProgram::hello()),
            start: line(ToProgram::start(1, start, &game.setting())),
            turn: line(ToProgram::turn(question, time)),
            time_ms: time.as_millis() as u64,
            id,
        }
    }
}
