//! Repeating: every case in each of several rounds, so that a slow minute of the machine hits all of them alike.

use std::time::Duration;

use anyhow::Context as _;

use crate::report::{Report, Series};

/// How much is repeated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    /// Repetitions in a round of what takes microseconds.
    pub(crate) calls: usize,
    /// Of input, which takes effect over a tenth of a second.
    pub(crate) inputs: usize,
    /// Of what takes milliseconds.
    pub(crate) pictures: usize,
    /// Of what starts programs.
    pub(crate) programs: usize,
    /// How long rest is watched.
    pub(crate) rest: Duration,
    /// Keys typed for the delta stream.
    pub(crate) keys: usize,
}

impl Effort {
    pub(crate) const FULL: Self = Self {
        rounds: 7,
        calls: 150,
        inputs: 15,
        pictures: 12,
        programs: 4,
        rest: Duration::from_secs(20),
        keys: 60,
    };
    pub(crate) const QUICK: Self = Self {
        rounds: 2,
        calls: 10,
        inputs: 3,
        pictures: 2,
        programs: 1,
        rest: Duration::from_secs(2),
        keys: 5,
    };
}

/// One thing that is measured.
pub(crate) struct Case<'a> {
    pub(crate) name: &'static str,
    /// Repetitions in a round.
    pub(crate) times: usize,
    /// Does it once, and says how long it took.
    pub(crate) work: Box<dyn FnMut() -> anyhow::Result<Duration> + 'a>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        name: &'static str,
        times: usize,
        work: impl FnMut() -> anyhow::Result<Duration> + 'a,
    ) -> Self {
        Self {
            name,
            times,
            work: Box::new(work),
        }
    }
}

/// Runs every case in every round, each once beforehand, and reports the times.
pub(crate) fn run(mut cases: Vec<Case<'_>>, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let mut series: Vec<Series> = cases.iter().map(|case| Series::new(case.name)).collect();
    for _ in 0..effort.rounds {
        for (case, series) in cases.iter_mut().zip(&mut series) {
            let mut once = || (case.work)().with_context(|| format!("{} failed", case.name));
            once()?;
            let times: anyhow::Result<Vec<Duration>> = (0..case.times).map(|_| once()).collect();
            series.add_round(&times?);
        }
    }
    series.into_iter().for_each(|series| report.series(series));
    Ok(())
}
