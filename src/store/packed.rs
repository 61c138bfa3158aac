//! The entries of a ledger as a short text: which subproblems are done, and what each contributed.
//!
//! Subproblems finish in runs, so the entries alternate between a number of pending ones and a number of done ones, these
//! followed by their counts. All numbers are LEB128: seven bits a byte, the lowest first, the top bit set on all but the
//! last. The bytes are written in base 64. A million subproblems of an N = 24 board take about five megabytes.

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Packs the entries of a ledger.
pub(super) fn pack(entries: impl Iterator<Item = Option<u64>>) -> String {
    let mut bytes = Vec::new();
    let mut counts = Vec::new();
    let mut entries = entries.peekable();
    while entries.peek().is_some() {
        let mut pending = 0;
        while entries.next_if(Option::is_none).is_some() {
            pending += 1;
        }
        let mut done = 0;
        counts.clear();
        while let Some(count) = entries.next_if(Option::is_some).flatten() {
            done += 1;
            put(&mut counts, count);
        }
        put(&mut bytes, pending);
        put(&mut bytes, done);
        bytes.append(&mut counts);
    }
    BASE64_STANDARD.encode(bytes)
}

/// The entries of a ledger of `len` subproblems, or `None` if the text is not exactly that.
pub(super) fn unpack(text: &str, len: usize) -> Option<Vec<Option<u64>>> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    let mut bytes = bytes.as_slice();
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let pending = usize::try_from(take(&mut bytes)?).ok()?;
        let done = usize::try_from(take(&mut bytes)?).ok()?;
        // Checked before anything is allocated: a run is never longer than what is left.
        let left = len - entries.len();
        if pending > left || done > left - pending {
            return None;
        }
        entries.resize(entries.len() + pending, None);
        for _ in 0..done {
            entries.push(Some(take(&mut bytes)?));
        }
    }
    (entries.len() == len).then_some(entries)
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

    proptest! {
        #[test]
        fn entries_come_back(entries in proptest::collection::vec(any::<Option<u64>>(), 0..300)) {
            let text = pack(entries.iter().copied());
            prop_assert_eq!(unpack(&text, entries.len()), Some(entries.clone()));
            prop_assert_eq!(unpack(&text, entries.len() + 1), None);
        }

        #[test]
        fn any_bytes_are_entries_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let text = BASE64_STANDARD.encode(bytes);
            if let Some(entries) = unpack(&text, 20) {
                prop_assert_eq!(entries.len(), 20);
            }
        }
    }

    #[test]
    fn extremes_come_back() {
        let repeated = |entry| [vec![entry], vec![entry; 5]];
        let cases = [None, Some(0), Some(u64::MAX)]
            .into_iter()
            .flat_map(repeated);
        for entries in cases.chain([vec![]]) {
            let text = pack(entries.iter().copied());
            assert_eq!(unpack(&text, entries.len()), Some(entries));
        }
    }

    #[test]
    fn a_number_beyond_64_bits_is_refused() {
        let bytes = [&[0, 1][..], &[0xff; 9], &[0x02]].concat();
        assert_eq!(unpack(&BASE64_STANDARD.encode(bytes), 1), None);
    }

    #[test]
    fn untouched_entries_take_next_to_nothing() {
        let mut entries = vec![None; 1_000_000];
        entries[500_000] = Some(123_456_789);
        assert!(pack(entries.into_iter()).len() < 40);
    }
}
