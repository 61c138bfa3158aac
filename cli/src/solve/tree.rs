//! Search trees drawn as SVG, with the root at the top and branches from left to right as they were walked.
//!
//! Shapes and colours are those that constraint programmers know: choices are blue circles, failures red squares,
//! solutions green diamonds, folded subtrees red triangles above the number of failures they hide. What follows from
//! giving up a square hangs on the choice of that square itself, so that the squares tried in turn stand side by side.
//! A drawing has the size of a page; narrow subtrees become pale triangles behind their solutions.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::drawing;
use crate::human;
use queens::solve::tree::{Kind, Node, Tree};

/// An A4 page in landscape format, in pixels of 1/96 inch.
const PAGE: (f64, f64) = (1123.0, 794.0);
const MARGIN: f64 = 36.0;
const HEADER: f64 = 76.0;
/// Distance between two leaves and between two levels at full size, with room for two lines of text.
const STEP_X: f64 = 34.0;
const STEP_Y: f64 = 54.0;
/// Font size of labels at full size and of the header, and a generous width of the header's characters.
const LABEL: f64 = 11.0;
const WORDS: u32 = 13;
const CHARACTER: f64 = 7.5;
/// Width in pixels below which a subtree is drawn as one triangle.
const NARROW: f64 = 14.0;
const PALE_RED: &str = "#e6a3ab";
const PALE_GREEN: &str = "#9dceae";

/// A node to draw. Horizontal positions count leaves from the left.
struct Drawn<'a> {
    node: &'a Node,
    /// Index of the node above it; none for the root.
    parent: Option<usize>,
    level: f64,
    /// Its first and last leaf, and the lowest level below it.
    first: f64,
    last: f64,
    lowest: f64,
    /// Index after its subtree.
    end: usize,
}

impl Drawn<'_> {
    /// Its position, above the middle of its leaves.
    fn x(&self) -> f64 {
        f64::midpoint(self.first, self.last)
    }
}

/// A drawing of a tree for boards of size `n`, which fits a page: labels are left out and narrow subtrees become
/// triangles where there is no room.
#[must_use]
pub fn tree_svg(tree: &Tree, n: u32, title: &str) -> String {
    let nodes = drawn(tree.nodes());
    let (leaves, levels) = nodes
        .first()
        .map_or((0.0, 0.0), |root| (root.last, root.lowest));
    let across = (PAGE.0 - 2.0 * MARGIN) / (STEP_X * leaves.max(1.0));
    let down = (PAGE.1 - HEADER - 2.0 * MARGIN) / (STEP_Y * levels.max(1.0));
    let is_labelled = across >= 1.0 && down >= 0.5;
    let (step_x, step_y) = (STEP_X * across.min(3.0), STEP_Y * down.min(2.5));
    let scale = across.min(down).clamp(0.55, 1.6);
    let left = (PAGE.0 - leaves * step_x) / 2.0;
    let at = |node: &Drawn| {
        (
            left + node.x() * step_x,
            HEADER + MARGIN + node.level * step_y,
        )
    };

    let [mut edges, mut shapes, mut solutions, mut labels] = [const { String::new() }; 4];
    let mut kinds = BTreeMap::new();
    let mut occupied = HashSet::new();
    let mut narrow_end = 0;
    for (i, drawn) in nodes.iter().enumerate() {
        let (x, y) = at(drawn);
        let (kind, is_inside) = (drawn.node.kind, i < narrow_end);
        let is_solution = kind == Kind::Solution;
        // Of solutions on the same pixels, one is drawn.
        let is_hidden = match is_solution {
            true => !occupied.insert(((x / 3.0) as u32, (y / 3.0) as u32)),
            false => is_inside,
        };
        if let Some(parent) = drawn.parent.filter(|_| !is_inside) {
            let (x0, y0) = at(&nodes[parent]);
            let _ = write!(edges, "M{x0:.1} {y0:.1}L{x:.1} {y:.1}");
        }
        if is_hidden {
            continue;
        }
        let words = words(drawn.node, n);
        let width = (drawn.last - drawn.first) * step_x;
        if !is_labelled && width > 0.0 && width < NARROW {
            narrow_end = drawn.end;
            let (fill, found) = narrow(&nodes[i..drawn.end]);
            let (half, bottom) = (width / 2.0 + 3.0, (drawn.lowest - drawn.level) * step_y);
            let _ = writeln!(
                shapes,
                r#"<path transform="translate({x:.1} {y:.1})" d="M-2 0h4L{half:.1} {bottom:.1}H-{half:.1}z" fill="{fill}"><title>{words}, with {found} below</title></path>"#
            );
            kinds.insert("narrow subtree with its solutions", NARROW_SHAPE);
            continue;
        }
        kinds.insert(name(kind), shape(kind));
        let layer = if is_solution {
            &mut solutions
        } else {
            &mut shapes
        };
        let _ = writeln!(
            layer,
            r#"<g transform="translate({x:.1} {y:.1}) scale({scale:.2})"><title>{words}</title>{}</g>"#,
            shape(kind)
        );
        if is_labelled {
            label(&mut labels, drawn.node, n, (x, y), scale);
        }
    }
    let notes = [
        (!is_labelled).then(|| "Condensed to fit the page, without labels.".to_owned()),
        cut(tree),
    ];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join(" ");

    let mut svg = drawing::begin(PAGE.0, PAGE.1, &format!("{title} {notes}"));
    let most = ((PAGE.0 - 2.0 * MARGIN) / CHARACTER) as usize;
    let mut heading: String = title.chars().take(most).collect();
    if heading.len() < title.len() {
        heading.push('…');
    }
    drawing::text(&mut svg, (MARGIN, 24), WORDS, "start", &heading);
    svg.push_str(&legend(&kinds));
    drawing::text(&mut svg, (MARGIN, 72), WORDS, "start", &notes);
    // A white edge keeps labels readable where they cross a line. It is drawn by itself, for not every viewer knows
    // `paint-order`.
    let _ = write!(
        svg,
        r##"<path fill="none" stroke="#8a8f98" d="{edges}"/>
{shapes}{solutions}<g stroke="#ffffff" stroke-width="3" stroke-linejoin="round" aria-hidden="true">
{labels}</g>
{labels}</svg>
"##
    );
    svg
}

/// Colour of a subtree that is too narrow for its nodes, and the number of its solutions in words.
fn narrow(subtree: &[Drawn]) -> (&'static str, String) {
    let kinds = subtree.iter().map(|drawn| drawn.node.kind);
    let found = kinds.clone().filter(|&kind| kind == Kind::Solution).count();
    let has_failure = kinds
        .into_iter()
        .any(|kind| !matches!(kind, Kind::Choice | Kind::Solution));
    let fill = if has_failure { PALE_RED } else { PALE_GREEN };
    (fill, human::plural(found, "solution"))
}

/// Writes the branch to a node above it, and below a folded one its number of failures.
fn label(svg: &mut String, node: &Node, n: u32, (x, y): (f64, f64), scale: f64) {
    let size = LABEL * scale.max(1.0);
    let mut write = |y: f64, text: &str| drawing::text(svg, (x, y), size as u32, "middle", text);
    let branch = node.branch.map(|branch| branch.name(n));
    for (line, word) in branch.iter().flat_map(|name| name.rsplit(' ')).enumerate() {
        write(y - 8.0 * scale - 3.0 - size * line as f64, word);
    }
    if let Kind::Folded { failures } = node.kind {
        write(y + 10.0 * scale + size, &short(failures));
    }
}

/// The nodes to draw, each after the one above it, with leaves side by side.
fn drawn(nodes: &[Node]) -> Vec<Drawn<'_>> {
    let mut drawn = Vec::<Drawn>::new();
    // For each node the index of the drawn one on which its branches hang.
    let mut places = Vec::<usize>::with_capacity(nodes.len());
    for node in nodes {
        let parent = node.parent.map(|parent| places[parent]);
        let goes_on = matches!(node.kind, Kind::Choice | Kind::Unfinished);
        let gives_up = node
            .branch
            .is_some_and(|branch| !branch.queen && !branch.split);
        match parent.filter(|_| goes_on && gives_up) {
            Some(above) => places.push(above),
            None => {
                let level = parent.map_or(0.0, |parent| drawn[parent].level + 1.0);
                places.push(drawn.len());
                drawn.push(Drawn {
                    node,
                    parent,
                    level,
                    first: f64::MAX,
                    last: f64::MIN,
                    lowest: level,
                    end: drawn.len() + 1,
                });
            }
        }
    }
    // From right to left, so that a node comes after those below it, and its subtree is complete.
    let mut leaves = 0.0;
    for i in (0..drawn.len()).rev() {
        if drawn[i].end == i + 1 {
            leaves += 1.0;
            (drawn[i].first, drawn[i].last) = (-leaves, -leaves);
        }
        if let Some(parent) = drawn[i].parent {
            let (first, last, lowest, end) =
                (drawn[i].first, drawn[i].last, drawn[i].lowest, drawn[i].end);
            let above = &mut drawn[parent];
            (above.first, above.last) = (above.first.min(first), above.last.max(last));
            (above.lowest, above.end) = (above.lowest.max(lowest), above.end.max(end));
        }
    }
    for node in &mut drawn {
        (node.first, node.last) = (node.first + leaves, node.last + leaves);
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

/// The shape of a subtree that is too narrow for its nodes, in the legend.
const NARROW_SHAPE: &str = r##"<path d="M-3 -8h6l6 16h-18z" fill="#e6a3ab"/>"##;

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
        Kind::Unfinished => "unfinished choice",
        Kind::Failure(_) => "failure",
        Kind::Folded { .. } => "failed subtree, folded",
        Kind::Solution => "solution",
    }
}

/// The shape of a node around the origin.
fn shape(kind: Kind) -> &'static str {
    match kind {
        Kind::Choice => r##"<circle r="6" fill="#4f83cc" stroke="#27496d"/>"##,
        Kind::Unfinished => {
            r##"<circle r="6" fill="#fff" stroke="#4f83cc" stroke-dasharray="3 2"/>"##
        }
        Kind::Failure(_) => r##"<path d="M-5 -5h10v10h-10z" fill="#d1495b" stroke="#7a1f2b"/>"##,
        Kind::Solution => r##"<path d="M0 -8l8 8l-8 8l-8 -8z" fill="#3a9d5d" stroke="#1d5a34"/>"##,
        Kind::Folded { .. } => r##"<path d="M0 -6l9 16h-18z" fill="#d1495b" stroke="#7a1f2b"/>"##,
    }
}

/// Each shape that is drawn, with its meaning.
fn legend(kinds: &BTreeMap<&str, &str>) -> String {
    let (mut svg, mut x) = (String::new(), MARGIN + 8.0);
    for (name, shape) in kinds {
        let _ = writeln!(svg, r#"<g transform="translate({x:.1} 44)">{shape}</g>"#);
        drawing::text(&mut svg, (x + 14.0, 48.5), WORDS, "start", name);
        x += 36.0 + CHARACTER * name.len() as f64;
    }
    svg
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
        let tree = walked(4, usize::MAX);
        let gives_up = |node: &&Node| node.branch.is_some_and(|branch| !branch.queen);
        let choices = tree.nodes().iter().filter(|node| node.kind == Kind::Choice);
        let hung = choices.filter(gives_up).count();
        let svg = tree_svg(&tree, 4, "title");
        assert_eq!(
            svg.matches("<title>").count() - 1,
            tree.nodes().len() - hung
        );
        assert_eq!(svg.matches(": solution</title>").count(), 2);
        assert!(svg.contains(">a3</text>") && !svg.contains("Cut"));
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

    /// Numbers after each occurrence of `before`.
    fn numbers<'a>(svg: &'a str, before: &'a str) -> impl Iterator<Item = Vec<f64>> + 'a {
        svg.split(before).skip(1).map(|rest| {
            let end = rest.find(|c: char| !"0123456789. -".contains(c)).unwrap();
            let numbers = rest[..end].split_whitespace();
            numbers.map(|number| number.parse().unwrap()).collect()
        })
    }

    /// A page of A4 in landscape format has all of every tree, from the root down; what is condensed for that is stated
    /// in the title. All solutions are drawn, unless they are on the same pixels.
    #[test]
    fn every_tree_fits_a_page() {
        for (n, is_condensed) in [(0, false), (1, false), (4, false), (8, true), (9, true)] {
            let svg = tree_svg(&walked(n, usize::MAX), n, "title");
            let [_, _, width, height] = numbers(&svg, "viewBox=\"").next().unwrap()[..] else {
                panic!("four numbers");
            };
            assert!((width / height - 297.0 / 210.0).abs() < 0.001);
            let nodes: Vec<_> = numbers(&svg, "transform=\"translate(").collect();
            let is_inside = |p: &Vec<f64>| {
                (18.0..=width - 18.0).contains(&p[0]) && (18.0..=height - 18.0).contains(&p[1])
            };
            assert!(nodes.iter().all(is_inside), "N = {n}");
            assert!(svg.contains("<title>root: "), "N = {n}");
            let title = &svg[svg.find("<title>").unwrap()..svg.find("</title>").unwrap()];
            assert_eq!(title.contains("Condensed"), is_condensed, "N = {n}");
            let narrow = svg.matches("solutions below</title>").count();
            assert_eq!(narrow > 0, is_condensed, "N = {n}");
            assert!(svg.matches(": solution</title>").count() > n as usize / 8 * 40);
        }
    }

    /// Viewers that do not know `paint-order` draw the white edge of a label and then the label over it.
    #[test]
    fn labels_are_drawn_over_their_edges() {
        let svg = tree_svg(&walked(4, usize::MAX), 4, "title");
        assert!(!svg.contains("paint-order"));
        let (_, labels) = svg.split_once("stroke-linejoin=\"round\"").unwrap();
        let (edges, labels) = labels.split_once("</g>").unwrap();
        let (_, edges) = edges.split_once('>').unwrap();
        assert!(edges.matches("<text").count() > 10);
        assert_eq!(
            edges.trim(),
            labels.trim().trim_end_matches("</svg>").trim()
        );
    }

    #[test]
    fn no_two_nodes_of_a_level_overlap() {
        for n in [5, 8] {
            let tree = walked(n, usize::MAX);
            let mut nodes = drawn(tree.nodes());
            let place = |node: &Drawn| (node.level, node.x());
            nodes.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap());
            let apart =
                |pair: &[Drawn]| pair[0].level < pair[1].level || pair[1].x() - pair[0].x() >= 1.0;
            assert!(nodes.windows(2).all(apart), "N = {n}");
        }
    }
}
