//! Any text as a message.
//!
//! `cargo xtask fuzz` runs this target and `binary_frame`, a minute each unless `--seconds` says other; it needs
//! `cargo install cargo-fuzz --locked`. It begins with the files in `fuzz/seeds`, one of each kind of message, and keeps
//! what it finds in `fuzz/corpus`, which is not checked in. A text that breaks something is left in `fuzz/artifacts`:
//! mend the crate, and put the text into `fuzz/seeds`, whose files crate `aci` also tests (`tests/it/fuzz_seeds.rs`).

#![no_main]

use aci::message::Message;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match Message::parse(text) {
    // What is read is written, and what is written is read as the same.
    Ok(message) => {
        let written = message.clone().to_text();
        assert_eq!(Message::parse(&written), Ok(message), "{written}");
    }
    // A refusal is a line for a person, however long the text was.
    Err(refusal) => assert!(refusal.to_string().len() < 2048, "{refusal}"),
});
