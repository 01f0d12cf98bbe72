//! The secret that clients show.

use std::path::Path;
use std::{env, fmt, fs};

use anyhow::{Context as _, bail};
use subtle::ConstantTimeEq as _;

const VARIABLE: &str = "SHINKEND_TOKEN";

/// A token; it never prints itself.
pub(crate) struct Token(String);

impl Token {
    /// The token of `--token-file`, else of the environment, which no program on this desktop can read, as there are none.
    pub(crate) fn load(file: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let (text, origin) = match (file, env::var_os(VARIABLE)) {
            (Some(path), _) => {
                let text = fs::read_to_string(path)
                    .with_context(|| format!("cannot read the token file {}", path.display()))?;
                (text, path.display().to_string())
            }
            (None, Some(text)) => {
                let text = text.into_string().ok().context("SHINKEND_TOKEN is not UTF-8")?;
                (text, VARIABLE.to_owned())
            }
            (None, None) => return Ok(None),
        };
        let token = text.trim();
        if token.is_empty() {
            bail!("the token from {origin} is empty; put a long random text there");
        }
        Ok(Some(Self(token.to_owned())))
    }

    /// Whether `shown` is the token, in a time that does not depend on where they differ.
    pub(crate) fn matches(&self, shown: Option<&str>) -> bool {
        let shown = shown.unwrap_or_default();
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
