//! The shortest lesson: the smallest position found in which a player repeats the mistake that lost
//! a match.
//!
//! | | |
//! |---|---|
//! | `lesson` | a lesson, and its file |
//! | `asking` | what a player does in a lesson's position |
//! | `teacher` | from a lost match to a lesson: which decision, then smaller positions |
//! | `task` | who makes lessons, and what comes of it |
//! | `losses` | several lost matches, of which one becomes a lesson |
//! | `lost` | a lost match, and what can be asked about its decisions |
//! | `exact` | which decisions exact values call mistakes |
//! | `fall` | which decision lost a match between rivals, as far as a quick look tells |
//! | `small`, `finish` | smaller positions; the smallest becomes a lesson |
//! | `opponent` | the simplest opponent that punishes the mistake |
//! | `whole` | lessons of a whole match |
//! | `alike` | what a decision costs on average, where players cannot know how the match started |
//! | `review` | which decisions of a match without rivals cost most |
//! | `weighing` | what actions are worth, exactly or by search |
//! | `wording` | the sentence |
//! | `rivals` | who lost, and the game's players from weak to strong |
//! | `ladder` | plays for a loss against the game's players |
//!
//! A lesson says nothing about who played: it can be given to anybody. Which positions are simpler,
//! what actions are worth exactly, and how to put it in words is the game's
//! ([`Study`](quintain_core::Study)). Without that, a lesson keeps the whole match up to the
//! decision. Nothing here draws or reads arguments.

mod alike;
mod asking;
mod exact;
mod fall;
mod finish;
mod ladder;
mod lesson;
mod losses;
mod lost;
mod opponent;
mod review;
mod rivals;
mod small;
mod task;
mod teacher;
mod weighing;
mod whole;
mod wording;

pub use asking::{Attempt, attempt};
pub use ladder::find_loss;
pub use lesson::{
    FORMAT, Lesson, LessonFileError, Opponent, Origin, Verification, lesson_files, next_file,
};
pub use losses::Losses;
pub use task::{LessonError, Taught, Teacher};
