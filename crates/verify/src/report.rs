//! What was found.

/// What the logs say about a place or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Something durable was written: it must be present, or something later.
    Must,
    /// The write is not durable: its content may be present, or the content before it.
    May,
    /// No client wrote there.
    MustNot,
}

impl Rule {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::May => "may",
            Self::MustNot => "must-not",
        }
    }
}

/// Neighbouring blocks that are not as the logs allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileExtent {
    /// The finding: a class of the content format, or `unwritten` for an undamaged block that no
    /// client wrote.
    pub class: &'static str,
    /// The file, relative to the directory.
    pub file: String,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// What the logs say about the place.
    pub rule: Rule,
    /// The particulars, in words.
    pub detail: String,
}

/// A name that is not as the logs allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFinding {
    /// `missing`, `present` or `both`: the old and the new name of a renamed item.
    pub class: &'static str,
    /// The name, relative to the directory.
    pub file: String,
    /// What the logs say about it.
    pub rule: Rule,
    /// The particulars, in words.
    pub detail: String,
}

/// What was found in a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that were read or are missing.
    pub files: u64,
    /// Blocks that were examined.
    pub blocks: u64,
    /// Those that must hold something.
    pub must: u64,
    /// Those that may.
    pub may: u64,
    /// Those of `must` without the required content.
    pub lost: u64,
    /// Those of all others with content that is not allowed.
    pub wrong: u64,
    /// All that are lost or wrong.
    pub extents: Vec<FileExtent>,
    /// Extents that had no room in the list.
    pub extents_omitted: u64,
    /// Names that were looked up.
    pub names_checked: u64,
    /// Names that are not as they must be.
    pub names: Vec<NameFinding>,
    /// Names that had no room in the list.
    pub names_omitted: u64,
}

impl Report {
    /// Whether everything is as the logs allow.
    pub const fn is_clean(&self) -> bool {
        self.lost == 0 && self.wrong == 0 && self.names.is_empty()
    }
}
