//! A desktop with a daemon for one test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use shinken::{Client, FrameCache, Options};
use testbed::XServer;
pub(crate) use testbed::{PATIENCE, TOKEN};

/// An X server with a daemon on it.
#[derive(Debug)]
pub(crate) struct Daemon(testbed::Daemon);

impl Deref for Daemon {
    type Target = testbed::Daemon;

    fn deref(&self) -> &testbed::Daemon {
        &self.0
    }
}

impl DerefMut for Daemon {
    fn deref_mut(&mut self) -> &mut testbed::Daemon {
        &mut self.0
    }
}

impl Daemon {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        Self::start_on(XServer::start(640, 480), arguments)
    }

    pub(crate) fn start_on(server: XServer, arguments: &[&str]) -> Self {
        Self(testbed::Daemon::start(
            testbed::daemon_program(),
            server,
            arguments,
        ))
    }

    pub(crate) async fn client(&self) -> Client {
        self.client_with(Options::default()).await
    }

    pub(crate) async fn client_with(&self, options: Options) -> Client {
        Client::connect(self.address(), Some(TOKEN), options)
            .await
            .unwrap()
    }

    pub(crate) async fn client_with_cache(&self, cache: &Arc<FrameCache>) -> Client {
        let options = Options {
            frame_cache: Some(Arc::clone(cache)),
            ..Options::default()
        };
        self.client_with(options).await
    }

    /// Fills the whole screen with a colour.
    pub(crate) fn paint(&self, colour: &str) {
        let status = self
            .server
            .command("xsetroot")
            .args(["-solid", colour])
            .status()
            .unwrap();
        assert!(status.success());
    }
}
