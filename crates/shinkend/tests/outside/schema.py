"""As much of JSON Schema as the protocol's schema uses, to hold every message of the daemon against it."""

import json
import os
import pathlib
import re


def load():
    """The protocol's schema, or None where it is not there."""
    named = os.environ.get("SHINKEN_SEEDS")
    root = pathlib.Path(__file__).resolve().parents[4]
    folders = [pathlib.Path(named)] if named else [root / "../shared/seeds", root / "../../shared/seeds"]
    for folder in folders:
        path = folder / "aci.schema.json"
        if path.exists():
            return json.loads(path.read_text())
    return None


def is_type(kind, value):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "number": number,
        "integer": number and float(value).is_integer(),
    }[kind]


def same(one, other):
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def faults(document, schema, value, place="$"):
    """What is wrong with the value, as a list of texts."""
    found = []

    def of(inner, inner_value=value, inner_place=place):
        return faults(document, inner, inner_value, inner_place)

    def check(good, what):
        if not good:
            found.append(f"{place}: {what}")

    if "$ref" in schema:
        target = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        found += of(target)
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(kind, value) for kind in kinds):
            return [f"{place}: {value!r:.60} is not of type {kinds}"]
    if "const" in schema:
        check(same(value, schema["const"]), f"{value!r:.60} is not {schema['const']!r}")
    if "enum" in schema:
        check(any(same(value, word) for word in schema["enum"]), f"{value!r:.60} is not one of {schema['enum']}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        check(value >= schema.get("minimum", value), "too small")
        check(value <= schema.get("maximum", value), "too large")
        check("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"], "too small")
    if isinstance(value, str):
        check(len(value) >= schema.get("minLength", 0), "too short")
        check(re.search(schema.get("pattern", ""), value), "not of the pattern")
    if isinstance(value, list):
        check(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), "wrong count")
        for index, item in enumerate(value):
            found += of(schema.get("items", {}), item, f"{place}[{index}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            check(name in value, f"{name!r} is missing")
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in properties:
                found += of(properties[name], item, f"{place}.{name}")
            elif rest is False:
                found.append(f"{place}: {name!r} is unknown")
            elif rest is not True:
                found += of(rest, item, f"{place}.{name}")
    for inner in schema.get("allOf", []):
        found += of(inner)
    if "anyOf" in schema:
        check(any(not of(inner) for inner in schema["anyOf"]), "none of the choices")
    if "oneOf" in schema:
        good = [inner for inner in schema["oneOf"] if not of(inner)]
        check(len(good) == 1, f"{len(good)} of the choices instead of one")
    if "not" in schema:
        check(of(schema["not"]), "what must not be")
    if "if" in schema and not of(schema["if"]):
        found += of(schema.get("then", {}))
    return found
