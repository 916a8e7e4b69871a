//! Consistency tests of one client that look at files take turns: a look counts the calls of its
//! whole mount, and what another consistency test asks meanwhile would hide that the look asked for
//! nothing.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};

/// How long a turn waits for another consistency test's: that one may be waiting for a storage that
/// does not answer, and this one's silence has to be its own.
const PATIENCE: Duration = Duration::from_millis(200);

/// How often it is looked whether the other turn is over.
const GLANCE: Duration = Duration::from_millis(4);

/// Where the consistency tests of this client agree on turns; none when no such place exists.
#[derive(Debug)]
pub(crate) struct Turns(Option<Arc<File>>);

/// A turn, until it is dropped. It is exclusive if the other turn was over in time.
#[derive(Debug)]
pub(crate) struct Turn(Option<Arc<File>>);

impl Turns {
    /// The turns of one client, with histories in the folder of `log` on its local disk.
    pub(crate) fn beside(log: &Path, client_index: u16) -> Self {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let path = log.with_file_name(format!("look-{client_index}.lock"));
        Self(
            openat(CWD, &path, flags, Mode::from_raw_mode(0o600))
                .map(|file| Arc::new(File::from(file)))
                .ok(),
        )
    }

    /// Waits for the other's turn to end, but not for long.
    pub(crate) fn wait(&self) -> Turn {
        let mut waited = Duration::ZERO;
        while let Some(file) = &self.0 {
            if flock(file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Turn(Some(Arc::clone(file)));
            }
            if waited >= PATIENCE {
                break;
            }
            thread::sleep(GLANCE);
            waited += GLANCE;
        }
        Turn(None)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = flock(file, FlockOperation::Unlock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_turn_at_a_time_and_none_waits_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (
            Turns::beside(&folder.path().join("a"), 0),
            Turns::beside(&folder.path().join("b"), 0),
        );
        let first = one.wait();
        assert!(first.0.is_some());
        assert!(other.wait().0.is_none(), "the first lasts");
        let elsewhere = Turns::beside(&folder.path().join("c"), 1);
        assert!(elsewhere.wait().0.is_some(), "another client");
        drop(first);
        assert!(other.wait().0.is_some());
        let nowhere = Turns::beside(Path::new("/nowhere/at/all"), 0);
        assert!(nowhere.wait().0.is_none());
    }
}
