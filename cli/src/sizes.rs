//! Board sizes on the command line: `1..=15`, `1..16`, `1-15`, `8,10,12`.

use std::ops::{Deref, RangeInclusive};
use std::str::FromStr;

use queens::board::MAX_N;

/// A list of board sizes, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(Vec<u32>);

impl Deref for Sizes {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ranges: Result<Vec<_>, _> = text.split(',').map(range).collect();
        Ok(Self(ranges?.into_iter().flatten().collect()))
    }
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let ends = text.split_once("..=").or_else(|| text.split_once('-'));
    let numbers = |(first, last): (&str, &str)| {
        let number = |text: &str| text.parse::<u32>().ok();
        Some((number(first)?, number(last)?))
    };
    let ends = match (ends, text.split_once("..")) {
        (None, Some(ends)) => {
            numbers(ends).and_then(|(first, end)| Some((first, end.checked_sub(1)?)))
        }
        (ends, _) => numbers(ends.unwrap_or((text, text))),
    };
    match ends {
        Some((first, last)) if first <= last && last <= MAX_N => Ok(first..=last),
        _ => Err(format!(
            "accepted: sizes from 0 to {MAX_N}, as in 5, 1-15, 1..=15, 1..16 or 8,10,12"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("1..=4", &[1, 2, 3, 4])]
    #[case("1..4", &[1, 2, 3])]
    #[case("0-2", &[0, 1, 2])]
    #[case("8,10,12", &[8, 10, 12])]
    #[case("12,4-5", &[12, 4, 5])]
    fn accepted(#[case] text: &str, #[case] sizes: &[u32]) {
        assert_eq!(text.parse::<Sizes>().as_deref(), Ok(sizes));
    }

    #[rstest]
    fn refused(
        #[values("", "5-3", "5..5", "1..=33", "1..34", "0..0", "-3", "1,,2", "a-b")] text: &str,
    ) {
        assert!(text.parse::<Sizes>().unwrap_err().contains("accepted"));
    }
}
