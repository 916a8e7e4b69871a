//! `seatrial-agent generate`: writes a file in which every byte can be checked.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use seatrial_content::file_id;

use crate::ending::Ending;
use crate::identity::{Identity, default_stamp};
use crate::size::parse_size;

/// Bytes that are written at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// The arguments of `generate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Bytes to write, such as 64MiB
    #[arg(long, value_parser = parse_size)]
    size: u64,
    #[command(flatten)]
    identity: Identity,
    /// File or block device, or `-` for standard output
    file: PathBuf,
}

/// Writes the file and makes it durable.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    if arguments.file == Path::new("-") {
        write_blocks(arguments, &mut io::stdout().lock()).context("cannot write")?;
        return Ok(Ending::Ok);
    }
    let name = arguments.file.display().to_string();
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&arguments.file)
        .with_context(|| format!("cannot open `{name}`"))?;
    let is_regular = file.metadata().is_ok_and(|status| status.is_file());
    write_blocks(arguments, &mut file)
        .and_then(|()| {
            if is_regular {
                file.set_len(arguments.size)
            } else {
                Ok(())
            }
        })
        .and_then(|()| {
            if is_regular {
                file.sync_all()
            } else {
                ignore_invalid(file.sync_all())
            }
        })
        .with_context(|| format!("cannot write `{name}`"))?;
    Ok(Ending::Ok)
}

/// Writes as many blocks as were asked for; the last one may be cut off.
fn write_blocks(arguments: &Arguments, target: &mut dyn Write) -> io::Result<()> {
    let file_name = arguments
        .file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let stamp = arguments
        .identity
        .apply(&default_stamp(file_id(&file_name), arguments.size));
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut offset = 0;
    while offset < arguments.size {
        stamp.fill(offset, &mut chunk);
        let length = (arguments.size - offset).min(CHUNK_BYTES as u64);
        target.write_all(&chunk[..length as usize])?;
        offset += length;
    }
    target.flush()
}

/// Pipes and character devices cannot be made durable, and say so.
fn ignore_invalid(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}
