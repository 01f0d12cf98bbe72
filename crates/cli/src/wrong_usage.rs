//! Arguments that make no sense, where clap cannot see it by itself.

/// Wrong usage: exit code 2.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl std::fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// Refuses arguments.
pub(crate) fn wrong_usage<T>(why: impl Into<String>) -> anyhow::Result<T> {
    Err(WrongUsage(why.into()).into())
}
