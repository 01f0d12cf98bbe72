//! shinkend.
