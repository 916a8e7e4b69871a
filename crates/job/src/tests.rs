//! Jobs that are right, and each way to get one wrong.

use serde_json::{Value, json};

use super::*;

fn valid() -> Value {
    json!({
        "protocol": 3, "run_id": "00000000000000ff", "client": "c1", "client_index": 1,
        "tasks": 2, "phase": "write", "pattern": "sequential", "layout": "n-n",
        "transfer_bytes": 8192, "file_bytes": 65536, "directory": "/mnt", "files": ["a", "b"],
        "writer_client_indexes": [1, 1], "direct": false, "fsync": "file",
        "close_in_timing": true, "generation": 1, "seed": 7, "verify": false, "log": null,
        "time_limit_s": null,
    })
}

fn message_after(field: &str, value: Value) -> String {
    let mut job = valid();
    job[field] = value;
    Job::from_json(&job.to_string()).unwrap_err().to_string()
}

#[test]
fn a_job_is_read() {
    let job = Job::from_json(&valid().to_string()).unwrap();
    assert_eq!(RunId(255), job.run_id);
    assert_eq!(4096, job.content_block_bytes());
    assert_eq!(Existing::Truncate, job.existing_files());
}

#[test]
fn each_mistake_names_its_field() {
    for (field, value) in [
        ("protocol", json!(1)),
        ("run_id", json!("xyz")),
        ("client_index", json!(-1)),
        ("tasks", json!(0)),
        ("phase", json!("wriet")),
        ("pattern", json!("spiral")),
        ("layout", json!("n-m")),
        ("transfer_bytes", json!(4099)),
        ("transfer_bytes", json!(128 << 20)),
        ("transfer_bytes", json!("8KiB")),
        ("file_bytes", json!(65537)),
        ("file_bytes", json!(0)),
        ("files", json!(["a"])),
        ("files", json!(["a", "a"])),
        ("files", json!(["a", "../b"])),
        ("files", json!(["a", "/b"])),
        ("files", json!(["a", ""])),
        ("writer_client_indexes", json!([1])),
        ("fsync", json!("often")),
        ("time_limit_s", json!(0)),
        ("warm_up_s", json!(-1)),
        ("window_s", json!(0)),
        ("outage_threshold_s", json!(0)),
        ("block_bytes", json!(3000)),
        ("colour", json!("red")),
        ("pattern", json!({ "strided": { "skip": 2 } })),
        (
            "pattern",
            json!({ "semi-random": { "next_transfers": 5, "working_set_transfers": 4 } }),
        ),
        (
            "pattern",
            json!({ "semi-random": { "next_transfers": 0, "working_set_transfers": 4 } }),
        ),
        ("phase", json!({ "mixed": { "read_percent": 101.0 } })),
        ("phase", json!({ "mixed": {} })),
        ("layout", json!("1-1")),
        (
            "layout",
            json!({ "n-1-segmented": { "first_rank": 3, "ranks": 4 } }),
        ),
        (
            "layout",
            json!({ "n-1-segmented": { "first_rank": 0, "ranks": 0 } }),
        ),
        ("file_bytes", json!(8192 * 3 + 1)),
        ("arrivals_per_s", json!(-1.0)),
        ("queue_depth", json!(0)),
        ("engine", json!("aio")),
        ("go_on_after", json!(["ENOTHING"])),
        ("hints", json!(["fast"])),
        ("tree", json!({ "items_per_directory": "many" })),
    ] {
        let message = message_after(field, value);
        assert!(message.contains(&format!("`{field}")), "{field}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn what_has_no_second_pass_is_not_done_by_time() {
    for (changes, problem) in [
        (json!({ "time_limit_s": null }), "needs `time_limit_s`"),
        (
            json!({ "pattern": "append" }),
            "cannot be had with `append`",
        ),
        (
            json!({ "phase": "create", "tree": { "items_per_directory": 1 } }),
            "is for `write`, `read`",
        ),
    ] {
        let mut job = valid();
        job["time_limit_s"] = json!(1.0);
        job["time_based"] = json!(true);
        assert!(Job::from_json(&job.to_string()).is_ok());
        let Value::Object(changes) = changes else {
            unreachable!("they are objects")
        };
        job.as_object_mut().unwrap().extend(changes);
        let message = Job::from_json(&job.to_string()).unwrap_err().to_string();
        assert!(
            message.contains(&format!("`time_based` {problem}")),
            "{message}"
        );
    }
}

#[test]
fn several_at_once_cannot_be_verified_where_records_are_touched_twice() {
    let mut job = valid();
    job["phase"] = json!({ "mixed": { "read_percent": 50.0 } });
    job["queue_depth"] = json!(4);
    job["time_limit_s"] = json!(1.0);
    for (pattern, time_based, verify, is_right) in [
        ("random", false, true, true),
        ("random", true, true, false),
        ("random", true, false, true),
        ("random-with-replacement", false, true, false),
        ("random-with-replacement", false, false, true),
    ] {
        job["pattern"] = json!(pattern);
        job["time_based"] = json!(time_based);
        job["verify"] = json!(verify);
        let read = Job::from_json(&job.to_string());
        assert_eq!(is_right, read.is_ok(), "{pattern} {time_based} {verify}");
    }
}

#[test]
fn what_is_under_way_at_once_has_to_fit_into_memory() {
    let mut job = valid();
    let transfer_bytes = 64_u64 << 20;
    job["transfer_bytes"] = json!(transfer_bytes);
    job["file_bytes"] = json!(transfer_bytes);
    // Two tasks: 64 × 64 MiB each are the 8 GiB.
    for (queue_depth, is_right) in [(64, true), (65, false), (4096, false)] {
        job["queue_depth"] = json!(queue_depth);
        let read = Job::from_json(&job.to_string());
        let message = read.as_ref().err().map(ToString::to_string);
        assert_eq!(is_right, read.is_ok(), "{queue_depth} {message:?}");
        let names = ["`queue_depth` is", "8589934592 for a client"];
        let says = |message: String| names.iter().all(|name| message.contains(name));
        assert!(is_right || message.is_some_and(says));
    }
}

#[test]
fn each_pass_has_a_generation() {
    let job = |changes: &[(&str, Value)]| {
        let mut job = valid();
        for (key, value) in changes {
            job[*key] = value.clone();
        }
        Job::from_json(&job.to_string()).unwrap()
    };
    let once = job(&[("generation", json!(5))]);
    assert_eq!((1, 5), (once.generations(), once.generation_after(7)));
    let time_based = ("time_based", json!(true));
    let timed = job(&[
        ("generation", json!(5)),
        time_based,
        ("time_limit_s", json!(1.0)),
    ]);
    let passes = u64::from(PASSES_MAX);
    let generations = [0, 1, passes - 1, passes].map(|pass| timed.generation_after(pass));
    assert_eq!([5, 6, PASSES_MAX + 4, 5], generations);
    assert_eq!(5..=7, timed.generations_written(2));
    assert_eq!(5..=PASSES_MAX + 4, timed.generations_written(passes + 1));
    // What is found there was written before, in one pass or in several.
    let mixed = json!({ "mixed": { "read_percent": 50.0 } });
    for (phase, from, found) in [
        (json!("read"), Value::Null, 9..=9),
        (json!("read"), json!(4), 4..=9),
        (mixed.clone(), Value::Null, 8..=8),
        (mixed, json!(4), 4..=8),
    ] {
        let reading = job(&[
            ("phase", phase),
            ("generation", json!(9)),
            ("generation_from", from),
        ]);
        assert_eq!(found, reading.generations_found());
    }
}

#[test]
fn a_copy_has_rules_of_its_own() {
    let copying = |sizes: Value| {
        let copy = json!({ "direction": "to-storage", "sizes": sizes, "local_directory": "/tmp" });
        json!({ "copy": copy })
    };
    let size = |file_bytes: u64, files: u64| json!({ "file_bytes": file_bytes, "files": files });
    let mut job = valid();
    job["phase"] = copying(json!([size(5000, 3), size(1, 1)]));
    job["fsync"] = json!("none");
    let read = Job::from_json(&job.to_string()).unwrap();
    assert!(matches!(
        &read.phase,
        Phase::Copy(Copying { discard: 1, .. })
    ));
    assert_eq!(Existing::Truncate, read.existing_files());
    for sizes in [
        json!([]),
        json!([size(0, 1)]),
        json!([size(1, 0)]),
        json!([size(7, 1), size(7, 2)]),
        json!([{ "file_bytes": 1 }]),
    ] {
        let mut wrong = job.clone();
        wrong["phase"] = copying(sizes);
        let message = Job::from_json(&wrong.to_string()).unwrap_err().to_string();
        assert!(message.contains("`phase"), "{message}");
    }
    for (field, value) in [
        ("pattern", json!("random")),
        (
            "layout",
            json!({ "n-1-segmented": { "first_rank": 0, "ranks": 4 } }),
        ),
        ("queue_depth", json!(2)),
        ("engine", json!("io-uring")),
        ("arrivals_per_s", json!(1.0)),
        ("hint_ahead_transfers", json!(1)),
        ("direct", json!(true)),
    ] {
        let mut wrong = job.clone();
        wrong[field] = value;
        let message = Job::from_json(&wrong.to_string()).unwrap_err().to_string();
        assert!(
            message.contains(&format!("`{field}`")),
            "{field}: {message}"
        );
    }
}

#[test]
fn a_missing_field_is_named() {
    let mut job = valid();
    job.as_object_mut().unwrap().remove("transfer_bytes");
    let message = Job::from_json(&job.to_string()).unwrap_err().to_string();
    assert!(message.contains("`transfer_bytes`"), "{message}");
}

#[test]
fn text_that_is_no_job_is_refused() {
    for text in ["", "[]", "{", "{}", "hello", "{} {}"] {
        assert!(Job::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn shared_files_and_trees_have_rules_of_their_own() {
    let shared = json!({ "n-1-interleaved": { "first_rank": 0, "ranks": 3, "chunk_bytes": 8192 } });
    let mut job = valid();
    job["layout"] = shared;
    job["files"] = json!(["shared"]);
    let message = Job::from_json(&job.to_string()).unwrap_err().to_string();
    assert!(
        message.contains("`file_bytes`"),
        "8 records for 3 ranks: {message}"
    );
    job["file_bytes"] = json!(8192 * 9);
    assert!(Job::from_json(&job.to_string()).is_ok());
    let mut job = valid();
    job["phase"] = json!("create");
    let message = Job::from_json(&job.to_string()).unwrap_err().to_string();
    assert!(message.contains("`tree`"), "{message}");
    job["tree"] = json!({ "items_per_directory": 0 });
    let message = Job::from_json(&job.to_string()).unwrap_err().to_string();
    assert!(message.contains("`tree`"), "{message}");
    let many = json!({ "phase": "readdir", "verify": true,
        "tree": { "items_per_directory": 1_u64 << 29 } });
    for (field, value) in many.as_object().unwrap() {
        job[field] = value.clone();
    }
    assert!(Job::from_json(&job.to_string()).is_err());
    job["verify"] = json!(false);
    assert!(Job::from_json(&job.to_string()).is_ok());
    job["tree"] = json!({ "items_per_directory": 1, "depth": 60, "branching": 60 });
    assert!(Job::from_json(&job.to_string()).is_err());
}
