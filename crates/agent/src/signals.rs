//! Signals as something that can be waited for, together with everything else.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

/// Signals that mean "stop": from a user, from the system, and from a session that has ended.
const STOPPING: [libc::c_int; 3] = [libc::SIGTERM, libc::SIGHUP, libc::SIGINT];

/// A descriptor that is readable when the process was asked to stop.
#[derive(Debug)]
pub(crate) struct Signals(OwnedFd);

impl Signals {
    /// Takes the stopping signals out of their usual way. Must come before any thread is started,
    /// because threads inherit the blocked signals.
    ///
    /// A limit on file sizes is made an error like any other, and not the death of the agent.
    ///
    /// # Errors
    /// When the kernel has no descriptor to give.
    #[expect(unsafe_code, reason = "there is no safe wrapper among our libraries")]
    pub(crate) fn block() -> io::Result<Self> {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: `sigemptyset` initialises the set before anything reads it; the other pointers
        // are null where that is allowed; the new descriptor is owned by nobody else.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            libc::sigemptyset(set.as_mut_ptr());
            for signal in STOPPING {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            if libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            match libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                descriptor => Ok(Self(OwnedFd::from_raw_fd(descriptor))),
            }
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
