//! Work that lasts until standard input ends. The end shows that the controller is gone.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use seatrial_measure::{Nanoseconds, boottime_ns};

/// Waits until `instant_ns` by the steady clock, or for the end of standard input. Input before the
/// end is ignored.
pub(crate) fn ends_before(instant_ns: Nanoseconds) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut ignored = [0; 4096];
    loop {
        let left_ns = instant_ns.saturating_sub(boottime_ns());
        let timeout = Timespec::from(left_ns);
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno.into()),
        }
        match rustix::io::read(&stdin, &mut ignored) {
            Ok(0) => return Ok(true),
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}
