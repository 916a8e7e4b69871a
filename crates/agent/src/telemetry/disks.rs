//! Which block devices carry each byte once.
//!
//! md, device mapper, DRBD, bcache, zvols and loops sit on other devices of this machine, and rbd
//! and nbd on its network; `/proc/diskstats` counts there a second time what reaches a disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Starts of the names of devices that are made of other devices, of memory, or of a network.
const NOT_DISKS: [&str; 12] = [
    "bcache", "dm-", "drbd", "loop", "md", "nbd", "null", "ram", "rbd", "zd", "zram", "fd",
];

/// The names in `/proc/diskstats` of the disks of this machine; `None` without sysfs.
pub(super) fn counted(root: &Path) -> Option<Vec<String>> {
    let block = root.join("sys/block");
    let entries = fs::read_dir(&block).ok()?;
    let names: BTreeSet<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let disks = names.iter().filter(|name| {
        let is_on_others = has_slaves(&block.join(name)) || is_virtual(&block.join(name));
        let is_not_disk = NOT_DISKS.iter().any(|start| name.starts_with(start));
        !is_on_others && !is_not_disk && !has_paths(name, &names)
    });
    // What is a `/` in the name of a device is a `!` in that of its directory.
    Some(disks.map(|name| name.replace('!', "/")).collect())
}

fn has_slaves(device: &Path) -> bool {
    fs::read_dir(device.join("slaves")).is_ok_and(|mut slaves| slaves.next().is_some())
}

/// Whether no bus has this device.
fn is_virtual(device: &Path) -> bool {
    let target = fs::read_link(device).unwrap_or_default();
    let place = target.to_string_lossy();
    // A namespace of NVMe with several paths hangs below its subsystem, which is virtual.
    place.contains("/devices/virtual/") && !place.contains("/nvme-subsystem/")
}

/// Whether a device such as `nvme0n1` is the sum of paths such as `nvme0c1n1`, which count.
fn has_paths(name: &str, names: &BTreeSet<String>) -> bool {
    let Some((subsystem, namespace)) = split_nvme(name) else {
        return false;
    };
    let start = format!("{subsystem}c");
    let end = format!("n{namespace}");
    names.iter().any(|other| {
        let controller = other
            .strip_prefix(&start)
            .and_then(|rest| rest.strip_suffix(&end));
        controller.is_some_and(|digits| digits.parse::<u32>().is_ok())
    })
}

/// `nvme0n1` as `nvme0` and `1`.
fn split_nvme(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("nvme")?;
    let (controller, namespace) = rest.split_once('n')?;
    controller.parse::<u32>().ok()?;
    namespace.parse::<u32>().ok()?;
    Some((&name[.."nvme".len() + controller.len()], namespace))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn disks_count_and_what_is_made_of_them_does_not() {
        let root = tempdir().unwrap();
        let block = root.path().join("sys/block");
        let all = [
            "sda",
            "sdb",
            "nvme1n1",
            "drbd0",
            "bcache0",
            "zd16",
            "nbd0",
            "rbd0",
            "dm-0",
            "md127",
            "loop0",
            "vdb",
            "cciss!c0d0",
        ];
        for name in all {
            fs::create_dir_all(block.join(name)).unwrap();
        }
        fs::create_dir_all(block.join("flashcache0/slaves/sda")).unwrap();
        let expected = ["cciss/c0d0", "nvme1n1", "sda", "sdb", "vdb"];
        assert_eq!(expected.as_slice(), counted(root.path()).unwrap());
    }

    #[test]
    fn a_device_that_no_bus_has_is_not_a_disk() {
        let root = tempdir().unwrap();
        let block = root.path().join("sys/block");
        fs::create_dir_all(&block).unwrap();
        symlink("../devices/virtual/block/pmem7x", block.join("pmem7x")).unwrap();
        symlink("../devices/pci0000:00/block/sda", block.join("sda")).unwrap();
        assert_eq!(["sda"].as_slice(), counted(root.path()).unwrap());
    }

    #[test]
    fn paths_of_nvme_count_and_their_sum_does_not() {
        let root = tempdir().unwrap();
        let block = root.path().join("sys/block");
        for name in ["nvme0n1", "nvme0c0n1", "nvme0c1n1", "nvme0n2", "nvme2n1"] {
            fs::create_dir_all(block.join(name)).unwrap();
        }
        let expected = ["nvme0c0n1", "nvme0c1n1", "nvme0n2", "nvme2n1"];
        assert_eq!(expected.as_slice(), counted(root.path()).unwrap());
    }

    #[test]
    fn without_sysfs_nothing_is_known() {
        assert_eq!(None, counted(tempdir().unwrap().path()));
    }
}
