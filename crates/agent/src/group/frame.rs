//! The output lines of a group: short, whole, numbered, and prefixed with the client.

use std::io::{self, Write};
use std::sync::Mutex;

/// First word of every line. A launcher may print lines too.
const MARK: &str = "seatrial";

/// Longest text of one line in bytes. Slurm forwards 1,024 bytes at a time, and cuts longer lines.
const TEXT_BYTES_MAX: usize = 800;

/// What a line contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The agent has started and knows its client.
    Hello,
    /// The agent lives.
    Beat,
    /// The agent ends.
    Bye,
    /// A line of a command's standard output, or the end of a longer one.
    Line,
    /// Part of a line: the next text of this stream continues it.
    Part,
    /// As `Part`, of standard error.
    ErrorPart,
    /// As `Line`, of standard error.
    ErrorLine,
    /// The command has ended; the text is its exit code.
    Exit,
}

impl Kind {
    const fn letter(self) -> char {
        match self {
            Self::Hello => 'h',
            Self::Beat => 'b',
            Self::Bye => 'z',
            Self::Line => 'l',
            Self::Part => 'p',
            Self::ErrorPart => 'q',
            Self::ErrorLine => 'e',
            Self::Exit => 'x',
        }
    }
}

/// Standard output, shared by the threads of all commands.
#[derive(Debug)]
pub(crate) struct Output {
    client: String,
    next_number: Mutex<u64>,
}

impl Output {
    pub(crate) const fn new(client: String) -> Self {
        let next_number = Mutex::new(1);
        Self {
            client,
            next_number,
        }
    }

    /// Prints one line, which must be short: in one write, so that lines of other tasks never cut
    /// it.
    ///
    /// # Errors
    /// When the output has no reader any more.
    pub(crate) fn print(&self, stream: u64, kind: Kind, text: &str) -> io::Result<()> {
        let mut next_number = self
            .next_number
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let line = frame(&self.client, *next_number, stream, kind, text);
        *next_number += 1;
        let mut stdout = io::stdout().lock();
        stdout.write_all(line.as_bytes())?;
        stdout.flush()
    }

    /// Prints a line of any length; `part` is the kind of all lines but the last, `last` that of
    /// the last one.
    ///
    /// # Errors
    /// When the output has no reader any more.
    pub(crate) fn print_long(
        &self,
        stream: u64,
        part: Kind,
        last: Kind,
        text: &str,
    ) -> io::Result<()> {
        let mut rest = text;
        while rest.len() > TEXT_BYTES_MAX {
            let (first, others) = rest.split_at(rest.floor_char_boundary_before(TEXT_BYTES_MAX));
            self.print(stream, part, first)?;
            rest = others;
        }
        self.print(stream, last, rest)
    }
}

/// The line of a text: mark, client, number, stream, kind, length in bytes, text.
fn frame(client: &str, number: u64, stream: u64, kind: Kind, text: &str) -> String {
    let (letter, length) = (kind.letter(), text.len());
    format!("{MARK} {client} {number} {stream} {letter} {length} {text}\n")
}

/// Where a text can be cut.
trait CharBoundary {
    /// The last boundary of characters at or before `index`.
    fn floor_char_boundary_before(&self, index: usize) -> usize;
}

impl CharBoundary for str {
    fn floor_char_boundary_before(&self, index: usize) -> usize {
        (0..=index)
            .rev()
            .find(|&at| self.is_char_boundary(at))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_client_and_its_length() {
        let line = frame("n1", 7, 3, Kind::Line, "größe");
        assert_eq!("seatrial n1 7 3 l 7 größe\n", line);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let text = "äöü";
        assert_eq!(2, text.floor_char_boundary_before(3));
        assert_eq!(4, text.floor_char_boundary_before(4));
    }
}
