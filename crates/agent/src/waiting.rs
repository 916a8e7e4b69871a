//! Where in the kernel threads of this process wait: what a long stall is made of.

use std::fs;
use std::path::Path;

use seatrial_measure::{Nanoseconds, Stall};
use serde::Serialize;

/// A stall of this length gets a look at the place where its thread waits.
const LONG_NS: Nanoseconds = Nanoseconds(5 * Nanoseconds::SECOND.0);

/// Time between two looks while it lasts.
const EVERY_NS: Nanoseconds = Nanoseconds(10 * Nanoseconds::SECOND.0);

/// More say nothing new.
const THREADS_MAX: usize = 32;

/// A thread that the kernel blocks.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct WaitingThread {
    /// Its name: `task-N`, or `iou-wrk-…` of the kernel's own for operations that cannot be queued.
    pub(crate) name: String,
    /// As in `proc_pid_stat(5)`: `D` waits without listening to signals, `T` and `t` are stopped.
    pub(crate) state: char,
    /// The kernel's functions that it is in, the innermost first. All of them with root rights,
    /// when the kernel keeps them; otherwise one, or none when the kernel reports nothing.
    pub(crate) functions: Vec<String>,
}

/// Reports where threads wait, while a stall is long.
#[derive(Debug, Default)]
pub(crate) struct Teller {
    told_ns: Option<Nanoseconds>,
}

impl Teller {
    /// Where threads wait, when a report of these stalls is due at `now_ns`. The report then counts
    /// as made.
    pub(crate) fn due(
        &mut self,
        stalls: &[Stall],
        now_ns: Nanoseconds,
    ) -> Option<Vec<WaitingThread>> {
        let is_long = |stall: &Stall| now_ns.saturating_sub(stall.since_ns) >= LONG_NS;
        let is_told = |told_ns| now_ns.saturating_sub(told_ns) < EVERY_NS;
        if !stalls.iter().any(is_long) || self.told_ns.is_some_and(is_told) {
            return None;
        }
        self.told_ns = Some(now_ns);
        Some(threads(Path::new("/proc/self/task")))
    }
}

/// Those of this folder of threads that do not run; one that ended meanwhile is left out.
fn threads(folder: &Path) -> Vec<WaitingThread> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let waiting = entries.filter_map(|entry| thread(&entry.path()));
    waiting.take(THREADS_MAX).collect()
}

fn thread(folder: &Path) -> Option<WaitingThread> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name is in parentheses and may have some itself.
    let (head, tail) = stat.rsplit_once(')')?;
    let state = tail.trim_start().chars().next()?;
    if !matches!(state, 'D' | 'T' | 't') {
        return None;
    }
    let name = head.split_once('(')?.1.to_owned();
    Some(WaitingThread {
        name,
        state,
        functions: functions(folder),
    })
}

/// From `stack`, which is root's, or else from `wchan`: the function that waits.
fn functions(folder: &Path) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let stack: Vec<_> = read("stack").lines().filter_map(function).collect();
    if !stack.is_empty() {
        return stack;
    }
    let one = read("wchan");
    let is_told = !one.is_empty() && one != "0";
    is_told.then_some(one).into_iter().collect()
}

/// `gfs2_log_reserve` of `[<0>] gfs2_log_reserve+0x10/0x20 [gfs2]`.
fn function(line: &str) -> Option<String> {
    let (_, call) = line.split_once("] ")?;
    let name = call.split(['+', ' ']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use tempfile::{TempDir, tempdir};

    use super::*;

    fn with_thread(stat: &str, files: &[(&str, &str)]) -> TempDir {
        let folder = tempdir().unwrap();
        let thread = folder.path().join("7");
        fs::create_dir(&thread).unwrap();
        fs::write(thread.join("stat"), stat).unwrap();
        for (name, text) in files {
            fs::write(thread.join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn only_those_that_cannot_go_on_are_told() {
        for state in ['R', 'S', 'I', 'Z'] {
            let folder = with_thread(&format!("7 (task-0) {state} 1 7"), &[]);
            assert_eq!(Vec::<WaitingThread>::new(), threads(folder.path()));
        }
        let folder = with_thread("7 (a (b) c) D 1 7", &[]);
        let told = threads(folder.path());
        assert_eq!(("a (b) c", 'D'), (told[0].name.as_str(), told[0].state));
        assert!(told[0].functions.is_empty());
        assert!(threads(&folder.path().join("gone")).is_empty());
    }

    #[test]
    fn the_whole_stack_is_told_where_it_can_be_read() {
        let stack = "[<0>] schedule+0xc8/0x115\n[<0>] gfs2_log_reserve+0x1/0x2 [gfs2]\n";
        let folder = with_thread("7 (t) D 1", &[("stack", stack), ("wchan", "schedule")]);
        let told = threads(folder.path());
        assert_eq!(["schedule", "gfs2_log_reserve"], *told[0].functions);
        let folder = with_thread("7 (t) D 1", &[("stack", ""), ("wchan", "nfs_wait_bit")]);
        assert_eq!(["nfs_wait_bit"], *threads(folder.path())[0].functions);
        let folder = with_thread("7 (t) D 1", &[("wchan", "0")]);
        assert!(threads(folder.path())[0].functions.is_empty());
    }

    #[test]
    fn a_stall_is_looked_at_when_it_is_long_and_then_now_and_then() {
        let stalls = [Stall {
            task: 0,
            since_ns: Nanoseconds(100),
        }];
        let mut teller = Teller::default();
        let at = |seconds: u64| Nanoseconds(seconds * Nanoseconds::SECOND.0 + 100);
        let mut due = |stalls: &[Stall], seconds| teller.due(stalls, at(seconds)).is_some();
        assert!(!due(&stalls, 4));
        assert!(due(&stalls, 5));
        assert!(!due(&stalls, 14));
        assert!(due(&stalls, 15));
        assert!(!due(&[], 30));
    }
}
