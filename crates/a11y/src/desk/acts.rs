//! Acting on one control.
//!
//! Toolkits give the path of a control that is gone to another. What an application told before it answered has come before
//! the answer, so each act asks the control first and then looks whether it was told to be gone: between that and the act
//! itself only what the application does in that moment can go unseen.

use super::Desk;
use crate::A11yError;
use crate::act::{self, Refusal};
use crate::bus::{Bus, CallError};
use crate::node::{Facts, Place};
use crate::selection::{self, Passage};
use crate::space::Space;
use crate::tree::Handle;
use crate::value::{self, Set};
use crate::walk;

/// A control that has just answered, and lives.
#[derive(Debug)]
pub(super) struct Present {
    pub(super) bus: Bus,
    pub(super) place: Place,
    pub(super) facts: Facts,
}

impl Desk {
    /// Whether where this control is can be said only with the windows that there are now.
    pub(crate) fn needs_windows(&mut self, handle: Handle) -> Result<bool, A11yError> {
        self.living(handle)?;
        let root = self.tree.ancestors(handle).last();
        let space = root.and_then(|root| self.spaces.get(&root));
        Ok(!space.is_some_and(Space::is_lasting))
    }

    pub(crate) async fn invoke(&mut self, handle: Handle, name: Option<&str>) -> Result<(), A11yError> {
        let Present { bus, place, facts } = self.present(handle).await?;
        match act::invoke(&bus, &place, &facts, name).await {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.refused(handle, refusal).await),
        }
    }

    pub(crate) async fn set_value(&mut self, handle: Handle, text: &str) -> Result<Set, A11yError> {
        let Present { bus, place, facts } = self.present(handle).await?;
        let source = self.applications.known_source(&bus, &place.bus);
        match value::set(source, &place, &facts, text).await {
            Ok(set) => Ok(set),
            Err(refusal) => Err(self.refused(handle, refusal).await),
        }
    }

    pub(crate) async fn select(&mut self, handle: Handle, passage: &Passage) -> Result<(), A11yError> {
        let Present { bus, place, facts } = self.present(handle).await?;
        let source = self.applications.known_source(&bus, &place.bus);
        match selection::select(source, &place, &facts, passage).await {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.refused(handle, refusal).await),
        }
    }

    pub(crate) async fn has_value(&mut self, handle: Handle, text: &str) -> Result<bool, A11yError> {
        let Present { bus, place, facts } = self.present(handle).await?;
        let source = self.applications.known_source(&bus, &place.bus);
        match value::has(source, &place, &facts, text).await {
            Ok(has) => Ok(has),
            Err(error) => Err(self.refused(handle, Refusal::Unanswered(error)).await),
        }
    }

    /// Asks a control what it is like now.
    pub(super) async fn present(&mut self, handle: Handle) -> Result<Present, A11yError> {
        let bus = self.bus().await?;
        let place = self.living(handle)?;
        let source = self.applications.known_source(&bus, &place.bus);
        let facts = walk::facts(source, &place)
            .await
            .map_err(|error| self.lost(handle, error))?;
        self.living(handle)?;
        // One with another role is another control.
        if self.tree.update(handle, facts.clone()) != Some(handle) {
            return Err(stale());
        }
        Ok(Present { bus, place, facts })
    }

    /// Where a control is, after all that was told so far.
    pub(super) fn living(&mut self, handle: Handle) -> Result<Place, A11yError> {
        self.sort_out();
        self.tree.place(handle).cloned().ok_or_else(stale)
    }

    /// What it means that a control did not do what it was asked. An error of the bus can mean anything, so it is asked whether
    /// it is still there.
    async fn refused(&mut self, handle: Handle, refusal: Refusal) -> A11yError {
        match refusal {
            Refusal::Told(error) => error,
            Refusal::Unanswered(CallError::Late) => self.lost(handle, CallError::Late),
            Refusal::Unanswered(CallError::Refused) => match self.present(handle).await {
                Ok(_) => A11yError::Unsupported(
                    "the application refused it; use the pointer and the keyboard instead".to_owned(),
                ),
                Err(error) => error,
            },
        }
    }

    /// What it means that a control did not answer.
    pub(super) fn lost(&mut self, handle: Handle, error: CallError) -> A11yError {
        match error {
            CallError::Refused => {
                self.tree.remove(handle);
                stale()
            }
            CallError::Late => A11yError::Timeout(
                "the application does not answer; try again, or use a screenshot".to_owned(),
            ),
        }
    }
}

fn stale() -> A11yError {
    A11yError::Stale("it is gone".to_owned())
}
