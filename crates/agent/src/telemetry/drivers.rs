//! The kernel's information about a network interface in this network namespace, without sysfs.

use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::net::{AddressFamily, SocketType, socket};

/// `ETHTOOL_GDRVINFO` of `linux/ethtool.h`.
const GET_DRIVER: u32 = 0x3;

/// `struct ethtool_drvinfo` of `linux/ethtool.h`.
#[repr(C)]
struct DriverInformation {
    command: u32,
    driver: [u8; 32],
    version: [u8; 32],
    firmware: [u8; 32],
    bus: [u8; 32],
    expansion_rom: [u8; 32],
    reserved: [u8; 12],
    counts: [u32; 5],
}

/// The driver of an interface.
pub(super) struct Driver {
    /// As ethtool(8) names it.
    pub(super) name: String,
    /// It sits on a bus, as hardware does.
    pub(super) has_bus: bool,
}

/// The number of an interface; `None` when this network namespace has none of this name.
pub(super) fn index_of(name: &str) -> Option<u32> {
    let name = CString::new(name).ok()?;
    #[expect(unsafe_code, reason = "there is no safe wrapper among our libraries")]
    // SAFETY: the name ends with a zero, and the call reads no further.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    (index != 0).then_some(index)
}

/// The driver of an interface, or `None` when it does not say.
pub(super) fn driver_of(name: &str) -> Option<Driver> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None).ok()?;
    let information = ask(&socket, name)?;
    Some(Driver {
        name: text(&information.driver),
        has_bus: !text(&information.bus).is_empty(),
    })
}

fn ask(socket: &OwnedFd, name: &str) -> Option<DriverInformation> {
    #[expect(
        unsafe_code,
        reason = "these structures are numbers, of which all zeros are valid"
    )]
    // SAFETY: neither has a reference or an enumeration in it.
    let (mut information, mut request): (DriverInformation, libc::ifreq) =
        unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    information.command = GET_DRIVER;
    let (last, rest) = request.ifr_name.split_last_mut()?;
    *last = 0;
    if name.len() > rest.len() {
        return None;
    }
    for (to, from) in rest.iter_mut().zip(name.bytes()) {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_data = (&raw mut information).cast();
    #[expect(unsafe_code, reason = "there is no safe wrapper among our libraries")]
    // SAFETY: the kernel writes one `ethtool_drvinfo` where the request points to one.
    let result =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) };
    (result == 0).then_some(information)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_that_is_not_there_has_neither_number_nor_driver() {
        assert!(index_of("lo").is_some());
        assert_eq!(None, index_of("seatrial-none"));
        assert!(driver_of("seatrial-none").is_none());
        assert!(driver_of("a-name-that-is-longer-than-any").is_none());
    }
}
