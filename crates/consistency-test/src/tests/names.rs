//! Names that clients make, link and remove.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::json;

use super::{consistency_test, of};

/// The final links, by name.
fn links_in(folder: &Path) -> BTreeMap<String, u64> {
    let names = fs::read_dir(folder.join("storage")).unwrap();
    names
        .map(|name| {
            let name = name.unwrap();
            let links = name.metadata().unwrap().nlink();
            (name.file_name().into_string().unwrap(), links)
        })
        .collect()
}

#[test]
fn a_link_is_won_once_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("hard-links", folder.path(), 80);
    let links = links_in(folder.path());
    let mut winners: BTreeMap<&str, u32> = BTreeMap::new();
    for (outcome, events) in &told {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        for (link, count) in events
            .iter()
            .filter(|event| event["op"] == "link")
            .zip(of(events, "links", "ok"))
        {
            assert_eq!(link["item"], count["item"]);
            let is_winner = link["outcome"] == "won";
            assert_eq!(json!(if is_winner { 2 } else { 1 }), count["links"]);
            *winners.entry(link["name"].as_str().unwrap()).or_default() += u32::from(is_winner);
        }
    }
    assert!(winners.len() > 10);
    assert!(winners.values().all(|&won| won == 1), "{winners:?}");
    assert!(winners.keys().all(|&name| links.contains_key(name)));
}

#[test]
fn what_one_client_asks_for_once_is_done_once() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("retried", folder.path(), 60);
    for (outcome, events) in &told {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        let asked = events.iter().filter(|event| event["op"] != "end");
        assert!(asked.clone().count() >= 60);
        assert!(asked.into_iter().all(|event| event["outcome"] == "ok"));
        for op in ["mkdir", "rename", "rmdir", "create", "unlink"] {
            assert!(!of(events, op, "ok").is_empty(), "{op}");
        }
    }
}

#[test]
fn what_was_synced_is_there_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("synced-names", folder.path(), 20);
    let published: usize = told
        .iter()
        .map(|(_, events)| of(events, "publish", "ok").len())
        .sum();
    let links = links_in(folder.path());
    assert!(published >= 40);
    assert_eq!(published, links.len());
    assert!(links.keys().all(|name| name.starts_with('s')));
}

#[test]
fn a_file_without_a_name_gets_one_or_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let told = consistency_test("tmpfile", folder.path(), 30);
    let links = links_in(folder.path());
    let published: usize = told
        .iter()
        .map(|(_, events)| of(events, "publish", "ok").len())
        .sum();
    assert_eq!(published, links.len());
    assert!(links.values().all(|&links| links == 1), "{links:?}");
    for (outcome, events) in &told {
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        // Not every file system has such files, and this may be one that has none.
        let is_supported = of(events, "publish", "unsupported").is_empty();
        assert_eq!(is_supported, !of(events, "drop", "ok").is_empty());
    }
}
