//! mousepad (GTK 3): files, menus, and dialogs over the window.

use testbed::App;

use super::task;
use crate::agent::{Agent, Control, saved};

fn editor(agent: &Agent, file: Option<&str>) -> App {
    let mut arguments = vec!["--disable-server"];
    arguments.extend(file);
    agent.app("mousepad", &arguments)
}

/// The field of a dialog that has the focus.
fn field(agent: &mut Agent) -> Control {
    agent.look_at_rest();
    agent.find_where("a field with the focus", |control| {
        control.role() == "text" && control.is("focused")
    })
}

fn choose(agent: &mut Agent, menu: &str, item: &str) {
    agent.press("menu", menu);
    agent.press("menu-item", item);
}

#[test]
fn a_file_is_opened_changed_and_saved() {
    task(|agent| {
        let file = agent.desktop.daemon.path("letter.txt");
        std::fs::write(&file, "Dear all,\n").unwrap();
        let _app = editor(agent, None);
        choose(agent, "File", "Open...");
        agent.find("file-chooser", "Open File");
        // It opens the field for a path.
        agent.type_text("/");
        let path = field(agent);
        agent.set_value(&path, file.to_str().unwrap());
        agent.look_at_rest();
        agent.press("button", "Open");
        let text = agent.find_where("the letter", |control| control.value() == "Dear all,\n");
        agent.click(&text);
        agent.key("ctrl+End");
        agent.type_text("hello");
        choose(agent, "File", "Save");
        saved(&file, "Dear all,\nhello");
    });
}

#[test]
fn a_text_is_saved_under_a_name() {
    task(|agent| {
        let file = agent.desktop.daemon.path("new.txt");
        let _app = editor(agent, None);
        let text = agent.find("text", "");
        agent.click(&text);
        agent.type_text("first line");
        choose(agent, "File", "Save As...");
        agent.find("file-chooser", "Save As");
        let name = field(agent);
        agent.set_value(&name, file.to_str().unwrap());
        agent.look_at_rest();
        agent.press("button", "Save");
        saved(&file, "first line");
        agent.window(&format!("{} - Mousepad", file.display()));
    });
}

#[test]
fn a_word_is_replaced_everywhere() {
    task(|agent| {
        let file = agent.desktop.daemon.path("words.txt");
        std::fs::write(&file, "cat dog cat\ncat\n").unwrap();
        let _app = editor(agent, file.to_str());
        choose(agent, "Search", "Find and Replace...");
        let find = field(agent);
        agent.set_value(&find, "cat");
        let replace = agent.until("the second field", |controls| {
            let mut fields = controls
                .iter()
                .filter(|control| control.role() == "text" && control.id() != find.id());
            fields.next_back().cloned()
        });
        agent.click(&replace);
        agent.type_text("owl");
        agent.press("check-box", "Replace all in:");
        agent.press("button", "Replace All");
        agent.find_where("the owls", |control| control.value() == "owl dog owl\nowl\n");
        agent.press("button", "Close");
        agent.find_none("button", "Close");
        choose(agent, "File", "Save");
        saved(&file, "owl dog owl\nowl\n");
    });
}

#[test]
fn a_menu_shows_and_hides_the_tool_bar() {
    task(|agent| {
        let _app = editor(agent, None);
        agent.press("menu", "View");
        agent.press("menu-item", "Toolbar");
        agent.find("tool-bar", "");
        choose(agent, "View", "Toolbar");
        agent.find_none("tool-bar", "");
    });
}

#[test]
fn a_tick_in_the_preferences_takes_effect() {
    task(|agent| {
        let _app = editor(agent, None);
        choose(agent, "Edit", "Preferences...");
        agent.press("page-tab", "Window");
        agent.press("check-box", "Show toolbar");
        agent.find("tool-bar", "");
    });
}
