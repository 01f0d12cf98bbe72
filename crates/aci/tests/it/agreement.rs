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

use aci::extension::{self, Extensions, Incoming};
use aci::message::Message;
use aci::schema::{self, DEFINITIONS, Definition};
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

/// A schema of ours and what goes with it.
struct Ours {
    document: Value,
    definitions: &'static [Definition],
    /// Reads a whole message and writes it again.
    message: fn(&str) -> Result<Value, String>,
}

impl Ours {
    fn of_the_contract() -> Self {
        Self {
            document: schema::document(),
            definitions: DEFINITIONS,
            message: |text| {
                let plain = Message::parse(text);
                // What goes beyond the contract is nowhere where it is not on.
                match (&plain, Incoming::parse(text, &Extensions::NONE)) {
                    (Ok(message), Ok(Incoming::Plain(same))) if *message == same => {}
                    (Err(_), Err(_)) => {}
                    (_, other) => panic!("{text}\nis {plain:?} and, with no extension on, {other:?}"),
                }
                // Nor does it take anything away.
                if let Ok(message) = &plain {
                    let on = Incoming::parse(text, &Extensions::all());
                    assert_eq!(on.as_ref(), Ok(&Incoming::Plain(message.clone())), "{text}");
                }
                plain.map(Message::encode).map_err(|refusal| refusal.to_string())
            },
        }
    }

    fn beyond() -> Self {
        Self {
            document: extension::schema::document(),
            definitions: extension::schema::DEFINITIONS,
            message: |text| match Incoming::parse(text, &Extensions::all()) {
                Ok(Incoming::Action(message)) => Ok(message.encode()),
                Ok(Incoming::Query(message)) => Ok(message.encode()),
                Ok(Incoming::View(view)) => Ok(view.encode()),
                Ok(Incoming::Plain(_)) => Err("it is of the contract".to_owned()),
                Err(refusal) => Err(refusal.to_string()),
            },
        }
    }
}

/// Compares one subject on samples from both schemas, and gives the number of valid and of broken texts.
fn run(all: &Ours, name: &str, seed: u64, contract: Option<&Value>) -> (usize, usize) {
    let ours = &all.document;
    let place = contract::PLACES
        .iter()
        .find(|(ours, _)| *ours == name)
        .map(|(_, place)| *place);
    let mut sources = vec![(ours, standing(ours, (name != MESSAGE).then_some(name)))];
    // What the contract has no words for is only compared with our schema.
    if let Some(contract) = contract.filter(|_| place.is_some() || name == MESSAGE) {
        sources.push((contract, standing(contract, place)));
    }
    let definition = all.definitions.iter().find(|definition| definition.name == name);
    let rewrite = |text: &str, value: Value| match definition {
        Some(definition) => (definition.rewrite)(value).map_err(|fault| fault.to_string()),
        None if name == MESSAGE => (all.message)(text),
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

fn compare_all(all: &Ours, seed: u64, contract: Option<&Value>, more: &[&str]) -> usize {
    println!("ACI_AGREEMENT_SEED={seed} repeats this run");
    let mut names: Vec<&str> = all.definitions.iter().map(|definition| definition.name).collect();
    names.extend(more);
    let mut table = String::new();
    let mut total = 0;
    for name in names {
        let (valid, broken) = run(all, name, seed, contract);
        writeln!(table, "{name:24} {valid:6} valid {broken:6} broken").expect("a string takes all");
        // The smallest set of words has one.
        assert!(valid >= 1 && broken >= 20, "too few texts say little\n{table}");
        total += valid + broken;
    }
    println!("{table}{total} different texts, one verdict on each");
    total
}

fn compare_with_contract(seed: u64) {
    let contract = contract::schema();
    let more = [MESSAGE, "MutatingVerb"];
    let total = compare_all(&Ours::of_the_contract(), seed, contract.as_ref(), &more);
    assert!(total >= LEAST, "{total} texts are too few");
}

#[test]
fn parser_schema_and_contract_agree() {
    compare_with_contract(SEED);
}

#[test]
fn they_agree_on_other_random_texts_too() {
    let repeated = std::env::var("ACI_AGREEMENT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    compare_with_contract(repeated.unwrap_or_else(Random::fresh_seed));
}

#[test]
fn parser_and_schema_agree_on_what_goes_beyond_the_contract() {
    let total = compare_all(&Ours::beyond(), SEED, None, &[MESSAGE]);
    assert!(total >= LEAST / 4, "{total} texts are too few");
}
