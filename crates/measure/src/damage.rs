//! What checking found.

use seatrial_content::{Extent, Finding};

/// Extents of damage that are kept per task; the rest is counted.
const EXTENTS_MAX: usize = 1000;

/// What a verifier saw.
#[derive(Debug, Default)]
pub struct Verified {
    /// Blocks, or names, that were compared.
    pub blocks_checked: u64,
    /// Those that were not as expected.
    pub blocks_damaged: u64,
    /// Where, and what.
    pub damage: Vec<Damage>,
    /// Extents for which there was no room.
    pub extents_omitted: u64,
}

/// An extent, or a name, that was not as expected.
#[derive(Debug)]
pub struct Damage {
    /// Name of the file, when it is not that of the task.
    pub file: Option<String>,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// What is wrong.
    pub what: What,
}

/// What was not as expected.
#[derive(Debug)]
pub enum What {
    /// The content of a file.
    Content(Finding),
    /// A name, or the answer of the storage about it.
    Name {
        /// The kind of damage.
        class: &'static str,
        /// The particulars, in words.
        detail: String,
    },
}

impl What {
    /// The kind of damage, in the words of reports.
    pub(crate) const fn class(&self) -> &'static str {
        match self {
            Self::Content(finding) => finding.class().name(),
            Self::Name { class, .. } => class,
        }
    }
}

impl From<Extent> for Damage {
    fn from(extent: Extent) -> Self {
        Self {
            file: None,
            offset: extent.offset,
            length: extent.length,
            what: What::Content(extent.finding),
        }
    }
}

impl Verified {
    /// Adds the findings in the file `name`.
    pub fn absorb(&mut self, name: &str, file: Self) {
        self.blocks_checked += file.blocks_checked;
        self.blocks_damaged += file.blocks_damaged;
        self.extents_omitted += file.extents_omitted;
        for damage in file.damage {
            self.push(Damage {
                file: Some(name.to_owned()),
                ..damage
            });
        }
    }

    /// Adds damage, as long as there is room.
    pub fn push(&mut self, damage: Damage) {
        if self.damage.len() < EXTENTS_MAX {
            self.damage.push(damage);
        } else {
            self.extents_omitted += 1;
        }
    }
}
