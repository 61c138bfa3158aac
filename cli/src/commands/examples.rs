//! Examples of every command, as its help and its manual page end with them.

/// A command line, and what it does.
type Example = (&'static str, &'static str);

/// The examples of a command; those of the program have no name.
pub(crate) fn of(command: &str) -> Vec<Example> {
    let is_heading = |line: &&str| !line.starts_with("queens ");
    let lines = EXAMPLES.lines().skip_while(|line| *line != command);
    let lines = lines.skip(1).take_while(|line| !is_heading(line));
    lines
        .map(|line| line.split_once(" # ").unwrap_or((line, "")))
        .collect()
}

/// The examples of a command as its help shows them.
pub(crate) fn help(command: &str) -> String {
    let examples = of(command);
    let widest = examples.iter().map(|(line, _)| line.len()).max();
    let widest = widest.unwrap_or(0);
    let lines = examples
        .iter()
        .map(|(line, meaning)| format!("\n  {line:<widest$}  {meaning}"));
    format!("Examples:{}", lines.collect::<String>())
}

/// The name of each command, of the program at first, and below it a line for each example.
const EXAMPLES: &str = "
queens 16 # all solutions of the 16 by 16 board
queens table 1-12 # the solutions of every size to 12
queens solve 8 # one solution as a board
count
queens count 16 # the same as queens 16
queens count 14 -q # the bare number
queens count 14 --runs 5 # median, least and greatest time
queens count 8 --queen c5 --block a8 # other boards
queens count 12 --checkpoint q12.ckpt # can be resumed
queens count 15 -t 2 -f json -o q15.json # for programs
estimate
queens estimate 20 # time, memory and about how many
queens estimate 15 --seconds 1 # a smaller sample
table
queens table # N = 1 to 15
queens table 8,10,12 --reference # beside the OR-Tools guide
queens table 8..=12 --runs 5 --warmup 1 # five runs of each
queens table 1-10 -f csv -o table.csv # for a spreadsheet
bench
queens bench # about a minute; prints a score
queens bench --quick -v # ten seconds; every figure
queens bench --save results/ # a file named after this CPU
queens bench --baseline mine.json # against a saved one
report
queens report results/ --out page # ranks all in a folder
queens report mine.json yours.json --out page # two files
classes
queens classes 8 # 92 solutions, 12 of them fundamental
queens classes 20 --published # without counting Q(20)
solve
queens solve 8 # one solution, constructed at once
queens solve 6 --all -f list # every solution, one a line
queens solve 8 --fundamental -f html -o 8.html # a page
queens solve 20 --strategy first-fail --stats # search
queens solve 6 --tree tree.svg # the search tree
check
queens check 0,4,7,5,2,6,1,3 # rows from 0 at the top
queens solve 8 --all -f list | queens check # a board a line
plan
queens plan q14 14 --shards 4 # a folder for four tasks
queens plan q20 20 --shard-time 10m # tasks of ten minutes
shard
queens shard q14 0 # the first shard, on one thread
queens shard q14 3 -t 2 # the last of four, on two
missing
queens missing q14 # what is to be counted
status
queens status q14 # what is done, and the time left
queens status q14 --watch 60 # again every minute
merge
queens merge q14 # the total of all shards
selftest
queens selftest # every kernel, in seconds
stress
queens stress --minutes 10 # ten minutes on all cores
completions
queens completions bash > ~/.local/share/bash-completion/completions/queens
queens completions zsh > ~/.zfunc/_queens
queens completions fish > ~/.config/fish/completions/queens.fish
queens completions powershell >> $PROFILE
man
queens man count | man -l - # the page of one command
queens man --out ~/.local/share/man/man1 # all of them
";
