//! When an operation took place, and which of two certainly came first.

/// An instant that never comes: an operation without an answer may still happen.
pub(crate) const NEVER_NS: u64 = u64::MAX;

/// When an operation took place, by the clock of its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    /// The client that did it.
    pub(crate) client: u16,
    /// It did not begin before.
    pub(crate) begun_ns: u64,
    /// It was over by then, for the client itself; [`NEVER_NS`] without an answer.
    pub(crate) ended_ns: u64,
    /// It was over by then for all clients: none of it waited in a cache any more.
    pub(crate) settled_ns: u64,
}

impl Span {
    /// An operation that may or may not have happened, at an unknown time.
    pub(crate) const fn open(client: u16, begun_ns: u64) -> Self {
        Self {
            client,
            begun_ns,
            ended_ns: NEVER_NS,
            settled_ns: NEVER_NS,
        }
    }

    /// Whether it was answered.
    pub(crate) const fn is_answered(&self) -> bool {
        self.ended_ns != NEVER_NS
    }

    /// Whether this was certainly over before `later` began. Two clients' clocks differ by at
    /// most `clock_error_ns`.
    pub(crate) const fn is_before(&self, later: &Self, clock_error_ns: u64) -> bool {
        if self.client == later.client {
            self.ended_ns <= later.begun_ns
        } else {
            self.settled_ns.saturating_add(clock_error_ns) < later.begun_ns
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn span(client: u16, begun_ns: u64, ended_ns: u64, settled_ns: u64) -> Span {
        Span {
            client,
            begun_ns,
            ended_ns,
            settled_ns,
        }
    }

    #[test]
    fn an_order_is_certain_only_beyond_the_error_of_the_clocks() {
        let first = span(0, 10, 20, 30);
        assert!(
            first.is_before(&span(0, 20, 25, 25), 0),
            "one after the other"
        );
        assert!(!first.is_before(&span(0, 19, 25, 25), 0), "at once");
        assert!(first.is_before(&span(1, 41, 50, 50), 10));
        assert!(
            !first.is_before(&span(1, 40, 50, 50), 10),
            "within the error"
        );
        assert!(
            !first.is_before(&span(1, 25, 50, 50), 0),
            "still in the cache"
        );
        assert!(!Span::open(0, 1).is_before(&span(0, 99, 99, 99), 0));
        assert!(!Span::open(0, 1).is_before(&span(1, 99, 99, 99), 0));
    }
}
