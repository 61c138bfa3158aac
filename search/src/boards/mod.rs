//! Boards as text, JSON and SVG.

mod block;
mod drawing;
mod error;
mod parsed;
mod read;
mod svg;
#[cfg(test)]
mod tests;
mod write;

pub use block::quoted;
pub(crate) use drawing::escaped;
pub use error::ReadError;
pub use parsed::ParsedBoard;
pub use read::{Boards, parse};
pub(crate) use svg::definitions;
pub use svg::svg;
pub use write::{drawn, json_object, listed, matrix};
