//! The process is killed at random moments, again and again, and the count goes on each time.

use std::process::Stdio;
use std::time::Duration;

use queens::Engine;

use super::{Rng, field, published, queens, run_to};

const N: u32 = 15;
const KILLS: usize = 100;

#[test]
fn a_count_that_is_killed_again_and_again_ends_in_the_exact_total() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("killed.ckpt");
    let mut rng = Rng(5);
    let mut engines = Engine::ALL.into_iter().cycle();
    let mut engine = engines.next().unwrap();
    let (mut kills, mut ends, mut rounds) = (0, 0, 0);
    let mut most_kills_in_one_count = 0;
    let mut kills_in_this_count = 0;
    while kills < KILLS || ends < Engine::ALL.len() {
        rounds += 1;
        assert!(rounds < 100 * KILLS, "{kills} kills and {ends} ends only");
        let kernels: Vec<_> = engine.available_kernels().collect();
        let kernel = kernels[rng.below(kernels.len() as u64) as usize];
        let threads = 1 + rng.below(4);
        let arguments = format!(
            "count {N} --quiet --engine {engine} --kernel {kernel} --threads {threads} \
             --checkpoint killed.ckpt --checkpoint-every 0.005"
        );
        let mut child = queens(&arguments, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(rng.below(80_000)));
        let _ = child.kill(); // it may have ended
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("damaged"), "{stderr}");
        if output.status.code().is_none() {
            kills += 1;
            kills_in_this_count += 1;
            most_kills_in_one_count = most_kills_in_one_count.max(kills_in_this_count);
            continue;
        }
        let total = String::from_utf8(output.stdout).unwrap();
        assert_eq!(total.trim(), published(N), "{arguments}: {stderr}");
        assert_eq!(field(&file, "solutions"), published(N));
        assert_eq!(field(&file, "done"), field(&file, "subproblems"));
        // The finished file gives the total again without counting.
        let arguments = format!("count {N} --quiet --engine {engine} --checkpoint killed.ckpt");
        let (total, _) = run_to(0, &arguments, folder.path());
        assert_eq!(total.trim(), published(N));
        for name in ["killed.ckpt", "killed.ckpt.previous"] {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        ends += 1;
        kills_in_this_count = 0;
        engine = engines.next().unwrap();
    }
    println!("{rounds} rounds, {kills} kills, {ends} counts ended");
    // Else the rounds have tested a start, not going on.
    assert!(most_kills_in_one_count > 1);
}
