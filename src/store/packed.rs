//! The entries of a ledger as a short text: which subproblems are done, and what each contributed.
//!
//! Subproblems finish in runs, so the entries alternate between a number of pending ones and a number of done ones, these
//! followed by their counts. All numbers are LEB128: seven bits a byte, the lowest first, the top bit set on all but the
//! last. The bytes are written in base 64. A million subproblems of an N = 24 board take about five megabytes.

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Packs the entries of a ledger of `len` subproblems: places, in order, and counts.
pub(super) fn pack(entries: impl Iterator<Item = (usize, u64)>, len: usize) -> String {
    let mut bytes = Vec::new();
    let mut counts = Vec::new();
    let mut entries = entries.peekable();
    let mut place = 0;
    while place < len {
        let start = entries.peek().map_or(len, |&(next, _)| next);
        let mut end = start;
        counts.clear();
        while let Some((_, count)) = entries.next_if(|&(next, _)| next == end) {
            put(&mut counts, count);
            end += 1;
        }
        put(&mut bytes, (start - place) as u64);
        put(&mut bytes, (end - start) as u64);
        bytes.append(&mut counts);
        place = end;
    }
    BASE64_STANDARD.encode(bytes)
}

/// The entries of a ledger of `len` subproblems, places and counts, or `None` if the text is not exactly that.
pub(super) fn unpack(text: &str, len: usize) -> Option<Vec<(usize, u64)>> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    let mut bytes = bytes.as_slice();
    let mut entries = Vec::new();
    let mut place = 0;
    while !bytes.is_empty() {
        let pending = usize::try_from(take(&mut bytes)?).ok()?;
        let done = usize::try_from(take(&mut bytes)?).ok()?;
        // A run is never longer than what is left.
        let left = len - place;
        if pending > left || done > left - pending {
            return None;
        }
        place += pending;
        for _ in 0..done {
            entries.push((place, take(&mut bytes)?));
            place += 1;
        }
    }
    (place == len).then_some(entries)
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    leb128::write::unsigned(bytes, number).expect("a vector takes all bytes");
}

/// A number at the front of the bytes, unless they end too early or it is beyond 64 bits.
fn take(bytes: &mut &[u8]) -> Option<u64> {
    leb128::read::unsigned(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The entries that are there, and how many there could be.
    fn sparse(entries: &[Option<u64>]) -> (Vec<(usize, u64)>, usize) {
        let places = entries.iter().enumerate();
        let done = places.filter_map(|(place, entry)| Some((place, (*entry)?)));
        (done.collect(), entries.len())
    }

    /// Many of them extremes.
    fn entry() -> impl Strategy<Value = Option<u64>> {
        prop_oneof![
            any::<Option<u64>>(),
            Just(None),
            Just(Some(0)),
            Just(Some(u64::MAX))
        ]
    }

    proptest! {
        #[test]
        fn entries_come_back(entries in proptest::collection::vec(entry(), 0..300)) {
            let (entries, len) = sparse(&entries);
            let text = pack(entries.iter().copied(), len);
            prop_assert_eq!(unpack(&text, len), Some(entries));
            prop_assert_eq!(unpack(&text, len + 1), None);
        }

        #[test]
        fn any_bytes_are_entries_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let text = BASE64_STANDARD.encode(bytes);
            if let Some(entries) = unpack(&text, 20) {
                prop_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
                prop_assert!(entries.last().is_none_or(|last| last.0 < 20));
            }
        }
    }

    #[test]
    fn a_number_beyond_64_bits_is_refused() {
        let bytes = [&[0, 1][..], &[0xff; 9], &[0x02]].concat();
        assert_eq!(unpack(&BASE64_STANDARD.encode(bytes), 1), None);
    }

    #[test]
    fn untouched_entries_take_next_to_nothing() {
        let entry = (500_000, 123_456_789);
        assert!(pack([entry].into_iter(), 300_000_000).len() < 40);
    }
}
