//! Tests of reading boards, with a second reader.

mod second;

use fastrand::Rng;
use queens::Square;
use queens::board::MAX_BOARD;
use rstest::rstest;

use super::{Boards, ParsedBoard, ReadError, parse};

/// With `BOARD_TEXTS=20000`, there are as many texts.
#[test]
fn a_second_reader_reads_the_same_boards() {
    let texts = std::env::var("BOARD_TEXTS").map_or(2_000, |texts| texts.parse().unwrap());
    let mut rng = Rng::with_seed(71);
    let (mut given, mut refused) = ([0; 2], 0);
    for number in 0..texts {
        let text = second::random_text(&mut rng);
        let shown = String::from_utf8_lossy(&text);
        let mut expected = Vec::new();
        let is_refused = second::read(&text, &mut expected).is_none();
        let mut boards = Boards::new(&text[..]);
        for expected in expected {
            let Some(Ok(mut board)) = boards.next() else { panic!("no {expected:?}:\n{shown}") };
            board.queens.sort_unstable();
            let queens = board.queens.iter().map(|q| (q.column as usize, q.row as usize));
            assert_eq!((board.n as usize, queens.collect()), expected, "text {number}:\n{shown}");
            let is_solution = second::is_solution(&expected);
            assert_eq!(board.check().is_ok(), is_solution, "text {number}:\n{shown}");
            given[usize::from(is_solution)] += 1;
        }
        let end = boards.next();
        assert_eq!(end.is_some_and(|end| end.is_err()), is_refused, "text {number}:\n{shown}");
        assert!(boards.next().is_none(), "a board after an error");
        refused += u32::from(is_refused);
    }
    // All outcomes are common.
    let least = given[0].min(given[1]).min(refused);
    assert!(least > texts / 10, "{given:?} {refused}");
}

#[test]
fn blocked_squares_are_read() {
    let board = parse("_#\nQ.\n").unwrap().remove(0);
    assert_eq!((board.n, board.queens), (2, vec![Square::new(0, 1)]));
    assert_eq!(board.blocked, [Square::new(1, 0)]);
}

/// Each form in the guide or that the library writes, as the rows of its queens.
#[rstest]
#[case("  Q \nQ   \n   Q\n Q  ", "1 3 0 2")]
#[case("Solution 1\n_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ #\nN = 4: 1 solution\n", "1 3 0 2")]
#[case("{\"n\":4,\"solution\":2,\"seconds\":0.0015,\"rows\":[1,3,0,2]}\n", "1 3 0 2")]
#[case("0 0 1 0\n1 0 0 0\n0 0 0 1\n0 1 0 0\n", "1 3 0 2")]
#[case("[[0, 0, 1, 0],\n [1, 0, 0, 0],\n [0, 0, 0, 1],\n [0, 1, 0, 0]]", "1 3 0 2")]
#[case("|.|.|*|.|\n|*|.|.|.|\n|.|.|.|*|\n|.|*|.|.|", "1 3 0 2")]
#[case("4\n--q-\nq---\n---q\n-q--", "1 3 0 2")]
#[case("2413", "1 3 0 2")]
#[case("2413\n3142", "1 3 0 2; 2 0 3 1")]
#[case("2\n4\n1\n3", "1 3 0 2")]
#[case("4\n2\n4\n1\n3", "1 3 0 2")]
#[case("\u{feff}1,3,0,2\r\n(3, 1, 4, 2)\r\n", "1 3 0 2; 2 0 3 1")]
#[case("4 queens\n1,3,0,2\nn = 4\nStatistics\n  wall time: 0.1 s\n", "1 3 0 2")]
#[case("0\n0\n0\n", "0 0 0")]
#[case("0 1\n1 0\n", "1 0")]
#[case("Q", "0")]
#[case("1", "0")]
fn accepted_forms(#[case] text: &str, #[case] boards: &str) {
    let rows = |mut board: ParsedBoard| {
        board.queens.sort_unstable();
        assert!(board.queens.iter().map(|queen| queen.column).eq(0..board.n), "{text}");
        board.queens.iter().map(|queen| queen.row.to_string()).collect::<Vec<_>>().join(" ")
    };
    let found: Vec<_> = parse(text).unwrap().into_iter().map(rows).collect();
    assert_eq!(found.join("; "), boards);
}

/// Each error names the first line that cannot be read, quotes it, and gives the reason.
#[rstest]
#[case("", "line 1: no board found (accepted: a board drawn with")]
#[case("Solution 1\n\n", "line 2: no board found, only a line of words (accepted")]
#[case("\nx\n", "line 2: 'x': 'x' is not a square or a row (accepted: a board drawn with")]
#[case("Q _\n_ x\n", "line 2: '_ x': 'x' is not a square (accepted: Q, _, . and #)")]
#[case("\nQ _ _\n_ _\n", "line 3: '_ _': 2 squares, but line 2 has 3")]
#[case("Q _\n_ _\n_ _\n_ Q\n", "line 3: '_ _': 4 lines with 2 squares each (accepted: 2 lines)")]
#[case("Q _ _\n_ _ Q\n\n", "line 2: '_ _ Q': the 3 x 3 board ends after 2 of its rows")]
#[case("Q\n Q\n  Q\n", "line 2: ' Q': 3 lines with 1 square each (accepted: 1 line)")]
#[case("Q \n", "line 1: 'Q ': one square and blanks (accepted: a board of one square alone)")]
#[case("Qx\nQQ\n", "line 1: 'Qx': 'x' is not a square")]
#[case("*.\n.Q\n", "line 2: '.Q': '*' beside other queens (accepted: Q, or # for")]
#[case("0 1 0 0\n0 0 0 1\n", "line 2: '0 0 0 1': the 4 x 4 board ends after 2 of its rows")]
#[case("1,3,0,2\n0 x\n", "line 2: '0 x': 'x' is not a row (accepted: numbers from 0 or from 1)")]
#[case("1,3,0,2\n4\n", "line 2: '4': one number among lists of several")]
#[case("1,3,,2", "line 1: '1,3,,2': nothing before ','")]
#[case("1,3,2,", "line 1: '1,3,2,': nothing after the last comma")]
#[case("[[1,3,0,2]\n[1,3,0,2]", "line 1: '[[1,3,0,2]': a bracket is not closed")]
#[case("[1,3,0,2\n[2,0,3,1", "line 1: '[1,3,0,2': a bracket is not closed")]
#[case("1,3,0,2]", "line 1: '1,3,0,2]': ']' closes no bracket")]
#[case(
    "1,3,0,5",
    "line 1: '1,3,0,5': '5' is not a row of a 4 x 4 board (accepted: 0 to 3, or 1 to 4)"
)]
#[case("1,4,0,2", "line 1: '1,4,0,2': a list with 0 and 4 (accepted: 0 to 3, or 1 to 4)")]
#[case("1\n3\n0\n7\n", "line 4: '7': '7' is not a row of a 4 x 4 board")]
#[case("15863729", "line 1: '15863729': '9' is not a row of a 8 x 8 board")]
#[case("1023456789", "line 1: '1023456789': no separate numbers (accepted: commas")]
#[case("7", "line 1: '7': '7' is not a row of a 1 x 1 board (accepted: 0 or 1)")]
#[case("2\n0\n1\n", "line 1: '2': N = 2 and its rows, or 3 rows (accepted: rows in one line)")]
#[case("a2,b4,c1,d3\n", "line 1: 'a2,b4,c1,d3': 'a2' is not a square or a row (accepted: a board")]
#[case("{\"n\":5,\"rows\":[1,3,0,2]}\n", "4 rows, but n is 5")]
#[case("{\"rows\":[1,3,0,4]}\n", "a row is not on the 4 x 4 board (accepted: 0 to 3)")]
#[case("[\n{\"rows\":[0]},\n", "line 2: the array in JSON has no end")]
#[case("[\n{\"rows\":[0]}\n{\"rows\":[0]}\n]", "line 3: '{\"rows\":[0]}': no comma after the line")]
#[case(
    "{\"rows\":[0]}\n{\"rows\":[1,\n",
    "line 2: '{\"rows\":[1,': not a board in JSON (accepted: an object"
)]
#[case("1,3,0,2\r2,0,3,1", "line 1: '1,3,0,2\r2,0,3,1': a carriage return within the line")]
fn errors_quote_the_line(#[case] text: &str, #[case] says: &str) {
    let error = parse(text).unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[rstest]
#[case(b"\xff\xfe1\0,\x003\0", "line 1: '1,3': UTF-16 or no text (accepted: UTF-8)")]
#[case(b"1\0,\x003\0", "line 1: '1,3': UTF-16 or no text (accepted: UTF-8)")]
#[case(b"0\nL\xf6sung\n", "line 2: 'L\u{fffd}sung': another encoding than UTF-8 (accepted: UTF-8)")]
fn other_encodings_are_named(#[case] text: &[u8], #[case] says: &str) {
    let error = Boards::new(text).find_map(Result::err).unwrap();
    assert_eq!(error.to_string(), says);
}

/// The longest list has a number in each line, below N.
#[test]
fn the_largest_board_is_read_line_by_line() {
    let lines: String =
        [MAX_BOARD].into_iter().chain(1..=MAX_BOARD).map(|i| format!("{i}\n")).collect();
    assert_eq!(parse(&lines).unwrap()[0].n, MAX_BOARD);
    assert!(parse(&(lines + "0\n")).is_err());
}

#[test]
fn long_lines_are_quoted_in_part() {
    let error = parse(&format!("0 {}x", "1 ".repeat(1_000))).unwrap_err().to_string();
    assert!(error.starts_with("line 1: '0 1 1 1") && error.len() < 200, "{error}");
}

/// Blocks are read as they arrive: the stream behind the second block fails.
#[test]
fn a_block_is_read_before_the_next() {
    use std::io::{self, Read};
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    let mut boards = Boards::new("Q\n\n1,3,0,2\n\n".as_bytes().chain(Broken));
    assert!(boards.by_ref().take(2).all(|board| board.is_ok_and(|board| board.check().is_ok())));
    assert!(boards.next().is_some_and(|end| matches!(end, Err(ReadError::Io(_)))));
}

#[rstest]
#[case("Q_\nQ_", "a2 and a1 attack each other along a column")]
#[case("0 0 3 1", "a4 and b4 attack each other along a row")]
#[case("Q_\n__", "column b has no queen")]
#[case("_", "column a has no queen")]
fn a_wrong_board_has_a_reason(#[case] text: &str, #[case] reason: &str) {
    assert_eq!(parse(text).unwrap()[0].check(), Err(reason.to_owned()));
}
