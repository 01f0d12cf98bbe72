//! shinken.
