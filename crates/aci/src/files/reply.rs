//! What the daemon answers.

use serde_json::Value;

use super::request::{FileAck, messages};
use crate::wire::{Fault, Integer, Natural, Wire, wire_object, words};

wire_object! {
    /// The daemon's answer to `hello`, and its limits.
    #[derive(Eq)]
    pub struct Greeting: Open {
        fixed "type" = "files_welcome";
        fixed "v" = 0;
        /// The largest piece of a file that it takes.
        "max_chunk_bytes" max_chunk_bytes: required Natural,
        /// The largest file that it takes, where there is a limit.
        "max_file_bytes" max_file_bytes: optional Natural,
    }
}

words! {
    /// What there is at a path.
    EntryKind {
        /// A file with bytes.
        File = "file",
        /// A folder.
        Folder = "folder",
        /// A symbolic link.
        Link = "link",
        /// A device, a socket, a pipe, or something whose name is not UTF-8; it is not transferred.
        Other = "other",
    }
}

wire_object! {
    /// What there is at a path.
    #[derive(Eq)]
    pub struct Entry: Open {
        /// The path as it was asked for; in a list relative to the folder.
        "path" path: required String,
        /// What it is.
        "kind" kind: required EntryKind,
        /// How many bytes it has; 0 where it is no file.
        "size" size: required Natural,
        /// Its permissions.
        "mode" mode: required Natural,
        /// When it was changed last, in milliseconds since 1970.
        "mtime_ms" mtime_ms: required Integer,
        /// What a symbolic link holds.
        "target" target: optional String,
    }
}

wire_object! {
    /// Says from where an upload goes on.
    #[derive(Eq)]
    pub struct Ready: Open {
        fixed "type" = "ready";
        /// The request's number.
        "id" id: required Natural,
        /// How many of the file's bytes are there already.
        "offset" offset: required Natural,
        /// The SHA-256 of those. A client whose file begins otherwise sends it from its begin.
        "sha256" sha256: required String,
    }
}

wire_object! {
    /// A file that was asked for; its chunks follow.
    #[derive(Eq)]
    pub struct Found: Open {
        fixed "type" = "found";
        /// The request's number.
        "id" id: required Natural,
        /// The file.
        "entry" entry: required Entry,
        /// Where the chunks begin.
        "offset" offset: required Natural,
    }
}

wire_object! {
    /// A part of a list; `done` ends it.
    #[derive(Eq)]
    pub struct Entries: Open {
        fixed "type" = "entries";
        /// The request's number.
        "id" id: required Natural,
        /// What is in the folder.
        "entries" entries: required Vec<Entry>,
    }
}

wire_object! {
    /// A file in the store of artifacts.
    #[derive(Eq)]
    pub struct Artifact: Open {
        /// The SHA-256 of its bytes.
        "sha256" sha256: required String,
        /// How many bytes it has.
        "size" size: required Natural,
        /// What a person calls it.
        "name" name: required String,
    }
}

wire_object! {
    /// What is in the store of artifacts.
    #[derive(Eq)]
    pub struct ArtifactsReply: Open {
        fixed "type" = "artifacts";
        /// The request's number.
        "id" id: required Natural,
        /// The files.
        "artifacts" artifacts: required Vec<Artifact>,
    }
}

wire_object! {
    /// A request was done. Of a file it says what it has now.
    #[derive(Eq)]
    pub struct Done: Open {
        fixed "type" = "done";
        /// The request's number.
        "id" id: required Natural,
        /// How many bytes the file has.
        "size" size: optional Natural,
        /// The SHA-256 of its bytes.
        "sha256" sha256: optional String,
        /// Whether an artifact was there before.
        "already" already: optional bool,
    }
}

wire_object! {
    /// A request was not done, or not to its end.
    #[derive(Eq)]
    pub struct Failed: Open {
        fixed "type" = "failed";
        /// The request's number.
        "id" id: required Natural,
        /// Why, as `code: detail`.
        "error" error: required String,
    }
}

messages! {
    /// What the daemon sends as text.
    Reply {
        "ready" Ready(Ready),
        "ack" Ack(FileAck),
        "found" Found(Found),
        "entries" Entries(Entries),
        "artifacts" Artifacts(ArtifactsReply),
        "done" Done(Done),
        "failed" Failed(Failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Request;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let reply: Reply = Failed {
            id: Natural::clamped(7),
            error: "denied: no".to_owned(),
        }
        .into();
        assert_eq!(Reply::parse(&reply.clone().to_text()), Ok(reply));
        let text = r#"{"type":"put","id":1,"path":"a","size":3}"#;
        let request = Request::parse(text).unwrap();
        assert_eq!(request.id(), 1);
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"type":"done","id":1}"#,
            r#"{"type":"put","id":1,"path":"","size":3}"#,
            r#"{"type":"put","id":-1,"path":"a","size":3}"#,
            r#"{"type":"put","id":1,"path":"a","size":3,"mood":1}"#,
        ] {
            assert!(Request::parse(wrong).is_err(), "{wrong}");
        }
    }
}
