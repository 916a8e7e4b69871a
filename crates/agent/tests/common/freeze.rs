//! Stopping one thread of an agent, as storage does that does not answer.
//!
//! No ordinary user can make a file system hang, but the tracer of a process can hold one of its
//! threads while the others run.

#![allow(unsafe_code, reason = "tracing has no safe interface")]

use std::fs;
use std::ptr::null_mut;

/// A thread that does not run. It continues when this is dropped.
pub struct FrozenThread(libc::pid_t);

impl FrozenThread {
    /// Stops the thread of the child process `process` that is named `name`.
    pub fn new(process: u32, name: &str) -> Self {
        let thread = thread_named(process, name);
        // SAFETY: these requests take no pointers, and `waitpid` is allowed a null status.
        unsafe {
            assert_eq!(
                0,
                libc::ptrace(libc::PTRACE_SEIZE, thread, null_mut::<u8>(), 0),
                "seize"
            );
            let interrupted = libc::ptrace(libc::PTRACE_INTERRUPT, thread, null_mut::<u8>(), 0);
            assert_eq!(0, interrupted, "interrupt");
            assert_eq!(
                thread,
                libc::waitpid(thread, null_mut(), libc::__WALL),
                "wait"
            );
        }
        Self(thread)
    }
}

impl Drop for FrozenThread {
    fn drop(&mut self) {
        // SAFETY: the request takes no pointers, and `waitpid` is allowed a null status.
        unsafe {
            if libc::ptrace(libc::PTRACE_DETACH, self.0, null_mut::<u8>(), 0) != 0 {
                // It has died meanwhile. As long as nobody takes note, the process cannot end.
                libc::waitpid(self.0, null_mut(), libc::__WALL);
            }
        }
    }
}

fn thread_named(process: u32, name: &str) -> libc::pid_t {
    for entry in fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        let entry = entry.unwrap();
        let comm = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if comm.trim_end() == name {
            return entry.file_name().to_str().unwrap().parse().unwrap();
        }
    }
    panic!("no thread `{name}`");
}
