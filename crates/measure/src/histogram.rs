//! Latencies in histograms that can be merged without loss.
//!
//! They count as `HdrHistogram` does, and the output has its coded form. But of its 270 KB only the
//! parts with counts are in memory. Every task keeps one for each kind of operation, and the tasks
//! of a client should not cost more memory than their load.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2Serializer};
use serde::Serialize;

use crate::kind::Kind;

/// Longer latencies count as this: an hour.
const LATENCY_NS_MAX: u64 = 3_600_000_000_000;

/// Decimal digits to which latencies are kept.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Binary logarithm of the counts between two powers of two: as many as the digits need.
const CHUNK_BITS: u32 = 10;

/// Counts from one power of two to the next.
type Chunk = [u64; 1 << CHUNK_BITS];

/// How many of them there are up to the longest latency.
const CHUNKS: usize = place_of(LATENCY_NS_MAX).0 + 1;

/// Chunk and slot of a latency: whole nanoseconds below 2048, beyond it steps of less than a
/// thousandth.
const fn place_of(latency_ns: u64) -> (usize, usize) {
    let shift = (latency_ns | 1 << CHUNK_BITS).ilog2() - CHUNK_BITS;
    let index = ((shift as usize) << CHUNK_BITS) + (latency_ns >> shift) as usize;
    (index >> CHUNK_BITS, index % (1 << CHUNK_BITS))
}

/// The shortest latency that is counted in a place.
const fn latency_at(chunk: usize, slot: usize) -> u64 {
    match chunk {
        0 => slot as u64,
        _ => ((1 << CHUNK_BITS) + slot as u64) << (chunk - 1),
    }
}

/// The latencies of one kind of operation.
#[derive(Clone)]
pub struct Latencies([Option<Box<Chunk>>; CHUNKS]);

impl Default for Latencies {
    fn default() -> Self {
        Self([const { None }; CHUNKS])
    }
}

impl fmt::Debug for Latencies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Latencies({} values)", self.count())
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

    /// Adds all of another set.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            if let Some(other) = other {
                mine.get_or_insert_default().merge(other);
            }
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The present histograms, by the name of the kind.
    fn map<T>(&self, of_kind: impl Fn(&Latencies) -> T) -> BTreeMap<&'static str, T> {
        let named = Kind::ALL.into_iter().zip(&self.0);
        named
            .filter_map(|(kind, latencies)| Some((kind.name(), of_kind(latencies.as_ref()?))))
            .collect()
    }

    /// All of them in few bytes, by the name of the kind.
    pub(crate) fn coded(&self) -> BTreeMap<&'static str, String> {
        self.map(|latencies| coded(&latencies.dense()))
    }

    /// The figures, by the name of the kind.
    pub(crate) fn summaries(&self) -> BTreeMap<&'static str, LatencySummary> {
        self.map(Latencies::summary)
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
    /// Adds one.
    pub fn record(&mut self, latency_ns: u64) {
        let (chunk, slot) = place_of(latency_ns.min(LATENCY_NS_MAX));
        self.0[chunk].get_or_insert_with(empty)[slot] += 1;
    }

    /// Adds all of another set.
    pub fn merge(&mut self, other: &Self) {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            let Some(other) = other else { continue };
            let mine = mine.get_or_insert_with(empty);
            for (mine, other) in mine.iter_mut().zip(other.iter()) {
                *mine += other;
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts().map(|(_, count)| count).sum()
    }

    /// Latencies that occurred, and how often each did.
    fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let chunks = self.0.iter().enumerate();
        let counted = chunks.filter_map(|(chunk, counts)| Some((chunk, counts.as_ref()?)));
        let each = counted.flat_map(|(chunk, counts)| {
            let slots = counts.iter().enumerate();
            slots.map(move |(slot, &count)| (latency_at(chunk, slot), count))
        });
        each.filter(|&(_, count)| count > 0)
    }

    /// The same in the form that others know, with all its memory.
    fn dense(&self) -> Histogram<u64> {
        let histogram = Histogram::new_with_bounds(1, LATENCY_NS_MAX, SIGNIFICANT_DIGITS);
        let mut histogram = histogram.expect("the bounds are constant and valid");
        for (latency_ns, count) in self.counts() {
            histogram.saturating_record_n(latency_ns, count);
        }
        histogram
    }

    /// The figures; all of them 0 when there was no operation.
    pub fn summary(&self) -> LatencySummary {
        let histogram = self.dense();
        LatencySummary {
            count: histogram.len(),
            min_ns: histogram.min(),
            mean_ns: histogram.mean(),
            p50_ns: histogram.value_at_quantile(0.5),
            p90_ns: histogram.value_at_quantile(0.9),
            p99_ns: histogram.value_at_quantile(0.99),
            p999_ns: histogram.value_at_quantile(0.999),
            max_ns: histogram.max(),
            histogram: coded(&histogram),
        }
    }
}

/// Counts that are all 0.
#[cold]
fn empty() -> Box<Chunk> {
    Box::new([0; 1 << CHUNK_BITS])
}

/// Base64 of the V2 encoding: as many bytes as there are different values, more or less.
fn coded(histogram: &Histogram<u64>) -> String {
    let mut coded = Vec::new();
    let written = V2Serializer::new().serialize(histogram, &mut coded);
    written.expect("a histogram can be written to memory");
    BASE64_STANDARD.encode(&coded)
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_counts_as_others_do(
            latencies_ns in prop::collection::vec((0_u32..42, any::<u64>()), 0..300),
        ) {
            let mut expected = Histogram::<u64>::new_with_bounds(1, LATENCY_NS_MAX, 3).unwrap();
            let mut latencies = Latencies::default();
            for (bits, random) in latencies_ns {
                let latency_ns = (random & ((2 << bits) - 1)).min(LATENCY_NS_MAX);
                expected.saturating_record(latency_ns);
                latencies.record(latency_ns);
            }
            prop_assert_eq!(&expected, &latencies.dense());
            let summary = latencies.summary();
            prop_assert_eq!(expected.min(), summary.min_ns);
            prop_assert_eq!(expected.mean().to_bits(), summary.mean_ns.to_bits());
            prop_assert_eq!(expected.value_at_quantile(0.99), summary.p99_ns);
            prop_assert_eq!(expected.max(), summary.max_ns);
            prop_assert_eq!(expected.len(), latencies.count());
            let bytes = BASE64_STANDARD.decode(&summary.histogram).unwrap();
            let decoded: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
            prop_assert_eq!(expected, decoded);
        }
    }

    #[test]
    fn merging_loses_nothing() {
        let (mut left, mut right, mut both) = <(Latencies, Latencies, Latencies)>::default();
        for value in 1..2000_u64 {
            let side = if value % 3 == 0 {
                &mut left
            } else {
                &mut right
            };
            side.record(value * value);
            both.record(value * value);
        }
        left.merge(&right);
        assert_eq!(both.summary(), left.summary());
    }

    #[test]
    fn latencies_beyond_the_range_are_kept_at_its_end() {
        let mut latencies = Latencies::default();
        latencies.record(u64::MAX);
        latencies.record(0);
        assert_eq!(2, latencies.count());
        assert!(latencies.summary().max_ns >= LATENCY_NS_MAX);
    }
}
