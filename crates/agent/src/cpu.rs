//! Processor time of this process: what the load itself cost the client.

use std::mem::MaybeUninit;

use serde::Serialize;

/// Processor time, in seconds. Kernel workers that act for the process (`io_uring`) count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct CpuTime {
    /// In the program.
    pub(crate) user_s: f64,
    /// In the kernel.
    pub(crate) system_s: f64,
}

impl CpuTime {
    /// What the process has used so far.
    pub(crate) fn now() -> Self {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is valid for a write of this type, and all zeros is a valid value
        // of it, so that it is initialised even if the call should fail.
        #[expect(unsafe_code, reason = "there is no safe wrapper among our libraries")]
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        Self {
            user_s: seconds(usage.ru_utime),
            system_s: seconds(usage.ru_stime),
        }
    }

    /// What was used since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user_s: self.user_s - earlier.user_s,
            system_s: self.system_s - earlier.system_s,
        }
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}
