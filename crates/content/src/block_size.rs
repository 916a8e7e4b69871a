//! How many bytes a block may have.

/// Bytes of the largest block, and of every block unless records are smaller.
pub const BLOCK_BYTES_MAX: usize = 4096;

/// Bytes of the smallest block: what a disk sector holds.
pub const BLOCK_BYTES_MIN: usize = 512;

/// The block size for records of `record_bytes`: the largest power of two up to 4096 that divides
/// them, or `None` when even 512 does not.
pub fn block_bytes_for(record_bytes: u64) -> Option<usize> {
    let bytes = 1_u64
        << record_bytes
            .trailing_zeros()
            .min(BLOCK_BYTES_MAX.trailing_zeros());
    (record_bytes > 0 && bytes >= BLOCK_BYTES_MIN as u64).then_some(bytes as usize)
}

/// Whether blocks may have this many bytes.
pub(crate) const fn is_block_size(bytes: usize) -> bool {
    bytes.is_power_of_two() && BLOCK_BYTES_MIN <= bytes && bytes <= BLOCK_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_size_follows_the_record() {
        assert_eq!(Some(4096), block_bytes_for(1 << 20));
        assert_eq!(Some(4096), block_bytes_for(12 << 10));
        assert_eq!(Some(1024), block_bytes_for(1024));
        assert_eq!(Some(512), block_bytes_for(1536));
        assert_eq!(None, block_bytes_for(256));
        assert_eq!(None, block_bytes_for(47_008));
        assert_eq!(None, block_bytes_for(0));
    }
}
