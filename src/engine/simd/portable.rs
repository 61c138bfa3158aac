//! Small arrays, written so that the compiler turns each operation into the vector instructions of the target.

use super::{Bits512, InstructionSet, LaneMask, U32s};

/// Words in a [`Words`]. Eight fill two SSE2 or NEON registers.
const LANES: usize = 8;

/// Eight words.
#[derive(Clone, Copy, Debug)]
pub struct Words([u32; LANES]);

/// All bits of a word set where the lane is, none where it is not: what vector comparisons give.
#[derive(Clone, Copy, Debug)]
pub struct WordMask([u32; LANES]);

#[inline(always)]
fn map(a: [u32; LANES], f: impl Fn(u32) -> u32) -> [u32; LANES] {
    let mut out = [0; LANES];
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
    out
}

#[inline(always)]
fn zip(a: [u32; LANES], b: [u32; LANES], f: impl Fn(u32, u32) -> u32) -> [u32; LANES] {
    let mut out = [0; LANES];
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
    out
}

#[inline(always)]
fn verdict(is: bool) -> u32 {
    u32::from(is).wrapping_neg()
}

impl LaneMask for WordMask {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        WordMask(zip(self.0, other.0, |a, b| a & b))
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        WordMask(zip(self.0, other.0, |a, b| a & !b))
    }
    #[inline(always)]
    fn count(self) -> u32 {
        // Each set lane is -1.
        self.0
            .iter()
            .fold(0u32, |sum, &lane| sum.wrapping_add(lane))
            .wrapping_neg()
    }
}

impl U32s for Words {
    const LANES: usize = LANES;
    type Mask = WordMask;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Words([word; LANES])
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: eight words are readable, by the caller's promise, and an array of words has a word's alignment.
        Words(unsafe { from.cast::<[u32; LANES]>().read() })
    }
    #[inline(always)]
    unsafe fn load_u16(from: *const u16) -> Self {
        // SAFETY: eight words are readable, by the caller's promise, and an array of words has a word's alignment.
        let narrow = unsafe { from.cast::<[u16; LANES]>().read() };
        let mut words = [0; LANES];
        for (word, narrow) in words.iter_mut().zip(narrow) {
            *word = u32::from(narrow);
        }
        Words(words)
    }
    #[inline(always)]
    unsafe fn first(n: usize) -> WordMask {
        let mut mask = [0; LANES];
        for (lane, mask) in mask.iter_mut().enumerate() {
            *mask = verdict(lane < n);
        }
        WordMask(mask)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a & b))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a | b))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a ^ b))
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a & !b))
    }
    #[inline(always)]
    fn shl1(self) -> Self {
        Words(map(self.0, |a| a << 1))
    }
    #[inline(always)]
    fn shr1(self) -> Self {
        Words(map(self.0, |a| a >> 1))
    }
    #[inline(always)]
    fn clear_lowest(self) -> Self {
        Words(map(self.0, |a| a & a.wrapping_sub(1)))
    }
    #[inline(always)]
    fn is_zero(self) -> WordMask {
        WordMask(map(self.0, |a| verdict(a == 0)))
    }
    #[inline(always)]
    fn not_zero(self) -> WordMask {
        WordMask(map(self.0, |a| verdict(a != 0)))
    }
    #[inline(always)]
    fn disjoint(self, other: Self) -> WordMask {
        self.and(other).is_zero()
    }
    #[inline(always)]
    fn reduce_and(self) -> u32 {
        self.0.into_iter().fold(u32::MAX, |a, b| a & b)
    }
    #[inline(always)]
    fn reduce_or(self) -> u32 {
        self.0.into_iter().fold(0, |a, b| a | b)
    }
    #[inline(always)]
    fn and_where(self, mask: WordMask, other: Self) -> Self {
        let other = zip(other.0, mask.0, |other, mask| other | !mask);
        Words(zip(self.0, other, |a, other| a & other))
    }
    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: WordMask,
        to: [*mut u32; K],
    ) {
        let mut kept = 0;
        for lane in 0..LANES {
            for k in 0..K {
                // SAFETY: `kept` <= `lane` < LANES, and the caller allows LANES words to be overwritten.
                unsafe { to[k].add(kept).write(vectors[k].0[lane]) };
            }
            kept += (keep.0[lane] & 1) as usize;
        }
    }
}

/// No instruction set in particular.
#[derive(Clone, Copy, Debug)]
pub struct Any;

// SAFETY: every CPU has what nothing is asked for.
unsafe impl InstructionSet for Any {
    type Words = Words;
    type Bits = Bits;
}

/// 512 bits as eight words.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Bits([u64; 8]);

impl Bits {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

/// Adds three vectors bit by bit: (sum, carry).
#[inline(always)]
fn add3(a: Bits, b: Bits, c: Bits) -> (Bits, Bits) {
    let ab = a.zip(b, |a, b| a ^ b);
    let both = a.zip(b, |a, b| a & b);
    (
        ab.zip(c, |ab, c| ab ^ c),
        both.zip(ab.zip(c, |ab, c| ab & c), |x, y| x | y),
    )
}

/// Set bits in units of one, two and four that have not been added up yet, and those that have.
#[derive(Clone, Copy)]
pub struct Tally {
    ones: Bits,
    twos: Bits,
    fours: Bits,
    eights: u64,
}

#[inline(always)]
fn popcount(bits: Bits) -> u64 {
    // Bytes hold at most 8, so the eight words' bytes add up without overflow before they are summed.
    let mut bytes = 0u64;
    for x in bits.0 {
        let x = x - ((x >> 1) & 0x5555_5555_5555_5555);
        let x = (x & 0x3333_3333_3333_3333) + ((x >> 2) & 0x3333_3333_3333_3333);
        bytes += (x + (x >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    }
    let pairs = (bytes & 0x00ff_00ff_00ff_00ff) + ((bytes >> 8) & 0x00ff_00ff_00ff_00ff);
    pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

impl Bits512 for Bits {
    type Tally = Tally;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for 64 readable, aligned bytes.
        Self(unsafe { from.cast::<[u64; 8]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for 64 writable, aligned bytes.
        unsafe { to.cast::<[u64; 8]>().write(self.0) };
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0; 8])
    }

    #[inline(always)]
    unsafe fn tally() -> Tally {
        let zero = Bits([0; 8]);
        Tally {
            ones: zero,
            twos: zero,
            fours: zero,
            eights: 0,
        }
    }

    #[inline(always)]
    fn add(tally: Tally, b: [Self; 8]) -> Tally {
        let (ones, two_a) = add3(tally.ones, b[0], b[1]);
        let (ones, two_b) = add3(ones, b[2], b[3]);
        let (twos, four_a) = add3(tally.twos, two_a, two_b);
        let (ones, two_a) = add3(ones, b[4], b[5]);
        let (ones, two_b) = add3(ones, b[6], b[7]);
        let (twos, four_b) = add3(twos, two_a, two_b);
        let (fours, eights) = add3(tally.fours, four_a, four_b);
        Tally {
            ones,
            twos,
            fours,
            eights: tally.eights + popcount(eights),
        }
    }

    #[inline(always)]
    fn total(t: Tally) -> u64 {
        8 * t.eights + 4 * popcount(t.fours) + 2 * popcount(t.twos) + popcount(t.ones)
    }

    #[inline(always)]
    unsafe fn planes(words: *const u32, planes: *mut u64) {
        for group in 0..8 {
            // Two 32 x 32 bit matrices side by side make one of 64 columns.
            // SAFETY: the caller vouches for 512 readable words.
            let word = |i: usize| u64::from(unsafe { words.add(64 * group + i).read() });
            let mut rows: [u64; 32] = std::array::from_fn(|i| !(word(i) | word(i + 32) << 32));
            transpose_pairs(&mut rows);
            for (plane, row) in rows.into_iter().enumerate() {
                // SAFETY: the caller vouches for 32 times 8 writable words.
                unsafe { planes.add(8 * plane + group).write(row) };
            }
        }
    }
}

/// Transposes the 32 x 32 bit matrix in the low halves of the words and the one in the high halves.
#[inline(always)]
fn transpose_pairs(rows: &mut [u64; 32]) {
    let mut step = 16;
    let mut mask = 0x0000_ffff_0000_ffff_u64;
    while step > 0 {
        let mut i = 0;
        while i < 32 {
            for j in i..i + step {
                let swap = ((rows[j] >> step) ^ rows[j + step]) & mask;
                rows[j] ^= swap << step;
                rows[j + step] ^= swap;
            }
            i += 2 * step;
        }
        step /= 2;
        mask ^= mask << step;
    }
}
