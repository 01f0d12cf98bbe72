//! One verdict: our parser, the schema that we generate and the contract's schema accept the same messages.
//!
//! For every definition, and for whole messages, samples are made from both schemas and then broken in every way that
//! [`change`] knows. On each text the verdicts must be equal. What our parser accepts it must also write so that both
//! schemas accept it and that reading it again gives the same.

mod change;
mod sample;
mod spelling;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use aci::message::Message;
use aci::schema::{self, DEFINITIONS};
use aci::verb::Verb;
use aci::{Fault, Wire};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::contract;
use crate::random::Random;
use sample::{Maker, anything, requires};

/// The seed that every run uses; `ACI_AGREEMENT_SEED` repeats a run with another one.
const SEED: u64 = 2026;
/// What is compared beyond the definitions: whole messages, as text.
const MESSAGE: &str = "Message";
/// Random samples of each kind of each thing, each of which is then broken.
const SAMPLES: usize = 7;
/// A run compares at least so many different texts.
const LEAST: usize = 20_000;

/// One thing that is compared, and all texts that it was compared on.
struct Subject<'a> {
    name: &'a str,
    rewrite: &'a dyn Fn(&str, Value) -> Result<Value, String>,
    /// Our schema and, where it is there, the contract's.
    judges: Vec<Validator>,
    seen: HashSet<String>,
    valid: usize,
}

impl Subject<'_> {
    /// A sample, valid where a few attempts give one.
    fn sample<'s>(&self, maker: &mut Maker<'s>, schema: &'s Value, fullness: usize) -> Value {
        let mut sample = maker.value(schema, fullness);
        for _ in 0..8 {
            if self.valid_by_schemas(&sample) {
                break;
            }
            sample = maker.value(schema, fullness);
        }
        sample
    }

    /// A valid sample with this field, so that a change to the field is all that can break it.
    fn sample_with<'s>(&self, maker: &mut Maker<'s>, schema: &'s Value, field: &str) -> Value {
        for _ in 0..100 {
            let Value::Object(mut object) = maker.value(schema, 0) else {
                break;
            };
            object.insert(field.to_owned(), maker.value(&schema["properties"][field], 1));
            maker.keep_rules(schema, &mut object);
            let sample = Value::Object(object);
            if sample.get(field).is_some() && self.valid_by_schemas(&sample) {
                return sample;
            }
        }
        panic!("{}: no valid sample with the field {field:?}", self.name)
    }

    fn valid_by_schemas(&self, value: &Value) -> bool {
        let plain = serde_json::from_str(&spelling::write(value)).expect("samples are JSON");
        self.judges.iter().all(|schema| schema.is_valid(&plain))
    }

    /// Compares the verdicts on a value, unless it was compared before.
    fn compare(&mut self, value: &Value) {
        let text = spelling::write(value);
        if !self.seen.insert(text.clone()) {
            return;
        }
        // As the validators see it: unusual spellings of numbers are gone.
        let plain: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let judge = |value: &Value| -> Vec<bool> {
            self.judges.iter().map(|schema| schema.is_valid(value)).collect()
        };
        let verdicts = judge(&plain);
        let ours = (self.rewrite)(&text, plain);
        assert!(
            verdicts.iter().all(|verdict| *verdict == ours.is_ok()),
            "{}: our parser says {:?}, [our schema, the contract's schema] say valid: {verdicts:?}\n{text}",
            self.name,
            ours.as_ref().map(Value::to_string),
        );
        if let Ok(written) = ours {
            self.valid += 1;
            let again = (self.rewrite)(&written.to_string(), written.clone());
            assert_eq!(
                again.as_ref(),
                Ok(&written),
                "{}: read again it is another\n{text}",
                self.name
            );
            assert!(
                judge(&written).iter().all(|valid| *valid),
                "{}: we write {written} for\n{text}",
                self.name
            );
        }
    }
}

/// Which fields go together: every choice of the fields that rules speak of, or, where those are too many, every pair of
/// fields with every word of the field that the rules ask for.
fn combinations(maker: &mut Maker<'_>, schema: &Value) -> Vec<Value> {
    let schema = schema["$ref"]
        .as_str()
        .map_or(schema, |it| contract::resolve(maker.document, it));
    let (Some(properties), Some(rules)) = (schema["properties"].as_object(), schema.get("allOf")) else {
        return Vec::new();
    };
    let mut fields: BTreeMap<&String, Value> = BTreeMap::new();
    let mut base = Map::new();
    for (name, property) in properties {
        // Values of the plainest kind, for what is compared is which fields are there.
        let document = maker.document;
        let value = Maker {
            document,
            random: Random::new(maker.random.next()),
        }
        .value(property, 0);
        if requires(schema, name) {
            base.insert(name.clone(), value);
        } else {
            fields.insert(name, value);
        }
    }
    let with = |base: &Map<String, Value>, chosen: &[&String]| {
        let mut object = base.clone();
        object.extend(chosen.iter().map(|name| ((*name).clone(), fields[name].clone())));
        Value::Object(object)
    };
    let mentioned = rules.to_string();
    let ruled: Vec<&String> = fields
        .keys()
        .copied()
        .filter(|name| mentioned.contains(&format!("\"{name}\"")))
        .collect();
    if ruled.len() <= 10 {
        return (0..1_usize << ruled.len())
            .map(|choice| {
                let chosen: Vec<&String> = ruled
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| choice >> bit & 1 == 1)
                    .map(|(_, it)| *it)
                    .collect();
                with(&base, &chosen)
            })
            .collect();
    }
    let all: Vec<&String> = fields.keys().copied().collect();
    let mut made = Vec::new();
    for verb in Verb::ALL {
        base.insert("verb".to_owned(), json!(verb.as_str()));
        for (index, one) in all.iter().enumerate() {
            made.push(with(&base, &[one]));
            made.extend(all[..index].iter().map(|other| with(&base, &[one, other])));
        }
    }
    made
}

/// Where in a schema document a subject stands: the pointer, and a document whose root it is.
fn standing(document: &Value, place: Option<&str>) -> (String, Value) {
    match place {
        Some(place) => (format!("/$defs/{place}"), contract::part(document, place)),
        None => (String::new(), document.clone()),
    }
}

/// Compares one subject on samples from both schemas, and gives the number of valid and of broken texts.
fn run(name: &str, seed: u64, contract: Option<&Value>) -> (usize, usize) {
    let ours = schema::document();
    let place = contract::PLACES
        .iter()
        .find(|(ours, _)| *ours == name)
        .map(|(_, place)| *place);
    let mut sources = vec![(&ours, standing(&ours, (name != MESSAGE).then_some(name)))];
    // What the contract has no words for is only compared with our schema.
    if let Some(contract) = contract.filter(|_| place.is_some() || name == MESSAGE) {
        sources.push((contract, standing(contract, place)));
    }
    let definition = DEFINITIONS.iter().find(|definition| definition.name == name);
    let rewrite = |text: &str, value: Value| match definition {
        Some(definition) => (definition.rewrite)(value).map_err(|fault| fault.to_string()),
        None if name == MESSAGE => Message::parse(text)
            .map(Message::encode)
            .map_err(|refusal| refusal.to_string()),
        None => mutating_verb(value).map_err(|fault| fault.to_string()),
    };
    let judge = |(_, (_, root)): &(&Value, (String, Value))| {
        jsonschema::validator_for(root).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let judges = sources.iter().map(judge).collect();
    let mut subject = Subject {
        name,
        rewrite: &rewrite,
        judges,
        seen: HashSet::new(),
        valid: 0,
    };
    let anything = anything();
    anything.iter().for_each(|value| subject.compare(value));
    for (document, (pointer, _)) in &sources {
        let schema = document
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{pointer} is not in the schema"));
        let mut maker = Maker {
            document,
            random: Random::new(seed),
        };
        let mut words = BTreeSet::new();
        sample::words(document, &mut words);
        words.iter().for_each(|word| subject.compare(&json!(word)));
        let words: Vec<Value> = words.into_iter().map(Value::from).collect();
        combinations(&mut maker, schema)
            .iter()
            .for_each(|combination| subject.compare(combination));
        // Each kind of message, each kind of target.
        let kinds = schema["oneOf"]
            .as_array()
            .map_or_else(|| vec![schema], |kinds| kinds.iter().collect());
        for kind in kinds {
            for round in 0..SAMPLES {
                let sample = subject.sample(&mut maker, kind, round % 5);
                subject.compare(&sample);
                let random = &mut maker.random;
                let few = [
                    random.pick(&anything),
                    random.pick(&anything),
                    random.pick(&words),
                ]
                .map(Value::clone);
                change::everywhere(&sample, &few)
                    .iter()
                    .for_each(|changed| subject.compare(changed));
            }
            let kind = kind["$ref"]
                .as_str()
                .map_or(kind, |reference| contract::resolve(document, reference));
            for field in kind["properties"].as_object().into_iter().flat_map(Map::keys) {
                let sample = subject.sample_with(&mut maker, kind, field);
                for changed in change::everywhere(&sample[field], &anything) {
                    let mut sample = sample.clone();
                    sample[field] = changed;
                    subject.compare(&sample);
                }
            }
        }
    }
    (subject.valid, subject.seen.len() - subject.valid)
}

/// `MutatingVerb` has no type of its own; the table of verbs knows them.
fn mutating_verb(value: Value) -> Result<Value, Fault> {
    let verb = Verb::decode(value)?;
    if verb.mutates() {
        Ok(verb.encode())
    } else {
        Err(Fault::new("it changes nothing"))
    }
}

fn compare_all(seed: u64) {
    println!("ACI_AGREEMENT_SEED={seed} repeats this run");
    let contract = contract::schema();
    let mut names: Vec<&str> = DEFINITIONS.iter().map(|definition| definition.name).collect();
    names.extend([MESSAGE, "MutatingVerb"]);
    let mut table = String::new();
    let mut total = 0;
    for name in names {
        let (valid, broken) = run(name, seed, contract.as_ref());
        writeln!(table, "{name:24} {valid:6} valid {broken:6} broken").expect("a string takes all");
        assert!(valid >= 2 && broken >= 20, "too few texts say little\n{table}");
        total += valid + broken;
    }
    println!("{table}{total} different texts, one verdict on each");
    assert!(total >= LEAST, "{total} texts are too few");
}

#[test]
fn parser_schema_and_contract_agree() {
    compare_all(SEED);
}

#[test]
fn they_agree_on_other_random_texts_too() {
    let repeated = std::env::var("ACI_AGREEMENT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    compare_all(repeated.unwrap_or_else(Random::fresh_seed));
}
