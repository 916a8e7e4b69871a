//! Each way in which a place can be right or wrong is planted and judged.

mod common;

use common::{RECORD_BYTES, RECORDS, Scene, Story, stamp};
use seatrial_log::{Operation, Outcome};
use serde_json::json;

/// A file with the first eight transfers written and synced.
fn half_synced() -> Scene {
    let mut scene = Scene::new();
    scene.add(
        Story::write(0, 1, 0)
            .wrote(0..8, Outcome::Ok)
            .synced()
            .closed(),
    );
    (0..8).for_each(|record| scene.put(0, 1, record));
    scene
}

const ZEROS: [u8; 4096] = [0; 4096];

#[test]
fn what_was_synced_must_be_there() {
    let scene = half_synced();
    let report = scene.report();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(
        (1, 16, 16, 0),
        (report.files, report.blocks, report.must, report.may)
    );
    scene.put_bytes(3 * RECORD_BYTES, &ZEROS);
    assert_eq!(vec![("zero", "must", 3, 4096)], scene.damage());
    let report = scene.report();
    assert_eq!((1, 0), (report.lost, report.wrong));
    assert_eq!(
        "must hold generation 1 of client 0 task 0",
        report.extents[0].detail
    );
}

#[test]
fn a_file_that_ends_early_or_is_gone_has_lost_what_was_synced() {
    let scene = half_synced();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(scene.path("a"))
        .unwrap();
    file.set_len(6 * RECORD_BYTES + 100).unwrap();
    assert_eq!(
        vec![("missing", "must", 6, 2 * RECORD_BYTES - 100)],
        scene.damage()
    );
    std::fs::remove_file(scene.path("a")).unwrap();
    assert_eq!(
        vec![("missing", "must", 0, 8 * RECORD_BYTES)],
        scene.damage()
    );
}

#[test]
fn neighbours_are_one_extent() {
    let scene = half_synced();
    (2..7).for_each(|record| scene.put_bytes(record * RECORD_BYTES, &[0; 8192]));
    assert_eq!(vec![("zero", "must", 2, 5 * RECORD_BYTES)], scene.damage());
}

#[test]
fn what_nobody_wrote_must_not_be_there() {
    let scene = half_synced();
    scene.put(0, 1, 12);
    assert_eq!(
        vec![("unwritten", "must-not", 12, RECORD_BYTES)],
        scene.damage()
    );
    let report = scene.report();
    assert_eq!((0, 2), (report.lost, report.wrong));
    scene.put_bytes(12 * RECORD_BYTES, &[7; 8192]);
    assert_eq!(
        vec![("corrupt", "must-not", 12, RECORD_BYTES)],
        scene.damage()
    );
    scene.put_bytes(12 * RECORD_BYTES, &[0; 8192]);
    scene.assert_clean("zeros are nothing");
}

#[test]
fn what_was_not_synced_may_be_lost_and_be_nothing_else() {
    let mut scene = Scene::new();
    scene.add(Story::write(0, 1, 0).wrote(0..8, Outcome::Ok).closed());
    scene.assert_clean("all of it is lost");
    scene.put(0, 1, 0);
    scene.put(0, 1, 5);
    scene.assert_clean("a part of it is there");
    assert_eq!((0, 16), (scene.report().must, scene.report().may));
    scene.put(1, 1, 6);
    assert_eq!(vec![("misplaced", "may", 6, RECORD_BYTES)], scene.damage());
    scene.options.acknowledged_is_durable = true;
    scene.put(0, 1, 6);
    assert_eq!(
        vec![
            ("zero", "must", 1, 4 * RECORD_BYTES),
            ("missing", "must", 7, RECORD_BYTES)
        ],
        scene.damage()
    );
}

#[test]
fn a_write_that_is_durable_by_itself_must_be_there() {
    let mut scene = Scene::new();
    scene.add(
        Story::write(0, 1, 0)
            .wrote(0..2, Outcome::Ok)
            .with("o_sync", json!(true)),
    );
    scene.put(0, 1, 0);
    assert_eq!(vec![("missing", "must", 1, RECORD_BYTES)], scene.damage());
}

#[test]
fn a_write_without_an_answer_may_have_happened() {
    for outcome in [Outcome::Unknown, Outcome::Fail] {
        let mut scene = half_synced();
        scene.add(Story::write(0, 2, 100).wrote([3], outcome).closed());
        scene.assert_clean("it did not happen");
        scene.put(0, 2, 3);
        scene.assert_clean("it did");
        scene.put(0, 1, 3);
        let mut half = vec![0; RECORD_BYTES as usize];
        stamp(0, 2).fill(3 * RECORD_BYTES, &mut half);
        scene.put_bytes(3 * RECORD_BYTES, &half[..4096]);
        scene.assert_clean("one block of two");
        scene.put_bytes(3 * RECORD_BYTES + 4096, &half[4096..4096 + 1536]);
        scene.assert_clean("torn between two sectors");
        scene.put_bytes(3 * RECORD_BYTES + 4096, &half[4096..4096 + 1700]);
        assert_eq!(vec![("torn", "must", 3, 4096)], scene.damage());
        scene.put_bytes(3 * RECORD_BYTES, &[0; 8192]);
        assert_eq!(vec![("zero", "must", 3, RECORD_BYTES)], scene.damage());
    }
}

#[test]
fn an_fsync_after_an_error_promises_nothing_about_what_was_before() {
    let mut scene = Scene::new();
    let story = Story::write(0, 1, 0).wrote(0..2, Outcome::Ok);
    scene.add(
        story
            .wrote([2], Outcome::Unknown)
            .wrote([3], Outcome::Ok)
            .synced(),
    );
    scene.put(0, 1, 3);
    scene.assert_clean("the first three are lost");
    scene.put_bytes(3 * RECORD_BYTES, &ZEROS);
    assert_eq!(vec![("zero", "must", 3, 4096)], scene.damage());
}

#[test]
fn a_generation_before_a_synced_one_is_stale() {
    let mut scene = half_synced();
    scene.add(
        Story::write(0, 2, 100)
            .wrote(0..8, Outcome::Ok)
            .synced()
            .closed(),
    );
    (0..8).for_each(|record| scene.put(0, 2, record));
    scene.assert_clean("all new");
    scene.put(0, 1, 4);
    assert_eq!(vec![("stale", "must", 4, RECORD_BYTES)], scene.damage());
    scene.put(0, 3, 4);
    assert_eq!(vec![("stale", "must", 4, RECORD_BYTES)], scene.damage());
    let ahead = "generation 3, expected 2: 1 ahead; must hold generation 2 of client 0 task 0";
    assert_eq!(ahead, scene.report().extents[0].detail);
}

#[test]
fn of_two_clients_the_later_wins_when_the_clocks_prove_it() {
    let mut scene = half_synced();
    scene.add(
        Story::write(1, 2, 10)
            .wrote(0..8, Outcome::Ok)
            .synced()
            .closed(),
    );
    (0..8).for_each(|record| scene.put(1, 2, record));
    scene.options.clock_error_ns = 1_000_000_000;
    scene.assert_clean("all new");
    scene.put(0, 1, 4);
    assert_eq!(vec![("stale", "must", 4, RECORD_BYTES)], scene.damage());
    scene.options.clock_error_ns = 10_000_000_000;
    scene.assert_clean("either may be the later");
    scene.put_bytes(4 * RECORD_BYTES, &[0; 8192]);
    assert_eq!(vec![("zero", "must", 4, RECORD_BYTES)], scene.damage());
}

#[test]
fn what_waits_in_the_cache_of_one_client_may_come_after_what_another_synced() {
    let mut scene = Scene::new();
    scene.add(Story::write(0, 1, 0).wrote(0..8, Outcome::Ok));
    scene.add(
        Story::write(1, 2, 100)
            .wrote(0..8, Outcome::Ok)
            .synced()
            .closed(),
    );
    (0..8).for_each(|record| scene.put(1, 2, record));
    scene.put(0, 1, 4);
    scene.assert_clean("written back late");
    let mut scene = Scene::new();
    scene.add(Story::write(0, 1, 0).wrote(0..8, Outcome::Ok).closed());
    scene.add(
        Story::write(1, 2, 100)
            .wrote(0..8, Outcome::Ok)
            .synced()
            .closed(),
    );
    (0..8).for_each(|record| scene.put(1, 2, record));
    scene.put(0, 1, 4);
    assert_eq!(vec![("stale", "must", 4, RECORD_BYTES)], scene.damage());
}

#[test]
fn two_clients_share_a_file_that_both_have_emptied() {
    let mut scene = Scene::new();
    let share = |client: u16| {
        let layout = json!({ "n-1-interleaved": {
            "first_rank": client, "ranks": 2, "chunk_bytes": RECORD_BYTES,
        } });
        let records = (0..RECORDS).filter(|record| record % 2 == u64::from(client));
        let story = Story::write(client, 1, 0).wrote(records, Outcome::Ok);
        story.synced().closed().with("layout", layout)
    };
    scene.add(share(0));
    scene.add(share(1));
    scene.options.clock_error_ns = 60_000_000_000;
    (0..RECORDS).for_each(|record| scene.put((record % 2) as u16, 1, record));
    let report = scene.report();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((2 * RECORDS, 0), (report.must, report.may));
    scene.put_bytes(5 * RECORD_BYTES, &ZEROS);
    scene.put(1, 1, 6);
    assert_eq!(
        vec![
            ("zero", "must", 5, 4096),
            ("misplaced", "must", 6, RECORD_BYTES)
        ],
        scene.damage()
    );
}

#[test]
fn emptying_a_file_again_allows_zeros_until_something_is_durable() {
    let mut scene = half_synced();
    let emptied = || Story::write(0, 2, 100).did(Operation::Truncate, Outcome::Ok);
    scene.add(emptied().wrote(0..4, Outcome::Ok).closed());
    scene.assert_clean("the old file is back");
    std::fs::write(scene.path("a"), []).unwrap();
    scene.assert_clean("emptied");
    let mut scene = half_synced();
    scene.add(emptied().wrote(0..4, Outcome::Ok).synced().closed());
    (0..4).for_each(|record| scene.put(0, 2, record));
    let expected = vec![("stale", "must-not", 4, 4 * RECORD_BYTES)];
    assert_eq!(expected, scene.damage(), "what was cut off is back");
    (4..8).for_each(|record| scene.put_bytes(record * RECORD_BYTES, &[0; 8192]));
    scene.assert_clean("zeros are nothing");
}

#[test]
fn a_cut_log_allows_the_whole_share_of_its_task() {
    let mut scene = Scene::new();
    scene.add(
        Story::write(0, 1, 0)
            .wrote(0..4, Outcome::Ok)
            .synced()
            .cut(),
    );
    (0..4).for_each(|record| scene.put(0, 1, record));
    scene.assert_clean("nothing more was done");
    scene.put(0, 1, 4);
    scene.put(0, 1, 15);
    scene.assert_clean("something was");
    scene.put(1, 1, 6);
    assert_eq!(vec![("misplaced", "may", 6, RECORD_BYTES)], scene.damage());
    scene.put_bytes(6 * RECORD_BYTES, &[0; 8192]);
    scene.put_bytes(2 * RECORD_BYTES, &ZEROS);
    assert_eq!(vec![("zero", "must", 2, 4096)], scene.damage());
}

#[test]
fn a_task_without_any_record_may_have_done_all_and_emptied_the_file() {
    let mut scene = half_synced();
    let story = Story::write(1, 2, 100).with("existing", json!("truncate"));
    scene.add(Story::of_job(story.job, 100).cut());
    scene.assert_clean("nothing");
    (4..12).for_each(|record| scene.put(1, 2, record));
    scene.assert_clean("some");
    std::fs::write(scene.path("a"), []).unwrap();
    scene.assert_clean("emptied");
}

#[test]
fn a_generation_without_a_log_is_allowed_where_nothing_durable_is() {
    let mut scene = Scene::new();
    (0..8).for_each(|record| scene.put(0, 1, record));
    scene.add(Story::write(0, 2, 100).wrote(0..4, Outcome::Ok).closed());
    scene.assert_clean("nothing of the second is there");
    scene.put(0, 3, 2);
    assert_eq!(vec![("stale", "may", 2, RECORD_BYTES)], scene.damage());
    let mut scene = Scene::new();
    (0..8).for_each(|record| scene.put(0, 1, record));
    scene.add(
        Story::write(0, 2, 100)
            .wrote(0..4, Outcome::Ok)
            .synced()
            .closed(),
    );
    assert_eq!(vec![("stale", "must", 0, 4 * RECORD_BYTES)], scene.damage());
}

#[test]
fn smaller_blocks_may_have_replaced_a_part_of_a_larger_one() {
    let mut scene = half_synced();
    let story = Story::write(0, 2, 100).with("block_bytes", json!(512));
    scene.add(story.wrote([3], Outcome::Ok).synced().closed());
    let mut bytes = vec![0; RECORD_BYTES as usize];
    let small = seatrial_content::Stamp {
        block_bytes: 512,
        ..stamp(0, 2)
    };
    small.fill(3 * RECORD_BYTES, &mut bytes);
    scene.put_bytes(3 * RECORD_BYTES, &bytes);
    let report = scene.report();
    assert!(report.is_clean(), "{report:?}");
    scene.put_bytes(3 * RECORD_BYTES + 512, &ZEROS[..512]);
    assert_eq!(vec![("zero", "must", 3, 512)], scene.damage());
}

#[test]
fn what_was_under_way_at_once_has_no_order() {
    let scene = |queue_depth: u16| {
        let mut scene = Scene::new();
        let first = Story::write(0, 1, 0).wrote([3], Outcome::Ok);
        scene.add(first.synced().closed());
        let second = Story::write(0, 2, 0).wrote((4..12).chain([3]), Outcome::Ok);
        scene.add(
            second
                .synced()
                .closed()
                .with("queue_depth", json!(queue_depth)),
        );
        (4..12).for_each(|record| scene.put(0, 2, record));
        scene.put(0, 1, 3);
        scene
    };
    assert_eq!(vec![("stale", "must", 3, RECORD_BYTES)], scene(1).damage());
    scene(16).assert_clean("the write may have begun before the first one ended");
}

/// A job that writes all its transfers again and again, each time as another generation.
fn in_passes(story: Story) -> Story {
    let story = story.with("time_based", json!(true));
    story.with("time_limit_s", json!(1.0))
}

#[test]
fn of_several_passes_the_last_must_be_there() {
    let mut scene = Scene::new();
    let story = Story::write(0, 1, 0)
        .wrote(0..4, Outcome::Ok)
        .with("generation", json!(2))
        .wrote(0..3, Outcome::Ok)
        .synced()
        .closed()
        .with("generation", json!(1));
    scene.add(in_passes(story));
    (0..3).for_each(|record| scene.put(0, 2, record));
    scene.put(0, 1, 3);
    scene.assert_clean("three records were written twice");
    for lost_or_invented in [1, 3] {
        scene.put(0, lost_or_invented, 1);
        assert_eq!(vec![("stale", "must", 1, RECORD_BYTES)], scene.damage());
    }
}

#[test]
fn a_cut_log_allows_passes_that_it_does_not_mention() {
    for (is_in_passes, found) in [(true, 0), (false, 2)] {
        let mut scene = Scene::new();
        let story = Story::write(0, 1, 0).wrote(0..4, Outcome::Ok).synced();
        let story = if is_in_passes {
            in_passes(story)
        } else {
            story
        };
        scene.add(story.cut());
        for (record, generation) in [1, 1, 2, 700].into_iter().enumerate() {
            scene.put(0, generation, record as u64);
        }
        let blocks: u64 = scene
            .damage()
            .iter()
            .map(|(.., bytes)| bytes / RECORD_BYTES)
            .sum();
        assert_eq!(found, blocks);
        scene.put(1, 1, 0);
        assert_eq!(("misplaced", 0), (scene.damage()[0].0, scene.damage()[0].2));
        scene.put(0, 1 << 17, 0);
        assert_eq!(("stale", 0), (scene.damage()[0].0, scene.damage()[0].2));
    }
}
