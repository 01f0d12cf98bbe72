//! The form used in every way there is.

use shinken::aci::action::Action;
use shinken::aci::error_code::ErrorCode;
use shinken::aci::target::{ElementRef, PointerButton, Target};
use shinken::aci::verb::Verb;
use shinken::{Look, Shot};

use crate::stage::{client, find, start, status};

fn target(reference: &str) -> Target {
    Target::ElementRef(ElementRef {
        reference: reference.to_owned(),
        source: None,
    })
}

#[tokio::test]
async fn it_is_filled_in_by_refs_and_read_back() {
    let standin = start(&[]);
    let client = client(&standin).await;
    let view = client.observe(Look::new()).await.unwrap();
    let tree = view.tree.as_ref().unwrap().tree_text.as_ref().unwrap();
    assert!(
        tree.starts_with(
            "app:\"shinken-standin\" window:\"Contact form\" revision:1\ne1 frame (active) \"Contact form\"\n"
        ),
        "{tree}"
    );
    assert!(tree.ends_with("focus: e3"), "{tree}");
    for (role, name, text) in [
        ("text", "Name", "Ada Łącka"),
        ("text", "E-mail", "ada@example.org"),
    ] {
        let mut click = Action::new(Verb::Click);
        click.target = Some(target(&find(&view, role, name).reference));
        client.act(click).await.unwrap();
        client.type_text(text).await.unwrap();
    }
    let box_ = find(&view, "check-box", "Newsletter").reference.clone();
    client.invoke_action(&box_, None).await.unwrap();
    // It is out of sight at first, and scrolled to.
    let violet = find(&view, "list-item", "Violet");
    assert_eq!(violet.bbox.0[2].get(), 0.0);
    let mut click = Action::new(Verb::Click);
    click.target = Some(target(&violet.reference));
    client.act(click).await.unwrap();
    let save = find(&view, "button", "Save").reference.clone();
    client
        .invoke_action(&save, Some("click".to_owned()))
        .await
        .unwrap();

    let seen = client.observe(Look::new().diff()).await.unwrap();
    let tree = seen.tree.as_ref().unwrap();
    let text = tree.tree_text.as_ref().unwrap();
    let line = "~   e18 status-bar \"Status\" Value:\"Saved Ada Łącka, ada@example.org, newsletter, Violet\"";
    assert!(text.contains(line), "{text}");
    assert!(!text.contains("E-mail\" Value:\"\""), "{text}");
    assert_eq!(find(&seen, "text", "Name").value.as_deref(), Some("Ada Łącka"));
    let again = client.observe(Look::new().diff()).await.unwrap();
    let text = again.tree.unwrap().tree_text.unwrap();
    assert!(text.contains("\nno change"), "{text}");
}

#[tokio::test]
async fn values_are_set_by_interface() {
    let standin = start(&[]);
    let client = client(&standin).await;
    let view = client.observe(Look::new()).await.unwrap();
    let reference = |role, name| find(&view, role, name).reference.clone();
    client.set_value(reference("text", "Name"), "Bob").await.unwrap();
    client
        .set_value(reference("check-box", "Newsletter"), "true")
        .await
        .unwrap();
    client
        .set_value(reference("list", "Colour"), "Black")
        .await
        .unwrap();
    client.key("Return").await.unwrap();
    assert_eq!(status(&client).await, "Saved Bob, , newsletter, Black");
    for (element, value, code) in [
        (
            reference("check-box", "Newsletter"),
            "maybe",
            ErrorCode::InvalidAction,
        ),
        (reference("list", "Colour"), "Beige", ErrorCode::InvalidAction),
        (reference("text", "Name"), "two\nlines", ErrorCode::InvalidAction),
        (reference("button", "Save"), "x", ErrorCode::Unsupported),
        ("e99".to_owned(), "x", ErrorCode::StaleElementRef),
        ("Save".to_owned(), "x", ErrorCode::InvalidAction),
    ] {
        let error = client.set_value(element, value).await.unwrap_err();
        assert_eq!(error.code(), Some(code), "{value}: {error}");
    }
    let error = client.invoke_action(reference("button", "Save"), Some("fly".to_owned()));
    let error = error.await.unwrap_err();
    assert!(error.to_string().contains("click"), "{error}");
}

#[tokio::test]
async fn it_is_used_by_pixels_and_keys() {
    let standin = start(&["--size", "640x480"]);
    let client = client(&standin).await;
    assert_eq!(client.screen_size().await.unwrap(), (640, 480));
    client.click((200, 100)).await.unwrap();
    client.type_text("Eve\teve@x.org").await.unwrap();
    client.double_click((200, 100)).await.unwrap();
    client.type_text("Eva").await.unwrap();
    client.key("ctrl+a").await.unwrap();
    client.key("ctrl+c").await.unwrap();
    assert_eq!(client.clipboard_get().await.unwrap(), "Eva");
    client.clipboard_set("x ☕").await.unwrap();
    client.key("End").await.unwrap();
    client.key("ctrl+v").await.unwrap();
    client
        .mouse_down(Some((180, 190).into()), PointerButton::Left)
        .await
        .unwrap();
    client.mouse_up(None, PointerButton::Left).await.unwrap();
    client.scroll((200, 250), 0.0, 480.0).await.unwrap();
    client.click((200, 230)).await.unwrap();
    let seen = client.click((200, 360)).observe(Shot::window(1)).await.unwrap();
    assert_eq!((seen.w, seen.h), (560, 400));
    assert_eq!(status(&client).await, "Saved x ☕, eve@x.org, newsletter, Cyan");
    let off = client.click((640, 0)).await.unwrap_err();
    assert_eq!(off.code(), Some(ErrorCode::InvalidAction), "{off}");
    let key = client.key("ctrl+nosuchkey").await.unwrap_err();
    assert_eq!(key.code(), Some(ErrorCode::InvalidAction), "{key}");

    let windows = client.list_windows().await.unwrap();
    assert_eq!((windows.len(), windows[0].title.as_str()), (1, "Contact form"));
    client.activate_window("contact").await.unwrap();
    client.activate_window(&windows[0]).await.unwrap();
    let other = client.activate_window("editor").await.unwrap_err();
    assert_eq!(other.code(), Some(ErrorCode::WindowNotFound), "{other}");
}
