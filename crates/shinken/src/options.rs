//! What a session may be told when it is connected.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::FrameCache;

/// Options of a session; the defaults suit a local sandbox and a distant one.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long reaching the address may take.
    pub connect_timeout: Duration,
    /// How long the WebSocket's upgrade and the welcome may take.
    pub handshake_timeout: Duration,
    /// How long a call may take beyond the time that it needs by itself: the `ms` of wait, the `timeout_ms` of exec, the
    /// length of a text to type, and those of the calls that the session still has before it.
    pub call_timeout: Duration,
    /// The largest message that is taken; a 4K picture of noise has some 25 MiB, a third more as text.
    pub max_message_bytes: usize,
    /// Whether pictures and output may come as binary messages; there is no reason against it but to test the other way.
    pub binary_frames: bool,
    /// A store of pictures, shared with other sessions; with it an unchanged picture is not sent again.
    pub frame_cache: Option<Arc<FrameCache>>,
    /// After how long a silence a ping is sent, which keeps the session from being closed as idle; a second silence of
    /// the same length ends it. `None` sends none.
    pub keep_alive: Option<Duration>,
    /// Whether screencasts go on over a new connection when one is lost; `None` turns it off.
    pub reconnect: Option<Reconnect>,
    /// The runtime's log, where it is on this machine; its last lines go into [`crate::ClientError::SandboxDied`].
    pub log_file: Option<PathBuf>,
    /// What is kept of a program's streamed output while nobody reads it. The runtime sends at most 8 MiB by default.
    pub exec_buffer_bytes: usize,
    /// What is kept of a screencast while nobody reads it, counted as it was encoded. Newer pictures take the place of older
    /// ones, so it takes a small limit or a very large screen to get there.
    pub cast_buffer_bytes: usize,
}

/// How a lost connection is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconnect {
    /// How long is tried in all.
    pub within: Duration,
    /// The wait before the second attempt; it doubles up to two seconds.
    pub first_wait: Duration,
}

impl Default for Reconnect {
    fn default() -> Self {
        Self {
            within: Duration::from_secs(30),
            first_wait: Duration::from_millis(50),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            handshake_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(30),
            max_message_bytes: 128 << 20,
            binary_frames: true,
            frame_cache: None,
            keep_alive: Some(Duration::from_secs(60)),
            reconnect: Some(Reconnect::default()),
            log_file: None,
            exec_buffer_bytes: 16 << 20,
            cast_buffer_bytes: 128 << 20,
        }
    }
}
