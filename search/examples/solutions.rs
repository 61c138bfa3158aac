//! Iterates over the solutions for N = 8 that have a queen in a corner: `cargo run --release
//! --example solutions`.

use queens::BoardError;

fn main() -> Result<(), BoardError> {
    let corner = queens_search::solutions(8)?.filter(|solution| {
        let rows = solution.rows();
        [rows[0], rows[7]].iter().any(|row| [0, 7].contains(row))
    });
    for solution in corner.take(3) {
        println!("{:?}", solution.rows());
    }
    let all = queens_search::solutions(8)?.count();
    println!("{all} solutions in all");
    Ok(())
}
