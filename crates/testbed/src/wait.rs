//! Waiting on a condition instead of on a clock.

use std::time::{Duration, Instant};

/// Asks `ready` again and again until it gives something or `within` is over.
///
/// # Panics
/// When the time is over: `what` was awaited in vain.
#[expect(
    clippy::panic,
    reason = "a test that waits in vain has failed, and says for what"
)]
pub fn eventually<T>(what: &str, within: Duration, mut ready: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = ready() {
            return found;
        }
        if Instant::now() >= deadline {
            panic!("waited {within:?} in vain for: {what}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
