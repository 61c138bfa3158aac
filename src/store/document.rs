//! The form that all files share: a JSON object that says what it is, in which version of the form, and ends with the
//! checksum of every byte before it.
//!
//! ```text
//! {
//!   "queens": "shard",
//!   "format": 1,
//!   ...
//!   "checksum": "crc32 0a1b2c3d"
//! }
//! ```
//!
//! The checksum covers the bytes, not the values, so that no change, however harmless it looks, goes unseen. CRC-32
//! catches every change within 32 neighbouring bits and all but one in four thousand million others. It is no defence
//! against anyone who recomputes it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::problem::{FORMAT, Problem};

/// How every document begins.
const BEGINNING: &[u8] = b"{\n  \"queens\": \"";

/// Whether bytes may be what is left of a document that was being written when the power went: nothing, its beginning, or
/// zeros in its place.
pub(super) fn is_left_over(bytes: &[u8]) -> bool {
    let mut pairs = bytes.iter().zip(BEGINNING);
    pairs.all(|(&found, &expected)| found == expected || found == 0)
}

/// How every document ends, given all before.
fn ending(body: &[u8]) -> String {
    let checksum = crc32fast::hash(body);
    format!(",\n  \"checksum\": \"crc32 {checksum:08x}\"\n}}\n")
}

/// Writes a document of some kind.
///
/// # Panics
///
/// If the content is not a record with named fields.
pub(super) fn seal(kind: &str, content: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        queens: &'a str,
        format: u64,
        #[serde(flatten)]
        content: &'a T,
    }
    let document = Document {
        queens: kind,
        format: FORMAT,
        content,
    };
    let mut bytes = serde_json::to_vec_pretty(&document).expect("a record with named fields");
    let closed = bytes.split_off(bytes.len() - 2);
    debug_assert_eq!(closed, b"\n}");
    let ending = ending(&bytes);
    bytes.extend(ending.as_bytes());
    bytes
}

/// Reads a document of the kind `kind`.
///
/// # Errors
///
/// [`Problem`].
pub(super) fn unseal<T: DeserializeOwned>(kind: &str, bytes: &[u8]) -> Result<T, Problem> {
    if bytes.is_empty() {
        return Err(Problem::damaged("it is empty"));
    }
    let common = bytes.len().min(BEGINNING.len());
    if bytes[..common] != BEGINNING[..common] {
        return Err(Problem::Foreign);
    }
    let length = bytes.len().saturating_sub(ending(b"").len());
    let (body, end) = bytes.split_at(length);
    if end != ending(body).as_bytes() {
        return Err(Problem::damaged("its checksum does not fit its content"));
    }
    let mut fields: Map<String, Value> = serde_json::from_slice(bytes).map_err(Problem::damaged)?;
    fields.remove("checksum");
    match fields.remove("format").and_then(|format| format.as_u64()) {
        Some(FORMAT) => {}
        Some(found) => return Err(Problem::Format(found)),
        None => return Err(Problem::damaged("it has no format")),
    }
    match fields.remove("queens") {
        Some(Value::String(found)) if found == kind => {}
        Some(Value::String(found)) => {
            let reason = format!("is a {found} file, not a {kind} file");
            return Err(Problem::Other(reason));
        }
        _ => return Err(Problem::damaged("it does not say what it is")),
    }
    serde_json::from_value(Value::Object(fields)).map_err(Problem::damaged)
}

/// Totals in documents: strings, since they can exceed the 2^53 of exact JSON numbers.
pub(super) mod decimal {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(in crate::store) fn serialize<S: Serializer>(
        number: &u128,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    /// Takes a number only as this program writes it: no sign, no leading zeros.
    pub(in crate::store) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().ok();
        let number = number.filter(|number: &u128| number.to_string() == text);
        number.ok_or_else(|| D::Error::custom(format!("'{text}' is not a number of solutions")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sheep {
        name: String,
        #[serde(with = "decimal")]
        legs: u128,
    }

    fn dolly() -> Sheep {
        let name = "Dolly".to_owned();
        Sheep { name, legs: 4 }
    }

    #[test]
    fn what_is_sealed_can_be_read() {
        let bytes = seal("sheep", &dolly());
        assert_eq!(unseal::<Sheep>("sheep", &bytes).unwrap(), dolly());
        let text: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(text["queens"], "sheep"); // it is JSON for everybody else, too
    }

    /// All files have this form, so this is the one exhaustive test of damage.
    #[test]
    fn every_flip_cut_and_addition_is_seen() {
        let bytes = seal("sheep", &dolly());
        for position in 0..bytes.len() {
            assert!(unseal::<Sheep>("sheep", &bytes[..position]).is_err());
            for flip in 1..=255 {
                let mut changed = bytes.clone();
                changed[position] ^= flip;
                let outcome = unseal::<Sheep>("sheep", &changed);
                assert!(outcome.is_err(), "byte {position} flipped by {flip}");
            }
        }
        let longer = [&bytes[..], b"\n"].concat();
        assert!(unseal::<Sheep>("sheep", &longer).is_err());
    }

    /// What is read of the document with another text in its place and the checksum made to fit.
    fn forged(from: &str, to: &str) -> Result<Sheep, Problem> {
        let text = String::from_utf8(seal("sheep", &dolly())).unwrap();
        assert!(text.contains(from));
        let text = text.replace(from, to);
        let body = &text.as_bytes()[..text.find(",\n  \"checksum\"").unwrap()];
        unseal("sheep", &[body, ending(body).as_bytes()].concat())
    }

    #[test]
    fn kinds_and_formats_are_told_apart() {
        let kind = forged("\"sheep\"", "\"goat\"");
        assert!(matches!(kind, Err(Problem::Other(reason)) if reason.contains("goat")));
        let newer = forged("\"format\": 1", "\"format\": 2");
        assert!(matches!(newer, Err(Problem::Format(2))));
        let foreign = unseal::<Sheep>("sheep", b"Dear diary");
        assert!(matches!(foreign, Err(Problem::Foreign)));
    }

    #[test]
    fn only_what_this_program_writes_is_read() {
        assert_eq!(forged("\"4\"", "\"4\"").unwrap(), dolly());
        for (from, to) in [
            ("\"4\"", "4"),
            ("\"4\"", "\"04\""),
            ("\"4\"", "\"+4\""),
            ("\"4\"", "\"-4\""),
            ("\"legs\"", "\"wings\""),
        ] {
            let outcome = forged(from, to);
            assert!(matches!(outcome, Err(Problem::Damaged(_))), "{to}");
        }
    }
}
