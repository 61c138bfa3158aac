//! What the system refuses: threads, memory, room on the disk, a stream; and what would steer a terminal.

use std::process::{Command, Stdio};

use super::program::{Place, assert_says, queens, resealed, run};

/// The program as a shell starts it, after `before` and with `after` behind it.
fn in_shell(place: &Place, before: &str, arguments: &str, after: &str) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("{before}; exec \"$0\" {arguments} {after}");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_queens")]);
    shell.current_dir(place.at("."));
    shell
}

/// Each thread has a stack, for which the address space does not suffice.
#[test]
fn threads_that_cannot_start_are_an_error_in_one_line() {
    let place = Place::new();
    for arguments in [
        "count 10 --threads 60",
        "count 10 --classes --published --threads 60",
        "estimate 10 --threads 60",
        "selftest --threads 60",
    ] {
        // Stacks so large that where one does not fit, there is room for all that the threads already begun ask for.
        let before = "export RUST_MIN_STACK=100000000; ulimit -v 1000000";
        let (_, message) = run(1, &mut in_shell(&place, before, arguments, ""));
        assert_says(
            &message,
            &["error: --threads: threads could not be started (60 needed)"],
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_plan_that_cannot_be_written_leaves_no_folder() {
    let place = Place::new();
    let (_, message) = run(
        1,
        &mut in_shell(&place, "ulimit -f 0", "shards plan d 8 --shards 4", ""),
    );
    assert_says(&message, &["error: ", "plan.json"]);
    assert!(place.files().is_empty());
}

/// Names of files, what files hold, and what is typed.
#[test]
fn nothing_steers_the_terminal() {
    let place = Place::new();
    place.stdout("shards plan d 8 --shards 1");
    place.stdout("shards run d 0");
    let shard = place.read("d/shard-000000.ledger");
    let kernel = place.completion("d/shard-000000.ledger")["kernel"].to_string();
    let forged = resealed(&shard, &kernel, "\"\\u001b[2J\\u009b2J\"");
    place.write("d/shard-000000.ledger", forged);
    place.write("\x1b[2J", "Dear diary");
    for (code, arguments) in [
        (0, "shards merge d"),
        (0, "shards merge d --format json"),
        (2, "count 8 --checkpoint \x1b[2J"),
        (2, "count 8 --checkpoint \u{9b}2J/a"),
        (2, "count \x1b[2J"),
        (2, "\x1b[2J"),
        (2, "report \x1b[2J --out page"),
        (2, "check \x1b[2J"),
    ] {
        let (stdout, stderr) = run(code, &mut queens(arguments, &place.at("")));
        let text = (stdout + &stderr).replace('\n', "");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
    let long = format!("check {}", "x".repeat(100_000));
    assert!(place.fails(2, &long, &["'xxx"]).len() < 500);
}

#[test]
fn nothing_to_check_is_an_error() {
    let place = Place::new();
    let check = in_shell(&place, "true", "check", "<&-");
    let (_, said) = run(1, &mut { check });
    assert_says(&said, &["standard input", "no board"]);
}

#[test]
fn what_a_search_has_shown_is_kept_however_it_ends() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let arguments = "solve 8 --limit 92 --strategy backtrack --tree tree.svg";
    run(
        0,
        queens(arguments, &place.at("")).stdout(Stdio::from(writer)),
    );
    assert!(place.read("tree.svg").contains("<svg"));
    let arguments = "solve 8 --trace --max-branches 3 --output trace";
    place.run(1, arguments);
    assert_says(&place.read("trace"), &["steps"]);
}
