//! Questions and small requests on a files channel.

use aci::error_code::ErrorCode;
use aci::files::{ArtifactList, ArtifactRemove, Entry, List, MakeFolder, Reply, Request, Stat, natural};
use aci::{Natural, NonEmptyString};

use super::drive::Work;
use super::link::{Link, Said, Stop};
use super::{Artifact, Files};
use crate::error::ClientError;

/// How many entries of a list are kept.
const MOST_ENTRIES: usize = 1 << 20;

/// A request that is made of its number.
type Ask = Box<dyn Fn(Natural) -> Request + Send>;

/// One question.
struct Question {
    ask: Ask,
    steps: u64,
}

/// What was answered.
#[derive(Debug, Default)]
struct Answers {
    entries: Vec<Entry>,
    artifacts: Vec<Artifact>,
}

impl Work for Question {
    type Output = Answers;

    fn run(&mut self, link: &mut Link) -> Result<Answers, Stop> {
        let request = (self.ask)(natural(link.number()));
        let id = request.id();
        let ends_with_entries = matches!(request, Request::Stat(_));
        link.send(request)?;
        let mut answers = Answers::default();
        loop {
            let Said::Reply(reply) = link.hear()? else {
                return Err(ClientError::protocol("a chunk came that nobody has asked for").into());
            };
            self.steps += 1;
            if reply.id() != id {
                continue;
            }
            match reply {
                Reply::Entries(entries) => {
                    answers.entries.extend(entries.entries);
                    if answers.entries.len() > MOST_ENTRIES {
                        return Err(ClientError::invalid(format!(
                            "the folder has more than {MOST_ENTRIES} entries; ask for its folders one by one"
                        ))
                        .into());
                    }
                    if ends_with_entries {
                        link.answered(id);
                        return Ok(answers);
                    }
                }
                Reply::Artifacts(all) => {
                    answers.artifacts = all
                        .artifacts
                        .into_iter()
                        .map(|artifact| Artifact {
                            sha256: artifact.sha256,
                            size: artifact.size.to_u64(),
                            name: artifact.name,
                            already: true,
                        })
                        .collect();
                    return Ok(answers);
                }
                Reply::Done(_) => return Ok(answers),
                Reply::Failed(failed) => return Err(ClientError::refused(Some(failed.error)).into()),
                _ => return Err(ClientError::protocol("an answer to another question came").into()),
            }
        }
    }

    fn steps(&self) -> u64 {
        self.steps
    }
}

async fn ask(
    files: &Files,
    ask: impl Fn(Natural) -> Request + Send + 'static,
) -> Result<Answers, ClientError> {
    files
        .drive(Question {
            ask: Box::new(ask),
            steps: 0,
        })
        .await
}

fn path(remote: &str) -> Result<NonEmptyString, ClientError> {
    NonEmptyString::new(remote.to_owned())
        .ok_or_else(|| ClientError::invalid("the path on the desktop is empty"))
}

pub(super) async fn stat(files: &Files, remote: &str) -> Result<Option<Entry>, ClientError> {
    let path = path(remote)?;
    let found = ask(files, move |id| {
        Stat {
            id,
            path: path.clone(),
        }
        .into()
    })
    .await;
    match found {
        Ok(answers) => Ok(answers.entries.into_iter().next()),
        Err(error) if error.code() == Some(ErrorCode::FileNotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) async fn list(files: &Files, remote: &str, recursive: bool) -> Result<Vec<Entry>, ClientError> {
    let path = path(remote)?;
    let answers = ask(files, move |id| {
        List {
            id,
            path: path.clone(),
            recursive: Some(recursive),
        }
        .into()
    });
    answers.await.map(|answers| answers.entries)
}

pub(super) async fn make_folder(files: &Files, remote: &str) -> Result<(), ClientError> {
    let path = path(remote)?;
    let made = ask(files, move |id| {
        MakeFolder {
            id,
            path: path.clone(),
            mode: None,
            parents: Some(true),
        }
        .into()
    });
    made.await.map(|_| ())
}

pub(super) async fn artifacts(files: &Files) -> Result<Vec<Artifact>, ClientError> {
    let answers = ask(files, |id| ArtifactList { id }.into()).await?;
    Ok(answers.artifacts)
}

pub(super) async fn remove_artifact(files: &Files, sha256: &str) -> Result<(), ClientError> {
    let sha256 = sha256.to_owned();
    let removed = ask(files, move |id| {
        ArtifactRemove {
            id,
            sha256: sha256.clone(),
        }
        .into()
    });
    removed.await.map(|_| ())
}
