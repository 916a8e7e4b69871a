//! Joining findings into extents, within a bounded memory.

use crate::finding::Finding;

/// Neighbouring blocks of a file in which the same was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First byte, from the start of the file.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// What was found there.
    pub finding: Finding,
}

impl Extent {
    /// The byte after the last.
    pub const fn end(&self) -> u64 {
        self.offset + self.length
    }

    /// Takes in `next` when it continues this extent and is of the same kind.
    fn absorb(&mut self, next: &Self) -> bool {
        let joined = self.end() == next.offset
            && self
                .finding
                .absorb(&next.finding, next.offset - self.offset);
        if joined {
            self.length += next.length;
        }
        joined
    }
}

/// The extents of one file: joined as they come, sorted and joined again in the end.
#[derive(Clone, Debug)]
pub struct ExtentList {
    extents: Vec<Extent>,
    extents_max: usize,
    omitted: u64,
}

impl ExtentList {
    /// An empty list that keeps at most `extents_max` extents and counts the rest.
    pub const fn new(extents_max: usize) -> Self {
        Self {
            extents: Vec::new(),
            extents_max,
            omitted: 0,
        }
    }

    /// Adds the finding in `length` bytes from `offset`.
    pub fn push(&mut self, offset: u64, length: u64, finding: Finding) {
        let next = Extent {
            offset,
            length,
            finding,
        };
        if self
            .extents
            .last_mut()
            .is_some_and(|last| last.absorb(&next))
        {
            return;
        }
        if self.extents.len() >= self.extents_max {
            self.join();
        }
        if self.extents.len() < self.extents_max {
            self.extents.push(next);
        } else {
            self.omitted += 1;
        }
    }

    /// The extents by offset, and how many more there were. Findings that came in random order
    /// and had no room are counted one by one, so the second number is an upper bound.
    pub fn finish(mut self) -> (Vec<Extent>, u64) {
        self.join();
        (self.extents, self.omitted)
    }

    /// Sorts the extents and joins neighbours that were found at different times.
    fn join(&mut self) {
        self.extents.sort_by_key(|extent| extent.offset);
        self.extents.dedup_by(|next, last| last.absorb(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_in_any_order() {
        let mut list = ExtentList::new(100);
        for block in [3, 0, 2, 1, 7] {
            list.push(block * 512, 512, Finding::Zero);
        }
        let (extents, omitted) = list.finish();
        assert_eq!(0, omitted);
        assert_eq!(
            vec![(0, 2048), (3584, 512)],
            extents
                .iter()
                .map(|extent| (extent.offset, extent.length))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_shifted_range_is_one_extent_and_a_shuffled_one_is_not() {
        let mut list = ExtentList::new(100);
        list.push(0, 512, Finding::Misplaced { belongs_at: 8192 });
        list.push(512, 512, Finding::Misplaced { belongs_at: 8704 });
        list.push(1024, 512, Finding::Misplaced { belongs_at: 0 });
        let (extents, _) = list.finish();
        assert_eq!(
            vec![1024, 512],
            extents
                .iter()
                .map(|extent| extent.length)
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn wrong_bytes_are_added_up() {
        let mut list = ExtentList::new(100);
        list.push(
            0,
            512,
            Finding::Corrupt {
                wrong_bytes: 1,
                first_wrong_at: 7,
            },
        );
        list.push(
            512,
            512,
            Finding::Corrupt {
                wrong_bytes: 2,
                first_wrong_at: 600,
            },
        );
        let (extents, _) = list.finish();
        assert_eq!(
            Finding::Corrupt {
                wrong_bytes: 3,
                first_wrong_at: 7
            },
            extents[0].finding
        );
    }

    #[test]
    fn a_full_list_counts_what_it_leaves_out() {
        let mut list = ExtentList::new(2);
        for block in 0..10 {
            list.push(block * 1024, 512, Finding::Zero);
        }
        let (extents, omitted) = list.finish();
        assert_eq!((2, 8), (extents.len(), omitted));
    }
}
