//! Programs as people have them: a calculator and an editor of Qt 5, an editor of GTK 4, LibreOffice.

use super::task;
use crate::agent::saved;

#[test]
#[ignore = "needs a large program: cargo xtask test --all"]
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
#[ignore = "needs a large program: cargo xtask test --all"]
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

#[test]
#[ignore = "needs a large program: cargo xtask test --all"]
fn cells_of_a_spreadsheet_are_filled_and_worked_out() {
    task(|agent| {
        let _app = agent.app("soffice", &["--norestore", "--nologo", "--calc"]);
        for (cell, text) in [("B2", "21"), ("B3", "=B2*2")] {
            agent.press("table-cell", cell);
            agent.type_text(&format!("{text}\n"));
        }
        agent.find_where("the result", |control| {
            control.role() == "table-cell" && control.name() == "B3" && control.value() == "42"
        });
        // A million rows below: of so many cells those that can be seen are read.
        agent.key("ctrl+Down");
        agent.press("table-cell", "B1048576");
        agent.type_text("5\n");
        agent.find_where("the last cell", |control| {
            control.name() == "B1048576" && control.value() == "5"
        });
    });
}

#[test]
#[ignore = "needs a large program: cargo xtask test --all"]
fn a_word_is_made_bold_in_a_letter() {
    task(|agent| {
        let _app = agent.app("soffice", &["--norestore", "--nologo", "--writer"]);
        agent.press_where("the paper", |control| control.role() == "document-text");
        agent.press("toggle-button", "Bold");
        agent.press_where("the paper", |control| control.role() == "document-text");
        agent.type_text("Dear all");
        agent.find_where("the text", |control| control.value() == "Dear all");
        agent.find_where("what is bold", |control| {
            control.role() == "toggle-button" && control.name() == "Bold" && control.is("checked")
        });
    });
}
