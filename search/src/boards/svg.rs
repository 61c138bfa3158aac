//! SVG drawings with one or more boards.

use std::fmt::Write as _;

use super::drawing::{self, INK};
use queens::{Board, Placement, Square};

const MARGIN: u32 = 20;
const NUMBER_HEIGHT: u32 = 22;

/// Crown in a 10 x 10 box. It is a path, so that no font is needed.
const QUEEN: &str = "M2 8.5h6v-1.1h-6zM2.3 6.8L1 3L3.3 5L3.5 2L5 4.5L6.5 2L6.7 5L9 3L7.7 6.8z";
/// Outline of the mark of a blocked square, in a box of the same size.
const BLOCK: &str = "M1 1h8v8h-8zM1 9l8-8";

/// Space for the coordinates, to the left of and below each board.
const GUTTER: u32 = 20;
/// Minimum width of a board that is drawn alone.
const NARROWEST_ALONE: u32 = 480;

/// Returns the side length of a square in pixels. It is smaller on large boards, and larger if a
/// board is drawn alone.
fn side(n: u32, is_alone: bool) -> u32 {
    let usual = if n <= 32 { 20 } else { 8 };
    let alone = NARROWEST_ALONE.div_ceil(n.max(1));
    if is_alone { usual.max(alone) } else { usual }
}

/// Returns a drawing of one or more boards. A single board has no number. Preplaced queens are
/// blue, and blocked squares are grey. A sheet has about as many boards across as
/// down.
#[must_use]
pub fn svg(solutions: &[Placement], board: &Board, title: &str) -> String {
    let is_alone = solutions.len() == 1;
    let side = side(board.n(), is_alone);
    let size = board.n() * side;

    let step_x = GUTTER + size + MARGIN;
    let step_y = size + GUTTER + if is_alone { 0 } else { NUMBER_HEIGHT } + MARGIN;
    // A sheet without boards has space for one.
    let count = solutions.len().max(1) as u32;
    let across = f64::from(count).sqrt().ceil() as u32;
    let (width, height) = (MARGIN + across * step_x, MARGIN + count.div_ceil(across) * step_y);

    let mut svg = drawing::begin(width, height, title);
    svg.push_str(&definitions(board.n(), side));
    for (i, solution) in (0..).zip(solutions) {
        let x = MARGIN + GUTTER + i % across * step_x;
        let y = MARGIN + i / across * step_y;
        let number = if is_alone { String::new() } else { (i + 1).to_string() };
        captioned(&mut svg, &format!("translate({x} {y})"), solution, board, side, &number);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws a board with coordinates, and a caption below it.
fn captioned(
    svg: &mut String,
    transform: &str,
    solution: &Placement,
    board: &Board,
    side: u32,
    caption: &str,
) {
    let size = board.n() * side;
    let _ = writeln!(
        svg,
        r##"<g transform="{transform}"><rect width="{size}" height="{size}" fill="url(#squares)" stroke="#6b4a2b"/>"##
    );
    coordinates(svg, board.n(), side);
    draw(svg, solution, board, side);
    if !caption.is_empty() {
        drawing::text(svg, (0, size + GUTTER + 16), 12, "start", caption);
    }
    svg.push_str("</g>\n");
}

/// Returns the definitions shared by all boards of this size: the pieces, and the pattern of
/// squares with a1 dark.
pub(crate) fn definitions(n: u32, side: u32) -> String {
    let (double, scale) = (2 * side, f64::from(side) / 10.0);
    // The pattern starts with a light square at the top left, and a1 is n - 1 squares below it.
    let begin = n % 2 * side;
    format!(
        r##"<defs>
<pattern id="squares" y="{begin}" width="{double}" height="{double}" patternUnits="userSpaceOnUse"><rect width="{double}" height="{double}" fill="#f3e3c3"/><path d="M{side} 0h{side}v{side}h-{side}zM0 {side}h{side}v{side}h-{side}z" fill="#c39a6b"/></pattern>
<path id="crown" d="{QUEEN}" transform="scale({scale})"/>
<use id="queen" href="#crown" fill="{INK}"/>
<use id="preplaced" href="#crown" fill="#1746b0"/>
<path id="blocked" d="{BLOCK}" transform="scale({scale})" fill="#5d6470" stroke="{INK}" stroke-width="0.6"/>
</defs>
"##
    )
}

/// Writes the column and row labels beside a board, or only every fifth label if the squares are
/// small.
fn coordinates(svg: &mut String, n: u32, side: u32) {
    let (every, size) = if side >= 14 { (1, 10) } else { (5, 8) };
    for i in (every - 1..n).step_by(every as usize) {
        let (middle, column) = (i * side + side / 2, Square::new(i, 0).column_name());
        drawing::text(svg, (middle, n * side + 12), size, "middle", &column);
        let (y, rank) = ((n - 1 - i) * side + side / 2 + 4, (i + 1).to_string());
        drawing::text(svg, (-4, y), size, "end", &rank);
    }
}

/// Draws the queens and blocked squares of a board.
fn draw(svg: &mut String, solution: &Placement, board: &Board, side: u32) {
    let mut draw = |what: &str, square: Square| {
        let (x, y) = (square.column * side, square.row * side);
        let _ = writeln!(svg, r##"<use href="#{what}" x="{x}" y="{y}"/>"##);
    };
    for square in board.blocked_squares() {
        draw("blocked", square);
    }
    for square in solution.squares() {
        let is_preplaced = board.has_queen(square);
        draw(if is_preplaced { "preplaced" } else { "queen" }, square);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Solutions, solutions};
    use rstest::rstest;

    #[test]
    fn queens_are_drawn_on_their_squares() {
        for n in [0, 1, 4, 8] {
            let all: Vec<_> = solutions(n).unwrap().collect();
            let side = side(n, all.len() == 1);
            let queens = all.iter().flat_map(Placement::squares).map(|square| {
                let (x, y) = (square.column * side, square.row * side);
                format!(r##"<use href="#queen" x="{x}" y="{y}"/>"##)
            });
            let svg = super::svg(&all, &Board::new(n).unwrap(), "all");
            assert!(svg.lines().filter(|line| line.starts_with("<use href")).eq(queens));
            // As on a chessboard, the first row is at the bottom.
            let y = |rank: u32| {
                let (before, _) = svg.split_once(&format!(">{rank}</text>")).unwrap();
                let (_, y) = before.rsplit_once(" y=\"").unwrap();
                y.split('"').next().unwrap().parse::<i32>().unwrap()
            };
            assert!(n < 4 || y(1) > y(n));
        }
    }

    #[test]
    fn a_sheet_may_have_no_boards() {
        let svg = super::svg(&[], &Board::new(3).unwrap(), "none");
        assert!(svg.ends_with("</svg>\n") && !svg.contains("<g "));
    }

    #[rstest]
    #[case(4, 2)]
    #[case(92, 10)]
    fn a_sheet_is_nearly_a_square(#[case] boards: usize, #[case] across: usize) {
        let all: Vec<_> = solutions(8).unwrap().collect();
        let all: Vec<_> = all.into_iter().cycle().take(boards).collect();
        let svg = super::svg(&all, &Board::new(8).unwrap(), "all");
        assert_eq!(svg.matches(" 20)\"><rect").count(), across);
        assert!(svg.contains(&format!(">{boards}</text>")), "boards are numbered");
        let height = svg.split('"').nth(5).unwrap().parse::<u32>().unwrap();
        let (_, last) = svg.rsplit_once("translate(").unwrap();
        let (_, y) = last.split_once(')').unwrap().0.split_once(' ').unwrap();
        assert!(y.parse::<u32>().unwrap() + 8 * side(8, false) < height, "{last} {height}");
    }

    #[test]
    fn a_sheet_shows_preplaced_queens_and_blocked_squares() {
        let square = |name| Square::parse(name, 6).unwrap();
        let mut board = Board::new(6).unwrap();
        board.place(square("b6")).unwrap();
        board.block(square("d1")).unwrap();
        board.block(square("c5")).unwrap(); // attacked by the queen
        let all: Vec<_> = Solutions::new(&board).unwrap().collect();
        let svg = super::svg(&all, &board, "all");
        let boards = svg.matches("<g ").count();
        assert_eq!(svg.matches("href=\"#queen\"").count(), 5 * boards);
        // b6 is in the second column and the top row, d1 in the fourth column and the bottom row.
        assert!(boards > 0);
        let side = side(6, boards == 1);
        for (what, column, row) in [("preplaced", 1, 0), ("blocked", 3, 5), ("blocked", 2, 1)] {
            let place = format!(r#"{what}" x="{}" y="{}""#, column * side, row * side);
            assert_eq!(svg.matches(&format!("\"#{place}")).count(), boards);
        }
    }
}
