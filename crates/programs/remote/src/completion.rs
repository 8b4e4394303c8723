//! The form of requests and answers at endpoints for chats, as OpenAI introduced it and others
//! speak it.

use quintain_bots::ChatReply;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One message of a chat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) role: &'static str,
    pub(crate) content: String,
}

impl Message {
    pub(crate) fn new(role: &'static str, content: impl Into<String>) -> Message {
        Message { role, content: content.into() }
    }
}

/// The most tokens that a question or an answer counts as, whatever an endpoint says: sums of them
/// stay numbers.
const MAX_TOKENS: u64 = u32::MAX as u64;

/// What a model said, and what it took.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Completion {
    /// Its words; empty if there are none.
    pub(crate) text: String,
    /// Why there are none, or not all: cut off, refused.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) lack: String,
    /// The tokens of the question.
    #[serde(default)]
    pub(crate) input: u64,
    /// The tokens of the answer.
    #[serde(default)]
    pub(crate) output: u64,
}

/// The beginning of what a completion lacks that is not whole.
const CUT_OFF: &str = "cut off";

impl Completion {
    /// Whether the answer ended because it was too long.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.lack.starts_with(CUT_OFF)
    }
}

/// The body of a request. Fields that the owner sets replace ours.
pub(crate) fn request(
    model: &str,
    messages: &[Message],
    reply: ChatReply,
    options: &Map<String, Value>,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), json!(messages));
    if reply == ChatReply::Json {
        body.insert("response_format".to_owned(), json!({ "type": "json_object" }));
    }
    body.extend(options.clone());
    body
}

/// Reads the answer to a request; none if it has another form.
pub(crate) fn read(body: &str) -> Option<Completion> {
    let body: Value = serde_json::from_str(body).ok()?;
    let choice = body.get("choices")?.get(0)?;
    let message = choice.get("message")?;
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    let refusal = message["refusal"].as_str().filter(|refusal| !refusal.is_empty());
    let lack = match (refusal, choice["finish_reason"].as_str()) {
        (Some(refusal), _) => format!("refused: {refusal}"),
        (None, Some("length")) => format!("{CUT_OFF}: too long (max_tokens in options)"),
        (None, Some("content_filter")) => "withheld by the endpoint's filter".to_owned(),
        _ => String::new(),
    };
    let tokens = |name: &str| body["usage"][name].as_u64().unwrap_or(0).min(MAX_TOKENS);
    let (input, output) = (tokens("prompt_tokens"), tokens("completion_tokens"));
    Some(Completion { text, lack, input, output })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_fields_that_the_owner_sets() {
        let messages = [Message::new("user", "U or D?")];
        let options = json!({ "temperature": 0, "max_tokens": 9 });
        let Value::Object(options) = options else { unreachable!() };
        let body = request("mini", &messages, ChatReply::Json, &options);
        let expected = json!({
            "model": "mini",
            "messages": [{ "role": "user", "content": "U or D?" }],
            "response_format": { "type": "json_object" },
            "temperature": 0,
            "max_tokens": 9,
        });
        assert_eq!(Value::Object(body), expected);
        assert!(
            !request("m", &messages, ChatReply::Line, &options).contains_key("response_format")
        );
    }

    #[test]
    fn counts_of_tokens_without_end_are_cut_so_that_sums_stay_numbers() {
        let usage = json!({ "prompt_tokens": u64::MAX, "completion_tokens": u64::MAX });
        let body = json!({ "choices": [{ "message": { "content": "U" } }], "usage": usage });
        let read = read(&body.to_string()).unwrap();
        assert_eq!(read.input + read.output, 2 * MAX_TOKENS);
    }

    #[test]
    fn answers_are_read_with_what_they_lack() {
        let of = |message: Value, reason: &str| {
            let usage = json!({ "prompt_tokens": 12, "completion_tokens": 3 });
            let choices = json!([{ "message": message, "finish_reason": reason }]);
            read(&json!({ "choices": choices, "usage": usage }).to_string()).unwrap()
        };
        let whole = of(json!({ "content": "U" }), "stop");
        assert_eq!((whole.text.as_str(), whole.lack.as_str()), ("U", ""));
        assert_eq!((whole.input, whole.output), (12, 3));
        let parts = of(json!({ "content": [{ "text": "a" }, { "text": "b" }] }), "stop");
        assert_eq!(parts.text, "ab");
        assert!(of(json!({ "content": "I thi" }), "length").lack.starts_with("cut off"));
        let refused = of(json!({ "content": null, "refusal": "I cannot" }), "stop");
        assert_eq!((refused.text.as_str(), refused.lack.as_str()), ("", "refused: I cannot"));
        assert!(of(json!({ "content": null }), "content_filter").lack.contains("filter"));
        for other in ["", "[]", "{}", "{\"choices\":[]}", "{\"choices\":[{\"text\":\"U\"}]}"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
