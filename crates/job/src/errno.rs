//! Numbers of errors, in terms that a reader of a report knows.

use rustix::io::Errno;

/// The symbols of the errors that storage gives, by their numbers on Linux.
const NAMES: [(i32, &str); 44] = [
    (1, "EPERM"),
    (2, "ENOENT"),
    (4, "EINTR"),
    (5, "EIO"),
    (6, "ENXIO"),
    (9, "EBADF"),
    (11, "EAGAIN"),
    (12, "ENOMEM"),
    (13, "EACCES"),
    (16, "EBUSY"),
    (17, "EEXIST"),
    (18, "EXDEV"),
    (19, "ENODEV"),
    (20, "ENOTDIR"),
    (21, "EISDIR"),
    (22, "EINVAL"),
    (23, "ENFILE"),
    (24, "EMFILE"),
    (26, "ETXTBSY"),
    (27, "EFBIG"),
    (28, "ENOSPC"),
    (29, "ESPIPE"),
    (30, "EROFS"),
    (31, "EMLINK"),
    (32, "EPIPE"),
    (35, "EDEADLK"),
    (36, "ENAMETOOLONG"),
    (37, "ENOLCK"),
    (38, "ENOSYS"),
    (39, "ENOTEMPTY"),
    (40, "ELOOP"),
    (61, "ENODATA"),
    (75, "EOVERFLOW"),
    (95, "EOPNOTSUPP"),
    (103, "ECONNABORTED"),
    (104, "ECONNRESET"),
    (107, "ENOTCONN"),
    (108, "ESHUTDOWN"),
    (110, "ETIMEDOUT"),
    (111, "ECONNREFUSED"),
    (112, "EHOSTDOWN"),
    (116, "ESTALE"),
    (121, "EREMOTEIO"),
    (122, "EDQUOT"),
];

/// The symbol of an error number, as in `errno.h`; `E` and the number when it is not one that
/// storage gives.
pub fn errno_name(errno: Errno) -> String {
    let number = errno.raw_os_error();
    NAMES
        .iter()
        .find(|&&(known, _)| known == number)
        .map_or_else(|| format!("E{number}"), |&(_, name)| name.to_owned())
}

/// The error number that has this symbol; `None` when no error that storage gives is called that.
pub fn errno_named(name: &str) -> Option<Errno> {
    NAMES
        .iter()
        .find(|&&(_, known)| known == name)
        .map(|&(number, _)| Errno::from_raw_os_error(number))
}

/// What an error number means, in the words of the C library.
pub fn errno_text(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_system() {
        for (errno, name) in [
            (Errno::IO, "EIO"),
            (Errno::NOSPC, "ENOSPC"),
            (Errno::DQUOT, "EDQUOT"),
            (Errno::SPIPE, "ESPIPE"),
            (Errno::STALE, "ESTALE"),
            (Errno::ROFS, "EROFS"),
            (Errno::REMOTEIO, "EREMOTEIO"),
            (Errno::TIMEDOUT, "ETIMEDOUT"),
            (Errno::NOTEMPTY, "ENOTEMPTY"),
            (Errno::OPNOTSUPP, "EOPNOTSUPP"),
        ] {
            assert_eq!(name, errno_name(errno));
        }
        assert_eq!("E3", errno_name(Errno::SRCH));
        assert_eq!(Some(Errno::STALE), errno_named("ESTALE"));
        assert_eq!(None, errno_named("E3"));
        assert_eq!("No space left on device", errno_text(Errno::NOSPC));
    }
}
