//! The claims of one task to one file, in the making.

use crate::claim::Claim;
use crate::span::NEVER_NS;

/// Claims that are kept as they are. Of more of them, neighbours become one, so that a long log
/// does not need memory for each log record.
const CLAIMS_KEPT: usize = 1 << 14;

/// What a task has claimed so far.
#[derive(Debug)]
pub(crate) struct Claims {
    all: Vec<Claim>,
    /// Claims before this one are durable, or can no longer become so.
    unsynced_from: usize,
    /// How many there may be until neighbours are joined again.
    room: usize,
}

impl Claims {
    pub(crate) const fn new() -> Self {
        Self {
            all: Vec::new(),
            unsynced_from: 0,
            room: CLAIMS_KEPT,
        }
    }

    pub(crate) fn push(&mut self, claim: Claim) {
        if self.all.len() >= self.room {
            self.join_neighbours();
        }
        self.all.push(claim);
    }

    /// No later fsync makes the writes up to now durable.
    pub(crate) const fn forget_unsynced(&mut self) {
        self.unsynced_from = self.all.len();
    }

    /// What was acknowledged has left the client by `boottime_ns`, for good if `is_durable`.
    pub(crate) fn settle(&mut self, boottime_ns: u64, is_durable: bool) {
        for claim in &mut self.all[self.unsynced_from..] {
            if claim.span.is_answered() {
                claim.span.settled_ns = claim.span.settled_ns.min(boottime_ns);
                claim.is_durable |= is_durable;
            }
        }
    }

    /// All of them, to be judged.
    pub(crate) fn finish(mut self) -> Vec<Claim> {
        if self.all.len() > CLAIMS_KEPT {
            self.join_neighbours();
        }
        self.all
    }

    fn join_neighbours(&mut self) {
        let unsynced = joined(self.all.split_off(self.unsynced_from));
        self.all = joined(std::mem::take(&mut self.all));
        self.unsynced_from = self.all.len();
        self.all.extend(unsynced);
        self.room = CLAIMS_KEPT.max(2 * self.all.len());
    }
}

/// What two claims must have in common to become one.
const fn nature(claim: &Claim) -> (u32, bool, bool, bool) {
    let is_settled = claim.span.settled_ns != NEVER_NS;
    (
        claim.source,
        claim.is_durable,
        claim.span.is_answered(),
        is_settled,
    )
}

/// The same claims, with neighbours of one nature as a single claim from the first beginning to the
/// last end. The order of the writes is then less certain. So it may allow more, but it forbids
/// nothing that was allowed.
fn joined(mut claims: Vec<Claim>) -> Vec<Claim> {
    claims.sort_unstable_by_key(|claim| (nature(claim), claim.start));
    claims.dedup_by(|next, last| {
        let are_one = nature(next) == nature(last) && next.start <= last.end;
        if are_one {
            last.end = last.end.max(next.end);
            last.span.begun_ns = last.span.begun_ns.min(next.span.begun_ns);
            last.span.ended_ns = last.span.ended_ns.max(next.span.ended_ns);
            last.span.settled_ns = last.span.settled_ns.max(next.span.settled_ns);
        }
        are_one
    });
    claims.shrink_to_fit();
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn claim(start: u64, source: u32, now_ns: u64) -> Claim {
        Claim {
            start,
            end: start + 1,
            source,
            span: Span {
                ended_ns: now_ns + 1,
                ..Span::open(3, now_ns)
            },
            is_durable: false,
        }
    }

    #[test]
    fn neighbours_of_one_nature_become_one() {
        let mut open = claim(4, 0, 50);
        open.span.ended_ns = NEVER_NS;
        let claims = vec![
            claim(2, 0, 20),
            claim(1, 0, 30),
            claim(3, 1, 5),
            claim(3, 0, 10),
            open,
            claim(9, 0, 60),
        ];
        let found: Vec<_> = joined(claims)
            .iter()
            .map(|it| {
                (
                    it.source,
                    it.start,
                    it.end,
                    it.span.begun_ns,
                    it.span.ended_ns,
                )
            })
            .collect();
        let expected = vec![
            (0, 4, 5, 50, NEVER_NS),
            (0, 1, 4, 10, 31),
            (0, 9, 10, 60, 61),
            (1, 3, 4, 5, 6),
        ];
        assert_eq!(expected, found);
    }

    #[test]
    fn what_is_synced_in_between_stays_apart_from_what_follows() {
        let mut claims = Claims::new();
        let count = 3 * CLAIMS_KEPT as u64;
        for number in 0..count {
            claims.push(claim(number, 0, number));
            if number == count / 2 {
                claims.settle(number, true);
                claims.forget_unsynced();
            }
        }
        let found = claims.finish();
        assert!(found.len() < 10, "{}", found.len());
        let found = joined(found);
        let spans: Vec<_> = found
            .iter()
            .map(|it| (it.start, it.end, it.is_durable, it.span.settled_ns))
            .collect();
        let half = count / 2;
        let expected = vec![
            (half + 1, count, false, NEVER_NS),
            (0, half + 1, true, half),
        ];
        assert_eq!(expected, spans);
    }

    #[test]
    fn as_long_as_there_is_room_nothing_is_joined() {
        let mut claims = Claims::new();
        (0..1000).for_each(|number| claims.push(claim(number, 0, number)));
        assert_eq!(1000, claims.finish().len());
    }
}
