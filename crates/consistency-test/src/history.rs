//! What a client did and saw, as lines of JSON on its local disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

/// The history of one client. Each event is one write to the kernel, so that it survives the death
/// of the agent; with `sync` it survives a power cut, too.
#[derive(Debug)]
pub struct History {
    file: File,
    sync: bool,
    bytes: u64,
    bytes_max: u64,
    error: Option<String>,
}

impl History {
    /// A history that is empty.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path, sync: bool, bytes_max: u64) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            sync,
            bytes: 0,
            bytes_max,
            error: None,
        })
    }

    /// Adds an event.
    pub fn add(&mut self, event: &Value) {
        if self.error.is_some() {
            return;
        }
        let line = format!("{event}\n");
        self.bytes += line.len() as u64;
        let written = self.file.write_all(line.as_bytes());
        let synced = written.and_then(|()| {
            if self.sync {
                self.file.sync_data()
            } else {
                Ok(())
            }
        });
        if let Err(error) = synced {
            self.error = Some(error.to_string());
        }
    }

    /// Whether nothing more should be added.
    pub const fn is_full(&self) -> bool {
        self.bytes >= self.bytes_max || self.error.is_some()
    }

    /// The first trouble.
    pub fn error(&self) -> Option<String> {
        let full = format!("the history has {} bytes and is full", self.bytes);
        let is_full = self.bytes >= self.bytes_max;
        self.error.clone().or_else(|| is_full.then_some(full))
    }
}
