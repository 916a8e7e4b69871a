//! What happens when this machine does not have what the agent asks for.
//!
//! The exit codes are a contract: a lack of memory or of threads ends the agent with one sentence
//! and [`Ending::NotDone`], never with a signal.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::PanicHookInfo;

use crate::ending::Ending;

/// The system's allocator, which ends the agent with a sentence where there is no more memory.
/// Without it, the standard library aborts the process.
pub(crate) struct Allocator;

#[expect(unsafe_code, reason = "an allocator has no safe interface")]
// SAFETY: every call is handed on as it is to the system's allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        there(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        there(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size_bytes: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        there(
            unsafe { System.realloc(memory, layout, size_bytes) },
            size_bytes,
        )
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn there(memory: *mut u8, size_bytes: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(size_bytes);
    }
    memory
}

/// Prints the missing amount, without allocating memory, and ends the process.
fn out_of_memory(size_bytes: usize) -> ! {
    let mut digits = [0_u8; 20];
    say(&[
        b"seatrial-agent: this machine has no memory left for ",
        decimal(size_bytes, &mut digits),
        b" bytes more: use fewer tasks, a smaller queue depth or smaller records, or raise its \
          limit (ulimit -v, vm.overcommit_memory)\n",
    ]);
    end();
}

/// Ends the agent with one sentence where its code, or the standard library, gives up.
pub(crate) fn end_on_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(String::new, |location| {
        format!(" ({}:{})", location.file(), location.line())
    });
    let payload = panic.payload();
    let fixed = payload.downcast_ref::<&str>().copied();
    let formatted = payload.downcast_ref::<String>().map(String::as_str);
    let message = fixed.or(formatted).unwrap_or("no message");
    let sentence = format!("seatrial-agent: it cannot go on: {message}{place}\n");
    say(&[sentence.as_bytes()]);
    end();
}

/// Ends the process at once: other threads may hold what an orderly end would wait for.
fn end() -> ! {
    #[expect(unsafe_code, reason = "there is no safe wrapper")]
    // SAFETY: the call has no requirements.
    unsafe {
        libc::_exit(Ending::NotDone as i32)
    }
}

fn say(parts: &[&[u8]]) {
    for part in parts {
        #[expect(unsafe_code, reason = "a stream of the standard library allocates")]
        // SAFETY: the kernel reads `part` and no further.
        let _written =
            unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
    }
}

/// The digits of a number.
fn decimal(number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut rest = number;
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return &digits[start..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_memory() {
        for number in [0, 7, 10, 4_198_400, usize::MAX] {
            assert_eq!(number.to_string().as_bytes(), decimal(number, &mut [0; 20]));
        }
    }
}
