//! Boards as text, JSON and SVG.

mod drawing;
mod read;
mod svg;
mod write;

pub(crate) use drawing::escaped;
pub use read::{ParsedBoard, ReadError, parse, read_text};
pub(crate) use svg::definitions;
pub use svg::svg;
pub use write::{drawn, json_line, listed};
