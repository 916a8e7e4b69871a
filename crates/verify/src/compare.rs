//! Comparing files and names with what the logs say about them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use seatrial_content::{
    BLOCK_BYTES_MAX, Expectation, ExtentList, Finding, Header, Stamp, classify, file_id,
};

use crate::history::{FileHistory, History};
use crate::items::{Item, State, allowed_states};
use crate::report::{FileExtent, NameFinding, Report, Rule};
use crate::source::Source;
use crate::sweep::{Allowed, Segment, Sweep, sweep};
use crate::window::Window;

/// Bytes that a disk writes as a whole.
const SECTOR_BYTES: u64 = 512;

/// Extents that are listed, of all files, and names; the rest is counted.
const FINDINGS_MAX: usize = 1 << 16;

impl History {
    /// Compares the contents of `directory` with the logs.
    ///
    /// # Errors
    /// When a file cannot be read, with its name.
    pub fn verify(mut self, directory: &Path) -> Result<Report, (String, io::Error)> {
        self.add_unmentioned_content();
        let mut report = Report::default();
        let mut places = BTreeMap::new();
        for group in self.groups.values() {
            for item in group.items.values() {
                let mut changes = item.changes.clone();
                changes.extend(&group.unmentioned);
                let allowed = allowed_states(&changes, self.options.clock_error_ns);
                let found = self.check_item(directory, item, &allowed, &mut report)?;
                places.insert(item.first.as_str(), found);
            }
        }
        for (name, history) in &self.files {
            let path = match places.get(name.as_str()) {
                // That it is not there has been judged already.
                Some(None) => continue,
                Some(Some(path)) => path,
                None => name,
            };
            self.verify_file(directory, name, path, history, &mut report)
                .map_err(|error| (path.clone(), error))?;
        }
        Ok(report)
    }

    /// Compares one file, which was created as `name` and is now at `path`.
    fn verify_file(
        &self,
        directory: &Path,
        name: &str,
        path: &str,
        history: &FileHistory,
        report: &mut Report,
    ) -> io::Result<()> {
        let clock_error_ns = self.options.clock_error_ns;
        let Sweep { segments, allowed } = sweep(&history.claims, &self.sources, clock_error_ns);
        let window = Window::open(&directory.join(path), self.options)?;
        let mut checker = Checker::new(&self.sources, name, history, &allowed, window);
        for segment in &segments {
            checker.check(segment)?;
        }
        checker.finish(path, report);
        Ok(())
    }

    /// Looks an item up; returns where it is.
    fn check_item(
        &self,
        directory: &Path,
        item: &Item,
        allowed: &[State],
        report: &mut Report,
    ) -> Result<Option<String>, (String, io::Error)> {
        let is_there = |name: &String| match fs::symlink_metadata(directory.join(name)) {
            Ok(_) => Ok(true),
            Err(error) if self.options.is_gone(&error) => Ok(false),
            Err(error) => Err((name.clone(), error)),
        };
        let has_first = is_there(&item.first)?;
        let second = match &item.second {
            Some(second) if is_there(second)? => Some(second),
            _ => None,
        };
        report.names_checked += 1;
        let (found, place) = match (has_first, second) {
            (true, _) => (State::First, Some(&item.first)),
            (false, Some(second)) => (State::Second, Some(second)),
            (false, None) => (State::Absent, None),
        };
        let is_both = has_first && second.is_some();
        if is_both || !allowed.contains(&found) {
            let class = match found {
                _ if is_both => "both",
                State::Absent => "missing",
                _ => "present",
            };
            let finding = describe_item(item, class, place, allowed);
            push_limited(&mut report.names, finding, &mut report.names_omitted);
        }
        Ok(place.cloned())
    }
}

fn describe_item(
    item: &Item,
    class: &'static str,
    place: Option<&String>,
    allowed: &[State],
) -> NameFinding {
    let name_of = |state: &State| match state {
        State::Absent => "absent".to_owned(),
        State::First => format!("`{}`", item.first),
        State::Second => format!("`{}`", item.second.as_deref().unwrap_or_default()),
    };
    let names: Vec<_> = allowed.iter().map(name_of).collect();
    let rule = match allowed {
        [State::Absent] => Rule::MustNot,
        states if states.contains(&State::Absent) => Rule::May,
        _ => Rule::Must,
    };
    let wanted = allowed.iter().find_map(|state| match state {
        State::Absent => None,
        State::First => Some(&item.first),
        State::Second => item.second.as_ref(),
    });
    NameFinding {
        class,
        file: place.or(wanted).unwrap_or(&item.first).clone(),
        rule,
        detail: format!("is to be {}", names.join(" or ")),
    }
}

/// Adds to a list that does not grow for ever.
fn push_limited<T>(list: &mut Vec<T>, item: T, omitted: &mut u64) {
    if list.len() < FINDINGS_MAX {
        list.push(item);
    } else {
        *omitted += 1;
    }
}

/// Compares the blocks of one file.
struct Checker<'a> {
    sources: &'a [Source],
    allowed: &'a [Allowed],
    window: Window,
    /// Bytes that are judged at a time: the smallest block of all who wrote.
    block_bytes: u64,
    /// The stamp of a block of the file, for places without a write.
    usual: Stamp,
    /// Generations before this one are not in the logs.
    first_generation: u32,
    counts: Report,
    /// Lost or wrong content, by the rule of its place, and whether it is a block without a write.
    damage: BTreeMap<(usize, bool), ExtentList>,
}

impl<'a> Checker<'a> {
    fn new(
        sources: &'a [Source],
        name: &str,
        history: &FileHistory,
        allowed: &'a [Allowed],
        window: Window,
    ) -> Self {
        let claims = history.claims.iter();
        let stamps = claims.filter_map(|claim| sources[claim.source as usize].stamp());
        let smallest = stamps.clone().map(|stamp| stamp.block_bytes).min();
        let latest = stamps.clone().max_by_key(|stamp| stamp.generation).copied();
        Self {
            sources,
            allowed,
            window,
            block_bytes: smallest.unwrap_or(BLOCK_BYTES_MAX) as u64,
            usual: latest.unwrap_or(Stamp {
                run: 0,
                file: file_id(name),
                generation: 0,
                writer: 0,
                file_bytes: 0,
                block_bytes: BLOCK_BYTES_MAX,
            }),
            first_generation: stamps.map(|stamp| stamp.generation).min().unwrap_or(0),
            counts: Report::default(),
            damage: BTreeMap::new(),
        }
    }

    /// Judges a segment block by block, and its part after the end of the file at once.
    fn check(&mut self, segment: &Segment) -> io::Result<()> {
        let present_end = segment.end.min(self.window.length);
        let mut start = segment.start;
        while start < present_end {
            let next = (start - start % self.block_bytes).saturating_add(self.block_bytes);
            let end = next.min(present_end);
            self.check_block(start, end, segment.allowed)?;
            start = end;
        }
        let rule = self.allowed[segment.allowed].rule;
        if start < segment.end && rule != Rule::MustNot {
            let length = segment.end - start;
            self.count(rule, length.div_ceil(self.block_bytes));
            if rule == Rule::Must {
                self.report(segment.allowed, start, length, Finding::Missing, false);
            }
        }
        Ok(())
    }

    fn count(&mut self, rule: Rule, blocks: u64) {
        self.counts.blocks += blocks;
        match rule {
            Rule::Must => self.counts.must += blocks,
            Rule::May => self.counts.may += blocks,
            Rule::MustNot => {}
        }
    }

    fn check_block(&mut self, start: u64, end: u64, index: usize) -> io::Result<()> {
        let allowed = &self.allowed[index];
        self.count(allowed.rule, 1);
        let bytes = self.window.get(start, end)?;
        if is_allowed(self.sources, allowed, start, bytes)
            || is_allowed_tear(self.sources, allowed, start, bytes)
        {
            return Ok(());
        }
        // The class is that of the whole block, of which others may have written a part.
        let wanted = allowed.sources.first();
        let stamp = wanted.and_then(|&source| self.sources[source as usize].stamp());
        let stamp = *stamp.unwrap_or(&self.usual);
        let size = stamp.block_bytes as u64;
        let block_start = start - start % size;
        let block_end = block_start.saturating_add(size).min(self.window.length);
        let is_older_allowed = allowed.older;
        let block = self.window.get(block_start, block_end)?;
        if is_older_allowed && is_older(&stamp, self.first_generation, block_start, block) {
            return Ok(());
        }
        let (finding, is_unwritten) = name_finding(&stamp, wanted.is_some(), block_start, block);
        self.report(index, start, end - start, finding, is_unwritten);
        Ok(())
    }

    fn report(
        &mut self,
        index: usize,
        offset: u64,
        length: u64,
        finding: Finding,
        is_unwritten: bool,
    ) {
        let blocks = length.div_ceil(self.block_bytes);
        match self.allowed[index].rule {
            Rule::Must => self.counts.lost += blocks,
            Rule::May | Rule::MustNot => self.counts.wrong += blocks,
        }
        self.damage
            .entry((index, is_unwritten))
            .or_insert_with(|| ExtentList::new(FINDINGS_MAX))
            .push(offset, length, finding);
    }

    /// Adds the findings to the report of all files.
    fn finish(self, path: &str, report: &mut Report) {
        report.files += 1;
        report.blocks += self.counts.blocks;
        report.must += self.counts.must;
        report.may += self.counts.may;
        report.lost += self.counts.lost;
        report.wrong += self.counts.wrong;
        let mut found = Vec::new();
        for ((index, is_unwritten), list) in self.damage {
            let allowed = &self.allowed[index];
            let wish = describe(self.sources, allowed);
            let (extents, omitted) = list.finish();
            report.extents_omitted += omitted;
            found.extend(extents.into_iter().map(|extent| FileExtent {
                class: if is_unwritten {
                    "unwritten"
                } else {
                    extent.finding.class().name()
                },
                file: path.to_owned(),
                offset: extent.offset,
                length: extent.length,
                rule: allowed.rule,
                detail: join_details(&extent.finding.to_string(), &wish),
            }));
        }
        found.sort_by_key(|extent| extent.offset);
        for extent in found {
            push_limited(&mut report.extents, extent, &mut report.extents_omitted);
        }
    }
}

/// Whether `bytes`, from `offset` of the file, are one of the contents that are allowed.
fn is_allowed(sources: &[Source], allowed: &Allowed, offset: u64, bytes: &[u8]) -> bool {
    let mut written = allowed.sources.iter();
    written.any(|&source| sources[source as usize].holds(offset, bytes))
        || (allowed.nothing && bytes.iter().all(|&byte| byte == 0))
}

/// Whether `bytes` are a mixture of contents that are allowed, sector by sector: a disk writes
/// those as a whole, and blocks may be larger. A block may begin and end within a sector.
fn is_allowed_tear(sources: &[Source], allowed: &Allowed, offset: u64, bytes: &[u8]) -> bool {
    let contents = allowed.sources.len() + usize::from(allowed.nothing);
    if contents < 2 {
        return false;
    }
    let end = offset + bytes.len() as u64;
    let mut start = offset;
    while start < end {
        let sector_end = (start / SECTOR_BYTES + 1) * SECTOR_BYTES;
        let piece_end = sector_end.min(end);
        let piece = (start - offset) as usize..(piece_end - offset) as usize;
        if !is_allowed(sources, allowed, start, &bytes[piece]) {
            return false;
        }
        start = piece_end;
    }
    true
}

/// Whether a block is undamaged, of this place, and from before the first of the logs.
fn is_older(stamp: &Stamp, first_generation: u32, offset: u64, block: &[u8]) -> bool {
    Header::from_bytes(block).is_ok_and(|header| {
        let of_header = Stamp::of_header(&header);
        (header.run, header.file, header.offset) == (stamp.run, stamp.file, offset)
            && header.generation < first_generation
            && block.len() <= of_header.block_bytes
            && of_header.is_intact(offset, block)
    })
}

/// Names the content of a place where it is not allowed. Also returns whether it is an undamaged
/// block that a client could have written there, but that no client wrote.
fn name_finding(stamp: &Stamp, is_wanted: bool, offset: u64, block: &[u8]) -> (Finding, bool) {
    let expectation = Expectation {
        stamp: *stamp,
        any_writer: !is_wanted,
    };
    let finding = classify(&expectation, offset, block);
    let is_unwritten = finding == Finding::Valid;
    (finding, is_unwritten)
}

/// What a place is to hold, in words.
fn describe(sources: &[Source], allowed: &Allowed) -> String {
    let mut contents: Vec<_> = allowed
        .sources
        .iter()
        .map(|&source| sources[source as usize].to_string())
        .collect();
    contents.dedup();
    let (verb, nothing) = match allowed.rule {
        Rule::Must => ("must hold ", None),
        Rule::May => ("may hold ", Some("zeros".to_owned())),
        Rule::MustNot => return "nobody wrote here".to_owned(),
    };
    contents.extend(nothing);
    format!("{verb}{}", contents.join(" or "))
}

fn join_details(finding: &str, wish: &str) -> String {
    match finding {
        "" => wish.to_owned(),
        finding => format!("{finding}; {wish}"),
    }
}
