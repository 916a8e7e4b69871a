//! From claims that overlap to segments that do not, with the possible contents of each segment.

use std::collections::HashMap;

use crate::claim::Claim;
use crate::report::Rule;
use crate::source::{Content, Source, SourceIndex};

/// What a place may hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Allowed {
    /// Blocks of one of these, the latest first.
    pub(crate) sources: Vec<SourceIndex>,
    /// Zeros, or the end of the file.
    pub(crate) nothing: bool,
    /// The content before the first of the logs.
    pub(crate) older: bool,
    /// What that comes to.
    pub(crate) rule: Rule,
}

/// A part of a file in which everything may hold the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Index in [`Sweep::allowed`].
    pub(crate) allowed: usize,
}

/// All of a file, from its first byte to the end of all numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    pub(crate) segments: Vec<Segment>,
    pub(crate) allowed: Vec<Allowed>,
}

/// Finds the possible contents of each place of a file.
pub(crate) fn sweep(claims: &[Claim], sources: &[Source], clock_error_ns: u64) -> Sweep {
    let mut by_start: Vec<&Claim> = claims
        .iter()
        .filter(|claim| claim.start < claim.end)
        .collect();
    by_start.sort_by_key(|claim| claim.start);
    let mut boundaries: Vec<_> = by_start
        .iter()
        .flat_map(|claim| [claim.start, claim.end])
        .chain([0, u64::MAX])
        .collect();
    boundaries.sort_unstable();
    boundaries.dedup();

    let mut builder = Builder::default();
    let mut active: Vec<&Claim> = Vec::new();
    let mut coming = by_start.into_iter().peekable();
    for bounds in boundaries.windows(2) {
        let (start, end) = (bounds[0], bounds[1]);
        active.retain(|claim| claim.end > start);
        while let Some(claim) = coming.next_if(|claim| claim.start <= start) {
            active.push(claim);
        }
        builder.push(start, end, allowed_by(&active, sources, clock_error_ns));
    }
    builder.sweep()
}

/// What a place may hold that all of `claims` cover.
fn allowed_by(claims: &[&Claim], sources: &[Source], clock_error_ns: u64) -> Allowed {
    let source_of = |claim: &Claim| &sources[claim.source as usize];
    let durable: Vec<_> = claims.iter().filter(|claim| claim.is_durable).collect();
    let is_replaced = |claim: &Claim| {
        // The last pass over a place comes last, and comes after all others.
        durable.iter().rev().any(|later| {
            later.source != claim.source
                && source_of(claim).is_before(
                    &claim.span,
                    source_of(later),
                    &later.span,
                    clock_error_ns,
                )
        })
    };
    let mut possible: Vec<_> = claims.iter().filter(|claim| !is_replaced(claim)).collect();
    possible.sort_by_key(|claim| {
        std::cmp::Reverse((claim.span.begun_ns, claim.is_durable, claim.source))
    });
    let mut allowed = Allowed {
        sources: Vec::new(),
        nothing: durable.is_empty(),
        older: durable.is_empty(),
        rule: Rule::MustNot,
    };
    for claim in possible {
        match source_of(claim).content {
            Content::Nothing => {
                allowed.nothing = true;
                // It is not known what was there before, unless the file was certainly emptied.
                allowed.older &= !claim.span.is_answered();
            }
            Content::Blocks(_) if allowed.sources.contains(&claim.source) => {}
            Content::Blocks(_) => allowed.sources.push(claim.source),
        }
    }
    allowed.rule = match (allowed.sources.is_empty(), allowed.nothing) {
        (true, _) => Rule::MustNot,
        (false, true) => Rule::May,
        (false, false) => Rule::Must,
    };
    allowed
}

/// Joins neighbours that may hold the same.
#[derive(Debug, Default)]
struct Builder {
    segments: Vec<Segment>,
    allowed: Vec<Allowed>,
    known: HashMap<Allowed, usize>,
}

impl Builder {
    fn push(&mut self, start: u64, end: u64, allowed: Allowed) {
        let next = self.allowed.len();
        let index = *self.known.entry(allowed.clone()).or_insert(next);
        if index == next {
            self.allowed.push(allowed);
        }
        match self.segments.last_mut() {
            Some(last) if last.allowed == index => last.end = end,
            _ => self.segments.push(Segment {
                start,
                end,
                allowed: index,
            }),
        }
    }

    fn sweep(self) -> Sweep {
        Sweep {
            segments: self.segments,
            allowed: self.allowed,
        }
    }
}
