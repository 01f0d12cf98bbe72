//! The secret that clients show.

use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::{env, fmt, fs};

use anyhow::{Context as _, bail};
use subtle::ConstantTimeEq as _;

const VARIABLE: &str = "SHINKEND_TOKEN";
/// Names the pipe through which the token survives the second start.
const DESCRIPTOR: &str = "SHINKEND_TOKEN_FD";

/// A token; it never prints itself.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// The token of `--token-file`, else of the environment.
    ///
    /// `/proc/PID/environ` shows the environment with which a process was started whatever it does later, and the
    /// programs on the desktop may read it. So a daemon that finds the token there starts itself anew without it and
    /// hands it over through a pipe.
    pub(crate) fn load(file: Option<&Path>) -> anyhow::Result<Option<Self>> {
        if let Some(number) = env::var(DESCRIPTOR).ok().and_then(|number| number.parse().ok()) {
            let pipe = sys::inherited::take(number).context("the pipe with the token is not open")?;
            let mut text = String::new();
            fs::File::from(pipe)
                .read_to_string(&mut text)
                .context("cannot read the token from its pipe")?;
            return Self::new(&text, VARIABLE).map(Some);
        }
        let from_environment = env::var_os(VARIABLE);
        match (file, from_environment) {
            (Some(path), _) => {
                let text = fs::read_to_string(path)
                    .with_context(|| format!("cannot read the token file {}", path.display()))?;
                Self::new(&text, &path.display().to_string()).map(Some)
            }
            (None, Some(text)) => {
                let text = text.into_string().ok().context("SHINKEND_TOKEN is not UTF-8")?;
                Self::new(&text, VARIABLE)?;
                Err(start_without_variable(&text))
            }
            (None, None) => Ok(None),
        }
    }

    fn new(text: &str, origin: &str) -> anyhow::Result<Self> {
        // Files usually end in a line feed that nobody means.
        let text = text.trim();
        if text.is_empty() {
            bail!("the token from {origin} is empty; put a long random text there");
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether `shown` is the token, in a time that does not depend on where they differ.
    pub(crate) fn matches(&self, shown: Option<&str>) -> bool {
        self.0
            .as_bytes()
            .ct_eq(shown.unwrap_or_default().as_bytes())
            .into()
    }
}

/// Replaces this process by itself without the variable; returns only what went wrong.
fn start_without_variable(token: &str) -> anyhow::Error {
    let attempt = || -> anyhow::Result<std::io::Error> {
        let (reader, writer) = rustix::pipe::pipe()?;
        fs::File::from(writer).write_all(token.as_bytes())?;
        let number = reader.as_raw_fd().to_string();
        let mut arguments = env::args_os();
        let name = arguments.next().unwrap_or_else(|| "shinkend".into());
        Ok(std::process::Command::new(env::current_exe()?)
            .arg0(name)
            .args(arguments)
            .env_remove(VARIABLE)
            .env(DESCRIPTOR, number)
            .exec())
    };
    match attempt() {
        Ok(error) => {
            anyhow::Error::new(error).context("cannot start again without the token in the environment")
        }
        Err(error) => error,
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_matches() {
        let token = Token::new("abc\n", "a test").unwrap();
        assert!(token.matches(Some("abc")));
        for wrong in [
            None,
            Some(""),
            Some("ab"),
            Some("abcd"),
            Some("abC"),
            Some("abc\n"),
        ] {
            assert!(!token.matches(wrong), "{wrong:?}");
        }
        assert!(Token::new(" \n", "a test").is_err());
        assert!(!format!("{token:?}").contains("abc"));
    }
}
