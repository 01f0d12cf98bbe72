//! JSON numbers that are spelled in unusual ways.
//!
//! A [`Value`] forgets how its number was written. Test data therefore holds such numbers as marked strings, which turn into
//! the number when the message is written out.

use serde_json::Value;

/// A character for private use, which no test text has otherwise.
const MARK: char = '\u{e000}';

/// Numbers at the ends of ranges and of machine types, and usual numbers in unusual dress.
pub(crate) const SPELLINGS: &[&str] = &[
    "0",
    "-0",
    "0.0",
    "-0.0",
    "0e0",
    "1",
    "1.0",
    "1e0",
    "1E+0",
    "10e-1",
    "2",
    "-1",
    "-1.0",
    "0.5",
    "1.5",
    "-0.5",
    "0.1",
    "0.09999999",
    "29.999",
    "30",
    "30.0",
    "30.0001",
    "100",
    "1e2",
    "100.5",
    "101",
    "1.0000001",
    "64",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e19",
    "-1e19",
    "1e300",
    "-1e300",
    "1.7976931348623157e308",
    "5e-324",
    "1e-400",
    "0.30000000000000004",
];

/// The number that is spelled so.
pub(crate) fn number(spelling: &str) -> Value {
    Value::String(format!("{MARK}{spelling}"))
}

/// The number behind a value, marked or plain.
pub(crate) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.strip_prefix(MARK)?.parse().ok(),
        other => other.as_f64(),
    }
}

/// Writes a value out, its marked numbers as they are spelled.
pub(crate) fn write(value: &Value) -> String {
    let text = value.to_string();
    let quoted_mark = format!("\"{MARK}");
    let mut pieces = text.split(&quoted_mark);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (spelling, rest) = piece.split_once('"').expect("a string has an end");
        out.push_str(spelling);
        out.push_str(rest);
    }
    out
}
