//! Does a work on a channel, and goes on with it on another one where the connection is lost.

use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Files;
use super::link::{Link, Stop};
use crate::error::{ClientError, Limit};
use crate::screencast::{Waits, late, worth_another};

/// Something that is done on a channel, by a blocking thread.
pub(super) trait Work: Send + 'static {
    /// What it gives.
    type Output: Send + 'static;

    /// Does it, or goes on with it.
    fn run(&mut self, link: &mut Link) -> Result<Self::Output, Stop>;

    /// A number that grows as long as it goes on.
    fn steps(&self) -> u64;
}

impl Files {
    /// Does a work. Dropping the future cancels it.
    pub(super) async fn drive<W: Work>(&self, work: W) -> Result<W::Output, ClientError> {
        let Some(after) = self.client.deadline() else {
            return self.drive_on(work).await;
        };
        timeout(after, self.drive_on(work)).await.unwrap_or_else(|_| {
            Err(ClientError::Timeout {
                what: "the transfer".to_owned(),
                after,
                limit: Limit::Deadline,
            })
        })
    }

    async fn drive_on<W: Work>(&self, mut work: W) -> Result<W::Output, ClientError> {
        let pool = self.client.files_pool();
        let place = pool.place().await.ok_or(ClientError::ClosedHere)?;
        let mut link = pool.take();
        // One that was used before may have been given up by the daemon meanwhile.
        let mut free_attempt = link.is_some();
        let plan = self.client.options().reconnect;
        let mut why = None::<ClientError>;
        let mut trouble: Option<(Instant, Waits)> = None;
        loop {
            let made = match link.take() {
                Some(link) => Ok(link),
                None => self.open().await,
            };
            let before = work.steps();
            let lost = match made {
                // That it died says more than that it is still dead.
                Err(error) => why.clone().filter(|_| worth_another(&error)).unwrap_or(error),
                Ok(link) => {
                    let (again, link, outcome) = do_on(work, link).await?;
                    work = again;
                    match outcome {
                        Ok(output) => {
                            if let Some(link) = link.give_back() {
                                pool.put(link);
                            }
                            drop(place);
                            return Ok(output);
                        }
                        Err(Stop::Failed(error)) => return Err(error),
                        Err(Stop::Lost) => link.why(),
                    }
                }
            };
            why = Some(lost.clone());
            if std::mem::take(&mut free_attempt) {
                continue;
            }
            let Some(plan) = plan.filter(|_| worth_another(&lost)) else {
                return Err(lost);
            };
            if work.steps() > before {
                trouble = None;
            }
            let (deadline, waits) =
                trouble.get_or_insert_with(|| (Instant::now() + plan.within, Waits::new(plan)));
            let wait = waits.next();
            if Instant::now() + wait >= *deadline {
                return Err(lost);
            }
            tracing::debug!("a transfer goes on after {wait:?}: {lost}");
            timeout_at(*deadline, sleep(wait)).await.map_err(|_| late(plan))?;
        }
    }

    async fn open(&self) -> Result<Link, ClientError> {
        Link::start(self.client.open_files().await?, self.client.options().keep_alive)
    }
}

async fn do_on<W: Work>(
    mut work: W,
    mut link: Link,
) -> Result<(W, Link, Result<W::Output, Stop>), ClientError> {
    let canceller = link.take();
    let doing = tokio::task::spawn_blocking(move || {
        let outcome = work.run(&mut link);
        link.say_cancelled();
        (work, link, outcome)
    });
    let done = doing.await;
    canceller.disarm();
    done.map_err(|error| ClientError::protocol(format!("the transfer's own thread failed: {error}")))
}
