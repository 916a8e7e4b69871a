//! A look at a neighbour's file: the data, and whether the client asked the server for it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, StatxFlags, statx};
use rustix::io::{Errno, Result};
use serde_json::{Value, json};

use crate::files::mtime_at_server_ns;
use crate::meter::{Called, Meter, errno_of};

/// What the kernel counts of every NFS mount.
const MOUNTSTATS: &str = "/proc/self/mountstats";

/// Looks at one file again and again.
pub(crate) struct Look {
    name: String,
    path: PathBuf,
    neighbour: u16,
    /// Where its file system is mounted, if that is known.
    mount_point: Option<String>,
}

/// The requests of an NFS mount to its server since it was mounted.
#[derive(Debug, PartialEq, Eq)]
struct Calls {
    /// The mount option `vers`.
    version: String,
    getattr: u64,
    lookup: u64,
}

impl Look {
    pub(crate) fn new(directory: &Path, name: String, neighbour: u16) -> Self {
        let mount_point = fs::canonicalize(directory)
            .ok()
            .zip(fs::read_to_string(MOUNTSTATS).ok())
            .and_then(|(real, stats)| mount_point_of(&stats, &real));
        Self {
            path: directory.join(&name),
            name,
            neighbour,
            mount_point,
        }
    }

    /// Opens and reads the file. Returns the content, and the lines for the history.
    pub(crate) fn read(&self, meter: &mut Meter) -> (Called<Vec<u8>>, Value) {
        let (called, mut fields) = self.open(meter, |file| {
            let mut content = Vec::new();
            let mut file = file;
            file.read_to_end(&mut content)
                .map_err(|error| errno_of(&error))?;
            Ok(content)
        });
        if let Ok(content) = &called.result {
            fields["size_bytes"] = json!(content.len());
        }
        (called, fields)
    }

    /// Opens the file and examines it. Returns the result, and the lines for the history.
    ///
    /// Calls of the whole mount are counted, from before the open until after the reads. Zero calls
    /// are certain; a single one may be of another program.
    pub(crate) fn open<T>(
        &self,
        meter: &mut Meter,
        examine: impl FnOnce(&File) -> Result<T>,
    ) -> (Called<T>, Value) {
        let before = self.calls();
        let called = meter.call("read", (&self.name, 0), &[Errno::NOENT], || {
            let file = File::open(&self.path).map_err(|error| errno_of(&error))?;
            Ok((examine(&file)?, file))
        });
        let after = self.calls();
        let mut fields = json!({ "of": self.neighbour });
        if let (Some(before), Some(after)) = (before, after) {
            fields["nfs_version"] = json!(after.version);
            fields["getattr_calls"] = json!(after.getattr.saturating_sub(before.getattr));
            fields["lookup_calls"] = json!(after.lookup.saturating_sub(before.lookup));
        }
        let (begin_ns, end_ns) = (called.begin_ns, called.end_ns);
        let result = called.result.map(|(found, file)| {
            // NFSv4 asks the server to close, too.
            let (size_bytes, mtime_ns) = meter.wait_for(|| {
                let told = (size_at_server(&file), mtime_at_server_ns(&file));
                drop(file);
                told
            });
            fields["size_at_server_bytes"] = json!(size_bytes);
            fields["mtime_at_server_ns"] = json!(mtime_ns);
            found
        });
        let called = Called {
            result,
            begin_ns,
            end_ns,
        };
        (called, fields)
    }

    fn calls(&self) -> Option<Calls> {
        let mount_point = self.mount_point.as_ref()?;
        calls_of(&fs::read_to_string(MOUNTSTATS).ok()?, mount_point)
    }
}

/// The present size at the server. Compared with the data of the read, it separates a client that
/// used its cache from a server that lost the data.
fn size_at_server(file: &File) -> Option<u64> {
    let forced = AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC;
    let told = statx(file, c"", forced, StatxFlags::SIZE).ok()?;
    Some(told.stx_size)
}

/// `device SOURCE mounted on POINT with fstype TYPE …`: the point and the type.
fn mounted(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.strip_prefix("device ")?.split_once(" mounted on ")?;
    let (point, kind) = rest.split_once(" with fstype ")?;
    Some((point, kind.split(' ').next()?))
}

/// The mount that a directory is on: the innermost, and of those the last.
fn mount_point_of(stats: &str, directory: &Path) -> Option<String> {
    let above = stats
        .lines()
        .filter_map(mounted)
        .filter(|(point, _)| directory.starts_with(point));
    let (point, kind) = above.max_by_key(|(point, _)| point.len())?;
    kind.starts_with("nfs").then(|| point.to_owned())
}

fn calls_of(stats: &str, mount_point: &str) -> Option<Calls> {
    let mut found = None;
    let mut lines = stats.lines();
    while let Some(line) = lines.next() {
        let here = mounted(line).is_some_and(|(point, _)| point == mount_point);
        if here {
            let section = lines.clone().take_while(|line| mounted(line).is_none());
            found = section_calls(section);
        }
    }
    found
}

fn section_calls<'a>(section: impl Iterator<Item = &'a str>) -> Option<Calls> {
    let (mut version, mut getattr, mut lookup) = (None, None, None);
    for line in section {
        let Some((key, value)) = line.trim_start().split_once(':') else {
            continue;
        };
        let first = || value.split_whitespace().next()?.parse().ok();
        match key {
            "opts" => {
                let mut options = value.trim().split(',');
                version = options.find_map(|option| option.strip_prefix("vers="));
            }
            "GETATTR" => getattr = first(),
            "LOOKUP" => lookup = first(),
            _ => {}
        }
    }
    Some(Calls {
        version: version?.to_owned(),
        getattr: getattr?,
        lookup: lookup?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS: &str = "\
device /dev/ubda mounted on / with fstype ext4
device proc mounted on /proc with fstype proc
device nas:/srv/x mounted on /mnt/x with fstype nfs statvers=1.1
\topts:\trw,vers=3,rsize=65536,hard,proto=tcp
\tage:\t61
\tevents:\t1 2 3
\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)
\tper-op statistics
\t        NULL: 1 1 0 44 24 5 0 5 0
\t     GETATTR: 12 12 0 1344 1344 0 2 2 0
\t      LOOKUP: 34 34 0 100 100 0 2 2 1

device nas:/srv/x mounted on /mnt/x/in with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=65536
\t     GETATTR: 5 5 0 0 0 0 0 0 0
\t      LOOKUP: 6 6 0 0 0 0 0 0 0
device tmpfs mounted on /mnt/x/memory with fstype tmpfs
";

    fn calls(version: &str, getattr: u64, lookup: u64) -> Calls {
        let version = version.to_owned();
        Calls {
            version,
            getattr,
            lookup,
        }
    }

    #[test]
    fn a_mount_is_found_by_what_is_on_it() {
        let point = |path: &str| mount_point_of(STATS, Path::new(path));
        assert_eq!(Some("/mnt/x".to_owned()), point("/mnt/x"));
        assert_eq!(Some("/mnt/x".to_owned()), point("/mnt/x/a/b"));
        assert_eq!(Some("/mnt/x/in".to_owned()), point("/mnt/x/in/a"));
        for none in ["/mnt/xy", "/mnt/x/memory/a", "/home"] {
            assert_eq!(None, point(none), "{none}");
        }
    }

    #[test]
    fn calls_are_those_of_the_mount() {
        assert_eq!(Some(calls("3", 12, 34)), calls_of(STATS, "/mnt/x"));
        assert_eq!(Some(calls("4.2", 5, 6)), calls_of(STATS, "/mnt/x/in"));
        assert_eq!(None, calls_of(STATS, "/"));
        assert_eq!(None, calls_of(STATS, "/mnt/y"));
        let over = format!(
            "{STATS}device other:/y mounted on /mnt/x with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.1\n\tGETATTR: 1 1\n\tLOOKUP: 2 2\n"
        );
        assert_eq!(Some(calls("4.1", 1, 2)), calls_of(&over, "/mnt/x"));
    }
}
