//! How many bytes a block may have.

/// Bytes of the largest block.
pub const BLOCK_BYTES_MAX: usize = 4096;

/// Bytes of the smallest block: what a disk sector holds.
pub const BLOCK_BYTES_MIN: usize = 512;

/// The block size for transfers of `transfer_bytes`, or `None` when no block size divides them.
///
/// It is the largest power of two that divides the transfer. If 512 does not divide it, as with the
/// 47,008 bytes of IO500, it is the largest divisor. A transfer therefore always ends with a block.
pub fn block_bytes_for(transfer_bytes: u64) -> Option<usize> {
    if transfer_bytes == 0 {
        return None;
    }
    let powers_max = BLOCK_BYTES_MAX.trailing_zeros();
    let power = 1_usize << transfer_bytes.trailing_zeros().min(powers_max);
    if power >= BLOCK_BYTES_MIN {
        return Some(power);
    }
    (BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX)
        .rev()
        .find(|&bytes| transfer_bytes.is_multiple_of(bytes as u64))
}

/// Whether blocks may have this many bytes.
pub const fn is_block_size(bytes: usize) -> bool {
    BLOCK_BYTES_MIN <= bytes && bytes <= BLOCK_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_block_size_follows_the_record() {
        assert_eq!(Some(4096), block_bytes_for(1 << 20));
        assert_eq!(Some(4096), block_bytes_for(12 << 10));
        assert_eq!(Some(1024), block_bytes_for(1024));
        assert_eq!(Some(512), block_bytes_for(1536));
        assert_eq!(Some(3616), block_bytes_for(47_008));
        assert_eq!(Some(3901), block_bytes_for(3901));
        assert_eq!(Some(4000), block_bytes_for(1_000_000));
        assert_eq!(None, block_bytes_for(256));
        assert_eq!(None, block_bytes_for(0));
    }

    #[test]
    fn a_record_without_a_possible_divisor_has_no_block_size() {
        // A prime number, and twice a prime number.
        assert_eq!(None, block_bytes_for(47_017));
        assert_eq!(None, block_bytes_for(2 * 47_017));
    }

    proptest! {
        #[test]
        fn blocks_fill_a_record_without_a_rest(transfer_bytes in 1_u64..1 << 26) {
            if let Some(bytes) = block_bytes_for(transfer_bytes) {
                prop_assert!(is_block_size(bytes));
                prop_assert_eq!(0, transfer_bytes % bytes as u64);
            } else {
                let divisor = (512..=4096).find(|&divisor| transfer_bytes.is_multiple_of(divisor));
                prop_assert_eq!(None, divisor);
            }
        }
    }
}
