//! The stand-in as a process of its own, by the client and by hand.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and one that is skipped says so"
)]

mod contract;
mod fleet;
mod form;
mod peers;
mod pictures;
mod stage;
