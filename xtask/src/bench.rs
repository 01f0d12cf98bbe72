//! `cargo xtask bench`: the codecs alone, then everything end to end.

use crate::packages;
use crate::run::{Steps, Workspace, run};

/// Measures; arguments go to the end-to-end program, and with any the codecs are left out.
pub(crate) fn run_all(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<()> {
    packages::install()?;
    let mut steps = Steps::default();
    if arguments.is_empty() {
        steps.step("codecs", || {
            run(&mut workspace.cargo(&["bench", "-p", "aci", "-p", "desktop", "--benches"]))
        });
    }
    steps.step("end to end", || {
        run(&mut workspace.cargo(&[
            "build",
            "--release",
            "-p",
            "shinkend",
            "-p",
            "standin",
            "-p",
            "xbench",
        ]))?;
        run(workspace
            .cargo(&["run", "--release", "-p", "xbench", "--"])
            .args(arguments))
    });
    steps.finish()
}
