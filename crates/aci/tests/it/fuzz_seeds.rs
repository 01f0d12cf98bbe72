//! What the fuzzers begin with holds, also where no fuzzer runs; a case that one found becomes a file there.

use std::fs;
use std::path::PathBuf;

use aci::frame::{decode, encode};
use aci::message::Message;

use crate::contract::repository;

/// The files of one target; those whose name begins with `refused` are broken.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>, bool)> {
    let folder = repository().join("fuzz/seeds").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            let bytes = fs::read(&path).unwrap();
            let refused = path.file_name().unwrap().to_string_lossy().starts_with("refused");
            (path, bytes, refused)
        })
        .collect()
}

#[test]
fn texts_are_read_and_written_as_the_same() {
    let seeds = seeds("message_text");
    assert!(seeds.len() >= 30, "only {}", seeds.len());
    for (path, bytes, refused) in seeds {
        let text = String::from_utf8(bytes).unwrap();
        let read = Message::parse(&text);
        assert_eq!(read.is_err(), refused, "{}: {read:?}", path.display());
        if let Ok(message) = read {
            assert_eq!(
                Message::parse(&message.clone().to_text()),
                Ok(message),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn frames_are_read_and_written_as_the_same() {
    let seeds = seeds("binary_frame");
    assert!(seeds.len() >= 7, "only {}", seeds.len());
    for (path, bytes, refused) in seeds {
        let read = decode(bytes.into());
        assert_eq!(read.is_err(), refused, "{}: {read:?}", path.display());
        if let Ok(frame) = read {
            let written = encode(frame.header().clone(), &[frame.payload()]).unwrap();
            assert_eq!(decode(written.into()), Ok(frame), "{}", path.display());
        }
    }
}
