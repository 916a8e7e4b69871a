//! Memory that `O_DIRECT` accepts.

/// Alignment that satisfies every block device in use.
const ALIGNMENT_BYTES: usize = 4096;

/// A buffer that starts on a page.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// A buffer of `length_bytes` zeros.
    pub(crate) fn new(length_bytes: usize) -> Self {
        let memory = vec![0; length_bytes + ALIGNMENT_BYTES];
        let start = memory.as_ptr().align_offset(ALIGNMENT_BYTES);
        Self {
            memory,
            start,
            length: length_bytes,
        }
    }

    /// All its bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_starts_on_a_page() {
        for length in [512, 4096, 1 << 20] {
            let mut buffer = Buffer::new(length);
            assert_eq!(length, buffer.bytes().len());
            assert_eq!(0, buffer.bytes().as_ptr().addr() % ALIGNMENT_BYTES);
        }
    }
}
