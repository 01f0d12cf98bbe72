//! Many sessions at once.

use std::sync::Arc;

use futures_util::future::try_join_all;
use shinken::{Client, ClientError, FrameCache, Look, Options, Shot};
use testbed::{Standin, TOKEN};

use crate::stage::{find, start, status};

const SESSIONS: usize = 256;

async fn all(standin: &Standin, options: Options) -> Vec<Client> {
    let connecting = (0..SESSIONS).map(|_| Client::connect(standin.address(), Some(TOKEN), options.clone()));
    try_join_all(connecting).await.unwrap()
}

/// Fills in the form of one session with texts of its own.
async fn fill(client: &Client, number: usize) -> Result<(), ClientError> {
    let view = client.observe(Look::new()).await?;
    client
        .set_value(&find(&view, "text", "Name").reference, format!("Person {number}"))
        .await?;
    client.key("Tab").await?;
    client.type_text(format!("p{number}@example.org")).await?;
    if number.is_multiple_of(2) {
        client
            .invoke_action(&find(&view, "check-box", "Newsletter").reference, None)
            .await?;
    }
    let save = find(&view, "button", "Save").bbox.0.map(|edge| edge.get() as i64);
    client
        .click((save[0] + save[2] / 2, save[1] + save[3] / 2))
        .await?;
    client.screenshot(Shot::active_window().jpeg(50)).await?;
    Ok(())
}

#[tokio::test]
async fn every_session_has_its_own_form() {
    let standin = start(&[]);
    let clients = all(&standin, Options::default()).await;
    let filling = clients
        .iter()
        .enumerate()
        .map(|(number, client)| fill(client, number));
    try_join_all(filling).await.unwrap();
    for (number, client) in clients.iter().enumerate() {
        let newsletter = if number.is_multiple_of(2) {
            "newsletter"
        } else {
            "no newsletter"
        };
        let expected = format!("Saved Person {number}, p{number}@example.org, {newsletter}, Red");
        assert_eq!(status(client).await, expected);
    }
}

#[tokio::test]
async fn a_picture_is_sent_once_to_a_fleet_with_one_cache() {
    let standin = start(&[]);
    let cache = Arc::new(FrameCache::new(1 << 24));
    let options = Options {
        frame_cache: Some(Arc::clone(&cache)),
        ..Options::default()
    };
    let clients = all(&standin, options).await;
    let first = clients[0].screenshot(Shot::screen()).await.unwrap();
    for client in &clients[1..] {
        let picture = client.screenshot(Shot::screen()).await.unwrap();
        assert!(picture.from_cache && picture.frame_hash == first.frame_hash);
    }
    let stats = cache.stats();
    assert_eq!((stats.pictures, stats.misses), (1, 1), "{stats:?}");
    assert_eq!(stats.bytes, first.bytes.len());
}
