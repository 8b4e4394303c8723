//! The answers to what a page asks of the match that is played on it. The addresses are the
//! server's.

use quintain_core::ui::Keyboard;
use quintain_core::{Budget, Catalog};
use quintain_play::{HumanMatch, Patience, PlayError};
use quintain_web::page_module::{Answer, Question};
use quintain_web::play::{Hint, MoveRequest, NewMatchRequest, PointRequest, QuestionRequest, View};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The one match that is under way on a page.
struct Played {
    id: String,
    human_match: HumanMatch,
    keyboard: Keyboard,
    /// Of a module in the page.
    seed: u64,
}

impl Played {
    fn view(&self) -> View {
        View::of(&self.human_match, &self.keyboard, &self.id)
    }
}

/// The games of a page, and the match that is played.
pub struct Rules {
    catalog: Catalog,
    played: Option<Played>,
    begun: u64,
}

impl Rules {
    /// These games, and no match yet.
    pub fn new(catalog: Catalog) -> Rules {
        Rules { catalog, played: None, begun: 0 }
    }

    /// Answers what is asked at an address of the server's API.
    pub fn answer(&mut self, Question { address, body }: Question) -> Answer {
        let done = match address.strip_prefix("/api/play") {
            Some("") => self.begin(body),
            Some(rest) => self.go_on(rest.trim_start_matches('/'), body),
            None => Err(Answer::refuse(404, format!("there is no {address} in this page"))),
        };
        done.map_or_else(|refused| refused, |said| Answer { status: 200, said })
    }

    fn begin(&mut self, body: Value) -> Result<Value, Answer> {
        let request: NewMatchRequest = read(body)?;
        let refused = |error| Answer::refuse(400, error);
        let entry = self.catalog.entry(&request.game).map_err(refused)?;
        let keyboard = entry.keyboard().ok_or_else(|| {
            Answer::refuse(400, format!("{} cannot be played by hand", request.game))
        })?;
        let work = Some(request.think);
        let budget = Budget { iterations: work, nodes: work, ..Budget::default() };
        let seed = request.seed.unwrap_or(1);
        let (scenario, opponent) = (request.scenario.clone(), request.opponent.clone());
        let config = request.config(scenario, opponent, seed, budget);
        let human_match =
            HumanMatch::resume(&self.catalog, &config, &request.actions, Patience::default())
                .map_err(refused)?;
        self.begun += 1;
        let played = Played { id: self.begun.to_string(), human_match, keyboard, seed: self.begun };
        write(self.played.insert(played).view())
    }

    /// What is asked about the match under way: `ID` or `ID/WHAT`.
    fn go_on(&mut self, what: &str, body: Value) -> Result<Value, Answer> {
        let (id, what) = what.split_once('/').unwrap_or((what, ""));
        let is_it = |played: &&mut Played| played.id == id;
        let Some(played) = self.played.as_mut().filter(is_it) else {
            return Err(Answer::refuse(404, "this match is not played on this page any more"));
        };
        let refused = |error: PlayError| Answer::refuse(422, error);
        match what {
            "" => write(played.view()),
            "move" => {
                read::<MoveRequest>(body)?.play(&mut played.human_match).map_err(refused)?;
                write(played.view())
            }
            "undo" if played.human_match.can_undo() => {
                played.human_match.undo();
                write(played.view())
            }
            "undo" => Err(Answer::refuse(422, "there is nothing to be taken back")),
            "hint" => write(Hint::ask(&self.catalog, &played.human_match).map_err(refused)?),
            "question" => {
                let request: QuestionRequest = read(body)?;
                let asked = request.ask(&played.human_match, id, played.seed);
                write(asked.map_err(refused)?)
            }
            "point" => {
                let request: PointRequest = read(body)?;
                write(request.meaning(&played.human_match, &played.keyboard))
            }
            "record" => match played.human_match.record() {
                // As text, so that no number loses digits on its way through the page, and with its
                // digest.
                Some((record, _)) => write(record.to_json()),
                None => Err(Answer::refuse(422, "the match is not over")),
            },
            "end" => {
                self.played = None;
                Ok(Value::Null)
            }
            what => Err(Answer::refuse(404, format!("nothing is called {what} here"))),
        }
    }
}

fn read<T: DeserializeOwned>(body: Value) -> Result<T, Answer> {
    serde_json::from_value(body).map_err(|error| Answer::refuse(400, error))
}

fn write(said: impl Serialize) -> Result<Value, Answer> {
    serde_json::to_value(said).map_err(|error| Answer::refuse(500, error))
}

#[cfg(test)]
mod tests {
    use quintain_web::page_module::answer_text;
    use serde_json::json;

    use super::*;

    fn ask(rules: &mut Rules, address: &str, body: Value) -> Answer {
        rules.answer(Question { address: address.to_owned(), body })
    }

    fn rules() -> Rules {
        Rules::new(crate::catalog())
    }

    /// Asks for what is there.
    fn get(rules: &mut Rules, address: &str, body: Value) -> Value {
        let answer = ask(rules, address, body);
        assert_eq!(answer.status, 200, "{address}: {answer:?}");
        answer.said
    }

    fn begin(rules: &mut Rules, game: &str, opponent: &str) -> Value {
        let scenario = if game == "tron" { "empty?width=9&height=9" } else { "standard" };
        let asked = json!({
            "game": game, "scenario": scenario, "opponent": opponent, "think": 100, "seed": 7,
        });
        get(rules, "/api/play", asked)
    }

    #[test]
    fn a_match_is_played_to_its_end_and_leaves_a_record_that_replays() {
        for (game, opponent) in [("tron", "champion"), ("connect-four", "uct")] {
            let mut rules = rules();
            let mut view = begin(&mut rules, game, opponent);
            while view["over"] == false {
                let action = view["offered"][0].clone();
                view = get(&mut rules, "/api/play/1/move", json!({ "action": action }));
            }
            let record = get(&mut rules, "/api/play/1/record", Value::Null);
            // As `quintain verify` reads the file that is saved, the digest with it.
            let record = quintain_core::Record::from_json(record.as_str().unwrap()).unwrap();
            let people = std::sync::Arc::new(quintain_play::HumanPlayers);
            let catalog = crate::catalog().with_external(people);
            let played = catalog.game_of(&record).unwrap();
            assert_eq!(played.verify(&record), Ok(()), "{game}");
        }
    }

    #[test]
    fn pointing_hints_and_questions_for_modules_are_answered() {
        let mut rules = rules();
        begin(&mut rules, "connect-four", "outside");
        let meant = get(&mut rules, "/api/play/1/point", json!({ "row": 0, "column": 3 }));
        assert_eq!(meant["action"], "4");
        let hint = get(&mut rules, "/api/play/1/hint", json!({}));
        assert!(hint["action"].is_string() && hint["by"] == "uct", "{hint}");
        let question = get(&mut rules, "/api/play/1/question", json!({ "seat": 0 }));
        assert_eq!(question["time_ms"], 1000);
        assert!(question["start"].as_str().unwrap().contains("\"game\":\"connect-four\""));
        // Both seats are played from outside.
        get(&mut rules, "/api/play/1/move", json!({ "action": "4" }));
        let view = get(&mut rules, "/api/play/1/move", json!({ "others": [[1, "4"]] }));
        assert_eq!(view["turn"], 2);
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        let mut rules = rules();
        for (address, body, status, why) in [
            ("/api/matches/1", json!({}), 404, "there is no /api/matches/1 in this page"),
            ("/api/play/1", json!({}), 404, "this match is not played on this page any more"),
            ("/api/play", json!({ "game": "trn" }), 400, "missing field `scenario`"),
            (
                "/api/play",
                json!({ "game": "trn", "scenario": "empty" }),
                400,
                "unknown game “trn”; did you mean “tron”?",
            ),
        ] {
            let answer = ask(&mut rules, address, body);
            assert_eq!((answer.status, &answer.said["error"]), (status, &json!(why)));
        }
        begin(&mut rules, "tron", "random");
        let answer = ask(&mut rules, "/api/play/1/move", json!({ "action": "X" }));
        assert_eq!(answer.status, 422, "{answer:?}");
        assert_eq!(ask(&mut rules, "/api/play/1/undo", json!({})).status, 422);
        assert_eq!(ask(&mut rules, "/api/play/1/record", json!({})).status, 422);
        assert_eq!(ask(&mut rules, "/api/play/1/end", json!({})).status, 200);
        assert_eq!(ask(&mut rules, "/api/play/1", json!({})).status, 404);
        assert!(
            answer_text("no JSON", |question| rules.answer(question)).contains("\"status\":400")
        );
    }
}
