//! The command, run as a person runs it, with real desktops.
//!
//! The daemon is looked for beside the command, so build the programs first (`cargo xtask test` does).

mod stage;

mod cp;
mod doctor;
mod elements;
mod gone;
mod killed;
mod leftovers;
mod misused;
mod reader_gone;
mod refused;
mod run;
mod side_by_side;
mod up;
mod verbs;
