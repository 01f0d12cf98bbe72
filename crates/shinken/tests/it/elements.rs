//! Looking at an editor and using its controls, by typed calls.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use shinken::aci::element::Element;
use shinken::aci::error_code::ErrorCode;
use shinken::aci::extension::Extension;
use shinken::aci::extension::action::{Axis, SelectionMode};
use shinken::{Client, ClientError, Look, Passage, Shot, View};
use testbed::{App, XServer};
use tokio::time::timeout;

use crate::daemon::{Daemon, PATIENCE};

fn elements(view: &View) -> &[Element] {
    view.tree.as_ref().unwrap().elements.as_deref().unwrap()
}

/// Looks until a control is there; gives the look and the control.
async fn find(client: &Client, look: Look, role: &str, name: &str) -> (View, Element) {
    let found = async {
        loop {
            // Programs that have just started may not be there at all.
            if let Ok(view) = client.observe(look.clone()).await {
                let is_it = |element: &&Element| {
                    element.role == role && element.name.as_deref().unwrap_or_default() == name
                };
                let element = elements(&view).iter().find(is_it).cloned();
                if let Some(element) = element {
                    return (view, element);
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap()
}

#[tokio::test]
async fn an_editor_is_used_by_its_elements() {
    let server = XServer::start(640, 480).with_session();
    let _manager = server.window_manager();
    let daemon = Daemon::start_on(server, &[]);
    let start = |program: &str, arguments: &[&str]| {
        let mut command = daemon.server.command(program);
        command
            .args(arguments)
            .env("HOME", daemon.folder())
            .env("GSETTINGS_BACKEND", "memory");
        App::spawn(&mut command)
    };
    let client = daemon.client().await;
    let mut free = Extension::ALL.iter().filter(|free| **free != Extension::Run);
    assert!(free.all(|extension| client.has(*extension)));
    let editor = start("mousepad", &["--disable-server"]);
    let (view, text) = find(&client, Look::new(), "text", "").await;
    assert!(view.picture.is_none() && view.settle.is_some());
    let _asking = start("zenity", &["--question", "--ok-label=Agreed"]);
    find(&client, Look::new(), "button", "Agreed").await;

    let apps = client.apps().await.unwrap();
    let mousepad = apps.iter().find(|app| app.pid == editor.id()).unwrap();
    assert_eq!(
        (mousepad.name.as_str(), mousepad.focused),
        ("mousepad", false),
        "{apps:?}"
    );
    let unknown = client.observe(Look::new().app("solitaire")).await.unwrap_err();
    assert_eq!(unknown.code(), Some(ErrorCode::AppNotFound), "{unknown}");

    // Whichever has the focus, and with a picture.
    let both = Look::new()
        .process(editor.id())
        .picture(Shot::screen())
        .settle(Duration::from_millis(50));
    let (view, same) = find(&client, both, "text", "").await;
    assert_eq!(same.reference, text.reference);
    let picture = view.picture.unwrap();
    assert_eq!((picture.w, picture.h), (640, 480));
    assert_eq!(picture.decode().unwrap().width(), 640);
    let alone = Look::new().picture(Shot::screen().jpeg(60)).without_tree();
    let view = client.observe(alone).await.unwrap();
    assert!(view.tree.is_none() && view.picture.is_some());

    client.activate_window("mousepad").await.unwrap();
    let reference = text.reference.as_str();
    let lines: Vec<String> = (1..=200).map(|line| format!("line {line} of the text")).collect();
    client.set_value(reference, lines.join("\n")).await.unwrap();
    let several = client
        .set_text_selection(reference, SelectionMode::Select, "of the")
        .await
        .unwrap_err();
    assert_eq!(several.code(), Some(ErrorCode::InvalidAction), "{several}");
    let passage = Passage::new("of").after("line 3 ").before(" the text");
    let seen = client
        .set_text_selection(reference, SelectionMode::Select, passage)
        .observe(Shot::screen())
        .await
        .unwrap();
    assert_eq!((seen.w, seen.h), (640, 480));
    client.type_text("is in").await.unwrap();
    let editors = Look::new()
        .app("mousepad")
        .diff()
        .settle(Duration::from_millis(100));
    let changed = async {
        loop {
            let view = client.observe(editors.clone()).await.unwrap();
            let value = elements(&view)
                .iter()
                .find(|element| element.reference == reference);
            if value
                .unwrap()
                .value
                .as_ref()
                .unwrap()
                .contains("line 3 is in the text")
            {
                return;
            }
        }
    };
    timeout(PATIENCE, changed).await.unwrap();

    client
        .scroll_element(reference, 1.0, Axis::Vertical)
        .await
        .unwrap();
    client
        .scroll_element(reference, -9.0, Axis::Vertical)
        .await
        .unwrap();
    let at_its_end = client
        .scroll_element(reference, -1.0, Axis::Vertical)
        .await
        .unwrap_err();
    assert_eq!(at_its_end.code(), Some(ErrorCode::Unsupported), "{at_its_end}");
    let nowhere = client.scroll_element(reference, f64::NAN, Axis::Vertical).await;
    assert!(matches!(nowhere, Err(ClientError::InvalidCall { .. })));
    let step = client
        .scroll_element(reference, 1.0, Axis::Vertical)
        .into_action();
    assert!(matches!(step, Err(ClientError::InvalidCall { .. })));
}
