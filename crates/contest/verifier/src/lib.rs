//! Verifies a contest's final in a visitor's browser: compiled to WebAssembly, this is what the
//! page asks that `quintain host export` writes.
//!
//! A question is `{"address": …, "body": …}`. `/begin` with the document begins; `/check` with
//! `{"place": …, "records": […]}` replays some records, from that place of the schedule on;
//! `/finish` computes the ranks, and says what the page may show. An answer is
//! `{"status": …, "said": …}`; what is refused has the status 422 and says why as `{"error": …}`.

use std::hint::black_box;

use quintain_core::Catalog;
use quintain_final::{DOCUMENT_FORMAT, FinalDocument, Refusal, VERIFIER_MARK, Verification};
use quintain_web::page_module::{Answer, Question, answer_questions};
use serde::Deserialize;
use serde_json::{Value, json};

answer_questions!(Verifier, Verifier::new(quintain_games::catalog()));

/// Answers what the page asks.
pub struct Verifier {
    catalog: Catalog,
    verification: Option<Verification>,
}

#[derive(Deserialize)]
struct Records {
    place: usize,
    records: Vec<String>,
}

impl Verifier {
    /// Returns a verifier that replays by the rules of these games.
    pub fn new(catalog: Catalog) -> Verifier {
        Verifier { catalog, verification: None }
    }

    /// Answers a question.
    pub fn answer(&mut self, question: Question) -> Answer {
        let said = match question.address.as_str() {
            "/begin" => self.begin(question.body),
            "/check" => self.check(question.body),
            "/finish" => self.finish(),
            other => Err(Answer::refuse(404, format!("nothing is called {other} here"))),
        };
        said.map_or_else(|refused| refused, |said| Answer { status: 200, said })
    }

    fn begin(&mut self, body: Value) -> Result<Value, Answer> {
        let document: FinalDocument = read(body)?;
        if document.format != DOCUMENT_FORMAT {
            let (found, ours) = (document.format, DOCUMENT_FORMAT);
            let why = format!("the document has form {found}, and they read {ours}");
            return Err(Answer::refuse(400, why));
        }
        let begun = Verification::begin(self.catalog.clone(), document).map_err(refuse)?;
        let planned = begun.count_planned();
        self.verification = Some(begun);
        // Whole among the module's bytes, where `quintain host export` looks for it.
        Ok(json!({ "planned": planned, "module": black_box(VERIFIER_MARK) }))
    }

    fn check(&mut self, body: Value) -> Result<Value, Answer> {
        let Records { place, records } = read(body)?;
        let verification = self.verification()?;
        for (at, record) in records.iter().enumerate() {
            verification.check(place + at, record).map_err(refuse)?;
        }
        Ok(Value::Null)
    }

    fn finish(&mut self) -> Result<Value, Answer> {
        let verdict = self.verification()?.finish().map_err(refuse)?;
        Ok(json!({
            "matches": verdict.matches,
            "ranks": verdict.ranks,
            "shown": verdict.shown,
        }))
    }

    fn verification(&mut self) -> Result<&mut Verification, Answer> {
        self.verification.as_mut().ok_or_else(|| Answer::refuse(400, "nothing was begun"))
    }
}

/// Refuses a final that is not what it says.
fn refuse(refusal: Refusal) -> Answer {
    Answer { status: 422, said: json!({ "error": refusal.to_string(), "match": refusal.number }) }
}

/// Reads what was asked.
fn read<T: serde::de::DeserializeOwned>(body: Value) -> Result<T, Answer> {
    serde_json::from_value(body).map_err(|error| Answer::refuse(400, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_the_rules_is_not_refused_as_a_false_final() {
        let mut verifier = Verifier::new(quintain_games::catalog());
        let mut ask = |address: &str, body: Value| {
            verifier.answer(Question { address: address.to_owned(), body }).status
        };
        let mut document = json!({
            "format": DOCUMENT_FORMAT, "contest": "cup", "game": "tron", "secret": "s",
            "commitment": "another", "rounds": 1, "scenarios": [], "players": [], "standings": [],
        });
        assert_eq!(ask("/begin", document.clone()), 422, "its secret has another digest");
        document["format"] = json!(DOCUMENT_FORMAT + 1);
        assert_eq!(ask("/begin", document), 400);
        assert_eq!(ask("/begin", json!({ "format": "garbage" })), 400);
        assert_eq!(ask("/finish", Value::Null), 400);
        assert_eq!(ask("/nowhere", Value::Null), 404);
    }
}
