//! Sizes as people write them.

/// Units and their bytes. A bare letter means powers of two, as in IOR, fio and dd.
const UNITS: [(&str, u64); 17] = [
    ("", 1),
    ("B", 1),
    ("K", 1 << 10),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("KB", 1_000),
    ("M", 1 << 20),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("G", 1 << 30),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("T", 1 << 40),
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("k", 1 << 10),
    ("m", 1 << 20),
];

/// Reads a size such as `64MiB`, `1.5 GB` or `4096`; the result is in bytes.
///
/// # Errors
/// An error that names a right value.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text
        .find(|letter: char| letter.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    let wrong = || format!("`{text}` is not a size: write a number and a unit, such as 64MiB");
    let &(_, factor) = UNITS
        .iter()
        .find(|&&(name, _)| name == unit)
        .ok_or_else(wrong)?;
    if let Ok(count) = number.parse::<u64>() {
        return count.checked_mul(factor).ok_or_else(wrong);
    }
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * factor as f64;
    if bytes < 0.0 || bytes.fract() != 0.0 || bytes >= 2_f64.powi(63) {
        return Err(wrong());
    }
    #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("4096", 4096),
            ("64MiB", 64 << 20),
            ("64 MiB", 64 << 20),
            ("8k", 8192),
            ("1.5KiB", 1536),
            ("2GB", 2_000_000_000),
        ] {
            assert_eq!(Ok(bytes), parse_size(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "",
            "MiB",
            "-1",
            "1.5",
            "1 mebi",
            "99999999999999TiB",
            "1e3",
            "nan",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
