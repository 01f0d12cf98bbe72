//! The few things that need the kernel directly: shared memory, what happens to children around fork and exec, and
//! finding every process that a run has left behind.
//!
//! Invariants: every `unsafe` block of the computer plane stands in this crate, one module per need; nothing here knows
//! what a desktop or a sandbox is. Start with [`marked`] to see how leftovers are found.

pub mod inherited;
pub mod marked;
pub mod parent_death;
pub mod session;
pub mod shared_memory;
