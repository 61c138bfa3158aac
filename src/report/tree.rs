//! Search trees drawn: as SVG, or as a graph for Graphviz.
//!
//! Shapes and colours are those that constraint programmers know: choices are blue circles, failures red squares,
//! solutions green diamonds, folded subtrees red triangles above the number of failures they hide.

use std::fmt::Write as _;
use std::mem::discriminant;

use super::{drawing, human};
use crate::solve::tree::{Kind, Node, Tree};

/// The sentence about what is missing in a drawing; none where nothing is.
fn cut(tree: &Tree) -> Option<String> {
    let drawn = human::integer(tree.nodes().len() as u128);
    let more = human::integer(tree.left_out().into());
    (tree.left_out() > 0).then(|| format!("Cut at {drawn} nodes: {more} more are not drawn."))
}

/// The branch to a node as people read it: the square of its queen, or of the one that was given up.
fn label(node: &Node, n: u32) -> String {
    node.branch
        .map_or_else(|| "root".to_owned(), |branch| branch.name(n))
}

/// A number of failures with room under a triangle: at most five letters.
fn short(failures: u64) -> String {
    match failures {
        0..10_000 => failures.to_string(),
        _ => human::si(failures as f64).replace(' ', ""),
    }
}

/// What a node is in words.
fn words(kind: Kind) -> String {
    match kind {
        Kind::Choice => "choice".to_owned(),
        Kind::Open => "choice, not walked to its end".to_owned(),
        Kind::Failure => "failure".to_owned(),
        Kind::Solution => "solution".to_owned(),
        Kind::Folded { failures } => {
            let plural = if failures == 1 { "" } else { "s" };
            format!(
                "folded: {} failure{plural}",
                human::integer(failures.into())
            )
        }
    }
}

/// A graph in Graphviz's language, for a tree of boards of size `n`.
///
/// ```
/// use queens::report::tree_dot;
/// use queens::solve::tree::Tree;
/// assert!(tree_dot(&Tree::new(100), 4, "nothing").starts_with("digraph"));
/// ```
#[must_use]
pub fn tree_dot(tree: &Tree, n: u32, title: &str) -> String {
    let mut title = title.replace('\\', "\\\\").replace('"', "\\\"");
    if let Some(cut) = cut(tree) {
        title = format!("{title}\\n{cut}");
    }
    let mut dot = format!(
        r#"digraph search {{
  label="{title}"; labelloc=t; fontname="sans-serif";
  node [style=filled, fixedsize=true, width=0.25, height=0.25, label="", fontsize=8];
  edge [arrowhead=none, fontsize=8];
"#
    );
    for (i, node) in tree.nodes().iter().enumerate() {
        let style = match node.kind {
            Kind::Choice => r##"shape=circle, fillcolor="#4f83cc""##.to_owned(),
            Kind::Open => r##"shape=circle, fillcolor=white, color="#4f83cc""##.to_owned(),
            Kind::Failure => r##"shape=square, fillcolor="#d1495b""##.to_owned(),
            Kind::Solution => r##"shape=diamond, fillcolor="#3a9d5d""##.to_owned(),
            Kind::Folded { failures } => {
                let hidden = short(failures);
                format!(r##"shape=triangle, fillcolor="#d1495b", xlabel="{hidden}""##)
            }
        };
        let _ = writeln!(dot, r#"  n{i} [{style}, tooltip="{}"];"#, words(node.kind));
        if let Some(parent) = node.parent {
            let label = label(node, n);
            let _ = writeln!(dot, r#"  n{parent} -> n{i} [label="{label}"];"#);
        }
    }
    dot.push_str("}\n");
    dot
}

/// Distance of two leaves, and of two levels.
const STEP_X: f64 = 22.0;
const STEP_Y: f64 = 40.0;
const MARGIN: f64 = 24.0;
const HEADER: f64 = 72.0;
const NARROWEST: f64 = 600.0;
/// Ample room for a letter of the title.
const LETTER: f64 = 7.5;

/// A drawing with the root at the top and branches from left to right as they were walked, for a tree of boards of size
/// `n`.
#[must_use]
pub fn tree_svg(tree: &Tree, n: u32, title: &str) -> String {
    let nodes = tree.nodes();
    let places = layout(nodes);
    let far = |pick: fn(&(f64, f64)) -> f64| places.iter().map(pick).fold(0.0, f64::max);
    let tree_width = far(|place| place.0) + 2.0 * MARGIN;
    let title_width = title.chars().count() as f64 * LETTER + 2.0 * MARGIN;
    let width = tree_width.max(NARROWEST).max(title_width);
    let height = HEADER + far(|place| place.1) + 2.0 * MARGIN;
    let shift = MARGIN + (width - tree_width) / 2.0;
    let at = |i: usize| (places[i].0 + shift, places[i].1 + HEADER + MARGIN);

    let mut svg = drawing::begin(width, height, r#" font-family="sans-serif""#, title);
    drawing::ground(&mut svg, width, height);
    text(&mut svg, (MARGIN, 22.0), 14, "start", title);
    legend(&mut svg, nodes);
    if let Some(cut) = cut(tree) {
        text(&mut svg, (MARGIN, 64.0), 12, "start", &cut);
    }
    svg.push_str(r##"<path fill="none" stroke="#8a8f98" d=""##);
    for (i, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            let ((x0, y0), (x1, y1)) = (at(parent), at(i));
            let _ = write!(svg, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
        }
    }
    svg.push_str("\"/>\n");
    for (i, node) in nodes.iter().enumerate() {
        let (label, words, shape) = (label(node, n), words(node.kind), shape(node.kind, at(i)));
        let _ = writeln!(svg, "<g><title>{label}: {words}</title>{shape}</g>");
        if let Kind::Folded { failures } = node.kind {
            let (x, y) = at(i);
            text(&mut svg, (x, y + 18.5), 7, "middle", &short(failures));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Leaves side by side, every other node above the middle of its branches. Nodes come after the one above them, and each
/// branch as a whole before the next.
fn layout(nodes: &[Node]) -> Vec<(f64, f64)> {
    let mut places: Vec<(f64, f64)> = Vec::with_capacity(nodes.len());
    let mut leaves = 0;
    for (i, node) in nodes.iter().enumerate() {
        let y = node.parent.map_or(0.0, |parent| places[parent].1 + STEP_Y);
        places.push((f64::from(leaves) * STEP_X, y));
        let is_leaf = nodes.get(i + 1).is_none_or(|next| next.parent != Some(i));
        leaves += i32::from(is_leaf);
    }
    // From right to left: the first and the last branch of each node.
    let mut ends: Vec<Option<(f64, f64)>> = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        if let Some((left, right)) = ends[i] {
            places[i].0 = f64::midpoint(left, right);
        }
        if let Some(parent) = node.parent {
            let x = places[i].0;
            let right = ends[parent].map_or(x, |(_, right)| right);
            ends[parent] = Some((x, right));
        }
    }
    places
}

/// The shape of a node around a point.
fn shape(kind: Kind, (x, y): (f64, f64)) -> String {
    match kind {
        Kind::Choice => {
            format!(r##"<circle cx="{x:.1}" cy="{y:.1}" r="6" fill="#4f83cc" stroke="#27496d"/>"##)
        }
        Kind::Open => format!(
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="6" fill="#ffffff" stroke="#4f83cc" stroke-dasharray="3 2"/>"##
        ),
        Kind::Failure => format!(
            r##"<rect x="{:.1}" y="{:.1}" width="10" height="10" fill="#d1495b" stroke="#7a1f2b"/>"##,
            x - 5.0,
            y - 5.0
        ),
        Kind::Solution => format!(
            r##"<path d="M{x:.1} {:.1}l8 8l-8 8l-8 -8z" fill="#3a9d5d" stroke="#1d5a34"/>"##,
            y - 8.0
        ),
        Kind::Folded { .. } => format!(
            r##"<path d="M{x:.1} {:.1}l9 16h-18z" fill="#d1495b" stroke="#7a1f2b"/>"##,
            y - 6.0
        ),
    }
}

/// One of each shape, with what it stands for and how many there are.
fn legend(svg: &mut String, nodes: &[Node]) {
    let kinds = [
        (Kind::Choice, "choices"),
        (Kind::Failure, "failures"),
        (Kind::Folded { failures: 0 }, "folded subtrees"),
        (Kind::Solution, "solutions"),
        (Kind::Open, "unfinished"),
    ];
    let mut x = MARGIN + 8.0;
    for (kind, what) in kinds {
        let is_such = |node: &&Node| discriminant(&node.kind) == discriminant(&kind);
        let number = nodes.iter().filter(is_such).count();
        let words = format!("{what}: {}", human::integer(number as u128));
        let _ = writeln!(svg, "{}", shape(kind, (x, 42.0)));
        text(svg, (x + 12.0, 46.0), 11, "start", &words);
        x += 30.0 + 6.2 * words.len() as f64;
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), size: u32, anchor: &str, text: &str) {
    let attributes =
        format_args!(r#"x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}""#);
    drawing::text(svg, attributes, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Strategy;
    use crate::solve::tree::tests::{search, whole};

    fn walked(n: u32, most: usize) -> Tree {
        whole(&mut search(n, Strategy::Backtrack), most)
    }

    #[test]
    fn every_node_and_branch_is_drawn() {
        let tree = walked(6, usize::MAX);
        let is_solution = |node: &&Node| node.kind == Kind::Solution;
        let solutions = tree.nodes().iter().filter(is_solution).count();
        let svg = tree_svg(&tree, 6, "title");
        assert_eq!(svg.matches("<g>").count(), tree.nodes().len());
        assert_eq!(svg.matches(": solution<").count(), solutions);
        assert!(!svg.contains("Cut"));
        let dot = tree_dot(&tree, 6, "\"title\"");
        assert_eq!(dot.matches(" -> ").count(), tree.nodes().len() - 1);
        assert_eq!(dot.matches("diamond").count(), solutions);
        assert!(dot.contains("label=\"a6\"") && dot.contains(r#"label="\"title\"""#));
    }

    #[test]
    fn a_cut_is_stated() {
        let tree = walked(6, 20);
        let more = tree.left_out();
        let sentence = format!("Cut at 20 nodes: {more} more are not drawn.");
        for drawing in [tree_svg(&tree, 6, "title"), tree_dot(&tree, 6, "title")] {
            assert!(drawing.contains(&sentence), "{sentence}");
        }
    }

    #[test]
    fn no_two_nodes_of_a_level_overlap() {
        let mut places = layout(walked(7, usize::MAX).nodes());
        places.sort_by(|a, b| (a.1, a.0).partial_cmp(&(b.1, b.0)).unwrap());
        let apart = |pair: &[(f64, f64)]| pair[0].1 < pair[1].1 || pair[1].0 - pair[0].0 >= STEP_X;
        assert!(places.windows(2).all(apart));
    }
}
