//! The part of the command line that identifies the writer of a file.

use seatrial_content::{BLOCK_BYTES_MAX, Stamp, file_id, is_block_size};
use seatrial_job::RunId;

/// Who wrote, or writes, a file. All of it is optional: `check` asks the file, `generate` has
/// defaults.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Identity {
    /// Number of the run, in hexadecimal
    #[arg(long, value_name = "HEX")]
    pub(crate) run: Option<RunId>,
    /// Name of the file in the job that wrote it
    #[arg(long, value_name = "NAME")]
    pub(crate) file_name: Option<String>,
    /// How many times the file has been written
    #[arg(long, value_name = "N")]
    pub(crate) generation: Option<u32>,
    /// Who wrote it: index of the client and number of its task
    #[arg(long, value_name = "CLIENT:TASK", value_parser = parse_writer)]
    pub(crate) writer: Option<u32>,
    /// Bytes of a block, from 512 to 4096
    #[arg(long, value_name = "BYTES", value_parser = parse_block_bytes)]
    pub(crate) block_bytes: Option<usize>,
}

impl Identity {
    /// Whether this is enough to know what a file should be.
    pub(crate) const fn is_sufficient(&self) -> bool {
        self.run.is_some() && self.file_name.is_some()
    }

    /// Replaces in `stamp` the values that are given here.
    pub(crate) fn apply(&self, stamp: &Stamp) -> Stamp {
        Stamp {
            run: self.run.map_or(stamp.run, |run| run.0),
            file: self.file_name.as_deref().map_or(stamp.file, file_id),
            generation: self.generation.unwrap_or(stamp.generation),
            writer: self.writer.unwrap_or(stamp.writer),
            file_bytes: stamp.file_bytes,
            block_bytes: self.block_bytes.unwrap_or(stamp.block_bytes),
        }
    }
}

/// The stamp of a file without any other options.
pub(crate) const fn default_stamp(file: u64, file_bytes: u64) -> Stamp {
    Stamp {
        run: 0,
        file,
        generation: 1,
        writer: 0,
        file_bytes,
        block_bytes: BLOCK_BYTES_MAX,
    }
}

fn parse_writer(text: &str) -> Result<u32, String> {
    let (client, task) = text.split_once(':').unwrap_or((text, "0"));
    match (client.parse(), task.parse()) {
        (Ok(client), Ok(task)) => Ok(Stamp::writer_of(client, task)),
        _ => Err(format!("`{text}` is not a client and a task, such as 3:0")),
    }
}

fn parse_block_bytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes) if is_block_size(bytes) => Ok(bytes),
        _ => Err(format!("`{text}` is not a number from 512 to 4096")),
    }
}
