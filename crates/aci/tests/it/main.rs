//! What crate `aci` promises: one verdict with the contract, exact geometry, frames that do not lie, generated files in sync.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it compared"
)]

mod agreement;
mod completeness;
mod contract;
mod frames;
mod fuzz_seeds;
mod generated_files;
mod geometry;
mod random;
