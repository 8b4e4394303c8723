//! Verifies a contest's final in a visitor's browser: compiled to WebAssembly, this is what the
//! page asks that `quintain host export` writes.
//!
//! A question is `{"address": …, "body": …}`. `/begin` with the document begins; `/check` with
//! `{"place": …, "records": […]}` replays some records, from that place of the schedule on;
//! `/finish` computes the ranks, and says what the page may show. An answer is
//! `{"status": …, "said": …}`; what is refused has the status 422 and says why as `{"error": …}`.

use quintain_core::Catalog;
use quintain_final::{FinalDocument, Refusal, Verification};
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
            "/finish" => self.verification().and_then(|verification| {
                let verdict = verification.finish()?;
                Ok(json!({
                    "matches": verdict.matches,
                    "ranks": verdict.ranks,
                    "shown": verdict.shown,
                }))
            }),
            other => Err(format!("nothing is called {other} here").into()),
        };
        match said {
            Ok(said) => Answer { status: 200, said },
            Err(refusal) => Answer {
                status: 422,
                said: json!({ "error": refusal.to_string(), "match": refusal.number }),
            },
        }
    }

    fn verification(&mut self) -> Result<&mut Verification, Refusal> {
        self.verification.as_mut().ok_or_else(|| "nothing was begun".to_owned().into())
    }

    fn begin(&mut self, body: Value) -> Result<Value, Refusal> {
        let document: FinalDocument = read(body)?;
        let begun = Verification::begin(self.catalog.clone(), document)?;
        let planned = begun.count_planned();
        self.verification = Some(begun);
        Ok(json!({ "planned": planned }))
    }

    fn check(&mut self, body: Value) -> Result<Value, Refusal> {
        let Records { place, records } = read(body)?;
        let verification = self.verification()?;
        for (at, record) in records.iter().enumerate() {
            verification.check(place + at, record)?;
        }
        Ok(Value::Null)
    }
}

fn read<T: serde::de::DeserializeOwned>(body: Value) -> Result<T, Refusal> {
    serde_json::from_value(body).map_err(|error| error.to_string().into())
}
