//! A module of WebAssembly that answers what a page of one file asks, as a server does elsewhere.
//! `rules-worker.js` asks it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use crate::answer_questions;

/// What a page asks.
#[derive(Deserialize)]
pub struct Question {
    /// What is asked for, as a path.
    pub address: String,
    /// What is sent with it.
    #[serde(default)]
    pub body: Value,
}

/// What the page is told.
#[derive(Serialize, Debug)]
pub struct Answer {
    /// 200, or why not: 400 for what cannot be read, 404 for what is not there, 422 for what is
    /// refused.
    pub status: u16,
    /// What was asked for, or `{"error": …}`.
    pub said: Value,
}

impl Answer {
    /// Refuses with a reason.
    pub fn refuse(status: u16, why: impl ToString) -> Answer {
        Answer { status, said: json!({ "error": why.to_string() }) }
    }
}

/// Answers a question in JSON, in JSON.
pub fn answer_text(question: &str, answer: impl FnOnce(Question) -> Answer) -> String {
    let answer = match serde_json::from_str(question) {
        Ok(question) => answer(question),
        Err(error) => Answer::refuse(400, error),
    };
    serde_json::to_string(&answer).expect("answers have a JSON form")
}

/// Defines what the module exports: a question is written where `alloc` says, and `ask` says where
/// its answer is. Texts are bytes of linear memory, and there is one of each, so that nothing has
/// to be freed. The first argument is the type that answers, by its method
/// `answer(&mut self, Question) -> Answer`; the second makes one.
#[macro_export]
macro_rules! answer_questions {
    ($type:ty, $make:expr) => {
        thread_local! {
            static ANSWERS: ::std::cell::RefCell<$type> = ::std::cell::RefCell::new($make);
            static QUESTION: ::std::cell::RefCell<Vec<u8>> =
                const { ::std::cell::RefCell::new(Vec::new()) };
            static ANSWER: ::std::cell::RefCell<String> =
                const { ::std::cell::RefCell::new(String::new()) };
        }

        /// Where the next question of so many bytes may be written.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn alloc(length: u32) -> *mut u8 {
            QUESTION.with_borrow_mut(|question| {
                question.resize(length as usize, 0);
                question.as_mut_ptr()
            })
        }

        /// Answers the question of so many bytes: the answer's place is in the upper 32 bits, its
        /// length in the lower.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn ask(length: u32) -> u64 {
            let question = QUESTION.with_borrow(|bytes| {
                String::from_utf8_lossy(&bytes[..length as usize]).into_owned()
            });
            let answer = ANSWERS.with_borrow_mut(|answers| {
                $crate::page_module::answer_text(&question, |question| answers.answer(question))
            });
            ANSWER.with_borrow_mut(|kept| {
                *kept = answer;
                (kept.as_ptr() as u64) << 32 | kept.len() as u64
            })
        }
    };
}
