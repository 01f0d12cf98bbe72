//! A stand-in for one test, and ways to read its form.

use std::path::Path;

use shinken::aci::element::Element;
use shinken::{Client, Look, Options, View};
use testbed::{Standin, TOKEN};

pub(crate) fn start(arguments: &[&str]) -> Standin {
    Standin::start(Path::new(env!("CARGO_BIN_EXE_shinken-standin")), arguments)
}

pub(crate) async fn client(standin: &Standin) -> Client {
    client_with(standin, Options::default()).await
}

pub(crate) async fn client_with(standin: &Standin, options: Options) -> Client {
    Client::connect(standin.address(), Some(TOKEN), options)
        .await
        .unwrap()
}

/// The one control of this role and name.
pub(crate) fn find<'a>(view: &'a View, role: &str, name: &str) -> &'a Element {
    let elements = view.tree.as_ref().unwrap().elements.as_ref().unwrap();
    let mut found = elements
        .iter()
        .filter(|element| element.role == role && element.name.as_deref() == Some(name));
    let element = found.next().unwrap();
    assert!(found.next().is_none());
    element
}

/// What the status line says.
pub(crate) async fn status(client: &Client) -> String {
    let view = client.observe(Look::new()).await.unwrap();
    find(&view, "status-bar", "Status").value.clone().unwrap()
}
