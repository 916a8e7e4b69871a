//! What `check` found, for people and for programs.

use seatrial_content::{Class, Extent, Finding};
use serde_json::{Value, json};

/// Extents that are kept; the rest is counted.
pub(super) const EXTENTS_MAX: usize = 1 << 20;

/// What was found in a file.
pub(super) struct Report {
    pub(super) blocks: u64,
    pub(super) extents: Vec<Extent>,
    pub(super) extents_omitted: u64,
}

impl Report {
    /// Whether every block is as expected. An empty file is not: nothing speaks for it.
    pub(super) fn is_valid(&self) -> bool {
        self.extents_omitted == 0
            && self
                .extents
                .iter()
                .all(|extent| extent.finding == Finding::Valid)
    }

    pub(super) fn to_json(&self) -> Value {
        let extent = |extent: &Extent| {
            json!({
                "class": extent.finding.class().name(),
                "offset": extent.offset,
                "length": extent.length,
                "detail": extent.finding.to_string(),
            })
        };
        let extents: Vec<_> = self.extents.iter().map(extent).collect();
        let mut report = json!({ "blocks": self.blocks, "extents": extents });
        if self.extents_omitted > 0 {
            report["extents_omitted"] = self.extents_omitted.into();
        }
        report
    }

    pub(super) fn to_text(&self) -> String {
        if self.is_valid() {
            return format!("{} blocks, all valid", self.blocks);
        }
        let damaged = self
            .extents
            .iter()
            .filter(|extent| extent.finding.class() != Class::Valid);
        let mut lines: Vec<_> = damaged
            .map(|extent| {
                let line = format!(
                    "{:<12} {} bytes at {}: {}",
                    extent.finding.class(),
                    extent.length,
                    extent.offset,
                    extent.finding
                );
                line.trim_end_matches([' ', ':']).to_owned()
            })
            .collect();
        if self.extents_omitted > 0 {
            lines.push(format!("and {} more", self.extents_omitted));
        }
        lines.push(format!("{} blocks, not all valid", self.blocks));
        lines.join("\n")
    }
}
