//! The promises of the architecture, held against what was measured.

use std::time::Duration;

use crate::elements;
use crate::files;
use crate::fleet;
use crate::report::{Report, Series, Verdict, share};

/// Input verbs, each of which is one message and its ack.
pub(crate) const INPUT: &[&str] = &[
    "move",
    "click",
    "double_click",
    "right_click",
    "mouse_down",
    "mouse_up",
    "drag",
    "scroll",
    "key",
    "type_text, one letter",
];

/// An input verb, and the same events sent by a server that does nothing else.
const BY_HAND: &[(&str, &str)] = &[
    ("move", "by hand move"),
    ("click", "by hand click"),
    ("scroll", "by hand scroll"),
    ("key", "by hand key"),
];

/// A picture by the daemon, and the same work by hand.
pub(crate) const PICTURES: &[(&str, &str)] = &[
    ("screenshot png, desktop", "by hand png, desktop"),
    ("screenshot jpeg, desktop", "by hand jpeg, desktop"),
    ("screenshot png, text", "by hand png, text"),
    ("screenshot jpeg, text", "by hand jpeg, text"),
];

/// An act and a look at what it did.
pub(crate) const STEPS: &[&str] = &[
    "click + observe png, nothing reacts",
    "key + observe png, a terminal reacts",
];

/// Judges every promise of this plane.
pub(crate) fn judge(report: &mut Report) {
    let mut verdicts = Vec::new();
    // An empty round trip to the daemon is its ping; the echo server shows what the libraries alone take.
    for name in INPUT {
        verdicts.extend(at_most(report, name, "ping", 1.5));
        verdicts.extend(at_most(report, name, "echo server", 1.5));
    }
    // What bounds them: the X server wakes up for the same events whoever sends them.
    for (ours, by_hand) in BY_HAND {
        verdicts.extend(at_most(report, ours, by_hand, 1.5));
    }
    for ours in ["click after a rest", "key after a rest"] {
        for beside in ["ping after a rest", "by hand click after a rest"] {
            verdicts.extend(at_most(report, ours, beside, 1.5));
        }
    }
    for (ours, by_hand) in PICTURES {
        verdicts.extend(at_most(report, ours, by_hand, 1.25));
    }
    for beside in ["ping", "echo server"] {
        verdicts.extend(at_most(report, "not_modified, no damage", beside, 2.0));
    }
    for ours in STEPS {
        verdicts.extend(at_least(
            report,
            ours,
            "xdotool click, pause of 2 s, scrot png",
            20.0,
        ));
        verdicts.extend(at_least(report, ours, "xdotool click + scrot png", 1.0));
    }
    for ours in files::LARGE {
        verdicts.extend(at_most(report, ours, files::CAT, 2.0));
    }
    for (toolkit, count) in elements::promised() {
        let ours = elements::name("observe after one change", toolkit, count);
        verdicts.extend(series_at_most(report, &ours, elements::PROMISED));
        let walk = elements::name("pyatspi, walk again", toolkit, count);
        verdicts.extend(at_least(report, &ours, &walk, elements::TIMES_FASTER));
    }
    verdicts.extend(number_at_most(report, "frames of a resting screencast", 0.0));
    verdicts.extend(number_at_most(
        report,
        "processor, resting with a screencast",
        0.5,
    ));
    for (what, limit) in fleet::promised() {
        verdicts.extend(number_at_most(report, &what, limit));
    }
    verdicts.extend(
        report
            .find_number("sessions held in one thread")
            .map(|held| Verdict {
                what: "sessions held in one thread".to_owned(),
                promise: "at least 4000".to_owned(),
                found: [held; 3],
                held: held >= 4000.0,
            }),
    );
    report.verdicts = verdicts;
}

/// The ratio of two series of one round each, for every round: median, least and most.
fn ratios(over: &Series, under: &Series) -> [f64; 3] {
    let mut ratios: Vec<f64> = over
        .medians()
        .into_iter()
        .zip(under.medians())
        .map(|(over, under)| over / under)
        .collect();
    ratios.sort_by(f64::total_cmp);
    [0.5, 0.0, 1.0].map(|part| share(&ratios, part))
}

fn at_most(report: &Report, what: &str, beside: &str, limit: f64) -> Option<Verdict> {
    let found = ratios(report.find(what)?, report.find(beside)?);
    Some(Verdict {
        what: what.to_owned(),
        promise: format!("at most {limit}× {beside}"),
        found,
        held: found[0] <= limit,
    })
}

/// A series that is bounded by itself: median of the rounds, in milliseconds.
fn series_at_most(report: &Report, what: &str, limit: Duration) -> Option<Verdict> {
    let mut medians: Vec<f64> = report.find(what)?.medians().iter().map(|us| us / 1e3).collect();
    medians.sort_by(f64::total_cmp);
    let found = [0.5, 0.0, 1.0].map(|part| share(&medians, part));
    Some(Verdict {
        what: what.to_owned(),
        promise: format!("at most {} ms", limit.as_millis()),
        found,
        held: found[0] <= limit.as_secs_f64() * 1e3,
    })
}

fn at_least(report: &Report, what: &str, beside: &str, limit: f64) -> Option<Verdict> {
    let found = ratios(report.find(beside)?, report.find(what)?);
    Some(Verdict {
        what: what.to_owned(),
        promise: format!("{limit}× faster than {beside}"),
        found,
        held: found[0] >= limit,
    })
}

fn number_at_most(report: &Report, what: &str, limit: f64) -> Option<Verdict> {
    let found = report.find_number(what)?;
    Some(Verdict {
        what: what.to_owned(),
        promise: format!("at most {limit}"),
        found: [found; 3],
        held: found <= limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, rounds: [u64; 3]) -> Series {
        let mut series = Series::new(name);
        for micros in rounds {
            series.add_round(&[Duration::from_micros(micros)]);
        }
        series
    }

    #[test]
    fn a_promise_is_judged_by_the_median_of_the_rounds() {
        let mut report = Report::new(false);
        report.series(series("ping", [100, 100, 200]));
        report.series(series("move", [140, 160, 200]));
        report.series(series("click", [160, 170, 200]));
        judge(&mut report);
        let held: Vec<(&str, bool)> = report
            .verdicts
            .iter()
            .map(|verdict| (verdict.what.as_str(), verdict.held))
            .collect();
        assert_eq!(held, [("move", true), ("click", false)]);
        let [found, low, high] = report.verdicts[0].found;
        assert!((found - 1.4).abs() < 1e-9 && (low - 1.0).abs() < 1e-9 && (high - 1.6).abs() < 1e-9);
    }
}
