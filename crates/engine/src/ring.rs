//! Several operations of one task at once, through `io_uring`.
//!
//! This is the only place of the engine that gives the kernel memory to write to later. The
//! complete reasoning about it is here. A slot's buffer stays where it is until its operation has
//! come back. A ring that is dropped waits for every operation in flight.

use std::os::fd::{AsRawFd, BorrowedFd};

use std::time::Duration;

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue, types};
use rustix::io::Errno;
use seatrial_measure::{Nanoseconds, boottime_ns};

use crate::buffer::Buffer;
use crate::storage::SECTOR_BYTES;

/// Index of the one file that a ring knows.
const FILE: types::Fixed = types::Fixed(0);

/// A ring with as many slots as operations may be in flight.
pub(crate) struct Ring {
    queues: IoUring,
    slots: Vec<Slot>,
    has_fixed_buffers: bool,
    /// Bytes that each operation moves although nothing is done, when there is no file.
    null_bytes: Option<usize>,
    under_way: usize,
}

/// A buffer, and whether the kernel has it.
struct Slot {
    buffer: Buffer,
    is_busy: bool,
}

impl Slot {
    fn new(length_bytes: usize) -> Self {
        Self {
            buffer: Buffer::new(length_bytes),
            is_busy: false,
        }
    }

    /// The bytes, as long as they are not the kernel's.
    ///
    /// # Panics
    /// When an operation is in flight: the kernel may read or write them at any time.
    fn idle_bytes(&mut self) -> &mut [u8] {
        assert!(
            !self.is_busy,
            "an operation is under way with this slot's buffer"
        );
        self.buffer.bytes()
    }
}

/// One direction of moving data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// Part of a slot's buffer, and where in the file it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) slot: usize,
    pub(crate) direction: Direction,
    pub(crate) offset: u64,
    /// Bytes at the start of the buffer that have been moved already.
    pub(crate) done_bytes: usize,
}

/// An operation that has come back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion {
    pub(crate) slot: usize,
    /// Bytes that were moved.
    pub(crate) result: Result<usize, Errno>,
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "Ring({} of {} under way)",
            self.under_way,
            self.slots.len()
        )
    }
}

impl Ring {
    /// A ring for operations of `transfer_bytes` on `file`, which has to stay open as long.
    ///
    /// # Errors
    /// When the kernel has no `io_uring`, or does not let this process use it.
    pub(crate) fn new(
        depth: u16,
        transfer_bytes: usize,
        file: BorrowedFd<'_>,
    ) -> Result<Self, Errno> {
        let queues = queues_of(depth)?;
        queues
            .submitter()
            .register_files(&[file.as_raw_fd()])
            .map_err(errno_of)?;
        let mut slots: Vec<_> = (0..depth).map(|_| Slot::new(transfer_bytes)).collect();
        let vectors: Vec<_> = slots
            .iter_mut()
            .map(|slot| libc::iovec {
                iov_base: slot.idle_bytes().as_mut_ptr().cast(),
                iov_len: transfer_bytes,
            })
            .collect();
        // SAFETY: the buffers neither move nor are freed before the ring: `Ring` owns both, never
        // replaces a slot, and drops the ring first.
        #[expect(unsafe_code, reason = "the kernel keeps these addresses")]
        let registered = unsafe { queues.submitter().register_buffers(&vectors) };
        // It is a matter of speed only, and of how much memory a user may pin.
        Ok(Self {
            queues,
            slots,
            has_fixed_buffers: registered.is_ok(),
            null_bytes: None,
            under_way: 0,
        })
    }

    /// A ring of operations that do nothing, and seem to move `transfer_bytes` each.
    ///
    /// # Errors
    /// When the kernel has no `io_uring`, or does not let this process use it.
    pub(crate) fn null(depth: u16, transfer_bytes: usize) -> Result<Self, Errno> {
        Ok(Self {
            queues: queues_of(depth)?,
            slots: (0..depth).map(|_| Slot::new(SECTOR_BYTES)).collect(),
            has_fixed_buffers: false,
            null_bytes: Some(transfer_bytes),
            under_way: 0,
        })
    }

    /// How many operations may be in flight.
    pub(crate) const fn depth(&self) -> usize {
        self.slots.len()
    }

    /// How many are.
    pub(crate) const fn under_way(&self) -> usize {
        self.under_way
    }

    /// The buffer of a slot with which no operation is in flight.
    ///
    /// # Panics
    /// When one is.
    pub(crate) fn buffer(&mut self, slot: usize) -> &mut [u8] {
        self.slots[slot].idle_bytes()
    }

    /// Puts an operation into the queue.
    ///
    /// # Errors
    /// When the queue is full.
    ///
    /// # Panics
    /// When an operation is in flight with the slot.
    pub(crate) fn push(&mut self, part: Part) -> Result<(), Errno> {
        let entry = self.entry(part);
        // SAFETY: the buffer belongs to `self`, does not move, and is not touched before the
        // operation has come back: the slot is busy until then, which `idle_bytes` checks for
        // `buffer` and `entry`, and `drop` waits for all that is in flight.
        #[expect(unsafe_code, reason = "the kernel uses the buffer later")]
        let pushed = unsafe { self.queues.submission().push(&entry) };
        pushed.map_err(|_| Errno::BUSY)?;
        self.slots[part.slot].is_busy = true;
        self.under_way += 1;
        Ok(())
    }

    fn entry(&mut self, part: Part) -> squeue::Entry {
        let bytes = self.slots[part.slot].idle_bytes();
        if self.null_bytes.is_some() {
            return opcode::Nop::new().build().user_data(part.slot as u64);
        }
        let bytes = &mut bytes[part.done_bytes..];
        let (address, length) = (bytes.as_mut_ptr(), bytes.len() as u32);
        let offset = part.offset + part.done_bytes as u64;
        let slot = part.slot as u16;
        let entry = match (part.direction, self.has_fixed_buffers) {
            (Direction::Read, true) => opcode::ReadFixed::new(FILE, address, length, slot)
                .offset(offset)
                .build(),
            (Direction::Read, false) => opcode::Read::new(FILE, address, length)
                .offset(offset)
                .build(),
            (Direction::Write, true) => opcode::WriteFixed::new(FILE, address, length, slot)
                .offset(offset)
                .build(),
            (Direction::Write, false) => opcode::Write::new(FILE, address, length)
                .offset(offset)
                .build(),
        };
        entry.user_data(part.slot as u64)
    }

    /// Whether [`Ring::wait`] may be given a time to end: since Linux 5.11.
    pub(crate) fn has_timed_waits(&self) -> bool {
        self.queues.params().is_feature_ext_arg()
    }

    /// Passes the queue to the kernel and waits until at least one operation has come back, or
    /// until `until_ns` by the steady clock. Puts every completed one into `completions`, which is
    /// emptied before.
    pub(crate) fn wait(
        &mut self,
        completions: &mut Vec<Completion>,
        until_ns: Option<Nanoseconds>,
    ) -> Result<(), Errno> {
        completions.clear();
        while completions.is_empty() && self.under_way > 0 {
            let left_ns = until_ns.map(|until_ns| until_ns.saturating_sub(boottime_ns()));
            match self.submit_and_wait(left_ns) {
                Ok(()) | Err(Errno::INTR | Errno::BUSY | Errno::AGAIN | Errno::TIME) => {}
                Err(errno) => return Err(errno),
            }
            let null_bytes = self.null_bytes.unwrap_or(0);
            let entries = self.queues.completion();
            completions.extend(entries.map(|entry| completion_of(&entry, null_bytes)));
            self.under_way -= completions.len();
            for completion in &*completions {
                self.slots[completion.slot].is_busy = false;
            }
            if left_ns == Some(Nanoseconds(0)) {
                break;
            }
        }
        Ok(())
    }

    /// How many operations wait in the queue for the kernel.
    pub(crate) fn queued(&mut self) -> usize {
        self.queues.submission().len()
    }

    /// Passes the queue to the kernel. What it does not take now, [`Ring::wait`] passes again; an
    /// error that lasts is reported there.
    pub(crate) fn submit(&self) {
        drop(self.queues.submit());
    }

    fn submit_and_wait(&self, left_ns: Option<Nanoseconds>) -> Result<(), Errno> {
        let submitter = self.queues.submitter();
        let result = match left_ns {
            None => submitter.submit_and_wait(1),
            Some(left_ns) => {
                let timeout = Timespec::from(Duration::from_nanos(left_ns.0));
                submitter.submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
            }
        };
        result.map(drop).map_err(errno_of)
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let mut completions = Vec::new();
        while self.under_way > 0 && self.wait(&mut completions, None).is_ok() {}
        if self.under_way > 0 {
            // The kernel may still write to the buffers: better lost than given to others.
            std::mem::forget(std::mem::take(&mut self.slots));
        }
    }
}

/// The queues of a ring, as the kernel likes them best.
fn queues_of(depth: u16) -> Result<IoUring, Errno> {
    IoUring::builder()
        .setup_single_issuer()
        .build(depth.into())
        .or_else(|_| IoUring::new(depth.into()))
        .map_err(errno_of)
}

/// The completed operation, with `null_bytes` that were never transferred.
fn completion_of(entry: &cqueue::Entry, null_bytes: usize) -> Completion {
    let result = match entry.result() {
        count @ 0.. => Ok(count.unsigned_abs() as usize + null_bytes),
        error => Err(Errno::from_raw_os_error(-error)),
    };
    Completion {
        slot: entry.user_data() as usize,
        result,
    }
}

/// The number of an error of the operating system; the library makes up no others.
#[expect(clippy::needless_pass_by_value, reason = "it is used to map errors")]
fn errno_of(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Part = Part {
        slot: 1,
        direction: Direction::Read,
        offset: 0,
        done_bytes: 0,
    };

    /// A ring with an operation in flight in slot 1; `None` where there is no `io_uring`.
    fn busy_ring() -> Option<Ring> {
        let mut ring = Ring::null(2, SECTOR_BYTES).ok()?;
        ring.push(READ).unwrap();
        Some(ring)
    }

    #[test]
    #[should_panic(expected = "under way with this slot's buffer")]
    fn nobody_gets_a_buffer_that_the_kernel_has() {
        let mut ring = busy_ring().expect("under way with this slot's buffer: no ring");
        ring.buffer(1);
    }

    #[test]
    #[should_panic(expected = "under way with this slot's buffer")]
    fn nobody_gives_a_buffer_to_the_kernel_twice() {
        let mut ring = busy_ring().expect("under way with this slot's buffer: no ring");
        let _ = ring.push(READ);
    }

    #[test]
    fn a_submitted_operation_leaves_the_queue_and_stays_under_way() {
        let Some(mut ring) = busy_ring() else {
            return;
        };
        assert_eq!((1, 1), (ring.queued(), ring.under_way()));
        ring.submit();
        assert_eq!((0, 1), (ring.queued(), ring.under_way()));
        let mut completions = Vec::new();
        ring.wait(&mut completions, None).unwrap();
        assert_eq!((1, 0), (completions.len(), ring.under_way()));
    }

    #[test]
    fn a_slot_is_idle_before_and_after() {
        let Some(mut ring) = busy_ring() else {
            return;
        };
        ring.buffer(0).fill(1);
        ring.wait(&mut Vec::new(), None).unwrap();
        ring.buffer(1).fill(1);
        ring.push(READ).unwrap();
    }
}
