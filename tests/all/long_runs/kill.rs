//! The process is killed at random moments, again and again, and the count goes on each time.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use fastrand::Rng;
use queens::Engine;

use super::{field, published, queens, run_to};

const N: u32 = 16;
const KILLS: usize = 24;

#[test]
fn a_count_that_is_killed_again_and_again_ends_in_the_exact_total() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Rng::with_seed(5);
    let engines = [Engine::Bitboard, Engine::Join];
    for engine in engines {
        let mut kills_left = KILLS.div_ceil(engines.len());
        let mut most_in_one_count = 0;
        while kills_left > 0 {
            let kills = count_under_fire(engine, kills_left, &mut rng, folder.path());
            most_in_one_count = most_in_one_count.max(kills);
            kills_left -= kills;
        }
        // Else it was a start that was tested, and not going on.
        assert!(most_in_one_count > 1, "engine {engine}");
    }
}

/// Counts in one file, killed and started again at most so many times: how many it was.
fn count_under_fire(engine: Engine, most: usize, rng: &mut Rng, folder: &Path) -> usize {
    let file = folder.join("killed.ckpt");
    let kernels: Vec<_> = engine.available_kernels().collect();
    let mut kills = 0;
    loop {
        let kernel = rng.choice(&kernels).unwrap();
        let threads = rng.u32(1..=4);
        let arguments = format!(
            "count {N} --quiet --engine {engine} --kernel {kernel} --threads {threads} \
             --checkpoint killed.ckpt --checkpoint-every 0.005"
        );
        let mut child = queens(&arguments, folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if kills < most {
            std::thread::sleep(Duration::from_micros(rng.u64(..80_000)));
            let _ = child.kill(); // it may have ended
        }
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("damaged"), "{stderr}");
        if output.status.code().is_none() {
            kills += 1;
            continue;
        }
        let total = String::from_utf8(output.stdout).unwrap();
        assert_eq!(total.trim(), published(N), "{arguments}: {stderr}");
        assert_eq!(field(&file, "solutions"), published(N));
        assert_eq!(field(&file, "done"), field(&file, "subproblems"));
        // The finished file gives the total again without counting.
        let arguments = format!("count {N} --quiet --engine {engine} --checkpoint killed.ckpt");
        let (total, _) = run_to(0, &arguments, folder);
        assert_eq!(total.trim(), published(N));
        for name in ["killed.ckpt", "killed.ckpt.previous"] {
            let _ = std::fs::remove_file(folder.join(name));
        }
        println!("engine {engine}: exact after {kills} kills");
        return kills;
    }
}
