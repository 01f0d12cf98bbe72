//! An application that never rests: what is kept of it stays true and small, and what is clicked is what was meant.
//!
//! `SHINKEND_SOAK_SECONDS` says for how long.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::agent::{Agent, Control, Printing, long};
use crate::daemon::PATIENCE;
use crate::elements::stage::{PYTHON, program};

/// So often in a second the application changes something.
const RATE: u64 = 50;
/// So many changes are not made: it is told when to stop.
const NEVER: &str = "1000000000";
/// How long a click on what moves may take to show; on what stays, [`PATIENCE`].
const PRESS: Duration = Duration::from_millis(500);
/// What the daemon may grow by, from a tenth of the time to the end: a tree of at most 60 rows has this much slack.
const GROWTH_KIB: u64 = 4 << 10;
/// So many of the application's buttons stay where they are.
const STEADY: &str = "6";

/// What came of the clicks on one kind of buttons.
#[derive(Debug, Default)]
struct Clicks {
    hit: u32,
    /// Went between press and release, or was disabled.
    nothing: u32,
    /// Refused, by code.
    refused: BTreeMap<String, u32>,
    wrong: Vec<String>,
}

fn soak(toolkit: &str) {
    let time = long("SHINKEND_SOAK_SECONDS", Duration::from_secs(10));
    let mut agent = Agent::start();
    let mut command = agent.desktop.command(PYTHON);
    let rate = RATE.to_string();
    command.args([&program("churn.py"), toolkit, "7", NEVER, &rate, "20", STEADY]);
    let presses = Printing::start(command);
    agent.find_where("a button", |control| control.name().starts_with(MOVING));
    let start = Instant::now();
    let (mut steady, mut moving) = (Clicks::default(), Clicks::default());
    let (mut early, mut looks, mut late_press) = (None, 0_u32, None);
    while start.elapsed() < time {
        let controls = agent.look();
        looks += 1;
        let (kind, clicks) = if looks % 2 == 0 {
            (STAYING, &mut steady)
        } else {
            (MOVING, &mut moving)
        };
        if let Some(control) = choice(&controls, kind, looks / 2) {
            click(&mut agent, &control, (&presses, &mut late_press), clicks);
        }
        if early.is_none() && start.elapsed() > time / 10 {
            early = Some(memory(&agent));
        }
    }
    let (early, late) = (early.unwrap(), memory(&agent));
    report(
        toolkit,
        &[("steady", &steady), ("moving", &moving)],
        looks,
        [early, late],
    );
    presses.app.signal(Signal::USR1);
    agent.find_where("the last change", |control| control.name() == "finished");
    let kept = comparable(&agent.look_at_rest());
    agent.start_again();
    let anew = comparable(&agent.look_at_rest());
    for (kept, anew) in kept.iter().zip(&anew) {
        assert_eq!(kept, anew, "kept and anew");
    }
    assert_eq!(kept.len(), anew.len());
    // What moves may do so between the answer where it is and the press; those clicks are told by the report.
    assert_eq!(steady.wrong, Vec::<String>::new(), "{steady:?}");
    assert_eq!((steady.nothing, steady.refused.len()), (0, 0), "{steady:?}");
    assert!(steady.hit > 3 && moving.hit > 0, "{steady:?}, {moving:?}");
    assert!(late < early + GROWTH_KIB, "{early} KiB became {late} KiB");
}

/// All that is said of controls.
fn comparable(controls: &[Control]) -> Vec<Value> {
    controls.iter().map(Control::without_id).collect()
}

/// What the names of buttons begin with: of those that stay, and of those that move, come and go.
const STAYING: &str = "steady ";
const MOVING: &str = "press ";

#[expect(clippy::print_stderr, reason = "these figures are what the test is run for")]
fn report(toolkit: &str, clicks: &[(&str, &Clicks)], looks: u32, [early, late]: [u64; 2]) {
    eprintln!("{toolkit}: {looks} looks, {early} KiB then {late} KiB, {clicks:?}");
}

/// The buttons of this kind in turn, of those that can be pressed.
fn choice(controls: &[Control], kind: &str, turn: u32) -> Option<Control> {
    let can = |control: &&Control| {
        control.name().starts_with(kind)
            && control.role() == "button"
            && control.is("sensitive")
            && control.is("showing")
    };
    let buttons: Vec<&Control> = controls.iter().filter(can).collect();
    let turn = usize::try_from(turn).unwrap();
    buttons
        .get(turn * 7 % buttons.len().max(1))
        .map(|&control| control.clone())
}

/// Clicks and reads what the application says was pressed. `late` is what an earlier click should have pressed and did not in time.
fn click(
    agent: &mut Agent,
    control: &Control,
    (presses, late): (&Printing, &mut Option<String>),
    clicks: &mut Clicks,
) {
    // What else its name has become follows.
    let mut words = control.name().split(' ');
    let (line, time) = match (words.next(), words.next().unwrap()) {
        (Some("steady"), number) => (format!("pressed steady {number}"), PATIENCE),
        (_, number) => (format!("pressed {number}"), PRESS),
    };
    if let Err(error) = agent.try_click(control) {
        let code = error.split(':').next().unwrap_or_default().to_owned();
        *clicks.refused.entry(code).or_default() += 1;
        return;
    }
    let mut pressed = presses.line_within(time);
    if pressed.is_some() && pressed != Some(line.clone()) && pressed == *late {
        pressed = presses.line_within(time);
    }
    *late = None;
    match pressed {
        Some(pressed) if pressed == line => clicks.hit += 1,
        Some(pressed) => clicks.wrong.push(format!("{pressed} instead of {line}")),
        None => {
            clicks.nothing += 1;
            *late = Some(line);
        }
    }
}

/// The daemon's memory in KiB.
fn memory(agent: &Agent) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.desktop.daemon.app.id())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn of_gtk_3() {
    soak("gtk3");
}

#[test]
fn of_qt_6() {
    soak("qt6");
}
