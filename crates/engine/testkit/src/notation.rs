//! The text and JSON forms of what players see and do.

use crate::report::ConformanceReport;

/// Checks that whole numbers in JSON stay within 2⁵³: JavaScript and others misread larger ones.
pub(crate) fn small_numbers(report: &mut ConformanceReport, at: &str, what: &str, json: &str) {
    const MOST: u64 = 1 << 53;
    fn largest(value: &serde_json::Value) -> u64 {
        match value {
            serde_json::Value::Number(number) => {
                let whole = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
                // Whole numbers beyond 64 bits are read as floating-point numbers; for others, the
                // fraction does not matter here.
                whole.unwrap_or_else(|| number.as_f64().map_or(0, |float| float.abs() as u64))
            }
            serde_json::Value::Array(all) => all.iter().map(largest).max().unwrap_or(0),
            serde_json::Value::Object(all) => all.values().map(largest).max().unwrap_or(0),
            _ => 0,
        }
    }
    let number = serde_json::from_str(json).map_or(0, |value| largest(&value));
    report.check(number <= MOST, || {
        format!("{at}: {what} has {number} in JSON, which is beyond 2^53: write it as text")
    });
}

/// Checks that the text form and the JSON form of an action can be read back.
pub(crate) fn notation<A>(report: &mut ConformanceReport, at: &str, action: &A)
where
    A: std::fmt::Display + std::str::FromStr + PartialEq + serde::Serialize,
    A: serde::de::DeserializeOwned,
{
    let text = action.to_string();
    report.check(!text.is_empty() && !text.contains(char::is_whitespace), || {
        format!("{at}: the text “{text}” of an action is empty or has whitespace")
    });
    report.check(text.parse::<A>().is_ok_and(|read| read == *action), || {
        format!("{at}: the action {text} does not read back")
    });
    let json = serde_json::to_string(action).unwrap_or_default();
    small_numbers(report, at, "the action", &json);
    report.check(serde_json::from_str::<A>(&json).is_ok_and(|read| read == *action), || {
        format!("{at}: the action {json} does not read back from JSON")
    });
}
