//! Numbers that look random and are the same in every run with one seed (xorshift, Marsaglia 2003).

#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to below `limit`, which is at least 1.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        // The remainder is below a limit of this type.
        u32::try_from((self.next() >> 11) % u64::from(limit)).unwrap_or(0)
    }
}
