//! A stamp that identifies a client and its generation.

/// Bytes of a stamp, its line feed included.
pub(crate) const STAMP_BYTES: usize = 36;

/// Run, client and generation, as text.
pub(crate) fn stamp(run: u64, client: u16, generation: u64) -> Vec<u8> {
    format!("{run:016x} {client:05} {generation:012}\n").into_bytes()
}

/// The generation of a stamp of this client; `None` when it is none.
pub(crate) fn generation_of(run: u64, client: u16, found: &[u8]) -> Option<u64> {
    let digits = found.get(23..35)?;
    let generation = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (found == stamp(run, client, generation)).then_some(generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_read_back_and_nothing_else() {
        let whole = stamp(7, 3, 41);
        assert_eq!(STAMP_BYTES, whole.len());
        assert_eq!(Some(41), generation_of(7, 3, &whole));
        assert_eq!(None, generation_of(7, 4, &whole));
        assert_eq!(None, generation_of(8, 3, &whole));
        assert_eq!(None, generation_of(7, 3, &whole[..STAMP_BYTES - 1]));
        assert_eq!(None, generation_of(7, 3, b""));
    }
}
