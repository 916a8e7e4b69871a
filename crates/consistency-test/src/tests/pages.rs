//! Contents and attributes that a client makes and its neighbour looks at.

use serde_json::{Value, json};

use super::{consistency_test, ns, of};
use crate::Outcome;

/// The reads of a client that no operation of its neighbour can have met, and the last operation
/// before each.
fn quiet_reads<'a>(
    told: &'a [(Outcome, Vec<Value>)],
    client: usize,
    op: &str,
) -> Vec<(&'a Value, &'a Value)> {
    let written = of(&told[1 - client].1, op, "ok");
    let meets = |event: &Value, read: &Value| {
        ns(event, "end_ns") >= ns(read, "begin_ns") && ns(event, "begin_ns") <= ns(read, "end_ns")
    };
    let reads = told[client].1.iter().filter(|event| event["op"] == "read");
    reads
        .filter(|read| written.iter().all(|event| !meets(event, read)))
        .filter_map(|read| {
            let before = |event: &&&Value| ns(event, "end_ns") < ns(read, "begin_ns");
            Some((read, *written.iter().rfind(before)?))
        })
        .collect()
}

#[test]
fn what_a_truncation_cut_off_reads_as_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("truncate", folder.path(), 30);
    for (client, (outcome, _)) in told.iter().enumerate() {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        let reads = quiet_reads(&told, client, "rewrite");
        assert!(reads.len() > 5, "only {} reads", reads.len());
        for (read, last) in reads {
            assert_eq!(last["generation"], read["generation"]);
            assert_eq!(
                (json!(true), json!(0)),
                (read["head_whole"].clone(), read["dirty_bytes"].clone())
            );
        }
    }
}

#[test]
fn who_opens_after_a_close_sees_what_was_mapped_or_read_ahead() {
    for kind in ["mmap", "read-ahead"] {
        let folder = tempfile::tempdir().unwrap();
        let told = consistency_test(kind, folder.path(), 30);
        for (client, (outcome, _)) in told.iter().enumerate() {
            assert!(outcome.errors.is_empty(), "{kind}: {:?}", outcome.errors);
            let reads = quiet_reads(&told, client, "write");
            assert!(reads.len() > 5, "{kind}: only {} reads", reads.len());
            for (read, last) in reads {
                assert_eq!(last["generation"], read["generation"], "{kind}");
                assert_eq!(last["mtime_ns"], read["mtime_at_server_ns"], "{kind}");
            }
        }
    }
}

#[test]
fn attributes_of_a_file_that_grows_go_forward() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("attributes", folder.path(), 40);
    for (_, events) in &told {
        for of_client in [0, 1] {
            let looks = of(events, "read", "ok");
            let looks: Vec<_> = looks
                .iter()
                .filter(|look| look["of"] == of_client)
                .map(|look| (ns(look, "size_bytes"), ns(look, "mtime_ns")))
                .collect();
            assert!(looks.len() > 5);
            assert!(looks.is_sorted(), "{looks:?}");
        }
    }
}

#[test]
fn a_record_that_was_acknowledged_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("torn-writes", folder.path(), 30);
    for (client, (outcome, events)) in told.iter().enumerate() {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        let mut judged = 0;
        for slot in 0..3 {
            let reads = quiet_reads(&told, client, &format!("write-{slot}"));
            for (read, last) in reads.iter().filter(|(read, _)| read["slot"] == slot) {
                assert_eq!(json!([last["generation"]]), read["generations"]);
                assert_eq!(0, read["foreign_sectors"]);
                judged += 1;
            }
        }
        assert!(judged > 5, "{}", events.len());
    }
}
