//! Latencies in histograms that can be merged without loss.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use serde::Serialize;

use crate::kind::Kind;

/// Longer latencies count as this: an hour.
const LATENCY_NS_MAX: u64 = 3_600_000_000_000;

/// Decimal digits to which latencies are kept.
const SIGNIFICANT_DIGITS: u8 = 3;

/// The latencies of one kind of operation.
#[derive(Clone)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Latencies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Latencies({} values)", self.0.len())
    }
}

/// The latencies of each kind of operation that occurred.
#[derive(Debug, Default)]
pub(crate) struct LatenciesByKind([Option<Box<Latencies>>; Kind::COUNT]);

impl LatenciesByKind {
    /// Adds one.
    pub(crate) fn record(&mut self, kind: Kind, latency_ns: u64) {
        self.0[kind as usize]
            .get_or_insert_default()
            .record(latency_ns);
    }

    /// Takes all of them away, in few bytes; a kind that did not occur is left out.
    pub(crate) fn take_coded(&mut self) -> Vec<(Kind, Coded)> {
        let mut taken = Vec::new();
        for (kind, latencies) in Kind::ALL.into_iter().zip(&mut self.0) {
            if let Some(latencies) = latencies.as_deref_mut().filter(|it| it.count() > 0) {
                taken.push((kind, latencies.encode()));
                latencies.clear();
            }
        }
        taken
    }

    /// Those of one kind.
    pub(crate) fn of(&self, kind: Kind) -> Option<&Latencies> {
        self.0[kind as usize].as_deref()
    }

    /// The figures of all together, by the name of the kind.
    pub(crate) fn summaries<'a>(
        all: &(impl Iterator<Item = &'a Self> + Clone),
    ) -> BTreeMap<&'static str, LatencySummary> {
        let of_kind = |kind: Kind| {
            let mut merged = Latencies::new();
            all.clone()
                .filter_map(|latencies| latencies.of(kind))
                .for_each(|latencies| merged.merge(latencies));
            Some((kind.name(), merged.summary()?))
        };
        Kind::ALL.into_iter().filter_map(of_kind).collect()
    }
}

/// Latencies in the `HdrHistogram` V2 encoding, not compressed: as many bytes as there are
/// different values, more or less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coded(Vec<u8>);

impl Coded {
    /// As text.
    pub(crate) fn to_base64(&self) -> String {
        BASE64_STANDARD.encode(&self.0)
    }

    /// The latencies again.
    pub(crate) fn decode(&self) -> Latencies {
        let decoded = Deserializer::new().deserialize(&mut &self.0[..]);
        Latencies(decoded.expect("what was encoded can be decoded"))
    }
}

/// The usual figures of a set of latencies, and all of them in coded form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatencySummary {
    /// Number of operations.
    pub count: u64,
    /// Shortest.
    pub min_ns: u64,
    /// Arithmetic mean.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 90th percentile.
    pub p90_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// 99.9th percentile.
    pub p999_ns: u64,
    /// Longest.
    pub max_ns: u64,
    /// Base64 of the `HdrHistogram` V2 encoding, not compressed.
    pub histogram: String,
}

impl Latencies {
    /// No latencies yet.
    ///
    /// # Panics
    /// Never: the bounds are valid.
    pub fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LATENCY_NS_MAX, SIGNIFICANT_DIGITS);
        Self(histogram.expect("the bounds are constant and valid"))
    }

    /// Adds one.
    pub fn record(&mut self, latency_ns: u64) {
        self.0.saturating_record(latency_ns);
    }

    /// Adds all of another set.
    ///
    /// # Panics
    /// Never: all sets have the same bounds.
    pub fn merge(&mut self, other: &Self) {
        self.0
            .add(&other.0)
            .expect("all histograms have the same bounds");
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.0.reset();
    }

    /// All of them in few bytes.
    pub(crate) fn encode(&self) -> Coded {
        let mut coded = Vec::new();
        let written = V2Serializer::new().serialize(&self.0, &mut coded);
        written.expect("a histogram can be written to memory");
        Coded(coded)
    }

    /// The figures, or `None` when there was no operation.
    pub fn summary(&self) -> Option<LatencySummary> {
        let histogram = &self.0;
        if histogram.is_empty() {
            return None;
        }
        Some(LatencySummary {
            count: histogram.len(),
            min_ns: histogram.min(),
            mean_ns: histogram.mean(),
            p50_ns: histogram.value_at_quantile(0.5),
            p90_ns: histogram.value_at_quantile(0.9),
            p99_ns: histogram.value_at_quantile(0.99),
            p999_ns: histogram.value_at_quantile(0.999),
            max_ns: histogram.max(),
            histogram: self.encode().to_base64(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coded_form_holds_every_value() {
        let mut latencies = Latencies::new();
        for latency_ns in [100, 2_000, 30_000, 30_000] {
            latencies.record(latency_ns);
        }
        let summary = latencies.summary().unwrap();
        let coded = BASE64_STANDARD.decode(&summary.histogram).unwrap();
        let decoded: Histogram<u64> = Deserializer::new().deserialize(&mut &coded[..]).unwrap();
        assert_eq!(latencies.0, decoded);
        assert_eq!(
            (4, 100, 2_000),
            (summary.count, summary.min_ns, summary.p50_ns)
        );
    }

    #[test]
    fn merging_loses_nothing() {
        let (mut left, mut right, mut both) = Default::default();
        for value in 1..2000_u64 {
            let side: &mut Latencies = if value % 3 == 0 {
                &mut left
            } else {
                &mut right
            };
            side.record(value * value);
            Latencies::record(&mut both, value * value);
        }
        left.merge(&right);
        assert_eq!(both.summary(), left.summary());
    }

    #[test]
    fn latencies_beyond_the_range_are_kept_at_its_end() {
        let mut latencies = Latencies::new();
        latencies.record(u64::MAX);
        latencies.record(0);
        assert_eq!(2, latencies.count());
        assert!(latencies.summary().unwrap().max_ns >= LATENCY_NS_MAX);
    }

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(None, Latencies::new().summary());
    }
}
