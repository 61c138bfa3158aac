//! Pages to look at in a browser. Each is one file that needs nothing else: its style, its scripts and what they show
//! are inside.

mod tree;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::drawing::escaped;
use super::sheet::definitions;
use queens::{Board, Placement, Square};

pub use tree::{LARGEST_EXPLORED, tree_html};

/// Side of a square on a page, in units that the browser scales.
const SIDE: u32 = 10;

/// A page: the body between the heading and the scripts, and the data for them.
pub(super) fn page(title: &str, n: u32, body: &str, data: &Value, script: &str) -> String {
    // Inside of a script nothing is escaped, and only `</script` and `<!--` mean anything.
    let data = data.to_string().replace('<', "\\u003c");
    // What is not ours, title and data, has no `<`, and so no mark of the template.
    let parts = [
        ("<!--style-->", include_str!("page.css")),
        ("<!--definitions-->", &definitions(n, SIDE)),
        ("<!--body-->", body),
        (
            "<!--script-->",
            &(include_str!("board.js").to_owned() + script),
        ),
        ("<!--title-->", &escaped(title)),
        ("<!--data-->", &data),
    ];
    let page = include_str!("page.html").to_owned();
    parts
        .iter()
        .fold(page, |page, (mark, part)| page.replace(mark, part))
}

/// What a page has to know of a board.
pub(super) fn board_data(board: &Board) -> Value {
    let places = |squares: &mut dyn Iterator<Item = Square>| -> Vec<_> {
        squares.map(|square| (square.column, square.row)).collect()
    };
    json!({
        "n": board.n(),
        "preplaced": places(&mut board.queens()),
        "blocked": places(&mut board.blocked_squares()),
    })
}

/// A page that leafs through solutions and shows which of them are images of one another.
pub(super) fn solutions(solutions: &[Placement], board: &Board, title: &str) -> String {
    let mut data = board_data(board);
    let rows: Vec<_> = solutions.iter().map(Placement::rows).collect();
    data["solutions"] = json!(rows);
    data["classes"] = json!(classes(solutions));
    let (body, script) = (include_str!("solutions.html"), include_str!("solutions.js"));
    page(title, board.n(), body, &data, script)
}

/// For each solution its class, numbered from 0 in the order of their first solutions, and which symmetry takes that
/// first one to it, as in [`Placement::symmetries`].
fn classes(solutions: &[Placement]) -> Vec<(usize, usize)> {
    let mut known = HashMap::new();
    let mut classes = 0;
    let mut class_of = |solution: &Placement| {
        if let Some(&found) = known.get(solution) {
            return found;
        }
        for (symmetry, image) in solution.symmetries().into_iter().enumerate() {
            known.entry(image).or_insert((classes, symmetry));
        }
        classes += 1;
        (classes - 1, 0)
    };
    solutions.iter().map(&mut class_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_of_a_class_are_what_they_are_said_to_be() {
        let all: Vec<_> = queens::solutions(8).unwrap().collect();
        let classes = classes(&all);
        assert_eq!(classes.iter().map(|&(class, _)| class).max(), Some(11));
        for (solution, &(class, symmetry)) in all.iter().zip(&classes) {
            let first = classes.iter().position(|&(other, _)| other == class);
            assert_eq!(all[first.unwrap()].symmetries()[symmetry], *solution);
        }
    }

    #[test]
    fn nothing_ends_the_script_that_holds_the_data() {
        let page = page("<b>", 1, "", &json!("</script><!--"), "");
        assert!(page.contains(r#""\u003c/script>\u003c!--"#) && page.contains("&lt;b&gt;"));
    }
}
