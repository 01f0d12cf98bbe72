//! What is run, and in which surroundings.

use std::collections::BTreeMap;
use std::process::Command;

use aci::error_code::{CodedError, ErrorCode};

use crate::reply::invalid;
use crate::server::Daemon;

/// What is to be run.
#[derive(Debug, Clone)]
pub(crate) struct What {
    /// The program and its arguments.
    argv: Vec<String>,
    cwd: Option<String>,
    env: BTreeMap<String, String>,
}

impl What {
    /// Checks what the operating system could not even be asked for.
    pub(crate) fn new(
        argv: Vec<String>,
        cwd: Option<String>,
        env: BTreeMap<String, String>,
    ) -> Result<Self, CodedError> {
        if argv.first().is_none_or(String::is_empty) {
            return Err(invalid(
                "argv begins with the program to run, which must not be empty",
            ));
        }
        let texts = argv.iter().chain(&cwd).chain(env.keys()).chain(env.values());
        if texts.into_iter().any(|text| text.contains('\0')) {
            return Err(invalid(
                "argv, cwd and env must not hold NUL characters; no program can receive one",
            ));
        }
        if let Some(name) = env.keys().find(|name| name.is_empty() || name.contains('=')) {
            return Err(invalid(format!(
                "{name:?} cannot be the name of an environment variable"
            )));
        }
        Ok(Self { argv, cwd, env })
    }

    /// The command, in a session of its own; marks and pipes are the caller's.
    pub(super) fn command(&self, daemon: &Daemon) -> Result<Command, CodedError> {
        let mut command = Command::new(&self.argv[0]);
        command.args(&self.argv[1..]);
        base_environment(&mut command, daemon);
        command.envs(&self.env);
        if let Some(cwd) = &self.cwd {
            // The kernel's own error would not tell a missing folder from a missing program.
            if !std::path::Path::new(cwd).is_dir() {
                return Err(CodedError::new(
                    ErrorCode::ExecSpawnFailed,
                    format!("the working directory {cwd:?} is not a directory"),
                ));
            }
            command.current_dir(cwd);
        }
        // After the caller's variables, so that none of them can hide the program from the guard.
        put_under_guard(&mut command, daemon);
        Ok(command)
    }

    /// The program's name as it was given.
    pub(super) fn program(&self) -> &str {
        &self.argv[0]
    }
}

/// The daemon's environment with its display; what the token came in has been taken out already.
pub(crate) fn base_environment(command: &mut Command, daemon: &Daemon) {
    command.env("DISPLAY", &daemon.display);
}

/// Has the program lead a session of its own, and marks it so that the guard ends it after the daemon.
pub(crate) fn put_under_guard(command: &mut Command, daemon: &Daemon) {
    let mark = daemon.guard.mark();
    command.env(mark.name(), mark.value());
    sys::session::own_session(command);
}
