//! How long a call may take.

use std::time::Duration;

use aci::action::Action;
use aci::extension::action::ExtendedAction;
use aci::verb::Verb;

use crate::error::Limit;
use crate::request::Request;

/// What typing a character takes at most, where the keyboard has to be changed for it.
const PER_CHARACTER: Duration = Duration::from_millis(20);
/// The contract's time for a program whose call names none.
const EXEC: Duration = Duration::from_secs(60);
/// Longer waits are refused by runtimes.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// What walking the accessibility tree of a large application may take.
pub(crate) const WALK: Duration = Duration::from_secs(10);

/// How long a cell may take to stop whose time is over, or its interpreter to be killed.
const STOPPING: Duration = Duration::from_secs(6);

/// How long a call may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    /// Which limit it is.
    pub(crate) limit: Limit,
    /// The limit: on top of the call's own time, or in all.
    pub(crate) after: Duration,
    /// What the call needs by itself.
    pub(crate) own: Duration,
    /// How much of that the session's later calls wait for it.
    pub(crate) holds_up: Duration,
    /// How much of it the session's later cells wait for it.
    pub(crate) cell: Duration,
}

/// What a request needs by itself, and for how much of it the session's later calls wait.
pub(crate) fn own_time(request: &Request) -> (Duration, Duration) {
    match request {
        Request::Plain(action) => own_time_plain(action),
        Request::Beyond(action) => own_time_beyond(action),
    }
}

fn own_time_plain(action: &Action) -> (Duration, Duration) {
    let milliseconds = |number: Option<aci::Natural>| {
        number.map_or(Duration::ZERO, |number| Duration::from_millis(number.to_u64()))
    };
    let own = match action.verb {
        Verb::Exec => {
            let own = action
                .timeout_ms
                .map_or(EXEC, |timeout| Duration::from_millis(timeout.to_u64()));
            // Programs run beside the session's other calls.
            return (own, Duration::ZERO);
        }
        Verb::Wait => milliseconds(action.ms).min(LONGEST_WAIT),
        Verb::Drag => milliseconds(action.duration_ms).min(LONGEST_WAIT),
        Verb::Observe => milliseconds(action.settle_ms).min(LONGEST_WAIT) + WALK,
        Verb::TypeText => {
            let characters = action.text.as_ref().map_or(0, |text| text.chars().count());
            PER_CHARACTER.saturating_mul(u32::try_from(characters).unwrap_or(u32::MAX))
        }
        _ => Duration::ZERO,
    };
    (own, own)
}

fn own_time_beyond(action: &ExtendedAction) -> (Duration, Duration) {
    let own = match action {
        // Read anew where the screen changes between the picture and the tree.
        ExtendedAction::Observe(call) => {
            let settle = call
                .settle_ms
                .map_or(Duration::ZERO, |ms| Duration::from_millis(ms.to_u64()));
            settle.min(LONGEST_WAIT) + 3 * WALK
        }
        // It turns the wheel several times and waits each time until all rests.
        ExtendedAction::ScrollElement(_) => 2 * WALK,
        ExtendedAction::SetTextSelection(_) => WALK,
        // Cells run beside the session's other calls.
        ExtendedAction::Run(call) => {
            let own = call
                .timeout_ms
                .map_or(Duration::ZERO, |ms| Duration::from_millis(ms.to_u64()));
            return (own + STOPPING, Duration::ZERO);
        }
    };
    (own, own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aci::{Natural, Positive};

    #[test]
    fn calls_get_the_time_that_they_ask_for() {
        let mut wait = Action::new(Verb::Wait);
        wait.ms = Natural::new(5_000);
        assert_eq!(
            own_time_plain(&wait),
            (Duration::from_secs(5), Duration::from_secs(5))
        );
        let mut exec = Action::new(Verb::Exec);
        assert_eq!(own_time_plain(&exec), (EXEC, Duration::ZERO));
        exec.timeout_ms = Positive::new(120_000);
        assert_eq!(own_time_plain(&exec).0, Duration::from_secs(120));
        let mut typing = Action::new(Verb::TypeText);
        typing.text = Some("é".repeat(100));
        assert_eq!(own_time_plain(&typing).0, Duration::from_secs(2));
        wait.ms = Natural::new(i64::MAX);
        assert_eq!(own_time_plain(&wait).0, LONGEST_WAIT);
    }
}
