//! What the module exports: a question is written where [`alloc`] says, and [`ask`] says where its
//! answer is. Texts are bytes of linear memory, and there is one of each, so that nothing has to be
//! freed.

use std::cell::RefCell;

use crate::rules::Rules;

thread_local! {
    static RULES: RefCell<Rules> = RefCell::new(Rules::new(crate::catalog()));
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where the next question of so many bytes may be written.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn alloc(length: u32) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.resize(length as usize, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question of so many bytes: the answer's place is in the upper 32 bits, its length in
/// the lower.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn ask(length: u32) -> u64 {
    let question = QUESTION
        .with_borrow(|bytes| String::from_utf8_lossy(&bytes[..length as usize]).into_owned());
    let answer = RULES.with_borrow_mut(|rules| rules.answer_text(&question));
    ANSWER.with_borrow_mut(|kept| {
        *kept = answer;
        (kept.as_ptr() as u64) << 32 | kept.len() as u64
    })
}
