//! Python code.

use aci::Wire as _;
use aci::extension::action::{ExtendedAction, RunControl};
use aci::extension::run::RunResult as WireResult;

use crate::client::Client;
use crate::error::ClientError;
use crate::reply::Reply;
use crate::run::{Run, RunResult, control};

impl Client {
    /// Runs Python code in the sandbox's interpreter, which keeps its state, and gives what came of it. That the code raised an
    /// exception is no error; see [`RunResult::error`].
    ///
    /// The runtime has one interpreter for all sessions and runs their cells one after another, beside each session's other
    /// calls. The wait for cells of this session is allowed for in the call's deadline, that for cells of others is not.
    /// Cancelling the call leaves the cell running; [`Self::run_interrupt`] stops it, and so does the end of the session.
    ///
    /// # Errors
    /// `denied` where the runtime was not granted it (`shinken up --grant run`); `exec_spawn_failed` where it has no Python;
    /// `exec_busy` where too many cells wait; and as for any call.
    pub async fn run(&self, run: Run) -> Result<RunResult, ClientError> {
        let action = ExtendedAction::Run(run.into_wire());
        match self.send(action).await?.answer().await? {
            Reply::Ran(result) => Ok(*result),
            other => {
                let value = other.value()?;
                let result = WireResult::decode(value)
                    .map_err(|fault| ClientError::protocol(format!("the result of run: {fault}")))?;
                RunResult::from_wire(result, None)
            }
        }
    }

    /// Ends the interpreter at once, whatever it does, with all that it has started. The next cell gets a fresh one.
    ///
    /// # Errors
    /// As for any call.
    pub async fn run_restart(&self) -> Result<(), ClientError> {
        self.run_control(RunControl::Restart).await
    }

    /// Interrupts the cell that runs, whoever sent it, as Ctrl-C would; nothing happens where none does. A cell that does not
    /// stop has its interpreter killed.
    ///
    /// # Errors
    /// As for any call.
    pub async fn run_interrupt(&self) -> Result<(), ClientError> {
        self.run_control(RunControl::Interrupt).await
    }

    async fn run_control(&self, what: RunControl) -> Result<(), ClientError> {
        let action = ExtendedAction::Run(control(what));
        self.send(action).await?.answer().await?.done()
    }
}
