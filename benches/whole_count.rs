//! Prints the time of a whole count on one thread, including planning and verification, with every
//! engine and kernel that this CPU can run: `cargo bench -p queens-benches --bench whole_count`.
//! Configurations are measured in turns, and the fastest of their runs counts.

use std::time::{Duration, Instant};

use queens::{Board, Counter, Engine, Kernel};

/// Number of turns.
const TURNS: usize = 7;
/// Minimum duration of a measurement, which repeats small counts.
const LEAST: Duration = Duration::from_millis(2);
/// Configurations that took longer than this for N are left out for larger boards.
const MOST: Duration = Duration::from_millis(200);

/// Returns the mean duration of a count, repeated until a measurement takes at least [`LEAST`].
fn time(n: u32, (engine, kernel): (Option<Engine>, Option<Kernel>)) -> Duration {
    // Reading the clock can take longer than counting a small board.
    for repeats in (0..).map(|doublings| 1 << doublings) {
        let started = Instant::now();
        for _ in 0..repeats {
            let mut counter = Counter::new(n).unwrap().threads(1);
            if let Some(engine) = engine {
                counter = counter.engine(engine);
            }
            if let Some(kernel) = kernel {
                counter = counter.kernel(kernel);
            }
            counter.run().unwrap();
        }
        let elapsed = started.elapsed();
        if elapsed >= LEAST {
            return elapsed / repeats;
        }
    }
    unreachable!("a measurement ends")
}

fn main() {
    let kernels = |engine: Engine| engine.available_kernels().map(move |kernel| (engine, kernel));
    let engines = [Engine::Bitboard, Engine::Join];
    let mut choices = vec![(None, None)];
    choices.extend(engines.into_iter().flat_map(kernels).map(|(e, k)| (Some(e), Some(k))));
    print!("| N | auto");
    for (engine, kernel) in choices.iter().filter_map(|&(engine, kernel)| engine.zip(kernel)) {
        print!(" | {engine} {kernel}");
    }
    println!(" | auto : fastest |\n|{}", " ---: |".repeat(choices.len() + 2));
    let mut is_slow = vec![false; choices.len()];
    for n in 1..=18 {
        let engines: Vec<_> = Engine::all_for(&Board::new(n).unwrap()).collect();
        let mut fastest = vec![None; choices.len()];
        for _ in 0..TURNS {
            for (i, &choice) in choices.iter().enumerate() {
                if !is_slow[i] && choice.0.is_none_or(|engine| engines.contains(&engine)) {
                    let time = time(n, choice);
                    fastest[i] = Some(fastest[i].map_or(time, |best: Duration| best.min(time)));
                }
            }
        }
        print!("| {n}");
        for (time, is_slow) in fastest.iter().zip(&mut is_slow).skip(1) {
            *is_slow |= time.is_some_and(|time| time > MOST);
        }
        for time in &fastest {
            let text = time.map(|time| format!("{:.1}", time.as_secs_f64() * 1e6));
            print!(" | {}", text.unwrap_or_default());
        }
        let best = fastest[1..].iter().flatten().min().unwrap();
        println!(" | {:.2} |", fastest[0].unwrap().as_secs_f64() / best.as_secs_f64());
    }
}
