//! Search trees drawn: as SVG, or as a graph for Graphviz.
//!
//! Shapes and colours are those that constraint programmers know: choices are blue circles, failures red squares,
//! solutions green diamonds, folded subtrees red triangles above the number of failures they hide.

use std::fmt::Write as _;

use super::drawing::{INK, shown_size};
use super::human;
use crate::solve::tree::{Kind, Node};

/// What a drawing of a tree says in words.
#[derive(Debug, Clone)]
pub struct Caption {
    /// Board size N, for the names of squares.
    pub n: u32,
    /// What was searched, how, and how far.
    pub title: String,
    /// Nodes that were walked but are not in the drawing.
    pub left_out: u64,
}

impl Caption {
    /// The sentence about what is missing in a drawing of so many nodes; none where nothing is.
    fn cut(&self, drawn: usize) -> Option<String> {
        let (drawn, left_out) = (drawn as u128, self.left_out.into());
        let (drawn, more) = (human::integer(drawn), human::integer(left_out));
        (left_out > 0).then(|| format!("Cut at {drawn} nodes: {more} more are not drawn."))
    }
}

/// The branch to a node as people read it: the square of its queen.
fn label(node: &Node, n: u32) -> String {
    node.queen
        .map_or_else(|| "root".to_owned(), |queen| queen.name(n))
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

/// A graph in Graphviz's language.
///
/// ```
/// use queens::report::{tree_dot, Caption};
/// let caption = Caption { n: 4, title: "nothing".into(), left_out: 0 };
/// assert!(tree_dot(&[], &caption).starts_with("digraph"));
/// ```
#[must_use]
pub fn tree_dot(nodes: &[Node], caption: &Caption) -> String {
    let mut title = caption.title.clone();
    if let Some(cut) = caption.cut(nodes.len()) {
        title = format!("{title}\\n{cut}");
    }
    let mut dot = format!(
        "digraph search {{\n  label=\"{title}\"; labelloc=t; fontname=\"sans-serif\";\n  \
         node [style=filled, fixedsize=true, width=0.25, height=0.25, label=\"\", fontsize=8];\n  \
         edge [arrowhead=none, fontsize=8];\n"
    );
    for (i, node) in nodes.iter().enumerate() {
        let style = match node.kind {
            Kind::Choice => "shape=circle, fillcolor=\"#4f83cc\"".to_owned(),
            Kind::Open => "shape=circle, fillcolor=white, color=\"#4f83cc\"".to_owned(),
            Kind::Failure => "shape=square, fillcolor=\"#d1495b\"".to_owned(),
            Kind::Solution => "shape=diamond, fillcolor=\"#3a9d5d\"".to_owned(),
            Kind::Folded { failures } => format!(
                "shape=triangle, fillcolor=\"#d1495b\", xlabel=\"{}\"",
                short(failures)
            ),
        };
        let _ = writeln!(dot, "  n{i} [{style}, tooltip=\"{}\"];", words(node.kind));
        if let Some(parent) = node.parent {
            let label = label(node, caption.n);
            let _ = writeln!(dot, "  n{parent} -> n{i} [label=\"{label}\"];");
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

/// A drawing with the root at the top and branches from left to right as they were walked.
#[must_use]
pub fn tree_svg(nodes: &[Node], caption: &Caption) -> String {
    let places = layout(nodes);
    let far = |pick: fn(&(f64, f64)) -> f64| places.iter().map(pick).fold(0.0, f64::max);
    let tree_width = far(|place| place.0) + 2.0 * MARGIN;
    let title_width = caption.title.chars().count() as f64 * LETTER + 2.0 * MARGIN;
    let width = tree_width.max(NARROWEST).max(title_width);
    let height = HEADER + far(|place| place.1) + 2.0 * MARGIN;
    let shift = MARGIN + (width - tree_width) / 2.0;
    let at = |i: usize| (places[i].0 + shift, places[i].1 + HEADER + MARGIN);

    let title = &caption.title;
    let (shown_width, shown_height) = shown_size(width, height);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown_width}\" height=\"{shown_height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut svg, (MARGIN, 22.0), 14, "start", title);
    legend(&mut svg, nodes);
    if let Some(cut) = caption.cut(nodes.len()) {
        text(&mut svg, (MARGIN, 64.0), 12, "start", &cut);
    }
    svg.push_str("<path fill=\"none\" stroke=\"#8a8f98\" d=\"");
    for (i, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            let ((x0, y0), (x1, y1)) = (at(parent), at(i));
            let _ = write!(svg, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
        }
    }
    svg.push_str("\"/>\n");
    for (i, node) in nodes.iter().enumerate() {
        let tip = format!("{}: {}", label(node, caption.n), words(node.kind));
        let _ = writeln!(
            svg,
            "<g><title>{tip}</title>{}</g>",
            shape(node.kind, at(i))
        );
        if let Kind::Folded { failures } = node.kind {
            let (x, y) = at(i);
            let below = (x, y + 18.5);
            text(&mut svg, below, 7, "middle", &short(failures));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Leaves side by side, every other node above the middle of its branches.
fn layout(nodes: &[Node]) -> Vec<(f64, f64)> {
    let mut places = vec![(0.0, 0.0); nodes.len()];
    // Left end, right end of the branches of each node; nodes come after the one above them.
    let mut spans: Vec<Option<(f64, f64)>> = vec![None; nodes.len()];
    let mut has_branches = vec![false; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            has_branches[parent] = true;
            places[i].1 = places[parent].1 + STEP_Y;
        }
    }
    let mut leaves = 0;
    for i in 0..nodes.len() {
        if !has_branches[i] {
            places[i].0 = f64::from(leaves) * STEP_X;
            leaves += 1;
        }
    }
    for (i, node) in nodes.iter().enumerate().rev() {
        if let Some((left, right)) = spans[i] {
            places[i].0 = f64::midpoint(left, right);
        }
        let x = places[i].0;
        if let Some(parent) = node.parent {
            let (left, right) = spans[parent].unwrap_or((x, x));
            spans[parent] = Some((left.min(x), right.max(x)));
        }
    }
    places
}

/// The shape of a node around a point.
fn shape(kind: Kind, (x, y): (f64, f64)) -> String {
    match kind {
        Kind::Choice => {
            format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"#4f83cc\" stroke=\"#27496d\"/>"
            )
        }
        Kind::Open => format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"#ffffff\" stroke=\"#4f83cc\" stroke-dasharray=\"3 2\"/>"
        ),
        Kind::Failure => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"#d1495b\" stroke=\"#7a1f2b\"/>",
            x - 5.0,
            y - 5.0
        ),
        Kind::Solution => format!(
            "<path d=\"M{x:.1} {:.1}l8 8l-8 8l-8 -8z\" fill=\"#3a9d5d\" stroke=\"#1d5a34\"/>",
            y - 8.0
        ),
        Kind::Folded { .. } => format!(
            "<path d=\"M{x:.1} {:.1}l9 16h-18z\" fill=\"#d1495b\" stroke=\"#7a1f2b\"/>",
            y - 6.0
        ),
    }
}

/// One of each shape, with what it stands for and how many there are.
fn legend(svg: &mut String, nodes: &[Node]) {
    let count = |is: fn(Kind) -> bool| nodes.iter().filter(|node| is(node.kind)).count();
    let folded = Kind::Folded { failures: 0 };
    let entries = [
        (Kind::Choice, "choices", count(|kind| kind == Kind::Choice)),
        (
            Kind::Failure,
            "failures",
            count(|kind| kind == Kind::Failure),
        ),
        (
            folded,
            "folded subtrees",
            count(|kind| matches!(kind, Kind::Folded { .. })),
        ),
        (
            Kind::Solution,
            "solutions",
            count(|kind| kind == Kind::Solution),
        ),
        (Kind::Open, "unfinished", count(|kind| kind == Kind::Open)),
    ];
    let mut x = MARGIN + 8.0;
    for (kind, what, number) in entries {
        let words = format!("{what}: {}", human::integer(number as u128));
        let _ = writeln!(svg, "{}", shape(kind, (x, 42.0)));
        text(svg, (x + 12.0, 46.0), 11, "start", &words);
        x += 30.0 + 6.2 * words.len() as f64;
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), size: u32, anchor: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{INK}\">{text}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Puzzle;
    use crate::solve::tree::Tree;
    use crate::solve::{Limits, Search, Strategy};

    fn drawn(n: u32, most: usize) -> (Vec<Node>, Caption) {
        let puzzle = Puzzle::new(n, false);
        let mut search = Search::new(&puzzle, Strategy::Backtrack, Limits::default()).unwrap();
        let mut tree = Tree::new(most);
        while tree.next_solution(&mut search).is_some() {}
        let caption = Caption {
            n,
            title: "title".into(),
            left_out: tree.left_out(),
        };
        (tree.nodes().to_vec(), caption)
    }

    #[test]
    fn every_node_and_branch_is_drawn() {
        let (nodes, caption) = drawn(6, usize::MAX);
        let of = |kind: Kind| nodes.iter().filter(|node| node.kind == kind).count();
        let svg = tree_svg(&nodes, &caption);
        assert_eq!(svg.matches("<g>").count(), nodes.len());
        assert_eq!(svg.matches(": solution<").count(), of(Kind::Solution));
        assert!(!svg.contains("Cut"));
        let dot = tree_dot(&nodes, &caption);
        assert_eq!(dot.matches(" -> ").count(), nodes.len() - 1);
        assert_eq!(dot.matches("diamond").count(), of(Kind::Solution));
        assert!(dot.contains("label=\"a6\""));
    }

    #[test]
    fn a_cut_is_stated() {
        let (nodes, caption) = drawn(6, 20);
        let more = caption.left_out;
        let sentence = format!("Cut at 20 nodes: {more} more are not drawn.");
        for drawing in [tree_svg(&nodes, &caption), tree_dot(&nodes, &caption)] {
            assert!(drawing.contains(&sentence), "{sentence}");
        }
    }

    #[test]
    fn no_two_nodes_of_a_level_overlap() {
        let (nodes, _) = drawn(7, usize::MAX);
        let mut places = layout(&nodes);
        places.sort_by(|a, b| (a.1, a.0).partial_cmp(&(b.1, b.0)).unwrap());
        let apart = |pair: &[(f64, f64)]| pair[0].1 < pair[1].1 || pair[1].0 - pair[0].0 >= STEP_X;
        assert!(places.windows(2).all(apart));
    }
}
