//! Search trees drawn as SVG.
//!
//! Shapes and colours are those that constraint programmers know: choices are blue circles, failures red squares,
//! solutions green diamonds, folded subtrees red triangles above the number of failures they hide. Two things keep a
//! drawing small. What follows from giving up a square hangs on the choice of that square itself, so that the rows tried in
//! a column stand side by side; and where nothing branches off, choices are joined into one edge.

mod svg;

pub use svg::tree_svg;

use super::human;
use queens::solve::Branch;
use queens::solve::tree::{Kind, Node, Tree};

/// A node to draw.
struct Drawn {
    /// The node above it, by its place among those that are drawn; none for the root.
    parent: Option<usize>,
    /// The branches to it from there, several where choices are joined.
    branches: Vec<Branch>,
    kind: Kind,
}

/// The nodes to draw, each after the one above it, branches from left to right as they were walked.
fn drawn(nodes: &[Node]) -> Vec<Drawn> {
    // The choice on which a node's branches hang: where its square is given up, that of the node above.
    let mut hangs_on = Vec::with_capacity(nodes.len());
    let mut branches = vec![0; nodes.len()];
    let above = |node: &Node, hangs_on: &[usize]| node.parent.map(|parent| hangs_on[parent]);
    for (i, node) in nodes.iter().enumerate() {
        let goes_on = matches!(node.kind, Kind::Choice | Kind::Open);
        match above(node, &hangs_on) {
            Some(above) if goes_on && node.branch.is_some_and(|branch| !branch.queen) => {
                hangs_on.push(above);
            }
            above => {
                hangs_on.push(i);
                above.into_iter().for_each(|above| branches[above] += 1);
            }
        }
    }
    let mut drawn = Vec::<Drawn>::new();
    // Of each node, its place among those that are drawn, or what to put before the branches of the one below it.
    let mut places = vec![(None, Vec::new()); nodes.len()];
    for (i, node) in nodes.iter().enumerate().filter(|&(i, _)| hangs_on[i] == i) {
        let (parent, mut path) =
            above(node, &hangs_on).map_or_else(Default::default, |above| places[above].clone());
        path.extend(node.branch);
        let is_joined = i > 0 && node.kind == Kind::Choice && branches[i] == 1;
        places[i] = match is_joined {
            true => (parent, path),
            false => {
                drawn.push(Drawn {
                    parent,
                    branches: path,
                    kind: node.kind,
                });
                (Some(drawn.len() - 1), Vec::new())
            }
        };
    }
    drawn
}

impl Drawn {
    /// The branches to it in few lines.
    fn label(&self, n: u32) -> Vec<String> {
        match &self.branches[..] {
            [first, others @ .., last] if others.len() > 1 => {
                vec![first.name(n), format!("+{}", others.len()), last.name(n)]
            }
            // A line for each word.
            [branch] => branch.name(n).split(' ').map(str::to_owned).collect(),
            few => few.iter().map(|branch| branch.name(n)).collect(),
        }
    }

    /// It and the branches to it in words.
    fn words(&self, n: u32) -> String {
        let kind = match self.kind {
            Kind::Choice => "choice".to_owned(),
            Kind::Open => "choice, not walked to its end".to_owned(),
            Kind::Failure => "failure".to_owned(),
            Kind::Solution => "solution".to_owned(),
            Kind::Folded { failures } => {
                format!("folded: {}", human::plural(failures as usize, "failure"))
            }
        };
        let branches: Vec<_> = self.branches.iter().map(|branch| branch.name(n)).collect();
        match branches.is_empty() {
            true => format!("root: {kind}"),
            false => format!("{}: {kind}", branches.join(" ")),
        }
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
