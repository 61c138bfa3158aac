//! Search trees drawn as SVG, with the root at the top and branches from left to right as they were walked.
//!
//! Shapes and colours are those that constraint programmers know: choices are blue circles, failures red squares,
//! solutions green diamonds, folded subtrees red triangles above the number of failures they hide. What follows from
//! giving up a square hangs on the choice of that square itself, so that the squares tried in turn stand side by side.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{drawing, human};
use queens::solve::tree::{Kind, Node, Tree};

/// Distance of two leaves, and of two levels, with room for two lines of words.
const STEP_X: f64 = 34.0;
const STEP_Y: f64 = 54.0;
/// Height and ample width of words at a node, and of those above the tree.
const LABEL: u32 = 11;
const WORDS: u32 = 13;
const CHARACTER: f64 = 7.5;
const MARGIN: f64 = 24.0;
const HEADER: f64 = 76.0;

/// A node to draw.
struct Drawn<'a> {
    node: &'a Node,
    /// The node above it, by its place among those that are drawn; none for the root.
    parent: Option<usize>,
    x: f64,
    y: f64,
}

/// A drawing of a tree for boards of size `n`.
#[must_use]
pub fn tree_svg(tree: &Tree, n: u32, title: &str) -> String {
    let nodes = drawn(tree.nodes());
    let far = |pick: fn(&Drawn) -> f64| nodes.iter().map(pick).fold(0.0, f64::max);
    let (legend, legend_width) = legend(&nodes);
    let title_width = title.chars().count() as f64 * CHARACTER;
    let width = far(|node| node.x).max(title_width).max(legend_width) + 2.0 * MARGIN;
    let height = HEADER + far(|node| node.y) + 2.0 * MARGIN;
    let shift = (width - far(|node| node.x)) / 2.0;
    let at = |node: &Drawn| (node.x + shift, node.y + HEADER + MARGIN);

    let mut svg = drawing::begin(width, height, title);
    drawing::text(&mut svg, (MARGIN, 24), WORDS, "start", title);
    svg.push_str(&legend);
    if let Some(cut) = cut(tree) {
        drawing::text(&mut svg, (MARGIN, 72), WORDS, "start", &cut);
    }
    svg.push_str(r##"<path fill="none" stroke="#8a8f98" d=""##);
    for node in &nodes {
        if let Some(parent) = node.parent {
            let ((x0, y0), (x1, y1)) = (at(&nodes[parent]), at(node));
            let _ = write!(svg, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
        }
    }
    svg.push_str("\"/>\n");
    for node in &nodes {
        let ((x, y), shape) = (at(node), shape(node.node.kind));
        let words = words(node.node, n);
        let _ = writeln!(
            svg,
            r#"<g transform="translate({x:.1} {y:.1})"><title>{words}</title>{shape}</g>"#
        );
    }
    // With a white edge, so that words can be read where they cross a line.
    svg.push_str("<g stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">\n");
    for node in &nodes {
        let (x, y) = at(node);
        let branch = node.node.branch.map(|branch| branch.name(n));
        for (i, word) in branch.iter().flat_map(|name| name.rsplit(' ')).enumerate() {
            let y = y - 11.0 - f64::from(LABEL) * i as f64;
            drawing::text(&mut svg, (x, y), LABEL, "middle", word);
        }
        if let Kind::Folded { failures } = node.node.kind {
            drawing::text(&mut svg, (x, y + 21.0), LABEL, "middle", &short(failures));
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// The nodes to draw, each after the one above it, in their places: leaves side by side, every other node above the middle
/// of its branches.
fn drawn(nodes: &[Node]) -> Vec<Drawn<'_>> {
    let mut drawn = Vec::<Drawn>::new();
    // The place among those that are drawn of the node on which another one's branches hang.
    let mut places = Vec::<usize>::with_capacity(nodes.len());
    for node in nodes {
        let parent = node.parent.map(|parent| places[parent]);
        let goes_on = matches!(node.kind, Kind::Choice | Kind::Open);
        let gives_up = node.branch.is_some_and(|branch| !branch.queen);
        match parent.filter(|_| goes_on && gives_up) {
            Some(above) => places.push(above),
            None => {
                let y = parent.map_or(0.0, |parent| drawn[parent].y + STEP_Y);
                places.push(drawn.len());
                drawn.push(Drawn {
                    node,
                    parent,
                    x: 0.0,
                    y,
                });
            }
        }
    }
    // From right to left, so that what is below a node has its place: the last branch comes first.
    let mut branches = vec![None::<(f64, f64)>; drawn.len()];
    let mut leaves = 0.0;
    for i in (0..drawn.len()).rev() {
        drawn[i].x = match branches[i] {
            Some((first, last)) => f64::midpoint(first, last),
            None => {
                leaves += STEP_X;
                -leaves
            }
        };
        if let Some(parent) = drawn[i].parent {
            let (first, _) = branches[parent].get_or_insert((drawn[i].x, drawn[i].x));
            *first = drawn[i].x;
        }
    }
    for node in &mut drawn {
        node.x += leaves;
    }
    drawn
}

/// A node and the branch to it in words.
fn words(node: &Node, n: u32) -> String {
    let kind = match node.kind {
        Kind::Folded { failures } => {
            format!("folded: {}", human::plural(failures as usize, "failure"))
        }
        kind => name(kind).to_owned(),
    };
    match node.branch {
        Some(branch) => format!("{}: {kind}", branch.name(n)),
        None => format!("root: {kind}"),
    }
}

/// How many nodes a drawing lacks, as a sentence; none if it is complete.
pub(super) fn cut(tree: &Tree) -> Option<String> {
    let drawn = human::integer(tree.nodes().len() as u128);
    let more = human::integer(tree.left_out().into());
    (tree.left_out() > 0).then(|| format!("Cut at {drawn} nodes: {more} more are not drawn."))
}

/// A number of failures with room under a triangle: at most five characters.
fn short(failures: u64) -> String {
    match failures {
        0..10_000 => failures.to_string(),
        _ => human::si(failures as f64).replace(' ', ""),
    }
}

/// What a node is called.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Choice => "choice",
        Kind::Open => "unfinished choice",
        Kind::Failure => "failure",
        Kind::Folded { .. } => "folded, with number of failures",
        Kind::Solution => "solution",
    }
}

/// The shape of a node around the origin.
fn shape(kind: Kind) -> &'static str {
    match kind {
        Kind::Choice => r##"<circle r="6" fill="#4f83cc" stroke="#27496d"/>"##,
        Kind::Open => r##"<circle r="6" fill="#fff" stroke="#4f83cc" stroke-dasharray="3 2"/>"##,
        Kind::Failure => r##"<path d="M-5 -5h10v10h-10z" fill="#d1495b" stroke="#7a1f2b"/>"##,
        Kind::Solution => r##"<path d="M0 -8l8 8l-8 8l-8 -8z" fill="#3a9d5d" stroke="#1d5a34"/>"##,
        Kind::Folded { .. } => r##"<path d="M0 -6l9 16h-18z" fill="#d1495b" stroke="#7a1f2b"/>"##,
    }
}

/// Each shape that is drawn with its meaning, and how wide that is.
fn legend(drawn: &[Drawn]) -> (String, f64) {
    let kinds = drawn.iter().map(|drawn| drawn.node.kind);
    let kinds: BTreeMap<_, _> = kinds.map(|kind| (name(kind), kind)).collect();
    let (mut svg, mut x) = (String::new(), MARGIN + 8.0);
    for (name, kind) in kinds {
        let shape = shape(kind);
        let _ = writeln!(svg, r#"<g transform="translate({x:.1} 44)">{shape}</g>"#);
        drawing::text(&mut svg, (x + 14.0, 48.5), WORDS, "start", name);
        x += 36.0 + CHARACTER * name.len() as f64;
    }
    (svg, x - MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Board;
    use queens::solve::{Limits, Search, Strategy};

    /// The whole tree of a search, of which at most `most` nodes are kept.
    fn walked(n: u32, most: usize) -> Tree {
        let board = Board::new(n).unwrap();
        let mut search = Search::new(&board, Strategy::Backtrack, Limits::default()).unwrap();
        let mut tree = Tree::new(most);
        while tree.next_solution(&mut search).is_some() {}
        tree
    }

    /// Each node is drawn, but for those that gave up a square and went on.
    #[test]
    fn every_node_is_drawn() {
        let tree = walked(6, usize::MAX);
        let gives_up = |node: &&Node| node.branch.is_some_and(|branch| !branch.queen);
        let choices = tree.nodes().iter().filter(|node| node.kind == Kind::Choice);
        let hung = choices.filter(gives_up).count();
        let svg = tree_svg(&tree, 6, "title");
        assert_eq!(
            svg.matches("<title>").count() - 1,
            tree.nodes().len() - hung
        );
        assert_eq!(svg.matches(": solution</title>").count(), 4);
        assert!(svg.contains(">a5</text>") && !svg.contains("Cut"));
    }

    #[test]
    fn a_cut_is_stated() {
        let tree = walked(6, 20);
        let more = tree.left_out();
        let sentence = format!("Cut at 20 nodes: {more} more are not drawn.");
        assert!(
            tree_svg(&tree, 6, "title").contains(&sentence),
            "{sentence}"
        );
    }

    #[test]
    fn no_two_nodes_of_a_level_overlap() {
        for n in [5, 8] {
            let tree = walked(n, usize::MAX);
            let mut nodes = drawn(tree.nodes());
            nodes.sort_by(|a, b| (a.y, a.x).partial_cmp(&(b.y, b.x)).unwrap());
            let apart = |pair: &[Drawn]| pair[0].y < pair[1].y || pair[1].x - pair[0].x >= STEP_X;
            assert!(nodes.windows(2).all(apart), "N = {n}");
        }
    }
}
