//! What a person is told when a command fails, in the words of the command line, and the exit code.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use sandbox::SandboxError;
use shinken::aci::error_code::ErrorCode;
use shinken::{ClientError, Limit};

use crate::output::OutputError;
use crate::wrong_usage::WrongUsage;

/// What a shell gives for a program that SIGPIPE ended.
const READER_GONE: u8 = 141;

/// The exit code of an error: 2 where the arguments make no sense, 3 where there is no desktop to talk to any more, 1
/// otherwise. Where the output's reader has gone it is 141, as for other programs before a `head`.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<WrongUsage>() || matches!(error.downcast_ref(), Some(SandboxError::Invalid(_))) {
        return ExitCode::from(2);
    }
    if matches!(error.downcast_ref(), Some(OutputError::ReaderGone)) {
        return ExitCode::from(READER_GONE);
    }
    let nobody = match error.downcast_ref::<ClientError>() {
        Some(ClientError::Timeout { limit, .. }) => {
            matches!(limit, Limit::Connect | Limit::Handshake | Limit::Reconnect)
        }
        Some(error) => error.is_fatal() || error.code() == Some(ErrorCode::DesktopGone),
        None => matches!(
            error.downcast_ref::<SandboxError>(),
            Some(SandboxError::NotFound(_))
        ),
    };
    if nobody {
        ExitCode::from(3)
    } else {
        ExitCode::FAILURE
    }
}

/// The text of an error, if anything is to be said of it. What speaks of the protocol is said in the command's own words.
pub(crate) fn text(error: &anyhow::Error) -> Option<String> {
    if matches!(error.downcast_ref(), Some(OutputError::ReaderGone)) {
        return None;
    }
    let text = match error.downcast_ref::<ClientError>() {
        // How a daemon says goodbye.
        Some(ClientError::SandboxDied { why, .. }) if why == "the daemon ends" => {
            "the desktop was ended".to_owned()
        }
        Some(ClientError::Unauthorized { .. }) => {
            "the token is missing or is not this daemon's; give the file with its token by --token-file FILE"
                .to_owned()
        }
        _ => format!("{error:#}"),
    };
    let text = text
        .replace(
            "the sandbox died: its runtime exited",
            "the desktop ended: its daemon exited",
        )
        .replace("list_windows", "`shinken windows`")
        .replace("a shell line into shell", "a shell line goes to `sh -c`");
    Some(text)
}

/// Says what is wrong with the command line and how it is right, and ends; for `--help` too.
pub(crate) fn wrong_words(mut error: clap::Error, arguments: &[String]) -> ! {
    if error.kind() == ErrorKind::UnknownArgument {
        let tip = match arguments.first().map(String::as_str) {
            Some("exec") => Some("put -- before the program: shinken exec -- PROGRAM ARGUMENTS"),
            Some("click" | "scroll") => Some("the place is two numbers, X Y in pixels, such as 640 400"),
            _ => None,
        };
        if let Some(tip) = tip {
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![tip.to_owned().into()]),
            );
        }
    }
    error.exit()
}
