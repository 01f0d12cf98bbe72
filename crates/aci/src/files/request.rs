//! What a client asks for.

use serde_json::Value;

use crate::wire::{Fault, Integer, Natural, NonEmptyString, Wire, wire_object};

wire_object! {
    /// Puts a file. Its chunks follow: at once, or, where `key` is given, after `ready` has said from where.
    #[derive(Eq)]
    pub struct Put: Closed {
        fixed "type" = "put";
        /// The request's number.
        "id" id: required Natural,
        /// Where it is to be: absolute, or relative to the home folder of the daemon's user.
        "path" path: required NonEmptyString,
        /// How many bytes it has, as far as is known; what counts is the last chunk.
        "size" size: required Natural,
        /// Its permissions; those of the file that it replaces, or 0644, if absent.
        "mode" mode: optional Natural,
        /// When its bytes were changed last, in milliseconds since 1970; now if absent.
        "mtime_ms" mtime_ms: optional Integer,
        /// Whether folders that are missing on the way are made.
        "parents" parents: optional bool,
        /// A name of the client's own for this upload. What has come of it is kept for a while where the connection breaks, and
        /// whoever says the name again goes on from there.
        "key" key: optional NonEmptyString,
    }
}

wire_object! {
    /// Gets a file.
    #[derive(Eq)]
    pub struct Get: Closed {
        fixed "type" = "get";
        /// The request's number.
        "id" id: required Natural,
        /// Where it is.
        "path" path: required NonEmptyString,
        /// How many bytes the client has of it already; 0 if absent.
        "offset" offset: optional Natural,
        /// The SHA-256 of those. Where the file begins otherwise now, it is sent from its begin.
        "sha256" sha256: optional String,
    }
}

wire_object! {
    /// Asks what is at a path, and says of a symbolic link where it leads.
    #[derive(Eq)]
    pub struct Stat: Closed {
        fixed "type" = "stat";
        /// The request's number.
        "id" id: required Natural,
        /// The path.
        "path" path: required NonEmptyString,
    }
}

wire_object! {
    /// Asks what is in a folder. The paths of the entries are relative to it, and a folder comes before what is in it.
    #[derive(Eq)]
    pub struct List: Closed {
        fixed "type" = "list";
        /// The request's number.
        "id" id: required Natural,
        /// The folder.
        "path" path: required NonEmptyString,
        /// Whether what is in its folders is listed too.
        "recursive" recursive: optional bool,
    }
}

wire_object! {
    /// Makes a folder; one that is there already is as good.
    #[derive(Eq)]
    pub struct MakeFolder: Closed {
        fixed "type" = "make_folder";
        /// The request's number.
        "id" id: required Natural,
        /// Where.
        "path" path: required NonEmptyString,
        /// Its permissions; 0755 if absent.
        "mode" mode: optional Natural,
        /// Whether folders that are missing on the way are made.
        "parents" parents: optional bool,
    }
}

wire_object! {
    /// Makes a symbolic link, in the place of a link or a file that is there.
    #[derive(Eq)]
    pub struct MakeLink: Closed {
        fixed "type" = "make_link";
        /// The request's number.
        "id" id: required Natural,
        /// Where.
        "path" path: required NonEmptyString,
        /// What it holds.
        "target" target: required NonEmptyString,
    }
}

wire_object! {
    /// Puts a file into the store of artifacts. `done` with `already` says that it is there; `ready` asks for its chunks.
    #[derive(Eq)]
    pub struct ArtifactPut: Closed {
        fixed "type" = "artifact_put";
        /// The request's number.
        "id" id: required Natural,
        /// The SHA-256 of its bytes.
        "sha256" sha256: required String,
        /// How many bytes it has.
        "size" size: required Natural,
        /// What a person calls it.
        "name" name: optional String,
    }
}

wire_object! {
    /// Gets a file from the store of artifacts.
    #[derive(Eq)]
    pub struct ArtifactGet: Closed {
        fixed "type" = "artifact_get";
        /// The request's number.
        "id" id: required Natural,
        /// The SHA-256 of its bytes.
        "sha256" sha256: required String,
        /// How many of its first bytes the client has already; 0 if absent.
        "offset" offset: optional Natural,
        /// The SHA-256 of those.
        "prefix_sha256" prefix_sha256: optional String,
    }
}

wire_object! {
    /// Asks what is in the store of artifacts.
    #[derive(Eq)]
    pub struct ArtifactList: Closed {
        fixed "type" = "artifact_list";
        /// The request's number.
        "id" id: required Natural,
    }
}

wire_object! {
    /// Takes a file out of the store of artifacts.
    #[derive(Eq)]
    pub struct ArtifactRemove: Closed {
        fixed "type" = "artifact_remove";
        /// The request's number.
        "id" id: required Natural,
        /// The SHA-256 of its bytes.
        "sha256" sha256: required String,
    }
}

wire_object! {
    /// Tells, of a file that is received, how many of its bytes are safe. Either side sends it.
    #[derive(Eq)]
    pub struct FileAck: Closed {
        fixed "type" = "ack";
        /// The request that the file belongs to.
        "id" id: required Natural,
        /// How many.
        "offset" offset: required Natural,
    }
}

wire_object! {
    /// Ends a request before its time; what has come of an upload is thrown away.
    #[derive(Eq)]
    pub struct Cancel: Closed {
        fixed "type" = "cancel";
        /// Which request.
        "id" id: required Natural,
    }
}

/// Declares the messages of one direction, told apart by `type`.
macro_rules! messages {
    ($(#[doc = $doc:literal])* $name:ident { $($word:literal $variant:ident($ty:ty),)+ }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each says it at the type that it holds")]
        pub enum $name { $($variant($ty),)+ }

        $(impl From<$ty> for $name {
            fn from(message: $ty) -> Self {
                Self::$variant(message)
            }
        })+

        impl $name {
            /// Reads a text message.
            ///
            /// # Errors
            /// It is none of this direction, or one with a fault.
            pub fn parse(text: &str) -> Result<Self, Fault> {
                let value: Value =
                    serde_json::from_str(text).map_err(|error| Fault::new(format!("not JSON: {error}")))?;
                match value["type"].as_str() {
                    $(Some($word) => <$ty>::decode(value).map(Self::$variant),)+
                    _ => Err(Fault::not_among(&[$($word),+], &value["type"]).inside("type")),
                }
            }

            /// Writes it as a text message.
            pub fn to_text(self) -> String {
                match self {
                    $(Self::$variant(message) => message.encode().to_string(),)+
                }
            }

            /// The request that it is about.
            pub fn id(&self) -> u64 {
                match self {
                    $(Self::$variant(message) => message.id.to_u64(),)+
                }
            }
        }
    };
}

pub(super) use messages;

messages! {
    /// What a client sends as text.
    Request {
        "put" Put(Put),
        "get" Get(Get),
        "stat" Stat(Stat),
        "list" List(List),
        "make_folder" MakeFolder(MakeFolder),
        "make_link" MakeLink(MakeLink),
        "artifact_put" ArtifactPut(ArtifactPut),
        "artifact_get" ArtifactGet(ArtifactGet),
        "artifact_list" ArtifactList(ArtifactList),
        "artifact_remove" ArtifactRemove(ArtifactRemove),
        "ack" Ack(FileAck),
        "cancel" Cancel(Cancel),
    }
}
