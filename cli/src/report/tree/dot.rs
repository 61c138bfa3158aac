//! Search trees as graphs for Graphviz.

use std::fmt::Write as _;

use super::{cut, drawn, short};
use queens::solve::tree::{Kind, Tree};

/// A graph in Graphviz's language, for a tree of boards of size `n`.
///
/// ```
/// use queens_cli::report::tree_dot;
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
    for (i, node) in drawn(tree.nodes()).iter().enumerate() {
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
        let _ = writeln!(dot, r#"  n{i} [{style}, tooltip="{}"];"#, node.words(n));
        if let Some(parent) = node.parent {
            let label = node.label(n).join("\\n");
            let _ = writeln!(dot, r#"  n{parent} -> n{i} [label="{label}"];"#);
        }
    }
    dot.push_str("}\n");
    dot
}
