//! Tasks as an agent would do them: on real programs, by the ids of controls alone, each judged by what the program made of it.
//!
//! Nothing that was refused is tried again. `SHINKEND_TASK_ROUNDS` says how many times in a row each task is done, each time on a
//! desktop of its own.

mod dialogs;
mod editor;
mod office;
mod programs;
mod web;

use crate::agent::Agent;

/// Does a task as often as is asked for.
fn task(work: impl Fn(&mut Agent)) {
    let rounds = std::env::var("SHINKEND_TASK_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(1);
    for _ in 0..rounds {
        work(&mut Agent::start());
    }
}
