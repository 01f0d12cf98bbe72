//! Every command that a person or CI runs.
fn main() {}
