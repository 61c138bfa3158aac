//! A page with charts in Markdown and HTML, built from saved benchmarks.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::bench::{noisy, size};
use super::chart::time_against_n;
use super::document::{Format, Prose};
use crate::human::{self, absent, percent, plural};
use crate::measure::{Benchmark, Purpose, Score};
use crate::message::one_line;
use crate::solve::html::{STYLE, document};

/// File name of the page in Markdown.
pub const PAGE: &str = "README.md";

/// File name of the page in HTML.
pub const WEB_PAGE: &str = "index.html";

/// Heading of the page.
const TITLE: &str = "Results";

/// First line of the page below its heading.
pub(crate) const GENERATED: &str = "This page was generated from saved benchmarks.";

/// Beginning of the titles of charts.
pub(crate) const CHART: &str = "Time to count all solutions (fastest run)";

/// Maximum length of a CPU's name in the title of a chart, in characters.
const LONGEST_TITLE: usize = 48;
/// Maximum length of a machine's name in a file name, in characters.
const LONGEST_NAME: usize = 100;

/// Returns a page that shows these benchmarks in this order, in Markdown and HTML, and its charts,
/// as a map from file names to contents. The charts are also part of the HTML.
///
/// ```no_run
/// use queens_cli::measure::load;
/// use queens_cli::report::page;
///
/// let saved = load("tests/fixtures/bench-one.json".as_ref())?;
/// for (name, text) in page(&[saved]) {
///     println!("{name}: {} bytes", text.len());
/// }
/// # anyhow::Ok(())
/// ```
pub fn page(saved: &[Benchmark]) -> BTreeMap<String, String> {
    let (mut prose, mut files) = (Prose::new(Format::Markdown), BTreeMap::new());
    prose.heading(1, TITLE);
    prose.line(GENERATED);
    let mut benchmarks = Vec::new();
    for benchmark in saved {
        // Benchmarks of the same machine and date are numbered.
        let name = benchmark.environment.name();
        let is_same = |(_, other): &&(_, &Benchmark)| other.environment.name() == name;
        let label = match benchmarks.iter().filter(is_same).count() {
            0 => name,
            before => format!("{name}, no. {}", before + 1),
        };
        benchmarks.push((label, benchmark));
    }
    ranking(&benchmarks, &mut prose);
    for (label, benchmark) in benchmarks {
        times(&label, benchmark, &mut prose, &mut files);
    }
    let markdown = prose.into_text();
    files.insert(WEB_PAGE.to_owned(), html(&markdown, &files));
    files.insert(PAGE.to_owned(), markdown);
    files
}

/// Converts Markdown to an HTML page, and replaces images by the drawings in `files`.
fn html(markdown: &str, files: &BTreeMap<String, String>) -> String {
    let (mut body, mut is_in_image) = (String::new(), false);
    let events =
        Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                is_in_image = true;
                Some(Event::InlineHtml(files[&*dest_url].as_str().into()))
            }
            Event::End(TagEnd::Image) => {
                is_in_image = false;
                None
            }
            event => (!is_in_image).then_some(event),
        });
    pulldown_cmark::html::push_html(&mut body, events);
    document(TITLE, &format!("{STYLE}{}", include_str!("page.css")), &body)
}

/// Returns a score as a table row.
fn ranked(score: &Score, label: &str, version: &str) -> [(&'static str, String); 7] {
    let rate = |rate: Option<f64>| rate.map_or_else(absent, human::si);
    let efficiency = score.efficiency().map_or_else(absent, percent);
    [
        ("Machine", label.to_owned()),
        ("1 thread", rate(score.one_thread)),
        ("All threads", rate(score.all_threads)),
        ("Efficiency", efficiency),
        ("Kernel", score.workload.kernel.to_string()),
        ("queens", version.to_owned()),
        ("Noisy", noisy(score.noisy)),
    ]
}

/// Adds a table of scores for each workload, with the fastest machine first.
fn ranking(benchmarks: &[(String, &Benchmark)], prose: &mut Prose) {
    let mut boards = BTreeMap::<_, Vec<_>>::new();
    for (label, benchmark) in benchmarks {
        for score in &benchmark.scores {
            let (engine, n) = (score.workload.engine.name(), score.workload.n);
            // A void score has no rank.
            if let Some(rate) = score.all_threads {
                let row = ranked(score, label, &benchmark.environment.version);
                let ranked = boards.entry((benchmark.workload, engine, n));
                ranked.or_default().push((rate, row));
            }
        }
    }
    if boards.is_empty() {
        return;
    }
    prose.heading(2, "Scores");
    prose.line(
        "Solutions per second with the engine's best kernel, in the fastest of several runs.",
    );
    for ((workload, engine, n), mut scores) in boards.into_iter().rev() {
        scores.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let title = format!("Workload {workload}, engine {engine}, N = {n}");
        prose.heading(3, title);
        prose.table(scores.into_iter().map(|(_, row)| row));
    }
}

/// Adds the table of board sizes, and a chart if there are at least two sizes.
fn times(
    label: &str,
    benchmark: &Benchmark,
    prose: &mut Prose,
    files: &mut BTreeMap<String, String>,
) {
    let fastest = benchmark.fastest();
    if fastest.is_empty() {
        return;
    }
    prose.heading(2, label);
    if fastest.len() > 1 {
        let mut lines = BTreeMap::<String, Vec<_>>::new();
        for row in benchmark.of(Purpose::Table).filter(|row| row.correct) {
            let of = row.workload;
            let name = format!("{}, {}", of.engine, plural(of.threads, "thread"));
            let point = (of.n, row.figures.least);
            lines.entry(name).or_default().push(point);
        }
        let cpu = human::beginning(&benchmark.environment.cpu, LONGEST_TITLE);
        let title = format!("{CHART}, {}", one_line(&cpu));
        let mut file = format!("{}-time-against-n.svg", file_name(label));
        while files.contains_key(&file) {
            file.insert_str(0, "other-");
        }
        prose.picture(&title, &file);
        let lines: Vec<_> = lines.into_iter().collect();
        files.insert(file, time_against_n(&title, &lines));
    }
    prose.line("The fastest configuration for each N. Times exclude program startup:");
    prose.table(fastest.into_values().map(size));
}

/// Converts a string to part of a file name, with only lower-case letters, digits and hyphens.
#[must_use]
pub fn file_name(text: &str) -> String {
    let words = text.to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    match words.join("-").chars().take(LONGEST_NAME).collect::<String>() {
        name if name.is_empty() => "cpu".to_owned(),
        name => name,
    }
}
