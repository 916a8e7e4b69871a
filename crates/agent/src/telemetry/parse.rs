//! The texts of `/proc` (see proc(5)), as numbers.

/// Bytes of a sector in `/proc/diskstats`, whatever the disk has.
const SECTOR_BYTES: u64 = 512;

/// Time of all processors since the start of the machine, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessorCounters {
    busy: u64,
    total: u64,
}

/// Bytes over some interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NetworkCounters {
    pub(super) received: u64,
    pub(super) sent: u64,
}

/// Sums over all disks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DiskCounters {
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    pub(super) busy_ms: u64,
}

/// From `/proc/stat`. The time of guests is part of other fields already.
pub(super) fn processors(text: &str) -> Option<ProcessorCounters> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .take(8)
        .map_while(|field| field.parse().ok())
        .collect();
    let idle = ticks.get(3)? + ticks.get(4)?;
    let total = ticks.iter().sum();
    Some(ProcessorCounters {
        busy: total - idle,
        total,
    })
}

/// The share of time that was busy; `None` when no time has passed.
pub(super) fn busy_share(
    before: Option<ProcessorCounters>,
    after: Option<ProcessorCounters>,
) -> Option<f64> {
    let (before, after) = (before?, after?);
    let total = after.total.checked_sub(before.total)?;
    let busy = after.busy.saturating_sub(before.busy);
    (total > 0).then(|| busy.min(total) as f64 / total as f64)
}

/// From `/proc/stat`: processes and threads that were started since the boot.
pub(super) fn processes_started(text: &str) -> Option<u64> {
    let count = text
        .lines()
        .find_map(|line| line.strip_prefix("processes "))?;
    count.trim().parse().ok()
}

/// From `/proc/meminfo`, which writes `kB` for units of 1024.
pub(super) fn memory_bytes(text: &str, name: &str) -> Option<u64> {
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The interfaces of `/proc/net/dev`, and the counters of each. A large number may follow the colon
/// without a space.
pub(super) fn network(text: &str) -> Vec<(&str, NetworkCounters)> {
    let interface = |line: &'_ str| -> Option<NetworkCounters> {
        let counters: Vec<&str> = line.split_whitespace().collect();
        Some(NetworkCounters {
            received: counters.first()?.parse().ok()?,
            sent: counters.get(8)?.parse().ok()?,
        })
    };
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(name, counters)| Some((name.trim(), interface(counters)?)))
        .collect()
}

/// From `/proc/net/snmp`, where a line of names comes before the line of values.
pub(super) fn retransmitted(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp:"));
    let (names, values) = (lines.next()?, lines.next()?);
    let at = names
        .split_whitespace()
        .position(|name| name == "RetransSegs")?;
    values.split_whitespace().nth(at)?.parse().ok()
}

/// From `/proc/diskstats`, the sum over `disks`.
pub(super) fn disks(text: &str, disks: &[String]) -> DiskCounters {
    let mut sums = DiskCounters::default();
    for line in text.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        let is_counted = fields
            .get(2)
            .is_some_and(|name| disks.iter().any(|disk| disk == name));
        if !is_counted {
            continue;
        }
        let counter = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
        sums.read_bytes += counter(5).unwrap_or(0) * SECTOR_BYTES;
        sums.written_bytes += counter(9).unwrap_or(0) * SECTOR_BYTES;
        sums.busy_ms += counter(12).unwrap_or(0);
    }
    sums
}
