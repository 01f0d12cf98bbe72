//! A form in Qt 6 and in GTK 4, which prints what it was made to do.

use super::task;
use crate::agent::{Agent, Printing};
use crate::elements::stage::{PYTHON, program};

fn office(agent: &Agent, toolkit: &str) -> Printing {
    let mut command = agent.desktop.command(PYTHON);
    command.args([&program("office.py"), toolkit]);
    Printing::start(command)
}

#[test]
fn a_form_is_filled_in_and_sent() {
    task(|agent| {
        let office = office(agent, "qt6");
        agent.press("text", "Name");
        agent.type_text("Ada");
        let city = agent.find("text", "City");
        agent.set_value(&city, "Paris");
        agent.press("combo-box", "Austria");
        agent.press("list-item", "Chile");
        agent.find("combo-box", "Chile");
        let age = agent.find("spin-button", "Age");
        agent.set_value(&age, "36");
        agent.press("check-box", "Send news");
        agent.press("radio-button", "By mail");
        agent.press("button", "Submit");
        assert_eq!(office.line(), "form=Ada|Paris|Chile|36|True|mail");
    });
}

#[test]
fn a_cell_of_a_table_is_edited() {
    task(|agent| {
        let office = office(agent, "qt6");
        agent.press("page-tab", "Stock");
        let cell = agent.find("table-cell", "22");
        agent.double_click(&cell);
        // Qt says nothing of the field that it puts into the cell, and has done so before it takes a key.
        agent.type_over("23");
        agent.key("Return");
        assert_eq!(office.line(), "cell 1,1=23");
    });
}

#[test]
fn a_modal_dialog_is_answered() {
    task(|agent| {
        let office = office(agent, "qt6");
        for (answer, outcome) in [("No", "bin=kept"), ("Yes", "bin=emptied")] {
            agent.press("menu-item", "Records");
            agent.press("menu-item", "Empty the bin");
            agent.press_where("the answer", |control| {
                control.role() == "button" && control.name().replace('&', "") == answer
            });
            assert_eq!(office.line(), outcome);
            agent.find_none("label", "Empty it for good?");
        }
    });
}

#[test]
fn an_order_is_chosen_in_a_menu_of_a_menu() {
    task(|agent| {
        let office = office(agent, "qt6");
        agent.press("menu-item", "Records");
        agent.press("menu-item", "Order by");
        agent.press("menu-item", "city");
        assert_eq!(office.line(), "order=city");
    });
}

#[test]
fn a_form_of_gtk_4_is_filled_in_and_sent() {
    task(|agent| {
        let office = office(agent, "gtk4");
        // GTK 4 calls what has no name by its type.
        agent.press("text", "GtkEntry");
        agent.type_text("Ada");
        agent.press("text", "GtkTextView");
        agent.type_text("two words");
        agent.press("check-box", "Send news");
        agent.press("check-box", "GtkSwitch");
        agent.press("check-box", "By mail");
        // The list that drops down has areas that GTK 4 tells nobody, and takes keys.
        agent.press("combo-box", "GtkDropDown");
        agent.look_at_rest();
        for key in ["Down", "Down", "Return"] {
            agent.key(key);
        }
        agent.look_at_rest();
        agent.press("button", "Submit");
        assert_eq!(office.line(), "form=Ada|two words|True|True|mail|Chile");
    });
}

#[test]
fn a_modal_dialog_of_gtk_4_is_answered() {
    task(|agent| {
        let office = office(agent, "gtk4");
        for (answer, outcome) in [("No", "bin=kept"), ("Yes", "bin=emptied")] {
            agent.press("button", "Empty the bin");
            agent.press_where("the answer", |control| {
                control.role() == "button" && control.name().replace('_', "").starts_with(answer)
            });
            assert_eq!(office.line(), outcome);
        }
    });
}
