//! Changes at one place of a value, most of which break it.

use serde_json::{Map, Value, json};

use super::sample::neighbours;
use super::spelling::as_number;

/// Every value that differs from `value` at one place only: each place replaced by each of `others`, each field dropped,
/// renamed, added, each list shortened, lengthened, emptied.
pub(crate) fn everywhere(value: &Value, others: &[Value]) -> Vec<Value> {
    let mut changed = others.to_vec();
    changed.extend(neighbours(value));
    match value {
        Value::Object(object) => changed.extend(of_object(object, others)),
        Value::Array(items) => changed.extend(of_array(items, others)),
        Value::String(text) if as_number(value).is_none() => changed.extend(of_text(text)),
        _ => {}
    }
    changed
}

fn of_object(object: &Map<String, Value>, others: &[Value]) -> Vec<Value> {
    let mut changed = Vec::new();
    let mut with = |edit: &dyn Fn(&mut Map<String, Value>)| {
        let mut copy = object.clone();
        edit(&mut copy);
        changed.push(Value::Object(copy));
    };
    for added in ["unknown", "", "Type", "x", "off", "ref"] {
        with(&|copy| drop(copy.insert(added.to_owned(), json!(1))));
    }
    for (name, inner) in object {
        with(&|copy| drop(copy.remove(name)));
        with(&|copy| {
            copy.remove(name);
            copy.insert(name.to_uppercase(), inner.clone());
        });
        with(&|copy| {
            copy.remove(name);
            copy.insert(format!("{name}_"), inner.clone());
        });
        for inner in everywhere(inner, others) {
            with(&|copy| drop(copy.insert(name.clone(), inner.clone())));
        }
    }
    changed
}

fn of_array(items: &[Value], others: &[Value]) -> Vec<Value> {
    let mut changed = vec![items.iter().skip(1).cloned().collect::<Value>()];
    for extra in items
        .first()
        .into_iter()
        .chain(&[json!(null), json!(0), json!("screen"), json!({})])
    {
        changed.push(items.iter().chain([extra]).cloned().collect());
    }
    // The first place stands for all.
    if let Some(first) = items.first() {
        for inner in everywhere(first, others) {
            changed.push(
                std::iter::once(inner)
                    .chain(items.iter().skip(1).cloned())
                    .collect(),
            );
        }
    }
    changed
}

fn of_text(text: &str) -> Vec<Value> {
    vec![
        json!(text.to_uppercase()),
        json!(format!("{text} ")),
        json!(format!(" {text}")),
        json!(format!("{text}\n")),
        json!(text.replace('_', "-")),
        json!([text]),
        json!({"kind": text}),
    ]
}
