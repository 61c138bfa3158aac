//! Board sizes on the command line: `1..=15`, `1-15`, `8,10,12`.

use std::ops::Deref;
use std::str::FromStr;

use super::options::board_size;

/// A list of board sizes, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes(Vec<u32>);

impl Deref for Sizes {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            let ends = part.split_once("..=").or_else(|| part.split_once('-'));
            let (first, last) = ends.unwrap_or((part, part));
            let size = |text: &str| {
                let wrong = match text {
                    "" => format!("'{part}' lacks a board size"),
                    _ => format!("'{text}' is no board size"),
                };
                board_size(text).map_err(|accepted| {
                    format!("{wrong} ({accepted}, as in 1..=15, 1-15 or 8,10,12)")
                })
            };
            let (first, last) = (size(first)?, size(last)?);
            if last < first {
                return Err(format!(
                    "'{part}' is empty (accepted: a first size that is not above the last)"
                ));
            }
            sizes.extend(first..=last);
        }
        Ok(Self(sizes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("1..=4", &[1, 2, 3, 4])]
    #[case("0-2", &[0, 1, 2])]
    #[case("8,10,12", &[8, 10, 12])]
    #[case("12,4-5", &[12, 4, 5])]
    #[case("32", &[32])]
    fn accepted(#[case] text: &str, #[case] sizes: &[u32]) {
        assert_eq!(text.parse::<Sizes>().as_deref(), Ok(sizes));
    }

    #[rstest]
    #[case("")]
    #[case("5-3")]
    #[case("1..4")]
    #[case("1..=33")]
    #[case("-3")]
    #[case("1,,2")]
    #[case("a-b")]
    fn refused(#[case] text: &str) {
        assert!(text.parse::<Sizes>().unwrap_err().contains("accepted"));
    }
}
