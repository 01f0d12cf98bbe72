//! The generated files are what the generator makes.

use std::fs;

use aci::{docs, extension, files, schema};

use crate::contract::repository;

#[track_caller]
fn is(file: &str, made: &str) {
    let path = repository().join(file);
    let stored = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let first = stored
        .lines()
        .zip(made.lines())
        .position(|(stored, made)| stored != made);
    let line = first.unwrap_or_else(|| stored.lines().count().min(made.lines().count())) + 1;
    assert!(
        stored == made,
        "{file} is not up to date from line {line} on; run `cargo xtask schema` and commit it"
    );
}

#[test]
fn the_schema_is_up_to_date() {
    let made = serde_json::to_string_pretty(&schema::document()).unwrap();
    is("schema/aci.schema.json", &(made + "\n"));
}

#[test]
fn the_schema_of_what_goes_beyond_is_up_to_date() {
    let made = serde_json::to_string_pretty(&extension::schema::document()).unwrap();
    is("schema/aci-extensions.schema.json", &(made + "\n"));
}

#[test]
fn the_schema_of_the_files_channel_is_up_to_date() {
    let made = serde_json::to_string_pretty(&files::schema::document()).unwrap();
    is("schema/aci-files.schema.json", &(made + "\n"));
}

#[test]
fn the_reference_page_is_up_to_date() {
    is("docs/aci.md", &docs::page());
}

#[test]
fn every_link_of_the_page_has_its_section() {
    let page = docs::page();
    let sections: Vec<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|heading| heading.trim_start_matches('#').trim().to_lowercase())
        .collect();
    let links: Vec<&str> = page
        .split("](#")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    assert!(links.len() > 50, "only {} links", links.len());
    for link in links {
        assert!(
            sections.iter().any(|section| section == link),
            "no section {link:?}"
        );
    }
}
