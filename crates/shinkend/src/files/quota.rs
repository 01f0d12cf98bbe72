//! How many bytes clients may put.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aci::error_code::ErrorCode;
use transfer::TransferError;

/// A sum with a limit; clones are the same sum.
#[derive(Debug, Clone)]
pub(super) struct Quota {
    used: Arc<AtomicU64>,
    limit: Option<u64>,
    flag: &'static str,
}

/// What one file takes of a quota; given back when it is dropped, unless it was kept.
#[derive(Debug)]
pub(super) struct Charge {
    quota: Quota,
    bytes: u64,
}

impl Quota {
    pub(super) fn new(limit: Option<u64>, flag: &'static str) -> Self {
        Self {
            used: Arc::default(),
            limit,
            flag,
        }
    }

    /// A charge of nothing yet.
    pub(super) fn begin(&self) -> Charge {
        Charge {
            quota: self.clone(),
            bytes: 0,
        }
    }

    /// What is there already, or goes.
    pub(super) fn set(&self, bytes: u64) {
        self.used.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Charge {
    /// Takes as much as a file of so many bytes needs.
    pub(super) fn reach(&mut self, bytes: u64) -> Result<(), TransferError> {
        let more = bytes.saturating_sub(self.bytes);
        let before = self.quota.used.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
        match self.quota.limit {
            Some(limit) if more > 0 && before.saturating_add(more) > limit => Err(TransferError::new(
                ErrorCode::QuotaExceeded,
                format!(
                    "clients may put {limit} bytes here in all, and this is more; start shinkend with a larger {}",
                    self.quota.flag
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The file stays.
    pub(super) fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.quota.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_stay_is_given_back() {
        let quota = Quota::new(Some(10), "--limit");
        let mut first = quota.begin();
        first.reach(6).unwrap();
        first.reach(4).unwrap();
        let mut second = quota.begin();
        assert_eq!(second.reach(5).unwrap_err().code(), ErrorCode::QuotaExceeded);
        drop(second);
        first.keep();
        let mut third = quota.begin();
        third.reach(4).unwrap();
        drop(third);
        assert_eq!(quota.used.load(Ordering::Relaxed), 6);
    }
}
