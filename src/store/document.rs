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
//! against somebody who computes it anew.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

/// The version of the form and of everything in it. A program reads files of this version and no other.
pub const FORMAT: u64 = 1;

/// Why bytes are not the document that they should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Nothing of it looks like a file of this program.
    #[error("is no file of this program")]
    Foreign,
    /// It has been changed or cut, or holds what no version of the program would write.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// It is whole, but of another kind.
    #[error("is a {found} file, not a {expected} file")]
    Kind {
        /// The kind asked for.
        expected: &'static str,
        /// The kind that it is.
        found: String,
    },
    /// It is whole, but of another version of the form.
    #[error("has format {found}, which another version of this program wrote (accepted: {FORMAT})")]
    Format {
        /// Its version.
        found: u64,
    },
}

/// How every document begins.
const BEGINNING: &[u8] = b"{\n  \"queens\": \"";

/// Whether bytes may be what is left of a document that was being written when the power went: nothing, its beginning, or
/// zeros in its place.
pub(crate) fn is_left_over(bytes: &[u8]) -> bool {
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
/// If the content is not an object with string keys.
#[must_use]
pub fn seal(kind: &str, content: &impl Serialize) -> Vec<u8> {
    let mut fields = Map::new();
    fields.insert("queens".into(), kind.into());
    fields.insert("format".into(), FORMAT.into());
    match serde_json::to_value(content) {
        Ok(Value::Object(content)) => fields.extend(content),
        other => unreachable!("a document is an object: {other:?}"),
    }
    let mut bytes = serde_json::to_vec_pretty(&fields).expect("string keys only");
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
/// [`DocumentError`].
pub fn unseal<T: DeserializeOwned>(kind: &'static str, bytes: &[u8]) -> Result<T, DocumentError> {
    let damaged = |reason: &str| DocumentError::Damaged(reason.to_owned());
    if bytes.is_empty() {
        return Err(damaged("it is empty"));
    }
    let common = bytes.len().min(BEGINNING.len());
    if bytes[..common] != BEGINNING[..common] {
        return Err(DocumentError::Foreign);
    }
    let length = bytes.len().saturating_sub(ending(b"").len());
    let (body, end) = bytes.split_at(length);
    if end != ending(body).as_bytes() {
        return Err(damaged("its checksum does not fit its content"));
    }
    let mut fields: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| damaged(&error.to_string()))?;
    fields.remove("checksum");
    let format = fields.remove("format").and_then(|format| format.as_u64());
    match format.ok_or_else(|| damaged("it has no format"))? {
        FORMAT => {}
        found => return Err(DocumentError::Format { found }),
    }
    match fields.remove("queens") {
        Some(Value::String(found)) if found == kind => {}
        Some(Value::String(found)) => {
            let expected = kind;
            return Err(DocumentError::Kind { expected, found });
        }
        _ => return Err(damaged("it does not say what it is")),
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| damaged(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sheep {
        name: String,
        legs: u8,
    }

    fn dolly() -> Sheep {
        let name = "Dolly".to_owned();
        Sheep { name, legs: 4 }
    }

    #[test]
    fn what_is_sealed_can_be_read() {
        let bytes = seal("sheep", &dolly());
        assert_eq!(unseal("sheep", &bytes), Ok(dolly()));
        let text: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(text["queens"], "sheep"); // it is JSON for everybody else, too
    }

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

    /// The document with another text in its place and the checksum made to fit.
    fn forged(from: &str, to: &str) -> Vec<u8> {
        let text = String::from_utf8(seal("sheep", &dolly())).unwrap();
        assert!(text.contains(from));
        let text = text.replace(from, to);
        let body = &text.as_bytes()[..text.find(",\n  \"checksum\"").unwrap()];
        [body, ending(body).as_bytes()].concat()
    }

    #[test]
    fn kinds_and_formats_are_told_apart() {
        let kind = unseal::<Sheep>("sheep", &forged("\"sheep\"", "\"goat\""));
        assert!(matches!(kind, Err(DocumentError::Kind { found, .. }) if found == "goat"));
        let newer = unseal::<Sheep>("sheep", &forged("\"format\": 1", "\"format\": 2"));
        assert_eq!(newer, Err(DocumentError::Format { found: 2 }));
        let wrong = unseal::<Sheep>("sheep", &forged("\"legs\": 4", "\"legs\": 400"));
        assert!(matches!(wrong, Err(DocumentError::Damaged(_))));
        let unknown = unseal::<Sheep>("sheep", &forged("\"legs\"", "\"wings\""));
        assert!(matches!(unknown, Err(DocumentError::Damaged(_))));
        let foreign = unseal::<Sheep>("sheep", b"Dear diary");
        assert_eq!(foreign, Err(DocumentError::Foreign));
    }
}
