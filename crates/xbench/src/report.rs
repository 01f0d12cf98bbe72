//! What was measured, as a table for people and as JSON for programs.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, thread};

use anyhow::Context as _;
use serde_json::{Value, json};

/// The times of one case, in microseconds, round by round.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    rounds: Vec<Vec<f64>>,
}

impl Series {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            rounds: Vec::new(),
        }
    }

    pub(crate) fn add_round(&mut self, times: &[Duration]) {
        let mut round: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        round.sort_by(f64::total_cmp);
        self.rounds.push(round);
    }

    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        self.rounds.iter().all(Vec::is_empty)
    }

    /// The median of each round.
    pub(crate) fn medians(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| share(round, 0.5)).collect()
    }

    fn all(&self) -> Vec<f64> {
        let mut all = self.rounds.concat();
        all.sort_by(f64::total_cmp);
        all
    }
}

/// The value below which this share of sorted values lies; 0 where there are none.
pub(crate) fn share(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

/// Whether a promise holds.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) what: String,
    /// The promise in words, such as `at most 1.5×`.
    pub(crate) promise: String,
    /// Found in the median over the rounds, in the best and in the worst of them.
    pub(crate) found: [f64; 3],
    pub(crate) held: bool,
}

/// How many of the controls of one toolkit can be named and used.
#[derive(Debug)]
pub(crate) struct Covered {
    pub(crate) toolkit: String,
    /// What is counted, and how many there are.
    pub(crate) cells: Vec<(&'static str, String)>,
    /// What each control lacks.
    pub(crate) missing: Vec<String>,
}

/// Everything of one run.
#[derive(Debug)]
pub(crate) struct Report {
    quick: bool,
    series: Vec<Series>,
    numbers: Vec<(String, &'static str, f64)>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) coverage: Vec<Covered>,
    /// What could not be measured, and why.
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn new(quick: bool) -> Self {
        Self {
            quick,
            series: Vec::new(),
            numbers: Vec::new(),
            verdicts: Vec::new(),
            coverage: Vec::new(),
            failures: Vec::new(),
        }
    }

    pub(crate) fn series(&mut self, series: Series) {
        self.series.push(series);
    }

    pub(crate) fn number(&mut self, name: impl Into<String>, unit: &'static str, value: f64) {
        self.numbers.push((name.into(), unit, value));
    }

    /// A series by its name.
    pub(crate) fn find(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.name == name)
    }

    /// A number by its name.
    pub(crate) fn find_number(&self, name: &str) -> Option<f64> {
        self.numbers
            .iter()
            .find(|number| number.0 == name)
            .map(|number| number.2)
    }

    /// Says what is being done, since the whole takes minutes.
    #[expect(clippy::print_stderr, reason = "progress is for the person who waits")]
    #[expect(clippy::unused_self, reason = "the report is the one place that prints")]
    pub(crate) fn progress(&self, what: &str) {
        eprintln!("measuring: {what}");
    }

    /// Prints the tables.
    pub(crate) fn print(&self) {
        self.coverage_lines().iter().for_each(|text| line(text));
        if !self.series.is_empty() || !self.numbers.is_empty() {
            self.print_measured();
        }
        for failure in &self.failures {
            line(&format!("\nNOT MEASURED: {failure}"));
        }
        if self.quick {
            line("\nThis was a quick run: it shows that everything runs, and its numbers mean little.");
        }
    }

    /// How many controls can be named and used, as the table that the documentation shows.
    fn coverage_lines(&self) -> Vec<String> {
        let Some(first) = self.coverage.first() else {
            return Vec::new();
        };
        let row = |cells: Vec<&str>| format!("| {} |", cells.join(" | "));
        let heads: Vec<&str> = first.cells.iter().map(|(head, _)| *head).collect();
        let mut lines = vec![String::new(), row([vec!["toolkit"], heads].concat())];
        lines.push(format!("|---{}|", "|---".repeat(first.cells.len())));
        for covered in &self.coverage {
            let cells = covered.cells.iter().map(|(_, cell)| cell.as_str());
            lines.push(row(std::iter::once(covered.toolkit.as_str())
                .chain(cells)
                .collect()));
        }
        for covered in &self.coverage {
            for missing in &covered.missing {
                lines.push(format!("{}: {missing}", covered.toolkit));
            }
        }
        lines
    }

    fn print_measured(&self) {
        line(&format!(
            "\n{:<46} {:>10} {:>10} {:>10}   medians of the rounds",
            "microseconds", "median", "p95", "n"
        ));
        for series in &self.series {
            let all = series.all();
            let mut medians = series.medians();
            medians.sort_by(f64::total_cmp);
            line(&format!(
                "{:<46} {:>10.1} {:>10.1} {:>10}   {:.1} to {:.1}",
                series.name,
                share(&all, 0.5),
                share(&all, 0.95),
                all.len(),
                share(&medians, 0.0),
                share(&medians, 1.0),
            ));
        }
        line("");
        for (name, unit, value) in &self.numbers {
            line(&format!("{name:<46} {value:>10.2} {unit}"));
        }
        line(&format!("\n{:<42} {:<56} {:>8}   rounds", "promise", "", "found"));
        for verdict in &self.verdicts {
            let [found, low, high] = verdict.found;
            let word = if verdict.held { "held" } else { "NOT HELD" };
            line(&format!(
                "{:<42} {:<56} {found:>8.2}   {low:.2} to {high:.2}   {word}",
                verdict.what, verdict.promise
            ));
        }
    }

    /// Writes the JSON.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let text = serde_json::to_string_pretty(&self.to_json())? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        line(&format!("\nwritten to {}", path.display()));
        Ok(())
    }

    fn to_json(&self) -> Value {
        let series: Vec<Value> = self
            .series
            .iter()
            .map(|series| {
                let all = series.all();
                json!({
                    "name": series.name, "unit": "us", "n": all.len(),
                    "median": share(&all, 0.5), "p95": share(&all, 0.95), "p99": share(&all, 0.99),
                    "round_medians": series.medians(),
                })
            })
            .collect();
        let numbers: Vec<Value> = self
            .numbers
            .iter()
            .map(|(name, unit, value)| json!({"name": name, "unit": unit, "value": value}))
            .collect();
        let verdicts: Vec<Value> = self
            .verdicts
            .iter()
            .map(|verdict| {
                let [found, low, high] = verdict.found;
                json!({
                    "what": verdict.what, "promise": verdict.promise, "held": verdict.held,
                    "found": found, "best_round": low, "worst_round": high,
                })
            })
            .collect();
        let coverage: Vec<Value> = self
            .coverage
            .iter()
            .map(|covered| {
                let cells = covered.cells.iter().cloned();
                let cells: serde_json::Map<String, Value> =
                    cells.map(|(head, cell)| (head.to_owned(), cell.into())).collect();
                json!({"toolkit": covered.toolkit, "controls": cells, "missing": covered.missing})
            })
            .collect();
        json!({"run": self.run(), "series": series, "numbers": numbers, "promises": verdicts, "coverage": coverage, "failures": self.failures})
    }

    /// When, where and of what.
    fn run(&self) -> Value {
        let first_line = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            text.lines().next().map(str::to_owned)
        };
        let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = processor
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map(|(_, model)| model.to_owned());
        json!({
            "unix_seconds": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            "commit": first_line("git", &["rev-parse", "HEAD"]),
            "kernel": first_line("uname", &["-sr"]),
            "processor": model,
            "cores": thread::available_parallelism().map_or(0, usize::from),
            "quick": self.quick,
        })
    }
}

#[expect(clippy::print_stdout, reason = "the report is this program's output")]
fn line(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_sorted_values() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(share(&values, 0.0), 1.0);
        assert_eq!(share(&values, 0.5), 3.0);
        assert_eq!(share(&values, 1.0), 5.0);
        assert_eq!(share(&[], 0.5), 0.0);
    }

    #[test]
    fn medians_are_taken_in_each_round() {
        let mut series = Series::new("x");
        series.add_round(&[3, 1, 2].map(Duration::from_micros));
        series.add_round(&[9, 7, 8].map(Duration::from_micros));
        let medians: Vec<f64> = series.medians().into_iter().map(f64::round).collect();
        assert_eq!(medians, [2.0, 8.0]);
    }
}
