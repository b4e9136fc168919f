"""Writes the JSON Schemas that ship with the package, from the types that are read and written."""

import ast
import inspect
import json
from collections.abc import Mapping
from dataclasses import MISSING, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from seriatim.certificate import all as kinds
from seriatim.certificate.certificate import FORMAT, HEADER, TRANSLATION, VERSION
from seriatim.codec import As, AtLeast, Codec, Keys, Member, Tagged, members_of
from seriatim.properties.all import QUESTIONS

CERTIFICATE = Path(kinds.__file__).with_name("certificate.schema.json")
DRAFT = "https://json-schema.org/draft/2020-12/schema"
ABOUT = (
    "Evidence for a verdict of Seriatim. Three demands go beyond this schema: no object repeats a key, an"
    " integer is written without fraction and exponent, and the steps of `chains` are those of one proof."
)
WIDTH = 110
SCALARS = {int: "integer", bool: "boolean", str: "string", NoneType: "null"}

Schema = dict[str, Any]


class Definitions:
    """The schemas of records, by name, as far as they are needed."""

    def __init__(self) -> None:
        self.known: dict[str, Schema] = {}
        self.kinds: dict[str, Any] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type."""
        origin, parts = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.annotated(parts[0], parts[1])
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(each) for each in parts]}
        if origin is Literal:
            return {"enum": list(parts)}
        if origin is tuple and parts[1:] == (...,):
            return {"type": "array", "items": self.of(parts[0])}
        if origin is tuple:
            length = {"minItems": len(parts), "maxItems": len(parts)}
            return {"type": "array", "prefixItems": [self.of(each) for each in parts], **length}
        if is_dataclass(kind):
            return self.reference(kind, None)
        return {"type": SCALARS[kind]}

    def annotated(self, kind: Any, how: object) -> Schema:
        match how:
            case Codec(schema=dict() as given):
                return self.given(given)
            case Codec(schema=None):
                raise SystemExit(f"nothing says how {kind} looks in JSON")
            case Codec(schema=alike):
                return self.of(alike)
            case AtLeast(least=least):
                return {"type": "integer", "minimum": least}
            case Keys(names=names):
                properties = dict(zip(names, map(self.of, get_args(kind)), strict=True))
                return closed({"type": "object", "properties": properties, "required": list(names)})
            case As(members=members):
                return self.reference(kind, members)
            case Tagged(key=key, kinds=tagged):
                return {"anyOf": [self.tagged(key, tag, each) for tag, each in tagged]}
            case _:
                return self.of(kind)

    def given(self, schema: Any) -> Any:
        """A schema that is written by hand, in which a type stands for its schema."""
        match schema:
            case dict():
                for name in ("folded-turns", "formula"):
                    if f"#/$defs/{name}" in str(schema) and name not in self.known:
                        self.known[name] = {}
                        self.known[name] = self.given(schema)
                        return {"$ref": f"#/$defs/{name}"}
                return {key: self.given(value) for key, value in schema.items()}
            case list():
                return [self.given(each) for each in schema]
            case type():
                return self.of(schema)
            case _:
                return schema

    def reference(self, kind: Any, members: dict[str, Any] | None) -> Schema:
        name = words(kind.__name__)
        if self.kinds.setdefault(name, kind) is not kind:
            name = f"{kind.__module__.rpartition('.')[2].replace('_', '-')}-{name}"
        if name not in self.known:
            self.known[name] = {}
            self.known[name] = closed(self.record(kind, members))
        return {"$ref": f"#/$defs/{name}"}

    def tagged(self, key: str, tag: str, kind: Any) -> Schema:
        members = None
        if get_origin(kind) is Annotated:
            kind, note, *_ = get_args(kind)
            members = note.members
        found = self.record(kind, members)
        found["properties"] = {key: {"const": tag}, **found["properties"]}
        found["required"] = [key, *found["required"]]
        return closed(found)

    def record(self, kind: Any, given: dict[str, Any] | None) -> Schema:
        found: Schema = {"type": "object", "properties": {}, "required": []}
        text = first_sentence(kind.__doc__)
        if text and not text.startswith(f"{kind.__name__}("):  # which `dataclass` makes
            found = {"description": text, **found}
        told = comments(kind)
        for each in members_of(kind, given):
            self.add(found, each, told)
        return found

    def add(self, found: Schema, member: Member, told: Mapping[str, str]) -> None:
        if member.inlined is not None:
            inner = get_args(member.kind)[0]
            for each in member.inlined:
                self.add(found, each, comments(inner))
            return
        text = told.get(member.attribute)
        found["properties"][member.key] = {**({"description": text} if text else {}), **self.of(member.kind)}
        if member.omitted is MISSING:
            found["required"].append(member.key)
        if member.along_with:
            depends = found.setdefault("dependentRequired", {})
            depends.setdefault(member.along_with, []).append(member.key)
            depends.setdefault(member.key, []).append(member.along_with)


def closed(schema: Schema) -> Schema:
    return {**schema, "additionalProperties": False}


def words(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]


def first_sentence(text: str | None) -> str:
    """The first paragraph, in one line."""
    return " ".join((text or "").split("\n\n")[0].split())


@cache
def comments(kind: Any) -> Mapping[str, str]:
    """What stands below the attributes of a class."""
    (tree,) = ast.parse(inspect.cleandoc(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    return {
        one.target.id: first_sentence(text.value.value)
        for one, text in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def certificate() -> Schema:
    definitions = Definitions()
    found: list[Schema] = []
    for kind in kinds.KINDS:
        evidence = definitions.record(kinds.class_of(kind), None)
        properties = {"kind": {"const": kind}, **evidence.pop("properties")}
        required = ["kind", *evidence.pop("required")]
        evidence.pop("type")
        header = {"$ref": "#/$defs/header", "properties": properties, "required": required}
        definitions.known[kind] = {**evidence, **header, "unevaluatedProperties": False}
        found.append({"$ref": f"#/$defs/{kind}"})
    known = {"header": header_schema(), **definitions.known}
    title = f"Seriatim certificate, version {VERSION}"
    return {"$schema": DRAFT, "title": title, "description": ABOUT, "oneOf": found, "$defs": known}


def header_schema() -> Schema:
    text = {"type": "string"}
    asked: list[Schema] = [{"enum": [name for name, each in QUESTIONS.items() if all_optional(each)]}]
    for name, each in QUESTIONS.items():
        if each.takes:
            own = {parameter.key: parameter.schema for parameter in each.takes}
            properties = {"property": {"const": name}, **own}
            asked.append(closed({"type": "object", "properties": properties, "required": list(properties)}))
    source = {"front_end": text, "source_sha256": text}
    settings = {"type": "object", "additionalProperties": text}
    properties = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "input_sha256": {
            "description": "SHA-256 of the input's canonical text.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "maxLength": 64,
        },
        "question": {
            "description": "What was asked: the name of a property, or an object with it and parameters.",
            "oneOf": asked,
        },
        TRANSLATION: closed(
            {
                "description": "Where the input comes from, if a front end has translated it: which one, the"
                " SHA-256 of the source, and the options that it was given.",
                "type": "object",
                "properties": {**source, "settings": settings},
                "required": [*source, "settings"],
            }
        ),
        "verdict": {"enum": [verdict for each in QUESTIONS.values() for verdict in each.verdicts]},
    }
    return {"type": "object", "properties": properties, "required": list(HEADER[:-1])}


def all_optional(asked: Any) -> bool:
    return all(parameter.is_optional for parameter in asked.takes)


def schemas() -> Mapping[Path, str]:
    """The files as they should be."""
    return {CERTIFICATE: text(certificate()) + "\n"}


def text(value: Any, indent: str = "") -> str:
    """JSON with each part in one line, as far as it fits."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    parts = (
        [f"{json.dumps(key)}: {text(each, inner)}" for key, each in value.items()]
        if isinstance(value, dict)
        else [text(each, inner) for each in value]
    )
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f",\n{inner}".join((f"{opening}\n{inner}{parts[0]}", *parts[1:])) + f"\n{indent}{closing}"


if __name__ == "__main__":
    for path, content in schemas().items():
        path.write_text(content, encoding="utf-8")
