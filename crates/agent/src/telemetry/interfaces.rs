//! Which network interfaces carry each byte once.
//!
//! A bond, a VLAN, a bridge or a tunnel is on top of other interfaces, and `/proc/net/dev` counts
//! the same bytes there a second time. Only the interfaces at the bottom are counted: hardware, or,
//! in a container, its end of a virtual cable.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::drivers;

/// How often a byte of an interface has to be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Hardware with nothing below it.
    Hardware,
    /// Nothing below it, and no hardware: the end of a virtual cable, as in a container.
    Virtual,
    /// It sits on another interface, or its bytes cross one later.
    OnTop,
}

/// Kinds of interfaces that never are the last ones which a byte crosses: drivers as ethtool(8)
/// names them, and kinds as ip-link(8) does.
const ON_TOP: [&str; 28] = [
    "802.1Q VLAN Support",
    "bareudp",
    "bonding",
    "bridge",
    "dummy",
    "erspan",
    "geneve",
    "gre",
    "gretap",
    "hsr",
    "ifb",
    "ip6gre",
    "ip6tnl",
    "ipip",
    "ipvlan",
    "macsec",
    "macvlan",
    "macvtap",
    "netdevsim",
    "nlmon",
    "openvswitch",
    "sit",
    "team",
    "tun",
    "vlan",
    "vrf",
    "vxlan",
    "wireguard",
];

/// The names of those of `interfaces` with bytes that count.
///
/// Where there is hardware, it alone counts: virtual machines and containers of the same node
/// reach others through it. Without hardware, the virtual interfaces at the bottom count.
pub(super) fn counted<'a>(root: &Path, interfaces: &[&'a str]) -> Vec<&'a str> {
    let places: BTreeMap<&str, Place> = interfaces
        .iter()
        .map(|&name| (name, place_of(root, name)))
        .collect();
    let at = |wanted: Place| {
        let names = interfaces.iter().copied();
        names.filter(|name| places[name] == wanted).collect()
    };
    let hardware: Vec<_> = at(Place::Hardware);
    if hardware.is_empty() {
        at(Place::Virtual)
    } else {
        hardware
    }
}

fn place_of(root: &Path, name: &str) -> Place {
    if name == "lo" {
        return Place::OnTop;
    }
    let folder = root.join("sys/class/net").join(name);
    if !describes(&folder, root, name) {
        return place_by_driver(root, name);
    }
    if has_lower(&folder) || is_representor(&folder) {
        return Place::OnTop;
    }
    if folder.join("device").exists() {
        return Place::Hardware;
    }
    let uevent = fs::read_to_string(folder.join("uevent")).unwrap_or_default();
    let kind = uevent
        .lines()
        .find_map(|line| line.strip_prefix("DEVTYPE="));
    let is_tunnel = folder.join("tun_flags").exists() || folder.join("bridge").exists();
    if is_tunnel || kind.is_some_and(|kind| ON_TOP.contains(&kind)) {
        return Place::OnTop;
    }
    // Only the driver tells `ifb` and `dummy` from the end of a virtual cable.
    place_by_driver(root, name)
}

/// Whether sysfs describes this interface. In a network namespace without a separate sysfs, it
/// still shows the interfaces of the namespace in which it was mounted, perhaps of the same names.
fn describes(folder: &Path, root: &Path, name: &str) -> bool {
    let Ok(text) = fs::read_to_string(folder.join("ifindex")) else {
        // A folder made by a test, or a sysfs of another form: its links are all there is.
        return folder.is_dir();
    };
    let index: Option<u32> = text.trim().parse().ok();
    root != Path::new("/") || drivers::index_of(name) == index
}

fn has_lower(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("lower_"))
}

/// Whether this is the switch's side of a virtual function: its bytes cross the uplink as well.
fn is_representor(folder: &Path) -> bool {
    let port = fs::read_to_string(folder.join("phys_port_name")).unwrap_or_default();
    let port = port.trim();
    port.contains("pf") && (port.contains("vf") || port.contains("sf"))
}

fn place_by_driver(root: &Path, name: &str) -> Place {
    if root != Path::new("/") {
        return Place::Virtual;
    }
    match drivers::driver_of(name) {
        Some(driver) if ON_TOP.contains(&driver.name.as_str()) => Place::OnTop,
        Some(driver) if driver.has_bus => Place::Hardware,
        _ => Place::Virtual,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::{TempDir, tempdir};

    use super::*;

    /// A sysfs in which `hardware` have a device, and each of `links` sits on others.
    fn sysfs(hardware: &[&str], links: &[(&str, &[&str])]) -> TempDir {
        let root = tempdir().unwrap();
        let net = root.path().join("sys/class/net");
        for name in hardware {
            fs::create_dir_all(net.join(name).join("device")).unwrap();
        }
        for (name, lowers) in links {
            fs::create_dir_all(net.join(name)).unwrap();
            for lower in *lowers {
                symlink("..", net.join(name).join(format!("lower_{lower}"))).unwrap();
            }
        }
        root
    }

    #[test]
    fn what_sits_on_hardware_is_not_counted() {
        type Links<'a> = &'a [(&'a str, &'a [&'a str])];
        let cases: [(&[&str], Links<'_>, &[&str]); 5] = [
            (&["eth0"], &[("lo", &[])], &["eth0"]),
            (
                &["eth0", "eth1"],
                &[("bond0", &["eth0", "eth1"]), ("bond0.7", &["bond0"])],
                &["eth0", "eth1"],
            ),
            (
                &["eth0"],
                &[("br0", &["eth0", "tap0"]), ("tap0", &[])],
                &["eth0"],
            ),
            (&["ib0", "ib0.8001"], &[], &["ib0", "ib0.8001"]),
            // A container, or a network namespace: the end of a virtual cable is all it has.
            (&[], &[("veth0", &[]), ("br0", &["veth0"])], &["veth0"]),
        ];
        for (hardware, links, expected) in cases {
            let root = sysfs(hardware, links);
            let names: Vec<&str> = hardware
                .iter()
                .copied()
                .chain(links.iter().map(|&(name, _)| name))
                .collect();
            assert_eq!(expected, counted(root.path(), &names), "of {names:?}");
        }
    }

    #[test]
    fn the_switch_side_of_a_virtual_function_is_not_counted() {
        let root = sysfs(&["enp1s0f0np0", "enp1s0f0npf0vf1"], &[]);
        let net = root.path().join("sys/class/net");
        fs::write(net.join("enp1s0f0np0/phys_port_name"), "p0\n").unwrap();
        fs::write(net.join("enp1s0f0npf0vf1/phys_port_name"), "pf0vf1\n").unwrap();
        let names = ["enp1s0f0np0", "enp1s0f0npf0vf1"];
        assert_eq!(vec!["enp1s0f0np0"], counted(root.path(), &names));
    }

    #[test]
    fn tunnels_are_not_counted() {
        let root = sysfs(&["eth0"], &[("vxlan7", &[]), ("wg0", &[])]);
        let net = root.path().join("sys/class/net");
        fs::write(
            net.join("vxlan7/uevent"),
            "DEVTYPE=vxlan\nINTERFACE=vxlan7\n",
        )
        .unwrap();
        fs::write(net.join("wg0/uevent"), "DEVTYPE=wireguard\n").unwrap();
        assert_eq!(
            vec!["eth0"],
            counted(root.path(), &["eth0", "vxlan7", "wg0"])
        );
        fs::remove_dir_all(net.join("eth0")).unwrap();
        assert!(counted(root.path(), &["vxlan7", "wg0"]).is_empty());
    }
}
