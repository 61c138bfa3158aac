//! Numbers as strings in JSON (`#[serde(with = "text")]`), because many programs cannot read
//! integers above 2^53 exactly.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(crate) fn serialize<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<u128, D::Error> {
    String::deserialize(from)?.parse().map_err(Error::custom)
}
