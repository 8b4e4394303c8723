//! Known mistakes of programs in Quintain's protocol: what the author of a line most likely meant,
//! and the line that would have been right. [`crate::session`] decides what is a fault; this module
//! only explains one.

use std::time::Duration;

use quintain_core::{Fault, FaultKind};
use serde_json::{Deserializer, Map, Value, json};

use quintain_protocol::{DrawingItem, FromProgram, NoteValue, quote_line};

/// What is wrong with something that a program wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slip {
    /// What is wrong, and what to do.
    pub text: String,
    /// The line that would have been right; empty if there is none.
    pub right: String,
}

impl Slip {
    fn new(text: impl Into<String>, right: impl Into<String>) -> Slip {
        Slip { text: text.into(), right: right.into() }
    }
}

/// The line that a program should have written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected<'a> {
    /// The answer to `hello`.
    Ready,
    /// The answer to `turn`, with the offered actions.
    Action(&'a [String]),
    /// Nothing: it was not asked.
    Nothing,
}

impl Expected<'_> {
    /// An example of such a line.
    fn line(self) -> String {
        match self {
            Expected::Ready => message("ready", [("name", json!("mybot"))]),
            Expected::Action(offered) => {
                let action = offered.first().map_or("ACTION", String::as_str);
                action_line(json!(action))
            }
            Expected::Nothing => String::new(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Expected::Ready => "ready",
            Expected::Action(_) | Expected::Nothing => "action",
        }
    }
}

/// A message with its type first, as people write it.
fn message<'a>(kind: &str, fields: impl IntoIterator<Item = (&'a str, Value)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!(",{}:{value}", json!(name)));
    format!("{{\"type\":{}{}}}", json!(kind), fields.collect::<String>())
}

fn action_line(action: Value) -> String {
    message("action", [("action", action)])
}

/// Explains what is wrong with a line that is not the expected one.
pub(crate) fn explain_line(line: &str, expected: Expected<'_>) -> Slip {
    let line = line.trim();
    if let Expected::Nothing = expected {
        return match serde_json::from_str::<Map<String, Value>>(line) {
            Ok(message) if message.contains_key("type") => {
                Slip::new("only hello and turn are answered, each with one line", "")
            }
            _ => debugging_text(expected),
        };
    }
    if line.is_empty() {
        return Slip::new("an empty line: a message is one line of JSON", expected.line());
    }
    let slip = match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(message)) => explain_message(&message, expected),
        Ok(other) => explain_bare(other, expected),
        Err(error) => explain_text(line, &error, expected),
    };
    // A line that is suggested as right is read in the same way as what a program writes.
    match serde_json::from_str::<FromProgram>(&slip.right) {
        Ok(_) => slip,
        Err(_) => Slip { right: expected.line(), ..slip },
    }
}

/// Explains text that is not JSON.
fn explain_text(line: &str, error: &serde_json::Error, expected: Expected<'_>) -> Slip {
    let mut values = Deserializer::from_str(line).into_iter::<Value>();
    if let Some(Ok(first)) = values.next() {
        let byte = values.byte_offset();
        let rest = line[byte..].trim_start();
        if first.is_object() && !rest.is_empty() {
            let what = if rest.starts_with('{') { "another message" } else { "more text" };
            let text = format!("{what} on the same line, from byte {byte}: a message is one line");
            return Slip::new(text, &line[..byte]);
        }
    }
    if let Some(rest) = line.strip_prefix('\u{feff}') {
        let text = "it begins with a byte order mark: write UTF-8 without one (Python: \"utf-8\", \
            not \"utf-8-sig\")";
        return Slip::new(text, rest);
    }
    if line.contains('\0') {
        let text =
            "it contains a NUL byte: write UTF-8 (UTF-16 has such bytes), and no end of a C string";
        return Slip::new(text, line.replace('\0', ""));
    }
    if line.contains('\u{fffd}') {
        return Slip::new("it is not UTF-8", expected.line());
    }
    if error.is_eof() && ["{", "["].contains(&line) {
        let text = "a message is one line: JSON without line breaks (Python: json.dumps without \
                    indent; JavaScript: JSON.stringify)";
        return Slip::new(text, expected.line());
    }
    if let Expected::Action(offered) = expected
        && let Some(action) = offered.iter().find(|action| action.eq_ignore_ascii_case(line))
    {
        return Slip::new(
            "an answer is a JSON object, not the action alone",
            action_line(json!(action)),
        );
    }
    if !line.starts_with('{') {
        return debugging_text(expected);
    }
    let python = [("'", "\""), ("None", "null"), ("True", "true"), ("False", "false")];
    let as_json = python.iter().fold(line.to_owned(), |text, (from, to)| text.replace(from, to));
    if as_json != line && serde_json::from_str::<Map<String, Value>>(&as_json).is_ok() {
        let text =
            "a dictionary in Python's form, not JSON: use print(json.dumps(answer), flush=True)";
        return Slip::new(text, as_json);
    }
    let as_json = quote_keys(line).replace('\'', "\"");
    if as_json != line && serde_json::from_str::<Map<String, Value>>(&as_json).is_ok() {
        let text =
            "an object in JavaScript's form, not JSON: use console.log(JSON.stringify(answer))";
        return Slip::new(text, as_json);
    }
    if ["NaN", "Infinity"].iter().any(|word| line.contains(word)) {
        let text = "NaN and Infinity are not JSON: leave such a figure out";
        return Slip::new(text, expected.line());
    }
    Slip::new(format!("not JSON at byte {}: {}", error.column(), plain(error)), expected.line())
}

/// Quotes field names that have no quotes.
fn quote_keys(text: &str) -> String {
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut quoted = String::new();
    for piece in text.split_inclusive(['{', ',']) {
        let name = piece.trim_start();
        let lead = piece.len() - name.len();
        match name.split_once(':') {
            Some((name, rest)) if !name.is_empty() && name.chars().all(is_in_name) => {
                quoted += &format!("{}\"{name}\":{rest}", &piece[..lead]);
            }
            _ => quoted += piece,
        }
    }
    quoted
}

/// The text of a JSON reader's error without the position, which is always in the first line.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn debugging_text(expected: Expected<'_>) -> Slip {
    let text = "standard output belongs to the protocol; write text for yourself to standard error \
                (Python: print(…, file=sys.stderr); JavaScript: console.error), which is kept with \
                the match";
    Slip::new(text, expected.line())
}

/// Explains JSON that is not an object.
fn explain_bare(value: Value, expected: Expected<'_>) -> Slip {
    let right = match (expected, value) {
        (Expected::Action(_), value @ Value::String(_)) => action_line(value),
        _ => expected.line(),
    };
    Slip::new("an answer is a JSON object", right)
}

/// Explains an object that is not the expected message.
fn explain_message(message: &Map<String, Value>, expected: Expected<'_>) -> Slip {
    let kind = expected.kind();
    let needs_action = kind == "action" && !message.contains_key("action");
    match message.get("type") {
        Some(Value::String(found)) if found == kind => {}
        found => {
            // An action that comes too early is no part of the right answer to hello.
            let is_other = needs_action || (kind == "ready" && message.contains_key("action"));
            let right = if is_other { expected.line() } else { with_change(kind, message, |_| ()) };
            return match found {
                None => Slip::new(format!("it has no \"type\":\"{kind}\""), right),
                Some(found) => Slip::new(format!("its type is {found}, not \"{kind}\""), right),
            };
        }
    }
    if needs_action {
        return explain_missing_action(message, expected);
    }
    let ready = (kind == "ready").then(|| explain_ready(message)).flatten();
    let slip = ready.or_else(|| explain_notes(kind, message));
    slip.or_else(|| explain_drawing(kind, message)).unwrap_or_else(|| {
        Slip::new(
            "a field does not have the form that the schema requires (quintain bot schema)",
            expected.line(),
        )
    })
}

/// Returns a message of this kind as it would be with a change.
fn with_change(
    kind: &str,
    message: &Map<String, Value>,
    change: impl FnOnce(&mut Map<String, Value>),
) -> String {
    let mut right = message.clone();
    right.remove("type");
    change(&mut right);
    self::message(kind, right.iter().map(|(name, value)| (name.as_str(), value.clone())))
}

/// Returns a message of this kind as it would be with another value of a field.
fn with_field(kind: &str, message: &Map<String, Value>, name: &str, value: Value) -> String {
    with_change(kind, message, |right| drop(right.insert(name.into(), value)))
}

fn explain_missing_action(message: &Map<String, Value>, expected: Expected<'_>) -> Slip {
    let mut others =
        message.iter().filter(|(name, _)| !["type", "notes", "draw"].contains(&name.as_str()));
    match (others.next(), others.next()) {
        (Some((name, value)), None) => {
            let text = format!("it has no “action”, but “{name}”");
            Slip::new(text, action_line(value.clone()))
        }
        _ => Slip::new("it has no “action”", expected.line()),
    }
}

fn explain_ready(message: &Map<String, Value>) -> Option<Slip> {
    if let Some(name) = message.get("name").filter(|name| !name.is_string()) {
        let right = with_field("ready", message, "name", json!(name.to_string()));
        return Some(Slip::new("“name” must be a string", right));
    }
    let games = message.get("games")?;
    let right = with_field("ready", message, "games", json!([games]));
    Some(Slip::new("“games” must be a list of strings", right))
}

fn explain_notes(kind: &str, message: &Map<String, Value>) -> Option<Slip> {
    let notes = message.get("notes")?;
    let is_note = |value: &Value| serde_json::from_value::<NoteValue>(value.clone()).is_ok();
    let Value::Object(notes) = notes else {
        let note = if is_note(notes) { notes.clone() } else { json!(notes.to_string()) };
        let right = with_field(kind, message, "notes", json!({ "note": note }));
        let text = "“notes” must be an object: names with numbers or strings";
        return Some(Slip::new(text, right));
    };
    let (name, value) = notes.iter().find(|(_, value)| !is_note(value))?;
    let text = format!("the note “{name}” is neither a number nor a string: {value}");
    let right = with_change(kind, message, |right| {
        if let Some(Value::Object(notes)) = right.get_mut("notes") {
            notes.insert(name.clone(), json!(value.to_string()));
        }
    });
    Some(Slip::new(text, right))
}

fn explain_drawing(kind: &str, message: &Map<String, Value>) -> Option<Slip> {
    let draw = message.get("draw")?;
    let is_drawn = |mark: &Value| serde_json::from_value::<DrawingItem>(mark.clone()).is_ok();
    let wrong = draw.as_array().map(|marks| marks.iter().find(|mark| !is_drawn(mark)));
    let text = match wrong {
        Some(Some(mark)) if has_wrong_paint(mark) => {
            let paint = mark.get("paint").unwrap_or(&Value::Null);
            format!(
                "there is no paint {paint}; expected \"accent\", \"good\", \"bad\", \
                 {{\"heat\": 0…255}}, {{\"claim\": SEAT}} or {{\"seat\": SEAT}}"
            )
        }
        Some(Some(mark)) => format!("{mark} is not a cell, line or label to draw"),
        _ => "“draw” must be a list of cells, lines and labels".to_owned(),
    };
    Some(Slip::new(text, with_field(kind, message, "draw", json!([{ "cell": [0, 0] }]))))
}

/// Whether a mark could be drawn if it had no paint.
fn has_wrong_paint(mark: &Value) -> bool {
    let mut plain = mark.clone();
    let paint = plain.as_object_mut().and_then(|fields| fields.remove("paint"));
    paint.is_some() && serde_json::from_value::<DrawingItem>(plain).is_ok()
}

/// Explains why no line came from a program that was late, as far as can be told from what it had
/// `begun` to write and whether it `computes`.
pub(crate) fn explain_silence(begun: &str, computes: bool) -> Slip {
    if begun.is_empty() && computes {
        let text = "nothing came, although it computed all the time: it thinks for too long, or is \
                    stuck in a loop";
        return Slip::new(text, "");
    }
    if begun.is_empty() {
        let text = "nothing came; if it did answer, it did not flush standard output (Python: \
                    print(…, flush=True); C: fflush(stdout))";
        return Slip::new(text, "");
    }
    let text = format!(
        "it wrote {} bytes but no newline: end the line and flush standard output",
        begun.len()
    );
    Slip::new(text, format!("{}\\n", begun.trim_end()))
}

/// Explains an answer that came after `thought`, when `limit` had passed.
pub(crate) fn explain_lateness(thought: Duration, limit: Duration) -> Slip {
    let text = format!(
        "its answer came after {:.1} s, later than its limit of {limit:?}; for more time: limits = \
         {{ answer = \"TIME\" }} in bots.toml, or first_answer for the first of a match",
        thought.as_secs_f64()
    );
    Slip::new(text, "")
}

/// The last lines of a traceback that are worth showing.
const LAST_LINES: usize = 3;

/// If the end of a program's standard error shows that it wanted the network, or sockets: says that
/// there are none, and returns the lines that are worth showing.
pub(crate) fn describe_network(said: &[String]) -> Option<(Slip, Vec<String>)> {
    let signs = ["asyncio", "socket", "getaddrinfo", "EAI_AGAIN", "Network is unreachable"];
    let words =
        ["urllib", "requests.", "aiohttp", "http.client", "ECONNREFUSED", "name resolution"];
    let is_sign = |line: &String| signs.iter().chain(&words).any(|sign| line.contains(sign));
    said.iter().any(is_sign).then(|| {
        let text = "a program has no network and no sockets here, so neither HTTP clients nor \
                    Python's asyncio work: read standard input line by line, write standard output";
        let first = said.len().saturating_sub(LAST_LINES);
        (Slip::new(text, ""), said[first..].to_vec())
    })
}

/// Explains why a message was not an action, or not an allowed one, for an answer that was not
/// among those `offered`. `reads` tells whether the game reads a value as an action.
pub(crate) fn explain_action(
    fault: &Fault,
    line: &str,
    offered: &[String],
    reads: &dyn Fn(&Value) -> bool,
) -> Option<Slip> {
    let message: Map<String, Value> = serde_json::from_str(line).ok()?;
    let action = message.get("action")?;
    if let Value::String(text) = action {
        let same = |known: &&String| known.eq_ignore_ascii_case(text.trim());
        if let Some(meant) = offered.iter().find(same) {
            let text = format!("write an action exactly as it is offered: {}", quote_line(meant));
            return Some(Slip::new(text, action_line(json!(meant))));
        }
    }
    let unquoted = strip_quotes(action);
    let is_unquoted = !action.is_string() && unquoted != *action && reads(&unquoted);
    if fault.kind == FaultKind::Protocol && is_unquoted {
        let text = "write numbers without quotes";
        return Some(Slip::new(text, action_line(unquoted)));
    }
    let text = match fault.kind {
        FaultKind::Illegal => "the rules refuse it; an action that is offered:",
        _ => {
            "an action is one of the strings in “actions”, or in the game's JSON form (quintain \
             games --schema GAME)"
        }
    };
    Some(Slip::new(text, Expected::Action(offered).line()))
}

/// Converts all texts in a value that are numbers to numbers.
fn strip_quotes(value: &Value) -> Value {
    match value {
        Value::String(text) => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) => Value::Number(number),
            Err(_) => value.clone(),
        },
        Value::Array(values) => values.iter().map(strip_quotes).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields.map(|(name, value)| (name.clone(), strip_quotes(value))).collect()
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered_actions() -> Vec<String> {
        ["U", "R"].map(str::to_owned).to_vec()
    }

    fn slip(line: &str) -> Slip {
        let slip = explain_line(line, Expected::Action(&offered_actions()));
        let right = serde_json::from_str::<FromProgram>(&slip.right);
        assert!(right.is_ok(), "what is said to be right is: {slip:?}");
        slip
    }

    fn ready(line: &str) -> Slip {
        let slip = explain_line(line, Expected::Ready);
        assert!(serde_json::from_str::<FromProgram>(&slip.right).is_ok(), "{slip:?}");
        slip
    }

    #[test]
    fn an_action_before_its_time_is_no_part_of_the_right_answer() {
        let early = ready(r#"{"type":"action","action":"U"}"#);
        assert_eq!(early.right, r#"{"type":"ready","name":"mybot"}"#);
    }

    #[test]
    fn programs_that_want_the_network_are_told_once_that_there_is_none() {
        let traceback = [
            "Traceback (most recent call last):",
            "  File \"bot.py\", line 3",
            "x",
            "  \
            File \"/usr/lib/python3.11/asyncio/runners.py\", line 118, in run",
            "PermissionError: [Errno 1]",
        ];
        let said = traceback.map(str::to_owned);
        let (slip, shown) = describe_network(&said).unwrap();
        assert!(slip.text.contains("asyncio"), "{slip:?}");
        assert_eq!(shown, said[2..]);
        assert_eq!(describe_network(&["IndexError: list index".to_owned()]), None);
    }

    #[test]
    fn debugging_text_is_sent_to_standard_error() {
        let slip = slip("best move: U (0.7)");
        assert!(slip.text.contains("file=sys.stderr"), "{slip:?}");
        assert_eq!(slip.right, r#"{"type":"action","action":"U"}"#);
        assert!(ready("model loaded").text.contains("standard error"));
        assert_eq!(explain_line("model loaded", Expected::Nothing).right, "");
    }

    #[test]
    fn only_questions_are_answered() {
        let line = r#"{"type":"action","action":"U"}"#;
        assert!(explain_line(line, Expected::Nothing).text.contains("only hello and turn"));
    }

    #[test]
    fn notations_of_other_languages_are_not_json() {
        let python = slip("{'type': 'action', 'action': 'R', 'notes': {}}");
        assert!(python.text.contains("json.dumps"), "{python:?}");
        assert!(python.right.contains(r#""action": "R""#), "{python:?}");
        let script = slip("{ type: 'action', action: 'R', notes: { depth: 3 } }");
        assert!(script.text.contains("JSON.stringify"), "{script:?}");
        assert!(script.right.contains(r#""depth": 3"#), "{script:?}");
        let nan = slip(r#"{"type":"action","action":"R","notes":{"value":NaN}}"#);
        assert!(nan.text.contains("NaN"), "{nan:?}");
        let cut = slip(r#"{"type":"action","action":}"#);
        assert!(cut.text.starts_with("not JSON at byte 27: "), "{cut:?}");
    }

    #[test]
    fn one_line_is_one_message() {
        let two = r#"{"type":"action","action":"R"} {"type":"action","action":"R"}"#;
        assert!(slip(two).text.contains("another message on the same line, from byte 30"));
        assert_eq!(slip(two).right, r#"{"type":"action","action":"R"}"#);
        assert!(slip("").text.contains("empty line"));
    }

    #[test]
    fn bytes_added_by_encodings_and_printers_are_named() {
        let right = r#"{"type":"action","action":"R"}"#;
        assert!(slip(&format!("\u{feff}{right}")).text.contains("byte order mark"));
        assert_eq!(slip(&format!("\u{feff}{right}")).right, right);
        assert!(slip("{\0\"\0t\0").text.contains("NUL"));
        assert!(slip("{\u{fffd}").text.contains("UTF-8"));
        assert!(slip("{").text.contains("a message is one line"));
    }

    #[test]
    fn an_action_alone_is_no_answer() {
        let right = r#"{"type":"action","action":"R"}"#;
        assert_eq!(slip("R").right, right);
        assert_eq!(slip("\"R\"").right, right);
        assert_eq!(slip("3").right, r#"{"type":"action","action":"U"}"#);
    }

    #[test]
    fn fields_that_are_missing_or_misnamed_are_named() {
        let right = r#"{"type":"action","action":"R"}"#;
        let no_type = slip(r#"{"action":"R"}"#);
        assert_eq!(
            (no_type.text.as_str(), no_type.right.as_str()),
            (r#"it has no "type":"action""#, right)
        );
        let other = slip(r#"{"type":"move","action":"R"}"#);
        assert_eq!(
            (other.text.as_str(), other.right.as_str()),
            (r#"its type is "move", not "action""#, right)
        );
        let misnamed = slip(r#"{"type":"action","move":"R"}"#);
        assert_eq!(
            (misnamed.text.as_str(), misnamed.right.as_str()),
            ("it has no “action”, but “move”", right)
        );
        assert_eq!(
            ready(r#"{"type":"ready","name":"a","games":"tron"}"#).right,
            r#"{"type":"ready","games":["tron"],"name":"a"}"#
        );
    }

    #[test]
    fn notes_and_drawings_that_cannot_be_are_named() {
        let note = slip(r#"{"type":"action","action":"R","notes":{"best":["U","R"],"depth":3}}"#);
        assert!(note.text.contains("“best”") && note.text.contains(r#"["U","R"]"#), "{note:?}");
        assert!(
            slip(r#"{"type":"action","action":"R","notes":"deep"}"#).text.contains("names with")
        );
        let list = slip(r#"{"type":"action","action":"R","notes":["a"]}"#);
        assert_eq!(list.right, r#"{"type":"action","action":"R","notes":{"note":"[\"a\"]"}}"#);
        let paint = r#"{"type":"action","action":"R","draw":[{"cell":[1,2],"paint":"blau"}]}"#;
        assert!(slip(paint).text.contains(r#"no paint "blau""#));
        let drawn = slip(r#"{"type":"action","action":"R","draw":[{"cell":[1,2]},{"circle":3}]}"#);
        assert!(drawn.text.contains(r#"{"circle":3} is not a cell"#), "{drawn:?}");
    }

    #[test]
    fn a_line_that_has_no_end_is_counted() {
        let slip = explain_silence("{\"type\":\"actio", true);
        assert_eq!(
            slip.text,
            "it wrote 14 bytes but no newline: end the line and flush standard output"
        );
        assert!(explain_silence("", false).text.contains("flush=True"));
        assert!(explain_silence("", true).text.contains("computed"));
    }

    #[test]
    fn misspelt_and_illegal_actions_differ() {
        let protocol = Fault::new(FaultKind::Protocol, "it is not an action");
        let explain = |action: &str, fault: &Fault| {
            let line = format!("{{\"type\":\"action\",\"action\":{action}}}");
            explain_action(fault, &line, &offered_actions(), &|action| action["row"].is_u64())
                .unwrap()
        };
        assert_eq!(explain("\"u\"", &protocol).right, r#"{"type":"action","action":"U"}"#);
        let quoted = explain(r#"{"row":"3","name":"a"}"#, &protocol);
        assert_eq!(quoted.text, "write numbers without quotes");
        assert_eq!(quoted.right, r#"{"type":"action","action":{"name":"a","row":3}}"#);
        let still_wrong = explain(r#"{"accept":{"row":"3"}}"#, &protocol);
        assert!(still_wrong.text.starts_with("an action is one of"), "{still_wrong:?}");
        assert_eq!(still_wrong.right, r#"{"type":"action","action":"U"}"#);
        let illegal = Fault::new(FaultKind::Illegal, "turn 3: occupied");
        assert!(explain("\"L\"", &illegal).text.contains("the rules refuse it"));
    }
}
