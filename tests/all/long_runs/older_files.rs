//! Files that version 0.1.0 wrote are still read.

use std::path::Path;

use super::run_to;

#[test]
fn a_checkpoint_and_a_folder_of_shards_of_an_older_version_open() {
    let saved = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/saved");
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(saved.join("eight.ckpt"), folder.path().join("eight.ckpt")).unwrap();
    let arguments = "count 8 --engine bitboard --checkpoint eight.ckpt";
    let (text, stderr) = run_to(0, arguments, folder.path());
    assert!(text.contains("earlier runs"), "{text}");
    assert_eq!(stderr, "");

    let (total, _) = run_to(0, "merge shards --quiet", &saved);
    assert_eq!(total.trim(), "92");
    let (text, _) = run_to(0, "shard shards 1", &saved);
    assert!(text.contains("there already"), "{text}");
}
