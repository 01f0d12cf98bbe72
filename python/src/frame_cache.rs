//! Pictures that sessions share.

use std::sync::Arc;

use pyo3::prelude::*;

/// Keeps pictures that sessions have seen, so that an unchanged one is not sent again.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct FrameCache(pub(crate) Arc<shinken::FrameCache>);

#[pymethods]
impl FrameCache {
    /// A store of at most so many bytes of encoded pictures.
    #[new]
    #[pyo3(signature = (limit_bytes = 64 << 20))]
    fn new(limit_bytes: usize) -> Self {
        Self(Arc::new(shinken::FrameCache::new(limit_bytes)))
    }

    /// Hits, misses, pictures and bytes so far.
    fn stats(&self) -> (u64, u64, u64, u64) {
        let stats = self.0.stats();
        (
            stats.hits,
            stats.misses,
            stats.pictures as u64,
            stats.bytes as u64,
        )
    }
}
