//! Rules on which fields go together, said once for the parser and for the schema's `allOf`.

use serde_json::{Map, Value, json};

use crate::verb::Verb;
use crate::wire::Fault;

/// When a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// Any of these fields is there.
    Any(Vec<&'static str>),
    /// The field `verb` is one of these.
    Verb(Vec<&'static str>),
}

/// What must hold then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// All of these fields are there.
    Require(Vec<&'static str>),
    /// At least one of these is.
    AnyOf(Vec<&'static str>),
    /// Exactly one of these two is.
    OneOf(&'static str, &'static str),
    /// None of these is.
    Forbid(Vec<&'static str>),
    /// The field `verb` is one of these.
    Verb(Vec<&'static str>),
}

/// One rule between the fields of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The condition.
    pub when: When,
    /// The consequence.
    pub then: Then,
}

impl Rule {
    /// Holds the rule against the fields of an object that has not been read yet.
    pub(crate) fn check(&self, object: &Map<String, Value>) -> Result<(), Fault> {
        let has = |field: &&str| object.contains_key(*field);
        // A word that is no verb is refused where the verb is read, with the words that are.
        let verb = object
            .get("verb")
            .and_then(Value::as_str)
            .and_then(Verb::from_word)
            .map(Verb::as_str);
        let (applies, because) = match &self.when {
            When::Always => (true, "here".to_owned()),
            When::Any(fields) => {
                let found = fields.iter().find(|field| has(field));
                (
                    found.is_some(),
                    found.map_or(String::new(), |field| format!("with {field:?}")),
                )
            }
            When::Verb(verbs) => (
                verb.is_some_and(|verb| verbs.contains(&verb)),
                format!("for the verb {:?}", verb.unwrap_or_default()),
            ),
        };
        if !applies {
            return Ok(());
        }
        let problem = match &self.then {
            Then::Require(fields) => match fields.iter().find(|field| !has(field)) {
                Some(missing) => format!("the field {missing:?} is missing, which is needed {because}"),
                None => return Ok(()),
            },
            Then::AnyOf(fields) if fields.iter().any(&has) => return Ok(()),
            Then::AnyOf(fields) => format!("one of the fields {} is needed {because}", fields.join(", ")),
            Then::OneOf(one, other) => match (has(one), has(other)) {
                (true, false) | (false, true) => return Ok(()),
                (true, true) => format!("{one:?} and {other:?} exclude each other; send one of them"),
                (false, false) => format!("one of {one:?} and {other:?} is needed {because}"),
            },
            Then::Forbid(fields) => match fields.iter().find(|field| has(field)) {
                Some(extra) => format!("the field {extra:?} cannot go {because}"),
                None => return Ok(()),
            },
            Then::Verb(verbs) if verb.is_none_or(|verb| verbs.contains(&verb)) => return Ok(()),
            Then::Verb(verbs) => {
                format!(
                    "{because} the verb is one of {}, not {:?}",
                    verbs.join(", "),
                    verb.unwrap_or_default()
                )
            }
        };
        Err(Fault::new(problem))
    }

    /// The rule as a JSON Schema.
    pub(crate) fn schema(&self) -> Value {
        let required = |fields: &[&str]| json!({"required": fields});
        let any = |fields: &[&str]| match fields {
            [one] => json!({"required": [one]}),
            several => {
                json!({"anyOf": several.iter().map(|field| json!({"required": [field]})).collect::<Vec<_>>()})
            }
        };
        let when = match &self.when {
            When::Always => json!({}),
            When::Any(fields) => any(fields),
            When::Verb(verbs) => json!({"required": ["verb"], "properties": {"verb": {"enum": verbs}}}),
        };
        let then = match &self.then {
            Then::Require(fields) => required(fields),
            Then::AnyOf(fields) => any(fields),
            Then::OneOf(one, other) => json!({"oneOf": [{"required": [one]}, {"required": [other]}]}),
            Then::Forbid(fields) => json!({"not": any(fields)}),
            Then::Verb(verbs) => json!({"properties": {"verb": {"enum": verbs}}}),
        };
        json!({"if": when, "then": then})
    }
}
