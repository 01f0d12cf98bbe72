//! zenity (GTK 3): what a dialog was answered is what it prints.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Read as _;
use std::process::Stdio;

use testbed::App;

use super::task;
use crate::agent::{Agent, exit_code};

/// A dialog that runs.
struct Dialog(App);

impl Dialog {
    fn start(agent: &Agent, arguments: &[&str]) -> Self {
        let mut command = agent.desktop.command("zenity");
        Self(App::spawn(command.args(arguments).stdout(Stdio::piped())))
    }

    /// What it printed when it had been answered with "OK".
    fn answer(mut self) -> String {
        assert_eq!(exit_code(&mut self.0), Some(0));
        let mut text = String::new();
        self.0
            .child()
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        text.trim_end().to_owned()
    }
}

#[test]
fn an_entry_is_filled_in() {
    task(|agent| {
        let dialog = Dialog::start(agent, &["--entry", "--text=City", "--entry-text=Rome"]);
        let field = agent.find("text", "");
        agent.click(&field);
        agent.type_over("São Paulo");
        agent.press("button", "OK");
        assert_eq!(dialog.answer(), "São Paulo");
    });
}

#[test]
fn a_password_is_given() {
    task(|agent| {
        let dialog = Dialog::start(agent, &["--password", "--username"]);
        let name = agent.find("text", "");
        agent.set_value(&name, "ada");
        let password = agent.find("password-text", "");
        agent.click(&password);
        agent.type_text("swordfish");
        agent.press("button", "OK");
        assert_eq!(dialog.answer(), "ada|swordfish");
    });
}

#[test]
fn a_line_of_a_list_is_chosen() {
    task(|agent| {
        let dialog = Dialog::start(
            agent,
            &["--list", "--column=Fruit", "apple", "pear", "plum", "quince"],
        );
        agent.press("table-cell", "plum");
        agent.press("button", "OK");
        assert_eq!(dialog.answer(), "plum");
    });
}

#[test]
fn two_of_a_checklist_are_ticked() {
    task(|agent| {
        let rows = ["FALSE", "salt", "FALSE", "pepper", "FALSE", "sugar"];
        let mut arguments = vec!["--list", "--checklist", "--column=Take", "--column=What"];
        arguments.extend(rows);
        let dialog = Dialog::start(agent, &arguments);
        agent.find("table-cell", "sugar");
        for what in ["salt", "sugar"] {
            // The box stands before its text.
            let tick = agent.until(what, |controls| {
                let text = controls.iter().position(|control| control.name() == what)?;
                Some(controls.get(text.checked_sub(1)?)?.clone())
            });
            agent.click(&tick);
            agent.find_where("it to be ticked", |control| {
                control.id() == tick.id() && control.is("checked")
            });
        }
        agent.press("button", "OK");
        assert_eq!(dialog.answer(), "salt|sugar");
    });
}

#[test]
fn a_scale_is_set() {
    task(|agent| {
        let dialog = Dialog::start(agent, &["--scale", "--value=20", "--max-value=80"]);
        let slider = agent.find("slider", "");
        agent.set_value(&slider, "42");
        agent.press("button", "OK");
        assert_eq!(dialog.answer(), "42");
    });
}

#[test]
fn a_day_is_chosen_in_a_calendar() {
    task(|agent| {
        let day = [
            "--calendar",
            "--day=3",
            "--month=2",
            "--year=2024",
            "--date-format=%Y-%m-%d",
        ];
        let dialog = Dialog::start(agent, &day);
        // GTK 3 says nothing of the days in it, so what is clicked is whichever day is in its middle.
        agent.press("calendar", "");
        agent.press("button", "OK");
        let day = dialog.answer();
        assert!(day.starts_with("2024-02-") && day != "2024-02-03", "{day}");
    });
}

#[test]
fn a_question_is_answered_with_no() {
    task(|agent| {
        let mut dialog = Dialog::start(agent, &["--question", "--text=Format the disk?"]);
        agent.press("button", "No");
        assert_eq!(exit_code(&mut dialog.0), Some(1));
    });
}

#[test]
fn a_file_is_chosen() {
    task(|agent| {
        let folder = agent.desktop.daemon.path("shelf");
        std::fs::create_dir(&folder).unwrap();
        for name in ["atlas.txt", "bible.txt", "novel.txt"] {
            std::fs::write(folder.join(name), name).unwrap();
        }
        let start = format!("--filename={}/", folder.display());
        let dialog = Dialog::start(agent, &["--file-selection", &start]);
        agent.press("table-cell", "novel.txt");
        agent.press("button", "OK");
        assert_eq!(dialog.answer(), folder.join("novel.txt").to_str().unwrap());
    });
}
