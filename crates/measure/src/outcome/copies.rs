//! How long it took to copy files, per size.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::meter::TaskResult;
use crate::units::Bytes;

/// The times of the files of one size, of all tasks.
#[derive(Debug, PartialEq, Serialize)]
pub struct CopyReport {
    /// Length of each file.
    pub file_bytes: Bytes,
    /// Files that count.
    pub files: u64,
    /// Mean time of a file; `null`, as the following, when none counts.
    pub mean_s: Option<f64>,
    /// Standard deviation of the sample, by n - 1; `null` for less than two files.
    pub deviation_s: Option<f64>,
    /// Shortest time.
    pub min_s: Option<f64>,
    /// Longest time.
    pub max_s: Option<f64>,
    /// Length of a file by the mean time.
    pub rate_bytes_per_s: Option<f64>,
    /// Times of the first files of each task, which do not count.
    pub discarded_s: Vec<f64>,
}

/// Sums up what all tasks saw, by the position of the size in the job.
pub(super) fn collect(results: &[TaskResult]) -> Vec<CopyReport> {
    let mut sizes: BTreeMap<usize, (Bytes, Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for times in results
        .iter()
        .flat_map(|result| result.copies.iter().enumerate())
    {
        let (position, times) = times;
        let (file_bytes, counted_s, discarded_s) = sizes.entry(position).or_default();
        *file_bytes = times.file_bytes;
        counted_s.extend(
            times
                .counted_ns
                .iter()
                .map(|&time_ns| time_ns.0 as f64 / 1e9),
        );
        discarded_s.extend(
            times
                .discarded_ns
                .iter()
                .map(|&time_ns| time_ns.0 as f64 / 1e9),
        );
    }
    sizes
        .into_values()
        .map(|(file_bytes, counted_s, discarded_s)| report(file_bytes, &counted_s, discarded_s))
        .collect()
}

fn report(file_bytes: Bytes, counted_s: &[f64], discarded_s: Vec<f64>) -> CopyReport {
    let count = counted_s.len() as f64;
    let mean_s = (!counted_s.is_empty()).then(|| counted_s.iter().sum::<f64>() / count);
    let deviation_s = mean_s.filter(|_| counted_s.len() > 1).map(|mean_s| {
        let squares: f64 = counted_s
            .iter()
            .map(|time_s| (time_s - mean_s).powi(2))
            .sum();
        (squares / (count - 1.0)).sqrt()
    });
    CopyReport {
        file_bytes,
        files: counted_s.len() as u64,
        mean_s,
        deviation_s,
        min_s: counted_s.iter().copied().reduce(f64::min),
        max_s: counted_s.iter().copied().reduce(f64::max),
        rate_bytes_per_s: mean_s.map(|mean_s| file_bytes.0 as f64 / mean_s),
        discarded_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let report = report(Bytes(900), &[1.0, 2.0, 6.0], vec![9.0]);
        let expected = CopyReport {
            file_bytes: Bytes(900),
            files: 3,
            mean_s: Some(3.0),
            deviation_s: Some(7_f64.sqrt()),
            min_s: Some(1.0),
            max_s: Some(6.0),
            rate_bytes_per_s: Some(300.0),
            discarded_s: vec![9.0],
        };
        assert_eq!(expected, report);
    }

    #[test]
    fn what_too_few_files_cannot_say_is_null() {
        let one = report(Bytes(1), &[0.5], Vec::new());
        assert_eq!((Some(0.5), None), (one.mean_s, one.deviation_s));
        let none = report(Bytes(1), &[], Vec::new());
        assert_eq!(
            (0, None, None),
            (none.files, none.mean_s, none.rate_bytes_per_s)
        );
    }
}
