//! SVG drawings of search trees. The root is at the top, and branches go from left to right in the
//! order taken.
//!
//! Shapes and colours follow the conventions of constraint programming tools. Choices are blue
//! circles, failures are red squares, and solutions are green diamonds. Folded subtrees are red
//! triangles, labelled with their number of failures. The alternatives tried in turn for one column
//! share one parent node. Every drawing fits on a page. To achieve this, narrow subtrees are drawn
//! as pale triangles behind their solutions.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use super::drawing;
use crate::human;
use queens::solve::Branch;
use queens::solve::tree::{Kind, Node, Tree};

/// A4 page in landscape format, in pixels of 1/96 inch.
const PAGE: (f64, f64) = (1123.0, 794.0);
const MARGIN: f64 = 36.0;
const HEADER: f64 = 76.0;
/// Distances between leaves and between levels at full size. They leave space for two-line labels.
const STEP_X: f64 = 34.0;
const STEP_Y: f64 = 54.0;
/// Font size of labels at full size.
const LABEL: f64 = 11.0;
/// Font size of the header, and an upper bound on the average width of its characters.
const HEADER_TEXT: u32 = 13;
const CHARACTER: f64 = 7.5;
/// Width in pixels below which a subtree is drawn as a single triangle.
const NARROW: f64 = 14.0;
const PALE_RED: &str = "#e6a3ab";
const PALE_GREEN: &str = "#9dceae";

/// Placed of a node in the drawing. The horizontal unit is one leaf, and the last leaf is at 0.
struct Placed<'a> {
    node: &'a Node,
    /// Index of the parent's position; `None` for the root.
    parent: Option<usize>,
    level: f64,
    /// First leaf, last leaf and lowest level of the subtree.
    first: f64,
    last: f64,
    lowest: f64,
    /// Index one past the last position of the subtree.
    end: usize,
}

impl Placed<'_> {
    /// Returns the horizontal position, which is centred above the leaves.
    fn x(&self) -> f64 {
        f64::midpoint(self.first, self.last)
    }
}

/// Distances, and the size of shapes, that make a tree fit on the page.
struct Scale {
    step_x: f64,
    step_y: f64,
    /// Placed of leaf 0 from the left.
    origin: f64,
    shapes: f64,
    /// Whether there is space for labels. Otherwise, narrow subtrees are drawn as triangles.
    is_labelled: bool,
}

impl Scale {
    fn new(root: Option<&Placed>) -> Self {
        let (first, leaves, levels) =
            root.map_or((0.0, 0.0, 0.0), |root| (root.first, root.last - root.first, root.lowest));
        let across = (PAGE.0 - 2.0 * MARGIN) / (STEP_X * leaves.max(1.0));
        let down = (PAGE.1 - HEADER - 2.0 * MARGIN) / (STEP_Y * levels.max(1.0));
        let step_x = STEP_X * across.min(3.0);
        Self {
            step_x,
            step_y: STEP_Y * down.min(2.5),
            origin: (PAGE.0 - leaves * step_x) / 2.0 - first * step_x,
            shapes: across.min(down).clamp(0.55, 1.6),
            is_labelled: across >= 1.0 && down >= 0.5,
        }
    }

    /// Returns the point of a position on the page.
    fn point(&self, position: &Placed) -> (f64, f64) {
        let y = HEADER + MARGIN + position.level * self.step_y;
        (self.origin + position.x() * self.step_x, y)
    }
}

/// Returns a drawing of a search tree for boards of size `n`, scaled to fit on a page. A large tree
/// is drawn without labels, and its narrow subtrees are drawn as triangles.
#[must_use]
pub fn tree_svg(tree: &Tree, n: u32, title: &str) -> String {
    let positions = lay_out(tree.nodes());
    let scale = Scale::new(positions.first());
    let condensed = "Condensed to fit the page, without labels. ";
    let notes = if scale.is_labelled { "" } else { condensed }.to_owned() + &omissions(tree);
    let notes = notes.trim_end();
    let (kinds, drawn) = draw(&positions, &scale, n);

    let mut svg = drawing::begin(PAGE.0, PAGE.1, &format!("{title} {notes}"));
    let most = ((PAGE.0 - 2.0 * MARGIN) / CHARACTER) as usize;
    let heading = human::beginning(title, most);
    drawing::text(&mut svg, (MARGIN, 24), HEADER_TEXT, "start", &heading);
    svg.push_str(&legend(&kinds));
    drawing::text(&mut svg, (MARGIN, 72), HEADER_TEXT, "start", notes);
    svg + &drawn + "</svg>\n"
}

/// Draws the edges and nodes, and returns the kinds of nodes for the legend.
fn draw(
    positions: &[Placed],
    scale: &Scale,
    n: u32,
) -> (BTreeSet<(&'static str, &'static str)>, String) {
    let [mut edges, mut shapes, mut solutions, mut labels] = [const { String::new() }; 4];
    let mut kinds = BTreeSet::new();
    let mut occupied = HashSet::new();
    let mut narrow_end = 0;
    for (i, position) in positions.iter().enumerate() {
        let (x, y) = scale.point(position);
        let (kind, is_inside) = (position.node.kind, i < narrow_end);
        let is_solution = kind == Kind::Solution;
        if let Some(parent) = position.parent.filter(|_| !is_inside) {
            let (x0, y0) = scale.point(&positions[parent]);
            let _ = write!(edges, "M{x0:.1} {y0:.1}L{x:.1} {y:.1}");
        }
        // If several solutions would cover the same pixels, only one is drawn.
        let pixel = ((x / 3.0) as u32, (y / 3.0) as u32);
        if is_solution && !occupied.insert(pixel) || is_inside && !is_solution {
            continue;
        }
        let words = words(position.node, n);
        let width = (position.last - position.first) * scale.step_x;
        if !scale.is_labelled && width > 0.0 && width < NARROW {
            narrow_end = position.end;
            let height = (position.lowest - position.level) * scale.step_y;
            shapes += &triangle((x, y), (width, height), &words, &positions[i..narrow_end]);
            kinds.insert(NARROW_SUBTREE);
            continue;
        }
        let (name, shape) = look(kind);
        kinds.insert((name, shape));
        let layer = if is_solution { &mut solutions } else { &mut shapes };
        let _ = writeln!(
            layer,
            r#"<g transform="translate({x:.1} {y:.1}) scale({:.2})"><title>{words}</title>{shape}</g>"#,
            scale.shapes
        );
        if scale.is_labelled {
            label(&mut labels, position.node, n, (x, y), scale.shapes);
        }
    }
    // White outlines keep labels readable where they cross lines. They are drawn separately because
    // some viewers do not support `paint-order`.
    let drawn = format!(
        r##"<path fill="none" stroke="#8a8f98" d="{edges}"/>
{shapes}{solutions}<g stroke="#ffffff" stroke-width="3" stroke-linejoin="round" aria-hidden="true">
{labels}</g>
{labels}"##
    );
    (kinds, drawn)
}

/// Draws a narrow subtree as a pale triangle.
fn triangle(
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    words: &str,
    subtree: &[Placed],
) -> String {
    let kinds = subtree.iter().map(|below| below.node.kind);
    let mut ends = kinds.filter(|&kind| kind != Kind::Choice);
    let solved = ends.clone().filter(|&kind| kind == Kind::Solution);
    let found = human::plural(solved.count(), "solution");
    let is_solved = ends.all(|kind| kind == Kind::Solution);
    let (half, fill) = (width / 2.0 + 3.0, if is_solved { PALE_GREEN } else { PALE_RED });
    format!(
        "<path transform=\"translate({x:.1} {y:.1})\" d=\"M-2 0h4L{half:.1} {height:.1}H-{half:.1}z\" fill=\"{fill}\"><title>{words}, with {found} below</title></path>\n"
    )
}

/// Writes the name of the branch above a node. If the node is folded, writes its number of failures
/// below it, in at most five characters.
fn label(svg: &mut String, node: &Node, n: u32, (x, y): (f64, f64), scale: f64) {
    let size = LABEL * scale.max(1.0);
    let mut write = |y: f64, text: &str| drawing::text(svg, (x, y), size as u32, "middle", text);
    let branch = node.branch.map(|branch| branch.name(n));
    for (line, word) in branch.iter().flat_map(|name| name.rsplit(' ')).enumerate() {
        write(y - 8.0 * scale - 3.0 - size * line as f64, word);
    }
    if let Kind::Folded { failures } = node.kind {
        let number = match failures {
            0..10_000 => failures.to_string(),
            _ => human::si(failures as f64).replace(' ', ""),
        };
        write(y + 10.0 * scale + size, &number);
    }
}

/// Returns the positions of the nodes, parents before children. Leaves are one unit apart, and the
/// last is at 0.
fn lay_out(nodes: &[Node]) -> Vec<Placed<'_>> {
    let mut positions = Vec::<Placed>::new();
    // For each node, the index of the position below which its branches are drawn.
    let mut drawn_at = Vec::<usize>::with_capacity(nodes.len());
    for node in nodes {
        let parent = node.parent.map(|parent| drawn_at[parent]);
        let is_choice = matches!(node.kind, Kind::Choice | Kind::Unfinished);
        let excludes = |branch: Branch| !branch.queen && !branch.split;
        match parent.filter(|_| is_choice && node.branch.is_some_and(excludes)) {
            Some(parent) => drawn_at.push(parent),
            None => {
                let level = parent.map_or(0.0, |parent| positions[parent].level + 1.0);
                drawn_at.push(positions.len());
                positions.push(Placed {
                    node,
                    parent,
                    level,
                    first: f64::MAX,
                    last: f64::MIN,
                    lowest: level,
                    end: positions.len() + 1,
                });
            }
        }
    }
    // Children come after their parents, so in reverse order each subtree is complete before its
    // parent is updated.
    let mut leaf = 0.0;
    for i in (0..positions.len()).rev() {
        if positions[i].end == i + 1 {
            (positions[i].first, positions[i].last) = (leaf, leaf);
            leaf -= 1.0;
        }
        if let Some(parent) = positions[i].parent {
            let (above, below) = positions.split_at_mut(i);
            let (parent, child) = (&mut above[parent], &below[0]);
            parent.first = parent.first.min(child.first);
            parent.last = parent.last.max(child.last);
            parent.lowest = parent.lowest.max(child.lowest);
            parent.end = parent.end.max(child.end);
        }
    }
    positions
}

/// Describes a node and the branch that leads to it.
fn words(node: &Node, n: u32) -> String {
    let kind = match node.kind {
        Kind::Folded { failures } => {
            format!("folded: {}", human::plural(failures as usize, "failure"))
        }
        kind => look(kind).0.to_owned(),
    };
    match node.branch {
        Some(branch) => format!("{}: {kind}", branch.name(n)),
        None => format!("root: {kind}"),
    }
}

/// Describes the nodes that are missing from a drawing or page in one sentence. Returns an empty
/// string if none are missing. Nodes of folded subtrees are missing only if the tree records
/// states, because such trees normally keep failed subtrees.
pub(super) fn omissions(tree: &Tree) -> String {
    let (mut solutions, mut folded) = (0, 0);
    for node in tree.nodes() {
        match node.kind {
            Kind::Solution => solutions += 1,
            // A failed subtree is a binary tree whose leaves are its failures.
            Kind::Folded { failures } if node.state.is_some() => folded += 2 * failures - 2,
            _ => {}
        }
    }
    let missing = tree.left_out() + folded;
    if missing == 0 {
        return String::new();
    }
    let (shown, solutions) =
        (human::integer(tree.nodes().len() as u128), human::plural(solutions, "solution"));
    let failed = match folded {
        0 => String::new(),
        _ if folded == missing => ", all of them in failed subtrees".to_owned(),
        _ => format!(", {} of them in failed subtrees", human::integer(folded.into())),
    };
    let missing = human::integer(missing.into());
    format!("Cut at {shown} nodes with {solutions}: {missing} more nodes are not shown{failed}.")
}

/// Legend entry (name and shape) for a subtree that is too narrow to show its nodes.
const NARROW_SUBTREE: (&str, &str) =
    ("narrow subtree with its solutions", r##"<path d="M-3 -8h6l6 16h-18z" fill="#e6a3ab"/>"##);

/// Returns the name and the shape for a kind of node. The shape is drawn around the origin.
fn look(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Choice => ("choice", r##"<circle r="6" fill="#4f83cc" stroke="#27496d"/>"##),
        Kind::Unfinished => (
            "unfinished choice",
            r##"<circle r="6" fill="#fff" stroke="#4f83cc" stroke-dasharray="3 2"/>"##,
        ),
        Kind::Failure(_) => {
            ("failure", r##"<path d="M-5 -5h10v10h-10z" fill="#d1495b" stroke="#7a1f2b"/>"##)
        }
        Kind::Solution => {
            ("solution", r##"<path d="M0 -8l8 8l-8 8l-8 -8z" fill="#3a9d5d" stroke="#1d5a34"/>"##)
        }
        Kind::Folded { .. } => (
            "failed subtree, folded",
            r##"<path d="M0 -6l9 16h-18z" fill="#d1495b" stroke="#7a1f2b"/>"##,
        ),
    }
}

/// Returns the legend for the given kinds of nodes.
fn legend(kinds: &BTreeSet<(&str, &str)>) -> String {
    let (mut svg, mut x) = (String::new(), MARGIN + 8.0);
    for (name, shape) in kinds {
        let _ = writeln!(svg, r#"<g transform="translate({x:.1} 44)">{shape}</g>"#);
        drawing::text(&mut svg, (x + 14.0, 48.5), HEADER_TEXT, "start", name);
        x += 36.0 + CHARACTER * name.len() as f64;
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Board;
    use queens::solve::{Limits, Search, Strategy};

    /// Returns the tree of a complete search, limited to `most` nodes.
    fn recorded(n: u32, most: usize) -> Tree {
        let board = Board::new(n).unwrap();
        let mut search = Search::new(&board, Strategy::BACKTRACK, Limits::default()).unwrap();
        let mut tree = Tree::new(most);
        while tree.next_solution(&mut search).is_some() {}
        tree
    }

    /// Every node is drawn, except that a choice reached by excluding a square is merged with its
    /// parent.
    #[test]
    fn every_node_is_drawn() {
        let tree = recorded(4, usize::MAX);
        let excludes = |node: &&Node| node.branch.is_some_and(|branch| !branch.queen);
        let choices = tree.nodes().iter().filter(|node| node.kind == Kind::Choice);
        let merged = choices.filter(excludes).count();
        let svg = tree_svg(&tree, 4, "title");
        assert_eq!(svg.matches("<title>").count() - 1, tree.nodes().len() - merged);
        assert_eq!(svg.matches(": solution</title>").count(), 2);
        assert!(svg.contains(">a3</text>") && !svg.contains("Cut"));
    }

    /// Returns the list of numbers that follows each occurrence of `before`.
    fn numbers<'a>(svg: &'a str, before: &'a str) -> impl Iterator<Item = Vec<f64>> + 'a {
        svg.split(before).skip(1).map(|rest| {
            let end = rest.find(|c: char| !"0123456789. -".contains(c)).unwrap();
            let numbers = rest[..end].split_whitespace();
            numbers.map(|number| number.parse().unwrap()).collect()
        })
    }

    /// Every drawing fits on a landscape A4 page, and its title says whether it is condensed. A
    /// solution is omitted only if another one covers the same pixels.
    #[test]
    fn every_tree_fits_a_page() {
        for (n, is_condensed) in [(0, false), (1, false), (4, false), (8, true), (9, true)] {
            let svg = tree_svg(&recorded(n, usize::MAX), n, "title");
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

    /// The white outlines of the labels come first, so that viewers that do not support
    /// `paint-order` draw the labels over them.
    #[test]
    fn labels_are_drawn_over_their_outlines() {
        let svg = tree_svg(&recorded(4, usize::MAX), 4, "title");
        assert!(!svg.contains("paint-order"));
        let (_, labels) = svg.split_once("stroke-linejoin=\"round\"").unwrap();
        let (edges, labels) = labels.split_once("</g>").unwrap();
        let (_, edges) = edges.split_once('>').unwrap();
        assert!(edges.matches("<text").count() > 10);
        assert_eq!(edges.trim(), labels.trim().trim_end_matches("</svg>").trim());
    }

    #[test]
    fn no_two_nodes_of_a_level_overlap() {
        for n in [5, 8] {
            let tree = recorded(n, usize::MAX);
            let mut nodes = lay_out(tree.nodes());
            let place = |node: &Placed| (node.level, node.x());
            nodes.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap());
            let apart =
                |pair: &[Placed]| pair[0].level < pair[1].level || pair[1].x() - pair[0].x() >= 1.0;
            assert!(nodes.windows(2).all(apart), "N = {n}");
        }
    }
}
