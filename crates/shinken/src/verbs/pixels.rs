//! Pictures and screencasts.

use aci::action::Action;
use aci::verb::Verb;

use crate::client::Client;
use crate::error::ClientError;
use crate::reply::{Answer, Seen};
use crate::screencast::{Cast, Screencast};
use crate::screenshot::{Screenshot, Shot};

impl Client {
    /// Takes a picture. With a [`crate::FrameCache`], one that has not changed is not sent again.
    ///
    /// # Errors
    /// As for any call.
    pub async fn screenshot(&self, shot: Shot) -> Result<Screenshot, ClientError> {
        let (action, known) = self.shot_action(shot, false);
        let answer = self.call(action).await;
        self.shot_taken(shot, answer, known)
    }

    /// Starts a screencast. A session has one; a new one ends the old.
    ///
    /// # Errors
    /// As for any call.
    pub async fn start_screencast(&self, cast: Cast) -> Result<Screencast, ClientError> {
        Screencast::start(self.clone(), cast).await
    }

    /// Stops the session's screencast, whoever began it; there need not be one.
    ///
    /// # Errors
    /// As for any call.
    pub async fn stop_screencast(&self) -> Result<(), ClientError> {
        let connection = self.connection();
        self.stop_on(&connection).await?;
        connection.core().routes().stop_cast();
        Ok(())
    }

    /// The action that takes a picture, and the picture that it need not send again.
    pub(crate) fn shot_action(&self, shot: Shot, acts_before: bool) -> (Action, Option<Screenshot>) {
        let mut action = shot.to_action(Verb::Screenshot);
        let dedup = self.connection().welcome().capabilities.frame_dedup == Some(true);
        let Some(cache) = self.options().frame_cache.as_ref().filter(|_| dedup) else {
            return (action, None);
        };
        let own = self.last_seen(|seen| seen.hash(shot).map(str::to_owned));
        let own = own.filter(|_| !acts_before);
        let candidate = cache.candidate(shot, own.as_deref());
        action.if_none_match = candidate.as_ref().and_then(|picture| picture.frame_hash.clone());
        (action, candidate)
    }

    /// The picture that an answer stands for.
    pub(crate) fn shot_taken(
        &self,
        shot: Shot,
        answer: Answer,
        known: Option<Screenshot>,
    ) -> Result<Screenshot, ClientError> {
        let cache = self.options().frame_cache.as_ref();
        let picture = match answer?.seen()? {
            Seen::Picture(picture) => {
                if let Some(cache) = cache {
                    cache.keep(shot, &picture);
                }
                picture
            }
            Seen::NotModified(same) => {
                let known = known
                    .filter(|known| known.frame_hash.as_ref() == Some(&same.frame_hash))
                    .ok_or_else(|| ClientError::protocol("not_modified came for a hash that was not sent"))?;
                if let Some(cache) = cache {
                    cache.hit(shot, &same.frame_hash);
                }
                // Where it lies and the pointer are not part of the pixels, so they come from the answer.
                Screenshot {
                    scope: Some(shot.shows()),
                    display: same.display,
                    pointer: same.pointer,
                    from_cache: true,
                    ..known
                }
            }
            Seen::Tree(_) | Seen::View(_) => {
                return Err(ClientError::protocol("a tree came where a picture was asked for"));
            }
        };
        if let (Some(hash), Some(_)) = (&picture.frame_hash, cache) {
            self.last_seen(|seen| seen.saw(shot, hash.clone()));
        }
        Ok(picture)
    }
}
