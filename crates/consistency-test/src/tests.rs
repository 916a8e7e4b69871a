//! Clients on one local file system: two agents in one process are two as any others, because
//! locks belong to open files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use seatrial_measure::{Nanoseconds, StopReason};
use serde_json::{Value, json};

use crate::{Job, Outcome, Prepared};

mod names;
mod pages;

/// The histories of two clients of a consistency test, which ran until each had `events` events.
fn consistency_test(kind: &str, folder: &Path, events: usize) -> Vec<(Outcome, Vec<Value>)> {
    consistency_test_in_turn(kind, folder, events, 0)
}

/// Waits until a history has `events` events, however slow this machine is.
fn wait_for(log: &Path, events: usize) {
    for _ in 0..6000 {
        let told = fs::read_to_string(log).map_or(0, |text| text.lines().count());
        if told >= events {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("no {events} events within a minute");
}

/// The same when the second client gets the stop only after it has `more` more events than the
/// first.
fn consistency_test_in_turn(
    kind: &str,
    folder: &Path,
    events: usize,
    more: usize,
) -> Vec<(Outcome, Vec<Value>)> {
    let storage = folder.join("storage");
    fs::create_dir(&storage).unwrap();
    let log = |client: u16| folder.join(format!("{client}.jsonl"));
    let job = |client: u16| {
        let line = json!({
            "protocol": 3, "run_id": "5ea000000000000f", "client": format!("c{client}"),
            "client_index": client, "clients": 2, "consistency_test": kind, "directory": storage,
            "log": log(client), "arrivals_per_s": 50.0, "hold_ms": 5,
        });
        Job::from_json(&line.to_string()).unwrap()
    };
    let prepared = [0, 1].map(|client| Prepared::new(job(client)).unwrap());
    let running = prepared.map(|one| one.start(Nanoseconds(0), || {}).unwrap());
    for client in [0, 1] {
        wait_for(&log(client), events);
    }
    let [first, second] = running;
    first.stop();
    if more == 0 {
        second.stop();
    }
    let first = first.join(Some(StopReason::Cancelled));
    if more > 0 {
        let told = fs::read_to_string(log(1)).unwrap().lines().count();
        wait_for(&log(1), told + more);
    }
    second.stop();
    let outcomes = [first, second.join(Some(StopReason::Cancelled))];
    let events = |client: usize| {
        let text = fs::read_to_string(log(client as u16)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    outcomes
        .into_iter()
        .enumerate()
        .map(|(client, outcome)| (outcome, events(client)))
        .collect()
}

fn of<'a>(events: &'a [Value], op: &str, outcome: &str) -> Vec<&'a Value> {
    let wanted = |event: &&Value| event["op"] == op && event["outcome"] == outcome;
    events.iter().filter(wanted).collect()
}

fn ns(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap()
}

#[test]
fn locks_exclude_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("locks", folder.path(), 150);
    let mut holds = Vec::new();
    for (outcome, events) in &told {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        assert!(of(events, "held", "foreign").is_empty());
        assert!(of(events, "lock", "refused").len() > 10, "nobody knocked");
        for lock in of(events, "lock", "ok") {
            let same = |event: &&&Value| event["token"] == lock["token"];
            let unlocks = of(events, "unlock", "ok");
            let unlock = unlocks.iter().find(same).expect("each is given back");
            let range = ns(lock, "range");
            holds.push((range, ns(lock, "end_ns"), ns(unlock, "begin_ns")));
        }
        assert_eq!("end", events.last().unwrap()["op"]);
    }
    holds.sort_unstable();
    assert!(holds.len() > 20);
    for pair in holds.windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1, "{pair:?}");
    }
}

#[test]
fn a_name_is_won_once() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("exclusive", folder.path(), 30);
    let mut tries: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in told.iter().flat_map(|(_, events)| events) {
        if let Some(name) = event["name"].as_str() {
            let outcome = event["outcome"].as_str().unwrap().to_owned();
            tries.entry(name.to_owned()).or_default().push(outcome);
        }
    }
    let met = tries
        .values()
        .filter(|outcomes| outcomes.len() == 2)
        .count();
    assert!(met > 10, "the clients did not meet");
    for outcomes in tries.values() {
        assert_eq!(
            1,
            outcomes.iter().filter(|&outcome| outcome == "won").count()
        );
    }
}

/// Its lock is free for the neighbour then, who finds its token still there.
#[test]
fn one_that_has_ended_holds_nothing_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test_in_turn("locks", folder.path(), 40, 40);
    let (_, events) = &told[1];
    let kept_by_first = told[0].1[0]["range"].as_u64().unwrap();
    assert!(
        of(events, "lock", "ok")
            .iter()
            .any(|event| event["range"] == kept_by_first),
        "the lock of the first was never granted to the second"
    );
    assert_eq!(Vec::<&Value>::new(), of(events, "held", "foreign"));
}

#[test]
fn appended_records_are_seen_by_the_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    for (outcome, events) in consistency_test("append", folder.path(), 40) {
        assert!(outcome.operations > 15);
        assert_eq!(Some(StopReason::Cancelled), outcome.stopped_by);
        let reads = of(&events, "read", "ok");
        assert!(reads.last().unwrap()["highest"].as_u64().unwrap() > 5);
        assert!(
            reads
                .iter()
                .all(|read| read["torn"] == 0 && read["missing"] == json!([]))
        );
    }
}

#[test]
fn each_item_is_renamed_once() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("rename", folder.path(), 20);
    let renamed: usize = told
        .iter()
        .map(|(_, events)| of(events, "rename", "ok").len())
        .sum();
    assert!(renamed > 10);
    let names = fs::read_dir(folder.path().join("storage")).unwrap();
    let names: Vec<_> = names.map(|name| name.unwrap().file_name()).collect();
    assert_eq!(renamed, names.len());
    assert!(
        names
            .iter()
            .all(|name| name.to_str().unwrap().starts_with('b'))
    );
}

#[test]
fn who_opens_after_a_close_sees_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("close-to-open", folder.path(), 20);
    for (client, (_, events)) in told.iter().enumerate() {
        let written = of(&told[1 - client].1, "overwrite", "ok");
        for read in of(events, "read", "ok") {
            let before = |event: &&&Value| ns(event, "end_ns") < ns(read, "begin_ns");
            let closed = written
                .iter()
                .filter(before)
                .map(|event| ns(event, "generation"));
            assert!(ns(read, "generation") >= closed.max().unwrap_or(0));
        }
        assert!(of(events, "read", "ok").len() > 5);
        assert!(
            of(events, "read", "missing").is_empty(),
            "made before the start"
        );
    }
}

#[test]
fn a_lock_is_split_and_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("range-locks", folder.path(), 120);
    for (client, (outcome, events)) in told.iter().enumerate() {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        let neighbours = 1 + 3 * (1 - client as u64);
        let knocks = |outcome: &str, page: u64| {
            let locks = of(events, "lock", outcome);
            locks.iter().filter(|lock| lock["first"] == page).count()
        };
        assert!(
            knocks("ok", neighbours + 1) > 5,
            "the middle was given back"
        );
        assert!(knocks("refused", neighbours) > 5);
        assert!(knocks("refused", neighbours + 2) > 5);
    }
    let is_upgrade = |lock: &&&Value| lock["first"] == 0 && lock["mode"] == "write";
    let granted = told.iter().map(|(_, events)| of(events, "lock", "ok"));
    let upgrades: usize = granted
        .map(|locks| locks.iter().filter(is_upgrade).count())
        .sum();
    assert!(upgrades > 2, "only {upgrades} upgrades");
}

#[test]
fn a_full_history_ends_the_consistency_test() {
    let folder = tempfile::tempdir().unwrap();
    let line = json!({
        "protocol": 3, "run_id": "5ea000000000000f", "client": "c", "client_index": 0,
        "clients": 1, "consistency_test": "append", "directory": folder.path(),
        "log": folder.path().join("log"), "arrivals_per_s": 1000.0, "log_bytes_max": 2000,
    });
    let job = Job::from_json(&line.to_string()).unwrap();
    let outcome = Prepared::new(job)
        .unwrap()
        .start(Nanoseconds(0), || {})
        .unwrap()
        .join(None);
    assert!(outcome.complete);
    assert!(outcome.log_error.unwrap().contains("is full"));
}

#[test]
fn a_wrong_job_is_refused() {
    let job = |changes: Value| {
        let mut job = json!({
            "protocol": 3, "run_id": "5ea000000000000f", "client": "c", "client_index": 0,
            "clients": 1, "consistency_test": "append", "directory": "d", "log": "l",
            "arrivals_per_s": 1.0,
        });
        job.as_object_mut()
            .unwrap()
            .extend(changes.as_object().unwrap().clone());
        Job::from_json(&job.to_string()).map_err(|error| error.to_string())
    };
    assert!(job(json!({})).is_ok());
    for (changes, said) in [
        (json!({ "protocol": 1 }), "protocol"),
        (json!({ "consistency_test": "jump" }), "jump"),
        (json!({ "client_index": 1 }), "client_index"),
        (json!({ "arrivals_per_s": 0.0 }), "arrivals_per_s"),
        (json!({ "hold_ms": 20_000 }), "hold_ms"),
        (json!({ "lokcs": 1 }), "lokcs"),
    ] {
        let refused = job(changes).unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
}
