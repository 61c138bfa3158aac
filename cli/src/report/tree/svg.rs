//! Search trees as SVG.

use std::fmt::Write as _;
use std::mem::discriminant;

use super::super::{drawing, human};
use super::{Drawn, cut, drawn, short};
use queens::solve::tree::{Kind, Node, Tree};

/// Distance of two leaves, and of two levels, with room for three lines of words.
const STEP_X: f64 = 26.0;
const STEP_Y: f64 = 56.0;
const LINE: f64 = 9.0;
const MARGIN: f64 = 24.0;
const HEADER: f64 = 72.0;
const NARROWEST: f64 = 600.0;
/// Ample width of a character of the title.
const CHARACTER: f64 = 7.5;

/// A drawing with the root at the top and branches from left to right as they were walked, for a tree of boards of size
/// `n`.
#[must_use]
pub fn tree_svg(tree: &Tree, n: u32, title: &str) -> String {
    let nodes = drawn(tree.nodes());
    let places = layout(&nodes);
    let far = |pick: fn(&Place) -> f64| places.iter().map(pick).fold(0.0, f64::max);
    let tree_width = far(|place| place.x) + 2.0 * MARGIN;
    let title_width = title.chars().count() as f64 * CHARACTER + 2.0 * MARGIN;
    let width = tree_width.max(NARROWEST).max(title_width);
    let height = HEADER + far(|place| place.y) + 2.0 * MARGIN;
    let shift = MARGIN + (width - tree_width) / 2.0;
    let at = |place: &Place| (place.x + shift, place.y + HEADER + MARGIN);

    let mut svg = drawing::begin(width, height, r#" font-family="sans-serif""#, title);
    drawing::ground(&mut svg, width, height);
    text(&mut svg, (MARGIN, 22.0), 14, "start", title);
    legend(&mut svg, tree.nodes());
    if let Some(cut) = cut(tree) {
        text(&mut svg, (MARGIN, 64.0), 12, "start", &cut);
    }
    svg.push_str(r##"<path fill="none" stroke="#8a8f98" d=""##);
    for (node, place) in nodes.iter().zip(&places) {
        if let Some(parent) = node.parent {
            let ((x0, y0), (x1, y1)) = (at(&places[parent]), at(place));
            let _ = write!(svg, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
        }
    }
    svg.push_str("\"/>\n");
    for (node, place) in nodes.iter().zip(&places) {
        let (x, y) = at(place);
        let (words, shape) = (node.words(n), shape(node.kind));
        let _ = writeln!(
            svg,
            r#"<g transform="translate({x:.1} {y:.1})"><title>{words}</title>{shape}</g>"#
        );
        for (i, line) in node.label(n).iter().rev().enumerate() {
            // With a white edge, so that it can be read where it crosses a line.
            let y = y - 11.0 - LINE * i as f64;
            let attributes = format_args!(
                r##"x="{x:.1}" y="{y:.1}" font-size="8" text-anchor="middle" stroke="#ffffff" stroke-width="2" paint-order="stroke""##
            );
            drawing::text(&mut svg, attributes, line);
        }
        if let Kind::Folded { failures } = node.kind {
            text(&mut svg, (x, y + 18.5), 7, "middle", &short(failures));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Where a node is drawn.
#[derive(Debug, Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
}

/// Leaves side by side, every other node above the middle of its branches.
fn layout(nodes: &[Drawn]) -> Vec<Place> {
    let mut places = Vec::<Place>::with_capacity(nodes.len());
    let mut leaves = 0;
    for (i, node) in nodes.iter().enumerate() {
        places.push(Place {
            x: f64::from(leaves) * STEP_X,
            y: node.parent.map_or(0.0, |parent| places[parent].y + STEP_Y),
        });
        let is_leaf = nodes.get(i + 1).is_none_or(|next| next.parent != Some(i));
        leaves += u32::from(is_leaf);
    }
    // From right to left, so that what is below a node has its place: the last branch comes first.
    let mut last_branch = vec![None; nodes.len()];
    for i in (0..nodes.len()).rev() {
        if let Some(last) = last_branch[i] {
            // The first branch comes right after the node.
            places[i].x = f64::midpoint(places[i + 1].x, last);
        }
        if let Some(parent) = nodes[i].parent {
            last_branch[parent].get_or_insert(places[i].x);
        }
    }
    places
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

/// Each shape with its meaning and the number of such nodes.
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
        let shape = shape(kind);
        let _ = writeln!(svg, r#"<g transform="translate({x:.1} 42)">{shape}</g>"#);
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

    /// Every branch is drawn once, alone or joined with others, or is one that gave up a square and went on.
    #[test]
    fn every_node_and_branch_is_drawn() {
        let tree = walked(6, usize::MAX);
        let nodes = drawn(tree.nodes());
        let mut branches: Vec<_> = tree.nodes().iter().filter_map(|node| node.branch).collect();
        let goes_on = tree.nodes().iter().filter(|node| {
            let gives_up = node.branch.is_some_and(|branch| !branch.queen);
            gives_up && node.kind == Kind::Choice
        });
        let kept = branches.len() - goes_on.count();
        branches.clear();
        branches.extend(nodes.iter().flat_map(|node| &node.branches));
        assert_eq!(branches.len(), kept);
        let is_solution = |node: &&Node| node.kind == Kind::Solution;
        let solutions = tree.nodes().iter().filter(is_solution).count();
        let svg = tree_svg(&tree, 6, "title");
        assert_eq!(svg.matches("<title>").count(), 1 + nodes.len());
        assert_eq!(svg.matches(": solution<").count(), solutions);
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
            let nodes = drawn(walked(n, usize::MAX).nodes());
            let mut places = layout(&nodes);
            places.sort_by(|a, b| (a.y, a.x).partial_cmp(&(b.y, b.x)).unwrap());
            let apart = |pair: &[Place]| pair[0].y < pair[1].y || pair[1].x - pair[0].x >= STEP_X;
            assert!(places.windows(2).all(apart), "N = {n}");
        }
    }
}
