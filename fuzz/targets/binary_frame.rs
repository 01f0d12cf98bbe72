//! Any bytes as a binary message. How it is run stands in `message_text`.

#![no_main]

use aci::frame::{decode, encode};
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match decode(Bytes::copy_from_slice(bytes)) {
    // What is read is written as a frame that reads as the same.
    Ok(frame) => {
        let written = encode(frame.header().clone(), &[frame.payload()]);
        let again = written.map(|written| decode(written.into()));
        assert_eq!(again, Some(Ok(frame)));
    }
    Err(error) => assert!(error.to_string().len() < 2048, "{error}"),
});
