//! Batches: order, what a failure in the middle ends, and one outcome for each action.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use shinken::aci::action::{Action, ActionBatch};
use shinken::aci::error_code::ErrorCode;
use shinken::aci::verb::Verb;
use shinken::aci::{Natural, NonEmpty};
use shinken::{Client, ClientError, Reply, Shot};

use crate::daemon::Daemon;

fn batch(stop_on_error: Option<bool>, actions: Vec<Action>) -> ActionBatch {
    ActionBatch {
        batch_id: Some("the batch".to_owned()),
        stop_on_error,
        actions: NonEmpty::new(actions).unwrap(),
    }
}

fn set(text: &str) -> Action {
    let mut action = Action::new(Verb::ClipboardSet);
    action.text = Some(text.to_owned());
    action
}

fn get() -> Action {
    Action::new(Verb::ClipboardGet)
}

/// Actions whose third one is refused by the daemon.
fn failing(client: &Client) -> Vec<Action> {
    vec![
        client.move_to((10, 20)).into_action().unwrap(),
        set("one"),
        client.move_to((9_000, 20)).into_action().unwrap(),
        client.move_to((30, 40)).into_action().unwrap(),
        set("two"),
        get(),
    ]
}

async fn pointer(client: &Client) -> Option<(i64, i64)> {
    client.screenshot(Shot::screen()).await.unwrap().pointer
}

#[tokio::test]
async fn the_first_failure_ends_a_batch_unless_it_is_told_to_go_on() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    for stop in [None, Some(true)] {
        client.move_to((1, 1)).await.unwrap();
        client.clipboard_set("before").await.unwrap();
        let done = client.act_batch(batch(stop, failing(&client))).await.unwrap();
        assert_eq!(done.batch_id.as_deref(), Some("the batch"));
        assert_eq!((done.outcomes.len(), done.not_sent), (3, 3));
        assert!(matches!(done.outcomes[0], Ok(Reply::Done)), "{:?}", done.outcomes);
        assert!(done.outcomes[1].is_ok(), "{:?}", done.outcomes);
        let failed = done.outcomes[2].as_ref().unwrap_err();
        assert_eq!(failed.code(), Some(ErrorCode::InvalidAction), "{failed}");
        assert_eq!(pointer(&client).await, Some((10, 20)));
        assert_eq!(client.clipboard_get().await.unwrap(), "one");
    }
    let done = client
        .act_batch(batch(Some(false), failing(&client)))
        .await
        .unwrap();
    assert_eq!((done.outcomes.len(), done.not_sent), (6, 0));
    let failed: Vec<usize> = (0..6).filter(|&n| done.outcomes[n].is_err()).collect();
    assert_eq!(failed, [2], "{:?}", done.outcomes);
    assert_eq!(pointer(&client).await, Some((30, 40)));
    assert_eq!(client.clipboard_get().await.unwrap(), "two");
}

#[tokio::test]
async fn every_action_sees_what_those_before_it_did_and_has_its_own_answer() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    for stop in [true, false] {
        let texts: Vec<String> = (0..20).map(|n| format!("text {n} of {stop}")).collect();
        let actions = texts.iter().flat_map(|text| [set(text), get()]).collect();
        let done = client.act_batch(batch(Some(stop), actions)).await.unwrap();
        let seen: Vec<String> = done
            .outcomes
            .into_iter()
            .skip(1)
            .step_by(2)
            .map(|answer| match answer.unwrap() {
                Reply::Value(value) => value["text"].as_str().unwrap().to_owned(),
                other => unreachable!("{other:?}"),
            })
            .collect();
        assert_eq!(seen, texts);
    }
}

#[tokio::test]
async fn what_cannot_be_sent_fails_in_its_own_place() {
    let daemon = Daemon::start_with(&["--max-message-bytes", "20000", "--no-structured-observation"]);
    let client = daemon.client().await;
    let not_offered = client.set_value("e1", "x").into_action().unwrap();
    for wrong in [not_offered, set(&"x".repeat(30_000))] {
        let actions = vec![set("one"), wrong, set("two")];
        let stopped = client.act_batch(batch(None, actions.clone())).await.unwrap();
        assert_eq!((stopped.outcomes.len(), stopped.not_sent), (2, 1));
        assert_eq!(client.clipboard_get().await.unwrap(), "one");
        let done = client.act_batch(batch(Some(false), actions)).await.unwrap();
        let [Ok(_), Err(failed), Ok(_)] = &done.outcomes[..] else {
            unreachable!("{:?}", done.outcomes)
        };
        assert!(
            matches!(
                failed,
                ClientError::Unsupported { .. } | ClientError::TooBig { ended: false, .. }
            ),
            "{failed}"
        );
        assert_eq!(client.clipboard_get().await.unwrap(), "two");
    }
    // What has several answers is no part of a batch, and then nothing is done.
    let stream = vec![set("three"), Action::new(Verb::StartScreencast)];
    let refused = client.act_batch(batch(Some(false), stream)).await.unwrap_err();
    assert!(matches!(refused, ClientError::InvalidCall { .. }), "{refused}");
    assert_eq!(client.clipboard_get().await.unwrap(), "two");
}

#[tokio::test]
async fn a_death_in_the_middle_is_told_for_every_action_after_it() {
    let mut daemon = Daemon::start();
    let client = daemon.client().await;
    let mut long = Action::new(Verb::Wait);
    long.ms = Natural::new(60_000);
    let running = {
        let client = client.clone();
        let actions = vec![set("one"), long, set("two")];
        tokio::spawn(async move { client.act_batch(batch(Some(false), actions)).await })
    };
    let other = daemon.client().await;
    while other.clipboard_get().await.is_ok_and(|text| text != "one") {}
    // It is set a moment before the answer is on its way.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    daemon.kill();
    let done = running.await.unwrap().unwrap();
    assert!(done.outcomes[0].is_ok(), "{:?}", done.outcomes);
    for outcome in &done.outcomes[1..] {
        assert!(
            matches!(outcome, Err(ClientError::SandboxDied { .. })),
            "{outcome:?}"
        );
    }
    assert_eq!(done.outcomes.len(), 3);
}
