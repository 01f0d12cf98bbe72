//! Tests of the tree and of what sessions see of it.

mod identity;
mod random;
mod views;
