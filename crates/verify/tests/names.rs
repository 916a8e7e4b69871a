//! Names that must exist, must not, and may.

mod common;

use std::fs;

use common::{RECORD_BYTES, Scene, Story};
use seatrial_content::{Stamp, file_id};
use seatrial_log::{Operation, Outcome};
use serde_json::json;

/// Class, rule and name of everything that is wrong.
fn findings(scene: &Scene) -> Vec<(&'static str, &'static str, String)> {
    let names = scene.report().names.into_iter();
    names
        .map(|name| (name.class, name.rule.name(), name.file))
        .collect()
}

fn finding(
    class: &'static str,
    rule: &'static str,
    file: &str,
) -> Vec<(&'static str, &'static str, String)> {
    vec![(class, rule, file.to_owned())]
}

/// Two empty files were created.
fn created() -> Scene {
    let mut scene = Scene::new();
    let story = Story::names("create", 0).named(Operation::Create, 0, Outcome::Ok, 0);
    scene.add(story.named(Operation::Create, 1, Outcome::Ok, 0));
    fs::create_dir(scene.path("t")).unwrap();
    touch(&scene, "t/f0.0.0");
    touch(&scene, "t/f0.0.1");
    scene
}

fn touch(scene: &Scene, name: &str) {
    fs::write(scene.path(name), []).unwrap();
}

fn delete(scene: &Scene, name: &str) {
    fs::remove_file(scene.path(name)).unwrap();
}

#[test]
fn what_was_created_must_be_there() {
    let mut scene = created();
    scene.assert_clean("both are there");
    assert_eq!(2, scene.report().names_checked);
    delete(&scene, "t/f0.0.1");
    assert_eq!(finding("missing", "must", "t/f0.0.1"), findings(&scene));
    scene.options.names_need_sync = true;
    scene.assert_clean("it was not synced");
}

#[test]
fn a_created_file_that_was_synced_must_be_there_on_any_file_system() {
    let mut scene = Scene::new();
    let story = Story::names("create", 0).with("fsync", json!("file"));
    scene.add(story.named(Operation::Create, 0, Outcome::Ok, 0));
    scene.options.names_need_sync = true;
    assert_eq!(finding("missing", "must", "t/f0.0.0"), findings(&scene));
}

#[test]
fn what_was_removed_must_not_be_there() {
    let mut scene = created();
    scene.add(Story::names("remove", 100).named(Operation::Remove, 0, Outcome::Ok, 0));
    assert_eq!(finding("present", "must-not", "t/f0.0.0"), findings(&scene));
    delete(&scene, "t/f0.0.0");
    scene.assert_clean("gone");
}

#[test]
fn a_change_without_an_answer_may_have_happened() {
    for (outcome, errno) in [(Outcome::Unknown, 5), (Outcome::Fail, 2)] {
        let mut scene = created();
        scene.add(Story::names("remove", 100).named(Operation::Remove, 0, outcome, errno));
        scene.assert_clean("not removed");
        delete(&scene, "t/f0.0.0");
        scene.assert_clean("removed");
    }
    let mut scene = created();
    scene.add(Story::names("remove", 100).named(Operation::Remove, 0, Outcome::Fail, 13));
    delete(&scene, "t/f0.0.0");
    assert_eq!(finding("missing", "must", "t/f0.0.0"), findings(&scene));
}

#[test]
fn a_renamed_file_is_in_one_place_only() {
    let mut scene = created();
    scene.add(Story::names("rename", 100).named(Operation::Rename, 0, Outcome::Ok, 0));
    assert_eq!(finding("present", "must", "t/f0.0.0"), findings(&scene));
    touch(&scene, "t/r0.0.0");
    assert_eq!(finding("both", "must", "t/f0.0.0"), findings(&scene));
    delete(&scene, "t/f0.0.0");
    scene.assert_clean("renamed");
    delete(&scene, "t/r0.0.0");
    assert_eq!(finding("missing", "must", "t/r0.0.0"), findings(&scene));
}

#[test]
fn a_rename_without_an_answer_loses_no_file() {
    let mut scene = created();
    scene.add(Story::names("rename", 100).named(Operation::Rename, 0, Outcome::Unknown, 5));
    scene.assert_clean("not renamed");
    fs::rename(scene.path("t/f0.0.0"), scene.path("t/r0.0.0")).unwrap();
    scene.assert_clean("renamed");
    delete(&scene, "t/r0.0.0");
    assert_eq!(finding("missing", "must", "t/f0.0.0"), findings(&scene));
}

#[test]
fn a_cut_log_allows_every_name_of_its_task() {
    let mut scene = created();
    scene.add(
        Story::names("remove", 100)
            .named(Operation::Remove, 0, Outcome::Ok, 0)
            .cut(),
    );
    delete(&scene, "t/f0.0.0");
    scene.assert_clean("one removed");
    delete(&scene, "t/f0.0.1");
    scene.assert_clean("both");
    touch(&scene, "t/f0.0.0");
    assert_eq!(finding("present", "must-not", "t/f0.0.0"), findings(&scene));
}

#[test]
fn directories_are_names_as_well() {
    let mut scene = Scene::new();
    scene.add(Story::names("mkdir", 0).named(Operation::Mkdir, 2, Outcome::Ok, 0));
    assert_eq!(finding("missing", "must", "t/m0.0.2"), findings(&scene));
    fs::create_dir_all(scene.path("t/m0.0.2")).unwrap();
    scene.assert_clean("made");
    scene.add(Story::names("rmdir", 100).named(Operation::Rmdir, 2, Outcome::Ok, 0));
    assert_eq!(finding("present", "must-not", "t/m0.0.2"), findings(&scene));
}

#[test]
fn the_content_of_a_created_file_follows_it_to_its_new_name() {
    let mut scene = Scene::new();
    let story = Story::names("create", 0)
        .with("fsync", json!("file"))
        .with("transfer_bytes", json!(RECORD_BYTES))
        .with("file_bytes", json!(2 * RECORD_BYTES));
    scene.add(story.named(Operation::Create, 3, Outcome::Ok, 0));
    scene.add(Story::names("rename", 100).named(Operation::Rename, 3, Outcome::Ok, 0));
    let stamp = Stamp {
        file: file_id("t/f0.0.3"),
        file_bytes: 2 * RECORD_BYTES,
        ..common::stamp(0, 1)
    };
    let mut bytes = vec![0; 2 * RECORD_BYTES as usize];
    stamp.fill(0, &mut bytes);
    fs::create_dir(scene.path("t")).unwrap();
    fs::write(scene.path("t/r0.0.3"), &bytes).unwrap();
    scene.assert_clean("as written");
    bytes[5000] ^= 1;
    fs::write(scene.path("t/r0.0.3"), &bytes).unwrap();
    let report = scene.report();
    assert_eq!((1, "corrupt"), (report.lost, report.extents[0].class));
    assert_eq!("t/r0.0.3", report.extents[0].file);
}

#[test]
fn an_empty_file_holds_nothing() {
    let scene = created();
    fs::write(scene.path("t/f0.0.0"), "x").unwrap();
    let report = scene.report();
    assert_eq!((0, 1), (report.lost, report.wrong));
}
