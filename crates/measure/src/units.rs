//! Times and amounts of data, as separate types for the compiler. In JSON both are the plain
//! numbers.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::time::Duration;

use rustix::time::Timespec;
use serde::{Deserialize, Serialize};

/// An instant of the steady clock, or the time between two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanoseconds(pub u64);

/// An amount of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Nanoseconds {
    /// A second.
    pub const SECOND: Self = Self(1_000_000_000);

    /// No instant comes after it.
    pub const MAX: Self = Self(u64::MAX);

    /// A time in seconds, which is not negative.
    pub fn from_s(seconds: f64) -> Self {
        Self(Duration::from_secs_f64(seconds).as_nanos() as u64)
    }

    /// The later instant; the last possible one when the sum is out of range.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The time since an earlier instant; none when that is later.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// An amount by this time; `None` when that is none.
    pub fn rate_per_s(self, amount: u64) -> Option<f64> {
        (self.0 > 0).then(|| amount as f64 * 1e9 / self.0 as f64)
    }
}

impl Mul<Nanoseconds> for u64 {
    type Output = Nanoseconds;

    fn mul(self, time: Nanoseconds) -> Nanoseconds {
        Nanoseconds(self * time.0)
    }
}

impl From<Nanoseconds> for Timespec {
    fn from(time: Nanoseconds) -> Self {
        Self {
            tv_sec: (time.0 / Nanoseconds::SECOND.0).cast_signed(),
            tv_nsec: (time.0 % Nanoseconds::SECOND.0).cast_signed(),
        }
    }
}

macro_rules! counts {
    ($unit:ident) => {
        impl Add for $unit {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $unit {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $unit {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
    };
}

counts!(Nanoseconds);
counts!(Bytes);

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        Self(amounts.map(|amount| amount.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_json_they_are_plain_numbers() {
        let told = serde_json::to_string(&(Nanoseconds::MAX, Bytes(7))).unwrap();
        assert_eq!("[18446744073709551615,7]", told);
        let heard: Nanoseconds = serde_json::from_str("18446744073709551615").unwrap();
        assert_eq!(Nanoseconds::MAX, heard);
    }
}
