//! The handshake: what the client offers and what the daemon can do.

use crate::target::TargetKind;
use crate::verb::Verb;
use crate::wire::{Positive, wire_object, words};

words! {
    /// Codecs of pictures: png loses nothing, jpeg is smaller.
    ImageFormat {
        /// Lossless.
        Png = "png",
        /// Lossy.
        Jpeg = "jpeg",
    }
}

words! {
    /// Kinds of observation.
    ObservationType {
        /// The accessibility tree.
        A11y = "a11y",
        /// Single pictures.
        Screenshot = "screenshot",
        /// A stream of pictures.
        Screencast = "screencast",
        /// Encoded video.
        Video = "video",
        /// Marks on a picture.
        Som = "som",
    }
}

words! {
    /// Operating systems.
    Platform {
        /// Linux.
        Linux = "linux",
        /// Windows.
        Windows = "windows",
        /// macOS.
        Macos = "macos",
    }
}

wire_object! {
    /// A client's name and version.
    #[derive(Eq)]
    pub struct ClientInfo: Open {
        /// Its name.
        "name" name: required String,
        /// Its version.
        "version" version: required String,
    }
}

wire_object! {
    /// What a client can take.
    #[derive(Eq, Default)]
    pub struct Accept: Open {
        /// Kinds of observation that it reads.
        "observation_types" observation_types: optional Vec<ObservationType>,
        /// Whether pictures and streamed output may come as binary messages.
        "binary_frames" binary_frames: optional bool,
    }
}

wire_object! {
    /// The first message of a client.
    #[derive(Eq)]
    pub struct Hello: Closed {
        fixed "type" = "hello";
        fixed "v" = 0;
        /// Who it is.
        "client" client: required ClientInfo,
        /// What it can take.
        "accept" accept: optional Accept,
        /// The bearer token; every TCP listener asks for it.
        "token" token: optional String,
    }
}

wire_object! {
    /// The daemon's name, version and system.
    #[derive(Eq)]
    pub struct ServerInfo: Open {
        /// Its name.
        "name" name: required String,
        /// Its version.
        "version" version: required String,
        /// Its system.
        "platform" platform: required Platform,
    }
}

wire_object! {
    /// What the daemon can do; a client uses nothing beyond it.
    #[derive(Eq)]
    pub struct Capabilities: Closed {
        fixed "schema_version" = 0;
        /// The verbs it takes.
        "verbs" verbs: required Vec<Verb>,
        /// The targets it takes.
        "targets" targets: required Vec<TargetKind>,
        /// The observations it makes.
        "observation_types" observation_types: required Vec<ObservationType>,
        /// The largest picture edge it delivers, in pixels.
        "max_long_edge" max_long_edge: optional Positive,
        /// The codecs it has; only png if absent.
        "image_formats" image_formats: optional Vec<ImageFormat>,
        /// Whether it can send binary messages.
        "binary_frames" binary_frames: optional bool,
        /// Whether it knows `frame_hash`, `if_none_match` and `not_modified`.
        "frame_dedup" frame_dedup: optional bool,
        /// Whether it knows an action's `observe`.
        "observe_after_act" observe_after_act: optional bool,
        /// Whether it has the accessibility engine.
        "structured_observation" structured_observation: optional bool,
    }
}

wire_object! {
    /// The daemon's answer to `hello`.
    #[derive(Eq)]
    pub struct Welcome: Closed {
        fixed "type" = "welcome";
        fixed "v" = 0;
        /// Who it is.
        "server" server: required ServerInfo,
        /// What it can do.
        "capabilities" capabilities: required Capabilities,
    }
}
