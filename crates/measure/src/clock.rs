//! The time by which everything is ordered, and the one that people set.

use std::fs;

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::units::Nanoseconds;

/// A smaller change is not reported: no event of a shared storage depends on it.
const SET_NS_MIN: u64 = 5_000_000;

/// Nanoseconds since this machine was booted (`CLOCK_BOOTTIME`). The clock is never set, and runs
/// while the machine is suspended. So its distance to the clock of another machine stays the same.
pub fn boottime_ns() -> Nanoseconds {
    Nanoseconds(nanoseconds(clock_gettime(ClockId::Boottime)))
}

/// The id of the boot that starts [`boottime_ns`]; `None` when the kernel does not report it.
pub fn boot_id() -> Option<String> {
    let told = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(told.trim().to_owned())
}

/// The clock that an operator or chrony may set at any time, as one look found it.
///
/// Slewing changes the pace of both clocks alike, so that only setting it changes their distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    /// When it was looked at.
    pub boottime_ns: Nanoseconds,
    /// Nanoseconds between 1970 and the boot, by this clock.
    pub ahead_ns: u64,
    /// How far `ahead_ns` may be wrong.
    pub error_ns: u64,
}

impl WallClock {
    /// What it shows now: of some looks the one that took least time, because the process may lose
    /// its processor in the middle of one.
    pub fn read() -> Self {
        let looks = std::array::from_fn::<_, 4, _>(|_| {
            let before_ns = boottime_ns().0;
            let wall_ns = nanoseconds(clock_gettime(ClockId::Realtime));
            let after_ns = boottime_ns().0;
            let boottime_ns = before_ns.midpoint(after_ns);
            Self {
                boottime_ns: Nanoseconds(boottime_ns),
                ahead_ns: wall_ns.wrapping_sub(boottime_ns),
                error_ns: after_ns - before_ns,
            }
        });
        let best = |one: Self, other: Self| {
            if other.error_ns < one.error_ns {
                other
            } else {
                one
            }
        };
        looks.into_iter().fold(looks[0], best)
    }

    /// Nanoseconds since 1970.
    pub const fn wall_ns(&self) -> u64 {
        self.ahead_ns.wrapping_add(self.boottime_ns.0)
    }

    /// How far it was set forward (or back) between two looks, unless that is within their errors.
    pub const fn set_by_ns(&self, later: &Self) -> Option<i64> {
        let set_by_ns = later.ahead_ns.wrapping_sub(self.ahead_ns).cast_signed();
        let error_ns = self.error_ns + later.error_ns + SET_NS_MIN;
        if set_by_ns.unsigned_abs() > error_ns {
            Some(set_by_ns)
        } else {
            None
        }
    }
}

/// Waits until [`boottime_ns`] has reached `instant_ns`; returns at once when it is past.
pub fn sleep_until_ns(instant_ns: Nanoseconds) {
    while boottime_ns() < instant_ns {
        // A signal ends the sleep early, which the loop takes care of.
        let _ = clock_nanosleep_absolute(ClockId::Boottime, &instant_ns.into());
    }
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec.cast_unsigned() * Nanoseconds::SECOND.0 + time.tv_nsec.cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_setting_the_wall_clock_is_told() {
        let first = WallClock::read();
        assert_eq!(first.set_by_ns(&WallClock::read()), None);
        let at = |ahead_ns, error_ns| WallClock {
            boottime_ns: Nanoseconds(0),
            ahead_ns,
            error_ns,
        };
        let hour_ns = 3600 * Nanoseconds::SECOND.0;
        let (before, after) = (at(hour_ns, 100), at(2 * hour_ns, 100));
        assert_eq!(before.set_by_ns(&after), Some(hour_ns.cast_signed()));
        assert_eq!(after.set_by_ns(&before), Some(-hour_ns.cast_signed()));
        let slow = at(hour_ns + 90_000_000, 100_000_000);
        assert_eq!(
            before.set_by_ns(&slow),
            None,
            "the look itself took as long"
        );
    }
}
