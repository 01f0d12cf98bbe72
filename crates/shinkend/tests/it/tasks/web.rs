//! A page in Chromium, whose title says what became of it.

use testbed::App;

use super::task;
use crate::agent::Agent;
use crate::elements::stage::program;

fn shop(agent: &Agent) -> App {
    let profile = format!(
        "--user-data-dir={}",
        agent.desktop.daemon.path("profile").display()
    );
    let page = format!("--app=file://{}", program("shop.html"));
    let options = ["--no-sandbox", "--no-first-run", "--disable-gpu"];
    agent.app("chromium", &[&options[..], &[&profile, &page]].concat())
}

#[test]
fn a_page_is_filled_in_and_sent() {
    task(|agent| {
        let _app = shop(agent);
        agent.press("entry", "Name");
        agent.type_text("Ada");
        agent.press("password-text", "Password");
        agent.type_text("swordfish");
        agent.press("check-box", "As a gift");
        agent.press("radio-button", "Fast");
        let size = agent.find("combo-box", "Size");
        agent.set_value(&size, "large");
        let note = agent.find("entry", "Note");
        agent.set_value(&note, "by the door");
        agent.press("button", "Order");
        agent.window("sent Ada|swordfish|gift|fast|large|by the door");
    });
}

#[test]
fn a_question_of_a_page_is_answered() {
    task(|agent| {
        let _app = shop(agent);
        for (answer, outcome) in [("Cancel", "kept"), ("OK", "emptied")] {
            agent.press("button", "Empty the basket");
            // For half a second it takes no click on a dialog, lest one be meant for what was there before.
            agent.find("button", answer);
            agent.look_at_rest_for(600);
            agent.press("button", answer);
            agent.window(outcome);
        }
    });
}
