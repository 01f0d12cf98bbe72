//! The `shinken` command.
fn main() {}
