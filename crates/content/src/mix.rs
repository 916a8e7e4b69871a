//! The `SplitMix64` generator and its finaliser, forwards and backwards.
//!
//! Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. Written out
//! here because the content of a file must be the same for ever: a library may change its stream.

/// The golden-ratio increment of the generator's counter.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes 64 bits so that each input bit changes about half of the output bits. A bijection.
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The inverse of [`mix`].
pub(crate) const fn unmix(value: u64) -> u64 {
    let value = (value ^ (value >> 31) ^ (value >> 62)).wrapping_mul(0x3196_42b2_d24d_8ec3);
    let value = (value ^ (value >> 27) ^ (value >> 54)).wrapping_mul(0x96de_1b17_3f11_9089);
    value ^ (value >> 30) ^ (value >> 60)
}

/// A reproducible stream of 64-bit numbers from one seed.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts the stream that belongs to `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number; every 64-bit value is equally likely.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        mix(self.state)
    }

    /// A random number below `limit`, by multiplication (Lemire 2019). The bias, at most `limit` in
    /// 2^64, is far below what anybody could notice.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // Reference values for seed 1234567 from the authors' C code.
        let mut stream = SplitMix64::new(1_234_567);
        assert_eq!(6_457_827_717_110_365_317, stream.next_u64());
        assert_eq!(3_203_168_211_198_807_973, stream.next_u64());
        assert_eq!(9_817_491_932_198_370_423, stream.next_u64());
    }

    proptest! {
        #[test]
        fn unmix_undoes_mix(value: u64) {
            prop_assert_eq!(value, unmix(mix(value)));
        }
    }
}
