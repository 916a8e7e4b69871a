//! The two clocks of Linux: one that all machines share more or less, one that never jumps.

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds of a second.
pub(crate) const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// Nanoseconds since 1970, by this machine's clock.
pub fn unix_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

/// Nanoseconds since some instant in the past; never goes back.
pub fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Waits until [`unix_ns`] has reached `instant_ns`; returns at once when it is past.
pub(crate) fn sleep_until_unix_ns(instant_ns: u64) {
    while unix_ns() < instant_ns {
        // A signal ends the sleep early, which the loop takes care of.
        let _ = clock_nanosleep_absolute(ClockId::Realtime, &timespec(instant_ns));
    }
}

/// Waits until [`monotonic_ns`] has reached `instant_ns`; returns at once when it is past.
pub(crate) fn sleep_until_monotonic_ns(instant_ns: u64) {
    while monotonic_ns() < instant_ns {
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &timespec(instant_ns));
    }
}

const fn timespec(instant_ns: u64) -> Timespec {
    Timespec {
        tv_sec: (instant_ns / NANOSECONDS_PER_SECOND).cast_signed(),
        tv_nsec: (instant_ns % NANOSECONDS_PER_SECOND).cast_signed(),
    }
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec.cast_unsigned() * NANOSECONDS_PER_SECOND + time.tv_nsec.cast_unsigned()
}

/// One instant on both clocks: what turns measured times into times that others understand.
#[derive(Clone, Copy, Debug)]
pub struct Instants {
    /// By the shared clock.
    pub unix_ns: u64,
    /// By the clock that never jumps.
    pub monotonic_ns: u64,
}

impl Instants {
    /// Reads both clocks; of some attempts the one that took least time, because the process may
    /// lose its processor between the two.
    pub fn now() -> Self {
        let attempt = || {
            let before_ns = monotonic_ns();
            let unix_ns = unix_ns();
            let after_ns = monotonic_ns();
            (
                after_ns - before_ns,
                Self {
                    unix_ns,
                    monotonic_ns: before_ns.midpoint(after_ns),
                },
            )
        };
        let mut best = attempt();
        for _ in 0..4 {
            let next = attempt();
            if next.0 < best.0 {
                best = next;
            }
        }
        best.1
    }

    /// The shared clock's time at a time of the steady one.
    pub const fn to_unix_ns(self, monotonic_ns: u64) -> u64 {
        self.unix_ns
            .wrapping_add(monotonic_ns)
            .wrapping_sub(self.monotonic_ns)
    }

    /// The steady clock's time at a time of the shared one.
    pub(crate) const fn to_monotonic_ns(self, unix_ns: u64) -> u64 {
        self.monotonic_ns
            .wrapping_add(unix_ns)
            .wrapping_sub(self.unix_ns)
    }
}
