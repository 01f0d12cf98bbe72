//! Programs as people have them: a calculator and an editor of Qt 5, an editor of GTK 4.

use super::task;
use crate::agent::saved;

#[test]
fn a_sum_is_worked_out() {
    task(|agent| {
        let _app = agent.app("kcalc", &[]);
        for button in ["7", "×", "6", "="] {
            agent.press("button", button);
        }
        // The display is called by what it shows.
        agent.find("frame", "42");
    });
}

#[test]
fn a_file_is_changed_and_saved_in_qt_5() {
    task(|agent| {
        let file = agent.desktop.daemon.path("list.txt");
        std::fs::write(&file, "milk\n").unwrap();
        let _app = agent.app("featherpad", &["--standalone", file.to_str().unwrap()]);
        agent.find("page-tab", "list.txt");
        // It says nothing of what is in the text.
        agent.press_where("the text", |control| {
            control.role() == "text" && control.is("multi-line")
        });
        agent.key("ctrl+End");
        agent.type_text("bread");
        agent.press("button", "Save");
        saved(&file, "milk\nbread");
    });
}

#[test]
fn a_file_is_changed_and_saved_in_gtk_4() {
    task(|agent| {
        let file = agent.desktop.daemon.path("list.txt");
        std::fs::write(&file, "milk\n").unwrap();
        let _app = agent.app("gnome-text-editor", &["--standalone", file.to_str().unwrap()]);
        agent.press_where("the text", |control| control.value().starts_with("milk"));
        agent.key("ctrl+End");
        agent.type_text("\nbread");
        agent.find_where("the text", |control| control.value().contains("bread"));
        agent.key("ctrl+s");
        saved(&file, "milk\nbread");
    });
}
