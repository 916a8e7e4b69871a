//! The load of this machine: the counters of `/proc`, as differences between two moments.
//!
//! A file that is missing, or has an unexpected content, gives `null`. Figures of the machine are
//! useful, but no reason to give up a measurement.

mod disks;
mod drivers;
mod interfaces;
mod parse;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use seatrial_measure::{Nanoseconds, boottime_ns};
use serde::Serialize;

use self::parse::{DiskCounters, NetworkCounters, ProcessorCounters};

/// The counters of interfaces, by their names.
type Interfaces = BTreeMap<String, NetworkCounters>;

/// The figures of an interval; memory is that at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Telemetry {
    /// Time of all processors that was not idle, by all their time. Waiting for disks is idle.
    pub(crate) cpus_busy_share: Option<f64>,
    /// Memory that programs could still get.
    pub(crate) memory_available_bytes: Option<u64>,
    /// Memory that has still to be written to storage, or is being written.
    pub(crate) memory_dirty_bytes: Option<u64>,
    /// Received by this machine, each byte once: over the interfaces that sit on no other.
    pub(crate) network_received_bytes: Option<u64>,
    /// Sent by this machine, each byte once.
    pub(crate) network_sent_bytes: Option<u64>,
    /// TCP segments that were sent again.
    pub(crate) retransmitted_segments: Option<u64>,
    /// Processes and threads that were started.
    pub(crate) processes_started: Option<u64>,
}

/// What the disks did in an interval, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Disks {
    /// Read from them.
    pub(crate) read_bytes: Option<u64>,
    /// Written to them.
    pub(crate) written_bytes: Option<u64>,
    /// Time in which a disk had something to do, by the length of the interval: the sum of all
    /// disks, so that two busy ones make 2.
    pub(crate) busy_share: Option<f64>,
}

/// Takes samples, and remembers the last.
#[derive(Debug)]
pub(crate) struct Sampler {
    root: PathBuf,
    processors: Option<ProcessorCounters>,
    network: Option<Interfaces>,
    retransmitted: Option<u64>,
    started: Option<u64>,
}

impl Sampler {
    /// A sampler with a first interval that begins now.
    pub(crate) fn new() -> Self {
        Self::below("/".into())
    }

    /// The same for the files below `root`.
    fn below(root: PathBuf) -> Self {
        let mut sampler = Self {
            root,
            processors: None,
            network: None,
            retransmitted: None,
            started: None,
        };
        sampler.sample();
        sampler
    }

    /// The figures since the sample before.
    pub(crate) fn sample(&mut self) -> Telemetry {
        let read = |path: &str| fs::read_to_string(self.root.join(path)).ok();
        let memory = read("proc/meminfo");
        let memory_bytes = |name: &str| parse::memory_bytes(memory.as_ref()?, name);
        let stat = read("proc/stat");
        let processors = stat.as_deref().and_then(parse::processors);
        let started = stat.as_deref().and_then(parse::processes_started);
        let network = read("proc/net/dev").and_then(|text| counted_interfaces(&self.root, &text));
        let retransmitted = read("proc/net/snmp").and_then(|text| parse::retransmitted(&text));
        let telemetry = Telemetry {
            cpus_busy_share: parse::busy_share(self.processors, processors),
            memory_available_bytes: memory_bytes("MemAvailable"),
            memory_dirty_bytes: memory_bytes("Dirty")
                .zip(memory_bytes("Writeback"))
                .map(|(dirty, writeback)| dirty + writeback),
            network_received_bytes: carried(self.network.as_ref(), network.as_ref(), |counters| {
                counters.received
            }),
            network_sent_bytes: carried(self.network.as_ref(), network.as_ref(), |counters| {
                counters.sent
            }),
            retransmitted_segments: grown(self.retransmitted, retransmitted, |&count| count),
            processes_started: grown(self.started, started, |&count| count),
        };
        self.processors = processors;
        self.network = network;
        self.retransmitted = retransmitted;
        self.started = started;
        telemetry
    }
}

/// Takes samples of the disks, and remembers the last.
#[derive(Debug)]
pub(crate) struct DiskSampler {
    root: PathBuf,
    counters: Option<DiskCounters>,
    sampled_ns: Nanoseconds,
}

impl DiskSampler {
    /// A sampler with a first interval that begins now.
    pub(crate) fn new() -> Self {
        Self::below("/".into())
    }

    /// The same for the files below `root`.
    fn below(root: PathBuf) -> Self {
        let mut sampler = Self {
            root,
            counters: None,
            sampled_ns: Nanoseconds(0),
        };
        sampler.sample();
        sampler
    }

    /// The figures since the sample before.
    pub(crate) fn sample(&mut self) -> Disks {
        let counters = self.read();
        let now_ns = boottime_ns();
        let interval_ns = now_ns.saturating_sub(self.sampled_ns);
        let busy_ms = grown(self.counters, counters, |counters| counters.busy_ms);
        let disks = Disks {
            read_bytes: grown(self.counters, counters, |counters| counters.read_bytes),
            written_bytes: grown(self.counters, counters, |counters| counters.written_bytes),
            busy_share: busy_ms
                .filter(|_| interval_ns > Nanoseconds(0))
                .map(|busy_ms| busy_ms as f64 * 1e6 / interval_ns.0 as f64),
        };
        self.counters = counters;
        self.sampled_ns = now_ns;
        disks
    }

    /// Sums up the disks. `/proc/diskstats` has partitions and devices on top of disks, too.
    fn read(&self) -> Option<DiskCounters> {
        let counted = disks::counted(&self.root)?;
        let text = fs::read_to_string(self.root.join("proc/diskstats")).ok()?;
        Some(parse::disks(&text, &counted))
    }
}

/// The counted interfaces and their counters; `None` when no interface is listed.
fn counted_interfaces(root: &Path, text: &str) -> Option<Interfaces> {
    let listed = parse::network(text);
    let names: Vec<&str> = listed.iter().map(|&(name, _)| name).collect();
    let counted = interfaces::counted(root, &names);
    let of_counted = listed
        .iter()
        .filter(|(name, _)| counted.contains(name))
        .map(|&(name, counters)| (name.to_owned(), counters));
    (!listed.is_empty()).then(|| of_counted.collect())
}

/// By how much the counters of the interfaces have grown that were counted before and are now. One
/// that came in between had carried its bytes for others than this measurement.
fn carried(
    before: Option<&Interfaces>,
    after: Option<&Interfaces>,
    counter: impl Fn(&NetworkCounters) -> u64,
) -> Option<u64> {
    let (before, after) = (before?, after?);
    let grown = after.iter().map(|(name, counters)| {
        let earlier = before.get(name).map_or(counter(counters), &counter);
        counter(counters).saturating_sub(earlier)
    });
    Some(grown.sum())
}

/// By how much a counter has grown. One that became smaller, as when an interface was removed,
/// has not.
fn grown<T>(before: Option<T>, after: Option<T>, counter: impl Fn(&T) -> u64) -> Option<u64> {
    Some(counter(&after?).saturating_sub(counter(&before?)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tempfile::tempdir;

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn counters_are_given_as_differences_and_memory_as_it_is() {
        let root = tempdir().unwrap();
        let network = |received: u64, sent: u64| {
            format!(
                "Inter-|   Receive  |  Transmit\n face |bytes packets errs drop fifo frame \
                 compressed multicast|bytes\n    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n  eth0: \
                 {received} 1 0 0 0 0 0 0 {sent} 1 0 0 0 0 0 0\n  eth1:7 1 0 0 0 0 0 0 8 1\n"
            )
        };
        let snmp = |retransmitted: u64| {
            format!(
                "Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RtoAlgorithm OutSegs RetransSegs \
                 InErrs\nTcp: 1 500 {retransmitted} 9\n"
            )
        };
        write(
            root.path(),
            "proc/stat",
            "cpu  100 0 50 800 50 0 0 0 5 5\ncpu0 1 2 3\nprocesses 70\n",
        );
        write(root.path(), "proc/net/dev", &network(1000, 2000));
        write(root.path(), "proc/net/snmp", &snmp(40));
        write(
            root.path(),
            "proc/meminfo",
            "MemTotal: 900 kB\nMemAvailable:     500 kB\nDirty: 3 kB\nWriteback:  1 kB\n",
        );
        let mut sampler = Sampler::below(root.path().into());
        write(
            root.path(),
            "proc/stat",
            "cpu  160 0 60 820 50 0 0 10 9 9\ncpu0 1 2 3\nprocesses 79\n",
        );
        write(root.path(), "proc/net/dev", &network(1500, 2001));
        write(root.path(), "proc/net/snmp", &snmp(42));
        let expected = Telemetry {
            cpus_busy_share: Some(0.8),
            memory_available_bytes: Some(500 << 10),
            memory_dirty_bytes: Some(4 << 10),
            network_received_bytes: Some(500),
            network_sent_bytes: Some(1),
            retransmitted_segments: Some(2),
            processes_started: Some(9),
        };
        assert_eq!(expected, sampler.sample());
        let still = sampler.sample();
        assert_eq!(
            (None, Some(0)),
            (still.cpus_busy_share, still.network_sent_bytes)
        );
    }

    #[test]
    fn whole_disks_are_summed_up_and_nothing_else() {
        let root = tempdir().unwrap();
        let line = |name: &str, count: u64| {
            format!(
                "   8  0 {name} 9 9 {count} 9 9 9 {} 9 0 {} 9 0 0\n",
                2 * count,
                1000 * count
            )
        };
        let all = |count: u64| {
            [
                "sda", "sda1", "nvme0n1", "loop0", "ram0", "dm-0", "md127", "zram0",
            ]
            .map(|name| line(name, count))
            .concat()
        };
        write(root.path(), "proc/diskstats", &all(1));
        for device in ["sda", "nvme0n1", "loop0", "ram0", "dm-0", "md127", "zram0"] {
            fs::create_dir_all(root.path().join("sys/block").join(device)).unwrap();
        }
        let mut sampler = DiskSampler::below(root.path().into());
        write(root.path(), "proc/diskstats", &all(11));
        let disks = sampler.sample();
        assert_eq!(
            (Some(2 * 10 * 512), Some(2 * 20 * 512)),
            (disks.read_bytes, disks.written_bytes)
        );
        assert!(disks.busy_share.unwrap() > 0.0);
    }

    #[test]
    fn what_is_not_there_is_null() {
        let root = tempdir().unwrap();
        let mut sampler = Sampler::below(root.path().into());
        assert_eq!(Telemetry::default(), sampler.sample());
        assert_eq!(
            Disks::default(),
            DiskSampler::below(root.path().into()).sample()
        );
        for path in ["proc/stat", "proc/net/dev", "proc/net/snmp", "proc/meminfo"] {
            write(root.path(), path, "something else entirely: 7\n");
        }
        sampler.sample();
        let telemetry = sampler.sample();
        assert_eq!(None, telemetry.cpus_busy_share);
        assert_eq!(None, telemetry.memory_available_bytes);
        assert_eq!(None, telemetry.retransmitted_segments);
        assert_eq!(None, telemetry.processes_started);
        assert_eq!(None, telemetry.network_sent_bytes);
    }
}
