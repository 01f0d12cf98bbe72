//! Programs that have just started: their window is there before their tree is.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The longest that a program's tree is waited for, from when it was missed first.
const POPULATING: Duration = Duration::from_secs(3);
/// How often is looked for it meanwhile.
pub(crate) const AGAIN: Duration = Duration::from_millis(50);
/// So many programs are remembered until those that have ended are forgotten.
const REMEMBERED: usize = 64;
/// What a program has loaded that will tell a tree: the client of AT-SPI, and the toolkits that have one of their own.
const SPEAKING: &[&str] = &[
    "libatspi.so",
    "libatk-1.0.so",
    "libgtk-4.so",
    "libQt5Gui.so",
    "libQt6Gui.so",
];

/// The programs whose tree was missed.
#[derive(Debug, Default)]
pub(crate) struct Cold(HashMap<u32, Missed>);

#[derive(Debug)]
struct Missed {
    since: Instant,
    speaks: bool,
}

impl Cold {
    /// Whether the tree of this program, which is not there, is still to be waited for.
    pub(crate) fn is_awaited(&mut self, process: u32) -> bool {
        if self.0.len() >= REMEMBERED {
            self.0
                .retain(|process, _| std::path::Path::new(&format!("/proc/{process}")).exists());
        }
        let missed = self.0.entry(process).or_insert_with(|| Missed {
            since: Instant::now(),
            speaks: speaks(process),
        });
        missed.speaks && missed.since.elapsed() < POPULATING
    }
}

/// Whether a program has loaded something that will tell a tree.
fn speaks(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/maps"))
        .is_ok_and(|maps| SPEAKING.iter().any(|library| maps.contains(library)))
}
