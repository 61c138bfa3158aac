//! Self-contained HTML pages with inline styles, scripts and data.

mod tree;

use std::collections::HashMap;
use std::fmt::Debug;

use crate::boards::{definitions, escaped};
use queens::{Board, Placement, Square};

pub use tree::{LARGEST_EXPLORED, omissions, tree_data, tree_html};

/// Side length of a square in SVG units.
const SIDE: u32 = 10;

/// Style of pages.
const STYLE: &str = include_str!("page.css");

/// Builds a page about a board from its body, data and script, with further styles.
fn page(title: &str, [style, body, data, script]: [&str; 4]) -> String {
    format!(
        include_str!("page.html"),
        style = [STYLE, style].concat(),
        definitions = shapes(),
        title = escaped(title),
        body = body,
        // HTML has no escapes inside script elements, so the data must not contain `</script` or
        // `<!--`.
        data = data.replace('<', "\\u003c"),
        board = include_str!("board.js"),
        script = script,
    )
}

/// Returns the SVG definitions of the shapes on boards. The scripts shift the pattern of squares.
#[must_use]
pub fn shapes() -> String {
    definitions(0, SIDE)
}

/// Formats a whole number with thousands separators: 14,772,512.
#[must_use]
pub fn integer(number: u128) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Returns numbers in lists as JSON, where they have the same form as in Rust except for spaces.
fn numbers(lists: &impl Debug) -> String {
    format!("{lists:?}").replace(' ', "")
}

/// Returns a description of a board for the scripts to read, as members of a JSON object.
fn board_data(board: &Board) -> String {
    let index = |square: Square| square.column * board.n() + square.row;
    let queens = numbers(&board.queens().map(index).collect::<Vec<_>>());
    let blocked = numbers(&board.blocked_squares().map(index).collect::<Vec<_>>());
    format!(r#""n":{},"preplaced":{queens},"blocked":{blocked}"#, board.n())
}

/// Returns a page for browsing solutions and their symmetries.
#[must_use]
pub fn solutions_html(solutions: &[Placement], board: &Board, title: &str) -> String {
    let rows: Vec<_> = solutions.iter().map(Placement::rows).collect();
    let (rows, classes) = (numbers(&rows), numbers(&classes(solutions)));
    let data = format!(r#"{{{},"solutions":{rows},"classes":{classes}}}"#, board_data(board));
    let style = include_str!("solutions.css");
    let (body, script) = (include_str!("solutions.html"), include_str!("solutions.js"));
    page(title, [style, body, &data, script])
}

/// Returns a pair for each solution: its class, and the symmetry that maps the first solution of
/// the class to it, as an index into [`Placement::symmetries`]. Classes are numbered from zero, in
/// the order of their first solutions.
fn classes(solutions: &[Placement]) -> Vec<[usize; 2]> {
    let mut classes = HashMap::new();
    let mut class_of = |solution: &Placement| {
        let new = classes.len();
        let class = classes.entry(solution.canonical());
        let (class, images) = class.or_insert_with(|| (new, solution.symmetries()));
        let symmetry = images.iter().position(|image| image == solution);
        [*class, symmetry.expect("images of the same class")]
    };
    solutions.iter().map(&mut class_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacked_squares_are_forbidden_in_a_tree() {
        let board = Board::new(3).unwrap().with_queens(["b2"]).unwrap();
        let data = tree_data(&crate::tree::Tree::new(1), &board);
        assert!(data.contains(r#""forbidden":[0,1,2,3,5,6,7,8]"#), "{data}");
    }

    /// The queen on a4 of four leaves b2, b1, c3, c1, d3 and d2. The search tries b2.
    #[test]
    fn removed_squares_follow_their_cause() {
        let (board, mut tree) = (Board::new(4).unwrap(), crate::tree::Tree::new(100));
        let strategy = crate::Strategy::FIRST_UNBOUND;
        let mut search = crate::Search::new(&board, strategy, crate::Limits::default()).unwrap();
        tree.next_solution(&mut search);
        let data = tree_data(&tree, &board);
        assert!(data.contains(r#"[0,0,"c",[],[[0,4,5,8,10,12,15]],6]"#), "{data}");
        assert!(data.contains(r#"[1,-7,"f","#), "not b2 fails: {data}");
    }

    #[test]
    fn symmetries_map_the_first_solution_of_a_class() {
        let all: Vec<_> = crate::solutions(8).unwrap().collect();
        let classes = classes(&all);
        assert_eq!(classes.iter().map(|&[class, _]| class).max(), Some(11));
        for (solution, &[class, symmetry]) in all.iter().zip(&classes) {
            let first = classes.iter().position(|&[other, _]| other == class);
            assert_eq!(all[first.unwrap()].symmetries()[symmetry], *solution);
        }
    }

    #[test]
    fn data_cannot_end_its_script() {
        let page = page("<b>", ["", "", r#""</script><!--""#, ""]);
        assert!(page.contains(r#""\u003c/script>\u003c!--"#) && page.contains("&lt;b&gt;"));
    }
}
