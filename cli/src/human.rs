//! Formatting of numbers for people.

use std::time::Duration;

use bytesize::ByteSize;
use queens::Board;
pub(crate) use queens_search::page::integer;

/// Returns the first `most` characters of a string, followed by an ellipsis if it is longer.
pub(crate) fn truncated(text: &str, max_len: usize) -> String {
    match text.char_indices().nth(max_len) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Formats seconds in a suitable unit with three or four digits: 12.3 µs, 4.56 ms, 7.89 s, 12 min
/// 34 s, 5 h 06 min.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds >= 99.95 {
        return whole_seconds(seconds);
    }
    let tiny = || format!("{} µs", three_figures(seconds * 1e6));
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms")]).unwrap_or_else(tiny)
}

/// Formats a duration in the same way as [`seconds`].
pub(crate) fn duration(time: Duration) -> String {
    seconds(time.as_secs_f64())
}

/// Length of a year in seconds.
const YEAR: f64 = 365.25 * 86_400.0;

/// Formats an estimated time in whole units: 7 s, 12 min 34 s, 5 h 06 min, 3 d 04 h. Times of two
/// years or more have one decimal place: 36.2 years.
pub(crate) fn whole_seconds(seconds: f64) -> String {
    let years = seconds / YEAR;
    if years >= 99.95 {
        return format!("{} years", integer(years.round() as u128));
    } else if years >= 2.0 {
        return format!("{years:.1} years");
    }
    // `f64` represents every whole number of seconds in this range exactly.
    let whole = seconds.round() as u64;
    let (minutes, hours) = ((whole + 30) / 60, (whole + 1_800) / 3_600);
    match whole {
        0..100 => format!("{whole} s"),
        100..3_600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3_600..172_800 => format!("{} h {:02} min", minutes / 60, minutes % 60),
        _ => format!("{} d {:02} h", hours / 24, hours % 24),
    }
}

/// Formats a number to three significant digits with an SI prefix: 1.23 G, 45.6 M, 789 k, 12.
pub(crate) fn si(number: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    scaled(number, &prefixes).unwrap_or_else(|| format!("{number:.0}"))
}

/// Formats a number to three significant digits in the first unit in which it rounds to at least 1.
fn scaled(number: f64, units: &[(f64, &str)]) -> Option<String> {
    let mut units = units.iter();
    let (scale, unit) = units.find(|(scale, _)| number >= scale * 0.9995)?;
    Some(format!("{} {unit}", three_figures(number / scale)))
}

/// Rounds to six significant digits, which exceeds the accuracy of any timing.
pub(crate) fn significant(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

/// Formats a number and a noun: 1 thread, 2 threads.
pub(crate) fn plural(number: usize, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {thing}{s}", integer(number as u128))
}

/// Describes the queens and blocked squares of a board, and shortens long lists of squares.
/// Returns `None` for an ordinary empty board.
pub(crate) fn constraints(board: &Board) -> Option<String> {
    const MOST: usize = 32;
    let shortened = |part: &str| match part.match_indices(' ').nth(MOST) {
        Some((end, _)) => {
            format!("{} ... ({} in all)", &part[..end], integer(part.matches(' ').count() as u128))
        }
        None => part.to_owned(),
    };
    let all = board.constraints()?;
    Some(all.split(", ").map(shortened).collect::<Vec<_>>().join(", "))
}

/// Returns the name of a board, such as `N = 8` or `N = 8, queen c5`.
pub(crate) fn board_name(board: &Board) -> String {
    match constraints(board) {
        Some(constraints) => format!("N = {}, {constraints}", board.n()),
        None => format!("N = {}", board.n()),
    }
}

/// Returns the placeholder for an unknown value.
pub(crate) fn placeholder() -> String {
    "-".to_owned()
}

/// Formats bytes in a binary unit: 640.0 KiB, 12.6 MiB, 1.2 GiB.
pub(crate) fn bytes(bytes: u64) -> String {
    ByteSize(bytes).display().iec().to_string()
}

/// Formats a number from 0 to 999 to three significant digits.
fn three_figures(number: f64) -> String {
    let decimals = match number {
        _ if number < 9.995 => 2,
        _ if number < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(0, "0")]
    #[case(999, "999")]
    #[case(123_456, "123,456")]
    #[case(u128::MAX, "340,282,366,920,938,463,463,374,607,431,768,211,455")]
    fn integers(#[case] number: u128, #[case] text: &str) {
        assert_eq!(integer(number), text);
    }

    #[rstest]
    #[case(seconds, 0.0, "0.00 µs")]
    #[case(seconds, 0.000_999_4, "999 µs")]
    #[case(seconds, 0.000_999_9, "1.00 ms")]
    #[case(seconds, 0.004_56, "4.56 ms")]
    #[case(seconds, 0.095_04, "95.0 ms")]
    #[case(seconds, 99.96, "1 min 40 s")]
    #[case(seconds, 3_599.4, "59 min 59 s")]
    #[case(seconds, 3_599.6, "1 h 00 min")]
    #[case(seconds, 7_185.0, "2 h 00 min")]
    #[case(seconds, 258_000.0, "3 d 00 h")]
    #[case(whole_seconds, 0.4, "0 s")]
    #[case(whole_seconds, 1.6, "2 s")]
    #[case(whole_seconds, 99.6, "1 min 40 s")]
    // Two years are 730 days and 12 hours.
    #[case(whole_seconds, 63_000_000.0, "729 d 04 h")]
    #[case(whole_seconds, 63_115_200.0, "2.0 years")]
    #[case(seconds, 1_234.0 * 31_557_600.0, "1,234 years")]
    #[case(si, 0.0, "0")]
    #[case(si, 999.0, "999")]
    #[case(si, 999.9, "1.00 k")]
    #[case(si, 1_234_000_000.0, "1.23 G")]
    #[case(si, 2.5e15, "2500 T")]
    fn times_and_rates(#[case] format: fn(f64) -> String, #[case] number: f64, #[case] text: &str) {
        assert_eq!(format(number), text);
    }
}
