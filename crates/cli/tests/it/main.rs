//! The command, run as a person runs it.

mod doctor;
