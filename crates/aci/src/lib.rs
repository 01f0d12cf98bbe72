//! ACI v0 on the wire.
